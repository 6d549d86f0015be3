// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The head of trace.dat: what both versions share, and version 6, where the
 * parts follow one another. Every length is checked against the file.
 */
#include "trace_dat.h"

#include <byteswap.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define MAGIC "\x17\x08\x44tracing"
#define MAGIC_LEN 10
#define COUNT_MAX 1000000 /* of formats, systems, CPUs: more is nonsense */

const uint8_t *dat_bytes(struct dat_cursor *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (c->bad || n > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return p;
}

uint16_t dat_u16(struct dat_cursor *c)
{
	const uint8_t *p = dat_bytes(c, 2);
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, 2);
	return c->swap ? bswap_16(v) : v;
}

uint32_t dat_u32(struct dat_cursor *c)
{
	const uint8_t *p = dat_bytes(c, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, 4);
	return c->swap ? bswap_32(v) : v;
}

uint64_t dat_u64(struct dat_cursor *c)
{
	const uint8_t *p = dat_bytes(c, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, 8);
	return c->swap ? bswap_64(v) : v;
}

const char *dat_string(struct dat_cursor *c)
{
	const uint8_t *nul = c->bad ? NULL : memchr(c->p, 0, (size_t)(c->end - c->p));

	if (!nul) {
		c->bad = true;
		return NULL;
	}
	return (const char *)dat_bytes(c, (uint64_t)(nul - c->p) + 1);
}

int dat_truncated(struct dat_file *d, const struct dat_cursor *c, const char *what,
		  struct err *err)
{
	return err_set(err, EBADMSG, "%s is cut short or damaged: its %s ends beyond offset "
		       "%zu; it was probably not closed by the recorder", d->path, what,
		       (size_t)(c->p - c->base));
}

/* Expects the string what with its NUL. */
static bool expect(struct dat_cursor *c, const char *what)
{
	const uint8_t *p = dat_bytes(c, strlen(what) + 1);

	return p && !memcmp(p, what, strlen(what) + 1);
}

static void take_page_header(struct dat_file *d, const char *text)
{
	struct format_field f;

	for (const char *at = text; format_next_field(&at, &f);) {
		if (f.name_len == 6 && !memcmp(f.name, "commit", 6)) {
			d->commit_offset = f.offset;
			d->commit_size = f.size == 4 ? 4 : 8;
		} else if (f.name_len == 4 && !memcmp(f.name, "data", 4)) {
			d->data_offset = f.offset;
			if (f.size > 64)
				d->page_size = (size_t)f.offset + f.size;
		}
	}
	if (d->commit_offset > 64 || d->data_offset < d->commit_offset + d->commit_size ||
	    d->data_offset > 128) {
		d->commit_offset = 8;
		d->data_offset = 8 + d->commit_size;
	}
}

int dat_read_headers(struct dat_file *d, struct dat_cursor *c, struct err *err)
{
	const uint8_t *text;
	uint64_t len;
	char *copy;

	if (!expect(c, "header_page"))
		return dat_truncated(d, c, "page header", err);
	len = dat_u64(c);
	text = dat_bytes(c, len);
	if (!text)
		return dat_truncated(d, c, "page header", err);
	copy = xstrndup((const char *)text, len);
	take_page_header(d, copy);
	free(copy);
	if (!expect(c, "header_event") || !dat_bytes(c, dat_u64(c)))
		return dat_truncated(d, c, "event header", err);
	return 0;
}

static int read_formats(struct dat_file *d, struct dat_cursor *c, struct err *err)
{
	uint32_t n = dat_u32(c);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t len = dat_u64(c);
		const uint8_t *text = dat_bytes(c, len);

		if (!text)
			return dat_truncated(d, c, "list of event formats", err);
		event_layouts_add(d->layouts, (const char *)text, len);
	}
	return c->bad ? dat_truncated(d, c, "list of event formats", err) : 0;
}

int dat_read_ftrace_formats(struct dat_file *d, struct dat_cursor *c, struct err *err)
{
	return read_formats(d, c, err);
}

int dat_read_event_formats(struct dat_file *d, struct dat_cursor *c, struct err *err)
{
	uint32_t systems = dat_u32(c);
	int ret = 0;

	for (uint32_t i = 0; i < systems && !ret; i++) {
		if (!dat_string(c))
			return dat_truncated(d, c, "list of event systems", err);
		ret = read_formats(d, c, err);
	}
	return ret;
}

int dat_read_cmdlines(struct dat_file *d, struct dat_cursor *c, struct err *err)
{
	uint64_t len = dat_u64(c);
	const uint8_t *text = dat_bytes(c, len);

	if (!text)
		return dat_truncated(d, c, "table of task names", err);
	strbuf_add(&d->cmdlines, text, len);
	return 0;
}

/* "local [mono] boot": the marked one; or the text itself. */
static char *marked_clock(const char *text, size_t len)
{
	const char *open = memchr(text, '[', len);
	const char *close = open ? memchr(open, ']', len - (size_t)(open - text)) : NULL;
	char *s;

	if (close)
		return xstrndup(open + 1, (size_t)(close - open - 1));
	s = xstrndup(text, len);
	s[strcspn(s, " \r\n")] = '\0';
	return s;
}

