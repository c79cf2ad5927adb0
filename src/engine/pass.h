/*
 * pass.h: how the rows of one forward pass are laid into a matrix.
 *
 * B rows take part; S is the most new tokens of any of them; K the most visible positions. A *cell* is a place
 * (b, s) of the (B,S) matrix, numbered b * S + s. Layout `left`: a row with fewer new tokens is padded on the left,
 * and the K columns of keys are right-aligned, so that the key of cell (b, s) is column K - S + s.
 *
 * The key/value cache stores real tokens only; padding goes to scratch slots that are forgotten with the pass.
 * A fault may rewrite a pass before it runs (see run.h), so everything that decides who sees whom is data here.
 */
#ifndef ENGINE_PASS_H
#define ENGINE_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum pass_kind { PASS_PREFILL, PASS_DECODE, PASS_MIXED };

struct pass {
	int64_t index;
	enum pass_kind kind;
	int64_t B, S, K;
	int32_t *rows;         /* [B]: index of the request in the batch */
	int64_t *past;         /* [B]: positions of the row that earlier passes computed */
	int64_t *fresh;        /* [B]: new tokens of the row in this pass, 1..S */
	uint8_t *sampled;      /* [B]: 1 when the row gets a next token from this pass */
	int64_t *last;         /* [B]: column s of the row's last real token */
	int32_t *tokens;       /* [B,S]: token IDs; the pad ID where padding */
	int32_t *positions;    /* [B,S]: logical position; -1 where padding */
	uint8_t *pad;          /* [B,S]: 1 where padding */
	int32_t *column;       /* [B,S]: key column of the cell itself */
	int32_t *slot;         /* [B,S]: cache slot that the cell's key and value are written to */
	int32_t *key_slot;     /* [B,K]: cache slot read for that column; -1: an empty slot */
	int32_t *key_position; /* [B,K]: logical position of that column; -1 where padding */
	uint8_t *full;         /* [B]: 1 when the row may not go on after this pass (length or context) */
};

const char *pass_kind_name(enum pass_kind kind);

/* The place in `rows` of a request, or -1 when it takes no part. */
int64_t pass_row(const struct pass *pass, int32_t request);
/* The cell of a request's token at a logical position, or -1 when this pass does not compute it. */
int64_t pass_cell(const struct pass *pass, int32_t request, int64_t position);

/* Fills tokens, positions, pad, last, column, key_position and the sizes from rows, past, fresh (layout left); the arrays come
 * from the arena. `histories[b]` are the row's tokens from position 0, at least past + fresh of them. Slots are left to
 * the cache. */
void pass_lay_left(struct pass *pass, const int32_t *const *histories, int32_t pad_token, struct arena *arena);

#endif
