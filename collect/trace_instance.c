// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finding tracefs (mounted anywhere, or mounted detached for ourselves), and
 * the life of a private instance in it.
 */
#include "trace_instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define TRACEFS_SUPER_MAGIC 0x74726163
#define PREFIX "schedblame-"
#define TOP ".top"
#define UNUSED_KB 16 /* below: as booted */
#define TOP_KB 1408 /* of the kernel, when nobody asked for another */
#define REMOVE_TRIES 50
#define REMOVE_WAIT_US 10000

static int open_tracefs_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0)
		return -errno;
	if (fstatfs(fd, &fs) == 0 && fs.f_type == TRACEFS_SUPER_MAGIC)
		return fd;
	close(fd);
	return -ENOENT;
}

/* A mount that no path leads to and that ends with the last descriptor. */
static int open_detached(void)
{
	int ctx = fsopen("tracefs", FSOPEN_CLOEXEC), fd;

	if (ctx < 0)
		return -errno;
	if (fsconfig(ctx, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		fd = -errno;
	else if ((fd = fsmount(ctx, FSMOUNT_CLOEXEC, 0)) < 0)
		fd = -errno;
	close(ctx);
	return fd;
}

static int open_from_mounts(void)
{
	struct strbuf sb = STRBUF_INIT;
	int fd = -ENOENT;

	if (file_read(&sb, "/proc/self/mounts", 0, NULL) == 0) {
		for (char *save, *line = strtok_r(sb.buf, "\n", &save); line && fd < 0;
		     line = strtok_r(NULL, "\n", &save)) {
			char path[4096], type[64];

			if (sscanf(line, "%*s %4095s %63s", path, type) == 2 &&
			    !strcmp(type, "tracefs"))
				fd = open_tracefs_dir(path);
		}
	}
	strbuf_release(&sb);
	return fd;
}

static int open_tracefs(struct err *err)
{
	static const char *const usual[] = { "/sys/kernel/tracing",
					     "/sys/kernel/debug/tracing" };
	int fd = -ENOENT, first = 0;

	for (size_t i = 0; i < ARRAY_SIZE(usual) && fd < 0; i++) {
		fd = open_tracefs_dir(usual[i]);
		if (fd < 0 && !first && fd != -ENOENT)
			first = fd;
	}
	if (fd < 0)
		fd = open_from_mounts();
	if (fd < 0)
		fd = open_detached();
	if (fd >= 0)
		return fd;
	if (first)
		fd = first;
	return err_errno(err, -fd, "cannot open tracefs (not root, no CONFIG_TRACING, or "
			 "locked down)");
}

/* Field 22 of /proc/PID/stat: start time in ticks; 0 when the process is gone. */
static unsigned long long start_time(long pid)
{
	char path[64], line[1024], *p;
	unsigned long long t = 0;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	if (file_read_line(path, line, sizeof(line)) < 0)
		return 0;
	p = strrchr(line, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p)
		t = strtoull(p, NULL, 10);
	return t;
}

int trace_instance_write(const struct trace_instance *ti, const char *file,
			 const char *value, struct err *err)
{
	int fd = openat(ti->dir, file, O_WRONLY | O_CLOEXEC), code = 0;

	if (fd < 0)
		return err_errno(err, errno, "cannot open %s/%s of tracefs", ti->name, file);
	if (write(fd, value, strlen(value)) < 0)
		code = errno;
	close(fd);
	if (code)
		return err_errno(err, code, "cannot write '%s' to %s/%s of tracefs", value,
				 ti->name, file);
	return 0;
}

int trace_instance_read(const struct trace_instance *ti, struct strbuf *sb,
			const char *file, struct err *err)
{
	return file_read_at(sb, ti->dir, file, 0, err);
}

int trace_instance_create(struct trace_instance *ti, const char *suffix, struct err *err)
{
	int ret;

	ti->dir = -1;
	ti->top = false;
	ti->kb = 0;
	ti->root = open_tracefs(err);
	if (ti->root < 0)
		return ti->root;
	snprintf(ti->name, sizeof(ti->name), "instances/" PREFIX "%d.%llu%s", (int)getpid(),
		 start_time(getpid()), suffix);
	if (mkdirat(ti->root, ti->name, 0700) < 0) {
		ret = err_errno(err, errno, "cannot create %s in tracefs", ti->name);
		ti->name[0] = '\0';
		goto fail;
	}
	ti->dir = openat(ti->root, ti->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ti->dir < 0) {
		ret = err_errno(err, errno, "cannot open %s in tracefs", ti->name);
		goto fail;
	}
	ret = trace_instance_write(ti, "tracing_on", "0", err);
	if (!ret)
		return 0;
fail:
	trace_instance_remove(ti);
	return ret;
}

/* EBUSY: a reader of a dying process still holds a buffer. */
static int remove_instance(int root, const char *name)
{
	for (int i = 0; i < REMOVE_TRIES; i++) {
		if (unlinkat(root, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			break;
		usleep(REMOVE_WAIT_US);
	}
	return -errno;
}

static bool file_says(int dir, const char *file, const char *start)
{
	struct strbuf sb = STRBUF_INIT;
	bool says = file_read_at(&sb, dir, file, 4096, NULL) == 0 &&
		    !strncmp(sb.buf, start, strlen(start));

	strbuf_release(&sb);
	return says;
}

static bool buffer_is_empty(int root)
{
	struct strbuf sb = STRBUF_INIT;
	bool empty = file_read_at(&sb, root, "trace", 4096, NULL) < 0 ||
		     !strstr(sb.buf, "entries-in-buffer") || strstr(sb.buf, "written: 0/0 ");

	strbuf_release(&sb);
	return empty;
}

/* All is as a kernel boots: so that reset_top() takes nothing from anybody. */
static bool top_is_free(int root)
{
	static const char *const initial[][2] = {
		{ "current_tracer", "nop" },	   { "events/enable", "0" },
		{ "tracing_on", "1" },		   { "set_ftrace_filter", "#" },
		{ "set_ftrace_notrace", "#" },	   { "set_graph_function", "#" },
		{ "set_graph_notrace", "#" },	   { "set_ftrace_pid", "no pid" },
		{ "max_graph_depth", "0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(initial); i++)
		if (faccessat(root, initial[i][0], F_OK, 0) == 0 &&
		    !file_says(root, initial[i][0], initial[i][1]))
			return false;
	return buffer_is_empty(root);
}

/* Its size once it is used: "7 (expanded: 1408)" or "1408"; 0 for "X", sizes that differ
 * from CPU to CPU. Kernels before 6.7 do not expand it where an instance was the first to
 * have a tracer, so we set it, and do not leave 7 to those who come after. */
static unsigned top_kb(int root)
{
	struct strbuf sb = STRBUF_INIT;
	const char *p = "";
	unsigned kb;

	if (file_read_at(&sb, root, "buffer_size_kb", 256, NULL) == 0) {
		p = strstr(sb.buf, "expanded: ");
		p = p ? p + strlen("expanded: ") : sb.buf;
	}
	kb = (unsigned)strtoul(p, NULL, 10);
	strbuf_release(&sb);
	return kb && kb < UNUSED_KB ? TOP_KB : kb;
}

int trace_instance_top(struct trace_instance *ti, struct err *err)
{
	int ret, root = open_tracefs(err);
	char suffix[32];
	unsigned kb;

	ti->root = ti->dir = -1;
	if (root < 0)
		return root;
	kb = top_kb(root);
	close(root);
	if (!kb)
		return err_set(err, EBUSY, "tracefs: buffer_size_kb of the buffer that all "
			       "share is not one number for all CPUs: somebody set it, and "
			       "we could not set it back; write a number into it to let us");
	snprintf(suffix, sizeof(suffix), ".%u" TOP, kb);
	ret = trace_instance_create(ti, suffix, err);
	if (ret < 0)
		return ret;
	if (!top_is_free(ti->root)) {
		trace_instance_remove(ti);
		return err_set(err, EBUSY, "tracefs: the function tracer, an event or the "
			       "buffer is in use by somebody else, or was left changed");
	}
	close(ti->dir);
	ti->dir = openat(ti->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ti->top = true;
	ti->kb = kb;
	ret = trace_instance_write(ti, "tracing_on", "0", err);
	if (ret < 0)
		trace_instance_remove(ti);
	return ret;
}

/* As a kernel boots. The tracer goes last: its options are known only with it. */
static void reset_top(int root, unsigned kb)
{
	const struct trace_instance top = { -1, root, "", true, kb };
	char size[16];
	int fd;

	trace_instance_write(&top, "trace_options", "nofuncgraph-tail", NULL);
	trace_instance_write(&top, "current_tracer", "nop", NULL);
	fd = openat(root, "set_ftrace_filter", O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	snprintf(size, sizeof(size), "%u", kb);
	if (kb)
		trace_instance_write(&top, "buffer_size_kb", size, NULL);
	trace_instance_write(&top, "tracing_on", "1", NULL);
}

void trace_instance_remove(struct trace_instance *ti)
{
	if (ti->top)
		reset_top(ti->root, ti->kb);
	else if (ti->dir >= 0)
		trace_instance_write(ti, "tracing_on", "0", NULL);
	ti->top = false;
	if (ti->dir >= 0)
		close(ti->dir);
	if (ti->root >= 0) {
		if (ti->name[0])
			remove_instance(ti->root, ti->name);
		close(ti->root);
	}
	ti->dir = ti->root = -1;
	ti->name[0] = '\0';
}

/* Whether the process that made the instance still lives. */
static bool owner_lives(const char *name)
{
	char *end;
	long pid = strtol(name + strlen(PREFIX), &end, 10);
	unsigned long long made = *end == '.' ? strtoull(end + 1, NULL, 10) : 0;
	unsigned long long now;

	if (pid <= 0 || (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
		return false;
	now = start_time(pid);
	return now && (!made || made == now);
}

/* Of schedblame-PID.START.KB.top: the size that whoever died found; 0 if it says none. */
static bool is_top(const char *name, unsigned *kb)
{
	unsigned size = 0;
	int end = 0;

	*kb = 0;
	if (strlen(name) < strlen(TOP) || strcmp(name + strlen(name) - strlen(TOP), TOP))
		return false;
	if (sscanf(name, PREFIX "%*d.%*u.%9u" TOP "%n", &size, &end) == 1 &&
	    (size_t)end == strlen(name))
		*kb = size;
	return true;
}

static void remove_if_stale(int root, const char *name, struct notes *notes)
{
	unsigned kb;
	char *path;
	int ret;

	if (strncmp(name, PREFIX, strlen(PREFIX)) || owner_lives(name))
		return;
	if (is_top(name, &kb) && (file_says(root, "current_tracer", "function_graph") ||
				  /* killed between two writes, at either end */
				  (file_says(root, "current_tracer", "nop") &&
				   file_says(root, "tracing_on", "0"))))
		reset_top(root, kb);
	path = xasprintf("instances/%s", name);
	ret = remove_instance(root, path);
	if (notes && ret == 0)
		notes_add(notes, "removed the tracefs instance %s that an earlier run left "
			  "behind", name);
	else if (notes)
		notes_add(notes, "could not remove the stale tracefs instance %s: %s", name,
			  strerror(-ret));
	free(path);
}

void trace_remove_stale(struct notes *notes)
{
	int root = open_tracefs(NULL), fd;
	struct dirent *e;
	DIR *dir;

	if (root < 0)
		return;
	fd = openat(root, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		close(root);
		return;
	}
	while ((e = readdir(dir)))
		remove_if_stale(root, e->d_name, notes);
	closedir(dir);
	close(root);
}
