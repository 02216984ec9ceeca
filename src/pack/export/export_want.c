/* Finds out what to export: the cache, the driver, the architectures, the entries. */
#include "pack/export/export_work.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/memory/trace.h"
#include "facts/cache_choosers.h"
#include "facts/drivers.h"
#include "facts/gpus.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <string.h>

/* Some commands choose a cache of their own, which was remembered with the command. */
static void follow_command(struct export *x)
{
    const struct jw_warm_command *c =
        x->o->command && !x->run->session->cache ? jw_warm_command(x->memory, x->o->command) : NULL;

    if (!c || !*c->cache)
        return;
    export_note(x, "the command uses a cache of its own: %s%s", c->cache,
                jw_cache_chooser_words(c->cache, x->run->a));
    x->dir.folder = c->cache;
    x->out->cache = c->cache;
    x->memory = jw_session_memory(x->run->session, c->cache);
}

bool export_find_cache(struct export *x, struct jw_err *err)
{
    x->dir = *jw_session_cache(x->run->session);
    if (!x->dir.folder)
        return export_end(x, JW_END_NOTHING, "%s",
                          x->dir.notes.n ? x->dir.notes.v[0] : "there is no folder for the driver's cache");
    export_notes(x, &x->dir.notes);
    if (x->run->session->cache && !jw_real_path(x->run->session->cache, x->run->a, &x->dir.folder, err))
        return jw_wrap(err, "%s", x->run->session->cache);
    x->out->cache = x->dir.folder;
    x->memory = jw_session_memory(x->run->session, x->dir.folder);
    follow_command(x);
    export_notes(x, &x->memory->notes);
    return true;
}

/* ---- the driver ---- */

/* On a login node or in a container without a GPU: the driver as it was met before. */
static bool use_known_driver(struct export *x, const char *why)
{
    const struct jw_driver_state *known = jw_session_known_driver(x->run->session);

    export_notes(x, &jw_session_drivers(x->run->session)->notes);
    if (!known)
        return export_end(x, JW_END_NO_GPU,
                          "jitwarm does not know which driver made these entries: %s, and no driver was seen "
                          "here before",
                          why);
    x->driver = *known;
    export_note(x, "cannot ask the driver (%s): using it as it was seen here before%s%s", why,
                x->driver.version ? ", " : "", x->driver.version ? x->driver.version : "");
    return true;
}

static bool check_level(struct export *x)
{
    const struct jw_driver_state *d = &x->driver;

    if (d->level >= JW_LEVEL_PLACEABLE && d->stamp)
        return true;
    if (x->probe->unproven)
        return export_end(x, JW_END_NOT_PROVEN,
                          "the probe of this driver's cache failed (%s), so a pack might not work anywhere; "
                          "jitwarm doctor --probe tries again",
                          x->probe->unproven);
    return export_end(
        x, JW_END_NOT_PROVEN,
        "this driver is not proven to accept entries from a pack (the probe of its cache proved "
        "%d of 3 steps, and packs need all); jitwarm doctor --probe shows why",
        d->level);
}

bool export_ask_driver(struct export *x, struct jw_err *err)
{
    const char *why;

    export_notify(x, "asking the driver");
    if (!jw_session_driver(x->run->session, &x->probe, err))
        return false;
    why = jw_probe_why_unusable(x->probe);
    x->out->asked = !why;
    if (why && !use_known_driver(x, why))
        return false;
    if (x->run->ended)
        return true;
    if (!why) {
        x->driver = x->probe->state;
        x->driver.version = x->probe->driver.version ? x->probe->driver.version : x->driver.version;
        x->driver.build = x->probe->driver.build;
    }
    x->driver.build = x->driver.build ? x->driver.build : "";
    x->out->driver_version = x->driver.version;
    x->out->build = *x->driver.build ? x->driver.build : NULL;
    x->out->stamp = x->driver.stamp;
    return check_level(x);
}

bool export_list_cache(struct export *x, struct jw_err *err)
{
    struct jw_cache_listing *l = &x->listing;

    export_notify(x, x->dir.folder);
    if (!jw_cachedir_walk(x->dir.folder, false, x->run->interrupted, x->run->a, l, err))
        return false;
    if (l->refused)
        return jw_fail(err, JW_E_IO, "%.200s: %s", x->dir.folder, l->refused);
    if (!l->n && !l->notes.n && !l->more && !x->kit.n_files) {
        if (x->o->command)
            return export_end(x, JW_END_NOTHING,
                              "nothing is recorded that could be packed of %s (all words after --run are the "
                              "command; jitwarm prime --run records what it keeps)",
                              jw_command_text(x->run->a, x->o->argv, jw_os_is_windows()));
        export_advise(x, "jitwarm prime");
        return export_end(x, JW_END_NOTHING, "the cache %.200s is empty: prime first", x->dir.folder);
    }
    if (l->more)
        export_note(x, "skipped %llu entries: the cache has more than jitwarm reads",
                    (unsigned long long)l->more);
    for (size_t i = 0; i < l->notes.n; i++)
        export_note(x, "cannot read part of the cache: %s", l->notes.v[i]);
    return true;
}

