// SPDX-License-Identifier: GPL-2.0-or-later
/* debugfs and tracefs by descriptor, mounted or not. */
#include "kernelfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "schedblame/file.h"

const char *kernelfs_mounted(const char *type)
{
	static char where[PATH_MAX];
	struct mntent entry, *m;
	char buf[4096];
	FILE *f = setmntent("/proc/self/mounts", "re");

	where[0] = '\0';
	while (f && (m = getmntent_r(f, &entry, buf, sizeof(buf)))) {
		if (strcmp(m->mnt_type, type) || strlen(m->mnt_dir) >= sizeof(where))
			continue;
		strcpy(where, m->mnt_dir);
		break;
	}
	if (f)
		endmntent(f);
	return where[0] ? where : NULL;
}

static int detached_mount(const char *type)
{
	int fs = fsopen(type, FSOPEN_CLOEXEC), fd = -1, code;

	if (fs < 0)
		return -errno;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	code = errno;
	close(fs);
	return fd < 0 ? -code : fd;
}

int kernelfs_open(const char *type, struct err *err)
{
	const char *where = kernelfs_mounted(type);
	int fd;

	if (where) {
		fd = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return err_errno(err, errno, "cannot open %s at %s", type, where);
		return fd;
	}
	fd = detached_mount(type);
	if (fd < 0)
		return err_errno(err, -fd, "%s is not mounted and cannot be", type);
	return fd;
}

int kernelfs_read(struct strbuf *sb, const char *type, const char *file, size_t max,
		  struct err *err)
{
	int dir = kernelfs_open(type, err), ret;

	if (dir < 0)
		return dir;
	ret = file_read_at(sb, dir, file, max, err);
	close(dir);
	return ret;
}
