/* CUDA fat binary containers: lists their content from headers.
 *
 *   container   u32 magic 0xBA55ED50   u16 version 1   u16 header size 16
 *               u64 size of what follows
 *   entry       u16 kind   u16 version 0x0101   u32 header size, 64 or more
 *               u64 payload size, padded to 8   u32 compressed size (0: stored raw)
 *               u32 offset of {u32 at, u32 length} of the options   u16 minor   u16 major
 *               u32 sm number   u32 identifier at   u32 identifier length   u64 flags
 *               u64 obfuscation key   u64 unpacked size (0: stored raw)
 *               then the two strings, padded to 8
 *
 * Entries follow back to back; the next one is header size + payload size further on. Where this
 * was learned, and how sure it is: docs/dev/driver-facts.md. */
#pragma once

#include "base/arena.h"
#include "base/source.h"
#include "formats/arch.h"
#include "formats/sections.h"

#define JW_FAT_MAGIC 0xBA55ED50U
#define JW_FAT_MAGIC_BYTES "\x50\xed\x55\xba\x01\x00\x10\x00" /* all real containers begin so */
#define JW_FAT_WRAPPER_MAGIC 0x466243B1U

enum { JW_FAT_HEADER = 16, JW_FAT_ENTRY = 64, JW_FAT_WRAPPER = 24 };

enum jw_fat_kind { JW_KIND_PTX = 1, JW_KIND_ELF = 2, JW_KIND_NVVM = 8 };

enum jw_fat_flag {
    JW_FAT_64BIT = 0x1,
    JW_FAT_LINUX = 0x10,
    JW_FAT_LZ4 = 0x2000,
    JW_FAT_ZSTD = 0x8000,
    JW_FAT_PACKED = 0xf000, /* zlib (0x1000) and LZ4 frames (0x4000) are in no shipped file */
    JW_FAT_OBFUSCATED = 0x10000,
    JW_FAT_A = 0x100000,
    JW_FAT_F = 0x200000,
    JW_FAT_COMPAT = 0x1000000 /* the header has the cubin's .nv.compat */
};

struct jw_fat_entry {
    uint64_t at;       /* position of its header */
    uint64_t stored;   /* payload size with padding */
    uint64_t unpacked; /* 0: stored raw */
    uint64_t flags;
    const char *options; /* "" if none */
    uint32_t header, packed;
    uint16_t kind, major, minor;
    bool stray_text; /* options or identifier point outside the header, or are too long: ignored */
    bool checked;    /* jw_fat_check was asked */
    /* machine code: as jw_elf.version, where it was asked for (jw_fat_toolkit); 0: not known */
    uint16_t toolkit;
    /* PTX: a hash of the decoded text and its options, and its kernels, where jw_fat_check was
     * asked; 0: not known */
    uint64_t text, kernels;
    struct jw_arch target;
};

/* The kind of place where a container was found, which decides how it is loaded. */
enum jw_role {
    JW_ROLE_CODE, /* registered with the CUDA runtime: .nv_fatbin */
    JW_ROLE_RDC,  /* an input for the device linker: __nv_relfatbin */
    JW_ROLE_LAZY  /* elsewhere: the library loads it on demand */
};

struct jw_fat {
    uint64_t at, size; /* size: header included */
    size_t first, n;   /* entries */
    enum jw_role role;
    uint8_t wrapper; /* version of the wrapper that points here (1, 2); 0: none */
    bool doubtful;   /* not to be given to a driver: jw_fat_why_unsafe */
    bool unknown;    /* doubtful, for code of a form that newer toolkits write: jw_fat_known_form */
    bool kernels;    /* small as a linker's stub, but it has kernels */
    bool text;       /* PTX without a container */
};

/* All containers of one file, from front to back. Strings live in the arena. */
struct jw_fats {
    struct jw_fat *list;
    size_t n, cap;
    struct jw_fat_entry *entries;
    size_t n_entries, cap_entries;
    size_t steps;       /* number of parsed headers, for JW_MAX_FAT_STEPS */
    uint64_t searched;  /* searched bytes: none after JW_MAX_FAT_SEARCH */
    uint64_t damaged;   /* containers of an impossible header, not in the list */
    uint64_t pieces;    /* PTX texts that are not whole */
    uint64_t unbounded; /* PTX texts of which nothing says where they begin and end */
    struct jw_arena *arena;
};

void jw_fats_free(struct jw_fats *f);

/* What a section of this name holds: containers, so code is lost if it reaches beyond the end of
 * the file; NULL: none that is known. */
struct jw_fat_place {
    const char *section;
    enum jw_role role; /* LAZY: among its data */
};
const struct jw_fat_place *jw_fat_section(const char *name);

/* Parses the container at `at`, which must end at or before `limit`, and appends it. False: it is
 * malformed (nothing is appended), or a limit was reached (JW_E_LIMIT). */
bool jw_fat_read(struct jw_fats *f, struct jw_window *w, uint64_t at, uint64_t limit,
                 struct jw_err *err) JW_MUST;

/* Appends code without a container as one with this entry, which has no header. */
bool jw_fat_add_bare(struct jw_fats *f, struct jw_fat_entry e, struct jw_err *err) JW_MUST;

/* ---- in a file ---- */

/* A relocation (Elf64_Rela): u64 place, u64 kind and symbol, i64 address. */
enum { JW_RELOCATION = 24 };
struct jw_relocation {
    uint64_t place, addr; /* `addr` 0: it is no relative one */
};
/* Reads number `i` of the section. */
bool jw_relocation_read(struct jw_window *w, const struct jw_section *rela, uint64_t i,
                        struct jw_relocation *out, struct jw_err *err) JW_MUST;

struct jw_ptx_heads;

struct jw_range {
    uint64_t at, end;
    enum jw_role role;
    bool among_data;            /* what looks like a container may be none */
    struct jw_ptx_heads *heads; /* gets where PTX texts may begin; NULL: not asked for */
};

/* Appends the containers of a range; every byte outside of them is searched once. A malformed one
 * is a problem (among other data it is no container), and the search goes on behind its first
 * bytes. False only for a read error or a limit. */
bool jw_fat_walk(struct jw_fats *f, const struct jw_source *src, struct jw_range range,
                 struct jw_problems *problems, struct jw_err *err) JW_MUST;

/* The container at this position; NULL: none. */
struct jw_fat *jw_fat_at(struct jw_fats *f, uint64_t at);

/* Marks the containers that registration records point to, in the file or by relocations. */
bool jw_fat_wrappers(struct jw_fats *f, const struct jw_source *src,
                     const struct jw_sections *sections, struct jw_err *err) JW_MUST;

/* ---- one entry ---- */

/* Is its kind one that drivers load, and its compression known? */
bool jw_fat_known_form(const struct jw_fat_entry *e);

/* NULL, or why this entry must not be handed to a driver, although its headers are valid. */
const char *jw_fat_why_unsafe(const struct jw_fat_entry *e);

static inline uint64_t jw_fat_plain(const struct jw_fat_entry *e)
{
    return e->packed ? e->unpacked : e->stored;
}

/* What an entry holds, in the order in which reports list it. */
enum jw_code_kind { JW_CODE_MACHINE, JW_CODE_PTX, JW_CODE_NVVM, JW_CODE_UNKNOWN, JW_CODE_KINDS };
enum jw_code_kind jw_fat_code_kind(unsigned kind);
/* "compute_75", "sm_90a", "lto_80" */
struct jw_arch_name jw_fat_arch_name(const struct jw_fat_entry *e);
