// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds numbers line by line. Bounded in every direction: part of the output,
 * length of a line, number of metrics, and time; a hostile or careless
 * expression costs seconds at most.
 */
#include "metrics.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interrupt.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/units.h"
#include "workload.h"

#define METRICS_VERSION 1
#define LINE_MAX_BYTES 2048
#define FOUND_MAX 1000
#define NAME_MAX_BYTES 80
#define BUDGET_NS (5 * NSEC_PER_SEC)

struct found {
	const struct rule *rule;
	char *name;
	size_t n;
	double first, last, sum, min, max;
};

struct search {
	const struct pattern *pattern;
	const char *command; /* joined by blanks */
	bool applies;
	int section; /* that the current line is in, -1 */
	struct found *found;
	size_t n, cap, left_out;
	uint64_t deadline;
};

double metric_value(const char *text, bool clock)
{
	double total = 0, v;
	char clean[64], *p = clean, *end;

	for (; *text && p < clean + sizeof(clean) - 1; text++)
		if (*text != ',' && !isspace((unsigned char)*text))
			*p++ = *text;
	*p = '\0';
	for (p = clean;; p = end + 1) {
		v = strtod_c(p, &end);
		if (end == p || !isfinite(v))
			return NAN;
		if (!clock)
			return v;
		if (*end == ':' || *end == 'm' || *end == 'h')
			total = (total + v) * 60;
		else
			return total + v;
		if (*end == 'm' && !end[1])
			return total;
		/* "1h" stands for 60 x 60 */
		if (*end == 'h' && !strchr(end, 'm') && !isdigit((unsigned char)end[1]))
			return total * 60;
	}
}

/* The name with $N replaced by what the groups caught, fit for a table. */
static char *expand_name(const char *name, const char *line, const regmatch_t *m)
{
	struct strbuf sb = STRBUF_INIT;

	for (const char *p = name; *p && sb.len < NAME_MAX_BYTES; p++) {
		const regmatch_t *g = *p == '$' && isdigit((unsigned char)p[1]) ?
					      &m[p[1] - '0'] : NULL;

		if (!g) {
			strbuf_addch(&sb, *p);
			continue;
		}
		p++;
		for (regoff_t i = g->rm_so; i >= 0 && i < g->rm_eo && sb.len < NAME_MAX_BYTES; i++) {
			unsigned char c = (unsigned char)line[i];
			bool odd = !isalnum(c) && !strchr("._-+%/", c);

			if (!odd || (sb.len && sb.buf[sb.len - 1] != '_'))
				strbuf_addch(&sb, odd ? '_' : (char)c);
		}
		while (sb.len && sb.buf[sb.len - 1] == '_')
			strbuf_setlen(&sb, sb.len - 1);
	}
	return strbuf_detach(&sb);
}

/* Takes name. */
static void add_value(struct search *s, const struct rule *rule, char *name, double v)
{
	struct found *f = NULL;

	for (size_t i = 0; i < s->n && !f; i++)
		if (!strcmp(s->found[i].name, name))
			f = &s->found[i];
	if (!f && s->n < FOUND_MAX) {
		GROW(s->found, s->n, s->cap);
		f = &s->found[s->n++];
		*f = (struct found){ .rule = rule, .name = xstrdup(name), .first = v,
				     .min = v, .max = v };
	}
	free(name);
	if (!f) {
		s->left_out++;
		return;
	}
	f->n++;
	f->last = v;
	f->sum += v;
	f->min = fmin(f->min, v);
	f->max = fmax(f->max, v);
}

static void try_rule(struct search *s, const struct rule *rule, const char *line)
{
	regmatch_t m[PATTERN_GROUPS];
	char *text;
	double v = 1;

	if (regexec(&rule->re, line, PATTERN_GROUPS, m, 0))
		return;
	if (rule->aggregate != AGGREGATE_COUNT) {
		size_t g = rule->group ? rule->group : rule->re.re_nsub;

		while (g && m[g].rm_so < 0)
			g--;
		text = xstrndup(line + m[g].rm_so, (size_t)(m[g].rm_eo - m[g].rm_so));
		v = g ? metric_value(text, rule->clock) * rule->scale : NAN;
		free(text);
	}
	if (isfinite(v))
		add_value(s, rule, expand_name(rule->name, line, m), v);
}

static void look_at_line(struct search *s, const char *line)
{
	const struct pattern *p = s->pattern;

	for (size_t i = 0; i < p->nr_sections; i++)
		if (!regexec(&p->section[i].re, line, 0, NULL, 0)) {
			s->section = (int)i;
			break;
		}
	for (size_t i = 0; i < p->nr_rules; i++) {
		const struct rule *rule = &p->rule[i];

		if ((rule->kind == RULE_METRIC || rule->kind == RULE_VAR) &&
		    (rule->section < 0 || rule->section == s->section))
			try_rule(s, rule, line);
	}
}

