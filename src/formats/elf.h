/* Reads the sections of 64-bit little-endian ELF files. `ours` is false for all other files. */
#pragma once

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
 * names live in `a`. One beyond the end of the file is a problem if scan needs it; else skipped. */
bool jw_elf_sections(const struct jw_source *src, const struct jw_elf *elf, struct jw_arena *a,
                     struct jw_sections *out, struct jw_err *err) JW_MUST;

/* Lists the libraries that the loader takes for this file, by their names in it; none if a section
 * that says it is missing. They live in `a`. */
bool jw_elf_needed(const struct jw_source *src, const struct jw_sections *sections,
                   struct jw_arena *a, const char ***names, size_t *n, struct jw_err *err) JW_MUST;

enum { JW_PT_LOAD = 1, JW_PT_DYNAMIC = 2, JW_PT_NOTE = 4, JW_PF_WRITE = 2 };

/* A row of the table by which a file is loaded. */
struct jw_elf_segment {
    uint32_t type, flags;
    uint64_t at, size;     /* in the file */
    uint64_t addr, memory; /* where it is loaded, and how many bytes it has there */
};

/* Reads that table, of which `out` lives in `a`. A file without one, or that is cut off before the
 * end of a segment, is a failure. */
bool jw_elf_segments(const struct jw_source *src, const struct jw_elf *elf, struct jw_arena *a,
                     struct jw_elf_segment **out, size_t *n, struct jw_err *err) JW_MUST;

enum { JW_MAX_BUILD_ID = 64 }; /* bytes */

/* Finds the build id in the notes of a file; false: there is none. */
bool jw_elf_build_id(struct jw_bytes notes, struct jw_bytes *id);
