#include "cache/prune/command/prune_view.h"
#include "cache/status/command/status_view.h"

#define R struct jw_prune_report
#define B struct jw_prune_build
#define G struct jw_prune_group

static const struct jw_row driver[] = {
    { JW_ROW("asked", R, asked) },
    { JW_ROW("not_asked_because", R, unasked), JW_MAY },
    { JW_ROW("version", R, driver_version), JW_MAY },
    { JW_ROW("build", R, build), JW_MAY },
    { JW_ROW("stamp", R, stamp), JW_MAY },
    { 0 },
};

static const struct jw_row version[] = {
    { JW_ROW("version", struct jw_driver_state, version), JW_MAY },
    { 0 },
};

static const struct jw_row builds[] = {
    { JW_ROW("stamp", B, stamp) },
    { JW_PART_AT(B, driver, version) },
    { JW_NAMED("fate", B, fate, jw_prune_fate_name, JW_PRUNE_UNKNOWN + 1),
      .about = "real: made by a real driver, which the simulated one does not judge" },
    { JW_ROW("alive_at", B, alive_at), .about = "seconds since 1970: when it was met, or compiled, last" },
    { 0 },
};

static const struct jw_row groups[] = {
    { JW_NAMED("why", G, why, jw_prune_why_name, JW_PRUNE_WHYS) },
    { JW_NAMED("kind", G, kind, jw_cache_kind_name, JW_CACHE_OTHER + 1) },
    { JW_ROW("stamp", G, stamp), JW_MAY },
    { JW_ROW("arch", G, arch), JW_MAY },
    { JW_ROW("entries", G, entries) },
    { JW_ROW("bytes", G, bytes) },
    { JW_ROW("pack", G, pack), JW_MAY, .about = "the pack that they were saved in" },
    { JW_ROW("not_saved_because", G, unsaved), JW_MAY },
    { 0 },
};

static const struct jw_row totals[] = {
    { JW_ROW("milliseconds", R, milliseconds) },
    { JW_ROW("bytes_read", R, bytes_read) },
    { JW_ROW("longest_lock_microseconds", R, longest_lock_us) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_TRUE("simulated", R, simulated), .about = "the driver here is the project's simulated one" },
    { JW_ENDING(R, end,
                JW_CAN(NOTHING) | JW_CAN(TOLD) | JW_CAN(DONE) | JW_CAN(PARTLY) | JW_CAN(BUSY)
                    | JW_CAN(CANNOT_WRITE) | JW_CAN(INTERRUPTED)),
      .about = "told: something could go, and --yes was not given" },
    { JW_ROW("why", R, why), JW_MAY, .about = "the sentence of the end" },
    { JW_ROW("root", R, root), JW_MAY },
    { JW_ROW("exists", R, exists) },
    { JW_SUB_OF("driver", driver) },
    { JW_SUB("before", R, before, status_sum_rows) },
    { JW_SUB("plan", R, plan, status_sum_rows), .about = "what could go; bytes as they lie on the disk" },
    { JW_BY("reasons", R, whys, jw_prune_why_name, JW_PRUNE_WHYS, status_sum_rows),
      .first = JW_PRUNE_KEEP + 1 },
    { JW_ROW("records_without_file", R, stale) },
    { JW_ROW("index_damage", R, index_damage), JW_MAY },
    { JW_ROW("index_lost", R, index_lost) },
    { JW_LIST("builds", R, builds, n_builds, builds) },
    { JW_LIST("groups", R, groups, n_groups, groups) },
    { JW_SUB("removed", R, removed, status_sum_rows) },
    { JW_ROW("records_removed", R, records_removed) },
    { JW_ROW("changed_meanwhile", R, changed) },
    { JW_TEXTS("notes", R, notes.v, notes.n) },
    { 0 },
};

static const struct jw_row view[] = {
    { JW_PART_AT(struct prune_view, report, rows) },
    { JW_SUB_AT("totals", struct prune_view, report, totals), JW_IF(struct prune_view, stats) },
    { 0 },
};

const struct jw_form prune_form = { "prune",
                                    "What of the driver's cache is of no use any more, and what was removed.",
                                    view };
