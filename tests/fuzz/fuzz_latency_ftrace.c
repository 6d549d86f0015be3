// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of the function graph tracer, each in memory of its own size: what it names
 * lies in the line, and a call was not longer than its digits can say. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#if __has_include("sched_shared.h") /* built with BPF */
#include "collect/latency_ftrace.h"

static void check_line(const char *line)
{
	size_t len = 0, all = strlen(line);
	const char *name = NULL;
	uint64_t value = 0;

	if (latency_ftrace_parse(line, &name, &len, &value) != FTRACE_CALL)
		return;
	if (!name || name < line || !len || name + len > line + all)
		abort();
	if (memchr(name, ' ', len) || value > UINT64_MAX / 2 + 1000)
		abort();
}
#else
static void check_line(const char *line)
{
	(void)line;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		char *line = xstrndup(p, (size_t)((nl ? nl : end) - p));

		check_line(line);
		free(line);
		p = nl ? nl + 1 : end;
	}
	return 0;
}
