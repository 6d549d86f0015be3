// SPDX-License-Identifier: GPL-2.0-or-later
/* The first screen: what was compared, the result, where the CPU time went and
 * the figures a reviewer asks for. Each row leads to the view that tells more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "draw.h"
#include "figures.h"
#include "overview.h"
#include "schedblame/alloc.h"
#include "schedblame/strmap.h"
#include "schedblame/vocab.h"
#include "view.h"

static size_t count_boots(const struct run_set *set)
{
	struct strmap boots;
	size_t n;

	strmap_init(&boots);
	for (size_t i = 0; i < set->n; i++)
		if (set->run[i].boot_id && *set->run[i].boot_id)
			strmap_adds(&boots, set->run[i].boot_id);
	n = boots.n;
	strmap_release(&boots);
	return n;
}

static void add_side(struct view *v, struct page *p, enum side s)
{
	const struct run_set *set = data_set(&v->app->data, s);
	struct strbuf sb = STRBUF_INIT;
	size_t cut = 0, boots;
	struct area a;

	if (!set)
		return;
	boots = count_boots(set);
	for (size_t i = 0; i < set->n; i++)
		cut += !set->run[i].complete;
	strbuf_addf(&sb, "%zu run%s", set->n, set->n == 1 ? "" : "s");
	if (boots)
		strbuf_addf(&sb, " from %zu boot%s", boots, boots == 1 ? "" : "s");
	if (cut)
		strbuf_addf(&sb, ", %zu cut short", cut);
	if (set->run[0].kernel_release && *set->run[0].kernel_release)
		strbuf_addf(&sb, ", Linux %s", set->run[0].kernel_release);
	if (set->run[0].command && *set->run[0].command)
		strbuf_addf(&sb, ", %s", set->run[0].command);
	a = page_rows(p, 1);
	area_put(&a, 0, 0, s == SIDE_A ? STYLE_SIDE_A : STYLE_SIDE_B,
		 s == SIDE_A ? "A" : "B");
	area_field(&a, 2, 0, 18, false, STYLE_BOLD, set->label ? set->label : "?");
	area_field(&a, 21, 0, a.w - 21, false, STYLE_NORMAL, sb.buf);
	page_link(p, TO_setup);
	strbuf_release(&sb);
}

static struct figure metric_figure(const struct data *d, enum side s, const char *name)
{
	const struct run_set *set = data_set(d, s);
	struct figure f = { NAN, NAN, 0 };
	double sum = 0, m2 = 0;

	for (size_t i = 0; set && i < set->n; i++) {
		const struct metric *m = run_metric(&set->run[i], name);

		if (!m)
			continue;
		f.n++;
		sum += m->value;
		m2 += m->value * m->value;
	}
	if (f.n) {
		f.mean = sum / (double)f.n;
		f.std = sqrt(fmax(0, m2 / (double)f.n - f.mean * f.mean));
	}
	return f;
}

/* What the comparison says of a metric; nothing while it is made. */
static enum verdict metric_verdict(struct view *v, const struct metric *m)
{
	const struct analysis *a = app_analysis(v->app);
	const struct compare_row *row;
	size_t n;

	if (!a || a->b < 0)
		return VERDICT_CANNOT_TELL;
	row = comparison_table(&a->comparison, COMPARE_BENCHMARK, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(row[i].title, m->name) && row[i].better != BETTER_NONE)
			return row[i].cell[a->at[a->b]].verdict;
	return VERDICT_CANNOT_TELL;
}

static void add_metric(struct view *v, struct page *p, const struct metric *m)
{
	struct figure_row row = { .direction = m->higher_is_better ? 1 : -1,
				  .better_positive = true };
	char text[SIDE_NR][64], one[32];
	char *title = xasprintf("%s%s%s%s", m->name, *m->unit ? " (" : "", m->unit,
				*m->unit ? ")" : "");

	for (int s = 0; s < SIDE_NR; s++) {
		struct figure f = metric_figure(&v->app->data, (enum side)s, m->name);

		row.value[s] = f.mean;
		value_text(one, sizeof(one), f.mean);
		if (f.n > 1 && f.mean > 0)
			snprintf(text[s], sizeof(text[s]), "%s (%.1f%%)", one,
				 100 * f.std / f.mean);
		else
			snprintf(text[s], sizeof(text[s]), "%s", one);
		row.text[s] = text[s];
	}
	row.title = title;
	row.verdict = metric_verdict(v, m);
	figure_row(p, &v->app->data, &row);
	page_link(p, TO_bench);
	free(title);
}

#define MOST_METRICS 4

