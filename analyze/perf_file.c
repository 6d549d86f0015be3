// SPDX-License-Identifier: GPL-2.0-or-later
/* perf.data: opening, and the walk from record to record. */
#include "schedblame/perf_file.h"

#include <errno.h>
#include <inttypes.h>

#include "perf_header.h"

#define DROP_EVERY (8 << 20) /* bytes */

/* zstd's magic, where a COMPRESSED2 payload begins. */
static const unsigned char zstd_magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

static void stop(struct perf_file *pf, uint64_t at, const char *what)
{
	if (!pf->cut || pf->end != pf->in.len)
		notes_add(&pf->notes, "%s: the record at byte %" PRIu64 " %s; nothing behind "
			  "it was read", pf->in.name, at, what);
	pf->cut = true;
	pf->pos = pf->end;
}

/* Keeps the part of the file that counts as our memory small. */
static void drop_read(struct perf_file *pf)
{
	input_drop(&pf->in, pf->dropped, pf->pos);
	pf->dropped = pf->pos;
}

/* The record at pf->pos of the file itself; 0 at the end. */
static int next_outer(struct perf_file *pf, struct perf_record *rec)
{
	const unsigned char *p = pf->in.data + pf->pos;
	uint64_t left = pf->end - pf->pos;
	uint16_t size;

	if (!left)
		return 0;
	if (left < PERF_HEADER) {
		stop(pf, pf->pos, "is cut short");
		return 0;
	}
	size = perf_u16(pf, p + 6);
	if (size < PERF_HEADER || size > left) {
		stop(pf, pf->pos, size < PERF_HEADER ? "has no size" : "is cut short");
		return 0;
	}
	*rec = (struct perf_record){
		.type = perf_u32(pf, p), .misc = perf_u16(pf, p + 4), .size = size,
		.data = p, .offset = pf->pos,
	};
	if (pf->pos - pf->dropped > DROP_EVERY)
		drop_read(pf);
	pf->pos += size;
	return 1;
}

/* Bytes that follow a record and are no record. */
static void skip(struct perf_file *pf, const struct perf_record *rec, uint64_t bytes)
{
	if (bytes > pf->end - pf->pos)
		stop(pf, rec->offset, "is followed by less than it says");
	else
		pf->pos += bytes;
}

static void take_attr(struct perf_file *pf, const struct perf_record *rec)
{
	size_t room = rec->size - PERF_HEADER, len;

	if (!pf->pipe || room < PERF_ATTR_MIN)
		return;
	len = perf_u32(pf, rec->data + PERF_HEADER + 4);
	if (!len)
		len = PERF_ATTR_MIN;
	if (len < PERF_ATTR_MIN || len > room)
		len = room;
	perf_attr_add(pf, rec->data + PERF_HEADER, len, rec->data + PERF_HEADER + len,
		      (room - len) / 8);
}

static void take_feature(struct perf_file *pf, const struct perf_record *rec)
{
	uint64_t bit;

	if (!pf->pipe || rec->size < PERF_HEADER + 8)
		return;
	bit = perf_u64(pf, rec->data + PERF_HEADER);
	if (bit >= PERF_FEATURE_NR)
		return;
	pf->feature[bit] = (struct perf_section){ rec->data + 16, rec->size - 16u };
	if (bit == PERF_FEATURE_EVENT_DESC)
		perf_attr_names(pf);
}

static void take_tracing_data(struct perf_file *pf, const struct perf_record *rec)
{
	uint64_t len;

	if (rec->size < PERF_HEADER + 4)
		return;
	len = perf_u32(pf, rec->data + PERF_HEADER);
	if (len <= pf->end - pf->pos)
		pf->tracing = (struct perf_section){ pf->in.data + pf->pos, len };
	skip(pf, rec, len);
}

static void skip_auxtrace(struct perf_file *pf, const struct perf_record *rec)
{
	if (rec->size >= PERF_HEADER + 8)
		skip(pf, rec, perf_u64(pf, rec->data + PERF_HEADER));
}

/* What perf's own records tell about the file. Twice is once: a rewound walk
 * takes nothing again. */
