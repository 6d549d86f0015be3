// SPDX-License-Identifier: GPL-2.0-or-later
#include "cm.h"

#include <stdio.h>

#include "schedblame/alloc.h"
#include "schedblame/series.h"
#include "schedblame/vocab.h"

static void labels_are_a_set(void **state)
{
	struct series_set s;

	series_init(&s);
	series_add(&s, "migrations", LABELS("reason", "wakeup", "distance", "llc"), 3);
	series_add(&s, "migrations", LABELS("distance", "llc", "reason", "wakeup"), 4);
	series_add(&s, "migrations", LABELS("distance", "remote", "reason", "fork"), 5);
	series_add(&s, "migrations_total", NO_LABELS, 99);
	assert_int_equal(s.n, 3);
	assert_int_equal(series_sum(&s, "migrations", NO_LABELS), 12);
	assert_int_equal(series_sum(&s, "migrations", LABELS("reason", "wakeup")), 7);
	assert_int_equal(series_sum(&s, "migrations", LABELS("reason", "numa_move")), 0);
	assert_int_equal(series_sum(&s, "migrations",
				    LABELS("reason", "fork", "distance", "llc")), 0);
	series_release(&s);
}

static void declared_is_not_zero_measured(void **state)
{
	struct series_set s, t;

	series_init(&s);
	series_init(&t);
	assert_false(series_has(&s, "steals"));
	series_declare(&s, "steals");
	assert_true(series_has(&s, "steals"));
	assert_int_equal(series_sum(&s, "steals", NO_LABELS), 0);
	series_merge(&t, &s);
	assert_true(series_has(&t, "steals"));
	series_add(&t, "wakeups", NO_LABELS, 1);
	assert_true(series_has(&t, "wakeups"));
	series_release(&s);
	series_release(&t);
}

static int collect_counts(const struct series_set *set, const struct series *s, void *arg)
{
	unsigned *n = arg;

	assert_string_equal(series_name(set, s), "rq");
	assert_non_null(series_label(set, s, "cpu"));
	assert_null(series_label(set, s, "node"));
	return ++*n == 10;
}

static void many_entries_and_early_stop(void **state)
{
	struct series_set s;
	unsigned n = 0;
	char cpu[16];

	series_init(&s);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 5000; i++) {
			snprintf(cpu, sizeof(cpu), "%d", i);
			series_add(&s, "rq", LABELS("cpu", cpu), 1);
		}
	assert_int_equal(s.n, 5000);
	assert_int_equal(series_sum(&s, "rq", LABELS("cpu", "4711")), 3);
	assert_int_equal(series_for_each(&s, "rq", NO_LABELS, collect_counts, &n), 1);
	assert_int_equal(n, 10);
	series_release(&s);
}

static void json_round_trip(void **state)
{
	struct series_set s, back;
	struct err err = ERR_INIT;
	static struct histogram out;
	json_t *j;

	series_init(&s);
	series_init(&back);
	series_declare(&s, "steals");
	series_add(&s, "wakeups", LABELS("distance", "llc", "kind", "new"), 42);
	histogram_add_n(series_hist(&s, "wakeup_latency", LABELS("distance", "llc")),
			7000, 3);
	j = series_to_json(&s);
	assert_int_equal(series_from_json(&back, j, "x.json", &err), 0);
	assert_true(series_has(&back, "steals"));
	assert_int_equal(series_sum(&back, "wakeups", LABELS("kind", "new")), 42);
	assert_true(series_merged(&back, "wakeup_latency", NO_LABELS, &out));
	assert_int_equal(out.count, 3);
	json_decref(j);
	series_release(&s);
	series_release(&back);
}

static void bad_json_is_refused_with_a_place(void **state)
{
	static const struct {
		const char *json, *sentence;
	} bad[] = {
		{ "{\"counters\":[{\"labels\":{}}]}",
		  "x.json: entry 0 of \"counters\" has no name" },
		{ "{\"counters\":[{\"name\":\"a\",\"value\":-1}]}",
		  "x.json: entry 0 of \"counters\" has no value that is a count" },
		{ "{\"counters\":[{\"name\":\"a\",\"labels\":{\"x\":1},\"value\":1}]}",
		  "x.json: entry 0 of \"counters\" has labels that are not at most 6 "
		  "strings" },
		{ "{\"histograms\":[{\"name\":\"a\",\"hist\":{\"buckets\":[[976,1]]}}]}",
		  "x.json: entry 0 of \"histograms\": bucket 0 of a histogram is not "
		  "[index below 976, count]" },
		{ "{\"histograms\":[{\"name\":\"a\"}]}",
		  "x.json: entry 0 of \"histograms\": a histogram has no list of "
		  "buckets" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = ERR_INIT;
		struct series_set s;
		json_t *j = json_loads(bad[i].json, 0, NULL);

		assert_non_null(j);
		series_init(&s);
		assert_true(series_from_json(&s, j, "x.json", &err) < 0);
		assert_string_equal(err_text(&err), bad[i].sentence);
		err_release(&err);
		series_release(&s);
		json_decref(j);
	}
}

static void vocabulary_round_trips(void **state)
{
	for (int i = 0; i < DIST_NR; i++)
		assert_int_equal(distance_by_name(distance_name(i)), i);
	for (int i = 0; i < REASON_NR; i++)
		assert_int_equal(reason_by_name(reason_name(i)), i);
	for (int i = 0; i < CPU_MODE_NR; i++)
		assert_int_equal(cpu_mode_by_name(cpu_mode_name(i)), i);
	assert_int_equal(reason_by_name("no such reason"), -1);
	assert_string_equal(distance_name((enum distance)77), "invalid");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_a_set),
		cmocka_unit_test(declared_is_not_zero_measured),
		cmocka_unit_test(many_entries_and_early_stop),
		cmocka_unit_test(json_round_trip),
		cmocka_unit_test(bad_json_is_refused_with_a_place),
		cmocka_unit_test(vocabulary_round_trips),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
