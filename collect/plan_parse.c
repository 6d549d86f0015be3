// SPDX-License-Identifier: GPL-2.0-or-later
/* The language of plans: a keyword and its words on each line. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "plan.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/text.h"
#include "schedblame/units.h"

#define PLAN_MAX (1 << 20)
#define JOBS_MAX 100000
#define NAME_MAX_LEN 60

struct parser {
	struct plan *plan;
	struct plan_case *kase; /* the block that the line stands in; NULL: none */
	struct plan_set *set;
	unsigned line;
	struct words words;
	struct err *err;
};

void words_add(struct words *w, const char *word)
{
	/* room for the NULL behind */
	if (w->n + 2 > w->cap) {
		w->cap = w->cap ? 2 * w->cap : 8;
		w->v = xrealloc(w->v, w->cap, sizeof(*w->v));
	}
	w->v[w->n++] = xstrdup(word);
	w->v[w->n] = NULL;
}

void words_release(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	memset(w, 0, sizeof(*w));
}

static int fail(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct parser *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(p->err, EINVAL, fmt, ap);
	va_end(ap);
	err_prefix(p->err, "%s:%u", p->plan->path, p->line);
	return -EINVAL;
}

/* Words as a shell would see them: '', "" and \ quote, # at the start of a word begins
 * a comment; nothing is expanded. */
static int split(struct parser *p, const char *s)
{
	struct strbuf word = STRBUF_INIT;
	char quote = 0;
	bool inside = false;

	words_release(&p->words);
	for (; *s; s++) {
		if (!quote && !inside && *s == '#')
			break;
		if (!quote && isspace((unsigned char)*s)) {
			if (inside)
				words_add(&p->words, word.buf);
			strbuf_reset(&word);
			inside = false;
			continue;
		}
		inside = true;
		if (quote ? *s == quote : *s == '\'' || *s == '"')
			quote = quote ? 0 : *s;
		else if (*s == '\\' && quote != '\'' && s[1])
			strbuf_addch(&word, *++s);
		else
			strbuf_addch(&word, *s);
	}
	if (inside)
		words_add(&p->words, word.buf);
	strbuf_release(&word);
	return quote ? fail(p, "the quote %c is not closed", quote) : 0;
}

/* A name becomes a folder and a column: letters that are safe in both. */
static int check_name(struct parser *p, const char *what)
{
	const char *name = p->words.n == 2 ? p->words.v[1] : "";

	if (p->words.n != 2)
		return fail(p, "'%s' wants one name", what);
	if (strlen(name) > NAME_MAX_LEN || *name == '.' || *name == '-' ||
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "0123456789._+-")])
		return fail(p, "'%s' cannot be the name of a %s: letters, digits and ._+- can, "
			    "at most %d", name, what, NAME_MAX_LEN);
	return 0;
}

static int number(struct parser *p, unsigned *out, unsigned min)
{
	uint64_t v;

	if (p->words.n != 2 || parse_u64(&v, p->words.v[1], min, 9999, "", NULL) < 0)
		return fail(p, "'%s' wants one number from %u to 9999", p->words.v[0], min);
	*out = (unsigned)v;
	return 0;
}

static int on_repeats(struct parser *p)
{
	return number(p, &p->plan->repeats, 1);
}

static int on_warmup(struct parser *p)
{
	return number(p, &p->plan->warmup, 0);
}

/* Options of collect that change what is recorded, not what is run. */
static int on_option(struct parser *p)
{
	static const char known[][20] = { "--with", "--without", "--frequency",
					  "--call-graph", "--trace", "--latency",
					  "--migration-cost", "--metric", "--workload",
					  "--cpus", "--duration" };

	for (size_t i = 1; i < p->words.n; i++) {
		const char *word = p->words.v[i];
		size_t n = strcspn(word, "="), k = 0;

		while (k < ARRAY_SIZE(known) &&
		       (strlen(known[k]) != n || strncmp(known[k], word, n)))
			k++;
		if (k == ARRAY_SIZE(known))
			return fail(p, "'%s' is no option for a plan; there are --with, "
				    "--without, --frequency, --call-graph, --trace, --latency, "
				    "--migration-cost, --metric, --workload, --cpus and "
				    "--duration, each as --NAME=VALUE", word);
		words_add(&p->plan->options, word);
	}
	return p->words.n > 1 ? 0 : fail(p, "'option' wants an option of collect");
}

