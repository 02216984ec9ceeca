#include "cache/memory/spell.h"
#include "pack/carry/command/carry_view.h"
#include "prime/prime_rows.h"

#define V struct carry_view
#define R struct jw_carry_report
#define E struct jw_carry_entry

static const struct jw_row cache[] = {
    { JW_ROW("root", R, cache.root), JW_MAY },
    { JW_ROW("limit_bytes", R, cache.limit) },
    { JW_ROW("used_bytes", R, cache.used), JW_ABOUT("before") },
    { 0 },
};

static const struct jw_row counts[] = {
    { JW_ROW("carried", R, counts[JW_CARRY_CARRIED]) },
    { JW_ROW("there", R, counts[JW_CARRY_THERE]),
      JW_ABOUT("this driver has its own, or a newer build's is carried") },
    { JW_ROW("no-room", R, counts[JW_CARRY_NO_ROOM]) },
    { JW_ROW("refused", R, counts[JW_CARRY_REFUSED]) },
    { JW_ROW("newer", R, newer), JW_ABOUT("entries of newer builds, which are not carried") },
    { JW_ROW("removed", R, removed), JW_ABOUT("by --undo") },
    { 0 },
};

static const struct jw_row entries[] = {
    { JW_SPELT("from", E, from, &jw_spell_entry), JW_ABOUT("the old entry") },
    { JW_SPELT("name", E, name, &jw_spell_entry), JW_MAY, JW_ABOUT("the new one; null: not known") },
    { JW_ROW("stamp", E, stamp), JW_ABOUT("of the build that made it") },
    { JW_ROW("gpu", E, arch) },
    { JW_ROW("bytes", E, bytes) },
    { JW_NAMED("state", E, state, jw_carry_state_name, JW_CARRY_STATES) },
    { JW_ROW("why", E, why), JW_MAY },
    { 0 },
};

static const struct jw_row ending[] = JW_RUN_END(~(JW_CAN(LISTED) | JW_CAN(WAITING) | JW_PACK_ENDS));

static const struct jw_row head[] = {
    { JW_PART_AT(R, run, ending) },
    { 0 },
};

static const struct jw_row proof[] = {
    { JW_ROW("proven", R, proven),
      JW_ABOUT("this driver build took such an entry on this machine and ran its code correctly") },
    { JW_ROW("unproven", R, unproven), JW_MAY, JW_ABOUT("why it is not proven") },
    { 0 },
};

static const struct jw_row tail[] = {
    { JW_SUB("driver", R, driver, prime_driver_named_rows) },
    { JW_SUB_OF("cache", cache) },
    { JW_SUB_OF("counts", counts) },
    { JW_ROW("carried_bytes", R, carried_bytes) },
    { JW_ROW("removed_bytes", R, removed_bytes) },
    { JW_LIST("entries", R, entries, n_entries, entries) },
    { JW_PART_AT(R, run, jw_run_took) },
    { JW_PART_AT(R, run, jw_run_says) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_PART_AT(V, report, head) },
    { JW_ROW("dry_run", V, dry_run) },
    { JW_ROW("undo", V, undo) },
    { JW_PART_AT(V, report, proof) },
    { JW_ROW("renewing", V, renewing), JW_ABOUT("a prime in the background compiles them again") },
    { JW_PART_AT(V, report, tail) },
    { 0 },
};

const struct jw_form carry_form = { "carry",
                                    "Entries of older driver builds that were copied for the current one, or "
                                    "would be, or were taken away again.",
                                    rows };