static void detect_line(struct search *s, const char *line)
{
	if (!s->applies && !regexec(&s->pattern->output, line, 0, NULL, 0))
		s->applies = true;
}

/* Calls fn for each line of text; control characters become blanks. False when
 * the time is over. */
static bool for_each_line(struct search *s, const char *text, size_t len,
			  void (*fn)(struct search *s, const char *line))
{
	char line[LINE_MAX_BYTES];

	while (len) {
		size_t n = 0, keep;

		while (n < len && text[n] != '\n' && text[n] != '\r')
			n++;
		keep = n < sizeof(line) - 1 ? n : sizeof(line) - 1;
		for (size_t i = 0; i < keep; i++)
			line[i] = (unsigned char)text[i] < ' ' && text[i] != '\t' ? ' ' : text[i];
		line[keep] = '\0';
		if (keep)
			fn(s, line);
		n += n < len;
		text += n;
		len -= n;
		if (monotonic_ns() > s->deadline)
			return false;
	}
	return true;
}

static double result(const struct found *f)
{
	switch (f->rule->aggregate) {
	case AGGREGATE_FIRST:
		return f->first;
	case AGGREGATE_SUM:
	case AGGREGATE_COUNT: /* each match counts 1 */
		return f->sum;
	case AGGREGATE_MEAN:
		return f->sum / (double)f->n;
	case AGGREGATE_MIN:
		return f->min;
	case AGGREGATE_MAX:
		return f->max;
	default:
		return f->last;
	}
}

static double factor_value(const struct search *s, const char *name)
{
	char *end;
	double v = strtod_c(name, &end);

	if (end != name && !*end)
		return v;
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->found[i].name, name))
			return result(&s->found[i]);
	return NAN;
}

static double compute(const struct search *s, const struct rule *rule)
{
	double product = 1;

	for (size_t i = 0; i < rule->nr_factors; i++) {
		const char *name = rule->factor[i];

		if (*name == '/')
			product /= factor_value(s, name + 1);
		else
			product *= factor_value(s, name);
	}
	return product * rule->scale;
}

static bool is_command(const struct search *s)
{
	return s->pattern->has_command &&
	       !regexec(&s->pattern->command, s->command, 0, NULL, 0);
}

/* Numbers that stand in the command line, or their defaults. */
static void look_at_command(struct search *s)
{
	bool ours = is_command(s);

	for (size_t i = 0; i < s->pattern->nr_rules && ours; i++) {
		const struct rule *rule = &s->pattern->rule[i];
		size_t before = s->n;

		if (rule->kind != RULE_COMMAND)
			continue;
		try_rule(s, rule, s->command);
		if (s->n == before && rule->has_default)
			add_value(s, rule, xstrdup(rule->name), rule->fallback);
	}
}

static void add_metric(json_t *list, const char *workload, const char *name,
		       const struct rule *rule, double value)
{
	json_t *m = json_object();

	json_object_set_new(m, "name", json_text(name, strlen(name)));
	json_object_set_new(m, "unit", json_text(rule->unit, strlen(rule->unit)));
	json_object_set_new(m, "better", json_string(rule->higher ? "higher" : "lower"));
	json_object_set_new(m, "value", json_num(value));
	json_object_set_new(m, "work", json_boolean(rule->work));
	json_object_set_new(m, "workload", json_text(workload, strlen(workload)));
	json_array_append_new(list, m);
}

/* Adds what was found; how many. */
static size_t collect_results(const struct search *s, json_t *list)
{
	const char *workload = s->pattern->name;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct found *f = &s->found[i];

		if (f->rule->kind != RULE_METRIC)
			continue;
		add_metric(list, workload, f->name, f->rule, result(f));
		n++;
	}
	for (size_t i = 0; i < s->pattern->nr_rules; i++) {
		const struct rule *rule = &s->pattern->rule[i];
		double v = rule->kind == RULE_COMPUTE ? compute(s, rule) : NAN;

		if (!isfinite(v))
			continue;
		add_metric(list, workload, rule->name, rule, v);
		n++;
	}
	return n;
}

/* Does the output show this workload, or is it asked for by name? */
static bool applies(struct search *s, const struct metrics_input *in)
{
	s->applies = s->pattern->forced || (!s->pattern->has_output && is_command(s));
	if (!s->applies && s->pattern->has_output) {
		for_each_line(s, in->out, in->out_len, detect_line);
		for_each_line(s, in->err, in->err_len, detect_line);
	}
	return s->applies;
}

