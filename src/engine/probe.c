#include "engine/probe.h"

#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "engine/probe_judge.h"
#include "engine/probe_place.h"
#include "engine/probe_set.h"
#include "os/file.h"
#include "os/scratch.h"
#include "os/time.h"

#include <stdio.h>
#include <string.h>

/* One run of the probe. */
struct probing {
    const struct jw_probe_options *o;
    struct jw_arena *a;
    struct jw_probe_report *out;
    char *folder, *root, *other; /* other: the root for the placing test */
    struct probe_module set[JW_PROBE_MAX];
    size_t n;
    struct probe_findings f;
};

const char *jw_level_unlocks(enum jw_level l)
{
    switch (l) {
    case JW_LEVEL_NONE: return "nothing: there is no driver that compiles";
    case JW_LEVEL_OPAQUE: return "warming one module at a time, in the user's own cache";
    case JW_LEVEL_READABLE: return "status per driver build and architecture, checks of every entry";
    case JW_LEVEL_PREDICTABLE: return "telling what is warm without the driver, exact plans, export by file";
    case JW_LEVEL_PLACEABLE: return "warming in parallel, packs, import and prune";
    case JW_LEVEL_CARRYABLE: return "keeping entries across a driver update";
    default: return "packs made on machines without a GPU";
    }
}

static bool go_on(const struct probing *p, struct jw_err *err)
{
    if (p->o->interrupted && atomic_load(p->o->interrupted))
        return jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    return true;
}

static bool write_file(const char *path, struct jw_bytes bytes, struct jw_err *err)
{
    struct jw_out out = { 0 };
    bool ok = jw_out_open(&out, path, false, err) && jw_out_write(&out, bytes.p, bytes.n, err)
              && jw_out_commit(&out, err);

    jw_out_close(&out);
    return ok || jw_wrap(err, "%s", path);
}

static bool make_folder(struct probing *p, struct jw_err *err)
{
    const char *state = jw_state_dir(p->a, err);

    if (!state)
        return false;
    if (!jw_scratch_make(state, "probe", p->a, &p->folder, err))
        return false;
    p->root = jw_path_join(p->a, p->folder, "cache");
    p->other = jw_path_join(p->a, p->folder, "placed");
    if (!p->root || !p->other)
        return jw_nomem(err, strlen(p->folder));
    return jw_make_private_dir(p->root, err) && jw_make_private_dir(p->other, err);
}

static bool write_set(struct probing *p, struct jw_err *err)
{
    for (size_t i = 0; i < p->n; i++) {
        char *path = jw_path_join(p->a, p->folder, p->set[i].file);

        if (!path)
            return jw_nomem(err, 64);
        if (!write_file(path, jw_buf_bytes(&p->set[i].image), err))
            return false;
    }
    return true;
}

static struct jw_worker_options worker_for(const struct probing *p, const char *root)
{
    return (struct jw_worker_options){ .exe = p->o->exe,
                                       .driver = p->o->driver,
                                       .cache_root = root,
                                       .device = p->out->n_devices ? p->out->devices[0].uuid : NULL,
                                       .eager = true };
}

/* Has a fresh process load modules `from` to `to`; `*why` NULL when all went well. */
static bool load_modules(struct probing *p, const char *root, size_t from, size_t to, const char **why,
                         struct jw_err *err)
{
    struct jw_worker_options wo = worker_for(p, root);
    struct jw_worker *w = NULL;
    struct jw_worker_result r;
    char text[256] = "";
    bool ok = jw_worker_start(&w, &wo, err);

    for (size_t i = from; ok && !text[0] && i < to; i++) {
        const struct probe_module *m = &p->set[i];
        struct jw_worker_job job = { .path = jw_path_join(p->a, p->folder, m->file),
                                     .size = m->image.n,
                                     .text = m->text };

        jw_digest(job.digest, m->image.p, m->image.n);
        ok = job.path ? jw_worker_load(w, 0, &job, &r, err) && go_on(p, err) : jw_nomem(err, 64);
        if (ok && !r.ok)
            (void)snprintf(text, sizeof text, "%s (%s) could not be loaded: %s%s", m->what, m->file,
                           r.died ? "the process ended: " : "", r.name);
    }
    jw_worker_stop(w);
    *why = text[0] ? jw_arena_str(p->a, text) : NULL;
    return ok;
}

/* Levels 0 to 2. The last module of the set is kept for the next test. */
static bool prove_reading(struct probing *p, struct jw_err *err)
{
    struct jw_cache_listing listing;
    const char *why;

    if (!load_modules(p, p->root, 0, p->n - 1, &why, err))
        return false;
    if (why) {
        probe_say(&p->f, "%s", why);
        return true;
    }
    if (!jw_cachedir_list(p->root, true, p->a, &listing, err))
        return false;
    bool ok = probe_judge(&p->f, p->set, p->n - 1, p->root, &listing, err);

    jw_cache_listing_free(&listing);
    return ok;
}

