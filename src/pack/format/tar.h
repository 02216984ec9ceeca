/* The tar of a pack: ustar of POSIX.1-1988, written in one way only, so that the same members are
 * the same bytes everywhere. A tar that is written in another way is refused.
 *
 *   member   512 bytes of header, the data, zeros up to a multiple of 512
 *   end      1,024 zeros, and nothing behind them
 *
 *   header     0 name, zeros behind it    100 mode "0000644" 0        108 user "0000000" 0
 *            116 group "0000000" 0        124 size, 11 octal digits 0 136 time "00000000000" 0
 *            148 checksum, 6 octal digits 0 blank                     156 type "0"
 *            257 "ustar" 0 "00"           329 device numbers "0000000" 0, twice; zeros elsewhere */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

enum { JW_TAR_BLOCK = 512, JW_TAR_END = 2 * JW_TAR_BLOCK, JW_TAR_NAME = 100 };

#define JW_MAX_TAR                                                                                 \
    ((uint64_t)077777777777) /* bytes of one member: the largest number of 11 octal digits */

/* `name`: of less than JW_TAR_NAME bytes; `size`: at most JW_MAX_TAR. */
void jw_tar_header(uint8_t out[JW_TAR_BLOCK], const char *name, uint64_t size);

/* Zeros behind the data of a member. */
static inline size_t jw_tar_padding(uint64_t size) { return (size_t)(-size % JW_TAR_BLOCK); }

/* Bytes of a whole member; `size` is at most JW_MAX_TAR. */
static inline uint64_t jw_tar_span(uint64_t size)
{
    return JW_TAR_BLOCK + size + jw_tar_padding(size);
}

/* Appends a whole member; JW_TAR_END zeros end the tar. */
void jw_tar_put(struct jw_buf *out, const char *name, struct jw_bytes data);

/* The member of this name and size at `*at`, which is moved behind it: exactly what the writer
 * makes. `data` is borrowed. */
bool jw_tar_take(struct jw_bytes tar, size_t *at, const char *name, uint64_t size,
                 struct jw_bytes *data, struct jw_err *err) JW_MUST;
