// SPDX-License-Identifier: GPL-2.0-or-later
/* What this kernel lets BPF programs and probes do; see bpf_probe.h. */
#include "bpf_probe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"

static void say(struct probe *probe, int code, const char *what, const char *why,
		const char *advice)
{
	memset(probe, 0, sizeof(*probe));
	probe->state = code ? PROBE_FAILS : PROBE_WORKS;
	probe->code = code;
	probe->what = what ? xstrdup(what) : NULL;
	probe->why = why ? xstrdup(why) : NULL;
	probe->advice = advice ? xstrdup(advice) : NULL;
}

bool probe_forbidden(const char *way)
{
	const char *list = getenv("SCHEDBLAME_FORBID"), *at = list ? strstr(list, way) : NULL;

	return at && (at == list || at[-1] == ',') && strchr(",", at[strlen(way)]);
}

/* Functions that every kernel has and that run seldom. */
static const char *const harmless[] = { "sched_setaffinity", "sched_exec" };

#ifdef HAVE_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "bpf_log.h"

/* Loads and attaches "return 0"; 0 or a positive errno. */
static int try_tracing(enum bpf_attach_type type, const char *name)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type);
	int id = libbpf_find_vmlinux_btf_id(name, type), fd, link, code = 0;

	if (id < 0)
		return -id;
	opts.attach_btf_id = (unsigned)id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "sb_probe", "GPL", insns,
			   ARRAY_SIZE(insns), &opts);
	if (fd < 0)
		return -fd;
	link = bpf_raw_tracepoint_open(NULL, fd);
	if (link < 0)
		code = errno;
	else
		close(link);
	close(fd);
	return code;
}

static void try_and_say(struct probe *probe, enum bpf_attach_type type,
			const char *const *names, size_t nr, const char *what)
{
	const char *why, *advice;
	bool forbidden = probe_forbidden(type == BPF_TRACE_FENTRY ? "fentry" : "bpf");
	int code = forbidden ? EOPNOTSUPP : ENOENT;

	bpf_log_begin();
	for (size_t i = 0; i < nr && code == ENOENT; i++)
		code = try_tracing(type, names[i]);
	bpf_log_end();
	if (!code) {
		say(probe, 0, what, NULL, NULL);
		return;
	}
	why = bpf_cause(code, &advice);
	say(probe, code, NULL, why, advice);
}

void probe_bpf_tp_btf(const struct session *s, struct probe *probe)
{
	static const char *const names[] = { "sched_switch" };

	try_and_say(probe, BPF_TRACE_RAW_TP, names, 1,
		    "BPF programs on scheduler tracepoints");
}

void probe_bpf_fentry(const struct session *s, struct probe *probe)
{
	try_and_say(probe, BPF_TRACE_FENTRY, harmless, ARRAY_SIZE(harmless),
		    "BPF programs on kernel functions");
	if (probe->code == EPERM && geteuid() == 0) {
		free(probe->why);
		free(probe->advice);
		probe->why = xstrdup("the kernel has no function tracer that a trampoline "
				     "could hook (CONFIG_FUNCTION_TRACER, "
				     "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) or forbids it");
		probe->advice = xstrdup("nothing is lost where kprobes work; else function "
					"latency and exact steal reasons need another kernel");
	}
}
#else
static void not_built(struct probe *probe)
{
	say(probe, ENOSYS, NULL, "this schedblame was built without BPF",
	    "build it with -DSCHEDBLAME_BPF=ON");
}

void probe_bpf_tp_btf(const struct session *s, struct probe *probe)
{
	not_built(probe);
}

void probe_bpf_fentry(const struct session *s, struct probe *probe)
{
	not_built(probe);
}
#endif

/* 0 or a positive errno. */
static int try_kprobe(unsigned type, const char *function)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config1 = (uintptr_t)function,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

void probe_kprobe(const struct session *s, struct probe *probe)
{
	char line[32];
	int code = ENOENT;

	if (file_read_line("/sys/bus/event_source/devices/kprobe/type", line,
			   sizeof(line)) < 0) {
		say(probe, ENOENT, NULL, "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)",
		    "use a kernel with CONFIG_KPROBES=y and CONFIG_KPROBE_EVENTS=y");
		return;
	}
	if (probe_forbidden("kprobe")) {
		say(probe, EOPNOTSUPP, NULL, "SCHEDBLAME_FORBID names it", "unset it");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(harmless) && code; i++)
		code = try_kprobe((unsigned)strtoul(line, NULL, 10), harmless[i]);
	if (!code)
		say(probe, 0, "kprobes through perf events", NULL, NULL);
	else if (code == EACCES || code == EPERM)
		say(probe, code, NULL, "this user may not set probes, or lockdown forbids it",
		    "run as root on a kernel without lockdown");
	else
		say(probe, code, NULL, strerror(code), "look at the kernel's log");
}
