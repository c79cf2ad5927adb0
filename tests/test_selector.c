#include <string.h>

#include "trace_fixture.h"
#include "trace/nearest.h"
#include "trace/selector.h"

/* A tensor B,N,S,K of 3,2,4,5. */
static const struct tensor scores = {.dtype = DTYPE_F32, .rank = 4, .axes = "BNSK", .shape = {3, 2, 4, 5}};
static const char *const ids[] = {"A", "B", "7"};

static const struct {
	const char *text;
	const char *result; /* what selector_text says, or a part of the error */
} cases[] = {
	{"x", "pass=0 x[0:3,0:2,0:4,0:5]"},
	{"x[]", "pass=0 x[0:3,0:2,0:4,0:5]"},
	{"x[1]", "pass=0 x[1,0:2,0:4,0:5]"},
	{"x[1,0,3,4]", "pass=0 x[1,0,3,4]"},
	{"x[-1,-2,-4,-5]", "pass=0 x[2,0,0,0]"},
	{"x[1:2]", "pass=0 x[1:2,0:2,0:4,0:5]"},
	{"x[:,:,1:,:-1]", "pass=0 x[0:3,0:2,1:4,0:4]"},
	{"x[ 1 : 2 , : , 0 ]", "pass=0 x[1:2,0:2,0,0:5]"},
	{"x [0]", "pass=0 x[0,0:2,0:4,0:5]"},
	{"  x[0]  ", "pass=0 x[0,0:2,0:4,0:5]"},
	{"x[-9:9]", "pass=0 x[0:3,0:2,0:4,0:5]"},
	{"x[2:1]", "pass=0 x[2:2,0:2,0:4,0:5]"},
	{"x[9:]", "pass=0 x[3:3,0:2,0:4,0:5]"},
	{"x[key=1]", "pass=0 x[0:3,0:2,0:4,1]"},
	{"x[row=1,head=0]", "pass=0 x[1,0,0:4,0:5]"},
	{"x[key=2:,pos=-1]", "pass=0 x[0:3,0:2,3,2:5]"},
	{"x[0,key = 3]", "pass=0 x[0,0:2,0:4,3]"},
	{"x[row=A]", "pass=0 x[0,0:2,0:4,0:5]"},
	{"x[row=\"A\"]", "pass=0 x[0,0:2,0:4,0:5]"},
	{"x[B]", "pass=0 x[1,0:2,0:4,0:5]"},
	{"x[row=\"7\"]", "pass=0 x[2,0:2,0:4,0:5]"},
	{"x[\"\\7\"]", "pass=0 x[2,0:2,0:4,0:5]"},
	{"x[3]", "at byte 2: the index 3 is outside axis 0 (row), which has 0 to 2"},
	{"x[-4]", "the index -4 is outside"},
	{"x[row=7]", "the index 7 is outside"},
	{"x[row=C]", "no row with the ID 'C' takes part in this pass; its rows are A, B, 7"},
	{"x[0,A]", "at byte 4: 'A' is no index; only rows have IDs"},
	{"x[0,0,0,0,0]", "at byte 10: the tensor has only 4 axes (B,N,S,K)"},
	{"x[dim=0]", "the tensor has no axis 'dim'; its axes are B,N,S,K"},
	{"x[0,row=0]", "axis 0 is given twice"},
	{"x[row=0,row=0]", "axis 0 is given twice"},
	{"x[row=0,0]", "pass=0 x[0,0,0:4,0:5]"}, /* on from there */
	{"x[head=0,1]", "pass=0 x[0:3,0,1,0:5]"},
	{"x[key=0,1]", "at byte 8: the tensor has only 4 axes (B,N,S,K)"},
	{"x[...]", "pass=0 x[0:3,0:2,0:4,0:5]"},
	{"x[...,0]", "pass=0 x[0:3,0:2,0:4,0]"},
	{"x[A,...,1:3]", "pass=0 x[0,0:2,0:4,1:3]"},
	{"x[0, ... ,1,2]", "pass=0 x[0,0:2,1,2]"},
	{"x[0,1,2,3,...]", "pass=0 x[0,1,2,3]"},
	{"x[row=A,...,0:2]", "pass=0 x[0,0:2,0:4,0:2]"},
	{"x[...,0,0,0,0,0]", "at byte 6: the tensor has only 4 axes"},
	{"x[0,1,...,0,0,0]", "axis 1 is given twice"},
	{"x[...,...]", "at byte 6: ... can stand once"},
	{"x[0,0,0,0,0,0,0,0,...,...]", "... can stand once"},
	{"x[...0]", "at byte 5: ',' or ']' is expected"},
	{"x[width=0]", "at byte 2: 'width' is no axis"},
	{"x[key=A]", "an index or a slice as 1:3 is expected"},
	{"x[key=]", "an index or a slice as 1:3 is expected"},
	{"x[::2]", "steps are not supported"},
	{"x[0", "at byte 3: ',' or ']' is expected"},
	{"x[0,", "at byte 4: an index"},
	{"x[0]]", "at byte 4: nothing more is expected"},
	{"x[0] y", "at byte 5: nothing more is expected"},
	{"x[-]", "at byte 3: a digit is expected"},
	{"x[\"A]", "the quote that opens here is never closed"},
	{"x[\"A\\", "the quote that opens here is never closed"},
	{"x[99999999999999999999]", "the number is too large"},
	{"x[0,0,0,0,0,0,0,0,0]", "a tensor has at most 8 axes"},
	{"x[...,0,0,0,0,0,0,0,0,0]", "a tensor has at most 8 axes"},
	{"", "at byte 0: the name of a tensor is expected"},
	{"[0]", "the name of a tensor is expected"},
	{"weights.", "the name of a tensor is expected"},
	{"pass=1", "at byte 6: the name of a tensor is expected"},
	{"pass= x", "the number of a pass is expected"},
	{"pass=1x", "a blank is expected"},
};