/* ---- architectures ---- */

static void add_cached(struct export *x)
{
    for (size_t i = 0; i < x->listing.n; i++) {
        const struct jw_cache_file *f = &x->listing.files[i];

        if (!f->damage && f->kind == JW_CACHE_CUDA && strcmp(f->stamp, x->driver.stamp) == 0)
            jw_sms_add(x->sms, &x->n_sms, f->sm);
    }
}

static void add_archs_here(struct export *x)
{
    for (size_t i = 0; x->out->asked && i < x->probe->n_devices; i++)
        jw_sms_add(x->sms, &x->n_sms, x->probe->devices[i].sm);
}

/* A GPU of this machine by number, UUID or name, or any architecture. */
static bool add_named_gpu(struct export *x, const char *text, struct jw_err *err)
{
    struct jw_gpu one;
    bool found = false;

    if (jw_text_equal_nocase(text, "all")) {
        add_archs_here(x);
        add_cached(x);
        return true;
    }
    for (size_t i = 0; x->out->asked && i < x->probe->n_devices; i++) {
        const struct jw_device *d = &x->probe->devices[i];

        if (jw_gpu_means(text, d)) {
            jw_sms_add(x->sms, &x->n_sms, d->sm);
            found = true;
        }
    }
    if (found)
        return true;
    if (jw_gpu_is_of_machine(text)) {
        export_note(x, "--gpu %.100s: there is no such GPU here", text);
        return true;
    }
    if (!jw_gpu_parse(text, &one, err))
        return jw_wrap(err, "--gpu");
    jw_sms_add(x->sms, &x->n_sms, one.sm);
    return true;
}

bool export_choose_archs(struct export *x, struct jw_err *err)
{
    for (size_t i = 0; i < x->o->gpus.n; i++)
        if (!add_named_gpu(x, x->o->gpus.items[i], err))
            return false;
    if (!x->o->gpus.n)
        add_archs_here(x);
    if (!x->o->gpus.n && !x->n_sms)
        add_cached(x);
    if (!x->n_sms && x->o->gpus.n)
        return export_end(x, JW_END_NO_GPU, "none of the GPUs that --gpu names is here");
    if (!x->n_sms) {
        export_advise(x, "jitwarm prime");
        return export_end(x, JW_END_NOTHING, "the cache %.200s has no entries of this driver: prime first",
                          x->dir.folder);
    }
    jw_sort(x->sms, x->n_sms, sizeof *x->sms, jw_by_u16);
    return true;
}

/* ---- entries and their software ---- */

/* Adds an entry. */
static bool export_want(struct export *x, const struct export_entry *w, struct jw_err *err)
{
    struct export_entry *slot =
        jw_list_add(x->run->a, &x->wanted, &x->n_wanted, sizeof *slot, JW_MAX_CACHE_FILES, err);

    if (slot)
        *slot = *w;
    return slot != NULL;
}

/* ---- by paths ---- */

bool export_check_paths(struct export *x, struct jw_err *err)
{
    const char **real = jw_arena_alloc(x->run->a, (x->o->paths.n + 1) * sizeof *real);

    for (size_t i = 0; i < x->o->paths.n; i++) {
        struct jw_file_info info;

        if (!jw_file_stat(x->o->paths.items[i], &info, err)
            || !jw_real_path(x->o->paths.items[i], x->run->a, &real[i], err))
            return jw_wrap(err, "%s", x->o->paths.items[i]);
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", x->o->paths.items[i]);
    }
    x->paths = real;
    return true;
}

static void on_scan(void *ctx, const struct jw_scan_progress *s)
{
    export_notify(ctx, s->path);
}

