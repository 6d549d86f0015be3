// SPDX-License-Identifier: GPL-2.0-or-later
/* Scheduler tunables and features (debugfs), sysctls that bear on scheduling. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"
#include "kernelfs.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define TUNABLE_MAX 4096
#define DEPTH_MAX 3

/* Files of sched/ that are no tunables. */
static const char *const skipped[] = { "debug", "features", "domains" };

static bool skip(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(skipped); i++)
		if (!strcmp(name, skipped[i]))
			return true;
	return name[0] == '.';
}

/* Every small file below fd as PREFIX.NAME; fd is closed. */
static void add_tunables(json_t *host, int fd, const char *prefix, int depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *e;

	if (!dir) {
		close(fd);
		return;
	}
	while ((e = readdir(dir))) {
		char *key;
		int sub;

		if (skip(e->d_name))
			continue;
		key = xasprintf("%s.%s", prefix, e->d_name);
		sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (sub >= 0) {
			if (depth < DEPTH_MAX)
				add_tunables(host, sub, key, depth + 1);
			else
				close(sub);
		} else {
			struct strbuf text = STRBUF_INIT;

			if (file_read_at(&text, fd, e->d_name, TUNABLE_MAX, NULL) == 0) {
				strbuf_rtrim(&text);
				host_set(host, key, host_choice(text.buf));
			}
			strbuf_release(&text);
		}
		free(key);
	}
	closedir(dir);
}

/* "PLACE_LAG NO_SIS_CORE ..." */
static void add_features(json_t *host, int debugfs)
{
	static const char *const names[] = { "sched/features", "sched_features" };
	struct strbuf text = STRBUF_INIT;
	char *save, *word;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !text.len; i++)
		file_read_at(&text, debugfs, names[i], 65536, NULL);
	for (word = text.len ? strtok_r(text.buf, " \n", &save) : NULL; word;
	     word = strtok_r(NULL, " \n", &save)) {
		bool off = !strncmp(word, "NO_", 3);
		char *key = xasprintf("sched.features.%s", word + (off ? 3 : 0));

		host_set(host, key, off ? "off" : "on");
		free(key);
	}
	strbuf_release(&text);
}

static void add_sysctls(json_t *host)
{
	static const char *const names[] = {
		"kernel/numa_balancing", "kernel/numa_balancing_promote_rate_limit_MBps",
		"kernel/timer_migration", "kernel/watchdog", "kernel/nmi_watchdog",
		"kernel/randomize_va_space", "kernel/perf_event_paranoid",
		"kernel/bpf_stats_enabled", "kernel/unprivileged_bpf_disabled",
		"kernel/threads-max", "kernel/pid_max", "kernel/kptr_restrict",
		"vm/zone_reclaim_mode", "vm/swappiness", "vm/overcommit_memory",
		"vm/nr_hugepages", "vm/dirty_ratio", "vm/compaction_proactiveness",
		"net/core/busy_poll", "net/core/busy_read",
	};
	DIR *dir = opendir("/proc/sys/kernel");
	struct dirent *e;
	char key[320], path[320];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(key, sizeof(key), "sysctl.%s", names[i]);
		for (char *p = key; *p; p++)
			if (*p == '/')
				*p = '.';
		snprintf(path, sizeof(path), "/proc/sys/%s", names[i]);
		host_set_file(host, key, path);
	}
	while (dir && (e = readdir(dir))) {
		if (strncmp(e->d_name, "sched_", 6))
			continue;
		snprintf(key, sizeof(key), "sysctl.kernel.%s", e->d_name);
		snprintf(path, sizeof(path), "/proc/sys/kernel/%s", e->d_name);
		host_set_file(host, key, path);
	}
	if (dir)
		closedir(dir);
}

void host_add_sched(json_t *host)
{
	int debugfs = kernelfs_open("debugfs", NULL), fd;

	add_sysctls(host);
	if (debugfs < 0)
		return;
	fd = openat(debugfs, "sched", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		add_tunables(host, fd, "sched", 0);
	add_features(host, debugfs);
	close(debugfs);
}
