// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What to try next, as a command line that can be pasted: the new side again with
 * one thing changed. A tunable that differs between the sides is set back as the
 * base had it, which proves or clears it; else the one that the mechanism hangs on
 * is turned. Only what the new side's kernel was seen to have is set.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "schedblame/alloc.h"
#include "schedblame/strbuf.h"
#include "schedblame/text.h"

#define SET_BACK_MAX 3 /* tunables in one command */

static const char feature_prefix[] = "sched.features.";

/* The name that collect --set knows a fact by; NULL: it cannot be set. */
static const char *knob_of(const char *key)
{
	if (!strncmp(key, feature_prefix, strlen(feature_prefix)))
		return key + strlen(feature_prefix);
	if (!strncmp(key, "sysctl.", 7))
		return key + 7;
	return !strncmp(key, "sched.", 6) && strncmp(key, "sched.domain", 12) ? key : NULL;
}

/* Tunables with that prefix as side A had them. */
static size_t set_back(struct strbuf *sb, const struct blame_input *in, const char *prefix)
{
	const struct run *a = &in->a->run[0], *b = &in->b->run[0];
	size_t n = 0;

	for (size_t i = 0; i < a->nr_facts && n < SET_BACK_MAX; i++) {
		const char *key = a->fact[i].key, *value = run_fact(b, key);

		if (strncmp(key, prefix, strlen(prefix)) || !knob_of(key) || !value ||
		    !*a->fact[i].value || !strcmp(value, a->fact[i].value))
			continue;
		strbuf_addf(sb, " --set ");
		advise_word(sb, "%s=%s", knob_of(key), a->fact[i].value);
		n++;
	}
	return n;
}

/* up: what the new side has too little of. */
static void turn_one(struct strbuf *sb, const struct run *run, const struct advice_knob *k,
		     bool up)
{
	const char *now = run_fact(run, k->fact);
	double v = now ? strtod(now, NULL) : NAN;

	if (!now)
		return;
	if (!strncmp(k->fact, feature_prefix, strlen(feature_prefix))) {
		if (!strcmp(now, up ? "off" : "on"))
			strbuf_addf(sb, " --set %s%s", up ? "" : "NO_", knob_of(k->fact));
	} else if (k->factor == 0) {
		if (up ? v > 0 : v == 0)
			strbuf_addf(sb, " --set %s=%d", knob_of(k->fact), !up);
	} else if (v >= 1 && isfinite(v)) {
		strbuf_addf(sb, " --set %s=%.0f", knob_of(k->fact),
			    fmax(1, up ? v * k->factor : v / k->factor));
	}
}

void advise_word(struct strbuf *sb, const char *fmt, ...)
{
	char *word;
	va_list ap;

	va_start(ap, fmt);
	word = xvasprintf(fmt, ap);
	va_end(ap);
	text_add_shell(sb, word);
	free(word);
}

/* "-- hackbench -g 4"; of side B */
static void add_command(struct strbuf *sb, const struct run *run)
{
	if (run->command && *run->command)
		strbuf_addf(sb, " -- %s", run->command);
	else if (run->duration_ns && !run->foreign)
		strbuf_addf(sb, " --duration=%.0fs", fmax(1, (double)run->duration_ns / 1e9));
	else
		strbuf_addstr(sb, " -- COMMAND");
}

void advise_collect(struct cause *cause, const struct blame_input *in, const char *options)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "schedblame collect -o try %s", options);
	add_command(&sb, &in->b->run[0]);
	cause_set(&cause->next, "%s", sb.buf);
	strbuf_release(&sb);
}

void advise_knobs(struct cause *cause, const struct blame_input *in, const char *prefix,
		  const struct advice_knob *knobs, const char *otherwise)
{
	struct strbuf set = STRBUF_INIT;

	strbuf_addstr(&set, "-r 5");
	if (!set_back(&set, in, prefix))
		for (; knobs->fact; knobs++)
			turn_one(&set, &in->b->run[0], knobs, cause->points > 0);
	advise_collect(cause, in, strstr(set.buf, " --set ") ? set.buf : otherwise);
	strbuf_release(&set);
}
