/* Wheels are zip files: what is in them, without unpacking them to disk. */
#ifndef FORMATS_ZIP_H
#define FORMATS_ZIP_H

#include "base/arena.h"
#include "base/source.h"

enum { JW_ZIP_STORED = 0, JW_ZIP_DEFLATED = 8 };

struct jw_zip_member {
    const char *name;
    uint64_t at; /* of its local header */
    uint64_t packed, plain;
    uint16_t method, flags;
};

struct jw_zip {
    struct jw_zip_member *list;
    size_t n, cap;
};

bool jw_zip_magic(struct jw_bytes head);

/* The members, folders left out, in the order of the central directory. Names live in `a`. Members that share bytes
 * are refused: no zip tool writes such a file, and thousands of names for one stream cost thousands of times. */
bool jw_zip_open(struct jw_zip *zip, const struct jw_source *src, struct jw_arena *a,
                 struct jw_err *err) JW_MUST;
void jw_zip_close(struct jw_zip *zip);

/* The member's bytes as they are stored. False for what cannot be read: encrypted, an unknown method, a lying
 * header. */
bool jw_zip_data(const struct jw_source *src, const struct jw_zip_member *m, struct jw_source *data,
                 struct jw_err *err) JW_MUST;

#endif
