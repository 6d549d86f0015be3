// SPDX-License-Identifier: GPL-2.0-or-later
/* Abilities of kernel and system that sources and reports stand on. */
#include "abilities.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bpf_probe.h"
#include "host.h"
#include "kernelfs.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "state.h"

/* Why root may be refused a file: the words of the lockdown file, or NULL. */
static char *lockdown_reason(void)
{
	struct strbuf text = STRBUF_INIT;
	char *reason = NULL, *mode;

	if (kernelfs_read(&text, "securityfs", "lockdown", 4096, NULL) == 0) {
		strbuf_rtrim(&text);
		mode = host_choice(text.buf);
		if (strcmp(mode, "none"))
			reason = xasprintf("kernel lockdown is in mode '%s'", mode);
	}
	strbuf_release(&text);
	return reason;
}

static void say_refused(struct probe *probe, int code, const char *root_advice)
{
	char *lockdown = NULL, *why;

	if ((code == EPERM || code == EACCES) && geteuid() != 0) {
		probe_say(probe, PROBE_FAILS, code, NULL, "only root may read it", "run as root");
		return;
	}
	if (code == EPERM)
		lockdown = lockdown_reason();
	why = lockdown ? lockdown :
	      xstrdup(code == EPERM ? "root is refused: kernel lockdown, or a container" :
				      strerror(code));
	probe_say(probe, PROBE_FAILS, code, NULL, why, root_advice);
	free(why);
}

static void probe_debugfs_sched(const struct session *s, struct probe *probe)
{
	static const char *const files[] = { "sched/features", "sched_features" };
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	int code = 0, words = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files) && !text.len; i++) {
		err_release(&err);
		if (kernelfs_read(&text, "debugfs", files[i], 65536, &err) < 0 &&
		    (!code || err.code != ENOENT))
			code = err.code;
	}
	for (size_t i = 0; i < text.len; i++)
		words += text.buf[i] == ' ' || text.buf[i] == '\n';
	if (text.len) {
		probe_say(probe, PROBE_WORKS, 0, NULL, NULL, NULL);
		probe->what = xasprintf("%d scheduler features; debugfs is %s", words,
					kernelfs_mounted("debugfs") ? "mounted" :
					"not mounted: a private mount is used");
	} else if (code == ENOENT) {
		probe_say(probe, PROBE_FAILS, code, NULL,
			  "this kernel shows no scheduler features (CONFIG_SCHED_DEBUG)",
			  "a kernel with CONFIG_SCHED_DEBUG=y; --set sched.* needs it");
	} else {
		say_refused(probe, code, "boot with lockdown=none to see and --set sched.* "
					 "tunables; nothing else needs them");
	}
	strbuf_release(&text);
	err_release(&err);
}

static void probe_schedstat(const struct session *s, struct probe *probe)
{
	char line[64], on[8] = "1";

	if (file_read_line("/proc/schedstat", line, sizeof(line)) < 0) {
		probe_say(probe, PROBE_FAILS, ENOENT, NULL,
			  "no /proc/schedstat (CONFIG_SCHEDSTATS)",
			  "a kernel with CONFIG_SCHEDSTATS=y counts balancing per domain");
		return;
	}
	file_read_line("/proc/sys/kernel/sched_schedstats", on, sizeof(on));
	if (!strcmp(on, "0"))
		probe_say(probe, PROBE_LIMITED, 0, line, "kernel.sched_schedstats is 0: most "
			  "fields do not count", "collect --set kernel.sched_schedstats=1");
	else
		probe_say(probe, PROBE_WORKS, 0, line, NULL, NULL);
}

static void probe_numa(const struct session *s, struct probe *probe)
{
	char line[16];

	if (file_read_line("/proc/sys/kernel/numa_balancing", line, sizeof(line)) < 0)
		probe_say(probe, PROBE_FAILS, ENOENT, NULL,
			  "this kernel has no NUMA balancing (CONFIG_NUMA_BALANCING)",
			  s->topology->nr_nodes > 1 ?
				  "a kernel with CONFIG_NUMA_BALANCING=y" : NULL);
	else if (s->topology->nr_nodes < 2)
		probe_say(probe, PROBE_LIMITED, 0, strcmp(line, "0") ? "on" : "off",
			  "this machine has one node: nothing to balance", NULL);
	else
		probe_say(probe, PROBE_WORKS, 0,
			  strcmp(line, "0") ? "on" : "off (kernel.numa_balancing=0)", NULL, NULL);
}

static void probe_kallsyms(const struct session *s, struct probe *probe)
{
	char line[256];
	int ret = file_read_line("/proc/kallsyms", line, sizeof(line));
	bool hidden = ret == 0 && !strncmp(line, "0000000000000000", 16);

	/* the first symbol of a per-CPU kernel may stand at 0: look further */
	if (hidden) {
		struct strbuf text = STRBUF_INIT;

		if (file_read(&text, "/proc/kallsyms", 256UL << 20, NULL) == 0)
			for (const char *p = text.buf; hidden && p; p = strchr(p + 1, '\n'))
				hidden = strncmp(*p == '\n' ? p + 1 : p, "0000000000000000", 16) == 0 ||
					 !p[1];
		strbuf_release(&text);
	}
	if (ret < 0)
		probe_say(probe, PROBE_FAILS, -ret, NULL, "no /proc/kallsyms (CONFIG_KALLSYMS)",
			  "a kernel with CONFIG_KALLSYMS=y, else profiles have no names");
	else if (hidden)
		probe_say(probe, PROBE_FAILS, EACCES, NULL, "addresses are hidden "
			  "(kernel.kptr_restrict, or not root)",
			  "run as root, or set kernel.kptr_restrict=0");
	else
		probe_say(probe, PROBE_WORKS, 0, "kernel symbols with addresses", NULL, NULL);
}

