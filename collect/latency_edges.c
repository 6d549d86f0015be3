// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every way into and out of an inlined body. The container is disassembled from
 * its first byte; each instruction has successors: the next one, unless it jumps
 * or returns for good, and the target of its jump. A successor inside the body
 * of an instruction outside it is an entry; a successor outside the body, but
 * in the container, of an instruction inside it is a landing. Leaving the
 * container altogether (ret, tail call) needs no landing: its return is probed.
 * Static branches (__jump_table) go both ways, however they stand just now.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "latency_private.h"
#include "schedblame/alloc.h"

void addresses_add(struct addresses *a, uint64_t addr)
{
	size_t i = 0;

	while (i < a->n && a->v[i] < addr)
		i++;
	if (i < a->n && a->v[i] == addr)
		return;
	GROW(a->v, a->n, a->cap);
	memmove(a->v + i + 1, a->v + i, (a->n - i) * sizeof(a->v[0]));
	a->v[i] = addr;
	a->n++;
}

void addresses_release(struct addresses *a)
{
	free(a->v);
	memset(a, 0, sizeof(*a));
}

void inlined_body_release(struct inlined_body *body)
{
	free(body->range);
	addresses_release(&body->entries);
	addresses_release(&body->landings);
	memset(body, 0, sizeof(*body));
}

#ifdef HAVE_BPF
#include <capstone/capstone.h>

static bool inside(const struct inlined_body *body, uint64_t addr)
{
	for (size_t i = 0; i < body->nr_ranges; i++)
		if (addr >= body->range[i].lo && addr < body->range[i].hi)
			return true;
	return false;
}

/* What a walk over the container needs at each step. */
struct walk {
	struct inlined_body *body;
	const struct code_part *part;
	size_t nr_parts;
	csh cs;
};

static bool in_container(const struct walk *w, uint64_t addr)
{
	for (size_t i = 0; i < w->nr_parts; i++)
		if (addr >= w->part[i].addr && addr < w->part[i].addr + w->part[i].len)
			return true;
	return false;
}

static void edge(const struct walk *w, uint64_t from, uint64_t to)
{
	bool in_from = inside(w->body, from), in_to = inside(w->body, to);

	if (!in_container(w, to))
		return;
	if (!in_from && in_to)
		addresses_add(&w->body->entries, to);
	else if (in_from && !in_to)
		addresses_add(&w->body->landings, to);
}

/* All conditional jumps and jmp; LOOP and XBEGIN do not occur in the kernel. */
static bool is_jump(const cs_insn *insn)
{
	return insn->id >= X86_INS_JAE && insn->id <= X86_INS_JS;
}

/* Adds the edges of one instruction; false: cannot be followed. */
static bool follow(const struct walk *w, const cs_insn *insn)
{
	const cs_x86_op *op = &insn->detail->x86.operands[0];

	if (is_jump(insn)) {
		if (op->type != X86_OP_IMM)
			return !inside(w->body, insn->address);
		edge(w, insn->address, (uint64_t)op->imm);
	}
	if (insn->id != X86_INS_JMP && !cs_insn_group(w->cs, insn, CS_GRP_RET) &&
	    insn->id != X86_INS_UD2 && insn->id != X86_INS_INT3)
		edge(w, insn->address, insn->address + insn->size);
	return true;
}

static int walk_part(const struct walk *w, const struct code_part *part, cs_insn *insn,
		     struct err *err)
{
	const uint8_t *code = part->code;
	uint64_t at = part->addr;
	size_t left = part->len;

	while (left) {
		if (!cs_disasm_iter(w->cs, &code, &left, &at, insn))
			return err_set(err, ENOTSUP, "there are bytes at %#llx that are no "
				       "instruction", (unsigned long long)at);
		if (!follow(w, insn))
			return err_set(err, ENOTSUP, "an indirect jump at %#llx leaves the "
				       "inlined body", (unsigned long long)insn->address);
	}
	return 0;
}

/* A static branch is a jmp or a nop of the same size, as its key stands. */
static void static_branch(const struct walk *w, const struct code_jump *jump)
{
	for (size_t i = 0; i < w->nr_parts; i++) {
		const struct code_part *p = &w->part[i];
		uint64_t off = jump->from - p->addr;
		unsigned char first;

		if (jump->from < p->addr || off >= p->len)
			continue;
		first = p->code[off];
		edge(w, jump->from, jump->to);
		edge(w, jump->from,
		     jump->from + (first == 0xeb || first == 0x66 ? 2 : 5));
	}
}

int inlined_edges(struct inlined_body *body, const struct code_part *part,
		  size_t nr_parts, const struct code_jump *jump, size_t nr_jumps,
		  struct err *err)
{
	struct walk w = { .body = body, .part = part, .nr_parts = nr_parts };
	cs_insn *insn;
	int ret = 0;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &w.cs) != CS_ERR_OK)
		return err_set(err, ENOTSUP, "the disassembler (libcapstone) cannot be used");
	cs_option(w.cs, CS_OPT_DETAIL, CS_OPT_ON);
	insn = cs_malloc(w.cs);
	for (size_t i = 0; i < nr_parts && !ret; i++)
		ret = walk_part(&w, &part[i], insn, err);
	for (size_t i = 0; i < nr_jumps && !ret; i++)
		static_branch(&w, &jump[i]);
	cs_free(insn, 1);
	cs_close(&w.cs);
	return ret;
}
#endif
