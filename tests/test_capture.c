#include <string.h>

#include "trace_fixture.h"

static const struct {
	const char *set;
	const char *name;
	bool held;
} cases[] = {
	{"all", "anything.at.all", true},
	{"io", "logits", true},
	{"io", "cache.position", true},
	{"io", "mask", true},
	{"io", "mask.causal", false},
	{"io", "embed.token", false},
	{"io", "layers.0.attn.weights", false},
	{"io,layers.*.attn.weights", "layers.12.attn.weights", true},
	{"io, layers.*.attn.weights", "layers.12.attn.weights", true},
	{" io ,logits", "tokens", true},
	{"logits", "logits", true},
	{"logits", "logit", false},
	{"logit", "logits", false},
	{"layers.?.resid", "layers.3.resid", true},
	{"layers.?.resid", "layers.13.resid", false},
	{"layers.[0-2].resid", "layers.2.resid", true},
	{"layers.[0-2].resid", "layers.3.resid", false},
	{"layers.[!0-2].resid", "layers.3.resid", true},
	{"layers.[^3].resid", "layers.3.resid", false},
	{"layers.[]3].resid", "layers.3.resid", true},
	{"layers.[0-].resid", "layers.-.resid", true},
	{"*.q", "layers.0.attn.q", true},
	{"*.q", "layers.0.attn.q_rot", false},
	{"*a*b*c*", "xxaxxbxxcxx", true},
	{"*a*b*c*", "xxaxxcxxbxx", false},
	{"**", "", true},
	{"", "", false},
	{"layers.[0", "layers.0", false},
	{"layers.[0", "layers.[0", false},
	{"all but", "all", false},
	{"a,,b", "", false},
};

START_TEST(matches_as_said)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_msg(capture_matches(cases[i].set, cases[i].name) == cases[i].held, "'%s' and '%s'",
			cases[i].set, cases[i].name);
}
END_TEST

/* A glob that tries every way takes longer than the universe on this. */
START_TEST(many_stars_take_no_time)
{
	char name[2001];
	memset(name, 'a', 2000);
	name[2000] = '\0';
	ck_assert(!capture_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", name));
}
END_TEST

static void refused(const struct plan *plan, const char *set, const char *words)
{
	struct err err = ERR_INIT;
	ck_assert_msg(!capture_check(set, plan, &err), "'%s' was accepted", set);
	ck_assert_int_eq(err.kind, ERR_USAGE);
	ck_assert_msg(strstr(err.message, words) != NULL, "'%s' says: %s", set, err.message);
}

START_TEST(checks_against_the_plan)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	fixture_init(&fixture);
	ck_assert(capture_check("io", &fixture.plan, &err));
	ck_assert(capture_check("all", &fixture.plan, &err));
	ck_assert(capture_check("io,layers.*.attn.scores", &fixture.plan, &err));
	refused(&fixture.plan, "", "empty item");
	refused(&fixture.plan, "io,", "empty item");
	refused(&fixture.plan, "io,,logits", "empty item");
	refused(&fixture.plan, "layers.[0", "never closed");
	refused(&fixture.plan, "logist", "did you mean 'logits'?");
	refused(&fixture.plan, "nothing.like.it.here", "use io, all");
	refused(&fixture.plan, "layers.0.attn.cache", "did you mean"); /* a state is never recorded */
	fixture_free(&fixture);
}
END_TEST

TEST_PROGRAM("capture", {
	tcase_add_test(tests, matches_as_said);
	tcase_add_test(tests, many_stars_take_no_time);
	tcase_add_test(tests, checks_against_the_plan);
})
