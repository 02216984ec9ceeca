/* Runs the probe: levels 0 to 3, and whether this driver compiles for GPUs that are not here. */
#include "driver/probe/probe.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/format/jitcache.h"
#include "driver/probe/probe_check.h"
#include "driver/probe/probe_set.h"
#include "driver/worker/compiler_code.h"
#include "facts/errors.h"
#include "formats/cubin.h"
#include "formats/elf.h"
#include "memory/state_folder.h"
#include "os/files/disk.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"

#include <string.h>

enum {
    MAX_ENTRY = 4 << 20,
    RETRY_S = 24 * 60 * 60 /* after this a level below 3 is tested again */
};

/* One run of the probe. */
struct probing {
    const struct jw_probe_options *o;
    struct jw_arena *a;
    struct jw_probe_report *out;
    char *folder, *cache, *other; /* other: the cache for the placing test */
    struct probe_module set[JW_PROBE_MAX];
    size_t n;
    struct probe_findings f;
    const char *payload; /* probe_payload; NULL: not known */
};

/* False: interrupted. */
static bool probe_go_on(const struct probing *p, struct jw_err *err)
{
    if (p->o->alive)
        p->o->alive(p->o->ctx);
    return jw_not_interrupted(p->o->worker.interrupted, err);
}

static unsigned probe_timeout(const struct jw_probe_options *o)
{
    return o->worker.timeout_ms ? o->worker.timeout_ms : jw_time_limit_ms(JW_WORKER_START_MS);
}

/* The result of loading some modules. */
struct ending {
    const char *why; /* NULL: all were loaded */
    int code;        /* the driver's error; 0: its process ended */
};

const struct jw_device *jw_probe_device(const struct jw_probe_report *r, uint16_t sm)
{
    for (size_t i = 0; i < r->n_devices; i++)
        if ((sm ? r->devices[i].sm == sm : r->devices[i].sm > 0)
            && jw_device_is_open(&r->devices[i]))
            return &r->devices[i];
    return NULL;
}

/* The driver does not report that it cannot write its cache, so a full disk proves nothing about
 * it. */
static bool has_room(struct probing *p)
{
    struct jw_disk disk;
    bool lacks = jw_disk_look(p->folder, &disk, JW_IGNORED) && disk.free < JW_PROBE_ROOM;

    if (lacks)
        p->out->unproven = jw_arena_printf(
            p->a, "not enough disk space to probe the driver: %s needed, %s free in %s",
            JW_SIZE(JW_PROBE_ROOM), JW_SIZE(disk.free), p->folder);
    return !lacks;
}

static bool make_folder(struct probing *p, struct jw_err *err)
{
    bool ok = probe_set_make(p->set, &p->n, p->out->driver.cuda_version, err)
              && jw_state_scratch(p->a, &p->folder, err);

    if (ok) {
        p->cache = jw_path_join(p->a, p->folder, "cache");
        p->other = jw_path_join(p->a, p->folder, "placed");
        ok = jw_make_private_dir(p->cache, err) && jw_make_private_dir(p->other, err);
    }
    for (size_t i = 0; ok && i < p->n; i++) {
        const char *path = jw_path_join(p->a, p->folder, p->set[i].file);

        ok = jw_file_put(path, JW_OUT_NEW, jw_buf_bytes(&p->set[i].image), err)
             || jw_wrap(err, "%s", path);
    }
    return ok;
}

static void remove_folder(struct probing *p)
{
    jw_scratch_remove(p->folder);
    probe_set_free(p->set);
}

static void end_at(const struct probing *p, size_t at, const struct jw_worker_result *r,
                   struct ending *out)
{
    const char *what = p->set[at].what;
    bool refused = r->outcome == JW_JOB_FAILED || r->outcome == JW_JOB_UNSTARTED;

    out->code = refused ? r->code : 0;
    if (refused)
        out->why = jw_arena_printf(p->a, "the driver refused the test module \"%s\": %s (error %d)",
                                   what, r->name, r->code);
    else if (r->outcome == JW_JOB_TIMEOUT)
        out->why = jw_arena_printf(
            p->a,
            "the driver did not finish the test module \"%s\" within %u seconds and was ended",
            what, probe_timeout(p->o) / 1000);
    else
        out->why = jw_arena_printf(
            p->a, "the driver ended its process over the test module \"%s\": %s", what, r->name);
}

