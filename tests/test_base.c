/* The parts of base that everything stands on: memory, buffers, maps, errors, files, hashes. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "harness.h"

/* A fresh folder per test program; each test makes its own inside and removes it. */
static void make_folder(char *path, size_t size)
{
	snprintf(path, size, "/tmp/rowscope-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(path));
}

START_TEST(checked_arithmetic_refuses_to_wrap)
{
	uint64_t result = 7;
	ck_assert(!mem_add(UINT64_MAX, 1, &result));
	ck_assert(!mem_mul(UINT64_C(1) << 32, UINT64_C(1) << 32, &result));
	ck_assert_uint_eq(result, 7);
	ck_assert(mem_add(UINT64_MAX - 1, 1, &result));
	ck_assert_uint_eq(result, UINT64_MAX);
	ck_assert(mem_mul(UINT64_C(0xffffffff), UINT64_C(0x100000001), &result));
	ck_assert_uint_eq(result, UINT64_MAX);
	ck_assert(mem_mul(UINT64_MAX, 0, &result));
	ck_assert_uint_eq(result, 0);
}
END_TEST

START_TEST(memory_is_zeroed_and_never_null)
{
	int *numbers = MEM_ARRAY(int, 100);
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(numbers[i], 0);
	numbers = mem_resize(numbers, 200, sizeof *numbers);
	free(numbers);
	void *nothing = mem_array(0, 0);
	ck_assert_ptr_nonnull(nothing);
	free(nothing);
}
END_TEST

static void say_restored(void)
{
	fputs("restored ", stderr);
	fflush(stderr);
}

/* Runs out of memory in a child and gives what it said and how it ended. */
static int exhaust_in_child(char *said, size_t size)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		mem_on_exhausted(say_restored);
		struct arena arena = ARENA_INIT;
		arena_array(&arena, SIZE_MAX / 4, 8);
		_exit(0);
	}
	close(ends[1]);
	ssize_t length = 0, got;
	while ((got = read(ends[0], said + length, size - 1 - (size_t)length)) > 0)
		length += got;
	said[length] = '\0';
	close(ends[0]);
	int status;
	waitpid(child, &status, 0);
	return status;
}

START_TEST(exhaustion_restores_says_and_ends_with_4)
{
	char said[512];
	int status = exhaust_in_child(said, sizeof said);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 4);
	ck_assert_ptr_nonnull(strstr(said, "restored rowscope: no memory"));
}
END_TEST

START_TEST(arena_aligns_zeroes_and_resets)
{
	struct arena arena = ARENA_INIT;
	for (size_t i = 1; i < 300; i++) {
		char *text = arena_strndup(&arena, "abc", i % 4);
		ck_assert_uint_eq(strlen(text), i % 4);
		unsigned char *bytes = arena_array(&arena, i, i);
		ck_assert_uint_eq((uintptr_t)bytes % (i * i >= 64 ? 64 : 16), 0);
		size_t zeroes = 0; /* Check writes to a pipe at every assertion: one for all */
		for (size_t k = 0; k < i * i; k++)
			zeroes += bytes[k] == 0;
		ck_assert_uint_eq(zeroes, i * i);
		memset(bytes, 0xff, i * i);
		if (i % 100 == 0)
			arena_reset(&arena);
	}
	ck_assert_ptr_nonnull(ARENA_ARRAY(&arena, int, 0));
	ck_assert_str_eq(arena_printf(&arena, "%s-%03d", "x", 7), "x-007");
	arena_reset(&arena);
	ck_assert_uint_eq(arena.used, 0);
	arena_free(&arena);
	ck_assert_ptr_null(arena.first);
}
END_TEST

START_TEST(buf_grows_and_is_terminated)
{
	struct buf buf = BUF_INIT;
	ck_assert_str_eq(buf_text(&buf), "");
	for (int i = 0; i < 1000; i++)
		buf_printf(&buf, "%d,", i % 10);
	ck_assert_uint_eq(buf.length, 2000);
	ck_assert_uint_eq(strlen(buf_text(&buf)), 2000);
	buf_clear(&buf);
	ck_assert_str_eq(buf_text(&buf), "");
	buf_add(&buf, "a\0b", 3);
	buf_add_char(&buf, 'c');
	buf_add_text(&buf, "de");
	ck_assert_int_eq(memcmp(buf.data, "a\0bcde", 7), 0);
	buf_free(&buf);
	ck_assert_ptr_null(buf.data);
}
END_TEST

