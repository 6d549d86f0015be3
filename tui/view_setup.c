// SPDX-License-Identifier: GPL-2.0-or-later
/* Setup and comparability: kernel, machine, topology, tunables of both sides,
 * what differs first, and what the runs themselves complain about. */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "schedblame/alloc.h"
#include "schedblame/strmap.h"
#include "view.h"


/* Facts that differ from boot to boot and say nothing about comparability. */
static bool is_noise(const char *key)
{
	static const char *const noise[] = { "boot_id", "uptime", "start" };

	for (size_t i = 0; i < ARRAY_SIZE(noise); i++)
		if (!strcmp(key, noise[i]))
			return true;
	return false;
}

static const struct run *first_run(const struct data *d, enum side s)
{
	const struct run_set *set = data_set(d, s);

	return set && set->n ? &set->run[0] : NULL;
}

static void add_topology(struct page *p, const struct data *d)
{
	page_heading(p, "Topology");
	for (int s = 0; s < SIDE_NR; s++) {
		const struct run *run = first_run(d, (enum side)s);
		char *summary;

		if (!run)
			continue;
		summary = topology_summary(&run->topology);
		page_line(p, STYLE_NORMAL, "  %c  %s", s == SIDE_A ? 'A' : 'B', summary);
		free(summary);
	}
	if (data_both(d) && !topology_same(&first_run(d, SIDE_A)->topology,
					   &first_run(d, SIDE_B)->topology))
		page_line(p, STYLE_WARN, "  ! the two topologies differ");
}

static void add_side_facts(struct page *p, const struct data *d)
{
	page_heading(p, "Sides");
	for (int s = 0; s < SIDE_NR; s++) {
		const struct run *run = first_run(d, (enum side)s);

		if (!run)
			continue;
		page_line(p, s == SIDE_A ? STYLE_SIDE_A : STYLE_SIDE_B, "  %c  %s",
			  s == SIDE_A ? 'A' : 'B', data_set(d, (enum side)s)->label);
		page_line(p, STYLE_NORMAL, "     Linux %s %s", run->kernel_release,
			  run->kernel_version);
		page_line(p, STYLE_NORMAL, "     machine %s, boot %.8s",
			  *run->machine_name ? run->machine_name : "not known",
			  *run->boot_id ? run->boot_id : "?");
		if (*run->command)
			page_line(p, STYLE_NORMAL, "     command %s", run->command);
	}
}

/* What the runs say, each sentence once with who says it: ten runs on one kernel
 * miss the same source. */
struct sayings {
	struct strmap text;
	struct strbuf *who; /* by id; owned */
	size_t cap;
};

static void say(struct sayings *s, const char *text, const char *who)
{
	uint32_t id = strmap_adds(&s->text, text);

	if (id >= s->cap) {
		size_t cap = (id + 1) * 2;

		s->who = xrealloc(s->who, cap, sizeof(*s->who));
		for (; s->cap < cap; s->cap++)
			strbuf_init(&s->who[s->cap]);
	}
	if (strcmp(s->who[id].buf, who))
		strbuf_addf(&s->who[id], "%s%s", s->who[id].len ? ", " : "", who);
}

static void gather(struct sayings *s, const struct run_set *set)
{
	struct notes all = { 0 };

	notes_merge(&all, &set->notes);
	for (size_t i = 0; i < all.n; i++)
		say(s, all.v[i], set->label);
	for (size_t r = 0; r < set->n; r++)
		for (size_t i = 0; i < set->run[r].notes.n; i++) {
			const char *text = set->run[r].notes.v[i];
			bool by_set = false;
			char *who;

			for (size_t k = 0; k < all.n && !by_set; k++)
				by_set = !strcmp(all.v[k], text);
			who = set->n > 1 ? xasprintf("%s %zu", set->label, r + 1) :
					   xstrdup(set->label);
			if (!by_set)
				say(s, text, who);
			free(who);
		}
	notes_release(&all);
}

/* Of the analysis, what the runs did not say themselves: "label: sentence". */
static void gather_analysis(struct sayings *s, const struct analysis *an)
{
	for (size_t i = 0; i < an->comparability.notes.n; i++) {
		const char *text = an->comparability.notes.v[i], *said = strstr(text, ": ");

		if (!said || strmap_finds(&s->text, said + 2) == STRMAP_NONE)
			say(s, text, "");
	}
}

static void add_notes(struct page *p, const struct data *d, const struct analysis *an)
{
	struct sayings s = { 0 };

	page_heading(p, "Notes of the runs");
	strmap_init(&s.text);
	for (int side = 0; side < SIDE_NR; side++)
		if (data_set(d, (enum side)side))
			gather(&s, data_set(d, (enum side)side));
	if (an)
		gather_analysis(&s, an);
	for (size_t i = 0; i < s.text.n; i++) {
		char *text = xasprintf("! %s%s%s", s.text.name[i], s.who[i].len ? " -- " : "",
				       s.who[i].buf);

		page_paragraph(p, STYLE_WARN, 2, text);
		free(text);
	}
	if (!s.text.n)
		page_line(p, STYLE_DIM, "  none");
	for (size_t i = 0; i < s.cap; i++)
		strbuf_release(&s.who[i]);
	free(s.who);
	strmap_release(&s.text);
}

