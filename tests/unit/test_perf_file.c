// SPDX-License-Identifier: GPL-2.0-or-later
#include "cm.h"

#include <errno.h>
#include <zstd.h>

#include "perf_builder.h"
#include "schedblame/perf_file.h"

/* Two events, a sample of each, and what else a file may hold. */
static void two_events(struct pb *b, uint32_t attr_size)
{
	pb_header(b, 2, attr_size);
	for (size_t i = 0; i < 2; i++) {
		pb_attr(b, attr_size, PERF_TYPE_SOFTWARE, i, PB_SAMPLE_TYPE, 0, PB_ID_ALL);
		pb_ids(b, i);
	}
	pb_begin(b);
	pb_comm(b, 42, "task", PERF_RECORD_MISC_COMM_EXEC, 5);
	pb_mmap(b, 42, 0x1000, 0x2000, "/bin/x", 6);
	pb_sample(b, PERF_RECORD_MISC_KERNEL, 100, 0xffffffff81000010, 42, 10);
	pb_record(b, 4711, 0); /* a type of the future */
	pb_done(b);
	pb_sample(b, PERF_RECORD_MISC_USER, 101, 0x1004, 43, 11);
	pb_record(b, PERF_RECORD_LOST, 0);
	pb_u64(b, 100);
	pb_u64(b, 17);
	pb_sample_id(b, 42, 12, 100);
	pb_done(b);
	pb_record(b, PERF_RECORD_AUXTRACE, 0); /* 24 bytes of no record follow */
	pb_u64(b, 24);
	pb_u64(b, 0);
	pb_done(b);
	strbuf_addchn(&b->sb, '\x55', 24);
	pb_record(b, 4712, 0); /* no multiple of 8 */
	strbuf_addstr(&b->sb, "odd");
	pb_done(b);
	pb_sample(b, PERF_RECORD_MISC_KERNEL, 100, 0xffffffff81000020, 42, 13);
	pb_end(b);
}

static void check_records(struct perf_file *pf)
{
	struct perf_record rec;
	struct perf_sample s;
	struct perf_task t;
	struct perf_mmap m;

	assert_int_equal(pf->nr_attrs, 2);
	assert_string_equal(pf->attr[1].name, "task-clock");
	assert_int_equal(perf_file_next(pf, &rec, NULL), 1);
	assert_true(perf_task_parse(pf, &rec, &t));
	assert_true(t.exec && t.pid == 42 && t.comm_len == 4 && !memcmp(t.comm, "task", 4));
	assert_true(perf_record_id(pf, &rec, &s));
	assert_int_equal(s.time, 5);
	assert_int_equal(perf_file_next(pf, &rec, NULL), 1);
	assert_true(perf_mmap_parse(pf, &rec, &m));
	assert_true(m.pid == 42 && m.addr == 0x1000 && m.len == 0x2000 && m.filename_len == 6);
	assert_int_equal(perf_file_next(pf, &rec, NULL), 1);
	assert_true(perf_sample_parse(pf, &rec, &s));
	assert_true(s.attr == 0 && s.ip == 0xffffffff81000010 && s.pid == 42 && s.tid == 42);
	assert_true(s.time == 10 && s.cpu == 3 && s.period == 7 && s.id == 100);
	assert_int_equal(perf_file_next(pf, &rec, NULL), 1);
	assert_int_equal(rec.type, 4711);
	assert_int_equal(perf_file_next(pf, &rec, NULL), 1);
	assert_true(perf_sample_parse(pf, &rec, &s));
	assert_true(s.attr == 1 && s.ip == 0x1004 && s.pid == 43);
	assert_int_equal(perf_file_next(pf, &rec, NULL), 1);
	assert_int_equal(perf_record_lost(pf, &rec), 17);
	for (int i = 0; i < 3; i++)
		assert_int_equal(perf_file_next(pf, &rec, NULL), 1);
	assert_true(perf_sample_parse(pf, &rec, &s));
	assert_int_equal(s.time, 13);
	assert_int_equal(perf_file_next(pf, &rec, NULL), 0);
	assert_false(pf->cut);
	assert_int_equal(pf->notes.n, 0);
}

