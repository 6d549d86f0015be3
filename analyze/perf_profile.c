// SPDX-License-Identifier: GPL-2.0-or-later
/* A profile from perf.data: one event, by symbol, with chains where asked. */
#include <stdlib.h>

#include "perf_choose.h"
#include "perf_resolve.h"
#include "schedblame/alloc.h"
#include "schedblame/perf_profile.h"
#include "schedblame/strbuf.h"

#define DEFAULT_MAX_STACK 127 /* kernel.perf_event_max_stack, where the event says none */
#define CONTEXT_MAX ((uint64_t)-4095) /* chain entries above are markers */

/* Of one walk over the samples. */
struct walk {
	struct profile *p;
	struct perf_file *pf;
	const struct profile_options *options;
	struct resolver r;
	uint32_t attr;
	uint64_t user; /* samples of user mode, where that is one line */
	double user_weight;
	uint64_t first_ns, last_ns, period;
	uint64_t malformed;
	struct u64map tasks; /* for options.comm: tid -> does its name match */
	bool *match;
	size_t cap_match;
	uint32_t chain[PROFILE_CHAIN_MAX];
	size_t nr_chain;
};

/* ------------------------------------------------------ the samples */

static enum profile_space space_of(const struct perf_sample *s)
{
	static const enum profile_space spaces[] = {
		[PERF_RECORD_MISC_KERNEL] = SPACE_KERNEL,
		[PERF_RECORD_MISC_USER] = SPACE_USER,
		[PERF_RECORD_MISC_HYPERVISOR] = SPACE_HYPERVISOR,
		[PERF_RECORD_MISC_GUEST_KERNEL] = SPACE_GUEST_KERNEL,
		[PERF_RECORD_MISC_GUEST_USER] = SPACE_GUEST_USER,
	};
	unsigned mode = s->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (mode && mode < ARRAY_SIZE(spaces))
		return spaces[mode];
	return s->ip >> 63 ? SPACE_KERNEL : SPACE_USER;
}

static uint32_t user_space(struct walk *w, const struct perf_sample *s)
{
	uint32_t e = perf_spaces_epoch(&w->r.spaces, s->pid, s->time);

	return e < IN_NOWHERE ? e : IN_NOWHERE;
}

/* A symbol for what has no addresses that we could name. */
static uint32_t whole_space(struct walk *w, enum profile_space space)
{
	return profile_symbol(w->p, "[unknown]", profile_space_name[space], NULL, space);
}

static void push(struct walk *w, uint32_t symbol)
{
	if (w->nr_chain < PROFILE_CHAIN_MAX)
		w->chain[w->nr_chain++] = symbol;
}

static void push_address(struct walk *w, const struct perf_sample *s, uint64_t ip,
			 enum profile_space space)
{
	const struct spot *spot;

	if (space == SPACE_USER && !w->options->user_symbols) {
		if (!w->nr_chain || w->chain[w->nr_chain - 1] != PROFILE_USER)
			push(w, PROFILE_USER);
		return;
	}
	if (space != SPACE_USER && space != SPACE_KERNEL) {
		push(w, whole_space(w, space));
		return;
	}
	spot = resolver_spot(&w->r, ip, space == SPACE_KERNEL ?
					 IN_KERNEL : user_space(w, s), s->time);
	for (unsigned i = 0; i < spot->nr_frames; i++)
		push(w, w->r.frame[spot->frames + i]);
}

static enum profile_space context_space(uint64_t marker, enum profile_space now)
{
	switch (marker) {
	case (uint64_t)PERF_CONTEXT_KERNEL:
		return SPACE_KERNEL;
	case (uint64_t)PERF_CONTEXT_USER:
		return SPACE_USER;
	case (uint64_t)PERF_CONTEXT_HV:
		return SPACE_HYPERVISOR;
	case (uint64_t)PERF_CONTEXT_GUEST_KERNEL:
		return SPACE_GUEST_KERNEL;
	case (uint64_t)PERF_CONTEXT_GUEST_USER:
		return SPACE_GUEST_USER;
	}
	return now;
}

