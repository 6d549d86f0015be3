// SPDX-License-Identifier: GPL-2.0-or-later
/* A lane over the lines of a text, and how such texts are recognised. */
#include "ftrace_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "event_open.h"
#include "schedblame/alloc.h"

#define LINE_MAX_BYTES 65536 /* longer lines are cut */
#define RESIDENT_WINDOW (4u << 20)
#define SYSTRACE_HEAD 4096

struct text_lane {
	struct lane base;
	const char *text, *at, *end, *resident;
	int64_t offset;
	bool mapped;
	uint64_t last_ts;
};

/* "CPU:3 [LOST 12 EVENTS]", "CPU:0 [12 EVENTS DROPPED]", "CPU:0 [EVENTS DROPPED]" */
static bool lost_line(const char *s, const char *end, struct event *ev)
{
	unsigned long cpu, count = 0;
	const char *open;
	char *rest;

	while (s < end && *s == ' ')
		s++;
	if (end - s < 12 || memcmp(s, "CPU:", 4))
		return false;
	open = memchr(s, '[', (size_t)(end - s));
	if (!open || (!memmem(open, (size_t)(end - open), "LOST", 4) &&
		      !memmem(open, (size_t)(end - open), "DROPPED", 7)))
		return false;
	cpu = strtoul(s + 4, &rest, 10);
	for (s = open; s < end && (*s < '0' || *s > '9'); s++)
		;
	if (s < end)
		count = strtoul(s, &rest, 10);
	memset(ev, 0, sizeof(*ev));
	ev->type = EV_LOST;
	ev->cpu = cpu < CPU_NONE ? (uint16_t)cpu : CPU_NONE;
	ev->cpu2 = CPU_NONE;
	ev->comm = COMM_NONE;
	ev->count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
	return true;
}

/* The loss lies somewhere before the next event of that CPU: its time is not in
 * the text, so the gap reaches from the last line to the next one. */
static unsigned take_loss(struct text_lane *l, struct event *ev)
{
	ev->ts = l->last_ts;
	ev->until = l->last_ts + 1;
	l->base.counts.gaps++;
	l->base.counts.lost += ev->count;
	l->base.counts.by_type[EV_LOST]++;
	return 1;
}

static unsigned take_line(struct text_lane *l, const char *s, const char *end,
			  struct event_scratch *scratch, struct event *ev)
{
	struct text_line line;
	enum event_type type;

	if (end > s && end[-1] == '\r')
		end--;
	if (end - s > LINE_MAX_BYTES)
		end = s + LINE_MAX_BYTES;
	if (s == end || *s == '#')
		return 0;
	if (!text_split(s, end, &line)) {
		return lost_line(s, end, ev) ? take_loss(l, ev) : 0;
	}
	l->base.counts.events++;
	type = text_decode(&line, scratch, ev);
	if (type == EV_NR) {
		l->base.counts.malformed++;
		return 0;
	}
	l->base.counts.by_type[type]++;
	l->last_ts = line.ts + (uint64_t)l->offset;
	if (type == EV_OTHER)
		return 0;
	ev->ts = l->last_ts;
	ev->cpu = line.cpu < 0 ? CPU_NONE : (uint16_t)line.cpu;
	return line.cpu >= 0;
}

static void drop_behind(struct text_lane *l)
{
	uintptr_t from = (uintptr_t)l->resident & ~4095UL, to = (uintptr_t)l->at & ~4095UL;

	if (!l->mapped || (size_t)(l->at - l->resident) < RESIDENT_WINDOW)
		return;
	if (to > from)
		madvise((void *)from, to - from, MADV_DONTNEED);
	l->resident = l->at;
}

static int text_fill(struct lane *base, struct event_scratch *scratch, struct event *out,
		     unsigned max, struct err *err)
{
	struct text_lane *l = (struct text_lane *)base;
	unsigned n = 0;

	while (n < max && l->at < l->end) {
		const char *nl = memchr(l->at, '\n', (size_t)(l->end - l->at));
		const char *end = nl ? nl : l->end;

		n += take_line(l, l->at, end, scratch, &out[n]);
		l->at = nl ? nl + 1 : l->end;
		drop_behind(l);
	}
	base->done_bytes = (uint64_t)(l->at - l->text);
	return (int)n;
}

static void text_close(struct lane *base)
{
	free(base);
}

static const struct lane_ops text_ops = { text_fill, text_close };

struct lane *text_lane_new(const char *text, size_t len, int64_t offset_ns, bool mapped)
{
	struct text_lane *l = xcalloc(1, sizeof(*l));

	l->base.ops = &text_ops;
	l->base.total_bytes = len;
	l->text = l->at = l->resident = text;
	l->end = text + len;
	l->offset = offset_ns;
	l->mapped = mapped;
	return &l->base;
}

/* An event line of ours, or the words the kernel's trace file begins with. */
static bool is_event_text(const unsigned char *head, size_t len)
{
	const char *s = (const char *)head, *end = s + len;

	if (memmem(head, len < SYSTRACE_HEAD ? len : SYSTRACE_HEAD, "# tracer:", 9))
		return true;
	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		struct text_line line;

		if (!nl)
			nl = end;
		if (text_split(s, nl[-(nl > s)] == '\r' ? nl - 1 : nl, &line) &&
		    (event_type_by_name(line.event, line.event_len) != EV_OTHER ||
		     (line.event_len > 6 && !memcmp(line.event, "sched_", 6))))
			return true;
		s = nl + 1;
	}
	return false;
}

bool text_has_events(const unsigned char *head, size_t len)
{
	const char *s = (const char *)head, *end = s + len;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		struct text_line line;

		if (!nl)
			nl = end;
		if (text_split(s, nl[-(nl > s)] == '\r' ? nl - 1 : nl, &line))
			return true;
		s = nl + 1;
	}
	return false;
}

static int add_text(struct lane_stream *s, const struct event_input *in,
		    const struct input *input, struct err *err)
{
	event_stream_set(&lane_stream_base(s)->format, "text");
	lane_stream_add(s, text_lane_new((const char *)input->data, input->len, in->offset_ns,
					 input->map != NULL));
	return 0;
}

const struct event_format format_ftrace_text = { "text", is_event_text, add_text };
