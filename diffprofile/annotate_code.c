// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions of a body, by capstone: as text, and as keys to compare kernels by. */
#include <capstone/capstone.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate_parts.h"
#include "schedblame/alloc.h"
#include "schedblame/strbuf.h"
#include "schedblame/symbols.h"

static const struct machine {
	int machine;
	cs_arch arch;
	cs_mode mode;
	bool att; /* the syntax that kernel mails use */
} machines[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64, true },
	{ EM_386, CS_ARCH_X86, CS_MODE_32, true },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, false },
	{ EM_ARM, CS_ARCH_ARM, CS_MODE_ARM, false },
	{ EM_PPC64, CS_ARCH_PPC, CS_MODE_64, false },
	{ EM_S390, CS_ARCH_SYSZ, CS_MODE_BIG_ENDIAN, false },
};

static bool open_disassembler(csh *cs, int machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		const struct machine *m = machines + i;

		if (m->machine != machine || cs_open(m->arch, m->mode, cs) != CS_ERR_OK)
			continue;
		cs_option(*cs, CS_OPT_DETAIL, CS_OPT_ON);
		cs_option(*cs, CS_OPT_SKIPDATA, CS_OPT_ON);
		if (m->att)
			cs_option(*cs, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
		return true;
	}
	return false;
}

/* ------------------------------------------------------------ operands */

/* The target of a direct jump or call. */
static bool direct_target(csh cs, const cs_insn *insn, uint64_t *target)
{
	const char *hex = strstr(insn->op_str, "0x");

	if (!insn->id || !hex || strpbrk(insn->op_str, "(*[") ||
	    (!cs_insn_group(cs, insn, CS_GRP_JUMP) && !cs_insn_group(cs, insn, CS_GRP_CALL)))
		return false;
	for (const char *next; (next = strstr(hex + 1, "0x"));)
		hex = next; /* the last operand: "cbz x0, #0x..." */
	*target = strtoull(hex, NULL, 16);
	return true;
}

/* "+0x1f4" within the body, else the function's name. */
static void add_target(struct strbuf *text, struct strbuf *key, struct code_image *img,
		       const struct side_body *body, uint64_t target)
{
	uint64_t start, size;
	const char *name, *plain;
	size_t len;

	if (target - body->start < body->size) {
		strbuf_addf(text, "+0x%llx", (unsigned long long)(target - body->start));
		return;
	}
	name = code_image_symbol(img, target, &start, &size);
	if (!name) {
		strbuf_addf(text, "0x%llx", (unsigned long long)target);
		return;
	}
	strbuf_addstr(text, name);
	if (target != start)
		strbuf_addf(text, "+0x%llx", (unsigned long long)(target - start));
	len = symbol_strip(name, &plain);
	strbuf_add(key, plain, len);
}

/* "0x8(%rdi),%rax" */
static void add_operands(struct strbuf *text, const char *ops)
{
	for (; *ops; ops++)
		if (*ops != ' ' || ops[-1] != ',')
			strbuf_addch(text, *ops);
}

/* What lies relative to the instruction moves with every build. */
static void add_operands_key(struct strbuf *key, const char *ops)
{
	const char *rip = strstr(ops, "(%rip)"), *from = rip;

	while (from && from > ops && !strchr(", $*:", from[-1]))
		from--;
	if (!rip) {
		strbuf_addstr(key, ops);
		return;
	}
	strbuf_add(key, ops, (size_t)(from - ops));
	strbuf_addstr(key, rip);
}

/* mnemonic and the kinds of its operands: register, number, memory */
static void add_kind(struct strbuf *kind, const cs_insn *insn)
{
	strbuf_addstr(kind, insn->mnemonic);
	for (const char *p = insn->op_str; *p; p++)
		if (strchr("%$([#,", *p))
			strbuf_addch(kind, *p);
}

static uint32_t take(struct strmap *strings, struct strbuf *sb)
{
	uint32_t id = strmap_add(strings, sb->buf, sb->len);

	strbuf_reset(sb);
	return id;
}

/* ------------------------------------------------------------ source */

static uint32_t place_id(struct side_code *s, uint32_t file, uint32_t path,
			 uint32_t inlined, unsigned number)
{
	uint32_t pair = u64map_add(&s->places, u64map_pair(path, inlined));
	uint32_t id = u64map_add(&s->place_keys, u64map_pair(pair, number));

	if (id == s->nr_places) {
		GROW(s->place, s->nr_places, s->cap_places);
		s->place[s->nr_places++] = (struct source_place){ file, path, inlined, number };
	}
	return id;
}

