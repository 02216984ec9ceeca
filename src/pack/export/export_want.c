/* What is asked for: the entries of named files, or of what was primed; and whose code each of them is. */
#include "pack/export/export_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <stdlib.h>
#include <string.h>

bool export_want(struct export *x, const struct export_wanted *w, struct jw_err *err)
{
    struct export_wanted *slot =
        jw_list_add(x->a, &x->wanted, &x->n_wanted, sizeof *slot, JW_MAX_CACHE_FILES, err);

    if (slot)
        *slot = *w;
    return slot != NULL;
}

/* ---- by paths ---- */

bool export_check_paths(struct export *x, struct jw_err *err)
{
    const char **real = jw_arena_alloc(x->a, (x->o->n_paths + 1) * sizeof *real);

    for (size_t i = 0; i < x->o->n_paths; i++) {
        struct jw_file_info info;

        if (!jw_file_stat(x->o->paths[i], &info, err) || !jw_real_path(x->o->paths[i], x->a, &real[i], err))
            return jw_wrap(err, "%s", x->o->paths[i]);
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", x->o->paths[i]);
    }
    x->paths = real;
    return true;
}

static void on_scan(void *ctx, const struct jw_scan_progress *s)
{
    export_notify(ctx, s->path);
}

static bool is_set(struct export *x, const char *name)
{
    const char *value = jw_env(x->a, name);

    return value && *value && strcmp(value, "0") != 0;
}

static bool find_targets(struct export *x, struct jw_err *err)
{
    size_t n = x->o->n_paths;
    struct jw_scan_root *roots = jw_arena_alloc(x->a, (n + 1) * sizeof *roots);
    struct targets_options t = { .scan = { .n_roots = n,
                                           .driver = x->driver.version,
                                           .exclude = x->o->exclude,
                                           .n_exclude = x->o->n_exclude,
                                           .force_jit =
                                               is_set(x, "CUDA_FORCE_PTX_JIT") || is_set(x, "CUDA_FORCE_JIT"),
                                           .interrupted = x->o->interrupted,
                                           .progress = on_scan,
                                           .progress_ctx = x },
                                 .sms = x->sms,
                                 .n_sms = x->n_sms,
                                 .rules = { x->driver.stamp },
                                 .all = true };

    for (size_t i = 0; i < n; i++)
        roots[i] = (struct jw_scan_root){ x->paths[i], JW_MAX_DEPTH, true };
    t.scan.roots = roots;
    return targets_find(&t, &x->found, err);
}

/* Below a folder that was named: told together. What cannot be read may have been meant; what is damaged serves nobody. */
static void report_others(struct export *x, const struct jw_scan_skipped *first, uint64_t n)
{
    if (!n)
        return;
    export_note(x, "%llu file%s could not be looked into; %s%.150s: %.150s", (unsigned long long)n,
                n == 1 ? "" : "s", n == 1 ? "" : "the first is ", first->path, first->reason);
}

/* A file that the user named, and that cannot be read or understood, is his business. */
static bool report_skipped(struct export *x, struct jw_err *err)
{
    const struct jw_scan_skipped *first = NULL;
    uint64_t others = 0;

    for (size_t i = 0; i < x->found.scan.n_skipped; i++) {
        const struct jw_scan_skipped *s = &x->found.scan.skipped[i];

        x->unread += s->named || s->why == JW_SKIP_UNREADABLE;
        if (!s->named) {
            first = first ? first : s;
            others++;
            continue;
        }
        if (!x->found.n)
            return jw_fail(err, s->why == JW_SKIP_UNREADABLE ? JW_E_USAGE : JW_E_FORMAT, "%s: %s", s->path,
                           s->reason);
        export_note(x, "%s: %s", s->path, s->reason);
    }
    report_others(x, first, others);
    return true;
}

/* A package where its papers tell of one; else the file itself. A member of a wheel is of the wheel's package. */
static bool origin_of(struct export *x, const char *path, uint32_t *at, struct jw_err *err)
{
    const struct target_met *met = targets_met(&x->found, path);
    struct jw_package owner = { 0 };
    struct export_candidate c = { 0 };

    if (!jw_discovery_owner(&x->discovery, path, &owner, err))
        return false;
    if (strcmp(owner.name, jw_path_base(path)) != 0 || !met) {
        c.is.name = owner.name;
        c.is.version = owner.version;
    } else {
        c.is.name = jw_path_base(path);
        c.path = met->path;
        c.as = met->info;
    }
    return export_candidate(x, &c, at, err);
}

