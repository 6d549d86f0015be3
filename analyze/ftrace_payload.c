// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Payloads of scheduler events in text: "key=value ..." as the kernel prints
 * them, and "comm:pid [prio] ..." as the plugins of trace-cmd and perf do.
 */
#include <stdlib.h>
#include <string.h>

#include "ftrace_text.h"

/* What follows "KEY=" at a word's start in the payload; NULL. */
static const char *value_of(const struct text_line *line, const char *key)
{
	size_t len = strlen(key);

	for (const char *s = line->payload; s + len < line->end; s++) {
		if ((s == line->payload || s[-1] == ' ') && !memcmp(s, key, len) &&
		    s[len] == '=')
			return s + len + 1;
		s = memchr(s, ' ', (size_t)(line->end - s));
		if (!s)
			break;
	}
	return NULL;
}

static bool number_at(const char *s, const char *end, int64_t *v)
{
	bool negative = s < end && *s == '-';
	int digits = 0;
	int64_t n = 0;

	for (s += negative; s < end && *s >= '0' && *s <= '9' && digits < 12; s++, digits++)
		n = n * 10 + (*s - '0');
	*v = negative ? -n : n;
	return digits > 0;
}

static bool number_of(const struct text_line *line, const char *key, int64_t *v)
{
	const char *s = value_of(line, key);

	return s && number_at(s, line->end, v);
}

/* A name ends where the next key begins: it may hold blanks itself. */
static uint32_t comm_of(const struct text_line *line, const char *key, const char *next,
			int32_t pid, struct event_scratch *scratch)
{
	const char *s = value_of(line, key), *e;

	if (!s)
		return COMM_NONE;
	e = memmem(s, (size_t)(line->end - s), next, strlen(next));
	if (!e)
		return COMM_NONE;
	return event_comm_id(scratch, pid, s, e - s < 15 ? (size_t)(e - s) : 15);
}

static enum task_state state_of(char c)
{
	for (int i = 0; i < TASK_STATE_NR; i++)
		if (task_state_letter((enum task_state)i) == c)
			return (enum task_state)i;
	return c == 'x' ? TASK_DEAD : TASK_OTHER;
}

/*
 * Letters, "R+" or a number. Numbers have no legend in text; every bit from
 * 0x100 on that stands alone has meant "preempted" in some kernel.
 */
static uint8_t parse_state(const char *s, const char *end)
{
	static const char bits[] = "SDTtXZPI";
	int64_t v;

	if (!number_at(s, end, &v))
		return s < end ? (uint8_t)state_of(*s) : TASK_OTHER;
	if (!v || !(v & 0xff))
		return TASK_RUNNABLE;
	return (uint8_t)state_of(bits[__builtin_ctzll((uint64_t)v)]);
}

static int64_t dflt(const struct text_line *line, const char *key, int64_t v)
{
	number_of(line, key, &v);
	return v;
}

static uint16_t cpu_number(int64_t v)
{
	return v < 0 || v >= CPU_NONE ? CPU_NONE : (uint16_t)v;
}

/* "COMM:PID [PRIO]" ending at end; the name starts at s. Returns what follows. */
static const char *plugin_task(const char *s, const char *end, int32_t *pid, int64_t *prio,
			       const char **colon)
{
	const char *open = NULL;
	int64_t v;

	for (const char *p = s; p + 2 < end; p++)
		if (p[0] == ' ' && p[1] == '[' && ((p[2] >= '0' && p[2] <= '9') || p[2] == '-')) {
			open = p;
			break;
		}
	if (!open || !number_at(open + 2, end, prio))
		return NULL;
	for (*colon = open; *colon > s && **colon != ':'; (*colon)--)
		;
	if (*colon == s || !number_at(*colon + 1, open, &v) || v < 0 || v > INT32_MAX)
		return NULL;
	*pid = (int32_t)v;
	open = memchr(open, ']', (size_t)(end - open));
	return open ? open + 1 : NULL;
}

/* trace-cmd:4734 [120] R ==> migration/2:18 [0] */
static bool plugin_switch(const struct text_line *line, struct event_scratch *scratch,
			  struct event *ev)
{
	const char *s = line->payload, *colon, *after;
	int64_t prio;

	after = plugin_task(s, line->end, &ev->pid2, &prio, &colon);
	if (!after || after >= line->end)
		return false;
	ev->comm2 = event_comm_id(scratch, ev->pid2, s,
				  colon - s < 15 ? (size_t)(colon - s) : 15);
	while (after < line->end && *after == ' ')
		after++;
	ev->state = parse_state(after, line->end);
	s = memmem(after, (size_t)(line->end - after), "==> ", 4);
	if (!s)
		return false;
	s += 4;
	if (!plugin_task(s, line->end, &ev->pid, &prio, &colon))
		return false;
	ev->comm = event_comm_id(scratch, ev->pid, s, colon - s < 15 ? (size_t)(colon - s) : 15);
	ev->prio = (int16_t)prio;
	return true;
}

static bool take_switch(const struct text_line *line, struct event_scratch *scratch,
			struct event *ev)
{
	const char *state = value_of(line, "prev_state");
	int64_t next, prev;

