// SPDX-License-Identifier: GPL-2.0-or-later
/* What differs between sets besides what is to be compared: the list itself and
 * what is no fact of the host. The rules for facts: comparability_facts.c. */
#include "schedblame/comparability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparability_facts.h"
#include "foreign_load.h"
#include "schedblame/alloc.h"
#include "schedblame/strbuf.h"

void comparability_add(struct comparability *c, enum difference_level level,
		       const char *key, const char *title, const char *const *value,
		       const char *why)
{
	struct difference *d;

	GROW(c->v, c->n, c->cap);
	d = &c->v[c->n++];
	*d = (struct difference){ .level = level,
				  .key = xstrdup(key),
				  .title = xstrdup(title),
				  .value = xcalloc(c->nr_sets, sizeof(*d->value)),
				  .why = xstrdup(why ? why : "") };
	for (size_t i = 0; i < c->nr_sets; i++)
		d->value[i] = xstrdup(value[i] ? value[i] : "");
}

size_t comparability_first_told(struct comparability *c, const struct run_set *const *sets,
				const char *name, const char *const *value)
{
	size_t first = 0;
	bool any = false;

	while (first < c->nr_sets && !comparability_told(sets[first], value[first]))
		first++;
	for (size_t i = 0; i < c->nr_sets; i++)
		any |= *value[i] != '\0';
	for (size_t i = 0; any && i < c->nr_sets; i++)
		if (!comparability_told(sets[i], value[i]))
			strmap_adds(&c->untold[i], name);
	return first < c->nr_sets ? first : 0;
}

/* Adds a difference when the texts are not all equal. Frees the texts. */
static void check_texts(struct comparability *c, const struct run_set *const *sets,
			enum difference_level level, const char *key, const char *title,
			char **value, const char *why)
{
	size_t first = comparability_first_told(c, sets, title, (const char *const *)value);
	bool differ = false;

	for (size_t i = 0; i < c->nr_sets; i++)
		differ |= comparability_told(sets[i], value[i]) &&
			  strcmp(value[i], value[first]) != 0;
	if (differ)
		comparability_add(c, level, key, title, (const char *const *)value, why);
	for (size_t i = 0; i < c->nr_sets; i++)
		free(value[i]);
	free(value);
}

/* One text per set, made by fn from its first run. */
static char **texts(const struct run_set *const *sets, size_t n,
		    char *(*fn)(const struct run *run))
{
	char **v = xcalloc(n, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = fn(&sets[i]->run[0]);
	return v;
}

static char *command_text(const struct run *run)
{
	return xstrdup(run->command);
}

static char *cpus_text(const struct run *run)
{
	struct strbuf sb = STRBUF_INIT;

	cpuset_format(&run->cpus, &sb);
	return strbuf_detach(&sb);
}

static char *sources_text(const struct run *run)
{
	const json_t *sources = json_object_get(run->manifest, "sources");
	struct strbuf sb = STRBUF_INIT;
	const char *name;
	json_t *s;

	json_object_foreach((json_t *)sources, name, s)
		if (!strcmp(json_str(s, "state", ""), "ok"))
			strbuf_addf(&sb, "%s%s", sb.len ? " " : "", name);
	return strbuf_detach(&sb);
}

static char *frequency_text(const struct run *run)
{
	const json_t *sources = json_object_get(run->manifest, "sources");
	const json_t *profile = json_object_get(sources, "profile");
	int64_t hz = json_i64(profile, "frequency", 0);

	return hz ? xasprintf("%lld Hz", (long long)hz) : xstrdup("");
}

static char *knobs_text(const struct run *run)
{
	const json_t *knobs = json_object_get(run->manifest, "knobs"), *k;
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	json_array_foreach(knobs, i, k)
		strbuf_addf(&sb, "%s%s=%s", i ? " " : "", json_str(k, "name", "?"),
			    json_str(k, "new", "?"));
	return strbuf_detach(&sb);
}

static char *topology_text(const struct run *run)
{
	return run->topology.nr_cpus || !run->foreign ? topology_summary(&run->topology) :
							xstrdup("");
}

/* Two topologies may have one summary. */
static void check_topology(struct comparability *c, const struct run_set *const *sets)
{
	char **v = texts(sets, c->nr_sets, topology_text);
	size_t first = comparability_first_told(c, sets, "topology", (const char *const *)v);
	bool differ = false;

	for (size_t i = 0; i < c->nr_sets; i++)
		differ |= comparability_told(sets[i], v[i]) &&
			  !topology_same(&sets[first]->run[0].topology,
					 &sets[i]->run[0].topology);
	if (differ)
		comparability_add(c, DIFFER_SERIOUS, "topology", "topology",
				  (const char *const *)v,
				  "distances, caches or CPUs are not the same");
	for (size_t i = 0; i < c->nr_sets; i++)
		free(v[i]);
	free(v);
}

/* Facts that should not change from one repeat to the next. */
static const char *const steady[] = { "release", "version", "nodename", "cpu.model",
				      "cpu.online", "cpu.governor" };

static void check_steady(struct comparability *c, const struct run_set *set)
{
	for (size_t i = 1; i < set->n; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(steady); j++) {
			const char *a = run_fact(&set->run[0], steady[j]);
			const char *b = run_fact(&set->run[i], steady[j]);

			if (a && b && strcmp(a, b))
				notes_add(&c->notes,
					  "%s mixes runs: %s is '%s' in the first and '%s' in "
					  "another", set->label, steady[j], a, b);
		}
		if (strcmp(set->run[i].command, set->run[0].command))
			notes_add(&c->notes, "%s mixes runs of different commands", set->label);
		if (!topology_same(&set->run[0].topology, &set->run[i].topology))
			notes_add(&c->notes, "%s mixes runs on different topologies", set->label);
	}
}

