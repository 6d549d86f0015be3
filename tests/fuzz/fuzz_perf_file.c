// SPDX-License-Identifier: GPL-2.0-or-later
/* perf.data: the record reader, everything that can be asked of a file, and the
 * profile built from it. The first byte chooses the options. */
#include <stdint.h>
#include <stdlib.h>

#include "schedblame/perf_profile.h"

static const char no_symbols[] = "/dev/null"; /* the same on every machine */

static void ask_everything(struct perf_file *pf)
{
	struct perf_build_id id;
	struct perf_record rec;
	struct perf_sample s;
	struct perf_mmap m;
	struct perf_task t;
	uint64_t sum = 0;
	size_t pos = 0;

	while (perf_file_next(pf, &rec, NULL) > 0) {
		if (rec.type == PERF_RECORD_SAMPLE && perf_sample_parse(pf, &rec, &s)) {
			for (uint64_t i = 0; i < s.nr_chain; i++)
				sum += perf_u64(pf, s.chain + 8 * i);
			for (uint32_t i = 0; s.raw && i < s.raw_len; i++)
				sum += s.raw[i];
		}
		if (perf_record_id(pf, &rec, &s))
			sum += s.time;
		if (perf_mmap_parse(pf, &rec, &m) && m.filename_len)
			sum += (unsigned char)m.filename[m.filename_len - 1];
		if (perf_task_parse(pf, &rec, &t) && t.comm_len)
			sum += (unsigned char)t.comm[t.comm_len - 1];
		if (perf_build_id_parse(pf, &rec, &id) && id.filename_len)
			sum += (unsigned char)id.filename[id.filename_len - 1];
		sum += perf_record_lost(pf, &rec);
	}
	while (perf_file_build_id(pf, &pos, &id))
		sum += id.len;
	for (int i = PERF_FEATURE_HOSTNAME; i <= PERF_FEATURE_CPUID; i++)
		if (i != PERF_FEATURE_NRCPUS)
			free(perf_file_string(pf, (enum perf_feature_bit)i));
	free(perf_file_cmdline(pf));
	sum += perf_file_nr_cpus(pf, NULL) + perf_file_tracing_data(pf).len;
	perf_file_rewind(pf);
	__asm__ volatile("" : : "r"(sum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile_options options = { .kallsyms = no_symbols };
	struct perf_file pf;
	struct profile p;

	if (!size)
		return 0;
	options.user_symbols = data[0] & 1;
	options.chains = data[0] & 2;
	options.addresses = data[0] & 4;
	options.unskid = data[0] & 16;
	options.comm = data[0] & 8 ? "a" : NULL;
	if (perf_file_open_memory(&pf, data + 1, size - 1, "fuzz", NULL) < 0)
		return 0;
	ask_everything(&pf);
	if (profile_from_perf_file(&p, &pf, &options, NULL) == 0)
		profile_release(&p);
	perf_file_close(&pf);
	return 0;
}
