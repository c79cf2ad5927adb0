/* Reading and writing safetensors: every rule of the format, each with a file that breaks it. */
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "format/safetensors.h"
#include "harness.h"

static char folder[64], path[128];
static struct err err;
static struct safetensors st;

static void setup(void)
{
	err = ERR_INIT;
	snprintf(folder, sizeof folder, "/tmp/rowscope-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.safetensors", folder);
}

static void teardown(void)
{
	file_remove_folder(folder);
}

static void save(const void *bytes, size_t length)
{
	FILE *file = fopen(path, "wb"); /* not file_save, which waits for the disk each time */
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

/* A file with this header and `data` bytes 0, 1, 2, … behind it. */
static void save_header(const char *header, size_t data)
{
	struct buf file = BUF_INIT;
	size_t length = strlen(header);
	for (int i = 0; i < 8; i++)
		buf_add_char(&file, (char)(unsigned char)(length >> (8 * i)));
	buf_add(&file, header, length);
	for (size_t i = 0; i < data; i++)
		buf_add_char(&file, (char)(unsigned char)i);
	save(file.data, file.length);
	buf_free(&file);
}

static void check_accepted(const char *header, size_t data)
{
	char why[1024];
	save_header(header, data);
	bool ok = safetensors_open(&st, path, &err);
	err_text(&err, why, sizeof why);
	ck_assert_msg(ok, "%s: %s", header, why);
}

/* The file must be refused with a message that has `expected` in it. */
static void check_refused(const char *header, size_t data, const char *expected)
{
	char why[2048];
	save_header(header, data);
	err_clear(&err);
	ck_assert_msg(!safetensors_open(&st, path, &err), "accepted: %s", header);
	ck_assert_int_eq(err.kind, ERR_INPUT);
	ck_assert_str_eq(err.file, path);
	err_text(&err, why, sizeof why);
	ck_assert_msg(strstr(why, expected) != NULL, "%s: %s", header, why);
	safetensors_close(&st); /* harmless after a failure */
	err_clear(&err);
}

START_TEST(reads_names_shapes_and_parts)
{
	check_accepted("{\"__metadata__\":{\"axes.b\":\"B,H\",\"axes.a\":\"B,H\",\"k\":\"v\"},"
		       "\"b\":{\"dtype\":\"U8\",\"shape\":[2,3],\"data_offsets\":[4,10]},"
		       "\"a\":{\"dtype\":\"U16\",\"shape\":[2],\"data_offsets\":[0,4],\"more\":[1]}} \r\n\t ",
		10);
	ck_assert_uint_eq(st.count, 2);
	ck_assert_str_eq(st.entries[0].name, "a");
	ck_assert_str_eq(st.entries[0].tensor.axes, ""); /* one axis, two letters: not ours */
	const struct safetensors_entry *entry = safetensors_find(&st, "b");
	ck_assert_ptr_eq(entry, &st.entries[1]);
	ck_assert_str_eq(entry->tensor.axes, "BH");
	ck_assert_int_eq(entry->tensor.rank, 2);
	ck_assert_int_eq(entry->tensor.shape[1], 3);
	unsigned char bytes[4] = {99, 99, 99, 99};
	ck_assert(safetensors_read(&st, entry, 1, 3, bytes, &err));
	ck_assert_int_eq(memcmp(bytes, "\5\6\7\x63", 4), 0);
	ck_assert(safetensors_read(&st, entry, 6, 0, bytes, &err));
	ck_assert(!safetensors_read(&st, entry, 4, 3, bytes, &err));
	err_clear(&err);
	ck_assert(!safetensors_read(&st, entry, -1, 1, bytes, &err));
	err_clear(&err);
	ck_assert(!safetensors_read(&st, entry, INT64_MAX, INT64_MAX, bytes, &err));
	ck_assert_ptr_null(safetensors_find(&st, "c"));
	ck_assert_str_eq(safetensors_metadata(&st, "k"), "v");
	ck_assert_ptr_null(safetensors_metadata(&st, "K"));
	safetensors_close(&st);
}
END_TEST

START_TEST(accepts_what_is_valid)
{
	static const struct {
		const char *header;
		size_t data;
	} good[] = {
		{"{}", 0},
		{" {} ", 0},
		{"{\"__metadata__\":{}}", 0},
		{"{\"__metadata__\":null}", 0},
		{"{\"s\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]}}", 8},
		{"{\"z\":{\"dtype\":\"F32\",\"shape\":[3,0],\"data_offsets\":[0,0]}}", 0},
		{"{\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]},"
		 "\"z\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[1,1]},"
		 "\"b\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[1,2]}}",
			2},
		{"{\"q\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,1]}}", 1},
		{"{\"\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1},
		{"{\"e\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}}", 1},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		check_accepted(good[i].header, good[i].data);
		safetensors_close(&st);
	}
}
END_TEST

START_TEST(refuses_a_broken_length)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *expected;
	} bad[] = {
		{"", 0, "8 bytes of header length"},
		{"\2\0\0\0\0\0\0", 7, "8 bytes of header length"},
		{"\1\xe1\xf5\5\0\0\0\0{}", 10, "at most 100000000"},
		{"\xff\xff\xff\xff\xff\xff\xff\xff{}", 10, "at most 100000000"},
		{"\3\0\0\0\0\0\0\0{}", 10, "cut short"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		save(bad[i].bytes, bad[i].length);
		err_clear(&err);
		ck_assert(!safetensors_open(&st, path, &err));
		ck_assert_msg(strstr(err.message, bad[i].expected) != NULL, "%s", err.message);
	}
}
END_TEST

static const struct {
	const char *header;
	size_t data;
	const char *expected;
} broken_rules[] = {
	{"", 0, "header, line 1, byte 0"},
	{"[]", 0, "must be an object"},
	{"{\"a\":\"\xff\"}", 0, "not UTF-8"},
	{"{\"a\":1}", 0, "header, a: a tensor must be an object"},
	{"{\"__metadata__\":{\"step\":3}}", 0, "__metadata__.step: this must be a string"},
	{"{\"__metadata__\":[]}", 0, "whose values are strings"},
	{"{\"a\":{\"shape\":[],\"data_offsets\":[0,1]}}", 1, "header, a: a tensor needs dtype"},
	{"{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1, "but shape is missing"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[]}}", 1, "but data_offsets is missing"},
	{"{\"a\":{\"dtype\":\"f32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, "a.dtype: the type 'f32' is not known"},
	{"{\"a\":{\"dtype\":7,\"shape\":[],\"data_offsets\":[0,4]}}", 4, "a.dtype: this must be a string"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[4.0],\"data_offsets\":[0,4]}}", 4, "a.shape[0]: this must be a whole"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[-4],\"data_offsets\":[0,4]}}", 4, "a.shape[0]: this must be a whole"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":4,\"data_offsets\":[0,4]}}", 4, "a.shape: a shape must be a list"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,1]}}", 1, "9 axes"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4,4]}}", 4, "list of two numbers"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4e0]}}", 4, "a.data_offsets[1]"},
	{"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4, "a.dtype occurs twice"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
	 "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
		4, "the key a occurs twice"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}", 8,
		"tensor 'a': its data begin at offset 4"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
	 "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[3,5]}}",
		5, "tensor 'b': its data begin at offset 3"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
	 "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
		3, "the one before it ends at 2"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
	 "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}",
		2, "the one before it ends at 2"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
	 "\"b\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,-1]}}",
		0, "b.data_offsets[1]"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
	 "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[2,1]}}",
		2, "before they begin"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[2,18446744073709551614],\"data_offsets\":[0,4]}}", 4, "a.shape[1]"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0, "63 bits"},
	{"{\"a\":{\"dtype\":\"F64\",\"shape\":[2305843009213693952],\"data_offsets\":[0,0]}}", 0, "63 bits"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[4611686018427387904,2,0],\"data_offsets\":[0,0]}}", 0, "63 bits"},
	{"{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, "inside a byte"},
	{"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,3]}}", 3,
		"span 3 bytes, but its shape and type need 4"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 5, "longer than its header says"},
	{"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 3, "cut short"},
	{"{}", 1, "longer than its header says"},
};

START_TEST(refuses_what_breaks_a_rule)
{
	for (size_t i = 0; i < sizeof broken_rules / sizeof *broken_rules; i++)
		check_refused(broken_rules[i].header, broken_rules[i].data, broken_rules[i].expected);
}
END_TEST

START_TEST(refuses_to_read_parts_of_bytes)
{
	check_accepted("{\"q\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,1]}}", 1);
	char data[2];
	ck_assert(!safetensors_read(&st, &st.entries[0], 0, 2, data, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "smaller than a byte"));
	safetensors_close(&st);
}
END_TEST

static const struct safetensors_item items[] = {
	{"tokens", {.dtype = DTYPE_I32, .rank = 2, .axes = "BS", .shape = {3, 1}}},
	{"empty", {.dtype = DTYPE_F32, .rank = 1, .axes = "B", .shape = {0}}},
	{"pad", {.dtype = DTYPE_BOOL, .rank = 1, .shape = {3}}},
	{"很", {.dtype = DTYPE_F32, .rank = 2, .axes = "TH", .shape = {600, 1000}}},
};
static const int32_t tokens[3] = {100, 2056, 0};

static void write_items(uint64_t *bytes, uint64_t *digest)
{
	static const struct safetensors_metadata metadata[] = {{"format", "rowscope"}, {NULL, NULL}};
	float *large = calloc(600000, sizeof *large);
	for (int i = 0; i < 600000; i++)
		large[i] = (float)i;
	struct safetensors_writer *writer;
	ck_assert(safetensors_writer_open(&writer, path, items, 4, metadata, &err));
	ck_assert(safetensors_writer_add(writer, tokens, sizeof tokens, &err));
	ck_assert(safetensors_writer_add(writer, NULL, 0, &err));
	ck_assert(safetensors_writer_add(writer, "\0\1\1", 3, &err));
	ck_assert(safetensors_writer_add(writer, large, 2400000, &err));
	ck_assert(!file_exists(path));
	ck_assert(safetensors_writer_finish(writer, true, bytes, digest, &err));
	free(large);
}

START_TEST(what_is_written_is_read_back)
{
	uint64_t bytes, digest, again;
	write_items(&bytes, &digest);
	ck_assert(hash_file(path, &again, &err));
	ck_assert_uint_eq(digest, again);
	ck_assert(safetensors_open(&st, path, &err));
	ck_assert_uint_eq(st.file.size, bytes);
	ck_assert_uint_eq(st.entries[0].offset % 8, 0);
	char first;
	ck_assert(file_read(&st.file, 8, 1, &first, &err));
	ck_assert_int_eq(first, '{');
	ck_assert_uint_eq(st.count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct safetensors_entry *entry = safetensors_find(&st, items[i].name);
		ck_assert_ptr_nonnull(entry);
		ck_assert_str_eq(entry->tensor.axes, items[i].tensor.axes);
		ck_assert_int_eq(entry->tensor.dtype, items[i].tensor.dtype);
		ck_assert_int_eq(tensor_count(&entry->tensor), tensor_count(&items[i].tensor));
	}
	int32_t back[3];
	ck_assert(safetensors_read(&st, safetensors_find(&st, "tokens"), 0, 3, back, &err));
	ck_assert_int_eq(memcmp(back, tokens, sizeof back), 0);
	float value;
	ck_assert(safetensors_read(&st, safetensors_find(&st, "很"), 599999, 1, &value, &err));
	ck_assert_float_eq(value, 599999.0f);
	ck_assert_str_eq(safetensors_metadata(&st, "axes.tokens"), "B,S");
	safetensors_close(&st);
}
END_TEST

START_TEST(the_writer_refuses_misuse)
{
	struct safetensors_writer *writer;
	uint64_t bytes, digest;
	ck_assert(safetensors_writer_open(&writer, path, items, 1, NULL, &err));
	ck_assert(!safetensors_writer_add(writer, tokens, 4, &err));
	err_clear(&err);
	ck_assert(!safetensors_writer_finish(writer, false, &bytes, &digest, &err));
	err_clear(&err);
	ck_assert(safetensors_writer_open(&writer, path, items, 1, NULL, &err));
	ck_assert(safetensors_writer_add(writer, tokens, 12, &err));
	ck_assert(!safetensors_writer_add(writer, tokens, 12, &err));
	safetensors_writer_abandon(writer);
	safetensors_writer_abandon(NULL);
	err_clear(&err);
	const struct safetensors_item twice[] = {items[0], items[0]};
	ck_assert(!safetensors_writer_open(&writer, path, twice, 2, NULL, &err));
	err_clear(&err);
	const struct safetensors_item reserved = {"__metadata__", {.dtype = DTYPE_U8}};
	ck_assert(!safetensors_writer_open(&writer, path, &reserved, 1, NULL, &err));
	err_clear(&err);
	const struct safetensors_item huge = {"h", {.dtype = DTYPE_F64, .rank = 2, .shape = {INT64_MAX, 2}}};
	ck_assert(!safetensors_writer_open(&writer, path, &huge, 1, NULL, &err));
	ck_assert_ptr_null(writer);
	ck_assert_int_eq(rmdir(folder), 0); /* nothing was left behind */
}
END_TEST

START_TEST(a_full_disk_is_told)
{
	if (!file_exists("/dev/full"))
		return;
	struct safetensors_writer *writer;
	uint64_t bytes, digest;
	ck_assert(safetensors_writer_open(&writer, "/dev/full", items, 1, NULL, &err));
	ck_assert(safetensors_writer_add(writer, tokens, 12, &err));
	ck_assert(!safetensors_writer_finish(writer, false, &bytes, &digest, &err));
	ck_assert_int_eq(err.kind, ERR_SYSTEM);
}
END_TEST

START_TEST(a_hundred_thousand_tensors_are_quick)
{
	struct buf header = BUF_INIT;
	buf_add_char(&header, '{');
	for (int i = 99999; i >= 0; i--)
		buf_printf(&header, "\"layers.%d.w\":{\"dtype\":\"U8\",\"shape\":[1,1],\"data_offsets\":[%d,%d]}%s", i,
			i, i + 1, i == 0 ? "}" : ",");
	clock_t start = clock();
	check_accepted(buf_text(&header), 100000);
	ck_assert_ptr_nonnull(safetensors_find(&st, "layers.77777.w"));
	ck_assert_uint_eq(st.entries[5].name_length, 10);
	ck_assert_double_lt((double)(clock() - start) / CLOCKS_PER_SEC, 20.0);
	safetensors_close(&st);
	buf_free(&header);
}
END_TEST

/* Opens the bytes as a file: a clean refusal or success, never anything else. */
static bool opens(const char *bytes, size_t length)
{
	save(bytes, length);
	err_clear(&err);
	bool ok = safetensors_open(&st, path, &err);
	ck_assert(ok || err.kind == ERR_INPUT);
	ck_assert(ok || (err.message[0] != '\0' && strcmp(err.file, path) == 0));
	safetensors_close(&st);
	return ok;
}

START_TEST(every_prefix_and_bit_flip_ends_cleanly)
{
	static const char header[] =
		"{\"__metadata__\":{\"axes.a\":\"B,S\"},\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],"
		"\"data_offsets\":[0,8]},\"b\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[8,9]}}";
	save_header(header, 9);
	char seed[512];
	size_t length = 8 + strlen(header) + 9;
	ck_assert(file_exists(path));
	FILE *file = fopen(path, "rb");
	ck_assert_uint_eq(fread(seed, 1, sizeof seed, file), length);
	fclose(file);
	ck_assert(opens(seed, length));
	for (size_t i = 0; i < length; i++)
		ck_assert_msg(!opens(seed, i), "a prefix of %zu bytes was accepted", i);
	for (size_t bit = 0; bit < 8 * (length - 9); bit++) {
		seed[bit / 8] = (char)(seed[bit / 8] ^ (1 << bit % 8));
		opens(seed, length);
		seed[bit / 8] = (char)(seed[bit / 8] ^ (1 << bit % 8));
	}
}
END_TEST

/* What the index of the shared material says about a file, as this reader must answer. */
static void check_shared_file(const char *name, bool accept)
{
	char file[1024], why[1024];
	snprintf(file, sizeof file, "%s/safetensors/%s.safetensors", harness_testdata(), name);
	err_clear(&err);
	bool ok = safetensors_open(&st, file, &err);
	err_text(&err, why, sizeof why);
	ck_assert_msg(ok == accept, "%s: %s", name, ok ? "accepted" : why);
	safetensors_close(&st);
}

START_TEST(agrees_with_shared_files)
{
	if (harness_testdata() == NULL)
		return;
	char file[1024], line[512];
	snprintf(file, sizeof file, "%s/safetensors/INDEX.tsv", harness_testdata());
	FILE *index = fopen(file, "r");
	ck_assert_ptr_nonnull(index);
	int count = 0;
	while (fgets(line, sizeof line, index) != NULL) {
		char *name = strtok(line, "\t");
		if (strcmp(name, "file") == 0)
			continue;
		check_shared_file(name, strncmp(name, "ok_", 3) == 0 || strcmp(name, "quirk_unknown_field") == 0);
		count++;
	}
	fclose(index);
	ck_assert_int_eq(count, 24);
}
END_TEST

TEST_PROGRAM("safetensors", {
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, reads_names_shapes_and_parts);
	tcase_add_test(tests, accepts_what_is_valid);
	tcase_add_test(tests, refuses_a_broken_length);
	tcase_add_test(tests, refuses_what_breaks_a_rule);
	tcase_add_test(tests, refuses_to_read_parts_of_bytes);
	tcase_add_test(tests, what_is_written_is_read_back);
	tcase_add_test(tests, the_writer_refuses_misuse);
	tcase_add_test(tests, a_full_disk_is_told);
	tcase_add_test(tests, a_hundred_thousand_tensors_are_quick);
	tcase_add_test(tests, every_prefix_and_bit_flip_ends_cleanly);
	tcase_add_test(tests, agrees_with_shared_files);
})
