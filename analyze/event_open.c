// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening event files: the format by content, several files on one line of time. */
#include "event_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define HEAD_BYTES 65536

static const struct event_format *const formats[] = {
	&format_trace_dat,
	&format_perf_data,
	&format_ftrace_text,
};

void event_stream_set(char **field, const char *value)
{
	if (*field && **field)
		return;
	free(*field);
	*field = xstrdup(value);
}

const struct event_format *event_format_of(const unsigned char *head, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (formats[i]->matches(head, len))
			return formats[i];
	return NULL;
}

static void close_input(void *owner)
{
	input_close(owner);
	free(owner);
}

static int add_lanes(struct lane_stream *s, const struct event_input *in,
		     const struct input *input, struct err *err)
{
	const struct event_format *format = event_format_of(
		input->data, input->len < HEAD_BYTES ? input->len : HEAD_BYTES);

	if (!format)
		return err_set(err, ENOEXEC, "%s holds no scheduler events in a known form; "
			       "expected trace.dat, perf.data, or the text of trace-cmd report, "
			       "perf script or tracefs", input->name);
	return format->add(s, in, input, err);
}

static int finish_open(struct lane_stream *s, struct event_stream **out, int ret)
{
	struct event_stream *base = lane_stream_base(s);

	event_stream_set(&base->clock, "");
	event_stream_set(&base->uname, "");
	event_stream_set(&base->kernel_release, "");
	event_stream_set(&base->format, "");
	lane_stream_start(s);
	if (ret)
		event_stream_close(base);
	else
		*out = base;
	return ret;
}

int event_stream_open(struct event_stream **out, const struct event_input *inputs,
		      unsigned nr, struct err *err)
{
	struct lane_stream *s = lane_stream_new();
	int ret = 0;

	for (unsigned i = 0; i < nr && !ret; i++) {
		struct input *input = xcalloc(1, sizeof(*input));

		ret = input_open(input, inputs[i].path, err);
		lane_stream_own(s, close_input, input);
		if (!ret)
			ret = add_lanes(s, &inputs[i], input, err);
	}
	return finish_open(s, out, ret);
}

int event_stream_open_input(struct event_stream **out, const struct input *in,
			    struct err *err)
{
	struct lane_stream *s = lane_stream_new();
	struct event_input plain = { in->name, 0 };

	return finish_open(s, out, add_lanes(s, &plain, in, err));
}
