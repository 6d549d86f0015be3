// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks moved away from their caches: across nodes by balancing, across nodes at
 * wakeup, or within a node while still hot. The price is the refill cost of the
 * distance, measured by migcost ("user time growing against system time and dearer
 * copy_*_user for the same work" is the sign of migration gone bad: the 2005
 * thread). Where nobody measured it, a careful price is assumed, which shows how much
 * it might be in JSON but names no cause.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "mechanisms.h"
#include "schedblame/alloc.h"
#include "schedblame/migcost.h"
#include "schedblame/units.h"

static const char *const rows[] = { "user", "user, niced", ":copy", ":memory", NULL };

/* Which moves a mechanism counts. */
struct move_filter {
	bool remote;	   /* across nodes; else within one */
	bool wakeup;	   /* at wakeup; else by everything else */
	bool any_reason;
};

static bool counts(const struct move_filter *f, const char *reason, const char *distance)
{
	bool wakeup = reason && !strcmp(reason, reason_name(REASON_WAKEUP));
	bool remote = distance && !strcmp(distance, distance_name(DIST_REMOTE));

	return remote == f->remote && (f->any_reason || wakeup == f->wakeup);
}

struct move_sum {
	const struct blame_input *in;
	const struct move_filter *filter;
	double moves, hot, ns;
	double hot_by[DIST_NR];
};

/*
 * Assumed prices. A core's second-level cache of 1 MB refilled from a shared cache
 * at 20 GB/s or from memory at 10 GB/s takes 50 to 100 us, but few tasks use all of
 * it; these stand for some 100 kB, so that moves rather explain too little.
 */
static const double assumed[DIST_NR] = {
	[DIST_SMT] = 0, [DIST_LLC] = 5000, [DIST_NODE] = 10000, [DIST_REMOTE] = 20000,
};

static bool priced(const struct blame_input *in, int distance)
{
	return in->migcost && migration_cost_ns(in->migcost, (enum distance)distance, 0) > 0;
}

/* What a hot move to that distance costs, ns. */
static double price(const struct blame_input *in, int distance)
{
	if (!in->migcost)
		return assumed[distance];
	return (double)migration_cost_ns(in->migcost, (enum distance)distance, 0);
}

/* Below this a task is taken as cache-hot: the measured cost of the distance. */
static double hot_limit(const struct blame_input *in, int distance)
{
	/* sysctl_sched_migration_cost's default in every kernel so far */
	return priced(in, distance) ? price(in, distance) : 500000;
}

static int add_moves(const struct series_set *set, const struct series *s, void *arg)
{
	const char *distance = series_label(set, s, "distance");
	struct move_sum *sum = arg;
	int d = distance_by_name(distance);
	double hot;

	if (d < 0 || !s->hist || !counts(sum->filter, series_label(set, s, "reason"),
					 distance))
		return 0;
	hot = histogram_below(s->hist, (uint64_t)hot_limit(sum->in, d));
	sum->moves += (double)s->hist->count;
	sum->hot += hot;
	sum->hot_by[d] += hot;
	sum->ns += hot * price(sum->in, d);
	return 0;
}

static struct move_sum sum_moves(const struct blame_input *in,
				 const struct move_filter *filter, const struct run *run)
{
	struct move_sum sum = { .in = in, .filter = filter };

	series_for_each(&run->series, "since_last_ran", NO_LABELS, add_moves, &sum);
	return sum;
}

static const struct move_filter pulls = { .remote = true, .wakeup = false };
static const struct move_filter far_wakeups = { .remote = true, .wakeup = true };
static const struct move_filter hot_near = { .remote = false, .any_reason = true };

static double cost_pulls(const struct blame_input *in, const struct run *run)
{
	return sum_moves(in, &pulls, run).ns;
}

static double cost_far(const struct blame_input *in, const struct run *run)
{
	return sum_moves(in, &far_wakeups, run).ns;
}

static double cost_hot(const struct blame_input *in, const struct run *run)
{
	return sum_moves(in, &hot_near, run).ns;
}

static bool measured(const struct blame_input *in, const char **why)
{
	if (!both_have(in, "since_last_ran")) {
		*why = "the source 'sched' (root and BPF) or --trace, to see whether tasks "
		       "were moved while cache-hot";
		return false;
	}
	if (!in->migcost)
		*why = "the cost of a migration on this machine (schedblame migcost -o FILE, "
		       "then --migration-cost FILE): without it no move away from a warm "
		       "cache is named as a cause";
	return true;
}

static void side(const struct blame_input *in, const struct move_filter *f,
		 const struct run_set *set, double *moves, double *hot)
{
	*moves = *hot = 0;
	for (size_t i = 0; i < set->n; i++) {
		struct move_sum s = sum_moves(in, f, &set->run[i]);
		double work = set->run[i].work > 0 ? set->run[i].work : 1;

		*moves += s.moves / work / (double)set->n;
		*hot += s.hot / work / (double)set->n;
	}
}