static int on_case(struct parser *p)
{
	struct plan *plan = p->plan;
	int ret = check_name(p, "case");

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < plan->nr_cases; i++)
		if (!strcmp(plan->kase[i].name, p->words.v[1]))
			return fail(p, "there is a case '%s' already in line %u", p->words.v[1],
				    plan->kase[i].line);
	GROW(plan->kase, plan->nr_cases, plan->cap_cases);
	p->kase = &plan->kase[plan->nr_cases++];
	memset(p->kase, 0, sizeof(*p->kase));
	p->kase->name = xstrdup(p->words.v[1]);
	p->kase->line = p->line;
	p->set = NULL;
	return 0;
}

static int on_set(struct parser *p)
{
	struct plan *plan = p->plan;
	int ret = check_name(p, "set");

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < plan->nr_sets; i++)
		if (!strcmp(plan->set[i].name, p->words.v[1]))
			return fail(p, "there is a set '%s' already in line %u", p->words.v[1],
				    plan->set[i].line);
	GROW(plan->set, plan->nr_sets, plan->cap_sets);
	p->set = &plan->set[plan->nr_sets++];
	memset(p->set, 0, sizeof(*p->set));
	p->set->name = xstrdup(p->words.v[1]);
	p->set->line = p->line;
	p->set->here = true;
	p->kase = NULL;
	return 0;
}

/* The words behind the keyword. */
static int take(struct parser *p, struct words *to)
{
	if (to->n)
		return fail(p, "a second '%s'", p->words.v[0]);
	if (p->words.n < 2)
		return fail(p, "'%s' wants more words", p->words.v[0]);
	for (size_t i = 1; i < p->words.n; i++)
		words_add(to, p->words.v[i]);
	return 0;
}

static int on_command(struct parser *p)
{
	return take(p, &p->kase->command);
}

static int on_loads(struct parser *p)
{
	int ret = take(p, &p->kase->loads);

	for (size_t i = 0; !ret && i < p->kase->loads.n; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(p->kase->loads.v[i], p->kase->loads.v[j]))
				ret = fail(p, "the load '%s' is named twice",
					   p->kase->loads.v[i]);
	return ret;
}

static int on_title(struct parser *p)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 1; i < p->words.n; i++)
		strbuf_addf(&sb, "%s%s", sb.len ? " " : "", p->words.v[i]);
	free(p->kase->title);
	p->kase->title = strbuf_detach(&sb);
	return strstr(p->kase->title, "{load}") ? 0 :
		fail(p, "a title names the load, as in: title {load} groups");
}

static int on_knob(struct parser *p)
{
	struct knobs knobs = { NULL, 0, 0 };
	struct err err = ERR_INIT;
	int ret = p->words.n > 1 ? 0 : fail(p, "'knob' wants KNOB=VALUE, as collect --set does");

	for (size_t i = 1; i < p->words.n && !ret; i++) {
		if (knobs_parse(&knobs, p->words.v[i], &err) < 0)
			ret = fail(p, "%s", err_text(&err));
		words_add(&p->set->knobs, p->words.v[i]);
	}
	err_release(&err);
	knobs_release(&knobs);
	return ret;
}

static int on_prefix(struct parser *p)
{
	return take(p, &p->set->prefix);
}

static int on_kernel(struct parser *p)
{
	if (p->words.n != 2 || p->set->kernel)
		return fail(p, p->set->kernel ? "a second 'kernel'" :
						"'kernel' wants one pattern of uname -r, such as "
						"6.12.*");
	p->set->kernel = xstrdup(p->words.v[1]);
	p->set->here = text_glob(p->set->kernel, p->plan->release);
	return 0;
}

enum place { ANYWHERE, IN_CASE, IN_SET };

static const struct {
	const char *word;
	enum place place;
	int (*fn)(struct parser *p);
} keywords[] = {
	{ "repeats", ANYWHERE, on_repeats }, { "warmup", ANYWHERE, on_warmup },
	{ "option", ANYWHERE, on_option },   { "case", ANYWHERE, on_case },
	{ "set", ANYWHERE, on_set },	     { "command", IN_CASE, on_command },
	{ "loads", IN_CASE, on_loads },	     { "title", IN_CASE, on_title },
	{ "knob", IN_SET, on_knob },	     { "prefix", IN_SET, on_prefix },
	{ "kernel", IN_SET, on_kernel },
};

