/*
 * capture.h: which values of a pass are recorded.
 *
 * A capture set is a list separated by commas: `all`, `io` (what goes in and comes out of a pass, small whatever the
 * model), and globs over the names of values, in which '*' stands for any run of characters, '?' for one and
 * [a-z0] or [!a-z0] for one of a set. A value is captured when any item of the list holds it.
 *
 *     if (!capture_check("io,layers.*.attn.weights", plan, err)) return false;
 *     bool wanted = capture_matches("io,layers.*.attn.weights", "layers.3.attn.weights");
 */
#ifndef TRACE_CAPTURE_H
#define TRACE_CAPTURE_H

#include <stdbool.h>

#include "base/err.h"
#include "engine/plan.h"

#define CAPTURE_DEFAULT "io"

/* Does the set hold the value of that name? An item that is malformed holds nothing. */
bool capture_matches(const char *capture, const char *name);

/* The globs that "io" stands for; NULL-terminated. */
const char *const *capture_io(void);

/* Usage error when an item is empty or a '[' is not closed, or when a glob fits no value of the plan that can be
 * recorded; the nearest name is suggested. */
bool capture_check(const char *capture, const struct plan *plan, struct err *err);

#endif
