#include "driver/probe/probe.h"

#include "base/digest.h"
#include "base/path.h"
#include "base/text.h"
#include "driver/probe/probe_place.h"
#include "driver/probe/probe_work.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum {
    TIMEOUT_MS = 60 * 1000,
    RETRY_S = 24 * 60
              * 60 /* what was not proven may have been the machine's bad day: it is tried again after this */
};

/* How loading some modules ended. */
struct ending {
    const char *why; /* NULL: all were loaded; else a sentence */
    size_t at;       /* the module that was not */
    int code;        /* what the driver gave for it; 0: it was not asked, or its process is gone */
};

const char *jw_level_unlocks(enum jw_level l)
{
    switch (l) {
    case JW_LEVEL_NONE: return "nothing: there is no driver that compiles";
    case JW_LEVEL_OPAQUE: return "warming one module at a time, in the user's own cache";
    case JW_LEVEL_READABLE: return "status per driver build and architecture, checks of every entry";
    case JW_LEVEL_PREDICTABLE: return "telling what is warm without the driver, exact plans, export by file";
    case JW_LEVEL_PLACEABLE: return "warming in parallel, packs, import and prune";
    case JW_LEVEL_CARRYABLE:
        return "warming in parallel, packs, import, prune, and carrying entries over a driver update";
    default:
        return "warming in parallel, packs, import, prune, carrying entries over a driver update, and packs "
               "made on "
               "machines without a GPU";
    }
}

bool probe_go_on(const struct probing *p, struct jw_err *err)
{
    if (p->o->alive)
        p->o->alive(p->o->ctx);
    if (p->o->interrupted && atomic_load(p->o->interrupted))
        return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    return true;
}

bool probe_write(const char *path, struct jw_bytes bytes, struct jw_err *err)
{
    struct jw_out out = { 0 };
    bool ok = jw_out_open(&out, path, false, err) && jw_out_write(&out, bytes.p, bytes.n, err)
              && jw_out_commit(&out, err);

    jw_out_close(&out);
    return ok || jw_wrap(err, "%s", path);
}

static bool is_played(const struct jw_worker_device *d)
{
    return jw_text_starts(d->uuid, "GPU-6a772d70-6861-6e74-6f6d-"); /* "jw-phantom" */
}

bool probe_is_played(const struct probing *p)
{
    return p->on && is_played(p->on);
}

bool jw_probe_played(const struct jw_probe_report *r)
{
    return r->n_devices && is_played(r->devices);
}

bool probe_make_folder(struct probing *p, struct jw_err *err)
{
    const char *state = jw_state_dir(p->a, err);

    if (!state)
        return false;
    if (!jw_scratch_make(state, "probe", p->a, &p->folder, err))
        return false;
    p->root = jw_path_join(p->a, p->folder, "cache");
    p->other = jw_path_join(p->a, p->folder, "placed");
    return jw_make_private_dir(p->root, err) && jw_make_private_dir(p->other, err);
}

static bool write_set(struct probing *p, struct jw_err *err)
{
    for (size_t i = 0; i < p->n; i++) {
        char *path = jw_path_join(p->a, p->folder, p->set[i].file);

        if (!probe_write(path, jw_buf_bytes(&p->set[i].image), err))
            return false;
    }
    return true;
}

unsigned probe_timeout(const struct jw_probe_options *o)
{
    return o->timeout_ms ? o->timeout_ms : TIMEOUT_MS;
}

bool probe_start_worker(const struct probing *p, const char *root, struct jw_worker **w, unsigned *device,
                        struct jw_err *err)
{
    struct jw_worker_options wo = { .exe = p->o->exe,
                                    .driver = p->o->driver,
                                    .cache_root = root,
                                    .device = *p->on->uuid ? p->on->uuid : NULL,
                                    .timeout_ms = probe_timeout(p->o),
                                    .eager = true,
                                    .interrupted = p->o->interrupted };
    const struct jw_worker_device *seen;
    size_t n;

    if (!jw_worker_start(w, &wo, err))
        return false;
    seen = jw_worker_devices(*w, &n);
    *device = wo.device && n ? seen[0].index : p->on->index;
    return true;
}

