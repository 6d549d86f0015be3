// SPDX-License-Identifier: GPL-2.0-or-later
/* From the maps of the sched programs to named series (docs/series.md). */
#include <stdio.h>
#include <string.h>

#include "sched_private.h"
#include "schedblame/alloc.h"

#define X(id, name) name,
static const char *const switch_kinds[] = { SWITCH_KIND_LIST(X) };
static const char *const wakeup_kinds[] = { WAKEUP_KIND_LIST(X) };
static const char *const sample_states[] = { SAMPLE_LIST(X) };
static const char *const verdicts[] = { VERDICT_LIST(X) };
static const char *const steal_kinds[] = { STEAL_LIST(X) };
static const char *const drops[] = { DROP_LIST(X) };
#undef X

/* Decimal text of a small number; buf of 12. */
static const char *number(char *buf, unsigned n)
{
	snprintf(buf, 12, "%u", n);
	return buf;
}

static const char *node_name(char *buf, const struct sched_counts *c, unsigned node)
{
	return node + 1 == c->nr_nodes ? "unknown" : number(buf, node);
}

void series_add_sched_hist(struct series_set *set, const char *name,
			   const struct label *labels, size_t nr_labels,
			   const struct sched_hist *h)
{
	struct histogram *sum;
	uint64_t count = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		count += h->bucket[i];
	if (!count)
		return;
	sum = series_hist(set, name, labels, nr_labels);
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		sum->bucket[i] += h->bucket[i];
	sum->count += count;
	if (sum->sum + h->sum < sum->sum)
		sum->sum = UINT64_MAX;
	else
		sum->sum += h->sum;
	if (h->max > sum->max)
		sum->max = h->max;
}

/* Below this share of the samples that were due, a CPU counts as not sampled. */
#define SAMPLED_ENOUGH 0.5
#define FEW_SAMPLES 20 /* due; fewer prove nothing */

static double samples_due(const struct sched_counts *c)
{
	return (double)(c->stop_ns - c->start_ns) / (double)c->sample_ns;
}

/* No switch and never found busy: it idled from start to stop. */
static bool slept_through(const struct sched_counts *c, const struct sched_cpu *v)
{
	if (!c->sampler || v->samples[SAMPLE_BUSY])
		return false;
	return v->samples[SAMPLE_IDLE] || v->samples[SAMPLE_IDLE_WAITING] ||
	       samples_due(c) >= FEW_SAMPLES;
}

static void add_idle(const struct sched_counts *c, unsigned cpu, struct series_set *set)
{
	const struct sched_cpu *v = &c->cpu[cpu];
	uint64_t ns = v->idle_ns, switches = 0;
	char buf[12];

	for (unsigned k = 0; k < SWITCH_KIND_NR; k++)
		switches += v->switches[k];
	if (v->idle_since && v->idle_since < c->stop_ns) /* idles still */
		ns += c->stop_ns - v->idle_since;
	else if (!switches && slept_through(c, v))
		ns = c->stop_ns - c->start_ns;
	if (ns)
		series_add(set, "idle_time", LABELS("cpu", number(buf, cpu)), ns);
	series_add_sched_hist(set, "idle_periods", NO_LABELS, &v->idle_periods);
}

static void add_switches(const struct sched_counts *c, unsigned cpu,
			 struct series_set *set)
{
	const struct sched_cpu *v = &c->cpu[cpu];
	uint64_t all = 0;
	char buf[12];

	for (unsigned k = 0; k < SWITCH_KIND_NR; k++) {
		series_add(set, "switches", LABELS("kind", switch_kinds[k]),
			   v->switches[k]);
		all += v->switches[k];
	}
	series_add(set, "cpu_switches", LABELS("cpu", number(buf, cpu)), all);
}

