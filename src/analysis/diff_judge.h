/*
 * diff_judge.h: rounding or bug? The rule of diff.h, applied along a trace's list of operations. Internal to analysis/.
 */
#ifndef ANALYSIS_DIFF_JUDGE_H
#define ANALYSIS_DIFF_JUDGE_H

#include "analysis/diff.h"

struct comparison_group;

/* Takes in a tensor of one of the traces: how large its numbers are. */
void diff_judge_scale(struct diff_value *value, const struct tensor *tensor);
/* Takes in numbers of one row and position that are not all equal. */
void diff_judge_group(struct diff_value *value, const struct comparison_group *group);

/* Fills in `allowed` and `explained` of every value, and the verdict. */
void diff_judge(struct diff *diff, struct trace *a, struct arena *arena);

#endif
