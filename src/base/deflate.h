/*
 * Unpacks deflate (RFC 1951) a piece at a time: wheels, fatbins of zlib, the tables of facts. What it takes and what it
 * refuses is what zlib takes and refuses.
 */
#ifndef BASE_DEFLATE_H
#define BASE_DEFLATE_H

#include "base/source.h"

enum {
    JW_DEFLATE_WINDOW = 32 * 1024, /* how far back a match may reach */
    JW_DEFLATE_SLACK = 320         /* bytes behind `until` that may be written, and may be good */
};

enum jw_deflate_state {
    JW_DEFLATE_MORE,
    JW_DEFLATE_END,
    JW_DEFLATE_DAMAGED,
    JW_DEFLATE_CUT_OFF,
    JW_DEFLATE_UNREADABLE
};

/* The bits at hand: the lowest `n` of `bits` are next, above them may stand what follows; `in` is to be loaded then. */
struct jw_deflate_cursor {
    uint64_t bits;
    unsigned n;
    const uint8_t *in;
};

struct jw_deflate {
    struct jw_source packed;
    uint64_t fetched; /* compressed bytes, up to `end` */
    struct jw_deflate_cursor c;
    const uint8_t *stop, *end; /* where too little is left to go on without a fetch; behind the last byte */
    unsigned block, skip;      /* bits of the first byte that belong to another block */
    size_t stored;             /* of a stored block, still to come */
    bool last;                 /* block */
    uint32_t literals[2048 + 144 * 16], distances[512 + 16 * 64];
    uint8_t buf[32 * 1024 + 64];
};

/* `packed` is copied, what it reads from is borrowed. `bit`: where a block begins. */
void jw_deflate_start(struct jw_deflate *d, const struct jw_source *packed, uint64_t bit);

/*
 * Appends plain bytes to the `*n` of `out`, which end with all the stream made before, or with 32 KB of it. Ends when
 * there are `until` (more than now) or a little more of them, between two blocks, and at the end of the stream. `out`
 * has room for `until` and the slack. After anything but MORE and END only a start helps; `err` is set for UNREADABLE.
 */
enum jw_deflate_state jw_deflate_more(struct jw_deflate *d, uint8_t *out, size_t *n, size_t until,
                                      struct jw_err *err) JW_MUST;

/* Where the next block begins, when none is open. */
bool jw_deflate_between(const struct jw_deflate *d, uint64_t *bit);

#endif
