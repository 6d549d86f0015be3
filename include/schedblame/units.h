/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for people, and back. All formatters are locale independent (a dot
 * is a dot) and write at most size bytes including the NUL; they return buf.
 */
#ifndef SCHEDBLAME_UNITS_H
#define SCHEDBLAME_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "schedblame/err.h"

#define NSEC_PER_USEC 1000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC 1000000000ULL

/* 950 ns, 12.3 us, 4.56 ms, 1.23 s: three digits that count. */
char *format_ns(char *buf, size_t size, uint64_t ns);
/* 950, 12.3K, 4.56M (powers of 1000). Negative allowed. */
char *format_count(char *buf, size_t size, double v);
/* 950, 12.3 KiB, ... (powers of 1024). */
char *format_bytes(char *buf, size_t size, uint64_t bytes);
/* +12.3 or -0.4, "0.0" for zero; NaN gives "n/a". */
char *format_signed(char *buf, size_t size, double v, int decimals);

/* "10", "10s", "250ms", "3us", "5ns", "2m", "1h" -> ns; bare numbers are
 * seconds and may have a fraction. */
int parse_duration(uint64_t *ns, const char *s, struct err *err);
/* Whole decimal number in [min, max]; what names it in the sentence. */
int parse_u64(uint64_t *v, const char *s, uint64_t min, uint64_t max,
	      const char *what, struct err *err);
/* Decimal floating point, dot as separator in every locale; end as strtod. */
double strtod_c(const char *s, char **end);

#endif
