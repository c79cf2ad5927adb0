#include "view/scene.h"

#include <string.h>

#include "base/utf8.h"
#include "draw/show.h"
#include "text/tokenizer.h"
#include "trace/selector.h"

bool scene_has_pass(const struct scene *scene)
{
	return scene->trace != NULL && trace_pass_count(scene->trace) > 0;
}

const struct trace_pass *scene_pass(const struct scene *scene)
{
	return trace_pass(scene->trace, scene->pass);
}

const struct trace_value *scene_value(const struct scene *scene)
{
	return trace_value(scene->trace, scene->value);
}

const struct trace_op *scene_op(const struct scene *scene)
{
	return trace_op(scene->trace, scene_value(scene)->op);
}

int64_t scene_axis_size(const struct scene *scene, int64_t pass, char letter)
{
	const struct pass *layout = &trace_pass(scene->trace, pass)->layout;
	const struct trace_info *info = trace_info(scene->trace);
	switch (letter) {
	case 'B': return layout->B;
	case 'S': return layout->S;
	case 'T': return layout->cells;
	case 'K': return layout->K;
	case 'H': return info->H;
	case 'N': return info->N;
	case 'G': return info->G;
	case 'D': return info->D;
	case 'F': return info->F;
	case 'V': return info->V;
	default: return 1;
	}
}

int scene_shape(const struct scene *scene, int64_t pass, int value, int64_t shape[TENSOR_MAX_RANK])
{
	const char *axes = trace_value(scene->trace, value)->axes;
	int rank = 0;
	for (; axes[rank] != '\0' && rank < TENSOR_MAX_RANK; rank++)
		shape[rank] = scene_axis_size(scene, pass, axes[rank]);
	return rank;
}

/* The index along the axis with that letter; -1 when there is none. */
static int64_t along(const char *axes, const int64_t *index, char letter)
{
	const char *at = strchr(axes, letter);
	return at == NULL ? -1 : index[at - axes];
}

int64_t scene_cell(const struct scene *scene, int64_t pass, const char *axes, const int64_t *index)
{
	int64_t t = along(axes, index, 'T'), s = along(axes, index, 'S');
	if (t >= 0 || s < 0)
		return t;
	return along(axes, index, 'B') * trace_pass(scene->trace, pass)->layout.S + s;
}

int64_t scene_line(const struct scene *scene, int64_t pass, const char *axes, const int64_t *index)
{
	int64_t t = along(axes, index, 'T');
	return t >= 0 ? trace_pass(scene->trace, pass)->layout.row_of[t] : along(axes, index, 'B');
}

static void set_along(const char *axes, int64_t *index, char letter, int64_t value)
{
	const char *at = strchr(axes, letter);
	if (at != NULL)
		index[at - axes] = value;
}

void scene_aim_cell(const struct scene *scene, int64_t pass, const char *axes, int64_t cell, int64_t *index)
{
	const struct pass *layout = &trace_pass(scene->trace, pass)->layout;
	set_along(axes, index, 'T', cell);
	set_along(axes, index, 'B', layout->row_of[cell]);
	set_along(axes, index, 'S', cell - pass_row_begin(layout, layout->row_of[cell]));
}

void scene_aim_line(const struct scene *scene, int64_t pass, const char *axes, int64_t b, int64_t *index)
{
	const struct pass *layout = &trace_pass(scene->trace, pass)->layout;
	set_along(axes, index, 'B', b);
	if (pass_row_width(layout, b) > 0)
		set_along(axes, index, 'T', pass_row_begin(layout, b));
}

int32_t scene_request(const struct scene *scene, int64_t b)
{
	return scene_pass(scene)->layout.rows[b];
}

const char *scene_row_id(const struct scene *scene, int32_t request)
{
	return trace_batch(scene->trace)->requests[request].id;
}

int32_t scene_token_at(const struct scene *scene, int32_t request, int64_t position)
{
	const struct request *asked = &trace_batch(scene->trace)->requests[request];
	if (position < 0)
		return -1;
	if (position < asked->prompt_length)
		return asked->prompt[position];
	for (int64_t i = scene->pass; i < trace_pass_count(scene->trace); i++) {
		const struct pass *layout = &trace_pass(scene->trace, i)->layout;
		int64_t b = pass_row(layout, request);
		/* beyond what this pass computes, or in a pass before it: passes of a row follow each other */
		if (b < 0 || position >= layout->past[b] + layout->fresh[b])
			continue;
		if (position >= layout->past[b])
			return layout->tokens[pass_cell(layout, request, position)];
		break;
	}
	for (int64_t i = scene->pass; i >= 0; i--) {
		int64_t cell = pass_cell(&trace_pass(scene->trace, i)->layout, request, position);
		if (cell >= 0)
			return trace_pass(scene->trace, i)->layout.tokens[cell];
	}
	return -1;
}

