// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the compiler put the body of an inlined function: DWARF gives its
 * address ranges inside the container, the container's code every way into and
 * out of them (latency_edges.c). Addresses of vmlinux and of the running kernel
 * differ by one constant (KASLR), taken from the symbol _text.
 */
#ifdef HAVE_BPF
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "latency_private.h"
#include "schedblame/alloc.h"
#include "schedblame/build_id.h"
#include "schedblame/debug_file.h"
#include "schedblame/file.h"

#define PART_MAX (1 << 20) /* bytes of one function's code */
#define JUMPS_MAX (1 << 20)

struct vmlinux {
	const char *path;
	int fd;
	Elf *elf;
	Dwarf *dw;
	uint64_t shift; /* running address - address in the file */
	uint64_t jump_start, jump_stop;
};

/* ------------------------------------------------------------ the file */

char *vmlinux_find(void)
{
	const char *own = getenv("SCHEDBLAME_VMLINUX");
	unsigned char file[BUILD_ID_MAX], kernel[BUILD_ID_MAX];
	size_t n = build_id_of_kernel(kernel);
	struct utsname u;

	if (own)
		return file_exists(own) && n && build_id_of_file(own, file) == n &&
				       !memcmp(file, kernel, n) ? xstrdup(own) : NULL;
	uname(&u);
	return debug_file_find(kernel, n, u.release);
}

/* Finds _text and the bounds of the jump table. */
static int look_at_symbols(struct vmlinux *v, uint64_t running_text, struct err *err)
{
	Elf_Scn *scn = NULL;
	uint64_t text = 0;

	while ((scn = elf_nextscn(v->elf, scn))) {
		GElf_Shdr sh;
		Elf_Data *data;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(v->elf, sh.sh_link, sym.st_name);

			if (!name || name[0] != '_')
				continue;
			if (!strcmp(name, "_text"))
				text = sym.st_value;
			else if (!strcmp(name, "__start___jump_table"))
				v->jump_start = sym.st_value;
			else if (!strcmp(name, "__stop___jump_table"))
				v->jump_stop = sym.st_value;
		}
	}
	if (!text || !running_text)
		return err_set(err, ENOENT, "%s: cannot tell where the kernel runs, no "
			       "symbol _text", v->path);
	v->shift = running_text - text;
	return 0;
}

static int vmlinux_open(struct vmlinux *v, const char *path, uint64_t running_text,
			struct err *err)
{
	memset(v, 0, sizeof(*v));
	v->path = path;
	elf_version(EV_CURRENT);
	v->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (v->fd < 0)
		return err_errno(err, errno, "cannot open %s", path);
	v->elf = elf_begin(v->fd, ELF_C_READ_MMAP, NULL);
	v->dw = v->elf ? dwarf_begin_elf(v->elf, DWARF_C_READ, NULL) : NULL;
	if (!v->dw)
		return err_set(err, ENOENT, "%s: no debug information: %s", path,
			       dwarf_errmsg(-1));
	return look_at_symbols(v, running_text, err);
}

static void vmlinux_close(struct vmlinux *v)
{
	if (v->dw)
		dwarf_end(v->dw);
	if (v->elf)
		elf_end(v->elf);
	if (v->fd >= 0)
		close(v->fd);
}

/* Bytes at an address of the file, false when no section has them all. */
static bool read_at(const struct vmlinux *v, uint64_t addr, void *buf, size_t len)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(v->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
		    !(sh.sh_flags & SHF_ALLOC) || addr < sh.sh_addr ||
		    addr - sh.sh_addr > sh.sh_size ||
		    len > sh.sh_size - (addr - sh.sh_addr))
			continue;
		return pread(v->fd, buf, len, (off_t)(sh.sh_offset + addr - sh.sh_addr)) ==
		       (ssize_t)len;
	}
	return false;
}

/* ------------------------------------------------------------ the ranges */

static bool find_unit(const struct vmlinux *v, uint64_t addr, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;

	if (dwarf_addrdie(v->dw, addr, unit))
		return true;
	/* no .debug_aranges */
	while (dwarf_get_units(v->dw, cu, &cu, NULL, &type, unit, NULL) == 0)
		if (dwarf_haspc(unit, addr) == 1)
			return true;
	return false;
}

static void add_ranges(struct inlined_body *body, Dwarf_Die *die, uint64_t shift)
{
	ptrdiff_t at = 0;
	Dwarf_Addr base, lo, hi;

	while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		if (lo >= hi)
			continue;
		body->range = xrealloc(body->range, body->nr_ranges + 1,
				       sizeof(body->range[0]));
		body->range[body->nr_ranges++] =
			(struct address_range){ lo + shift, hi + shift };
	}
	body->copies++;
}

