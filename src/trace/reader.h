/*
 * reader.h: an older name of trace/trace.h.
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "trace/trace.h"

#endif
