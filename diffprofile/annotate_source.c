// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of source files. A file is looked for in the folder that was given, by
 * ever shorter ends of its path (debug information has the builder's folders), or
 * where the path says. Paths come from debug files: only regular files are read.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "annotate_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/strbuf.h"

#define SOURCE_MAX (16u << 20)

struct source_file {
	struct strbuf text;
	size_t *start; /* of line i + 1; one more at the end */
	size_t nr_lines, cap;
};

struct source_cache {
	const char *folder; /* NULL: none */
	struct strmap paths;
	struct source_file *file; /* by id of paths */
	size_t cap;
};

struct source_cache *source_cache_new(const char *folder)
{
	struct source_cache *c = xcalloc(1, sizeof(*c));

	c->folder = folder;
	strmap_init(&c->paths);
	return c;
}

void source_cache_free(struct source_cache *c)
{
	for (size_t i = 0; i < c->paths.n; i++) {
		strbuf_release(&c->file[i].text);
		free(c->file[i].start);
	}
	free(c->file);
	strmap_release(&c->paths);
	free(c);
}

static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool climbs(const char *path)
{
	return !strncmp(path, "../", 3) || strstr(path, "/../");
}

static bool is_source(const char *path)
{
	static const char *const ends[] = { ".c", ".h", ".S", ".s", ".cc", ".cpp", ".cxx", ".hpp",
					    ".hh", ".inc", ".rs", ".go", ".y", ".l" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(ends); i++)
		if (!strcmp(dot, ends[i]))
			return true;
	return false;
}

char *annotation_source_path(const char *folder, const char *file)
{
	for (const char *rest = folder ? file : NULL; rest && *rest; rest = strchr(rest, '/')) {
		char *full;

		rest += strspn(rest, "/");
		full = path_join(folder, rest);
		if (!climbs(rest) && is_regular(full))
			return full;
		free(full);
	}
	/* a path that a debug file made up must not lead to anything but source */
	return file[0] == '/' && !climbs(file) && is_source(file) && is_regular(file) ?
		       xstrdup(file) : NULL;
}

static void find(const struct source_cache *c, const char *path, struct strbuf *sb)
{
	struct err err = ERR_INIT;
	char *full = annotation_source_path(c->folder, path);

	if (full && file_read(sb, full, SOURCE_MAX, &err) < 0)
		strbuf_reset(sb);
	err_release(&err);
	free(full);
}

static void find_lines(struct source_file *f)
{
	for (size_t at = 0; at < f->text.len;) {
		const char *end = memchr(f->text.buf + at, '\n', f->text.len - at);

		GROW(f->start, f->nr_lines, f->cap);
		f->start[f->nr_lines++] = at;
		at = end ? (size_t)(end - f->text.buf) + 1 : f->text.len;
	}
	GROW(f->start, f->nr_lines, f->cap);
	f->start[f->nr_lines] = f->text.len;
}

const char *source_cache_line(struct source_cache *c, const char *file, unsigned number,
			      size_t *len)
{
	size_t known = c->paths.n;
	uint32_t id = strmap_adds(&c->paths, file);
	struct source_file *f;

	if (id == known) {
		GROW(c->file, known, c->cap);
		c->file[id] = (struct source_file){ STRBUF_INIT, NULL, 0, 0 };
		find(c, file, &c->file[id].text);
		find_lines(c->file + id);
	}
	f = c->file + id;
	if (!number || number > f->nr_lines)
		return NULL;
	*len = f->start[number] - f->start[number - 1];
	while (*len && strchr("\r\n", f->text.buf[f->start[number - 1] + *len - 1]))
		(*len)--;
	return f->text.buf + f->start[number - 1];
}
