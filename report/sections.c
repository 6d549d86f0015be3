// SPDX-License-Identifier: GPL-2.0-or-later
/* The sections of a report, in the order of the mail. */
#include "report.h"

#define ROWS(fn, table)                                                        \
	static void fn##_text(const struct report *r, struct strbuf *out)      \
	{                                                                      \
		report_rows(r, out, table);                                    \
	}                                                                      \
	static json_t *fn##_json(const struct report *r)                       \
	{                                                                      \
		return report_rows_json(r, table);                             \
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
	{ "verdict", "Verdict", true, section_verdict_text, section_verdict_json },
	{ "what", "What ran where", true, section_what_text, section_what_json },
	{ "differences", "Is it comparable?", true, section_differences_text,
	  section_differences_json },
	{ "benchmark", "Benchmark", true, section_benchmark_text, section_benchmark_json },
	{ "cpu", "CPU time", false, cpu_text, cpu_json },
	{ "ledger", "Where the CPU time went", false, section_ledger_text,
	  section_ledger_json },
	{ "rates", "Switches, wakeups, migrations", false, rates_text, rates_json },
	{ "waits", "Time on the run queue", false, waits_text, waits_json },
	{ "histograms", "Distributions", false, section_histograms_text,
	  section_histograms_json },
	{ "migrations", "Migrations by reason", false, section_migrations_text,
	  section_migrations_json },
	{ "hot", "Cache-hot migrations", false, section_hot_text, section_hot_json },
	{ "idle", "Idle, and idle while work waits", false, idle_text, idle_json },
	{ "trace", "What the trace tells", false, section_trace_text, section_trace_json },
	{ "functions", "Time inside kernel functions", false, functions_text,
	  functions_json },
	{ "balance", "Load balancing (/proc/schedstat)", false, balance_text, balance_json },
	{ "numa", "NUMA balancing", false, numa_text, numa_json },
	{ "numa_groups", "Who shares memory", false, section_numa_groups_text,
	  section_numa_groups_json },
	{ "kernel", "Interrupts, faults, pressure", false, kernel_text, kernel_json },
	{ "profile", "Profile", false, section_profile_text, section_profile_json },
	{ "setup", "Setup", false, section_setup_text, section_setup_json },
	{ NULL, NULL, false, NULL, NULL },
};
