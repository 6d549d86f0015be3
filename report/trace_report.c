// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What only a trace tells: tasks, CPUs, the worst moments, who wakes whom, where
 * tasks were when they did not run, losses. One text for what perf sched latency,
 * timehist --summary, map and trace-cmd profile show.
 */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"
#include "schedblame/trace_tables.h"
#include "schedblame/units.h"
#include "trace_report.h"

#define CPUS_SHOWN 16
#define GAPS_SHOWN 8

const struct trace_tables *report_trace(const struct report *r, size_t set)
{
	return run_trace(&r->set[set].run[0], NULL);
}

/* "comm:pid" cut to width, padded. */
void trace_add_task(struct strbuf *out, const struct trace_task *t, int width)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%.15s:%d", t->comm, t->pid);
	struct strbuf ascii = STRBUF_INIT;

	text_add_ascii(&ascii, sb.buf, sb.len);
	text_pad(out, ascii.buf, width, false);
	strbuf_release(&sb);
	strbuf_release(&ascii);
}

static const char *count_text(char buf[32], double v)
{
	return format_count(buf, 32, v);
}

static void add_summary(const struct trace_tables *t, const char *name, struct strbuf *out)
{
	char a[32], b[32], c[32], d[32];
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s: %s, clock %s, from %.6f s to %.6f s (%s): %s events, %s of them "
		    "switches; %u tasks, at most %llu runnable at once",
		    name, t->format, *t->clock ? t->clock : "not known",
		    (double)t->first_ts / 1e9, (double)t->last_ts / 1e9,
		    format_ns(a, sizeof(a), t->last_ts - t->first_ts),
		    count_text(b, (double)t->counts.events),
		    count_text(c, (double)t->counts.by_type[EV_SWITCH]), t->nr_tasks,
		    (unsigned long long)t->max_running);
	if (t->counts.by_type[EV_OTHER])
		strbuf_addf(&sb, "; %s events of other kinds are left out",
			    count_text(d, (double)t->counts.by_type[EV_OTHER]));
	report_wrap(out, "", sb.buf, 2);
	strbuf_release(&sb);
}

static void add_losses(const struct trace_tables *t, struct strbuf *out)
{
	char a[32], b[32];
	uint32_t shown = t->nr_gaps < GAPS_SHOWN ? t->nr_gaps : GAPS_SHOWN;

	if (!t->counts.gaps) {
		strbuf_addstr(out, "Losses: none recorded\n");
		return;
	}
	strbuf_addf(out, "Losses: %s events in %s gaps; what spans one is not measured\n",
		    count_text(a, (double)t->counts.lost), count_text(b, (double)t->counts.gaps));
	for (uint32_t i = 0; i < shown; i++) {
		const struct trace_gap *g = &t->gap[i];

		if (g->cpu == CPU_NONE)
			strbuf_addstr(out, "  all CPUs ");
		else
			strbuf_addf(out, "  CPU %-5u", g->cpu);
		if (!g->from)
			strbuf_addstr(out, "before its first event");
		else
			strbuf_addf(out, "at %.6f s for %s", (double)g->from / 1e9,
				    format_ns(a, sizeof(a), g->until - g->from));
		if (g->count)
			strbuf_addf(out, ", %llu events", (unsigned long long)g->count);
		report_end_line(out);
	}
	if (shown < t->counts.gaps)
		strbuf_addf(out, "  and %llu more\n",
			    (unsigned long long)(t->counts.gaps - shown));
}

static int busier_first(const void *a, const void *b)
{
	const struct trace_cpu *x = *(const struct trace_cpu *const *)a;
	const struct trace_cpu *y = *(const struct trace_cpu *const *)b;

	return x->busy_ns < y->busy_ns ? 1 : x->busy_ns > y->busy_ns ? -1 : x < y ? -1 : 1;
}

static void add_cpu(const struct trace_tables *t, const struct trace_cpu *c,
		    struct strbuf *out)
{
	double span = (double)(t->last_ts - t->first_ts) / 100;
	char buf[5][32];

	if (span <= 0)
		span = 1;
	strbuf_addf(out, "  %5u %6.1f %6.1f %9s %9s %9s %9s %9llu", (unsigned)(c - t->cpu),
		    (double)c->busy_ns / span, (double)c->idle_ns / span,
		    count_text(buf[0], (double)c->switches),
		    count_text(buf[1], (double)c->wakeups_here),
		    count_text(buf[2], (double)c->in), count_text(buf[3], (double)c->out),
		    (unsigned long long)c->max_queue);
	report_end_line(out);
}

static void add_cpus(const struct trace_tables *t, struct strbuf *out)
{
	const struct trace_cpu **v = xcalloc(t->nr_cpus + 1, sizeof(*v));
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nr_cpus; i++)
		if (t->cpu[i].seen)
			v[n++] = &t->cpu[i];
	if (n > CPUS_SHOWN)
		qsort(v, n, sizeof(*v), busier_first);
	strbuf_addstr(out, "\nCPUs    busy%  idle%  switches     woken  moved in       out "
			   "max queue\n");
	for (uint32_t i = 0; i < n && i < CPUS_SHOWN; i++)
		add_cpu(t, v[i], out);
	if (n > CPUS_SHOWN)
		strbuf_addf(out, "  the %d busiest of %u; all in --format json\n", CPUS_SHOWN, n);
	free(v);
}

static char shade(uint64_t busy, uint64_t span)
{
	static const char shades[] = " .:+#";
	double part = span ? (double)busy / (double)span : 0;

	return shades[part < 0.02 ? 0 : part < 0.25 ? 1 : part < 0.6 ? 2 : part < 0.9 ? 3 : 4];
}

static void add_map(const struct trace_tables *t, struct strbuf *out)
{
	char buf[32];
	uint32_t shown = 0;

	if (!t->map)
		return;
	strbuf_addf(out, "\nBusy over time, %s a column ('.' < 25 %%, ':' < 60 %%, '+' < 90 %% "
		    "<= '#')\n", format_ns(buf, sizeof(buf), t->map_bin_ns));
	for (uint32_t c = 0; c < t->nr_cpus && shown < CPUS_SHOWN; c++) {
		if (!t->cpu[c].seen)
			continue;
		shown++;
		strbuf_addf(out, "  %5u |", c);
		for (int b = 0; b < TRACE_MAP_BINS; b++)
			strbuf_addch(out, shade(t->map[(size_t)c * TRACE_MAP_BINS + (size_t)b],
						t->map_bin_ns));
		strbuf_addstr(out, "|\n");
	}
}

static void add_trace(const struct report *r, size_t set, const struct trace_tables *t,
		      struct strbuf *out)
{
	if (out->len)
		strbuf_addch(out, '\n');
	add_summary(t, r->name[set], out);
	if (!t->unit_known)
		report_wrap(out, "", "Times below are ticks of that clock, not nanoseconds.", 2);
	add_losses(t, out);
	add_cpus(t, out);
	add_map(t, out);
	trace_add_tasks(t, out);
	trace_add_worst(t, out);
	trace_add_states(t, out);
	trace_add_wakers(t, out);
}

void section_trace_text(const struct report *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->nr_sets; i++) {
		const struct trace_tables *t = report_trace(r, i);

		if (t && t->counts.events)
			add_trace(r, i, t, out);
	}
}
