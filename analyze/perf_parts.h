/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to analyze/perf_*.c: the parts of the perf.data reader. */
#ifndef ANALYZE_PERF_PARTS_H
#define ANALYZE_PERF_PARTS_H

#include "schedblame/perf_file.h"

#define PERF_HEADER 8	   /* bytes of a record's header */
#define PERF_ATTR_MIN 64   /* the first published perf_event_attr */
#define PERF_ATTR_MAX 4096 /* the kernel's own limit: one page */

/* perf_attr.c. data holds at least PERF_ATTR_MIN bytes; ids may be NULL. */
void perf_attr_add(struct perf_file *pf, const unsigned char *data, size_t len,
		   const unsigned char *ids, uint64_t nr_ids);
/* The attribute of an event id; PERF_FILE_NO_ATTR when no event has it. */
uint32_t perf_attr_by_id(struct perf_file *pf, uint64_t id);
/* Names from the EVENT_DESC section, an EVENT_UPDATE or EVENT_TYPE record. */
void perf_attr_names(struct perf_file *pf);
void perf_attr_update(struct perf_file *pf, const struct perf_record *rec);
void perf_attr_event_type(struct perf_file *pf, const struct perf_record *rec);
void perf_attr_release(struct perf_file *pf);

/* perf_inflate.c */
/* Takes the payload of a COMPRESSED record; what is left of the last one is
 * continued. */
void perf_inflate_feed(struct perf_file *pf, const unsigned char *data, size_t len,
		       uint64_t offset);
/* 1 and a record, or 0: more input is needed. */
int perf_inflate_next(struct perf_file *pf, struct perf_record *rec);
void perf_inflate_release(struct perf_file *pf);

#endif
