// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's configuration, from where the kernel or the distribution put it. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "compress.h"
#include "host.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define CONFIG_MAX (16UL << 20)

/* Options by the beginning of their name: scheduling, ticks, topology, and
 * debugging that slows everything down. */
static const char *const matter[] = {
	"PREEMPT",	"HZ",		 "NO_HZ",	    "SCHED",	   "FAIR_GROUP_SCHED",
	"RT_GROUP_SCHED", "CFS_BANDWIDTH", "CGROUP_SCHED",   "NUMA",	   "UCLAMP",
	"SMP",		"NR_CPUS",	 "HIGH_RES_TIMERS", "VIRT_CPU_ACCOUNTING",
	"TICK_CPU_ACCOUNTING", "IRQ_TIME_ACCOUNTING", "CONTEXT_TRACKING", "CPU_FREQ_DEFAULT",
	"CPU_IDLE",	"MITIGATION",	 "SPECULATION",	    "RETPOLINE",   "TRANSPARENT_HUGEPAGE",
	"PROVE_LOCKING", "LOCKDEP",	 "LOCK_STAT",	    "DEBUG_LOCK",  "DEBUG_PREEMPT",
	"DEBUG_OBJECTS", "DEBUG_LIST",	 "DEBUG_KMEMLEAK",  "SLUB_DEBUG",  "DEBUG_VM",
	"DEBUG_ATOMIC_SLEEP", "KASAN",	 "KCSAN",	    "UBSAN",	   "KMSAN",
	"PARAVIRT",	"FTRACE",	 "FUNCTION_TRACER", "KPROBES",	   "BPF_SYSCALL",
	"DEBUG_INFO_BTF", "LTO",	 "CC_OPTIMIZE",	    "CC_VERSION_TEXT", "PSI",
	"SCHEDSTATS",	"HOTPLUG_CPU",	 "LOCALVERSION",
};

static bool matters(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(matter); i++)
		if (!strncmp(name, matter[i], strlen(matter[i])))
			return true;
	return false;
}

/* "CONFIG_X=value" or "# CONFIG_X is not set", changed in place. */
static void add_line(json_t *host, char *line)
{
	char *name, *value, *key;
	size_t len;

	if (!strncmp(line, "CONFIG_", 7)) {
		name = line + 7;
		value = strchr(name, '=');
		if (!value)
			return;
		*value++ = '\0';
		len = strlen(value);
		if (len > 1 && value[0] == '"' && value[len - 1] == '"') {
			value[len - 1] = '\0';
			value++;
		}
	} else if (!strncmp(line, "# CONFIG_", 9) && strstr(line, " is not set")) {
		name = line + 9;
		name[strcspn(name, " ")] = '\0';
		value = "n";
	} else {
		return;
	}
	if (!matters(name))
		return;
	key = xasprintf("config.%s", name);
	host_set(host, key, value);
	free(key);
}

static void read_config(struct strbuf *text)
{
	static const char *const places[] = { "/proc/config.gz", "/boot/config-%s",
					      "/usr/lib/modules/%s/config",
					      "/usr/lib/modules/%s/build/.config" };
	struct utsname u;

	if (uname(&u) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !text->len; i++) {
		char path[512];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(path, sizeof(path), places[i], u.release);
#pragma GCC diagnostic pop
		if (gzip_read(text, path, CONFIG_MAX, NULL) < 0)
			strbuf_reset(text);
	}
}

void host_add_config(json_t *host, struct strbuf *text)
{
	char *copy, *save, *line;

	read_config(text);
	copy = xstrdup(text->buf);
	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		add_line(host, line);
	free(copy);
}