static void both_byte_orders_and_any_attr_size(void **state)
{
	static const uint32_t sizes[] = { 64, 72, 96, 136, 152, 1024 };

	for (int swap = 0; swap < 2; swap++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct pb b = { .sb = STRBUF_INIT, .swap = swap };
			struct perf_file pf;

			two_events(&b, sizes[i]);
			assert_int_equal(perf_file_open_memory(&pf, b.sb.buf, b.sb.len, "x",
							       NULL), 0);
			assert_int_equal(pf.swap, swap);
			check_records(&pf);
			perf_file_rewind(&pf);
			check_records(&pf);
			perf_file_close(&pf);
			strbuf_release(&b.sb);
		}
	}
}

/* Number of records, and that the last one ends within the file. */
static int count(struct perf_file *pf)
{
	struct perf_record rec;
	struct perf_sample s;
	int n = 0;

	while (perf_file_next(pf, &rec, NULL) > 0) {
		if (rec.type == PERF_RECORD_SAMPLE)
			perf_sample_parse(pf, &rec, &s);
		n++;
	}
	return n;
}

static void cut_anywhere_gives_what_is_whole(void **state)
{
	struct pb b = { .sb = STRBUF_INIT };
	int last = 0, n;

	two_events(&b, 136);
	for (size_t len = 0; len < b.sb.len; len++) {
		char *exact = malloc(len + 1); /* a sanitizer sees what lies behind */
		struct err err = ERR_INIT;
		struct perf_file pf;

		memcpy(exact, b.sb.buf, len);
		exact = realloc(exact, len ? len : 1);
		if (perf_file_open_memory(&pf, exact, len, "x", &err) < 0) {
			assert_true(len <= b.data);
			assert_non_null(err.text);
		} else {
			n = count(&pf);
			assert_true(n >= last && n <= last + 1);
			assert_true(pf.cut && pf.notes.n >= 1);
			last = n;
			perf_file_close(&pf);
		}
		err_release(&err);
		free(exact);
	}
	assert_int_equal(last, 8);
	strbuf_release(&b.sb);
}

static void a_killed_recorder_leaves_its_records(void **state)
{
	struct pb b = { .sb = STRBUF_INIT };
	struct perf_file pf;

	two_events(&b, 136);
	pb_set_u64(&b, 48, 0);
	assert_int_equal(perf_file_open_memory(&pf, b.sb.buf, b.sb.len, "x", NULL), 0);
	assert_int_equal(count(&pf), 9);
	assert_true(pf.cut);
	perf_file_close(&pf);
	strbuf_release(&b.sb);
}

static void forged_headers_are_refused_or_bounded(void **state)
{
	static const size_t fields[] = { 8, 16, 24, 32, 40, 48, 72, 80, 96 };
	static const uint64_t values[] = { 0, 1, 8, 79, 1 << 20, UINT64_MAX, 1ULL << 63,
					   0x7fffffffffffffff };
	struct pb b = { .sb = STRBUF_INIT };
	struct perf_file pf;

	for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
		for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			two_events(&b, 136);
			pb_set_u64(&b, fields[f], values[v]);
			if (perf_file_open_memory(&pf, b.sb.buf, b.sb.len, "x", NULL) < 0)
				continue;
			count(&pf);
			perf_file_close(&pf);
		}
	}
	assert_int_equal(perf_file_open_memory(&pf, "PERFILE3", 8, "x", NULL), -EINVAL);
	strbuf_release(&b.sb);
}

/* A pipe: attributes, a feature and tracing data are records. */
static void pipe_start(struct pb *b)
{
	strbuf_add(&b->sb, b->swap ? "2ELIFREP" : "PERFILE2", 8);
	pb_u64(b, 16);
	pb_record(b, PERF_RECORD_HEADER_FEATURE, 0);
	pb_u64(b, PERF_FEATURE_HOSTNAME);
	pb_u32(b, 8);
	strbuf_add(&b->sb, "host\0\0\0", 8);
	strbuf_addchn(&b->sb, '\0', 4);
	pb_done(b);
	pb_record(b, PERF_RECORD_HEADER_ATTR, 0);
	pb_attr(b, 120, PERF_TYPE_TRACEPOINT, 77, PB_SAMPLE_TYPE | PERF_SAMPLE_RAW, 0,
		PB_ID_ALL);
	pb_u64(b, 100);
	pb_done(b);
	pb_record(b, PERF_RECORD_HEADER_TRACING_DATA, 0);
	pb_u32(b, 16);
	pb_u32(b, 0);
	pb_done(b);
	strbuf_addstr(&b->sb, "tracing data!!!!");
}

