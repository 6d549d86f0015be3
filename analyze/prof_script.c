// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text of `perf script`: a line per sample
 *	comm  pid[/tid] [cpu] time: period event:
 * and its frames below it, leaf first, "address symbol+0xoff (module)", or one
 * frame behind the event. comm may hold blanks; anchor is the time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prof.h"
#include "schedblame/alloc.h"
#include "schedblame/units.h"

#define PROBE_LINES 400
#define CPUS_MAX 8192

struct header {
	struct prof_word comm, event;
	double time;
	uint64_t period;
	int cpu; /* -1: not printed */
	bool has_period;
	const char *rest, *end; /* behind the event */
};

struct frame {
	struct prof_word name, module;
	uint64_t addr;
};

static bool is_time(const struct prof_word *w, double *t)
{
	struct prof_word n = *w;

	if (n.len < 4 || n.s[n.len - 1] != ':' || !memchr(n.s, '.', n.len))
		return false;
	n.len--;
	return prof_word_double(&n, t) && *t >= 0;
}

static bool is_pid(const struct prof_word *w)
{
	bool digit = false;

	for (size_t i = 0; i < w->len; i++) {
		if (w->s[i] >= '0' && w->s[i] <= '9')
			digit = true;
		else if (w->s[i] != '/' && w->s[i] != '-')
			return false;
	}
	return digit;
}

static bool parse_cpu(const struct prof_word *w, int *cpu)
{
	struct prof_word n = { w->s + 1, w->len - 2 };
	uint64_t v;

	if (w->len < 3 || *w->s != '[' || w->s[w->len - 1] != ']' ||
	    !prof_word_u64(&n, &v) || v >= CPUS_MAX)
		return false;
	*cpu = (int)v;
	return true;
}

/* Words before the time: "... pid [cpu]"; comm is what stands before pid. */
static bool parse_task(struct header *h, const char *start, const struct prof_word *before,
		       const struct prof_word *last)
{
	const struct prof_word *pid = last;

	h->cpu = -1;
	if (parse_cpu(last, &h->cpu))
		pid = before;
	if (!pid->len || !is_pid(pid))
		return false;
	while (start < pid->s && (*start == ' ' || *start == '\t'))
		start++;
	h->comm = (struct prof_word){ start, (size_t)(pid->s - start) };
	while (h->comm.len && strchr(" \t", h->comm.s[h->comm.len - 1]))
		h->comm.len--;
	return h->comm.len > 0;
}

static bool parse_header(struct header *h, const struct prof_line *line)
{
	const char *p = line->s, *end = p + line->len;
	struct prof_word before = { "", 0 }, last = { "", 0 }, w;
	bool timed = false;

	while (!timed && prof_next_word(&p, end, &w)) {
		timed = is_time(&w, &h->time);
		if (!timed) {
			before = last;
			last = w;
		}
	}
	if (!timed || !parse_task(h, line->s, &before, &last))
		return false;
	if (!prof_next_word(&p, end, &w))
		return false;
	h->has_period = prof_word_u64(&w, &h->period);
	if (h->has_period && !prof_next_word(&p, end, &w))
		return false;
	if (w.len < 2 || w.s[w.len - 1] != ':')
		return false;
	h->event = (struct prof_word){ w.s, w.len - 1 };
	h->rest = p;
	h->end = end;
	return true;
}

static void cut_offset(struct prof_word *name)
{
	const char *plus = memrchr(name->s, '+', name->len);

	if (plus && name->s + name->len - plus > 3 && plus[1] == '0' && plus[2] == 'x')
		name->len = (size_t)(plus - name->s);
}

/* "ffffffffaee8017b fput+0xb ([kernel.kallsyms])" */
static bool parse_frame(struct frame *f, const char *p, const char *end)
{
	struct prof_word w;
	const char *open;
	int depth = 0;

	if (!prof_next_word(&p, end, &w) || !prof_word_hex(&w, &f->addr))
		return false;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (end > p && strchr(" \t", end[-1]))
		end--;
	f->module = (struct prof_word){ "", 0 };
	f->name = (struct prof_word){ p, (size_t)(end - p) };
	if (end > p && end[-1] == ')') {
		for (open = end - 1; open > p; open--) {
			depth += (*open == ')') - (*open == '(');
			if (!depth)
				break;
		}
		f->module = (struct prof_word){ open + 1, (size_t)(end - open - 2) };
		f->name.len = (size_t)(open - p);
		while (f->name.len && strchr(" \t", p[f->name.len - 1]))
			f->name.len--;
	}
	cut_offset(&f->name);
	return f->name.len > 0;
}

