// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records for what existed before the events did, in the form in which the
 * kernel would have told of it, so that every reader of perf.data can give
 * names to samples. They carry time 0: known from the beginning.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_event.h"
#include "schedblame/alloc.h"
#include "schedblame/build_id.h"
#include "schedblame/file.h"
#include "schedblame/strmap.h"

#define TEXT_ALIGN 8

struct synth {
	struct perf_writer *w;
	struct strmap files;	 /* "maj:min inode": whose build id is known */
	unsigned char (*id)[21]; /* by file: length, then the build id */
	size_t cap;
};

/* A record in the making: fixed part, text padded with zeros, sample id. */
static void put(struct synth *s, void *fixed, size_t len, const char *text)
{
	static const char zeros[TEXT_ALIGN + SAMPLE_ID_SIZE];
	struct perf_event_header *h = fixed;
	size_t n = text ? strlen(text) + 1 : 0, pad = (TEXT_ALIGN - n % TEXT_ALIGN) % TEXT_ALIGN;
	struct strbuf sb = STRBUF_INIT;

	h->size = (uint16_t)(len + n + pad + SAMPLE_ID_SIZE);
	strbuf_add(&sb, fixed, len);
	strbuf_add(&sb, text, n);
	strbuf_add(&sb, zeros, pad + SAMPLE_ID_SIZE);
	perf_writer_put(s->w, sb.buf, sb.len);
	strbuf_release(&sb);
}

/* -------------------------------------------------------------- kernel */

static void put_kernel_map(struct synth *s, uint64_t start, uint64_t len, uint64_t pgoff,
			   const char *name)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
	} r = {
		.header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL },
		.pid = UINT32_MAX, .addr = start, .len = len, .pgoff = pgoff,
	};

	put(s, &r, sizeof(r), name);
}

/* _text and _etext from a live kallsyms; false when they are hidden. */
static bool kernel_range(uint64_t *start, uint64_t *end)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256];
	unsigned long long addr;
	char type;

	*start = *end = 0;
	while (f && !*end && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "text\n") ||
		    sscanf(line, "%llx %c %255s", &addr, &type, name) != 3)
			continue;
		if (!strcmp(name, "_text") || (!*start && !strcmp(name, "_stext")))
			*start = addr;
		else if (!strcmp(name, "_etext"))
			*end = addr;
	}
	if (f)
		fclose(f);
	return *start && *end > *start;
}

static void synth_kernel(struct synth *s)
{
	static uint64_t start, end; /* read once: the kernel does not move */
	static bool known;

	/* The name tells perf which symbol pgoff is the address of: this is how
	 * it notices a kernel that was loaded elsewhere. */
	known = known || kernel_range(&start, &end);
	if (known)
		put_kernel_map(s, start, end - start, start, "[kernel.kallsyms]_text");
}

/* Module file of a name, from modules.dep; "[NAME]" when it is not there. */
static char *module_path(const struct strbuf *dep, const char *release, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = dep->buf, *eol; *p; p = *eol ? eol + 1 : eol) {
		const char *colon, *base;
		size_t i = 0;

		eol = p + strcspn(p, "\n");
		colon = memchr(p, ':', (size_t)(eol - p));
		if (!colon)
			continue;
		for (base = colon; base > p && base[-1] != '/'; base--)
			;
		while (i < len && (base[i] == name[i] || (base[i] == '-' && name[i] == '_')))
			i++;
		if (i == len && !strncmp(base + i, ".ko", 3))
			return xasprintf("/lib/modules/%s/%.*s", release, (int)(colon - p), p);
	}
	return xasprintf("[%s]", name);
}

static void synth_modules(struct synth *s)
{
	struct strbuf dep = STRBUF_INIT;
	char release[128] = "", line[1024], name[128], *path;
	FILE *f = fopen("/proc/modules", "re");
	unsigned long long addr;
	unsigned long size;

	if (!f) /* a kernel without modules */
		return;
	file_read_line("/proc/sys/kernel/osrelease", release, sizeof(release));
	path = xasprintf("/lib/modules/%s/modules.dep", release);
	file_read(&dep, path, 16 << 20, NULL);
	free(path);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%127s %lu %*s %*s %*s %llx", name, &size, &addr) != 3 || !addr)
			continue;
		path = module_path(&dep, release, name);
		put_kernel_map(s, addr, size, 0, path);
		free(path);
	}
	fclose(f);
	strbuf_release(&dep);
}

/* --------------------------------------------------------------- tasks */

static void put_comm(struct synth *s, uint32_t pid, uint32_t tid, const char *comm)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
	} r = { .header = { .type = PERF_RECORD_COMM }, .pid = pid, .tid = tid };

	put(s, &r, sizeof(r), comm);
}

