// SPDX-License-Identifier: GPL-2.0-or-later
/* The ledger sums, planted causes are found with their share, and two sides that
 * do not differ name nothing. */
#include "cm.h"

#include "planted.h"
#include "schedblame/blame.h"
#include "schedblame/migcost.h"

#define MS 1e6

static const struct plant base = {
	.user = 6000 * MS, .irq = 50 * MS, .softirq = 100 * MS, .steal = 20 * MS,
	.idle = 2000 * MS,
	.group = { 500 * MS, 400 * MS, 900 * MS, 600 * MS, 800 * MS, 500 * MS, 3000 * MS,
		   400 * MS, 400 * MS, 300 * MS },
	.idle_waiting = 200 * MS, .idle_confined = 100 * MS, .others = 300 * MS,
	.hot_pulls = 1000, .hot_wakeups = 1000, .hot_near = 2000,
	.noise = 0.01, .cpus = 4, .samples = 8000,
};

static void sums_exactly(const struct ledger *l)
{
	double points = 0;

	for (size_t i = 0; i < l->na; i++) {
		double sum = 0;

		for (size_t r = 0; r < l->n; r++)
			sum += l->row[r].a[i];
		assert_true(fabs(sum - l->total_a[i]) <= 1e-6 * l->total_a[i]);
	}
	for (size_t r = 0; r < l->n; r++)
		points += l->row[r].points;
	assert_true(fabs(points - l->change) < 1e-6);
}

/* ns of a refill, as migcost would have measured */
#define REMOTE_NS 20000
#define LLC_NS 5000

static void set_costs(struct migcost *m)
{
	migcost_init(m);
	migcost_add(m, DIST_LLC, 0)->cost_ns = LLC_NS;
	migcost_add(m, DIST_REMOTE, 0)->cost_ns = REMOTE_NS;
}

struct trial {
	struct migcost costs;
	struct run_set a, b;
	struct ledger ledger;
	struct blame blame;
};

static void trial_open(struct trial *t, const struct plant *a, const struct plant *b,
		       size_t n)
{
	struct blame_input in = { 0 };
	struct err err = ERR_INIT;

	planted_set(&t->a, a, n, "base");
	planted_set(&t->b, b, n, "new");
	assert_int_equal(ledger_make(&t->ledger, &t->a, &t->b, &err), 0);
	sums_exactly(&t->ledger);
	assert_true(t->ledger.split);
	in.a = &t->a;
	in.b = &t->b;
	in.ledger = &t->ledger;
	set_costs(&t->costs);
	in.migcost = &t->costs;
	assert_int_equal(blame_make(&t->blame, &in, NULL, &err), 0);
}

static void trial_close(struct trial *t)
{
	blame_release(&t->blame);
	migcost_release(&t->costs);
	ledger_release(&t->ledger);
	run_set_close(&t->a);
	run_set_close(&t->b);
}

enum { USER = -1, WAITING = -2, IDLE = -3, STEAL = -4, CONFINED = -5, OTHERS = -6,
       PULLS = -7, WAKEUPS = -8, NEAR = -9 };

/* What can be planted, and the mechanism that must be named for it. */
static const struct {
	const char *mechanism;
	int group;
} plants[] = {
	{ "idle_search", PLANT_SEARCH },  { "load_balance", PLANT_BALANCE },
	{ "over_switching", PLANT_SWITCH }, { "wakeup_grew", PLANT_WAKEUP },
	{ "copy_grew", PLANT_COPY },	  { "locks_grew", PLANT_LOCKS },
	{ "kernel_grew", PLANT_OTHER },	  { "memory_grew", PLANT_MEMORY },
	{ "filesystem_grew", PLANT_FILES }, { "user_grew", USER },
	{ "affinity_moves", PLANT_AFFINITY },
	{ "idle_while_waiting", WAITING }, { "idle_grew", IDLE },
	{ "hypervisor_steal", STEAL },	  { "confined", CONFINED },
	{ "other_load", OTHERS },	  { "remote_pulls", PULLS },
	{ "far_wakeups", WAKEUPS },	  { "hot_moves", NEAR },
};

