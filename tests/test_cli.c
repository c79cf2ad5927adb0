/*
 * The documents of --json against the contract: a shape for each, and the numbers in them against each other. The program is
 * called as a function, so that sanitizers and valgrind look on. tests/check_cli.sh looks at the program from outside.
 */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/temporary.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/cli.h"
#include "harness.h"

/* --- calling --- */

#define MOST_WORDS 24

struct called {
	int status;
	char *out, *said;
	size_t out_length, said_length;
	struct json *document;
	struct arena arena;
};

static char folder[TEMPORARY_SIZE];

static void set_up(void)
{
	struct err err = ERR_INIT;
	setenv("ROWSCOPE_DATA", ".", 1);
	ck_assert_msg(temporary_make(folder, &err), "%s", err.message);
}

static void tear_down(void)
{
	temporary_remove(folder);
}

static const char *in_folder(const char *name, struct arena *arena)
{
	return arena_printf(arena, "%s/%s", folder, name);
}

/* Standard stream `number` into a new file; gives what it was. */
static int redirect(int number, const char *path)
{
	int kept = dup(number), file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	ck_assert(kept >= 0 && file >= 0);
	ck_assert(dup2(file, number) >= 0);
	close(file);
	return kept;
}

static void put_back(int number, int kept)
{
	dup2(kept, number);
	close(kept);
}

/* Calls the program with words separated by '|'; "@" stands for the folder of the test. */
static struct called call(const char *line)
{
	struct called c = {.arena = ARENA_INIT};
	struct err err = ERR_INIT;
	char *words[MOST_WORDS + 1] = {arena_strdup(&c.arena, "rowscope")};
	const char *out = in_folder("out", &c.arena), *said = in_folder("said", &c.arena);
	int count = 1;
	for (const char *at = line; count < MOST_WORDS;) {
		size_t length = strcspn(at, "|");
		words[count++] = at[0] == '@' ? arena_printf(&c.arena, "%s/%.*s", folder, (int)length - 1, at + 1)
					      : arena_strndup(&c.arena, at, length);
		if (at[length] == '\0')
			break;
		at += length + 1;
	}
	fflush(NULL);
	int kept_out = redirect(STDOUT_FILENO, out), kept_said = redirect(STDERR_FILENO, said);
	c.status = cli_main(count, words);
	fflush(NULL);
	put_back(STDOUT_FILENO, kept_out);
	put_back(STDERR_FILENO, kept_said);
	ck_assert(file_load(out, 1 << 26, &c.arena, &c.out, &c.out_length, &err));
	ck_assert(file_load(said, 1 << 20, &c.arena, &c.said, &c.said_length, &err));
	return c;
}

static void end(struct called *c)
{
	arena_free(&c->arena);
}

/* The same, whose standard output must be one document and whose standard error must be empty. */
static struct called call_json(const char *line, int status)
{
	struct called c = call(line);
	struct err err = ERR_INIT;
	ck_assert_msg(c.status == status, "%s: status %d: %s%s", line, c.status, c.said, c.out);
	ck_assert_msg(c.said_length == 0, "%s: says %s", line, c.said);
	ck_assert_msg(json_parse(c.out, c.out_length, NULL, &c.arena, &c.document, &err), "%s: %s", line, err.message);
	ck_assert_msg(c.out[c.out_length - 1] == '\n', "%s: the last line is not ended", line);
	return c;
}

/* --- shapes --- */

/* One type by name: "int", "number", "text", "bool", "null", "nested" (lists in lists of numbers, truths and nulls), or
 * "=word" for that very text. */
static bool is_type(const struct json *node, const char *type, size_t length)
{
	int64_t whole;
	struct err err = ERR_INIT;
	if (type[0] == '=')
		return node->type == JSON_STRING && node->length == length - 1 &&
			memcmp(node->text, type + 1, length - 1) == 0;
	if (strncmp(type, "nested", length) == 0) {
		for (size_t i = 0; node->type == JSON_ARRAY && i < node->count; i++) {
			if (!is_type(node->items[i], type, length))
				return false;
		}
		return node->type != JSON_STRING && node->type != JSON_OBJECT;
	}
	if (strncmp(type, "int", length) == 0)
		return json_int(node, INT64_MIN, INT64_MAX, &whole, &err);
	if (strncmp(type, "bool", length) == 0)
		return node->type == JSON_TRUE || node->type == JSON_FALSE;
	return node->type ==
		(strncmp(type, "number", length) == 0                ? JSON_NUMBER
				: strncmp(type, "text", length) == 0 ? JSON_STRING
								     : JSON_NULL);
}

