// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time inside functions without BPF: the kernel's function graph tracer on the
 * same functions, its durations added up here. It tells neither caller nor the
 * inlined body, and its events may be lost on a busy CPU: they are counted.
 *
 * The text of trace_pipe is read: a line per call, which names the function when
 * funcgraph-tail is set (then as a comment behind the brace), and whose columns have
 * not changed since 3.x:
 *	 1)   1.234 us    |  select_task_rq_fair();
 *	CPU:1 [LOST 123 EVENTS]
 */
#include "latency_ftrace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernelfs.h"
#include "schedblame/alloc.h"
#include "trace_instance.h"

#define BUFFER_KB "8192" /* per CPU: 0.1 s of some 80 thousand calls a second */
#define LINE_MAX_LEN 512

struct latency_ftrace {
	const struct latency_targets *targets;
	struct sched_hist *hist; /* [targets->n] */
	uint64_t lost, lines, calls;
	bool refused; /* the instance has no such tracer */
	bool tail_set; /* by us: the option is shared by all before 6.14 */
	struct trace_instance ti;
	int pipe;
	char line[LINE_MAX_LEN];
	size_t len;
};

/* ------------------------------------------------------------- reading */

/* "1.234 us": in ns; false when there is none, or no number. */
static bool parse_duration(const char *text, uint64_t *ns)
{
	const char *us = strstr(text, " us ");
	const char *p = us;
	uint64_t scale = 100;
	char *end;

	while (p && p > text && (p[-1] == '.' || (p[-1] >= '0' && p[-1] <= '9')))
		p--;
	if (!us || p == us)
		return false;
	*ns = strtoull(p, &end, 10);
	if (end == p || *ns > UINT64_MAX / 2000)
		return false;
	*ns *= 1000;
	if (*end == '.')
		for (end++; end < us && *end != '.'; end++, scale /= 10)
			*ns += (uint64_t)(*end - '0') * scale;
	return end == us;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(text, word, len);
}

/* The name in "name();" or after the end of a call, NULL: neither. */
static const char *called(const char *text, size_t *len)
{
	const char *p = text + strspn(text, " ");

	if (!strncmp(p, "} /* ", 5))
		p += 5;
	else if (!strstr(p, "();"))
		return NULL;
	*len = strcspn(p, " ();");
	return *len ? p : NULL;
}

enum ftrace_line latency_ftrace_parse(const char *line, const char **name, size_t *len,
				      uint64_t *value)
{
	const char *bar = strrchr(line, '|'), *lost = strstr(line, "[LOST ");

	if (lost && !bar) {
		*value = strtoull(lost + 6, NULL, 10);
		return FTRACE_LOST;
	}
	*name = bar ? called(bar + 1, len) : NULL;
	return *name && parse_duration(line, value) ? FTRACE_CALL : FTRACE_OTHER;
}

static void add_call(struct latency_ftrace *f, const char *name, size_t len, uint64_t ns)
{
	for (size_t i = 0; i < f->targets->n; i++) {
		struct sched_hist *h = &f->hist[i];

		if (!is_word(name, len, f->targets->v[i].symbol))
			continue;
		h->bucket[hist_index(ns)]++;
		h->sum += ns;
		if (ns > h->max)
			h->max = ns;
	}
}

static void take_line(struct latency_ftrace *f, const char *line)
{
	const char *name;
	uint64_t value;
	size_t len;

	f->lines += strchr(line, '|') != NULL;
	switch (latency_ftrace_parse(line, &name, &len, &value)) {
	case FTRACE_LOST:
		f->lost += value;
		break;
	case FTRACE_CALL:
		f->calls++;
		add_call(f, name, len, value);
		break;
	case FTRACE_OTHER:
		break;
	}
}

/* A longer line than any that means something is cut. */
static void take(struct latency_ftrace *f, const char *buf, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (buf[i] != '\n') {
			if (f->len < LINE_MAX_LEN - 1)
				f->line[f->len++] = buf[i];
			continue;
		}
		f->line[f->len] = '\0';
		take_line(f, f->line);
		f->len = 0;
	}
}

int latency_ftrace_poll(struct latency_ftrace *f, struct err *err)
{
	char buf[16384];
	ssize_t n;

	while ((n = read(f->pipe, buf, sizeof(buf))) > 0)
		take(f, buf, (size_t)n);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return err_errno(err, errno, "source latency: cannot read trace_pipe of tracefs");
	return 0;
}

/* ---------------------------------------------------------------- life */

