// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Our profile of a perf.data file against what `perf report` counts: by symbol
 * in the kernel and by file in user mode for a recording of this machine, by
 * file for the corpus (whose kernels perf would name by this machine's symbols).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "perf_tests.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/profile.h"

static char dir[] = "/tmp/test-perf-report-XXXXXX";

/* ------------------------------------------- tables of names and counts */

struct row {
	char *name;
	uint64_t ours, theirs;
};

struct table {
	struct row *v;
	size_t n, cap;
	uint64_t theirs;
};

static struct row *row(struct table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->v[i].name, name))
			return t->v + i;
	GROW(t->v, t->n, t->cap);
	t->v[t->n] = (struct row){ .name = xstrdup(name) };
	return t->v + t->n++;
}

static void table_release(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i].name);
	free(t->v);
}

/* Rows that differ by more than 0.01 points of all samples. */
static size_t differences(const struct table *t, const char *title)
{
	size_t bad = 0;

	for (size_t i = 0; i < t->n; i++) {
		double points = 100 * ((double)t->v[i].ours - (double)t->v[i].theirs) /
				(double)t->theirs;

		if (points <= 0.01 && points >= -0.01)
			continue;
		bad++;
		print_error("%s: %s: we %llu, perf %llu\n", title, t->v[i].name,
			    (unsigned long long)t->v[i].ours,
			    (unsigned long long)t->v[i].theirs);
	}
	return bad;
}

/* perf's rows of the first event that has any: "SAMPLES;KEY". */
static void perf_rows(struct table *t, const char *path, const char *keys,
		      const char *(*name)(char *key))
{
	char command[1024], line[4096];
	bool in_event = false;
	FILE *f;

	snprintf(command, sizeof(command), "perf report -i '%s' --stdio -t ';' --sort %s "
		 "-F sample,%s --no-group --no-branch-stack 2>/dev/null", path, keys, keys);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *semicolon = strchr(line, ';');

		if (line[0] == '#' && strstr(line, "Samples:") && in_event)
			break;
		if (line[0] == '#' || !semicolon)
			continue;
		in_event = true;
		semicolon[strcspn(semicolon, "\n")] = '\0';
		for (size_t n = strlen(semicolon); n && semicolon[n - 1] == ' '; n--)
			semicolon[n - 1] = '\0';
		row(t, name(semicolon + 1))->theirs += strtoull(line, NULL, 10);
		t->theirs += strtoull(line, NULL, 10);
	}
	while (fgets(line, sizeof(line), f))
		;
	pclose(f);
}

/* ------------------------------------------------------------ by file */

static const char *file_of(char *key)
{
	return perf_test_file(key, false);
}

static void our_files(struct table *t, const struct profile *p)
{
	for (uint32_t i = 0; i < p->nr_symbols; i++) {
		const char *file = perf_test_file(profile_module_name(p, i),
						  p->symbol[i].space != SPACE_USER);

		if (p->symbol[i].samples)
			row(t, file)->ours += p->symbol[i].samples;
	}
}

static size_t compare_files(const char *path)
{
	const struct profile_options options = { .user_symbols = true };
	struct table t = { NULL, 0, 0, 0 };
	struct profile p;
	size_t bad = 0;

	perf_rows(&t, path, "dso", file_of);
	if (t.theirs) { /* else perf refuses the file, or it has no samples */
		assert_int_equal(profile_from_perf(&p, path, &options, NULL), 0);
		our_files(&t, &p);
		bad = differences(&t, path);
		profile_release(&p);
	}
	table_release(&t);
	return bad;
}

/* ---------------------------------------------------------- by symbol */

static const char *symbol_of(char *key)
{
	if (strncmp(key, "[k] ", 4))
		return "user mode";
	return strncmp(key + 4, "0x", 2) ? key + 4 : "[unknown]";
}

static size_t compare_symbols(const char *path)
{
	struct table t = { NULL, 0, 0, 0 };
	struct profile p;
	size_t bad;

	perf_rows(&t, path, "sym", symbol_of);
	assert_int_equal(profile_from_perf(&p, path, NULL, NULL), 0);
	assert_int_equal(p.samples, t.theirs);
	assert_true(p.samples > 100);
	for (uint32_t i = 0; i < p.nr_symbols; i++)
		if (p.symbol[i].samples)
			row(&t, profile_name(&p, i))->ours += p.symbol[i].samples;
	bad = differences(&t, path);
	profile_release(&p);
	table_release(&t);
	return bad;
}

static void own_recording_agrees(void **state)
{
	char command[512], *path = path_join(dir, "perf.data");

	snprintf(command, sizeof(command),
		 "perf record -q -a -e cpu-clock -F 4000 %s -o %s -- sh -c 'for i in 1 2 3 4 "
		 "; do ls -lR /proc/self >/dev/null 2>&1; head -c 20000000 /dev/zero | "
		 "gzip -1 >/dev/null; done' >/dev/null 2>&1", *state ? "-g" : "", path);
	assert_int_equal(system(command), 0);
	assert_int_equal(compare_symbols(path), 0);
	assert_int_equal(compare_files(path), 0);
	free(path);
}

static void corpus_agrees(void **state)
{
	assert_int_equal(perf_test_corpus(compare_files), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(own_recording_agrees, NULL),
		cmocka_unit_test_prestate(own_recording_agrees, dir),
		cmocka_unit_test(corpus_agrees),
	};

	return perf_test_main(dir, tests, ARRAY_SIZE(tests));
}
