// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.dat version 6: header texts, formats, symbols, command names, options,
 * then the raw pages of each CPU at page-aligned offsets. Integers are in this
 * machine's byte order, which the file names.
 */
#include "trace_dat.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"

/* Options of the format that we write. */
enum { OPTION_DONE = 0, OPTION_CPUSTAT = 2, OPTION_TRACECLOCK = 4, OPTION_UNAME = 5,
       OPTION_CPUCOUNT = 8, OPTION_VERSION = 9 };

#define COPY_CHUNK (1 << 20)

static void add_u16(struct strbuf *sb, uint16_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

static void add_u32(struct strbuf *sb, uint32_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

static void add_u64(struct strbuf *sb, uint64_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

/* A string with its NUL. */
static void add_string(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s) + 1);
}

/* A file of the instance with its 64-bit size in front. */
static int add_file(struct strbuf *sb, const struct trace_dat *d, const char *name,
		    struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = trace_instance_read(d->ti, &text, name, err);

	if (!ret) {
		add_u64(sb, text.len);
		strbuf_add(sb, text.buf, text.len);
	}
	strbuf_release(&text);
	return ret;
}

static int add_header(struct strbuf *sb, const struct trace_dat *d, struct err *err)
{
	int ret;

	strbuf_add(sb, "\x17\x08\x44tracing", 10);
	add_string(sb, "6");
	strbuf_addch(sb, __BYTE_ORDER == __BIG_ENDIAN);
	strbuf_addch(sb, sizeof(long));
	add_u32(sb, (uint32_t)d->pump->page_size);
	add_string(sb, "header_page");
	ret = add_file(sb, d, "events/header_page", err);
	if (ret)
		return ret;
	add_string(sb, "header_event");
	return add_file(sb, d, "events/header_event", err);
}

/* Formats of the tracer's own entries (events/ftrace); none is no failure. */
static void add_ftrace_formats(struct strbuf *sb, const struct trace_dat *d)
{
	struct strbuf body = STRBUF_INIT;
	int fd = openat(d->ti->dir, "events/ftrace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	uint32_t n = 0;

	while (dir && (e = readdir(dir))) {
		char *name;

		if (e->d_name[0] == '.')
			continue;
		name = xasprintf("events/ftrace/%s/format", e->d_name);
		if (!add_file(&body, d, name, NULL))
			n++;
		free(name);
	}
	if (dir)
		closedir(dir);
	add_u32(sb, n);
	strbuf_add(sb, body.buf, body.len);
	strbuf_release(&body);
}

/* All events of one system that the kernel has; returns how many. */
static uint32_t add_system(struct strbuf *sb, const struct trace_dat *d, size_t from)
{
	const char *system = d->event[from].system;
	struct strbuf body = STRBUF_INIT;
	uint32_t n = 0;

	for (size_t i = from; i < d->nr_events && !strcmp(d->event[i].system, system); i++) {
		char *name = xasprintf("events/%s/%s/format", system, d->event[i].name);

		if (!add_file(&body, d, name, NULL))
			n++;
		free(name);
	}
	if (n) {
		add_string(sb, system);
		add_u32(sb, n);
		strbuf_add(sb, body.buf, body.len);
	}
	strbuf_release(&body);
	return n;
}

/* The table lists events of one system together. */
static void add_event_formats(struct strbuf *sb, const struct trace_dat *d)
{
	struct strbuf body = STRBUF_INIT;
	uint32_t systems = 0;

	for (size_t i = 0; i < d->nr_events; i++)
		if (!i || strcmp(d->event[i].system, d->event[i - 1].system))
			systems += add_system(&body, d, i) > 0;
	add_u32(sb, systems);
	strbuf_add(sb, body.buf, body.len);
	strbuf_release(&body);
}

static void add_symbols(struct strbuf *sb, const struct trace_dat *d)
{
	struct strbuf text = STRBUF_INIT;

	file_read(&text, "/proc/kallsyms", 0, NULL);
	add_u32(sb, (uint32_t)text.len);
	strbuf_add(sb, text.buf, text.len);
	strbuf_reset(&text);
	file_read_at(&text, d->ti->root, "printk_formats", 0, NULL);
	add_u32(sb, (uint32_t)text.len);
	strbuf_add(sb, text.buf, text.len);
	strbuf_release(&text);
	add_u64(sb, strlen(d->cmdlines));
	strbuf_addstr(sb, d->cmdlines);
}

static void add_option(struct strbuf *sb, uint16_t id, const void *data, size_t len)
{
	add_u16(sb, id);
	add_u32(sb, (uint32_t)len);
	strbuf_add(sb, data, len);
}

static void add_text_option(struct strbuf *sb, uint16_t id, const char *text)
{
	add_option(sb, id, text, strlen(text) + 1);
}

static void add_options(struct strbuf *sb, const struct trace_dat *d, uint32_t count)
{
	struct utsname u;
	char *text;

	strbuf_add(sb, "options  ", 10);
	for (unsigned i = 0; i < d->pump->nr_cpus; i++) {
		text = xasprintf("CPU: %u\n%s", d->pump->cpu[i].cpu, d->stats[i].buf);
		add_text_option(sb, OPTION_CPUSTAT, text);
		free(text);
	}
	add_text_option(sb, OPTION_TRACECLOCK, d->clock);
	if (uname(&u) == 0) {
		text = xasprintf("%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
		add_text_option(sb, OPTION_UNAME, text);
		free(text);
	}
	add_text_option(sb, OPTION_VERSION, "schedblame " SCHEDBLAME_VERSION);
	add_option(sb, OPTION_CPUCOUNT, &count, sizeof(count));
	add_u16(sb, OPTION_DONE);
}

static uint64_t align_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/*
 * The table of offsets, indexed by CPU number; a CPU that was not watched has
 * no data. The text of trace_clock stands behind it.
 */
static void add_cpu_table(struct strbuf *sb, const struct trace_dat *d, unsigned nr)
{
	const struct trace_pump *p = d->pump;
	uint64_t at = sb->len + 10 + 16ULL * nr + 8 + strlen(d->clock);
	unsigned i = 0;

	strbuf_add(sb, "flyrecord", 10);
	for (unsigned cpu = 0; cpu < nr; cpu++) {
		bool have = i < p->nr_cpus && p->cpu[i].cpu == cpu;

		at = align_up(at, p->page_size);
		add_u64(sb, at);
		add_u64(sb, have ? p->cpu[i].bytes : 0);
		if (have)
			at += p->cpu[i++].bytes;
	}
	add_u64(sb, strlen(d->clock));
	strbuf_addstr(sb, d->clock);
}

/* Appends len bytes of the file in, from its start, at out's position. */
static int copy_file(int in, int out, uint64_t len)
{
	off_t from = 0;
	char *buf = NULL;
	int ret = 0;

	while (len) {
		ssize_t n = copy_file_range(in, &from, out, NULL, len, 0);

		if (n > 0) {
			len -= (uint64_t)n;
			continue;
		}
		if (!buf) /* file systems that cannot: by hand */
			buf = xmalloc(COPY_CHUNK);
		n = pread(in, buf, len < COPY_CHUNK ? len : COPY_CHUNK, from);
		if (n <= 0) {
			ret = n < 0 ? -errno : -EIO;
			break;
		}
		ret = write_full(out, buf, (size_t)n);
		if (ret)
			break;
		from += n;
		len -= (uint64_t)n;
	}
	free(buf);
	return ret;
}

static int copy_cpus(const struct trace_dat *d, int fd, uint64_t at)
{
	const struct trace_pump *p = d->pump;
	int ret = 0;

	for (unsigned i = 0; i < p->nr_cpus && !ret; i++) {
		at = align_up(at, p->page_size);
		if (lseek(fd, (off_t)at, SEEK_SET) < 0)
			return -errno;
		ret = copy_file(p->cpu[i].file, fd, p->cpu[i].bytes);
		at += p->cpu[i].bytes;
	}
	if (!ret && ftruncate(fd, (off_t)align_up(at, p->page_size)) < 0)
		ret = -errno;
	return ret;
}

int trace_dat_write(const struct trace_dat *d, int fd, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	unsigned nr = d->pump->cpu[d->pump->nr_cpus - 1].cpu + 1;
	long all = sysconf(_SC_NPROCESSORS_CONF);
	int ret = add_header(&sb, d, err);

	if (ret)
		goto out;
	/* readers take the option CPUCOUNT for the length of the table, too */
	if (all > (long)nr && all < 1 << 16)
		nr = (unsigned)all;
	add_ftrace_formats(&sb, d);
	add_event_formats(&sb, d);
	add_symbols(&sb, d);
	add_u32(&sb, nr);
	add_options(&sb, d, nr);
	add_cpu_table(&sb, d, nr);
	ret = write_full(fd, sb.buf, sb.len);
	if (!ret)
		ret = copy_cpus(d, fd, sb.len);
	if (ret)
		err_errno(err, -ret, "cannot write trace.dat");
out:
	strbuf_release(&sb);
	return ret;
}

size_t trace_dat_page_size(const char *header_page)
{
	const char *data = strstr(header_page, "char data");
	unsigned offset, size;

	if (!data || sscanf(data, "char data;%*[ \t]offset:%u;%*[ \t]size:%u;", &offset,
			    &size) != 2)
		return 0;
	return (size_t)offset + size;
}