static bool find_targets(struct export *x, struct jw_err *err)
{
    size_t n = x->o->paths.n;
    struct jw_scan_root *roots = jw_arena_alloc(x->run->a, (n + 1) * sizeof *roots);
    struct scan_jobs_options t = { .scan = jw_session_scan(x->run->session),
                                   .sms = x->sms,
                                   .n_sms = x->n_sms,
                                   .rules = { x->driver.stamp, jw_driver_ends_ptx_at_nul(x->driver.version) },
                                   .all = true };

    t.scan.n_roots = n;
    t.scan.driver = x->driver.version;
    t.scan.force_jit = jw_cache_forced_by(x->run->a) != NULL;
    t.scan.progress = on_scan;
    t.scan.progress_ctx = x;
    for (size_t i = 0; i < n; i++)
        roots[i] = (struct jw_scan_root){ x->paths[i], JW_MAX_DEPTH, true };
    t.scan.roots = roots;
    return scan_jobs_find(&t, &x->found, err);
}

/* Reports files below a given folder in one note. */
static void report_others(struct export *x, const struct jw_scan_skipped *first, uint64_t n)
{
    if (!n)
        return;
    export_note(x, "%s could not be read; %s%.150s: %.150s", JW_N(n, "file", "files"),
                n == 1 ? "" : "the first is ", first->path, first->reason);
}

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

/* The package that owns the file, else the file itself. A member of a wheel belongs to the wheel's package. */
static bool origin_of_file(struct export *x, const char *path, uint32_t *at, struct jw_err *err)
{
    const struct jw_package owner = jw_discovery_owner(&x->discovery, path);

    return export_origin(x, owner.name, owner.version, at, err);
}

static bool want_targets(struct export *x, struct jw_err *err)
{
    const char *last = NULL;
    uint32_t origin = JW_PACK_NO_ORIGIN;

    jw_discovery_init(&x->discovery, x->run->a);
    for (size_t i = 0; i < x->found.n; i++) {
        const struct jw_job *t = &x->found.list[i];

        if (!last || strcmp(last, t->module.places->path) != 0) {
            last = t->module.places->path;
            if (!jw_not_interrupted(x->run->interrupted, err) || !origin_of_file(x, last, &origin, err))
                return false;
        }
        struct export_entry w = {
            .name = t->name, .sm = t->sm, .needed = !t->module.optional, .origin = origin
        };

        if (w.name && !export_want(x, &w, err))
            return false;
    }
    return true;
}

static bool end_without_targets(struct export *x)
{
    const struct jw_left_out_sum *out = x->found.left_out;
    const char *forced = jw_cache_forced_by(x->run->a);

    if (forced)
        return export_end(x, JW_END_NOTHING,
                          "%s is set: the driver ignores machine code, and these files have no PTX that it "
                          "compiles for this GPU",
                          forced);
    if (out[JW_OUT_IS_NATIVE].modules)
        return export_end(
            x, JW_END_NOTHING,
            "these files need no pack: they have machine code for this GPU, the driver compiles nothing");
    return export_end(x, JW_END_NOTHING,
                      "the driver compiles nothing of these files for this GPU; jitwarm scan shows their "
                      "contents");
}

static bool by_paths(struct export *x, struct jw_err *err)
{
    if (!find_targets(x, err) || !report_skipped(x, err) || !want_targets(x, err))
        return false;
    return x->found.n || end_without_targets(x);
}

/* ---- by jitwarm's records of the cache ---- */

static bool is_of_driver(const struct export *x, const char *build)
{
    return strcmp(build, x->driver.build) == 0;
}

/* An entry that a prime put into the cache for this driver, whose name is known. */
static bool is_made(const struct export *x, const struct jw_warm_module *m)
{
    return m->compiled && m->name && is_of_driver(x, m->build);
}

/* Its architecture, or 0. */
static uint16_t recorded_sm(const struct export *x, uint64_t name)
{
    const struct jw_warm_module *m;
    uint16_t sm = 0;

    for (size_t at = 0; !sm && (m = jw_modules_named(&x->memory->modules, name, &at));)
        sm = is_made(x, m) ? m->sm : 0;
    return sm;
}

struct recalling {
    struct export *x;
    struct jw_package *owners; /* of the files in receipts */
    size_t n;
    const char *last; /* the name looked up last, found at `at` */
    uint32_t at;
};

static bool list_owners(struct recalling *r, struct jw_err *err)
{
    for (size_t i = 0; i < r->x->memory->n_receipts; i++) {
        const struct jw_warm_receipt *receipt = &r->x->memory->receipts[i];
        const char *folder = "";
        struct jw_buf room = JW_BUF(JW_MAX_PATH);

        for (size_t k = 0; k < receipt->n_files; k++) {
            const char *path = jw_trace_whole_path(&receipt->files[k], &folder, &room);

            if (receipt->files[k].names) /* a folder */
                continue;
            struct jw_package *slot =
                jw_list_add(r->x->run->a, &r->owners, &r->n, sizeof *slot, JW_MAX_OWNED, err);

            if (slot)
                *slot = jw_discovery_owner(&r->x->discovery, path);
            else {
                jw_buf_free(&room);
                return false;
            }
        }
        jw_buf_free(&room);
    }
    return true;
}