static void set_text(char **field, const uint8_t *p, size_t len)
{
	free(*field);
	*field = xstrndup((const char *)p, len);
}

void dat_take_option(struct dat_file *d, unsigned id, struct dat_cursor *o)
{
	size_t len = (size_t)(o->end - o->p);
	const uint8_t *p = o->p;
	char *text;

	switch (id) {
	case DAT_OPTION_DATE: /* microseconds */
	case DAT_OPTION_OFFSET:
		text = xstrndup((const char *)p, len);
		d->ts_offset += (int64_t)((uint64_t)strtoll(text, NULL, 0) *
					  (id == DAT_OPTION_DATE ? 1000u : 1u));
		free(text);
		break;
	case DAT_OPTION_CPUSTAT: /* stray bytes may follow the text */
		strbuf_add(&d->cpustat, p, strnlen((const char *)p, len));
		strbuf_addch(&d->cpustat, '\n');
		break;
	case DAT_OPTION_TRACECLOCK:
		free(d->clock);
		d->clock = marked_clock((const char *)p, len);
		break;
	case DAT_OPTION_UNAME:
		set_text(&d->uname, p, len);
		break;
	case DAT_OPTION_VERSION:
		set_text(&d->writer, p, len);
		break;
	case DAT_OPTION_TIME_SHIFT:
		d->guest = true;
		time_shift_read(&d->shift, o);
		break;
	case DAT_OPTION_TSC2NSEC:
		d->tsc_mult = dat_u32(o);
		d->tsc_shift = dat_u32(o) & 63;
		d->tsc_offset = dat_u64(o);
		break;
	default: /* HOOK, PROCMAPS, TRACEID, GUEST, new ones: not needed */
		break;
	}
}

struct dat_buffer *dat_add_buffer(struct dat_file *d, const char *name, const char *clock)
{
	struct dat_buffer *b;

	d->buffer = xrealloc(d->buffer, d->nr_buffers + 1, sizeof(*d->buffer));
	b = &d->buffer[d->nr_buffers++];
	memset(b, 0, sizeof(*b));
	b->name = xstrdup(name ? name : "");
	b->clock = xstrdup(clock ? clock : "");
	b->page_size = d->page_size;
	return b;
}

/* A part beyond the end of the file is cut; what is there is still read. */
void dat_add_cpu(struct dat_file *d, struct dat_buffer *b, unsigned cpu, uint64_t offset,
		 uint64_t size)
{
	if (offset > d->len || size > d->len - offset) {
		uint64_t have = offset > d->len ? 0 : d->len - offset;

		notes_add(&d->notes, "%s is cut short: CPU %u should have %llu bytes at "
			  "offset %llu, %llu are there", d->path, cpu,
			  (unsigned long long)size, (unsigned long long)offset,
			  (unsigned long long)have);
		size = have;
	}
	b->cpu = xrealloc(b->cpu, b->nr_cpus + 1, sizeof(*b->cpu));
	b->cpu[b->nr_cpus++] = (struct dat_cpu){ cpu, offset, size };
	if (size && cpu >= d->nr_cpus)
		d->nr_cpus = cpu + 1;
}

/* Options of version 6 up to DONE; buffers are remembered by offset. */
static int read_options(struct dat_file *d, struct dat_cursor *c, unsigned *nr_cpus,
			struct err *err)
{
	for (;;) {
		unsigned id = dat_u16(c);
		uint32_t len;
		const uint8_t *p;

		if (c->bad)
			return dat_truncated(d, c, "list of options", err);
		if (id == DAT_OPTION_DONE)
			return 0;
		len = dat_u32(c);
		p = dat_bytes(c, len);
		if (!p)
			return dat_truncated(d, c, "list of options", err);
		struct dat_cursor o = { p, p, p + len, c->swap, false };

		if (id == DAT_OPTION_CPUCOUNT)
			*nr_cpus = dat_u32(&o);
		else if (id == DAT_OPTION_BUFFER) {
			uint64_t at = dat_u64(&o);
			const char *name = dat_string(&o);
			struct dat_buffer *b = dat_add_buffer(d, name, d->clock);

			/* its table is read when the CPUs are known */
			dat_add_cpu(d, b, 0, at <= d->len ? at : d->len, 0);
		} else
			dat_take_option(d, id, &o);
	}
}

/* What follows the options or stands at a buffer's offset. */
static int read_data(struct dat_file *d, struct dat_cursor *c, unsigned b, unsigned nr_cpus,
		     struct err *err)
{
	const uint8_t *kind = dat_bytes(c, 10);

