// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file with a function's code: the kernel image that was given or that the
 * build id leads to, the running kernel's memory when it is the recorded one, the
 * program or library that was mapped. Never that of another build.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/build_id.h"
#include "schedblame/debug_file.h"

static const struct profile_module *module_of(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->nr_modules; i++)
		if (!strcmp(p->strings.name[p->module[i].name], name))
			return p->module + i;
	return NULL;
}

static bool is_running_kernel(const struct profile_module *m)
{
	unsigned char id[BUILD_ID_MAX];
	size_t n = build_id_of_kernel(id);

	return m && n && n == m->build_id_len && !memcmp(id, m->build_id, n);
}

/* By where the running kernel has that function: another boot moved it. */
static int open_running(struct code_image **img, const struct side_body *body,
			const char *name, const char *module, struct err *err)
{
	struct kallsyms ks;
	const struct ksym *sym;
	uint64_t slide = 0;
	int ret = kallsyms_open(&ks, "/proc/kallsyms", err);

	sym = !ret ? kallsyms_lookup(&ks, name, module) : NULL;
	if (!ret && (!sym || !sym->addr))
		ret = err_set(err, ENOENT, "/proc/kallsyms does not tell where %s is", name);
	if (!ret)
		slide = sym->addr - body->start;
	kallsyms_close(&ks);
	return ret ? ret : code_image_open_kcore(img, slide, err);
}

/* "6.1.0-57-cloud-amd64", "6.12.117+deb12-amd64" */
static bool is_debian(const char *release)
{
	return strstr(release, "+deb") || strstr(release, "-amd64") || strstr(release, "-arm64");
}

static void say_what_to_give(const struct profile *p, const char *name, const char *module,
			     const struct err *why, struct err *err)
{
	const char *release = *p->kernel_release ? p->kernel_release : "VERSION";

	if (*module)
		err_set(err, ENODATA, "the code of %s [%s] is not at hand%s%s: modules can be "
			"annotated only on the kernel that was recorded, from /proc/kcore",
			name, module, why->code ? "; " : "", why->code ? err_text(why) : "");
	else
		err_set(err, ENODATA, "the code of %s is not at hand%s%s: give the kernel image "
			"of %s by --vmlinux FILE%s%s%s", name, why->code ? "; " : "",
			why->code ? err_text(why) : "", release,
			is_debian(release) ? " (Debian: package linux-image-" : "",
			is_debian(release) ? release : "", is_debian(release) ? "-dbg)" : "");
}

static int open_kernel(struct code_image **img, struct annotate *an, int side,
		       const struct side_body *body, const char *module, struct err *err)
{
	const char *given = an->options->vmlinux[side], *name;
	const struct profile_module *m = module_of(body->profile, "");
	const unsigned char *id = m ? m->build_id : NULL;
	size_t n = m ? m->build_id_len : 0;
	struct err why = ERR_INIT;
	char *found = NULL;
	int ret = -ENODATA;

	name = an->a->strings.name[body->name];
	if (!*module && given)
		return code_image_open(img, given, id, n, err);
	if (!*module)
		found = debug_file_find(id, n, body->profile->kernel_release);
	if (found)
		ret = code_image_open(img, found, id, n, err);
	else if (is_running_kernel(m) &&
		 open_running(img, body, name, module, &why) == 0)
		ret = 0;
	free(found);
	if (ret == -ENODATA && !err->code)
		say_what_to_give(body->profile, name, module, &why, err);
	err_release(&why);
	return ret;
}

static int open_user(struct code_image **img, const struct side_body *body,
		     const char *module, struct err *err)
{
	const struct profile_module *m = module_of(body->profile, module);

	if (!m || !m->path || m->path[0] != '/' || m->path[1] == '/')
		return err_set(err, ENODATA, "the code of %s was in no file", module);
	return code_image_open(img, m->path, m->build_id, m->build_id_len, err);
}

/* One image per module; modules of the kernel are opened by function. */
static struct code_image *opened(const struct side_code *s, const char *key)
{
	for (size_t i = 0; i < s->nr_images; i++)
		if (!strcmp(s->image_of[i], key))
			return s->image[i];
	return NULL;
}

struct code_image *annotate_image(struct annotate *an, int side, const struct side_body *body)
{
	struct side_code *s = an->side + side;
	const struct profile_symbol *sym = body->profile->symbol + body->symbol;
	const char *module = profile_module_name(body->profile, body->symbol);
	bool kernel = sym->space == SPACE_KERNEL;
	char *key = kernel && *module ?
			    xasprintf("[%s] %s", module, an->a->strings.name[body->name]) :
			    xstrdup(module);
	struct code_image *img = opened(s, key);
	struct err err = ERR_INIT;
	size_t n = s->nr_images;

	if (!img && (kernel ? open_kernel(&img, an, side, body, module, &err) :
			      open_user(&img, body, module, &err)) < 0) {
		free(s->why);
		s->why = xstrdup(err_text(&err));
		err_release(&err);
		free(key);
		return NULL;
	}
	if (img == opened(s, key)) {
		free(key);
		return img;
	}
	GROW(s->image, n, s->cap_images);
	GROW(s->image_of, n, s->cap_image_of);
	s->image[n] = img;
	s->image_of[n] = key;
	s->nr_images++;
	return img;
}
