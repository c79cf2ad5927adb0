#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>

/* the one thing that a signal handler may touch */
static volatile sig_atomic_t wanted;

static void on_signal(int number)
{
	wanted = 1;
	signal(number, SIG_DFL);
}

void stop_watch(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool stop_wanted(void)
{
	return wanted != 0;
}
