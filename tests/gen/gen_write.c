// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.dat (version 6, little endian) and perf script text of the simulation.
 * The file is made in two runs of the same simulation: one counts the pages of
 * each CPU, the other writes them where they belong.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/strbuf.h"

#define PAGE 4096u
#define PAGE_HEAD 16u
#define DELTA_MAX ((1u << 27) - 1)
#define MISSED (3ULL << 30) /* flagged, and the count stands behind the data */

#define COMMON                                                                 \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"  \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"  \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"       \
	"\tsigned:0;\n"                                                        \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(type, name, off, size)                                           \
	"\tfield:" type " " name ";\toffset:" #off ";\tsize:" #size ";\tsigned:1;\n"
#define FLAGS                                                                  \
	"__print_flags(REC->prev_state, \"|\", { 0x01, \"S\" }, { 0x02, \"D\" }, " \
	"{ 0x04, \"T\" }, { 0x08, \"t\" }, { 0x10, \"X\" }, { 0x20, \"Z\" }, "     \
	"{ 0x40, \"P\" }, { 0x80, \"I\" })"

static const char *const formats[GEN_TYPES] = {
	"name: sched_switch\nID: 1\nformat:\n" COMMON
	FIELD("char", "prev_comm[16]", 8, 16) FIELD("pid_t", "prev_pid", 24, 4)
	FIELD("int", "prev_prio", 28, 4) FIELD("long", "prev_state", 32, 8)
	FIELD("char", "next_comm[16]", 40, 16) FIELD("pid_t", "next_pid", 56, 4)
	FIELD("int", "next_prio", 60, 4)
	"\nprint fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s "
	"next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
	FLAGS ", REC->next_comm, REC->next_pid, REC->next_prio\n",
#define WAKE(name, id)                                                         \
	"name: " name "\nID: " #id "\nformat:\n" COMMON                            \
	FIELD("char", "comm[16]", 8, 16) FIELD("pid_t", "pid", 24, 4)              \
	FIELD("int", "prio", 28, 4) FIELD("int", "target_cpu", 32, 4)              \
	"\nprint fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, "      \
	"REC->pid, REC->prio, REC->target_cpu\n"
	WAKE("sched_waking", 2),
	WAKE("sched_wakeup", 3),
	"name: sched_migrate_task\nID: 4\nformat:\n" COMMON
	FIELD("char", "comm[16]", 8, 16) FIELD("pid_t", "pid", 24, 4)
	FIELD("int", "prio", 28, 4) FIELD("int", "orig_cpu", 32, 4)
	FIELD("int", "dest_cpu", 36, 4)
	"\nprint fmt: \"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", REC->comm, "
	"REC->pid, REC->prio, REC->orig_cpu, REC->dest_cpu\n",
};

static const unsigned record_size[GEN_TYPES] = { 64, 36, 36, 40 };

struct page {
	uint8_t bytes[PAGE];
	unsigned used;	 /* 0: none begun */
	unsigned events;
	uint64_t last_ts;
	uint64_t pages;	 /* finished ones */
	uint64_t kept;	 /* of these, not dropped */
	uint64_t lost;	 /* events dropped since the last kept page */
	uint64_t offset; /* of the CPU's data in the file */
};

struct dat_sink {
	struct gen_sink sink;
	const struct gen_config *c;
	struct page *page;
	int fd; /* -1: only counts */
	int error;
	uint64_t lost;
};

static void put(uint8_t *p, const void *v, size_t n)
{
	memcpy(p, v, n);
}

static void put32(uint8_t *p, int32_t v)
{
	memcpy(p, &v, 4);
}

static void comm_of(char comm[16], int pid, unsigned cpu)
{
	memset(comm, 0, 16);
	if (pid)
		snprintf(comm, 16, "task%d", pid);
	else
		snprintf(comm, 16, "swapper/%u", cpu);
}

static int state_bit(char c)
{
	return c == 'R' ? 0x100 : c == 'S' ? 1 : 2;
}

