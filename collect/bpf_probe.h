/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For doctor: what this kernel lets BPF programs and probes do. Each really
 * tries (loads a program that does nothing, attaches it) and cleans up. The
 * session is not looked at and may be NULL. The caller releases the probe.
 */
#ifndef COLLECT_BPF_PROBE_H
#define COLLECT_BPF_PROBE_H

#include "schedblame/source.h"

/* BTF tracepoints: what the sched source stands on. */
void probe_bpf_tp_btf(const struct session *s, struct probe *probe);
/* Function entry by trampoline: exact reasons, latency. */
void probe_bpf_fentry(const struct session *s, struct probe *probe);
/* kprobes through perf_event_open(2): the fallback for fentry. */
void probe_kprobe(const struct session *s, struct probe *probe);

/*
 * For tests: $SCHEDBLAME_FORBID lists ways ("bpf", "fentry", "kprobe")
 * that are to be treated as if the kernel refused them.
 */
bool probe_forbidden(const char *way);

#endif
