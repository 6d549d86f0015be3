// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readprofile(8) in both layouts, sorted or not:
 *	ticks name load			"   184 vm_enough_memory    0.2300"
 *	address name ticks load		"c0130a40 d_lookup  154  0.5000"   (-v)
 * with a line "total" and perhaps "*unknown*", which has no load.
 */
#include <errno.h>

#include "prof.h"

struct row {
	struct prof_word name;
	uint64_t ticks, addr;
	bool has_addr;
};

static bool is_name(const struct prof_word *w)
{
	double v;

	return !prof_word_double(w, &v);
}

static bool parse_row(struct row *row, const struct prof_line *line)
{
	const char *p = line->s, *end = p + line->len;
	struct prof_word w[5];
	double load;
	int n = 0;

	while (n < 5 && prof_next_word(&p, end, &w[n]))
		n++;
	if (n < 2 || n > 4)
		return false;
	row->has_addr = false;
	if (n <= 3 && prof_word_u64(&w[0], &row->ticks) && is_name(&w[1]) &&
	    (n == 2 || prof_word_double(&w[2], &load))) {
		row->name = w[1];
		return true;
	}
	row->has_addr = w[0].len >= 8 && prof_word_hex(&w[0], &row->addr);
	row->name = w[1];
	return row->has_addr && n >= 3 && is_name(&w[1]) &&
	       prof_word_u64(&w[2], &row->ticks) &&
	       (n == 3 || prof_word_double(&w[3], &load));
}

static bool is_empty(const struct prof_line *line)
{
	const char *p = line->s;
	struct prof_word w;

	return !prof_next_word(&p, line->s + line->len, &w) || w.s[0] == '#';
}

static bool probe(const struct prof_input *in)
{
	struct prof_lines it;
	struct prof_line line;
	struct row row;
	int good = 0;

	prof_lines_init(&it, in);
	while (good < 20 && prof_next_line(&it, &line)) {
		if (is_empty(&line))
			continue;
		if (!parse_row(&row, &line))
			return false;
		good++;
	}
	return good > 0;
}

static void add_row(struct profile *p, const struct row *row)
{
	uint32_t name = strmap_add(&p->strings, row->name.s, row->name.len);
	uint32_t id = profile_symbol_ids(p, name, 0, 0, SPACE_KERNEL);

	if (prof_word_is(&row->name, "*unknown*"))
		id = PROFILE_UNKNOWN;
	else if (row->has_addr)
		p->symbol[id].addr = row->addr;
	profile_add(p, id, row->ticks, (double)row->ticks);
}

static int load(struct profile *p, const struct prof_input *in,
		const struct profile_options *options, struct err *err)
{
	struct prof_lines it;
	struct prof_line line;
	struct row row;
	uint64_t total = 0;
	bool has_total = false;

	profile_set(&p->event, "ticks");
	profile_set(&p->unit, "ticks");
	p->fixed_period = true;
	prof_lines_init(&it, in);
	while (prof_next_line(&it, &line)) {
		if (is_empty(&line))
			continue;
		if (!parse_row(&row, &line))
			return err_set(err, EINVAL,
				       "%s line %lu is no line of readprofile (ticks, symbol, load)",
				       in->path, line.number);
		if (row.ticks > UINT64_MAX / 4 - p->samples)
			return err_set(err, EINVAL, "%s line %lu: the ticks do not add up to a number",
				       in->path, line.number);
		if (prof_word_is(&row.name, "total")) {
			total = row.ticks;
			has_total = true;
			continue;
		}
		add_row(p, &row);
	}
	if (has_total && total != p->samples)
		notes_add(&p->notes, "%s: its line 'total' says %llu ticks, the symbols have %llu",
			  in->path, (unsigned long long)total,
			  (unsigned long long)p->samples);
	return 0;
}

const struct prof_format prof_format_readprofile = { "readprofile", probe, load };