/* A document fits a shape when it has all its members, of its types; more members are allowed. In a shape a text lists types
 * with '|' between, and a list has the shape of each of its items. */
static bool fit(const struct json *node, const struct json *shape, char *why, size_t size)
{
	char path[256];
	bool fits = false;
	json_path(node, path, sizeof path);
	if (shape->type == JSON_STRING) {
		for (const char *at = shape->text; !fits && *at != '\0';) {
			size_t length = strcspn(at, "|");
			fits = is_type(node, at, length);
			at += length + (at[length] == '|');
		}
		snprintf(why, size, "%s is not %s", path, shape->text);
		return fits;
	}
	snprintf(why, size, "%s is of another type", path);
	fits = node->type == shape->type;
	for (size_t i = 0; fits && shape->type == JSON_ARRAY && i < node->count; i++)
		fits = fit(node->items[i], shape->items[0], why, size);
	for (size_t i = 0; fits && shape->type == JSON_OBJECT && i < shape->count; i++) {
		const struct json *member = json_find(node, shape->items[i]->key);
		if (member == NULL)
			snprintf(why, size, "%s has no \"%s\"", path, shape->items[i]->key);
		fits = member != NULL && fit(member, shape->items[i], why, size);
	}
	return fits;
}

struct expected {
	const char *line;
	int status;
	const char *shape;
};

#define RUN_SHAPE \
	"{\"trace\":\"text|null\",\"model\":\"text\",\"rows\":[{\"id\":\"text\",\"prompt_tokens\":[\"int\"]," \
	"\"tokens\":[\"int\"],\"text\":\"text\",\"finish\":\"=eos|=stop|=length|=context\",\"logprobs\":[\"number\"]}" \
	"]," \
	"\"passes\":[{\"index\":\"int\",\"kind\":\"=prefill|=decode|=mixed\",\"rows\":[\"text\"],\"tokens\":" \
	"\"nested\"}]}"
#define SHOW_SHAPE \
	"{\"pass\":\"int|null\",\"name\":\"text\",\"axes\":[\"text\"],\"shape\":[\"int\"],\"dtype\":\"=F32|=I32|=" \
	"BOOL|=U32\"," \
	"\"data\":\"nested\",\"special\":[{\"index\":[\"int\"],\"value\":\"=-inf|=inf|=nan\"}]}"
#define EXPLAIN_SHAPE \
	"{\"cell\":{\"pass\":\"int\",\"name\":\"text\",\"index\":[\"int\"]},\"value\":\"number\",\"bits\":\"text\"," \
	"\"formula\":\"text\",\"recomputed_bits\":\"text\",\"same\":\"bool\",\"inputs\":[{\"name\":\"text\"," \
	"\"index\":[\"int\"],\"value\":\"number\",\"weight\":\"number\",\"term\":\"number\",\"share\":\"number\"}]," \
	"\"rest\":{\"count\":\"int\",\"sum\":\"number\"}}"
#define PROOF_SHAPE "{\"ok\":\"bool\",\"tensors\":\"int\",\"values\":\"int\"}"
#define VERIFY_HEAD \
	"{\"ok\":\"bool\",\"proofs\":{\"reach\":" PROOF_SHAPE ",\"alone\":" PROOF_SHAPE ",\"scrambled\":" PROOF_SHAPE \
	"}," \
	"\"audit\":{\"ok\":\"bool\",\"cells\":\"int\"},\"first_leak\":"
#define ERROR_SHAPE(kind) \
	"{\"error\":{\"kind\":\"=" kind "\",\"message\":\"text\",\"file\":\"text\",\"where\":\"text\"}}"

