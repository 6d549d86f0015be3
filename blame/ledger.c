// SPDX-License-Identifier: GPL-2.0-or-later
/* The CPU time ledger; definitions in ledger.h. Rows sum to the total because
 * "unaccounted" is what the others leave, per run, before any mean is taken. */
#include "schedblame/ledger.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "schedblame/alloc.h"
#include "schedblame/stats.h"
#include "schedblame/units.h"

#define LEVEL 0.95

/* Where a row's time of one run comes from. */
struct row_source {
	const char *name;
	enum cpu_mode mode[2];
	unsigned nr_modes;
};

/* user time is split by whose it is: add_user() */
static const struct row_source sources[] = {
	{ "system", { CPU_MODE_SYSTEM }, 1 },
	{ "irq", { CPU_MODE_IRQ }, 1 },
	{ "softirq", { CPU_MODE_SOFTIRQ }, 1 },
	{ "hypervisor steal", { CPU_MODE_STEAL }, 1 },
	{ "iowait", { CPU_MODE_IOWAIT }, 1 },
	{ "idle", { CPU_MODE_IDLE }, 1 },
};

static struct ledger_row *add_row(struct ledger *l, const char *name, const char *group)
{
	struct ledger_row *row;

	l->row = xrealloc(l->row, l->n + 1, sizeof(*l->row));
	row = &l->row[l->n++];
	memset(row, 0, sizeof(*row));
	row->name = group ? xasprintf("%s: %s", name, group) : xstrdup(name);
	row->group = group ? xstrdup(group) : NULL;
	row->a = xcalloc(l->na, sizeof(*row->a));
	row->b = xcalloc(l->nb, sizeof(*row->b));
	return row;
}

static double source_time(const struct run *run, const struct row_source *src,
			  bool inside)
{
	double sum = 0;

	for (unsigned i = 0; i < src->nr_modes; i++)
		sum += run_cpu_time(run, src->mode[i], inside);
	return sum;
}

/*
 * User time, niced user time and others' in ns. What the command used itself is in
 * its rusage; the rest of user time is of others: foreign load, or a server that
 * the command talks to. Not known (a trace): all of it counts as the workload's.
 */
enum user_part { USER_OWN, USER_NICED, USER_OTHERS };

static double user_time(const struct run *run, enum user_part part)
{
	double user = run_cpu_time(run, CPU_MODE_USER, true);
	double nice = run_cpu_time(run, CPU_MODE_NICE, true);
	double own = run_own_time(run, "user_ns"), own_user, own_nice;

	if (isnan(own))
		own = user + nice;
	own_user = fmin(user, own);
	own_nice = fmin(nice, own - own_user);
	return part == USER_OWN	  ? own_user :
	       part == USER_NICED ? own_nice : user + nice - own_user - own_nice;
}

/* ns between the two /proc copies; collectors' duration where those have no
 * clock. */
static double elapsed(const struct run *run)
{
	uint64_t ns = series_sum(&run->series, "proc_elapsed", NO_LABELS);

	return ns ? (double)ns : (double)run->duration_ns;
}

static double per_work(const struct run *run, double ns)
{
	return run->work > 0 ? ns / run->work : ns;
}

static void fill_totals(double *total, const struct run_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		total[i] = per_work(&set->run[i],
				    run_cpu_count(&set->run[i]) * elapsed(&set->run[i]));
}

static void fill_mode(double *v, const struct run_set *set, const struct row_source *src)
{
	for (size_t i = 0; i < set->n; i++)
		v[i] = per_work(&set->run[i], source_time(&set->run[i], src, true));
}

static void add_user(struct ledger *l, const struct run_set *a, const struct run_set *b)
{
	static const char *const name[] = { "user", "user, niced", "user, others" };

	for (int part = USER_OWN; part <= USER_OTHERS; part++) {
		struct ledger_row *row = add_row(l, name[part], NULL);

		for (size_t i = 0; i < a->n; i++)
			row->a[i] = per_work(&a->run[i],
					     user_time(&a->run[i], (enum user_part)part));
		for (size_t i = 0; i < b->n; i++)
			row->b[i] = per_work(&b->run[i],
					     user_time(&b->run[i], (enum user_part)part));
	}
}

static void fill_groups(struct ledger *l, const struct run_set *set, bool b,
			const struct row_source *src, size_t first)
{
	double *ns = xcalloc(groups_count(), sizeof(*ns));

	for (size_t i = 0; i < set->n; i++) {
		groups_times(&set->run[i], source_time(&set->run[i], src, true), l->chained,
			     l->timed, ns);
		for (size_t g = 0; g < groups_count(); g++) {
			struct ledger_row *row = &l->row[first + g];

			(b ? row->b : row->a)[i] = per_work(&set->run[i], ns[g]);
		}
	}
	free(ns);
}

