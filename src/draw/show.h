/*
 * show.h: foreign bytes appended to a buffer as a display string (see base/utf8.h), whole, however long.
 */
#ifndef DRAW_SHOW_H
#define DRAW_SHOW_H

#include <stddef.h>

#include "base/buf.h"

void show_foreign(struct buf *out, const char *bytes, size_t length);
void show_text(struct buf *out, const char *text);

#endif
