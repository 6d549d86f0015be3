// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the sched programs must know of the running kernel: the form of its
 * tracepoints, from BTF, and which functions on the stack of a migration stand
 * for which reason, from kallsyms. Renames of kernels stand in these tables.
 */
#ifdef HAVE_BPF
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpf_probe.h"
#include "kernelfs.h"
#include "sched_private.h"
#include "schedblame/alloc.h"
#include "schedblame/file.h"
#include "schedblame/kallsyms.h"

/* A name with two spellings stands twice; names that a kernel lacks do no harm. */
static const struct function_rule {
	const char *name;
	unsigned kind;
} rules[] = {
	{ "active_load_balance_cpu_stop", REASON_ACTIVE_BALANCE },
	{ "migrate_swap_stop", REASON_NUMA_SWAP },
	{ "__migrate_swap_task", REASON_NUMA_SWAP },
	{ "__balance_push_cpu_stop", REASON_HOTPLUG },
	{ "migrate_tasks", REASON_HOTPLUG },
	{ "dl_task_offline_migration", REASON_HOTPLUG },
	{ "newidle_balance", REASON_STEAL_NEWIDLE },
	{ "sched_balance_newidle", REASON_STEAL_NEWIDLE }, /* 6.10 */
	{ "rebalance_domains", RULE_BALANCE },
	{ "sched_balance_domains", RULE_BALANCE }, /* 6.10 */
	{ "push_rt_task", RULE_PUSH },
	{ "push_rt_tasks", RULE_PUSH },
	{ "rto_push_irq_work_func", RULE_PUSH },
	{ "push_dl_task", RULE_PUSH },
	{ "push_dl_tasks", RULE_PUSH },
	{ "push_cpu_stop", RULE_PUSH },
	{ "pull_rt_task", RULE_PULL },
	{ "pull_dl_task", RULE_PULL },
	{ "balance_rt", RULE_PULL }, /* where pull_rt_task was inlined */
	{ "balance_dl", RULE_PULL },
	{ "affine_move_task", REASON_AFFINITY },
	{ "__set_cpus_allowed_ptr_locked", REASON_AFFINITY },
	{ "__set_cpus_allowed_ptr", REASON_AFFINITY },
	{ "set_cpus_allowed_ptr", REASON_AFFINITY },
	{ "__sched_setaffinity", REASON_AFFINITY },
	{ "migration_cpu_stop", RULE_STOP },
};

/* Where newly idle balancing was inlined: __schedule() itself, if nothing
 * nearer to the migration has a rule. */
static const struct function_rule inlined_newidle[] = {
	{ "pick_next_task_fair", REASON_STEAL_NEWIDLE },
	{ "balance_fair", REASON_STEAL_NEWIDLE },
};

/* Callers of stop_one_cpu(migration_cpu_stop). */
static const struct function_rule callers[] = {
	{ "sched_exec", REASON_EXEC },
	{ "affine_move_task", REASON_AFFINITY },
	{ "__set_cpus_allowed_ptr_locked", REASON_AFFINITY },
	{ "__set_cpus_allowed_ptr", REASON_AFFINITY },
	{ "migrate_task_to", REASON_NUMA_MOVE },
	{ "task_numa_migrate", REASON_NUMA_MOVE },
};

/* Adds the ranges of a name and of its .isra.N, .constprop.N, .part.N, .cold. */
static unsigned add_ranges(struct sched_rule *out, unsigned n, unsigned max,
			   const struct kallsyms *ks, const struct function_rule *rule,
			   unsigned *left_out)
{
	size_t len = strlen(rule->name);
	uint64_t end;

	for (size_t i = 0; i < ks->n; i++) {
		const char *name = kallsyms_name(ks, &ks->sym[i]);

		if (ks->sym[i].module || strncmp(name, rule->name, len) ||
		    (name[len] && name[len] != '.'))
			continue;
		if (!kallsyms_find(ks, ks->sym[i].addr, &end))
			continue;
		if (n == max) {
			(*left_out)++;
			continue;
		}
		out[n].lo = ks->sym[i].addr;
		out[n].hi = end;
		out[n++].kind = rule->kind;
	}
	return n;
}

static unsigned add_rules(struct sched_rule *out, unsigned n, unsigned max,
			  const struct kallsyms *ks, const struct function_rule *rule,
			  size_t nr, unsigned *left_out)
{
	for (size_t i = 0; i < nr; i++)
		n = add_ranges(out, n, max, ks, &rule[i], left_out);
	return n;
}

