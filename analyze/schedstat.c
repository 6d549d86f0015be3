// SPDX-License-Identifier: GPL-2.0-or-later
/* Parser of /proc/schedstat; what is done with two of them: schedstat_diff.c. */
#include "schedblame/schedstat.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define OLDEST 14
#define NEWEST 17
#define DOMAINS_MAX 32 /* per CPU; the kernel has at most 8 or so */
#define MASK_MAX (CPUSET_MAX / 32 * 9)

/* Layout of one version. */
struct layout {
	unsigned rq_skip;  /* columns before yield on a cpu line */
	unsigned lb_width; /* columns of one balancing group */
	unsigned imbalances; /* how many of them are imbalance sums */
	enum schedstat_idle order[SCHEDSTAT_IDLE_NR];
	bool named;
};

static const struct layout layouts[NEWEST - OLDEST + 1] = {
	{ 3, 8, 1, { SCHEDSTAT_IDLE, SCHEDSTAT_BUSY, SCHEDSTAT_NEWIDLE }, false },
	{ 0, 8, 1, { SCHEDSTAT_IDLE, SCHEDSTAT_BUSY, SCHEDSTAT_NEWIDLE }, false },
	{ 0, 8, 1, { SCHEDSTAT_BUSY, SCHEDSTAT_IDLE, SCHEDSTAT_NEWIDLE }, false },
	{ 0, 11, 4, { SCHEDSTAT_BUSY, SCHEDSTAT_IDLE, SCHEDSTAT_NEWIDLE }, true },
};

struct parser {
	struct schedstat *s;
	const struct layout *layout; /* NULL before the version line */
	const char *name;
	unsigned line;
	struct err *err;
};

static int bad_line(const struct parser *p, const char *expected)
{
	return err_set(p->err, EINVAL, "%s: line %u is not as /proc/schedstat has it; "
		       "expected %s", p->name, p->line, expected);
}

/* Up to max decimal numbers up to the end of the line; how many there were. */
static unsigned read_numbers(const char *s, uint64_t *v, unsigned max)
{
	unsigned n = 0;

	for (;;) {
		char *end;

		while (*s == ' ' || *s == '\t')
			s++;
		if (!isdigit((unsigned char)*s))
			break;
		if (n == max)
			return n + 1;
		v[n++] = strtoull(s, &end, 10);
		s = end;
	}
	return *s && *s != '\n' && *s != '\r' ? max + 1 : n;
}

static int parse_version(struct parser *p, const char *s)
{
	unsigned version = (unsigned)strtoul(s, NULL, 10);

	if (version < OLDEST || version > NEWEST)
		return err_set(p->err, ENOTSUP,
			       "%s has schedstat version %u; versions %d to %d are known",
			       p->name, version, OLDEST, NEWEST);
	p->s->version = version;
	p->layout = &layouts[version - OLDEST];
	return 0;
}

static int parse_cpu(struct parser *p, const char *s)
{
	uint64_t v[3 + SCHEDSTAT_RQ_NR];
	unsigned want = SCHEDSTAT_RQ_NR + p->layout->rq_skip;
	struct schedstat *st = p->s;
	struct schedstat_cpu *cpu;
	char *end;
	unsigned long id = strtoul(s, &end, 10);

	if (end == s || id >= CPUSET_MAX)
		return bad_line(p, "a CPU number");
	if (st->nr_cpus >= CPUSET_MAX)
		return bad_line(p, "fewer CPUs");
	if (read_numbers(end, v, want) != want)
		return bad_line(p, "nine counters of the CPU");
	GROW(st->cpu, st->nr_cpus, st->cap_cpus);
	cpu = &st->cpu[st->nr_cpus++];
	cpu->cpu = (unsigned)id;
	memcpy(cpu->rq, v + p->layout->rq_skip, sizeof(cpu->rq));
	cpu->first_domain = st->nr_domains;
	cpu->nr_domains = 0;
	return 0;
}

