/*
 * Detects old packs. Packs made here get a date and a counter; dates of imported packs are recorded, so that import
 * notices an old pack with a valid signature. The file pack-ages in the state folder has checked records (base/fields.h):
 *
 *   35 MADE    16 LINE   u64 date   u64 counter   u64 content    LINE: digest of driver build, architecture and software
 *   36 TAKEN   16 LINE   u64 date   u64 counter                  LINE: the same for one piece of software, and whether a
 *                                                                trusted key signed
 *
 * Only the newest pack of each LINE is recorded. Damage is reported; what is before it counts.
 */
#ifndef PACK_STORE_AGES_H
#define PACK_STORE_AGES_H

#include "base/arena.h"
#include "jitwarm/err.h"
#include "pack/format/pack_manifest.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_pack_age {
    uint64_t date, counter; /* both 0: unknown */
};

/* By date, then by counter. A pack without a date is the oldest. */
bool jw_pack_older(struct jw_pack_age a, struct jw_pack_age b);

/*
 * Sets date and counter of a new manifest: never older than the last pack of its LINE; equal if `content` (a hash) is
 * equal. SOURCE_DATE_EPOCH replaces the clock. Works without records, too. `lost`: damage in the records, or JW_OK.
 */
void jw_pack_date(struct jw_pack_manifest *m, uint64_t content, struct jw_err *lost);

/* `counts`: for which software the pack's date counts; NULL: all. */
struct jw_pack_ages {
    const struct jw_pack_manifest *manifest;
    bool vouched; /* a trusted key signed it; then only other packs signed like this count */
    bool (*counts)(const void *ctx, const char *software);
    const void *ctx;
};

/* The newest pack imported here for this build, architecture and any of its software. `lost` as above. */
void jw_pack_newest(const struct jw_pack_ages *of, struct jw_pack_age *out, struct jw_err *lost);

/* Records that it was imported. */
bool jw_pack_taken(const struct jw_pack_ages *of, struct jw_err *err) JW_MUST;

#endif
