/* Writes a pack (pack/format/pack_layout.h). Several threads read, check, hash and compress one
 * frame each, and write them in order. The bytes depend only on the entries and the build of
 * libzstd. */
#pragma once

#include "base/source.h"
#include "jitwarm/run.h"
#include "pack/format/minisign.h"
#include "pack/format/pack_manifest.h"

enum { JW_PACK_THREADS = 16 };

/* The source of the entries' files. */
struct jw_pack_content {
    /* Reads the whole file of m->entries[entry], `n` bytes. Called once for each entry, from
     * several threads. */
    bool (*read)(void *ctx, size_t entry, uint8_t *dst, size_t n, struct jw_err *err);
    void *ctx;
};

struct jw_pack_write_options {
    unsigned threads;                     /* 0: one per CPU, 16 at most */
    const struct jw_minisign_secret *key; /* NULL: do not sign */
    const struct jw_run *run;             /* shows the bytes of tar; or NULL */
};

/* `*bytes`: of the pack. JW_E_FORMAT: a file is not a valid entry of its name and sizes, for
 * example because it was changed; the message names it. After a failure the output is
 * incomplete. */
bool jw_pack_write(struct jw_sink out, const struct jw_pack_manifest *m,
                   struct jw_pack_content from, const struct jw_pack_write_options *o,
                   uint64_t *bytes, struct jw_err *err) JW_MUST;
