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

static void measure(struct cpus *c, struct row *r)
{
	const struct data *d = &c->view->app->data;
	char name[16];
	struct label label[2] = { { "cpu", name } };
	size_t n = r->cpu >= 0 ? 1 : 0;

	snprintf(name, sizeof(name), "%d", r->cpu);
	for (int s = 0; s < SIDE_NR; s++) {
		double all = data_mean(d, (enum side)s, "cpu_time", label, n);

		for (int m = 0; m < CPU_MODE_NR; m++) {
			label[n] = (struct label){ "mode", cpu_mode_name((enum cpu_mode)m) };
			r->share[s][m] = 100 *
					 data_mean(d, (enum side)s, "cpu_time", label,
						   n + 1) /
					 all;
		}
		label[0] = (struct label){ "cpu", name };
		r->busy[s] = 100 - r->share[s][CPU_MODE_IDLE] -
			     r->share[s][CPU_MODE_IOWAIT];
		r->switches[s] = n ? data_mean(d, (enum side)s, "cpu_switches", label, 1) :
				     data_mean(d, (enum side)s, "switches", NO_LABELS);
	}
}

static void add_cpu(const char *value, void *arg)
{
	struct cpus *c = arg;
	char *end;
	long cpu = strtol(value, &end, 10);

	if (*end || cpu < 0 || cpu > CPUSET_MAX)
		return;
	GROW(c->row, c->n, c->cap);
	c->row[c->n].cpu = (int)cpu;
	measure(c, &c->row[c->n++]);
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
	const char *series = data_has(d, "cpu_time") ? "cpu_time" : "cpu_switches";

	c->n = 0;
	if (data_has(d, series)) {
		GROW(c->row, c->n, c->cap);
		c->row[c->n].cpu = -1;
		measure(c, &c->row[c->n++]);
		data_each_label(d, series, NO_LABELS, "cpu", add_cpu, c);
		qsort(c->row, c->n, sizeof(*c->row), by_cpu);
	}
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
