// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout that mails have used since 2002:
 *
 *	diffprofile 2.5.44-mm4 2.5.44-mm4-hbaum
 *	(for kernbench, + got worse by adding the patch, - got better)
 *
 *	184 vm_enough_memory
 *	...
 *	-1015 do_anonymous_page
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diffprofile.h"
#include "schedblame/alloc.h"
#include "schedblame/text.h"

/* Decimals such that the smallest threshold of that size still shows. */
static int decimals(const struct profdiff *d)
{
	return d->norm == NORM_SHARE ? 2 : d->norm == NORM_TIME ? 3 : 0;
}

void diffprofile_add_name(struct strbuf *sb, const struct profdiff_row *row)
{
	text_add_ascii(sb, row->name, strlen(row->name));
	if (*row->module) {
		strbuf_addstr(sb, " [");
		text_add_ascii(sb, row->module, strlen(row->module));
		strbuf_addch(sb, ']');
	}
	if (row->guess)
		strbuf_addstr(sb, " (guess)");
}

double diffprofile_threshold(const struct profdiff *d, size_t side,
			     const struct diffprofile_view *view)
{
	if (!isnan(view->threshold))
		return view->threshold;
	return profdiff_threshold(d, side, view->rows);
}

static void add_row(struct strbuf *sb, const struct profdiff *d, size_t side,
		    const struct profdiff_row *row, bool percent)
{
	const struct profdiff_cell *c = &row->cell[side], *base = &row->cell[0];
	int places = decimals(d);

	if (percent && base->value > 0 && c->value > 0)
		strbuf_addf(sb, "%10.*f %8.1f%% ", places, c->change,
			    100 * c->change / base->value);
	else if (percent)
		strbuf_addf(sb, "%10.*f %9s ", places, c->change, c->value > 0 ? "new" : "gone");
	else
		strbuf_addf(sb, "%.*f ", places, c->change);
	diffprofile_add_name(sb, row);
	strbuf_addch(sb, '\n');
}

/* Rounds to nothing in this layout: "0 symbol" says less than silence. */
static bool is_shown(const struct profdiff *d, double change, double threshold)
{
	double half = 0.5 * pow(10, -decimals(d));

	return fabs(change) >= threshold && fabs(change) >= half;
}

/* Order of this side; rows come sorted by the last side. */
struct order {
	const struct profdiff *d;
	size_t side;
};

static int by_change(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	const struct profdiff_row *x = &o->d->row[*(const size_t *)a];
	const struct profdiff_row *y = &o->d->row[*(const size_t *)b];
	double cx = x->cell[o->side].change, cy = y->cell[o->side].change;
	double unit = pow(10, -decimals(o->d));

	/* What is printed alike is sorted by name, last first, as sort -rn does. */
	cx = nearbyint(cx / unit);
	cy = nearbyint(cy / unit);
	if (cx != cy)
		return cx < cy ? 1 : -1;
	return strcmp(y->name, x->name);
}

size_t diffprofile_shown(const struct profdiff *d, size_t side, double threshold,
			 size_t *index)
{
	struct order order = { d, side };
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		if (is_shown(d, d->row[i].cell[side].change, threshold))
			index[n++] = i;
	qsort_r(index, n, sizeof(*index), by_change, &order);
	return n;
}

void diffprofile_rows(struct strbuf *sb, const struct profdiff *d, size_t side,
		      const struct diffprofile_view *view)
{
	double threshold = diffprofile_threshold(d, side, view);
	size_t *index = xmalloc((d->n + 1) * sizeof(*index));
	size_t n = diffprofile_shown(d, side, threshold, index), i;

	for (i = 0; i < n && d->row[index[i]].cell[side].change > 0; i++)
		add_row(sb, d, side, &d->row[index[i]], view->percent);
	if (n)
		/* the mails cut the middle by hand; four dots after this sentence */
		strbuf_addstr(sb, i ? "...\n" : "<nothing significantly degraded>\n....\n");
	for (; i < n; i++)
		add_row(sb, d, side, &d->row[index[i]], view->percent);
	free(index);
}

void diffprofile_caption(struct strbuf *sb, const struct profdiff *d)
{
	if (d->norm != NORM_TICKS)
		strbuf_addf(sb, "%s, ", profdiff_norm_caption[d->norm]);
	if (d->by != BY_SYMBOL)
		strbuf_addf(sb, "by %s, ", profdiff_by_name[d->by]);
}

/* Breaks a caption longer than a mail's line at its last comma. */
static void wrap(struct strbuf *sb, size_t from)
{
	size_t comma = from;

	for (size_t i = from; i < sb->len && i < from + 78; i++)
		if (sb->buf[i] == ',' && sb->buf[i + 1] == ' ')
			comma = i;
	if (sb->len - from > 80 && comma > from)
		sb->buf[comma + 1] = '\n';
}

static void add_header(struct strbuf *sb, const struct diffprofile_page *page, size_t side)
{
	const struct profdiff *d = page->d;
	const char *workload = page->view->workload;
	size_t from;

	if (!workload && page->in)
		workload = page->in[0].workload;
	strbuf_addstr(sb, "diffprofile ");
	text_add_ascii(sb, d->label[0], strlen(d->label[0]));
	strbuf_addch(sb, ' ');
	text_add_ascii(sb, d->label[side], strlen(d->label[side]));
	strbuf_addstr(sb, "\n");
	from = sb->len;
	strbuf_addch(sb, '(');
	if (workload && *workload) {
		strbuf_addstr(sb, "for ");
		text_add_ascii(sb, workload, strlen(workload));
		strbuf_addstr(sb, ", ");
	}
	diffprofile_caption(sb, d);
	strbuf_addstr(sb, "+ got worse by adding the patch, - got better)\n\n");
	wrap(sb, from);
}

static bool any_change(const struct profdiff *d, size_t side)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->row[i].cell[side].change != 0)
			return true;
	return false;
}

int diffprofile_classic(struct strbuf *sb, const struct diffprofile_page *page,
			struct err *err)
{
	for (size_t side = 1; side < page->d->nr_sides; side++) {
		if (!any_change(page->d, side))
			continue;
		if (sb->len)
			strbuf_addch(sb, '\n');
		if (!page->view->no_caption)
			add_header(sb, page, side);
		diffprofile_rows(sb, page->d, side, page->view);
	}
	return 0;
}