static void add_waits(const struct sched_cpu *v, struct series_set *set)
{
	for (unsigned d = 0; d < DIST_NR; d++) {
		const char *name = distance_name(d);

		for (unsigned k = 0; k < WAKEUP_KIND_NR; k++)
			if (v->wakeups[k][d])
				series_add(set, "wakeups",
					   LABELS("distance", name, "kind",
						  wakeup_kinds[k]),
					   v->wakeups[k][d]);
		series_add_sched_hist(set, "wakeup_latency", LABELS("distance", name),
			 &v->wakeup_latency[d]);
		series_add_sched_hist(set, "preemption_wait", LABELS("distance", name),
			 &v->preemption_wait[d]);
	}
	series_add_sched_hist(set, "fork_wait", NO_LABELS, &v->fork_wait);
	for (unsigned i = 0; i < DROP_NR; i++)
		series_add(set, "dropped", LABELS("what", drops[i]), v->dropped[i]);
}

static void add_samples(const struct sched_counts *c, const struct sched_cpu *v,
			struct series_set *set)
{
	for (unsigned i = 0; i < SAMPLE_NR; i++)
		series_add(set, "idle_samples", LABELS("state", sample_states[i]),
			   v->samples[i]);
	for (unsigned i = 0; i < 2 * DIST_NR; i++) {
		uint64_t n = v->idle_waiting[i / DIST_NR][i % DIST_NR];

		if (n)
			series_add(set, "idle_while_waiting",
				   LABELS("distance", distance_name(i % DIST_NR), "method",
					  "sampled", "allowed", i < DIST_NR ? "no" : "yes"),
				   n * c->sample_ns);
	}
	series_add_sched_hist(set, "waiting_tasks", NO_LABELS, &v->waiting_tasks);
}

static void add_migration(const struct sched_counts *c, unsigned reason, unsigned from,
			  unsigned to, enum distance d, uint64_t n,
			  struct series_set *set)
{
	char a[12], b[12];

	if (n)
		series_add(set, "migrations",
			   LABELS("reason", reason_name(reason), "from_node",
				  node_name(a, c, from), "to_node", node_name(b, c, to),
				  "distance", distance_name(d)),
			   n);
}

static void add_migrations(const struct sched_counts *c, unsigned cpu, unsigned reason,
			   struct series_set *set)
{
	unsigned nodes = c->nr_nodes, cells = SCHED_NODE_CELLS(nodes);
	const uint64_t *cell = c->migrations + ((size_t)cpu * REASON_NR + reason) * cells;

	for (unsigned node = 0; node < nodes; node++)
		for (unsigned d = 0; d < DIST_NR; d++)
			add_migration(c, reason, node, node, d, *cell++, set);
	for (unsigned from = 0; from < nodes; from++)
		for (unsigned to = 0; to < nodes; to++) {
			bool known = from + 1 < nodes && to + 1 < nodes;

			add_migration(c, reason, from, to,
				      known ? DIST_REMOTE : DIST_UNKNOWN, *cell++, set);
		}
}

static void add_since(const struct sched_counts *c, unsigned cpu, unsigned reason,
		      struct series_set *set)
{
	for (unsigned d = 0; d < DIST_NR; d++) {
		uint32_t slot = c->slot_of[reason * DIST_NR + d];

		if (slot && slot <= SCHED_SLOTS)
			series_add_sched_hist(set, "since_last_ran",
				 LABELS("reason", reason_name(reason), "distance",
					distance_name(d)),
				 &c->since[(size_t)cpu * SCHED_SLOTS + slot - 1]);
	}
}

static void add_verdicts(const struct sched_cpu *v, unsigned reason,
			 struct series_set *set)
{
	for (unsigned k = 0; k < VERDICT_NR; k++)
		for (unsigned d = 0; d < DIST_NR; d++)
			if (v->hot[k][reason][d])
				series_add(set, "hot_verdict",
					   LABELS("reason", reason_name(reason), "distance",
						  distance_name(d), "verdict", verdicts[k]),
					   v->hot[k][reason][d]);
}