static int by_address(const void *a, const void *b)
{
	const struct sched_rule *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* The address with which the line of at begins. */
static uint64_t address_before(const char *text, const char *at)
{
	const char *line = at;

	while (line > text && line[-1] != '\n')
		line--;
	return strtoull(line, NULL, 16);
}

static uint64_t find_data_symbol(const struct strbuf *text, const char *name)
{
	char *key = xasprintf(" %s\n", name);
	const char *at = strstr(text->buf, key);

	free(key);
	return at ? address_before(text->buf, at) : 0;
}

/* Data symbols, which struct kallsyms does not keep; CONFIG_KALLSYMS_ALL only. */
static void find_data_symbols(struct sched_kernel *k, const struct strbuf *text)
{
	k->addr_per_cpu_offset = find_data_symbol(text, "__per_cpu_offset");
	if (!k->addr_per_cpu_offset)
		return;
	k->addr_cpu_stopper = find_data_symbol(text, "cpu_stopper");
	k->addr_runqueues = find_data_symbol(text, "runqueues");
}

/* load_balance() can be probed as long as it is a function of its own, with its
 * arguments where the source has them (no .isra, no .constprop). */
static void look_at_balancer(struct sched_kernel *k, struct kallsyms *ks)
{
	static const char *const names[] = { "sched_balance_rq", "load_balance" };
	struct probe probe;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !k->balance; i++)
		if (kallsyms_lookup(ks, names[i], ""))
			k->balance = names[i];
	if (!k->balance)
		return;
	probe_bpf_fentry(NULL, &probe);
	k->balance_by_fentry = probe.state == PROBE_WORKS &&
			       libbpf_find_vmlinux_btf_id(k->balance, BPF_TRACE_FENTRY) > 0;
	probe_release(&probe);
	if (k->balance_by_fentry)
		return;
	probe_kprobe(NULL, &probe);
	if (probe.state != PROBE_WORKS)
		k->balance = NULL;
	probe_release(&probe);
}

/* The kernel keeps 32 bits without sign, and compares them with -1. */
static int64_t parse_cost(const char *text)
{
	char *end;
	long long ns = strtoll(text, &end, 10);

	if (end == text || ns < -1 || ns > UINT32_MAX)
		return COST_UNKNOWN;
	return ns == UINT32_MAX ? -1 : ns;
}

static int64_t read_migration_cost(void)
{
	struct strbuf sb = STRBUF_INIT;
	int fd = kernelfs_open("debugfs", NULL);
	int64_t ns = COST_UNKNOWN;

	if (fd >= 0 && file_read_at(&sb, fd, "sched/migration_cost_ns", 64, NULL) == 0)
		ns = parse_cost(sb.buf);
	else if (file_read(&sb, "/proc/sys/kernel/sched_migration_cost_ns", 64, NULL) == 0)
		ns = parse_cost(sb.buf); /* before 5.13 */
	if (fd >= 0)
		close(fd);
	strbuf_release(&sb);
	return ns;
}

static void look_at_symbols(struct sched_kernel *k)
{
	static const char path[] = "/proc/kallsyms";
	struct strbuf text = STRBUF_INIT;
	struct kallsyms ks;

	if (file_read(&text, path, 0, NULL) < 0)
		return;
	if (kallsyms_parse(&ks, text.buf, text.len, path, NULL) == 0 && !ks.restricted) {
		bool newidle = kallsyms_lookup(&ks, "newidle_balance", "") ||
			       kallsyms_lookup(&ks, "sched_balance_newidle", "");

		k->kallsyms = true;
		k->nr_rules = add_rules(k->rule, 0, SCHED_RULES, &ks, rules,
					ARRAY_SIZE(rules), &k->left_out);
		if (!newidle)
			k->nr_rules = add_rules(k->rule, k->nr_rules, SCHED_RULES, &ks,
						inlined_newidle,
						ARRAY_SIZE(inlined_newidle), &k->left_out);
		k->nr_callers = add_rules(k->caller, 0, SCHED_CALLERS, &ks, callers,
					  ARRAY_SIZE(callers), &k->left_out);
		qsort(k->rule, k->nr_rules, sizeof(k->rule[0]), by_address);
		find_data_symbols(k, &text);
		look_at_balancer(k, &ks);
	}
	kallsyms_close(&ks);
	strbuf_release(&text);
}

/* sched_switch(data, preempt, prev, next[, prev_state]) */
static bool has_prev_state(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *t;
	bool has = false;
	int id;

	if (!btf)
		return false;
	id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	t = id > 0 ? btf__type_by_id(btf, (unsigned)id) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL; /* pointer */
	t = t ? btf__type_by_id(btf, t->type) : NULL; /* to a function */
	if (t && btf_is_func_proto(t))
		has = btf_vlen(t) >= 5;
	btf__free(btf);
	return has;
}

/* The kernel's code stays where it is while it runs, its tunables do not. */
void sched_kernel_look(struct sched_kernel *k)
{
	static struct sched_kernel seen;
	static bool looked;

	if (!looked) {
		memset(&seen, 0, sizeof(seen));
		seen.switch_has_prev_state = has_prev_state();
		look_at_symbols(&seen);
		looked = seen.kallsyms;
	}
	*k = seen;
	k->migration_cost_ns = read_migration_cost();
}

const char *sched_kernel_method(const struct sched_kernel *k)
{
	if (k->balance)
		return k->balance_by_fentry ? "fentry" : "kprobe";
	return k->nr_rules ? "stack" : "state";
}
#endif
