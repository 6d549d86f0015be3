// SPDX-License-Identifier: GPL-2.0-or-later
/* Set and run directories: what is refused, what replaces what, what is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/run_writer.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

static char dir[] = "/tmp/test_run_writer.XXXXXX";
static char template[] = "/tmp/test_run_writer.XXXXXX";

static int enter(void **state)
{
	(void)state;
	strcpy(dir, template);
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	return chdir("/") || remove_tree(dir, NULL);
}

static size_t entries(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* One kept run with a run.json; its number. */
static unsigned keep_run(struct set_writer *set)
{
	json_t *manifest = json_pack("{s:i, s:b}", "version", 1, "complete", 0);
	struct run_writer run;
	unsigned number;

	assert_int_equal(run_writer_open(&run, set, NULL), 0);
	assert_int_equal(run_writer_manifest(&run, manifest, NULL), 0);
	assert_int_equal(run_writer_keep(&run, NULL), 0);
	number = run.number;
	run_writer_release(&run);
	json_decref(manifest);
	return number;
}

static void new_set(const char *path, const char *label)
{
	struct set_writer set;

	assert_int_equal(set_writer_open(&set, path, label, SET_NEW, NULL), 0);
	assert_int_equal(keep_run(&set), 1);
	assert_int_equal(set_writer_finish(&set, NULL), 0);
	set_writer_release(&set);
}

static void test_new(void **state)
{
	struct set_writer set;

	(void)state;
	new_set("deep/er/set/", NULL);
	assert_true(file_exists("deep/er/set/001/run.json"));
	assert_int_equal(set_writer_open(&set, "deep/er/set", NULL, SET_NEW, NULL), -17);
	set_writer_release(&set);
	assert_true(file_exists("deep/er/set/001/run.json"));
}

static void test_nothing_kept(void **state)
{
	struct run_writer run;
	struct set_writer set;

	(void)state;
	assert_int_equal(set_writer_open(&set, "set", NULL, SET_NEW, NULL), 0);
	assert_int_equal(run_writer_open(&run, &set, NULL), 0);
	close(run_writer_create(&run, "workload.out", NULL));
	run_writer_release(&run);
	set_writer_release(&set);
	assert_false(file_exists("set"));

	/* a folder that was there, empty, stays */
	assert_int_equal(mkdir("mine", 0777), 0);
	assert_int_equal(set_writer_open(&set, "mine", NULL, SET_NEW, NULL), 0);
	set_writer_release(&set);
	assert_true(dir_exists("mine"));
}

static void test_append(void **state)
{
	struct set_writer set, second;
	struct run_writer half;

	(void)state;
	new_set("set", "a label");
	assert_int_equal(set_writer_open(&set, "set", NULL, SET_APPEND, NULL), 0);
	assert_string_equal(set.label, "a label");
	assert_int_equal(run_writer_open(&half, &set, NULL), 0);
	assert_int_equal(half.number, 2);
	/* another process appends at the same time */
	assert_int_equal(set_writer_open(&second, "set", "a label", SET_APPEND, NULL), 0);
	assert_int_equal(keep_run(&second), 3);
	assert_int_equal(run_writer_keep(&half, NULL), 0);
	run_writer_release(&half);
	set_writer_release(&set);
	set_writer_release(&second);
	assert_true(file_exists("set/002") && file_exists("set/003"));
	assert_int_equal(set_writer_open(&set, "set", "other", SET_APPEND, NULL), -22);
	set_writer_release(&set);
	assert_int_equal(set_writer_open(&set, "none", NULL, SET_APPEND, NULL), -2);
	set_writer_release(&set);
}

static void test_force(void **state)
{
	struct set_writer set;

	(void)state;
	new_set("set", "old");
	assert_int_equal(set_writer_open(&set, "set", "new", SET_FORCE, NULL), 0);
	keep_run(&set);
	keep_run(&set);
	/* nothing of the old set is touched before the end */
	assert_int_equal(entries("set"), 2);
	assert_int_equal(set_writer_finish(&set, NULL), 0);
	set_writer_release(&set);
	assert_int_equal(entries("set"), 3);
	assert_int_equal(entries("."), 1);

	/* given up half-way: the old one stays, what was recorded too */
	assert_int_equal(set_writer_open(&set, "set", NULL, SET_FORCE, NULL), 0);
	keep_run(&set);
	set_writer_release(&set);
	assert_int_equal(entries("set"), 3);
	assert_int_equal(entries("."), 2);
}

static void test_foreign(void **state)
{
	struct set_writer set;

	(void)state;
	assert_int_equal(mkdir("mine", 0777), 0);
	assert_int_equal(file_write_at(-100, "mine/file", "x", 1, 0644, NULL), 0);
	for (enum set_mode mode = SET_NEW; mode <= SET_FORCE; mode++) {
		struct err err = ERR_INIT;

		assert_true(set_writer_open(&set, "mine", NULL, mode, &err) < 0);
		assert_non_null(strstr(err_text(&err), "mine"));
		err_release(&err);
		set_writer_release(&set);
	}
	assert_int_equal(entries("mine"), 1);
	/* a newer set is not appended to */
	assert_int_equal(mkdir("newer", 0777), 0);
	assert_int_equal(file_write_at(-100, "newer/set.json", "{\"version\":99}", 14, 0644, NULL), 0);
	assert_true(set_writer_open(&set, "newer", NULL, SET_APPEND, NULL) < 0);
	set_writer_release(&set);
}

static void test_recover(void **state)
{
	struct notes notes = { 0 };

	(void)state;
	new_set("set", NULL);
	assert_int_equal(make_dirs("set/.001.partial", NULL), 0);
	assert_int_equal(file_write_at(-100, "set/.001.partial/run.json", "{}", 2, 0644, NULL), 0);
	run_recover("set/.001.partial", &notes);
	assert_true(file_exists("set/002/run.json")); /* 001 is taken */
	assert_int_equal(notes.n, 1);
	assert_int_equal(make_dirs("set/.003.partial/before", NULL), 0);
	run_recover("set/.003.partial", &notes);
	assert_false(file_exists("set/.003.partial"));
	assert_false(file_exists("set/003"));
	run_recover("set/.004.partial", &notes);
	run_recover("nonsense", &notes);
	notes_release(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_new, enter, leave),
		cmocka_unit_test_setup_teardown(test_nothing_kept, enter, leave),
		cmocka_unit_test_setup_teardown(test_append, enter, leave),
		cmocka_unit_test_setup_teardown(test_force, enter, leave),
		cmocka_unit_test_setup_teardown(test_foreign, enter, leave),
		cmocka_unit_test_setup_teardown(test_recover, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