START_TEST(map_keeps_the_first_and_any_byte)
{
	struct map map = MAP_INIT;
	ck_assert_int_eq(map_get(&map, "a", 1), -1);
	ck_assert(map_put(&map, "a", 1, 5));
	ck_assert(!map_put(&map, "a", 1, 6));
	ck_assert(map_put(&map, "a\0b", 3, 7));
	ck_assert(map_put(&map, "", 0, 8));
	ck_assert_int_eq(map_get(&map, "a", 1), 5);
	ck_assert_int_eq(map_get(&map, "a\0b", 3), 7);
	ck_assert_int_eq(map_get(&map, "a\0c", 3), -1);
	ck_assert_int_eq(map_get(&map, "", 0), 8);
	for (int i = 0; i < 100000; i++) {
		char key[16];
		int length = snprintf(key, sizeof key, "key%d", i);
		ck_assert(map_put(&map, key, (size_t)length, i));
	}
	ck_assert_int_eq(map_get(&map, "key77777", 8), 77777);
	ck_assert_uint_eq(map.count, 100003);
	map_free(&map);
}
END_TEST

START_TEST(first_error_wins_and_tells_its_place)
{
	struct err err = ERR_INIT;
	char text[2048];
	ck_assert_int_eq(err_exit_status(&err), 0);
	ck_assert(!err_input(&err, NULL, "byte 17", "the %s is bad", "header"));
	ck_assert(!err_system(&err, "other", ENOSPC, "no"));
	err_in_file(&err, "a.json");
	err_in_file(&err, "b.json");
	err_text(&err, text, sizeof text);
	ck_assert_str_eq(text, "a.json: byte 17: the header is bad");
	ck_assert_int_eq(err_exit_status(&err), 3);
	err_clear(&err);
	ck_assert(!err_system(&err, "f", ENOENT, "cannot"));
	err_text(&err, text, sizeof text);
	ck_assert_str_eq(text, "f: cannot: No such file or directory");
	ck_assert_int_eq(err_exit_status(&err), 4);
	err_clear(&err);
	ck_assert(!err_usage(&err, "--new", "needs a number"));
	ck_assert_int_eq(err_exit_status(&err), 2);
}
END_TEST

START_TEST(foreign_bytes_in_errors_are_visible)
{
	struct err err = ERR_INIT;
	char text[2048];
	err_input(&err, "a\x1b[2J", "\xe2\x80\xae", "token '%s'", "\n\xff");
	err_text(&err, text, sizeof text);
	ck_assert_str_eq(text, "a\\x1b[2J: \\u202e: token '\\n\\xff'");
	err_text(&err, text, 6);
	ck_assert_uint_lt(strlen(text), 6);
}
END_TEST

START_TEST(long_errors_are_cut_between_characters)
{
	struct err err = ERR_INIT;
	char text[8192], word[2001];
	for (int shift = 0; shift < 3; shift++) {
		memset(word, 'x', (size_t)shift);
		for (int i = shift; i + 3 <= 2000; i += 3)
			memcpy(word + i, "很", 4);
		err_clear(&err);
		err_input(&err, word, word, "%s", word);
		err_text(&err, text, sizeof text);
		ck_assert_ptr_null(strchr(text, '\\'));
	}
}
END_TEST

START_TEST(hashes_match_their_vectors)
{
	ck_assert_uint_eq(hash_bytes("", 0), UINT64_C(0x2d06800538d394c2));
	ck_assert_uint_eq(hash_fnv1a("", 0), UINT64_C(0xcbf29ce484222325));
	ck_assert_uint_eq(hash_fnv1a("a", 1), UINT64_C(0xaf63dc4c8601ec8c));
	ck_assert_uint_eq(hash_fnv1a("foobar", 6), UINT64_C(0x85944171f73967e8));
	/* the vector of the SipHash paper, appendix A */
	unsigned char bytes[15];
	for (unsigned i = 0; i < 15; i++)
		bytes[i] = (unsigned char)i;
	const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
	ck_assert_uint_eq(hash_keyed(key, bytes, 15), UINT64_C(0xa129ca6149be45e5));
	struct hash *hash = hash_new();
	for (unsigned i = 0; i < 15; i++)
		hash_add(hash, bytes + i, 1);
	ck_assert_uint_eq(hash_value(hash), hash_bytes(bytes, 15));
	hash_delete(hash);
}
END_TEST

