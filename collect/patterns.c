// SPDX-License-Identifier: GPL-2.0-or-later
/* Pattern files read and checked; docs/workloads.md describes the format. */
#include "patterns.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/units.h"

#define FILE_MAX (256UL << 10)
#define EXPRESSION_MAX 1024
#define REPEAT_MAX 256 /* product of all {n,m} of an expression */
#define RULES_MAX 500

struct parser {
	struct pattern *pattern;
	const char *name;
	int line;
	int section;
	struct err *err;
};

static int bad(const struct parser *p, const char *what, const char *which)
{
	char line[16] = "";

	if (p->line)
		snprintf(line, sizeof(line), ":%d", p->line);
	return err_set(p->err, EINVAL, "%s%s: %s%s%s%s", p->name, line, what,
		       which ? " '" : "", which ? which : "", which ? "'" : "");
}

/* Back references and large counts make the matcher explode. */
static const char *explosive(const char *re)
{
	unsigned long product = 1;

	for (const char *p = re; *p; p++) {
		if (*p == '\\' && p[1]) {
			if (isdigit((unsigned char)p[1]))
				return "back references are not supported in";
			p++;
		} else if (*p == '{' && isdigit((unsigned char)p[1])) {
			char *end;
			unsigned long n = strtoul(p + 1, &end, 10);

			if (*end == ',' && isdigit((unsigned char)end[1]))
				n = strtoul(end + 1, &end, 10);
			if (n > REPEAT_MAX || (product *= n ? n : 1) > REPEAT_MAX)
				return "the repeat counts are too large in";
		}
	}
	return NULL;
}

static int compile(const struct parser *p, regex_t *re, const char *text, size_t groups)
{
	const char *why = explosive(text);
	char message[256];
	int code;

	if (!*text)
		return bad(p, "an expression is missing", NULL);
	if (why || strlen(text) > EXPRESSION_MAX)
		return bad(p, why ? why : "the expression is too long:", text);
	code = regcomp(re, text, REG_EXTENDED);
	if (code) {
		regerror(code, re, message, sizeof(message));
		return bad(p, message, text);
	}
	if (re->re_nsub < groups || re->re_nsub >= PATTERN_GROUPS) {
		size_t n = re->re_nsub;

		regfree(re);
		return bad(p, n < groups ? "parentheses must stand around the number in" :
					   "there are more than 9 groups in", text);
	}
	return 0;
}

/* Cuts the next word off *rest, in place; NULL at the end. */
static char *word(char **rest)
{
	char *p = *rest + strspn(*rest, " \t"), *end = p + strcspn(p, " \t");

	if (!*p)
		return NULL;
	*rest = end + (*end != '\0');
	*end = '\0';
	return p;
}

static int parse_number(const struct parser *p, const char *text, double *v)
{
	char *end;

	*v = strtod_c(text, &end);
	return *end || end == text || !isfinite(*v) ? bad(p, "no number:", text) : 0;
}

static int aggregate_by_name(const char *name)
{
#define X(id, text) if (!strcmp(name, text)) return AGGREGATE_##id;
	AGGREGATE_LIST(X)
#undef X
	return -1;
}

/* "last,work,scale=0.001" */
static int parse_flags(const struct parser *p, struct rule *rule, char *flags)
{
	char *save, *flag;
	int ret = 0;

	for (flag = strtok_r(flags, ",", &save); flag && !ret;
	     flag = strtok_r(NULL, ",", &save)) {
		int aggregate = aggregate_by_name(flag);

		if (aggregate >= 0) {
			rule->aggregate = (enum aggregate)aggregate;
		} else if (!strcmp(flag, "work")) {
			rule->work = true;
		} else if (!strcmp(flag, "clock")) {
			rule->clock = true;
		} else if (!strcmp(flag, "command")) {
			rule->kind = RULE_COMMAND;
		} else if (!strncmp(flag, "scale=", 6)) {
			ret = parse_number(p, flag + 6, &rule->scale);
		} else if (!strncmp(flag, "group=", 6) && isdigit((unsigned char)flag[6]) &&
			   !flag[7]) {
			rule->group = (size_t)(flag[6] - '0');
		} else if (!strncmp(flag, "default=", 8)) {
			rule->has_default = true;
			ret = parse_number(p, flag + 8, &rule->fallback);
		} else if (strcmp(flag, "-")) {
			ret = bad(p, "there is no flag", flag);
		}
	}
	return ret;
}

static int parse_better(const struct parser *p, struct rule *rule, const char *better)
{
	if (!better || (strcmp(better, "higher") && strcmp(better, "lower")))
		return bad(p, "expected higher or lower, not", better ? better : "");
	rule->higher = !strcmp(better, "higher");
	return 0;
}

