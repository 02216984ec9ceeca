#include "driver/witness/witness.h"

const char *const jw_witness_answer_names[] = {
    [JW_WITNESS_UNKNOWN] = "unknown", [JW_WITNESS_NOTHING] = "nothing", [JW_WITNESS_COMPILED] = "compiled"
};

/* Why it is not known that nothing was compiled; NULL: it is. */
static const char *doubt(const struct jw_witness_seen *s)
{
    if (s->unable)
        return s->unable;
    if (s->lost)
        return "the system dropped events, or the driver was replaced meanwhile";
    if (s->others)
        return "it loaded another driver than the one that was watched";
    if (s->hidden)
        return "a process of it belongs to another user, so what it loads cannot be seen";
    if (!s->users)
        return s->unseen ? "the process that loaded the driver ended before it could be looked at"
                         : "no process of it loaded the driver";
    if (s->missed)
        return "the driver's compiler was opened while it ran, by a process that was not found (try again)";
    return s->left ? "a process of it still uses the driver" : NULL;
}

void jw_witness_answer(const struct jw_witness_seen *seen, struct jw_arena *a, struct jw_witness_report *out)
{
    const char *why = doubt(seen);

    out->answer = seen->compilers ? JW_WITNESS_COMPILED : why ? JW_WITNESS_UNKNOWN : JW_WITNESS_NOTHING;
    out->why = out->answer == JW_WITNESS_UNKNOWN ? jw_arena_str(a, why) : NULL;
}
