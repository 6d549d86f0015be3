// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors, strings, tables, units, CPU lists, safe text, files. */
#include "cm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/cpuset.h"
#include "schedblame/err.h"
#include "schedblame/file.h"
#include "schedblame/json.h"
#include "schedblame/strbuf.h"
#include "schedblame/strmap.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

static void errors_keep_code_and_gain_context(void **state)
{
	struct err err = ERR_INIT;

	assert_int_equal(err_errno(&err, ENOENT, "cannot open %s", "x"), -ENOENT);
	err_prefix(&err, "run %d", 3);
	assert_string_equal(err_text(&err),
			    "run 3: cannot open x: No such file or directory");
	/* the old text as an argument of the new one */
	err_set(&err, EINVAL, "again: %s", err.text);
	assert_non_null(strstr(err_text(&err), "again: run 3"));
	err_release(&err);
	assert_int_equal(err_set(NULL, EIO, "dropped"), -EIO);
}

static void notes_do_not_repeat(void **state)
{
	struct notes a = { 0 }, b = { 0 };

	notes_add(&a, "lost %d events", 3);
	notes_add(&a, "lost %d events", 3);
	notes_add(&b, "other");
	notes_merge(&a, &b);
	assert_int_equal(a.n, 2);
	notes_release(&a);
	notes_release(&b);
}

static void strbuf_grows(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *s;

	assert_string_equal(sb.buf, "");
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&sb, "%d,", i);
	assert_int_equal(sb.len, 10 * 2 + 90 * 3 + 900 * 4);
	strbuf_addf(&sb, "%0500d", 7);
	assert_int_equal(strlen(sb.buf), sb.len);
	strbuf_reset(&sb);
	strbuf_addstr(&sb, "line \t\r\n");
	strbuf_rtrim(&sb);
	s = strbuf_detach(&sb);
	assert_string_equal(s, "line");
	free(s);
	s = strbuf_detach(&sb);
	assert_string_equal(s, "");
	free(s);
}

static void strmap_ids_are_dense_and_names_stay(void **state)
{
	struct strmap map;
	const char *first;
	char name[32];

	strmap_init(&map);
	assert_int_equal(strmap_finds(&map, "x"), STRMAP_NONE);
	assert_int_equal(strmap_adds(&map, ""), 0);
	first = map.name[0];
	for (int i = 1; i < 20000; i++) {
		snprintf(name, sizeof(name), "symbol_%d", i);
		assert_int_equal(strmap_adds(&map, name), i);
	}
	for (int i = 1; i < 20000; i += 7) {
		snprintf(name, sizeof(name), "symbol_%d", i);
		assert_int_equal(strmap_finds(&map, name), i);
		assert_int_equal(strmap_adds(&map, name), i);
	}
	assert_ptr_equal(map.name[0], first);
	/* a prefix of a stored string is another string */
	assert_int_equal(strmap_find(&map, "symbol_19999", 11),
			 strmap_finds(&map, "symbol_1999"));
	strmap_release(&map);
}

static void numbers_for_people(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} t[] = { { 0, "0 ns" }, { 999, "999 ns" }, { 1000, "1.00 us" },
		  { 12345, "12.3 us" }, { 999999, "1.00 ms" }, { 45600000, "45.6 ms" },
		  { 1234567890, "1.23 s" }, { 123456789012, "123 s" } };
	char buf[64];
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		assert_string_equal(format_ns(buf, sizeof(buf), t[i].ns), t[i].text);
	assert_string_equal(format_count(buf, sizeof(buf), 14820255), "14.8M");
	assert_string_equal(format_count(buf, sizeof(buf), -1500), "-1.50K");
	assert_string_equal(format_bytes(buf, sizeof(buf), 16 << 20), "16.0 MiB");
	assert_string_equal(format_signed(buf, sizeof(buf), -0.04, 1), "0.0");
	assert_string_equal(format_signed(buf, sizeof(buf), 177.77, 2), "+177.77");
	assert_string_equal(format_signed(buf, sizeof(buf), -1.26, 2), "-1.26");
	assert_int_equal(parse_duration(&ns, "250ms", NULL), 0);
	assert_int_equal(ns, 250000000);
	assert_int_equal(parse_duration(&ns, "1.5", NULL), 0);
	assert_int_equal(ns, 1500000000);
	assert_int_equal(parse_duration(&ns, "2 m", NULL), 0);
	assert_int_equal(ns, 120000000000);
	assert_int_equal(parse_duration(&ns, "nan", NULL), -EINVAL);
	assert_int_equal(parse_duration(&ns, "1e300", NULL), -EINVAL);
	assert_int_equal(parse_duration(&ns, "-1s", NULL), -EINVAL);
	assert_int_equal(parse_u64(&ns, "12", 1, 12, "repeats", NULL), 0);
	assert_int_equal(parse_u64(&ns, "-1", 0, 12, "repeats", NULL), -EINVAL);
	assert_int_equal(parse_u64(&ns, "99999999999999999999", 0, UINT64_MAX, "n", NULL),
			 -EINVAL);
}

