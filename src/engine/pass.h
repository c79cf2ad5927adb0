/*
 * pass.h: how the rows of one forward pass are laid into a matrix.
 *
 * B rows take part; S is the most new tokens of any of them; K the most visible positions. A *cell* is a place for one
 * token. Layouts differ in nothing but where the cells of a row lie:
 *
 *   left    (B,S) cells, b * S + s; a row with fewer new tokens is padded on the left, and the K columns of keys are
 *           right-aligned
 *   right   (B,S) cells; padded on the right; a key's column is its logical position
 *   packed  T cells, one row after the other, no padding; a key's column is its logical position
 *
 * Two kinds of data are kept apart. Where a row really lies (rows, past, fresh, first, row_of) is the truth that proofs and
 * comparisons go by. What the operations use (tokens, positions, pad, last, column, slots) is equal to it unless a fault has
 * rewritten it before the pass runs (see run.h): everything that decides who sees whom is data here.
 *
 * A row may take part with no new token (fresh 0): one that has finished in schedule `static` and stays as padding.
 * The key/value cache stores real tokens only; padding goes to scratch slots that are forgotten with the pass.
 */
#ifndef ENGINE_PASS_H
#define ENGINE_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum layout { LAYOUT_LEFT, LAYOUT_RIGHT, LAYOUT_PACKED, LAYOUT_COUNT };

/* Key and counter of a row's random draw in a pass. */
struct pass_draw {
	uint64_t key;
	uint32_t counter[4];
};

enum pass_kind { PASS_PREFILL, PASS_DECODE, PASS_MIXED };

struct pass {
	int64_t index;
	enum pass_kind kind;
	enum layout layout;
	int64_t B, S, K;
	int32_t pad_token;   /* token ID that stands where padding is */
	int64_t cells;       /* B * S, or the new tokens of all rows when packed */
	int32_t *rows;       /* [B]: index of the request in the batch */
	int64_t *past;       /* [B]: positions of the row that earlier passes computed */
	int64_t *fresh;      /* [B]: new tokens of the row in this pass, 0..S */
	int64_t *first;      /* [B]: cell of the row's first new token */
	int32_t *row_of;     /* [cells]: which of the B rows a cell belongs to, padding included */
	uint8_t *ended;      /* [B]: 1 when the row had finished before this pass */
	uint8_t *sampled;    /* [B]: 1 when the row gets a next token from this pass */
	int64_t *last;       /* [B]: cell of the row's last real token; -1 when it has no new token */
	int32_t *tokens;     /* [cells]: token IDs; the pad ID where padding */
	int32_t *positions;  /* [cells]: logical position; -1 where padding */
	uint8_t *pad;        /* [cells]: 1 where padding */
	int32_t *column;     /* [cells]: key column of the cell itself */
	int32_t *slot;       /* [cells]: cache slot that the cell's key and value are written to */
	int32_t *key_slot;   /* [B,K]: cache slot read for that column; -1: an empty slot */
	int32_t *key_origin; /* [B,K]: the same slot; where rows share a block, the row's own computation (kvcache.h) */
	int32_t *key_position;     /* [B,K]: logical position of that column; -1 where padding */
	const int32_t **histories; /* [B]: the row's tokens, past + fresh of them; NULL in a trace, which may grow */
	int64_t *counted_pads;     /* [B]: pads that penalties take for tokens of the row: 0 but for a fault */
	struct pass_draw *draws;   /* [B] */
	uint8_t *finish;           /* [B]: enum finish_reason, when the pass is over */
	int32_t *waiting;          /* [waiting_count]: requests that have arrived and found all lanes taken */
	int64_t waiting_count, lanes;
	int64_t cache_held, cache_used, cache_saved; /* slots: in blocks of rows, with real tokens, saved by sharing */
};

const char *pass_kind_name(enum pass_kind kind);

const char *layout_name(enum layout layout);
/* The layout of that name; usage error that lists the names when there is none. */
bool layout_find(const char *name, enum layout *layout, struct err *err);

/* The place in `rows` of a request, or -1 when it takes no part. */
int64_t pass_row(const struct pass *pass, int32_t request);
/* The cell of a request's token at a logical position, or -1 when this pass does not compute it. */
int64_t pass_cell(const struct pass *pass, int32_t request, int64_t position);
/* The true logical position of a cell, or -1 where it is padding. */
int64_t pass_position(const struct pass *pass, int64_t cell);
/* The column of the key at a logical position of row b, 0 .. past + fresh - 1: where it truly lies. */
int64_t pass_key_column(const struct pass *pass, int64_t b, int64_t position);
/* First cell of row b, padding included, and how many it has. */
int64_t pass_row_begin(const struct pass *pass, int64_t b);
int64_t pass_row_width(const struct pass *pass, int64_t b);

/* Fills the sizes, where rows lie and all that the operations use, but for the slots, from layout, rows, past and fresh; the arrays
 * come from the arena. `histories[b]` are the row's tokens from position 0, at least past + fresh of them. Slots are
 * left to the cache. */
void pass_lay(struct pass *pass, const int32_t *const *histories, int32_t pad_token, struct arena *arena);

#endif
