// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of knobs, who owns them, and their way back. */
#include "knobs.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lockfile.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "stale.h"

static bool is_feature_name(const char *s)
{
	if (!isupper((unsigned char)*s))
		return false;
	for (; *s; s++)
		if (!isupper((unsigned char)*s) && !isdigit((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

static const char *on_off(const char *value)
{
	static const char *const words[][2] = {
		{ "on", "on" },	  { "1", "on" },   { "yes", "on" }, { "true", "on" },
		{ "off", "off" }, { "0", "off" },  { "no", "off" }, { "false", "off" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(value, words[i][0]))
			return words[i][1];
	return NULL;
}

static int parse_feature(struct knob *knob, const char *feature, const char *value,
			 struct err *err)
{
	bool no = !strncmp(feature, "NO_", 3);
	const char *word = value ? on_off(value) : no ? "off" : "on";

	if (!is_feature_name(feature))
		return err_set(err, EINVAL, "'%s' is no name of a scheduler feature", feature);
	if ((no && value) || !word)
		return err_set(err, EINVAL, "a scheduler feature is set by NAME=on, NAME=off, "
			       "NAME or NO_NAME");
	knob->kind = KNOB_FEATURE;
	knob->name = xasprintf("sched.features.%s", feature + (no ? 3 : 0));
	knob->asked = xstrdup(word);
	return 0;
}

/* Leaves the folders it names, or is empty in the middle? */
static bool bad_path(const char *path)
{
	return strstr(path, "..") || strstr(path, "//") || !*path ||
	       path[strlen(path) - 1] == '/' || path[strlen(path) - 1] == '.';
}

static int no_knob(const char *name, struct err *err)
{
	return err_set(err, EINVAL,
		       "'%s' is no knob: give sched.NAME, a scheduler feature, a sysctl "
		       "such as kernel.numa_balancing, or a file below /sys", name);
}

/* A sysctl by its dotted name or as a file below /proc/sys. */
static int parse_sysctl(struct knob *knob, const char *name, struct err *err)
{
	static const char old_sched[] = "kernel.sched_";
	char *path, *dotted;

	if (bad_path(name) || !strchr(name, '.'))
		return no_knob(name, err);
	dotted = xstrdup(name);
	path = xasprintf("/proc/sys/%s", name);
	for (char *p = path; *p; p++)
		if (*p == '.')
			*p = '/';
	knob->kind = KNOB_SYSCTL;
	knob->name = dotted;
	if (!strncmp(name, old_sched, strlen(old_sched)) && !file_exists(path)) {
		/* moved to debugfs in 5.13, and the canonical name is the new one */
		knob->kind = KNOB_SCHED;
		knob->name = xasprintf("sched.%s", name + strlen(old_sched));
		free(dotted);
	}
	free(path);
	return 0;
}

static int parse_file(struct knob *knob, const char *name, struct err *err)
{
	static const char proc_sys[] = "/proc/sys/", debugfs[] = "/sys/kernel/debug/sched/";

	if (bad_path(name) || !strncmp(name, debugfs, strlen(debugfs)))
		return no_knob(name, err);
	if (!strncmp(name, proc_sys, strlen(proc_sys)) && !strchr(name, '.')) {
		char *dotted = xstrdup(name + strlen(proc_sys));
		int ret;

		for (char *p = dotted; *p; p++)
			if (*p == '/')
				*p = '.';
		ret = parse_sysctl(knob, dotted, err);
		free(dotted);
		return ret;
	}
	if (strncmp(name, proc_sys, strlen(proc_sys)) && strncmp(name, "/sys/", 5))
		return no_knob(name, err);
	knob->kind = KNOB_FILE;
	knob->name = xstrdup(name);
	return 0;
}

static int parse_one(struct knob *knob, const char *arg, struct err *err)
{
	const char *equals = strchr(arg, '=');
	char *name = xstrndup(arg, equals ? (size_t)(equals - arg) : strlen(arg));
	const char *value = equals ? equals + 1 : NULL;
	int ret = 0;

	memset(knob, 0, sizeof(*knob));
	knob->lock_fd = -1;
	if (!strncmp(name, "sched.features.", 15)) {
		ret = parse_feature(knob, name + 15, value, err);
	} else if (!strcmp(name, "sched.features")) {
		/* the file takes one feature a write and reads back as a list */
		ret = parse_feature(knob, value ? value : "", NULL, err);
	} else if (is_feature_name(name)) {
		ret = parse_feature(knob, name, value, err);
	} else if (!value || !*value || strchr(value, '\n')) {
		ret = err_set(err, EINVAL, "--set wants KNOB=VALUE, not '%s'", arg);
	} else if (!strncmp(name, "sched.", 6) && !bad_path(name) && !strchr(name, '/')) {
		knob->kind = KNOB_SCHED;
		knob->name = xstrdup(name);
	} else if (*name == '/') {
		ret = parse_file(knob, name, err);
	} else {
		ret = parse_sysctl(knob, name, err);
	}
	if (!ret && !knob->asked)
		knob->asked = xstrdup(value);
	free(name);
	return ret;
}

static void release_one(struct knob *knob)
{
	if (knob->lock_fd >= 0)
		lockfile_drop(knob->lock_path, knob->lock_fd);
	free(knob->name);
	free(knob->asked);
	free(knob->old);
	free(knob->now);
	free(knob->lock_path);
}

int knobs_parse(struct knobs *knobs, const char *arg, struct err *err)
{
	struct knob knob;
	int ret = parse_one(&knob, arg, err);

	for (size_t i = 0; !ret && i < knobs->n; i++)
		if (!strcmp(knobs->v[i].name, knob.name))
			ret = err_set(err, EINVAL, "--set names %s twice", knob.name);
	if (ret < 0) {
		release_one(&knob);
		return ret;
	}
	GROW(knobs->v, knobs->n, knobs->cap);
	knobs->v[knobs->n++] = knob;
	return 0;
}

static int lock_one(struct knob *knob, struct err *err)
{
	char *name = xasprintf("knob.%s.lock", knob->name);
	int fd;

	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '!';
	knob->lock_path = state_path(name, err);
	free(name);
	if (!knob->lock_path)
		return -EACCES;
	fd = lockfile_take(knob->lock_path, false);
	if (fd == -EWOULDBLOCK)
		return err_set(err, EBUSY, "another collect that is running has set %s: "
			       "wait for its end", knob->name);
	if (fd < 0)
		return err_errno(err, -fd, "cannot lock %s", knob->lock_path);
	knob->lock_fd = fd;
	return 0;
}

json_t *knobs_to_json(const struct knobs *knobs)
{
	json_t *list = json_array();

	for (size_t i = 0; i < knobs->n; i++) {
		const struct knob *k = &knobs->v[i];
		json_t *obj = json_object();

		json_object_set_new(obj, "name", json_text(k->name, strlen(k->name)));
		json_object_set_new(obj, "old", json_text(k->old, strlen(k->old)));
		if (k->now)
			json_object_set_new(obj, "new", json_text(k->now, strlen(k->now)));
		json_array_append_new(list, obj);
	}
	return list;
}

static int set_one(struct knob *k, struct err *err)
{
	char *shown = NULL;
	int ret = knob_write(k, k->asked, err);

	if (ret < 0)
		return ret;
	k->now = xstrdup(k->asked); /* written, so it must be restored */
	ret = knob_read(k, &shown, err);
	if (shown) {
		free(k->now);
		k->now = shown;
	}
	return ret;
}

int knobs_apply(struct knobs *knobs, struct state *state, struct err *err)
{
	struct notes dropped = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < knobs->n; i++)
		ret = lock_one(&knobs->v[i], err);
	/* again, now that the knobs are ours: their last owner may just have died */
	if (!ret && knobs->n)
		stale_cleanup(&dropped);
	notes_release(&dropped);
	for (size_t i = 0; !ret && i < knobs->n; i++)
		ret = knob_read(&knobs->v[i], &knobs->v[i].old, err);
	if (!ret && knobs->n)
		ret = state_set(state, "knobs", knobs_to_json(knobs), err);
	for (size_t i = 0; !ret && i < knobs->n; i++)
		ret = set_one(&knobs->v[i], err);
	if (!ret && knobs->n)
		ret = state_set(state, "knobs", knobs_to_json(knobs), err);
	if (ret < 0)
		knobs_restore(knobs, state, NULL);
	return ret;
}

int knobs_restore(struct knobs *knobs, struct state *state, struct notes *notes)
{
	bool all = true;

	for (size_t i = knobs->n; i-- > 0;) {
		struct knob *k = &knobs->v[i];
		struct err err = ERR_INIT;

		if (k->now && strcmp(k->now, k->old) && knob_write(k, k->old, &err) < 0) {
			all = false;
			if (notes)
				notes_add(notes, "%s keeps '%s', it was '%s' before: %s", k->name,
					  k->now, k->old, err_text(&err));
		}
		err_release(&err);
		free(k->now);
		k->now = NULL;
	}
	if (all && knobs->n)
		state_set(state, "knobs", NULL, NULL);
	return all ? 0 : -EIO;
}

void knobs_release(struct knobs *knobs)
{
	for (size_t i = 0; i < knobs->n; i++)
		release_one(&knobs->v[i]);
	free(knobs->v);
	memset(knobs, 0, sizeof(*knobs));
}

static enum knob_kind kind_by_name(const char *name)
{
	if (!strncmp(name, "sched.features.", 15))
		return KNOB_FEATURE;
	if (!strncmp(name, "sched.", 6))
		return KNOB_SCHED;
	return *name == '/' ? KNOB_FILE : KNOB_SYSCTL;
}

/* set is NULL when it died before it could see what the kernel made of it.
 * False: it could not be looked at or written, and should be tried again. */
static bool restore_stale(const char *name, const char *old, const char *set,
			  struct notes *notes)
{
	struct knob knob = { .name = xstrdup(name), .kind = kind_by_name(name), .lock_fd = -1 };
	struct err err = ERR_INIT;
	char *value = NULL;
	bool done = true;
	int ret = knob_read(&knob, &value, &err);

	if (ret < 0) {
		notes_add(notes, "%s may still have the value of a run that was killed: %s",
			  name, err_text(&err));
		done = ret == -ENOENT; /* gone, with its module perhaps */
	} else if (strcmp(value, old) && (!set || !strcmp(value, set))) {
		done = knob_write(&knob, old, &err) == 0;
		if (!done)
			notes_add(notes, "%s keeps '%s' of a run that was killed: %s", name, value,
				  err_text(&err));
		else
			notes_add(notes, "%s is '%s' again: a run that was killed had set '%s'",
				  name, old, value);
	} else if (strcmp(value, old)) {
		notes_add(notes, "%s is '%s', neither what a run that was killed had set nor "
			  "what it was before ('%s'): left as it is", name, value, old);
	}
	err_release(&err);
	free(value);
	free(knob.name);
	return done;
}

bool knobs_restore_stale(const json_t *list, struct notes *notes)
{
	bool all = true;

	for (size_t i = json_array_size(list); i-- > 0;) {
		const json_t *obj = json_array_get(list, i);
		const char *name = json_str(obj, "name", "");
		const char *old = json_str(obj, "old", "");

		if (*name && json_object_get(obj, "old"))
			all &= restore_stale(name, old, json_str(obj, "new", NULL), notes);
	}
	return all;
}
