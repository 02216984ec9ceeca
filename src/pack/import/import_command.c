/* Records what the command of a pack loads, as prime --run would: run -- CMD and export --run CMD then know it. */
#include "pack/import/import_work.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "os/machine/time.h"
#include "prime/memory/receipts.h"

struct recording {
    struct import *im;
    struct jw_digest_set ids; /* modules */
    struct jw_warm_load *loads;
    size_t n_loads;
};

static bool add_load(struct recording *r, uint64_t name, bool once, struct jw_err *err)
{
    struct jw_warm_load *slot =
        jw_list_add(r->im->run->a, &r->loads, &r->n_loads, sizeof *slot, 2 * JW_MAX_CACHE_FILES, err);

    if (slot)
        *slot = (struct jw_warm_load){ .name = name, .once = once };
    return slot != NULL;
}

static bool add_entry(struct recording *r, const struct jw_pack_entry *of, struct jw_err *err)
{
    const struct prime_driver *d = &r->im->ctx.driver;
    char *path = jw_path_join(r->im->run->a, r->im->ctx.cache.folder, jw_cache_name(of->name).text);
    struct prime_entry e;
    struct jw_job t;
    const char *why;
    bool ok = prime_entry_file(path, of->key_bytes, &e, err);
    bool module = ok && e.key.kind == JW_CACHE_CUDA
                  && prime_entry_job(r->im->run->a, d, &e, r->im->manifest->sm, &t, &why);

    prime_entry_free(&e);
    if (module)
        jw_digest_set_add(&r->ids, r->im->run->a, t.id);
    return ok && add_load(r, of->name, !module, err);
}

/* The pack of another GPU may have come before. */
static bool add_recorded(struct recording *r, const char *build, struct jw_err *err)
{
    const struct jw_warm_state *s = r->im->ctx.cache.memory;
    const struct jw_warm_command *profile = jw_warm_profile(s, r->im->manifest->command);
    const struct jw_warm_loads *loads = jw_warm_loads(s, r->im->manifest->command, build);
    bool ok = true;

    if (profile)
        jw_digest_set_add_all(&r->ids, r->im->run->a, profile->ids, profile->n);
    for (size_t i = 0; ok && loads && i < loads->n; i++)
        ok = add_load(r, loads->list[i].name, loads->list[i].once, err);
    return ok;
}

static void keep_each_once(struct recording *r)
{
    size_t loads = 0;

    jw_digest_set_sort(&r->ids);
    jw_sort_u64(r->loads, r->n_loads, sizeof *r->loads);
    for (size_t i = 0; i < r->n_loads; i++)
        if (!loads || r->loads[loads - 1].name != r->loads[i].name)
            r->loads[loads++] = r->loads[i];
    r->n_loads = loads;
}

/* A command that finds another GPU here, too, loads something else there. */
static bool is_for_all_here(const struct import *im)
{
    const struct jw_probe_report *p = im->ctx.driver.probe;
    bool all = p->n_devices > 0;

    for (size_t i = 0; i < p->n_devices; i++)
        all &= p->devices[i].sm == im->manifest->sm;
    return all;
}

static bool record(const struct recording *r, const char *build, struct jw_err *err)
{
    const struct jw_warm_loads loads = {
        .key = r->im->manifest->command, .build = build, .list = r->loads, .n = r->n_loads
    };
    struct jw_warm_command c = jw_warm_recall_command(r->im->ctx.cache.log, loads.key);

    if (r->ids.n) {
        c.recorded = jw_time_unix();
        c.ids = jw_digest_set_list(&r->ids);
        c.n = r->ids.n;
    }
    return prime_remember_loads(&r->im->ctx, &c, loads, is_for_all_here(r->im), err)
           && jw_warm_sync(r->im->ctx.cache.log, err);
}

bool import_record_command(struct import *im, struct jw_err *err)
{
    struct recording r = { .im = im };
    const char *build = prime_build(&im->ctx.driver);
    bool ok = true;

    if (!im->manifest->command || !(im->out->counts[JW_IMPORT_IMPORTED] + im->out->counts[JW_IMPORT_PRESENT]))
        return true;
    ok = add_recorded(&r, build, err);
    for (size_t i = 0; ok && i < im->out->n_entries; i++) {
        const struct jw_import_entry *e = &im->out->entries[i];

        if (e->state == JW_IMPORT_IMPORTED || e->state == JW_IMPORT_PRESENT)
            ok = add_entry(&r, e->of, err);
    }
    keep_each_once(&r);
    return ok && record(&r, build, err);
}

static bool was_primed(const struct import *im, const char *path)
{
    const struct jw_warm_state *memory = im->ctx.cache.memory;

    for (size_t i = 0; i < memory->n_receipts; i++)
        if (prime_has_target(&memory->receipts[i], path))
            return true;
    return false;
}

/* Nothing else says later what these entries are for: the next check, verification and prime look there. */
bool import_remember_targets(struct import *im, struct jw_err *err)
{
    const struct prime_software *s = &im->ctx.software;
    bool known = true, any;

    for (size_t i = 0; i < s->n_targets; i++)
        known &= was_primed(im, s->targets[i].link ? s->targets[i].link : s->targets[i].path);
    return known || !(im->out->counts[JW_IMPORT_IMPORTED] + im->out->counts[JW_IMPORT_PRESENT])
           || prime_remember_targets(&im->ctx, &any, err);
}

/* Digests of PTX, which bring no code: they say what to compile first here. */
void import_hint(struct import *im)
{
    const struct jw_pack_manifest *m = im->manifest;
    const struct jw_warm_fact fact = {
        JW_WARM_COMMAND, .as.command = { .key = m->command, .ids = m->modules, .n = m->n_modules }
    };
    struct jw_err why = { 0 };

    if (!m->n_modules || !im->ctx.cache.log)
        return;
    if (!jw_warm_command(im->ctx.cache.memory, m->command) /* a pack for this machine says more */
        && (!jw_warm_add(im->ctx.cache.log, &fact, &why) || !jw_warm_sync(im->ctx.cache.log, &why))) {
        JW_NOTE(im->run, "which modules the command loads could not be remembered: %s", why.msg);
        return;
    }
    JW_NOTE(im->run, "its list of %s that %s loads is remembered: prime compiles them first here",
            JW_N(m->n_modules, "module", "modules"), m->command);
    JW_ADVISE(im->run, "jitwarm prime");
}