static void probe_btf(const struct session *s, struct probe *probe)
{
	if (file_exists("/sys/kernel/btf/vmlinux"))
		probe_say(probe, PROBE_WORKS, 0, "/sys/kernel/btf/vmlinux", NULL, NULL);
	else
		probe_say(probe, PROBE_FAILS, ENOENT, NULL,
			  "the kernel has no type information (CONFIG_DEBUG_INFO_BTF)",
			  "a kernel with CONFIG_DEBUG_INFO_BTF=y: the sched source needs it");
}

static void probe_debuginfo(const struct session *s, struct probe *probe)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-", "/usr/lib/debug/lib/modules/",
		"/usr/lib/debug/usr/lib/modules/", "/boot/vmlinux-", "/lib/modules/",
	};
	static const char *const behind[] = { "", "/vmlinux", "/vmlinux", "", "/build/vmlinux" };
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct utsname u;

	uname(&u);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *path = xasprintf("%s%s%s", places[i], u.release, behind[i]);
		bool there = file_exists(path);

		if (there)
			probe_say(probe, PROBE_WORKS, 0, path, NULL, NULL);
		free(path);
		if (there)
			return;
	}
	if (urls && *urls) {
		probe_say(probe, PROBE_LIMITED, 0, "by debuginfod, not on this machine",
			  "it is fetched when first needed", NULL);
		return;
	}
	probe_say(probe, PROBE_FAILS, ENOENT, NULL, "there is no vmlinux with debug information "
		  "for this kernel", "install the kernel's -dbg package to time functions that "
		  "the compiler inlined (select_idle_cpu)");
}

static void probe_pressure(const struct session *s, struct probe *probe)
{
	char line[128];
	int ret = file_read_line("/proc/pressure/cpu", line, sizeof(line));

	if (ret < 0)
		probe_say(probe, PROBE_FAILS, -ret, NULL, "no pressure counters (CONFIG_PSI)",
			  "boot with psi=1");
	else
		probe_say(probe, PROBE_WORKS, 0, "cpu, memory, io", NULL, NULL);
}

static void probe_config(const struct session *s, struct probe *probe)
{
	struct strbuf text = STRBUF_INIT;
	json_t *host = json_object();

	host_add_config(host, &text);
	if (text.len)
		probe_say(probe, PROBE_WORKS, 0, "the kernel's configuration is recorded", NULL,
			  NULL);
	else
		probe_say(probe, PROBE_FAILS, ENOENT, NULL, "neither /proc/config.gz nor "
			  "/boot/config-RELEASE", "reports cannot compare configurations");
	json_decref(host);
	strbuf_release(&text);
}

static void probe_state_dir(const struct session *s, struct probe *probe)
{
	struct err err = ERR_INIT;
	const char *dir = state_dir(&err);

	if (dir && access(dir, W_OK) == 0)
		probe_say(probe, PROBE_WORKS, 0, dir, NULL, NULL);
	else
		probe_say(probe, PROBE_FAILS, dir ? errno : err.code, NULL,
			  dir ? "its folder cannot be written" : err_text(&err),
			  "without it nothing is undone after a kill -9");
	err_release(&err);
}

/* Above this many running tasks a CPU, others disturb a benchmark. */
#define BUSY_LOAD 0.25

static void probe_load(const struct session *s, struct probe *probe)
{
	char line[128];
	double load;
	char *now, *why;

	if (file_read_line("/proc/loadavg", line, sizeof(line)) < 0 ||
	    sscanf(line, "%lf", &load) != 1) {
		probe_say(probe, PROBE_FAILS, ENOENT, NULL, "/proc/loadavg cannot be read", NULL);
		return;
	}
	now = xasprintf("load average %.2f", load);
	why = xasprintf("%s: other tasks run here, and a benchmark would share its CPUs with "
			"them", now);
	if (load > BUSY_LOAD * cpuset_count(&s->online))
		probe_say(probe, PROBE_LIMITED, 0, now, why,
			  "wait until the machine is quiet; the report tells how much CPU time "
			  "others used");
	else
		probe_say(probe, PROBE_WORKS, 0, now, NULL, NULL);
	free(why);
	free(now);
}

const struct ability abilities[] = {
	{ "quiet machine", "numbers that repeat", probe_load },
	{ "bpf tp_btf", "source sched", probe_bpf_tp_btf },
	{ "bpf fentry", "exact migration reasons, function latency", probe_bpf_fentry },
	{ "kprobe", "the same where fentry is refused", probe_kprobe },
	{ "btf", "BPF programs that fit every kernel", probe_btf },
	{ "kallsyms", "names in kernel profiles", probe_kallsyms },
	{ "debug info", "latency of inlined functions", probe_debuginfo },
	{ "schedstat", "the balancer's own counts", probe_schedstat },
	{ "sched debugfs", "features and tunables, --set sched.*", probe_debugfs_sched },
	{ "numa balancing", "page moves, remote faults", probe_numa },
	{ "pressure", "stalls of tasks", probe_pressure },
	{ "kernel config", "comparability of kernels", probe_config },
	{ "crash safety", "undoing after kill -9", probe_state_dir },
	{ NULL },
};
