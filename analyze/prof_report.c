// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text of `perf report --stdio`. Columns stand where the row of dots under their
 * titles says; self time is "Self", or "Overhead" where there is no "Children".
 * Call graphs below the rows are passed over: their branches are inclusive.
 * Rows copied from the browser have no titles: "+  12.3%  4.5%  comm  dso  [k] f".
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prof.h"
#include "schedblame/alloc.h"

#define PROBE_LINES 400
#define COLUMNS_MAX 32

struct column {
	size_t from, to;
};

enum { COL_SELF, COL_SAMPLES, COL_PERIOD, COL_OBJECT, COL_SYMBOL, NR_COLS };

struct reader {
	struct profile *p;
	const struct profile_options *options;
	const struct prof_input *in;
	struct column col[NR_COLS]; /* from == to: not there */
	struct prof_line titles;
	bool have, skip; /* columns known; section of another event */
	bool bare;	 /* no titles at all */
	double samples, weight; /* of the section's heading */
	double sum;	 /* per cents so far */
};

static struct prof_word cell(const struct prof_line *line, const struct column *c)
{
	struct prof_word w = { line->s, 0 };
	size_t from = c->from, to = c->to < line->len ? c->to : line->len;

	while (from < to && strchr(" \t", line->s[from]))
		from++;
	while (to > from && strchr(" \t", line->s[to - 1]))
		to--;
	if (to > from)
		w = (struct prof_word){ line->s + from, to - from };
	return w;
}

/* "8K", "1M", "123": perf rounds what it prints. */
static double rounded(const struct prof_word *w)
{
	struct prof_word n = *w;
	double v, scale = 1;

	if (n.len && n.s[n.len - 1] == 'K')
		scale = 1e3;
	else if (n.len && n.s[n.len - 1] == 'M')
		scale = 1e6;
	else if (n.len && n.s[n.len - 1] == 'G')
		scale = 1e9;
	if (scale > 1)
		n.len--;
	return prof_word_double(&n, &v) && v >= 0 ? v * scale : 0;
}

static bool starts(const struct prof_line *line, const char *with, const char **rest)
{
	size_t n = strlen(with);

	if (line->len < n || memcmp(line->s, with, n))
		return false;
	*rest = line->s + n;
	return true;
}

/* "# Samples: 8K of event 'cycles:pp'" opens the section of an event. */
static void open_section(struct reader *r, const char *p, const char *end)
{
	const char *quote = memchr(p, '\'', (size_t)(end - p)), *close;
	struct prof_word w;
	char *event;

	r->have = false;
	if (prof_next_word(&p, end, &w))
		r->samples = rounded(&w);
	close = quote ? memchr(quote + 1, '\'', (size_t)(end - quote - 1)) : NULL;
	event = close ? xstrndup(quote + 1, (size_t)(close - quote - 1)) : xstrdup("");
	r->skip = r->p->weight > 0 ||
		  (r->options->event && strcmp(event, r->options->event));
	if (!r->skip)
		profile_set(&r->p->event, event);
	free(event);
}

/* Titles above a row of dots: the dots are the columns. */
static void find_columns(struct reader *r, const struct prof_line *dots)
{
	static const char *const titles[] = { "Self", "Samples", "Period", "Shared Object",
					      "Symbol" };
	size_t i = 1;

	memset(r->col, 0, sizeof(r->col));
	while (i < dots->len) {
		struct column c = { i, i };
		struct prof_word w;

		while (c.to < dots->len && dots->s[c.to] == '.')
			c.to++;
		if (c.to == c.from) {
			i++;
			continue;
		}
		i = c.to;
		w = cell(&r->titles, &c);
		for (int k = 0; k < NR_COLS; k++)
			if (prof_word_is(&w, titles[k]))
				r->col[k] = c;
		if (prof_word_is(&w, "Overhead") && !r->col[COL_SELF].to)
			r->col[COL_SELF] = c;
	}
	r->col[COL_SYMBOL].to = r->col[COL_SYMBOL].to ? SIZE_MAX : 0;
	if (r->col[COL_SELF].from)
		r->col[COL_SELF].from = r->col[COL_SELF].from > 2 ? r->col[COL_SELF].from - 2 : 0;
	r->have = r->col[COL_SELF].to && r->col[COL_SYMBOL].to;
}

static void read_comment(struct reader *r, const struct prof_line *line)
{
	const char *rest, *end = line->s + line->len;
	struct prof_word w;

	prof_header_line(r->p, line);
	if (starts(line, "# Samples:", &rest))
		open_section(r, rest, end);
	else if (starts(line, "# Event count (approx.):", &rest) &&
		 prof_next_word(&rest, end, &w))
		r->weight = rounded(&w);
	else if (starts(line, "# Total Lost Samples:", &rest) &&
		 prof_next_word(&rest, end, &w))
		r->p->lost += (uint64_t)rounded(&w);
	else if (line->len > 8 && memmem(line->s, line->len, "....", 4) &&
		 prof_line_only(line, "# ."))
		find_columns(r, line);
	else
		r->titles = *line;
}

/* "[k] name", "0xffff ... [k] name" (-v), "name" */
static enum profile_space split_symbol(struct prof_word *w)
{
	static const char marks[] = "k.gHu";
	static const enum profile_space spaces[] = { SPACE_KERNEL, SPACE_USER,
						     SPACE_GUEST_KERNEL, SPACE_HYPERVISOR,
						     SPACE_GUEST_USER };

