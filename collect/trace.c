// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source "trace": scheduler events in a private tracefs instance, raw pages
 * saved per CPU, written as trace.dat. No control file is touched that the run
 * does not need: kernels differ in which of them exist.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/source.h"
#include "schedblame/strmap.h"
#include "trace_dat.h"
#include "trace_instance.h"
#include "trace_pump.h"

#define BUFFER_KB_DEFAULT 8192
#define MAX_COMMS (4U << 20) /* pids that a kernel can have */

/* Together by system, as the file wants them. The first must exist. */
static const struct trace_event_name events[] = {
	{ "sched", "sched_switch" },	   { "sched", "sched_waking" },
	{ "sched", "sched_wakeup" },	   { "sched", "sched_wakeup_new" },
	{ "sched", "sched_migrate_task" }, { "sched", "sched_process_fork" },
	{ "sched", "sched_process_exec" }, { "sched", "sched_process_exit" },
	{ "sched", "sched_move_numa" },	   { "sched", "sched_swap_numa" },
	{ "sched", "sched_stick_numa" },   { "task", "task_rename" },
};

/* In order of preference; the last always exists. */
static const char *const clocks[] = { "mono", "global", "local" };

struct source {
	struct trace_instance ti;
	struct trace_pump pump;
	char clock_name[16];
	struct strbuf clock; /* text of trace_clock */
	struct strbuf *stats; /* per pump CPU */
	struct strmap pids;   /* "PID" -> index of comm[] */
	char (*comm)[16];
	size_t comm_cap;
	bool off; /* buffers hold no more */
};

static int set_clock(struct source *src, struct err *err)
{
	int ret = -EINVAL;

	for (size_t i = 0; i < ARRAY_SIZE(clocks) && ret; i++) {
		snprintf(src->clock_name, sizeof(src->clock_name), "%s", clocks[i]);
		ret = trace_instance_write(&src->ti, "trace_clock", clocks[i],
					   i + 1 < ARRAY_SIZE(clocks) ? NULL : err);
	}
	if (!ret)
		ret = trace_instance_read(&src->ti, &src->clock, "trace_clock", err);
	strbuf_rtrim(&src->clock);
	return ret;
}

static int enable_events(struct source *src, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		char *file = xasprintf("events/%s/%s/enable", events[i].system,
				       events[i].name);
		int ret = trace_instance_write(&src->ti, file, "1", i ? NULL : err);

		free(file);
		if (ret && !i)
			return ret;
	}
	return 0;
}

static int limit_to_cpus(struct source *src, const struct session *s, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	unsigned words = 0;
	int ret;

	if (!s->config || !cpuset_count(&s->config->cpus))
		return 0;
	cpuset_for_each(cpu, &s->online)
		words = (unsigned)cpu / 32 + 1;
	for (unsigned w = words; w-- > 0;) {
		uint32_t bits = 0;

		for (unsigned b = 0; b < 32; b++)
			bits |= (uint32_t)cpuset_test(&s->online, w * 32 + b) << b;
		strbuf_addf(&sb, "%s%08x", w + 1 < words ? "," : "", bits);
	}
	ret = trace_instance_write(&src->ti, "tracing_cpumask", sb.buf, err);
	strbuf_release(&sb);
	return ret;
}

static int set_buffers(struct source *src, const struct session *s, size_t *page_size,
		       struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	char kb[32];
	uint64_t want = s->config && s->config->trace_buffer_kb ? s->config->trace_buffer_kb :
								  BUFFER_KB_DEFAULT;
	int ret;

	snprintf(kb, sizeof(kb), "%llu", (unsigned long long)want);
	ret = trace_instance_write(&src->ti, "buffer_size_kb", kb, err);
	if (!ret)
		ret = trace_instance_read(&src->ti, &sb, "events/header_page", err);
	if (!ret) {
		*page_size = trace_dat_page_size(sb.buf);
		if (!*page_size || *page_size > 1 << 26)
			ret = err_set(err, EPROTO, "events/header_page of tracefs does not "
				      "tell the size of a buffer page");
	}
	strbuf_release(&sb);
	return ret;
}

