// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes, symbols, lines and inlined names of a program's code. */
#include "schedblame/code.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf_scopes.h"
#include "elf_symbols.h"
#include "schedblame/alloc.h"
#include "schedblame/debug_file.h"

#define KCORE "/proc/kcore"

/* Where bytes of an address range lie in the file. */
struct stretch {
	uint64_t addr, size, offset;
};

struct code_image {
	char *path;
	int fd, debug_fd; /* debug_fd -1: debug information is in fd, or nowhere */
	int machine;
	struct stretch *stretch;
	size_t nr_stretches, cap_stretches;
	struct elf_symbols symbols;
	struct kallsyms ks; /* of the running kernel */
	bool kcore;
	uint64_t slide; /* kcore: address in the file minus link-time address */
	Dwarf *dwarf;
	Dwarf_Die unit;
	bool unit_known;
};

/* ------------------------------------------------------------ opening */

static void add_stretch(struct code_image *img, uint64_t addr, uint64_t size, uint64_t offset)
{
	if (!size || addr + size < addr || offset + size < offset)
		return;
	GROW(img->stretch, img->nr_stretches, img->cap_stretches);
	img->stretch[img->nr_stretches++] = (struct stretch){ addr, size, offset };
}

/* Sections tell what a debug file lacks; files without any have segments. */
static void read_sections(struct code_image *img, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	bool any = false;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		any = true;
		if (sh.sh_type == SHT_PROGBITS && !(sh.sh_flags & SHF_COMPRESSED))
			add_stretch(img, sh.sh_addr, sh.sh_size, sh.sh_offset);
	}
	for (size_t i = 0; !any && i < img->symbols.nr_segments; i++)
		add_stretch(img, img->symbols.segment[i].vaddr, img->symbols.segment[i].size,
			    img->symbols.segment[i].offset);
}

static void read_segments(struct code_image *img, Elf *elf)
{
	size_t n = 0;
	GElf_Phdr ph;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD)
			add_stretch(img, ph.p_vaddr, ph.p_filesz, ph.p_offset);
}

static void read_debug(struct code_image *img)
{
	char *path;

	img->dwarf = dwarf_begin(img->fd, DWARF_C_READ);
	if (img->dwarf)
		return;
	path = debug_file_find(img->symbols.build_id, img->symbols.build_id_len, NULL);
	if (path)
		img->debug_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (img->debug_fd >= 0)
		img->dwarf = dwarf_begin(img->debug_fd, DWARF_C_READ);
	free(path);
}

static struct code_image *new_image(const char *path)
{
	struct code_image *img = xcalloc(1, sizeof(*img));

	img->path = xstrdup(path);
	img->fd = img->debug_fd = -1;
	elf_version(EV_CURRENT);
	return img;
}