/* Needs a sample line that some frame follows: else it is a list of events. */
static bool probe(const struct prof_input *in)
{
	struct prof_lines it;
	struct prof_line line;
	struct header h;
	struct frame f;
	bool headed = false;

	prof_lines_init(&it, in);
	while (it.number < PROBE_LINES && prof_next_line(&it, &line)) {
		if (parse_header(&h, &line)) {
			headed = true;
			if (parse_frame(&f, h.rest, h.end) && f.module.len)
				return true;
		} else if (headed && line.len && strchr(" \t", *line.s) &&
			   parse_frame(&f, line.s, line.s + line.len)) {
			return true;
		}
	}
	return false;
}

struct reader {
	struct profile *p;
	const struct profile_options *options;
	struct prof_chain chain;
	struct header h;
	bool open, wanted;
	unsigned long odd, frameless;
	double first, last;
	unsigned char cpu[CPUS_MAX / 8];
	bool timed;
};

static void close_sample(struct reader *r)
{
	if (r->open && r->wanted && !r->chain.n) {
		r->frameless++;
		prof_chain_add(&r->chain, PROFILE_UNKNOWN);
	}
	if (r->open && r->wanted)
		prof_chain_flush(r->p, &r->chain, r->options, 1,
				 r->h.has_period ? (double)r->h.period : 1);
	r->chain.n = 0;
	r->open = false;
}

static void add_frame(struct reader *r, const struct frame *frame)
{
	struct frame f = *frame;
	enum profile_space space = prof_module(&f.module, f.addr, true);

	if (prof_word_is(&frame->module, "inlined") && r->chain.n == 0)
		f.module.len = 0;
	prof_chain_add(&r->chain, prof_symbol(r->p, &f.name, &f.module, space));
}

static void open_sample(struct reader *r, const struct header *h)
{
	struct profile *p = r->p;
	const char *event = r->options->event, *comm = r->options->comm;
	struct frame f;

	close_sample(r);
	r->h = *h;
	r->open = true;
	if (!*p->event && (!event || prof_word_is(&h->event, event))) {
		char *name = xstrndup(h->event.s, h->event.len);

		profile_set(&p->event, name);
		free(name);
	}
	r->wanted = prof_word_is(&h->event, p->event) &&
		    (!comm || prof_word_is(&h->comm, comm));
	if (!r->wanted)
		return;
	if (!r->timed || h->time < r->first)
		r->first = h->time;
	if (!r->timed || h->time > r->last)
		r->last = h->time;
	r->timed = true;
	if (h->cpu >= 0)
		r->cpu[h->cpu / 8] |= (unsigned char)(1 << h->cpu % 8);
	if (parse_frame(&f, h->rest, h->end))
		add_frame(r, &f);
}

static void read_line(struct reader *r, const struct prof_line *line)
{
	struct header h;
	struct frame f;

	if (line->len && *line->s == '#')
		prof_header_line(r->p, line);
	else if (parse_header(&h, line))
		open_sample(r, &h);
	else if (!line->len) {
		if (r->chain.n)
			close_sample(r);
	} else if (r->open && parse_frame(&f, line->s, line->s + line->len))
		add_frame(r, &f);
	else
		r->odd++;
}

static void finish(struct reader *r, const struct prof_input *in)
{
	struct profile *p = r->p;
	unsigned cpus = 0;

	for (size_t i = 0; i < sizeof(r->cpu); i++)
		cpus += (unsigned)__builtin_popcount(r->cpu[i]);
	if (!p->nr_cpus)
		p->nr_cpus = cpus;
	/* foreign numbers: infinite, not a number, or beyond 64 bits of ns */
	if (r->timed && r->last - r->first >= 0 && r->last - r->first < 1e9)
		p->duration_ns = (uint64_t)((r->last - r->first) * 1e9);
	profile_set(&p->unit, strstr(p->event, "clock") ? "ns" : p->event);
	if (r->odd)
		notes_add(&p->notes, "%s: %lu lines are neither a sample nor a frame and were "
			  "left out", in->path, r->odd);
	if (r->frameless)
		notes_add(&p->notes, "%s: %lu samples have no frame; they count as [unknown]",
			  in->path, r->frameless);
}

static int load(struct profile *p, const struct prof_input *in,
		const struct profile_options *options, struct err *err)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	struct prof_lines it;
	struct prof_line line;

	r->p = p;
	r->options = options;
	prof_lines_init(&it, in);
	while (prof_next_line(&it, &line))
		read_line(r, &line);
	close_sample(r);
	finish(r, in);
	free(r);
	if (options->event && !*p->event)
		return err_set(err, ENOENT, "%s has no samples of event %s", in->path,
			       options->event);
	return 0;
}

const struct prof_format prof_format_script = { "perf script", probe, load };
