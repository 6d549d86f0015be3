// SPDX-License-Identifier: GPL-2.0-or-later
/* Migrations: by reason and distance, by node, and how hot their caches were. */
#include <stdlib.h>
#include <string.h>

#include "compare_build.h"
#include "schedblame/alloc.h"
#include "schedblame/migcost.h"
#include "schedblame/strbuf.h"
#include "schedblame/units.h"

struct move_key {
	const char *reason, *distance; /* NULL: all */
	const struct comparison *c;
};

static size_t move_labels(const struct move_key *k, struct label labels[2])
{
	size_t n = 0;

	if (k->reason)
		labels[n++] = (struct label){ "reason", k->reason };
	if (k->distance)
		labels[n++] = (struct label){ "distance", k->distance };
	return n;
}

static double moves_per_second(const struct run *run, const void *arg)
{
	struct label labels[2];
	size_t n = move_labels(arg, labels);

	if (!series_has(&run->series, "migrations"))
		return NAN;
	return per_second(run, (double)series_sum(&run->series, "migrations", labels, n));
}

/* Distances compare where all know them, or none does. */
static bool distances_compare(const struct comparison *c)
{
	bool all = true, none = true;

	for (size_t i = 0; i < c->nr_sets; i++)
		for (size_t j = 0; j < c->set[i]->n; j++) {
			all &= c->set[i]->run[j].topology.nr_cpus > 0;
			none &= !c->set[i]->run[j].topology.nr_cpus;
		}
	return all || none;
}

/* distance may be NULL: whatever it is. */
static void add_moves(struct comparison *c, enum reason reason, const char *distance,
		      const char *title)
{
	struct move_key key = { reason_name(reason), distance, c };
	char *id = xasprintf("migrations.%s%s%s", key.reason, distance ? "." : "",
			     distance ? distance : "");
	struct compare_row *row;

	row = compare_add_row(c, COMPARE_MIGRATIONS, id, title, "/s", BETTER_NONE, distance ?
			      "Moves per second for that reason over that distance." :
			      "Moves per second for that reason; not all sides know the "
			      "distances.");
	compare_set_string(&row->group, key.reason);
	compare_set_string(&row->load, distance);
	compare_fill_row(c, row, moves_per_second, &key, true);
	free(id);
}

void compare_migrations(struct comparison *c)
{
	bool distances = distances_compare(c);

	for (int r = 0; r < REASON_NR; r++) {
		if (!distances)
			add_moves(c, (enum reason)r, NULL, reason_title((enum reason)r));
		for (int d = DIST_SMT; d < DIST_NR && distances; d++) {
			char *title = xasprintf("%s, %s", reason_title((enum reason)r),
						distance_title((enum distance)d));

			add_moves(c, (enum reason)r, distance_name((enum distance)d), title);
			free(title);
		}
	}
}

