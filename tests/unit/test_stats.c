// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "schedblame/stats.h"

#define NEAR(got, want, eps) assert_true(fabs((got) - (want)) <= (eps))

/* Student's sleep data (1908), extra hours of groups 1 and 2; the numbers are
 * those R prints for t.test() and wilcox.test() on them. */
static const double sleep1[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };
static const double sleep2[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 };

static void summary(void **state)
{
	struct stats_summary s;

	stats_summarise(&s, sleep1, 10, 0.95);
	NEAR(s.mean, 0.75, 1e-12);
	NEAR(s.std1, 1.789010, 1e-6);
	NEAR(s.std0, 1.697203, 1e-6);
	NEAR(s.ci_low, -0.5297804, 1e-6);
	NEAR(s.ci_high, 2.0297804, 1e-6);
	NEAR(s.median, 0.35, 1e-12);
	stats_summarise(&s, sleep1, 1, 0.95);
	assert_true(isnan(s.std1) && isnan(s.ci_low) && s.std0 == 0);
}

static void welch_and_ranks(void **state)
{
	NEAR(stats_welch_p(sleep1, 10, sleep2, 10), 0.07939414, 1e-7);
	NEAR(stats_mann_whitney_p(sleep1, 10, sleep2, 10), 0.06932758, 1e-6);
}

static void exact_ranks_without_ties(void **state)
{
	static const double a[] = { 1, 2, 3, 4, 7 }, b[] = { 5, 6, 8, 9, 10, 11 };

	/* U = 2; P(U <= 2) = (1 + 1 + 2) / C(11,5) */
	NEAR(stats_mann_whitney_p(a, 5, b, 6), 2 * 4 / 462.0, 1e-12);
	NEAR(stats_mann_whitney_p(b, 6, a, 5), 2 * 4 / 462.0, 1e-12);
}

static void permutations(void **state)
{
	static const double a[] = { 1, 2, 3, 4 }, b[] = { 5, 6, 7, 8 };
	static const double c[] = { 1, 1, 1 };

	NEAR(stats_permutation_p(a, 4, b, 4), 2 / 70.0, 1e-12);
	NEAR(stats_permutation_p(a, 3, b, 3), 0.1, 1e-12);
	NEAR(stats_permutation_p(c, 3, c, 3), 1, 1e-12);
	NEAR(stats_smallest_p(3, 3), 0.1, 1e-12);
	NEAR(stats_smallest_p(4, 4), 2 / 70.0, 1e-12);
	NEAR(stats_smallest_p(1, 1), 1, 1e-12);
	assert_true(isnan(stats_permutation_p(sleep1, 0, sleep2, 3)));
}

static void benjamini_hochberg(void **state)
{
	/* p.adjust(c(.01,.04,.03,.5), "BH") */
	double p[] = { 0.01, 0.04, NAN, 0.03, 0.5 };

	stats_bh(p, p, 5);
	NEAR(p[0], 0.04, 1e-12);
	NEAR(p[1], 0.05333333, 1e-8);
	assert_true(isnan(p[2]));
	NEAR(p[3], 0.05333333, 1e-8);
	NEAR(p[4], 0.5, 1e-12);
}

static void rates(void **state)
{
	struct stats_rate r;

	/* poisson.test(c(11, 6+8+7), c(800, 1083+1050+878)), ratio A to B 1.971488,
	 * CI 0.8591 .. 4.2774 by R; ours is B over A, and p doubles the tail. */
	stats_rate_ratio(&r, 11, 800, 21, 3011, 0.95);
	NEAR(r.ratio, 1 / 1.971488, 1e-6);
	NEAR(1 / r.high, 0.8591, 6e-3);
	NEAR(1 / r.low, 4.2774, 6e-3);
	stats_rate_ratio(&r, 0, 1, 5, 1, 0.95);
	assert_true(isinf(r.ratio) && isinf(r.high));
	NEAR(r.p, 2 / 32.0, 1e-12);
	stats_rate_ratio(&r, 1000000, 1, 1000000, 1, 0.95);
	NEAR(r.p, 1, 1e-6);
	stats_rate_ratio(&r, 0, 1, 0, 1, 0.95);
	assert_true(isnan(r.p));
}

static enum verdict judge(const double *a, const double *b, size_t n, char *why)
{
	struct stats_comparison c;
	struct strbuf sb = STRBUF_INIT;
	enum verdict v;

	stats_compare(&c, a, n, b, n, &stats_default_limits);
	v = stats_judge(&c, c.p, true, &stats_default_limits);
	stats_reason(&sb, &c, c.p, true, &stats_default_limits);
	strcpy(why, sb.buf);
	strbuf_release(&sb);
	return v;
}

static void verdicts_say_only_what_the_data_carry(void **state)
{
	static const double a[] = { 100, 100.4, 99.7, 100, 100.3 };
	static const double up[] = { 120, 121, 119, 120, 120.5 };
	static const double same[] = { 100.1, 100.4, 99.8, 99.9, 100.4 };
	static const double wild[] = { 60, 150, 99, 140, 80 };
	char why[200];

	assert_int_equal(judge(a, up, 5, why), VERDICT_BETTER);
	assert_string_equal(why, "");
	assert_int_equal(judge(up, a, 5, why), VERDICT_WORSE);
	assert_int_equal(judge(a, same, 5, why), VERDICT_NO_DIFFERENCE);
	assert_int_equal(judge(a, wild, 5, why), VERDICT_CANNOT_TELL);
	assert_non_null(strstr(why, "the change lies between "));
	assert_int_equal(judge(a, up, 3, why), VERDICT_CANNOT_TELL);
	assert_string_equal(why, "n=3 a side can reach p=0.10 at best");
}

static void ratio_on_logs(void **state)
{
	static const double a[] = { 10, 20, 40, 80 }, b[] = { 20, 40, 80, 160 };
	struct stats_comparison c;

	stats_compare(&c, a, 4, b, 4, &stats_default_limits);
	NEAR(c.ratio, 2, 1e-12);
	/* df 6, se = sqrt(2 * var / 4) of log values, t(0.975, 6) = 2.446912 */
	NEAR(log(c.high), log(2) + 2.446912 * log(2) * sqrt(5 / 3.0 / 2), 1e-5);
	assert_true(c.on_logs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summary),
		cmocka_unit_test(welch_and_ranks),
		cmocka_unit_test(exact_ranks_without_ties),
		cmocka_unit_test(permutations),
		cmocka_unit_test(benjamini_hochberg),
		cmocka_unit_test(rates),
		cmocka_unit_test(verdicts_say_only_what_the_data_carry),
		cmocka_unit_test(ratio_on_logs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
