/* The real program on a real (pseudo) terminal: it is as it was, whatever way the program ends. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"

struct terminal {
	int master, slave;
	pid_t program;
	struct buf output;
	struct termios before;
};

static const char *program_path(char path[512])
{
	const char *build = getenv("BUILD");
	snprintf(path, 512, "%s/rowscope", build != NULL ? build : "build");
	return path;
}

static void start(struct terminal *terminal, const char *type, const char *const *arguments)
{
	char path[512];
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	*terminal = (struct terminal){.master = posix_openpt(O_RDWR | O_NOCTTY)};
	ck_assert_int_ge(terminal->master, 0);
	ck_assert(grantpt(terminal->master) == 0 && unlockpt(terminal->master) == 0);
	terminal->slave = open(ptsname(terminal->master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(terminal->slave, 0);
	ck_assert_int_eq(tcgetattr(terminal->slave, &terminal->before), 0);
	ioctl(terminal->slave, TIOCSWINSZ, &size);
	setenv("TERM", type, 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("ROWSCOPE_DATA", ".", 1);
	terminal->program = fork();
	ck_assert_int_ge(terminal->program, 0);
	if (terminal->program == 0) {
		setsid();
		ioctl(terminal->slave, TIOCSCTTY, 0);
		for (int i = 0; i < 3; i++)
			dup2(terminal->slave, i);
		close(terminal->master);
		execv(program_path(path), (char *const *)(uintptr_t)arguments);
		_exit(127);
	}
}

/* Takes what the program has written, waiting for it at most so long; false at the end. */
static bool read_some(struct terminal *terminal, int milliseconds)
{
	struct pollfd ready = {.fd = terminal->master, .events = POLLIN};
	char bytes[4096];
	if (poll(&ready, 1, milliseconds) <= 0)
		return true;
	ssize_t length = read(terminal->master, bytes, sizeof bytes);
	for (ssize_t b = 0; b < length; b++)
		if (bytes[b] != '\0')
			buf_add_char(&terminal->output, bytes[b]);
	return length > 0;
}

/* Reads what the program writes until it says `wanted`, at most 20 seconds. */
static bool wait_for(struct terminal *terminal, const char *wanted)
{
	for (int i = 0; i < 200; i++) {
		if (strstr(buf_text(&terminal->output), wanted) != NULL)
			return true;
		if (!read_some(terminal, 100))
			return false;
	}
	return false;
}

