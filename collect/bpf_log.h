/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libbpf prints; libraries here do not. Between begin and end its warnings are
 * kept instead, so that a refusal can be told as one sentence.
 */
#ifndef COLLECT_BPF_LOG_H
#define COLLECT_BPF_LOG_H

#include "schedblame/err.h"

void bpf_log_begin(void);
/* Drops what was kept. */
void bpf_log_end(void);
/*
 * "WHAT: the errno, its likely cause, libbpf's first words, what to do".
 * code is a positive errno of the bpf system call or of libbpf. Returns -code.
 */
int bpf_refused(struct err *err, int code, const char *what);
/* Likely cause of a refusal by that errno, and what to do: never NULL. */
const char *bpf_cause(int code, const char **advice);

#endif