static void raw_sample(struct pb *b)
{
	pb_sample(b, PERF_RECORD_MISC_KERNEL, 100, 1, 2, 3);
	pb_u32(b, 12);
	strbuf_addstr(&b->sb, "raw contents");
	pb_done(b);
}

static void pipes_tell_their_events_on_the_way(void **state)
{
	for (int swap = 0; swap < 2; swap++) {
		struct pb b = { .sb = STRBUF_INIT, .swap = swap };
		struct perf_section blob;
		struct perf_record rec;
		struct perf_sample s;
		struct perf_file pf;
		char *host;

		pipe_start(&b);
		raw_sample(&b);
		assert_int_equal(perf_file_open_memory(&pf, b.sb.buf, b.sb.len, "x", NULL), 0);
		assert_true(pf.pipe);
		assert_int_equal(pf.nr_attrs, 1);
		blob = perf_file_tracing_data(&pf);
		assert_int_equal(blob.len, 16);
		assert_memory_equal(blob.data, "tracing data!!!!", 16);
		host = perf_file_string(&pf, PERF_FEATURE_HOSTNAME);
		assert_string_equal(host, "host");
		free(host);
		for (int i = 0; i < 4; i++)
			assert_int_equal(perf_file_next(&pf, &rec, NULL), 1);
		assert_true(perf_sample_parse(&pf, &rec, &s));
		assert_int_equal(s.raw_len, 12);
		assert_memory_equal(s.raw, "raw contents", 12);
		assert_int_equal(perf_file_next(&pf, &rec, NULL), 0);
		assert_int_equal(pf.nr_attrs, 1); /* not taken twice */
		perf_file_close(&pf);
		strbuf_release(&b.sb);
	}
}

/* Appends the first or second half of a zstd stream as a container. */
static void container(struct pb *b, uint32_t type, const char *data, size_t len)
{
	pb_record(b, type, 0);
	if (type == PERF_RECORD_COMPRESSED2)
		pb_u64(b, len);
	strbuf_add(&b->sb, data, len);
	if (type == PERF_RECORD_COMPRESSED2)
		strbuf_addchn(&b->sb, '\0', (8 - len % 8) % 8);
	pb_done(b);
}

static void compressed_records_may_span_containers(void **state)
{
	static const uint32_t types[] = { PERF_RECORD_COMPRESSED, PERF_RECORD_COMPRESSED2 };
	char packed[8192];

	for (int t = 0; t < 2; t++) {
		struct pb b = { .sb = STRBUF_INIT }, inner = { .sb = STRBUF_INIT };
		struct perf_file pf;
		size_t n;

		for (int i = 0; i < 100; i++)
			raw_sample(&inner);
		n = ZSTD_compress(packed, sizeof(packed), inner.sb.buf, inner.sb.len, 1);
		for (size_t cut = 4; cut < n; cut++) {
			strbuf_reset(&b.sb);
			pipe_start(&b);
			container(&b, types[t], packed, cut);
			raw_sample(&b); /* the file's own records come between */
			container(&b, types[t], packed + cut, n - cut);
			assert_int_equal(perf_file_open_memory(&pf, b.sb.buf, b.sb.len, "x",
							       NULL), 0);
			assert_int_equal(count(&pf), 104);
			assert_false(pf.cut);
			perf_file_rewind(&pf);
			assert_int_equal(count(&pf), 104);
			perf_file_close(&pf);
		}
		strbuf_release(&b.sb);
		strbuf_release(&inner.sb);
	}
}

static void damaged_compression_is_noted(void **state)
{
	struct pb b = { .sb = STRBUF_INIT };
	struct perf_file pf;

	pipe_start(&b);
	container(&b, PERF_RECORD_COMPRESSED, "not zstd at all", 15);
	raw_sample(&b);
	assert_int_equal(perf_file_open_memory(&pf, b.sb.buf, b.sb.len, "x", NULL), 0);
	assert_int_equal(count(&pf), 4);
	assert_true(pf.cut);
	assert_int_equal(pf.notes.n, 1);
	perf_file_close(&pf);
	strbuf_release(&b.sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_byte_orders_and_any_attr_size),
		cmocka_unit_test(cut_anywhere_gives_what_is_whole),
		cmocka_unit_test(a_killed_recorder_leaves_its_records),
		cmocka_unit_test(forged_headers_are_refused_or_bounded),
		cmocka_unit_test(pipes_tell_their_events_on_the_way),
		cmocka_unit_test(compressed_records_may_span_containers),
		cmocka_unit_test(damaged_compression_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
