/* ELF64, little-endian: just enough to find the sections. Anything else is answered with `ours` false. */
#ifndef FORMATS_ELF_H
#define FORMATS_ELF_H

#include "formats/sections.h"

enum { JW_ELF_HEADER = 64, JW_EM_CUDA = 190 };

struct jw_elf {
    bool ours;        /* 64-bit little-endian, not a core dump */
    uint16_t type;    /* 1 relocatable, 2 executable, 3 shared */
    uint16_t machine; /* 190: a cubin */
    uint8_t os_abi;
    uint32_t flags;
    uint64_t shoff, phoff;
    uint16_t phentsize, phnum, shentsize, shnum, shstrndx;
};

/* The file header, from its first 64 bytes. */
struct jw_elf jw_elf_header(struct jw_bytes head);

/*
 * The sections that have bytes in the file; without a section table, the loadable segments. Names live in
 * `a`.
 * A section that runs past the end of the file is a problem when it is one that we look into, else ignored.
 */
bool jw_elf_sections(const struct jw_source *src, const struct jw_elf *elf, struct jw_arena *a,
                     struct jw_sections *out, struct jw_err *err) JW_MUST;

#endif
