// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of a perf.data file. No length in it is believed: whatever lies
 * outside the file is left out, with a note.
 */
#include "perf_header.h"

#include <errno.h>
#include <inttypes.h>

/* Offsets of the header's fields. */
enum {
	HEADER_SIZE = 8,
	HEADER_ATTR_SIZE = 16,
	HEADER_ATTRS = 24,
	HEADER_DATA = 40,
	HEADER_EVENT_TYPES = 56,
	HEADER_FEATURES = 72, /* where the header of 2009 ends */
	HEADER_END = 104,
	PIPE_HEADER_END = 16,
};
#define SECTION 16 /* offset and size of a section, and of an attribute's ids */

/* The part of a section that lies in the file. */
static struct perf_section section(const struct perf_file *pf, const unsigned char *p)
{
	uint64_t offset = perf_u64(pf, p), size = perf_u64(pf, p + 8);

	if (offset >= pf->in.len || !size)
		return (struct perf_section){ NULL, 0 };
	if (size > pf->in.len - offset)
		size = pf->in.len - offset;
	return (struct perf_section){ pf->in.data + offset, size };
}

static int recognise(struct perf_file *pf, struct err *err)
{
	const unsigned char *p = pf->in.data;

	if (pf->in.len >= PIPE_HEADER_END && !memcmp(p, "PERFILE2", 8)) {
		pf->version = 2;
	} else if (pf->in.len >= PIPE_HEADER_END && !memcmp(p, "2ELIFREP", 8)) {
		pf->version = 2;
		pf->swap = true;
	} else if (pf->in.len >= HEADER_FEATURES && !memcmp(p, "PERFFILE", 8)) {
		/* the first format kept its magic in either byte order */
		pf->version = 1;
		pf->swap = perf_u64(pf, p + HEADER_ATTR_SIZE) > UINT32_MAX;
	} else {
		return err_set(err, EINVAL, "%s is no perf.data: it does not begin with "
			       "PERFILE2", pf->in.name);
	}
	return 0;
}

/* Ids of one attribute. Sections may overlap in a forged file: together they
 * may not be more than the file is long. */
static struct perf_section ids_of(struct perf_file *pf, const unsigned char *p,
				  uint64_t *budget)
{
	struct perf_section ids = section(pf, p);

	if (ids.len > *budget)
		return (struct perf_section){ NULL, 0 };
	*budget -= ids.len;
	return ids;
}

static int read_attrs(struct perf_file *pf, struct err *err)
{
	const unsigned char *header = pf->in.data;
	uint64_t stride = perf_u64(pf, header + HEADER_ATTR_SIZE), budget = pf->in.len;
	struct perf_section s = section(pf, header + HEADER_ATTRS);

	if (perf_u64(pf, header + HEADER_ATTRS + 8) &&
	    s.len != perf_u64(pf, header + HEADER_ATTRS + 8))
		return err_set(err, EINVAL, "%s: its header puts %" PRIu64 " bytes of attributes "
			       "at byte %" PRIu64 ", but the file has %zu bytes", pf->in.name,
			       perf_u64(pf, header + HEADER_ATTRS + 8),
			       perf_u64(pf, header + HEADER_ATTRS), pf->in.len);
	if (!s.len)
		return 0; /* perf sched stats: records without events */
	if (stride < PERF_ATTR_MIN + SECTION || stride > PERF_ATTR_MAX + SECTION)
		return err_set(err, EINVAL, "%s: an attribute has %" PRIu64 " bytes; expected "
			       "%d to %d", pf->in.name, stride, PERF_ATTR_MIN + SECTION,
			       PERF_ATTR_MAX + SECTION);
	for (; s.len >= stride; s.data += stride, s.len -= stride) {
		struct perf_section ids = ids_of(pf, s.data + stride - SECTION, &budget);

		perf_attr_add(pf, s.data, stride - SECTION, ids.data, ids.len / 8);
	}
	return 0;
}

/* The bit set was once written as longs of 4 bytes: seen from the other byte
 * order, halves are swapped then. Every perf sets the host name's bit. */
static void read_feature_bits(const struct perf_file *pf, uint64_t bits[4])
{
	const unsigned char *p = pf->in.data + HEADER_FEATURES;

	for (int i = 0; i < 4; i++)
		bits[i] = perf_u64(pf, p + 8 * i);
	if (!pf->swap || bits[0] >> PERF_FEATURE_HOSTNAME & 1)
		return;
	for (int i = 0; i < 4; i++)
		bits[i] = bits[i] >> 32 | bits[i] << 32;
}

static void read_features(struct perf_file *pf, uint64_t table)
{
	uint64_t bits[4];

	read_feature_bits(pf, bits);
	for (unsigned i = 0; i < PERF_FEATURE_NR; i++) {
		if (!(bits[i / 64] >> (i % 64) & 1))
			continue;
		if (table > pf->in.len || pf->in.len - table < SECTION) {
			notes_add(&pf->notes, "%s was cut short: the host, kernel and command "
				  "line that stand at its end are missing", pf->in.name);
			return;
		}
		pf->feature[i] = section(pf, pf->in.data + table);
		table += SECTION;
	}
}

/* Range of the records; 0 bytes mean that the recorder never finished. */
static int read_range(struct perf_file *pf, struct err *err)
{
	uint64_t offset = perf_u64(pf, pf->in.data + HEADER_DATA);
	uint64_t size = perf_u64(pf, pf->in.data + HEADER_DATA + 8);

	if (offset < HEADER_FEATURES || offset > pf->in.len)
		return err_set(err, EINVAL, "%s: its header puts the records at byte %" PRIu64
			       ", but the file has %zu bytes", pf->in.name, offset, pf->in.len);
	pf->first = offset;
	pf->end = pf->in.len;
	if (!size) {
		notes_add(&pf->notes, "%s was never finished: its recorder was killed or "
			  "could not write; the samples up to then are here", pf->in.name);
		pf->cut = true;
	} else if (size > pf->in.len - offset) {
		notes_add(&pf->notes, "%s was cut short: %" PRIu64 " of %" PRIu64 " bytes of "
			  "records are here", pf->in.name, pf->in.len - offset, size);
		pf->cut = true;
	} else {
		pf->end = offset + size;
	}
	return 0;
}

static int read_file_header(struct perf_file *pf, uint64_t size, struct err *err)
{
	int ret;

	if ((size != HEADER_END && size != HEADER_FEATURES) || size > pf->in.len)
		return err_set(err, EINVAL, "%s: a header of %" PRIu64 " bytes in a file of "
			       "%zu; expected %d (a file) or %d (a pipe)", pf->in.name, size,
			       pf->in.len, HEADER_END, PIPE_HEADER_END);
	ret = read_range(pf, err);
	if (!ret)
		ret = read_attrs(pf, err);
	if (!ret && size == HEADER_END && perf_u64(pf, pf->in.data + HEADER_DATA + 8))
		read_features(pf, pf->first + perf_u64(pf, pf->in.data + HEADER_DATA + 8));
	if (!ret)
		perf_attr_names(pf);
	return ret;
}

int perf_header_read(struct perf_file *pf, struct err *err)
{
	int ret = recognise(pf, err);
	uint64_t size;

	if (ret < 0)
		return ret;
	size = perf_u64(pf, pf->in.data + HEADER_SIZE);
	if (size != PIPE_HEADER_END)
		return read_file_header(pf, size, err);
	pf->pipe = true;
	pf->first = PIPE_HEADER_END;
	pf->end = pf->in.len;
	return 0;
}
