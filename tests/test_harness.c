#include "harness.h"

START_TEST(counts)
{
	ck_assert_int_eq(1 + 1, 2);
}
END_TEST

TEST_PROGRAM("harness", { tcase_add_test(tests, counts); })
