// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text of opreport, with symbols (-l) or by image, one or several events:
 *	[vma] samples % [samples % ...] [linenr info] [image name] [app name] [symbol name]
 * The heading tells which; only the first event's pair is used unless --event
 * names another. With -g, indented rows below a symbol are callers and callees.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prof.h"
#include "schedblame/alloc.h"

#define PROBE_LINES 60
#define EVENTS_MAX 16

enum cell_kind { CELL_LINENR, CELL_IMAGE, CELL_APP, CELL_SYMBOL };

struct layout {
	bool vma, symbols;
	int pairs;	/* samples and % */
	enum cell_kind cell[4];
	int nr_cells;
};

static bool has(const struct prof_line *line, const char *what)
{
	return memmem(line->s, line->len, what, strlen(what)) != NULL;
}

static int count(const struct prof_line *line, const char *what)
{
	const char *p = line->s, *end = p + line->len;
	int n = 0;

	while ((p = memmem(p, (size_t)(end - p), what, strlen(what)))) {
		p += strlen(what);
		n++;
	}
	return n;
}

/* Titles in the order in which they stand. */
static void order_cells(struct layout *l, const struct prof_line *line)
{
	static const char *const titles[] = { "linenr info", "image name", "app name",
					      "symbol name" };
	const char *at[4];

	l->nr_cells = 0;
	for (int k = 0; k < 4; k++) {
		int i = l->nr_cells;

		at[k] = memmem(line->s, line->len, titles[k], strlen(titles[k]));
		if (!at[k])
			continue;
		for (; i > 0 && at[l->cell[i - 1]] > at[k]; i--)
			l->cell[i] = l->cell[i - 1];
		l->cell[i] = (enum cell_kind)k;
		l->nr_cells++;
		l->symbols |= k == CELL_SYMBOL;
	}
}

/* "samples  %  symbol name" or, by image, "  samples|      %|". */
static bool parse_heading(struct layout *l, const struct prof_line *line)
{
	memset(l, 0, sizeof(*l));
	if (!has(line, "samples") || !has(line, "%"))
		return false;
	l->pairs = count(line, "samples");
	if (l->pairs > EVENTS_MAX)
		return false;
	if (has(line, "|")) {
		l->cell[l->nr_cells++] = CELL_IMAGE;
		return true;
	}
	l->vma = has(line, "vma");
	order_cells(l, line);
	return l->nr_cells > 0;
}

static bool probe(const struct prof_input *in)
{
	struct prof_lines it;
	struct prof_line line;
	struct layout l;
	bool cpu = false;

	prof_lines_init(&it, in);
	while (it.number < PROBE_LINES && prof_next_line(&it, &line)) {
		const char *p = line.s;
		struct prof_word w;

		cpu |= has(&line, "CPU: ") || has(&line, "Counted ");
		if (!prof_next_word(&p, line.s + line.len, &w) ||
		    !(prof_word_is(&w, "samples") || prof_word_is(&w, "vma") ||
		      prof_word_is(&w, "samples|")))
			continue;
		if (parse_heading(&l, &line))
			return cpu || l.symbols;
	}
	return false;
}

/* Cells are two blanks apart; symbols may hold single ones. */
static int split_cells(const char *p, const char *end, struct prof_word *cell, int max)
{
	int n = 0;

	while (p < end && n < max) {
		const char *stop;

		while (p < end && *p == ' ')
			p++;
		if (p >= end)
			break;
		stop = n == max - 1 ? NULL : memmem(p, (size_t)(end - p), "  ", 2);
		if (!stop)
			stop = end;
		cell[n++] = (struct prof_word){ p, (size_t)(stop - p) };
		p = stop;
	}
	if (n)
		while (cell[n - 1].len && cell[n - 1].s[cell[n - 1].len - 1] == ' ')
			cell[n - 1].len--;
	return n;
}

struct row {
	uint64_t samples;
	struct prof_word cell[4];
	int n;
};

static bool parse_row(const struct layout *l, int pair, const struct prof_line *line,
		      struct row *row)
{
	const char *p = line->s, *end = p + line->len;
	struct prof_word w;
	uint64_t v;
	double percent;

	if (l->vma && (!prof_next_word(&p, end, &w) || !prof_word_hex(&w, &v)))
		return false;
	for (int i = 0; i < l->pairs; i++) {
		if (!prof_next_word(&p, end, &w) || !prof_word_u64(&w, &v) ||
		    !prof_next_word(&p, end, &w) || !prof_word_double(&w, &percent))
			return false;
		if (i == pair)
			row->samples = v;
	}
	row->n = split_cells(p, end, row->cell, l->nr_cells);
	return row->n > 0;
}

static void add_row(struct profile *p, const struct layout *l, const struct row *row,
		    const struct profile_options *options)
{
	struct prof_word name = { "", 0 }, image = { "", 0 };
	enum profile_space space = SPACE_UNKNOWN;
	uint32_t id;

	/* cells are counted from the right: a missing one is on the left */
	for (int i = 0; i < row->n; i++) {
		enum cell_kind kind = l->cell[l->nr_cells - row->n + i];

		if (kind == CELL_SYMBOL)
			name = row->cell[i];
		else if (kind == CELL_IMAGE)
			image = row->cell[i];
	}
	if (!l->symbols)
		name = image;
	if (image.len)
		space = prof_module(&image, 0, false);
	else if (!memmem(name.s, name.len, "::", 2))
		space = SPACE_UNKNOWN;
	if (prof_word_is(&name, "(no symbols)") || prof_word_is(&name, "(no symbol)"))
		name.len = 0;
	id = prof_symbol(p, &name, &image, space);
	if (space == SPACE_USER && !options->user_symbols)
		id = PROFILE_USER;
	profile_add(p, id, row->samples, (double)row->samples);
}

/* "Counted CPU_CLK_UNHALTED events (...) ... count 100000": the n-th is pair n. */
static void read_event(struct profile *p, const struct prof_line *line,
		       const char *wanted, int *pair, int *seen)
{
	const char *s = line->s, *end = s + line->len;
	struct prof_word w;
	char *name;

	if (!prof_next_word(&s, end, &w) || !prof_word_is(&w, "Counted") ||
	    !prof_next_word(&s, end, &w))
		return;
	name = xstrndup(w.s, w.len);
	if ((!wanted && !*seen) || (wanted && !strcmp(name, wanted))) {
		profile_set(&p->event, name);
		*pair = *seen;
	}
	free(name);
	++*seen;
}

static int load(struct profile *p, const struct prof_input *in,
		const struct profile_options *options, struct err *err)
{
	struct layout l = { 0 };
	struct prof_lines it;
	struct prof_line line;
	struct row row;
	bool ruled = false, headed = false;
	int pair = 0, seen = 0;

	profile_set(&p->unit, "samples");
	p->fixed_period = true;
	prof_lines_init(&it, in);
	while (prof_next_line(&it, &line)) {
		if (!headed) {
			read_event(p, &line, options->event, &pair, &seen);
			headed = parse_heading(&l, &line);
			continue;
		}
		if (line.len > 20 && prof_line_only(&line, "-") && l.symbols)
			ruled = true;
		if (ruled && line.len && strchr(" \t", *line.s))
			continue;
		if (parse_row(&l, pair, &line, &row))
			add_row(p, &l, &row, options);
	}
	if (options->event && !*p->event)
		return err_set(err, ENOENT, "%s has no event %s", in->path, options->event);
	return 0;
}

const struct prof_format prof_format_oprofile = { "opreport", probe, load };