static bool want_targets(struct export *x, struct jw_err *err)
{
    const char *last = NULL;
    uint32_t origin = JW_PACK_NO_ORIGIN;

    jw_discovery_init(&x->discovery, x->a);
    for (size_t i = 0; i < x->found.n; i++) {
        const struct target *t = &x->found.list[i];

        if (!last || strcmp(last, t->place.path) != 0) {
            last = t->place.path;
            if (!export_interrupted(x, err) || !origin_of(x, last, &origin, err))
                return false;
        }
        struct export_wanted w = {
            .name = t->key.name, .sm = t->sm, .needed = !t->optional, .origin = origin
        };

        if (w.name && !export_want(x, &w, err))
            return false;
    }
    return true;
}

static bool end_without_targets(struct export *x)
{
    const struct jw_left_out_sum *out = x->found.left_out;

    if (out[JW_OUT_IS_NATIVE].modules)
        return export_end(
            x, JW_END_NOTHING,
            "the driver compiles nothing of these files: they have machine code for this GPU, and start "
            "fast without a pack");
    return export_end(x, JW_END_NOTHING,
                      "there is nothing in these files that this driver would compile for this GPU; jitwarm "
                      "scan shows what is in them");
}

static bool by_paths(struct export *x, struct jw_err *err)
{
    if (!find_targets(x, err) || !report_skipped(x, err) || !want_targets(x, err))
        return false;
    return x->found.n || end_without_targets(x);
}

/* ---- by what is remembered ---- */

/* The architecture of an entry, by the journal; 0: not in there. */
static uint16_t remembered_sm(const struct export *x, uint64_t name)
{
    for (size_t lo = 0, hi = x->n_journal; lo < hi;) {
        size_t mid = lo + (hi - lo) / 2;

        if (x->journal[mid].name == name)
            return x->journal[mid].sm;
        if (x->journal[mid].name < name)
            lo = mid + 1;
        else
            hi = mid;
    }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct export_journal *x = a, *y = b;

    return x->name < y->name ? -1 : x->name > y->name;
}

static bool is_of_driver(const struct export *x, const char *build)
{
    return strcmp(build, x->driver.build) == 0;
}

static void read_journal(struct export *x)
{
    x->journal = jw_arena_alloc(x->a, (x->memory.n_jobs + 1) * sizeof *x->journal);
    for (size_t i = 0; i < x->memory.n_jobs; i++) {
        const struct jw_warm_job *j = &x->memory.jobs[i];

        if (j->name && is_of_driver(x, j->build))
            x->journal[x->n_journal++] = (struct export_journal){ j->name, j->bytes, j->sm };
    }
    if (x->n_journal)
        qsort(x->journal, x->n_journal, sizeof *x->journal, by_name);
}

/* A file that a receipt rests on, with the package that it belongs to. */
struct owned_file {
    const struct jw_warm_file *file;
    struct jw_package owner;
};

struct recalling {
    struct export *x;
    struct owned_file *files;
    size_t n;
    const char *last; /* the text that was looked up last */
    uint32_t at;
};

static bool list_files(struct recalling *r, struct jw_err *err)
{
    for (size_t i = 0; i < r->x->memory.n_receipts; i++) {
        const struct jw_warm_receipt *receipt = &r->x->memory.receipts[i];

        for (size_t k = 0; k < receipt->n_files; k++) {
            struct owned_file *slot = jw_list_add(r->x->a, &r->files, &r->n, sizeof *slot, JW_MAX_OWNED, err);

            if (!slot)
                return false;
            slot->file = &receipt->files[k];
            if (!jw_discovery_owner(&r->x->discovery, slot->file->path, &slot->owner, err))
                return false;
        }
    }
    return true;
}

