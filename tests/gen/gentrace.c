// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gentrace [--cpus N] [--nodes N] [--tasks N] [--events N] [--seed N] [--loss N]
 *	    [--text] FILE: writes a trace and prints the truth about it as JSON.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"

static void print_truth(const struct gen_truth *t, uint64_t lost)
{
	printf("{\"switches\":%llu,\"waking\":%llu,\"wakeups\":%llu,\"migrations\":%llu,\n",
	       (unsigned long long)t->events[GEN_SWITCH],
	       (unsigned long long)t->events[GEN_WAKING],
	       (unsigned long long)t->events[GEN_WAKEUP],
	       (unsigned long long)t->events[GEN_MIGRATE]);
	printf(" \"voluntary\":%llu,\"preempted\":%llu,\"idle\":%llu,\n",
	       (unsigned long long)t->voluntary, (unsigned long long)t->preempted,
	       (unsigned long long)t->idle);
	printf(" \"wakeup_waits\":%llu,\"wakeup_wait_ns\":%llu,\n \"preempt_waits\":%llu,"
	       "\"preempt_wait_ns\":%llu,\n", (unsigned long long)t->wakeup_waits,
	       (unsigned long long)t->wakeup_wait_ns, (unsigned long long)t->preempt_waits,
	       (unsigned long long)t->preempt_wait_ns);
	printf(" \"run_ns\":%llu,\"idle_ns\":%llu,\"lost\":%llu}\n",
	       (unsigned long long)t->run_ns, (unsigned long long)t->idle_ns,
	       (unsigned long long)lost);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cpus", 1, NULL, 'c' }, { "nodes", 1, NULL, 'n' }, { "tasks", 1, NULL, 't' },
		{ "events", 1, NULL, 'e' }, { "seed", 1, NULL, 's' }, { "loss", 1, NULL, 'l' },
		{ "text", 0, NULL, 'x' }, { NULL, 0, NULL, 0 } };
	struct gen_config c = { 8, 2, 24, 100000, 1, 0 };
	struct gen_truth truth;
	uint64_t lost = 0;
	bool text = false;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		unsigned long long v = optarg ? strtoull(optarg, NULL, 10) : 0;

		switch (opt) {
		case 'c': c.cpus = (unsigned)v; break;
		case 'n': c.nodes = (unsigned)v; break;
		case 't': c.tasks = (unsigned)v; break;
		case 'e': c.events = v; break;
		case 's': c.seed = v; break;
		case 'l': c.loss_every = (unsigned)v; break;
		case 'x': text = true; break;
		default: return 2;
		}
	}
	if (optind + 1 != argc || !c.cpus || !c.nodes || !c.tasks || c.cpus % c.nodes) {
		fprintf(stderr, "usage: gentrace [--cpus N] [--nodes N] [--tasks N] [--events N] "
			"[--seed N] [--loss N] [--text] FILE\n");
		return 2;
	}
	if (text) {
		FILE *out = fopen(argv[optind], "w");

		ret = out ? gen_write_perf_script(&c, out, &truth) : -1;
		if (out && fclose(out))
			ret = -1;
	} else {
		ret = gen_write_trace_dat(&c, argv[optind], &truth, &lost);
	}
	if (ret) {
		fprintf(stderr, "gentrace: cannot write %s: %s\n", argv[optind],
			strerror(ret < 0 ? -ret : ret));
		return 3;
	}
	print_truth(&truth, lost);
	return 0;
}
