// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/profdiff.h"

#define NEAR(got, want, eps) assert_true(fabs((got) - (want)) <= (eps))

struct line {
	const char *name, *module;
	uint64_t ticks;
};

static struct profile *profile_of(const struct line *line, double period)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	profile_init(p);
	profile_set(&p->unit, "ns");
	for (; line->name; line++)
		profile_add(p, profile_symbol(p, line->name, line->module, NULL, SPACE_KERNEL),
			    line->ticks, (double)line->ticks * period);
	return p;
}

static void drop(struct profile *p)
{
	profile_release(p);
	free(p);
}

static const struct profdiff_row *row(const struct profdiff *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->row[i].name, name))
			return &d->row[i];
	return NULL;
}

static int make(struct profdiff *d, struct profile **a, size_t na, struct profile **b,
		size_t nb, const struct profdiff_options *o)
{
	struct err err = ERR_INIT;
	struct profdiff_side side[2] = {
		{ "A", (const struct profile *const *)a, na, NULL },
		{ "B", (const struct profile *const *)b, nb, NULL },
	};
	int ret = profdiff_make(d, side, 2, o, &err);

	err_release(&err);
	return ret;
}

static void functions_are_matched_across_kernels(void **state)
{
	static const struct line old[] = {
		{ "load_balance", "", 100 }, { "finish_task_switch.isra.0", "", 50 },
		{ "ext4_find", "", 30 }, { "schedule", "", 7 }, { "__schedule", "", 70 },
		{ "default_idle", "", 5000 }, { "f", "m1", 20 }, { "f", "m2", 40 }, { 0 },
	};
	static const struct line now[] = {
		{ "sched_balance_rq", "", 150 }, { "finish_task_switch", "", 40 },
		{ "finish_task_switch.cold", "", 5 }, { "ext4_find", "ext4", 31 },
		{ "schedule", "", 8 }, { "__schedule", "", 75 }, { "f", "m1", 25 },
		{ "f", "m2", 40 }, { 0 },
	};
	struct profile *a = profile_of(old, 10), *b = profile_of(now, 10);
	const struct profdiff_row *r;
	struct profdiff d;

	assert_int_equal(make(&d, &a, 1, &b, 1, NULL), 0);
	r = row(&d, "load_balance -> sched_balance_rq");
	assert_non_null(r);
	assert_true(r->renamed);
	NEAR(r->cell[1].change, 50, 1e-9);
	NEAR(row(&d, "finish_task_switch")->cell[1].change, -5, 1e-9);
	NEAR(row(&d, "ext4_find")->cell[1].change, 1, 1e-9);
	NEAR(row(&d, "schedule")->cell[1].change, 1, 1e-9);
	NEAR(row(&d, "__schedule")->cell[1].change, 5, 1e-9);
	assert_null(row(&d, "default_idle"));
	assert_int_equal(d.n, 7);
	NEAR(d.idle[0], 5000, 1e-9);
	assert_true(d.sampling_only);
	profdiff_release(&d);
	drop(a);
	drop(b);
}

static void shares_ignore_idle_and_periods_are_weighed(void **state)
{
	static const struct line x[] = { { "f", "", 10 }, { "g", "", 30 },
					 { "intel_idle", "", 960 }, { 0 } };
	static const struct line y[] = { { "f", "", 40 }, { "g", "", 60 }, { 0 } };
	struct profdiff_options o = profdiff_default_options;
	struct profile *a = profile_of(x, 100), *b = profile_of(y, 50);
	struct profdiff d;

	o.norm = NORM_SHARE;
	assert_int_equal(make(&d, &a, 1, &b, 1, &o), 0);
	NEAR(row(&d, "f")->cell[0].value, 25, 1e-9);
	NEAR(row(&d, "f")->cell[1].value, 40, 1e-9);
	NEAR(row(&d, "f")->cell[1].change, 15, 1e-9);
	profdiff_release(&d);
	/* half the period: a tick of B is worth half of A's */
	o.norm = NORM_TICKS;
	assert_int_equal(make(&d, &a, 1, &b, 1, &o), 0);
	NEAR(row(&d, "g")->cell[0].value / row(&d, "g")->cell[1].value, 1, 1e-9);
	profdiff_release(&d);
	drop(a);
	drop(b);
}