static void cpu_lists(void **state)
{
	static const struct {
		const char *in, *out;
	} good[] = { { "", "" }, { "0-3,8\n", "0-3,8" }, { "7,3,5,4", "3-5,7" },
		     { "0-7/2", "0,2,4,6" }, { "0-15:2/4", "0-1,4-5,8-9,12-13" },
		     { "4095", "4095" } };
	static const char *const bad[] = { "a", "3-1", "1,", "1-", "0-3/0", "70000",
					   "0-3:5/4", "1;2", "-1" };
	struct cpuset set = CPUSET_INIT, copy = CPUSET_INIT;
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(cpuset_parse(&set, good[i].in, NULL), 0);
		strbuf_reset(&sb);
		cpuset_format(&set, &sb);
		assert_string_equal(sb.buf, good[i].out);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!strcmp(bad[i], "1,"))
			continue; /* the kernel accepts a comma at the end */
		assert_int_equal(cpuset_parse(&set, bad[i], &err), -EINVAL);
		assert_non_null(strstr(err_text(&err), "is not a CPU list"));
	}
	cpuset_parse(&set, "1-4,200", NULL);
	cpuset_copy(&copy, &set);
	cpuset_clear(&copy, 200);
	assert_false(cpuset_equal(&set, &copy));
	cpuset_and(&set, &copy);
	assert_true(cpuset_equal(&set, &copy));
	assert_int_equal(cpuset_count(&set), 4);
	cpuset_release(&set);
	cpuset_release(&copy);
	strbuf_release(&sb);
	err_release(&err);
}

static void foreign_text_is_tamed(void **state)
{
	static const struct {
		const char *in, *ascii, *utf8;
	} t[] = {
		{ "bash", "bash", "bash" },
		{ "a\033[2Jb\n", "a?[2Jb?", "a?[2Jb?" },
		{ "gr\xc3\xbc\xc3\x9f", "gr????", "gr\xc3\xbc\xc3\x9f" },
		{ "\xc3(", "?(", "?(" },		  /* cut sequence */
		{ "\xe2\x80\xae" "evil", "???evil", "?evil" }, /* right-to-left */
		{ "\xed\xa0\x80", "???", "???" },	  /* surrogate */
		{ "\xc2\x9b", "??", "?" },		  /* C1 control */
	};
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		strbuf_reset(&sb);
		text_add_ascii(&sb, t[i].in, strlen(t[i].in));
		assert_string_equal(sb.buf, t[i].ascii);
		strbuf_reset(&sb);
		text_add_utf8(&sb, t[i].in, strlen(t[i].in));
		assert_string_equal(sb.buf, t[i].utf8);
	}
	strbuf_release(&sb);
}

static void wrapping(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	text_wrap(&sb, "one two three four\nfive averyveryverylongword x", 10, 2);
	assert_string_equal(sb.buf, "one two\n  three\n  four\n  five\n"
				    "  averyveryverylongword\n  x");
	strbuf_reset(&sb);
	text_pad(&sb, "abc", 5, true);
	text_pad(&sb, "abcdef", 4, false);
	assert_string_equal(sb.buf, "  abcabcd");
	strbuf_release(&sb);
}