/* The kernel's migration_cost_ns, from debugfs or, before 5.13, a sysctl. */
static const char *migration_cost_fact(const struct run *run)
{
	static const char *const keys[] = { "sched.migration_cost_ns",
					    "sysctl.kernel.sched_migration_cost_ns" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (run_fact(run, keys[i]))
			return run_fact(run, keys[i]);
	return NULL;
}

#define KERNEL_DEFAULT_NS 500000 /* sysctl_sched_migration_cost since 2.6.24 */

static bool has_path(const struct migcost *m, int path)
{
	for (size_t i = 0; i < m->nr_entries; i++)
		if ((int)m->entry[i].path == path)
			return true;
	return false;
}

void hot_threshold_measured(struct hot_threshold *hot, const struct migcost *m)
{
	struct strbuf sb = STRBUF_INIT;

	memset(hot, 0, sizeof(*hot));
	for (int d = DIST_SMT; d < DIST_UNKNOWN; d++) {
		char buf[32];

		hot->ns[d] = migration_cost_ns(m, (enum distance)d, 0);
		/* a path that was not measured has a nearer one's: not worth naming */
		if (hot->ns[d] && has_path(m, d))
			strbuf_addf(&sb, "%s %s %s", sb.len ? "," : "",
				    distance_title((enum distance)d),
				    format_ns(buf, sizeof(buf), hot->ns[d]));
	}
	hot->source = xasprintf("measured, %s:%s", m->source, sb.buf);
	strbuf_release(&sb);
}

void compare_set_thresholds(struct comparison *c, const struct hot_threshold *hot)
{
	c->threshold = xcalloc(c->nr_sets, sizeof(*c->threshold));
	for (size_t i = 0; i < c->nr_sets; i++) {
		struct hot_threshold *t = &c->threshold[i];
		const char *fact = migration_cost_fact(&c->set[i]->run[0]);
		uint64_t ns = fact ? strtoull(fact, NULL, 10) : KERNEL_DEFAULT_NS;
		char buf[32];

		if (hot) {
			memcpy(t->ns, hot->ns, sizeof(t->ns));
			t->source = xstrdup(hot->source);
			continue;
		}
		for (int d = 0; d < DIST_NR; d++)
			t->ns[d] = ns;
		format_ns(buf, sizeof(buf), ns);
		t->source = fact ? xasprintf("the kernel's migration_cost_ns, %s", buf) :
				   xasprintf("the kernel's default migration_cost_ns, %s, as "
					     "the real one is not recorded", buf);
	}
}

static const struct hot_threshold *threshold_of(const struct comparison *c,
						const struct run *run)
{
	for (size_t i = 0; i < c->nr_sets; i++)
		if (run >= c->set[i]->run && run < c->set[i]->run + c->set[i]->n)
			return &c->threshold[i];
	return NULL;
}

/* Moves below the threshold of their distance, and all with a known time. */
static bool hot_moves(const struct run *run, const struct move_key *k, double *hot,
		      double *all)
{
	const struct hot_threshold *t = threshold_of(k->c, run);
	struct histogram *h = xmalloc(sizeof(*h));

	*hot = *all = 0;
	for (int d = 0; t && d < DIST_NR; d++) {
		const char *distance = distance_name((enum distance)d);
		struct move_key one = { k->reason, distance, k->c };
		struct label labels[2];
		size_t n = move_labels(&one, labels);

		if (k->distance && strcmp(k->distance, distance))
			continue;
		if (!series_merged(&run->series, "since_last_ran", labels, n, h))
			continue;
		*hot += histogram_below(h, t->ns[d]);
		*all += (double)h->count;
	}
	free(h);
	return series_has(&run->series, "since_last_ran");
}

static double hot_per_second(const struct run *run, const void *arg)
{
	double hot, all;

	return hot_moves(run, arg, &hot, &all) ? per_second(run, hot) : NAN;
}

static double hot_share(const struct run *run, const void *arg)
{
	double hot, all;

	return hot_moves(run, arg, &hot, &all) && all > 0 ? hot / all * 100 : NAN;
}

static void add_hot(struct comparison *c, const char *id, const char *title,
		    const struct move_key *key, bool share)
{
	char *full = xasprintf("hot.%s.%s", id, share ? "share" : "per_second");
	struct compare_row *row;

	row = compare_add_row(c, COMPARE_HOT, full, title, share ? "%" : "/s", BETTER_NONE,
			      share ? "Moves sooner after the task last ran than the "
				      "threshold, of all such moves." :
				      "Moves of tasks whose cache was hot, per second.");
	compare_set_string(&row->group, key->reason);
	compare_set_string(&row->load, key->distance);
	compare_fill_row(c, row, share ? hot_share : hot_per_second, key, !share);
	free(full);
}

void compare_hot(struct comparison *c)
{
	struct move_key all = { NULL, NULL, c };

	add_hot(c, "all", "all migrations", &all, true);
	add_hot(c, "all", "all migrations", &all, false);
	for (int d = DIST_SMT; d < DIST_NR && distances_compare(c); d++) {
		struct move_key key = { NULL, distance_name((enum distance)d), c };
		char *title;

		title = xasprintf(d == DIST_REMOTE  ? "to a %s" :
				  d == DIST_UNKNOWN ? "distance %s" :
						      "within the %s",
				  distance_title((enum distance)d));
		add_hot(c, key.distance, title, &key, true);
		free(title);
	}
	for (int r = 0; r < REASON_NR; r++) {
		struct move_key key = { reason_name((enum reason)r), NULL, c };

		add_hot(c, key.reason, reason_title((enum reason)r), &key, true);
	}
}

struct matrix_arg {
	struct compare_matrix *m;
	double scale; /* 1 / (seconds * runs) */
};

static int node_number(const char *s, unsigned nr)
{
	char *end;
	unsigned long v;

	if (!s || !*s)
		return -1;
	v = strtoul(s, &end, 10);
	return *end || v >= nr ? -1 : (int)v;
}

static int add_to_matrix(const struct series_set *set, const struct series *s, void *arg)
{
	struct matrix_arg *a = arg;
	struct compare_matrix *m = a->m;
	int from = node_number(series_label(set, s, "from_node"), m->nr_nodes);
	int to = node_number(series_label(set, s, "to_node"), m->nr_nodes);
	const char *reason = series_label(set, s, "reason");
	int number = reason ? reason_by_name(reason) : -1;
	size_t at;

	if (from < 0 || to < 0)
		return 0;
	if (number < 0)
		number = REASON_UNKNOWN;
	if (!m->reason[number])
		m->reason[number] = xcalloc((size_t)m->nr_nodes * m->nr_nodes,
					    sizeof(**m->reason));
	at = (size_t)from * m->nr_nodes + (size_t)to;
	m->rate[at] += (double)s->counter * a->scale;
	m->reason[number][at] += (double)s->counter * a->scale;
	if (reason && (!strncmp(reason, "steal", 5) || !strcmp(reason, "active_balance")))
		m->steal[at] += (double)s->counter * a->scale;
	return 0;
}

void compare_matrices(struct comparison *c)
{
	c->matrix = xcalloc(c->nr_sets, sizeof(*c->matrix));
	for (size_t i = 0; i < c->nr_sets; i++) {
		struct compare_matrix *m = &c->matrix[i];
		const struct run_set *set = c->set[i];
		size_t cells;

		m->nr_nodes = set->run[0].topology.nr_nodes;
		cells = (size_t)m->nr_nodes * m->nr_nodes;
		m->rate = xcalloc(cells + 1, sizeof(*m->rate));
		m->steal = xcalloc(cells + 1, sizeof(*m->steal));
		for (size_t j = 0; j < set->n; j++) {
			struct matrix_arg arg = { m, per_second(&set->run[j],
								1.0 / (double)set->n) };

			if (isfinite(arg.scale))
				series_for_each(&set->run[j].series, "migrations", NO_LABELS,
						add_to_matrix, &arg);
		}
	}
}
