// SPDX-License-Identifier: GPL-2.0-or-later
/* Comparisons of sets built in memory: every number can be checked by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/comparability.h"
#include "schedblame/compare.h"

#define RUNS 5
static void near(double a, double b)
{
	if (fabs(a - b) > 1e-9 * fmax(1, fabs(b)))
		fail_msg("%.12g is not %.12g", a, b);
}

/* A set whose numbers are those of the base times scale; repeats differ by 1 %. */
struct fixture {
	struct run_set set;
	struct run run[RUNS];
};

static void add_moves(struct run *run, const char *reason, const char *from,
		      const char *to, const char *distance, uint64_t n, uint64_t age_ns)
{
	series_add(&run->series, "migrations",
		   LABELS("reason", reason, "from_node", from, "to_node", to, "distance",
			  distance), n);
	histogram_add_n(series_hist(&run->series, "since_last_ran",
				    LABELS("reason", reason, "distance", distance)),
			age_ns, n);
}

static void fill_run(struct run *run, double scale, size_t i)
{
	double k = scale * (1 + 0.01 * (double)i);
	static const struct metric none;

	memset(run, 0, sizeof(*run));
	run->path = run->label = xstrdup("run");
	run->kernel_release = run->kernel_version = run->machine_name = run->boot_id =
		run->command = xstrdup("");
	run->work_unit = xstrdup("loops");
	run->complete = true;
	run->duration_ns = 10 * 1000000000ULL;
	run->work = 1000;
	topology_init(&run->topology);
	assert_int_equal(topology_load(&run->topology, "node:2 core:2 pu:1", NULL), 0);
	series_init(&run->series);
	run->metric = xcalloc(1, sizeof(*run->metric));
	run->metric[0] = none;
	run->metric[0].name = xstrdup("time");
	run->metric[0].unit = xstrdup("s");
	run->metric[0].workload = xstrdup("loop");
	run->metric[0].value = 10 * k;
	run->nr_metrics = 1;
	series_add(&run->series, "switches", LABELS("kind", "voluntary"),
		   (uint64_t)(50000 * k));
	series_add(&run->series, "cpu_time", LABELS("cpu", "0", "mode", "user"), 3000000000);
	series_add(&run->series, "cpu_time", LABELS("cpu", "0", "mode", "idle"), 1000000000);
	/* 75 of 100 below 500 us */
	add_moves(run, "steal_newidle", "0", "1", "remote", (uint64_t)(1000 * k), 100000);
	add_moves(run, "wakeup", "0", "0", "llc", (uint64_t)(2000 * k), 100000);
	add_moves(run, "wakeup", "1", "1", "llc", (uint64_t)(1000 * k), 900000);
	histogram_add_n(series_hist(&run->series, "wakeup_latency", LABELS("distance", "llc")),
			40000, 100);
	histogram_add_n(series_hist(&run->series, "function_latency",
				    LABELS("function", "select_idle_cpu", "via", "inlined")),
			(uint64_t)(9000 * scale), 1000);
}

static void make(struct fixture *f, const char *label, double scale, size_t n)
{
	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < n; i++)
		fill_run(&f->run[i], scale, i);
	f->set = (struct run_set){ .path = (char *)label, .label = (char *)label,
				   .run = f->run, .n = n };
}

static void drop(struct fixture *f)
{
	for (size_t i = 0; i < f->set.n; i++) {
		struct run *run = &f->run[i];

		free(run->path);
		free(run->command);
		free(run->work_unit);
		free(run->metric[0].name);
		free(run->metric[0].unit);
		free(run->metric[0].workload);
		free(run->metric);
		for (size_t j = 0; j < run->nr_facts; j++)
			free(run->fact[j].value);
		free(run->fact);
		topology_release(&run->topology);
		series_release(&run->series);
	}
}

static const struct compare_row *row(const struct comparison *c, const char *key)
{
	const struct compare_row *r = comparison_row(c, key);

	if (!r)
		fail_msg("there is no row %s", key);
	return r;
}

static void numbers_of_one_run(void **state)
{
	struct comparison c;
	struct fixture a;
	const struct run_set *sets[] = { &a.set };

	make(&a, "a", 1, 1);
	comparison_make(&c, sets, 1, NULL);
	near(row(&c, "benchmark.loop.time")->cell[0].sum.mean, 10);
	near(row(&c, "cpu.user")->cell[0].sum.mean, 75);
	near(row(&c, "cpu.user.work")->cell[0].sum.mean, 3000);
	near(row(&c, "rates.switches")->cell[0].sum.mean, 5000);
	near(row(&c, "rates.switches.work")->cell[0].sum.mean, 50);
	near(row(&c, "rates.migrations")->cell[0].sum.mean, 400);
	near(row(&c, "rates.migrations.remote")->cell[0].sum.mean, 100);
	near(row(&c, "migrations.wakeup.llc")->cell[0].sum.mean, 300);
	near(row(&c, "hot.all.share")->cell[0].sum.mean, 75);
	near(row(&c, "hot.all.per_second")->cell[0].sum.mean, 300);
	near(row(&c, "hot.steal_newidle.share")->cell[0].sum.mean, 100);
	near(row(&c, "functions.select_idle_cpu.calls")->cell[0].sum.mean, 100);
	assert_true(fabs(row(&c, "waits.wakeup_latency.p50")->cell[0].sum.mean / 40 - 1) <
		    0.0625);
	/* what was not measured is no row */
	assert_null(comparison_row(&c, "waits.preemption_wait.p50"));
	assert_null(comparison_row(&c, "cpu.iowait"));
	assert_null(comparison_row(&c, "rates.ctxt"));
	assert_int_equal(c.matrix[0].nr_nodes, 2);
	near(c.matrix[0].rate[1], 100);
	near(c.matrix[0].steal[1], 100);
	near(c.matrix[0].steal[0], 0);
	assert_non_null(strstr(c.threshold[0].source, "default migration_cost_ns, 500 us"));
	comparison_release(&c);
	drop(&a);
}