/* Callers are return addresses: the call lies before them. */
static void add_chain(struct walk *w, const struct perf_sample *s, enum profile_space space,
		      uint64_t from)
{
	uint16_t most = w->pf->attr[s->attr].max_stack;
	uint64_t frames = 0;
	bool leaf = !from;

	w->nr_chain = 0;
	for (uint64_t i = 0; i < from; i++)
		frames += perf_u64(w->pf, s->chain + 8 * i) < CONTEXT_MAX;
	for (uint64_t i = from; i < s->nr_chain && w->nr_chain < PROFILE_CHAIN_MAX; i++) {
		uint64_t ip = perf_u64(w->pf, s->chain + 8 * i);

		if (ip >= CONTEXT_MAX) {
			space = context_space(ip, space);
			continue;
		}
		push_address(w, s, leaf ? ip : ip - 1, space);
		leaf = false;
		frames++;
	}
	/* as long as the recorder lets it be: who called that was not recorded. Of user
	 * mode as one symbol nothing is missing. */
	if ((most ? frames >= most : frames == DEFAULT_MAX_STACK) && w->nr_chain &&
	    w->chain[w->nr_chain - 1] != PROFILE_USER)
		push(w, profile_symbol(w->p, PROFILE_CHAIN_CUT, NULL, NULL, space));
	profile_add_chain(w->p, w->chain, w->nr_chain, 1, (double)s->period);
}

/* The kernel's frame at chain index *i or behind it, leaf or return address; NULL at
 * the end of the kernel's frames. */
static const struct spot *kernel_frame(struct walk *w, const struct perf_sample *s,
				       uint64_t *i, bool leaf)
{
	for (; *i < s->nr_chain; (*i)++) {
		uint64_t ip = perf_u64(w->pf, s->chain + 8 * *i);

		if (ip == (uint64_t)PERF_CONTEXT_KERNEL)
			continue;
		if (ip >= CONTEXT_MAX)
			break;
		return resolver_spot(&w->r, leaf ? ip : ip - 1, IN_KERNEL, s->time);
	}
	return NULL;
}

/*
 * For a sample on a function that turns interrupts on: index in the chain of the
 * caller it is charged to, 0 when the sample stays where it is.
 */
static uint64_t unskid(struct walk *w, const struct perf_sample *s)
{
	const struct spot *spot;
	bool leaf = true;

	for (uint64_t i = 0; (spot = kernel_frame(w, s, &i, leaf)); i++) {
		if (!spot->skids)
			return leaf ? 0 : i;
		leaf = false;
	}
	return 0;
}

#define CHAIN_WITH_CALLER 3 /* the mark of kernel mode, the function, its caller */

/* What the sample is part of, as far as its chain tells. */
static uint8_t part_of(struct walk *w, const struct perf_sample *s)
{
	const struct spot *spot;
	bool leaf = true;

	for (uint64_t i = 0; (spot = kernel_frame(w, s, &i, leaf)); i++) {
		if (spot->part < NR_PROFILE_PARTS)
			return spot->part;
		if (leaf && w->p->symbol[spot->symbol].idle)
			return NR_PROFILE_PARTS;
		leaf = false;
	}
	return NR_PROFILE_PARTS;
}

static void add_plain(struct walk *w, const struct perf_sample *s, enum profile_space space)
{
	uint8_t part = w->r.callers && space == SPACE_KERNEL ? part_of(w, s) :
							       NR_PROFILE_PARTS;
	struct spot *spot;
	uint32_t where;

	if (space == SPACE_KERNEL && s->nr_chain >= CHAIN_WITH_CALLER)
		w->p->chained = true;
	if (space == SPACE_USER && !w->options->user_symbols) {
		w->user++;
		w->user_weight += (double)s->period;
		return;
	}
	if (space != SPACE_KERNEL && space != SPACE_USER) {
		profile_add(w->p, whole_space(w, space), 1, (double)s->period);
		return;
	}
	where = space == SPACE_KERNEL ? IN_KERNEL : user_space(w, s);
	spot = resolver_spot(&w->r, s->ip, where, s->time);
	spot->samples++;
	spot->weight += (double)s->period;
	if (part < NR_PROFILE_PARTS)
		spot->part_weight[part] += (double)s->period;
}

