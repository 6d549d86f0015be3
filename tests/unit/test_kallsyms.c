// SPDX-License-Identifier: GPL-2.0-or-later
#include "cm.h"

#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

#include "schedblame/kallsyms.h"

static const char text[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 t do_one\n"
	"not a line\n"
	"ffffffff81000180 D some_data\n"
	"ffffffff81000200 W weak_one\n"
	"ffffffffc0002000 t do_one\t[ext4]\n"
	"ffffffffc0001000 t ext4_first\t[ext4]\r\n"
	"ffffffffc0300000 t bpf_prog_1\t[bpf]";

static void expect(const struct kallsyms *ks, uint64_t addr, const char *name,
		   const char *module, uint64_t end)
{
	uint64_t got = 0;
	const struct ksym *sym = kallsyms_find(ks, addr, &got);

	if (!name) {
		assert_null(sym);
		return;
	}
	assert_non_null(sym);
	assert_string_equal(kallsyms_name(ks, sym), name);
	assert_string_equal(kallsyms_module(ks, sym), module);
	assert_int_equal(got, end);
}

static void addresses_find_their_symbols(void **state)
{
	struct kallsyms ks;
	struct err err = ERR_INIT;

	assert_int_equal(kallsyms_parse(&ks, text, sizeof(text) - 1, "text", &err), 0);
	assert_int_equal(ks.n, 7);
	assert_false(ks.restricted);
	expect(&ks, 0xffffffff80ffffff, NULL, NULL, 0);
	expect(&ks, 0xffffffff81000000, "_text", "", 0xffffffff81000100);
	expect(&ks, 0xffffffff810001ff, "do_one", "", 0xffffffff81000200);
	/* the last symbol of the kernel does not reach into the modules */
	expect(&ks, 0xffffffff81000fff, "weak_one", "", 0xffffffff81002000);
	expect(&ks, 0xffffffff81002000, NULL, NULL, 0);
	expect(&ks, 0xffffffffc0001fff, "ext4_first", "ext4", 0xffffffffc0002000);
	expect(&ks, 0xffffffffc0002000, "do_one", "ext4", 0xffffffffc0004000);
	expect(&ks, 0xffffffffc0300010, "bpf_prog_1", "bpf", 0xffffffffc0302000);
	expect(&ks, UINT64_MAX, NULL, NULL, 0);
	kallsyms_close(&ks);
}

static void names_find_their_addresses(void **state)
{
	struct kallsyms ks;

	assert_int_equal(kallsyms_parse(&ks, text, sizeof(text) - 1, "text", NULL), 0);
	assert_int_equal(kallsyms_lookup(&ks, "do_one", NULL)->addr, 0xffffffff81000100);
	assert_int_equal(kallsyms_lookup(&ks, "do_one", "ext4")->addr, 0xffffffffc0002000);
	assert_null(kallsyms_lookup(&ks, "do_one", "xfs"));
	assert_null(kallsyms_lookup(&ks, "some_data", NULL));
	kallsyms_close(&ks);
}

static void hidden_addresses_are_noticed(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t f\n";
	struct notes notes = { NULL, 0 };
	struct kallsyms ks;

	assert_int_equal(kallsyms_parse(&ks, hidden, sizeof(hidden) - 1, "x", NULL), 0);
	assert_true(ks.restricted);
	expect(&ks, 0, NULL, NULL, 0);
	assert_non_null(kallsyms_lookup(&ks, "f", ""));
	kallsyms_note_restricted(&ks, "x", &notes);
	assert_int_equal(notes.n, 1);
	notes_release(&notes);
	kallsyms_close(&ks);
}

static void write_file(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

static void files_open_or_say_why(void **state)
{
	char path[] = "/tmp/test-kallsyms-XXXXXX", packed[1024];
	struct err err = ERR_INIT;
	struct kallsyms ks;
	size_t n = ZSTD_compress(packed, sizeof(packed), text, sizeof(text) - 1, 1);

	close(mkstemp(path));
	write_file(path, packed, n);
	assert_int_equal(kallsyms_open(&ks, path, &err), 0);
	assert_int_equal(ks.n, 7);
	kallsyms_close(&ks);
	for (size_t cut = 4; cut < n; cut++) {
		write_file(path, packed, cut);
		assert_int_equal(kallsyms_open(&ks, path, &err), -22);
		assert_non_null(strstr(err_text(&err), path));
		kallsyms_close(&ks);
	}
	write_file(path, "", 0);
	assert_int_equal(kallsyms_open(&ks, path, &err), -22);
	kallsyms_close(&ks);
	unlink(path);
	assert_int_equal(kallsyms_open(&ks, path, &err), -2);
	kallsyms_close(&ks);
	err_release(&err);
}

/* Two boots' worth of what is the same, and other programs each time. */
static void packed_tables_share_and_merge(void **state)
{
	static const char *const extra[] = {
		"ffffffffc0300000 t ftrace_trampoline\t[__builtin__ftrace]\n"
		"ffffffff81000180 t bpf_prog_between\t[bpf]\n",
		"ffffffffc0400000 t bpf_prog_2\t[bpf]\n",
		"",
	};
	char path[] = "/tmp/test-kallsyms-XXXXXX";

	close(mkstemp(path));
	for (int i = 0; i < 6; i++) {
		struct strbuf all = STRBUF_INIT, packed = STRBUF_INIT;
		const struct ksym *sym;
		struct kallsyms ks;

		strbuf_add(&all, text, (size_t)(strstr(text, "ffffffffc0300000") - text));
		strbuf_addstr(&all, extra[i % 3]);
		assert_int_equal(kallsyms_pack(&packed, all.buf, all.len, NULL), 0);
		write_file(path, packed.buf, packed.len);
		assert_int_equal(kallsyms_open(&ks, path, NULL), 0);
		assert_int_equal(ks.n, 6 + (i % 3 == 0 ? 2 : i % 3 == 1 ? 1 : 0));
		expect(&ks, 0xffffffffc0001fff, "ext4_first", "ext4", 0xffffffffc0002000);
		if (i % 3 == 0)
			expect(&ks, 0xffffffff81000190, "bpf_prog_between", "bpf",
			       0xffffffff81000200);
		else
			expect(&ks, 0xffffffff81000190, "do_one", "", 0xffffffff81000200);
		assert_true(kallsyms_has(&ks, "do_one", 0xffffffff81000100));
		assert_int_equal(kallsyms_has(&ks, "bpf_prog_between", 0xffffffff81000180),
				 i % 3 == 0);
		assert_int_equal(kallsyms_has(&ks, "bpf_prog_2", 0xffffffffc0400000),
				 i % 3 == 1);
		sym = kallsyms_lookup(&ks, "do_one", "ext4");
		assert_int_equal(sym->addr, 0xffffffffc0002000);
		sym = kallsyms_lookup(&ks, "bpf_prog_2", NULL);
		assert_int_equal(sym != NULL, i % 3 == 1);
		if (sym)
			assert_string_equal(kallsyms_module(&ks, sym), "bpf");
		for (size_t k = 1; k < ks.n; k++)
			assert_true(ks.sym[k - 1].addr <= ks.sym[k].addr);
		expect(&ks, 0xffffffffc0001fff, "ext4_first", "ext4", 0xffffffffc0002000);
		kallsyms_close(&ks);
		strbuf_release(&all);
		strbuf_release(&packed);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_find_their_symbols),
		cmocka_unit_test(names_find_their_addresses),
		cmocka_unit_test(hidden_addresses_are_noticed),
		cmocka_unit_test(files_open_or_say_why),
		cmocka_unit_test(packed_tables_share_and_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