static bool load_one(const struct probing *p, struct jw_worker *w, const struct jw_load *how,
                     size_t at, struct ending *out, struct jw_err *err)
{
    const struct probe_module *m = &p->set[at];
    struct jw_place place = {
        .disk = jw_path_join(p->a, p->folder, m->file), .size = m->image.n, .text = m->text};
    struct jw_worker_result r;

    jw_digest(place.digest, m->image.p, m->image.n);
    if (!probe_go_on(p, err) || !jw_worker_load(w, &place, how, &r, err))
        return false;
    if (r.outcome != JW_JOB_LOADED)
        end_at(p, at, &r, out);
    return true;
}

/* Loads modules `from` to `to` in a new process, until one fails. `sm`: the architecture; 0: the
 * device's. */
static bool load_modules(const struct probing *p, const char *cache, size_t from, size_t to,
                         uint16_t sm, struct ending *out, struct jw_err *err)
{
    struct jw_load how = {.sm = sm};
    struct jw_worker_options wo = p->o->worker;
    struct jw_worker *w = NULL;

    wo.cache_folder = cache;
    wo.device = p->out->on;
    wo.timeout_ms = probe_timeout(p->o);
    *out = (struct ending){0};
    bool ok = probe_go_on(p, err) && jw_worker_start(&w, &wo, err);

    for (size_t i = from; ok && !out->why && i < to; i++)
        ok = load_one(p, w, &how, i, out, err);
    jw_worker_stop(w);
    return ok;
}

static const struct jw_driver_state *remembered(const struct probing *p)
{
    return p->o->met ? jw_drivers_of_build(p->o->met, p->out->driver.build) : NULL;
}

/* If this build has compiled with another compiler library before, the one found now is damaged or
 * does not fit. */
static void give_up(struct probing *p, const struct ending *end)
{
    struct jw_compiler_file *c = &p->out->compiler;
    const struct jw_driver_state *known = remembered(p);

    p->out->unproven = end->why;
    p->out->refused = end->code;
    if (end->code && end->code != JW_CUDA_JIT_COMPILER_NOT_FOUND)
        return;
    c->lacking |= known && c->path && !jw_text_same(known->compiler, c->id);
}

/* Level 3: a new process finds an entry that jitwarm put beside the driver's own, and adds and
 * changes nothing. driver-fact: F31-hit-changes-nothing, F60-portable */
static bool prove_placing(struct probing *p, const struct jw_cache_listing *made,
                          struct jw_err *err)
{
    struct jw_cache_listing before = {0};
    struct jw_cache_listing after = {0};
    const size_t own = p->n - 1;
    const size_t put = own - 1;
    struct ending end;
    uint64_t name;
    bool ok = probe_predict(&p->set[put], p->f.stamp, p->out->on->sm, &name, err)
              && load_modules(p, p->other, own, p->n, 0, &end, err);

    if (ok && !end.why)
        ok = probe_place(p->cache, jw_cache_file_find(made, name), p->other, p->a, err)
             && probe_list(p->other, p->a, &before, err)
             && load_modules(p, p->other, put, p->n, 0, &end, err)
             && probe_list(p->other, p->a, &after, err);
    if (ok && end.why)
        give_up(p, &end);
    else if (ok && probe_whole(&before) != 2)
        p->out->unproven = "the driver cached nothing, or nothing whole, in a second cache folder";
    else if (ok && probe_same(&before, &after))
        p->f.level = JW_LEVEL_PLACEABLE;
    else if (ok)
        p->f.why = "a file that was put into another cache folder was not used as it is";
    jw_cache_listing_free(&before);
    jw_cache_listing_free(&after);
    return ok;
}

/* Levels 0 to 2 by all modules but the last one, which is for the placing test; then level 3, whose
 * test moves one of the entries. */
static bool prove_levels(struct probing *p, struct jw_err *err)
{
    struct jw_cache_listing made = {0};
    unsigned sm = p->out->on->sm;
    bool ok = probe_list(p->cache, p->a, &made, err)
              && probe_check(&p->f, p->set, p->n - 1, sm, &made, err);

    if (ok && p->f.level >= JW_LEVEL_PREDICTABLE) {
        p->payload = probe_payload(&made, p->set, p->n - 1, p->f.stamp, sm, p->a);
        ok = prove_placing(p, &made, err);
    }
    jw_cache_listing_free(&made);
    return ok;
}

static bool prove(struct probing *p, struct jw_err *err)
{
    struct ending end = {0};
    bool ok = make_folder(p, err);
    bool room = ok && has_room(p);

    if (room)
        ok = load_modules(p, p->cache, 0, p->n - 1, 0, &end, err);
    if (end.why)
        give_up(p, &end);
    else if (ok && room)
        ok = prove_levels(p, err);
    remove_folder(p);
    return ok;
}