static void add_sample(struct walk *w, struct perf_sample *s)
{
	enum profile_space space = space_of(s);
	uint64_t from = 0;

	if (w->r.enabling && space == SPACE_KERNEL)
		from = unskid(w, s);
	if (w->options->chains && s->nr_chain) {
		add_chain(w, s, space, from);
		return;
	}
	if (from)
		s->ip = perf_u64(w->pf, s->chain + 8 * from) - 1;
	add_plain(w, s, space);
}

static void take_sample(struct walk *w, const struct perf_record *rec)
{
	struct perf_sample s;

	if (!perf_sample_parse(w->pf, rec, &s)) {
		w->malformed++;
		return;
	}
	if (s.attr != w->attr)
		return;
	if (w->options->comm) {
		uint32_t at = u64map_find(&w->tasks, s.tid);

		if (at == U64MAP_NONE || !w->match[at])
			return;
	}
	if (s.has_time) {
		if (!w->first_ns || s.time < w->first_ns)
			w->first_ns = s.time;
		if (s.time > w->last_ns)
			w->last_ns = s.time;
	}
	if (s.period != w->period) {
		if (w->period)
			w->p->fixed_period = false;
		w->period = s.period;
	}
	add_sample(w, &s);
	if (w->options->chains && !s.nr_chain)
		w->p->unchained++;
}

/* Names of tasks in the order of the file, for options.comm. */
static void take_task(struct walk *w, const struct perf_record *rec)
{
	struct perf_task t;
	size_t known = w->tasks.n;
	uint32_t at, parent;
	bool match;

	if (!perf_task_parse(w->pf, rec, &t))
		return;
	if (rec->type == PERF_RECORD_FORK) {
		parent = u64map_find(&w->tasks, t.ptid);
		match = parent != U64MAP_NONE && w->match[parent];
	} else {
		match = strlen(w->options->comm) == t.comm_len &&
			!memcmp(w->options->comm, t.comm, t.comm_len);
	}
	at = u64map_add(&w->tasks, t.tid);
	if (at == known)
		GROW(w->match, at, w->cap_match);
	w->match[at] = match;
}

static void take_record(struct walk *w, const struct perf_record *rec)
{
	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(w, rec);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		w->p->lost += perf_record_lost(w->pf, rec);
		break;
	case PERF_RECORD_THROTTLE:
		w->p->throttled++;
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
		if (w->options->comm)
			take_task(w, rec);
		break;
	}
}

static void add_address(struct walk *w, const struct spot *s)
{
	uint32_t function = w->r.frame[s->frames + s->nr_frames - 1u];
	uint32_t body = profile_body(w->p, function, s->start, s->size);

	profile_add_address(w->p, body, (uint32_t)s->offset, s->symbol, s->samples, s->weight);
}

/* Adds up what was counted per address. */
static void flush(struct walk *w)
{
	if (w->user)
		profile_add(w->p, PROFILE_USER, w->user, w->user_weight);
	for (size_t i = 0; i < w->r.nr_spots; i++) {
		const struct spot *s = w->r.spot + i;

		if (!s->samples)
			continue;
		profile_add(w->p, s->symbol, s->samples, s->weight);
		for (int part = 0; part < NR_PROFILE_PARTS; part++)
			w->p->symbol[s->symbol].part[part] += s->part_weight[part];
		if (w->options->addresses && s->size)
			add_address(w, s);
	}
}

/* ------------------------------------------------------ about the file */

static const char *unit_of(const struct perf_attr *a)
{
	if (a->type == PERF_TYPE_SOFTWARE && a->config <= PERF_COUNT_SW_TASK_CLOCK)
		return "ns";
	if (!(a->sample_type & PERF_SAMPLE_PERIOD) && a->flags >> PERF_FLAG_FREQ & 1)
		return "samples";
	return a->name;
}

