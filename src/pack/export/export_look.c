/* The cache, the driver whose entries are packed, and the architectures. */
#include "pack/export/export_work.h"

#include "base/mem.h"
#include "base/text.h"
#include "facts/gpus.h"
#include "os/files/real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing of this machine is asked, and nothing that it remembers counts. */
static void be_offline(struct export *x)
{
    const struct jw_export_offline *o = x->o->offline;

    x->dir.root = o->root;
    x->driver = (struct jw_driver_state){
        .build = "", .stamp = o->stamp, .level = JW_LEVEL_FORGEABLE, .simulated = o->simulated
    };
    x->sms[0] = o->sm;
    x->n_sms = 1;
    x->found = *o->found;
    x->out->simulated = o->simulated;
    x->out->stamp = o->stamp;
    x->out->level = JW_LEVEL_FORGEABLE;
}

bool export_find_root(struct export *x, struct jw_err *err)
{
    if (x->o->offline) {
        be_offline(x);
        return true;
    }
    jw_cachedir_find(x->o->cache, x->a, &x->dir);
    if (!x->dir.root)
        return export_end(x, JW_END_NOTHING, "%s",
                          x->dir.notes.n ? x->dir.notes.v[0]
                                         : "the system names no folder for the driver's cache");
    export_notes(x, &x->dir.notes);
    if (x->o->cache && !jw_real_path(x->o->cache, x->a, &x->dir.root, err))
        return jw_wrap(err, "%s", x->o->cache);
    x->out->root = x->dir.root;
    if (!jw_warm_load(x->dir.root, x->a, &x->memory, err))
        return false;
    export_notes(x, &x->memory.notes);
    return true;
}

/* ---- the driver ---- */

/* Why it cannot be asked; NULL: it can. */
static const char *silence(const struct jw_probe_report *p)
{
    if (p->broken)
        return p->broken;
    if (p->driver.init_result == -1)
        return "no CUDA driver was found";
    if (p->driver.init_result)
        return p->driver.init_name;
    return p->n_devices ? NULL : "the driver shows no GPU";
}

/* A machine whose GPU is away (a login node, a container without it) still has the cache, and knows the driver. */
static bool recall_driver(struct export *x, const char *why, struct jw_err *err)
{
    struct jw_driver_states known;

    if (!jw_state_list_drivers(x->a, &known, err))
        return false;
    export_notes(x, &known.notes);
    if (!known.n)
        return export_end(x, JW_END_NO_GPU,
                          "which driver made these entries is not known: %s, and none is remembered here",
                          why);
    x->driver = known.v[0];
    export_note(x,
                "the driver was not asked (%s): these are entries of the driver%s%s that was met here last",
                why, x->driver.version ? " " : "", x->driver.version ? x->driver.version : "");
    return true;
}

static bool judge_level(struct export *x)
{
    const struct jw_driver_state *d = &x->driver;

    if (d->level >= JW_LEVEL_PLACEABLE && d->stamp)
        return true;
    if (x->probe.unproven)
        return export_end(
            x, JW_END_NOT_PROVEN,
            "how this driver keeps its cache could not be proven (%s), so that a pack of it may be of no "
            "use anywhere; jitwarm doctor --probe tries it again",
            x->probe.unproven);
    return export_end(
        x, JW_END_NOT_PROVEN,
        "this driver was not seen to take entries that it did not put there itself (its cache is %s, "
        "level %d of 5; packs need 3), so that a pack may be of no use anywhere; jitwarm doctor --probe says "
        "why",
        jw_level_name(d->level), d->level);
}

bool export_ask_driver(struct export *x, struct jw_err *err)
{
    struct jw_probe_options o = { .exe = x->o->exe,
                                  .driver = x->o->driver,
                                  .interrupted = x->o->interrupted };
    const char *why;

    if (x->o->offline)
        return true;
    export_notify(x, "asking the driver");
    if (!jw_probe(&o, x->a, &x->probe, err))
        return false;
    why = silence(&x->probe);
    x->out->asked = !why;
    if (why && !recall_driver(x, why, err))
        return false;
    if (x->ended)
        return true;
    if (!why) {
        x->driver = x->probe.state;
        x->driver.version = x->probe.driver.version ? x->probe.driver.version : x->driver.version;
        x->driver.build = x->probe.driver.build;
        x->driver.simulated = x->probe.driver.simulated;
    }
    x->driver.build = x->driver.build ? x->driver.build : "";
    x->out->simulated = x->driver.simulated;
    x->out->driver_version = x->driver.version;
    x->out->build = *x->driver.build ? x->driver.build : NULL;
    x->out->stamp = x->driver.stamp;
    x->out->level = x->driver.level;
    return judge_level(x);
}