static void type_keys(struct terminal *terminal, const char *keys)
{
	ck_assert_int_eq(write(terminal->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* The rest of the output, and how the program ended. */
static int finish(struct terminal *terminal)
{
	int status = 0;
	for (int i = 0; i < 1000 && waitpid(terminal->program, &status, WNOHANG) == 0; i++)
		read_some(terminal, 20);
	for (size_t before = SIZE_MAX; before != terminal->output.length;) {
		before = terminal->output.length;
		read_some(terminal, 50);
	}
	return status;
}

static void check_restored(struct terminal *terminal)
{
	struct termios after;
	ck_assert_int_eq(tcgetattr(terminal->slave, &after), 0);
	ck_assert_uint_eq(after.c_lflag & (ICANON | ECHO | ISIG), terminal->before.c_lflag & (ICANON | ECHO | ISIG));
	ck_assert_uint_eq(after.c_iflag & ICRNL, terminal->before.c_iflag & ICRNL);
	ck_assert_uint_eq(after.c_oflag, terminal->before.c_oflag);
	const char *out = buf_text(&terminal->output);
	const char *left = strstr(out, "\033[?1049l");
	ck_assert_msg(left != NULL, "the other screen was not left");
	for (const char *next = left; (next = strstr(next + 1, "\033[?1049l")) != NULL;)
		left = next;
	ck_assert_msg(strstr(left, "\033[?1049h") == NULL, "the other screen was entered again");
	ck_assert_msg(strstr(out, "\033[?25h") != NULL || strstr(out, "\033[34h\033[?25h") != NULL ||
			strstr(out, "\033[?12l\033[?25h") != NULL,
		"the cursor was not shown again");
}

static void close_terminal(struct terminal *terminal)
{
	close(terminal->master);
	close(terminal->slave);
	buf_free(&terminal->output);
}

static const char *const view[] = {"rowscope", "view", NULL};

static const struct {
	int signal; /* 0: leaves by key */
	int status; /* exit status, or the signal it dies of, negative */
} ways[] = {{0, 0}, {SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}, {SIGSEGV, -SIGSEGV}, {SIGABRT, -SIGABRT},
	{SIGFPE, -SIGFPE}, {SIGBUS, -SIGBUS}};

START_TEST(the_terminal_is_as_it_was)
{
	struct terminal terminal;
	start(&terminal, "xterm", view);
	ck_assert_msg(wait_for(&terminal, "three-requests"), "nothing was shown:\n%.2000s", buf_text(&terminal.output));
	type_keys(&terminal, "nns");
	ck_assert(wait_for(&terminal, "likeliest"));
	if (ways[_i].signal == 0)
		type_keys(&terminal, "qq");
	else
		kill(terminal.program, ways[_i].signal);
	int status = finish(&terminal);
	check_restored(&terminal);
	if (ways[_i].status >= 0)
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == ways[_i].status, "status %x",
			(unsigned)status);
	else
		ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == -ways[_i].status, "status %x",
			(unsigned)status);
	close_terminal(&terminal);
}
END_TEST

/* The window of the terminal is closed: the program must not go on in the dark. */
START_TEST(a_closed_terminal_ends_the_program)
{
	struct terminal terminal;
	int status = 0, waited = 0;
	start(&terminal, "xterm", view);
	ck_assert(wait_for(&terminal, "three-requests"));
	close(terminal.slave);
	close(terminal.master);
	for (; waited < 100 && waitpid(terminal.program, &status, WNOHANG) == 0; waited++)
		poll(NULL, 0, 100);
	ck_assert_int_lt(waited, 100);
	buf_free(&terminal.output);
}
END_TEST

START_TEST(a_dumb_terminal_gets_text)
{
	struct terminal terminal;
	start(&terminal, "dumb", view);
	ck_assert(wait_for(&terminal, "finished"));
	ck_assert_ptr_null(strchr(buf_text(&terminal.output), '\033'));
	finish(&terminal);
	close_terminal(&terminal);
}
END_TEST

/* Foreign text never reaches the terminal as it is: a token, a name and a prompt with escapes in them. */
START_TEST(foreign_text_moves_nothing)
{
	static const char *const hostile[] = {"rowscope", "view", "tiny-stories",
		"evil \033]0;owned\007 \033[2J \xe2\x80\xae x", NULL};
	struct terminal terminal;
	start(&terminal, "xterm", hostile);
	ck_assert_msg(wait_for(&terminal, "tiny-stories"), "%.1000s", buf_text(&terminal.output));
	type_keys(&terminal, "tTs");
	ck_assert(wait_for(&terminal, "likeliest"));
	type_keys(&terminal, "qqq");
	finish(&terminal);
	ck_assert_ptr_null(strstr(buf_text(&terminal.output), "\033]0;owned"));
	ck_assert_ptr_null(strstr(buf_text(&terminal.output), "\xe2\x80\xae"));
	close_terminal(&terminal);
}
END_TEST

/* The finished passes of the one trace under way in a folder. */
static int passes_in(const char *folder)
{
	char command[640], answer[32] = "";
	snprintf(command, sizeof command, "cat %s/*/passes.jsonl 2>/dev/null | wc -l", folder);
	FILE *lines = popen(command, "r");
	ck_assert_ptr_nonnull(lines);
	ck_assert_ptr_nonnull(fgets(answer, sizeof answer, lines));
	pclose(lines);
	return atoi(answer);
}

/* A command that runs many passes gives up at the next one, and the temporary trace is taken away. */
START_TEST(a_long_run_ends_at_a_pass)
{
	static const char *const slow[] = {"rowscope", "view", "tiny-stories", "Once upon a time", "The dog", "--new",
		"250", "--kernels", "scalar", "--threads", "1", NULL};
	const char *set = getenv("TMPDIR");
	char folder[512], base[400];
	struct terminal terminal;
	snprintf(base, sizeof base, "%s", set != NULL ? set : "/tmp");
	snprintf(folder, sizeof folder, "%s/rowscope-view-XXXXXX", base);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("TMPDIR", folder, 1);
	start(&terminal, "xterm", slow);
	setenv("TMPDIR", base, 1); /* without forks the other tests see it too */
	ck_assert_msg(wait_for(&terminal, "tiny-stories"), "%.1000s", buf_text(&terminal.output));
	type_keys(&terminal, ":run\r");
	for (int i = 0; i < 2000 && passes_in(folder) < 3; i++)
		read_some(&terminal, 10);
	kill(terminal.program, SIGINT);
	int status = finish(&terminal);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 130, "status %x", (unsigned)status);
	ck_assert_msg(strstr(buf_text(&terminal.output), "stopped before the next pass") != NULL, "it ran to its end");
	check_restored(&terminal);
	ck_assert_int_eq(rmdir(folder), 0);
	close_terminal(&terminal);
}
END_TEST

TEST_PROGRAM("terminal", {
	tcase_add_test(tests, a_long_run_ends_at_a_pass);
	tcase_add_loop_test(tests, the_terminal_is_as_it_was, 0, (int)(sizeof ways / sizeof ways[0]));
	tcase_add_test(tests, a_closed_terminal_ends_the_program);
	tcase_add_test(tests, a_dumb_terminal_gets_text);
	tcase_add_test(tests, foreign_text_moves_nothing);
})
