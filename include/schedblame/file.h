/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files: whole reads with a bound, maps, and writes that appear all at once.
 */
#ifndef SCHEDBLAME_FILE_H
#define SCHEDBLAME_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "schedblame/err.h"
#include "schedblame/strbuf.h"

/*
 * Appends the whole file to sb. /proc and /sys files (size 0) work. A file of
 * more than max bytes is refused with -EFBIG; max 0 means 1 GiB.
 */
int file_read(struct strbuf *sb, const char *path, size_t max, struct err *err);
/* The same, relative to dirfd (AT_FDCWD allowed). The sentence names path. */
int file_read_at(struct strbuf *sb, int dirfd, const char *path, size_t max,
		 struct err *err);
/* First line without its newline into buf; -errno without a sentence. */
int file_read_line(const char *path, char *buf, size_t size);

/* A read-only map. len 0 gives data == "" and is no error. */
struct file_map {
	const unsigned char *data;
	size_t len;
	void *addr; /* what munmap needs */
};
int file_map_open(struct file_map *map, const char *path, struct err *err);
void file_map_close(struct file_map *map);

/*
 * Writes data to path by a temporary beside it, fsync and rename: readers see
 * the old file or the whole new one. mode as for open(2).
 */
int file_write_atomic(int dirfd, const char *path, const void *data, size_t len,
		      mode_t mode, struct err *err);
/* The same in place and without fsync: for files of a folder that is itself
 * renamed when it is whole. */
int file_write_at(int dirfd, const char *path, const void *data, size_t len,
		  mode_t mode, struct err *err);
/* write(2) until done; -errno on failure (-ENOSPC on a full disk). */
int write_full(int fd, const void *data, size_t len);

bool file_exists(const char *path);
bool dir_exists(const char *path);
/* mkdir -p. */
int make_dirs(const char *path, struct err *err);
/* Removes a tree we made ourselves; never follows symbolic links. */
int remove_tree(const char *path, struct err *err);
/* "dir/name" in a new string. */
char *path_join(const char *dir, const char *name);
/* What follows the last '/', trailing slashes ignored; a new string. */
char *path_base(const char *path);

/*
 * Folder of the installed data files (symbol renames, workload patterns):
 * $SCHEDBLAME_DATADIR, else <exe>/../share/schedblame, else the source tree the
 * binary was built from. Static storage.
 */
const char *data_dir(void);

#endif