static size_t count_boots(const struct run_set *set)
{
	size_t boots = 0;

	for (size_t i = 0; i < set->n; i++) {
		size_t j = 0;

		while (j < i && strcmp(set->run[j].boot_id, set->run[i].boot_id))
			j++;
		boots += j == i && *set->run[i].boot_id;
	}
	return boots;
}

/* A run's note without its path in front. */
static const char *plain_note(const struct run *run, const char *note)
{
	size_t len = strlen(run->path);

	return !strncmp(note, run->path, len) && !strncmp(note + len, ": ", 2) ?
		       note + len + 2 : note;
}

/* In how many runs of the set the note stands; 0: an earlier run had it already. */
static size_t runs_with(const struct run_set *set, size_t run, const char *note)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		for (size_t j = 0; j < set->run[i].notes.n; j++) {
			if (strcmp(plain_note(&set->run[i], set->run[i].notes.v[j]), note))
				continue;
			if (i < run)
				return 0;
			n++;
			break;
		}
	return n;
}

/* A sentence and whose runs say it: "base, new". */
struct said {
	char *text;
	struct strbuf who;
};

struct all_said {
	struct said *v;
	size_t n, cap;
};

static void say(struct all_said *all, const char *label, char *text)
{
	size_t i = 0;

	while (i < all->n && strcmp(all->v[i].text, text))
		i++;
	if (i < all->n) {
		strbuf_addf(&all->v[i].who, ", %s", label);
		free(text);
		return;
	}
	GROW(all->v, all->n, all->cap);
	all->v[all->n++] = (struct said){ text, STRBUF_INIT };
	strbuf_addstr(&all->v[i].who, label);
}

/* collect's short form of what each missing source says in a note of its own */
#define NOT_RECORDED "not recorded, since it does not work here"

static void say_notes(struct all_said *all, const struct run_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t j = 0; j < set->run[i].notes.n; j++) {
			const char *note = plain_note(&set->run[i], set->run[i].notes.v[j]);
			size_t n = runs_with(set, i, note);

			if (n && strncmp(note, NOT_RECORDED, strlen(NOT_RECORDED)))
				say(all, set->label, n == set->n ? xstrdup(note) :
				    xasprintf("%s (%zu of %zu runs)", note, n, set->n));
		}
}

/* What the runs say, each sentence once. */
static void add_run_notes(struct comparability *c, const struct run_set *const *sets)
{
	struct all_said all = { 0 };

	for (size_t i = 0; i < c->nr_sets; i++)
		say_notes(&all, sets[i]);
	for (size_t i = 0; i < all.n; i++) {
		notes_add(&c->notes, "%s: %s", all.v[i].who.buf, all.v[i].text);
		strbuf_release(&all.v[i].who);
		free(all.v[i].text);
	}
	free(all.v);
}

/* What each set says about itself: whole notes, so that nothing is lost. */
static void check_set(struct comparability *c, const struct run_set *set)
{
	size_t cut = 0, failed = 0;

	check_steady(c, set);
	for (size_t i = 0; i < set->n; i++) {
		cut += !set->run[i].complete && !set->run[i].foreign;
		failed += set->run[i].term_signal > 0 || set->run[i].exit_status > 0;
	}
	if (cut)
		notes_add(&c->notes, "%s: %zu of %zu runs were cut short", set->label, cut,
			  set->n);
	if (failed)
		notes_add(&c->notes, "%s: the workload failed in %zu of %zu runs", set->label,
			  failed, set->n);
	for (size_t i = 0; i < set->notes.n; i++)
		notes_add(&c->notes, "%s", set->notes.v[i]);
}