static int parse_line(struct parser *p, const char *line)
{
	int ret = split(p, line);

	if (ret < 0 || !p->words.n)
		return ret;
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		if (strcmp(keywords[i].word, p->words.v[0]))
			continue;
		if (keywords[i].place == IN_CASE && !p->kase)
			return fail(p, "'%s' belongs below a 'case'", p->words.v[0]);
		if (keywords[i].place == IN_SET && !p->set)
			return fail(p, "'%s' belongs below a 'set'", p->words.v[0]);
		return keywords[i].fn(p);
	}
	return fail(p, "'%.40s' is no word of a plan; there are repeats, warmup, option, case "
		    "(command, loads, title) and set (knob, prefix, kernel)", p->words.v[0]);
}

static bool names_load(const struct plan_case *c)
{
	for (size_t i = 0; i < c->command.n; i++)
		if (strstr(c->command.v[i], "{load}"))
			return true;
	return false;
}

/* What only the whole can tell. */
static int check(struct parser *p)
{
	struct plan *plan = p->plan;
	size_t jobs = 0;

	for (size_t i = 0; i < plan->nr_cases; i++) {
		struct plan_case *c = &plan->kase[i];

		p->line = c->line;
		if (!c->command.n)
			return fail(p, "case '%s' has no command", c->name);
		if (names_load(c) != (c->loads.n > 0))
			return fail(p, c->loads.n ? "case '%s' has loads, but its command does "
						    "not say {load}" :
						    "the command of case '%s' says {load}, but "
						    "there is no line 'loads'", c->name);
		if (!c->loads.n)
			words_add(&c->loads, "");
		jobs += c->loads.n;
	}
	p->line = p->line ? p->line : 1;
	if (!plan->nr_cases || !plan->nr_sets)
		return fail(p, "the plan names no %s", plan->nr_cases ? "set" : "case");
	if (jobs * plan->nr_sets * plan->repeats > JOBS_MAX)
		return fail(p, "these are %zu runs, more than %d",
			    jobs * plan->nr_sets * plan->repeats, JOBS_MAX);
	return 0;
}

int plan_load(struct plan *plan, const char *path, const char *output, struct err *err)
{
	struct parser p = { .plan = plan, .err = err };
	struct strbuf text = STRBUF_INIT;
	struct utsname u;
	int ret;

	memset(plan, 0, sizeof(*plan));
	uname(&u);
	plan->path = xstrdup(path);
	plan->output = xstrdup(output);
	plan->release = xstrdup(u.release);
	plan->repeats = 5;
	ret = file_read(&text, path, PLAN_MAX, err);
	if (!ret && strlen(text.buf) != text.len) {
		p.line = 1;
		ret = fail(&p, "this is no text: it holds a zero byte");
	}
	for (char *line = text.buf, *end; !ret && *line; line = end) {
		size_t n = strcspn(line, "\n");

		end = line + n + (line[n] == '\n');
		line[n] = '\0';
		p.line++;
		ret = parse_line(&p, line);
	}
	if (!ret)
		ret = check(&p);
	words_release(&p.words);
	strbuf_release(&text);
	if (ret < 0)
		plan_release(plan);
	return ret;
}

void plan_release(struct plan *plan)
{
	for (size_t i = 0; i < plan->nr_cases; i++) {
		free(plan->kase[i].name);
		free(plan->kase[i].title);
		words_release(&plan->kase[i].command);
		words_release(&plan->kase[i].loads);
	}
	for (size_t i = 0; i < plan->nr_sets; i++) {
		free(plan->set[i].name);
		free(plan->set[i].kernel);
		words_release(&plan->set[i].knobs);
		words_release(&plan->set[i].prefix);
	}
	words_release(&plan->options);
	free(plan->kase);
	free(plan->set);
	free(plan->job);
	free(plan->path);
	free(plan->output);
	free(plan->release);
	memset(plan, 0, sizeof(*plan));
}
