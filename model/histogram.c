// SPDX-License-Identifier: GPL-2.0-or-later
/* Log-linear histograms: the formula is in histogram.h. */
#include "schedblame/histogram.h"

#include <errno.h>
#include <string.h>

void histogram_clear(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
}

static uint64_t add_sat(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

void histogram_add_n(struct histogram *h, uint64_t value, uint64_t n)
{
	uint64_t product;

	if (!n)
		return;
	if (__builtin_mul_overflow(value, n, &product))
		product = UINT64_MAX;
	h->bucket[hist_index(value)] += n;
	h->count += n;
	h->sum = add_sat(h->sum, product);
	if (value > h->max)
		h->max = value;
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		h->bucket[i] += other->bucket[i];
	h->count += other->count;
	h->sum = add_sat(h->sum, other->sum);
	if (other->max > h->max)
		h->max = other->max;
}

uint64_t histogram_lower(unsigned i)
{
	if (i < HIST_SUB)
		return i;
	return (uint64_t)(HIST_SUB + i % HIST_SUB) << (i / HIST_SUB - 1);
}

uint64_t histogram_upper(unsigned i)
{
	return i + 1 < HIST_BUCKETS ? histogram_lower(i + 1) : UINT64_MAX;
}

double histogram_percentile(const struct histogram *h, double p)
{
	double want = p * (double)h->count, seen = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		double n = (double)h->bucket[i], v;

		if (!h->bucket[i] || seen + n < want) {
			seen += n;
			continue;
		}
		/* a bucket of width 1 holds one exact value */
		v = (double)histogram_lower(i);
		if (histogram_upper(i) - histogram_lower(i) > 1)
			v += (double)(histogram_upper(i) - histogram_lower(i)) *
			     (want - seen) / n;
		return h->max && v > (double)h->max ? (double)h->max : v;
	}
	return (double)h->max;
}

double histogram_mean(const struct histogram *h)
{
	return h->count ? (double)h->sum / (double)h->count : 0;
}

double histogram_below(const struct histogram *h, uint64_t limit)
{
	double n = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		uint64_t lo = histogram_lower(i), hi = histogram_upper(i);

		if (hi <= limit)
			n += (double)h->bucket[i];
		else if (lo < limit)
			n += (double)h->bucket[i] * (double)(limit - lo) /
			     (double)(hi - lo);
		else
			break;
	}
	return n;
}

/* Row of a scaled value: 0 -> 0, [2^(r-1), 2^r) -> r. */
static unsigned row_of(uint64_t v)
{
	return v ? hist_log2(v) + 1 : 0;
}

void histogram_log2(const struct histogram *h, uint64_t div, uint64_t rows[65])
{
	memset(rows, 0, 65 * sizeof(*rows));
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		uint64_t n = h->bucket[i], lo, hi;

		if (!n)
			continue;
		lo = histogram_lower(i) / div;
		hi = (histogram_upper(i) - 1) / div;
		if (row_of(lo) == row_of(hi)) {
			rows[row_of(lo)] += n;
			continue;
		}
		/* the border inside the bucket is 2^row(lo) * div (1 * div for 0) */
		uint64_t border = (lo ? 1ULL << row_of(lo) : 1) * div;
		uint64_t width = histogram_upper(i) - histogram_lower(i);
		uint64_t below = (uint64_t)((double)n *
					    (double)(border - histogram_lower(i)) /
					    (double)width + 0.5);

		if (below > n)
			below = n;
		rows[row_of(lo)] += below;
		rows[row_of(lo) + 1] += n - below;
	}
}

/* 2^10 as 1K, as bpftrace does. */
static void add_power(struct strbuf *sb, unsigned power)
{
	static const char suffix[] = { 0, 'K', 'M', 'G', 'T', 'P', 'E' };

	strbuf_addf(sb, "%llu", 1ULL << power % 10);
	if (power >= 10)
		strbuf_addch(sb, suffix[power / 10]);
}

void histogram_row_label(struct strbuf *sb, unsigned row)
{
	if (row < 2) {
		strbuf_addf(sb, "[%u]", row);
		return;
	}
	strbuf_addch(sb, '[');
	add_power(sb, row - 1);
	strbuf_addstr(sb, ", ");
	add_power(sb, row);
	strbuf_addch(sb, ')');
}

void histogram_print(const struct histogram *h, struct strbuf *sb, const char *prefix,
		     uint64_t div, int width)
{
	uint64_t rows[65], top = 0;
	unsigned first = 65, last = 0;
	/* label 16, count 9 (more when needed), blanks and bars */
	int bar = width - (int)strlen(prefix) - 16 - 9 - 3;

	if (bar < 8)
		bar = 8;
	if (bar > 52)
		bar = 52;
	histogram_log2(h, div, rows);
	for (unsigned r = 0; r < 65; r++) {
		if (!rows[r])
			continue;
		if (first == 65)
			first = r;
		last = r;
		if (rows[r] > top)
			top = rows[r];
	}
	for (unsigned r = first; r <= last && first < 65; r++) {
		size_t start;
		int fill = (int)((double)rows[r] / (double)top * bar);

		strbuf_addstr(sb, prefix);
		start = sb->len;
		histogram_row_label(sb, r);
		strbuf_addchn(sb, ' ', sb->len - start < 16 ? 16 - (sb->len - start) : 0);
		strbuf_addf(sb, "%9llu |", (unsigned long long)rows[r]);
		strbuf_addchn(sb, '@', (size_t)fill);
		strbuf_addchn(sb, ' ', (size_t)(bar - fill));
		strbuf_addstr(sb, "|\n");
	}
}

json_t *histogram_to_json(const struct histogram *h)
{
	json_t *buckets = json_array();

	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		if (h->bucket[i])
			json_array_append_new(buckets,
					      json_pack("[i,I]", (int)i,
							(json_int_t)h->bucket[i]));
	return json_pack("{s:I,s:I,s:I,s:o}", "count", (json_int_t)h->count, "sum",
			 (json_int_t)(h->sum > INT64_MAX ? INT64_MAX : h->sum), "max",
			 (json_int_t)(h->max > INT64_MAX ? INT64_MAX : h->max), "buckets",
			 buckets);
}

int histogram_from_json(struct histogram *h, const json_t *obj, struct err *err)
{
	const json_t *buckets = json_object_get(obj, "buckets"), *pair;
	uint64_t total = 0;
	size_t i;

	histogram_clear(h);
	h->sum = json_u64(obj, "sum", 0);
	h->max = json_u64(obj, "max", 0);
	if (!json_is_array(buckets))
		return err_set(err, EINVAL, "a histogram has no list of buckets");
	json_array_foreach(buckets, i, pair) {
		const json_t *index = json_array_get(pair, 0), *n = json_array_get(pair, 1);

		if (!json_is_integer(index) || !json_is_integer(n) ||
		    json_integer_value(index) < 0 ||
		    json_integer_value(index) >= HIST_BUCKETS ||
		    json_integer_value(n) < 0 ||
		    (uint64_t)json_integer_value(n) > INT64_MAX - total)
			return err_set(err, EINVAL,
				       "bucket %zu of a histogram is not [index below %d, "
				       "count]", i, HIST_BUCKETS);
		h->bucket[json_integer_value(index)] += (uint64_t)json_integer_value(n);
		total += (uint64_t)json_integer_value(n);
	}
	h->count = total;
	if (json_u64(obj, "count", total) != total)
		return err_set(err, EINVAL,
			       "a histogram says it holds %llu values but its buckets sum "
			       "to %llu", (unsigned long long)json_u64(obj, "count", 0),
			       (unsigned long long)total);
	return 0;
}