/* In this order: the first records the trace that others ask. */
static const struct expected documents[] = {
	{"run|--batch|tiny_models/three-requests/batch.json|-o|@trace|--capture|all|--json", 0, RUN_SHAPE},
	{"run|tiny-stories|Once|--new|2|--layout|packed|--temperature|0.8|--json", 0, RUN_SHAPE},
	{"ls|@trace|--json", 0,
		"{\"model\":\"text\",\"passes\":[{\"index\":\"int\",\"kind\":\"text\",\"rows\":[\"text\"],\"bytes\":"
		"\"int\"}],"
		"\"tensors\":[{\"name\":\"text\",\"axes\":[\"text\"],\"shape\":[\"int\"],\"dtype\":\"text\",\"bytes\":"
		"\"int\"}]}"},
	{"show|@trace|pass=1 tokens|--json", 0, SHOW_SHAPE},
	{"show|@trace|pass=0 layers.0.attn.scores|--json", 0, SHOW_SHAPE},
	{"show|@trace|pass=1 logits[row=A,vocab=520]|--json", 0, SHOW_SHAPE},
	{"show|@trace|finished|--json", 0, SHOW_SHAPE},
	{"show|@trace|weights.embed.token.weight[0,0:3]|--json", 0, SHOW_SHAPE},
	{"explain|@trace|pass=1 logits[0,520]|--json", 0, EXPLAIN_SHAPE},
	{"explain|@trace|next_tokens[0]|--json", 0, EXPLAIN_SHAPE},
	{"explain|@trace|pass=0 mask[1,2,2]|--json", 0, EXPLAIN_SHAPE},
	{"verify|@trace|--json", 0, VERIFY_HEAD "\"null\"}"},
	{"verify|--batch|docs/faults/padding-attended.json|--fault|padding-attended|--json", 1,
		VERIFY_HEAD
		"{\"pass\":\"int\",\"op\":\"text\",\"row\":\"text\",\"position\":\"int\",\"index\":[\"int\"],"
		"\"proof\":\"=reach|=alone|=scrambled|=audit|=replay\",\"from_row\":\"text|null\"}}"},
	{"tokenize|three-requests|我今天|--json", 0,
		"{\"tokens\":[{\"id\":\"int\",\"text\":\"text\",\"bytes\":[\"int\"],\"start\":\"int\",\"end\":\"int\"}]"
		"}"},
	{"model|glass|--json", 0,
		"{\"name\":\"text\",\"family\":\"text\",\"layers\":\"int\",\"hidden\":\"int\",\"heads\":\"int\","
		"\"vocabulary\":\"int\","
		"\"context\":\"int\",\"parameters\":\"int\",\"weights_digest\":\"text\",\"tokenizer\":\"text|null\","
		"\"weights\":"
		"[{\"name\":\"text\",\"axes\":\"text\",\"shape\":[\"int\"]}]}"},
	{"export|@trace|tokens|-o|@tokens.csv|--json", 0, "{\"file\":\"text\",\"format\":\"=csv\",\"bytes\":\"int\"}"},
	{"view|@trace|--json", 0, "{}"},
	{"lesson|list|--json", 0, "{}"},
	{"lesson|check|11-three-requests|--json", 0,
		"[{\"file\":\"text\",\"ok\":\"bool\",\"checks\":\"int\",\"failed\":\"int\",\"report\":\"text\"}]"},
	{"bench|--shape|16,1,1,16,32|--threads|1|--batch-sizes|1|--prefill|4|--decode|1|--repeat|1|--capture|none|--"
	 "json",
		0, "{}"},
	{"ls|@nowhere|--json", 3, ERROR_SHAPE("input")},
	{"ls|--json", 2, ERROR_SHAPE("usage")},
	{"show|@trace|nosuch|--json", 2, ERROR_SHAPE("usage")},
	{"export|@trace|tokens|-o|/dev/full/x.csv|--json", 3, ERROR_SHAPE("input")},
};

START_TEST(documents_fit_the_contract)
{
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
		const struct expected *e = &documents[i];
		if (harness_is_slow() && strncmp(e->line, "bench", 5) == 0)
			continue; /* it measures the machine's limits over large memory */
		struct called c = call_json(e->line, e->status);
		struct err err = ERR_INIT;
		struct json *shape;
		char why[512];
		ck_assert_msg(json_parse(e->shape, strlen(e->shape), NULL, &c.arena, &shape, &err), "%s: %s", e->line,
			err.message);
		ck_assert_msg(fit(c.document, shape, why, sizeof why), "%s: %s", e->line, why);
		end(&c);
	}
}
END_TEST