static void fill_record(uint8_t *r, const struct gen_event *ev)
{
	uint16_t id = (uint16_t)(ev->type + 1);
	char comm[16];
	int64_t state;

	memset(r, 0, record_size[ev->type]);
	put(r, &id, 2);
	put32(r + 4, ev->current_pid);
	if (ev->type == GEN_SWITCH) {
		comm_of(comm, ev->prev_pid, ev->cpu);
		put(r + 8, comm, 16);
		put32(r + 24, ev->prev_pid);
		put32(r + 28, 120);
		state = ev->prev_pid ? state_bit(ev->state) : 0;
		put(r + 32, &state, 8);
		comm_of(comm, ev->pid, ev->cpu);
		put(r + 40, comm, 16);
		put32(r + 56, ev->pid);
		put32(r + 60, 120);
		return;
	}
	comm_of(comm, ev->pid, ev->cpu);
	put(r + 8, comm, 16);
	put32(r + 24, ev->pid);
	put32(r + 28, 120);
	put32(r + 32, (int32_t)(ev->type == GEN_MIGRATE ? ev->orig : ev->target));
	if (ev->type == GEN_MIGRATE)
		put32(r + 36, (int32_t)ev->target);
}

/* Page n of a CPU is dropped when the seed says so; never its first. */
static bool page_is_lost(const struct dat_sink *d, const struct page *p, unsigned cpu)
{
	uint64_t x = (p->pages * 0x9e3779b97f4a7c15ULL) ^ (cpu * 0xc2b2ae3d27d4eb4fULL) ^
		     d->c->seed;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 32;
	return d->c->loss_every && p->pages && x % d->c->loss_every == 0;
}

static void finish_page(struct dat_sink *d, unsigned cpu, bool last)
{
	struct page *p = &d->page[cpu];
	uint64_t commit = p->used - PAGE_HEAD;

	if (!p->used)
		return;
	if (!last && page_is_lost(d, p, cpu)) {
		p->lost += p->events;
		d->lost += p->events;
	} else {
		if (p->lost) {
			/* room for the count was left by the writer */
			put(p->bytes + p->used, &p->lost, 8);
			commit |= MISSED;
			p->lost = 0;
		}
		put(p->bytes + 8, &commit, 8);
		if (d->fd >= 0 &&
		    pwrite(d->fd, p->bytes, PAGE, (off_t)(p->offset + p->kept * PAGE)) != PAGE)
			d->error = errno ? errno : EIO;
		p->kept++;
	}
	p->pages++;
	p->used = 0;
}

static void dat_event(struct gen_sink *sink, const struct gen_event *ev)
{
	struct dat_sink *d = (struct dat_sink *)sink;
	struct page *p = &d->page[ev->cpu];
	unsigned size = record_size[ev->type];
	uint64_t delta = p->used ? ev->ts - p->last_ts : 0;
	uint32_t word;

	/* header, a time extension, and 8 bytes for a count of losses */
	if (p->used && p->used + 4 + size + 8 + 8 > PAGE) {
		finish_page(d, ev->cpu, false);
		delta = 0;
	}
	if (!p->used) {
		memset(p->bytes, 0, PAGE);
		put(p->bytes, &ev->ts, 8);
		p->used = PAGE_HEAD;
		p->events = 0;
	}
	if (delta > DELTA_MAX) {
		word = (uint32_t)(delta & DELTA_MAX) << 5 | 30;
		put(p->bytes + p->used, &word, 4);
		word = (uint32_t)(delta >> 27);
		put(p->bytes + p->used + 4, &word, 4);
		p->used += 8;
		delta = 0;
	}
	word = (uint32_t)delta << 5 | size / 4;
	put(p->bytes + p->used, &word, 4);
	fill_record(p->bytes + p->used + 4, ev);
	p->used += 4 + size;
	p->events++;
	p->last_ts = ev->ts;
}

static void add_sized(struct strbuf *sb, const char *text)
{
	uint64_t len = strlen(text);

	strbuf_add(sb, &len, 8);
	strbuf_addstr(sb, text);
}