static int parse_factors(const struct parser *p, struct rule *rule, char *rest)
{
	char *factor;

	while ((factor = word(&rest))) {
		if (rule->nr_factors == FACTORS_MAX)
			return bad(p, "more than 8 factors", NULL);
		rule->factor[rule->nr_factors++] = xstrdup(factor);
	}
	return rule->nr_factors ? 0 : bad(p, "nothing to compute from", NULL);
}

/* metric NAME UNIT BETTER FLAGS REGEX; var NAME FLAGS REGEX;
 * compute NAME UNIT BETTER FLAGS FACTOR... */
static int parse_rule(struct parser *p, enum rule_kind kind, char *rest)
{
	struct pattern *pattern = p->pattern;
	struct rule *rule;
	char *name = word(&rest), *unit = NULL, *flags;
	int ret = 0;

	if (pattern->nr_rules == RULES_MAX)
		return bad(p, "too many rules", NULL);
	GROW(pattern->rule, pattern->nr_rules, pattern->cap_rules);
	rule = &pattern->rule[pattern->nr_rules++];
	*rule = (struct rule){ .kind = kind, .scale = 1, .section = p->section };
	rule->name = xstrdup(name ? name : "");
	if (kind != RULE_VAR) {
		unit = word(&rest);
		ret = parse_better(p, rule, unit ? word(&rest) : NULL);
	}
	rule->unit = xstrdup(unit && strcmp(unit, "-") ? unit : "");
	flags = word(&rest);
	if (!ret && !flags)
		ret = bad(p, "the line ends too early", NULL);
	if (!ret)
		ret = parse_flags(p, rule, flags);
	if (!ret && kind == RULE_COMPUTE)
		return parse_factors(p, rule, rest);
	rest += strspn(rest, " \t");
	if (!ret)
		ret = compile(p, &rule->re, rest, rule->aggregate == AGGREGATE_COUNT ? 0 : 1);
	rule->compiled = !ret;
	if (!ret && rule->group > rule->re.re_nsub)
		ret = bad(p, "there is no such group in", rest);
	return ret;
}

/* section NAME REGEX: the rules that follow hold below a line that matches;
 * "section -" ends that. */
static int parse_section(struct parser *p, char *rest)
{
	struct pattern *pattern = p->pattern;
	char *name = word(&rest);
	regex_t re;
	int ret;

	if (!name)
		return bad(p, "the section has no name", NULL);
	p->section = -1;
	if (!strcmp(name, "-") && !rest[strspn(rest, " \t")])
		return 0;
	ret = compile(p, &re, rest + strspn(rest, " \t"), 0);
	if (ret < 0)
		return ret;
	GROW(pattern->section, pattern->nr_sections, pattern->cap_sections);
	pattern->section[pattern->nr_sections] = (struct section){ xstrdup(name), re };
	p->section = (int)pattern->nr_sections++;
	return 0;
}

static int parse_selector(struct parser *p, regex_t *re, bool *has, char *rest)
{
	if (*has)
		return bad(p, "a second line of that kind; use (a|b)", NULL);
	if (compile(p, re, rest + strspn(rest, " \t"), 0) < 0)
		return -EINVAL;
	*has = true;
	return 0;
}

static int parse_line(struct parser *p, char *line)
{
	struct pattern *pattern = p->pattern;
	char *rest = line, *what = word(&rest);

	if (!what || *what == '#')
		return 0;
	if (!strcmp(what, "metric"))
		return parse_rule(p, RULE_METRIC, rest);
	if (!strcmp(what, "var"))
		return parse_rule(p, RULE_VAR, rest);
	if (!strcmp(what, "compute"))
		return parse_rule(p, RULE_COMPUTE, rest);
	if (!strcmp(what, "section"))
		return parse_section(p, rest);
	if (!strcmp(what, "command"))
		return parse_selector(p, &pattern->command, &pattern->has_command, rest);
	if (!strcmp(what, "output"))
		return parse_selector(p, &pattern->output, &pattern->has_output, rest);
	if (!strcmp(what, "workload") && !pattern->name) {
		what = word(&rest);
		pattern->name = xstrdup(what ? what : "");
		return *pattern->name ? 0 : bad(p, "the workload has no name", NULL);
	}
	return bad(p, "expected workload, command, output, section, metric, var or compute, "
		      "not", what);
}

