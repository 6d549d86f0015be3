// SPDX-License-Identifier: GPL-2.0-or-later
/* Build ids from the kernel's notes and from ELF files. */
#include "schedblame/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedblame/file.h"

#define NOTES_MAX 4096
#define PHDRS_MAX 64

static size_t align4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

size_t build_id_from_notes(const void *notes, size_t len, unsigned char id[BUILD_ID_MAX])
{
	const char *p = notes;
	ElfW(Nhdr) n;

	while (len >= sizeof(n)) {
		size_t name, desc;

		memcpy(&n, p, sizeof(n));
		if (n.n_namesz > len || n.n_descsz > len)
			break;
		name = align4(n.n_namesz);
		desc = align4(n.n_descsz);
		if (sizeof(n) + name + desc > len)
			break;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    !memcmp(p + sizeof(n), "GNU", 4) && n.n_descsz && n.n_descsz <= BUILD_ID_MAX) {
			memcpy(id, p + sizeof(n) + name, n.n_descsz);
			return n.n_descsz;
		}
		p += sizeof(n) + name + desc;
		len -= sizeof(n) + name + desc;
	}
	return 0;
}

static size_t from_elf(int fd, unsigned char id[BUILD_ID_MAX])
{
	ElfW(Ehdr) eh;
	ElfW(Phdr) ph;
	char notes[NOTES_MAX];

	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return 0;
	for (unsigned i = 0; i < eh.e_phnum && i < PHDRS_MAX; i++) {
		size_t len, n;
		ssize_t got;

		if (pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))) !=
		    sizeof(ph))
			return 0;
		if (ph.p_type != PT_NOTE)
			continue;
		len = ph.p_filesz < NOTES_MAX ? ph.p_filesz : NOTES_MAX;
		got = pread(fd, notes, len, (off_t)ph.p_offset);
		n = got > 0 ? build_id_from_notes(notes, (size_t)got, id) : 0;
		if (n)
			return n;
	}
	return 0;
}

size_t build_id_of_file(const char *path, unsigned char id[BUILD_ID_MAX])
{
	struct stat st;
	size_t n;
	int fd;

	/* a mapped path may be a device, which may do things when opened */
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return 0;
	n = from_elf(fd, id);
	close(fd);
	return n;
}

size_t build_id_of_kernel(unsigned char id[BUILD_ID_MAX])
{
	struct strbuf notes = STRBUF_INIT;
	size_t n = 0;

	if (file_read(&notes, "/sys/kernel/notes", 1 << 16, NULL) == 0)
		n = build_id_from_notes(notes.buf, notes.len, id);
	strbuf_release(&notes);
	return n;
}
