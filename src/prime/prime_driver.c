/* Asks the driver for its build and its GPUs, and finds the proven level of its cache. */
#include "prime/prime_work.h"

#include "base/path.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "facts/archs.h"
#include "facts/drivers.h"
#include "facts/gpus.h"
#include "machine/shell.h"
#include "os/machine/env.h"
#include "session/blocker.h"
#include "session/login_start.h"

#include <string.h>

enum { STUB = 34, NO_DEVICE = 100 };

const struct jw_probe_report prime_no_probe = { 0 };

struct module_rules prime_rules(const struct prime_driver *d)
{
    const struct jw_driver_state *s = &d->probe->state;

    return (struct module_rules){ s->level >= JW_LEVEL_PREDICTABLE ? s->stamp : NULL,
                                  jw_driver_ends_ptx_at_nul(s->version) };
}

static void report_driver(struct jw_run *run, struct prime_driver *d)
{
    const struct jw_worker_driver *w = &d->probe->driver;

    *d->out = (struct jw_driver_here){ .version = w->version,
                                       .build = w->build && *w->build ? w->build : NULL,
                                       .stamp = d->probe->state.stamp,
                                       .level = d->probe->state.level,
                                       .cannot_compile = d->probe->cannot_compile };
    if (d->probe->remembered_damage)
        JW_NOTE(run, "%s", d->probe->remembered_damage);
    if (d->probe->unproven && !d->probe->cannot_compile && d->out->level != JW_LEVEL_NONE)
        JW_NOTE(run, "how far the driver's cache is understood could not be proven: %s", d->probe->unproven);
}

/* Ends the run if CUDA_VISIBLE_DEVICES is why the driver shows no GPU. */
static bool end_hidden(struct jw_run *run)
{
    const struct jw_blocker h = jw_session_hidden_gpus(run->session, true, run->a);

    if (!h.is)
        return false;
    JW_ADVISE(run, "%s", jw_shell_then(run->a, jw_os_is_windows(), h.command, jw_run_again(run, NULL)));
    return jw_run_end(run, JW_END_NO_GPU, "%s", h.what);
}

/* Ends the run if the driver cannot be used. */
static bool check_driver(struct jw_run *run, const struct prime_driver *d)
{
    const struct jw_worker_driver *w = &d->probe->driver;

    if (d->probe->broken)
        return jw_run_end(run, JW_END_NO_GPU, "%s", d->probe->broken);
    if (w->init_result == -1)
        return jw_run_end(run, JW_END_NO_GPU, "no CUDA driver was found: %s", w->init_name);
    if (w->misnamed)
        return jw_run_end(run, JW_END_NO_GPU,
                          "%s is another driver version than its name says (error 803): give the file its "
                          "own name again",
                          jw_path_base(w->library));
    if (w->put_before)
        return jw_run_end(run, JW_END_NO_GPU,
                          "LD_LIBRARY_PATH leads to a library of another driver than the kernel's (error "
                          "803): take %s out of it",
                          w->put_before);
    if (w->init_result == 803 && d->background)
        return jw_run_end(
            run, JW_END_WAITING,
            "waiting for reboot: the driver was updated, and the old one is still loaded (error 803)");
    if (w->init_result == 803)
        return jw_run_end(
            run, JW_END_NO_GPU,
            "the driver was updated, but the old one is still loaded (error 803): reboot first");
    if (w->init_result == STUB)
        return jw_run_end(
            run, JW_END_NO_GPU,
            "programs find the CUDA toolkit's stub in place of the driver (error 34), which only serves "
            "linking; take its folder out of LD_LIBRARY_PATH");
    if (w->init_result == NO_DEVICE && end_hidden(run))
        return true;
    if (w->init_result)
        return jw_run_end(run, JW_END_NO_GPU, "the driver cannot be used: %s (error %d)", w->init_name,
                          w->init_result);
    if (!d->probe->n_devices)
        return jw_run_end(run, JW_END_NO_GPU, "the driver shows no GPU");
    if (d->probe->state.level == JW_LEVEL_NONE && d->probe->no_room)
        return jw_run_end(run, JW_END_CANNOT_WRITE, "%s", d->probe->unproven);
    if (d->probe->state.level == JW_LEVEL_NONE && d->probe->cannot_compile)
        return jw_run_end(run, JW_END_NO_GPU, "%s", d->probe->cannot_compile);
    if (d->probe->state.level == JW_LEVEL_NONE && d->probe->unproven)
        return jw_run_end(run, JW_END_NO_GPU, "the driver could not be tried: %s", d->probe->unproven);
    if (d->probe->state.level == JW_LEVEL_NONE) {
        JW_ADVISE(run, "jitwarm doctor --probe");
        return jw_run_end(run, JW_END_CANNOT_WRITE, "the driver compiles, but caches nothing");
    }
    return true;
}

/* ---- which GPUs ---- */