/* Named as the readers of /proc/schedstat name them. */
static const char *level_text(const struct sched_counts *c, unsigned level, char buf[16])
{
	if (c->level_key[level] <= SCHED_LEVELS + 1) {
		snprintf(buf, 16, "domain%u", (unsigned)c->level_key[level] - 1);
		return buf;
	}
	snprintf(buf, 16, "%.15s", c->level_name[level]);
	return strcmp(buf, "DIE") ? buf : "PKG"; /* its name until 6.6 */
}

static void add_steals(const struct sched_counts *c, struct series_set *set)
{
	const uint64_t *n = c->steals;
	char a[12], b[12], text[16];

	for (unsigned level = 0; level < SCHED_LEVELS; level++)
		for (unsigned k = 0; k < STEAL_NR; k++)
			for (unsigned from = 0; from < c->nr_nodes; from++)
				for (unsigned to = 0; to < c->nr_nodes; to++, n++)
					if (*n)
						series_add(set, "steals",
							   LABELS("level",
								  level_text(c, level, text),
								  "idle", steal_kinds[k],
								  "from_node",
								  node_name(a, c, from),
								  "to_node",
								  node_name(b, c, to)),
							   *n);
}

/* Counted for all CPUs together: only of use when all were watched. */
static void add_matrix(const struct sched_counts *c, const struct cpuset *cpus,
		       struct series_set *set)
{
	const uint64_t *n = c->cpu_migrations;
	char a[12], b[12];

	for (unsigned reason = 0; reason < REASON_NR; reason++)
		for (unsigned from = 0; from < c->matrix_cpus; from++)
			for (unsigned to = 0; to < c->matrix_cpus; to++, n++)
				if (*n && cpuset_test(cpus, from) && cpuset_test(cpus, to))
					series_add(set, "cpu_migrations",
						   LABELS("from_cpu", number(a, from),
							  "to_cpu", number(b, to), "reason",
							  reason_name(reason)),
						   *n);
}

unsigned sched_counts_unsampled(const struct sched_counts *c, const struct cpuset *cpus)
{
	double due = samples_due(c);
	unsigned missing = 0;

	if (!c->sampler || due < FEW_SAMPLES)
		return 0;
	cpuset_for_each(cpu, cpus) {
		uint64_t got = 0;

		for (unsigned i = 0; (unsigned)cpu < c->nr_cpus && i < SAMPLE_NR; i++)
			got += c->cpu[cpu].samples[i];
		if ((double)got < SAMPLED_ENOUGH * due)
			missing++;
	}
	return missing;
}

void sched_counts_to_series(const struct sched_counts *c, const struct cpuset *cpus,
			    struct series_set *set)
{
	static const char *const always[] = { "switches", "cpu_switches", "wakeups",
		"wakeup_latency", "preemption_wait", "fork_wait", "migrations",
		"since_last_ran", "idle_periods", "idle_time", "dropped" };
	bool sampled = c->sampler && !sched_counts_unsampled(c, cpus);

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		series_declare(set, always[i]);
	if (sampled)
		series_declare(set, "idle_while_waiting");
	if (c->balance_probed)
		series_declare(set, "steals");
	if (c->verdicts)
		series_declare(set, "hot_verdict");
	if (c->matrix_cpus)
		series_declare(set, "cpu_migrations");
	for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++) {
		if (!cpuset_test(cpus, cpu))
			continue;
		add_switches(c, cpu, set);
		add_waits(&c->cpu[cpu], set);
		add_idle(c, cpu, set);
		if (sampled)
			add_samples(c, &c->cpu[cpu], set);
		for (unsigned reason = 0; reason < REASON_NR; reason++) {
			add_migrations(c, cpu, reason, set);
			add_since(c, cpu, reason, set);
			add_verdicts(&c->cpu[cpu], reason, set);
		}
	}
	add_matrix(c, cpus, set);
	if (c->balance_probed)
		add_steals(c, set);
}