static void take_string(char **field, char *value)
{
	if (!value)
		return;
	profile_set(field, value);
	free(value);
}

static void describe(struct walk *w)
{
	struct profile *p = w->p;
	const struct perf_attr *a;

	profile_set(&p->format, "perf.data");
	profile_set(&p->path, w->pf->in.name);
	take_string(&p->kernel_release, perf_file_string(w->pf, PERF_FEATURE_OSRELEASE));
	take_string(&p->arch, perf_file_string(w->pf, PERF_FEATURE_ARCH));
	if (!perf_file_nr_cpus(w->pf, &p->nr_cpus))
		p->nr_cpus = 0;
	if (w->attr == PERF_FILE_NO_ATTR)
		return;
	a = w->pf->attr + w->attr;
	profile_set(&p->event, a->name);
	profile_set(&p->unit, unit_of(a));
	if (a->flags >> PERF_FLAG_FREQ & 1)
		p->frequency = (double)a->sample_period;
}

static void finish(struct walk *w)
{
	struct profile *p = w->p;

	flush(w);
	p->duration_ns = w->last_ns - w->first_ns;
	if (!p->samples)
		p->fixed_period = false;
	if (w->malformed)
		notes_add(&p->notes, "%s: %llu samples are shorter than their event says, or "
			  "of no event of the file; they were left out", w->pf->in.name,
			  (unsigned long long)w->malformed);
	if (p->lost)
		notes_add(&p->notes, "%s: the recorder lost %llu records", w->pf->in.name,
			  (unsigned long long)p->lost);
	if (p->throttled)
		notes_add(&p->notes, "%s: the kernel throttled sampling %llu times",
			  w->pf->in.name, (unsigned long long)p->throttled);
	notes_merge(&p->notes, &w->pf->notes);
}

/* A hardware counter's interrupt is not masked: nothing is to be moved there. */
static void check_unskid(struct walk *w)
{
	const struct perf_attr *a;

	if (!w->r.enabling || w->attr == PERF_FILE_NO_ATTR)
		return;
	a = w->pf->attr + w->attr;
	if (a->type != PERF_TYPE_SOFTWARE || a->config > PERF_COUNT_SW_TASK_CLOCK) {
		symbol_groups_free(w->r.enabling);
		w->r.enabling = NULL;
	} else if (!(a->sample_type & PERF_SAMPLE_CALLCHAIN)) {
		notes_add(&w->p->notes, "%s was sampled by a timer, without call chains: code "
			  "that ran with interrupts off counts for the function that turned "
			  "them on again", w->pf->in.name);
	}
}

static int build(struct walk *w, struct err *err)
{
	struct perf_record rec;
	int ret = perf_choose_event(w->pf, w->options->event, &w->attr, err);

	if (ret < 0)
		return ret;
	describe(w);
	w->p->fixed_period = true;
	resolver_init(&w->r, w->p, w->pf, w->pf->in.name, w->options);
	check_unskid(w);
	while (perf_file_next(w->pf, &rec, NULL) > 0)
		take_record(w, &rec);
	finish(w);
	resolver_release(&w->r);
	u64map_release(&w->tasks);
	free(w->match);
	return 0;
}

int profile_from_perf_file(struct profile *p, struct perf_file *pf,
			   const struct profile_options *options, struct err *err)
{
	static const struct profile_options defaults = { .user_symbols = false };
	struct walk *w = xcalloc(1, sizeof(*w));
	int ret;

	profile_init(p);
	*w = (struct walk){ .p = p, .pf = pf, .options = options ? options : &defaults };
	ret = build(w, err);
	free(w);
	if (ret < 0)
		profile_release(p);
	return ret;
}

int profile_from_perf(struct profile *p, const char *path,
		      const struct profile_options *options, struct err *err)
{
	struct perf_file pf;
	int ret = perf_file_open(&pf, path, err);

	if (ret < 0)
		return ret;
	ret = profile_from_perf_file(p, &pf, options, err);
	perf_file_close(&pf);
	return ret;
}