static size_t run_pattern(const struct pattern *pattern, const char *command,
			  const struct metrics_input *in, uint64_t deadline,
			  json_t *list, struct notes *notes)
{
	struct search s = { .pattern = pattern, .command = command, .section = -1,
			    .deadline = deadline };
	size_t n = 0;

	if (applies(&s, in)) {
		look_at_command(&s);
		s.section = -1;
		if (!for_each_line(&s, in->out, in->out_len, look_at_line) ||
		    !for_each_line(&s, in->err, in->err_len, look_at_line))
			notes_add(notes, "the search for numbers by '%s' ran out of time",
				  pattern->name);
		n = collect_results(&s, list);
	}
	if (s.left_out)
		notes_add(notes, "the output holds more than %d numbers for '%s': %zu values "
			  "of others are not kept", FOUND_MAX, pattern->name, s.left_out);
	if (!n && pattern->forced)
		notes_add(notes, "no number in the output matches the patterns of '%s'",
			  pattern->name);
	for (size_t i = 0; i < s.n; i++)
		free(s.found[i].name);
	free(s.found);
	return n;
}

static char *join_command(char *const *argv)
{
	struct strbuf sb = STRBUF_INIT;

	for (; *argv && sb.len < LINE_MAX_BYTES; argv++)
		strbuf_addf(&sb, "%s%s", sb.len ? " " : "", *argv);
	return strbuf_detach(&sb);
}

static bool is_wrapper(const char *path)
{
	static const char *const names[] = { "taskset", "numactl", "nice", "chrt", "env", "time",
					     "setsid", "stdbuf", "ionice", "sudo", "timeout",
					     "cgexec", "setarch", "unshare", "systemd-run", "perf" };
	char *name = path_base(path);
	bool is = false;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !is; i++)
		is = !strcmp(name, names[i]);
	free(name);
	return is;
}

static bool known_command(const struct patterns *set, char *const *argv)
{
	char *command = join_command(argv);
	regmatch_t m;
	bool known = false;

	for (size_t i = 0; i < set->n && !known; i++)
		known = set->v[i].has_command &&
			!regexec(&set->v[i].command, command, 1, &m, 0) &&
			!memchr(command, ' ', (size_t)m.rm_so); /* in the first word */
	free(command);
	return known;
}

static bool is_program(const char *word)
{
	char *path = NULL;
	bool is = workload_find(word, &path, NULL) == 0;

	free(path);
	return is;
}

/* "taskset -c 0-3 hackbench" is hackbench: the options of a wrapper are not known
 * here, so the command begins at the first word that a pattern knows, unless another
 * program stands before it. perf's first word is its own command. */
static char *const *behind_wrapper(const struct patterns *set, char *const *argv)
{
	char *const *at = argv;

	while (*at && is_wrapper(*at)) {
		char *name = path_base(*at++);

		if (!strcmp(name, "perf") && *at)
			at++;
		free(name);
		for (; *at && !is_wrapper(*at); at++) {
			if (known_command(set, at))
				return at;
			if (**at != '-' && !strchr(*at, '=') && is_program(*at))
				return argv;
		}
	}
	return argv;
}

static int read_range(struct strbuf *sb, int fd, off_t from, off_t to)
{
	char buf[65536];

	while (from < to) {
		size_t want = to - from < (off_t)sizeof(buf) ? (size_t)(to - from) : sizeof(buf);
		ssize_t n = pread(fd, buf, want, from);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		strbuf_add(sb, buf, (size_t)n);
		from += n;
	}
	return 0;
}

int metrics_read(struct strbuf *sb, int fd, const char *name, struct err *err)
{
	struct stat st;
	off_t head, tail;
	int ret;

	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "cannot read %s", name);
	head = st.st_size < METRICS_HEAD ? st.st_size : METRICS_HEAD;
	tail = st.st_size - head < METRICS_TAIL ? head : st.st_size - METRICS_TAIL;
	ret = read_range(sb, fd, 0, head);
	if (!ret && tail > head)
		strbuf_addch(sb, '\n');
	if (!ret)
		ret = read_range(sb, fd, tail, st.st_size);
	return ret < 0 ? err_errno(err, -ret, "cannot read %s", name) : 0;
}

json_t *metrics_find(const struct patterns *set, const struct metrics_input *in,
		     struct notes *notes)
{
	static const struct rule wall = { .unit = (char *)"s" };
	uint64_t deadline = monotonic_ns() + BUDGET_NS;
	json_t *root = json_object(), *list = json_array();
	char *const *argv = behind_wrapper(set, in->command);
	char *command = join_command(argv);
	char *workload = path_base(*argv ? *argv : "system");
	bool named = false;

	for (size_t i = 0; i < set->n; i++) {
		if (!run_pattern(&set->v[i], command, in, deadline, list, notes) || named ||
		    !strcmp(set->v[i].name, OPTION_PATTERN))
			continue;
		free(workload);
		workload = xstrdup(set->v[i].name);
		named = true;
	}
	add_metric(list, workload, "wall_time", &wall, in->wall_s);
	json_object_set_new(root, "version", json_integer(METRICS_VERSION));
	json_object_set_new(root, "workload", json_text(workload, strlen(workload)));
	json_object_set_new(root, "metrics", list);
	free(workload);
	free(command);
	return root;
}
