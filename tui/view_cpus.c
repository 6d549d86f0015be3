// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs: where each spent its time, its switches, and above them how long CPUs
 * idled while work waited elsewhere. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "schedblame/alloc.h"
#include "schedblame/vocab.h"
#include "view.h"

struct row {
	int cpu; /* -1: all */
	double share[SIDE_NR][CPU_MODE_NR]; /* % of this CPU's time */
	double busy[SIDE_NR], switches[SIDE_NR];
};

struct cpus {
	struct view *view;
	struct row *row;
	size_t n, cap;
	struct table table;
};

enum columns_of_view { CPU, NODE, BUSY_A, BUSY_B, USER_A, USER_B, SYS_A, SYS_B, IRQ_A, IRQ_B,
	      IDLE_A, IDLE_B, WAIT_A, WAIT_B, SWITCH_A, SWITCH_B, NR_COLUMNS };

#define MODE_HELP "% of this CPU's time"
static const struct table_column columns[] = {
	[CPU] = { "CPU", 5, .text = true },
	[NODE] = { "node", 4 },
	[BUSY_A] = { "busy A", 6, .grow = true, .help = "100 - idle - iowait" },
	[BUSY_B] = { "busy B", 6, .grow = true, .help = "100 - idle - iowait" },
	[USER_A] = { "usr A", 5, .grow = true, .help = MODE_HELP },
	[USER_B] = { "usr B", 5, .grow = true, .help = MODE_HELP },
	[SYS_A] = { "sys A", 5, .grow = true, .help = MODE_HELP },
	[SYS_B] = { "sys B", 5, .grow = true, .help = MODE_HELP },
	[IRQ_A] = { "irq A", 5, .grow = true, .hidden = true, .help = MODE_HELP },
	[IRQ_B] = { "irq B", 5, .grow = true, .hidden = true, .help = MODE_HELP },
	[IDLE_A] = { "idle A", 6, .grow = true, .help = MODE_HELP },
	[IDLE_B] = { "idle B", 6, .grow = true, .help = MODE_HELP },
	[WAIT_A] = { "iowt A", 6, .grow = true, .hidden = true, .help = MODE_HELP },
	[WAIT_B] = { "iowt B", 6, .grow = true, .hidden = true, .help = MODE_HELP },
	[SWITCH_A] = { "sw A", 7, .grow = true, .help = "context switches" },
	[SWITCH_B] = { "sw B", 7, .grow = true, .help = "context switches" },
};

/* The row of a CPU, made when it is new; -1: of all. */
static struct row *row_of(struct cpus *c, int cpu)
{
	for (size_t i = c->n; i-- > 0;) /* mostly the last one again */
		if (c->row[i].cpu == cpu)
			return &c->row[i];
	GROW(c->row, c->n, c->cap);
	memset(&c->row[c->n], 0, sizeof(*c->row));
	c->row[c->n].cpu = cpu;
	return &c->row[c->n++];
}

/* One walk over a run's entries, whatever the number of CPUs. */
struct adding {
	struct cpus *c;
	enum side side;
	double scale;
};

static int add_entry(const struct series_set *set, const struct series *s, void *arg)
{
	const struct adding *a = arg;
	const char *cpu = series_label(set, s, "cpu"), *mode = series_label(set, s, "mode");
	char *end;
	long n = cpu ? strtol(cpu, &end, 10) : -1;
	struct row *r;

	if (!cpu || *end || n < 0 || n > CPUSET_MAX)
		return 0;
	r = row_of(a->c, (int)n);
	if (!mode)
		r->switches[a->side] += a->scale * (double)s->counter;
	for (int m = 0; mode && m < CPU_MODE_NR; m++)
		if (!strcmp(mode, cpu_mode_name((enum cpu_mode)m)))
			r->share[a->side][m] += a->scale * (double)s->counter;
	return 0;
}