static void add_metrics(struct view *v, struct page *p)
{
	const struct run_set *set = data_set(&v->app->data, SIDE_A);

	if (!set || !set->run[0].nr_metrics)
		return;
	figure_head(p, &v->app->data, "Result (std%), + is better");
	for (size_t i = 0; i < set->run[0].nr_metrics && i < MOST_METRICS; i++)
		add_metric(v, p, &set->run[0].metric[i]);
	if (set->run[0].nr_metrics > MOST_METRICS)
		page_line(p, STYLE_DIM, "  and %zu more: 9",
			  set->run[0].nr_metrics - MOST_METRICS);
}

static const struct {
	enum cpu_mode mode;
	unsigned style;
	char letter;
} modes[] = {
	{ CPU_MODE_USER, STYLE_RUN_1, 'u' },	{ CPU_MODE_NICE, STYLE_RUN_1, 'n' },
	{ CPU_MODE_SYSTEM, STYLE_RUN_3, 's' },	{ CPU_MODE_IRQ, STYLE_HEAT_5, 'i' },
	{ CPU_MODE_SOFTIRQ, STYLE_HEAT_5, 'q' }, { CPU_MODE_STEAL, STYLE_WARN, 'h' },
	{ CPU_MODE_IOWAIT, STYLE_DIM, 'w' },	{ CPU_MODE_IDLE, STYLE_DIM, '.' },
};

static double mode_share(const struct data *d, enum side s, enum cpu_mode mode)
{
	double all = data_mean(d, s, "cpu_time", NO_LABELS);

	return 100 * data_mean(d, s, "cpu_time", LABELS("mode", cpu_mode_name(mode))) /
	       all;
}

static void add_time_bar(struct view *v, struct page *p, enum side s)
{
	struct bar_part part[ARRAY_SIZE(modes)];
	struct area a = page_rows(p, 1);

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		part[i] = (struct bar_part){
			mode_share(&v->app->data, s, modes[i].mode) / 100,
			modes[i].style, modes[i].letter
		};
	area_printf(&a, 2, 0, s == SIDE_A ? STYLE_SIDE_A : STYLE_SIDE_B, "%c",
		    s == SIDE_A ? 'A' : 'B');
	bar_draw(&a, 4, 0, a.w - 5, part, ARRAY_SIZE(modes));
	page_link(p, TO_cpus);
}

static void add_cpu_time(struct view *v, struct page *p)
{
	const struct data *d = &v->app->data;

	if (!data_has(d, "cpu_time"))
		return;
	figure_head(p, d, "CPU time, % of all");
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct figure_row row = { cpu_mode_title(modes[i].mode),
					  .percent_points = true };
		char text[SIDE_NR][32];

		for (int s = 0; s < SIDE_NR; s++) {
			row.value[s] = mode_share(d, (enum side)s, modes[i].mode);
			row.text[s] = text[s];
			snprintf(text[s], sizeof(text[s]), isnan(row.value[s]) ? "-" : "%.1f",
				 row.value[s]);
		}
		if (!(row.value[SIDE_A] >= 0.05) && !(row.value[SIDE_B] >= 0.05))
			continue;
		figure_row(p, d, &row);
		page_link(p, TO_cpus);
	}
	add_time_bar(v, p, SIDE_A);
	if (data_both(d))
		add_time_bar(v, p, SIDE_B);
}

/* Key figures: of a counter the value, of a histogram a percentile. */
static const struct key_figure {
	const char *title, *series, *key, *value;
	double percentile; /* 0: a count */
	const char *row;   /* of the comparison: its value and verdict; NULL */
	bool ns; /* a counter of nanoseconds */
	enum overview_target to;
} figures[] = {
	{ "context switches", "switches", .to = TO_cpus },
	{ "  voluntary", "switches", "kind", "voluntary", .to = TO_cpus },
	{ "  preempted", "switches", "kind", "preempted", .to = TO_cpus },
	{ "wakeups", "wakeups", .to = TO_migrations },
	{ "migrations", "migrations", .to = TO_migrations },
	{ "  to a remote node", "migrations", "distance", "remote",
	  .to = TO_migrations },
	{ "  steals when newly idle", "migrations", "reason", "steal_newidle",
	  .to = TO_steals },
	{ "  cache-hot", "hot_verdict", "verdict", "threshold", .to = TO_steals },
	{ "wakeup latency, median", "wakeup_latency", .percentile = 0.5,
	  .row = "waits.wakeup_latency.p50", .to = TO_latency },
	{ "wakeup latency, 99%", "wakeup_latency", .percentile = 0.99,
	  .row = "waits.wakeup_latency.p99", .to = TO_latency },
	{ "preemption wait, 99%", "preemption_wait", .percentile = 0.99,
	  .row = "waits.preemption_wait.p99", .to = TO_latency },
	{ "idle search, 99%", "function_latency", "function", "select_idle_cpu", 0.99,
	  .row = "functions.select_idle_cpu.p99", .to = TO_latency },
	{ "idle while work waits", "idle_while_waiting", .ns = true, .to = TO_cpus },
	{ "NUMA hint faults", "vmstat", "field", "numa_hint_faults", .to = TO_numa },
	{ "  on the task's own node", "vmstat", "field", "numa_hint_faults_local",
	  .to = TO_numa },
	{ "NUMA pages moved", "vmstat", "field", "numa_pages_migrated", .to = TO_numa },
};