static bool select_text(const char *text, struct buf *out, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct selector selector;
	struct slice selection;
	bool ok = selector_parse(&selector, text, &arena, err) &&
		selector_resolve(&selector, &scores, ids, &selection, err);
	if (ok)
		selector_text(out, 0, selector.name, &selection);
	arena_free(&arena);
	return ok;
}

START_TEST(selects_as_numpy)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = ERR_INIT;
		struct buf out = BUF_INIT;
		bool ok = select_text(cases[i].text, &out, &err);
		ck_assert_msg(ok == (strncmp(cases[i].result, "pass=", 5) == 0), "'%s': %s%s", cases[i].text,
			buf_text(&out), err.message);
		ck_assert_msg(strstr(ok ? buf_text(&out) : err.message, cases[i].result) != NULL, "'%s': %s%s",
			cases[i].text, buf_text(&out), err.message);
		ck_assert_int_eq(err.kind, ok ? ERR_NONE : ERR_USAGE);
		buf_free(&out);
	}
}
END_TEST

START_TEST(reads_pass_and_weights)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct selector selector;
	ck_assert(selector_parse(&selector, "pass = -2 weights.embed.token.weight[100]", &arena, &err));
	ck_assert(selector.has_pass && selector.pass == -2 && selector.is_weight);
	ck_assert_str_eq(selector.name, "embed.token.weight");
	ck_assert(selector_parse(&selector, "pass.through[0]", &arena, &err));
	ck_assert(!selector.has_pass && !selector.is_weight);
	ck_assert_str_eq(selector.name, "pass.through");
	arena_free(&arena);
}
END_TEST

START_TEST(axes_of_weights)
{
	static const struct tensor square = {.dtype = DTYPE_F32, .rank = 2, .axes = "HH", .shape = {4, 4}};
	static const struct tensor head = {.dtype = DTYPE_F32, .rank = 2, .axes = "VH", .shape = {9, 4}};
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct selector selector;
	struct slice selection;
	ck_assert(selector_parse(&selector, "weights.w[unit=1]", &arena, &err));
	ck_assert(!selector_resolve(&selector, &square, NULL, &selection, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "any of several axes (H,H)"));
	err_clear(&err);
	ck_assert(selector_resolve(&selector, &head, NULL, &selection, &err));
	ck_assert(selection.dropped[1] && selection.first[1] == 1 && !selection.dropped[0]);
	ck_assert(selector_parse(&selector, "weights.w[vocab=8]", &arena, &err));
	ck_assert(selector_resolve(&selector, &head, NULL, &selection, &err));
	arena_free(&arena);
}
END_TEST

