/*
 * panel.h: a weight matrix as the matrix product wants it.
 *
 * A matrix of `in` inputs (k) and `out` output units (j) is cut into ceil(out / 16) panels of 16 columns. A panel
 * holds its 16 weights of k = 0, then those of k = 1, and so on; columns beyond `out` are zeros. Packed panels are
 * the only resident copy of a weight matrix, so single cells and whole columns (a row of an embedding table) are
 * read from them too.
 *
 *     float *data = aligned memory of panel_floats(in, out) floats;
 *     struct panel w = {in, out, data};
 *     panel_clear(&w);
 *     panel_put_rows(&w, 0, out, file_data);      // file has [out][in], as torch.nn.Linear
 *     matmul(y, x, &w, bias, M, pool);            // y[m][j] = sum over k of x[m][k] * w[k][j]
 */
#ifndef TENSOR_PANEL_H
#define TENSOR_PANEL_H

#include <stddef.h>
#include <stdint.h>

#define PANEL_WIDTH 16

struct panel {
	int64_t in;  /* rows k of w[k][j] */
	int64_t out; /* columns j */
	float *data; /* panel_floats(in, out) floats, aligned to 64 bytes; not owned */
};

/* Floats that the data of an in x out matrix take, zero columns included. The product must fit (see base/mem.h). */
size_t panel_floats(int64_t in, int64_t out);

/* Sets every weight, and the padding columns, to zero. Needed once before the first panel_put. */
void panel_clear(struct panel *panel);

/* Puts output units [first, first + count) from rows[count][in]: row-major [out, in] as torch.nn.Linear or an
 * embedding table stores it. */
void panel_put_rows(struct panel *panel, int64_t first, int64_t count, const float *rows);

/* Puts inputs [first, first + count) from rows[count][out]: row-major [in, out] as GPT-2's Conv1D stores it. */
void panel_put_cols(struct panel *panel, int64_t first, int64_t count, const float *rows);

/* The weight from input k to output unit j. */
float panel_cell(const struct panel *panel, int64_t k, int64_t j);

/* All weights of output unit j, in floats: the embedding of token j where the matrix is a token table. */
void panel_column(const struct panel *panel, int64_t j, float *column);

#endif
