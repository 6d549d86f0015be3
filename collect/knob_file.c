// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a knob lives on this kernel; reading and writing one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "kernelfs.h"
#include "knobs.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define VALUE_MAX 65536
#define SCHED_PREFIX "sched."
#define FEATURE_PREFIX "sched.features."

/* Files a knob may be, newest kernel first; %s is the name behind the prefix. */
static const struct place {
	enum knob_kind kind;
	const char *fs; /* NULL: an absolute path */
	const char *before, *prefix;
} places[] = {
	{ KNOB_SCHED, "debugfs", "sched/", SCHED_PREFIX },
	{ KNOB_SCHED, NULL, "/proc/sys/kernel/sched_", SCHED_PREFIX }, /* before 5.13 */
	{ KNOB_FEATURE, "debugfs", "sched/features", NULL },
	{ KNOB_FEATURE, "debugfs", "sched_features", NULL }, /* before 5.13 */
	{ KNOB_SYSCTL, NULL, "/proc/sys/", "" },
	{ KNOB_FILE, NULL, "", "" },
};

static int open_place(const struct place *place, const struct knob *knob, int flags,
		      struct err *err)
{
	char *path = xstrdup(place->before);
	int dir = AT_FDCWD, fd = -1;

	if (place->prefix) {
		free(path);
		path = xasprintf("%s%s", place->before, knob->name + strlen(place->prefix));
		for (char *p = path; knob->kind != KNOB_FILE && *p; p++)
			if (*p == '.')
				*p = '/';
	}
	if (place->fs)
		dir = kernelfs_open(place->fs, err);
	if (dir >= 0 || dir == AT_FDCWD) {
		fd = openat(dir, path, flags | O_CLOEXEC);
		if (fd < 0)
			fd = err_errno(err, errno, "cannot open %s%s%s of --set %s",
				       place->fs ? place->fs : "", place->fs ? " " : "", path,
				       knob->name);
		if (place->fs)
			close(dir);
	} else {
		fd = dir;
		err_prefix(err, "--set %s", knob->name);
	}
	free(path);
	return fd;
}

static const char *hint(int code)
{
	if (code != EACCES && code != EPERM)
		return "";
	return geteuid() ? " (run as root)" : " (kernel lockdown, or a container)";
}

static int knob_open(const struct knob *knob, int flags, struct err *err)
{
	int fd = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct err own = ERR_INIT;

		if (places[i].kind != knob->kind)
			continue;
		fd = open_place(&places[i], knob, flags, &own);
		/* the newest place's sentence says most */
		if (fd < 0 && err && !err->code)
			err_set(err, own.code, "%s%s", err_text(&own), hint(own.code));
		err_release(&own);
		if (fd >= 0)
			break;
	}
	if (fd >= 0 && err)
		err_release(err);
	return fd;
}

/* "on" or "off" of one feature in "A NO_B C". */
static const char *feature_value(const char *list, const char *feature)
{
	size_t len = strlen(feature);

	for (const char *p = list; *p;) {
		size_t n = strcspn(p, " \n");
		bool off = n == len + 3 && !strncmp(p, "NO_", 3);

		if ((n == len || off) && !strncmp(p + (off ? 3 : 0), feature, len))
			return off ? "off" : "on";
		p += n + strspn(p + n, " \n");
	}
	return NULL;
}

static int read_fd(int fd, struct strbuf *sb)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0 && sb->len < VALUE_MAX)
		strbuf_add(sb, buf, (size_t)n);
	return n < 0 ? -errno : 0;
}

int knob_read(const struct knob *knob, char **value, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int fd = knob_open(knob, O_RDONLY, err), ret;
	const char *found;

	if (fd < 0)
		return fd;
	ret = read_fd(fd, &text);
	close(fd);
	if (ret < 0) {
		ret = err_errno(err, -ret, "cannot read --set %s", knob->name);
	} else if (knob->kind == KNOB_FEATURE) {
		found = feature_value(text.buf, knob->name + strlen(FEATURE_PREFIX));
		if (found)
			*value = xstrdup(found);
		else
			ret = err_set(err, ENOENT, "this kernel has no scheduler feature %s",
				      knob->name + strlen(FEATURE_PREFIX));
	} else {
		strbuf_rtrim(&text);
		*value = xstrdup(text.len ? host_choice(text.buf) : "");
	}
	strbuf_release(&text);
	return ret;
}

int knob_write(const struct knob *knob, const char *value, struct err *err)
{
	int fd = knob_open(knob, O_WRONLY, err), ret;
	char *text;

	if (fd < 0)
		return fd;
	if (knob->kind == KNOB_FEATURE)
		text = xasprintf("%s%s", strcmp(value, "off") ? "" : "NO_",
				 knob->name + strlen(FEATURE_PREFIX));
	else
		text = xstrdup(*value ? value : "\n"); /* no bytes are no write */
	ret = write_full(fd, text, strlen(text));
	close(fd);
	free(text);
	if (ret < 0)
		return err_errno(err, -ret, "the kernel refuses '%s' for --set %s", value,
				 knob->name);
	return 0;
}