static void changes_have_their_sign(void **state)
{
	struct comparison c;
	struct fixture a, b;
	const struct run_set *sets[] = { &a.set, &b.set };
	const struct compare_row *r;

	make(&a, "a", 1, RUNS);
	make(&b, "b", 1.2, RUNS);
	comparison_make(&c, sets, 2, NULL);
	r = row(&c, "benchmark.loop.time"); /* lower is better: 20 % worse */
	near(compare_change(r, 1), -20);
	near(compare_difference(r, 1), 2.04);
	assert_int_equal(r->cell[1].verdict, VERDICT_WORSE);
	assert_true(r->cell[1].cmp.p < 0.01);
	r = row(&c, "rates.switches"); /* no direction: plain more */
	assert_true(fabs(compare_change(r, 1) - 20) < 0.01);
	assert_true(isnan(compare_change(r, 0)));
	/* std%, ddof 0: 0, 1, 2, 3, 4 % of 1 around 1.02 */
	near(compare_std_percent(&row(&c, "benchmark.loop.time")->cell[0]),
	     100 * 0.01 * sqrt(2) / 1.02);
	assert_null(comparison_caveat(&c));
	comparison_release(&c);
	drop(&a);
	drop(&b);
}

static void an_a_a_pair_differs_in_nothing(void **state)
{
	struct comparison c;
	struct fixture a, b;
	const struct run_set *sets[] = { &a.set, &b.set };

	make(&a, "a", 1, RUNS);
	make(&b, "b", 1, RUNS);
	comparison_make(&c, sets, 2, NULL);
	for (size_t i = 0; i < c.nr_rows; i++) {
		assert_int_not_equal(c.row[i].cell[1].verdict, VERDICT_BETTER);
		assert_int_not_equal(c.row[i].cell[1].verdict, VERDICT_WORSE);
	}
	comparison_release(&c);
	drop(&a);
	drop(&b);
}

static void few_repeats_decide_nothing(void **state)
{
	static const struct {
		size_t n;
		const char *part;
	} cases[] = { { 1, "with one run on a side" },
		      { 2, "n=2 a side can reach p=0.33 at best" },
		      { 3, "n=3 a side can reach p=0.10 at best" } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct comparison c;
		struct fixture a, b;
		const struct run_set *sets[] = { &a.set, &b.set };
		char *caveat;

		make(&b, "b", 3, cases[i].n);
		make(&a, "a", 1, cases[i].n);
		comparison_make(&c, sets, 2, NULL);
		caveat = comparison_caveat(&c);
		assert_non_null(caveat);
		if (!strstr(caveat, cases[i].part))
			fail_msg("%s", caveat);
		assert_int_equal(row(&c, "benchmark.loop.time")->cell[1].verdict,
				 VERDICT_CANNOT_TELL);
		free(caveat);
		comparison_release(&c);
		drop(&b);
		drop(&a);
	}
}

static void missing_numbers_are_not_zero(void **state)
{
	struct comparison c;
	struct fixture a, b;
	const struct run_set *sets[] = { &a.set, &b.set };
	const struct compare_row *r;

	make(&a, "a", 1, 2);
	make(&b, "b", 1, 2);
	series_add(&b.run[0].series, "numa", LABELS("event", "move"), 10);
	comparison_make(&c, sets, 2, NULL);
	r = row(&c, "numa.moves");
	assert_int_equal(r->cell[0].n, 0);
	assert_int_equal(r->cell[1].n, 1);
	assert_true(isnan(compare_change(r, 1)));
	comparison_release(&c);
	drop(&a);
	drop(&b);
}

static void thresholds_by_distance(void **state)
{
	struct hot_threshold hot = { .source = (char *)"measured" };
	struct compare_options options = { .hot = &hot };
	struct comparison c;
	struct fixture a;
	const struct run_set *sets[] = { &a.set };

	hot.ns[DIST_LLC] = 1000000; /* both wakeup moves are hot */
	hot.ns[DIST_REMOTE] = 50000; /* the steals are not */
	make(&a, "a", 1, 1);
	comparison_make(&c, sets, 1, &options);
	near(row(&c, "hot.llc.share")->cell[0].sum.mean, 100);
	/* measured, and none was hot: 0, not left out */
	near(row(&c, "hot.remote.share")->cell[0].sum.mean, 0);
	near(row(&c, "hot.all.share")->cell[0].sum.mean, 75);
	assert_string_equal(c.threshold[0].source, "measured");
	comparison_release(&c);
	drop(&a);
}

