// SPDX-License-Identifier: GPL-2.0-or-later
/* Address spaces from the MMAP, FORK and COMM records of a perf.data file. */
#include "perf_space.h"

#include <stdlib.h>

#include "schedblame/alloc.h"

#define NONE UINT32_MAX
#define MAX_EPOCHS 256 /* execs and reuses of one pid; later ones count as the last */
#define MAX_FORKS 32   /* forks without exec that a lookup follows */
#define MAX_OVERLAP 64 /* mappings over each other that a lookup tries */

static uint32_t new_epoch(struct perf_spaces *s, uint64_t from)
{
	GROW(s->epoch, s->nr_epochs, s->cap_epochs);
	s->epoch[s->nr_epochs] = (struct perf_epoch){ .from = from, .parent = NONE,
						      .next = NONE };
	return (uint32_t)s->nr_epochs++;
}

/* The last epoch of a process that began at or before a time. */
static uint32_t epoch_at(const struct perf_spaces *s, uint32_t first, uint64_t time)
{
	uint32_t e = first;

	if (!s->timed)
		return e;
	while (s->epoch[e].next != NONE && s->epoch[s->epoch[e].next].from <= time)
		e = s->epoch[e].next;
	return e;
}

uint32_t perf_spaces_epoch(const struct perf_spaces *s, uint32_t pid, uint64_t time)
{
	uint32_t at = u64map_find(&s->pids, pid);

	return at == U64MAP_NONE ? NONE : epoch_at(s, s->proc[at].first, time);
}

/* The last epoch so far; events are replayed in order of time. */
static uint32_t last_epoch(struct perf_spaces *s, uint32_t pid)
{
	size_t known = s->pids.n;
	uint32_t at = u64map_add(&s->pids, pid);

	if (at == known) {
		GROW(s->proc, at, s->cap_proc);
		s->proc[at].nr = 1;
		s->proc[at].first = s->proc[at].last = new_epoch(s, 0);
	}
	return s->proc[at].last;
}

static uint32_t begin_epoch(struct perf_spaces *s, uint32_t pid, uint64_t time)
{
	uint32_t before = last_epoch(s, pid), e;
	struct perf_process *proc = s->proc + u64map_find(&s->pids, pid);

	if (proc->nr == MAX_EPOCHS)
		return before;
	proc->nr++;
	e = new_epoch(s, time);
	s->epoch[before].next = e;
	proc->last = e;
	return e;
}

static uint32_t file_id(struct perf_spaces *s, const struct perf_mmap *m)
{
	size_t known = s->files.n;
	uint32_t id = strmap_add(&s->files, m->filename, m->filename_len);

	if (id == known) {
		GROW(s->file, id, s->cap_files);
		s->file[id] = (struct perf_mapped_file){ .build_id_len = 0 };
		s->nr_files = id + 1;
	}
	if (m->build_id_len && !s->file[id].build_id_len) {
		memcpy(s->file[id].build_id, m->build_id, m->build_id_len);
		s->file[id].build_id_len = m->build_id_len;
	}
	return id;
}

/* ------------------------------------------------ events, then replay */

/* What changes a space; sorted by time, then by place in the file. */
struct change {
	uint64_t time;
	size_t at;
	uint32_t pid;
	uint32_t parent; /* a fork's; NONE: an exec, or a mapping */
	struct perf_map map; /* end 0: none */
};

struct changes {
	struct change *v;
	size_t n, cap;
};

static void add_change(struct changes *c, struct change change)
{
	GROW(c->v, c->n, c->cap);
	change.at = c->n;
	c->v[c->n++] = change;
}

static void take_mmap(struct perf_spaces *s, struct changes *c, struct perf_file *pf,
		      const struct perf_record *rec, uint64_t time)
{
	unsigned mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct perf_mmap m;
	struct perf_map map;

	if (!perf_mmap_parse(pf, rec, &m) || !m.exec || !m.len || m.addr + m.len < m.addr)
		return;
	map = (struct perf_map){
		.start = m.addr, .end = m.addr + m.len, .pgoff = m.pgoff, .time = time,
	};
	if (mode == PERF_RECORD_MISC_KERNEL) {
		map.file = file_id(s, &m);
		GROW(s->kernel.map, s->kernel.n, s->kernel.cap);
		s->kernel.map[s->kernel.n++] = map;
	} else if (mode == PERF_RECORD_MISC_USER) {
		map.file = file_id(s, &m);
		add_change(c, (struct change){ .time = time, .pid = m.pid, .parent = NONE,
					       .map = map });
	}
}