static bool asked_for(const char *text, const struct jw_device *g, bool *yes, struct jw_err *err)
{
    struct jw_gpu one;

    *yes = jw_text_equal_nocase(text, "all") || jw_gpu_means(text, g);
    if (*yes || jw_gpu_is_of_machine(text))
        return true;
    if (!jw_gpu_parse(text, &one, err))
        return jw_wrap(err, "--gpu");
    *yes = one.sm == g->sm;
    return true;
}

static bool choose_gpu(const struct prime_driver *d, struct jw_device *g, struct jw_err *err)
{
    bool yes = !d->n_names;

    for (size_t i = 0; !yes && i < d->n_names; i++)
        if (!asked_for(d->names[i], g, &yes, err))
            return false;
    g->chosen = yes;
    return true;
}

static bool take_gpu(struct jw_run *run, struct prime_driver *d, struct jw_device *g, struct jw_err *err)
{
    g->chosen = d->absent_gpus;
    if (!g->chosen && !choose_gpu(d, g, err))
        return false;
    if (g->chosen && (!g->sm || g->compute_mode == JW_COMPUTE_PROHIBITED)) {
        g->chosen = false;
        JW_NOTE(run, "GPU %u, %s, is skipped: %s", g->index, g->name,
                g->sm ? "its compute mode is prohibited (nvidia-smi -c 0 opens it)"
                      : "the driver gives no information about it");
        return true;
    }
    if (g->chosen && !d->absent_gpus)
        jw_sms_add(d->sms, &d->n_sms, g->sm);
    return true;
}

static bool take_gpus(struct jw_run *run, struct prime_driver *d, struct jw_err *err)
{
    size_t n = d->probe->n_devices;

    d->gpus = jw_arena_copy(run->a, d->probe->devices, n * sizeof *d->gpus);
    d->out->gpus = d->gpus;
    d->out->n_gpus = n;
    for (size_t i = 0; i < n; i++)
        if (!take_gpu(run, d, &d->gpus[i], err))
            return false;
    if (d->n_sms > 1 && d->one_arch)
        return jw_fail(err, JW_E_USAGE,
                       "--pack: a pack is for one architecture, and these GPUs are sm_%u and sm_%u%s; name a "
                       "folder with --pack, or one GPU with --gpu",
                       d->sms[0], d->sms[1], d->n_sms > 2 ? " and others" : "");
    if (d->n_sms)
        return true;
    return jw_run_end(
        run, JW_END_NO_GPU, "%s",
        d->n_names ? "none of the GPUs that --gpu names is here (jitwarm doctor lists them; prime --pack DIR "
                     "compiles for others, too)"
                   : "no GPU here is open for computing");
}

/* ---- GPUs that are not here ---- */

bool prime_name_absent_gpus(struct prime_driver *d, struct jw_err *err)
{
    struct jw_gpu one;

    for (size_t i = 0; d->absent_gpus && i < d->n_names; i++) {
        if (!jw_gpu_parse(d->names[i], &one, err))
            return jw_wrap(err, "--gpu");
        jw_sms_add(d->sms, &d->n_sms, one.sm);
    }
    return true;
}

/* Jetson's chips and all others have drivers of different builds. */
static bool is_jetson(unsigned sm)
{
    const struct jw_arch_fact *arch = jw_arch_find(sm);

    return arch && !arch->first_branch;
}

static bool shares_driver(const struct prime_driver *d, unsigned sm)
{
    size_t i = 0;

    while (i < d->probe->n_devices && is_jetson(d->probe->devices[i].sm) != is_jetson(sm))
        i++;
    return i < d->probe->n_devices;
}

/* A driver compiles only for GPUs that it supports. */
static bool compiles_for_absent(struct jw_run *run, const struct prime_driver *d)
{
    const char *version = d->probe->driver.version;
    struct jw_driver_version v;
    struct jw_err ignored;

    for (size_t i = 0; i < d->n_sms; i++)
        if (!shares_driver(d, d->sms[i]))
            return !jw_run_end(
                run, JW_END_NO_GPU,
                is_jetson(d->sms[i])
                    ? "sm_%u is in a Jetson, whose driver is another build: make its packs there"
                    : "sm_%u is not in a Jetson, and its driver is another build: make its packs "
                      "there",
                d->sms[i]);
    for (size_t i = 0; version && jw_driver_parse(version, &v, &ignored) && i < d->n_sms; i++) {
        enum jw_driver_fit drives = jw_driver_support(&v, d->sms[i]);
        const struct jw_arch_fact *arch = jw_arch_find(d->sms[i]);

        if (drives == JW_DRIVER_TOO_OLD)
            return !jw_run_end(run, JW_END_NO_GPU, "driver %s is too old for sm_%u: that needs %u or newer",
                               version, d->sms[i], arch->first_branch);
        if (drives == JW_DRIVER_TOO_NEW)
            return !jw_run_end(run, JW_END_NO_GPU, "driver %s no longer drives sm_%u: that needs %u or older",
                               version, d->sms[i], arch->last_branch);
    }
    return true;
}

