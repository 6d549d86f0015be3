// SPDX-License-Identifier: GPL-2.0-or-later
/* What diffprofile can print, and the gate. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "diffprofile.h"
#include "schedblame/units.h"

static const struct diffprofile_format formats[] = {
	{ "text", "two columns as in the mails of 2002", false, diffprofile_classic },
	{ "long", "both sides, change, CI, q and share", false, diffprofile_long },
	{ "csv", "all rows for a spreadsheet", false, diffprofile_csv },
	{ "json", "all rows for a program", false, diffprofile_json },
	{ "tree", "call chains as a tree", true, diffprofile_tree },
	{ "folded", "folded stacks with two counts", true, diffprofile_folded },
	{ "svg", "differential flame graph", true, diffprofile_svg },
};

const struct diffprofile_format *const diffprofile_formats[] = {
	&formats[0], &formats[1], &formats[2], &formats[3], &formats[4], &formats[5],
	&formats[6], NULL,
};

struct rule {
	const char *name;
	size_t len;
	double limit; /* per cent */
};

static bool is_word(const struct rule *r, const char *s)
{
	return strlen(s) == r->len && !memcmp(r->name, s, r->len);
}

/* "symbol>5%": any row; "total>3%": all outside idle; else a row by name. */
static int parse_rule(struct rule *r, const char **text, struct err *err)
{
	const char *s = *text, *gt = strchr(s, '>');
	char *end;

	if (!gt || gt == s)
		return err_set(err, EINVAL,
			       "--gate is NAME>PERCENT%%, as in 'symbol>5%%' or '__schedule>10%%'");
	r->name = s;
	r->len = (size_t)(gt - s);
	r->limit = strtod_c(gt + 1, &end);
	if (end == gt + 1 || !(r->limit >= 0))
		return err_set(err, EINVAL, "--gate: '%s' is no number of per cent", gt + 1);
	end += *end == '%';
	if (*end && *end != ',')
		return err_set(err, EINVAL, "--gate: rules are separated by commas, not by '%s'", end);
	*text = *end ? end + 1 : end;
	return 0;
}

static bool names_row(const struct rule *r, const struct profdiff_row *row)
{
	const char *arrow = strstr(row->name, " -> ");

	if (is_word(r, "symbol") || is_word(r, "*") || is_word(r, row->name))
		return true;
	return arrow && ((size_t)(arrow - row->name) == r->len ?
				 !memcmp(r->name, row->name, r->len) : is_word(r, arrow + 4));
}

static int check_rows(const struct rule *r, const struct profdiff *d, size_t side,
		      struct notes *found)
{
	int n = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct profdiff_cell *c = &d->row[i].cell[side];

		if (!c->found || c->ratio < 1 || !names_row(r, &d->row[i]) ||
		    !(100 * (c->ratio - 1) > r->limit))
			continue;
		n++;
		if (isinf(c->ratio))
			notes_add(found, "gate: %s is new with %.0f (q=%.2g)", d->row[i].name,
				  c->value, c->q);
		else
			notes_add(found, "gate: %s grew by %.1f %%, the limit is %g %% (q=%.2g)",
				  d->row[i].name, 100 * (c->ratio - 1), r->limit, c->q);
	}
	return n;
}

/* The gate goes by q, which a model gives even where repeats decide nothing. */
static void say_what_it_knows(const struct profdiff *d, struct notes *found)
{
	for (size_t s = 1; s < d->nr_sides; s++)
		if (!profdiff_decides(d, s)) {
			notes_add(found, "gate: by q alone, no verdict: n=%zu against %zu can reach "
				  "p=%.2f at best", d->repeats[0], d->repeats[s],
				  stats_smallest_p(d->repeats[0], d->repeats[s]));
			return;
		}
}

static int check_total(const struct rule *r, const struct profdiff *d, size_t side,
		       struct notes *found)
{
	double growth = 100 * (d->busy[side] / d->busy[0] - 1);

	if (!(growth > r->limit))
		return 0;
	notes_add(found, "gate: all samples outside idle grew by %.1f %%, the limit is %g %%",
		  growth, r->limit);
	return 1;
}

int diffprofile_gate(const char *text, const struct profdiff *d, struct notes *found,
		     struct err *err)
{
	struct rule r = { NULL, 0, 0 };
	int n = 0;

	while (*text) {
		int ret = parse_rule(&r, &text, err);

		if (ret < 0)
			return ret;
		for (size_t side = 1; side < d->nr_sides; side++)
			n += is_word(&r, "total") ? check_total(&r, d, side, found) :
						    check_rows(&r, d, side, found);
	}
	if (n)
		say_what_it_knows(d, found);
	return n;
}