void latency_ftrace_probe(struct probe *probe)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (kernelfs_read(&sb, "tracefs", "available_tracers", 4096, &err) < 0)
		probe_say(probe, PROBE_FAILS, ENOENT, NULL, err_text(&err), "run as root");
	else if (!strstr(sb.buf, "function_graph"))
		probe_say(probe, PROBE_FAILS, ENOENT, NULL, "this kernel has no function graph "
			  "tracer", "use a kernel with CONFIG_FUNCTION_GRAPH_TRACER=y");
	else
		probe_say(probe, PROBE_LIMITED, 0, "by the function graph tracer, for the "
			  "functions that --latency names", "neither fentry nor kprobes work here",
			  "the tracer costs more and tells no callers");
	err_release(&err);
	strbuf_release(&sb);
}

static int choose_functions(struct latency_ftrace *f, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < f->targets->n && !ret; i++)
		ret = trace_instance_write(&f->ti, "set_ftrace_filter",
					   f->targets->v[i].symbol, err);
	return ret;
}

/* The end of a call names its function, and has its duration. */
static int name_ends(struct latency_ftrace *f, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret = trace_instance_read(&f->ti, &sb, "trace_options", err);

	if (!ret && strstr(sb.buf, "nofuncgraph-duration"))
		ret = err_set(err, EBUSY, "tracefs: somebody has switched off the option "
			      "funcgraph-duration");
	if (!ret && strstr(sb.buf, "nofuncgraph-tail")) {
		ret = trace_instance_write(&f->ti, "trace_options", "funcgraph-tail", err);
		f->tail_set = !ret;
	}
	strbuf_release(&sb);
	return ret;
}

static void tear_down(struct latency_ftrace *f)
{
	if (f->tail_set)
		trace_instance_write(&f->ti, "trace_options", "nofuncgraph-tail", NULL);
	f->tail_set = false;
	trace_instance_remove(&f->ti);
}

static int set_up(struct latency_ftrace *f, struct err *err)
{
	int ret = choose_functions(f, err);

	if (ret)
		return ret;
	ret = trace_instance_write(&f->ti, "current_tracer", "function_graph", err);
	f->refused = ret == -EINVAL;
	if (!ret)
		ret = name_ends(f, err);
	if (!ret)
		ret = trace_instance_write(&f->ti, "buffer_size_kb", BUFFER_KB, err);
	if (ret)
		return ret;
	f->pipe = openat(f->ti.dir, "trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return f->pipe < 0 ? err_errno(err, errno, "cannot open trace_pipe of tracefs") : 0;
}

int latency_ftrace_open(struct latency_ftrace **out, const struct latency_targets *targets,
			struct err *err)
{
	struct latency_ftrace *f = xcalloc(1, sizeof(*f));
	struct err first = ERR_INIT;
	int ret;

	f->targets = targets;
	f->hist = xcalloc(targets->n + 1, sizeof(*f->hist));
	f->pipe = -1;
	ret = trace_instance_create(&f->ti, ".graph", err);
	if (!ret) {
		ret = set_up(f, &first);
		if (f->refused) { /* before 6.12 only the shared buffer has it */
			tear_down(f);
			ret = trace_instance_top(&f->ti, err);
			if (!ret)
				ret = set_up(f, err);
		}
	}
	if (ret < 0 && !err->text && first.text)
		err_set(err, -ret, "%s", err_text(&first));
	err_release(&first);
	if (ret < 0) {
		err_prefix(err, "source latency");
		latency_ftrace_close(f);
		return ret;
	}
	*out = f;
	return 0;
}

int latency_ftrace_start(struct latency_ftrace *f, struct err *err)
{
	return trace_instance_write(&f->ti, "tracing_on", "1", err);
}

int latency_ftrace_stop(struct latency_ftrace *f, struct err *err)
{
	int ret = trace_instance_write(&f->ti, "tracing_on", "0", err);

	if (!ret)
		ret = latency_ftrace_poll(f, err);
	if (!ret && f->lines && !f->calls)
		ret = err_set(err, EPROTO, "source latency: the function graph tracer wrote %llu "
			      "lines of which none was understood",
			      (unsigned long long)f->lines);
	return ret;
}

void latency_ftrace_to_series(const struct latency_ftrace *f, size_t target,
			      struct series_set *set)
{
	const struct latency_target *t = &f->targets->v[target];

	series_add_sched_hist(set, "function_latency",
			      LABELS("function", t->function, "via",
				     t->via == VIA_CONTAINER ? "container" : "function",
				     "caller", "any"),
			      &f->hist[target]);
}

uint64_t latency_ftrace_lost(const struct latency_ftrace *f)
{
	return f->lost;
}

void latency_ftrace_close(struct latency_ftrace *f)
{
	if (!f)
		return;
	if (f->pipe >= 0)
		close(f->pipe);
	tear_down(f);
	free(f->hist);
	free(f);
}
