// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/kallsyms, live or from a run. A report over ten runs parses ten of
 * them, a hundred thousand lines each: hence one pass over the text, names left
 * where they are, and a sort only where the file is not sorted by itself.
 */
#include "schedblame/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define KALLSYMS_MAX (256UL << 20) /* bytes of text; a large kernel has 20 MiB */
#define GAP 4096		   /* how far the last symbol before a hole reaches */

/* Digits of an address; *end is the first character that is none. */
static uint64_t parse_hex(const char *p, const char *stop, const char **end)
{
	static const signed char digit[256] = {
		['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6,
		['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12,
		['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
		['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
	};
	uint64_t v = 0;

	for (; p < stop && digit[(unsigned char)*p]; p++)
		v = v << 4 | (uint64_t)(digit[(unsigned char)*p] - 1);
	*end = p;
	return v;
}

static uint16_t module_id(struct kallsyms *ks, const char *name, size_t len)
{
	uint32_t id = strmap_add(&ks->modules, name, len);

	return id > UINT16_MAX ? 0 : (uint16_t)id;
}

/* "ADDR T NAME" or "ADDR T NAME\t[MODULE]"; other lines are passed over. */
static void parse_line(struct kallsyms *ks, char *line, char *eol, size_t *cap)
{
	const char *p;
	struct ksym sym = { .addr = parse_hex(line, eol, &p) };
	char *name, *tab;

	if (p == line || eol - p < 4 || p[0] != ' ' || p[2] != ' ')
		return;
	sym.type = p[1];
	if (sym.type != 't' && sym.type != 'T' && sym.type != 'w' && sym.type != 'W')
		return;
	name = (char *)p + 3;
	if (eol[-1] == '\r')
		eol--;
	tab = memchr(name, '\t', (size_t)(eol - name));
	if (tab && eol - tab > 3 && tab[1] == '[' && eol[-1] == ']')
		sym.module = module_id(ks, tab + 2, (size_t)(eol - tab) - 3);
	*(tab ? tab : eol) = '\0';
	sym.name = (uint32_t)(name - ks->text);
	GROW(ks->sym, ks->n, *cap);
	ks->sym[ks->n++] = sym;
}

static int compare(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Parses ks->text[0..len), which has room for a NUL behind. */
static int parse_text(struct kallsyms *ks, size_t len, const char *name,
		      struct err *err)
{
	char *p = ks->text, *end = ks->text + len;
	bool sorted = true;
	size_t cap = 0;

	*end = '\0';
	strmap_adds(&ks->modules, "");
	ks->restricted = true;
	while (p < end) {
		char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol)
			eol = end;
		parse_line(ks, p, eol, &cap);
		p = eol + 1;
	}
	if (!ks->n)
		return err_set(err, EINVAL, "%s holds no kernel symbols; expected lines like "
			       "'ffffffff81000000 T _text'", name);
	for (size_t i = 0; i < ks->n; i++) {
		if (ks->sym[i].addr)
			ks->restricted = false;
		if (i && ks->sym[i].addr < ks->sym[i - 1].addr)
			sorted = false;
	}
	if (!sorted)
		qsort(ks->sym, ks->n, sizeof(*ks->sym), compare);
	return 0;
}

static void init(struct kallsyms *ks)
{
	memset(ks, 0, sizeof(*ks));
	strmap_init(&ks->modules);
}

int kallsyms_parse(struct kallsyms *ks, const char *text, size_t len,
		   const char *name, struct err *err)
{
	init(ks);
	if (len > KALLSYMS_MAX)
		return err_set(err, EFBIG, "%s is larger than %lu bytes", name, KALLSYMS_MAX);
	ks->text = xmalloc(len + 1);
	memcpy(ks->text, text, len);
	return parse_text(ks, len, name, err);
}

/* Unwraps a zstd frame of at most KALLSYMS_MAX bytes into sb. */
static int unwrap(struct strbuf *sb, const struct strbuf *packed, const char *path,
		  struct err *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { packed->buf, packed->len, 0 };
	unsigned long long size = ZSTD_getFrameContentSize(packed->buf, packed->len);
	size_t chunk = size < KALLSYMS_MAX ? (size_t)size + 1 : 1 << 20, left = 1;

	while (in.pos < in.size || left) {
		ZSTD_outBuffer out = { NULL, chunk, 0 };
		size_t before = in.pos;

		strbuf_grow(sb, chunk);
		out.dst = sb->buf + sb->len;
		left = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(left) || (!out.pos && before == in.pos))
			break;
		strbuf_setlen(sb, sb->len + out.pos);
		chunk = 1 << 20;
		if (sb->len > KALLSYMS_MAX)
			break;
	}
	ZSTD_freeDStream(stream);
	if (sb->len > KALLSYMS_MAX)
		return err_set(err, EFBIG, "%s unpacks to more than %lu bytes", path,
			       KALLSYMS_MAX);
	if (left)
		return err_set(err, EINVAL, "%s is damaged or cut short: its zstd data does "
			       "not unpack", path);
	return 0;
}

int kallsyms_open(struct kallsyms *ks, const char *path, struct err *err)
{
	static const char magic[4] = { '\x28', '\xb5', '\x2f', '\xfd' };
	struct strbuf file = STRBUF_INIT, text = STRBUF_INIT;
	int ret = file_read(&file, path, KALLSYMS_MAX, err);

	init(ks);
	if (!ret && file.len >= sizeof(magic) && !memcmp(file.buf, magic, sizeof(magic))) {
		ret = unwrap(&text, &file, path, err);
		strbuf_release(&file);
	} else {
		text = file;
	}
	if (!ret) {
		size_t len = text.len;

		strbuf_grow(&text, 1);
		ks->text = strbuf_detach(&text);
		ret = parse_text(ks, len, path, err);
	}
	strbuf_release(&text);
	return ret;
}

void kallsyms_close(struct kallsyms *ks)
{
	free(ks->sym);
	free(ks->text);
	free(ks->by_name);
	strmap_release(&ks->modules);
	memset(ks, 0, sizeof(*ks));
}

/* Index of the last symbol with an address <= addr; n when there is none. */
static size_t last_below(const struct kallsyms *ks, uint64_t addr)
{
	size_t lo = 0, hi = ks->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ks->sym[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : ks->n;
}

const struct ksym *kallsyms_find(const struct kallsyms *ks, uint64_t addr,
				 uint64_t *end)
{
	size_t i = ks->restricted ? ks->n : last_below(ks, addr);
	const struct ksym *sym = ks->sym + i;
	uint64_t stop;

	if (i == ks->n)
		return NULL;
	stop = ((sym->addr | (GAP - 1)) + 1) + GAP;
	if (i + 1 < ks->n && (sym[1].module == sym->module || sym[1].addr < stop))
		stop = sym[1].addr;
	if (stop < sym->addr) /* the top of the address space */
		stop = UINT64_MAX;
	if (end)
		*end = stop;
	return addr < stop ? sym : NULL;
}

static bool same_symbol(const struct kallsyms *ks, size_t a, size_t b)
{
	return ks->sym[a].module == ks->sym[b].module &&
	       !strcmp(ks->text + ks->sym[a].name, ks->text + ks->sym[b].name);
}

static void build_names(struct kallsyms *ks)
{
	ks->nr_slots = 16;
	while (ks->nr_slots < ks->n * 2)
		ks->nr_slots *= 2;
	ks->by_name = xcalloc(ks->nr_slots, sizeof(*ks->by_name));
	for (size_t i = 0; i < ks->n; i++) {
		const char *name = ks->text + ks->sym[i].name;
		size_t at = hash_bytes(name, strlen(name)) & (ks->nr_slots - 1);

		while (ks->by_name[at] && !same_symbol(ks, ks->by_name[at] - 1, i))
			at = (at + 1) & (ks->nr_slots - 1);
		if (!ks->by_name[at])
			ks->by_name[at] = (uint32_t)i + 1;
	}
}

const struct ksym *kallsyms_lookup(struct kallsyms *ks, const char *name,
				   const char *module)
{
	const struct ksym *sym;
	size_t at;

	if (!ks->n)
		return NULL;
	if (!ks->by_name)
		build_names(ks);
	at = hash_bytes(name, strlen(name)) & (ks->nr_slots - 1);
	for (; ks->by_name[at]; at = (at + 1) & (ks->nr_slots - 1)) {
		sym = ks->sym + ks->by_name[at] - 1;
		if (!strcmp(ks->text + sym->name, name) &&
		    (!module || !strcmp(kallsyms_module(ks, sym), module)))
			return sym;
	}
	return NULL;
}

bool kallsyms_has(const struct kallsyms *ks, const char *name, uint64_t addr)
{
	size_t i = last_below(ks, addr);

	for (; i < ks->n && ks->sym[i].addr == addr; i--)
		if (!strcmp(ks->text + ks->sym[i].name, name))
			return true;
	return false;
}

const char *kallsyms_name(const struct kallsyms *ks, const struct ksym *sym)
{
	return ks->text + sym->name;
}

const char *kallsyms_module(const struct kallsyms *ks, const struct ksym *sym)
{
	return ks->modules.name[sym->module];
}

void kallsyms_note_restricted(const struct kallsyms *ks, const char *path,
			      struct notes *notes)
{
	if (ks->restricted)
		notes_add(notes, "%s holds no addresses (kernel.kptr_restrict was set, or "
			  "the recorder was not root): kernel samples have no names", path);
}
