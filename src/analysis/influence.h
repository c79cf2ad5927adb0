/*
 * influence.h: the structural proof: which rows can reach which cell, followed through every operation, pass and cache slot.
 *
 * A probe: it composes the reach functions of the operations over a run, as the run really went (its masks, its
 * slots). Each cell carries the set of requests that can have influenced it; a real cell whose set holds anything
 * but its own request is a leak. It looks at no number of the model, so it cannot be fooled by values
 * that happen to be equal.
 *
 *     struct influence *influence = influence_new(plan, request_count);
 *     struct probe probe = influence_probe(influence);
 */
#ifndef ANALYSIS_INFLUENCE_H
#define ANALYSIS_INFLUENCE_H

#include "analysis/leak.h"
#include "engine/probe.h"

struct influence;

struct influence *influence_new(const struct plan *plan, int64_t requests);
void influence_delete(struct influence *influence);
struct probe influence_probe(struct influence *influence);

/* [plan->value_count], of all passes so far. */
const struct proof_count *influence_counts(const struct influence *influence);
struct leak influence_leak(const struct influence *influence);
/* 1 when request `from` can reach anything of request `to`; diagonal included. For the influence matrix. */
bool influence_between(const struct influence *influence, int32_t from, int32_t to);

#endif
