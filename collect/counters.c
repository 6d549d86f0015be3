// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source "counters": raw copies of the kernel's own counters before and after.
 * Read into memory at start and stop, written to files later: what they mean
 * is analyze's business.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "interrupt.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/source.h"

#define FILE_MAX (64UL << 20)
#define NODE_DIR "/sys/devices/system/node"

static const char *const files[] = {
	"proc/stat",	       "proc/schedstat",	"proc/vmstat",
	"proc/interrupts",     "proc/softirqs",		"proc/pressure/cpu",
	"proc/pressure/memory", "proc/pressure/io",	"proc/pressure/irq",
	"proc/uptime",	       "proc/loadavg",
};
static const char *const node_files[] = { "meminfo", "numastat", "vmstat" };

struct copy {
	char *name; /* below before/ */
	struct strbuf text;
};

struct snapshot {
	uint64_t clock_ns;
	struct copy *copy;
	size_t n, cap;
};

struct source {
	struct snapshot before, after;
};

static void take(struct snapshot *snap, const char *path, char *name)
{
	struct strbuf text = STRBUF_INIT;

	if (file_read(&text, path, FILE_MAX, NULL) < 0) {
		strbuf_release(&text);
		free(name);
		return;
	}
	GROW(snap->copy, snap->n, snap->cap);
	snap->copy[snap->n++] = (struct copy){ name, text };
}

static void take_nodes(struct snapshot *snap)
{
	DIR *dir = opendir(NODE_DIR);
	struct dirent *e;
	unsigned node;
	char end;

	if (!dir)
		return;
	while ((e = readdir(dir))) {
		if (sscanf(e->d_name, "node%u%c", &node, &end) != 1)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(node_files); i++) {
			char *name = xasprintf("node/node%u/%s", node, node_files[i]);
			char *path = xasprintf(NODE_DIR "/node%u/%s", node, node_files[i]);

			take(snap, path, name);
			free(path);
		}
	}
	closedir(dir);
}

static void snapshot_take(struct snapshot *snap)
{
	snap->clock_ns = monotonic_ns();
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = xasprintf("/%s", files[i]);

		take(snap, path, xstrdup(files[i]));
		free(path);
	}
	take_nodes(snap);
}

static void snapshot_release(struct snapshot *snap)
{
	for (size_t i = 0; i < snap->n; i++) {
		free(snap->copy[i].name);
		strbuf_release(&snap->copy[i].text);
	}
	free(snap->copy);
	memset(snap, 0, sizeof(*snap));
}

/* mkdir -p for the folders of path, below dirfd. */
static int make_parents(int dirfd, const char *path, struct err *err)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *dir = xstrndup(path, (size_t)(slash - path));
		int ret = mkdirat(dirfd, dir, 0777);
		int code = errno;

		if (ret < 0 && code != EEXIST) {
			ret = err_errno(err, code, "cannot create folder %s", dir);
			free(dir);
			return ret;
		}
		free(dir);
	}
	return 0;
}

static int write_copy(const struct session *s, const char *when, const char *name,
		      const char *text, size_t len, struct err *err)
{
	char *path = xasprintf("%s/%s", when, name);
	int ret = make_parents(s->dirfd, path, err);

	if (!ret)
		ret = file_write_at(s->dirfd, path, text, len, 0644, err);
	free(path);
	return ret;
}

static int snapshot_write(const struct snapshot *snap, const struct session *s,
			  const char *when, struct err *err)
{
	char *clock = xasprintf("%llu\n", (unsigned long long)snap->clock_ns);
	int ret = write_copy(s, when, "clock", clock, strlen(clock), err);

	free(clock);
	for (size_t i = 0; !ret && i < snap->n; i++)
		ret = write_copy(s, when, snap->copy[i].name, snap->copy[i].text.buf,
				 snap->copy[i].text.len, err);
	return ret;
}

static void counters_probe(const struct session *s, struct probe *probe)
{
	bool schedstat = file_exists("/proc/schedstat");

	if (!file_exists("/proc/stat")) {
		probe->state = PROBE_FAILS;
		probe->code = ENOENT;
		probe->what = xstrdup("no /proc/stat");
		probe->advice = xstrdup("mount /proc");
		return;
	}
	probe->state = PROBE_WORKS;
	probe->what = xasprintf("/proc/stat, vmstat, interrupts%s%s",
				schedstat ? ", schedstat" : "",
				file_exists("/proc/pressure/cpu") ? ", pressure" : "");
	if (!schedstat) {
		probe->state = PROBE_LIMITED;
		probe->why = xstrdup("no /proc/schedstat");
		probe->advice = xstrdup("a kernel with CONFIG_SCHEDSTATS counts balancing by level");
	}
}

static int counters_open(struct source **src, const struct session *s, struct err *err)
{
	*src = xcalloc(1, sizeof(**src));
	return 0;
}

static int counters_start(struct source *src, const struct session *s, struct err *err)
{
	snapshot_take(&src->before);
	return 0;
}

static int counters_stop(struct source *src, const struct session *s, struct err *err)
{
	snapshot_take(&src->after);
	return 0;
}

static int counters_write(struct source *src, const struct session *s, json_t *info,
			  struct err *err)
{
	int ret = snapshot_write(&src->before, s, "before", err);

	if (!ret)
		ret = snapshot_write(&src->after, s, "after", err);
	json_object_set_new(info, "files", json_integer((json_int_t)src->after.n));
	return ret;
}

static void counters_close(struct source *src)
{
	snapshot_release(&src->before);
	snapshot_release(&src->after);
	free(src);
}

const struct source_ops source_counters = {
	.name = "counters",
	.help = "raw copies of the kernel's counters before and after",
	.by_default = true,
	.probe = counters_probe,
	.open = counters_open,
	.start = counters_start,
	.stop = counters_stop,
	.write = counters_write,
	.close = counters_close,
};
