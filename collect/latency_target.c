// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the names of functions to what this kernel lets us time, in the order of
 * docs/design.md: the function itself, its inlined body, its container. Old and
 * new names are one (data/renames.tsv).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "latency_private.h"
#include "schedblame/alloc.h"
#include "schedblame/symbols.h"

/* Without --latency; cheap, so no probes inside of functions. */
#define DEFAULT_SET "select_idle_cpu,sched_balance_newidle"

/* What is known of functions; newest names. containers: innermost first. */
static const struct known {
	const char *function;
	enum latency_caller_by by;
	unsigned arg;
	const char *container[2];
} known[] = {
	{ "select_idle_cpu", CALLER_BY_TASK, 0, { "select_idle_sibling", "select_task_rq_fair" } },
	{ "select_idle_core", CALLER_BY_TASK, 0, { "select_idle_sibling", "select_task_rq_fair" } },
	{ "select_idle_smt", CALLER_BY_TASK, 0, { "select_idle_sibling", "select_task_rq_fair" } },
	{ "select_idle_capacity", CALLER_BY_TASK, 0,
	  { "select_idle_sibling", "select_task_rq_fair" } },
	{ "select_idle_sibling", CALLER_BY_TASK, 0, { "select_task_rq_fair" } },
	{ "select_task_rq_fair", CALLER_BY_TASK, 0, { NULL } },
	{ "wake_affine", CALLER_BY_NOTHING, 0, { "select_task_rq_fair" } },
	{ "sched_balance_find_dst_cpu", CALLER_BY_TASK, 1, { "select_task_rq_fair" } },
	{ "sched_balance_find_dst_group", CALLER_BY_TASK, 1,
	  { "sched_balance_find_dst_cpu", "select_task_rq_fair" } },
	{ "sched_balance_rq", CALLER_BY_IDLE, 3, { NULL } },
	{ "sched_balance_domains", CALLER_BY_IDLE, 1, { NULL } },
	{ "sched_balance_newidle", CALLER_BY_NEWIDLE, 0, { "pick_next_task_fair" } },
	{ "sched_balance_find_src_group", CALLER_BY_NOTHING, 0, { "sched_balance_rq" } },
	{ "sched_balance_find_src_rq", CALLER_BY_NOTHING, 0, { "sched_balance_rq" } },
	{ "update_sd_lb_stats", CALLER_BY_NOTHING, 0,
	  { "sched_balance_find_src_group", "sched_balance_rq" } },
	{ "detach_tasks", CALLER_BY_NOTHING, 0, { "sched_balance_rq" } },
};

struct finder {
	struct kallsyms ks;
	struct renames renames;
	bool cheap;
};

static const struct known *know(const char *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].function, function))
			return &known[i];
	return NULL;
}

/* The newest name, unless this kernel has functions of both names. */
static void newest_name(struct finder *f, const char *name, char *buf, size_t size)
{
	char newest[256];

	snprintf(buf, size, "%s", name);
	if (!renames_newest(&f->renames, name, newest, sizeof(newest)) ||
	    !strcmp(newest, name))
		return;
	if (kallsyms_lookup(&f->ks, name, "") && kallsyms_lookup(&f->ks, newest, ""))
		return;
	snprintf(buf, size, "%s", newest);
}

/* A symbol of that name, else one with a compiler's suffix that is the whole
 * function (no .cold, no .part). */
static const struct ksym *find_symbol(struct finder *f, const char *name)
{
	const struct ksym *sym = kallsyms_lookup(&f->ks, name, "");
	size_t len = strlen(name);

	for (size_t i = 0; !sym && i < f->ks.n; i++) {
		const char *s = kallsyms_name(&f->ks, &f->ks.sym[i]);

		if (!f->ks.sym[i].module && !strncmp(s, name, len) &&
		    (!strncmp(s + len, ".isra.", 6) || !strncmp(s + len, ".constprop.", 11)) &&
		    !strstr(s + len, ".cold") && !strstr(s + len, ".part"))
			sym = &f->ks.sym[i];
	}
	return sym;
}

/* The same for all names that the function ever had. */
static const struct ksym *find_any_name(struct finder *f, const char *name)
{
	const struct ksym *sym = find_symbol(f, name);
	char newest[256], other[256];

	newest_name(f, name, newest, sizeof(newest));
	for (size_t i = 0; !sym && i < f->renames.names.n; i++) {
		const char *n = f->renames.names.name[i];

		if (renames_newest(&f->renames, n, other, sizeof(other)) &&
		    !strcmp(other, newest))
			sym = find_symbol(f, n);
	}
	return sym ? sym : find_symbol(f, newest);
}