static int open_elf(struct code_image *img, bool kcore, struct err *err)
{
	GElf_Ehdr eh;
	Elf *elf;
	int ret = 0;

	img->fd = open(img->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (img->fd < 0)
		return err_errno(err, errno, "cannot open %s", img->path);
	elf = elf_begin(img->fd, kcore ? ELF_C_READ : ELF_C_READ_MMAP, NULL);
	if (elf && gelf_getehdr(elf, &eh)) {
		img->machine = eh.e_machine;
		if (kcore)
			read_segments(img, elf);
		else
			read_sections(img, elf);
	} else {
		ret = err_set(err, ENOEXEC, "%s is no ELF file", img->path);
	}
	elf_end(elf);
	return ret;
}

int code_image_open(struct code_image **img, const char *path,
		    const unsigned char *build_id, size_t build_id_len, struct err *err)
{
	struct code_image *i = *img = new_image(path);
	bool mismatch;
	int ret = 0;

	/* refuses devices and the like: paths come from recordings too */
	if (!elf_symbols_open(&i->symbols, path, build_id, build_id_len, &mismatch))
		ret = mismatch ? err_set(err, EBADF, "%s is another build than the one "
					 "recorded (its build id differs)", path) :
				 err_set(err, ENOEXEC, "%s cannot be read as an ELF file", path);
	if (!ret)
		ret = open_elf(i, false, err);
	if (!ret) {
		read_debug(i);
		return 0;
	}
	code_image_close(i);
	*img = NULL;
	return ret;
}

int code_image_open_kcore(struct code_image **img, uint64_t slide, struct err *err)
{
	struct code_image *i = *img = new_image(KCORE);
	int ret = open_elf(i, true, err);

	i->kcore = true;
	i->slide = slide;
	if (!ret)
		ret = kallsyms_open(&i->ks, "/proc/kallsyms", err);
	if (ret < 0) {
		code_image_close(i);
		*img = NULL;
	}
	return ret;
}

void code_image_close(struct code_image *img)
{
	if (!img)
		return;
	dwarf_end(img->dwarf);
	elf_symbols_close(&img->symbols);
	if (img->ks.n)
		kallsyms_close(&img->ks);
	if (img->fd >= 0)
		close(img->fd);
	if (img->debug_fd >= 0)
		close(img->debug_fd);
	free(img->stretch);
	free(img->path);
	free(img);
}

/* ------------------------------------------------------------ asking */

const char *code_image_path(const struct code_image *img)
{
	return img->path;
}

int code_image_machine(const struct code_image *img)
{
	return img->machine;
}

bool code_image_has_lines(const struct code_image *img)
{
	return img->dwarf != NULL;
}

size_t code_image_bytes(const struct code_image *img, uint64_t addr, void *buf, size_t len)
{
	addr += img->slide;
	for (size_t i = 0; i < img->nr_stretches; i++) {
		const struct stretch *s = img->stretch + i;
		uint64_t at = addr - s->addr;
		ssize_t got;

		if (addr < s->addr || at >= s->size)
			continue;
		if (len > s->size - at)
			len = (size_t)(s->size - at);
		got = pread(img->fd, buf, len, (off_t)(s->offset + at));
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

const char *code_image_symbol(struct code_image *img, uint64_t addr, uint64_t *start,
			      uint64_t *size)
{
	const struct elf_symbol *sym;
	const struct ksym *ksym;
	uint64_t end;

	if (img->kcore) {
		ksym = kallsyms_find(&img->ks, addr + img->slide, &end);
		if (!ksym)
			return NULL;
		*start = ksym->addr - img->slide;
		*size = end - ksym->addr;
		return kallsyms_name(&img->ks, ksym);
	}
	sym = elf_symbols_find(&img->symbols, addr);
	if (!sym)
		return NULL;
	*start = sym->start;
	*size = sym->end - sym->start;
	return img->symbols.names + sym->name;
}

static bool find_unit(struct code_image *img, uint64_t addr)
{
	return img->dwarf && dwarf_unit_at(img->dwarf, addr, &img->unit, &img->unit_known);
}

/* Without the folder in which the compiler was started, or "./". */
static const char *within_tree(struct code_image *img, const char *file)
{
	Dwarf_Attribute attr;
	const char *dir = dwarf_attr(&img->unit, DW_AT_comp_dir, &attr) ?
				  dwarf_formstring(&attr) : NULL;
	size_t n = dir ? strlen(dir) : 0;

	if (n && !strncmp(file, dir, n) && file[n] == '/')
		file += n + 1;
	while (!strncmp(file, "./", 2))
		file += 2;
	return file;
}

bool code_image_line(struct code_image *img, uint64_t addr, const char **path,
		     const char **file, unsigned *line)
{
	Dwarf_Line *found = find_unit(img, addr) ? dwarf_getsrc_die(&img->unit, addr) : NULL;
	const char *name = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
	int number;

	if (!name || dwarf_lineno(found, &number) || number <= 0)
		return false;
	*path = name;
	*file = within_tree(img, name);
	*line = (unsigned)number;
	return true;
}

size_t code_image_inlined(struct code_image *img, uint64_t addr, const char **names,
			  size_t max)
{
	return find_unit(img, addr) ? dwarf_inlined_at(&img->unit, addr, names, max) : 0;
}
