// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of a perf.data through both ways of reading it, a window on a file and the
 * whole in memory: what both read to the end must be the same. Then all passes. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz_events.h"
#include "schedblame/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct seen {
	uint64_t n, hash;
	int end; /* 0, or the error */
};

static void mix(struct seen *seen, uint64_t v)
{
	seen->hash = (seen->hash ^ v) * 0x9e3779b97f4a7c15ULL;
	seen->hash ^= seen->hash >> 29;
}

static bool read_all(struct seen *seen, const struct input *in)
{
	struct event_stream *s;
	const struct event *ev;
	int ret;

	memset(seen, 0, sizeof(*seen));
	if (event_stream_open_input(&s, in, NULL))
		return false;
	while ((ret = event_stream_next(s, &ev, NULL)) > 0) {
		seen->n++;
		mix(seen, ev->ts);
		mix(seen, (uint64_t)ev->type << 32 | ev->cpu);
		mix(seen, (uint64_t)(uint32_t)ev->pid);
	}
	seen->end = ret;
	event_stream_close(s);
	return true;
}

/* A name and bytes that the kernel also has in a file. */
static int file_of(const uint8_t *data, size_t len)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct seen whole, window;
	struct input in;
	bool opens;

	if (len < 8 || memcmp(data, "PERFILE2", 8)) /* other formats have no window */
		return 0;
	input_memory(&in, data, len, "fuzz");
	opens = read_all(&whole, &in);
	in.fd = file_of(data, len);
	if (opens != read_all(&window, &in))
		abort();
	if (opens && whole.end == 0 && window.end == 0 &&
	    (whole.n != window.n || whole.hash != window.hash))
		abort();
	in.fd = -1; /* not the input's to close */
	input_close(&in);
	if (opens)
		fuzz_events(data, len);
	return 0;
}
