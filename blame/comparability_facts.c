// SPDX-License-Identifier: GPL-2.0-or-later
/* Which facts of two hosts may differ and which may not, as a table of rules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparability_facts.h"
#include "schedblame/alloc.h"
#include "schedblame/strbuf.h"
#include "schedblame/strmap.h"
#include "schedblame/units.h"

enum how {
	AS_TEXT,
	AS_SIZE,    /* numbers: differ by more than 2 % */
	AS_OPTION,  /* of the kernel's configuration: not there is "n" */
	AS_CMDLINE, /* words, without those that name the image */
	IGNORED,
};

struct rule {
	const char *key; /* exact, or a prefix when it ends in '.' or '*' */
	enum difference_level level;
	enum how how;
	const char *why;
};

#define SLOW "a debugging kernel is slow"

/* The first rule that fits decides. */
static const struct rule rules[] = {
	{ "release", DIFFER_EXPECTED, AS_TEXT, NULL },
	{ "version", DIFFER_EXPECTED, AS_TEXT, NULL },
	{ "boot_id", DIFFER_EXPECTED, IGNORED, NULL },
	{ "nodename", DIFFER_SERIOUS, AS_TEXT, "recorded on another machine" },
	{ "machine", DIFFER_SERIOUS, AS_TEXT, "recorded on another architecture" },
	{ "cpu.model", DIFFER_SERIOUS, AS_TEXT, "recorded on another CPU" },
	{ "cpu.online", DIFFER_SERIOUS, AS_TEXT, "not the same CPUs were online" },
	{ "cpu.governor", DIFFER_SERIOUS, AS_TEXT, "CPUs may have run at other speeds" },
	{ "cpu.driver", DIFFER_SERIOUS, AS_TEXT, "CPUs may have run at other speeds" },
	{ "cpu.smt", DIFFER_SERIOUS, AS_TEXT, "threads share cores in one of them only" },
	{ "cpu.isolated", DIFFER_SERIOUS, AS_TEXT, "not the same CPUs may be used" },
	{ "cpu.", DIFFER_NOTED, AS_TEXT, NULL },
	{ "hypervisor", DIFFER_SERIOUS, AS_TEXT, "one runs on a hypervisor" },
	{ "clocksource", DIFFER_SERIOUS, AS_TEXT, "reading the clock costs differ" },
	{ "mitigations.", DIFFER_SERIOUS, AS_TEXT,
	  "mitigations change the cost of every entry into the kernel" },
	{ "mem.total_kb", DIFFER_SERIOUS, AS_SIZE, "the machine had more or less memory" },
	{ "mem.", DIFFER_NOTED, AS_SIZE, NULL },
	{ "cmdline", DIFFER_NOTED, AS_CMDLINE, NULL },
	{ "config.LOCALVERSION*", DIFFER_EXPECTED, IGNORED, NULL },
	{ "config.CC_VERSION_TEXT", DIFFER_SERIOUS, AS_TEXT, "another compiler" },
	{ "config.HZ", DIFFER_SERIOUS, AS_TEXT, "another timer frequency" },
	{ "config.HZ_*", DIFFER_SERIOUS, IGNORED, NULL },
	{ "config.PREEMPT*", DIFFER_SERIOUS, AS_OPTION, "another preemption model" },
	{ "config.KASAN*", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.KCSAN*", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.UBSAN*", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.PROVE_LOCKING", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.LOCK_STAT", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.SLUB_DEBUG_ON", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.DEBUG_LOCK_ALLOC", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.DEBUG_OBJECTS*", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.DEBUG_VM*", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.DEBUG_PREEMPT", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.DEBUG_ATOMIC_SLEEP", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.DEBUG_KMEMLEAK", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.DEBUG_PAGEALLOC*", DIFFER_SERIOUS, AS_OPTION, SLOW },
	{ "config.DEBUG_INFO*", DIFFER_NOTED, IGNORED, NULL },
	{ "config.", DIFFER_NOTED, AS_OPTION, NULL },
};
static const struct rule other = { "", DIFFER_NOTED, AS_TEXT, NULL };

static bool fits(const struct rule *rule, const char *key)
{
	size_t len = strlen(rule->key);

	if (rule->key[len - 1] == '*')
		return !strncmp(rule->key, key, len - 1);
	if (rule->key[len - 1] == '.')
		return !strncmp(rule->key, key, len);
	return !strcmp(rule->key, key);
}

static const struct rule *rule_for(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (fits(&rules[i], key))
			return &rules[i];
	return &other;
}

