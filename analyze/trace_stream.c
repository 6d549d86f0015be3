// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace.dat as part of a stream: which buffers to read, what its head tells. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_open.h"
#include "ftrace_text.h"
#include "schedblame/alloc.h"
#include "trace_pages.h"

#define WINDOW_BYTES (8u << 20) /* of all lanes together */
#define WINDOW_MAX (128u << 10) /* stays in the cache of one CPU */
#define WINDOW_MIN (8u << 10)
#define PROBE_EVENTS 256

static bool is_trace_dat(const unsigned char *head, size_t len)
{
	return len >= 10 && !memcmp(head, "\x17\x08\x44tracing", 10);
}

static void close_file(void *owner)
{
	dat_close(owner);
	free(owner);
}

/* Whether the first events of any CPU have a sched_switch among them. */
static bool has_switches(const struct dat_file *d, const struct dat_buffer *b)
{
	struct event_scratch *scratch = xmalloc(sizeof(*scratch));
	struct event *ev = xcalloc(PROBE_EVENTS, sizeof(*ev));
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct strmap comms;
	bool found = false;

	strmap_init(&comms);
	event_scratch_init(scratch, &comms, &lock);
	for (unsigned i = 0; i < b->nr_cpus && !found && !b->text; i++) {
		struct lane *l = dat_lane_new(d, b, &b->cpu[i], 0, WINDOW_MIN);
		int n = l->ops->fill(l, scratch, ev, PROBE_EVENTS, NULL);

		for (int e = 0; e < n && !found; e++)
			found = ev[e].type == EV_SWITCH;
		l->ops->close(l);
	}
	strmap_release(&comms);
	free(scratch);
	free(ev);
	return found;
}

/*
 * Two instances that both recorded sched_switch hold the same switches twice;
 * the first of them is read, the others are named in a note.
 */
static bool buffer_wanted(struct lane_stream *s, const struct dat_file *d, unsigned i,
			  bool *have_switches)
{
	if (d->nr_buffers == 1)
		return true;
	if (!has_switches(d, &d->buffer[i]))
		return true;
	if (!*have_switches) {
		*have_switches = true;
		return true;
	}
	notes_add(&lane_stream_base(s)->notes, "%s: buffer '%s' records the same switches as "
		  "one before; it is left out", d->path, d->buffer[i].name);
	return false;
}

static void add_buffer(struct lane_stream *s, const struct dat_file *d,
		       const struct dat_buffer *b, const struct event_input *in)
{
	size_t window = WINDOW_BYTES / (b->nr_cpus ? b->nr_cpus : 1);

	if (window < WINDOW_MIN)
		window = WINDOW_MIN;
	if (window > WINDOW_MAX)
		window = WINDOW_MAX;
	if (b->text) {
		if (b->nr_cpus)
			lane_stream_add(s, text_lane_new((const char *)d->data +
							 b->cpu[0].offset,
							 b->cpu[0].size, in->offset_ns,
							 d->mapped));
		return;
	}
	for (unsigned i = 0; i < b->nr_cpus; i++)
		if (b->cpu[i].size && b->cpu[i].cpu < CPU_NONE)
			lane_stream_add(s, dat_lane_new(d, b, &b->cpu[i], in->offset_ns, window));
}

static int compare_names(const void *a, const void *b)
{
	const struct pid_name *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Lines "PID COMM"; a task known as <...> has no name. */
static void take_cmdlines(struct event_stream *base, struct strbuf *text)
{
	size_t cap = base->nr_names;

	for (char *save, *line = strtok_r(text->buf, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *end;
		long pid = strtol(line, &end, 10);

		if (end == line || *end != ' ' || pid <= 0 || pid > INT32_MAX ||
		    !strcmp(end + 1, "<...>"))
			continue;
		GROW(base->names, base->nr_names, cap);
		base->names[base->nr_names++] = (struct pid_name){
			(int32_t)pid, strmap_adds(&base->comms, end + 1) };
	}
	if (base->nr_names)
		qsort(base->names, base->nr_names, sizeof(*base->names), compare_names);
}

/* Clocks that do not count nanoseconds. */
static bool clock_counts_ns(const struct dat_file *d, const char *clock)
{
	if (strstr(clock, "tsc"))
		return d->tsc_mult != 0;
	return strcmp(clock, "counter") != 0;
}

/* "Linux HOST RELEASE MACHINE". */
static void take_uname(struct event_stream *base, const char *uname)
{
	char host[128], release[128];

	event_stream_set(&base->uname, uname);
	if (sscanf(uname, "%*s %127s %127s", host, release) == 2)
		event_stream_set(&base->kernel_release, release);
}

/* Whose clock the times are of: that of the host where a correction was measured. */
static void note_guest(struct event_stream *base, const struct dat_file *d)
{
	unsigned shifted = 0;

	if (!d->guest)
		return;
	for (unsigned i = 0; i < d->shift.nr_cpus && i < d->nr_cpus; i++)
		shifted += d->shift.cpu[i].nr > 0;
	if (!shifted)
		notes_add(&base->notes, "%s was recorded in a guest: its times are the guest's "
			  "own, since it holds no correction to the host's", d->path);
	else if (shifted < d->nr_cpus)
		notes_add(&base->notes, "%s was recorded in a guest: the times of %u of its %u "
			  "CPUs are the host's, by the correction that the recorder measured; "
			  "those of the others are the guest's", d->path, shifted, d->nr_cpus);
	else
		notes_add(&base->notes, "%s was recorded in a guest: its times are the host's, by "
			  "the correction that the recorder measured", d->path);
}

static void take_facts(struct event_stream *base, struct dat_file *d)
{
	const char *clock = d->clock && *d->clock ? d->clock : d->buffer[0].clock;

	event_stream_set(&base->clock, *clock ? clock : "local");
	if (!clock_counts_ns(d, clock)) {
		base->unit_known = false;
		notes_add(&base->notes, "%s was recorded with clock '%s', which does not count "
			  "nanoseconds: times and durations are its ticks", d->path, clock);
	}
	if (d->uname)
		take_uname(base, d->uname);
	note_guest(base, d);
	if (d->nr_cpus > base->nr_cpus)
		base->nr_cpus = d->nr_cpus;
	for (unsigned i = 0; i < d->layouts->nr; i++)
		base->expect[d->layouts->v[i].type] = true;
	take_cmdlines(base, &d->cmdlines);
	notes_merge(&base->notes, &d->notes);
}

static int add_trace_dat(struct lane_stream *s, const struct event_input *in,
			 const struct input *input, struct err *err)
{
	struct dat_file *d = xcalloc(1, sizeof(*d));
	struct event_stream *base = lane_stream_base(s);
	bool have_switches = false;
	char *format;
	int ret = dat_open(d, input, err);

	lane_stream_own(s, close_file, d);
	if (ret)
		return ret;
	format = xasprintf("trace.dat %d", d->version);
	event_stream_set(&base->format, format);
	free(format);
	if (!d->nr_buffers)
		return err_set(err, EBADMSG, "%s holds no trace buffer", d->path);
	take_facts(base, d);
	for (unsigned i = 0; i < d->nr_buffers; i++)
		if (buffer_wanted(s, d, i, &have_switches))
			add_buffer(s, d, &d->buffer[i], in);
	return 0;
}

const struct event_format format_trace_dat = { "trace.dat", is_trace_dat, add_trace_dat };