START_TEST(files_are_saved_and_loaded_whole)
{
	char folder[64], path[128];
	make_folder(folder, sizeof folder);
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	ck_assert(file_join(path, sizeof path, folder, "a.bin", &err));
	ck_assert(file_save(path, "one\0two", 7, false, &err));
	ck_assert(!file_save(path, "three", 5, false, &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
	err_clear(&err);
	char *bytes;
	size_t length;
	ck_assert(file_load(path, 100, &arena, &bytes, &length, &err));
	ck_assert_uint_eq(length, 7);
	ck_assert_int_eq(memcmp(bytes, "one\0two", 8), 0);
	uint64_t digest;
	ck_assert(hash_file(path, &digest, &err));
	ck_assert_uint_eq(digest, hash_bytes("one\0two", 7));
	ck_assert(file_save(path, "three", 5, true, &err));
	ck_assert(!file_load(path, 4, &arena, &bytes, &length, &err));
	ck_assert_int_eq(err.kind, ERR_INPUT);
	file_remove_folder(folder);
	ck_assert(!file_exists(folder));
	arena_free(&arena);
}
END_TEST

START_TEST(only_regular_files_are_opened)
{
	char folder[64], path[128];
	make_folder(folder, sizeof folder);
	struct err err = ERR_INIT;
	struct file file;
	ck_assert(!file_open(&file, folder, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "folder"));
	err_clear(&err);
	ck_assert(file_join(path, sizeof path, folder, "pipe", &err));
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!file_open(&file, path, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "pipe"));
	err_clear(&err);
	ck_assert(!file_open(&file, "/dev/zero", &err));
	ck_assert_int_eq(err.kind, ERR_INPUT);
	err_clear(&err);
	ck_assert(!file_open(&file, "/nowhere/at/all", &err));
	ck_assert_int_eq(err_exit_status(&err), 3);
	err_clear(&err);
	char far[2000];
	memset(far, 'x', sizeof far - 1);
	far[sizeof far - 1] = '\0';
	ck_assert(!file_open(&file, far, &err));
	ck_assert_int_eq(err.kind, ERR_INPUT);
	file_remove_folder(folder);
}
END_TEST

START_TEST(a_file_that_shrinks_is_an_error)
{
	char folder[64], path[128], bytes[100] = {0};
	make_folder(folder, sizeof folder);
	struct err err = ERR_INIT;
	struct file file;
	ck_assert(file_join(path, sizeof path, folder, "a", &err));
	ck_assert(file_save(path, bytes, 100, false, &err));
	ck_assert(file_open(&file, path, &err));
	ck_assert(file_read(&file, 50, 50, bytes, &err));
	ck_assert(!file_read(&file, 51, 50, bytes, &err));
	err_clear(&err);
	ck_assert(!file_read(&file, UINT64_MAX, 1, bytes, &err));
	err_clear(&err);
	ck_assert_int_eq(truncate(path, 20), 0);
	ck_assert(!file_read(&file, 0, 100, bytes, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "shorter"));
	file_close(&file);
	file_remove_folder(folder);
}
END_TEST

START_TEST(an_abandoned_write_leaves_nothing)
{
	char folder[64], path[128];
	make_folder(folder, sizeof folder);
	struct err err = ERR_INIT;
	struct file_writer writer;
	ck_assert(file_join(path, sizeof path, folder, "a", &err));
	ck_assert(file_writer_open(&writer, path, &err));
	ck_assert(file_writer_add(&writer, "xyz", 3, &err));
	ck_assert(!file_exists(path));
	file_writer_abandon(&writer);
	ck_assert_int_eq(rmdir(folder), 0); /* empty: the temporary file is gone */
	ck_assert(!file_writer_open(&writer, path, &err));
	ck_assert_int_eq(err.kind, ERR_INPUT);
}
END_TEST

START_TEST(a_full_disk_and_devices_are_told)
{
	struct err err = ERR_INIT;
	struct stat status;
	if (stat("/dev/full", &status) != 0)
		return;
	ck_assert(!file_save("/dev/full", "x", 1, true, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "disk is full"));
	ck_assert_int_eq(err_exit_status(&err), 4);
	err_clear(&err);
	ck_assert(file_save("/dev/null", "x", 1, false, &err));
	ck_assert_int_eq(stat("/dev/null", &status), 0);
	ck_assert(S_ISCHR(status.st_mode));
}
END_TEST

START_TEST(a_failing_write_removes_its_temporary_file)
{
	char folder[64], path[128], bytes[4096] = {0};
	make_folder(folder, sizeof folder);
	struct err err = ERR_INIT;
	ck_assert(file_join(path, sizeof path, folder, "a", &err));
	struct rlimit old, low;
	getrlimit(RLIMIT_FSIZE, &old);
	low = old;
	low.rlim_cur = 1000;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &low), 0);
	bool ok = file_save(path, bytes, sizeof bytes, true, &err);
	setrlimit(RLIMIT_FSIZE, &old);
	ck_assert(!ok);
	ck_assert_int_eq(err_exit_status(&err), 4);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(links_stay_links)
{
	char folder[64], path[128], link_path[128];
	make_folder(folder, sizeof folder);
	struct err err = ERR_INIT;
	ck_assert(file_join(path, sizeof path, folder, "a", &err));
	ck_assert(file_join(link_path, sizeof link_path, folder, "l", &err));
	ck_assert(file_save(path, "1", 1, false, &err));
	ck_assert_int_eq(symlink("a", link_path), 0);
	ck_assert(file_save(link_path, "22", 2, true, &err));
	struct stat status;
	ck_assert_int_eq(lstat(link_path, &status), 0);
	ck_assert(S_ISLNK(status.st_mode));
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_int_eq(status.st_size, 2);
	file_remove_folder(folder);
}
END_TEST