static size_t runs_with(const struct data *d, enum side s, const char *name)
{
	const struct run_set *set = data_set(d, s);
	size_t n = 0;

	for (size_t i = 0; set && i < set->n; i++)
		n += series_has(&set->run[i].series, name) &&
		     data_run_scale(&set->run[i], d->unit) > 0;
	return n;
}

static void gather(struct cpus *c, enum side s, const char *name)
{
	const struct data *d = &c->view->app->data;
	const struct run_set *set = data_set(d, s);
	size_t n = runs_with(d, s, name);

	for (size_t i = 0; set && n && i < set->n; i++) {
		struct adding a = { c, s, data_run_scale(&set->run[i], d->unit) / (double)n };

		series_for_each(&set->run[i].series, name, NULL, 0, add_entry, &a);
	}
}

/* Sums become shares; what a side did not measure is not 0. */
static void finish(struct cpus *c, struct row *r, enum side s)
{
	const struct data *d = &c->view->app->data;
	double all = 0;

	for (int m = 0; m < CPU_MODE_NR; m++)
		all += r->share[s][m];
	for (int m = 0; m < CPU_MODE_NR; m++)
		r->share[s][m] = all > 0 ? 100 * r->share[s][m] / all : NAN;
	r->busy[s] = 100 - r->share[s][CPU_MODE_IDLE] - r->share[s][CPU_MODE_IOWAIT];
	if (r->cpu < 0)
		r->switches[s] = data_mean(d, s, "switches", NO_LABELS);
	else if (!runs_with(d, s, "cpu_switches"))
		r->switches[s] = NAN;
}

static void add_total(struct cpus *c)
{
	struct row all = { .cpu = -1 };

	for (size_t i = 0; i < c->n; i++)
		for (int s = 0; s < SIDE_NR; s++)
			for (int m = 0; m < CPU_MODE_NR; m++)
				all.share[s][m] += c->row[i].share[s][m];
	GROW(c->row, c->n, c->cap);
	c->row[c->n++] = all;
}