static void make_head(struct strbuf *sb, const struct dat_sink *d)
{
	static const char header_page[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	uint32_t page = PAGE, zero = 0, one = 1, n = GEN_TYPES, cpus = d->c->cpus;
	uint64_t zero64 = 0, at;

	strbuf_add(sb, "\x17\x08\x44tracing6\0\0\x08", 14);
	strbuf_add(sb, &page, 4);
	strbuf_add(sb, "header_page", 12);
	add_sized(sb, header_page);
	strbuf_add(sb, "header_event", 13);
	add_sized(sb, "# compressed entry header\n");
	strbuf_add(sb, &zero, 4);
	strbuf_add(sb, &one, 4);
	strbuf_add(sb, "sched", 6);
	strbuf_add(sb, &n, 4);
	for (int i = 0; i < GEN_TYPES; i++)
		add_sized(sb, formats[i]);
	strbuf_add(sb, &zero, 4);
	strbuf_add(sb, &zero, 4);
	strbuf_add(sb, &zero64, 8);
	strbuf_add(sb, &cpus, 4);
	strbuf_add(sb, "options  \0\0", 12);
	strbuf_add(sb, "flyrecord", 10);
	at = (sb->len + 16ULL * cpus + PAGE - 1) / PAGE * PAGE;
	for (unsigned i = 0; i < cpus; i++) {
		uint64_t size = d->page[i].kept * PAGE;

		d->page[i].offset = at;
		strbuf_add(sb, &at, 8);
		strbuf_add(sb, &size, 8);
		at += size;
	}
	strbuf_addchn(sb, '\0', (PAGE - sb->len % PAGE) % PAGE);
}

static void run_once(struct dat_sink *d, struct gen_truth *truth)
{
	for (unsigned i = 0; i < d->c->cpus; i++) {
		uint64_t offset = d->page[i].offset;

		memset(&d->page[i], 0, sizeof(d->page[i]));
		d->page[i].offset = offset;
	}
	d->lost = 0;
	gen_run(d->c, &d->sink, truth);
	for (unsigned i = 0; i < d->c->cpus; i++)
		finish_page(d, i, true); /* a loss at the end leaves no mark */
}

int gen_write_trace_dat(const struct gen_config *c, const char *path,
			struct gen_truth *truth, uint64_t *lost)
{
	struct dat_sink d = { { dat_event }, c, xcalloc(c->cpus, sizeof(struct page)), -1, 0, 0 };
	struct strbuf head = STRBUF_INIT;

	run_once(&d, truth);
	make_head(&head, &d);
	d.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (d.fd < 0) {
		d.error = errno;
	} else {
		d.error = -write_full(d.fd, head.buf, head.len);
		run_once(&d, truth);
		close(d.fd);
	}
	*lost = d.lost;
	strbuf_release(&head);
	free(d.page);
	return -d.error;
}

struct text_sink {
	struct gen_sink sink;
	FILE *out;
};

static void text_event(struct gen_sink *sink, const struct gen_event *ev)
{
	static const char *const names[GEN_TYPES] = { "sched_switch", "sched_waking",
						      "sched_wakeup", "sched_migrate_task" };
	FILE *out = ((struct text_sink *)sink)->out;
	char cur[16], comm[16], prev[16];

	comm_of(cur, ev->current_pid, ev->cpu);
	comm_of(comm, ev->pid, ev->cpu);
	comm_of(prev, ev->prev_pid, ev->cpu);
	fprintf(out, "%15s %5d [%03u] %llu.%09llu: %20s:%s: ", ev->current_pid ? cur : "swapper",
		ev->current_pid, ev->cpu, (unsigned long long)(ev->ts / 1000000000),
		(unsigned long long)(ev->ts % 1000000000), "sched", names[ev->type]);
	if (ev->type == GEN_SWITCH)
		fprintf(out, "prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%c%s ==> "
			"next_comm=%s next_pid=%d next_prio=120\n", prev, ev->prev_pid, ev->state,
			ev->state == 'R' && ev->prev_pid ? "+" : "", comm, ev->pid);
	else if (ev->type == GEN_MIGRATE)
		fprintf(out, "comm=%s pid=%d prio=120 orig_cpu=%u dest_cpu=%u\n", comm, ev->pid,
			ev->orig, ev->target);
	else
		fprintf(out, "comm=%s pid=%d prio=120 target_cpu=%03u\n", comm, ev->pid,
			ev->target);
}

int gen_write_perf_script(const struct gen_config *c, FILE *out, struct gen_truth *truth)
{
	struct text_sink t = { { text_event }, out };

	gen_run(c, &t.sink, truth);
	return ferror(out) ? -EIO : 0;
}
