// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hot path: raw record to struct event. No allocation, no lock unless a
 * task shows a name for the first time.
 */
#include <byteswap.h>
#include <string.h>

#include "event_layout.h"

void event_scratch_init(struct event_scratch *s, struct strmap *comms,
			pthread_mutex_t *lock)
{
	s->comms = comms;
	s->lock = lock;
	for (int i = 0; i < COMM_CACHE; i++) {
		s->slot[i].pid = INT32_MIN;
		s->slot[i].id = COMM_NONE;
	}
}

static uint32_t intern(struct event_scratch *s, const char *name, size_t len)
{
	uint32_t id;

	pthread_mutex_lock(s->lock);
	id = strmap_add(s->comms, name, strnlen(name, len));
	pthread_mutex_unlock(s->lock);
	return id;
}

uint32_t event_comm_id(struct event_scratch *s, int32_t pid, const char *name, size_t len)
{
	struct comm_slot *c = &s->slot[(uint32_t)pid % COMM_CACHE];
	char bytes[16];

	if (__builtin_expect(len == 16, 1)) {
		if (c->pid == pid && !memcmp(c->bytes, name, 16))
			return c->id;
		memcpy(bytes, name, 16);
	} else {
		size_t n = strnlen(name, len < 16 ? len : 16);

		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, name, n);
		if (c->pid == pid && !memcmp(c->bytes, bytes, 16))
			return c->id;
	}
	c->pid = pid;
	memcpy(c->bytes, bytes, 16);
	c->id = intern(s, bytes, 16);
	return c->id;
}

static inline int64_t load(const struct layout_field *f, const uint8_t *rec, bool swap)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (f->size) {
	case 4:
		memcpy(&v32, rec + f->offset, 4);
		return (int32_t)(swap ? bswap_32(v32) : v32);
	case 8:
		memcpy(&v64, rec + f->offset, 8);
		return (int64_t)(swap ? bswap_64(v64) : v64);
	case 2:
		memcpy(&v16, rec + f->offset, 2);
		return (int16_t)(swap ? bswap_16(v16) : v16);
	case 1:
		return (int8_t)rec[f->offset];
	default:
		return -1;
	}
}

/* A name in the record, or one whose place and length the record tells. */
static uint32_t load_comm(const struct layout_field *f, struct event_scratch *s,
			  const uint8_t *rec, unsigned len, bool swap, int32_t pid)
{
	uint32_t loc, at, n;

	if (!f->size)
		return COMM_NONE;
	if (!f->loc)
		return event_comm_id(s, pid, (const char *)rec + f->offset, f->size);
	loc = (uint32_t)load(f, rec, swap);
	at = loc & 0xffff;
	n = loc >> 16;
	if (f->loc == 2)
		at += f->offset + 4u;
	if (at >= len || n > len - at)
		return COMM_NONE;
	/* as an array of another length: the same bytes get the same id */
	return event_comm_id(s, pid, (const char *)rec + at, n == 16 ? 15 : n);
}

static inline uint16_t cpu_number(int64_t v)
{
	return v < 0 || v >= CPU_NONE ? CPU_NONE : (uint16_t)v;
}

static inline uint8_t prev_state(const struct event_layout *l, int64_t v)
{
	uint32_t bits = (uint32_t)v;

	if (!bits || (bits & l->preempted))
		return TASK_RUNNABLE;
	bits &= (1u << STATE_BITS) - 1;
	return bits ? l->letter[__builtin_ctz(bits)] : TASK_OTHER;
}

static inline int32_t load_s32(const struct layout_field *f, const uint8_t *rec)
{
	int32_t v;

	memcpy(&v, rec + f->offset, 4);
	return v;
}

/* The same for layouts whose sizes were checked before: most switches and
 * wakeups. */
static inline enum event_type decode_plain(const struct event_layout *e, struct event_scratch *s,
				    const uint8_t *rec, struct event *ev)
{
	ev->pid = load_s32(&e->f[SLOT_PID], rec);
	ev->pid2 = load_s32(&e->f[SLOT_PID2], rec);
	ev->prio = (int16_t)load_s32(&e->f[SLOT_PRIO], rec);
	ev->comm = event_comm_id(s, ev->pid, (const char *)rec + e->f[SLOT_COMM].offset, 16);
	if (e->type == EV_SWITCH) {
		ev->comm2 = event_comm_id(s, ev->pid2,
					  (const char *)rec + e->f[SLOT_COMM2].offset, 16);
		ev->state = prev_state(e, load(&e->f[SLOT_STATE], rec, false));
		ev->cpu2 = CPU_NONE;
	} else {
		ev->cpu2 = cpu_number(load_s32(&e->f[SLOT_CPU2], rec));
		ev->comm2 = 0;
		ev->state = 0;
	}
	return (enum event_type)e->type;
}

enum event_type event_decode(const struct event_layouts *l, struct event_scratch *s,
			     const uint8_t *rec, unsigned len, struct event *ev)
{
	const struct event_layout *e;
	const bool swap = l->swap;
	uint16_t id;

	if (len < l->type_offset + 2)
		return EV_NR;
	memcpy(&id, rec + l->type_offset, 2);
	if (swap)
		id = bswap_16(id);
	e = &l->v[l->by_id[id]];
	if (e->type == EV_OTHER)
		return EV_OTHER;
	if (len < e->min_len)
		return EV_NR;
	ev->type = e->type;
	if (__builtin_expect(e->plain && !swap, 1))
		return decode_plain(e, s, rec, ev);
	ev->pid = (int32_t)load(&e->f[SLOT_PID], rec, swap);
	ev->pid2 = (int32_t)load(&e->f[SLOT_PID2], rec, swap);
	ev->prio = (int16_t)load(&e->f[SLOT_PRIO], rec, swap);
	ev->cpu2 = cpu_number(load(&e->f[SLOT_CPU2], rec, swap));
	ev->comm = load_comm(&e->f[SLOT_COMM], s, rec, len, swap, ev->pid);
	if (e->type == EV_SWITCH) {
		ev->comm2 = load_comm(&e->f[SLOT_COMM2], s, rec, len, swap, ev->pid2);
		ev->state = prev_state(e, load(&e->f[SLOT_STATE], rec, swap));
	} else {
		ev->dest_cpu = (uint32_t)load(&e->f[SLOT_DEST], rec, swap);
		ev->state = 0;
	}
	return (enum event_type)e->type;
}
