/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests that hold us against perf share: how rows of user mode are called,
 * the walk over the corpus, and main(). For one file of a program; cmocka.h and what
 * it needs stand before it.
 */
#ifndef TESTS_HOST_PERF_TESTS_H
#define TESTS_HOST_PERF_TESTS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"

/* The kernel, its modules and what lies nowhere are one row: perf calls kernel samples
 * without a kernel mapping unknown; JIT code is perf's own word. */
static const char *perf_test_file(const char *module, bool kernel)
{
	static const char *const own[] = { "[vdso]", "[vsyscall]", "[stack]", "[heap]" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(module, own[i]))
			return module;
	if (!strncmp(module, "[JIT]", 5) || !strncmp(module, "perf-", 5))
		return "//anon";
	return kernel || module[0] == '[' || !*module ? "kernel or nothing" : module;
}

/* Files of the corpus in order of their names; the sum of what fn() gives. */
static size_t perf_test_corpus(size_t (*fn)(const char *path))
{
	char command[] = "find " SHARED_DIR "/corpus/perf.data " SHARED_DIR
			 "/corpus/perf.data-pipe -type f ! -name '*.gz' 2>/dev/null | sort";
	char path[1024];
	size_t bad = 0, n = 0;
	FILE *f = popen(command, "r");

	assert_non_null(f);
	for (; fgets(path, sizeof(path), f); n++) {
		path[strcspn(path, "\n")] = '\0';
		bad += fn(path);
	}
	pclose(f);
	if (!n)
		skip();
	return bad;
}

/* dir: a template of mkdtemp(), where the tests may write. */
static int perf_test_main(char *dir, const struct CMUnitTest *tests, size_t n)
{
	int ret;

	if (system("perf record -q -a -e cpu-clock -o /dev/null true >/dev/null 2>&1") != 0) {
		puts("skipped: perf cannot record here");
		return 77;
	}
	if (!mkdtemp(dir))
		return 1;
	setenv("PERF_CONFIG", "/dev/null", 1);
	ret = _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
	remove_tree(dir, NULL);
	return ret;
}

#endif
