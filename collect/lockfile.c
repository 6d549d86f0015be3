// SPDX-License-Identifier: GPL-2.0-or-later
/* Lock files that are removed with the lock. */
#include "lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The holder before us may have removed the file that we locked. */
static bool still_there(int fd, const char *path)
{
	struct stat mine, there;

	return fstat(fd, &mine) == 0 && stat(path, &there) == 0 &&
	       mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

int lockfile_take(const char *path, bool wait)
{
	for (;;) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		int ret;

		if (fd < 0)
			return -errno;
		do {
			ret = flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB));
		} while (ret < 0 && errno == EINTR);
		if (ret < 0) {
			ret = -errno;
			close(fd);
			return ret;
		}
		if (still_there(fd, path))
			return fd;
		close(fd);
	}
}

void lockfile_drop(const char *path, int fd)
{
	unlink(path);
	close(fd);
}

bool lockfile_held(const char *path)
{
	int fd;

	if (access(path, F_OK) < 0)
		return false;
	fd = lockfile_take(path, false);
	if (fd < 0)
		return fd == -EWOULDBLOCK;
	lockfile_drop(path, fd);
	return false;
}
