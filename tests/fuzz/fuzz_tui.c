// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys and sizes at random over two small sets made in memory: no crash, and the
 * canvas holds nothing that a terminal may not see. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"
#include "tui/app.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *const distances[] = { "self", "smt", "llc", "remote", "un\033known" };
static const char *const reasons[] = { "wakeup", "steal_newidle", "steal_busy",
				       "active_balance", "unknown" };

static void fill(struct series_set *s, unsigned seed)
{
	char cpu[16], to[16];

	for (unsigned i = 0; i < 40; i++) {
		const char *distance = distances[(i + seed) % ARRAY_SIZE(distances)];
		const char *reason = reasons[i % ARRAY_SIZE(reasons)];

		snprintf(cpu, sizeof(cpu), "%u", i % 7 * seed);
		snprintf(to, sizeof(to), "%u", i % 5);
		series_add(s, "migrations",
			   LABELS("reason", reason, "distance", distance, "from_node", cpu,
				  "to_node", to),
			   i * seed);
		series_add(s, "cpu_migrations",
			   LABELS("reason", reason, "from_cpu", cpu, "to_cpu", to), i);
		series_add(s, "cpu_time", LABELS("cpu", cpu, "mode", i % 2 ? "user" : "idle"),
			   i * 1000000000ull);
		series_add(s, "switches", LABELS("kind", "voluntary"), i);
		histogram_add_n(series_hist(s, "wakeup_latency",
					    LABELS("distance", distance)),
				i * seed * 1000, i);
		histogram_add(series_hist(s, "function_latency",
					  LABELS("function", "f", "caller", reason)),
			      UINT64_MAX >> i);
	}
}

static void make_set(struct run_set *set, struct run run[2], char *label, unsigned seed)
{
	static struct metric metric = { "time", "s", false, false, 1.5, "w" };
	static struct host_fact fact = { "key", "v\x80\xff\xf0\x9f\x98\x80" };

	memset(set, 0, sizeof(*set));
	memset(run, 0, 2 * sizeof(*run));
	set->label = set->path = label;
	set->run = run;
	set->n = 2;
	for (int i = 0; i < 2; i++) {
		run[i].path = run[i].label = label;
		run[i].kernel_release = run[i].kernel_version = run[i].machine_name =
			run[i].boot_id = run[i].command = run[i].work_unit = label;
		run[i].duration_ns = 1000000000;
		run[i].work = 1;
		run[i].metric = &metric;
		run[i].nr_metrics = 1;
		run[i].fact = &fact;
		run[i].nr_facts = 1;
		topology_init(&run[i].topology);
		series_init(&run[i].series);
		fill(&run[i].series, seed + (unsigned)i);
	}
}

static void check(const struct canvas *c)
{
	for (int i = 0; i < c->w * c->h; i++) {
		uint32_t ch = c->cell[i].ch;

		if ((ch && ch < 32) || (ch >= 127 && ch < 160) || (c->ascii && ch > 126))
			abort();
	}
}

/* Most keys are those that do something. */
static uint32_t key_of(uint8_t byte)
{
	if (byte >= 128)
		return SKEY_DOWN + (byte - 128u) % (SKEY_NR - SKEY_DOWN);
	/* P writes files, O starts an editor */
	return byte == 'P' || byte == 'O' ? 'x' : byte;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static char a[] = "side A", b[] = "\xe6\xbc\xa2\033[2J\xff";
	static struct run_set set[2];
	static struct run run[2][2];
	struct strbuf text = STRBUF_INIT;
	struct app app;

	if (!set[0].n) {
		make_set(&set[0], run[0], a, 1);
		make_set(&set[1], run[1], b, 3);
	}
	if (size < 2)
		return 0;
	app_init(&app, bytes[0], bytes[1], bytes[0] & 1);
	app.scripted = true;
	app.data.set[0] = &set[0];
	app.data.set[1] = &set[1];
	app.data.nr_sets = 2;
	app.data.side[SIDE_B] = bytes[1] & 1 ? 1 : -1;
	for (size_t i = 2; i < size && !app.quit; i++) {
		if (bytes[i] == 255 && i + 2 < size) {
			app_resize(&app, bytes[i + 1], bytes[i + 2] % 100);
			i += 2;
		} else {
			app_key(&app, key_of(bytes[i]));
		}
		app_draw(&app);
		check(&app.canvas);
	}
	app_draw(&app);
	if (size % 8 == 0)
		view_text(app_view(&app), &text, 78);
	strbuf_release(&text);
	app_release(&app);
	return 0;
}