static void plant_one(struct plant *p, int what, double ns)
{
	if (what >= 0) {
		p->group[what] += ns;
		return;
	}
	switch (what) {
	case OTHERS: p->others += ns; return;
	case STEAL: p->steal += ns; return;
	case WAITING: p->idle_waiting += ns; break;
	case CONFINED: p->idle_confined += ns; break;
	case PULLS: p->hot_pulls += ns / REMOTE_NS; break;
	case WAKEUPS: p->hot_wakeups += ns / REMOTE_NS; break;
	case NEAR: p->hot_near += ns / LLC_NS; break;
	}
	if (what == USER || what <= PULLS) /* a cold cache shows as user time */
		p->user += ns;
	else
		p->idle += ns;
}

static double plant_total(const struct plant *p)
{
	double sum = p->user + p->others + p->irq + p->softirq + p->steal + p->idle;

	for (int g = 0; g < PLANT_GROUPS; g++)
		sum += p->group[g];
	return sum;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void planted_causes_are_named_with_their_share(void **state)
{
	enum { TRIALS = 540 };
	static double error[TRIALS];
	unsigned right = 0;

	for (int i = 0; i < TRIALS; i++) {
		size_t what = (size_t)i % ARRAY_SIZE(plants);
		struct plant b = base;
		/* 8 to 20 per cent of the total, slower and faster in turn */
		double part = 0.08 + 0.12 * planted_uniform();
		struct plant a = base;
		struct trial t;
		double points;

		a.noise = b.noise = 0.005 + 0.02 * planted_uniform();
		plant_one(i % 2 ? &a : &b, plants[what].group, part * plant_total(&base));
		trial_open(&t, &a, &b, 5);
		points = (plant_total(&b) - plant_total(&a)) / plant_total(&a) * 100;
		error[i] = 100;
		if (t.blame.nr_named &&
		    !strcmp(t.blame.cause[0].mechanism->name, plants[what].mechanism)) {
			right++;
			error[i] = fabs(t.blame.cause[0].points - points);
		}
		trial_close(&t);
	}
	qsort(error, TRIALS, sizeof(error[0]), compare);
	print_message("planted causes: %u of %d right; share error median %.2f, 95th %.2f "
		      "points\n", right, TRIALS, error[TRIALS / 2], error[TRIALS * 95 / 100]);
	assert_true(right >= TRIALS * 95 / 100);
	assert_true(error[TRIALS / 2] < 2);
	assert_true(error[TRIALS * 95 / 100] < 8);
}

static void equal_sides_name_nothing(void **state)
{
	enum { TRIALS = 400 };
	unsigned named = 0;

	for (int i = 0; i < TRIALS; i++) {
		struct trial t;

		trial_open(&t, &base, &base, 5);
		named += t.blame.nr_named > 0;
		trial_close(&t);
	}
	print_message("equal sides: causes named in %u of %d\n", named, TRIALS);
	assert_true(named <= TRIALS / 100);
}

static void two_causes_share_the_change(void **state)
{
	struct plant b = base;
	struct trial t;
	bool search = false, balance = false;

	plant_one(&b, PLANT_SEARCH, 0.10 * plant_total(&base));
	plant_one(&b, PLANT_BALANCE, 0.05 * plant_total(&base));
	trial_open(&t, &base, &b, 5);
	for (size_t i = 0; i < t.blame.nr_named; i++) {
		const struct cause *c = &t.blame.cause[i];

		if (!strcmp(c->mechanism->name, "idle_search"))
			search = fabs(c->points - 10) < 2;
		if (!strcmp(c->mechanism->name, "load_balance"))
			balance = fabs(c->points - 5) < 2;
		assert_true(i == 0 || fabs(c->points) <= fabs(t.blame.cause[i - 1].points));
		assert_non_null(c->headline);
	}
	assert_true(search && balance);
	assert_int_equal(t.blame.kind, BLAME_SLOWER);
	assert_true(fabs(t.blame.unexplained) < 3);
	trial_close(&t);
}

/* Three CPUs of four that the work never uses idle for longer with it. */
static void idle_that_follows_is_no_cause(void **state)
{
	struct plant a = base, b;
	struct trial t;

	a.idle += 3 * plant_total(&base);
	b = a;
	plant_one(&b, PLANT_LOCKS, 0.04 * plant_total(&a));
	b.idle += 0.04 * plant_total(&a) * a.idle / (plant_total(&a) - a.idle);
	trial_open(&t, &a, &b, 5);
	assert_int_equal(t.blame.nr_named, 1);
	assert_string_equal(t.blame.cause[0].mechanism->name, "locks_grew");
	assert_true(fabs(t.blame.cause[0].share - 1) < 0.2);
	assert_true(fabs(t.blame.follows - t.ledger.change * a.idle / plant_total(&a)) < 1);
	assert_true(fabs(t.blame.unexplained) < 1);
	trial_close(&t);
}

/* Callers say that half of the locks' time is work for NUMA balancing, and most of the
 * rest of softirqs. In the last run of a set all samples are. */
static void tell_callers(struct run_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		struct profile *p = set->run[i].profile;
		uint32_t lock = profile_symbol(p, planted_symbol[PLANT_LOCKS], "", "",
					       SPACE_KERNEL);

		p->chained = true;
		if (i + 1 == set->n) {
			for (size_t k = 0; k < p->nr_symbols; k++)
				p->symbol[k].part[PART_SOFTIRQ] = p->symbol[k].weight;
			continue;
		}
		p->symbol[lock].part[PART_NUMA] = p->symbol[lock].weight / 2;
		p->symbol[lock].part[PART_SOFTIRQ_BALANCE] = p->symbol[lock].weight / 4;
		p->symbol[lock].part[PART_SOFTIRQ_NETWORK] = p->symbol[lock].weight / 8;
		p->symbol[lock].part[PART_SOFTIRQ] = p->symbol[lock].weight / 16;
	}
}

