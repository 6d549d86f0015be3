// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows whose names come from the data: timed functions, balancing levels; and the
 * histograms that a report prints. */
#include <stdlib.h>
#include <string.h>

#include "compare_build.h"
#include "schedblame/alloc.h"
#include "schedblame/strmap.h"

/* All values of a label over all sets, in order of arrival. */
struct label_values {
	struct strmap names;
	const char *key;
};

static int add_name(const struct series_set *set, const struct series *s, void *arg)
{
	struct label_values *v = arg;
	const char *name = series_label(set, s, v->key);

	if (name && *name && v->names.n < 1000)
		strmap_adds(&v->names, name);
	return 0;
}

static void label_values(struct label_values *v, const struct comparison *c,
			 const char *series, const char *key)
{
	v->key = key;
	strmap_init(&v->names);
	for (size_t i = 0; i < c->nr_sets; i++)
		for (size_t j = 0; j < c->set[i]->n; j++)
			series_for_each(&c->set[i]->run[j].series, series, NO_LABELS, add_name,
					v);
}

enum function_number { CALLS, MEAN_US, P50_US, P99_US, CPU_PERCENT, SCANNED, NR_NUMBERS };

struct function_key {
	const char *function;
	enum function_number number;
};

/* Per cent of the time of all CPUs that the run could use. */
static double cpu_percent(const struct run *run, double ns)
{
	unsigned cpus = cpuset_count(&run->cpus);

	cpus = cpus ? cpus : run->topology.nr_cpus;
	return cpus && run->duration_ns ? ns / ((double)run->duration_ns * cpus) * 100 : NAN;
}

static double function_number(const struct run *run, const void *arg)
{
	const struct function_key *k = arg;
	struct histogram *h = xmalloc(sizeof(*h));
	const char *series = k->number == SCANNED ? "function_scanned" : "function_latency";
	bool have = series_merged(&run->series, series, LABELS("function", k->function), h);
	double v = NAN;

	if (have && k->number == CALLS)
		v = per_second(run, (double)h->count);
	else if (have && k->number == CPU_PERCENT)
		v = cpu_percent(run, (double)h->sum);
	else if (have && h->count && k->number == SCANNED)
		v = histogram_mean(h);
	else if (have && h->count)
		v = (k->number == MEAN_US ? histogram_mean(h) :
		     histogram_percentile(h, k->number == P50_US ? 0.5 : 0.99)) / 1e3;
	free(h);
	return v;
}

void compare_functions(struct comparison *c)
{
	static const struct {
		const char *id, *title, *unit, *help;
	} numbers[NR_NUMBERS] = {
		[CALLS] = { "calls", "calls", "/s", "Calls of the function per second." },
		[MEAN_US] = { "mean", "mean", "us", "Mean time of a call." },
		[P50_US] = { "p50", "median", "us", "Half of the calls took less." },
		[P99_US] = { "p99", "99th", "us", "99 % of the calls took less." },
		[CPU_PERCENT] = { "cpu", "of all CPU time", "%",
				  "Time inside the function, of the time of all CPUs." },
		[SCANNED] = { "scanned", "CPUs looked at, mean", "CPUs",
			      "CPUs that one search looked at." },
	};
	struct label_values v;

	label_values(&v, c, "function_latency", "function");
	for (uint32_t f = 0; f < v.names.n; f++) {
		for (int n = 0; n < NR_NUMBERS; n++) {
			struct function_key key = { v.names.name[f], (enum function_number)n };
			char *id = xasprintf("functions.%s.%s", key.function, numbers[n].id);
			struct compare_row *row;

			row = compare_add_row(c, COMPARE_FUNCTIONS, id, numbers[n].title,
					      numbers[n].unit, BETTER_NONE, numbers[n].help);
			compare_set_string(&row->group, key.function);
			compare_fill_row(c, row, function_number, &key, false);
			free(id);
		}
	}
	strmap_release(&v.names);
}

struct balance_key {
	const char *series;
	struct label label[3];
	size_t n;
};

static double balance_rate(const struct run *run, const void *arg)
{
	const struct balance_key *k = arg;

	if (!series_has(&run->series, k->series))
		return NAN;
	return per_second(run, (double)series_sum(&run->series, k->series, k->label, k->n));
}

static void add_balance(struct comparison *c, const char *id, const char *title,
			const struct balance_key *key, const char *help)
{
	char *full = xasprintf("balance.%s", id);

	compare_fill_row(c, compare_add_row(c, COMPARE_BALANCE, full, title, "/s", BETTER_NONE,
					    help),
			 balance_rate, key, true);
	free(full);
}

static void add_level(struct comparison *c, const char *level)
{
	struct balance_key gained = { "lb", { { "level", level }, { "field", "gained" } }, 2 };
	struct balance_key hot = { "lb", { { "level", level }, { "field", "hot_gained" } }, 2 };
	char *id = xasprintf("gained.%s", level);
	char *title = xasprintf("tasks pulled in %s domains", level);

	add_balance(c, id, title, &gained, "Tasks that balancers pulled (lb_gained).");
	free(id);
	free(title);
	id = xasprintf("hot_gained.%s", level);
	title = xasprintf("  of them held cache-hot");
	add_balance(c, id, title, &hot, "Pulled although the kernel held them cache-hot "
					"(lb_hot_gained).");
	free(id);
	free(title);
}

