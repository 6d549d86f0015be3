// SPDX-License-Identifier: GPL-2.0-or-later
/* The feature sections of perf.data that say where a recording was made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "profile_file.h"
#include "schedblame/alloc.h"
#include "schedblame/build_id.h"
#include "schedblame/file.h"

#define STRING_ALIGN 64

static void add_u32(struct strbuf *sb, uint32_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

static void add_u64(struct strbuf *sb, uint64_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

/* Length, text, zeros up to the length; the length counts the zeros. */
static void add_string(struct strbuf *sb, const char *s)
{
	size_t len = strlen(s) + 1;
	size_t padded = (len + STRING_ALIGN - 1) / STRING_ALIGN * STRING_ALIGN;

	add_u32(sb, (uint32_t)padded);
	strbuf_add(sb, s, len);
	strbuf_addchn(sb, '\0', padded - len);
}

/* The kernel's build id; perf looks for symbols and vmlinux by it. */
static void add_build_id(struct strbuf *sb, const struct perf_writer_info *info)
{
	static const char name[64] = "[kernel.kallsyms]";
	struct {
		struct perf_event_header header;
		int32_t pid;
		unsigned char id[20];
		unsigned char size, zero[3];
	} record = { .pid = -1 };
	size_t n = build_id_of_kernel(record.id);

	if (!n)
		return;
	record.size = (unsigned char)n;
	record.header.misc = PERF_RECORD_MISC_KERNEL | 1 << 15; /* size is told */
	record.header.size = sizeof(record) + sizeof(name);
	strbuf_add(sb, &record, sizeof(record));
	strbuf_add(sb, name, sizeof(name));
}

static void add_hostname(struct strbuf *sb, const struct perf_writer_info *info)
{
	struct utsname u;

	add_string(sb, uname(&u) == 0 ? u.nodename : "");
}

static void add_osrelease(struct strbuf *sb, const struct perf_writer_info *info)
{
	struct utsname u;

	add_string(sb, uname(&u) == 0 ? u.release : "");
}

static void add_version(struct strbuf *sb, const struct perf_writer_info *info)
{
	add_string(sb, "schedblame " SCHEDBLAME_VERSION);
}

static void add_arch(struct strbuf *sb, const struct perf_writer_info *info)
{
	struct utsname u;

	add_string(sb, uname(&u) == 0 ? u.machine : "");
}

static void add_nrcpus(struct strbuf *sb, const struct perf_writer_info *info)
{
	add_u32(sb, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	add_u32(sb, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static void add_cpudesc(struct strbuf *sb, const struct perf_writer_info *info)
{
	char line[256], *name = NULL;
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && !name && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "model name", 10) && strncmp(line, "cpu model", 9))
			continue;
		name = strchr(line, ':');
	}
	if (f)
		fclose(f);
	if (name) {
		name += 1 + strspn(name + 1, " \t");
		name[strcspn(name, "\n")] = '\0';
	}
	add_string(sb, name ? name : "");
}

static void add_total_mem(struct strbuf *sb, const struct perf_writer_info *info)
{
	add_u64(sb, (uint64_t)sysconf(_SC_PHYS_PAGES) *
			    ((uint64_t)sysconf(_SC_PAGESIZE) / 1024));
}

static void add_cmdline(struct strbuf *sb, const struct perf_writer_info *info)
{
	struct strbuf args = STRBUF_INIT;
	uint32_t n = 0;

	if (file_read(&args, "/proc/self/cmdline", 1 << 20, NULL) < 0)
		strbuf_reset(&args);
	for (size_t i = 0; i < args.len; i += strlen(args.buf + i) + 1)
		n++;
	add_u32(sb, n);
	for (size_t i = 0; i < args.len; i += strlen(args.buf + i) + 1)
		add_string(sb, args.buf + i);
	strbuf_release(&args);
}

static void add_event_desc(struct strbuf *sb, const struct perf_writer_info *info)
{
	add_u32(sb, (uint32_t)info->nr_attrs);
	add_u32(sb, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < info->nr_attrs; i++) {
		const struct perf_writer_attr *a = info->attrs + i;

		strbuf_add(sb, a->attr, sizeof(*a->attr));
		add_u32(sb, (uint32_t)a->nr_ids);
		add_string(sb, a->name);
		strbuf_add(sb, a->id, a->nr_ids * sizeof(*a->id));
	}
}

static void add_sample_time(struct strbuf *sb, const struct perf_writer_info *info)
{
	add_u64(sb, info->first_ns);
	add_u64(sb, info->last_ns);
}

static void add_clockid(struct strbuf *sb, const struct perf_writer_info *info)
{
	struct timespec res = { 0, 0 };

	if (info->clock_monotonic)
		clock_getres(CLOCK_MONOTONIC, &res);
	add_u64(sb, (uint64_t)res.tv_sec * 1000000000 + (uint64_t)res.tv_nsec);
}

const struct perf_feature perf_features[] = {
	{ 2, add_build_id }, { 3, add_hostname },	{ 4, add_osrelease },
	{ 5, add_version },  { 6, add_arch },		{ 7, add_nrcpus },
	{ 8, add_cpudesc },  { 10, add_total_mem },	{ 11, add_cmdline },
	{ 12, add_event_desc }, { 21, add_sample_time }, { 23, add_clockid },
};
const size_t perf_nr_features = ARRAY_SIZE(perf_features);