/* False when the instruction is of no function that is meant. */
static bool add_place(struct annotate *an, struct side_code *s, const struct side_body *body,
		      struct code_image *img, uint64_t addr, struct insn *in)
{
	const char *names[16], *file, *path;
	bool meant = !body->inlined;
	unsigned number;
	size_t n;

	in->place = ANNOTATION_NONE;
	if (!code_image_has_lines(img))
		return meant;
	n = code_image_inlined(img, addr, names, ARRAY_SIZE(names));
	for (size_t i = 0; i < n && !meant; i++)
		meant = strmap_finds(&s->names, names[i]) != STRMAP_NONE;
	if (meant && code_image_line(img, addr, &path, &file, &number))
		in->place = place_id(s, strmap_adds(&an->a->strings, file),
				     strmap_adds(&an->a->strings, path),
				     strmap_adds(&an->a->strings, n ? names[n - 1] : ""),
				     number);
	return meant;
}

/* ------------------------------------------------------------ the walk */

struct walk {
	struct annotate *an;
	struct side_code *side;
	struct side_body *body;
	struct code_image *img;
	csh cs;
	struct strbuf text, key, kind;
};

static void add_insn(struct walk *w, const cs_insn *insn)
{
	struct strmap *strings = &w->an->a->strings;
	struct insn in = { .offset = (uint32_t)(insn->address - w->body->start),
			   .size = insn->size };
	uint64_t target;

	if (!add_place(w->an, w->side, w->body, w->img, insn->address, &in))
		return;
	strbuf_addf(&w->text, "%-6s", insn->mnemonic);
	strbuf_addf(&w->key, "%s ", insn->mnemonic);
	if (*insn->op_str)
		strbuf_addch(&w->text, ' ');
	if (direct_target(w->cs, insn, &target)) {
		add_target(&w->text, &w->key, w->img, w->body, target);
	} else {
		add_operands(&w->text, insn->op_str);
		add_operands_key(&w->key, insn->op_str);
	}
	strbuf_rtrim(&w->text);
	add_kind(&w->kind, insn);
	in.mnemonic = strmap_adds(strings, insn->mnemonic);
	in.text = take(strings, &w->text);
	in.key = take(strings, &w->key);
	in.kind = take(strings, &w->kind);
	GROW(w->body->insn, w->body->n, w->body->cap);
	w->body->insn[w->body->n++] = in;
}

double annotate_sum(const struct side_body *body, const double *counts,
		    const struct insn *in)
{
	double sum = 0;

	for (uint64_t i = in->offset; i < in->offset + in->size && i < body->size; i++)
		sum += counts[i];
	return sum;
}

/* What the linker put between functions, where nothing was counted. */
static void trim_padding(struct annotate *an, struct side_body *body)
{
	while (body->n) {
		const struct insn *last = body->insn + body->n - 1;
		const char *m = an->a->strings.name[last->mnemonic];

		if ((strcmp(m, "int3") && strcmp(m, "nop") && strcmp(m, "nopw") &&
		     strcmp(m, "nopl") && strcmp(m, ".byte")) || annotate_sum(body, body->samples, last) > 0)
			break;
		body->n--;
	}
}

bool annotate_disassemble(struct annotate *an, int side, struct side_body *body,
			  struct code_image *img)
{
	struct walk w = { an, an->side + side, body, img, 0, STRBUF_INIT, STRBUF_INIT,
			  STRBUF_INIT };
	unsigned char *bytes = xmalloc(body->size + 1);
	size_t left = code_image_bytes(img, body->start, bytes, body->size);
	const unsigned char *code = bytes;
	uint64_t at = body->start;
	bool good = left && open_disassembler(&w.cs, code_image_machine(img));

	if (good) {
		cs_insn *insn = cs_malloc(w.cs);

		while (left && cs_disasm_iter(w.cs, &code, &left, &at, insn))
			add_insn(&w, insn);
		cs_free(insn, 1);
		cs_close(&w.cs);
		trim_padding(an, body);
	}
	strbuf_release(&w.text);
	strbuf_release(&w.key);
	strbuf_release(&w.kind);
	free(bytes);
	return good && body->n;
}
