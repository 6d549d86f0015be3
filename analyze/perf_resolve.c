// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses to symbols, each once. */
#include "perf_resolve.h"

#include <stdlib.h>
#include <sys/utsname.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define MAX_INLINED 16

struct elf_file {
	bool tried, good;
	struct elf_symbols symbols;
	uint32_t module; /* string id of its name */
	uint32_t unknown; /* symbol for addresses that no symbol covers */
};

/* What was found for an address. */
struct found {
	const char *name;
	uint32_t module; /* string id */
	enum profile_space space;
	uint64_t start, size, link; /* symbol's address, its size, link-time address */
};

/* ------------------------------------------------------------- kernel */

static uint32_t kernel_module(struct resolver *r, const struct perf_map *map)
{
	const char *path = r->spaces.files.name[map->file], *base, *dot;

	if (path[0] == '[') /* "[kernel.kallsyms]_text", "[ext4]" */
		return strncmp(path, "[kernel", 7) ?
			       strmap_add(&r->p->strings, path + 1, strcspn(path + 1, "]")) :
			       strmap_adds(&r->p->strings, "");
	base = strrchr(path, '/');
	base = base ? base + 1 : path;
	dot = strstr(base, ".ko");
	return strmap_add(&r->p->strings, base, dot ? (size_t)(dot - base) : strlen(base));
}

static bool find_kallsyms(struct resolver *r, uint64_t ip, struct found *f)
{
	struct perf_kernel *k = &r->kernel;
	const struct ksym *sym;
	uint64_t end;

	sym = kallsyms_find(&k->ks, ip - k->slide, &end);
	if (!sym)
		return false;
	f->name = kallsyms_name(&k->ks, sym);
	f->module = strmap_adds(&r->p->strings, kallsyms_module(&k->ks, sym));
	f->start = sym->addr + k->slide;
	f->size = end - sym->addr;
	f->link = ip - k->link_slide;
	return true;
}

static bool find_vmlinux(struct resolver *r, uint64_t ip, struct found *f)
{
	struct perf_kernel *k = &r->kernel;
	const struct elf_symbol *sym = elf_symbols_find(&k->vmlinux, ip - k->link_slide);

	if (!sym)
		return false;
	f->name = k->vmlinux.names + sym->name;
	f->start = sym->start + k->link_slide;
	f->size = sym->end - sym->start;
	f->link = ip - k->link_slide;
	return true;
}

static void find_in_kernel(struct resolver *r, uint64_t ip, struct found *f)
{
	const struct perf_map *map;

	f->space = SPACE_KERNEL;
	if (r->kernel.has_kallsyms && find_kallsyms(r, ip, f))
		return;
	if (r->kernel.has_vmlinux && find_vmlinux(r, ip, f))
		return;
	map = perf_spaces_find_kernel(&r->spaces, ip);
	if (map)
		f->module = kernel_module(r, map);
}

/* --------------------------------------------------------------- user */

static void set_module(struct resolver *r, struct elf_file *e, const char *path,
		       const struct perf_mapped_file *file)
{
	const char *base = strrchr(path, '/');
	struct profile_module *m;

	/* "//anon" and the like are no paths */
	base = base && base[1] && path[1] != '/' ? base + 1 : path;
	e->module = strmap_adds(&r->p->strings, base);
	m = profile_add_module(r->p, base);
	profile_set(&m->path, path);
	if (file->build_id_len) {
		memcpy(m->build_id, file->build_id, file->build_id_len);
		m->build_id_len = file->build_id_len;
	}
}

/* Build ids that the section at the end of a recording tells. */
static void take_build_ids(struct resolver *r)
{
	struct perf_build_id id;
	size_t pos = 0;

	while (perf_file_build_id(r->pf, &pos, &id)) {
		uint32_t at = strmap_find(&r->spaces.files, id.filename, id.filename_len);

		if (at == STRMAP_NONE || r->spaces.file[at].build_id_len)
			continue;
		memcpy(r->spaces.file[at].build_id, id.id, id.len);
		r->spaces.file[at].build_id_len = id.len;
	}
}

static struct elf_file *elf_of(struct resolver *r, uint32_t id)
{
	const char *path = r->spaces.files.name[id];
	struct perf_mapped_file *file = r->spaces.file + id;
	struct elf_file *e = r->elf + id;
	bool mismatch = false;

