// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole reads with a bound, maps, atomic writes, folders. */
#include "schedblame/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedblame/alloc.h"

#define READ_MAX_DEFAULT (1UL << 30)
#define READ_CHUNK 65536

int file_read_at(struct strbuf *sb, int dirfd, const char *path, size_t max,
		 struct err *err)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	size_t start = sb->len, chunk = READ_CHUNK;
	struct stat st;
	ssize_t n;

	if (!max)
		max = READ_MAX_DEFAULT;
	if (fd < 0)
		return err_errno(err, errno, "cannot open %s", path);
	/* one more than the size, so that the end is seen without growing again */
	if (!fstat(fd, &st) && st.st_size > READ_CHUNK && (size_t)st.st_size <= max)
		chunk = (size_t)st.st_size + 1;
	for (;;) {
		strbuf_grow(sb, chunk);
		n = read(fd, sb->buf + sb->len, chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		strbuf_setlen(sb, sb->len + (size_t)n);
		chunk = chunk > (size_t)n ? chunk - (size_t)n : READ_CHUNK;
		if (sb->len - start > max) {
			close(fd);
			return err_set(err, EFBIG, "%s is larger than %zu bytes", path, max);
		}
	}
	if (n < 0) {
		int code = errno;

		close(fd);
		return err_errno(err, code, "cannot read %s", path);
	}
	close(fd);
	return 0;
}

int file_read(struct strbuf *sb, const char *path, size_t max, struct err *err)
{
	return file_read_at(sb, AT_FDCWD, path, max, err);
}

int file_read_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0) {
		n = -errno;
		close(fd);
		return (int)n;
	}
	close(fd);
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int file_map_open(struct file_map *map, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	memset(map, 0, sizeof(*map));
	map->data = (const unsigned char *)"";
	if (fd < 0)
		return err_errno(err, errno, "cannot open %s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, EINVAL, "%s is not a regular file", path);
	}
	if (st.st_size > 0) {
		map->addr = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map->addr == MAP_FAILED) {
			int code = errno;

			map->addr = NULL;
			close(fd);
			return err_errno(err, code, "cannot map %s", path);
		}
		map->data = map->addr;
		map->len = (size_t)st.st_size;
	}
	close(fd);
	return 0;
}

void file_map_close(struct file_map *map)
{
	if (map->addr)
		munmap(map->addr, map->len);
	memset(map, 0, sizeof(*map));
}

int write_full(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_write_atomic(int dirfd, const char *path, const void *data, size_t len,
		      mode_t mode, struct err *err)
{
	char *tmp = xasprintf("%s.tmp%d", path, (int)getpid());
	int fd = openat(dirfd, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	int code = 0;

	if (fd < 0) {
		code = errno;
		free(tmp);
		return err_errno(err, code, "cannot create %s", path);
	}
	code = -write_full(fd, data, len);
	if (!code && fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
		code = errno;
	if (close(fd) < 0 && !code)
		code = errno;
	if (!code && renameat(dirfd, tmp, dirfd, path) < 0)
		code = errno;
	if (code)
		unlinkat(dirfd, tmp, 0);
	free(tmp);
	return code ? err_errno(err, code, "cannot write %s", path) : 0;
}

int file_write_at(int dirfd, const char *path, const void *data, size_t len,
		  mode_t mode, struct err *err)
{
	int fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	int code;

	if (fd < 0)
		return err_errno(err, errno, "cannot create %s", path);
	code = -write_full(fd, data, len);
	if (close(fd) < 0 && !code)
		code = errno;
	return code ? err_errno(err, code, "cannot write %s", path) : 0;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool dir_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int make_dirs(const char *path, struct err *err)
{
	char *copy = xstrdup(path);
	int ret = 0;

	for (char *p = copy + 1;; p++) {
		if (*p && *p != '/')
			continue;
		char c = *p;

		*p = '\0';
		if (mkdir(copy, 0777) < 0 && !(errno == EEXIST && dir_exists(copy))) {
			ret = err_errno(err, errno, "cannot create folder %s", copy);
			break;
		}
		*p = c;
		if (!c)
			break;
	}
	free(copy);
	return ret;
}

static int remove_at(int dirfd, const char *name, const char *shown, struct err *err)
{
	int fd, ret = 0;
	struct dirent *e;
	DIR *dir;

	if (unlinkat(dirfd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return err_errno(err, errno, "cannot remove %s", shown);
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		ret = err_errno(err, errno, "cannot remove %s", shown);
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		ret = remove_at(fd, e->d_name, e->d_name, err);
	}
	closedir(dir);
	if (!ret && unlinkat(dirfd, name, AT_REMOVEDIR) < 0)
		ret = err_errno(err, errno, "cannot remove %s", shown);
	return ret;
}

int remove_tree(const char *path, struct err *err)
{
	return remove_at(AT_FDCWD, path, path, err);
}

char *path_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);

	return xasprintf("%s%s%s", dir, len && dir[len - 1] == '/' ? "" : "/", name);
}

char *path_base(const char *path)
{
	size_t len = strlen(path), start;

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (start = len; start > 0 && path[start - 1] != '/'; start--)
		;
	return xstrndup(path + start, len - start);
}

static char built_dir[PATH_MAX];

static void find_data_dir(void)
{
	/* installed: PREFIX/bin; built: TREE/build/PRESET/bin */
	static const char *const try[] = { "../share/schedblame", "../../../data",
					   "../../data" };
	char exe[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; slash && i < ARRAY_SIZE(try); i++)
		if (snprintf(built_dir, sizeof(built_dir), "%s/%s", exe, try[i]) <
			    (int)sizeof(built_dir) &&
		    dir_exists(built_dir))
			return;
	snprintf(built_dir, sizeof(built_dir), "/usr/share/schedblame");
}

const char *data_dir(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *env = getenv("SCHEDBLAME_DATADIR");

	if (env && *env)
		return env;
	pthread_once(&once, find_data_dir);
	return built_dir;
}