/* "00000000,000000ff": 32-bit words in hex, most significant first. */
static int parse_mask(struct cpuset *span, const char *s, size_t len)
{
	unsigned bit = 0;

	if (!len || len > MASK_MAX)
		return -EINVAL;
	while (len--) {
		int c = tolower((unsigned char)s[len]);
		unsigned digit;

		if (c == ',')
			continue;
		if (!isxdigit(c))
			return -EINVAL;
		digit = (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
		for (unsigned i = 0; i < 4; i++)
			if (digit >> i & 1)
				cpuset_set(span, bit + i);
		bit += 4;
	}
	return 0;
}

static void take_counts(const struct layout *l, struct schedstat_counts *c,
			const uint64_t *v)
{
	for (unsigned g = 0; g < SCHEDSTAT_IDLE_NR; g++) {
		uint64_t *lb = c->lb[l->order[g]];

		for (unsigned i = 0; i < SCHEDSTAT_LB_NR; i++) {
			unsigned n = i == SCHEDSTAT_LB_IMBALANCE ? l->imbalances : 1;

			while (n--)
				lb[i] += *v++;
		}
	}
	memcpy(c->alb, v, sizeof(c->alb));
	v += SCHEDSTAT_ALB_NR + 6; /* sbe and sbf: no longer counted by any kernel */
	memcpy(c->ttwu, v, sizeof(c->ttwu));
}

static int parse_domain(struct parser *p, const char *s)
{
	uint64_t v[3 * 11 + 12];
	unsigned want = 3 * p->layout->lb_width + 12;
	struct schedstat *st = p->s;
	struct schedstat_domain d = { .span = CPUSET_INIT };
	char *end;
	size_t len;

	d.index = (unsigned)strtoul(s, &end, 10);
	if (end == s || !st->nr_cpus || d.index >= DOMAINS_MAX ||
	    st->cpu[st->nr_cpus - 1].nr_domains >= DOMAINS_MAX)
		return bad_line(p, "a domain of the CPU above it");
	s = end + strspn(end, " ");
	len = strcspn(s, " \n");
	if (p->layout->named) {
		d.name = xstrndup(s, len < 32 ? len : 32);
		s += len + strspn(s + len, " ");
		len = strcspn(s, " \n");
	}
	if (parse_mask(&d.span, s, len) < 0 || read_numbers(s + len, v, want) != want) {
		free(d.name);
		cpuset_release(&d.span);
		return bad_line(p, "a CPU mask and the counters of a domain");
	}
	take_counts(p->layout, &d.counts, v);
	GROW(st->domain, st->nr_domains, st->cap_domains);
	st->domain[st->nr_domains++] = d;
	st->cpu[st->nr_cpus - 1].nr_domains++;
	return 0;
}

static int parse_line(struct parser *p, const char *s)
{
	if (!strncmp(s, "version ", 8))
		return parse_version(p, s + 8);
	if (!p->layout)
		return bad_line(p, "'version N' first");
	if (!strncmp(s, "timestamp ", 10))
		p->s->timestamp = strtoull(s + 10, NULL, 10);
	else if (!strncmp(s, "cpu", 3))
		return parse_cpu(p, s + 3);
	else if (!strncmp(s, "domain", 6))
		return parse_domain(p, s + 6);
	return 0;
}

int schedstat_parse(struct schedstat *s, const char *text, const char *name,
		    struct err *err)
{
	struct parser p = { .s = s, .name = name, .line = 1, .err = err };
	int ret = 0;

	memset(s, 0, sizeof(*s));
	for (; *text && !ret; p.line++) {
		ret = parse_line(&p, text);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	if (!ret && !s->nr_cpus)
		ret = err_set(err, EINVAL, "%s holds no cpu line of /proc/schedstat", name);
	if (ret)
		schedstat_release(s);
	return ret;
}

void schedstat_release(struct schedstat *s)
{
	for (size_t i = 0; i < s->nr_domains; i++) {
		free(s->domain[i].name);
		cpuset_release(&s->domain[i].span);
	}
	free(s->domain);
	free(s->cpu);
	memset(s, 0, sizeof(*s));
}