	if (e->tried)
		return e;
	e->tried = true;
	set_module(r, e, path, file);
	if (path[0] == '/' && path[1] != '/' && (file->build_id_len || r->same_machine))
		e->good = elf_symbols_open(&e->symbols, path, file->build_id,
					   file->build_id_len, &mismatch);
	if (mismatch)
		notes_add(&r->p->notes, "%s is here another build than the recorded one: its "
			  "symbols were not used", path);
	return e;
}

static void find_in_user(struct resolver *r, uint64_t ip, uint32_t space, uint64_t time,
			 struct found *f)
{
	const struct perf_map *map = NULL;
	const struct elf_symbol *sym;
	struct elf_file *e;
	uint64_t addr;

	f->space = SPACE_USER;
	if (space != IN_NOWHERE)
		map = perf_spaces_find(&r->spaces, space, ip, time);
	if (!map)
		return;
	e = elf_of(r, map->file);
	f->module = e->module;
	if (!e->good || !elf_symbols_addr(&e->symbols, ip - map->start + map->pgoff, &addr))
		return;
	sym = elf_symbols_find(&e->symbols, addr);
	if (!sym)
		return;
	f->name = e->symbols.names + sym->name;
	f->start = ip - (addr - sym->start);
	f->size = sym->end - sym->start;
	f->link = addr;
}

/* -------------------------------------------------------------- spots */

static uint32_t add_symbol(struct resolver *r, const struct found *f, const char *name,
			   uint32_t file)
{
	uint32_t n = strmap_adds(&r->p->strings, name), id;

	id = profile_symbol_ids(r->p, n, f->module, file, f->space);
	if (!r->p->symbol[id].size) {
		r->p->symbol[id].addr = f->start;
		r->p->symbol[id].size = f->size;
	}
	return id;
}

static void push_frame(struct resolver *r, struct spot *s, uint32_t symbol)
{
	GROW(r->frame, r->nr_frames, r->cap_frames);
	r->frame[r->nr_frames++] = symbol;
	s->nr_frames++;
}

/* Functions inlined there, innermost first, then the symbol itself. */
static void set_frames(struct resolver *r, struct spot *s, const struct found *f)
{
	const struct profile_inliner *in = r->options->inliner;
	uint32_t names[MAX_INLINED], files[MAX_INLINED] = { 0 };
	size_t n = 0;

	s->frames = (uint32_t)r->nr_frames;
	if (in && f->name)
		n = in->expand(in->data, &r->p->strings, f->module, f->name, f->link, names,
			       files, MAX_INLINED);
	while (n-- > 0) {
		uint32_t id = profile_symbol_ids(r->p, names[n], f->module, files[n], f->space);

		r->p->symbol[id].inlined = true;
		push_frame(r, s, id);
	}
	push_frame(r, s, add_symbol(r, f, f->name ? f->name : "[unknown]", 0));
	s->symbol = r->frame[s->frames];
	if (!f->name)
		return;
	s->offset = s->ip - f->start;
	s->start = f->link - s->offset;
	s->size = f->size;
}

/* Group 0 is the only one in such a table; "other" comes behind it. */
static bool is_listed(struct symbol_groups *table, const char *name)
{
	return table && symbol_groups_count(table) > 1 && symbol_groups_of(table, name) == 0;
}

static uint8_t part_of(struct symbol_groups *callers, const char *name)
{
	const char *group = callers ?
		symbol_groups_name(callers, symbol_groups_of(callers, name)) : "";
	uint8_t part = 0;

	while (part < NR_PROFILE_PARTS && strcmp(group, profile_part_name[part]))
		part++;
	return part;
}

static void resolve(struct resolver *r, struct spot *s, uint64_t time)
{
	struct found f = { .name = NULL, .module = 0, .space = SPACE_UNKNOWN };

	if (s->space == IN_KERNEL)
		find_in_kernel(r, s->ip, &f);
	else
		find_in_user(r, s->ip, s->space, time, &f);
	set_frames(r, s, &f);
	s->part = NR_PROFILE_PARTS;
	if (f.space != SPACE_KERNEL || !f.name)
		return;
	s->skids = is_listed(r->enabling, f.name);
	s->part = part_of(r->callers, f.name);
}

