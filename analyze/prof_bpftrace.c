// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps of stacks that bpftrace prints: `@[kstack] = count()`.
 *	@[
 *	    native_safe_halt+14
 *	    do_idle+40
 *	]: 123
 * Frames stand leaf first; a second stack of the same key follows behind a line
 * "," and is further out. bpftrace does not tell kernel from user functions.
 */
#include <errno.h>
#include <string.h>

#include "prof.h"

#define PROBE_LINES 400

static bool opens(const struct prof_line *line)
{
	return line->len >= 2 && *line->s == '@' && line->s[line->len - 1] == '[';
}

/* "]: 123", ", bash]: 123" */
static bool closes(const struct prof_line *line, uint64_t *count)
{
	const char *p = memmem(line->s, line->len, "]: ", 3);
	struct prof_word w;

	if (!p || (*line->s != ']' && *line->s != ','))
		return false;
	p += 3;
	return prof_next_word(&p, line->s + line->len, &w) && prof_word_u64(&w, count);
}

static bool probe(const struct prof_input *in)
{
	struct prof_lines it;
	struct prof_line line;
	uint64_t count;
	int frames = 0;
	bool open = false;

	prof_lines_init(&it, in);
	while (it.number < PROBE_LINES && prof_next_line(&it, &line)) {
		if (opens(&line)) {
			open = true;
			frames = 0;
		} else if (open && closes(&line, &count) && frames) {
			return true;
		} else if (open) {
			frames++;
		}
	}
	return false;
}

/* "do_idle+40", "ffffffff81 do_idle+0x28 ([kernel.kallsyms])" (perf mode) */
static uint32_t frame(struct profile *p, const struct prof_line *line)
{
	const char *s = line->s, *end = s + line->len, *plus;
	struct prof_word w, second, module = { "", 0 };
	enum profile_space space = SPACE_UNKNOWN;
	uint64_t addr;

	if (!prof_next_word(&s, end, &w))
		return PROFILE_NONE;
	if (prof_word_hex(&w, &addr) && prof_next_word(&s, end, &second)) {
		w = second;
		if (prof_next_word(&s, end, &module) && module.len > 2 && *module.s == '(') {
			module.s++;
			module.len -= 2;
			space = prof_module(&module, addr, true);
		}
	}
	plus = memrchr(w.s, '+', w.len);
	if (plus && plus > w.s)
		w.len = (size_t)(plus - w.s);
	return prof_symbol(p, &w, &module, space);
}

static int load(struct profile *p, const struct prof_input *in,
		const struct profile_options *options, struct err *err)
{
	struct prof_chain chain = { .n = 0 };
	unsigned long open_at = 0;
	struct prof_lines it;
	struct prof_line line;
	uint64_t count;

	profile_set(&p->unit, "samples");
	p->fixed_period = true;
	prof_lines_init(&it, in);
	while (prof_next_line(&it, &line)) {
		if (opens(&line)) {
			open_at = line.number;
			chain.n = 0;
		} else if (open_at && closes(&line, &count)) {
			if (!chain.n)
				prof_chain_add(&chain, PROFILE_UNKNOWN);
			prof_chain_flush(p, &chain, options, count, (double)count);
			open_at = 0;
		} else if (open_at && line.len && *line.s != ',') {
			uint32_t id = frame(p, &line);

			if (id != PROFILE_NONE)
				prof_chain_add(&chain, id);
		}
	}
	if (open_at)
		notes_add(&p->notes, "%s: the stack at line %lu has no count; the output is cut short",
			  in->path, open_at);
	return 0;
}

const struct prof_format prof_format_bpftrace = { "bpftrace", probe, load };
