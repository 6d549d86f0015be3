// SPDX-License-Identifier: GPL-2.0-or-later
#include "cm.h"

#include "schedblame/histogram.h"

static void buckets_tile_the_line(void **state)
{
	for (unsigned i = 0; i + 1 < HIST_BUCKETS; i++) {
		assert_int_equal(hist_index(histogram_lower(i)), i);
		assert_int_equal(hist_index(histogram_upper(i) - 1), i);
		assert_int_equal(histogram_upper(i), histogram_lower(i + 1));
		if (i >= HIST_SUB)
			assert_true((histogram_upper(i) - histogram_lower(i)) * 16 <=
				    histogram_lower(i));
	}
	assert_int_equal(hist_index(UINT64_MAX), HIST_BUCKETS - 1);
	assert_int_equal(hist_index(0), 0);
}

/* A sorted list of the values is the truth. */
static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void percentiles_are_within_the_bound(void **state)
{
	enum { N = 20000 };
	static uint64_t v[N];
	static struct histogram h;

	srandom(1);
	for (int i = 0; i < N; i++) {
		v[i] = (uint64_t)random() >> (random() % 31);
		histogram_add(&h, v[i]);
	}
	qsort(v, N, sizeof(v[0]), compare);
	for (double p = 0.01; p < 1; p += 0.01) {
		double truth = (double)v[(int)(p * N)];
		double got = histogram_percentile(&h, p);

		assert_true(got >= truth * 0.9375 - 1 && got <= truth * 1.0625 + 1);
	}
	assert_true(histogram_percentile(&h, 1) <= (double)h.max);
	assert_int_equal(h.count, N);
}

static void log2_rows_keep_the_count(void **state)
{
	static struct histogram h;
	uint64_t rows[65], sum = 0;

	for (uint64_t v = 1; v < 5000000; v = v * 17 / 16 + 1)
		histogram_add_n(&h, v, 1000);
	histogram_log2(&h, 1000, rows);
	for (int i = 0; i < 65; i++)
		sum += rows[i];
	assert_int_equal(sum, h.count);
}

static void prints_like_bpftrace(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	static struct histogram h;

	histogram_add_n(&h, 0, 533);
	histogram_add_n(&h, 1, 5495);
	histogram_add_n(&h, 40, 14820255);
	histogram_add_n(&h, 1500, 927912);
	histogram_print(&h, &sb, "", 1, 80);
	assert_non_null(strstr(sb.buf, "[0]                   533 |"));
	assert_non_null(strstr(sb.buf, "[32, 64)         14820255 |@@@@@@@@@@"));
	assert_non_null(strstr(sb.buf, "[1K, 2K)           927912 |@@@ "));
	assert_non_null(strstr(sb.buf, "[8, 16)                 0 |  "));
	strbuf_release(&sb);
}

static void json_round_trip_and_lies(void **state)
{
	static struct histogram h, back;
	struct err err = ERR_INIT;
	json_t *j;

	histogram_add_n(&h, 12345, 7);
	histogram_add_n(&h, 3, 2);
	j = histogram_to_json(&h);
	assert_int_equal(histogram_from_json(&back, j, &err), 0);
	assert_memory_equal(&h, &back, sizeof(h));
	json_object_set_new(j, "count", json_integer(8));
	assert_int_equal(histogram_from_json(&back, j, &err), -22);
	assert_non_null(strstr(err_text(&err), "says it holds 8 values"));
	err_release(&err);
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_tile_the_line),
		cmocka_unit_test(percentiles_are_within_the_bound),
		cmocka_unit_test(log2_rows_keep_the_count),
		cmocka_unit_test(prints_like_bpftrace),
		cmocka_unit_test(json_round_trip_and_lies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