/* The record has only a name; the receipts' files lead to the version. */
static bool find_origin(struct recalling *r, const char *text, uint32_t *at, struct jw_err *err)
{
    const char *version = NULL;

    if (r->last && strcmp(r->last, text) == 0) {
        *at = r->at;
        return true;
    }
    for (size_t i = 0; i < r->n && !version; i++)
        if (strcmp(r->owners[i].name, text) == 0)
            version = r->owners[i].version;
    if (!export_origin(r->x, text, version, &r->at, err))
        return false;
    r->last = text;
    *at = r->at;
    return true;
}

static bool want_recorded(struct recalling *r, struct export_entry *w, struct jw_err *err)
{
    const char *text = jw_warm_origin(r->x->memory, w->name);

    w->origin = JW_PACK_NO_ORIGIN;
    return (!text || find_origin(r, text, &w->origin, err)) && export_want(r->x, w, err);
}

static bool want_receipts(struct recalling *r, struct jw_err *err)
{
    const struct jw_warm_state *s = r->x->memory;

    for (size_t i = 0; i < s->n_receipts; i++)
        for (size_t k = 0; is_of_driver(r->x, s->receipts[i].build) && k < s->receipts[i].n_entries; k++) {
            const struct jw_warm_entry *e = &s->receipts[i].entries[k];
            struct export_entry w = {
                .name = e->name, .bytes = e->bytes, .sm = recorded_sm(r->x, e->name), .needed = true
            };

            if (!want_recorded(r, &w, err))
                return false;
        }
    return true;
}

/* Entries of a prime that was interrupted or not verified are packed if they are in the cache. */
static bool want_made(struct recalling *r, struct jw_err *err)
{
    const struct jw_modules *all = &r->x->memory->modules;
    bool ok = true;

    for (size_t i = 0; ok && i < all->n; i++) {
        struct export_entry w = { .name = all->list[i].name,
                                  .bytes = all->list[i].bytes,
                                  .sm = all->list[i].sm };

        ok = !is_made(r->x, &all->list[i]) || want_recorded(r, &w, err);
    }
    return ok;
}

/* With `everything`: entries whose origin is known, primed for other drivers, too. */
static bool want_owned(struct recalling *r, struct jw_err *err)
{
    const struct jw_modules *all = &r->x->memory->modules;
    bool ok = true;

    for (size_t i = 0; ok && r->x->o->everything && i < all->n; i++) {
        struct export_entry w = { .name = all->list[i].name };

        ok = !w.name || !*all->list[i].origin || want_recorded(r, &w, err);
    }
    return ok;
}

static bool by_memory(struct export *x, struct jw_err *err)
{
    struct recalling r = { .x = x };

    jw_discovery_init(&x->discovery, x->run->a);
    if (!list_owners(&r, err) || !want_receipts(&r, err) || !want_made(&r, err) || !want_owned(&r, err))
        return false;
    if (x->n_wanted || x->o->everything)
        return true;
    export_advise_prime(x);
    return export_end(x, JW_END_NOTHING,
                      "jitwarm primed nothing into %.200s for this driver: prime first, or name files",
                      x->dir.folder);
}

/* ---- by the record of a command ---- */

static bool want_loads(struct recalling *r, const struct jw_warm_loads *loads, struct jw_err *err)
{
    for (size_t i = 0; i < loads->n; i++) {
        struct export_entry w = { .name = loads->list[i].name,
                                  .sm = recorded_sm(r->x, loads->list[i].name),
                                  .needed = true,
                                  .loaded = true,
                                  .once = loads->list[i].once };

        if (!want_recorded(r, &w, err))
            return false;
    }
    return true;
}

static bool by_command(struct export *x, struct jw_err *err)
{
    const struct jw_warm_loads *loads = jw_warm_loads(x->memory, x->o->command, x->driver.build);
    struct recalling r = { .x = x };

    if (!loads && x->kit.n_files)
        return true;
    if (!loads) {
        export_advise(x, "%s", export_prime_command(x));
        return export_end(x, JW_END_NOTHING,
                          "what this command loads with this driver was not recorded: prime it first");
    }
    jw_discovery_init(&x->discovery, x->run->a);
    return list_owners(&r, err) && want_loads(&r, loads, err);
}

bool export_find_wanted(struct export *x, struct jw_err *err)
{
    if (x->o->command)
        return by_command(x, err);
    if (x->o->paths.n)
        return by_paths(x, err);
    return by_memory(x, err);
}
