// SPDX-License-Identifier: GPL-2.0-or-later
/* What merely grew: a part of the kernel, user code, interrupts, the hypervisor.
 * These have no price of their own; they are their ledger rows, as far as the
 * mechanisms before them left anything. */
#include <math.h>

#include "cost.h"
#include "mechanisms.h"
#include "schedblame/json.h"

#define MOVES_MORE 1.1 /* times as many moves */

static bool not_split(const struct blame_input *in, const char **why)
{
	(void)why;
	return !in->ledger->split;
}

static bool always(const struct blame_input *in, const char **why)
{
	(void)in;
	(void)why;
	return true;
}

/* The whole profile diff: of a plan's sets only the runs that this is about. */
static void advise_diff(struct cause *cause, const struct blame_input *in)
{
	const json_t *manifest = in->b->run[0].manifest;
	const char *kase = json_str(manifest, "case", ""), *load = json_str(manifest, "load", "");
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, *kase || *load ? "schedblame report --sections profile " :
					    "schedblame diffprofile ");
	if (*kase)
		advise_word(&sb, "--case=%s", kase);
	if (*load) {
		strbuf_addstr(&sb, *kase ? " " : "");
		advise_word(&sb, "--load=%s", load);
	}
	strbuf_addstr(&sb, *kase || *load ? " " : "");
	advise_word(&sb, "%s", in->a->path);
	strbuf_addch(&sb, ' ');
	advise_word(&sb, "%s", in->b->path);
	cause_set(&cause->next, "%s", sb.buf);
	strbuf_release(&sb);
}

/* The new side's first profile by perf's own report; nothing when it has none. */
static void advise_perf(struct cause *cause, const struct blame_input *in, const char *keys)
{
	struct run *run = &in->b->run[0];
	struct strbuf sb = STRBUF_INIT;

	if (!run_profile(run, NULL))
		return;
	strbuf_addstr(&sb, "perf report -i ");
	advise_word(&sb, "%s%s", run->path, run->foreign ? "" : "/profile.data");
	cause_set(&cause->next, "%s --sort %s", sb.buf, keys);
	strbuf_release(&sb);
}

/* The symbols that changed most stand first in the evidence. */
static void explain_group(const struct blame_input *in, struct cause *cause)
{
	const char *group = cause->mechanism->rows[0] + 1;

	evidence_rows(cause, in);
	evidence_symbols(cause, in, group);
	cause_set(&cause->headline, "%s: the kernel spends %s time there per %s",
		  cause->mechanism->title, cause->points > 0 ? "more" : "less",
		  in->ledger->work_unit);
	if (cause->evidence.n > 1)
		cause_set(&cause->look, "the kernel functions named above");
	advise_diff(cause, in);
}

static void explain_row(const struct blame_input *in, struct cause *cause)
{
	cause_set(&cause->headline, "%s per %s %s", cause->mechanism->title,
		  in->ledger->work_unit, cause->points > 0 ? "grew" : "shrank");
	evidence_rows(cause, in);
	if (run_profile(&in->a->run[0], NULL) && run_profile(&in->b->run[0], NULL))
		advise_diff(cause, in);
}

static bool knows_distances(const struct run_set *set)
{
	return set->run[0].topology.nr_cpus > 0;
}

/* Do more tasks move, or more of them to another node? */
static bool moves_grew(const struct run_set *from, const struct run_set *to)
{
	return set_per_work(to, "migrations", NO_LABELS) >
		       MOVES_MORE * set_per_work(from, "migrations", NO_LABELS) ||
	       (knows_distances(from) && knows_distances(to) &&
		set_per_work(to, "migrations", LABELS("distance", "remote")) >
			MOVES_MORE * set_per_work(from, "migrations",
						  LABELS("distance", "remote")));
}

