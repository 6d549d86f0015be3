// SPDX-License-Identifier: GPL-2.0-or-later
/* Set and run directories: nothing half-written under its final name. */
#include "run_writer.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define SET_VERSION 1
#define CREATOR "schedblame " SCHEDBLAME_VERSION
#define RUNS_MAX 99999

static bool dir_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	bool empty = true;

	if (!dir)
		return false;
	while (empty && (e = readdir(dir)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	closedir(dir);
	return empty;
}

static bool is_set(const char *path)
{
	char *file = path_join(path, "set.json");
	bool yes = file_exists(file);

	free(file);
	return yes;
}

/* "dir/name/" -> "dir/name" */
static char *without_slashes(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return xstrndup(path, len);
}

static int write_set_json(const struct set_writer *set, struct err *err)
{
	json_t *root = json_object();
	char *path = path_join(set->work, "set.json");
	int ret;

	json_object_set_new(root, "version", json_integer(SET_VERSION));
	json_object_set_new(root, "label", json_text(set->label, strlen(set->label)));
	json_object_set_new(root, "creator", json_string(CREATOR));
	ret = json_file_save(root, AT_FDCWD, path, err);
	free(path);
	json_decref(root);
	return ret;
}

/* The label in an existing set.json; a different one asked for is refused. */
static int read_set_json(struct set_writer *set, const char *label, struct err *err)
{
	char *path = path_join(set->path, "set.json");
	json_t *root = NULL;
	int ret = json_file_load(&root, path, err);

	if (!ret)
		ret = json_check_version(root, path, SET_VERSION, err);
	if (!ret) {
		const char *old = json_str(root, "label", "");

		if (label && strcmp(label, old))
			ret = err_set(err, EINVAL,
				      "%s has the label '%s': a set has one label, "
				      "so choose another -o", set->path, old);
		set->label = xstrdup(old);
	}
	json_decref(root);
	free(path);
	return ret;
}

static int make_work(struct set_writer *set, const char *label, struct err *err)
{
	int ret;

	set->label = label ? xstrdup(label) : path_base(set->path);
	set->created = !dir_exists(set->work);
	ret = make_dirs(set->work, err);
	if (ret < 0) {
		set->created = false;
		return ret;
	}
	return write_set_json(set, err);
}

static int open_existing(struct set_writer *set, const char *label, enum set_mode mode,
			 struct err *err)
{
	bool empty = dir_empty(set->path);

	if (mode == SET_APPEND) {
		if (!is_set(set->path))
			return err_set(err, ENOTDIR, "%s is no set (it has no set.json): "
				       "--append adds runs to a set", set->path);
		return read_set_json(set, label, err);
	}
	if (mode == SET_NEW && !empty)
		return err_set(err, EEXIST,
			       "%s exists: choose another -o, --append to add runs, or "
			       "--force to replace it", set->path);
	if (mode == SET_FORCE && !empty) {
		if (!is_set(set->path))
			return err_set(err, EEXIST, "%s is no set of schedblame (it has no "
				       "set.json): --force does not replace it", set->path);
		free(set->work);
		set->work = xasprintf("%s.new-%d", set->path, (int)getpid());
		set->replaces = true;
	}
	return make_work(set, label, err);
}

int set_writer_open(struct set_writer *set, const char *path, const char *label,
		    enum set_mode mode, struct err *err)
{
	struct stat st;

	memset(set, 0, sizeof(*set));
	set->path = without_slashes(path);
	set->work = xstrdup(set->path);
	if (lstat(set->path, &st) == 0)
		return open_existing(set, label, mode, err);
	if (errno != ENOENT)
		return err_errno(err, errno, "cannot look at %s", set->path);
	if (mode == SET_APPEND)
		return err_set(err, ENOENT, "there is no set %s to append to", set->path);
	return make_work(set, label, err);
}

/* For file systems that cannot exchange two names in one step. */
static int swap_slowly(const struct set_writer *set, const char *old)
{
	if (rename(set->path, old) < 0)
		return -errno;
	if (rename(set->work, set->path) < 0) {
		int code = errno;

		rename(old, set->path);
		return -code;
	}
	return 0;
}

int set_writer_finish(struct set_writer *set, struct err *err)
{
	char *old;
	int ret;

	if (!set->replaces)
		return 0;
	if (renameat2(AT_FDCWD, set->work, AT_FDCWD, set->path, RENAME_EXCHANGE) == 0) {
		old = xstrdup(set->work);
	} else {
		old = xasprintf("%s.old-%d", set->path, (int)getpid());
		ret = swap_slowly(set, old);
		if (ret < 0) {
			free(old);
			return err_errno(err, -ret, "cannot put %s in the place of %s",
					 set->work, set->path);
		}
	}
	set->replaces = false;
	free(set->work);
	set->work = xstrdup(set->path);
	ret = remove_tree(old, err);
	free(old);
	return ret;
}

void set_writer_release(struct set_writer *set)
{
	if (set->created && !set->kept && set->work) {
		char *file = path_join(set->work, "set.json");

		unlink(file);
		rmdir(set->work);
		free(file);
	}
	free(set->path);
	free(set->work);
	free(set->label);
	memset(set, 0, sizeof(*set));
}

/* The highest NNN or .NNN.partial in the set. */
static unsigned highest_number(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	unsigned highest = 0;

	while (dir && (e = readdir(dir))) {
		const char *name = e->d_name + (e->d_name[0] == '.');
		char *end;
		unsigned long n;

		if (!isdigit((unsigned char)*name))
			continue;
		n = strtoul(name, &end, 10);
		if ((!*end || !strcmp(end, ".partial")) && n <= RUNS_MAX && n > highest)
			highest = (unsigned)n;
	}
	if (dir)
		closedir(dir);
	return highest;
}

int run_writer_open(struct run_writer *run, struct set_writer *set, struct err *err)
{
	memset(run, 0, sizeof(*run));
	run->set = set;
	run->dirfd = -1;
	/* two collects may append to one set: mkdir decides who has the number */
	for (run->number = highest_number(set->work) + 1; run->number <= RUNS_MAX;
	     run->number++) {
		free(run->dir);
		run->dir = xasprintf("%s/.%03u.partial", set->work, run->number);
		if (mkdir(run->dir, 0777) == 0)
			break;
		if (errno != EEXIST) {
			int code = errno;
			int ret = err_errno(err, code, "cannot create folder %s", run->dir);

			free(run->dir);
			run->dir = NULL;
			return ret;
		}
	}
	run->dirfd = open(run->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run->dirfd < 0)
		return err_errno(err, errno, "cannot open folder %s", run->dir);
	return 0;
}

int run_writer_create(struct run_writer *run, const char *name, struct err *err)
{
	int fd = openat(run->dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
			0644);

	if (fd < 0)
		return err_errno(err, errno, "cannot create %s/%s", run->dir, name);
	return fd;
}

int run_writer_manifest(struct run_writer *run, const json_t *manifest, struct err *err)
{
	int ret = json_file_save(manifest, run->dirfd, "run.json", err);

	if (ret < 0)
		err_prefix(err, "%s", run->dir);
	return ret;
}

/* dir -> SET/NNN with the first free number from *number on; the new path. */
static char *rename_run(const char *dir, const char *set, unsigned *number,
			struct err *err)
{
	char *final = NULL;
	int ret = -1;

	for (; *number <= RUNS_MAX; (*number)++) {
		free(final);
		final = xasprintf("%s/%03u", set, *number);
		ret = renameat2(AT_FDCWD, dir, AT_FDCWD, final, RENAME_NOREPLACE);
		if (ret < 0 && errno == EINVAL && !file_exists(final))
			ret = rename(dir, final);
		if (ret == 0 || errno != EEXIST)
			break;
	}
	if (ret == 0)
		return final;
	err_errno(err, errno, "cannot rename %s to %s", dir, final);
	free(final);
	return NULL;
}

int run_writer_keep(struct run_writer *run, struct err *err)
{
	char *final = rename_run(run->dir, run->set->work, &run->number, err);

	if (!final)
		return -err->code;
	free(run->dir);
	run->dir = final;
	run->set->kept++;
	close(run->dirfd);
	run->dirfd = -1;
	return 0;
}

void run_recover(const char *path, struct notes *notes)
{
	const char *slash = strrchr(path, '/');
	char *manifest = path_join(path, "run.json");
	char *set = slash ? xstrndup(path, (size_t)(slash - path)) : NULL, *final;
	unsigned number = slash ? (unsigned)strtoul(slash + 2, NULL, 10) : 0;
	struct err err = ERR_INIT;

	if (number && !file_exists(manifest)) {
		remove_tree(path, NULL);
	} else if (number) {
		final = rename_run(path, set, &number, &err);
		if (final)
			notes_add(notes, "a run that was killed is kept as %s, marked as cut short",
				  final);
		else
			notes_add(notes, "%s", err_text(&err));
		free(final);
	}
	err_release(&err);
	free(manifest);
	free(set);
}

void run_writer_release(struct run_writer *run)
{
	if (run->dirfd >= 0) {
		close(run->dirfd);
		remove_tree(run->dir, NULL);
	}
	free(run->dir);
	memset(run, 0, sizeof(*run));
	run->dirfd = -1;
}