/* The sentence of a module that was not loaded. */
static void end_at(const struct probing *p, size_t at, const struct jw_worker_result *r, struct ending *out)
{
    const char *what = p->set[at].what;
    char text[256];

    if (!r->died)
        (void)snprintf(text, sizeof text, "the driver refused the test module \"%s\": %s (error %d)", what,
                       r->name, r->code);
    else if (strcmp(r->name, "timeout") == 0)
        (void)snprintf(text, sizeof text,
                       "the driver did not finish the test module \"%s\" within %u seconds and was ended",
                       what, probe_timeout(p->o) / 1000);
    else
        (void)snprintf(text, sizeof text, "the driver ended its process over the test module \"%s\": %s",
                       what, r->name);
    *out = (struct ending){ .why = jw_arena_str(p->a, text), .at = at, .code = r->died ? 0 : r->code };
}

static bool load_one(const struct probing *p, struct jw_worker *w, unsigned device, size_t at,
                     struct ending *out, struct jw_err *err)
{
    const struct probe_module *m = &p->set[at];
    struct jw_worker_job job = { .path = jw_path_join(p->a, p->folder, m->file),
                                 .size = m->image.n,
                                 .text = m->text };
    struct jw_worker_result r;

    jw_digest(job.digest, m->image.p, m->image.n);
    if (!probe_go_on(p, err) || !jw_worker_load(w, device, &job, &r, err))
        return false;
    if (!r.ok)
        end_at(p, at, &r, out);
    return true;
}

/* Has a fresh process load modules `from` to `to`, until one is not loaded. */
static bool load_modules(const struct probing *p, const char *root, size_t from, size_t to,
                         struct ending *out, struct jw_err *err)
{
    struct jw_worker *w = NULL;
    unsigned device = 0;
    bool ok = probe_go_on(p, err) && probe_start_worker(p, root, &w, &device, err);

    *out = (struct ending){ 0 };
    for (size_t i = from; ok && !out->why && i < to; i++)
        ok = load_one(p, w, device, i, out, err);
    jw_worker_stop(w);
    return ok;
}

static void give_up(struct probing *p, const struct ending *end)
{
    p->out->unproven = end->why;
    p->out->refused = end->code;
}

/* All but the last module of the set, which is kept for the placing test. One that a driver of this version
 * need not take, and does not, leaves the set. */
static bool feed(struct probing *p, bool *fed, struct jw_err *err)
{
    struct ending end = { .at = 0 };

    *fed = false;
    for (;;) {
        if (!load_modules(p, p->root, end.at, p->n - 1, &end, err))
            return false;
        if (!end.why)
            break;
        if (!end.code || !p->set[end.at].optional) {
            give_up(p, &end);
            return true;
        }
        probe_say(&p->f, "this driver does not take a %s", p->set[end.at].what);
        jw_probe_set_drop(p->set, &p->n, end.at);
    }
    *fed = true;
    return true;
}

/* Levels 0 to 2. */
static bool prove_reading(struct probing *p, struct jw_err *err)
{
    struct jw_cache_listing listing = { 0 };
    bool fed;

    if (!feed(p, &fed, err))
        return false;
    if (!fed)
        return true;
    bool ok = probe_list(p->root, true, p->a, &listing, err)
              && probe_judge(&p->f, p->set, p->n - 1, p->root, &listing, err);

    jw_cache_listing_free(&listing);
    return ok;
}

/* Did the driver begin the folder of the placing test? */
static bool has_begun(struct probing *p, bool *yes, struct jw_err *err)
{
    struct jw_cache_listing l = { 0 };

    if (!probe_list(p->other, false, p->a, &l, err))
        return false;
    *yes = l.n == 1 && !l.files[0].damage && l.index_found && !l.index_damage && l.index.n == 1;
    if (!*yes)
        p->out->unproven = "the driver kept nothing, or nothing whole, in a second cache folder";
    jw_cache_listing_free(&l);
    return true;
}

/* Level 3: entries that we put beside another one are found by a fresh process, which adds and changes
 * nothing. driver-fact: F31-hit-changes-nothing, F60-portable */
