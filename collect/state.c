// SPDX-License-Identifier: GPL-2.0-or-later
/* The record of what to undo. */
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interrupt.h"
#include "lockfile.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define STATE_VERSION 1

/* /tmp belongs to everybody: the folder must be ours and closed to others. */
static int check_private(const char *dir, struct err *err)
{
	struct stat st;

	if (lstat(dir, &st) < 0)
		return err_errno(err, errno, "cannot look at %s", dir);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
		return err_set(err, EPERM, "%s is not a private folder of this user: "
			       "remove it", dir);
	return 0;
}

const char *state_dir(struct err *err)
{
	static char dir[PATH_MAX];
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		snprintf(dir, sizeof(dir), "/run/schedblame");
	else if (runtime && *runtime)
		snprintf(dir, sizeof(dir), "%s/schedblame", runtime);
	else
		snprintf(dir, sizeof(dir), "/tmp/schedblame-%u", (unsigned)geteuid());
	if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
		err_errno(err, errno, "cannot create folder %s", dir);
		return NULL;
	}
	return check_private(dir, err) < 0 ? NULL : dir;
}

char *state_path(const char *name, struct err *err)
{
	const char *dir = state_dir(err);

	return dir ? path_join(dir, name) : NULL;
}

static char *pid_file(pid_t pid, const char *suffix, struct err *err)
{
	char name[64];

	snprintf(name, sizeof(name), "%d.%s", (int)pid, suffix);
	return state_path(name, err);
}

int state_open(struct state *state, struct err *err)
{
	char boot[64] = "", *token;

	memset(state, 0, sizeof(*state));
	state->lock_path = pid_file(getpid(), "lock", err);
	state->file = pid_file(getpid(), "json", err);
	if (!state->lock_path || !state->file) {
		state->lock_fd = -1;
		return -EACCES;
	}
	state->lock_fd = lockfile_take(state->lock_path, true);
	if (state->lock_fd < 0)
		return err_errno(err, -state->lock_fd, "cannot lock %s", state->lock_path);
	file_read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	token = xasprintf("%.8s-%d-%llx", boot, (int)getpid(),
			  (unsigned long long)monotonic_ns());
	state->root = json_object();
	json_object_set_new(state->root, "version", json_integer(STATE_VERSION));
	json_object_set_new(state->root, "boot_id", json_string(boot));
	json_object_set_new(state->root, "token", json_string(token));
	free(token);
	return json_file_save(state->root, AT_FDCWD, state->file, err);
}

int state_set(struct state *state, const char *key, json_t *value, struct err *err)
{
	if (!state->root) {
		json_decref(value);
		return 0;
	}
	if (value)
		json_object_set_new(state->root, key, value);
	else
		json_object_del(state->root, key);
	return json_file_save(state->root, AT_FDCWD, state->file, err);
}

void state_close(struct state *state)
{
	if (state->root && !json_object_get(state->root, "knobs"))
		unlink(state->file);
	if (state->lock_path && state->lock_fd >= 0)
		lockfile_drop(state->lock_path, state->lock_fd);
	json_decref(state->root);
	free(state->lock_path);
	free(state->file);
	memset(state, 0, sizeof(*state));
	state->lock_fd = -1;
}

const char *state_token(const struct state *state)
{
	return json_str(state->root, "token", "");
}

bool state_alive(pid_t pid)
{
	char *path = pid_file(pid, "lock", NULL);
	bool alive = path && lockfile_held(path);

	free(path);
	return alive;
}
