// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/stat and /proc/schedstat of a run, and the table of all /proc readers. */
#include "procfs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/schedstat.h"

/* /proc/stat counts in USER_HZ, which is 100 on all architectures but alpha. */
#define NS_PER_TICK 10000000ULL

struct stat_cpu {
	unsigned cpu;
	uint64_t ticks[CPU_MODE_NR];
};

struct stat {
	struct stat_cpu *cpu;
	size_t n, cap;
	uint64_t ctxt, processes;
};

/* user and nice include guest time, so the eight first columns are the whole. */
static void parse_stat_cpu(struct stat *st, const char *s)
{
	struct stat_cpu c = { 0 };
	char *end;
	unsigned long id = strtoul(s, &end, 10);

	if (end == s || id >= CPUSET_MAX || st->n >= CPUSET_MAX)
		return;
	c.cpu = (unsigned)id;
	for (int i = 0; i < CPU_MODE_NR; i++) {
		s = end;
		c.ticks[i] = strtoull(s, &end, 10);
	}
	GROW(st->cpu, st->n, st->cap);
	st->cpu[st->n++] = c;
}

static void parse_stat(struct stat *st, const char *text)
{
	memset(st, 0, sizeof(*st));
	while (*text) {
		if (!strncmp(text, "cpu", 3) && isdigit((unsigned char)text[3]))
			parse_stat_cpu(st, text + 3);
		else if (!strncmp(text, "ctxt ", 5))
			st->ctxt = strtoull(text + 5, NULL, 10);
		else if (!strncmp(text, "processes ", 10))
			st->processes = strtoull(text + 10, NULL, 10);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
}

static const struct stat_cpu *stat_cpu(const struct stat *st, unsigned cpu, size_t hint)
{
	if (hint < st->n && st->cpu[hint].cpu == cpu)
		return &st->cpu[hint];
	for (size_t i = 0; i < st->n; i++)
		if (st->cpu[i].cpu == cpu)
			return &st->cpu[i];
	return NULL;
}

static void add_cpu_time(struct series_set *set, const struct stat_cpu *a,
			 const struct stat_cpu *b)
{
	char cpu[16];

	snprintf(cpu, sizeof(cpu), "%u", b->cpu);
	for (int m = 0; m < CPU_MODE_NR; m++) {
		/* idle and iowait may run backwards by a tick: that is zero */
		uint64_t ticks = b->ticks[m] > a->ticks[m] ? b->ticks[m] - a->ticks[m] : 0;

		if (ticks > UINT64_MAX / NS_PER_TICK)
			ticks = 0;
		series_add(set, "cpu_time",
			   LABELS("cpu", cpu, "mode", cpu_mode_name((enum cpu_mode)m)),
			   ticks * NS_PER_TICK);
	}
}

static void add_stat(struct series_set *set, const char *before, const char *after,
		     const struct topology *t, struct notes *notes)
{
	struct stat a, b;
	size_t partly = 0;

	(void)t;
	parse_stat(&a, before);
	parse_stat(&b, after);
	for (size_t i = 0; i < b.n; i++) {
		const struct stat_cpu *old = stat_cpu(&a, b.cpu[i].cpu, i);

		if (old)
			add_cpu_time(set, old, &b.cpu[i]);
		else
			partly++;
	}
	if (b.ctxt > a.ctxt)
		series_add(set, "stat", LABELS("field", "ctxt"), b.ctxt - a.ctxt);
	if (b.processes > a.processes)
		series_add(set, "stat", LABELS("field", "processes"),
			   b.processes - a.processes);
	if (!a.n || !b.n)
		notes_add(notes, "proc/stat holds no cpu line; CPU time is not known");
	else if (partly || a.n > b.n)
		notes_add(notes, "CPUs came or went during the run; their time is left out");
	free(a.cpu);
	free(b.cpu);
}

static void add_schedstat(struct series_set *set, const char *before, const char *after,
			  const struct topology *t, struct notes *notes)
{
	struct schedstat a, b;
	struct err err = ERR_INIT;
	bool have_a = !schedstat_parse(&a, before, "before/proc/schedstat", &err);

	if (have_a && !schedstat_parse(&b, after, "after/proc/schedstat", &err)) {
		schedstat_add(set, &a, &b, t, notes);
		schedstat_release(&b);
	}
	if (err.code)
		notes_add(notes, "%s", err_text(&err));
	if (have_a)
		schedstat_release(&a);
	err_release(&err);
}

#define PRESSURE(resource)                                                     \
	static void add_pressure_##resource(struct series_set *set,            \
					    const char *before, const char *after, \
					    const struct topology *t,          \
					    struct notes *notes)               \
	{                                                                      \
		(void)t;                                                       \
		(void)notes;                                                   \
		procfs_add_pressure(set, #resource, before, after);            \
	}
PRESSURE(cpu)
PRESSURE(memory)
PRESSURE(io)
PRESSURE(irq)

const struct procfs_reader procfs_readers[] = {
	{ "proc/stat", add_stat },
	{ "proc/schedstat", add_schedstat },
	{ "proc/vmstat", procfs_add_vmstat },
	{ "proc/interrupts", procfs_add_interrupts },
	{ "proc/softirqs", procfs_add_softirqs },
	{ "proc/pressure/cpu", add_pressure_cpu },
	{ "proc/pressure/memory", add_pressure_memory },
	{ "proc/pressure/io", add_pressure_io },
	{ "proc/pressure/irq", add_pressure_irq },
	{ NULL, NULL },
};
