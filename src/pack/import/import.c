#include "pack/import/import_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "pack/store/ages.h"
#include "pack/store/store.h"

#include <string.h>

struct jw_import_memory {
    struct jw_arena arena;
    struct targets found;
};

/* ---- how a run ends ---- */

bool import_end_by(struct import *im, enum jw_end end_if_bad, const struct jw_err *why, struct jw_err *err)
{
    switch (why->code) {
    case JW_E_INTERRUPTED: return import_end(im, JW_END_INTERRUPTED, "%s", "");
    case JW_E_DRIVER: return import_end(im, JW_END_NO_GPU, "%s", why->msg);
    case JW_E_IO: return import_end(im, JW_END_CANNOT_WRITE, "%s", why->msg);
    case JW_E_FORMAT:
    case JW_E_TRUST:
    case JW_E_LIMIT: return import_end(im, end_if_bad, "%s", why->msg);
    case JW_E_UNFIT: return import_end(im, JW_END_UNFIT, "%s", why->msg);
    default: *err = *why; return false;
    }
}

void import_ask(struct import *im, bool yes, const char *question, const char *with_yes)
{
    if (yes || (im->o->ask && im->o->ask(im->o->ctx, question, false)))
        return;
    if (!im->o->ask)
        prime_advise(&im->p, "the same command with --yes imports %s", with_yes);
    import_end(im, JW_END_CONSENT, "%s", question);
}

/* ---- its age: an old pack with a valid signature could bring back replaced code ---- */

/* The dates in a pack count only for software that its key is trusted for. */
static bool covers(const void *key, const char *software)
{
    return jw_key_covers(key, software);
}

static struct jw_pack_ages ages_of(const struct import *im)
{
    const struct jw_trusted_key *scope = import_scope(im);

    return (struct jw_pack_ages){ .manifest = im->manifest,
                                  .vouched = im->verdict.kind == JW_PACK_SIGNED,
                                  .counts = scope ? covers : NULL,
                                  .ctx = scope };
}

static void print_age(struct jw_buf *out, struct jw_pack_age age)
{
    if (!age.date) {
        jw_buf_text(out, "has no date");
        return;
    }
    jw_buf_text(out, "is from ");
    jw_text_time(out, (int64_t)age.date);
    jw_buf_printf(out, " (number %llu)", (unsigned long long)age.counter);
}

static void report_older(struct import *im, struct jw_pack_age age, struct jw_pack_age newest)
{
    struct jw_buf text = JW_BUF(JW_MAX_SENTENCE);

    jw_buf_text(&text, "this pack ");
    print_age(&text, age);
    jw_buf_text(&text, "; the newest one imported here for the same driver and software ");
    print_age(&text, newest);
    jw_buf_text(&text, ": the older pack could bring back replaced code; import it?");
    im->out->older = jw_arena_str(im->a, jw_buf_cstr(&text));
    jw_buf_free(&text);
    im->out->newest = newest;
    if (!im->o->dry_run)
        import_ask(im, im->o->older, im->out->older, "it anyway");
    if (!im->ended)
        prime_note(&im->p, "%s",
                   im->o->dry_run ? im->out->older : "the pack is older than one imported before");
}

static bool check_age(struct import *im, struct jw_err *err)
{
    struct jw_pack_age age = { im->manifest->date, im->manifest->counter }, newest;
    struct jw_pack_ages of = ages_of(im);
    struct jw_err lost = { 0 };

    if (!im->out->counts[JW_IMPORT_NEW])
        return true;
    if (!jw_pack_newest(&of, &newest, &lost, err))
        return false;
    if (lost.code)
        prime_note(&im->p, "%s: nothing shows whether this pack is older than one imported before", lost.msg);
    if (jw_pack_older(age, newest))
        report_older(im, age, newest);
    return true;
}

