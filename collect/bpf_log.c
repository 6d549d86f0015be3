// SPDX-License-Identifier: GPL-2.0-or-later
/* Why the kernel or libbpf refused a BPF program, as a sentence. */
#ifdef HAVE_BPF
#include "bpf_log.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/strbuf.h"
#include "schedblame/text.h"

#define KEPT_MAX 4096 /* the first words tell; a verifier log is long */

static struct strbuf kept = { strbuf_empty, 0, 0 };
static libbpf_print_fn_t printed_by;

static __attribute__((format(printf, 2, 0))) int keep(enum libbpf_print_level level,
						       const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN && kept.len < KEPT_MAX)
		strbuf_vaddf(&kept, fmt, ap);
	return 0;
}

void bpf_log_begin(void)
{
	strbuf_reset(&kept);
	printed_by = libbpf_set_print(keep);
}

void bpf_log_end(void)
{
	libbpf_set_print(printed_by);
	strbuf_release(&kept);
}

static bool locked_down(void)
{
	char line[128];

	return file_read_line("/sys/kernel/security/lockdown", line, sizeof(line)) >= 0 &&
	       !strstr(line, "[none]");
}

static const struct {
	int code;
	const char *cause, *advice;
} causes[] = {
	{ ENOSYS, "this kernel has no bpf system call", "use a kernel with CONFIG_BPF_SYSCALL=y" },
	{ ENOMEM, "out of memory, or over the limit of locked memory (RLIMIT_MEMLOCK)",
	  "raise ulimit -l" },
	{ EACCES, "the kernel's verifier did not accept the program",
	  "please report this kernel's version" },
	{ EINVAL, "this kernel lacks something the program uses, or was built without "
		  "CONFIG_DEBUG_INFO_BTF",
	  "use a kernel of 5.18 or later with CONFIG_DEBUG_INFO_BTF=y" },
	{ ENOENT, "this kernel lacks the function or type the program stands on",
	  "use a kernel of 5.18 or later with CONFIG_DEBUG_INFO_BTF=y" },
	{ E2BIG, "this kernel's limits on BPF programs are too low", "use a later kernel" },
};

const char *bpf_cause(int code, const char **advice)
{
	if (!file_exists("/sys/kernel/btf/vmlinux") && code != EPERM) {
		*advice = "use a kernel with CONFIG_DEBUG_INFO_BTF=y";
		return "this kernel carries no type information (/sys/kernel/btf/vmlinux)";
	}
	if (code == EPERM && geteuid() != 0) {
		*advice = "run as root, or with CAP_BPF and CAP_PERFMON";
		return "this user may not load BPF programs";
	}
	if (code == EPERM && locked_down()) {
		*advice = "boot without lockdown";
		return "kernel lockdown forbids it";
	}
	if (code == EPERM) {
		*advice = "look at the kernel's configuration and at security policies";
		return "the kernel, a security policy or the limit of locked memory forbids it";
	}
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		if (causes[i].code != code)
			continue;
		*advice = causes[i].advice;
		return causes[i].cause;
	}
	*advice = "look at the kernel's log";
	return "the kernel refused it";
}

int bpf_refused(struct err *err, int code, const char *what)
{
	struct strbuf words = STRBUF_INIT;
	const char *advice, *cause = bpf_cause(code, &advice);
	size_t line = strcspn(kept.buf, "\n");

	text_add_ascii(&words, kept.buf, line);
	err_set(err, code, "%s: %s: %s%s%s%s; %s", what, strerror(code), cause,
		words.len ? " (" : "", words.buf, words.len ? ")" : "", advice);
	strbuf_release(&words);
	return -code;
}
#endif
