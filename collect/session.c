// SPDX-License-Identifier: GPL-2.0-or-later
/* Drives the sources: the order of calls, and what a failure means. */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "schedblame/run.h"

/* Without the name in front, which is added here. */
static const char *own_words(const struct session_source *s, const char *text)
{
	size_t n = strlen(s->ops->name);

	if (strncmp(text, "source ", 7) || strncmp(text + 7, s->ops->name, n) ||
	    strncmp(text + 7 + n, ": ", 2))
		return text;
	return text + 7 + n + 2;
}

/*
 * One source failed. Remembered, noted, closed. 0 when collect may go on
 * without it, -errno (the sentence in err) when it was asked for by name or
 * when the disk is the reason: then the rest of the run is in danger too.
 */
static int fail(struct recorder *r, struct session_source *s, struct err *own,
		struct err *err)
{
	bool disk = own->code == ENOSPC || own->code == EDQUOT || own->code == EIO;
	int ret = 0;

	free(s->why);
	s->why = xstrdup(own_words(s, err_text(own)));
	s->state = STATE_FAILED;
	if (s->src)
		s->ops->close(s->src);
	s->src = NULL;
	if (s->wish == SOURCE_ASKED || disk)
		ret = err_set(err, own->code ? own->code : EIO, "source %s: %s",
			      s->ops->name, s->why);
	else if (!s->refused) /* those are noted all at once */
		notes_add(r->notes, "source %s is left out: %s", s->ops->name, s->why);
	err_release(own);
	return ret;
}

static void note_refused(const struct recorder *r)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < r->n; i++)
		if (r->source[i].refused)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "",
				    r->source[i].ops->name);
	if (names.len)
		notes_add(r->notes, RUN_NOTE_REFUSED "%s ('schedblame doctor' says why)",
			  names.buf);
	strbuf_release(&names);
}

static void probe_refusal(struct session_source *s, const struct probe *probe,
			  struct err *own)
{
	if (probe->why)
		err_set(own, probe->code, "%s%s%s", probe->why,
			probe->advice ? "; " : "", probe->advice ? probe->advice : "");
	else
		err_errno(own, probe->code ? probe->code : ENOSYS, "%s",
			  probe->what ? probe->what : "it does not work here");
	s->refused = true;
}

int recorder_init(struct recorder *r, const struct collect_config *config,
		  const struct topology *topology,
		  const enum source_wish wish[SOURCES_MAX], struct notes *notes,
		  struct err *err)
{
	int ret = 0;

	memset(r, 0, sizeof(*r));
	r->notes = notes;
	r->session.config = config;
	r->session.topology = topology;
	r->session.dirfd = -1;
	cpuset_copy(&r->session.online, &config->cpus);
	for (unsigned cpu = 0; !cpuset_count(&config->cpus) && cpu < topology->nr_cpus; cpu++)
		if (topology->cpu[cpu].online)
			cpuset_set(&r->session.online, cpu);
	for (size_t i = 0; sources[i] && !ret; i++) {
		struct session_source *s = &r->source[r->n++];
		struct probe probe = { 0 };
		struct err own = ERR_INIT;

		s->ops = sources[i];
		s->wish = wish[i];
		if (s->wish == SOURCE_OFF)
			continue;
		s->ops->probe(&r->session, &probe);
		s->state = STATE_READY;
		if (probe.state == PROBE_FAILS) {
			probe_refusal(s, &probe, &own);
			ret = fail(r, s, &own, err);
		}
		probe_release(&probe);
	}
	note_refused(r);
	return ret;
}

void recorder_release(struct recorder *r)
{
	recorder_close(r);
	for (size_t i = 0; i < r->n; i++) {
		free(r->source[i].why);
		json_decref(r->source[i].info);
	}
	cpuset_release(&r->session.online);
	memset(r, 0, sizeof(*r));
}

