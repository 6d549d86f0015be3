// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU time of a run by mode, on the CPUs the workload may use and elsewhere. */
#include <math.h>
#include <stdlib.h>

#include "schedblame/json.h"
#include "schedblame/ledger.h"

static bool usable(const struct run *run, unsigned cpu)
{
	return cpuset_count(&run->cpus) == 0 || cpuset_test(&run->cpus, cpu);
}

struct walk {
	const struct run *run;
	bool inside;
	double sum;
	unsigned cpus;
};

static int add_time(const struct series_set *set, const struct series *s, void *arg)
{
	const char *cpu = series_label(set, s, "cpu");
	struct walk *w = arg;

	if (cpu && usable(w->run, (unsigned)strtoul(cpu, NULL, 10)) == w->inside) {
		w->sum += (double)s->counter;
		w->cpus++;
	}
	return 0;
}

double run_cpu_time(const struct run *run, enum cpu_mode mode, bool inside)
{
	struct walk w = { run, inside, 0, 0 };

	series_for_each(&run->series, "cpu_time", LABELS("mode", cpu_mode_name(mode)),
			add_time, &w);
	return w.sum;
}

unsigned run_cpu_count(const struct run *run)
{
	struct walk w = { run, true, 0, 0 };

	series_for_each(&run->series, "cpu_time", LABELS("mode", "idle"), add_time, &w);
	return w.cpus;
}

double run_own_time(const struct run *run, const char *key)
{
	int64_t ns = json_i64(json_object_get(run->manifest, "workload"), key, -1);

	return ns < 0 ? NAN : (double)ns;
}
