/* The random stream of a row: the words that the contract says, by a second writing of it in Python (tests/golden/streams.py). */
#include "engine/batch.h"
#include "engine/random.h"
#include "harness.h"

static const struct {
	const char *id;
	uint64_t seed;
	int64_t position;
	uint32_t word;
	float unit;
} known[] = {
	{"A", UINT64_C(0), 1, 0xbf139aa7, 0xbf139ap-24f},
	{"A", UINT64_C(7), 1, 0xb95cbcac, 0xb95cbcp-24f},
	{"A", UINT64_C(7), 2, 0x2eb93b2b, 0x2eb93bp-24f},
	{"B", UINT64_C(7), 1, 0xac78faad, 0xac78fap-24f},
	{"行", UINT64_C(7), 1, 0x69609dd6, 0x69609dp-24f},
	{"row 12", UINT64_C(1099511627776), 4096, 0x95082a65, 0x95082ap-24f},
	{"C", UINT64_C(9007199254740991), 3, 0x0756580d, 0x75658p-24f},
};

START_TEST(is_that_of_the_contract)
{
	struct request request = {.id = known[_i].id, .sampling = {.temperature = 1, .seed = known[_i].seed}};
	struct pass_draw draw = request_draw(&request, known[_i].position);
	uint32_t words[4];
	random_philox(draw.key, draw.counter, words);
	ck_assert_uint_eq(words[0], known[_i].word);
	ck_assert(random_unit(words[0]) == known[_i].unit);
}
END_TEST

TEST_PROGRAM("stream", { tcase_add_loop_test(tests, is_that_of_the_contract, 0, (int)(sizeof known / sizeof *known)); })
