// SPDX-License-Identifier: GPL-2.0-or-later
/* One walk of a BPF program over all tasks. */
#ifdef HAVE_BPF
#include "bpf_prime.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

/* The program writes nothing, so the first read sees all tasks and ends. */
static int walk(int fd)
{
	char byte;
	ssize_t n;

	do {
		n = read(fd, &byte, 1);
	} while (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)));
	return n < 0 ? -errno : 0;
}

int bpf_prime(const struct bpf_program *prog)
{
	struct bpf_link *link = bpf_program__attach_iter(prog, NULL);
	int fd, ret;

	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	ret = fd < 0 ? fd : walk(fd);
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return ret;
}
#else
typedef int bpf_prime_needs_bpf; /* ISO C forbids an empty file */
#endif
