#include "tui/restore.h"

#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"

static struct {
	volatile sig_atomic_t asked, armed;
	char undo[RESTORE_MAX];
	size_t undo_length;
	struct termios settings;
	bool has_settings;
} state;

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const int requests[] = {SIGINT, SIGTERM, SIGHUP};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

void restore_now(void)
{
	if (!state.armed)
		return;
	state.armed = 0;
	size_t done = 0;
	while (done < state.undo_length) {
		ssize_t written = write(STDOUT_FILENO, state.undo + done, state.undo_length - done);
		if (written <= 0)
			break;
		done += (size_t)written;
	}
	if (state.has_settings)
		tcsetattr(STDIN_FILENO, TCSANOW, &state.settings);
}

static void on_crash(int number)
{
	restore_now();
	signal(number, SIG_DFL);
	raise(number);
}

static void on_request(int number)
{
	state.asked = number;
}

static void set_handler(int number, void (*handler)(int), int flags)
{
	struct sigaction action;
	memset(&action, 0, sizeof action);
	action.sa_handler = handler;
	action.sa_flags = flags;
	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

void restore_remember(void)
{
	state.has_settings = tcgetattr(STDIN_FILENO, &state.settings) == 0;
}

void restore_arm(const char *sequence, size_t length)
{
	state.undo_length = length < RESTORE_MAX ? length : RESTORE_MAX;
	memcpy(state.undo, sequence, state.undo_length);
	state.asked = 0;
	state.armed = 1;
	for (size_t i = 0; i < COUNT(crashes); i++)
		set_handler(crashes[i], on_crash, SA_NODEFER);
	/* no SA_RESTART: a read that waits must end */
	for (size_t i = 0; i < COUNT(requests); i++)
		set_handler(requests[i], on_request, 0);
	mem_on_exhausted(restore_now);
}

void restore_disarm(void)
{
	state.armed = 0;
	for (size_t i = 0; i < COUNT(crashes); i++)
		set_handler(crashes[i], SIG_DFL, 0);
	for (size_t i = 0; i < COUNT(requests); i++)
		set_handler(requests[i], SIG_DFL, 0);
	mem_on_exhausted(NULL);
}

bool restore_asked_to_end(void)
{
	return state.asked != 0;
}

int restore_signal(void)
{
	return state.asked;
}