/* Any bytes end in a success or a usage error that lies inside the text. */
START_TEST(any_text_ends_well)
{
	static const char alphabet[] = "x[]:,-=\"\\ 0179ABrowpskey";
	uint32_t state = 1;
	for (int i = 0; i < 20000; i++) {
		char text[24];
		size_t length = (state >> 8) % sizeof text;
		for (size_t j = 0; j < length; j++) {
			state = state * 1664525u + 1013904223u;
			text[j] = alphabet[(state >> 16) % (sizeof alphabet - 1)];
		}
		text[length] = '\0';
		state = state * 1664525u + 1013904223u;
		struct err err = ERR_INIT;
		struct buf out = BUF_INIT;
		bool ok = select_text(text, &out, &err);
		ck_assert_int_eq(err.kind, ok ? ERR_NONE : ERR_USAGE);
		buf_free(&out);
	}
}
END_TEST

START_TEST(fits_a_trace)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	struct selector selector;
	struct selector_match match;
	fixture_init(&fixture);
	fixture_record(&fixture, "all", 3);
	struct trace *trace = fixture_open(&fixture);
	ck_assert(selector_parse(&selector, "embed[row=\"7\"]", &fixture.arena, &err));
	ck_assert_msg(selector_find(&selector, trace, &match, &err), "%s", err.message);
	ck_assert_int_eq(match.pass, 2);
	ck_assert_int_eq(match.selection.first[0], 2);
	ck_assert(selector_parse(&selector, "pass=0 embed[row=\"7\"]", &fixture.arena, &err));
	ck_assert(!selector_find(&selector, trace, &match, &err)); /* it arrives later */
	err_clear(&err);
	ck_assert(selector_parse(&selector, "pass=-3 embed[row=A]", &fixture.arena, &err));
	ck_assert(selector_find(&selector, trace, &match, &err));
	ck_assert_int_eq(match.pass, 0);
	ck_assert(selector_parse(&selector, "pass=3 embed", &fixture.arena, &err));
	ck_assert(!selector_find(&selector, trace, &match, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "there is no pass 3; the trace has passes 0 to 2"));
	err_clear(&err);
	ck_assert(selector_parse(&selector, "embd", &fixture.arena, &err));
	ck_assert(!selector_find(&selector, trace, &match, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "did you mean 'embed'?"));
	err_clear(&err);
	ck_assert(selector_parse(&selector, "weights.embed", &fixture.arena, &err));
	ck_assert(!selector_find(&selector, trace, &match, &err));
	trace_close(trace);
	fixture_free(&fixture);
}
END_TEST

START_TEST(suggests_what_is_near)
{
	static const char *const names[] = {"logits", "tokens", "layers.0.attn.weights", "layers.1.attn.weights"};
	ck_assert_str_eq(nearest_name("logist", names, 4), "logits");
	ck_assert_str_eq(nearest_name("Logits", names, 4), "logits");
	ck_assert_str_eq(nearest_name("layers.1.attn.wieghts", names, 4), "layers.1.attn.weights");
	ck_assert_str_eq(nearest_name("layers.0.weights", names, 4), "layers.0.attn.weights");
	ck_assert_ptr_null(nearest_name("something", names, 4));
	ck_assert_ptr_null(nearest_name("", names, 4));
	ck_assert_ptr_null(nearest_name("x", names, 0));
}
END_TEST

TEST_PROGRAM("selector", {
	tcase_add_test(tests, selects_as_numpy);
	tcase_add_test(tests, reads_pass_and_weights);
	tcase_add_test(tests, axes_of_weights);
	tcase_add_test(tests, any_text_ends_well);
	tcase_add_test(tests, fits_a_trace);
	tcase_add_test(tests, suggests_what_is_near);
})
