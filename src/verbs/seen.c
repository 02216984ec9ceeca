#include "verbs/seen.h"

void jw_show_seen(struct rep *r, const struct jw_command_seen *s)
{
    rep_begin(r, "command");
    rep_fact(r, "code", NULL, REP_COUNT, (uint64_t)s->code);
    rep_fact(r, "signal", NULL, REP_COUNT, (uint64_t)s->signal);
    rep_fact(r, "milliseconds", NULL, REP_COUNT, s->milliseconds);
    rep_fact(r, "loaded", NULL, REP_COUNT, s->loaded[JW_CACHE_CUDA]);
    rep_fact(r, "made", NULL, REP_COUNT, jw_command_made(s));
    rep_fact(r, "compiled", NULL, REP_TEXT, jw_witness_answer_names[s->compiled]);
    rep_end(r);
}