static void files_appear_whole_or_not(void **state)
{
	char dir[] = "/tmp/sb-test-XXXXXX";
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct file_map map;
	char *path, *deep;

	assert_non_null(mkdtemp(dir));
	path = path_join(dir, "f");
	assert_int_equal(file_write_atomic(AT_FDCWD, path, "hello", 5, 0644, &err), 0);
	assert_int_equal(file_write_atomic(AT_FDCWD, path, "hello again", 11, 0644, &err),
			 0);
	assert_int_equal(file_read(&sb, path, 0, &err), 0);
	assert_string_equal(sb.buf, "hello again");
	assert_int_equal(file_read(&sb, path, 4, &err), -EFBIG);
	assert_int_equal(file_map_open(&map, path, &err), 0);
	assert_int_equal(map.len, 11);
	file_map_close(&map);
	assert_int_equal(file_map_open(&map, dir, &err), -EINVAL);
	deep = path_join(dir, "a/b/c");
	assert_int_equal(make_dirs(deep, &err), 0);
	assert_int_equal(make_dirs(deep, &err), 0);
	/* a link out of the tree is removed, not followed */
	free(deep);
	deep = path_join(dir, "a/b/link");
	assert_int_equal(symlink("/tmp", deep), 0);
	assert_int_equal(remove_tree(dir, &err), 0);
	assert_false(file_exists(dir));
	assert_true(dir_exists("/tmp"));
	free(deep);
	free(path);
	path = path_base("/a/b/c///");
	assert_string_equal(path, "c");
	free(path);
	strbuf_release(&sb);
	err_release(&err);
}

static void full_disk_keeps_the_old_file(void **state)
{
	struct err err = ERR_INIT;

	if (access("/dev/full", W_OK))
		skip();
	int fd = open("/dev/full", O_WRONLY);

	assert_int_equal(write_full(fd, "x", 1), -ENOSPC);
	close(fd);
	err_release(&err);
}

static void json_of_any_bytes(void **state)
{
	json_t *v = json_text("a\xff" "b\0c", 5), *back;
	char *dump = json_dumps(v, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

	back = json_loads(dump, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	assert_non_null(back);
	assert_non_null(strstr(dump, "\\uFFFD"));
	free(dump);
	json_decref(v);
	json_decref(back);
	v = json_num(0.0 / 0.0);
	assert_true(json_is_null(v));
	json_decref(v);
}

static void globs(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{ "", "", true },		{ "", "a", false },
		{ "a", "", false },		{ "*", "", true },
		{ "*", "abc", true },		{ "a*", "abc", true },
		{ "*c", "abc", true },		{ "a*c", "abbbc", true },
		{ "a*c", "abcd", false },	{ "*b*", "abc", true },
		{ "a?c", "abc", true },		{ "a?c", "ac", false },
		{ "*lock*", "_raw_spin_lock_irq", true },
		{ "_raw_*_lock", "_raw_spin_lock_lock", true },
		{ "[a-c]x", "bx", true },	{ "[a-c]x", "dx", false },
		{ "[!a]x", "bx", true },	{ "[!a]x", "ax", false },
		{ "[]]", "]", true },		{ "[a", "a", true },
		{ "***a", "bba", true },	{ "a*b*c*d", "axbxcx", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (text_glob(cases[i].pattern, cases[i].text) != cases[i].matches)
			fail_msg("'%s' '%s'", cases[i].pattern, cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_keep_code_and_gain_context),
		cmocka_unit_test(notes_do_not_repeat),
		cmocka_unit_test(strbuf_grows),
		cmocka_unit_test(strmap_ids_are_dense_and_names_stay),
		cmocka_unit_test(numbers_for_people),
		cmocka_unit_test(cpu_lists),
		cmocka_unit_test(foreign_text_is_tamed),
		cmocka_unit_test(wrapping),
		cmocka_unit_test(globs),
		cmocka_unit_test(files_appear_whole_or_not),
		cmocka_unit_test(full_disk_keeps_the_old_file),
		cmocka_unit_test(json_of_any_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
