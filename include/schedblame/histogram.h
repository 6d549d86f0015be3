/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log-linear histogram of unsigned 64-bit values, 16 sub-buckets per octave.
 *
 *	v < 16:		index = v			(exact)
 *	v >= 16:	e = floor(log2 v),
 *			index = (e - 3) * 16 + ((v >> (e - 4)) & 15)
 *
 * Bucket i >= 16 covers [ (16 + i % 16) << (i / 16 - 1), + 1 << (i / 16 - 1) ),
 * so its width is at most 1/16 of its lower bound: at most 6.25 % error for any
 * value read back, 3.2 % for the middle of the bucket. Merged by addition.
 *
 * The index is computed by the same function in BPF programs, in collect and in
 * analyze: this part of the header needs nothing but integer types.
 */
#ifndef SCHEDBLAME_HISTOGRAM_H
#define SCHEDBLAME_HISTOGRAM_H

#define HIST_SUB_BITS 4
#define HIST_SUB (1 << HIST_SUB_BITS)
/* e = 63 gives (63 - 3) * 16 + 15 */
#define HIST_BUCKETS 976

static inline unsigned int hist_log2(unsigned long long v)
{
#ifndef __bpf__
	return 63u - (unsigned int)__builtin_clzll(v | 1);
#else
	unsigned int r = 0, s;

	/* no clz: BPF of clang 14 has none; branch-free binary search */
	s = (v > 0xffffffffULL) << 5; v >>= s; r |= s;
	s = (v > 0xffffULL) << 4; v >>= s; r |= s;
	s = (v > 0xffULL) << 3; v >>= s; r |= s;
	s = (v > 0xfULL) << 2; v >>= s; r |= s;
	s = (v > 0x3ULL) << 1; v >>= s; r |= s;
	r |= (unsigned int)(v >> 1);
	return r;
#endif
}

static inline unsigned int hist_index(unsigned long long v)
{
	unsigned int e;

	if (v < HIST_SUB)
		return (unsigned int)v;
	e = hist_log2(v);
	return (e - HIST_SUB_BITS + 1) * HIST_SUB +
	       (unsigned int)((v >> (e - HIST_SUB_BITS)) & (HIST_SUB - 1));
}

#ifndef __bpf__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"
#include "schedblame/json.h"
#include "schedblame/strbuf.h"

/* A value: copy it, pass it, no release needed. count == sum of buckets. */
struct histogram {
	uint64_t count;
	uint64_t sum; /* of the values; saturates at UINT64_MAX */
	uint64_t max; /* exact where the recorder kept it, else a bucket's end */
	uint64_t bucket[HIST_BUCKETS];
};

void histogram_clear(struct histogram *h);
static inline void histogram_add(struct histogram *h, uint64_t value)
{
	h->bucket[hist_index(value)]++;
	h->count++;
	if (__builtin_add_overflow(h->sum, value, &h->sum))
		h->sum = UINT64_MAX;
	if (value > h->max)
		h->max = value;
}
void histogram_add_n(struct histogram *h, uint64_t value, uint64_t n);
void histogram_merge(struct histogram *h, const struct histogram *other);
/* Inclusive lower and exclusive upper bound of bucket i (UINT64_MAX at the end). */
uint64_t histogram_lower(unsigned i);
uint64_t histogram_upper(unsigned i);
/*
 * The value below which the fraction p (0..1) of all values lies; linear
 * inside the bucket, never above max. 0 for an empty histogram.
 */
double histogram_percentile(const struct histogram *h, double p);
double histogram_mean(const struct histogram *h);
/* Number of values < limit; the bucket that holds limit counts in proportion. */
double histogram_below(const struct histogram *h, uint64_t limit);

/*
 * log2 rows as bpftrace prints them, first to last non-empty row:
 *	"[16, 32)       12357398 |@@@@@        |"
 * div scales values before they are sorted into rows (1000: ns shown as us);
 * rows [0] and [1] exist as in bpftrace. width: columns of the whole line,
 * at least 44. Each line begins with prefix. Nothing for an empty histogram.
 */
void histogram_print(const struct histogram *h, struct strbuf *sb,
		     const char *prefix, uint64_t div, int width);
/* The same rows as numbers: row r holds values v / div in [2^(r-1), 2^r),
 * row 0 holds 0. rows[0..64]. A bucket that spans a border is split evenly. */
void histogram_log2(const struct histogram *h, uint64_t div, uint64_t rows[65]);
/* Appends the label of such a row as bpftrace has it: "[0]", "[16, 32)", "[1K, 2K)". */
void histogram_row_label(struct strbuf *sb, unsigned row);

/* {"count":..,"sum":..,"max":..,"buckets":[[index,count],...]} */
json_t *histogram_to_json(const struct histogram *h);
/* Checks indexes, counts and that count equals the sum of buckets. */
int histogram_from_json(struct histogram *h, const json_t *obj, struct err *err);
#endif /* __bpf__ */
#endif
