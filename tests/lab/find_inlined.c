// SPDX-License-Identifier: GPL-2.0-or-later
/* find_inlined VMLINUX START SIZE FUNCTION: where in the function at START (hex,
 * link-time) code of FUNCTION begins that was inlined there: offsets, one a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/inline.h"

static bool is_there(struct inliner *in, uint64_t addr, const char *function)
{
	const char *names[16];
	size_t n = inliner_names(in, addr, names, 16);

	return n && !strcmp(names[n - 1], function);
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct inliner *in;
	bool last = false;

	if (argc != 5 || inliner_open(&in, argv[1], &err) < 0) {
		fprintf(stderr, "find_inlined: %s\n", argc == 5 ? err_text(&err) : "usage");
		return 2;
	}
	for (uint64_t off = 0, start = strtoull(argv[2], NULL, 16); off < strtoull(argv[3], NULL, 16);
	     off++) {
		bool here = is_there(in, start + off, argv[4]);

		if (here && !last)
			printf("0x%llx\n", (unsigned long long)off);
		last = here;
	}
	inliner_close(in);
	return 0;
}