void latency_target_release(struct latency_target *t)
{
	free(t->asked);
	free(t->function);
	free(t->symbol);
	inlined_body_release(&t->body);
	memset(t, 0, sizeof(*t));
}

/* Arguments are where the source has them only in a function without suffix. */
static void tell_caller(struct finder *f, struct latency_target *t)
{
	const struct known *k;
	char name[256];

	if (strchr(t->symbol, '.'))
		return;
	newest_name(f, t->symbol, name, sizeof(name));
	k = know(name);
	if (k) {
		t->caller_by = k->by;
		t->caller_arg = k->arg;
	}
}

static void take(struct latency_targets *ts, struct finder *f, struct latency_target *t,
		 const struct ksym *sym, enum latency_via via, const char *function)
{
	t->via = via;
	t->function = xstrdup(function);
	t->symbol = xstrdup(kallsyms_name(&f->ks, sym));
	t->addr = sym->addr;
	tell_caller(f, t);
	for (size_t i = 0; i < ts->n; i++)
		if (!strcmp(ts->v[i].function, t->function)) {
			latency_target_release(t);
			return;
		}
	GROW(ts->v, ts->n, ts->cap);
	ts->v[ts->n++] = *t;
}

/* Steps 2 and 3: inlined somewhere that we know. */
static bool find_inlined(struct latency_targets *ts, struct finder *f,
			 struct latency_target *t, const char *function)
{
	const struct known *k = know(function);
	const struct ksym *first = NULL;
	struct err err = ERR_INIT;
	char name[256];

	for (size_t i = 0; k && i < ARRAY_SIZE(k->container) && k->container[i]; i++) {
		const struct ksym *sym = find_any_name(f, k->container[i]);

		if (!sym)
			continue;
		if (!first)
			first = sym;
		if (f->cheap)
			break;
		if (inlined_body_find(&t->body, function, sym, &f->ks, &err) == 0 ||
		    inlined_body_find(&t->body, t->asked, sym, &f->ks, &err) == 0) {
			take(ts, f, t, sym, VIA_INLINED, function);
			err_release(&err);
			return true;
		}
	}
	if (!first)
		return false;
	newest_name(f, kallsyms_name(&f->ks, first), name, sizeof(name));
	name[strcspn(name, ".")] = '\0';
	notes_add(&ts->notes, "%s was inlined by the compiler; %s is timed instead (%s)",
		  function, name,
		  f->cheap ? "its own body with --latency and debug information" :
			     err_text(&err));
	err_release(&err);
	take(ts, f, t, first, VIA_CONTAINER, name);
	return true;
}

static void find_target(struct latency_targets *ts, struct finder *f, const char *asked,
			size_t len)
{
	static const char scanned[] = ":scanned";
	size_t tail = sizeof(scanned) - 1;
	bool scan = len > tail && !strncmp(asked + len - tail, scanned, tail);
	struct latency_target t = { .asked = xstrndup(asked, scan ? len - tail : len),
				    .scan = scan };
	const struct ksym *sym = find_any_name(f, t.asked);
	char name[256];

	newest_name(f, t.asked, name, sizeof(name));
	if (sym) {
		take(ts, f, &t, sym, VIA_FUNCTION, name);
	} else if (!find_inlined(ts, f, &t, name)) {
		notes_add(&ts->notes, "this kernel has no function %s, and no function is "
			  "known that it may have been inlined into", t.asked);
		latency_target_release(&t);
	}
}

int latency_targets_find(struct latency_targets *t, const char *list, bool bodies,
			 struct err *err)
{
	struct finder f;
	int ret;

	memset(t, 0, sizeof(*t));
	memset(&f, 0, sizeof(f));
	f.cheap = !list || !bodies;
	ret = kallsyms_open(&f.ks, "/proc/kallsyms", err);
	if (!ret && f.ks.restricted)
		ret = err_set(err, EPERM, "/proc/kallsyms hides addresses "
			      "(kernel.kptr_restrict): functions cannot be timed");
	if (!ret)
		ret = renames_load(&f.renames, NULL, err);
	for (const char *p = list ? list : DEFAULT_SET; !ret && *p;) {
		size_t len = strcspn(p, ",");

		if (len)
			find_target(t, &f, p, len);
		p += len + (p[len] == ',');
	}
	renames_release(&f.renames);
	kallsyms_close(&f.ks);
	return ret;
}

void latency_targets_release(struct latency_targets *t)
{
	for (size_t i = 0; i < t->n; i++)
		latency_target_release(&t->v[i]);
	free(t->v);
	notes_release(&t->notes);
	memset(t, 0, sizeof(*t));
}