/* Any GPU here compiles for all absent ones, if the driver is proven to do so. */
static void check_absent_gpus(struct jw_run *run, const struct prime_driver *d)
{
    const char *why = d->probe->why_no_absent;

    if (!compiles_for_absent(run, d))
        return;
    if (!d->probe->state.compiles_absent) {
        JW_ADVISE(run, "jitwarm doctor --probe");
        jw_run_end(run, JW_END_NO_GPU, "this driver is not proven to compile for GPUs that are not here: %s",
                   why ? why : "its cache is not understood well enough");
    }
}

static void still_asking(void *ctx)
{
    prime_notify(ctx, JW_PHASE_ASK_DRIVER, NULL);
}

static bool start_driver(struct jw_run *run, const struct prime_driver *d,
                         const struct jw_probe_report **here, struct jw_err *err)
{
    still_asking(run);
    return jw_session_driver_for(run->session, d->absent_gpus ? d->sms[0] : 0, still_asking, run, here, err);
}

/* Starts the driver early. The session keeps the answer, or why there is none. */
bool prime_begin_driver(struct run_ctx *h, struct jw_err *err)
{
    const struct jw_probe_report *here;
    struct jw_err kept = { 0 };

    (void)err;
    (void)start_driver(h->run, &h->driver, &here, &kept);
    return true;
}

bool prime_ask_driver(struct run_ctx *h, struct jw_err *err)
{
    struct prime_driver *d = &h->driver;
    const struct jw_probe_report *here;

    if (!start_driver(h->run, d, &here, err))
        return false;
    d->probe = here;
    report_driver(h->run, d);
    (void)check_driver(h->run, d);
    if (!h->run->ended && d->absent_gpus)
        check_absent_gpus(h->run, d);
    if (!h->run->ended)
        prime_find_limit(h);
    return h->run->ended || take_gpus(h->run, d, err);
}

/* ---- GPUs that only a fresh login shows programs ---- */

/* Adds GPUs that only a fresh login shows; a run for some GPUs or for a command is about the GPUs here alone.
 * A scheduler or a person who hid the others wants them left alone, so their entries in the cache count, and
 * nothing is compiled or loaded on them. */
bool prime_take_login_gpus(struct prime *p, struct jw_err *err)
{
    struct prime_driver *d = &p->ctx.driver;
    const struct jw_login_gpus *there;
    struct jw_device *all;

    if (!p->ctx.login.here || p->o->run || p->o->profile || d->n_names || d->absent_gpus || d->one_arch)
        return true;
    if (!jw_session_login_gpus(p->run->session, &there, err))
        return false;
    if (there->unknown)
        p->out->unknowable = there->unknown;
    if (there->none)
        prime_note(p, "programs of %s see no GPU: %s", jw_login_name(there->by->terminal_only), there->how);
    all = jw_arena_alloc(p->run->a, (d->out->n_gpus + there->n + 1) * sizeof *all);
    memcpy(all, d->gpus, d->out->n_gpus * sizeof *all);
    d->out->gpus = d->gpus = all;
    for (size_t i = 0; i < there->n; i++) {
        struct jw_device *g = &all[d->out->n_gpus++];

        *g = there->v[i];
        d->n_hidden++;
        if (!take_gpu(p->run, d, g, err))
            return false;
    }
    d->shows = there->shown;
    return true;
}

/* ---- in the report ---- */

#define D struct jw_driver_here
#define G struct jw_device

const struct jw_row prime_driver_rows[] = {
    { JW_ROW("version", D, version), JW_NULLABLE },
    { JW_ROW("build", D, build), JW_NULLABLE, JW_ABOUT("identity of the driver's library") },
    JW_STAMP(D, stamp),
    { JW_ROW("level", D, level), JW_NULLABLE, JW_ABOUT("how far it is understood") },
    { 0 },
};

const struct jw_row prime_driver_named_rows[] = {
    { JW_ROWS(prime_driver_rows) },
    { JW_ROW("cannot_compile", D, cannot_compile), JW_NULLABLE,
      JW_ABOUT("why it compiles nothing here at all") },
    { 0 },
};

const struct jw_row prime_gpu_rows[] = {
    { JW_ROW("index", G, index) },
    { JW_ROW("name", G, name) },
    { JW_SPELT("gpu", G, sm, &jw_spell_sm) },
    { JW_ROW("uuid", G, uuid), JW_NULLABLE },
    { JW_ROW("pci", G, pci), JW_NULLABLE },
    { JW_ROW("memory_bytes", G, memory) },
    { JW_ROW("mig", G, mig) },
    { JW_ROW("chosen", G, chosen), JW_ABOUT("works, and is worked for") },
    { 0 },
};
