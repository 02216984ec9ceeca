/* Asks the driver for its build and its GPUs, and finds the proven level of its cache. */
#include "prime/prime_work.h"

#include "base/text.h"
#include "facts/archs.h"
#include "facts/drivers.h"
#include "facts/gpus.h"

#include <string.h>

enum { PROHIBITED = 2, EXCLUSIVE = 3, STUB = 34 };

static void report_driver(struct prime *p)
{
    const struct jw_worker_driver *d = &p->probe.driver;
    struct jw_prime_report *r = p->out;

    r->simulated = d->simulated;
    r->driver_version = d->version;
    r->build = d->build && *d->build ? d->build : NULL;
    r->stamp = p->probe.state.stamp;
    r->level = p->probe.state.level;
    if (p->probe.remembered_damage)
        prime_note(p, "%s", p->probe.remembered_damage);
    if (p->probe.unproven && r->level != JW_LEVEL_NONE)
        prime_note(p, "how far the driver's cache is understood could not be proven: %s", p->probe.unproven);
}

static bool judge_driver(struct prime *p)
{
    const struct jw_worker_driver *d = &p->probe.driver;

    if (p->probe.broken)
        return prime_end(p, JW_END_NO_GPU, "%s", p->probe.broken);
    if (d->init_result == -1)
        return prime_end(p, JW_END_NO_GPU, "no CUDA driver was found: %s", d->init_name);
    if (d->init_result == 803 && prime_by_itself(p))
        return prime_end(
            p, JW_END_WAITING,
            "waiting for reboot: the driver was updated, and the old one is still loaded (error 803)");
    if (d->init_result == 803)
        return prime_end(p, JW_END_NO_GPU,
                         "the driver was updated, but the old one is still loaded (error 803): reboot first");
    if (d->init_result == STUB)
        return prime_end(
            p, JW_END_NO_GPU,
            "programs find the CUDA toolkit's stub in place of the driver (error 34), which only serves "
            "linking; take its folder out of LD_LIBRARY_PATH");
    if (d->init_result)
        return prime_end(p, JW_END_NO_GPU, "the driver cannot be used: %s (error %d)", d->init_name,
                         d->init_result);
    if (!p->probe.n_devices)
        return prime_end(p, JW_END_NO_GPU, "the driver shows no GPU");
    if (p->probe.state.level == JW_LEVEL_NONE && p->probe.unproven)
        return prime_end(p, JW_END_NO_GPU, "the driver could not be tried: %s", p->probe.unproven);
    if (p->probe.state.level == JW_LEVEL_NONE) {
        prime_advise(p, "jitwarm doctor --probe");
        return prime_end(p, JW_END_CANNOT_WRITE, "the driver compiles, but caches nothing");
    }
    return true;
}

/* ---- which GPUs ---- */

static bool asked_for(const char *text, const struct jw_prime_gpu *g, bool *yes, struct jw_err *err)
{
    struct jw_gpu one;
    uint64_t index;

    *yes = false;
    if (jw_text_equal_nocase(text, "all")) {
        *yes = true;
        return true;
    }
    if (jw_gpu_is_index(text)) {
        *yes = jw_text_u64(text, &index) && index == g->index;
        return true;
    }
    if (jw_text_starts(text, "GPU-") || jw_text_starts(text, "MIG-")) {
        *yes = strncmp(g->uuid, text, strlen(text)) == 0;
        return true;
    }
    if (jw_gpu_in_name(text, g->name)) {
        *yes = true;
        return true;
    }
    if (!jw_gpu_parse(text, &one, err))
        return jw_wrap(err, "--gpu");
    *yes = one.sm == g->sm;
    return true;
}

static bool choose(struct prime *p, struct jw_prime_gpu *g, struct jw_err *err)
{
    bool yes = !p->o->n_gpus;

    for (size_t i = 0; !yes && i < p->o->n_gpus; i++)
        if (!asked_for(p->o->gpus[i], g, &yes, err))
            return false;
    g->chosen = yes;
    return true;
}

static void add_arch(struct prime *p, uint16_t sm)
{
    for (size_t i = 0; i < p->n_sms; i++)
        if (p->sms[i] == sm)
            return;
    if (p->n_sms < MODULE_MOST_ARCHS)
        p->sms[p->n_sms++] = sm;
}

