// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every profile of the corpus beside the tree, by its manifest: it opens with as
 * many samples as tests/data/corpus-profiles.tsv says, or is refused with the
 * sentence that the table has a part of. A file that the table lacks is a failure.
 */
#include "cm.h"

#include <stdio.h>

#include "schedblame/alloc.h"
#include "schedblame/profile.h"
#include "schedblame/strmap.h"

static const char *const formats[] = { "perf.data", "perf.data-pipe", "perf.data-fuzz",
				       "perf.data-v1", "perf.data-schedstats", "pprof",
				       "folded", "bpftrace-hist", "perf-script",
				       "perf-report" };

struct expected {
	char *format, *what; /* "refused" and a part of the sentence */
};

struct table {
	struct strmap path;
	struct expected *v;
	size_t cap;
};

static bool load_table(struct table *t)
{
	char line[2048], *save;
	FILE *f = fopen(TEST_DATA_DIR "/corpus-profiles.tsv", "r");

	assert_non_null(f);
	strmap_init(&t->path);
	while (fgets(line, sizeof(line), f)) {
		char *path = strtok_r(line, "\t\n", &save), *format, *what;
		size_t n = t->path.n;

		if (!path || *path == '#')
			continue;
		format = strtok_r(NULL, "\t\n", &save);
		what = strtok_r(NULL, "\t\n", &save);
		assert_non_null(what);
		GROW(t->v, n, t->cap);
		assert_int_equal(strmap_adds(&t->path, path), n);
		t->v[n] = (struct expected){ xstrdup(format), xstrdup(what) };
	}
	fclose(f);
	return true;
}

static bool check(const char *name, const struct expected *e)
{
	char *path = xasprintf(SHARED_DIR "/corpus/%s", name);
	struct err err = ERR_INIT;
	struct profile p;
	int ret = profile_load(&p, path, NULL, &err);
	bool good;

	if (ret < 0) {
		good = !strcmp(e->format, "refused") && strstr(err_text(&err), e->what);
		if (!good)
			print_error("%s: %s\n", name, err_text(&err));
	} else {
		good = !strcmp(e->format, p.format) &&
		       p.samples == strtoull(e->what, NULL, 10);
		if (!good)
			print_error("%s: %s with %llu samples\n", name, p.format,
				    (unsigned long long)p.samples);
		profile_release(&p);
	}
	err_release(&err);
	free(path);
	return good;
}

static bool is_profile(const char *format)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(format, formats[i]))
			return true;
	return false;
}

static void every_profile_of_the_manifest(void **state)
{
	FILE *f = fopen(SHARED_DIR "/corpus/MANIFEST.tsv", "r");
	struct table t = { .v = NULL };
	size_t bad = 0, files = 0;
	char line[8192], *save;

	if (!f)
		skip();
	load_table(&t);
	while (fgets(line, sizeof(line), f)) {
		char *path = strtok_r(line, "\t", &save), *format = strtok_r(NULL, "\t", &save);
		uint32_t id;

		if (!path || !format || !is_profile(format))
			continue;
		files++;
		id = strmap_finds(&t.path, path);
		if (id == STRMAP_NONE)
			print_error("%s is not in the table\n", path);
		if (id == STRMAP_NONE || !check(path, t.v + id))
			bad++;
	}
	fclose(f);
	assert_int_equal(bad, 0);
	assert_int_equal(files, t.path.n);
	for (size_t i = 0; i < t.path.n; i++) {
		free(t.v[i].format);
		free(t.v[i].what);
	}
	free(t.v);
	strmap_release(&t.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_profile_of_the_manifest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