/* One read that failed in the driver's process makes the level too low, so a low one is proven once
 * more. */
static bool prove_twice(struct probing *p, struct jw_err *err)
{
    bool whole = prove(p, err);
    const struct probe_findings first = p->f;

    if (!whole || p->out->unproven || first.level == JW_LEVEL_PLACEABLE)
        return whole;
    p->f = (struct probe_findings){.arena = p->a, .level = JW_LEVEL_NONE};
    whole = prove(p, err);
    if (p->f.level < first.level)
        p->f = first;
    return whole;
}

/* Copies the texts, which live as long as the worker. */
static void copy_facts(struct probing *p, const struct jw_worker *w)
{
    const struct jw_worker_driver *d = jw_worker_driver(w);
    struct jw_worker_driver *out_driver = &p->out->driver;
    const struct jw_device *devices = jw_worker_devices(w, &p->out->n_devices);
    size_t bytes = p->out->n_devices * sizeof *devices;

    *out_driver = *d;
    out_driver->library = jw_arena_str_or_null(p->a, d->library);
    out_driver->build = jw_arena_str_or_null(p->a, d->build);
    out_driver->version = jw_arena_str_or_null(p->a, d->version);
    out_driver->init_name = jw_arena_str_or_null(p->a, d->init_name);
    p->out->devices = bytes ? jw_arena_copy(p->a, devices, bytes) : NULL;
}

/* A driver that crashes or hangs in its start is a result. A library that is cut off is not
 * started. */
static bool ask_driver(struct probing *p, struct jw_err *err)
{
    const struct jw_driver_file *file = p->o->file;
    struct jw_worker_options wo = p->o->worker;
    struct jw_err why = {0};
    struct jw_worker *w = NULL;

    p->out->driver.library = file ? file->real : NULL;
    p->out->broken = file ? file->truncated : NULL; /* it names the file */
    if (p->out->broken)
        return true;
    wo.timeout_ms = probe_timeout(p->o);
    wo.asks = true;

    bool ok = probe_go_on(p, &why) && jw_worker_start(&w, &wo, &why);

    if (ok)
        copy_facts(p, w);
    jw_worker_stop(w);
    if (ok || why.code != JW_E_DRIVER)
        return ok || jw_pass(err, why);
    p->out->broken = jw_arena_str(p->a, why.msg);
    return true;
}

/* A state that cannot be written, or whose driver has no build id, is proven again by the next
 * probe. */
static void save(struct probing *p, const struct jw_driver_state *s)
{
    p->out->saved |= s->build && *s->build && jw_driver_save(s, JW_IGNORED);
}

/* Keeps earlier results for this build: its speed always; from level 3 on, whether it compiles for
 * absent GPUs; and everything if the probe did not finish, because the way in which libcuda finds
 * entries has not changed. */
static void fill_state(struct probing *p, bool whole)
{
    const struct jw_driver_state *known = remembered(p);
    struct jw_driver_state *s = &p->out->state;
    const char *compiler = p->out->compiler.path;
    int64_t now = jw_time_unix();

    *s =
        (struct jw_driver_state){.build = p->out->driver.build,
                                 .compiler = p->out->compiler.id,
                                 .code = compiler ? jw_compiler_code_of_file(compiler, p->a) : NULL,
                                 .probe_payload = p->payload,
                                 .version = p->out->driver.version,
                                 .library = p->out->driver.library,
                                 .level = p->f.level,
                                 .stamp = p->f.stamp,
                                 .why = p->f.why,
                                 .proven_at = now,
                                 .met_at = now};
    if (!known)
        return;
    if (!jw_text_same(known->code, s->code)) /* entries in a cache may be of either compiler */
        s->code = NULL;
    if (p->out->unproven || !whole)
        *s = *known;
    s->slowness = known->slowness;
    if (p->f.level >= JW_LEVEL_PLACEABLE)
        s->compiles_absent = known->compiles_absent;
}

/* Takes the level that was proven with this compiler; a level below 3 is tested again after
 * RETRY_S. */
static bool recall_state(struct probing *p)
{
    const struct jw_driver_state *known = remembered(p);
    struct jw_driver_state *s = &p->out->state;

    if (!known || strcmp(known->compiler ? known->compiler : "", p->out->compiler.id) != 0)
        return false;
    int64_t age = jw_time_unix() - known->proven_at;

    if (known->level < JW_LEVEL_PLACEABLE && (age < 0 || age > RETRY_S))
        return false;
    *s = *known;
    s->library = p->out->driver.library;
    /* Where files do not show which build programs load (Windows), the one that was met last
     * counts. */
    if (!p->o->file || p->o->file->known != known) {
        s->met_at = jw_time_unix();
        save(p, s);
    }
    return true;
}

