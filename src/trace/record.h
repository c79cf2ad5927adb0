/*
 * record.h: an older name of trace/recorder.h.
 */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include "trace/recorder.h"

#endif
