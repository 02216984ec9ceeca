/* The words of JSON output. Scripts depend on them. */
#include "jitwarm/prime.h"

#include "base/compiler.h"

static const char *const states[] = {
    [JW_JOB_TODO] = "todo",         [JW_JOB_WARM] = "warm",       [JW_JOB_WARMED] = "warmed",
    [JW_JOB_FAILED] = "failed",     [JW_JOB_TIMEOUT] = "timeout", [JW_JOB_CRASHED] = "crashed",
    [JW_JOB_BANNED] = "banned",     [JW_JOB_NO_ROOM] = "no-room", [JW_JOB_CHANGED] = "changed",
    [JW_JOB_UNSTORED] = "unstored",
};

static const char *const left_out[] = {
    [JW_OUT_IS_NATIVE] = "native",     [JW_OUT_IS_LAZY] = "lazy",       [JW_OUT_IS_RDC] = "rdc",
    [JW_OUT_IS_BLOCKED] = "blocked",   [JW_OUT_IS_NOTHING] = "nothing", [JW_OUT_IS_VENDOR] = "vendor",
    [JW_OUT_IS_FILTERED] = "filtered", [JW_OUT_IS_UNUSED] = "unused",   [JW_OUT_IS_DOUBTFUL] = "doubtful",
};

_Static_assert(JW_COUNT(states) == JW_JOB_STATES, "every state has a name");
_Static_assert(JW_COUNT(left_out) == JW_LEFT_OUT, "every reason has a name");

const char *jw_job_state_name(enum jw_job_state s)
{
    return states[s];
}

const char *jw_left_out_name(enum jw_left_out r)
{
    return left_out[r];
}