static void take(struct perf_file *pf, const struct perf_record *rec)
{
	bool known = rec->offset < pf->scanned;

	switch (rec->type) {
	case PERF_RECORD_HEADER_TRACING_DATA:
		take_tracing_data(pf, rec);
		break;
	case PERF_RECORD_AUXTRACE:
		skip_auxtrace(pf, rec);
		break;
	case PERF_RECORD_HEADER_ATTR:
		if (!known)
			take_attr(pf, rec);
		break;
	case PERF_RECORD_HEADER_FEATURE:
		if (!known)
			take_feature(pf, rec);
		break;
	case PERF_RECORD_HEADER_EVENT_TYPE:
		if (!known)
			perf_attr_event_type(pf, rec);
		break;
	case PERF_RECORD_EVENT_UPDATE:
		if (!known)
			perf_attr_update(pf, rec);
		break;
	}
	if (pf->pos > pf->scanned)
		pf->scanned = pf->pos;
}

/*
 * Number 83 was given twice. It is COMPRESSED2 when the file says that it is
 * compressed, or, in a pipe that has not said so yet, when a zstd frame begins
 * behind the length; else a line of /proc/schedstat.
 */
static bool is_compressed2(struct perf_file *pf, const struct perf_record *rec)
{
	if (pf->feature[PERF_FEATURE_COMPRESSED].data || pf->inflate)
		return true;
	if (rec->size >= 20 && !memcmp(rec->data + 16, zstd_magic, sizeof(zstd_magic)))
		return true;
	pf->schedstat = true;
	return false;
}

/* True when the record was a container; its content comes next. */
static bool take_compressed(struct perf_file *pf, const struct perf_record *rec)
{
	uint64_t len;

	if (rec->type == PERF_RECORD_COMPRESSED) {
		perf_inflate_feed(pf, rec->data + PERF_HEADER, rec->size - PERF_HEADER,
				  rec->offset);
		return true;
	}
	if (rec->type != PERF_RECORD_COMPRESSED2 || rec->size < 16 ||
	    !is_compressed2(pf, rec))
		return false;
	len = perf_u64(pf, rec->data + 8);
	if (len > rec->size - 16u)
		len = rec->size - 16u;
	perf_inflate_feed(pf, rec->data + 16, len, rec->offset);
	return true;
}

int perf_file_next(struct perf_file *pf, struct perf_record *rec, struct err *err)
{
	(void)err;
	for (;;) {
		if (pf->inflate && perf_inflate_next(pf, rec))
			break;
		if (!next_outer(pf, rec))
			return 0;
		if (rec->type < PERF_RECORD_HEADER_ATTR)
			break;
		if (take_compressed(pf, rec))
			continue;
		take(pf, rec);
		break;
	}
	pf->nr_records++;
	return 1;
}

/* In a pipe the events are records before the first sample. */
static void look_ahead(struct perf_file *pf)
{
	struct perf_record rec;

	while (next_outer(pf, &rec)) {
		if (rec.type == PERF_RECORD_SAMPLE || rec.type == PERF_RECORD_COMPRESSED ||
		    rec.type == PERF_RECORD_COMPRESSED2)
			break;
		if (rec.type >= PERF_RECORD_HEADER_ATTR)
			take(pf, &rec);
	}
	perf_file_rewind(pf);
}

void perf_file_rewind(struct perf_file *pf)
{
	perf_inflate_release(pf);
	pf->pos = pf->dropped = pf->first;
	pf->nr_records = 0;
}

static int open_input(struct perf_file *pf, struct err *err)
{
	int ret = perf_header_read(pf, err);

	if (ret < 0) {
		perf_file_close(pf);
		return ret;
	}
	pf->pos = pf->dropped = pf->first;
	if (pf->pipe)
		look_ahead(pf);
	return 0;
}

static void init(struct perf_file *pf)
{
	memset(pf, 0, sizeof(*pf));
	pf->last_attr = PERF_FILE_NO_ATTR;
	u64map_init(&pf->ids);
}

int perf_file_open(struct perf_file *pf, const char *path, struct err *err)
{
	int ret;

	init(pf);
	ret = input_open(&pf->in, path, err);
	if (ret < 0) {
		input_close(&pf->in);
		return ret;
	}
	input_sequential(&pf->in);
	return open_input(pf, err);
}

int perf_file_open_memory(struct perf_file *pf, const void *data, size_t len,
			  const char *name, struct err *err)
{
	init(pf);
	input_memory(&pf->in, data, len, name);
	return open_input(pf, err);
}

void perf_file_close(struct perf_file *pf)
{
	perf_inflate_release(pf);
	perf_attr_release(pf);
	notes_release(&pf->notes);
	input_close(&pf->in);
	memset(pf, 0, sizeof(*pf));
}