static void put_fact(struct page *p, const char *key, const char *a, const char *b,
		     bool both)
{
	struct area row = page_rows(p, 1);
	int key_w = both || row.w < 80 ? 28 : 36, x = key_w + 3, w = (row.w - x - 1) / 2;
	bool differ = both && strcmp(a, b);

	area_field(&row, 2, 0, key_w, false, STYLE_NORMAL, key);
	area_field(&row, x, 0, both ? w - 1 : row.w - x, false, STYLE_NORMAL, a);
	if (both)
		area_field(&row, x + w, 0, w, false, differ ? STYLE_WARN : STYLE_NORMAL, b);
	if (differ)
		area_put(&row, 0, 0, STYLE_WARN, "!");
}

/* All keys of both sides, once each, in order of side A. */
static void all_keys(const struct data *d, struct strmap *keys)
{
	for (int s = 0; s < SIDE_NR; s++) {
		const struct run *run = first_run(d, (enum side)s);

		for (size_t i = 0; run && i < run->nr_facts; i++)
			strmap_adds(keys, run->fact[i].key);
	}
}

static const char *fact(const struct run *run, const char *key)
{
	const char *value = run ? run_fact(run, key) : NULL;

	return value ? value : "-";
}

static void add_facts(struct page *p, const struct data *d, bool differing)
{
	const struct run *a = first_run(d, SIDE_A), *b = first_run(d, SIDE_B);
	struct strmap keys;
	size_t n = 0;

	strmap_init(&keys);
	all_keys(d, &keys);
	for (size_t i = 0; i < keys.n; i++) {
		const char *key = keys.name[i];
		bool differ = b && strcmp(fact(a, key), fact(b, key));

		if (differ != differing || (differing && is_noise(key)))
			continue;
		put_fact(p, key, fact(a, key), fact(b, key), b != NULL && differing);
		n++;
	}
	if (!n)
		page_line(p, STYLE_DIM, "  none");
	strmap_release(&keys);
}

static const struct {
	unsigned style;
	const char *mark, *title;
} levels[] = {
	[DIFFER_EXPECTED] = { STYLE_NORMAL, " ", "Differs, as is to be expected" },
	[DIFFER_NOTED] = { STYLE_WARN, "*", "Differs, and may matter" },
	[DIFFER_SERIOUS] = { STYLE_BAD, "!", "Differs: the numbers may not compare" },
};

static void add_difference(struct page *p, const struct analysis *an,
			   const struct difference *d)
{
	int b = an->b < 0 ? 0 : an->at[an->b];
	struct area row = page_rows(p, 1);
	int w = (row.w - 32) / 2;
	unsigned style = levels[d->level].style;

	area_put(&row, 0, 0, style, levels[d->level].mark);
	area_field(&row, 2, 0, 28, false, style, d->title);
	area_field(&row, 31, 0, w - 1, false, STYLE_NORMAL, *d->value[0] ? d->value[0] : "-");
	area_field(&row, 31 + w, 0, w, false, STYLE_NORMAL,
		   *d->value[b] ? d->value[b] : "-");
	if (*d->why)
		page_paragraph(p, STYLE_DIM, 4, d->why);
}

/* What blame/ says about comparability; false: it does not say anything yet. */
static bool add_comparability(struct page *p, const struct analysis *an)
{
	if (!an)
		return false;
	for (int level = DIFFER_SERIOUS; level >= DIFFER_EXPECTED; level--) {
		if (!comparability_count(&an->comparability, (enum difference_level)level))
			continue;
		page_heading(p, "%s", levels[level].title);
		for (size_t i = 0; i < an->comparability.n; i++)
			if (an->comparability.v[i].level == (enum difference_level)level)
				add_difference(p, an, &an->comparability.v[i]);
	}
	if (!an->comparability.n && an->nr_sets > 1)
		page_line(p, STYLE_GOOD, "  nothing differs that was looked at");
	return true;
}

static void setup_build(struct view *v, struct page *p)
{
	const struct data *d = &v->app->data;

	if (!first_run(d, SIDE_A)) {
		page_line(p, STYLE_DIM, "  nothing is open");
		return;
	}
	add_side_facts(p, d);
	add_topology(p, d);
	if (!add_comparability(p, app_analysis(v->app)) && data_both(d)) {
		page_heading(p, "What differs");
		add_facts(p, d, true);
	}
	add_notes(p, d, app_analysis(v->app));
	page_heading(p, data_both(d) ? "What is the same" : "Facts");
	add_facts(p, d, false);
}

const struct view_ops view_setup = {
	.name = "setup",
	.title = "Setup",
	.brief = "Setup",
	.help = "Kernel, command, topology and tunables of both sides: what differs "
		"first (marked with !), then what the runs note about themselves, then "
		"what is the same.",
	.hint = "/ search  j k scroll  P write as text",
	.build = setup_build,
};
