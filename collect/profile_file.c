// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The perf.data file of a run, as perf itself lays it out (the format is
 * described in tools/perf/Documentation/perf.data-file-format.txt): header, ids,
 * attributes, records, feature sections. The header stands from the beginning,
 * with a data size of 0 that readers take for "up to the end of the file"; the
 * sizes come last, so that a killed recorder leaves something readable.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "profile_file.h"
#include "schedblame/file.h"

#define PENDING_MAX 65536

/* Offsets of the header's fields that are written last. */
#define HEADER_DATA_SIZE 48
#define HEADER_FEATURES 72

struct file_section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct file_section attrs, data, event_types;
	uint64_t features[4];
};

/* Ids first, then the attributes that point at them; gives the records' offset. */
static uint64_t add_attrs(struct strbuf *sb, const struct perf_writer_attr *attrs,
			  size_t nr_attrs)
{
	struct file_section ids = { sizeof(struct file_header), 0 };

	for (size_t i = 0; i < nr_attrs; i++)
		strbuf_add(sb, attrs[i].id, attrs[i].nr_ids * sizeof(uint64_t));
	for (size_t i = 0; i < nr_attrs; i++) {
		ids.size = attrs[i].nr_ids * sizeof(uint64_t);
		strbuf_add(sb, attrs[i].attr, sizeof(*attrs[i].attr));
		strbuf_add(sb, &ids, sizeof(ids));
		ids.offset += ids.size;
	}
	return sizeof(struct file_header) + sb->len;
}

int perf_writer_open(struct perf_writer *w, int dirfd, const char *path,
		     const struct perf_writer_attr *attrs, size_t nr_attrs,
		     struct err *err)
{
	const size_t entry = sizeof(struct perf_event_attr) + sizeof(struct file_section);
	struct file_header h = {
		.magic = "PERFILE2", .size = sizeof(h), .attr_size = entry
	};
	struct strbuf sb = STRBUF_INIT;
	int ret;

	memset(w, 0, sizeof(*w));
	strbuf_init(&w->pending);
	w->fd = openat(dirfd, path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (w->fd < 0)
		return err_errno(err, errno, "cannot create %s", path);
	w->data_offset = w->end = add_attrs(&sb, attrs, nr_attrs);
	h.data.offset = w->data_offset;
	h.attrs.size = nr_attrs * entry;
	h.attrs.offset = w->data_offset - h.attrs.size;
	ret = write_full(w->fd, &h, sizeof(h));
	if (!ret)
		ret = write_full(w->fd, sb.buf, sb.len);
	strbuf_release(&sb);
	return ret ? err_errno(err, -ret, "cannot write %s", path) : 0;
}

static bool failed(struct perf_writer *w, int code)
{
	w->code = code;
	if (ftruncate(w->fd, (off_t)w->end) == 0)
		lseek(w->fd, (off_t)w->end, SEEK_SET);
	strbuf_reset(&w->pending);
	return false;
}

bool perf_writer_flush(struct perf_writer *w)
{
	int ret;

	if (w->code)
		return false;
	if (!w->pending.len)
		return true;
	ret = write_full(w->fd, w->pending.buf, w->pending.len);
	if (ret < 0)
		return failed(w, -ret);
	w->end += w->pending.len;
	strbuf_reset(&w->pending);
	return true;
}

void perf_writer_put(struct perf_writer *w, const void *record, size_t len)
{
	if (w->code)
		return;
	strbuf_add(&w->pending, record, len);
	if (w->pending.len >= PENDING_MAX)
		perf_writer_flush(w);
}

bool perf_writer_add(struct perf_writer *w, const void *a, size_t len_a,
		     const void *b, size_t len_b)
{
	int ret;

	if (!perf_writer_flush(w))
		return false;
	ret = write_full(w->fd, a, len_a);
	if (!ret)
		ret = write_full(w->fd, b, len_b);
	if (ret < 0)
		return failed(w, -ret);
	w->end += len_a + len_b;
	return true;
}

/* Feature sections stand behind the records: first the table of offsets and
 * sizes in order of their numbers, then the sections. */
static int write_features(struct perf_writer *w, const struct perf_writer_info *info,
			  uint64_t mask[4])
{
	struct strbuf body = STRBUF_INIT, table = STRBUF_INIT;
	uint64_t at = w->end + perf_nr_features * sizeof(struct file_section);
	int ret;

	for (size_t i = 0; i < perf_nr_features; i++) {
		struct file_section section = { at + body.len, 0 };
		size_t before = body.len;

		perf_features[i].add(&body, info);
		section.size = body.len - before;
		strbuf_add(&table, &section, sizeof(section));
		mask[perf_features[i].number / 64] |= 1ULL << (perf_features[i].number % 64);
	}
	ret = write_full(w->fd, table.buf, table.len);
	if (!ret)
		ret = write_full(w->fd, body.buf, body.len);
	strbuf_release(&body);
	strbuf_release(&table);
	return ret;
}

int perf_writer_finish(struct perf_writer *w, const struct perf_writer_info *info,
		       struct err *err)
{
	uint64_t mask[4] = { 0 }, size;
	int ret = 0;

	if (perf_writer_flush(w)) {
		ret = write_features(w, info, mask);
		if (ret < 0)
			failed(w, -ret);
	}
	size = w->end - w->data_offset;
	if (w->code)
		memset(mask, 0, sizeof(mask));
	if (pwrite(w->fd, mask, sizeof(mask), HEADER_FEATURES) != sizeof(mask) ||
	    pwrite(w->fd, &size, sizeof(size), HEADER_DATA_SIZE) != sizeof(size))
		w->code = w->code ? w->code : errno;
	if (w->code)
		return err_errno(err, w->code, "cannot write profile.data; it holds the "
				 "samples up to that moment");
	return 0;
}

void perf_writer_close(struct perf_writer *w)
{
	strbuf_release(&w->pending);
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}
