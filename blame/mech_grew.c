// SPDX-License-Identifier: GPL-2.0-or-later
/* What merely grew: a part of the kernel, user code, interrupts, the hypervisor.
 * These have no price of their own; they are their ledger rows, as far as the
 * mechanisms before them left anything. */
#include <math.h>

#include "cost.h"
#include "mechanisms.h"

static bool split(const struct blame_input *in, const char **why)
{
	(void)why;
	return in->ledger->split;
}

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

/* The symbols that changed most stand first in the evidence. */
static void explain_group(const struct blame_input *in, struct cause *cause)
{
	const char *group = cause->mechanism->rows[0] + 1;

	evidence_symbols(cause, in, group);
	cause_set(&cause->headline, "%s: the kernel spends %s time there per unit of work",
		  cause->mechanism->title, cause->points > 0 ? "more" : "less");
	cause_set(&cause->look, "the kernel functions named above");
	cause_set(&cause->next, "diffprofile %s %s", in->a->path, in->b->path);
}

static void explain_row(const struct blame_input *in, struct cause *cause)
{
	cause_set(&cause->headline, "%s %s per unit of work", cause->mechanism->title,
		  cause->points > 0 ? "grew" : "shrank");
	cause_set(&cause->next, "diffprofile %s %s", in->a->path, in->b->path);
}

static void explain_user(const struct blame_input *in, struct cause *cause)
{
	cause_set(&cause->headline, "user code takes %s time per unit of work, and "
		  "migrations do not explain it: not the scheduler's doing",
		  cause->points > 0 ? "more" : "less");
	evidence_change(cause, "migrations per unit of work",
			set_per_work(in->a, "migrations", NO_LABELS),
			set_per_work(in->b, "migrations", NO_LABELS), "");
	cause_set(&cause->look, "the workload's own build and inputs; CPU frequency; "
		  "cache and memory (perf stat -d)");
	cause_set(&cause->next, "perf report -i %s/001/profile.data --sort dso,symbol",
		  in->b->path);
}

static void explain_others(const struct blame_input *in, struct cause *cause)
{
	cause_set(&cause->headline, "processes other than the command used %s user time: "
		  "foreign load, or a server that the command talks to",
		  cause->points > 0 ? "more" : "less");
	cause_set(&cause->look, "what else runs on the machine; the profile by command");
	cause_set(&cause->next, "perf report -i %s/001/profile.data --sort comm",
		  in->b->path);
}

static void explain_steal(const struct blame_input *in, struct cause *cause)
{
	const struct ledger_row *rest = ledger_find(in->ledger, "unaccounted");

	if (rest)
		evidence_ns(cause, "time in no mode of /proc/stat, per unit of work",
			    fmax(0, rest->mean_a), fmax(0, rest->mean_b));
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
		.measured = split,                                             \
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
ROW_MECHANISM(interrupts, always, explain_row, "interrupt time", "irq", "softirq")
ROW_MECHANISM(hypervisor_steal, always, explain_steal, "hypervisor steal",
	      "hypervisor steal", "unaccounted")