/* Words that name the image or its disk differ between any two kernels. */
static bool names_image(const char *word, size_t len)
{
	static const char *const prefixes[] = { "BOOT_IMAGE=", "initrd=", "root=", "resume=" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (len >= strlen(prefixes[i]) &&
		    !strncmp(word, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static bool has_word(const char *line, const char *word, size_t len)
{
	while (*line) {
		size_t n = strcspn(line, " ");

		if (n == len && !memcmp(line, word, len))
			return true;
		line += n;
		line += strspn(line, " ");
	}
	return false;
}

/* The words of a line that other lacks. */
static char *own_words(const char *line, const char *other_line)
{
	struct strbuf sb = STRBUF_INIT;

	while (*line) {
		size_t n = strcspn(line, " ");

		if (n && !names_image(line, n) && !has_word(other_line, line, n)) {
			if (sb.len)
				strbuf_addch(&sb, ' ');
			strbuf_add(&sb, line, n);
		}
		line += n;
		line += strspn(line, " ");
	}
	return strbuf_detach(&sb);
}

static bool sizes_differ(const char *a, const char *b)
{
	double x = strtod_c(a, NULL), y = strtod_c(b, NULL);

	return fabs(x - y) > 0.02 * fmax(fabs(x), fabs(y));
}

/* Was this fact set by --set in any of the sets? Then it is what is compared. */
static bool is_knob(const struct run_set *const *sets, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++) {
		const json_t *list = json_object_get(sets[i]->run[0].manifest, "knobs"), *k;
		size_t j;

		json_array_foreach(list, j, k) {
			const char *name = json_str(k, "name", "");
			const char *feature = strrchr(key, '.');

			if (!strcmp(name, key) ||
			    (!strncmp(key, "sched.features.", 15) && feature &&
			     strstr(name, feature + 1)) ||
			    (!strncmp(key, "sysctl.", 7) && !strcmp(name, key + 7)))
				return true;
		}
	}
	return false;
}

static void add_cmdline(struct comparability *c, const char *const *value)
{
	char **words = xcalloc(c->nr_sets, sizeof(*words));
	bool any = false;

	for (size_t i = 0; i < c->nr_sets; i++) {
		words[i] = own_words(value[i], value[i ? 0 : 1]);
		any |= *words[i] != '\0';
	}
	if (any)
		comparability_add(c, DIFFER_NOTED, "cmdline", "kernel command line, own words",
				  (const char *const *)words, NULL);
	for (size_t i = 0; i < c->nr_sets; i++)
		free(words[i]);
	free(words);
}

static bool values_differ(const struct rule *rule, const char *a, const char *b)
{
	if (rule->how == AS_SIZE)
		return sizes_differ(a, b);
	if (rule->how == AS_OPTION) {
		a = *a ? a : "n";
		b = *b ? b : "n";
	}
	return strcmp(a, b) != 0;
}

/* Facts of little weight are named by their kind: cpu.* */
static size_t first_told(struct comparability *c, const struct run_set *const *sets,
			 const struct rule *rule, const char *key, const char *const *value)
{
	const char *dot = rule->level == DIFFER_SERIOUS ? NULL : strchr(key, '.');
	char *name = dot ? xasprintf("%.*s.*", (int)(dot - key), key) : xstrdup(key);
	size_t first = comparability_first_told(c, sets, name, value);

	free(name);
	return first;
}

static void check_fact(struct comparability *c, const struct run_set *const *sets,
		       const char *key, const char **value)
{
	const struct rule *rule = rule_for(key);
	enum difference_level level = rule->level;
	bool differ = false;
	size_t first;

	if (rule->how == IGNORED)
		return;
	for (size_t i = 0; i < c->nr_sets; i++) {
		value[i] = run_fact(&sets[i]->run[0], key);
		value[i] = value[i] ? value[i] : "";
	}
	first = first_told(c, sets, rule, key, value);
	for (size_t i = 0; i < c->nr_sets; i++)
		differ |= comparability_told(sets[i], value[i]) &&
			  values_differ(rule, value[i], value[first]);
	if (!differ)
		return;
	if (rule->how == AS_CMDLINE) {
		add_cmdline(c, value);
		return;
	}
	if (is_knob(sets, c->nr_sets, key))
		level = DIFFER_EXPECTED;
	comparability_add(c, level, key, key, value, level == rule->level ? rule->why : NULL);
}

/* Facts of a kind that a set lacks as a whole are one note, not a hundred rows. */
static const char *const kinds[] = { "config.", "sched.features.", "sched.", "mitigations.",
				     "sysctl." };

static bool has_kind(const struct run *run, const char *prefix)
{
	for (size_t i = 0; i < run->nr_facts; i++)
		if (!strncmp(run->fact[i].key, prefix, strlen(prefix)))
			return true;
	return false;
}

struct missing {
	bool kind[ARRAY_SIZE(kinds)];
};

static void untold_kind(struct strmap *untold, const char *kind)
{
	char *name = xasprintf("%s*", kind);

	strmap_adds(untold, name);
	free(name);
}

static void find_missing(struct comparability *c, const struct run_set *const *sets,
			 struct missing *m)
{
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		size_t have = 0;

		for (size_t i = 0; i < c->nr_sets; i++)
			have += has_kind(&sets[i]->run[0], kinds[k]);
		m->kind[k] = have < c->nr_sets;
		if (!have || !m->kind[k])
			continue;
		for (size_t i = 0; i < c->nr_sets; i++)
			if (has_kind(&sets[i]->run[0], kinds[k]))
				continue;
			else if (sets[i]->run[0].foreign)
				untold_kind(&c->untold[i], kinds[k]);
			else
				notes_add(&c->notes,
					  "%s holds no %s* facts; they are not compared",
					  sets[i]->label, kinds[k]);
	}
}

static bool is_missing(const struct missing *m, const char *key)
{
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
		if (!strncmp(key, kinds[k], strlen(kinds[k])))
			return m->kind[k];
	return false;
}

void comparability_check_facts(struct comparability *c, const struct run_set *const *sets)
{
	const char **value = xcalloc(c->nr_sets, sizeof(*value));
	struct missing missing;
	struct strmap keys;

	strmap_init(&keys);
	find_missing(c, sets, &missing);
	for (size_t i = 0; i < c->nr_sets; i++)
		for (size_t j = 0; j < sets[i]->run[0].nr_facts; j++)
			strmap_adds(&keys, sets[i]->run[0].fact[j].key);
	for (uint32_t k = 0; k < keys.n; k++)
		if (!is_missing(&missing, keys.name[k]))
			check_fact(c, sets, keys.name[k], value);
	strmap_release(&keys);
	free(value);
}