/* --- what they say --- */

static const struct json *at(const struct json *node, const char *key)
{
	const struct json *member = json_find(node, key);
	ck_assert_msg(member != NULL, "no \"%s\"", key);
	return member;
}

static void is_text(const struct json *node, const char *text)
{
	ck_assert(node->type == JSON_STRING);
	ck_assert_str_eq(node->text, text);
}

/* A list written as it stands in the document, without spaces. */
static void is_list(const struct json *node, const char *document, const char *text)
{
	char spelled[512];
	size_t length = 0;
	int depth = 0;
	for (const char *c = document + node->offset; length + 1 < sizeof spelled; c++) {
		depth += *c == '[' ? 1 : *c == ']' ? -1 : 0;
		if (*c != ' ' && *c != '\n')
			spelled[length++] = *c;
		if (depth == 0)
			break;
	}
	spelled[length] = '\0';
	ck_assert_str_eq(spelled, text);
}

START_TEST(the_worked_example_is_told)
{
	static const char *const chosen[] = {"520", "89", "12"};
	struct called c = call_json("run|--batch|tiny_models/three-requests/batch.json|--json", 0);
	const struct json *rows = at(c.document, "rows"), *passes = at(c.document, "passes");
	ck_assert(at(c.document, "trace")->type == JSON_NULL);
	is_text(at(c.document, "model"), "three-requests");
	is_list(at(passes->items[1], "tokens"), c.out, "[[100],[2056],[0]]");
	is_list(at(passes->items[1], "rows"), c.out, "[\"A\",\"B\",\"C\"]");
	is_text(at(passes->items[0], "kind"), "prefill");
	is_text(at(passes->items[1], "kind"), "mixed");
	is_text(at(passes->items[2], "kind"), "decode");
	for (size_t i = 0; i < 3; i++) {
		const struct json *tokens = at(rows->items[i], "tokens");
		ck_assert_str_eq(tokens->items[i == 2 ? 0 : 1]->text, chosen[i]);
		ck_assert_uint_eq(tokens->count, at(rows->items[i], "logprobs")->count);
	}
	is_list(at(rows->items[2], "prompt_tokens"), c.out, "[0]");
	end(&c);
}
END_TEST

START_TEST(special_values_are_listed)
{
	struct called made = call("run|glass|--tokens|5 6 7|--tokens|5|--new|1|-o|@trace|--capture|all|--quiet");
	ck_assert_int_eq(made.status, 0);
	struct called c = call_json("show|@trace|pass=0 layers.0.attn.scores[row=1,head=0,pos=2]|--json", 0);
	const struct json *special = at(c.document, "special");
	ck_assert_int_eq(at(c.document, "data")->items[0]->type, JSON_NULL);
	ck_assert_uint_eq(special->count, 2); /* two of the three columns are padding */
	is_list(at(special->items[1], "index"), c.out, "[1]");
	is_text(at(special->items[1], "value"), "-inf");
	end(&c);
	end(&made);
}
END_TEST

START_TEST(inputs_and_rest_add_up)
{
	struct called made = call("run|three-requests|我今天|--new|1|-o|@trace|--capture|all|--quiet");
	ck_assert_int_eq(made.status, 0);
	struct called few = call_json("explain|@trace|logits[0,100]|--top|3|--json", 0);
	struct called all = call_json("explain|@trace|logits[0,100]|--top|1000|--json", 0);
	double sums[2] = {at(at(few.document, "rest"), "sum")->number, at(at(all.document, "rest"), "sum")->number};
	const struct json *lists[2] = {at(few.document, "inputs"), at(all.document, "inputs")};
	double last = 1, shares = 0;
	ck_assert_uint_eq(lists[0]->count, 3);
	ck_assert_uint_eq(lists[1]->count, 48);
	ck_assert_str_eq(at(at(few.document, "rest"), "count")->text, "45");
	ck_assert_str_eq(at(at(all.document, "rest"), "count")->text, "0");
	for (int i = 0; i < 2; i++) {
		for (size_t j = 0; j < lists[i]->count; j++)
			sums[i] += at(lists[i]->items[j], "term")->number;
		ck_assert_double_eq_tol(sums[i], at(few.document, "value")->number, 1e-4);
	}
	for (size_t j = 0; j < lists[1]->count; j++) {
		double share = at(lists[1]->items[j], "share")->number;
		ck_assert(share <= last && share >= 0);
		shares += last = share;
	}
	ck_assert_double_eq_tol(shares, 1, 1e-9);
	ck_assert_int_eq(at(few.document, "same")->type, JSON_TRUE);
	is_text(at(few.document, "recomputed_bits"), at(few.document, "bits")->text);
	end(&few);
	end(&all);
	end(&made);
}
END_TEST