START_TEST(removing_a_folder_does_not_follow_links)
{
	char folder[64], other[64], path[128], inner[256];
	make_folder(folder, sizeof folder);
	make_folder(other, sizeof other);
	struct err err = ERR_INIT;
	ck_assert(file_join(inner, sizeof inner, other, "keep", &err));
	ck_assert(file_save(inner, "x", 1, false, &err));
	ck_assert(file_join(path, sizeof path, folder, "sub", &err));
	ck_assert(file_make_folder(path, &err));
	ck_assert(!file_make_folder(path, &err));
	err_clear(&err);
	ck_assert(file_join(path, sizeof path, folder, "link", &err));
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert(file_is_folder(folder));
	file_remove_folder(folder);
	ck_assert(!file_exists(folder));
	ck_assert(file_exists(inner));
	file_remove_folder(other);
}
END_TEST

START_TEST(plain_names_are_one_component)
{
	static const char *const bad[] = {"", ".", "..", "a/b", "/", "a\\b", "../x"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(!file_is_plain_name(bad[i], strlen(bad[i])), "%s", bad[i]);
	ck_assert(!file_is_plain_name("a\0b", 3));
	ck_assert(file_is_plain_name("model-00001-of-00002.safetensors", 32));
	ck_assert(file_is_plain_name("...", 3));
	char path[8];
	struct err err = ERR_INIT;
	ck_assert(!file_join(path, sizeof path, "folder", "name", &err));
}
END_TEST

TEST_PROGRAM("base", {
	tcase_add_test(tests, checked_arithmetic_refuses_to_wrap);
	tcase_add_test(tests, memory_is_zeroed_and_never_null);
	tcase_add_test(tests, exhaustion_restores_says_and_ends_with_4);
	tcase_add_test(tests, arena_aligns_zeroes_and_resets);
	tcase_add_test(tests, buf_grows_and_is_terminated);
	tcase_add_test(tests, map_keeps_the_first_and_any_byte);
	tcase_add_test(tests, first_error_wins_and_tells_its_place);
	tcase_add_test(tests, foreign_bytes_in_errors_are_visible);
	tcase_add_test(tests, long_errors_are_cut_between_characters);
	tcase_add_test(tests, hashes_match_their_vectors);
	tcase_add_test(tests, files_are_saved_and_loaded_whole);
	tcase_add_test(tests, only_regular_files_are_opened);
	tcase_add_test(tests, a_file_that_shrinks_is_an_error);
	tcase_add_test(tests, an_abandoned_write_leaves_nothing);
	tcase_add_test(tests, a_full_disk_and_devices_are_told);
	tcase_add_test(tests, a_failing_write_removes_its_temporary_file);
	tcase_add_test(tests, links_stay_links);
	tcase_add_test(tests, removing_a_folder_does_not_follow_links);
	tcase_add_test(tests, plain_names_are_one_component);
})
