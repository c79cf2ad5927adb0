#include "trace/capture.h"

#include <string.h>

#include "base/mem.h"
#include "trace/nearest.h"

/* A run of pattern bytes still to be matched. */
struct glob {
	const char *at;
	const char *end;
};

static const char *const io_globs[] = {"tokens", "positions", "pad", "mask", "embed", "final.last", "logits", "probs",
	"next_tokens", "logprobs", "finished", "cache.*", NULL};

const char *const *capture_io(void)
{
	return io_globs;
}

/* Where the set that begins at `open` ends: its ']', or NULL. A ']' that comes first is a member. */
static const char *set_end(const char *open, const char *end)
{
	const char *at = open + 1;
	if (at < end && (*at == '!' || *at == '^'))
		at++;
	for (const char *first = at; at < end; at++) {
		if (*at == ']' && at > first)
			return at;
	}
	return NULL;
}

static bool set_holds(const char *open, const char *close, char c)
{
	const char *at = open + 1;
	bool negated = *at == '!' || *at == '^';
	bool found = false;
	for (at += negated; at < close; at++) {
		if (at + 2 < close && at[1] == '-') {
			found = found ||
				((unsigned char)at[0] <= (unsigned char)c && (unsigned char)c <= (unsigned char)at[2]);
			at += 2;
		} else {
			found = found || *at == c;
		}
	}
	return found != negated;
}

/* Takes the next item of the pattern if it fits `c`. */
static bool take_one(struct glob *glob, char c)
{
	if (glob->at == glob->end)
		return false;
	if (*glob->at == '[') {
		const char *close = set_end(glob->at, glob->end);
		if (close == NULL || !set_holds(glob->at, close, c))
			return false;
		glob->at = close + 1;
		return true;
	}
	if (*glob->at != '?' && *glob->at != c)
		return false;
	glob->at++;
	return true;
}

/* Only the last '*' is ever tried again, so the time is the product of the lengths at most. */
static bool glob_matches(struct glob glob, const char *name)
{
	const char *star = NULL, *resume = NULL;
	while (*name != '\0') {
		if (glob.at < glob.end && *glob.at == '*') {
			star = ++glob.at;
			resume = name;
		} else if (take_one(&glob, *name)) {
			name++;
		} else if (star != NULL) {
			glob.at = star;
			name = ++resume;
		} else {
			return false;
		}
	}
	while (glob.at < glob.end && *glob.at == '*')
		glob.at++;
	return glob.at == glob.end;
}

static bool is_word(struct glob item, const char *word)
{
	size_t length = (size_t)(item.end - item.at);
	return strlen(word) == length && memcmp(item.at, word, length) == 0;
}

static bool item_matches(struct glob item, const char *name)
{
	if (is_word(item, "all"))
		return true;
	if (!is_word(item, "io"))
		return glob_matches(item, name);
	for (int i = 0; io_globs[i] != NULL; i++) {
		if (glob_matches((struct glob){io_globs[i], io_globs[i] + strlen(io_globs[i])}, name))
			return true;
	}
	return false;
}

/* Cuts the next item, without blanks around it, from the list; false at its end. */
static bool next_item(const char **list, struct glob *item)
{
	if (*list == NULL)
		return false;
	size_t length = strcspn(*list, ",");
	*item = (struct glob){*list, *list + length};
	*list = (*list)[length] == ',' ? *list + length + 1 : NULL;
	while (item->at < item->end && *item->at == ' ')
		item->at++;
	while (item->end > item->at && item->end[-1] == ' ')
		item->end--;
	return true;
}

bool capture_matches(const char *capture, const char *name)
{
	struct glob item;
	while (next_item(&capture, &item)) {
		if (item.at < item.end && item_matches(item, name))
			return true;
	}
	return false;
}

static bool sets_closed(struct glob item)
{
	for (; item.at < item.end; item.at++) {
		if (*item.at == '[' && (item.at = set_end(item.at, item.end)) == NULL)
			return false;
	}
	return true;
}

static bool matches_some(struct glob item, const struct plan *plan)
{
	for (int i = 0; i < plan->value_count; i++) {
		if (!plan->values[i].is_state && item_matches(item, plan->values[i].name))
			return true;
	}
	return is_word(item, "io");
}

static bool nothing_matches(struct glob item, const struct plan *plan, struct err *err)
{
	struct arena scratch = ARENA_INIT;
	const char **names = ARENA_ARRAY(&scratch, const char *, plan->value_count);
	size_t count = 0;
	for (int i = 0; i < plan->value_count; i++) {
		if (!plan->values[i].is_state)
			names[count++] = plan->values[i].name;
	}
	const char *text = arena_strndup(&scratch, item.at, (size_t)(item.end - item.at));
	const char *meant = nearest_name(text, names, count);
	if (meant != NULL)
		err_usage(err, "--capture", "'%s' fits no tensor of this model; did you mean '%s'?", text, meant);
	else
		err_usage(err, "--capture", "'%s' fits no tensor of this model; use io, all, or names with * and ?",
			text);
	arena_free(&scratch);
	return false;
}

bool capture_check(const char *capture, const struct plan *plan, struct err *err)
{
	struct glob item;
	while (next_item(&capture, &item)) {
		int length = (int)(item.end - item.at);
		if (length == 0)
			return err_usage(err, "--capture",
				"the list has an empty item; use io, all, or globs separated by commas");
		if (!sets_closed(item))
			return err_usage(err, "--capture", "the '[' in '%.*s' is never closed; add a ']'", length,
				item.at);
		if (!matches_some(item, plan))
			return nothing_matches(item, plan, err);
	}
	return true;
}