	for (size_t i = 0; i + 4 < w->len && i < 40; i++) {
		const char *mark;

		if (w->s[i] != '[' || w->s[i + 2] != ']' || w->s[i + 3] != ' ')
			continue;
		mark = strchr(marks, w->s[i + 1]);
		if (!mark || !*mark)
			continue;
		w->s += i + 4;
		w->len -= i + 4;
		while (w->len && *w->s == ' ') {
			w->s++;
			w->len--;
		}
		return spaces[mark - marks];
	}
	return SPACE_UNKNOWN;
}

static void add(struct reader *r, double percent, double samples, double weight,
		struct prof_word object, struct prof_word symbol)
{
	enum profile_space space = split_symbol(&symbol), of;
	uint32_t id;

	of = prof_module(&object, 0, false);
	if (space == SPACE_UNKNOWN && object.len)
		space = of;
	id = prof_symbol(r->p, &symbol, &object, space);
	if (!r->options->user_symbols && (space == SPACE_USER || space == SPACE_GUEST_USER))
		id = PROFILE_USER;
	r->sum += percent;
	if (weight > 0)
		profile_add(r->p, id, (uint64_t)llround(samples), weight);
}

static void read_row(struct reader *r, const struct prof_line *line)
{
	struct prof_word self = cell(line, &r->col[COL_SELF]), w;
	double percent, samples, weight;
	uint64_t n;

	if (!self.len || self.s[self.len - 1] != '%' || !prof_word_double(&self, &percent))
		return;
	samples = percent / 100 * r->samples;
	weight = percent / 100 * (r->weight > 0 ? r->weight : r->samples);
	w = cell(line, &r->col[COL_SAMPLES]);
	if (r->col[COL_SAMPLES].to && prof_word_u64(&w, &n))
		samples = (double)n;
	else
		r->p->estimated = true;
	w = cell(line, &r->col[COL_PERIOD]);
	if (r->col[COL_PERIOD].to && prof_word_u64(&w, &n))
		weight = (double)n;
	add(r, percent, samples, weight, cell(line, &r->col[COL_OBJECT]),
	    cell(line, &r->col[COL_SYMBOL]));
}

/* A row of the browser; false when it is none. */
static bool parse_bare(const struct prof_line *line, double *self, struct prof_word *object,
		       struct prof_word *symbol)
{
	const char *p = line->s, *end = p + line->len, *mark;
	struct prof_word w, last = { "", 0 };
	int percents = 0;

	while (p < end && strchr("+- \t", *p))
		p++;
	mark = NULL;
	for (const char *s = p; s + 4 < end && !mark; s++)
		if (s[0] == '[' && strchr("k.gHu", s[1]) && s[2] == ']' && s[3] == ' ')
			mark = s;
	if (!mark)
		return false;
	while (prof_next_word(&p, mark, &w)) {
		if (w.s[w.len - 1] == '%' && percents < 2) {
			if (!prof_word_double(&w, self))
				return false;
			percents++;
		}
		last = w;
	}
	*object = last;
	*symbol = (struct prof_word){ mark, (size_t)(end - mark) };
	while (symbol->len && strchr(" \t", symbol->s[symbol->len - 1]))
		symbol->len--;
	return percents > 0;
}

static void read_bare(struct reader *r, const struct prof_line *line)
{
	struct prof_word object, symbol;
	double percent = 0;

	if (parse_bare(line, &percent, &object, &symbol))
		add(r, percent, percent * 100, percent * 100, object, symbol);
}

static bool probe(const struct prof_input *in)
{
	struct prof_word object, symbol;
	struct prof_lines it;
	struct prof_line line;
	const char *rest;
	double percent;

	prof_lines_init(&it, in);
	while (it.number < PROBE_LINES && prof_next_line(&it, &line))
		if (starts(&line, "# Samples:", &rest) ||
		    parse_bare(&line, &percent, &object, &symbol))
			return true;
	return false;
}

static int check(struct reader *r, struct err *err)
{
	struct profile *p = r->p;

	if (r->options->event && !*p->event)
		return err_set(err, ENOENT, "%s has no samples of event %s", r->in->path,
			       r->options->event);
	if (r->bare && r->sum > 101)
		return err_set(err, EINVAL,
			       "%s holds several reports without headings (%.0f %% in all); "
			       "write one with 'perf report --stdio' for each side", r->in->path,
			       r->sum);
	if (!r->bare && !(p->weight > 0) && r->samples > 0)
		return err_set(err, EINVAL,
			       "%s has no rows with a symbol; write it with 'perf report --stdio "
			       "--sort dso,sym'", r->in->path);
	if (r->options->chains)
		notes_add(&p->notes, "%s: call chains of perf report text are not read; use "
			  "'perf script' text or perf.data", r->in->path);
	return 0;
}

static int load(struct profile *p, const struct prof_input *in,
		const struct profile_options *options, struct err *err)
{
	struct reader r = { .p = p, .options = options, .in = in };
	struct prof_lines it;
	struct prof_line line;

	r.bare = !memmem(in->data, in->len, "# Samples:", 10);
	if (r.bare)
		p->estimated = true;
	prof_lines_init(&it, in);
	while (prof_next_line(&it, &line)) {
		if (r.bare)
			read_bare(&r, &line);
		else if (line.len && *line.s == '#')
			read_comment(&r, &line);
		else if (r.have && !r.skip)
			read_row(&r, &line);
	}
	profile_set(&p->unit, strstr(p->event, "clock") ? "ns" : p->event);
	return check(&r, err);
}

const struct prof_format prof_format_report = { "perf report", probe, load };
