// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "schedblame/profile.h"

static void symbols_are_kept_apart_by_module_file_and_space(void **state)
{
	struct profile p;
	uint32_t a, b;

	profile_init(&p);
	assert_string_equal(profile_name(&p, PROFILE_USER), "user mode");
	a = profile_symbol(&p, "next", "ext4", NULL, SPACE_KERNEL);
	b = profile_symbol(&p, "next", "xfs", NULL, SPACE_KERNEL);
	assert_int_not_equal(a, b);
	assert_int_not_equal(a, profile_symbol(&p, "next", "ext4", "dir.c", SPACE_KERNEL));
	assert_int_not_equal(a, profile_symbol(&p, "next", "ext4", NULL, SPACE_USER));
	assert_int_equal(a, profile_symbol(&p, "next", "ext4", "", SPACE_KERNEL));
	profile_add(&p, a, 3, 30);
	profile_add(&p, profile_symbol(&p, "intel_idle", 0, 0, SPACE_KERNEL), 7, 70);
	assert_int_equal(p.samples, 10);
	assert_int_equal(profile_busy_samples(&p), 3);
	profile_release(&p);
}

static void chains_share_their_roots(void **state)
{
	struct profile p;
	uint32_t id[3], leaf_first[3];
	uint64_t total[16];

	profile_init(&p);
	id[0] = profile_symbol(&p, "main", 0, 0, SPACE_KERNEL);
	id[1] = profile_symbol(&p, "f", 0, 0, SPACE_KERNEL);
	id[2] = profile_symbol(&p, "g", 0, 0, SPACE_KERNEL);
	leaf_first[0] = id[1], leaf_first[1] = id[0];
	profile_add_chain(&p, leaf_first, 2, 5, 5);
	leaf_first[0] = id[2];
	profile_add_chain(&p, leaf_first, 2, 2, 2);
	assert_int_equal(p.nr_nodes, 4);
	profile_tree_totals(&p, total, NULL);
	assert_int_equal(total[PROFILE_ROOT], 7);
	assert_int_equal(total[profile_child(&p, PROFILE_ROOT, id[0])], 7);
	assert_int_equal(p.symbol[id[2]].samples, 2);
	profile_release(&p);
}

static int load(struct profile *p, const char *text, size_t len, struct err *err)
{
	char path[] = "/tmp/test_profile.XXXXXX";
	int fd = mkstemp(path), ret;

	assert_int_equal(write(fd, text, len), (ssize_t)len);
	close(fd);
	ret = profile_load(p, path, NULL, err);
	unlink(path);
	return ret;
}

static uint64_t ticks(struct profile *p, const char *name)
{
	return p->symbol[profile_symbol(p, name, 0, 0, SPACE_KERNEL)].samples;
}

static void readprofile_in_both_layouts(void **state)
{
	static const char plain[] = "   184 vm_enough_memory   0.2300\n"
				    "     3 *unknown*\n   900 default_idle  9.0\n"
				    "  1087 total    0.0011\n";
	static const char verbose[] = "c0130a40 d_lookup    154   0.5000\r\n"
				      "c0130b40 .text.lock.file_table 8 0.1\r\n"
				      "00000000 total 170 0.0001\r\n";
	struct profile p;
	struct err err = ERR_INIT;

	assert_int_equal(load(&p, plain, sizeof(plain) - 1, &err), 0);
	assert_string_equal(p.format, "readprofile");
	assert_int_equal(ticks(&p, "vm_enough_memory"), 184);
	assert_int_equal(p.symbol[PROFILE_UNKNOWN].samples, 3);
	assert_int_equal(p.idle_samples, 900);
	assert_int_equal(p.notes.n, 0);
	profile_release(&p);
	assert_int_equal(load(&p, verbose, sizeof(verbose) - 1, &err), 0);
	assert_int_equal(ticks(&p, "d_lookup"), 154);
	assert_int_equal(p.notes.n, 1); /* total is wrong and said so */
	profile_release(&p);
}

static void utf16_is_read(void **state)
{
	static const char text[] = "12 schedule 0.5\n";
	char wide[2 + 2 * sizeof(text)] = "\xff\xfe";
	struct profile p;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		wide[2 + 2 * i] = text[i];
	assert_int_equal(load(&p, wide, 2 * sizeof(text), &err), 0);
	assert_int_equal(ticks(&p, "schedule"), 12);
	profile_release(&p);
}

static void foreign_bytes_get_a_sentence(void **state)
{
	static const char junk[] = "Dear all,\nthe profile is attached.\n";
	struct profile p;
	struct err err = ERR_INIT;

	assert_int_equal(load(&p, junk, sizeof(junk) - 1, &err), -8);
	assert_non_null(strstr(err_text(&err), "holds no profile that is known here"));
	err_release(&err);
	assert_int_equal(load(&p, "\x1f\x8b\x08xxxxxxxxxxxxxxxxxxxx", 22, &err), -22);
	assert_non_null(strstr(err_text(&err), "gzip"));
	err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_are_kept_apart_by_module_file_and_space),
		cmocka_unit_test(chains_share_their_roots),
		cmocka_unit_test(readprofile_in_both_layouts),
		cmocka_unit_test(utf16_is_read),
		cmocka_unit_test(foreign_bytes_get_a_sentence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