enum order { UNTIL_FAILURE, ALL, ALL_BACKWARDS };

/* Calls fn for every source in state from; those that succeed go to state to. */
static int step(struct recorder *r, enum source_state from, enum source_state to,
		int (*fn)(struct session_source *s, const struct session *session,
			  struct err *err),
		enum order order, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < r->n && (order != UNTIL_FAILURE || !ret); i++) {
		struct session_source *s =
			&r->source[order == ALL_BACKWARDS ? r->n - 1 - i : i];
		struct err own = ERR_INIT;

		if (s->state != from)
			continue;
		if (fn(s, &r->session, &own) < 0) {
			int failed = fail(r, s, &own, ret ? NULL : err);

			ret = ret ? ret : failed;
		} else {
			s->state = to;
		}
	}
	return ret;
}

static int do_open(struct session_source *s, const struct session *session,
		   struct err *err)
{
	return s->ops->open(&s->src, session, err);
}

static int do_start(struct session_source *s, const struct session *session,
		    struct err *err)
{
	return s->ops->start(s->src, session, err);
}

static int do_poll(struct session_source *s, const struct session *session,
		   struct err *err)
{
	return s->ops->poll ? s->ops->poll(s->src, session, err) : 0;
}

static int do_stop(struct session_source *s, const struct session *session,
		   struct err *err)
{
	return s->ops->stop(s->src, session, err);
}

static int do_write(struct session_source *s, const struct session *session,
		    struct err *err)
{
	return s->ops->write(s->src, session, s->info, err);
}

int recorder_open(struct recorder *r, int dirfd, const char *dir, struct err *err)
{
	r->session.dirfd = dirfd;
	r->session.dir = dir;
	r->session.workload_pid = 0;
	for (size_t i = 0; i < r->n; i++) {
		struct session_source *s = &r->source[i];

		if (s->wish != SOURCE_OFF && !s->refused)
			s->state = STATE_READY;
		json_decref(s->info);
		s->info = json_object();
	}
	return step(r, STATE_READY, STATE_OPEN, do_open, UNTIL_FAILURE, err);
}

int recorder_start(struct recorder *r, struct err *err)
{
	return step(r, STATE_OPEN, STATE_STARTED, do_start, UNTIL_FAILURE, err);
}

int recorder_poll(struct recorder *r, struct err *err)
{
	return step(r, STATE_STARTED, STATE_STARTED, do_poll, UNTIL_FAILURE, err);
}

int recorder_stop(struct recorder *r, struct err *err)
{
	return step(r, STATE_STARTED, STATE_DONE, do_stop, ALL_BACKWARDS, err);
}

int recorder_write(struct recorder *r, struct err *err)
{
	return step(r, STATE_DONE, STATE_DONE, do_write, ALL, err);
}

void recorder_close(struct recorder *r)
{
	for (size_t i = r->n; i-- > 0;) {
		struct session_source *s = &r->source[i];

		if (s->src)
			s->ops->close(s->src);
		s->src = NULL;
	}
	r->session.dirfd = -1;
	r->session.dir = NULL;
}

json_t *recorder_to_json(const struct recorder *r, json_t *host)
{
	json_t *all = json_object();

	for (size_t i = 0; i < r->n; i++) {
		const struct session_source *s = &r->source[i];
		json_t *obj = json_object();

		json_object_set_new(obj, "state",
				    json_string(s->state == STATE_FAILED ? "failed" :
						s->state == STATE_OFF	 ? "off" :
									   "ok"));
		if (s->state == STATE_FAILED)
			json_object_set_new(obj, "why", json_text(s->why, strlen(s->why)));
		if (s->info) {
			json_t *facts = json_object_get(s->info, "host");

			if (facts)
				json_object_update(host, facts);
			json_object_del(s->info, "host");
			json_object_update(obj, s->info);
		}
		json_object_set_new(all, s->ops->name, obj);
	}
	return all;
}
