#include "text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "text/dialect.h"

/* Steps of backtracking in one search: about a second. */
#define MATCH_LIMIT 50000000u
/* Memory for backtracking, in KiB. */
#define HEAP_LIMIT 65536u

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
};

static bool compile(struct pattern *pattern, const char *source, size_t length, uint32_t options, int *number,
	size_t *offset)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pattern->limits = pcre2_match_context_create(NULL);
	if (context == NULL || pattern->limits == NULL)
		mem_exhausted(length);
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_set_match_limit(pattern->limits, MATCH_LIMIT);
	pcre2_set_heap_limit(pattern->limits, HEAP_LIMIT);
	pattern->code = pcre2_compile((PCRE2_SPTR)source, length, options | PCRE2_UTF, number, offset, context);
	pcre2_compile_context_free(context);
	return pattern->code != NULL;
}

bool pattern_new(struct pattern **out, const char *source, size_t length, bool literal, const struct json *node,
	struct err *err)
{
	struct buf translated = BUF_INIT;
	struct dialect_problem problem = {0};
	int number = 0;
	size_t offset = 0;
	PCRE2_UCHAR reason[128] = "";
	struct pattern *pattern = MEM_NEW(struct pattern);
	bool done = false;

	if (literal) {
		buf_add(&translated, source, length);
	} else if (!dialect_translate(source, length, &translated, &problem)) {
		json_error(node, err,
			"byte %zu of the regular expression is %s, which rowscope cannot carry over to PCRE2",
			problem.offset, problem.what);
		goto done;
	}
	if (!compile(pattern, buf_text(&translated), translated.length,
		    literal ? PCRE2_LITERAL : PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &number,
		    &offset)) {
		pcre2_get_error_message(number, reason, sizeof reason);
		json_error(node, err, "the regular expression does not compile: %s", (const char *)reason);
		goto done;
	}
	*out = pattern;
	done = true;
done:
	if (!done)
		pattern_delete(pattern);
	buf_free(&translated);
	return done;
}

bool pattern_load(struct pattern **out, const struct json *node, struct err *err)
{
	static const char *const known[] = {"String", "Regex", NULL};
	const char *source;
	size_t length;
	if (node->type != JSON_OBJECT || node->count != 1)
		return json_error(node, err, "a pattern {\"String\": ...} or {\"Regex\": ...} was expected");
	if (!json_only_keys(node, known, err) || !json_string(node->items[0], &source, &length, err))
		return false;
	bool literal = strcmp(node->items[0]->key, "String") == 0;
	return pattern_new(out, source, length, literal, node->items[0], err);
}

bool pattern_builtin(struct pattern **out, const char *source, const struct json *node, struct err *err)
{
	return pattern_new(out, source, strlen(source), false, node, err);
}

void pattern_delete(struct pattern *pattern)
{
	if (pattern == NULL)
		return;
	pcre2_code_free(pattern->code);
	pcre2_match_context_free(pattern->limits);
	free(pattern);
}

/* One search from `at`; 1: found, 0: not found, -1: given up. */
static int search(const struct pattern *pattern, const struct piece *piece, size_t at, pcre2_match_data *data)
{
	int found = pcre2_match(pattern->code, (PCRE2_SPTR)piece->bytes, piece->length, at, PCRE2_NO_UTF_CHECK, data,
		pattern->limits);
	if (found == PCRE2_ERROR_NOMATCH)
		return 0;
	return found >= 0 ? 1 : -1;
}

static bool given_up(const struct piece *piece, size_t at, struct err *err)
{
	char where[64];
	size_t start = at < piece->length ? piece->origin[at].start : 0;
	(void)snprintf(where, sizeof where, "byte %zu", start);
	return err_usage(err, where,
		"the tokenizer's regular expression needs too many steps on this text; shorten the text from there on");
}

bool pattern_find(const struct pattern *pattern, const struct piece *piece, struct piece_span_list *spans,
	struct err *err)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	if (data == NULL)
		mem_exhausted(sizeof(size_t) * 2);
	size_t at = 0, end = 0; /* where to search from; end of the last match */
	bool matched = false, done = false;
	while (at <= piece->length) {
		int found = search(pattern, piece, at, data);
		const PCRE2_SIZE *pair = pcre2_get_ovector_pointer(data);
		if (found == 0)
			break;
		if (found < 0 || pair[0] < end || pair[1] < pair[0]) {
			given_up(piece, at, err);
			goto done;
		}
		if (pair[0] == pair[1] && matched && pair[1] == end) {
			uint32_t skipped;
			size_t step = utf8_decode(piece->bytes + at, piece->length - at, &skipped);
			at += step > 0 ? step : 1;
			continue;
		}
		if (pair[0] > end)
			piece_span_add(spans, end, pair[0], false);
		piece_span_add(spans, pair[0], pair[1], true);
		at = end = pair[1];
		matched = true;
	}
	if (end < piece->length)
		piece_span_add(spans, end, piece->length, false);
	done = true;
done:
	pcre2_match_data_free(data);
	return done;
}
