// SPDX-License-Identifier: GPL-2.0-or-later
/* The sections of a report, in the order of the mail. */
#include "html.h"
#include "report.h"

#define ROWS(fn, table)                                                        \
	static void fn##_text(const struct report *r, struct strbuf *out)      \
	{                                                                      \
		report_rows(r, out, table);                                    \
	}                                                                      \
	static json_t *fn##_json(const struct report *r)                       \
	{                                                                      \
		return report_rows_json(r, table);                             \
	}                                                                      \
	static void fn##_html(const struct report *r, struct strbuf *out)      \
	{                                                                      \
		html_rows(r, out, table);                                      \
	}
ROWS(cpu, COMPARE_CPU)
ROWS(rates, COMPARE_RATES)
ROWS(waits, COMPARE_WAITS)
ROWS(idle, COMPARE_IDLE)
ROWS(functions, COMPARE_FUNCTIONS)
ROWS(balance, COMPARE_BALANCE)
ROWS(numa, COMPARE_NUMA)
ROWS(kernel, COMPARE_KERNEL)

const struct report_section report_sections[] = {
	{ "cells", "By case and load", true, section_cells_text, section_cells_json,
	  section_cells_html },
	{ "verdict", "Verdict", true, section_verdict_text, section_verdict_json,
	  section_verdict_html },
	{ "what", "What ran where", true, section_what_text, section_what_json,
	  section_what_html },
	{ "differences", "Is it comparable?", true, section_differences_text,
	  section_differences_json, section_differences_html },
	{ "benchmark", "Benchmark", true, section_benchmark_text, section_benchmark_json,
	  section_benchmark_html },
	{ "cpu", "CPU time", false, cpu_text, cpu_json, cpu_html },
	{ "ledger", "Where the CPU time went", false, section_ledger_text,
	  section_ledger_json, section_ledger_html },
	{ "rates", "Switches, wakeups, migrations", false, rates_text, rates_json,
	  rates_html },
	{ "waits", "Time on the run queue", false, waits_text, waits_json, waits_html },
	{ "histograms", "Distributions", false, section_histograms_text,
	  section_histograms_json, section_histograms_html },
	{ "migrations", "Migrations by reason", false, section_migrations_text,
	  section_migrations_json, section_migrations_html },
	{ "hot", "Cache-hot migrations", false, section_hot_text, section_hot_json,
	  section_hot_html },
	{ "idle", "Idle, and idle while work waits", false, idle_text, idle_json,
	  idle_html },
	{ "trace", "What the trace tells", false, section_trace_text, section_trace_json,
	  NULL },
	{ "functions", "Time inside kernel functions", false, functions_text,
	  functions_json, functions_html },
	{ "balance", "Load balancing (/proc/schedstat)", false, balance_text, balance_json,
	  balance_html },
	{ "numa", "NUMA balancing", false, numa_text, numa_json, numa_html },
	{ "numa_groups", "Who shares memory", false, section_numa_groups_text,
	  section_numa_groups_json, NULL },
	{ "kernel", "Interrupts, faults, pressure", false, kernel_text, kernel_json,
	  kernel_html },
	{ "profile", "Profile", false, section_profile_text, section_profile_json,
	  section_profile_html },
	{ "setup", "Setup", false, section_setup_text, section_setup_json,
	  section_setup_html },
	{ NULL, NULL, false, NULL, NULL, NULL },
};
