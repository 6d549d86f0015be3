// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of CPUs and the kernel's list format. */
#include "schedblame/cpuset.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define WORD_BITS (8 * (unsigned)sizeof(unsigned long))

void cpuset_release(struct cpuset *set)
{
	free(set->bits);
	set->bits = NULL;
	set->nr = 0;
}

void cpuset_set(struct cpuset *set, unsigned cpu)
{
	if (cpu >= set->nr) {
		unsigned nr = (cpu / WORD_BITS + 1) * WORD_BITS;

		set->bits = xrealloc(set->bits, nr / WORD_BITS, sizeof(*set->bits));
		memset(set->bits + set->nr / WORD_BITS, 0, (nr - set->nr) / 8);
		set->nr = nr;
	}
	set->bits[cpu / WORD_BITS] |= 1UL << (cpu % WORD_BITS);
}

void cpuset_clear(struct cpuset *set, unsigned cpu)
{
	if (cpu < set->nr)
		set->bits[cpu / WORD_BITS] &= ~(1UL << (cpu % WORD_BITS));
}

bool cpuset_test(const struct cpuset *set, unsigned cpu)
{
	return cpu < set->nr && (set->bits[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1);
}

unsigned cpuset_count(const struct cpuset *set)
{
	unsigned n = 0;

	for (unsigned i = 0; i < set->nr / WORD_BITS; i++)
		n += (unsigned)__builtin_popcountl(set->bits[i]);
	return n;
}

int cpuset_next(const struct cpuset *set, unsigned from)
{
	for (; from < set->nr; from++)
		if (cpuset_test(set, from))
			return (int)from;
	return -1;
}

void cpuset_copy(struct cpuset *dst, const struct cpuset *src)
{
	if (dst == src)
		return;
	cpuset_release(dst);
	if (src->nr) {
		dst->bits = xcalloc(src->nr / WORD_BITS, sizeof(*dst->bits));
		memcpy(dst->bits, src->bits, src->nr / 8);
		dst->nr = src->nr;
	}
}

void cpuset_and(struct cpuset *dst, const struct cpuset *with)
{
	for (unsigned i = 0; i < dst->nr / WORD_BITS; i++)
		dst->bits[i] &= i < with->nr / WORD_BITS ? with->bits[i] : 0;
}

bool cpuset_equal(const struct cpuset *a, const struct cpuset *b)
{
	unsigned nr = a->nr > b->nr ? a->nr : b->nr;

	for (unsigned i = 0; i < nr; i++)
		if (cpuset_test(a, i) != cpuset_test(b, i))
			return false;
	return true;
}

static int bad_list(const char *list, const char *at, struct err *err)
{
	return err_set(err, EINVAL,
		       "'%s' is not a CPU list (at '%s'); write it as in 0-3,8", list, at);
}

static bool parse_number(const char **p, unsigned long *v)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*v = strtoul(*p, &end, 10);
	*p = end;
	return *v < CPUSET_MAX;
}

int cpuset_parse(struct cpuset *set, const char *list, struct err *err)
{
	const char *p = list;

	cpuset_release(set);
	while (isspace((unsigned char)*p))
		p++;
	while (*p) {
		unsigned long first, last, used = 1, stride = 1;
		const char *at = p;

		if (!parse_number(&p, &first))
			return bad_list(list, at, err);
		last = first;
		if (*p == '-') {
			p++;
			if (!parse_number(&p, &last) || last < first)
				return bad_list(list, at, err);
		}
		if (*p == ':') {
			p++;
			if (!parse_number(&p, &used) || *p++ != '/' ||
			    !parse_number(&p, &stride) || !used || used > stride)
				return bad_list(list, at, err);
		} else if (*p == '/') {
			p++;
			if (!parse_number(&p, &stride) || !stride)
				return bad_list(list, at, err);
		}
		for (unsigned long c = first; c <= last; c++)
			if ((c - first) % stride < used)
				cpuset_set(set, (unsigned)c);
		while (isspace((unsigned char)*p))
			p++;
		if (*p && *p++ != ',')
			return bad_list(list, p - 1, err);
	}
	return 0;
}

void cpuset_format(const struct cpuset *set, struct strbuf *sb)
{
	int cpu = cpuset_next(set, 0);
	const char *comma = "";

	while (cpu >= 0) {
		int last = cpu;

		while (cpuset_test(set, (unsigned)last + 1))
			last++;
		strbuf_addf(sb, "%s%d", comma, cpu);
		if (last > cpu)
			strbuf_addf(sb, "-%d", last);
		comma = ",";
		cpu = cpuset_next(set, (unsigned)last + 1);
	}
}

void cpuset_of_thread(struct cpuset *set)
{
	size_t size = CPU_ALLOC_SIZE(CPUSET_MAX);
	cpu_set_t *mask = CPU_ALLOC(CPUSET_MAX);

	if (mask && sched_getaffinity(0, size, mask) == 0)
		for (unsigned cpu = 0; cpu < CPUSET_MAX; cpu++)
			if (CPU_ISSET_S(cpu, size, mask))
				cpuset_set(set, cpu);
	CPU_FREE(mask);
}
