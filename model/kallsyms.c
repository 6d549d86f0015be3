// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/kallsyms, live or from a run: files, packed or not, and lookups. A report
 * over ten runs opens ten of them, hence the shared part (kallsyms_part.h).
 */
#include "kallsyms_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "schedblame/alloc.h"
#include "schedblame/file.h"

#define KALLSYMS_MAX (256UL << 20) /* bytes of text; a large kernel has 20 MiB */
#define WINDOW (256UL << 10)   /* bytes unpacked at a time */
#define GAP 4096		   /* how far the last symbol before a hole reaches */

static void init(struct kallsyms *ks)
{
	memset(ks, 0, sizeof(*ks));
	strmap_init(&ks->modules);
}

/* How many symbols of a stand at or below addr, from the from-th on. */
static size_t count_below(const struct kallsyms_part *a, size_t from, uint64_t addr)
{
	size_t lo = from, hi = a->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (a->sym[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Both parts as one sorted table. The second is short: what lies between two of its
 * symbols is copied as a whole. */
static void merge(struct kallsyms *ks)
{
	const struct kallsyms_part *a = ks->base, *b = ks->rest;
	size_t i = 0, n = 0;

	ks->merged = xmalloc((a->n + b->n) * sizeof(*ks->merged));
	for (size_t k = 0; k <= b->n; k++) {
		size_t to = k < b->n ? count_below(a, i, b->sym[k].addr) : a->n;

		if (to > i)
			memcpy(ks->merged + n, a->sym + i, (to - i) * sizeof(*a->sym));
		n += to - i;
		i = to;
		if (k < b->n)
			ks->merged[n++] = b->sym[k];
	}
	ks->sym = ks->merged;
}

/* The second part's modules by their ids in ks; it belongs to ks alone. */
static void number_modules(struct kallsyms *ks)
{
	struct kallsyms_part *b = ks->rest;

	for (size_t k = 0; k < b->n; k++)
		b->sym[k].module = (uint16_t)strmap_adds(&ks->modules,
							 b->modules.name[b->sym[k].module]);
}

static uint64_t highest(const struct kallsyms_part *part)
{
	return part && part->n ? part->sym[part->n - 1].addr : 0;
}

/* Sets up ks from its parts; rest may be NULL. */
static int finish(struct kallsyms *ks, const char *name, struct err *err)
{
	for (size_t i = 0; i < ks->base->modules.n; i++)
		strmap_adds(&ks->modules, ks->base->modules.name[i]);
	ks->n = ks->base->n;
	if (ks->rest && ks->rest->n) {
		number_modules(ks);
		ks->n += ks->rest->n;
	} else {
		ks->sym = ks->base->sym;
	}
	if (!ks->n)
		return err_set(err, EINVAL, "%s holds no kernel symbols; expected lines like "
			       "'ffffffff81000000 T _text'", name);
	ks->restricted = !highest(ks->base) && !highest(ks->rest);
	return 0;
}

int kallsyms_parse(struct kallsyms *ks, const char *text, size_t len,
		   const char *name, struct err *err)
{
	init(ks);
	if (len > KALLSYMS_MAX)
		return err_set(err, EFBIG, "%s is larger than %lu bytes", name, KALLSYMS_MAX);
	ks->base = kallsyms_part_new();
	kallsyms_part_feed(ks->base, text, len, true);
	kallsyms_part_finish(ks->base);
	return finish(ks, name, err);
}

/*
 * Parses zstd frames of together at most KALLSYMS_MAX bytes as they unpack: the
 * text is many times what is kept of it. window holds an unfinished line and what
 * was unpacked behind it; a line that fills it is no symbol and is passed over.
 */
static int unwrap(struct kallsyms_part *part, char *window, ZSTD_inBuffer *in,
		  const char *path, struct err *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	size_t have = 0, total = 0, left = 1, used;

	while ((in->pos < in->size || left) && total <= KALLSYMS_MAX) {
		ZSTD_outBuffer out = { window + have, WINDOW - have, 0 };
		size_t before = in->pos;

		left = ZSTD_decompressStream(stream, &out, in);
		if (ZSTD_isError(left) || (!out.pos && before == in->pos))
			break;
		total += out.pos;
		have += out.pos;
		used = kallsyms_part_feed(part, window, have, false);
		if (!used && have == WINDOW)
			used = have;
		have -= used;
		memmove(window, window + used, have);
	}
	kallsyms_part_feed(part, window, have, true);
	ZSTD_freeDStream(stream);
	if (total > KALLSYMS_MAX)
		return err_set(err, EFBIG, "%s unpacks to more than %lu bytes", path,
			       KALLSYMS_MAX);
	if (left)
		return err_set(err, EINVAL, "%s is damaged or cut short: its zstd data does "
			       "not unpack", path);
	return 0;
}

/* NULL with a sentence when they do not unpack. */
static struct kallsyms_part *parse_frames(const void *packed, size_t len,
					  const char *path, struct err *err)
{
	struct kallsyms_part *part = kallsyms_part_new();
	ZSTD_inBuffer in = { packed, len, 0 };
	char *window = xmalloc(WINDOW);
	int ret = unwrap(part, window, &in, path, err);

	free(window);
	kallsyms_part_finish(part);
	if (!ret)
		return part;
	kallsyms_part_put(part);
	return NULL;
}

/* FNV-1a over words: tells apart the few tables that one program opens. */
static uint64_t key_of(const char *p, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL ^ len, word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = (h ^ word) * 0x100000001b3ULL;
		h ^= h >> 32;
	}
	for (; len; p++, len--)
		h = (h ^ (unsigned char)*p) * 0x100000001b3ULL;
	return h | 1;
}

static int open_packed(struct kallsyms *ks, const struct strbuf *file, const char *path,
		       struct err *err)
{
	size_t first = ZSTD_findFrameCompressedSize(file->buf, file->len);
	uint64_t key;

	if (ZSTD_isError(first))
		first = file->len;
	key = key_of(file->buf, first);
	ks->base = kallsyms_part_get(key);
	if (!ks->base) {
		ks->base = parse_frames(file->buf, first, path, err);
		kallsyms_part_share(ks->base, key);
	}
	if (!ks->base)
		return -EINVAL;
	if (first == file->len)
		return 0;
	ks->rest = parse_frames(file->buf + first, file->len - first, path, err);
	return ks->rest ? 0 : -EINVAL;
}

int kallsyms_open(struct kallsyms *ks, const char *path, struct err *err)
{
	static const char magic[4] = { '\x28', '\xb5', '\x2f', '\xfd' };
	struct strbuf file = STRBUF_INIT;
	int ret;

	init(ks);
	ret = file_read(&file, path, KALLSYMS_MAX, err);
	if (!ret && file.len >= sizeof(magic) && !memcmp(file.buf, magic, sizeof(magic))) {
		ret = open_packed(ks, &file, path, err);
	} else if (!ret) {
		ks->base = kallsyms_part_new();
		kallsyms_part_feed(ks->base, file.buf, file.len, true);
		kallsyms_part_finish(ks->base);
	}
	strbuf_release(&file);
	return ret ? ret : finish(ks, path, err);
}

void kallsyms_close(struct kallsyms *ks)
{
	kallsyms_part_put(ks->base);
	kallsyms_part_put(ks->rest);
	free(ks->merged);
	free(ks->by_name);
	strmap_release(&ks->modules);
	memset(ks, 0, sizeof(*ks));
}

/* Where what comes and goes begins: the kernel prints its modules first. */
static size_t stable_part(const char *text, size_t len)
{
	static const char *const passing[] = { "\t[__builtin__", "\t[bpf]" };
	size_t at = len;

	for (size_t i = 0; i < ARRAY_SIZE(passing); i++) {
		const char *p = memmem(text, at, passing[i], strlen(passing[i]));

		if (!p)
			continue;
		while (p > text && p[-1] != '\n')
			p--;
		at = (size_t)(p - text);
	}
	return at;
}

static int pack(struct strbuf *packed, const char *text, size_t len, struct err *err)
{
	size_t n;

	if (!len)
		return 0;
	strbuf_grow(packed, ZSTD_compressBound(len));
	n = ZSTD_compress(packed->buf + packed->len, packed->cap - packed->len - 1, text, len, 1);
	if (ZSTD_isError(n))
		return err_set(err, EIO, "cannot compress the kernel's symbols: %s",
			       ZSTD_getErrorName(n));
	strbuf_setlen(packed, packed->len + n);
	return 0;
}

int kallsyms_pack(struct strbuf *packed, const char *text, size_t len, struct err *err)
{
	size_t stable = stable_part(text, len);
	int ret = pack(packed, text, stable, err);

	return ret ? ret : pack(packed, text + stable, len - stable, err);
}

/* The last symbol at or below addr and the first above it, if they are closer than
 * those given. */
static void look_around(const struct kallsyms_part *part, uint64_t addr,
			const struct ksym **below, const struct ksym **above)
{
	size_t i = part ? count_below(part, 0, addr) : 0;

	if (i && (!*below || part->sym[i - 1].addr >= (*below)->addr))
		*below = &part->sym[i - 1];
	if (part && i < part->n && (!*above || part->sym[i].addr < (*above)->addr))
		*above = &part->sym[i];
}

const struct ksym *kallsyms_find(const struct kallsyms *ks, uint64_t addr,
				 uint64_t *end)
{
	const struct ksym *sym = NULL, *next = NULL;
	uint64_t stop;

	if (ks->restricted)
		return NULL;
	look_around(ks->base, addr, &sym, &next);
	look_around(ks->rest, addr, &sym, &next);
	if (!sym)
		return NULL;
	stop = ((sym->addr | (GAP - 1)) + 1) + GAP;
	if (next && (next->module == sym->module || next->addr < stop))
		stop = next->addr;
	if (stop < sym->addr) /* the top of the address space */
		stop = UINT64_MAX;
	if (end)
		*end = stop;
	return addr < stop ? sym : NULL;
}

static bool same_symbol(const struct kallsyms *ks, size_t a, size_t b)
{
	return ks->sym[a].module == ks->sym[b].module &&
	       !strcmp(ks->sym[a].name, ks->sym[b].name);
}

static void build_names(struct kallsyms *ks)
{
	if (!ks->sym)
		merge(ks);
	ks->nr_slots = 16;
	while (ks->nr_slots < ks->n * 2)
		ks->nr_slots *= 2;
	ks->by_name = xcalloc(ks->nr_slots, sizeof(*ks->by_name));
	for (size_t i = 0; i < ks->n; i++) {
		const char *name = ks->sym[i].name;
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
		if (!strcmp(sym->name, name) &&
		    (!module || !strcmp(kallsyms_module(ks, sym), module)))
			return sym;
	}
	return NULL;
}

static bool part_has(const struct kallsyms_part *part, const char *name, uint64_t addr)
{
	size_t i = part ? count_below(part, 0, addr) : 0;

	while (i-- && part->sym[i].addr == addr)
		if (!strcmp(part->sym[i].name, name))
			return true;
	return false;
}

bool kallsyms_has(const struct kallsyms *ks, const char *name, uint64_t addr)
{
	return part_has(ks->base, name, addr) || part_has(ks->rest, name, addr);
}

const char *kallsyms_name(const struct kallsyms *ks, const struct ksym *sym)
{
	return sym->name;
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
