// SPDX-License-Identifier: GPL-2.0-or-later
/* Files with debug information by build id: local places, then debuginfod. */
#include "schedblame/debug_file.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/build_id.h"
#include "schedblame/file.h"
#include "schedblame/strbuf.h"

static char *check(char *path, const unsigned char *id, size_t n)
{
	unsigned char found[BUILD_ID_MAX];

	if (file_exists(path) && build_id_of_file(path, found) == n && !memcmp(found, id, n))
		return path;
	free(path);
	return NULL;
}

static char *find_vmlinux(const unsigned char *id, size_t n, const char *release)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s", "/usr/lib/debug/lib/modules/%s/vmlinux",
		"/usr/lib/debug/usr/lib/modules/%s/vmlinux", "/boot/vmlinux-%s",
		"/lib/modules/%s/build/vmlinux", "/lib/modules/%s/vmlinux",
	};
	char *path = NULL;

	if (!*release || strchr(release, '/')) /* it comes from a recording */
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !path; i++) {
		const char *mark = strstr(places[i], "%s");

		path = check(xasprintf("%.*s%s%s", (int)(mark - places[i]), places[i],
				       release, mark + 2), id, n);
	}
	return path;
}

char *debug_file_detached(const unsigned char *id, size_t n)
{
	struct strbuf sb = STRBUF_INIT;
	char *path;

	if (n < 3)
		return NULL;
	strbuf_addf(&sb, "/usr/lib/debug/.build-id/%02x/", id[0]);
	for (size_t i = 1; i < n; i++)
		strbuf_addf(&sb, "%02x", id[i]);
	strbuf_addstr(&sb, ".debug");
	path = strbuf_detach(&sb);
	if (file_exists(path))
		return path;
	free(path);
	return NULL;
}

/* A client of the library's: what it found, or did not find, it keeps on disk. */
static char *ask_client(const unsigned char *id, size_t n)
{
	void *lib = dlopen("libdebuginfod.so.1", RTLD_NOW);
	void *(*begin)(void), (*end)(void *);
	int (*find)(void *, const unsigned char *, int, char **);
	char *path = NULL;
	void *client;
	int fd;

	if (!lib)
		return NULL;
	*(void **)&begin = dlsym(lib, "debuginfod_begin");
	*(void **)&end = dlsym(lib, "debuginfod_end");
	*(void **)&find = dlsym(lib, "debuginfod_find_debuginfo");
	client = begin && end && find ? begin() : NULL;
	if (client) {
		fd = find(client, id, (int)n, &path);
		if (fd >= 0)
			close(fd);
		end(client);
	}
	dlclose(lib);
	return path;
}

/*
 * Only where the user has set it up; the library is optional. One at a time: the
 * repeats of a run want the same file, and the second finds it on disk.
 */
static char *ask_debuginfod(const unsigned char *id, size_t n)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *path;

	if (!urls || !*urls)
		return NULL;
	pthread_mutex_lock(&lock);
	path = ask_client(id, n);
	pthread_mutex_unlock(&lock);
	return path;
}

char *debug_file_find(const unsigned char *id, size_t n, const char *release)
{
	char *path = NULL;

	if (!n || n > BUILD_ID_MAX)
		return NULL;
	if (release)
		path = find_vmlinux(id, n, release);
	if (!path)
		path = debug_file_detached(id, n);
	return path ? path : ask_debuginfod(id, n);
}
