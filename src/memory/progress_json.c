#include "cache/memory/progress_json.h"

const char *const jw_prime_phase_names[] = { "look", "ask-driver", "compile", "verify", "pack", "send" };

#define T struct jw_progress_record
#define S struct jw_prime_slot

static const struct jw_row slot_rows[] = {
    { JW_ROW("what", S, what) },
    { JW_ROW("ptx_bytes", S, ptx_bytes) },
    { JW_ROW("seconds", S, seconds) },
    { 0 },
};

static const struct jw_row slowest_rows[] = {
    { JW_ROW("what", T, now.slowest) },
    { JW_ROW("seconds", T, now.slowest_seconds) },
    { 0 },
};

const struct jw_row jw_progress_rows[] = {
    { JW_ROW("pid", T, who.pid) },
    { JW_ROW("started", T, who.since), JW_ABOUT("seconds since 1970") },
    { JW_NAMED("phase", T, now.phase, jw_prime_phase_names) },
    { JW_ROW("at", T, now.at), JW_NULLABLE, JW_ABOUT("the file or module at work") },
    { JW_ROW("done", T, now.done), JW_ABOUT("modules") },
    { JW_ROW("total", T, now.total) },
    { JW_ROW("failed", T, now.failed) },
    { JW_ROW("done_bytes", T, now.done_bytes), JW_ABOUT("PTX") },
    { JW_ROW("total_bytes", T, now.total_bytes) },
    { JW_ROW("seconds", T, now.seconds) },
    { JW_ROW("eta_seconds", T, now.eta), JW_NULLABLE, JW_ABOUT("null: not known yet") },
    { JW_ROW("late_seconds", T, now.late), JW_ABOUT("for so long no progress was made") },
    { JW_LIST("slots", T, now.slots, now.n_slots, slot_rows), JW_ABOUT("modules that compile now") },
    { JW_SUB_OF("slowest", slowest_rows), JW_IF(T, now.slowest), JW_NULLABLE },
    { 0 },
};
