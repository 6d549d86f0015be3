// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks: "root;caller;leaf COUNT", one stack a line, counts whole or
 * fractional. Frames may end in _[k] kernel, _[j] JIT, _[i] inlined; where one
 * of the file does, frames without a mark are user mode, else nobody can tell.
 */
#include <errno.h>
#include <string.h>

#include "prof.h"

#define PROBE_LINES 60

struct stack {
	const char *s;
	size_t len; /* without the count */
	double count;
};

static bool is_skipped(const struct prof_line *line)
{
	return !line->len || *line->s == '#' ||
	       (line->len > 1 && !memcmp(line->s, "//", 2));
}

/* The count is the last word; false when it is none. */
static bool parse_stack(struct stack *st, const struct prof_line *line)
{
	const char *end = line->s + line->len, *space;
	struct prof_word w;

	while (end > line->s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	space = memrchr(line->s, ' ', (size_t)(end - line->s));
	if (!space || space == line->s)
		return false;
	w = (struct prof_word){ space + 1, (size_t)(end - space - 1) };
	if (!prof_word_double(&w, &st->count) || end[-1] == '%' || !(st->count >= 0) ||
	    st->count > 1e18)
		return false;
	while (space > line->s && space[-1] == ' ')
		space--;
	st->s = line->s;
	st->len = (size_t)(space - line->s);
	return st->len > 0;
}

/* Two counts a line: before and after, the input of a differential graph. */
static bool has_two_counts(const struct stack *st)
{
	struct prof_line line = { st->s, st->len, 0 };
	struct stack inner;

	return memchr(st->s, ';', st->len) && parse_stack(&inner, &line);
}

static bool probe(const struct prof_input *in)
{
	struct prof_lines it;
	struct prof_line line;
	int good = 0, bad = 0, deep = 0;
	struct stack st;

	prof_lines_init(&it, in);
	while (good + bad < PROBE_LINES && prof_next_line(&it, &line)) {
		if (is_skipped(&line))
			continue;
		if (line.s[0] == ' ' || line.s[0] == '\t' || !parse_stack(&st, &line)) {
			bad++;
			continue;
		}
		good++;
		deep += memchr(st.s, ';', st.len) != NULL;
	}
	return deep > 0 && good >= 2 * bad;
}

static bool cut_mark(struct prof_word *w, const char *mark)
{
	if (w->len <= 4 || memcmp(w->s + w->len - 4, mark, 4))
		return false;
	w->len -= 4;
	return true;
}

static uint32_t frame_symbol(struct profile *p, struct prof_word *w,
			     enum profile_space unmarked)
{
	const struct prof_word none = { "", 0 };
	uint32_t id;

	if (cut_mark(w, "_[k]"))
		return prof_symbol(p, w, &none, SPACE_KERNEL);
	if (cut_mark(w, "_[j]"))
		return prof_symbol(p, w, &none, SPACE_USER);
	if (cut_mark(w, "_[i]")) {
		id = prof_symbol(p, w, &none, unmarked);
		p->symbol[id].inlined = true;
		return id;
	}
	return prof_symbol(p, w, &none, unmarked);
}

/* Frames from the leaf back to the root. */
static void add_stack(struct profile *p, const struct stack *st,
		      enum profile_space unmarked, const struct profile_options *options)
{
	const char *end = st->s + st->len;
	struct prof_chain chain = { .n = 0 };

	while (end >= st->s) {
		const char *semi = end > st->s ? memrchr(st->s, ';', (size_t)(end - st->s)) : NULL;
		const char *start = semi ? semi + 1 : st->s;
		struct prof_word w = { start, (size_t)(end - start) };

		if (w.len)
			prof_chain_add(&chain, frame_symbol(p, &w, unmarked));
		if (!semi)
			break;
		end = semi;
	}
	prof_chain_flush(p, &chain, options, (uint64_t)(st->count + 0.5), st->count);
}

static int load(struct profile *p, const struct prof_input *in,
		const struct profile_options *options, struct err *err)
{
	bool marked = memmem(in->data, in->len, "_[k]", 4) != NULL;
	unsigned long bad = 0, first_bad = 0, two = 0, good = 0;
	struct prof_lines it;
	struct prof_line line;
	struct stack st;

	profile_set(&p->unit, "samples");
	p->fixed_period = true;
	prof_lines_init(&it, in);
	while (prof_next_line(&it, &line)) {
		if (is_skipped(&line))
			continue;
		if (!parse_stack(&st, &line)) {
			first_bad = bad++ ? first_bad : line.number;
			continue;
		}
		good++;
		two += has_two_counts(&st);
		add_stack(p, &st, marked ? SPACE_USER : SPACE_UNKNOWN, options);
	}
	if (good && two == good)
		return err_set(err, EINVAL,
			       "%s has two counts a line, the differential form of two profiles; give "
			       "each side as a file of its own", in->path);
	if (bad)
		notes_add(&p->notes, "%s: %lu lines are no stack with a count and were left out, "
			  "the first is line %lu", in->path, bad, first_bad);
	return 0;
}

const struct prof_format prof_format_folded = { "folded", probe, load };