static void take_task(struct perf_spaces *s, struct changes *c, struct perf_file *pf,
		      const struct perf_record *rec, uint64_t time)
{
	struct perf_task t;

	/* without a time: a task that was there before */
	if (!s->timed || !time || !perf_task_parse(pf, rec, &t))
		return;
	if (rec->type == PERF_RECORD_COMM ? !t.exec : t.pid == t.ppid)
		return;
	add_change(c, (struct change){
		.time = time, .pid = t.pid,
		.parent = rec->type == PERF_RECORD_FORK ? t.ppid : NONE,
	});
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static void replay(struct perf_spaces *s, const struct change *c)
{
	uint32_t parent, e;

	if (c->map.end) {
		struct perf_epoch *epoch;

		e = last_epoch(s, c->pid);
		epoch = s->epoch + e;
		GROW(epoch->map, epoch->n, epoch->cap);
		epoch->map[epoch->n++] = c->map;
	} else if (c->parent == NONE) {
		begin_epoch(s, c->pid, c->time);
	} else {
		parent = last_epoch(s, c->parent);
		e = begin_epoch(s, c->pid, c->time);
		s->epoch[e].parent = parent;
		s->epoch[e].parent_time = c->time;
	}
}

static int compare(const void *a, const void *b)
{
	const struct perf_map *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static void sort_maps(struct perf_epoch *e)
{
	uint64_t reach = 0;

	if (e->n)
		qsort(e->map, e->n, sizeof(*e->map), compare);
	for (size_t i = 0; i < e->n; i++) {
		if (e->map[i].end > reach)
			reach = e->map[i].end;
		e->map[i].reach = reach;
	}
}

static void collect(struct perf_spaces *s, struct changes *c, struct perf_file *pf,
		    bool processes)
{
	struct perf_record rec;
	struct perf_sample id;

	while (perf_file_next(pf, &rec, NULL) > 0) {
		uint64_t time = 0;

		if (rec.type == PERF_RECORD_SAMPLE && !processes)
			break;
		if (rec.type >= PERF_RECORD_SAMPLE && rec.type != PERF_RECORD_MMAP2)
			continue;
		if (s->timed && perf_record_id(pf, &rec, &id))
			time = id.time;
		if (rec.type == PERF_RECORD_MMAP || rec.type == PERF_RECORD_MMAP2)
			take_mmap(s, c, pf, &rec, time);
		else if (rec.type == PERF_RECORD_COMM || rec.type == PERF_RECORD_FORK)
			take_task(s, c, pf, &rec, time);
	}
	perf_file_rewind(pf);
}

void perf_spaces_build(struct perf_spaces *s, struct perf_file *pf, bool processes)
{
	struct changes c = { NULL, 0, 0 };

	memset(s, 0, sizeof(*s));
	strmap_init(&s->files);
	u64map_init(&s->pids);
	s->timed = pf->nr_attrs && pf->attr[0].id_size &&
		   pf->attr[0].sample_type & PERF_SAMPLE_TIME;
	collect(s, &c, pf, processes);
	if (c.n)
		qsort(c.v, c.n, sizeof(*c.v), compare_changes);
	for (size_t i = 0; i < c.n; i++)
		replay(s, c.v + i);
	free(c.v);
	for (size_t i = 0; i < s->nr_epochs; i++)
		sort_maps(s->epoch + i);
	sort_maps(&s->kernel);
}

void perf_spaces_release(struct perf_spaces *s)
{
	for (size_t i = 0; i < s->nr_epochs; i++)
		free(s->epoch[i].map);
	free(s->epoch);
	free(s->kernel.map);
	free(s->proc);
	free(s->file);
	u64map_release(&s->pids);
	strmap_release(&s->files);
	memset(s, 0, sizeof(*s));
}

/* The newest mapping that holds addr and was there at the time. */
static const struct perf_map *find_map(const struct perf_epoch *e, uint64_t addr,
				       uint64_t time)
{
	const struct perf_map *best = NULL;
	size_t lo = 0, hi = e->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->map[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t tries = 0; lo-- > 0 && e->map[lo].reach > addr && tries < MAX_OVERLAP;
	     tries++) {
		const struct perf_map *m = e->map + lo;

		if (m->end > addr && m->time <= time && (!best || m->time > best->time))
			best = m;
	}
	return best;
}

const struct perf_map *perf_spaces_find(const struct perf_spaces *s, uint32_t epoch,
					uint64_t addr, uint64_t time)
{
	if (!s->timed)
		time = UINT64_MAX;
	for (int i = 0; i < MAX_FORKS && epoch != NONE; i++) {
		const struct perf_map *m = find_map(s->epoch + epoch, addr, time);

		if (m)
			return m;
		time = s->epoch[epoch].parent_time;
		epoch = s->epoch[epoch].parent;
	}
	return NULL;
}

const struct perf_map *perf_spaces_find_kernel(const struct perf_spaces *s, uint64_t addr)
{
	return find_map(&s->kernel, addr, UINT64_MAX);
}