/* All inlined copies below die; depth bounds what a broken file may nest. */
static void collect_copies(struct inlined_body *body, Dwarf_Die *die, const char *function,
			   uint64_t shift, int depth)
{
	Dwarf_Die child;

	if (depth > 64 || dwarf_child(die, &child))
		return;
	do {
		int tag = dwarf_tag(&child);
		const char *name;

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
			continue;
		name = tag == DW_TAG_inlined_subroutine ? dwarf_diename(&child) : NULL;
		if (name && !strcmp(name, function))
			add_ranges(body, &child, shift);
		else
			collect_copies(body, &child, function, shift, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static int find_ranges(struct inlined_body *body, const struct vmlinux *v,
		       const char *function, uint64_t addr)
{
	Dwarf_Die unit, die;

	if (!find_unit(v, addr, &unit) || dwarf_child(&unit, &die))
		return -ENOENT;
	do {
		if (dwarf_tag(&die) == DW_TAG_subprogram && dwarf_haspc(&die, addr) == 1)
			collect_copies(body, &die, function, v->shift, 0);
	} while (dwarf_siblingof(&die, &die) == 0);
	return body->nr_ranges ? 0 : -ENOENT;
}

/* ------------------------------------------------------------ the edges */

/* The container and its .cold part; number of parts. */
static size_t load_parts(const struct vmlinux *v, struct code_part part[2],
			 const struct ksym *container, struct kallsyms *ks)
{
	char *cold = xasprintf("%s.cold", kallsyms_name(ks, container));
	const struct ksym *sym[2] = { container, kallsyms_lookup(ks, cold, "") };
	size_t n = 0;

	free(cold);
	for (int i = 0; i < 2 && sym[i]; i++) {
		uint64_t end;
		uint8_t *code;

		if (!kallsyms_find(ks, sym[i]->addr, &end) || end - sym[i]->addr > PART_MAX)
			continue;
		code = xmalloc(end - sym[i]->addr);
		part[n] = (struct code_part){ sym[i]->addr, end - sym[i]->addr, code };
		if (read_at(v, sym[i]->addr - v->shift, code, part[n].len))
			n++;
		else
			free(code);
	}
	return n;
}

static bool in_parts(const struct code_part *part, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (addr >= part[i].addr && addr < part[i].addr + part[i].len)
			return true;
	return false;
}

/* Entries are {s32 code, s32 target, s64 key}, each relative to itself. */
static struct code_jump *load_jumps(const struct vmlinux *v, const struct code_part *part,
				    size_t nr_parts, size_t *nr)
{
	struct entry {
		int32_t code, target;
		int64_t key;
	} *table;
	size_t n = (v->jump_stop - v->jump_start) / sizeof(*table), cap = 0;
	struct code_jump *jump = NULL;

	*nr = 0;
	if (v->jump_stop < v->jump_start || !n || n > JUMPS_MAX)
		return NULL;
	table = xmalloc(n * sizeof(*table));
	if (!read_at(v, v->jump_start, table, n * sizeof(*table)))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = v->jump_start + v->shift + i * sizeof(*table);
		struct code_jump j = { at + (uint64_t)(int64_t)table[i].code,
				       at + 4 + (uint64_t)(int64_t)table[i].target };

		if (!in_parts(part, nr_parts, j.from))
			continue;
		GROW(jump, *nr, cap);
		jump[(*nr)++] = j;
	}
	free(table);
	return jump;
}

static int find_edges(struct inlined_body *body, const struct vmlinux *v,
		      const struct ksym *container, struct kallsyms *ks, struct err *err)
{
	struct code_part part[2];
	size_t nr_parts = load_parts(v, part, container, ks), nr_jumps;
	struct code_jump *jump = load_jumps(v, part, nr_parts, &nr_jumps);
	int ret;

	ret = inlined_edges(body, part, nr_parts, jump, nr_jumps, err);
	if (!ret && !body->entries.n)
		ret = err_set(err, ENOENT, "%s: no way into the inlined body was found",
			      v->path);
	for (size_t i = 0; i < nr_parts; i++)
		free((void *)part[i].code);
	free(jump);
	return ret;
}

int inlined_body_load(struct inlined_body *body, const char *path, const char *function,
		      const struct ksym *container, struct kallsyms *ks, struct err *err)
{
	const struct ksym *text = kallsyms_lookup(ks, "_text", "");
	struct vmlinux v;
	int ret;

	memset(body, 0, sizeof(*body));
	ret = vmlinux_open(&v, path, text ? text->addr : 0, err);
	if (!ret) {
		ret = find_ranges(body, &v, function, container->addr - v.shift);
		if (ret < 0)
			err_set(err, ENOENT, "%s: %s is not inlined in %s", path, function,
				kallsyms_name(ks, container));
	}
	if (!ret)
		ret = find_edges(body, &v, container, ks, err);
	if (ret < 0)
		inlined_body_release(body);
	vmlinux_close(&v);
	return ret;
}

int inlined_body_find(struct inlined_body *body, const char *function,
		      const struct ksym *container, struct kallsyms *ks, struct err *err)
{
	char *path = vmlinux_find();
	int ret;

	memset(body, 0, sizeof(*body));
	if (!path)
		return err_set(err, ENOENT, "there is no vmlinux with debug information for "
			       "this kernel; install its -dbg package");
	ret = inlined_body_load(body, path, function, container, ks, err);
	free(path);
	return ret;
}
#else
#include <errno.h>

#include "latency_private.h"

int inlined_body_find(struct inlined_body *body, const char *function,
		      const struct ksym *container, struct kallsyms *ks, struct err *err)
{
	*body = (struct inlined_body){ 0 };
	return err_set(err, ENOSYS, "this schedblame was built without BPF");
}
#endif
