/*
 * Which of two packs is the later one: what was made here has a date and a counter, what was imported is remembered, so that
 * an old pack with a good signature does not come back unnoticed. pack-ages.txt in the state folder, one line each:
 *
 *   made LINE CONTENT DATE COUNTER     LINE: for which driver build, architecture and software
 *   taken LINE DATE COUNTER            LINE: the same, for one piece of software, and whether a key vouched for the date
 *
 * The newest of each line stays. What cannot be read is lost, with a sentence: packs that it spoke of are no longer older than
 * anything.
 */
#ifndef PACK_STORE_AGES_H
#define PACK_STORE_AGES_H

#include "base/arena.h"
#include "jitwarm/err.h"
#include "pack/format/pack_manifest.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_pack_age {
    uint64_t date, counter; /* 0, both: none is known */
};

/* By date, then by counter. One without a date is older than any with one. */
bool jw_pack_older(struct jw_pack_age a, struct jw_pack_age b);

/*
 * Dates a manifest that is to be written. Never before the last one of its line, whatever the clock says. `content` tells
 * whether it is the last one again: that has the same date. SOURCE_DATE_EPOCH is the time, when it is set. What cannot be
 * remembered is dated all the same. `lost`: what could not be read of what was remembered; its code is JW_OK when nothing was.
 */
bool jw_pack_date(struct jw_pack_manifest *m, uint64_t content, struct jw_err *lost,
                  struct jw_err *err) JW_MUST;

/* `counts` tells of which software the pack may speak; NULL: of any. */
struct jw_pack_ages {
    const struct jw_pack_manifest *manifest;
    bool vouched; /* a trusted key signed it: then only packs with such a key count */
    bool (*counts)(const void *ctx, const char *software);
    const void *ctx;
};

/* The newest pack that was imported here, for this build, architecture and any of its software. `lost` as above. */
bool jw_pack_newest(const struct jw_pack_ages *of, struct jw_pack_age *out, struct jw_err *lost,
                    struct jw_err *err) JW_MUST;

/* It was imported. */
bool jw_pack_taken(const struct jw_pack_ages *of, struct jw_err *err) JW_MUST;

#endif