static bool prove_placing(struct probing *p, struct jw_err *err)
{
    struct probe_image before, after;
    struct ending end;
    const char *why;
    bool begun;

    if (!load_modules(p, p->other, p->n - 1, p->n, &end, err) || (!end.why && !has_begun(p, &begun, err)))
        return false;
    if (!end.why && begun
        && !(probe_place(p->root, p->other, p->a, err) && probe_image_take(p->other, p->a, &before, err)
             && load_modules(p, p->other, 0, p->n, &end, err)))
        return false;
    if (end.why)
        give_up(p, &end);
    if (p->out->unproven)
        return true;
    if (!probe_image_take(p->other, p->a, &after, err))
        return false;
    why = probe_image_difference(&before, &after, p->a);
    if (why) {
        probe_say(&p->f, "files that were put into another cache folder were not used as they are: %s", why);
        return true;
    }
    p->f.level = JW_LEVEL_PLACEABLE;
    probe_say(
        &p->f,
        "put into another cache folder, all %zu files were used by a fresh process, which added and changed "
        "nothing",
        p->n - 1);
    return true;
}

static bool prove(struct probing *p, struct jw_err *err)
{
    bool ok = jw_probe_set_make(p->set, &p->n, p->out->driver.cuda_version, err) && probe_make_folder(p, err)
              && write_set(p, err) && prove_reading(p, err);

    if (ok && p->f.level == JW_LEVEL_PREDICTABLE)
        ok = prove_placing(p, err);
    if (ok && p->o->carry && p->f.level == JW_LEVEL_PLACEABLE && !p->out->unproven)
        ok = probe_carrying(p, err);
    jw_scratch_remove(p->folder);
    jw_probe_set_free(p->set);
    return ok;
}

static const char *copy_or_null(struct jw_arena *a, const char *text)
{
    return text ? jw_arena_str(a, text) : NULL;
}

/* The worker's words live as long as the worker: they are copied. */
static void keep_facts(struct probing *p, const struct jw_worker *w)
{
    const struct jw_worker_driver *d = jw_worker_driver(w);
    struct jw_worker_driver *own = &p->out->driver;
    const struct jw_worker_device *devices = jw_worker_devices(w, &p->out->n_devices);
    size_t bytes = p->out->n_devices * sizeof *devices;

    *own = *d;
    own->library = copy_or_null(p->a, d->library);
    own->build = copy_or_null(p->a, d->build);
    own->version = copy_or_null(p->a, d->version);
    own->init_name = copy_or_null(p->a, d->init_name);
    p->out->devices = bytes ? jw_arena_copy(p->a, devices, bytes) : NULL;
}

/* A driver that crashes or hangs when it is woken is an answer. */
static bool ask_driver(struct probing *p, struct jw_err *err)
{
    struct jw_worker_options wo = { .exe = p->o->exe,
                                    .driver = p->o->driver,
                                    .timeout_ms = probe_timeout(p->o),
                                    .inherit = true,
                                    .interrupted = p->o->interrupted };
    struct jw_err why = { 0 };
    struct jw_worker *w = NULL;
    bool ok = probe_go_on(p, &why) && jw_worker_start(&w, &wo, &why);

    if (ok)
        keep_facts(p, w);

    jw_worker_stop(w);
    if (!ok && why.code == JW_E_DRIVER) {
        p->out->broken = jw_arena_str(p->a, why.msg);
        return true;
    }
    if (!ok)
        *err = why;
    return ok;
}

static bool has_build(const struct probing *p)
{
    return p->out->driver.build && *p->out->driver.build;
}

/*
 * Proven again, or not: how fast it compiles is as it was. Whose code it was seen to run was seen of this very build, too, and a
 * machine without that compiler could not see it again; it is forgotten only when the driver's own proof no longer holds.
 */
static bool keep_known(struct probing *p, struct jw_err *err)
{
    struct jw_driver_state before;
    const char *why;
    bool found;

    if (!has_build(p))
        return true;
    if (!jw_state_load_driver(p->out->driver.build, p->a, &before, &found, &why, err))
        return false;
    if (found) {
        p->out->state.rates = before.rates;
        p->out->state.n_rates = before.n_rates;
    }
    if (found && p->f.level >= JW_LEVEL_PLACEABLE) {
        p->out->state.siblings = before.siblings;
        p->out->state.forged = before.forged;
        p->out->state.n_forged = before.n_forged;
    }
    return true;
}

