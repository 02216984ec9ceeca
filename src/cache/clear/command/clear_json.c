#include "cache/clear/command/clear_view.h"

#define R struct jw_clear_report

static const struct jw_row memory[] = {
    { JW_ROW("folder", R, state_dir), JW_MAY }, { JW_ROW("caches", R, roots) },
    { JW_ROW("drivers", R, drivers) },          { JW_ROW("others", R, others) },
    { JW_ROW("bytes", R, state_bytes) },        { 0 },
};

static const struct jw_row store[] = {
    { JW_ROW("folder", R, store_dir), JW_MAY },
    { JW_ROW("packs", R, store.packs) },
    { JW_ROW("bytes", R, store.bytes) },
    { 0 },
};

static const struct jw_row cache[] = {
    { JW_ROW("root", R, root) },
    { JW_ROW("entries", R, cache.entries) },
    { JW_ROW("bytes", R, cache.bytes) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_ENDING(R, end,
                JW_CAN(NOTHING) | JW_CAN(TOLD) | JW_CAN(DONE) | JW_CAN(PARTLY) | JW_CAN(BUSY)
                    | JW_CAN(CANNOT_WRITE) | JW_CAN(INTERRUPTED)),
      .about = "told: nothing was removed, for --yes was not given" },
    { JW_ROW("why", R, why), JW_MAY },
    { JW_SUB_OF("memory", memory) },
    { JW_SUB_OF("store", store) },
    { JW_SUB_OF("cache", cache), JW_IF(R, root), JW_MAY, .about = "with --cache-too" },
    { JW_TEXTS("notes", R, notes.v, notes.n) },
    { 0 },
};

const struct jw_form clear_form = { "clear", "What jitwarm keeps for this user, and whether it is gone.",
                                    rows };
