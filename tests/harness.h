/*
 * harness.h: what every test program shares. A test file defines its tests with Check and ends with
 *
 *     TEST_PROGRAM("json", { tcase_add_test(tests, refuses_leading_zero); ... })
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the test material of others lies, or NULL when it is not at hand: such a test returns early. */
static inline const char *harness_testdata(void)
{
	const char *folder = getenv("ROWSCOPE_TESTDATA");
	return folder != NULL && folder[0] != '\0' ? folder : NULL;
}

/* Under valgrind, fifty times slower: the longest tests do less again. */
static inline int harness_is_crawling(void)
{
	const char *runner = getenv("RUNNER");
	return runner != NULL && runner[0] != '\0';
}

/* Sanitizers, coverage and valgrind make a test program ten to a hundred times slower: long tests do less there. */
static inline int harness_is_slow(void)
{
	const char *variant = getenv("VARIANT");
	return harness_is_crawling() ||
		(variant != NULL && strcmp(variant, "release") != 0 && strcmp(variant, "clang") != 0);
}

#define TEST_PROGRAM(name, additions) \
	int main(void) \
	{ \
		Suite *suite = suite_create(name); \
		TCase *tests = tcase_create(name); \
		tcase_set_timeout(tests, 300); \
		additions suite_add_tcase(suite, tests); \
		SRunner *runner = srunner_create(suite); \
		srunner_run_all(runner, CK_ENV); \
		int failed = srunner_ntests_failed(runner); \
		srunner_free(runner); \
		return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE; \
	}

#endif