static void trace_close(struct source *src)
{
	if (!src)
		return;
	if (src->ti.dir >= 0)
		trace_instance_write(&src->ti, "tracing_on", "0", NULL);
	for (unsigned i = 0; src->stats && i < src->pump.nr_cpus; i++)
		strbuf_release(&src->stats[i]);
	free(src->stats);
	trace_pump_close(&src->pump);
	trace_instance_remove(&src->ti);
	strbuf_release(&src->clock);
	strmap_release(&src->pids);
	free(src->comm);
	free(src);
}

static int trace_open(struct source **out, const struct session *s, struct err *err)
{
	struct source *src = xcalloc(1, sizeof(*src));
	size_t page_size = 0;
	int ret;

	src->ti = (struct trace_instance)TRACE_INSTANCE_INIT;
	strbuf_init(&src->clock);
	strmap_init(&src->pids);
	ret = trace_instance_create(&src->ti, "", err);
	if (!ret)
		ret = set_clock(src, err);
	if (!ret)
		ret = limit_to_cpus(src, s, err);
	if (!ret)
		ret = set_buffers(src, s, &page_size, err);
	if (!ret)
		ret = enable_events(src, err);
	if (!ret)
		ret = trace_pump_open(&src->pump, &src->ti, &s->online, page_size,
				      s->dirfd, err);
	if (ret) {
		trace_close(src);
		return ret;
	}
	src->stats = xcalloc(src->pump.nr_cpus, sizeof(*src->stats));
	for (unsigned i = 0; i < src->pump.nr_cpus; i++)
		strbuf_init(&src->stats[i]);
	*out = src;
	return 0;
}

static int trace_start(struct source *src, const struct session *s, struct err *err)
{
	int ret = trace_pump_start(&src->pump, err);

	if (!ret)
		ret = trace_instance_write(&src->ti, "tracing_on", "1", err);
	return ret;
}

static void remember_comm(struct source *src, const char *pid, size_t len, const char *comm)
{
	uint32_t id = strmap_find(&src->pids, pid, len);

	if (id == STRMAP_NONE) {
		if (src->pids.n >= MAX_COMMS)
			return;
		id = strmap_add(&src->pids, pid, len);
		GROW(src->comm, id, src->comm_cap);
	}
	snprintf(src->comm[id], sizeof(src->comm[id]), "%.15s", comm);
}

/* The kernel keeps few names (128 by default), so they are taken often. */
static int trace_poll(struct source *src, const struct session *s, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;

	if (file_read_at(&sb, src->ti.root, "saved_cmdlines", 0, NULL) == 0) {
		for (char *save, *line = strtok_r(sb.buf, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			size_t len = strcspn(line, " ");

			if (line[len] && strcmp(line + len + 1, "<...>"))
				remember_comm(src, line, len, line + len + 1);
		}
	}
	strbuf_release(&sb);
	return 0;
}

/* Threads of one process that live now; a name already known stays. */
static void scan_threads(struct source *src, const char *pid)
{
	char *path = xasprintf("/proc/%s/task", pid);
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char *file, comm[32];

		if (e->d_name[0] == '.' || strmap_finds(&src->pids, e->d_name) != STRMAP_NONE)
			continue;
		file = xasprintf("%s/%s/comm", path, e->d_name);
		if (file_read_line(file, comm, sizeof(comm)) == 0)
			remember_comm(src, e->d_name, strlen(e->d_name), comm);
		free(file);
	}
	if (dir)
		closedir(dir);
	free(path);
}

static void scan_processes(struct source *src)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			scan_threads(src, e->d_name);
	if (dir)
		closedir(dir);
}

static int trace_stop(struct source *src, const struct session *s, struct err *err)
{
	int ret = trace_instance_write(&src->ti, "tracing_on", "0", err), pumped;

	trace_poll(src, s, NULL);
	pumped = trace_pump_stop(&src->pump, ret ? NULL : err);
	for (unsigned i = 0; i < src->pump.nr_cpus; i++) {
		char *name = xasprintf("per_cpu/cpu%u/stats", src->pump.cpu[i].cpu);

		strbuf_reset(&src->stats[i]);
		trace_instance_read(&src->ti, &src->stats[i], name, NULL);
		free(name);
	}
	scan_processes(src);
	return ret ? ret : pumped;
}