static bool is_code_for(struct jw_bytes code, uint16_t sm, struct jw_arena *a)
{
    struct jw_source src = jw_source_memory(&code);
    struct jw_elf elf = jw_elf_header(code);
    struct jw_cubin cubin;

    return elf.ours && elf.machine == JW_EM_CUDA && jw_cubin_read(&src, &elf, a, &cubin, JW_IGNORED)
           && cubin.target.sm == sm;
}

/* Compiling for a GPU that is not here: is the one entry that the first module left under the name
 * that was predicted, with code of that architecture? driver-fact: F84-target-stores */
static bool check_absent(struct probing *p, const struct jw_cache_listing *l, bool *yes,
                         struct jw_err *err)
{
    const struct jw_cache_file *f = &l->files[0];
    struct jw_buf file = JW_BUF_IN(p->a, MAX_ENTRY);
    bool found = false;
    uint64_t name;

    *yes = false;
    if (!probe_predict(&p->set[0], p->out->state.stamp, p->o->absent_sm, &name, err))
        return false;
    if (l->n != 1 || f->damage)
        return true;
    if (!jw_file_slurp(jw_cache_entry_path(p->cache, name, p->a), &file, &found, err))
        return false;
    if (found && file.n == f->size) {
        size_t at = JW_CACHE_HEADER + (size_t)f->entry.key_size;

        *yes = is_code_for((struct jw_bytes){file.p + at, file.n - at}, p->o->absent_sm, p->a);
    }
    return true;
}

static bool prove_absent(struct probing *p, struct jw_err *err)
{
    struct jw_cache_listing l = {0};
    struct ending end = {0};
    bool yes = false;
    bool ok = make_folder(p, err) && load_modules(p, p->cache, 0, 1, p->o->absent_sm, &end, err)
              && probe_list(p->cache, p->a, &l, err) && check_absent(p, &l, &yes, err);

    p->out->state.compiles_absent = yes && !end.why;
    if (end.why)
        p->out->why_no_absent = end.why;
    else if (!yes)
        p->out->why_no_absent = l.n ? "what it caches is not what was predicted"
                                    : "it caches nothing of what it compiles for them";
    jw_cache_listing_free(&l);
    remove_folder(p);
    return ok;
}

/* Tests one architecture and assumes the others: prime checks each entry. */
static bool learn_absent(struct probing *p, struct jw_err *err)
{
    struct jw_driver_state *s = &p->out->state;

    if (!p->o->absent_sm || s->compiles_absent || s->level < JW_LEVEL_PLACEABLE || p->out->unproven)
        return true;
    if (!p->out->on)
        p->out->on = jw_probe_device(p->out, 0);
    if (!p->out->on)
        return true;

    bool ok = prove_absent(p, err);

    if (ok && s->compiles_absent)
        save(p, s); /* a failure is not remembered, but tested again */
    return ok;
}

static bool learn(struct probing *p, struct jw_err *err)
{
    if (recall_state(p))
        return true;
    p->out->on = jw_probe_device(p->out, 0);
    if (!p->out->on)
        return true;
    bool whole = prove_twice(p, err);

    fill_state(p, whole);
    if (whole && !p->out->unproven && p->f.level > JW_LEVEL_NONE)
        save(p, &p->out->state);
    return whole;
}

bool jw_probe(const struct jw_probe_options *o, struct jw_arena *a, struct jw_probe_report *out,
              struct jw_err *err)
{
    struct probing p = {.o = o, .a = a, .out = out, .f = {.arena = a, .level = JW_LEVEL_NONE}};
    struct jw_err why = {0};

    *out = o->answered ? *o->answered
                       : (struct jw_probe_report){.driver = {.init_result = -1},
                                                  .state = {.level = JW_LEVEL_NONE}};
    if (!o->answered && !ask_driver(&p, err))
        return false;
    if (!o->answered)
        jw_compiler_file_of(out->driver.library, a, &out->compiler);
    if (out->broken || out->driver.init_result != 0 || out->n_devices == 0)
        return true;
    if ((o->answered || learn(&p, &why)) && learn_absent(&p, &why))
        return true;
    if (why.code == JW_E_INTERRUPTED)
        return jw_pass(err, why);
    out->unproven = jw_arena_str(a, why.msg);
    return true;
}
