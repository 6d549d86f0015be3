// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of records in a mapped temporary file. */
#include "tl_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "schedblame/alloc.h"

#define CHUNK_BYTES ((size_t)TL_CHUNK * TL_RECORD)
#define GROW_CHUNKS 256 /* the file grows by 16 MiB, later by a quarter */

void tl_store_init(struct tl_store *s)
{
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

void tl_store_release(struct tl_store *s)
{
	if (s->map)
		munmap(s->map, s->mapped * CHUNK_BYTES);
	if (s->fd >= 0)
		close(s->fd);
	tl_store_init(s);
}

void tl_row_release(struct tl_row *row)
{
	free(row->chunk);
	memset(row, 0, sizeof(*row));
}

static int open_temporary(struct tl_store *s, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	char *path;

	dir = dir && *dir ? dir : "/tmp";
	s->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd >= 0)
		return 0;
	path = xasprintf("%s/schedblame-XXXXXX", dir);
	s->fd = mkostemp(path, O_CLOEXEC);
	if (s->fd >= 0)
		unlink(path);
	free(path);
	return s->fd >= 0 ? 0 :
			    err_errno(err, errno,
				      "no temporary file for the timeline can be made in "
				      "%s; set TMPDIR to a folder with room",
				      dir);
}

/* posix_fallocate: a full disk is an error here, not a SIGBUS later. */
static int grow(struct tl_store *s, struct err *err)
{
	size_t more = s->mapped / 4 > GROW_CHUNKS ? s->mapped / 4 : GROW_CHUNKS;
	size_t chunks = s->mapped + more;
	void *map;
	int ret;

	if (s->fd < 0 && (ret = open_temporary(s, err)) < 0)
		return ret;
	ret = posix_fallocate(s->fd, (off_t)(s->mapped * CHUNK_BYTES),
			      (off_t)(more * CHUNK_BYTES));
	if (ret)
		return err_errno(err, ret,
				 "the timeline needs %zu MiB of temporary space; set "
				 "TMPDIR to a folder with room",
				 chunks * CHUNK_BYTES >> 20);
	map = s->map ? mremap(s->map, s->mapped * CHUNK_BYTES, chunks * CHUNK_BYTES,
			      MREMAP_MAYMOVE) :
		       mmap(NULL, chunks * CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			    s->fd, 0);
	if (map == MAP_FAILED)
		return err_errno(err, errno, "the timeline's file cannot be mapped");
	s->map = map;
	s->mapped = chunks;
	return 0;
}

void *tl_store_add(struct tl_store *s, struct tl_row *row, struct err *err)
{
	size_t chunks = row->n / TL_CHUNK;

	if (row->n % TL_CHUNK == 0) {
		if (s->used == s->mapped && grow(s, err) < 0)
			return NULL;
		GROW(row->chunk, chunks, row->cap);
		row->chunk[chunks] = (uint32_t)s->used++;
	}
	return tl_at(s, row, row->n++);
}