	d->buffer[b].nr_cpus = 0;
	if (kind && !memcmp(kind, "latency  ", 10)) {
		d->buffer[b].text = true;
		dat_add_cpu(d, &d->buffer[b], 0, (uint64_t)(c->p - c->base),
			    (uint64_t)(c->end - c->p));
		return 0;
	}
	if (!kind || memcmp(kind, "flyrecord", 10))
		return err_set(err, EBADMSG, "%s: expected 'flyrecord' or 'latency' at "
			       "offset %zu; the file is damaged", d->path,
			       (size_t)(c->p - c->base));
	for (unsigned cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t offset = dat_u64(c), size = dat_u64(c);

		if (c->bad)
			return dat_truncated(d, c, "table of CPUs", err);
		dat_add_cpu(d, &d->buffer[b], cpu, offset, size);
	}
	return 0;
}

int dat_read_v6(struct dat_file *d, struct dat_cursor *c, struct err *err)
{
	struct dat_cursor ahead;
	unsigned nr_cpus;
	int ret = dat_read_headers(d, c, err);

	if (!ret)
		ret = dat_read_ftrace_formats(d, c, err);
	if (!ret)
		ret = dat_read_event_formats(d, c, err);
	if (ret)
		return ret;
	dat_bytes(c, dat_u32(c)); /* kallsyms */
	dat_bytes(c, dat_u32(c)); /* printk formats */
	if (c->bad)
		return dat_truncated(d, c, "symbol table", err);
	ret = dat_read_cmdlines(d, c, err);
	if (ret)
		return ret;
	nr_cpus = dat_u32(c);
	dat_add_buffer(d, "", "");
	ahead = *c;
	if (expect(&ahead, "options  ")) {
		*c = ahead;
		ret = read_options(d, c, &nr_cpus, err);
		if (ret)
			return ret;
	}
	if (nr_cpus > DAT_CPUS_MAX)
		return err_set(err, EBADMSG, "%s says it holds %u CPUs; at most %u are "
			       "believed", d->path, nr_cpus, DAT_CPUS_MAX);
	ret = read_data(d, c, 0, nr_cpus, err);
	for (unsigned b = 1; b < d->nr_buffers && !ret; b++) {
		ahead = *c;
		ahead.bad = false;
		ahead.p = c->base + d->buffer[b].cpu[0].offset;
		ret = read_data(d, &ahead, b, nr_cpus, err);
	}
	return ret;
}

int dat_open(struct dat_file *d, const struct input *in, struct err *err)
{
	struct dat_cursor c = { 0 };
	const char *version, *path = in->name;
	const uint8_t *p;
	unsigned long_size;
	int ret;

	memset(d, 0, sizeof(*d));
	strbuf_init(&d->cpustat);
	strbuf_init(&d->cmdlines);
	d->path = xstrdup(in->name);
	d->data = in->data;
	d->len = in->len;
	d->fd = in->fd;
	d->mapped = in->map != NULL;
	c.base = c.p = d->data;
	c.end = c.p + d->len;
	p = dat_bytes(&c, MAGIC_LEN);
	if (!p || memcmp(p, MAGIC, MAGIC_LEN))
		return err_set(err, ENOEXEC, "%s is no trace.dat: it does not begin with the "
			       "mark of trace-cmd", path);
	version = dat_string(&c);
	/* four files in the wild have an empty version: they are of version 6 */
	d->version = version && *version ? atoi(version) : 6;
	p = dat_bytes(&c, 2);
	if (!p)
		return dat_truncated(d, &c, "head", err);
	d->big_endian = p[0] == 1;
	long_size = p[1];
	c.swap = d->swap = d->big_endian != (__BYTE_ORDER == __BIG_ENDIAN);
	d->page_size = dat_u32(&c);
	d->commit_offset = 8;
	d->commit_size = long_size == 4 ? 4 : 8;
	d->data_offset = 8 + d->commit_size;
	d->layouts = event_layouts_new(d->swap);
	if (d->version > 7)
		return err_set(err, EPROTO, "%s has version %d of the trace.dat format; "
			       "versions 6 and 7 are known", path, d->version);
	ret = d->version == 7 ? dat_read_v7(d, &c, err) : dat_read_v6(d, &c, err);
	if (ret)
		return ret;
	for (unsigned i = 0; i < d->nr_buffers; i++) {
		struct dat_buffer *b = &d->buffer[i];

		if (!b->text && (b->page_size <= d->data_offset || b->page_size > DAT_PAGE_MAX))
			return err_set(err, EBADMSG, "%s says its pages have %zu bytes, which "
				       "cannot be", path, b->page_size);
	}
	return 0;
}

void dat_close(struct dat_file *d)
{
	for (unsigned i = 0; i < d->nr_buffers; i++) {
		free(d->buffer[i].name);
		free(d->buffer[i].clock);
		free(d->buffer[i].cpu);
	}
	free(d->buffer);
	event_layouts_free(d->layouts);
	time_shift_release(&d->shift);
	strbuf_release(&d->cpustat);
	strbuf_release(&d->cmdlines);
	notes_release(&d->notes);
	free(d->clock);
	free(d->uname);
	free(d->writer);
	free(d->path);
	memset(d, 0, sizeof(*d));
}
