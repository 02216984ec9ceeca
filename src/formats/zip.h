/* Reads wheels and other zip files without unpacking them to disk. */
#pragma once

#include "base/arena.h"
#include "base/source.h"

enum { JW_ZIP_STORED = 0, JW_ZIP_DEFLATED = 8 };

struct jw_zip_member {
    const char *name;
    uint64_t at; /* position of its local header */
    uint64_t packed, plain;
    uint32_t crc; /* of the plain bytes */
    uint16_t method, flags;
};

struct jw_zip {
    struct jw_zip_member *list;
    size_t n;
};

/* Lists the members (no folders) in the order of the central directory, in `a`. False also if they
 * claim to unpack to more than any wheel of this size. */
bool jw_zip_open(struct jw_zip *zip, const struct jw_source *src, struct jw_arena *a,
                 struct jw_err *err) JW_MUST;

/* The stored bytes of a member. False: encrypted, of an unknown method, or with a wrong header. */
bool jw_zip_data(const struct jw_source *src, const struct jw_zip_member *m, struct jw_source *data,
                 struct jw_err *err) JW_MUST;
