// SPDX-License-Identifier: GPL-2.0-or-later
/* Other people's perf.data files, beside the tree: tests/data/corpus-perf.tsv
 * says what each must give. Skipped where the corpus is not there. */
#include "cm.h"

#include <stdio.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/perf_file.h"
#include "schedblame/run.h"

#define COLUMNS 4

static void count(struct perf_file *pf, unsigned long *records, unsigned long *samples)
{
	struct perf_record rec;
	struct perf_sample s;

	*records = *samples = 0;
	while (perf_file_next(pf, &rec, NULL) > 0) {
		++*records;
		if (rec.type != PERF_RECORD_SAMPLE)
			continue;
		++*samples;
		assert_true(perf_sample_parse(pf, &rec, &s));
	}
}

/* True when the file gives what the line says. */
static bool check(char *const column[COLUMNS])
{
	char *path = xasprintf(SHARED_DIR "/corpus/%s", column[0]);
	bool refused = !strcmp(column[1], "refused"), good;
	unsigned long records = 0, samples = 0;
	struct err err = ERR_INIT;
	struct perf_file pf;
	int ret = perf_file_open(&pf, path, &err);

	if (!ret) {
		count(&pf, &records, &samples);
		perf_file_close(&pf);
	}
	good = refused == (ret < 0) && records == strtoul(column[2], NULL, 10) &&
	       samples == strtoul(column[3], NULL, 10);
	if (ret < 0)
		good &= strstr(err_text(&err), path) != NULL;
	if (!good)
		print_error("%s: %d, %lu records, %lu samples: %s\n", column[0], ret, records,
			    samples, err_text(&err));
	err_release(&err);
	free(path);
	return good;
}

static void the_corpus_gives_what_the_table_says(void **state)
{
	char line[2048], *column[COLUMNS], *save;
	FILE *f = fopen(TEST_DATA_DIR "/corpus-perf.tsv", "r");
	int bad = 0, lines = 0;

	assert_non_null(f);
	if (!dir_exists(SHARED_DIR "/corpus")) {
		fclose(f);
		skip();
	}
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#')
			continue;
		column[0] = strtok_r(line, "\t", &save);
		for (int i = 1; i < COLUMNS; i++)
			column[i] = strtok_r(NULL, "\t", &save);
		bad += !check(column);
		lines++;
	}
	fclose(f);
	assert_int_equal(bad, 0);
	assert_true(lines > 100);
}

/* Sums over 16 CPUs of last minus first copy; 15th of them, rounded down, is what
 * the reports in corpus/perf-sched-stats-report show. */
static void schedstat_copies_become_series(void **state)
{
	static const struct {
		const char *file, *idle, *field;
		uint64_t sum;
	} expected[] = {
		{ "20250519_perf-k6.5.13-batch.data", "newidle", "count", 19267087 },
		{ "20250519_perf-k6.5.13-batch.data", "idle", "count", 244075 },
		{ "20250519_perf-k6.5.13-batch.data", "busy", "nobusyg", 29 },
		{ "20250519_perf-k6.15.rc7-batch.data", "newidle", "gained", 12654301 },
		{ "20250519_perf-k6.15.rc7-batch.data", "idle", "count", 284568 },
		{ "20250519_perf-k6.15.rc7-batch.data", "busy", "imbalance", 232 },
	};

	if (!dir_exists(SHARED_DIR "/corpus/perf.data-schedstats"))
		skip();
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		char *path = xasprintf(SHARED_DIR "/corpus/perf.data-schedstats/"
				       "aws+repro-collection/%s", expected[i].file);
		struct err err = ERR_INIT;
		struct run_set set;

		assert_int_equal(run_set_open(&set, path, NULL, &err), 0);
		assert_int_equal(series_sum(&set.run[0].series, "lb",
					    LABELS("idle", expected[i].idle, "field",
						   expected[i].field)),
				 expected[i].sum);
		assert_true(set.run[0].kernel_release[0] == '6');
		run_set_close(&set);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_corpus_gives_what_the_table_says),
		cmocka_unit_test(schedstat_copies_become_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
