/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hot path: raw record to struct event. No allocation, no lock unless a
 * task shows a name for the first time. In a header, so that each reader has
 * it in its loop.
 */
#ifndef ANALYZE_EVENT_DECODE_H
#define ANALYZE_EVENT_DECODE_H

#include <string.h>

#include "event_layout.h"

/* Takes the name into the slot. */
uint32_t event_comm_new(struct event_scratch *s, struct comm_slot *c, int32_t pid,
			const char bytes[16]);
/* The way for layouts that are not plain, or of the other byte order. */
enum event_type event_decode_any(const struct event_layouts *l, struct event_scratch *s,
				 const uint8_t *rec, unsigned len, struct event *ev);

/* Id of a name in an array of 16. */
static inline uint32_t event_comm16(struct event_scratch *s, int32_t pid, const char *name)
{
	struct comm_slot *c = &s->slot[(uint32_t)pid % COMM_CACHE];
	uint64_t a[2], b[2];

	memcpy(a, c->bytes, 16);
	memcpy(b, name, 16);
	if (__builtin_expect(!((a[0] ^ b[0]) | (a[1] ^ b[1])) && c->pid == pid, 1))
		return c->id;
	return event_comm_new(s, c, pid, name);
}

static inline uint16_t event_cpu_number(int64_t v)
{
	return v < 0 || v >= CPU_NONE ? CPU_NONE : (uint16_t)v;
}

static inline uint8_t event_prev_state(const struct event_layout *l, uint32_t bits)
{
	if (!bits || (bits & l->preempted))
		return TASK_RUNNABLE;
	bits &= (1u << STATE_BITS) - 1;
	return bits ? l->letter[__builtin_ctz(bits)] : TASK_OTHER;
}

static inline int32_t event_load_s32(const struct layout_field *f, const uint8_t *rec)
{
	int32_t v;

	memcpy(&v, rec + f->offset, 4);
	return v;
}

/* For layouts whose sizes were checked before: most switches and wakeups. */
static inline enum event_type event_decode_plain(const struct event_layout *e,
						 struct event_scratch *s, const uint8_t *rec,
						 struct event *ev)
{
	ev->type = e->type;
	ev->pid = event_load_s32(&e->f[SLOT_PID], rec);
	ev->pid2 = event_load_s32(&e->f[SLOT_PID2], rec);
	ev->prio = (int16_t)event_load_s32(&e->f[SLOT_PRIO], rec);
	ev->comm = event_comm16(s, ev->pid, (const char *)rec + e->f[SLOT_COMM].offset);
	if (e->type == EV_SWITCH) {
		ev->comm2 = event_comm16(s, ev->pid2,
					 (const char *)rec + e->f[SLOT_COMM2].offset);
		/* the low 32 bits, whether it has 4 bytes or 8 */
		ev->state = event_prev_state(e, (uint32_t)event_load_s32(&e->f[SLOT_STATE],
									 rec));
		ev->cpu2 = CPU_NONE;
	} else {
		ev->cpu2 = event_cpu_number(event_load_s32(&e->f[SLOT_CPU2], rec));
		ev->comm2 = 0;
		ev->state = 0;
	}
	return (enum event_type)e->type;
}

/*
 * Decodes a record of len bytes. Fills everything but ts and cpu. Returns the
 * type: EV_OTHER when it is none of ours, EV_NR when it is too short.
 */
static inline enum event_type event_decode(const struct event_layouts *l,
					   struct event_scratch *s, const uint8_t *rec,
					   unsigned len, struct event *ev)
{
	const struct event_layout *e;
	uint16_t id;

	if (__builtin_expect(l->swap || len < l->type_offset + 2, 0))
		return event_decode_any(l, s, rec, len, ev);
	memcpy(&id, rec + l->type_offset, 2);
	e = &l->v[l->by_id[id]];
	if (e->type == EV_OTHER)
		return EV_OTHER;
	if (__builtin_expect(e->plain && len >= e->min_len, 1))
		return event_decode_plain(e, s, rec, ev);
	return event_decode_any(l, s, rec, len, ev);
}

#endif