static void fill_softirq(struct ledger *l, const struct run_set *set, bool b,
			 const struct row_source *src, size_t first)
{
	double ns[NR_PROFILE_PARTS];

	for (size_t i = 0; i < set->n; i++) {
		groups_softirq_times(&set->run[i], source_time(&set->run[i], src, true), ns);
		for (int part = PART_SOFTIRQ_BALANCE; part < NR_PROFILE_PARTS; part++) {
			struct ledger_row *row = &l->row[first + (size_t)part -
							 PART_SOFTIRQ_BALANCE];

			(b ? row->b : row->a)[i] = per_work(&set->run[i], ns[part]);
		}
	}
}

/* Balancing at ticks and receiving from the network run in softirqs: they have rows
 * there, of their groups; the rest comes last. */
static void split_softirq(struct ledger *l, const struct run_set *a,
			  const struct run_set *b, const struct row_source *src)
{
	size_t first = l->n;

	for (int part = PART_SOFTIRQ_BALANCE; part < NR_PROFILE_PARTS; part++)
		add_row(l, part == PART_SOFTIRQ ? "softirq: other" : profile_part_name[part],
			NULL);
	for (size_t g = 0; g < groups_count(); g++)
		if (groups_softirq(g) != PART_SOFTIRQ)
			l->row[first + groups_softirq(g) - PART_SOFTIRQ_BALANCE].group =
				xstrdup(groups_name(g));
	fill_softirq(l, a, false, src, first);
	fill_softirq(l, b, true, src, first);
}

static void add_source(struct ledger *l, const struct run_set *a,
		       const struct run_set *b, const struct row_source *src)
{
	size_t first = l->n;

	if (src->mode[0] == CPU_MODE_SOFTIRQ && l->chained) {
		split_softirq(l, a, b, src);
		return;
	}
	if (src->mode[0] != CPU_MODE_SYSTEM || !l->split) {
		struct ledger_row *row = add_row(l, src->name, NULL);

		fill_mode(row->a, a, src);
		fill_mode(row->b, b, src);
		return;
	}
	for (size_t g = 0; g < groups_count(); g++)
		add_row(l, src->name, groups_name(g));
	fill_groups(l, a, false, src, first);
	fill_groups(l, b, true, src, first);
}

static void fill_rest(const struct ledger *l, double *rest, const double *total,
		      size_t n, bool b)
{
	for (size_t i = 0; i < n; i++) {
		rest[i] = total[i];
		for (size_t r = 0; r + 1 < l->n; r++)
			rest[i] -= (b ? l->row[r].b : l->row[r].a)[i];
	}
}

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : 0;
}

static void judge_row(const struct ledger *l, struct ledger_row *row)
{
	double unit = 100 / l->mean_a, change = l->mean_b - l->mean_a;
	struct stats_difference d;

	stats_difference(&d, row->a, l->na, row->b, l->nb, LEVEL);
	row->mean_a = mean(row->a, l->na);
	row->mean_b = mean(row->b, l->nb);
	row->points = (row->mean_b - row->mean_a) * unit;
	row->share = change != 0 ? (row->mean_b - row->mean_a) / change : NAN;
	row->ci_low = d.low * unit;
	row->ci_high = d.high * unit;
	row->p = d.p;
}

static void judge(struct ledger *l)
{
	struct stats_difference d;

	l->mean_a = mean(l->total_a, l->na);
	l->mean_b = mean(l->total_b, l->nb);
	stats_difference(&d, l->total_a, l->na, l->total_b, l->nb, LEVEL);
	l->change = d.diff / l->mean_a * 100;
	l->ci_low = d.low / l->mean_a * 100;
	l->ci_high = d.high / l->mean_a * 100;
	l->p = d.p;
	for (size_t r = 0; r < l->n; r++)
		judge_row(l, &l->row[r]);
}

/* Busy time outside the CPUs of the workload, mean per unit of work. */
static double apart(const struct run_set *set)
{
	double sum = 0;

	for (size_t i = 0; i < set->n; i++)
		for (int m = 0; m < CPU_MODE_NR; m++)
			if (m != CPU_MODE_IDLE && m != CPU_MODE_IOWAIT)
				sum += per_work(&set->run[i],
						run_cpu_time(&set->run[i],
							     (enum cpu_mode)m, false));
	return sum / (double)set->n;
}