/* What moves of tasks have to do with user time, as far as that was measured. */
static const char *about_moves(const struct blame_input *in, bool more)
{
	if (!both_have(in, "migrations"))
		return "whether tasks moved away from their caches was not observed";
	if (in->migcost)
		return "migrations at their measured price do not explain it";
	if (more ? !moves_grew(in->a, in->b) : !moves_grew(in->b, in->a))
		return more ? "tasks do not move more often: hardly the scheduler's doing" :
			      "tasks do not move less often: hardly the scheduler's doing";
	return more ? "tasks also move more often, at a price that was not measured here" :
		      "tasks also move less often, at a price that was not measured here";
}

static void explain_user(const struct blame_input *in, struct cause *cause)
{
	cause_set(&cause->headline, "user code takes %s time per %s; %s",
		  cause->points > 0 ? "more" : "less", in->ledger->work_unit,
		  about_moves(in, cause->points > 0));
	evidence_rows(cause, in);
	evidence_per_work(cause, in, "migrations", "migrations", NO_LABELS);
	if (knows_distances(in->a) && knows_distances(in->b))
		evidence_per_work(cause, in, "migrations across nodes", "migrations",
				  LABELS("distance", "remote"));
	cause_set(&cause->look, "the workload's own build and inputs; CPU frequency; "
		  "cache and memory (perf stat -d)");
	advise_perf(cause, in, "dso,symbol");
}

static void explain_others(const struct blame_input *in, struct cause *cause)
{
	cause_set(&cause->headline, "processes other than the command used %s user time: "
		  "foreign load, or a server that the command talks to",
		  cause->points > 0 ? "more" : "less");
	evidence_rows(cause, in);
	cause_set(&cause->look, "what else runs on the machine; the profile by command");
	advise_perf(cause, in, "comm");
}

static void explain_steal(const struct blame_input *in, struct cause *cause)
{
	evidence_rows(cause, in);
	cause_set(&cause->headline, "the hypervisor took %s CPU time from this machine",
		  cause->points > 0 ? "more" : "less");
	cause_set(&cause->look, "other guests on the same host; not this kernel");
}

#define GROUP_MECHANISM(id, group, text)                                       \
	static const char *const rows_##id[] = { ":" group, NULL };            \
	const struct mechanism mechanism_##id = {                              \
		.name = #id,                                                   \
		.title = text,                                                 \
		.rows = rows_##id,                                             \
		.measured = needs_split,                                             \
		.explain = explain_group,                                      \
	};

GROUP_MECHANISM(locks_grew, "locks", "locks")
GROUP_MECHANISM(wakeup_grew, "wakeup", "wakeup path")
GROUP_MECHANISM(copy_grew, "copy", "copying to and from user space")
GROUP_MECHANISM(memory_grew, "memory", "memory management")
GROUP_MECHANISM(network_grew, "network", "network")
GROUP_MECHANISM(filesystem_grew, "file systems", "file systems")
GROUP_MECHANISM(kernel_grew, "other", "other kernel code")

#define ROW_MECHANISM(id, when, explain_fn, text, ...)                         \
	static const char *const rows_##id[] = { __VA_ARGS__, NULL };          \
	const struct mechanism mechanism_##id = {                              \
		.name = #id,                                                   \
		.title = text,                                                 \
		.rows = rows_##id,                                             \
		.measured = when,                                              \
		.explain = explain_fn,                                         \
	};

ROW_MECHANISM(system_grew, not_split, explain_row, "system time", "system")
ROW_MECHANISM(user_grew, always, explain_user, "user code", "user", "user, niced")
ROW_MECHANISM(other_load, always, explain_others, "other processes", "user, others")
ROW_MECHANISM(interrupts, always, explain_row, "interrupt time", "irq", "softirq", "softirq: other")
/* Not the row "unaccounted": what no mode of /proc/stat tells has no known cause. */
ROW_MECHANISM(hypervisor_steal, always, explain_steal, "hypervisor steal", "hypervisor steal")
