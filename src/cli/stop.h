/*
 * stop.h: Ctrl-C ends a run at the end of a pass, with everything whole; a second one ends it at once.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <stdbool.h>

/* From now on the first SIGINT or SIGTERM only sets the flag. */
void stop_watch(void);
/* Whether the person has asked to stop since stop_watch. */
bool stop_wanted(void);

#endif
