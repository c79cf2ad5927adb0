/*
 * restore.h: the terminal is as it was, however the program ends.
 *
 * While armed, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) and the end for want of memory write a prepared
 * sequence and put back the line settings before they take their course; SIGINT, SIGTERM and SIGHUP only set a
 * flag. Handlers use async-signal-safe calls only; what they need is prepared in advance, in the only mutable
 * state of this folder (a signal handler has no other way to be told).
 *
 *     restore_remember();
 *     restore_arm(sequence, length);     // when the terminal has been taken
 *     if (restore_asked_to_end()) ...
 *     restore_disarm();                  // after it was changed back
 */
#ifndef TUI_RESTORE_H
#define TUI_RESTORE_H

#include <stdbool.h>
#include <stddef.h>

#define RESTORE_MAX 256

/* Takes note of the line settings of standard input: before curses changes the first of them. */
void restore_remember(void);
/* Takes note of at most RESTORE_MAX bytes that undo what the full screen did, and installs the handlers. */
void restore_arm(const char *sequence, size_t length);
/* Removes the handlers. */
void restore_disarm(void);
/* True once SIGINT, SIGTERM or SIGHUP has come. */
bool restore_asked_to_end(void);
/* The signal that came, or 0. */
int restore_signal(void);
/* Restores now, without leaving: what the handlers do. */
void restore_now(void);

#endif
