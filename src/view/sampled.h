/*
 * sampled.h: the steps of the sampler for the view of logits: what each of them made of a token, and each row's draw.
 *
 * Everything is read from the trace; where the rows are greedy, or the steps were not recorded, there is nothing to show
 * and `is_there` is false.
 *
 *     struct sampled sampled;
 *     if (!sampled_read(&sampled, scene, &arena, err)) return false;
 *     if (sampled.is_there) sampled_draw_heads(&grid, 1);
 */
#ifndef VIEW_SAMPLED_H
#define VIEW_SAMPLED_H

#include "view/scene.h"

#define SAMPLED_LINES 2 /* of sampled_draw_row, the first of them beside the row's ID */

struct sampled {
	bool is_there;
	int64_t V;
	const float *scaled, *probs;         /* [B,V] */
	const uint8_t *top_k, *top_p, *kept; /* [B,V]: what is left after each filter */
	const uint32_t *counter, *random;    /* [B] */
	const float *draw;                   /* [B] */
};

/* Reads the steps of the pass at the place into the arena. Fails only where the trace cannot be read. */
bool sampled_read(struct sampled *sampled, const struct scene *scene, struct arena *arena, struct err *err);

/* The sum, ascending by ID, of the probabilities of row b's tokens up to this one: the first that exceeds the draw is drawn. */
float sampled_sum(const struct sampled *sampled, int64_t b, int32_t token);

/* The heads of the columns of sampled_draw_token. */
void sampled_draw_heads(struct grid *grid, int y);
/* The row's settings from column x on, and its draw in the line below. */
void sampled_draw_row(const struct sampled *sampled, const struct scene *scene, struct grid *grid, struct grid_span at,
	int64_t b);
/* What the steps made of a token: scaled logit, filters, probability, running sum. */
void sampled_draw_token(const struct sampled *sampled, const struct scene *scene, struct grid *grid, int y,
	int64_t offset);

#endif
