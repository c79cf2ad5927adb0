/*
 * sampling_keys.h: the settings of the sampler by name, as they stand in batch files, in trace.json and, with dashes, on the
 * command line. One table serves all of them.
 *
 *     struct sampling sampling = {0};
 *     if (!sampling_read(json_find(row, "sampling"), &sampling, err)) return false;
 */
#ifndef TRACE_SAMPLING_KEYS_H
#define TRACE_SAMPLING_KEYS_H

#include "base/json.h"
#include "engine/batch.h"

/* The name of setting i = 0, 1, ... ("top_p"); NULL after the last. */
const char *sampling_key(size_t i);

/* Reads an object of settings over what is there; unknown keys and values out of bounds are input errors with their path. */
bool sampling_read(const struct json *object, struct sampling *sampling, struct err *err);
/* Sets one by its name from text, as given on a command line. Usage error naming `where`. */
bool sampling_set(struct sampling *sampling, const char *key, const char *text, const char *where, struct err *err);
/* Writes the settings that are on, as one object. */
void sampling_write(struct json_writer *writer, const struct sampling *sampling);

#endif