static void repeats_are_averaged_and_tested(void **state)
{
	struct profile *p[8];
	struct profdiff d;

	for (int i = 0; i < 8; i++) {
		struct line line[62];
		char names[60][16];

		for (int j = 0; j < 60; j++) {
			unsigned noise = (unsigned)(i * 7919 + j * 104729) % 41;

			snprintf(names[j], sizeof(names[j]), "f%d", j);
			line[j] = (struct line){ names[j], "", 480 + noise };
		}
		line[60] = (struct line){ "grown", "", 500 + (i > 3 ? 300 : 0) + i };
		line[61] = (struct line){ NULL, NULL, 0 };
		p[i] = profile_of(line, 1);
	}
	assert_int_equal(make(&d, p, 4, p + 4, 4, NULL), 0);
	assert_string_equal(d.row[0].name, "grown");
	assert_int_equal(d.row[0].cell[1].verdict, VERDICT_WORSE);
	NEAR(d.row[0].cell[1].ratio, 805.5 / 501.5, 1e-9);
	assert_true(d.row[0].cell[1].low > 1.4 && d.row[0].cell[1].high < 1.8);
	for (size_t i = 1; i < d.n; i++)
		assert_true(d.row[i].cell[1].q > 0.05);
	assert_false(d.sampling_only);
	NEAR(d.factor[1], 1, 0.02);
	profdiff_release(&d);
	for (int i = 0; i < 8; i++)
		drop(p[i]);
}

static void three_repeats_decide_nothing(void **state)
{
	static const struct line x[] = { { "f", "", 1000 }, { "g", "", 5000 }, { 0 } };
	static const struct line y[] = { { "f", "", 9000 }, { "g", "", 5000 }, { 0 } };
	struct profile *p[6];
	struct profdiff d;

	for (int i = 0; i < 6; i++)
		p[i] = profile_of(i < 3 ? x : y, 1);
	assert_int_equal(make(&d, p, 3, p + 3, 3, NULL), 0);
	assert_true(row(&d, "f")->cell[1].q < 0.05);
	assert_true(row(&d, "f")->cell[1].found);
	assert_int_equal(row(&d, "f")->cell[1].verdict, VERDICT_CANNOT_TELL);
	assert_false(profdiff_decides(&d, 1));
	profdiff_release(&d);
	for (int i = 0; i < 6; i++)
		drop(p[i]);
}

static void identical_inputs_do_not_differ(void **state)
{
	static const struct line x[] = { { "f", "", 10 }, { "g", "", 30 }, { 0 } };
	static const struct line none[] = { { 0 } };
	struct profile *a = profile_of(x, 3), *b = profile_of(x, 3);
	struct profile *e = profile_of(none, 1), *e2 = profile_of(none, 1);
	struct profdiff d;

	assert_int_equal(make(&d, &a, 1, &b, 1, NULL), 0);
	for (size_t i = 0; i < d.n; i++)
		assert_true(d.row[i].cell[1].change == 0);
	profdiff_release(&d);
	assert_int_equal(make(&d, &e, 1, &e2, 1, NULL), -61);
	assert_int_equal(make(&d, &a, 1, &e, 1, NULL), 0); /* all vanished */
	NEAR(row(&d, "g")->cell[1].change, -30, 1e-9);
	profdiff_release(&d);
	drop(a);
	drop(b);
	drop(e);
	drop(e2);
}

static void gone_and_new_are_paired_as_a_guess(void **state)
{
	static const struct line old[] = { { "old_scan_lists", "", 200 },
					   { "unrelated_thing", "", 90 }, { "f", "", 900 }, { 0 } };
	static const struct line now[] = { { "new_scan_lists", "", 210 },
					   { "quite_another", "", 400 }, { "f", "", 900 }, { 0 } };
	struct profdiff_options o = profdiff_default_options;
	struct profile *a = profile_of(old, 1), *b = profile_of(now, 1);
	struct profdiff d;

	o.guess = true;
	assert_int_equal(make(&d, &a, 1, &b, 1, &o), 0);
	assert_non_null(row(&d, "old_scan_lists -> new_scan_lists"));
	assert_true(row(&d, "old_scan_lists -> new_scan_lists")->guess);
	assert_non_null(row(&d, "unrelated_thing"));
	assert_non_null(row(&d, "quite_another"));
	profdiff_release(&d);
	drop(a);
	drop(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_matched_across_kernels),
		cmocka_unit_test(shares_ignore_idle_and_periods_are_weighed),
		cmocka_unit_test(repeats_are_averaged_and_tested),
		cmocka_unit_test(three_repeats_decide_nothing),
		cmocka_unit_test(identical_inputs_do_not_differ),
		cmocka_unit_test(gone_and_new_are_paired_as_a_guess),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