static const struct ledger_row *group_row(const struct ledger *l, const char *group)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->row[i].group && !strcmp(l->row[i].group, group))
			return &l->row[i];
	return NULL;
}

/* Rows named after a mode hold all of its time: nothing of it is lost in the rest. */
static void modes_exactly(const struct ledger *l, const struct run_set *a)
{
	static const struct { const char *name; enum cpu_mode mode; } mode[] = {
		{ "system", CPU_MODE_SYSTEM }, { "softirq", CPU_MODE_SOFTIRQ },
	};

	for (size_t m = 0; m < ARRAY_SIZE(mode); m++)
		for (size_t i = 0; i < a->n; i++) {
			double work = a->run[i].work > 0 ? a->run[i].work : 1, sum = 0;

			for (size_t r = 0; r < l->n; r++)
				if (!strncmp(l->row[r].name, mode[m].name, strlen(mode[m].name)))
					sum += l->row[r].a[i] * work;
			assert_true(fabs(sum / run_cpu_time(&a->run[i], mode[m].mode, true) - 1) <
				    1e-9);
		}
}

static void only_what_both_sides_tell_is_compared(void **state)
{
	for (int told = 1; told <= 2; told++) {
		struct run_set a, b;
		struct ledger l;
		struct err err = ERR_INIT;
		const struct ledger_row *numa, *softirq;

		planted_set(&a, &base, 4, "a");
		planted_set(&b, &base, 4, "b");
		if (told == 2)
			tell_callers(&a);
		tell_callers(&b);
		assert_int_equal(ledger_make(&l, &a, &b, &err), 0);
		numa = group_row(&l, "NUMA balancing");
		assert_non_null(numa);
		assert_int_equal(l.chained, told == 2);
		assert_int_equal(l.notes.n, told == 2 ? 0 : 1);
		assert_int_equal(numa->b[0] > 0, told == 2);
		assert_int_equal(numa->a[0] > 0, told == 2);
		sums_exactly(&l);
		modes_exactly(&l, &a);
		softirq = ledger_find(&l, "softirq: load balance");
		assert_int_equal(softirq != NULL, told == 2);
		if (softirq) {
			assert_true(ledger_row_is(softirq, ":load balance"));
			assert_true(softirq->a[0] > 0);
			assert_true(ledger_find(&l, "softirq: network")->a[0] > 0);
			assert_true(ledger_find(&l, "softirq: other")->a[0] > 0);
		}
		ledger_release(&l);
		run_set_close(&a);
		run_set_close(&b);
	}
}