void compare_balance(struct comparison *c)
{
	static const char *const idles[][2] = { { "newidle", "newly idle" },
						{ "idle", "idle" },
						{ "busy", "busy" } };
	struct balance_key pushed = { "alb", { { "field", "pushed" } }, 1 };
	struct label_values v;

	for (size_t i = 0; i < ARRAY_SIZE(idles); i++) {
		struct balance_key count = { "lb",
					     { { "idle", idles[i][0] }, { "field", "count" } },
					     2 };
		struct balance_key failed = count;
		char *id = xasprintf("count.%s", idles[i][0]);
		char *title = xasprintf("balancing, %s", idles[i][1]);

		failed.label[1].value = "failed";
		add_balance(c, id, title, &count, "Calls of the load balancer (lb_count).");
		free(id);
		id = xasprintf("failed.%s", idles[i][0]);
		add_balance(c, id, "  found work but moved none", &failed,
			    "Balancing that found an imbalance and moved no task "
			    "(lb_failed).");
		free(id);
		free(title);
	}
	label_values(&v, c, "lb", "level");
	for (uint32_t i = 0; i < v.names.n; i++)
		add_level(c, v.names.name[i]);
	strmap_release(&v.names);
	add_balance(c, "active_pushed", "active balance moved a task", &pushed,
		    "Running tasks pushed by the stopper thread (alb_pushed).");
}

static void add_numbers(struct hist_numbers *sum, const struct histogram *one)
{
	sum->mean += histogram_mean(one);
	sum->p50 += histogram_percentile(one, 0.5);
	sum->p90 += histogram_percentile(one, 0.9);
	sum->p99 += histogram_percentile(one, 0.99);
}

static void divide_numbers(struct hist_numbers *sum, size_t n)
{
	double by = n ? (double)n : NAN;

	sum->mean /= by;
	sum->p50 /= by;
	sum->p90 /= by;
	sum->p99 /= by;
}

static struct histogram *merged(const struct run_set *set, const char *series,
				const struct label *labels, size_t n,
				struct hist_numbers *numbers)
{
	struct histogram *sum = xcalloc(1, sizeof(*sum)), *one = xmalloc(sizeof(*one));
	bool any = false;
	size_t runs = 0;

	for (size_t i = 0; i < set->n; i++) {
		if (!series_merged(&set->run[i].series, series, labels, n, one))
			continue;
		histogram_merge(sum, one);
		any = true;
		if (one->count) {
			add_numbers(numbers, one);
			runs++;
		}
	}
	divide_numbers(numbers, runs);
	free(one);
	if (any)
		return sum;
	free(sum);
	return NULL;
}

static void add_hist(struct comparison *c, const char *key, const char *title,
		     const char *unit, uint64_t div, const char *series,
		     const struct label *labels, size_t n)
{
	struct compare_hist *h;
	bool any = false;

	GROW(c->hist, c->nr_hists, c->cap_hists);
	h = &c->hist[c->nr_hists];
	*h = (struct compare_hist){ xstrdup(key), xstrdup(title), unit, div, xstrdup(""),
				    xcalloc(c->nr_sets, sizeof(*h->side)),
				    xcalloc(c->nr_sets, sizeof(*h->numbers)) };
	for (size_t i = 0; i < c->nr_sets; i++) {
		h->side[i] = merged(c->set[i], series, labels, n, &h->numbers[i]);
		any |= h->side[i] != NULL;
	}
	c->nr_hists++;
	if (any)
		return;
	c->nr_hists--;
	free(h->side);
	free(h->numbers);
	free(h->key);
	free(h->title);
	free(h->via);
}

/* How the function was timed: "function", "inlined" or "container". */
static void set_via(struct comparison *c, const char *function)
{
	struct label_values v;

	v.key = "via";
	strmap_init(&v.names);
	for (size_t i = 0; i < c->nr_sets; i++)
		for (size_t j = 0; j < c->set[i]->n; j++)
			series_for_each(&c->set[i]->run[j].series, "function_latency",
					LABELS("function", function), add_name, &v);
	if (v.names.n)
		compare_set_string(&c->hist[c->nr_hists - 1].via,
				   v.names.n == 1 ? v.names.name[0] : "mixed");
	strmap_release(&v.names);
}

void compare_hists(struct comparison *c)
{
	struct label_values v;

	add_hist(c, "wakeup_latency", "Wakeup latency", "us", 1000, "wakeup_latency",
		 NO_LABELS);
	add_hist(c, "preemption_wait", "Preemption wait", "us", 1000, "preemption_wait",
		 NO_LABELS);
	add_hist(c, "since_last_ran", "Time since the task last ran, at each migration", "us",
		 1000, "since_last_ran", NO_LABELS);
	label_values(&v, c, "function_latency", "function");
	for (uint32_t i = 0; i < v.names.n; i++) {
		char *key = xasprintf("function.%s", v.names.name[i]);
		char *title = xasprintf("Time inside %s()", v.names.name[i]);

		add_hist(c, key, title, "us", 1000, "function_latency",
			 LABELS("function", v.names.name[i]));
		set_via(c, v.names.name[i]);
		free(key);
		free(title);
	}
	strmap_release(&v.names);
}