static double figure_value(const struct data *d, enum side s, const struct key_figure *k)
{
	const struct label label = { k->key, k->value };
	struct histogram *h;
	double v = NAN;

	if (!k->percentile)
		return data_mean(d, s, k->series, &label, k->key ? 1 : 0);
	h = xcalloc(1, sizeof(*h));
	if (data_histogram(d, s, k->series, &label, k->key ? 1 : 0, h) && h->count)
		v = histogram_percentile(h, k->percentile);
	free(h);
	return v;
}

/* Percentiles are those of the report: means over the runs of each run's own, with
 * their verdict; a merge of all runs would say something else. Rows are in us. */
static void take_row(struct view *v, const struct key_figure *k, enum side s,
		     struct figure_row *out)
{
	const struct analysis *a = k->row ? app_analysis(v->app) : NULL;
	const struct compare_row *row = a ? comparison_row(&a->comparison, k->row) : NULL;
	const struct compare_cell *cell;

	if (!row || (s == SIDE_B && a->b < 0))
		return;
	cell = &row->cell[s == SIDE_A ? 0 : a->at[a->b]];
	out->value[s] = cell->n ? cell->sum.mean * (strcmp(row->unit, "us") ? 1 : 1000) : NAN;
	if (s == SIDE_B)
		out->verdict = cell->verdict;
}

static void add_figures(struct view *v, struct page *p)
{
	const struct data *d = &v->app->data;
	char *title = xasprintf("Key figures, %s", unit_title(d->unit));

	figure_head(p, d, title);
	free(title);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		const struct key_figure *k = &figures[i];
		struct figure_row row = { k->title };
		char text[SIDE_NR][32];

		for (int s = 0; s < SIDE_NR; s++) {
			row.value[s] = figure_value(d, (enum side)s, k);
			take_row(v, k, (enum side)s, &row);
			if (k->percentile || k->ns)
				row.text[s] = time_text(text[s], sizeof(text[s]),
							row.value[s]);
		}
		if (isnan(row.value[SIDE_A]) && isnan(row.value[SIDE_B]))
			continue;
		figure_row(p, d, &row);
		page_link(p, k->to);
	}
}

struct overview {
	bool moved; /* the cursor was put on the verdict, once */
};

static void overview_build(struct view *v, struct page *p)
{
	size_t links;

	if (!data_set(&v->app->data, SIDE_A)) {
		page_line(p, STYLE_DIM, "  %s", v->app->busy ? v->app->busy :
							       "nothing is open");
		return;
	}
	add_side(v, p, SIDE_A);
	add_side(v, p, SIDE_B);
	overview_add_differences(v, p);
	add_metrics(v, p);
	links = p->nr_links;
	if (!overview_add_blame(v, p))
		add_cpu_time(v, p);
	else if (!((struct overview *)v->model)->moved)
		p->cursor = links; /* what one wants to read first */
	((struct overview *)v->model)->moved |= app_analysis(v->app) != NULL;
	add_figures(v, p);
}

static void overview_enter(struct view *v, long target)
{
	if (target == TO_verdict)
		app_push(v->app, &view_verdict, NULL);
	else if (target == TO_numa)
		bench_push(v->app, COMPARE_NUMA);
	else if (target >= 0)
		app_goto(v->app, app_tab_ops((int)target));
}

const struct view_ops view_overview = {
	.name = "overview",
	.title = "Overview",
	.brief = "Over",
	.help = "What was compared, the result with its scatter, where the CPU time "
		"went, and the key figures. Enter on a row opens the view that tells "
		"more about it.",
	.hint = "Enter more about the row  u units  x swap",
	.size = sizeof(struct overview),
	.build = overview_build,
	.enter = overview_enter,
};
