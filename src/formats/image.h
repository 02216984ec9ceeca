/* One file that may hold CUDA code, whatever its format: which one, and all containers in it. */
#ifndef FORMATS_IMAGE_H
#define FORMATS_IMAGE_H

#include "formats/fatbin.h"
#include "formats/sections.h"

enum jw_format {
    JW_FORMAT_NONE,
    JW_FORMAT_ELF,
    JW_FORMAT_PE,
    JW_FORMAT_AR,
    JW_FORMAT_COFF,
    JW_FORMAT_FATBIN,
    JW_FORMAT_CUBIN,
    JW_FORMAT_PTX,
    JW_FORMAT_WHEEL,
    JW_FORMAT_ZSTD /* a .cubin.zst or .ptx.zst, as Blender brings them along */
};

enum { JW_SNIFF = 64 }; /* this many first bytes tell the format */

const char *jw_format_name(enum jw_format f); /* "elf", "pe", ... "none" */

/* `name` decides where bytes alone do not: COFF objects have no magic, and PTX may begin with a long comment.
 * */
enum jw_format jw_image_sniff(struct jw_bytes head, uint64_t size, const char *name);

struct jw_image_options {
    bool deep; /* search the whole file byte by byte, too */
};

struct jw_image {
    enum jw_format format;
    struct jw_fats fats; /* sorted by position */
    struct jw_problems problems;
    struct jw_arena arena; /* all text above lives here, */
    struct jw_arena text;  /* but for the options and identifiers of entries */
    const char **external; /* members of a thin archive: files beside it */
    size_t n_external, cap_external;
};

/*
 * Everything but wheels, whose members are images of their own. True with `format` NONE for what is not
 * CUDA's business.
 * False: the file cannot be made sense of; what was found is still safe to free.
 */
bool jw_image_scan(const struct jw_source *src, const char *name, struct jw_image_options options,
                   struct jw_image *out, struct jw_err *err) JW_MUST;
void jw_image_free(struct jw_image *image);

#endif
