/* Reads a file of any format that may hold CUDA code, and lists all its containers. */
#pragma once

#include "formats/fatbin.h"
#include "formats/sections.h"

enum jw_format {
    JW_FORMAT_NONE,
    JW_FORMAT_ELF,
    JW_FORMAT_OBJECT, /* ELF, too: an object file, which a linker reads and nobody loads */
    JW_FORMAT_PE,
    JW_FORMAT_FATBIN,
    JW_FORMAT_CUBIN,
    JW_FORMAT_PTX,
    JW_FORMAT_WHEEL,
    JW_FORMAT_ZSTD, /* .cubin.zst or .ptx.zst, as in Blender */
    JW_FORMATS
};

enum { JW_SNIFF = 64 }; /* bytes at the start of a file that identify its format */

const char *jw_format_name(enum jw_format f); /* "elf", "pe", ... "none" */

/* `name` decides if the bytes do not: PTX may begin with a long comment. */
enum jw_format jw_image_sniff(struct jw_bytes head, const char *name);

struct jw_image {
    enum jw_format format;
    struct jw_fats fats;
    struct jw_problems problems;
    struct jw_arena text;                 /* options of entries, problems */
    uint64_t constants_at, constants_end; /* where a library has its strings; 0, 0: not known */
};

/* Reads all formats but wheels, whose members are images of their own. `embedded`: what is in no
 * section of containers is loaded by the program itself, so PTX texts count, too. True with format
 * NONE: not a CUDA file. False: it cannot be parsed; `out` can be freed. */
bool jw_image_scan(const struct jw_source *src, const char *name, bool embedded,
                   struct jw_image *out, struct jw_err *err) JW_MUST;
void jw_image_free(struct jw_image *image);

/* Has this library a CUDA runtime that can load modules when they are first used? */
bool jw_image_is_lazy(const struct jw_source *src, const struct jw_image *image, bool *lazy,
                      struct jw_err *err) JW_MUST;
