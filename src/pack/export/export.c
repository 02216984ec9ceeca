#include "pack/export/export_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- words for the outcome ---- */

const char *jw_export_why_name(enum jw_export_why why)
{
    static const char *const names[] = { "missing", "damaged", "unread", "changed", "carried", "forged" };

    return names[why];
}

/* ---- how a run ends ---- */

bool export_end(struct export *x, enum jw_end end, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *why = jw_arena_say(x->a, fmt, args);
    va_end(args);
    x->ended = true;
    x->out->end = end;
    x->out->why = *why ? why : NULL;
    return true;
}

void export_advise(struct export *x, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    jw_note_say(&x->advice, x->a, fmt, args);
    va_end(args);
}

void export_note(struct export *x, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    jw_note_say(&x->notes, x->a, fmt, args);
    va_end(args);
}

void export_notes(struct export *x, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        export_note(x, "%s", notes->v[i]);
}

bool export_interrupted(const struct export *x, struct jw_err *err)
{
    return !(x->o->interrupted && atomic_load(x->o->interrupted))
           || jw_fail(err, JW_E_INTERRUPTED, "interrupted");
}

void export_notify(const struct export *x, const char *at)
{
    struct jw_export_progress what = { .at = at };

    if (x->o->progress)
        x->o->progress(x->o->ctx, &what);
}

/* A failure that is an answer ends the run with its sentence. */
static bool end_by(struct export *x, const struct jw_err *why, struct jw_err *err)
{
    switch (why->code) {
    case JW_E_INTERRUPTED: return export_end(x, JW_END_INTERRUPTED, "%s", "");
    case JW_E_DRIVER: return export_end(x, JW_END_NO_GPU, "%s", why->msg);
    case JW_E_IO:
    case JW_E_LIMIT: return export_end(x, JW_END_CANNOT_WRITE, "%s", why->msg);
    default: *err = *why; return false;
    }
}

/* ---- may it? ---- */

static bool ask(struct export *x, const char *question)
{
    if (x->o->yes || (x->o->ask && x->o->ask(x->o->ctx, x->out, question)))
        return true;
    if (!x->o->ask)
        export_advise(x, "the same command with --yes goes on without asking");
    return export_end(x, JW_END_CONSENT, "%s", question);
}

uint64_t export_strangers(const struct export *x, size_t pack)
{
    const struct export_choice *c = &x->jobs[pack].choice;
    uint64_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        n += jw_warm_stranger(&x->memory, c->list[i].file->name, c->list[i].file->entry.payload_hash);
    return n;
}

/* A signature of ours says that we believe what is in it. */
static bool may_sign(struct export *x)
{
    uint64_t n = 0;

    if (!x->o->key || x->o->vouch)
        return true;
    for (size_t i = 0; i < x->out->n_packs; i++)
        n += export_strangers(x, i);
    if (!n)
        return true;
    export_advise(x, "jitwarm export --sign KEY --vouch   (signs them all the same)");
    return export_end(x, JW_END_CONSENT,
                      "%llu entr%s from packs that no key signed which is trusted here for everything; "
                      "your signature would say that you believe them",
                      (unsigned long long)n, n == 1 ? "y came" : "ies came");
}

bool export_consent(struct export *x, struct jw_err *err)
{
    const struct jw_export_report *r = x->out;
    char question[sizeof err->msg];
    uint64_t entries = 0;

    if (x->o->dry_run)
        return true;
    if (!may_sign(x) || x->ended)
        return x->ended;
    for (size_t i = 0; i < r->n_packs; i++)
        entries += r->packs[i].sum.entries;
    (void)snprintf(
        question, sizeof question,
        "anyone who gets %s can read the source (PTX) of %llu entr%s, of all that this user ran and not "
        "only of what is shared on purpose; pack it all?",
        r->n_packs == 1 ? "this pack" : "these packs", (unsigned long long)entries,
        entries == 1 ? "y" : "ies");
    if (x->o->everything && !ask(x, question))
        return false;
    for (size_t i = 0; !x->ended && i < r->n_packs; i++) {
        if (!x->jobs[i].replaces)
            continue;
        (void)snprintf(question, sizeof question, "%.250s exists, and is no pack; replace it?",
                       r->packs[i].path);
        if (!ask(x, question))
            return false;
    }
    return true;
}

/* ---- the run ---- */

typedef bool (*step)(struct export *x, struct jw_err *err);

static const step steps[] = {
    export_check_paths,
    export_find_output,
    export_find_root,
    export_ask_driver,
    export_open_store,
    export_list_cache,
    export_choose_archs,
    export_find_wanted,
    export_choose_entries,
    export_find_names,
    export_consent,
    export_write,
    NULL,
};

static bool walk(struct export *x, struct jw_err *err)
{
    for (size_t i = 0; steps[i] && !x->ended; i++) {
        struct jw_err why = { 0 };

        if ((!export_interrupted(x, &why) || !steps[i](x, &why)) && !end_by(x, &why, err))
            return false;
    }
    return true;
}

static void clean_up(struct export *x)
{
    jw_scratch_remove(x->unpacked);
    jw_cache_listing_free(&x->listing);
    if (!x->o->offline) /* else they are borrowed */
        targets_free(&x->found);
}

bool jw_export(const struct jw_export_options *o, struct jw_arena *a, struct jw_export_report *out,
               struct jw_err *err)
{
    struct export x = { .o = o, .out = out, .a = a, .began = jw_time_monotonic_ns() };

    *out = (struct jw_export_report){ .level = JW_LEVEL_NONE };
    bool ok = walk(&x, err);

    clean_up(&x);
    out->notes = x.notes.v;
    out->n_notes = x.notes.n;
    out->advice = x.advice.v;
    out->n_advice = x.advice.n;
    out->milliseconds = (jw_time_monotonic_ns() - x.began) / 1000000;
    return ok;
}
