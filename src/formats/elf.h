/* Reads the sections of 64-bit little-endian ELF files. `ours` is false for all other files. */
#ifndef FORMATS_ELF_H
#define FORMATS_ELF_H

#include "formats/sections.h"

enum { JW_ELF_HEADER = 64, JW_EM_CUDA = 190, JW_ET_REL = 1, JW_ET_EXEC };

struct jw_elf {
    bool ours;        /* 64-bit little-endian, not a core dump */
    uint16_t type;    /* JW_ET_REL: for a linker alone; 2 executable, 3 shared */
    uint16_t machine; /* 190: a cubin */
    uint8_t os_abi;
    uint32_t version; /* of a cubin: the toolkit that assembled it, 121 for CUDA 12.1 */
    uint32_t flags;
    uint64_t shoff, phoff;
    uint16_t phentsize, phnum, shentsize, shnum, shstrndx;
};

/* Parses the first 64 bytes of a file. */
struct jw_elf jw_elf_header(struct jw_bytes head);
/* Is it for this processor, "x86_64" or "aarch64" (jw_os_arch)? */
bool jw_elf_is_for(struct jw_elf elf, const char *processor);

/* Lists the sections with bytes in the file; none if there is no section table. They and their
 * names live in `a`. A section beyond the end of the file is a problem if scan needs it; else it is
 * skipped. */
bool jw_elf_sections(const struct jw_source *src, const struct jw_elf *elf, struct jw_arena *a,
                     struct jw_sections *out, struct jw_err *err) JW_MUST;

#endif
