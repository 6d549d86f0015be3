/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a tracepoint's format text to offsets, once; then from raw records to
 * struct event by these offsets alone. Shared by trace.dat and perf.data.
 */
#ifndef ANALYZE_EVENT_LAYOUT_H
#define ANALYZE_EVENT_LAYOUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedblame/event.h"

/* One "field:" line of a format text. */
struct format_field {
	const char *name; /* into the text */
	size_t name_len;
	unsigned offset, size;
	bool is_signed, data_loc, rel_loc;
};

/*
 * Walks the fields; *at starts as the text and moves on. Returns false at the
 * end. text is NUL-terminated.
 */
bool format_next_field(const char **at, struct format_field *f);
/* The number behind "ID:" in a format text; -1. */
long format_id(const char *text);
/* The name behind "name:"; its length, 0 when there is none. */
size_t format_name(const char *text, const char **name);

/* Where the parts of struct event lie in a record. */
enum layout_slot {
	SLOT_PID,
	SLOT_PID2,
	SLOT_CPU2,
	SLOT_DEST, /* or count, or old pid: what shares the union */
	SLOT_PRIO,
	SLOT_STATE,
	SLOT_COMM,
	SLOT_COMM2,
	SLOT_NR
};

struct layout_field {
	uint16_t offset;
	uint8_t size; /* of a number 1, 2, 4, 8; of a name its array; 0: absent */
	uint8_t loc;  /* name: 0 array, 1 data_loc, 2 rel_loc */
};

#define STATE_BITS 12

struct event_layout {
	uint8_t type; /* enum event_type; EV_OTHER: no layout */
	bool plain; /* numbers of 4 bytes and a name in place: the fast way */
	uint16_t min_len;
	struct layout_field f[SLOT_NR];
	uint32_t preempted; /* bit of prev_state */
	uint8_t letter[STATE_BITS]; /* enum task_state of each bit */
};

#define LAYOUTS_MAX 64

/* Formats of one recording. */
struct event_layouts {
	bool swap; /* records are of the other byte order */
	unsigned type_offset; /* of common_type, 2 bytes */
	unsigned nr;
	struct event_layout v[LAYOUTS_MAX]; /* v[0] is EV_OTHER */
	uint8_t by_id[65536];		    /* index into v */
	struct strmap names;		    /* of all events, for counts by name */
	uint32_t *name_of;		    /* by id: index in names + 1; 0: none */
};

struct event_layouts *event_layouts_new(bool swap);
void event_layouts_free(struct event_layouts *l);
/* Adds a format text (len bytes, need not end with NUL); bad ones are ignored. */
void event_layouts_add(struct event_layouts *l, const char *text, size_t len);

/* Names per decoding thread: pid and bytes of a name to its id. */
#define COMM_CACHE 8192
struct comm_slot {
	int32_t pid;
	uint32_t id;
	char bytes[16];
};
struct event_scratch {
	struct strmap *comms; /* of the stream, under lock */
	pthread_mutex_t *lock;
	struct comm_slot slot[COMM_CACHE];
};
void event_scratch_init(struct event_scratch *s, struct strmap *comms,
			pthread_mutex_t *lock);
/* Id of a name of len bytes that ends at its first NUL. */
uint32_t event_comm_id(struct event_scratch *s, int32_t pid, const char *name, size_t len);

#endif