static void put_fork(struct synth *s, uint32_t pid, uint32_t ppid, uint32_t tid,
		     uint32_t ptid)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} r = {
		.header = { .type = PERF_RECORD_FORK },
		.pid = pid, .ppid = ppid, .tid = tid, .ptid = ptid,
	};

	put(s, &r, sizeof(r), NULL);
}

/* The build id of a mapped file, looked up once per file. */
static const unsigned char *file_build_id(struct synth *s, unsigned maj, unsigned min,
					  unsigned long ino, const char *path)
{
	char key[64];
	int len = snprintf(key, sizeof(key), "%x:%x %lu", maj, min, ino);
	size_t known = s->files.n;
	uint32_t at = strmap_add(&s->files, key, (size_t)len);

	if (at < known)
		return s->id[at];
	GROW(s->id, at, s->cap);
	s->id[at][0] = ino ? (unsigned char)build_id_of_file(path, s->id[at] + 1) : 0;
	return s->id[at];
}

struct mapping {
	unsigned long long start, end, pgoff;
	unsigned maj, min;
	unsigned long ino;
	char perm[5];
};

static void put_mapping(struct synth *s, uint32_t pid, const struct mapping *m,
			const char *path)
{
	const unsigned char *id = file_build_id(s, m->maj, m->min, m->ino, path);
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		union {
			struct {
				uint32_t maj, min;
				uint64_t ino, ino_generation;
			};
			unsigned char build_id[24]; /* length, 3 zeros, 20 bytes */
		};
		uint32_t prot, flags;
	} r = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.pid = pid, .tid = pid,
		.addr = m->start, .len = m->end - m->start, .pgoff = m->pgoff,
		.prot = 1u * (m->perm[0] == 'r') + 2u * (m->perm[1] == 'w') + 4u,
		.flags = m->perm[3] == 's' ? 1 : 2,
	};

	if (id[0]) {
		r.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		memcpy(r.build_id + 4, id + 1, id[0]);
		r.build_id[0] = id[0];
	} else {
		r.maj = m->maj;
		r.min = m->min;
		r.ino = m->ino;
	}
	put(s, &r, sizeof(r), path);
}

static void synth_maps(struct synth *s, uint32_t pid)
{
	char path[64], line[PATH_MAX + 128];
	struct mapping m;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		int at = 0;

		if (sscanf(line, "%llx-%llx %4s %llx %x:%x %lu %n", &m.start, &m.end, m.perm,
			   &m.pgoff, &m.maj, &m.min, &m.ino, &at) < 7 ||
		    !at || m.perm[2] != 'x')
			continue;
		line[strcspn(line, "\n")] = '\0';
		put_mapping(s, pid, &m, line[at] ? line + at : "//anon");
	}
	if (f)
		fclose(f);
}

/* Name and parent of a task from its stat line: "PID (COMM) S PPID ...". */
static bool read_stat(const char *path, char comm[64], uint32_t *ppid)
{
	char line[512], *open, *close;

	if (file_read_line(path, line, sizeof(line)) < 0)
		return false;
	open = strchr(line, '(');
	close = strrchr(line, ')');
	if (!open || !close || close < open || strlen(close) < 4)
		return false;
	*close = '\0';
	snprintf(comm, 64, "%s", open + 1);
	*ppid = (uint32_t)strtoul(close + 3, NULL, 10);
	return true;
}

static void synth_threads(struct synth *s, uint32_t pid, uint32_t ppid)
{
	char path[64], comm[64];
	struct dirent *e;
	uint32_t ignored;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(e->d_name, NULL, 10);

		snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid, tid);
		if (!tid || !read_stat(path, comm, &ignored))
			continue;
		put_fork(s, pid, tid == pid ? ppid : pid, tid, tid == pid ? ppid : pid);
		put_comm(s, pid, tid, comm);
	}
	if (dir)
		closedir(dir);
}

static int synth_tasks(struct synth *s, struct err *err)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	if (!dir)
		return err_errno(err, errno, "cannot open /proc");
	while ((e = readdir(dir))) {
		uint32_t pid = (uint32_t)strtoul(e->d_name, NULL, 10), ppid;
		char path[64], comm[64];

		snprintf(path, sizeof(path), "/proc/%u/stat", pid);
		if (!isdigit((unsigned char)e->d_name[0]) || !read_stat(path, comm, &ppid))
			continue;
		synth_threads(s, pid, ppid);
		synth_maps(s, pid);
	}
	closedir(dir);
	return 0;
}

int perf_synth(struct perf_writer *w, struct err *err)
{
	struct synth s = { .w = w };
	int ret;

	strmap_init(&s.files);
	synth_kernel(&s);
	synth_modules(&s);
	ret = synth_tasks(&s, err);
	perf_writer_flush(w);
	strmap_release(&s.files);
	free(s.id);
	return ret;
}
