// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening any input file: plain, wrapped, or standard input. */
#include "schedblame/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "unwrap.h"

#define COPY_CHUNK 65536

/* A file that has no name any more. */
static int temp_file(struct err *err)
{
	const char *dir = getenv("TMPDIR");
	char *path;
	int fd, code;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	path = path_join(dir, "schedblame-XXXXXX");
	fd = mkostemp(path, O_CLOEXEC);
	code = errno;
	if (fd >= 0)
		unlink(path);
	free(path);
	if (fd < 0)
		return err_errno(err, code, "cannot make a temporary file in %s", dir);
	return fd;
}

static int map_fd(struct input *in, int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "cannot look at %s", in->name);
	if (S_ISDIR(st.st_mode))
		return err_set(err, EISDIR, "%s is a folder; expected a file", in->name);
	if (st.st_size <= 0)
		return 0;
	in->map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (in->map == MAP_FAILED) {
		in->map = NULL;
		return err_errno(err, errno, "cannot map %s", in->name);
	}
	in->data = in->map;
	in->len = (size_t)st.st_size;
	in->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return 0;
}

static void unmap(struct input *in)
{
	if (in->map)
		munmap(in->map, in->len);
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
	in->map = NULL;
	in->data = (const unsigned char *)"";
	in->len = 0;
}

/* Pipes, terminals and /proc files cannot be mapped. */
static int copy_stream(struct input *in, int fd, struct err *err)
{
	char buf[COPY_CHUNK];
	int tmp = temp_file(err), ret = 0;
	ssize_t n;

	if (tmp < 0)
		return tmp;
	while (!ret) {
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			ret = err_errno(err, errno, "cannot read %s", in->name);
		if (n <= 0)
			break;
		ret = write_full(tmp, buf, (size_t)n);
		if (ret < 0)
			err_errno(err, -ret, "cannot keep a copy of %s", in->name);
	}
	if (!ret)
		ret = map_fd(in, tmp, err);
	close(tmp);
	return ret;
}

/* /dev/zero and its kin never end; a terminal and /dev/null do. */
static bool is_endless(int fd, const struct stat *st)
{
	return S_ISBLK(st->st_mode) ||
	       (S_ISCHR(st->st_mode) && !isatty(fd) && st->st_rdev != makedev(1, 3));
}

static int load(struct input *in, const char *path, struct err *err)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) :
				     dup(STDIN_FILENO);
	struct stat st;
	int ret;

	if (fd < 0)
		return err_errno(err, errno, "cannot open %s", in->name);
	if (fstat(fd, &st) < 0)
		ret = err_errno(err, errno, "cannot look at %s", in->name);
	else if (is_endless(fd, &st))
		ret = err_set(err, EINVAL, "%s is a device; expected a file, a pipe or '-'",
			      in->name);
	else if ((S_ISREG(st.st_mode) && st.st_size) || S_ISDIR(st.st_mode))
		ret = map_fd(in, fd, err);
	else
		ret = copy_stream(in, fd, err);
	close(fd);
	return ret;
}

/* Replaces the wrapped content by what is inside. */
static int unwrap(struct input *in, const struct wrapper *wrapper, struct err *err)
{
	struct input inner = { .data = (const unsigned char *)"", .name = in->name, .fd = -1 };
	int fd = temp_file(err), ret;

	if (fd < 0)
		return fd;
	ret = wrapper->unpack(in->data, in->len, fd, in->name, err);
	if (!ret)
		ret = map_fd(&inner, fd, err);
	close(fd);
	if (ret < 0)
		return ret;
	unmap(in);
	in->data = inner.data;
	in->len = inner.len;
	in->map = inner.map;
	in->fd = inner.fd;
	if (!in->wrapper)
		in->wrapper = wrapper->name;
	return 0;
}

int input_open(struct input *in, const char *path, struct err *err)
{
	const struct wrapper *wrapper;
	int ret;

	memset(in, 0, sizeof(*in));
	in->fd = -1;
	in->data = (const unsigned char *)"";
	in->name = xstrdup(strcmp(path, "-") ? path : "standard input");
	ret = load(in, path, err);
	for (int i = 0; !ret && (wrapper = wrapper_of(in->data, in->len)); i++) {
		if (i == INPUT_MAX_WRAPS)
			ret = err_set(err, EINVAL, "%s is wrapped more than %d times",
				      in->name, INPUT_MAX_WRAPS);
		else
			ret = unwrap(in, wrapper, err);
	}
	if (ret < 0)
		input_close(in);
	return ret;
}

void input_memory(struct input *in, const void *data, size_t len, const char *name)
{
	memset(in, 0, sizeof(*in));
	in->fd = -1;
	in->data = len ? data : (const void *)"";
	in->len = len;
	in->name = xstrdup(name);
}

void input_close(struct input *in)
{
	unmap(in);
	free(in->name);
	memset(in, 0, sizeof(*in));
	in->fd = -1;
	in->data = (const unsigned char *)"";
}

void input_sequential(const struct input *in)
{
	if (in->map)
		madvise(in->map, in->len, MADV_SEQUENTIAL);
}

void input_drop(const struct input *in, uint64_t from, uint64_t to)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	from = (from + page - 1) / page * page;
	to = to / page * page;
	if (in->map && to > from && to <= in->len)
		madvise((char *)in->map + from, to - from, MADV_DONTNEED);
}