/* "messages" -> "message". */
static char *one_unit(const char *unit)
{
	size_t len = unit ? strlen(unit) : 0;

	if (!len)
		return xstrdup("run");
	return xstrndup(unit, len > 1 && unit[len - 1] == 's' ? len - 1 : len);
}

/* More of the time than this in no mode at all is no rounding of ticks. */
#define LOST_TICKS 0.05

static void note_unaccounted(struct ledger *l)
{
	const struct ledger_row *rest = &l->row[l->n - 1];
	double a = rest->mean_a / l->mean_a, b = rest->mean_b / l->mean_b;

	if (fmax(a, b) > LOST_TICKS)
		notes_add(&l->notes, "%.0f %% of the CPUs' time on one side and %.0f %% on the "
			  "other is in no mode of /proc/stat: a hypervisor or emulator stopped "
			  "this machine without telling (no steal time), so the rows hold only "
			  "for what was accounted", a * 100, b * 100);
}

static int check_side(const struct run_set *set, struct err *err)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->run[i].foreign && !run_cpu_count(&set->run[i]))
			return err_set(err, ENODATA,
				       "%s does not tell what the CPUs' time went into "
				       "(/proc/stat), so there is no ledger; only runs of "
				       "'schedblame collect' do", set->run[i].path);
		else if (!run_cpu_count(&set->run[i]) || elapsed(&set->run[i]) <= 0)
			return err_set(err, ENODATA,
				       "%s has no CPU times (before/proc/stat and "
				       "after/proc/stat), so there is no ledger; record it "
				       "with the source 'counters'",
				       set->run[i].path);
	return 0;
}

/* Time per message and time per run are no two values of one number. */
static int check_units(const struct run_set *a, const struct run_set *b, struct err *err)
{
	const struct run_set *const side[] = { a, b };
	const struct run *first = &a->run[0];

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s]->n; i++) {
			const struct run *run = &side[s]->run[i];

			if (strcmp(run->work_unit ? run->work_unit : "",
				   first->work_unit ? first->work_unit : ""))
				return err_set(err, EINVAL, "%s counts %s and %s counts %s as "
					       "units of work (did the command fail?), so CPU "
					       "time per unit cannot be compared", first->path,
					       first->work_unit, run->path, run->work_unit);
		}
	return 0;
}

int ledger_make(struct ledger *l, const struct run_set *a, const struct run_set *b,
		struct err *err)
{
	int ret;

	memset(l, 0, sizeof(*l));
	ret = check_side(a, err);
	if (!ret)
		ret = check_side(b, err);
	if (!ret)
		ret = check_units(a, b, err);
	if (ret)
		return ret;
	l->na = a->n;
	l->nb = b->n;
	l->total_a = xcalloc(a->n, sizeof(*l->total_a));
	l->total_b = xcalloc(b->n, sizeof(*l->total_b));
	l->work_unit = one_unit(a->run[0].work_unit);
	l->split = groups_usable(a, &l->notes) && groups_usable(b, &l->notes);
	l->chained = l->split && groups_chained(a, b, &l->notes);
	groups_choose(a, b, l->timed);
	fill_totals(l->total_a, a);
	fill_totals(l->total_b, b);
	add_user(l, a, b);
	for (size_t s = 0; s < ARRAY_SIZE(sources); s++)
		add_source(l, a, b, &sources[s]);
	add_row(l, "unaccounted", NULL);
	fill_rest(l, l->row[l->n - 1].a, l->total_a, l->na, false);
	fill_rest(l, l->row[l->n - 1].b, l->total_b, l->nb, true);
	l->apart_a = apart(a);
	l->apart_b = apart(b);
	judge(l);
	note_unaccounted(l);
	return 0;
}

void ledger_release(struct ledger *l)
{
	for (size_t r = 0; r < l->n; r++) {
		free(l->row[r].name);
		free(l->row[r].group);
		free(l->row[r].a);
		free(l->row[r].b);
	}
	free(l->row);
	free(l->total_a);
	free(l->total_b);
	free(l->work_unit);
	notes_release(&l->notes);
	memset(l, 0, sizeof(*l));
}

const struct ledger_row *ledger_find(const struct ledger *l, const char *name)
{
	for (size_t r = 0; r < l->n; r++)
		if (!strcmp(l->row[r].name, name))
			return &l->row[r];
	return NULL;
}

bool ledger_row_is(const struct ledger_row *row, const char *name)
{
	if (name[0] == ':')
		return row->group && !strcmp(row->group, name + 1);
	return !strcmp(row->name, name);
}