static bool fill_state(struct probing *p, struct jw_err *err)
{
    struct jw_driver_state *s = &p->out->state;

    *s = (struct jw_driver_state){ .build = p->out->driver.build,
                                   .version = p->out->driver.version,
                                   .library = p->out->driver.library,
                                   .level = p->f.level,
                                   .simulated = p->out->driver.simulated,
                                   .proven_at = jw_time_unix() };
    p->out->proven_now = true;
    if (p->f.level >= JW_LEVEL_READABLE) {
        s->stamp = jw_arena_str(p->a, p->f.stamp);
    }
    if (!p->f.n_evidence)
        return true;
    s->evidence = jw_arena_copy(p->a, p->f.evidence, p->f.n_evidence * sizeof *p->f.evidence);
    s->n_evidence = s->evidence ? p->f.n_evidence : 0;
    return keep_known(p, err);
}

static bool recall(struct probing *p, bool *found, struct jw_err *err)
{
    struct jw_driver_state *s = &p->out->state;
    struct jw_err ignored;
    int64_t age;

    *found = false;
    if (p->o->again || !has_build(p))
        return true;
    if (!jw_state_load_driver(p->out->driver.build, p->a, s, found, &p->out->remembered_damage, err))
        return false;
    age = jw_time_unix() - s->proven_at;
    if (*found && s->level < JW_LEVEL_PLACEABLE && (age < 0 || age > RETRY_S))
        *found = false;
    if (*found && s->level == JW_LEVEL_PLACEABLE && p->o->carry)
        *found = false; /* whether more can be proven was not asked, or refused */
    if (!*found) {
        *s = (struct jw_driver_state){ .level = JW_LEVEL_NONE };
        return true;
    }
    s->met_at = jw_time_unix();
    s->library = p->out->driver.library;
    /* Without this note, status may take another driver's entries for the current ones. */
    (void)jw_state_save_driver(s, &ignored);
    return true;
}

/* The first GPU that programs may compute on. */
static bool choose_device(struct probing *p)
{
    enum { CLOSED = 2 };

    for (size_t i = 0; p->out->devices && i < p->out->n_devices && !p->on; i++)
        if (p->out->devices[i].sm && p->out->devices[i].compute_mode != CLOSED)
            p->on = &p->out->devices[i];
    if (!p->on)
        return false;
    p->f.gpu = p->on->name;
    p->f.sm = p->on->sm;
    return true;
}

/* Proven for one architecture, believed for all: each entry is looked at when it appears. */
static bool learn_siblings(struct probing *p, struct jw_err *err)
{
    struct jw_driver_state *s = &p->out->state;
    struct jw_err ignored;

    if (!p->o->sibling || s->siblings || s->level < JW_LEVEL_PLACEABLE || p->out->unproven
        || (!p->on && !choose_device(p)))
        return true;

    bool ok = probe_make_folder(p, err) && probe_sibling(p, err);

    jw_scratch_remove(p->folder);
    if (ok && s->siblings && has_build(p))
        (void)jw_state_save_driver(s, &ignored); /* else it is asked again */
    return ok;
}

static bool learn(struct probing *p, struct jw_err *err)
{
    struct jw_err why = { 0 };
    bool found;

    if (!recall(p, &found, err))
        return false;
    if (found)
        return true;
    if (!choose_device(p)) {
        p->out->unproven = "no GPU here is open for computing";
        return true;
    }
    bool whole = prove(p, &why);

    if (!fill_state(p, err))
        return false;

    struct jw_driver_state kept = p->out->state;

    if (kept.level > JW_LEVEL_PLACEABLE && probe_is_played(p))
        kept.level = JW_LEVEL_PLACEABLE;
    if (!whole) {
        *err = why;
        return false;
    }
    return p->out->unproven || p->f.level == JW_LEVEL_NONE || !has_build(p)
           || jw_state_save_driver(&kept, err);
}

bool jw_probe(const struct jw_probe_options *o, struct jw_arena *a, struct jw_probe_report *out,
              struct jw_err *err)
{
    struct probing p = { .o = o, .a = a, .out = out, .f = { .arena = a, .level = JW_LEVEL_NONE } };
    struct jw_err why = { 0 };

    *out = (struct jw_probe_report){ .driver = { .init_result = -1 }, .state = { .level = JW_LEVEL_NONE } };
    if (!ask_driver(&p, err))
        return false;
    if (out->broken || out->driver.init_result != 0 || out->n_devices == 0
        || (learn(&p, &why) && learn_siblings(&p, &why)))
        return true;
    if (why.code == JW_E_INTERRUPTED) {
        *err = why;
        return false;
    }
    out->unproven = jw_arena_str(a, why.msg);
    return true;
}