static void histograms_are_merged_over_runs(void **state)
{
	struct comparison c;
	struct fixture a, b;
	const struct run_set *sets[] = { &a.set, &b.set };
	const struct compare_hist *h = NULL;

	make(&a, "a", 1, 3);
	make(&b, "b", 1, 2);
	comparison_make(&c, sets, 2, NULL);
	for (size_t i = 0; i < c.nr_hists; i++)
		if (!strcmp(c.hist[i].key, "function.select_idle_cpu"))
			h = &c.hist[i];
	assert_non_null(h);
	assert_int_equal(h->side[0]->count, 3000);
	assert_int_equal(h->side[1]->count, 2000);
	assert_string_equal(h->via, "inlined");
	comparison_release(&c);
	drop(&a);
	drop(&b);
}

static void fact(struct fixture *f, const char *key, const char *value)
{
	for (size_t i = 0; i < f->set.n; i++) {
		struct run *run = &f->run[i];

		run->fact = xrealloc(run->fact, run->nr_facts + 1, sizeof(*run->fact));
		run->fact[run->nr_facts++] =
			(struct host_fact){ (char *)key, xstrdup(value) };
	}
}

static void facts_are_judged_by_rules(void **state)
{
	static const struct {
		const char *key, *a, *b;
		int level; /* -1: no difference */
	} cases[] = {
		{ "release", "6.1", "6.12", DIFFER_EXPECTED },
		{ "cpu.governor", "performance", "powersave", DIFFER_SERIOUS },
		{ "cpu.microcode", "0x1", "0x2", DIFFER_NOTED },
		{ "mitigations.meltdown", "Mitigation: PTI", "Vulnerable", DIFFER_SERIOUS },
		{ "mem.total_kb", "1000000", "1000100", -1 },
		{ "mem.total_kb", "1000000", "2000000", DIFFER_SERIOUS },
		{ "boot_id", "1", "2", -1 },
		{ "config.HZ", "250", "1000", DIFFER_SERIOUS },
		{ "config.HZ_250", "y", "n", -1 },
		{ "config.KASAN", "n", "y", DIFFER_SERIOUS },
		{ "config.NUMA", "y", "n", DIFFER_NOTED },
		{ "config.DEBUG_INFO_BTF", "y", "n", -1 },
		{ "config.LOCALVERSION", "-a", "-b", -1 },
		{ "config.FOO", "n", "", -1 },
		{ "cmdline", "BOOT_IMAGE=a quiet", "BOOT_IMAGE=b quiet", -1 },
		{ "cmdline", "quiet", "quiet mitigations=off", DIFFER_NOTED },
		{ "sched.nr_migrate", "32", "8", DIFFER_NOTED },
		{ "something.new", "1", "2", DIFFER_NOTED },
		{ "same", "1", "1", -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct comparability c;
		struct fixture a, b;
		const struct run_set *sets[] = { &a.set, &b.set };

		make(&a, "a", 1, 1);
		make(&b, "b", 1, 1);
		fact(&a, cases[i].key, cases[i].a);
		fact(&b, cases[i].key, cases[i].b);
		comparability_check(&c, sets, 2);
		if (c.n != (cases[i].level >= 0))
			fail_msg("%s: %zu differences", cases[i].key, c.n);
		if (c.n && (int)c.v[0].level != cases[i].level)
			fail_msg("%s: level %d", cases[i].key, (int)c.v[0].level);
		comparability_release(&c);
		drop(&a);
		drop(&b);
	}
}

static void mixed_sets_are_noted(void **state)
{
	struct comparability c;
	struct fixture a;
	const struct run_set *sets[] = { &a.set };

	make(&a, "a", 1, 3);
	fact(&a, "release", "6.1");
	free(a.run[2].fact[0].value);
	a.run[2].fact[0].value = xstrdup("6.12");
	a.run[1].complete = false;
	a.run[2].exit_status = 3;
	comparability_check(&c, sets, 1);
	assert_int_equal(c.notes.n, 3);
	assert_non_null(strstr(c.notes.v[0], "a mixes runs: release is '6.1'"));
	assert_non_null(strstr(c.notes.v[1], "1 of 3 runs were cut short"));
	assert_non_null(strstr(c.notes.v[2], "failed in 1 of 3 runs"));
	comparability_release(&c);
	drop(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_one_run),
		cmocka_unit_test(changes_have_their_sign),
		cmocka_unit_test(an_a_a_pair_differs_in_nothing),
		cmocka_unit_test(few_repeats_decide_nothing),
		cmocka_unit_test(missing_numbers_are_not_zero),
		cmocka_unit_test(thresholds_by_distance),
		cmocka_unit_test(histograms_are_merged_over_runs),
		cmocka_unit_test(facts_are_judged_by_rules),
		cmocka_unit_test(mixed_sets_are_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