/* The number behind "KEY: " in a stats text, 0 when there is none. */
static uint64_t stat_value(const char *stats, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = stats; line && *line;) {
		if (!strncmp(line, key, len) && line[len] == ':')
			return strtoull(line + len + 1, NULL, 10);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return 0;
}

static void fill_info(const struct source *src, json_t *info)
{
	json_t *per_cpu = json_object();
	uint64_t lost = 0, events_read = 0, bytes = 0;

	for (unsigned i = 0; i < src->pump.nr_cpus; i++) {
		const char *stats = src->stats[i].buf;
		uint64_t here = stat_value(stats, "overrun") +
				stat_value(stats, "commit overrun") +
				stat_value(stats, "dropped events");
		char cpu[16];

		snprintf(cpu, sizeof(cpu), "%u", src->pump.cpu[i].cpu);
		if (here)
			json_object_set_new(per_cpu, cpu, json_integer((json_int_t)here));
		lost += here;
		events_read += stat_value(stats, "read events");
		bytes += src->pump.cpu[i].bytes;
	}
	json_object_set_new(info, "lost", json_integer((json_int_t)lost));
	json_object_set_new(info, "lost_per_cpu", per_cpu);
	json_object_set_new(info, "events", json_integer((json_int_t)events_read));
	json_object_set_new(info, "bytes", json_integer((json_int_t)bytes));
	json_object_set_new(info, "clock", json_string(src->clock_name));
}

static int trace_write(struct source *src, const struct session *s, json_t *info,
		       struct err *err)
{
	struct strbuf cmdlines = STRBUF_INIT;
	struct trace_dat d = { &src->ti, &src->pump, events, ARRAY_SIZE(events), NULL,
			       src->clock.buf, src->stats };
	int fd = openat(s->dirfd, "trace.dat", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int ret;

	if (fd < 0)
		return err_errno(err, errno, "cannot create trace.dat in %s", s->dir);
	for (uint32_t id = 0; id < src->pids.n; id++)
		strbuf_addf(&cmdlines, "%s %s\n", src->pids.name[id], src->comm[id]);
	d.cmdlines = cmdlines.buf;
	ret = trace_dat_write(&d, fd, err);
	if (close(fd) < 0 && !ret)
		ret = err_errno(err, errno, "cannot write trace.dat in %s", s->dir);
	if (ret)
		unlinkat(s->dirfd, "trace.dat", 0);
	strbuf_release(&cmdlines);
	fill_info(src, info);
	return ret;
}

static void trace_probe(const struct session *s, struct probe *probe)
{
	struct source src = { .ti = TRACE_INSTANCE_INIT };
	struct err err = ERR_INIT;
	int ret;

	strbuf_init(&src.clock);
	ret = trace_instance_create(&src.ti, ".probe", &err);
	if (!ret)
		ret = set_clock(&src, &err);
	if (!ret)
		ret = enable_events(&src, &err);
	trace_instance_remove(&src.ti);
	if (!ret) {
		probe->state = PROBE_WORKS;
		probe->what = xasprintf("private instance, clock %s", src.clock_name);
	} else {
		probe->state = PROBE_FAILS;
		probe->code = -ret;
		probe->why = xstrdup(err_text(&err));
		probe->advice = xstrdup("run as root on a kernel with CONFIG_FTRACE and "
					"CONFIG_EVENT_TRACING, not locked down");
	}
	strbuf_release(&src.clock);
	err_release(&err);
}

const struct source_ops source_trace = {
	.name = "trace",
	.help = "scheduler events as trace.dat (tracefs, private instance)",
	.by_default = false,
	.probe = trace_probe,
	.open = trace_open,
	.start = trace_start,
	.poll = trace_poll,
	.stop = trace_stop,
	.write = trace_write,
	.close = trace_close,
};
