// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks moved away from their caches: across nodes by balancing, across nodes at
 * wakeup, or within a node while still hot. The price is the refill cost of the
 * distance, measured by migcost. Without a price the moves are a witness only:
 * "user time growing against system time and dearer copy_*_user for the same
 * work" is the sign of migration gone bad (the 2005 thread), and the moves say
 * that it may be them.
 */
#include <math.h>
#include <string.h>

#include "cost.h"
#include "mechanisms.h"
#include "schedblame/migcost.h"

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
};

/* What a hot move to that distance costs; 1 where there is no price, so that the
 * sum is a count. */
static double price(const struct blame_input *in, int distance)
{
	if (!in->migcost)
		return 1;
	return (double)migration_cost_ns(in->migcost, (enum distance)distance, 0);
}

/* Below this a task is taken as cache-hot: the measured cost of the distance. */
static double hot_limit(const struct blame_input *in, int distance)
{
	double ns = in->migcost ? price(in, distance) : 0;

	/* sysctl_sched_migration_cost's default in every kernel so far */
	return ns > 0 ? ns : 500000;
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
	sum->ns += hot * price(sum->in, d);
	return 0;
}

static struct move_sum sum_moves(const struct blame_input *in,
				 const struct move_filter *filter, const struct run *run)
{
	struct move_sum sum = { in, filter, 0, 0, 0 };

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
		*why = "the cost of a migration on this machine (schedblame migcost, then "
		       "--migration-cost FILE), to price moves away from a warm cache";
	return in->migcost != NULL;
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

static void explain_moves(const struct blame_input *in, struct cause *cause,
			  const struct move_filter *f, const char *what)
{
	double ma, mb, ha, hb;

	side(in, f, in->a, &ma, &ha);
	side(in, f, in->b, &mb, &hb);
	if (ha > 0)
		cause_set(&cause->headline, "%.2g times as many %s", hb / ha, what);
	else
		cause_set(&cause->headline, "%s, where there were none", what);
	evidence_change(cause, "moves per unit of work", ma, mb, "");
	evidence_change(cause, "of these while cache-hot", ha, hb, "");
	if (in->migcost)
		evidence_ns(cause, f->remote ? "refill after a move to a remote node" :
					       "refill after a move within the node",
			    price(in, f->remote ? DIST_REMOTE : DIST_NODE),
			    price(in, f->remote ? DIST_REMOTE : DIST_NODE));
	evidence_facts(cause, in, "sched.");
	cause_set(&cause->next, "collect -r 5 --set sched.migration_cost_ns=5000000 -- %s",
		  in->b->run[0].command);
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

#define MOVE_MECHANISM(id, text, cost_fn, explain_fn)                          \
	const struct mechanism mechanism_##id = {                              \
		.name = #id,                                                   \
		.title = text,                                                 \
		.rows = rows,                                                  \
		.measured = measured,                                          \
		.cost = cost_fn,                                               \
		.explain = explain_fn,                                         \
	};

MOVE_MECHANISM(remote_pulls, "tasks pulled across nodes", cost_pulls, explain_pulls)
MOVE_MECHANISM(far_wakeups, "wakeups far from the data", cost_far, explain_far)
MOVE_MECHANISM(hot_moves, "cache-hot violations", cost_hot, explain_hot)