/* A noisy whole hides a change that one part of it shows beyond doubt: the part is named
 * where the whole is likely (p < 0.05), sure or not, and nowhere else. */
static void a_cause_beyond_doubt_needs_only_a_likely_whole(void **state)
{
	int likely = 0, unlikely = 0;

	for (int i = 0; i < 60; i++) {
		struct plant a = base, b;
		struct trial t;

		a.noise = 0.05;
		a.idle_waiting = a.idle_confined = 0;
		a.group[PLANT_SEARCH] = 200 * MS;
		b = a;
		b.group[PLANT_SEARCH] = 700 * MS;
		trial_open(&t, &a, &b, 8);
		if (t.blame.kind != BLAME_SLOWER) {
			assert_int_equal(t.blame.nr_named, 0);
			unlikely++;
		} else if (t.ledger.p < BLAME_LIKELY_P && !(t.ledger.p < BLAME_SURE_P)) {
			assert_true(t.blame.likely && !t.blame.sure);
			for (size_t c = 0; c < t.blame.nr_named; c++)
				assert_true(t.blame.cause[c].q < BLAME_BEYOND_DOUBT_Q);
			assert_int_equal(t.blame.nr_named, 1);
			assert_string_equal(t.blame.cause[0].mechanism->name, "idle_search");
			likely++;
		} else if (!(t.ledger.p < BLAME_LIKELY_P)) {
			assert_int_equal(t.blame.nr_named, 0);
			unlikely++;
		}
		trial_close(&t);
	}
	print_message("likely wholes %d, unlikely %d of 60\n", likely, unlikely);
	assert_true(likely >= 5 && unlikely >= 5);
}

static void three_repeats_cannot_tell(void **state)
{
	struct plant b = base;
	struct trial t;

	plant_one(&b, PLANT_SEARCH, 0.2 * plant_total(&base));
	trial_open(&t, &base, &b, 3);
	assert_int_equal(t.blame.kind, BLAME_CANNOT_TELL);
	assert_int_equal(t.blame.nr_named, 0);
	assert_true(t.blame.needs.n > 0);
	assert_non_null(strstr(t.blame.headline, "n=3 a side can reach p=0.10 at best"));
	trial_close(&t);
}

static void no_cpu_times_is_a_sentence(void **state)
{
	struct run_set a, b;
	struct ledger l;
	struct err err = ERR_INIT;

	planted_set(&a, &base, 2, "a");
	planted_set(&b, &base, 2, "b");
	series_release(&b.run[1].series);
	series_init(&b.run[1].series);
	assert_true(ledger_make(&l, &a, &b, &err) < 0);
	assert_non_null(strstr(err_text(&err), "planted/002 has no CPU times"));
	err_release(&err);
	run_set_close(&a);
	run_set_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_causes_are_named_with_their_share),
		cmocka_unit_test(equal_sides_name_nothing),
		cmocka_unit_test(two_causes_share_the_change),
		cmocka_unit_test(idle_that_follows_is_no_cause),
		cmocka_unit_test(only_what_both_sides_tell_is_compared),
		cmocka_unit_test(a_cause_beyond_doubt_needs_only_a_likely_whole),
		cmocka_unit_test(three_repeats_cannot_tell),
		cmocka_unit_test(no_cpu_times_is_a_sentence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
