// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pattern files and the output they look at, both foreign. Input: a first byte
 * that chooses; odd: the rest is a pattern file, NUL, output; even: the rest is
 * output for the installed patterns.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collect/metrics.h"
#include "collect/patterns.h"

#define EXPRESSIONS_MAX 2000 /* bytes: the C library's compiler is not our subject */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void look(const struct patterns *set, const uint8_t *out, size_t len)
{
	char *command[] = { (char *)"perf", (char *)"bench", (char *)"sched",
			    (char *)"messaging", NULL };
	struct metrics_input in = { command, (const char *)out, len, "", 0, 1 };
	struct notes notes = { 0 };

	json_decref(metrics_find(set, &in, &notes));
	notes_release(&notes);
}

static void own_patterns(const uint8_t *data, size_t len)
{
	const uint8_t *end = memchr(data, 0, len);
	size_t n = end ? (size_t)(end - data) : len;
	struct patterns set = { 0 };
	struct err err = ERR_INIT;
	char *text;

	if (n > EXPRESSIONS_MAX)
		return;
	text = strndup((const char *)data, n);
	if (patterns_parse(&set, text, "fuzz", true, &err) == 0)
		look(&set, data + n, len - n);
	err_release(&err);
	patterns_release(&set);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct patterns installed;
	struct notes notes = { 0 };

	if (!len)
		return 0;
	if (data[0] & 1) {
		own_patterns(data + 1, len - 1);
		return 0;
	}
	if (!installed.n)
		patterns_load_installed(&installed, &notes);
	notes_release(&notes);
	look(&installed, data + 1, len - 1);
	return 0;
}