static void check_repeats(struct comparability *c, const struct run_set *const *sets)
{
	char **repeats = xcalloc(c->nr_sets, sizeof(*repeats));
	char **boots = xcalloc(c->nr_sets, sizeof(*boots));

	for (size_t i = 0; i < c->nr_sets; i++) {
		repeats[i] = xasprintf("%zu", sets[i]->n);
		boots[i] = count_boots(sets[i]) ? xasprintf("%zu", count_boots(sets[i])) :
						  xstrdup("");
	}
	check_texts(c, sets, DIFFER_NOTED, "repeats", "number of runs", repeats, NULL);
	check_texts(c, sets, DIFFER_NOTED, "boots", "boots the runs come from", boots, NULL);
}

static int by_level(const void *a, const void *b)
{
	const struct difference *x = a, *y = b;

	if (x->level != y->level)
		return x->level > y->level ? -1 : 1;
	return strcmp(x->key, y->key);
}

/* Whether all runs counted the same amount of the same work. */
static bool same_work(const struct run_set *const *sets, size_t nr_sets)
{
	const struct run *first = &sets[0]->run[0];

	for (size_t i = 0; i < nr_sets; i++)
		for (size_t j = 0; j < sets[i]->n; j++)
			if (sets[i]->run[j].work <= 1 ||
			    fabs(sets[i]->run[j].work / first->work - 1) > 1e-6 ||
			    strcmp(sets[i]->run[j].work_unit, first->work_unit))
				return false;
	return true;
}

/* One sentence for each foreign file, not a difference for each fact. */
static void note_untold(struct comparability *c, const struct run_set *const *sets)
{
	for (size_t i = 0; i < c->nr_sets; i++) {
		struct strbuf sb = STRBUF_INIT;

		for (size_t k = 0; k < c->untold[i].n; k++)
			strbuf_addf(&sb, "%s%s", k ? ", " : "", c->untold[i].name[k]);
		if (sb.len)
			notes_add(&c->notes, "%s does not tell, and so these are not compared: "
				  "%s", sets[i]->label, sb.buf);
		strbuf_release(&sb);
	}
}

static void check_pairs(struct comparability *c, const struct run_set *const *sets)
{
	if (same_work(sets, c->nr_sets))
		check_texts(c, sets, DIFFER_NOTED, "command", "benchmark command",
			    texts(sets, c->nr_sets, command_text),
			    "the amount of work it counts is the same");
	else
		check_texts(c, sets, DIFFER_SERIOUS, "command", "benchmark command",
			    texts(sets, c->nr_sets, command_text),
			    "not the same work was done");
	check_texts(c, sets, DIFFER_SERIOUS, "cpus", "CPUs the workload may use",
		    texts(sets, c->nr_sets, cpus_text), "not the same CPUs did the work");
	check_topology(c, sets);
	check_texts(c, sets, DIFFER_NOTED, "sources", "what was recorded",
		    texts(sets, c->nr_sets, sources_text), NULL);
	check_texts(c, sets, DIFFER_NOTED, "frequency", "sampling frequency",
		    texts(sets, c->nr_sets, frequency_text), NULL);
	check_texts(c, sets, DIFFER_EXPECTED, "knobs", "set for the run (--set)",
		    texts(sets, c->nr_sets, knobs_text), NULL);
	check_repeats(c, sets);
	comparability_check_facts(c, sets);
}

void comparability_check(struct comparability *c, const struct run_set *const *sets,
			 size_t nr_sets)
{
	memset(c, 0, sizeof(*c));
	c->nr_sets = nr_sets;
	for (size_t i = 0; i < nr_sets; i++)
		check_set(c, sets[i]);
	add_run_notes(c, sets);
	foreign_load_check(c, sets);
	if (nr_sets < 2)
		return;
	c->untold = xcalloc(nr_sets, sizeof(*c->untold));
	for (size_t i = 0; i < nr_sets; i++)
		strmap_init(&c->untold[i]);
	check_pairs(c, sets);
	note_untold(c, sets);
	for (size_t i = 0; i < nr_sets; i++)
		strmap_release(&c->untold[i]);
	free(c->untold);
	c->untold = NULL;
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_level);
}

void comparability_release(struct comparability *c)
{
	for (size_t i = 0; i < c->n; i++) {
		for (size_t j = 0; j < c->nr_sets; j++)
			free(c->v[i].value[j]);
		free(c->v[i].value);
		free(c->v[i].key);
		free(c->v[i].title);
		free(c->v[i].why);
	}
	free(c->v);
	notes_release(&c->notes);
	memset(c, 0, sizeof(*c));
}

size_t comparability_count(const struct comparability *c, enum difference_level level)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->v[i].level == level;
	return n;
}

void comparability_moot(const struct comparability *c, size_t set, struct notes *notes)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct difference *d = &c->v[i];

		if (d->level != DIFFER_SERIOUS || !strcmp(d->key, "command") ||
		    !strcmp(d->value[0], d->value[set]))
			continue;
		notes_add(notes, "%s differs (%s against %s)%s%s", d->title,
			  *d->value[0] ? d->value[0] : "not set",
			  *d->value[set] ? d->value[set] : "not set",
			  *d->why ? ": " : "", d->why);
	}
}