static inline size_t hash(uint64_t ip, uint32_t space)
{
	uint64_t h = (ip ^ (uint64_t)space << 40) * 0x9e3779b97f4a7c15ULL;

	return (size_t)(h ^ h >> 29);
}

static void grow_slots(struct resolver *r)
{
	free(r->slot);
	r->nr_slots = r->nr_slots ? r->nr_slots * 2 : 1024;
	r->slot = xcalloc(r->nr_slots, sizeof(*r->slot));
	for (size_t i = 0; i < r->nr_spots; i++) {
		size_t at = hash(r->spot[i].ip, r->spot[i].space) & (r->nr_slots - 1);

		while (r->slot[at])
			at = (at + 1) & (r->nr_slots - 1);
		r->slot[at] = (uint32_t)i + 1;
	}
}

struct spot *resolver_spot(struct resolver *r, uint64_t ip, uint32_t space, uint64_t time)
{
	size_t at = hash(ip, space) & (r->nr_slots - 1);
	uint32_t i;

	for (; (i = r->slot[at]); at = (at + 1) & (r->nr_slots - 1))
		if (r->spot[i - 1].ip == ip && r->spot[i - 1].space == space)
			return r->spot + i - 1;
	GROW(r->spot, r->nr_spots, r->cap_spots);
	r->spot[r->nr_spots] = (struct spot){ .ip = ip, .space = space };
	resolve(r, r->spot + r->nr_spots, time);
	r->slot[at] = (uint32_t)++r->nr_spots;
	if (r->nr_spots * 2 > r->nr_slots)
		grow_slots(r);
	return r->spot + r->nr_spots - 1;
}

/* -------------------------------------------------------------- life */

/* Which kernel it was: for those who look for its image later. */
static void note_kernel(struct resolver *r)
{
	struct profile_module *m = profile_add_module(r->p, "");

	memcpy(m->build_id, r->kernel.build_id, r->kernel.build_id_len);
	m->build_id_len = r->kernel.build_id_len;
}

static bool recorded_here(struct perf_file *pf)
{
	char *host = perf_file_string(pf, PERF_FEATURE_HOSTNAME);
	char *release = perf_file_string(pf, PERF_FEATURE_OSRELEASE);
	struct utsname u;
	bool same = host && release && uname(&u) == 0 && !strcmp(u.nodename, host) &&
		    !strcmp(u.release, release);

	free(host);
	free(release);
	return same;
}

static struct symbol_groups *load_table(struct resolver *r, const char *name)
{
	char *path = path_join(data_dir(), name);
	struct symbol_groups *table = NULL;
	struct err err = ERR_INIT;

	if (symbol_groups_load(&table, path, &err) < 0)
		notes_add(&r->p->notes, "%s", err_text(&err));
	err_release(&err);
	free(path);
	return table;
}

void resolver_init(struct resolver *r, struct profile *p, struct perf_file *pf,
		   const char *path, const struct profile_options *options)
{
	memset(r, 0, sizeof(*r));
	r->p = p;
	r->pf = pf;
	r->options = options;
	perf_spaces_build(&r->spaces, pf, options->user_symbols);
	take_build_ids(r);
	perf_kernel_open(&r->kernel, pf, &r->spaces, path, options, &p->notes);
	p->kernel_slide = r->kernel.link_slide;
	note_kernel(r);
	r->nr_elf = r->spaces.files.n;
	r->elf = xcalloc(r->nr_elf + 1, sizeof(*r->elf));
	r->same_machine = recorded_here(pf);
	grow_slots(r);
	if (options->unskid == UNSKID_ALWAYS)
		r->enabling = load_table(r, "irq-enabling.tsv");
	if (!options->chains)
		r->callers = load_table(r, "callers.tsv");
}

void resolver_release(struct resolver *r)
{
	for (size_t i = 0; i < r->nr_elf; i++)
		elf_symbols_close(&r->elf[i].symbols);
	free(r->elf);
	free(r->spot);
	free(r->slot);
	free(r->frame);
	symbol_groups_free(r->enabling);
	symbol_groups_free(r->callers);
	perf_kernel_close(&r->kernel);
	perf_spaces_release(&r->spaces);
}
