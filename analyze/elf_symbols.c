// SPDX-License-Identifier: GPL-2.0-or-later
/* Function symbols of ELF files, by libelf. Files on disk are foreign too: a
 * table or name out of bounds leaves that symbol out. */
#include "elf_symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedblame/alloc.h"
#include "schedblame/debug_file.h"
#include "schedblame/file.h"

#define MAX_SYMBOLS (8u << 20)

static void read_segments(struct elf_symbols *es, Elf *elf)
{
	size_t nr = 0;
	GElf_Phdr ph;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr && es->nr_segments < ARRAY_SIZE(es->segment); i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X))
			continue;
		es->segment[es->nr_segments++] = (struct elf_segment){
			ph.p_offset, ph.p_vaddr, ph.p_filesz
		};
	}
}

static void read_build_id(struct elf_symbols *es, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (!es->build_id_len && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		size_t at = 0, name, desc;
		GElf_Nhdr nh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		while (data && (at = gelf_getnote(data, at, &nh, &name, &desc))) {
			if (nh.n_type != NT_GNU_BUILD_ID || nh.n_namesz != 4 ||
			    memcmp((char *)data->d_buf + name, "GNU", 4) ||
			    nh.n_descsz > sizeof(es->build_id))
				continue;
			memcpy(es->build_id, (char *)data->d_buf + desc, nh.n_descsz);
			es->build_id_len = (uint8_t)nh.n_descsz;
		}
	}
}

static uint32_t add_name(struct elf_symbols *es, const char *name)
{
	size_t len = strlen(name) + 1, at = es->names_len;

	while (es->names_len + len > es->names_cap) {
		es->names_cap = es->names_cap ? es->names_cap * 2 : 4096;
		es->names = xrealloc(es->names, es->names_cap, 1);
	}
	memcpy(es->names + at, name, len);
	es->names_len += len;
	return (uint32_t)at;
}

/* Global before weak before local; fewer leading underscores first. */
static uint8_t rank(const GElf_Sym *sym, const char *name)
{
	size_t underscores = strspn(name, "_");
	unsigned bind = GELF_ST_BIND(sym->st_info);

	return (uint8_t)((bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 32 : 64) +
			 (underscores < 31 ? underscores : 31));
}

static void add_symbol(struct elf_symbols *es, const GElf_Sym *sym, const char *name)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym->st_shndx == SHN_UNDEF ||
	    !name || !*name || es->n >= MAX_SYMBOLS)
		return;
	GROW(es->sym, es->n, es->cap);
	es->sym[es->n++] = (struct elf_symbol){
		.start = sym->st_value, .end = sym->st_value + sym->st_size,
		.name = add_name(es, name), .rank = rank(sym, name),
	};
}

static void read_table(struct elf_symbols *es, Elf *elf, unsigned type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type || !sh.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize; i++) {
			if (!gelf_getsym(data, (int)i, &sym))
				break;
			add_symbol(es, &sym, elf_strptr(elf, sh.sh_link, sym.st_name));
		}
	}
}

static int compare(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

/* One symbol per start; one without a size reaches to the next. */
static void tidy(struct elf_symbols *es)
{
	size_t n = 0;

	if (es->n)
		qsort(es->sym, es->n, sizeof(*es->sym), compare);
	for (size_t i = 0; i < es->n; i++) {
		if (!n || es->sym[i].start != es->sym[n - 1].start)
			es->sym[n++] = es->sym[i];
		else if (es->sym[i].end > es->sym[n - 1].end)
			es->sym[n - 1].end = es->sym[i].end;
	}
	es->n = n;
	for (size_t i = 0; i < n; i++) {
		if (es->sym[i].end > es->sym[i].start)
			continue;
		es->sym[i].end = i + 1 < n ? es->sym[i + 1].start : es->sym[i].start + 4096;
	}
}

/* The detached file's addresses are those of the stripped one. */
static void read_detached(struct elf_symbols *es)
{
	char *path = debug_file_detached(es->build_id, es->build_id_len);
	Elf *elf;
	int fd;

	fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	free(path);
	if (fd < 0)
		return;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf)
		read_table(es, elf, SHT_SYMTAB);
	elf_end(elf);
	close(fd);
}

static bool read_elf(struct elf_symbols *es, int fd, const unsigned char *build_id,
		     size_t build_id_len, bool *mismatch)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool good = elf && elf_kind(elf) == ELF_K_ELF;

	if (good) {
		read_segments(es, elf);
		read_build_id(es, elf);
		*mismatch = build_id_len && (build_id_len != es->build_id_len ||
					     memcmp(build_id, es->build_id, build_id_len));
		good = !*mismatch;
	}
	if (good) {
		read_table(es, elf, SHT_SYMTAB);
		if (!es->n)
			read_detached(es);
		if (!es->n)
			read_table(es, elf, SHT_DYNSYM);
		tidy(es);
	}
	elf_end(elf);
	return good;
}

bool elf_symbols_open(struct elf_symbols *es, const char *path,
		      const unsigned char *build_id, size_t build_id_len, bool *mismatch)
{
	struct stat st;
	bool good;
	int fd;

	memset(es, 0, sizeof(*es));
	*mismatch = false;
	/* the path comes from a recording: a device here may do things when opened */
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	good = read_elf(es, fd, build_id, build_id_len, mismatch);
	close(fd);
	return good;
}

void elf_symbols_close(struct elf_symbols *es)
{
	free(es->sym);
	free(es->names);
	memset(es, 0, sizeof(*es));
}

bool elf_symbols_addr(const struct elf_symbols *es, uint64_t offset, uint64_t *addr)
{
	for (size_t i = 0; i < es->nr_segments; i++) {
		const struct elf_segment *s = es->segment + i;

		if (offset >= s->offset && offset - s->offset < s->size) {
			*addr = offset - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}

const struct elf_symbol *elf_symbols_find(const struct elf_symbols *es, uint64_t addr)
{
	size_t lo = 0, hi = es->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (es->sym[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr >= es->sym[lo - 1].end)
		return NULL;
	return es->sym + lo - 1;
}