bool export_list_cache(struct export *x, struct jw_err *err)
{
    struct jw_cache_listing *l = &x->listing;

    export_notify(x, x->dir.root);
    if (!jw_cachedir_walk(x->dir.root, false, x->o->interrupted, x->a, l, err))
        return false;
    x->out->bytes_read += l->bytes_read;
    if (l->refused)
        return jw_fail(err, JW_E_IO, "%.200s: %s", x->dir.root, l->refused);
    if (!l->n && !l->notes.n && !l->more) {
        export_advise(x, "jitwarm prime");
        return export_end(x, JW_END_NOTHING, "the cache %.200s is empty: prime first", x->dir.root);
    }
    if (l->more)
        export_note(x, "%llu entries of the cache were not looked at: it holds more than are read",
                    (unsigned long long)l->more);
    for (size_t i = 0; i < l->notes.n; i++)
        export_note(x, "part of the cache could not be read: %s", l->notes.v[i]);
    return true;
}

/* ---- architectures ---- */

static bool has(const struct export *x, uint16_t sm)
{
    for (size_t i = 0; i < x->n_sms; i++)
        if (x->sms[i] == sm)
            return true;
    return false;
}

static void add_arch(struct export *x, uint16_t sm)
{
    if (sm && x->n_sms < MODULE_MOST_ARCHS && !has(x, sm))
        x->sms[x->n_sms++] = sm;
}

/* "sm_86" as it stands in keys; 0: not a plain one. */
static uint16_t arch_number(const char *arch)
{
    uint64_t n;

    return jw_text_starts(arch, "sm_") && jw_text_u64(arch + 3, &n) && n && n < UINT16_MAX ? (uint16_t)n : 0;
}

static void add_cached(struct export *x)
{
    for (size_t i = 0; i < x->listing.n; i++) {
        const struct jw_cache_file *f = &x->listing.files[i];

        if (!f->damage && f->kind == JW_CACHE_CUDA && strcmp(f->stamp, x->driver.stamp) == 0)
            add_arch(x, arch_number(f->arch));
    }
}

static void add_here(struct export *x)
{
    for (size_t i = 0; x->out->asked && i < x->probe.n_devices; i++)
        add_arch(x, x->probe.devices[i].sm);
}

/* A GPU of this machine by number, UUID or name; else an architecture, which the cache may hold entries for although
 * no such GPU is here. */
static bool add_asked_for(struct export *x, const char *text, struct jw_err *err)
{
    bool index = jw_gpu_is_index(text), uuid = jw_text_starts(text, "GPU-") || jw_text_starts(text, "MIG-");
    struct jw_gpu one;
    bool found = false;
    uint64_t n;

    if (jw_text_equal_nocase(text, "all")) {
        add_here(x);
        add_cached(x);
        return true;
    }
    for (size_t i = 0; x->out->asked && i < x->probe.n_devices; i++) {
        const struct jw_worker_device *d = &x->probe.devices[i];

        if (index  ? jw_text_u64(text, &n) && n == d->index
            : uuid ? strncmp(d->uuid, text, strlen(text)) == 0
                   : jw_text_find_nocase(d->name, text) != NULL) {
            add_arch(x, d->sm);
            found = true;
        }
    }
    if (found)
        return true;
    if (index || uuid) {
        export_note(x, "--gpu %.100s: there is no such GPU here", text);
        return true;
    }
    if (!jw_gpu_parse(text, &one, err))
        return jw_wrap(err, "--gpu");
    add_arch(x, one.sm);
    return true;
}

static int by_number(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

bool export_choose_archs(struct export *x, struct jw_err *err)
{
    if (x->o->offline)
        return true;
    for (size_t i = 0; i < x->o->n_gpus; i++)
        if (!add_asked_for(x, x->o->gpus[i], err))
            return false;
    if (!x->o->n_gpus)
        add_here(x);
    if (!x->o->n_gpus && !x->n_sms)
        add_cached(x);
    if (!x->n_sms && x->o->n_gpus)
        return export_end(x, JW_END_NO_GPU, "none of the GPUs that --gpu names is here");
    if (!x->n_sms) {
        export_advise(x, "jitwarm prime");
        return export_end(x, JW_END_NOTHING,
                          "the cache %.200s holds nothing that this driver compiled: prime first",
                          x->dir.root);
    }
    qsort(x->sms, x->n_sms, sizeof *x->sms, by_number);
    return true;
}
