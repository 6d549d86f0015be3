// SPDX-License-Identifier: GPL-2.0-or-later
/* The profile and its builder; the call tree is in profile_tree.c. */
#include "schedblame/profile.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "schedblame/alloc.h"

#define PART_NAME(id, name) [PART_##id] = name,
const char *const profile_part_name[NR_PROFILE_PARTS] = { PROFILE_PARTS(PART_NAME) };

const char *const profile_space_name[NR_SPACES] = {
	"kernel", "user", "hypervisor", "guest kernel", "guest user", "unknown",
};

/*
 * Functions in which an idle CPU waits, on the architectures and kernels seen
 * from 2.4 on. Their callers (do_idle, cpuidle_enter) do work: they are not in.
 */
static const char *const idle_names[] = {
	"default_idle", "poll_idle", "mwait_idle", "mwait_idle_with_hints",
	"native_safe_halt", "pv_native_safe_halt", "default_idle_call",
	"intel_idle", "intel_idle_irq", "intel_idle_ibrs", "intel_idle_xstate",
	"intel_idle_hlt", "acpi_idle_enter", "acpi_idle_do_entry",
	"acpi_safe_halt", "acpi_processor_ffh_cstate_enter", "acpi_processor_idle",
	"acpi_idle_enter_simple", "acpi_idle_enter_bm", "acpi_idle_enter_c1",
	"amd_e400_idle", "c1e_idle", "xen_safe_halt", "cpu_idle_poll",
	"cpu_idle_loop", "cpu_idle", "arch_cpu_idle", "arch_safe_halt",
	"cpu_do_idle", "cpu_v7_do_idle", "psci_cpu_suspend_enter",
	"__CPU_wait_end", "pseries_dedicated_idle_sleep", "power4_idle_nap",
	"pSeries_idle", "snooze_loop", "stop_loop", "plpar_hcall_norets_notrace",
	"psw_idle", "enabled_wait", "wait_for_interrupt", "r4k_wait",
	"tdx_safe_halt", "pvm_safe_halt", "pvm_safe_halt_hc", "halt_poll_idle",
};

bool profile_is_idle_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(idle_names); i++) {
		size_t n = strlen(idle_names[i]);

		if (!strncmp(name, idle_names[i], n) &&
		    (name[n] == '\0' || name[n] == '.'))
			return true;
	}
	return false;
}

void profile_set(char **field, const char *value)
{
	char *old = *field;

	*field = xstrdup(value ? value : "");
	free(old);
}

static void add_root(struct profile *p)
{
	GROW(p->node, p->nr_nodes, p->cap_nodes);
	p->node[p->nr_nodes++] = (struct profile_node){ .symbol = PROFILE_NONE };
}

static const size_t owned[] = {
	offsetof(struct profile, event), offsetof(struct profile, unit),
	offsetof(struct profile, format), offsetof(struct profile, path),
	offsetof(struct profile, kernel_release), offsetof(struct profile, arch),
};

static char **owned_string(struct profile *p, size_t i)
{
	return (char **)(void *)((char *)p + owned[i]);
}

void profile_init(struct profile *p)
{
	memset(p, 0, sizeof(*p));
	strmap_init(&p->strings);
	strmap_adds(&p->strings, "");
	for (size_t i = 0; i < ARRAY_SIZE(owned); i++)
		*owned_string(p, i) = xstrdup("");
	profile_symbol(p, "user mode", NULL, NULL, SPACE_USER);
	profile_symbol(p, "[unknown]", NULL, NULL, SPACE_UNKNOWN);
	add_root(p);
}

void profile_release(struct profile *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(owned); i++)
		free(*owned_string(p, i));
	for (size_t i = 0; i < p->nr_modules; i++)
		free(p->module[i].path);
	free(p->module);
	free(p->symbol);
	free(p->node);
	free(p->body);
	free(p->address);
	u64map_release(&p->pairs);
	u64map_release(&p->keys);
	u64map_release(&p->edges);
	u64map_release(&p->bodies);
	u64map_release(&p->spots);
	strmap_release(&p->strings);
	notes_release(&p->notes);
	memset(p, 0, sizeof(*p));
}

/* (name, module) gets a dense id, which with (file, space) keys the symbol. */
uint32_t profile_symbol_ids(struct profile *p, uint32_t name, uint32_t module,
			    uint32_t file, enum profile_space space)
{
	uint32_t pair = u64map_add(&p->pairs, u64map_pair(name, module));
	uint32_t low = file * NR_SPACES + (uint32_t)space;
	uint32_t id = u64map_add(&p->keys, u64map_pair(pair, low));
	struct profile_symbol *s;

	if (id < p->nr_symbols)
		return id;
	GROW(p->symbol, p->nr_symbols, p->cap_symbols);
	s = &p->symbol[p->nr_symbols++];
	*s = (struct profile_symbol){ .name = name, .module = module, .file = file,
				      .space = (uint8_t)space };
	s->idle = space != SPACE_USER && space != SPACE_GUEST_USER &&
		  profile_is_idle_name(p->strings.name[name]);
	return id;
}

uint32_t profile_symbol(struct profile *p, const char *name, const char *module,
			const char *file, enum profile_space space)
{
	uint32_t n = strmap_adds(&p->strings, name);
	uint32_t m = strmap_adds(&p->strings, module ? module : "");
	uint32_t f = strmap_adds(&p->strings, file ? file : "");

	return profile_symbol_ids(p, n, m, f, space);
}

const char *profile_name(const struct profile *p, uint32_t symbol)
{
	return p->strings.name[p->symbol[symbol].name];
}

const char *profile_module_name(const struct profile *p, uint32_t symbol)
{
	return p->strings.name[p->symbol[symbol].module];
}

const char *profile_file_name(const struct profile *p, uint32_t symbol)
{
	return p->strings.name[p->symbol[symbol].file];
}

struct profile_module *profile_add_module(struct profile *p, const char *name)
{
	uint32_t id = strmap_adds(&p->strings, name);
	struct profile_module *m;

	for (size_t i = 0; i < p->nr_modules; i++)
		if (p->module[i].name == id)
			return &p->module[i];
	GROW(p->module, p->nr_modules, p->cap_modules);
	m = &p->module[p->nr_modules++];
	memset(m, 0, sizeof(*m));
	m->name = id;
	m->path = xstrdup("");
	return m;
}

uint64_t profile_busy_samples(const struct profile *p)
{
	return p->samples - p->idle_samples;
}

double profile_busy_weight(const struct profile *p)
{
	return p->weight - p->idle_weight;
}
