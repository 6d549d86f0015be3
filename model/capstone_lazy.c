// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capstone's functions, from the library as soon as one is called: its tables take
 * 77000 relocations, which each start of the program would pay (4 ms, a twentieth
 * of the time in which a trace of 370 MB is read) although few commands disassemble.
 */
#include <capstone/capstone.h>
#include <dlfcn.h>
#include <pthread.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define LIBRARY "libcapstone.so." TEXT(CS_API_MAJOR)

/* Those that we call. */
#define FUNCTIONS(X) X(open) X(option) X(malloc) X(free) X(close) X(disasm_iter) X(insn_group)

static struct {
#define X(name) __typeof__(cs_##name) *name;
	FUNCTIONS(X)
#undef X
	bool loaded;
} lib;

static void load(void)
{
	void *so = dlopen(LIBRARY, RTLD_NOW);

	if (!so)
		return;
	lib.loaded = true;
#define X(name)                                                                \
	lib.name = (__typeof__(lib.name))dlsym(so, "cs_" #name);               \
	lib.loaded &= lib.name != NULL;
	FUNCTIONS(X)
#undef X
}

/* The first call of all; what the others get stems from it. */
cs_err cs_open(cs_arch arch, cs_mode mode, csh *handle)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return lib.loaded ? lib.open(arch, mode, handle) : CS_ERR_MEM;
}

cs_err cs_option(csh handle, cs_opt_type type, size_t value)
{
	return lib.option(handle, type, value);
}

cs_insn *cs_malloc(csh handle)
{
	return lib.malloc(handle);
}

void cs_free(cs_insn *insn, size_t count)
{
	lib.free(insn, count);
}

cs_err cs_close(csh *handle)
{
	return lib.close(handle);
}

bool cs_disasm_iter(csh handle, const uint8_t **code, size_t *size, uint64_t *address,
		    cs_insn *insn)
{
	return lib.disasm_iter(handle, code, size, address, insn);
}

bool cs_insn_group(csh handle, const cs_insn *insn, unsigned int group)
{
	return lib.insn_group(handle, insn, group);
}