struct style scene_lane(const struct scene *scene, int32_t request)
{
	bool is_faint = scene->row != SCENE_ALL && scene->row != request;
	return style_with(style_lane(request), is_faint ? STYLE_FAINT : 0);
}

void scene_token(const struct scene *scene, int32_t token, struct buf *out)
{
	size_t length = 0;
	const char *text = trace_token_text(scene->trace, token, &length);
	if (text != NULL)
		buf_add(out, text, length);
	else if (scene->model != NULL && model_tokenizer(scene->model) != NULL)
		tokenizer_token_bytes(model_tokenizer(scene->model), token, out);
}

void scene_append_token(const struct scene *scene, int32_t token, struct buf *out)
{
	struct buf text = BUF_INIT;
	scene_token(scene, token, &text);
	bool has_blank = out->length == 0 || out->data[out->length - 1] == ' ' || buf_text(&text)[0] == ' ';
	if (!has_blank)
		buf_add_char(out, ' ');
	buf_add(out, buf_text(&text), text.length);
	buf_free(&text);
}

int scene_draw_token(const struct scene *scene, struct grid *grid, struct grid_span at, struct style style,
	int32_t token)
{
	struct buf text = BUF_INIT;
	scene_token(scene, token, &text);
	int used = text.length > 0 ? grid_foreign(grid, at, style, text.data, text.length)
				   : grid_printf(grid, at, style, "#%d", (int)token);
	buf_free(&text);
	return used;
}

bool scene_read(const struct scene *scene, const char *name, struct arena *arena, struct tensor *tensor,
	struct err *err)
{
	struct trace_tensor source;
	if (!trace_find(scene->trace, scene->pass, name, &source, err))
		return false;
	struct slice whole = slice_whole(&source.tensor);
	return trace_slice(scene->trace, &source, &whole, arena, tensor, err);
}

const char *scene_axis_name(char letter)
{
	return selector_axis_word(letter);
}

static bool is_wide(const char *text)
{
	int used = 0;
	return (unsigned char)text[0] >= 0x80 && utf8_fit(text, 1, &used) == 0;
}

/* Marks that never begin a line. */
static bool is_closing(const char *text)
{
	static const char *const marks[] = {"。", "，", "、", "；", "：", "？", "！", "）", "》", "」", "”", "…"};
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (strncmp(text, marks[i], strlen(marks[i])) == 0)
			return true;
	return false;
}

/* Whether a line may end before byte `at`: at a space, or on either side of a Chinese character. */
static bool can_break(const char *text, size_t at)
{
	int used = 0;
	size_t before = at - 1;
	if (text[at] == ' ')
		return true;
	if (((unsigned char)text[at] & 0xC0) == 0x80 || utf8_fit(text + at, 0, &used) > 0 || is_closing(text + at))
		return false;
	while (before > 0 && ((unsigned char)text[before] & 0xC0) == 0x80)
		before--;
	return is_wide(text + at) || is_wide(text + before);
}

/* Bytes of a display string that go on one line of `columns`: broken where it can be, else wherever the line is full. */
static size_t line_length(const char *text, int columns)
{
	int used = 0;
	size_t fits = utf8_fit(text, columns, &used);
	if (text[fits] == '\0' || fits == 0)
		return fits;
	for (size_t i = fits; i > 0; i--)
		if (can_break(text, i))
			return i;
	return fits;
}

static int draw_paragraph(struct grid *grid, int y, struct style style, const char *shown)
{
	do {
		size_t length = line_length(shown, grid->width);
		if (length == 0 && shown[0] != '\0')
			break; /* the grid is narrower than one character */
		grid_printf(grid, grid_at(0, y++, GRID_REST), style, "%.*s", (int)length, shown);
		shown += length;
		shown += strspn(shown, " ");
	} while (shown[0] != '\0' && y < grid->height);
	return y;
}

int scene_draw_text(struct grid *grid, int y, struct style style, const char *text)
{
	struct buf shown = BUF_INIT;
	while (text[0] != '\0' && y < grid->height) {
		size_t length = strcspn(text, "\n");
		buf_clear(&shown);
		show_foreign(&shown, text, length);
		y = draw_paragraph(grid, y, style, buf_text(&shown));
		text += length + (text[length] == '\n');
	}
	buf_free(&shown);
	return y;
}
