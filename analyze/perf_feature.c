// SPDX-License-Identifier: GPL-2.0-or-later
/* What the feature sections of a perf.data file say, each within bounds. */
#include <stdlib.h>

#include "perf_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/strbuf.h"

#define MISC_BUILD_ID_SIZE (1 << 15)
#define BUILD_ID_NAME 36 /* where the name begins: header, pid, 24 bytes of id */

/* A string section: length, text padded with zeros. Moves *at behind it. */
static char *take_string(const struct perf_file *pf, struct perf_section s, size_t *at)
{
	uint32_t len;
	char *text;

	if (s.len < *at + 4)
		return NULL;
	len = perf_u32(pf, s.data + *at);
	*at += 4;
	if (len > s.len - *at)
		return NULL;
	text = xstrndup((const char *)s.data + *at, len);
	*at += len;
	return text;
}

char *perf_file_string(const struct perf_file *pf, enum perf_feature_bit bit)
{
	size_t at = 0;

	return take_string(pf, pf->feature[bit], &at);
}

char *perf_file_cmdline(const struct perf_file *pf)
{
	struct perf_section s = pf->feature[PERF_FEATURE_CMDLINE];
	struct strbuf sb = STRBUF_INIT;
	size_t at = 4;
	char *word;

	if (s.len < 4)
		return NULL;
	for (uint32_t i = 0, n = perf_u32(pf, s.data); i < n; i++) {
		word = take_string(pf, s, &at);
		if (!word)
			break;
		strbuf_addf(&sb, "%s%s", i ? " " : "", word);
		free(word);
	}
	if (!sb.len) {
		strbuf_release(&sb);
		return NULL;
	}
	return strbuf_detach(&sb);
}

uint32_t perf_file_nr_cpus(const struct perf_file *pf, uint32_t *online)
{
	struct perf_section s = pf->feature[PERF_FEATURE_NRCPUS];

	if (s.len < 8)
		return 0;
	if (online)
		*online = perf_u32(pf, s.data + 4);
	return perf_u32(pf, s.data);
}

uint64_t perf_file_total_mem_kb(const struct perf_file *pf)
{
	struct perf_section s = pf->feature[PERF_FEATURE_TOTAL_MEM];

	return s.len < 8 ? 0 : perf_u64(pf, s.data);
}

struct perf_section perf_file_tracing_data(const struct perf_file *pf)
{
	return pf->tracing.data ? pf->tracing : pf->feature[PERF_FEATURE_TRACING_DATA];
}

static bool parse_build_id(const struct perf_file *pf, const unsigned char *p, size_t size,
			   struct perf_build_id *id)
{
	memset(id, 0, sizeof(*id));
	if (size <= BUILD_ID_NAME)
		return false;
	id->misc = perf_u16(pf, p + 4);
	memcpy(id->id, p + 12, sizeof(id->id));
	id->len = sizeof(id->id);
	if (id->misc & MISC_BUILD_ID_SIZE && p[32] <= sizeof(id->id))
		id->len = p[32];
	id->filename = (const char *)p + BUILD_ID_NAME;
	id->filename_len = strnlen(id->filename, size - BUILD_ID_NAME);
	return true;
}

bool perf_file_build_id(const struct perf_file *pf, size_t *pos, struct perf_build_id *id)
{
	struct perf_section s = pf->feature[PERF_FEATURE_BUILD_ID];

	while (s.len >= PERF_HEADER && *pos <= s.len - PERF_HEADER) {
		const unsigned char *p = s.data + *pos;
		size_t size = perf_u16(pf, p + 6);

		if (size < PERF_HEADER || size > s.len - *pos)
			return false;
		*pos += size;
		if (parse_build_id(pf, p, size, id))
			return true;
	}
	return false;
}

bool perf_build_id_parse(const struct perf_file *pf, const struct perf_record *rec,
			 struct perf_build_id *id)
{
	return rec->type == PERF_RECORD_HEADER_BUILD_ID &&
	       parse_build_id(pf, rec->data, rec->size, id);
}
