// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers for people, and back; independent of the locale. */
#include "schedblame/units.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

/* printf of a double with a dot, whatever LC_NUMERIC says. */
static void print_dot(char *buf, size_t size, int decimals, double v)
{
	const char *point = localeconv()->decimal_point;
	char *p;

	snprintf(buf, size, "%.*f", decimals, v);
	if (strcmp(point, ".") && *point && (p = strstr(buf, point))) {
		*p = '.';
		memmove(p + 1, p + strlen(point), strlen(p + strlen(point)) + 1);
	}
}

/* Decimals that leave three significant digits. */
static int three_digits(double v)
{
	v = fabs(v);
	if (v >= 99.95)
		return 0;
	return v >= 9.995 ? 1 : 2;
}

/* v in units of step^i with suffix[i]; the unscaled form has no decimals. */
static char *scaled(char *buf, size_t size, double v, double step,
		    const char *const *suffix, size_t n)
{
	size_t i = 0;
	char num[64];

	while (i + 1 < n && fabs(v) >= step * 0.9995) {
		v /= step;
		i++;
	}
	print_dot(num, sizeof(num), i ? three_digits(v) : 0, v);
	snprintf(buf, size, "%s%s", num, suffix[i]);
	return buf;
}

char *format_ns(char *buf, size_t size, uint64_t ns)
{
	static const char *const suffix[] = { " ns", " us", " ms", " s" };

	return scaled(buf, size, (double)ns, 1000, suffix, ARRAY_SIZE(suffix));
}

char *format_count(char *buf, size_t size, double v)
{
	static const char *const suffix[] = { "", "K", "M", "G", "T", "P" };

	return scaled(buf, size, v, 1000, suffix, ARRAY_SIZE(suffix));
}

char *format_bytes(char *buf, size_t size, uint64_t bytes)
{
	static const char *const suffix[] = { " B",   " KiB", " MiB",
					      " GiB", " TiB", " PiB" };

	return scaled(buf, size, (double)bytes, 1024, suffix, ARRAY_SIZE(suffix));
}

char *format_signed(char *buf, size_t size, double v, int decimals)
{
	char num[400];

	if (isnan(v)) {
		snprintf(buf, size, "n/a");
		return buf;
	}
	print_dot(num, sizeof(num), decimals, v);
	/* "-0.0" is noise */
	if (strtod_c(num, NULL) == 0)
		snprintf(buf, size, "%s", num[0] == '-' ? num + 1 : num);
	else
		snprintf(buf, size, "%s%s", v > 0 ? "+" : "", num);
	return buf;
}

static locale_t c_locale;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

double strtod_c(const char *s, char **end)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_c_locale);
	return c_locale ? strtod_l(s, end, c_locale) : strtod(s, end);
}

int parse_duration(uint64_t *ns, const char *s, struct err *err)
{
	static const struct {
		const char *suffix;
		double ns;
	} unit[] = { { "", 1e9 },  { "s", 1e9 },  { "ms", 1e6 }, { "us", 1e3 },
		     { "ns", 1 }, { "m", 60e9 }, { "h", 3600e9 } };
	char *end;
	double v = strtod_c(s, &end);

	while (end != s && isspace((unsigned char)*end))
		end++;
	if (end != s && isfinite(v) && v >= 0) {
		for (size_t i = 0; i < ARRAY_SIZE(unit); i++) {
			if (strcmp(end, unit[i].suffix))
				continue;
			if (v * unit[i].ns > 9e18)
				break;
			*ns = (uint64_t)(v * unit[i].ns + 0.5);
			return 0;
		}
	}
	return err_set(err, EINVAL,
		       "'%s' is not a duration; write a number with ns, us, ms, s, m "
		       "or h, as in 250ms",
		       s);
}

int parse_u64(uint64_t *v, const char *s, uint64_t min, uint64_t max,
	      const char *what, struct err *err)
{
	char *end;

	errno = 0;
	*v = strtoull(s, &end, 10);
	if (!isdigit((unsigned char)*s) || *end || errno || *v < min || *v > max)
		return err_set(err, EINVAL,
			       "%s '%s' is not a whole number from %llu to %llu", what, s,
			       (unsigned long long)min, (unsigned long long)max);
	return 0;
}