static int by_cpu(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static void cpus_refresh(struct view *v)
{
	static const int of_b[] = { BUSY_B, USER_B, SYS_B, IDLE_B, SWITCH_B };
	const struct data *d = &v->app->data;
	struct cpus *c = v->model;

	c->n = 0;
	for (int side = 0; side < SIDE_NR; side++) {
		gather(c, (enum side)side, "cpu_time");
		gather(c, (enum side)side, "cpu_switches");
	}
	if (c->n)
		add_total(c);
	for (size_t i = 0; i < c->n; i++)
		for (int side = 0; side < SIDE_NR; side++)
			finish(c, &c->row[i], (enum side)side);
	if (c->n)
		qsort(c->row, c->n, sizeof(*c->row), by_cpu);
	for (size_t i = 0; i < ARRAY_SIZE(of_b); i++)
		c->table.visible[of_b[i]] = data_both(d);
}

static size_t nr_rows(const void *data)
{
	return ((const struct cpus *)data)->n;
}

static double irq(const struct row *r, enum side s)
{
	return r->share[s][CPU_MODE_IRQ] + r->share[s][CPU_MODE_SOFTIRQ];
}

static double user(const struct row *r, enum side s)
{
	return r->share[s][CPU_MODE_USER] + r->share[s][CPU_MODE_NICE];
}

static double number(const void *data, size_t row, int col)
{
	const struct cpus *c = data;
	const struct row *r = &c->row[row];
	const struct topology *t = data_topology(&c->view->app->data);
	int node = r->cpu < 0 || !t ? -1 : topology_node_of(t, (unsigned)r->cpu);
	const double v[NR_COLUMNS] = {
		[CPU] = r->cpu,
		[NODE] = node < 0 ? NAN : node,
		[BUSY_A] = r->busy[SIDE_A],
		[BUSY_B] = r->busy[SIDE_B],
		[USER_A] = user(r, SIDE_A),
		[USER_B] = user(r, SIDE_B),
		[SYS_A] = r->share[SIDE_A][CPU_MODE_SYSTEM],
		[SYS_B] = r->share[SIDE_B][CPU_MODE_SYSTEM],
		[IRQ_A] = irq(r, SIDE_A),
		[IRQ_B] = irq(r, SIDE_B),
		[IDLE_A] = r->share[SIDE_A][CPU_MODE_IDLE],
		[IDLE_B] = r->share[SIDE_B][CPU_MODE_IDLE],
		[WAIT_A] = r->share[SIDE_A][CPU_MODE_IOWAIT],
		[WAIT_B] = r->share[SIDE_B][CPU_MODE_IOWAIT],
		[SWITCH_A] = r->switches[SIDE_A],
		[SWITCH_B] = r->switches[SIDE_B],
	};

	return v[col];
}

static void cell(const void *data, size_t row, int col, struct strbuf *sb,
		 unsigned *style)
{
	const struct row *r = &((const struct cpus *)data)->row[row];
	double v = number(data, row, col);
	char text[32];

	if (r->cpu < 0)
		*style = STYLE_BOLD;
	if (col == CPU && r->cpu < 0)
		strbuf_addstr(sb, "all");
	else if (isnan(v))
		strbuf_addch(sb, '-');
	else if (col == CPU || col == NODE)
		strbuf_addf(sb, "%.0f", v);
	else if (col >= SWITCH_A)
		strbuf_addstr(sb, value_text(text, sizeof(text), v));
	else
		strbuf_addf(sb, "%.1f", v);
}

static const struct table_model model = {
	.column = columns,
	.nr_columns = NR_COLUMNS,
	.nr_rows = nr_rows,
	.cell = cell,
	.number = number,
};

static void cpus_open(struct view *v, const void *arg)
{
	struct cpus *c = v->model;

	(void)arg;
	c->view = v;
	table_init(&c->table, &model, c);
	c->table.empty = "the time of CPUs was not measured in these runs";
	v->table = &c->table;
}

static void cpus_release(struct view *v)
{
	struct cpus *c = v->model;

	free(c->row);
	table_release(&c->table);
}

/* Idle time while a task waited, by the distance between the two CPUs. */
static void put_idle_waiting(struct view *v, const struct area *a, enum side s, int y)
{
	const struct data *d = &v->app->data;
	char text[32];
	int x;

	x = area_printf(a, 0, y, s == SIDE_A ? STYLE_SIDE_A : STYLE_SIDE_B, "%c ",
			s == SIDE_A ? 'A' : 'B');
	x = area_printf(a, x, y, STYLE_NORMAL, "all %s",
			time_text(text, sizeof(text),
				  data_mean(d, s, "idle_while_waiting", NO_LABELS)));
	for (int dist = DIST_SELF; dist < DIST_NR; dist++) {
		double ns = data_mean(d, s, "idle_while_waiting",
				      LABELS("distance",
					     distance_name((enum distance)dist)));

		if (ns > 0)
			x = area_printf(a, x + 2, y, STYLE_NORMAL, "%s %s",
					distance_title((enum distance)dist),
					time_text(text, sizeof(text), ns));
	}
}

static int cpus_above(struct view *v, const struct area *a)
{
	const struct data *d = &v->app->data;

	if (!data_has(d, "idle_while_waiting"))
		return 0;
	area_printf(a, 0, 0, STYLE_BOLD, "CPU time idle while work waits, %s",
		    unit_title(d->unit));
	put_idle_waiting(v, a, SIDE_A, 1);
	if (data_both(d))
		put_idle_waiting(v, a, SIDE_B, 2);
	return data_both(d) ? 4 : 3;
}

const struct view_ops view_cpus = {
	.name = "cpus",
	.title = "CPUs",
	.brief = "CPUs",
	.help = "How busy each CPU was and with what, in per cent of its time, and its "
		"context switches. Above: time in which a CPU idled although a task that "
		"may run there waited on another, by how far away that one is.",
	.hint = "s < > sort  I invert  f columns  u units",
	.size = sizeof(struct cpus),
	.open = cpus_open,
	.release = cpus_release,
	.refresh = cpus_refresh,
	.above = cpus_above,
};