static void save_age(struct import *im)
{
    struct jw_pack_ages of = ages_of(im);
    struct jw_err why = { 0 };

    if (im->o->dry_run || !im->manifest
        || !(im->out->counts[JW_IMPORT_IMPORTED] || im->out->counts[JW_IMPORT_PRESENT]))
        return;
    if (!jw_pack_taken(&of, &why))
        prime_note(&im->p, "cannot save the date of this pack: %s", why.msg);
}

/* ---- the store: keeps packs of this driver for when the cache is lost, and packs of another one for later ---- */

static bool should_store(const struct import *im)
{
    if (!im->manifest || im->o->dry_run || im->o->no_store)
        return false;
    switch (im->out->end) {
    case JW_END_DONE:
    case JW_END_NOTHING:
    case JW_END_PARTLY:
    case JW_END_NO_GPU: return true;
    case JW_END_UNFIT: return im->out->n_factors && import_fits_later(im->out);
    default: return false;
    }
}

static void store_pack(struct import *im)
{
    const struct jw_pack_manifest *m = im->manifest;
    struct jw_err why = { 0 };

    if (!should_store(im))
        return;
    struct jw_store_add add = {
        .key = { .stamp = m->stamp, .sm = m->sm, .simulated = m->simulated, .driver = m->driver },
        .file = im->pack.name,
        .bytes = &im->pack.bytes,
        .digest = im->pack.trailer.digest,
        .vouched = import_fully_trusted(im) ? im->verdict.key : NULL, /* the store keeps the whole pack */
        .signed_by = im->verdict.beside,
        .current = im->p.probe.state.stamp,
        .cap = jw_config_store_cap(&im->config)
    };

    if (!jw_store_add(&add, im->a, &why)) {
        prime_note(&im->p, "cannot store the pack: %s", why.msg);
        return;
    }
    im->out->stored = add.path;
    im->out->stored_before = add.same;
    for (size_t i = 0; i < add.n_evicted; i++)
        prime_note(&im->p, "removed %s from the store to make room", add.evicted[i]);
}

/* ---- progress ---- */

void import_notify(const struct import *im, const char *what, uint64_t done, uint64_t total)
{
    if (im->o->progress)
        im->o->progress(im->o->ctx, what, done, total);
}

static void on_prime(void *ctx, const struct jw_prime_progress *p)
{
    static const char *const phases[] = { [JW_PHASE_LOOK] = "searching for CUDA software",
                                          [JW_PHASE_ASK_DRIVER] = "asking the driver",
                                          [JW_PHASE_COMPILE] = "compiling",
                                          [JW_PHASE_VERIFY] = "verifying" };

    import_notify(ctx, phases[p->phase], 0, 0);
}

/* ---- the run ---- */

struct step {
    bool (*import)(struct import *im, struct jw_err *err);
    bool (*prime)(struct prime *p, struct jw_err *err);
    bool changes;    /* skip in a dry run */
    bool reads_pack; /* invalid data means that the pack is bad */
};

static const struct step steps[] = {
    { .prime = prime_judge_user },
    { .prime = prime_judge_variables },
    { .prime = prime_find_root },
    { .import = import_open, .reads_pack = true },
    { .import = import_read_manifest, .reads_pack = true },
    { .prime = prime_take_lock, .changes = true },
    { .prime = prime_ask_login, .changes = true },
    { .prime = prime_ask_driver },
    { .import = import_compare },
    { .prime = prime_make_work },
    { .import = import_select },
    { .import = check_age },
    { .import = import_check_room },
    { .import = import_stage, .reads_pack = true },
    { .import = import_prove, .changes = true },
    { .import = import_audit, .changes = true, .reads_pack = true },
    { .import = import_publish, .changes = true },
    { .import = import_verify, .changes = true },
};