static void release_pattern(struct pattern *pattern)
{
	for (size_t i = 0; i < pattern->nr_rules; i++) {
		struct rule *rule = &pattern->rule[i];

		free(rule->name);
		free(rule->unit);
		if (rule->compiled)
			regfree(&rule->re);
		for (size_t f = 0; f < rule->nr_factors; f++)
			free(rule->factor[f]);
	}
	for (size_t i = 0; i < pattern->nr_sections; i++) {
		free(pattern->section[i].name);
		regfree(&pattern->section[i].re);
	}
	if (pattern->has_command)
		regfree(&pattern->command);
	if (pattern->has_output)
		regfree(&pattern->output);
	free(pattern->rule);
	free(pattern->section);
	free(pattern->name);
}

static const struct pattern *find(const struct patterns *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (!strcmp(set->v[i].name, name))
			return &set->v[i];
	return NULL;
}

int patterns_parse(struct patterns *set, const char *text, const char *name, bool forced,
		   struct err *err)
{
	struct pattern pattern = { .forced = forced };
	struct parser p = { &pattern, name, 0, -1, err };
	char *copy = xstrdup(text), *rest = copy;
	int ret = 0;

	while (rest && !ret) {
		char *line = strsep(&rest, "\n");

		line[strcspn(line, "\r")] = '\0';
		p.line++;
		ret = parse_line(&p, line);
	}
	if (!ret && !pattern.name)
		ret = err_set(err, EINVAL, "%s has no line 'workload NAME'", name);
	free(copy);
	if (ret < 0 || find(set, pattern.name)) {
		release_pattern(&pattern);
		return ret;
	}
	GROW(set->v, set->n, set->cap);
	set->v[set->n++] = pattern;
	return 0;
}

int patterns_load(struct patterns *set, const char *path, bool forced, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = file_read(&text, path, FILE_MAX, err);

	if (!ret)
		ret = patterns_parse(set, text.buf, path, forced, err);
	strbuf_release(&text);
	return ret;
}

/* The pattern that holds what --metric asks for. */
static struct pattern *option_pattern(struct patterns *set)
{
	struct pattern *found = (struct pattern *)find(set, OPTION_PATTERN);

	if (found)
		return found;
	GROW(set->v, set->n, set->cap);
	found = &set->v[set->n++];
	*found = (struct pattern){ .name = xstrdup(OPTION_PATTERN), .forced = true };
	return found;
}

int patterns_add_option(struct patterns *set, const char *arg, struct err *err)
{
	struct parser p = { option_pattern(set), "--metric", 0, -1, err };
	struct rule rule = { .kind = RULE_METRIC, .scale = 1, .section = -1 };
	char *copy = xstrdup(arg), *rest = copy;
	char *name = strsep(&rest, ":"), *unit = rest ? strsep(&rest, ":") : NULL;
	char *better = rest ? strsep(&rest, ":") : NULL;
	int ret;

	if (!rest || !*name)
		ret = err_set(err, EINVAL, "--metric wants NAME:UNIT:higher|lower:REGEX, "
					   "not '%s'", arg);
	else
		ret = parse_better(&p, &rule, better);
	if (!ret)
		ret = compile(&p, &rule.re, rest, 1);
	if (!ret) {
		rule.compiled = true;
		rule.name = xstrdup(name);
		rule.unit = xstrdup(unit);
		GROW(p.pattern->rule, p.pattern->nr_rules, p.pattern->cap_rules);
		p.pattern->rule[p.pattern->nr_rules++] = rule;
	}
	free(copy);
	return ret;
}

static int is_conf(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return len > 5 && !strcmp(e->d_name + len - 5, ".conf");
}

static void load_noted(struct patterns *set, const char *path, struct notes *notes)
{
	struct err err = ERR_INIT;

	if (patterns_load(set, path, false, &err) < 0)
		notes_add(notes, "pattern file left out: %s", err_text(&err));
	err_release(&err);
}

static void load_folder(struct patterns *set, const char *dir, struct notes *notes)
{
	struct dirent **list;
	int n = scandir(dir, &list, is_conf, alphasort);

	for (int i = 0; i < n; i++) {
		char *path = path_join(dir, list[i]->d_name);

		load_noted(set, path, notes);
		free(path);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

void patterns_load_installed(struct patterns *set, struct notes *notes)
{
	const char *user = getenv("SCHEDBLAME_WORKLOADS");
	char *copy = xstrdup(user ? user : ""), *rest = copy, *dir;

	while (rest) {
		char *path = strsep(&rest, ":");

		if (!*path)
			continue;
		if (dir_exists(path))
			load_folder(set, path, notes);
		else
			load_noted(set, path, notes);
	}
	free(copy);
	dir = path_join(data_dir(), "workloads");
	load_folder(set, dir, notes);
	free(dir);
}

void patterns_release(struct patterns *set)
{
	for (size_t i = 0; i < set->n; i++)
		release_pattern(&set->v[i]);
	free(set->v);
	memset(set, 0, sizeof(*set));
}