START_TEST(floats_come_back_to_the_bit)
{
	struct called made = call("run|glass|--tokens|5 6 7|--new|1|-o|@trace|--quiet");
	ck_assert_int_eq(made.status, 0);
	for (int v = 0; v < 16; v++) {
		char line[96], bits[16];
		snprintf(line, sizeof line, "explain|@trace|logits[0,%d]|--json", v);
		struct called c = call_json(line, 0);
		float value = strtof(at(c.document, "value")->text, NULL);
		uint32_t word;
		memcpy(&word, &value, sizeof word);
		snprintf(bits, sizeof bits, "0x%08x", (unsigned)word);
		is_text(at(c.document, "bits"), bits);
		end(&c);
	}
	end(&made);
}
END_TEST

START_TEST(tokens_are_bytes_and_places)
{
	struct called c = call_json("tokenize|three-requests|我今天|--json", 0);
	const struct json *tokens = at(c.document, "tokens");
	ck_assert_uint_eq(tokens->count, 3);
	is_text(at(tokens->items[0], "text"), "我");
	is_list(at(tokens->items[0], "bytes"), c.out, "[230,136,145]");
	ck_assert_str_eq(at(tokens->items[1], "start")->text, "3");
	ck_assert_str_eq(at(tokens->items[2], "end")->text, "9");
	end(&c);
}
END_TEST

START_TEST(quiet_and_sound_calls_say_nothing)
{
	static const char *const lines[] = {"run|glass|--tokens|5|--new|1", "model|glass", "lesson|list", "--help",
		"run|--help", "help|ls", "--version", "--lang|zh|--help", "export|@t|tokens|-o|@x.svg|--quiet",
		"show|@t|tokens|--csv", "show|@t|logits|--heat", "ls|@t", "view|@t|--plain", "verify|@t",
		"tokenize|glass|the cat", "model|glass|--weights"};
	struct called made = call("run|glass|--tokens|5 6|--tokens|7|--new|2|-o|@t|--capture|all");
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct called c = call(lines[i]);
		ck_assert_msg(c.status == 0 && c.said_length == 0, "%s: status %d, says %s", lines[i], c.status,
			c.said);
		ck_assert_msg(c.out_length > 0 || strstr(lines[i], "export") != NULL, "%s prints nothing", lines[i]);
		end(&c);
	}
	end(&made);
}
END_TEST

/* --- a shape can be missed --- */

START_TEST(a_document_of_another_shape_is_refused)
{
	static const char wanted[] = "{\"rows\":[{\"id\":\"text\",\"n\":[\"int\"]}]}";
	static const char *const planted[] = {"{\"rows\":[{\"id\":1,\"n\":[]}]}", "{\"rows\":[{\"n\":[]}]}",
		"{\"rows\":{}}", "{\"rows\":[{\"id\":\"A\",\"n\":[1,2.5]}]}", "{}", "[]"};
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct json *node, *shape;
	char why[512];
	ck_assert(json_parse(planted[_i], strlen(planted[_i]), NULL, &arena, &node, &err));
	ck_assert(json_parse(wanted, strlen(wanted), NULL, &arena, &shape, &err));
	ck_assert(!fit(node, shape, why, sizeof why));
	arena_free(&arena);
}
END_TEST

TEST_PROGRAM("cli", {
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, documents_fit_the_contract);
	tcase_add_test(tests, the_worked_example_is_told);
	tcase_add_test(tests, special_values_are_listed);
	tcase_add_test(tests, inputs_and_rest_add_up);
	tcase_add_test(tests, floats_come_back_to_the_bit);
	tcase_add_test(tests, tokens_are_bytes_and_places);
	tcase_add_test(tests, quiet_and_sound_calls_say_nothing);
	tcase_add_loop_test(tests, a_document_of_another_shape_is_refused, 0, 6);
})
