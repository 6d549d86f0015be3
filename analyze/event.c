// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of event types and task states; the life of a stream. */
#include "schedblame/event.h"

#include <stdlib.h>
#include <string.h>

#define X(id, name) name,
static const char *const type_names[EV_NR] = { EVENT_LIST(X) };
#undef X
#define X(id, letter, title) letter,
static const char state_letters[TASK_STATE_NR] = { TASK_STATE_LIST(X) };
#undef X
#define X(id, letter, title) title,
static const char *const state_titles[TASK_STATE_NR] = { TASK_STATE_LIST(X) };
#undef X

const char *event_type_name(enum event_type type)
{
	return (unsigned)type < EV_NR ? type_names[type] : "?";
}

enum event_type event_type_by_name(const char *name, size_t len)
{
	for (int t = EV_SWITCH; t < EV_LOST; t++)
		if (strlen(type_names[t]) == len && !memcmp(type_names[t], name, len))
			return (enum event_type)t;
	return EV_OTHER;
}

char task_state_letter(enum task_state state)
{
	return (unsigned)state < TASK_STATE_NR ? state_letters[state] : '?';
}

const char *task_state_title(enum task_state state)
{
	return (unsigned)state < TASK_STATE_NR ? state_titles[state] : "?";
}

const char *event_stream_comm(const struct event_stream *s, uint32_t id)
{
	const char *name;

	pthread_mutex_lock(s->comm_lock);
	name = id < s->comms.n ? s->comms.name[id] : "?";
	pthread_mutex_unlock(s->comm_lock);
	return name;
}

void event_stream_close(struct event_stream *s)
{
	if (s)
		s->ops->close(s);
}