static struct jw_file_info as_recorded(const struct jw_warm_file *f)
{
    return (struct jw_file_info){
        .kind = JW_FILE_REGULAR, .size = f->size, .mtime = f->mtime, .id = { f->volume, f->node }
    };
}

/* What is remembered is a name alone; files that were primed tell the rest. */
static bool recall_origin(struct recalling *r, const char *text, uint32_t *at, struct jw_err *err)
{
    struct export_candidate c = { .is = { .name = text } };

    if (r->last && strcmp(r->last, text) == 0) {
        *at = r->at;
        return true;
    }
    for (size_t i = 0; i < r->n && !c.path && !c.is.version; i++) {
        const struct owned_file *f = &r->files[i];

        if (strcmp(jw_path_base(f->file->path), text) == 0) {
            c.path = f->file->path;
            c.as = as_recorded(f->file);
        } else if (strcmp(f->owner.name, text) == 0)
            c.is.version = f->owner.version;
    }
    if (!export_candidate(r->x, &c, &r->at, err))
        return false;
    r->last = text;
    *at = r->at;
    return true;
}

/* Of an entry that it is not known of: none. */
static bool want_remembered(struct recalling *r, struct export_wanted *w, struct jw_err *err)
{
    const char *text = jw_warm_origin(&r->x->memory, w->name);

    w->origin = JW_PACK_NO_ORIGIN;
    return (!text || recall_origin(r, text, &w->origin, err)) && export_want(r->x, w, err);
}

static bool want_receipts(struct recalling *r, struct jw_err *err)
{
    const struct jw_warm_state *s = &r->x->memory;

    for (size_t i = 0; i < s->n_receipts; i++)
        for (size_t k = 0; is_of_driver(r->x, s->receipts[i].build) && k < s->receipts[i].n_entries; k++) {
            const struct jw_warm_entry *e = &s->receipts[i].entries[k];
            struct export_wanted w = {
                .name = e->name, .bytes = e->bytes, .sm = remembered_sm(r->x, e->name), .needed = true
            };

            if (!want_remembered(r, &w, err))
                return false;
        }
    return true;
}

/* What was compiled by a prime that did not come to its end, or that was not verified, is taken where it is. */
static bool want_journal(struct recalling *r, struct jw_err *err)
{
    for (size_t i = 0; i < r->x->n_journal; i++) {
        const struct export_journal *j = &r->x->journal[i];
        struct export_wanted w = { .name = j->name, .bytes = j->bytes, .sm = j->sm };

        if (!want_remembered(r, &w, err))
            return false;
    }
    return true;
}

/* With everything, whose the others are: what was primed for another driver tells, too. */
static bool want_owned(struct recalling *r, struct jw_err *err)
{
    for (size_t i = 0; r->x->o->everything && i < r->x->memory.n_owned; i++) {
        struct export_wanted w = { .name = r->x->memory.owned[i].name };

        if (!want_remembered(r, &w, err))
            return false;
    }
    return true;
}

static bool by_memory(struct export *x, struct jw_err *err)
{
    struct recalling r = { .x = x };

    jw_discovery_init(&x->discovery, x->a);
    read_journal(x);
    if (!list_files(&r, err) || !want_receipts(&r, err) || !want_journal(&r, err) || !want_owned(&r, err))
        return false;
    if (x->n_wanted || x->o->everything)
        return true;
    export_advise(x, "jitwarm prime, and then jitwarm export");
    export_advise(x, "jitwarm export PATH...   (entries of these files, whatever program compiled them)");
    return export_end(
        x, JW_END_NOTHING,
        "nothing is remembered to have been primed into %.200s for this driver: prime first, or name "
        "files",
        x->dir.root);
}

static bool want_offline(struct export *x, struct jw_err *err)
{
    struct export_wanted canary = {
        .name = x->o->offline->canary, .sm = x->o->offline->sm, .needed = true, .origin = JW_PACK_NO_ORIGIN
    };

    return want_targets(x, err) && export_want(x, &canary, err);
}

bool export_find_wanted(struct export *x, struct jw_err *err)
{
    if (x->o->offline)
        return want_offline(x, err);
    if (x->o->n_paths)
        return by_paths(x, err);
    return x->unpacked || by_memory(x, err);
}