	if (!state || !number_of(line, "next_pid", &next) || !number_of(line, "prev_pid", &prev))
		return plugin_switch(line, scratch, ev);
	ev->pid = (int32_t)next;
	ev->pid2 = (int32_t)prev;
	ev->comm = comm_of(line, "next_comm", " next_pid=", ev->pid, scratch);
	ev->comm2 = comm_of(line, "prev_comm", " prev_pid=", ev->pid2, scratch);
	ev->prio = (int16_t)dflt(line, "next_prio", 0);
	ev->state = parse_state(state, line->end);
	return true;
}

/* comm=X pid=1 prio=120 [success=1] target_cpu=003, or X:1 [120] ... CPU:003 */
static bool take_wakeup(const struct text_line *line, struct event_scratch *scratch,
			struct event *ev)
{
	const char *colon, *after, *s = line->payload;
	int64_t pid, prio;

	ev->pid2 = line->pid;
	if (number_of(line, "pid", &pid)) {
		ev->pid = (int32_t)pid;
		ev->comm = comm_of(line, "comm", " pid=", ev->pid, scratch);
		ev->prio = (int16_t)dflt(line, "prio", 0);
		ev->cpu2 = cpu_number(dflt(line, "target_cpu", -1));
		return true;
	}
	after = plugin_task(s, line->end, &ev->pid, &prio, &colon);
	if (!after)
		return false;
	ev->comm = event_comm_id(scratch, ev->pid, s, colon - s < 15 ? (size_t)(colon - s) : 15);
	ev->prio = (int16_t)prio;
	after = memmem(after, (size_t)(line->end - after), "CPU:", 4);
	if (after && number_at(after + 4, line->end, &pid))
		ev->cpu2 = cpu_number(pid);
	return true;
}

static bool take_migrate(const struct text_line *line, struct event_scratch *scratch,
			 struct event *ev)
{
	int64_t pid, from, to;

	if (!number_of(line, "pid", &pid) || !number_of(line, "orig_cpu", &from) ||
	    !number_of(line, "dest_cpu", &to))
		return false;
	ev->pid = (int32_t)pid;
	ev->pid2 = line->pid;
	ev->comm = comm_of(line, "comm", " pid=", ev->pid, scratch);
	ev->prio = (int16_t)dflt(line, "prio", 0);
	ev->cpu2 = cpu_number(from);
	ev->dest_cpu = (uint32_t)to;
	return true;
}

static bool take_fork(const struct text_line *line, struct event_scratch *scratch,
		      struct event *ev)
{
	int64_t child;

	if (!number_of(line, "child_pid", &child))
		return false;
	ev->pid = (int32_t)child;
	ev->pid2 = (int32_t)dflt(line, "pid", line->pid);
	ev->comm = comm_of(line, "child_comm", " child_pid=", ev->pid, scratch);
	return true;
}

static bool take_exec(const struct text_line *line, struct event_scratch *scratch,
		      struct event *ev)
{
	ev->pid = (int32_t)dflt(line, "pid", line->pid);
	ev->comm2 = (uint32_t)dflt(line, "old_pid", ev->pid);
	return true;
}

static bool take_exit(const struct text_line *line, struct event_scratch *scratch,
		      struct event *ev)
{
	ev->pid = (int32_t)dflt(line, "pid", line->pid);
	ev->comm = comm_of(line, "comm", " pid=", ev->pid, scratch);
	return true;
}

static bool take_rename(const struct text_line *line, struct event_scratch *scratch,
			struct event *ev)
{
	ev->pid = (int32_t)dflt(line, "pid", line->pid);
	ev->comm = comm_of(line, "newcomm", " oom_score_adj=", ev->pid, scratch);
	return ev->comm != COMM_NONE;
}

static bool take_numa(const struct text_line *line, struct event_scratch *scratch,
		      struct event *ev)
{
	int64_t from, to;

	if (!number_of(line, "src_cpu", &from) || !number_of(line, "dst_cpu", &to))
		return false;
	ev->pid = (int32_t)dflt(line, "pid", dflt(line, "src_pid", -1));
	ev->pid2 = (int32_t)dflt(line, "dst_pid", -1);
	ev->cpu2 = cpu_number(from);
	ev->dest_cpu = (uint32_t)to;
	return ev->pid >= 0;
}

typedef bool take_fn(const struct text_line *, struct event_scratch *, struct event *);

static take_fn *const take[EV_NR] = {
	[EV_SWITCH] = take_switch,     [EV_WAKING] = take_wakeup,
	[EV_WAKEUP] = take_wakeup,     [EV_WAKEUP_NEW] = take_wakeup,
	[EV_MIGRATE] = take_migrate,   [EV_FORK] = take_fork,
	[EV_EXEC] = take_exec,	       [EV_EXIT] = take_exit,
	[EV_RENAME] = take_rename,     [EV_NUMA_MOVE] = take_numa,
	[EV_NUMA_SWAP] = take_numa,    [EV_NUMA_STICK] = take_numa,
};

enum event_type text_decode(const struct text_line *line, struct event_scratch *scratch,
			    struct event *ev)
{
	enum event_type type = event_type_by_name(line->event, line->event_len);

	if (type == EV_OTHER)
		return EV_OTHER;
	memset(ev, 0, sizeof(*ev));
	ev->type = (uint8_t)type;
	ev->comm = COMM_NONE;
	if (type == EV_SWITCH)
		ev->comm2 = COMM_NONE;
	ev->cpu2 = CPU_NONE;
	return take[type](line, scratch, ev) ? type : EV_NR;
}
