/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What run.json says of the machine; docs/run-format.md lists the keys. */
#ifndef COLLECT_HOST_H
#define COLLECT_HOST_H

#include "schedblame/json.h"
#include "schedblame/strbuf.h"

/* Each adds its keys to host; what cannot be read is left out. */
void host_add_kernel(json_t *host);
void host_add_cpu(json_t *host);
void host_add_memory(json_t *host);
void host_add_sched(json_t *host);
/* The options that matter; text receives the whole configuration ("" if none
 * is readable). */
void host_add_config(json_t *host, struct strbuf *text);

/* Sets a dotted key, "cpu.model": nested objects are made. */
void host_set(json_t *host, const char *key, const char *value);
void host_set_number(json_t *host, const char *key, long long value);
/* The first line of a file; nothing when it cannot be read. */
void host_set_file(json_t *host, const char *key, const char *path);
/* The chosen word of "a [b] c" or "a (b) c", in place; else the text as it is. */
char *host_choice(char *text);

#endif
