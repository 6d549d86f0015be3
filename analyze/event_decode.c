// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw record to struct event, for layouts of any kind; the usual ones are
 * decoded in event_decode.h.
 */
#include <byteswap.h>
#include <string.h>

#include "event_decode.h"

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

uint32_t event_comm_new(struct event_scratch *s, struct comm_slot *c, int32_t pid,
			const char bytes[16])
{
	uint32_t id = intern(s, bytes, 16);

	c->pid = pid;
	memcpy(c->bytes, bytes, 16);
	c->id = id;
	return id;
}

uint32_t event_comm_id(struct event_scratch *s, int32_t pid, const char *name, size_t len)
{
	size_t n = strnlen(name, len < 16 ? len : 16);
	char bytes[16] = { 0 };

	if (len == 16)
		return event_comm16(s, pid, name);
	memcpy(bytes, name, n);
	return event_comm16(s, pid, bytes);
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

enum event_type event_decode_any(const struct event_layouts *l, struct event_scratch *s,
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
	ev->pid = (int32_t)load(&e->f[SLOT_PID], rec, swap);
	ev->pid2 = (int32_t)load(&e->f[SLOT_PID2], rec, swap);
	ev->prio = (int16_t)load(&e->f[SLOT_PRIO], rec, swap);
	ev->cpu2 = event_cpu_number(load(&e->f[SLOT_CPU2], rec, swap));
	ev->comm = load_comm(&e->f[SLOT_COMM], s, rec, len, swap, ev->pid);
	if (e->type == EV_SWITCH) {
		ev->comm2 = load_comm(&e->f[SLOT_COMM2], s, rec, len, swap, ev->pid2);
		ev->state = event_prev_state(e, (uint32_t)load(&e->f[SLOT_STATE], rec, swap));
	} else {
		ev->dest_cpu = (uint32_t)load(&e->f[SLOT_DEST], rec, swap);
		ev->state = 0;
	}
	return (enum event_type)e->type;
}