static bool take_gpu(struct prime *p, const struct jw_worker_device *d, struct jw_prime_gpu *g,
                     struct jw_err *err)
{
    *g = (struct jw_prime_gpu){ .index = d->index,
                                .sm = d->sm,
                                .memory = d->memory,
                                .mig = d->mig,
                                .exclusive = d->compute_mode == EXCLUSIVE };
    memcpy(g->uuid, d->uuid, sizeof g->uuid);
    memcpy(g->name, d->name, sizeof g->name);
    memcpy(g->pci, d->pci, sizeof g->pci);
    g->chosen = p->o->siblings;
    if (!g->chosen && !choose(p, g, err))
        return false;
    if (g->chosen && (!d->sm || d->compute_mode == PROHIBITED)) {
        g->chosen = false;
        prime_note(p, "GPU %u, %s, is skipped: %s", d->index, d->name,
                   d->sm ? "its compute mode is prohibited (nvidia-smi -c 0 opens it)"
                         : "the driver gives no information about it");
        return true;
    }
    if (g->chosen && !p->o->siblings)
        add_arch(p, g->sm);
    return true;
}

static bool choose_gpus(struct prime *p, struct jw_err *err)
{
    size_t n = p->probe.n_devices;

    p->gpus = jw_arena_alloc(p->a, n * sizeof *p->gpus);
    p->out->gpus = p->gpus;
    p->out->n_gpus = n;
    for (size_t i = 0; i < n; i++)
        if (!take_gpu(p, &p->probe.devices[i], &p->gpus[i], err))
            return false;
    if (p->n_sms > 1 && p->o->one_arch)
        return jw_fail(err, JW_E_USAGE,
                       "--pack: a pack is for one architecture, and these GPUs are sm_%u and sm_%u%s; name a "
                       "folder with --pack, or one GPU with --gpu",
                       p->sms[0], p->sms[1], p->n_sms > 2 ? " and others" : "");
    if (p->n_sms)
        return true;
    return prime_end(p, JW_END_NO_GPU, "%s",
                     p->o->n_gpus
                         ? "none of the GPUs that --gpu names is here (with --pack DIR, this driver compiles "
                           "for other architectures, too)"
                         : "no GPU here is open for computing");
}

/* ---- GPUs that are not here ---- */

bool prime_name_siblings(struct prime *p, struct jw_err *err)
{
    struct jw_gpu one;

    for (size_t i = 0; p->o->siblings && i < p->o->n_gpus; i++) {
        if (!jw_gpu_parse(p->o->gpus[i], &one, err))
            return jw_wrap(err, "--gpu");
        add_arch(p, one.sm);
    }
    p->out->n_siblings = p->n_sms;
    p->out->siblings = jw_arena_copy(p->a, p->sms, sizeof p->sms);
    return true;
}

/* A driver compiles only for GPUs that it supports. */
static bool drives_siblings(struct prime *p)
{
    const char *version = p->probe.driver.version;
    struct jw_driver_version v;
    struct jw_err ignored;

    for (size_t i = 0; version && jw_driver_parse(version, &v, &ignored) && i < p->n_sms; i++) {
        enum jw_drives d = jw_driver_drives(&v, p->sms[i]);
        const struct jw_arch_fact *arch = jw_arch_find(p->sms[i]);

        if (d == JW_DRIVER_TOO_OLD)
            return !prime_end(p, JW_END_NO_GPU, "driver %s is too old for sm_%u: that needs %u or newer",
                              version, p->sms[i], arch->first_branch);
        if (d == JW_DRIVER_TOO_NEW)
            return !prime_end(p, JW_END_NO_GPU, "driver %s no longer drives sm_%u: that needs %u or older",
                              version, p->sms[i], arch->last_branch);
    }
    return true;
}

/* Any GPU here compiles for all absent ones, if the driver is proven to do so. */
static void judge_siblings(struct prime *p)
{
    const char *why = p->probe.no_sibling;

    if (!drives_siblings(p))
        return;
    if (!p->probe.state.siblings) {
        prime_advise(p, "jitwarm doctor --probe");
        prime_end(p, JW_END_NO_GPU, "this driver is not proven to compile for GPUs that are not here: %s",
                  why ? why : "its cache is not understood well enough");
    }
}

static void still_asking(void *ctx)
{
    prime_notify(ctx, JW_PHASE_ASK_DRIVER, NULL);
}

bool prime_ask_driver(struct prime *p, struct jw_err *err)
{
    struct jw_probe_options o = { .exe = p->o->exe,
                                  .driver = p->o->driver,
                                  .broken = p->o->broken,
                                  .carry = p->carry,
                                  .interrupted = p->o->interrupted,
                                  .alive = still_asking,
                                  .ctx = p };

    still_asking(p);
    o.sibling = p->o->siblings ? p->sms[0] : 0;
    if (!jw_probe(&o, p->a, &p->probe, err))
        return false;
    report_driver(p);
    if (!judge_driver(p))
        return false;
    if (!p->ended && p->o->siblings)
        judge_siblings(p);
    if (!p->ended)
        prime_find_limit(p);
    return p->ended || choose_gpus(p, err);
}
