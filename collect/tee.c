// SPDX-License-Identifier: GPL-2.0-or-later
/* The workload's output, followed in its file and shown on stderr. */
#include "tee.h"

#include <string.h>
#include <unistd.h>

#include "schedblame/file.h"
#include "schedblame/progress.h"
#include "schedblame/strbuf.h"
#include "schedblame/text.h"

/* A terminal must not see control characters of a foreign program; lines stay. */
static void show(const char *text, size_t len)
{
	struct strbuf sb = STRBUF_INIT;

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		text_add_utf8(&sb, text, n);
		if (end) {
			strbuf_addch(&sb, '\n');
			n++;
		}
		text += n;
		len -= n;
	}
	write_full(STDERR_FILENO, sb.buf, sb.len);
	strbuf_release(&sb);
}

void tee_pump(struct tee *tee)
{
	char buf[16384];
	ssize_t n;

	if (tee->quiet)
		return;
	while ((n = pread(tee->fd, buf, sizeof(buf), tee->shown)) > 0) {
		progress_end();
		if (isatty(STDERR_FILENO))
			show(buf, (size_t)n);
		else
			write_full(STDERR_FILENO, buf, (size_t)n);
		tee->shown += n;
	}
}