/* Level 3: entries that we put beside another one are found by a fresh process, which adds and changes
 * nothing. driver-fact: F31-hit-changes-nothing, F60-portable */
static bool prove_placing(struct probing *p, struct jw_err *err)
{
    struct probe_image before, after;
    const char *why;

    if (!load_modules(p, p->other, p->n - 1, p->n, &why, err))
        return false;
    if (!why && !probe_place(p->root, p->other, p->a, err))
        return false;
    bool ok = why || probe_image_take(p->other, p->a, &before, err);

    ok = ok && (why || load_modules(p, p->other, 0, p->n, &why, err));
    ok = ok && (why || probe_image_take(p->other, p->a, &after, err));
    if (!ok)
        return false;
    if (!why)
        why = probe_image_difference(&before, &after, p->a);
    if (why) {
        probe_say(&p->f, "placed entries: %s", why);
        return true;
    }
    p->f.level = JW_LEVEL_PLACEABLE;
    probe_say(&p->f,
              "%zu entries were placed into another folder; a fresh process loaded all, and no file appeared "
              "or changed",
              p->n - 1);
    return true;
}

static bool prove(struct probing *p, struct jw_err *err)
{
    bool ok = jw_probe_set_make(p->set, &p->n, p->out->driver.cuda_version, err) && make_folder(p, err)
              && write_set(p, err) && prove_reading(p, err);

    if (ok && p->f.level == JW_LEVEL_PREDICTABLE)
        ok = prove_placing(p, err);
    jw_scratch_remove(p->folder);
    jw_probe_set_free(p->set);
    return ok;
}

static const char *copy_or_null(struct jw_arena *a, const char *text)
{
    return text ? jw_arena_str(a, text) : NULL;
}

/* The worker's words live as long as the worker: they are copied. */
static bool keep_facts(struct probing *p, const struct jw_worker *w, struct jw_err *err)
{
    const struct jw_worker_driver *d = jw_worker_driver(w);
    const struct jw_worker_device *devices = jw_worker_devices(w, &p->out->n_devices);

    p->out->driver = *d;
    p->out->driver.library = copy_or_null(p->a, d->library);
    p->out->driver.build = copy_or_null(p->a, d->build);
    p->out->driver.version = copy_or_null(p->a, d->version);
    p->out->driver.init_name = copy_or_null(p->a, d->init_name);
    p->out->devices = jw_arena_copy(p->a, devices, p->out->n_devices * sizeof *devices);
    return p->out->devices || p->out->n_devices == 0 || jw_nomem(err, p->out->n_devices * sizeof *devices);
}

static bool ask_driver(struct probing *p, struct jw_err *err)
{
    struct jw_worker_options wo = { .exe = p->o->exe, .driver = p->o->driver, .inherit = true };
    struct jw_worker *w = NULL;
    bool ok = jw_worker_start(&w, &wo, err) && keep_facts(p, w, err);

    jw_worker_stop(w);
    return ok;
}

static bool remember(struct probing *p, struct jw_err *err)
{
    struct jw_driver_state *s = &p->out->state;

    *s = (struct jw_driver_state){ .build = p->out->driver.build,
                                   .version = p->out->driver.version,
                                   .level = p->f.level,
                                   .simulated = p->out->driver.simulated,
                                   .proven_at = jw_time_unix(),
                                   .nuls = p->f.nuls };
    s->stamp = p->f.level >= JW_LEVEL_READABLE ? jw_arena_str(p->a, p->f.stamp) : NULL;
    s->evidence = jw_arena_copy(p->a, p->f.evidence, p->f.n_evidence * sizeof *p->f.evidence);
    s->n_evidence = p->f.n_evidence;
    if (!s->evidence && s->n_evidence)
        return jw_nomem(err, s->n_evidence * sizeof *p->f.evidence);
    p->out->proven_now = true;
    return !s->build || !*s->build || jw_state_save_driver(s, err);
}

bool jw_probe(const struct jw_probe_options *o, struct jw_arena *a, struct jw_probe_report *out,
              struct jw_err *err)
{
    struct probing p = { .o = o, .a = a, .out = out, .f = { .arena = a, .level = JW_LEVEL_NONE } };
    bool found = false;

    *out = (struct jw_probe_report){ .state = { .level = JW_LEVEL_NONE } };
    if (!ask_driver(&p, err))
        return false;
    if (out->driver.init_result != 0 || out->n_devices == 0)
        return true;
    if (!o->again && out->driver.build && *out->driver.build
        && !jw_state_load_driver(out->driver.build, a, &out->state, &found, &out->remembered_damage, err))
        return false;
    if (found)
        return true;
    return prove(&p, err) && remember(&p, err);
}
