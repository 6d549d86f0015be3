// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU model, microcode, frequency scaling, mitigations; memory per node. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/strmap.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define NODE_DIR "/sys/devices/system/node"
#define CPUINFO_MAX (64UL << 20)

/* The value of the first "NAME : value" line of /proc/cpuinfo, or NULL. */
static char *cpuinfo_value(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		const char *colon;

		if (strncasecmp(p, name, len) || (p[len] != ' ' && p[len] != '\t' && p[len] != ':'))
			continue;
		colon = p + len + strspn(p + len, " \t");
		if (*colon != ':')
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		return xstrndup(colon, strcspn(colon, "\n"));
	}
	return NULL;
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += len)
		if ((p == list || p[-1] == ' ') && (p[len] == ' ' || !p[len]))
			return true;
	return false;
}

static void add_cpuinfo(json_t *host)
{
	/* x86, arm64, s390, powerpc and riscv name them differently */
	static const struct {
		const char *key, *name;
	} facts[] = {
		{ "cpu.model", "cpu" },		  { "cpu.model", "uarch" },
		{ "cpu.model", "CPU part" },	  { "cpu.model", "model name" },
		{ "cpu.vendor", "CPU implementer" }, { "cpu.vendor", "vendor_id" },
		{ "cpu.family", "cpu family" },	  { "cpu.model_number", "model" },
		{ "cpu.stepping", "stepping" },	  { "cpu.microcode", "microcode" },
	};
	struct strbuf text = STRBUF_INIT;
	char *flags;

	if (file_read(&text, "/proc/cpuinfo", CPUINFO_MAX, NULL) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		char *value = cpuinfo_value(text.buf, facts[i].name);

		if (value)
			host_set(host, facts[i].key, value);
		free(value);
	}
	flags = cpuinfo_value(text.buf, "flags");
	if (flags && has_word(flags, "hypervisor") && !json_object_get(host, "hypervisor"))
		host_set(host, "hypervisor", "yes");
	free(flags);
	strbuf_release(&text);
}

/* The distinct values of cpuN/FILE over all CPUs, joined by ",". */
static void add_per_cpu(json_t *host, const char *key, const char *file)
{
	struct strbuf joined = STRBUF_INIT;
	struct strmap seen;
	struct dirent *e;
	DIR *dir = opendir(CPU_DIR);

	strmap_init(&seen);
	while (dir && (e = readdir(dir))) {
		char path[512], line[128];

		if (strncmp(e->d_name, "cpu", 3) || !isdigit((unsigned char)e->d_name[3]))
			continue;
		snprintf(path, sizeof(path), CPU_DIR "/%s/%s", e->d_name, file);
		if (file_read_line(path, line, sizeof(line)) < 0 ||
		    strmap_finds(&seen, line) != STRMAP_NONE)
			continue;
		strmap_adds(&seen, line);
		strbuf_addf(&joined, "%s%s", joined.len ? "," : "", line);
	}
	if (dir)
		closedir(dir);
	if (joined.len)
		host_set(host, key, joined.buf);
	strmap_release(&seen);
	strbuf_release(&joined);
}

static void add_mitigations(json_t *host)
{
	DIR *dir = opendir(CPU_DIR "/vulnerabilities");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char key[320], path[512];

		if (e->d_name[0] == '.')
			continue;
		snprintf(key, sizeof(key), "mitigations.%s", e->d_name);
		snprintf(path, sizeof(path), CPU_DIR "/vulnerabilities/%s", e->d_name);
		host_set_file(host, key, path);
	}
	if (dir)
		closedir(dir);
}

void host_add_cpu(json_t *host)
{
	static const struct {
		const char *key, *path;
	} facts[] = {
		{ "cpu.online", CPU_DIR "/online" },
		{ "cpu.possible", CPU_DIR "/possible" },
		{ "cpu.offline", CPU_DIR "/offline" },
		{ "cpu.isolated", CPU_DIR "/isolated" },
		{ "cpu.nohz_full", CPU_DIR "/nohz_full" },
		{ "cpu.smt", CPU_DIR "/smt/control" },
		{ "cpu.boost", CPU_DIR "/cpufreq/boost" },
		{ "cpu.no_turbo", CPU_DIR "/intel_pstate/no_turbo" },
		{ "cpu.pstate", CPU_DIR "/amd_pstate/status" },
		{ "cpu.idle_driver", CPU_DIR "/cpuidle/current_driver" },
		{ "cpu.idle_governor", CPU_DIR "/cpuidle/current_governor" },
	};

	add_cpuinfo(host);
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		host_set_file(host, facts[i].key, facts[i].path);
	add_per_cpu(host, "cpu.governor", "cpufreq/scaling_governor");
	add_per_cpu(host, "cpu.driver", "cpufreq/scaling_driver");
	add_per_cpu(host, "cpu.max_khz", "cpufreq/cpuinfo_max_freq");
	add_mitigations(host);
}

static long long meminfo_kb(const char *path, const char *name)
{
	struct strbuf text = STRBUF_INIT;
	long long kb = -1;
	char *at;

	if (file_read(&text, path, 1 << 20, NULL) == 0 && (at = strstr(text.buf, name)))
		sscanf(at + strlen(name), " %lld", &kb);
	strbuf_release(&text);
	return kb;
}

void host_add_memory(json_t *host)
{
	DIR *dir = opendir(NODE_DIR);
	struct dirent *e;
	unsigned node;
	char end;

	host_set_number(host, "mem.total_kb", meminfo_kb("/proc/meminfo", "MemTotal:"));
	host_set_number(host, "mem.swap_kb", meminfo_kb("/proc/meminfo", "SwapTotal:"));
	while (dir && (e = readdir(dir))) {
		char key[64], path[512];

		if (sscanf(e->d_name, "node%u%c", &node, &end) != 1)
			continue;
		snprintf(key, sizeof(key), "mem.node%u_kb", node);
		snprintf(path, sizeof(path), NODE_DIR "/node%u/meminfo", node);
		host_set_number(host, key, meminfo_kb(path, "MemTotal:"));
	}
	if (dir)
		closedir(dir);
}