static const struct migcost_entry *entry_of(const struct migcost *m, enum distance path)
{
	for (size_t i = 0; i < m->nr_entries; i++)
		if (m->entry[i].path == path)
			return &m->entry[i];
	return NULL;
}

static bool all_disturbed(const struct migcost_entry *e)
{
	for (size_t i = 0; i < e->nr_sizes; i++)
		if (e->size[i].repeats)
			return false;
	return e->nr_sizes > 0;
}

/* How a price is known, as a reader must take it. */
static const char *price_origin(const struct blame_input *in, enum distance path)
{
	const struct migcost_entry *e = in->migcost ? entry_of(in->migcost, path) : NULL;

	if (!in->migcost)
		return "assumed, not measured here";
	if (!e)
		return "of a nearer path, the least it can be: the machine of migcost had no "
		       "such path";
	return all_disturbed(e) ? "every repeat of migcost was disturbed: rather too high" :
				  "measured";
}

static void evidence_price(const struct blame_input *in, struct cause *cause,
			   enum distance path)
{
	char text[32];

	notes_add(&cause->evidence, "a refill after a move, %s: %s (%s)", distance_title(path),
		  format_ns(text, sizeof(text), (uint64_t)price(in, path)),
		  price_origin(in, path));
}

/* The price of each distance over which hot tasks moved. */
static void evidence_prices(const struct blame_input *in, struct cause *cause,
			    const struct move_filter *f)
{
	double hot[DIST_NR] = { 0 };

	for (int s = 0; s < 2; s++) {
		const struct run_set *set = s ? in->b : in->a;

		for (size_t i = 0; i < set->n; i++) {
			struct move_sum sum = sum_moves(in, f, &set->run[i]);

			for (int d = 0; d < DIST_NR; d++)
				hot[d] += sum.hot_by[d];
		}
	}
	for (int d = 0; d < DIST_NR; d++)
		if (hot[d] > 0)
			evidence_price(in, cause, (enum distance)d);
}

static const struct advice_knob knobs[] = { { "sched.migration_cost_ns", 10 }, { NULL, 0 } };

static void explain_moves(const struct blame_input *in, struct cause *cause,
			  const struct move_filter *f, const char *what)
{
	double ma, mb, ha, hb;
	char *moves;

	side(in, f, in->a, &ma, &ha);
	side(in, f, in->b, &mb, &hb);
	if (ha > 0)
		cause_set(&cause->headline, "%.3g times as many %s", hb / ha, what);
	else
		cause_set(&cause->headline, "%s, where there were none", what);
	moves = xasprintf("moves per %s", in->ledger->work_unit);
	evidence_change(cause, moves, ma, mb, "");
	free(moves);
	evidence_change(cause, "of these while cache-hot", ha, hb, "");
	evidence_prices(in, cause, f);
	evidence_facts(cause, in, "sched.");
	advise_knobs(cause, in, "sched.", knobs, "--trace");
}

static void explain_pulls(const struct blame_input *in, struct cause *cause)
{
	explain_moves(in, cause, &pulls, "hot tasks pulled across nodes");
	cause_set(&cause->look, "sched_balance_newidle(), can_migrate_task(), task_hot(); "
		  "migration_cost_ns, numa_balancing");
}

static void explain_far(const struct blame_input *in, struct cause *cause)
{
	explain_moves(in, cause, &far_wakeups, "hot tasks woken on another node");
	cause_set(&cause->look, "select_task_rq_fair(), wake_affine(); SD_WAKE_AFFINE, "
		  "features WA_IDLE, WA_WEIGHT");
}

static void explain_hot(const struct blame_input *in, struct cause *cause)
{
	explain_moves(in, cause, &hot_near, "cache-hot tasks moved within a node");
	cause_set(&cause->look, "task_hot(), can_migrate_task(); migration_cost_ns");
}

static bool price_assumed(const struct blame_input *in)
{
	return !in->migcost;
}

#define MOVE_MECHANISM(id, text, cost_fn, explain_fn)                          \
	const struct mechanism mechanism_##id = {                              \
		.name = #id,                                                   \
		.title = text,                                                 \
		.rows = rows,                                                  \
		.measured = measured,                                          \
		.cost = cost_fn,                                               \
		.assumed = price_assumed,                                      \
		.explain = explain_fn,                                         \
	};

MOVE_MECHANISM(remote_pulls, "tasks pulled across nodes", cost_pulls, explain_pulls)
MOVE_MECHANISM(far_wakeups, "wakeups far from the data", cost_far, explain_far)
MOVE_MECHANISM(hot_moves, "cache-hot violations", cost_hot, explain_hot)
