#include "fleet/source.h"

#include "base/text.h"
#include "machine/listing.h"
#include "session/session.h"

enum { ANSWER_MS = 5000, WAIT_S = 60 };

/* Is it for a pull? A line that means nothing is a note. */
static bool parse(struct jw_run *run, const struct jw_conf_item *line, struct jw_ref *ref)
{
    struct jw_err why = { 0 };

    if (line->doubt)
        JW_NOTE(run, "%s: line ignored: %s", line->origin, line->doubt);
    else if (!jw_ref_parse(line->value, run->a, ref, &why))
        JW_NOTE(run, "%s: %s", line->origin, why.msg);
    else if (ref->path && !jw_is_folder(ref->path))
        JW_NOTE(run, "source %s %s", ref->text, jw_why_no_folder(ref->path));
    else
        return !ref->path;
    return false;
}

/* The sources share the time that silent ones may cost. */
static bool take_one(struct jw_run *run, const struct jw_ref *ref, unsigned answer_ms, uint64_t *added,
                     struct jw_err *err)
{
    struct jw_pull_options o = { .net = { .ref = ref, .answer_ms = answer_ms },
                                 .import = {
                                     .of_source = true, .yes = true, .as_root = true, .wait_s = WAIT_S } };
    struct jw_run own = *run;
    struct jw_import_report r = { 0 };
    struct jw_err why = { 0 };

    jw_run_begin(&own);
    jw_remote_configure(&o.net, jw_session_config(run->session), run->a, &run->notes);

    bool ok = jw_pull(&own, &o, &r, &why);

    *added += r.added;
    if (r.added)
        JW_NOTE(run, "%s imported from %s", JW_N(r.added, "entry was", "entries were"), ref->text);
    if (!ok)
        JW_NOTE(run, "source %s: %s", ref->text, why.msg);
    else if (own.end != JW_END_DONE && own.end != JW_END_NOTHING && own.end != JW_END_UNFIT)
        JW_NOTE(run, "source %s: %s", ref->text, own.why ? own.why : jw_end_names[own.end]);
    jw_import_free(&r);
    return jw_not_interrupted(run->interrupted, err);
}

bool jw_sources_take(struct jw_run *run, uint64_t *added, struct jw_err *err)
{
    const struct jw_conf_list *lines = &jw_session_config(run->session)->source;

    *added = 0;
    for (size_t i = 0; i < lines->n; i++) {
        struct jw_ref ref = { 0 };

        if (parse(run, &lines->v[i], &ref)
            && !take_one(run, &ref, ANSWER_MS / (unsigned)lines->n, added, err))
            return false;
    }
    return true;
}