static bool run_prime_step(struct import *im, const struct step *s, struct jw_err *err)
{
    struct jw_err why = { 0 };

    if (!s->prime(&im->p, &why))
        return import_end_by(im, JW_END_CANNOT_WRITE, &why, err);
    enum jw_end end = im->p.out->end == JW_END_WAITING ? JW_END_STOPPED : im->p.out->end;

    return !im->p.ended || import_end(im, end, "%s", im->p.out->why ? im->p.out->why : "");
}

static bool run_import_step(struct import *im, const struct step *s, struct jw_err *err)
{
    struct jw_err why = { 0 };

    return s->import(im, &why)
           || import_end_by(im, s->reads_pack ? JW_END_REFUSED : JW_END_CANNOT_WRITE, &why, err);
}

static bool run_steps(struct import *im, struct jw_err *err)
{
    for (size_t i = 0; i < JW_COUNT(steps) && !im->ended; i++) {
        const struct step *s = &steps[i];

        if (s->changes && im->o->dry_run)
            continue;
        if (prime_interrupted(&im->p))
            return import_end(im, JW_END_INTERRUPTED, "%s", "");
        if (!(s->import ? run_import_step(im, s, err) : run_prime_step(im, s, err)))
            return false;
    }
    return true;
}

static void fill_report(struct import *im)
{
    struct jw_import_report *r = im->out;

    import_count(r);
    if (!im->ended)
        r->end = r->dry_run ? import_judge_plan(r) : import_judge_end(r, &r->prime.verify);
    r->prime.notes = im->p.notes.v;
    r->prime.n_notes = im->p.notes.n;
    r->prime.advice = im->p.advice.v;
    r->prime.n_advice = im->p.advice.n;
    r->milliseconds = (jw_time_monotonic_ns() - im->p.began) / 1000000;
}

static bool on_question(void *ctx, const struct jw_prime_report *plan, const char *question, bool usual)
{
    const struct import *im = ctx;

    (void)plan;
    return im->o->ask(im->o->ctx, question, usual);
}

static void set_up(struct import *im)
{
    const struct jw_import_options *o = im->o;

    im->prime_options = (struct jw_prime_options){ .paths = o->paths,
                                                   .n_paths = o->n_paths,
                                                   .cache = o->cache,
                                                   .wait_s = o->wait_s,
                                                   .all = true,
                                                   .dry_run = o->dry_run,
                                                   .no_verify = o->no_verify,
                                                   .as_root = o->as_root,
                                                   .yes = o->yes,
                                                   .ask = o->ask ? on_question : NULL,
                                                   .exe = o->exe,
                                                   .driver = o->driver,
                                                   .interrupted = o->interrupted,
                                                   .progress = on_prime,
                                                   .ctx = im };
    im->p = (struct prime){ .o = &im->prime_options,
                            .out = &im->out->prime,
                            .a = im->a,
                            .verb = "import",
                            .wide = true,
                            .began = jw_time_monotonic_ns() };
}

bool jw_import(const struct jw_import_options *o, struct jw_import_report *out,
               struct jw_import_memory **memory, struct jw_err *err)
{
    struct jw_import_memory *m = *memory = jw_alloc(sizeof *m);
    struct import im = { .o = o, .out = out };

    *out = (struct jw_import_report){ .dry_run = o->dry_run, .prime = { .level = JW_LEVEL_NONE } };
    im.a = &m->arena;
    set_up(&im);
    bool ok = run_steps(&im, err);

    fill_report(&im);
    if (ok) {
        save_age(&im);
        store_pack(&im);
    }
    fill_report(&im);
    jw_pack_close(&im.pack);
    m->found = im.p.found; /* the report points into it */
    jw_cache_listing_free(&im.p.listing);
    jw_scratch_remove(im.p.work);
    jw_scratch_remove(im.spool);
    jw_warm_close(im.p.log);
    return ok;
}

void jw_import_free(struct jw_import_memory *m)
{
    if (!m)
        return;
    targets_free(&m->found);
    jw_arena_free(&m->arena);
    jw_free(m);
}
