// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which symbols fit the recorded kernel: those given, those beside the file (a
 * run directory), the running kernel's when it is the same by build id, or a
 * vmlinux found by build id. Those of another kernel are never used silently.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "perf_resolve.h"
#include "schedblame/alloc.h"
#include "schedblame/build_id.h"
#include "schedblame/debug_file.h"
#include "schedblame/file.h"

#define SLIDE_MAX (UINT64_C(1) << 31) /* KASLR moves the image by less */
#define X86_TEXT UINT64_C(0xffffffff81000000)

struct reference {
	const struct perf_map *map;
	char *symbol; /* whose address the mapping's pgoff is; owned */
};

/* The mapping "[kernel.kallsyms]_text". */
static struct reference find_reference(const struct perf_spaces *spaces)
{
	static const char prefix[] = "[kernel.kallsyms]";
	struct reference ref = { NULL, NULL };

	for (size_t i = 0; i < spaces->kernel.n && !ref.map; i++) {
		const struct perf_map *m = spaces->kernel.map + i;
		const char *name = spaces->files.name[m->file];

		if (strncmp(name, prefix, sizeof(prefix) - 1))
			continue;
		ref.map = m;
		ref.symbol = xstrdup(name + sizeof(prefix) - 1);
	}
	return ref;
}

static bool recorded_build_id(struct perf_file *pf, struct perf_build_id *id)
{
	size_t pos = 0;

	while (perf_file_build_id(pf, &pos, id)) {
		unsigned mode = id->misc & PERF_RECORD_MISC_CPUMODE_MASK;

		if (mode == PERF_RECORD_MISC_KERNEL && id->len &&
		    id->filename_len >= 7 && !memcmp(id->filename, "[kernel", 7))
			return true;
	}
	return false;
}

/* Compares where the reference symbol was and where the table has it. */
static bool fits(struct perf_kernel *k, const struct reference *ref, const char *path,
		 struct notes *notes)
{
	const struct ksym *sym;
	uint64_t off;

	if (k->ks.restricted) {
		kallsyms_note_restricted(&k->ks, path, notes);
		return false;
	}
	if (!ref->map || !*ref->symbol || !ref->map->pgoff ||
	    kallsyms_has(&k->ks, ref->symbol, ref->map->pgoff))
		return true;
	sym = kallsyms_lookup(&k->ks, ref->symbol, "");
	if (!sym)
		return true;
	k->slide = ref->map->pgoff - sym->addr;
	off = k->slide + SLIDE_MAX;
	if (k->slide & 0xfff || off > 2 * SLIDE_MAX) {
		notes_add(notes, "%s is of another kernel (%s at 0x%" PRIx64 ", recorded at "
			  "0x%" PRIx64 "): not used", path, ref->symbol, sym->addr,
			  ref->map->pgoff);
		return false;
	}
	if (k->slide)
		notes_add(notes, "%s is not of the recorded boot: its addresses were moved by "
			  "0x%" PRIx64 "; the names are right only if the kernel is the same",
			  path, k->slide);
	return true;
}

static bool try_kallsyms(struct perf_kernel *k, const char *path,
			 const struct reference *ref, struct notes *notes)
{
	struct err err = ERR_INIT;

	if (kallsyms_open(&k->ks, path, &err) < 0)
		notes_add(notes, "%s", err_text(&err));
	else
		k->has_kallsyms = fits(k, ref, path, notes);
	err_release(&err);
	if (!k->has_kallsyms)
		kallsyms_close(&k->ks);
	return k->has_kallsyms;
}

/* "kallsyms.zst" or "kallsyms" in the folder of a run's profile.data. */
static bool try_beside(struct perf_kernel *k, const char *path,
		       const struct reference *ref, struct notes *notes)
{
	static const char *const names[] = { "kallsyms.zst", "kallsyms" };
	const char *slash = strrchr(path, '/');
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !found; i++) {
		char *beside = xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path,
					 names[i]);

		found = file_exists(beside) && try_kallsyms(k, beside, ref, notes);
		free(beside);
	}
	return found;
}

static bool try_vmlinux(struct perf_kernel *k, const char *path,
			const struct perf_build_id *id, struct notes *notes)
{
	bool mismatch;

	k->has_vmlinux = elf_symbols_open(&k->vmlinux, path, id->id, id->len, &mismatch);
	if (k->has_vmlinux && k->vmlinux.nr_segments && k->text) {
		k->link_slide = k->text - k->vmlinux.segment[0].vaddr;
		return true;
	}
	if (mismatch)
		notes_add(notes, "%s is of another kernel (its build id differs): not used",
			  path);
	elf_symbols_close(&k->vmlinux);
	k->has_vmlinux = false;
	return false;
}

static void search_vmlinux(struct perf_kernel *k, struct perf_file *pf,
			   const struct perf_build_id *id, struct notes *notes)
{
	char *release = perf_file_string(pf, PERF_FEATURE_OSRELEASE);
	char *path = debug_file_find(id->id, id->len, release ? release : "");

	if (path)
		try_vmlinux(k, path, id, notes);
	free(path);
	free(release);
}

void perf_kernel_open(struct perf_kernel *k, struct perf_file *pf,
		      const struct perf_spaces *spaces, const char *path,
		      const struct profile_options *options, struct notes *notes)
{
	struct reference ref = find_reference(spaces);
	struct perf_build_id id = { .len = 0 };
	unsigned char here[BUILD_ID_MAX];
	bool told = recorded_build_id(pf, &id);

	memset(k, 0, sizeof(*k));
	if (told) {
		memcpy(k->build_id, id.id, id.len);
		k->build_id_len = id.len;
	}
	if (ref.map) {
		k->text = ref.map->start;
		k->link_slide = k->text - X86_TEXT;
	}
	if (options->vmlinux)
		try_vmlinux(k, options->vmlinux, &id, notes);
	if (options->kallsyms)
		try_kallsyms(k, options->kallsyms, &ref, notes);
	else if (!try_beside(k, path, &ref, notes) && told &&
		 build_id_of_kernel(here) == id.len && !memcmp(here, id.id, id.len))
		try_kallsyms(k, "/proc/kallsyms", &ref, notes);
	if (!k->has_kallsyms && !k->has_vmlinux && told)
		search_vmlinux(k, pf, &id, notes);
	free(ref.symbol);
}

void perf_kernel_close(struct perf_kernel *k)
{
	if (k->has_kallsyms)
		kallsyms_close(&k->ks);
	if (k->has_vmlinux)
		elf_symbols_close(&k->vmlinux);
	memset(k, 0, sizeof(*k));
}
