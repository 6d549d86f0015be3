// SPDX-License-Identifier: GPL-2.0-or-later
/* Leftovers of processes that died: knobs, workloads, half-written runs. */
#include "stale.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "knobs.h"
#include "lockfile.h"
#include "run_writer.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/units.h"
#include "state.h"
#include "trace_instance.h"
#include "workload.h"

#define ENVIRON_MAX (4UL << 20)
#define DYING_NS (20 * NSEC_PER_SEC)

static bool environ_has(const char *pid, const char *token)
{
	char *path = xasprintf("/proc/%s/environ", pid);
	char *want = xasprintf(WORKLOAD_TOKEN "=%s", token);
	struct strbuf env = STRBUF_INIT;
	bool found = false;

	file_read(&env, path, ENVIRON_MAX, NULL);
	for (size_t at = 0; at < env.len && !found; at += strlen(env.buf + at) + 1)
		found = !strcmp(env.buf + at, want);
	strbuf_release(&env);
	free(path);
	free(want);
	return found;
}

/* The workload carries the token in its environment, and so do its children. */
static bool kill_workload(const json_t *value, struct notes *notes)
{
	const char *token = json_string_value(value);
	DIR *dir = opendir("/proc");
	struct dirent *e;
	unsigned killed = 0;

	while (dir && token && *token && (e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]) || !environ_has(e->d_name, token))
			continue;
		if (atoi(e->d_name) != getpid() && kill(atoi(e->d_name), SIGKILL) == 0)
			killed++;
	}
	if (dir)
		closedir(dir);
	if (killed)
		notes_add(notes, "%u process%s of a former run that was killed %s ended",
			  killed, killed == 1 ? "" : "es", killed == 1 ? "was" : "were");
	return true;
}

static bool restore_knobs(const json_t *value, struct notes *notes)
{
	return knobs_restore_stale(value, notes);
}

static bool keep_partial(const json_t *value, struct notes *notes)
{
	const char *path = json_string_value(value);

	if (path && dir_exists(path))
		run_recover(path, notes);
	return true;
}

static const struct {
	const char *key;
	bool this_boot; /* means nothing after a reboot */
	/* false: it is still to be done, by the next command */
	bool (*undo)(const json_t *value, struct notes *notes);
} handlers[] = {
	{ "token", true, kill_workload },
	{ "knobs", true, restore_knobs },
	{ "partial", false, keep_partial },
};

/* Leftovers that are found by their name. */
static void (*const sweepers[])(struct notes *notes) = {
	trace_remove_stale,
};

/* What could not be undone stays in the file; without such, the file goes. */
static void undo(const char *file, struct notes *notes)
{
	bool all = true;
	char boot[64] = "";
	json_t *root = NULL;
	bool same_boot;

	if (json_file_load(&root, file, NULL) < 0) {
		unlink(file);
		return;
	}
	file_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	same_boot = !strcmp(json_str(root, "boot_id", ""), boot);
	for (size_t i = 0; i < ARRAY_SIZE(handlers); i++) {
		json_t *value = json_object_get(root, handlers[i].key);

		if (value && (same_boot || !handlers[i].this_boot) &&
		    !handlers[i].undo(value, notes))
			all = false;
		else
			json_object_del(root, handlers[i].key);
	}
	if (all)
		unlink(file);
	else
		json_file_save(root, AT_FDCWD, file, NULL);
	json_decref(root);
}

/* Killed, but still letting go of BPF programs and trace buffers: its memory is
 * gone, its files (and our lock) are not. */
static bool is_dying(int pid)
{
	char *path = xasprintf("/proc/%d/cmdline", pid);
	struct strbuf text = STRBUF_INIT;
	bool dying = file_read(&text, path, 1 << 20, NULL) == 0 && !text.len;

	strbuf_release(&text);
	free(path);
	return dying;
}

/* name is "PID.json"; does nothing while PID.lock is held by a living process. */
static void undo_if_dead(const char *dir, const char *name, struct notes *notes)
{
	char *lock = xasprintf("%s/%d.lock", dir, atoi(name));
	uint64_t deadline = monotonic_ns() + DYING_NS;
	int fd = lockfile_take(lock, false);

	while (fd == -EWOULDBLOCK && is_dying(atoi(name)) && monotonic_ns() < deadline) {
		usleep(20000);
		fd = lockfile_take(lock, false);
	}

	if (fd >= 0) {
		char *file = path_join(dir, name);

		undo(file, notes);
		free(file);
		lockfile_drop(lock, fd);
	}
	free(lock);
}

static void drop_if_free(const char *dir, const char *name)
{
	char *path = path_join(dir, name);

	lockfile_held(path); /* removes a file that nobody holds */
	free(path);
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && !strcmp(name + len - n, end);
}

void stale_cleanup(struct notes *notes)
{
	const char *dir_path = state_dir(NULL);
	char *lock = state_path("stale.lock", NULL);
	struct dirent *e;
	int fd;
	DIR *dir;

	if (!dir_path || !lock)
		return;
	/* one cleaner at a time: the second must see knobs as the first left them */
	fd = lockfile_take(lock, true);
	dir = opendir(dir_path);
	while (dir && (e = readdir(dir))) {
		if (isdigit((unsigned char)e->d_name[0]) && ends_with(e->d_name, ".json"))
			undo_if_dead(dir_path, e->d_name, notes);
		else if (ends_with(e->d_name, ".lock") && strcmp(e->d_name, "stale.lock"))
			drop_if_free(dir_path, e->d_name);
	}
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < ARRAY_SIZE(sweepers); i++)
		sweepers[i](notes);
	if (fd >= 0)
		lockfile_drop(lock, fd);
	free(lock);
}
