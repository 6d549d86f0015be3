/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One parser of profile files on any bytes, probed or not; with chains and
 * user symbols, then without. A fuzz_prof_NAME.c names the format. */
#ifndef FUZZ_PROF_H
#define FUZZ_PROF_H

#include <stdint.h>
#include <stdlib.h>

#include "analyze/prof.h"

static int fuzz_prof(const struct prof_format *format, const uint8_t *data, size_t size)
{
	static const struct profile_options options[] = {
		{ .user_symbols = true, .chains = true }, { .event = NULL },
	};
	const struct prof_input in = { (const char *)data, size, "input" };

	format->probe(&in);
	for (int i = 0; i < 2; i++) {
		struct profile p;
		struct err err = ERR_INIT;
		uint64_t samples = 0;

		profile_init(&p);
		if (!format->load(&p, &in, &options[i], &err)) {
			for (size_t s = 0; s < p.nr_symbols; s++)
				samples += p.symbol[s].samples;
			if (samples != p.samples)
				abort();
		} else if (!err.text) {
			abort(); /* every failure has a sentence */
		}
		profile_release(&p);
		err_release(&err);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_PROF(format)                                                      \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)           \
	{                                                                      \
		return fuzz_prof(&format, data, size);                         \
	}

#endif
