#include "verbs/scan_scope.h"

#include "base/sort.h"
#include "facts/gpus.h"

/* `name`: NULL where only its architecture is known. */
static bool add_gpu(struct scan_scope *scope, uint16_t sm, const char *name, struct jw_err *err)
{
    bool first = !scope->sms.n;

    if (scope->sms.n == JW_MAX_SMS && !jw_sms_have(&scope->sms, sm))
        return jw_fail(err, JW_E_LIMIT, "more than %zu GPUs", JW_MAX_SMS);
    if (name && !*name)
        name = NULL;
    if (first || !jw_text_same(scope->gpu, name))
        scope->gpu = first ? name : NULL;
    jw_sms_add(&scope->sms, sm);
    return true;
}

/* "--gpu 0": by the number that nvidia-smi shows. */
static bool add_by_index(const struct jw_host_gpus *host, struct scan_scope *scope,
                         const char *index, struct jw_err *err)
{
    uint64_t n = UINT64_MAX;

    if (!jw_text_u64(index, &n) || n >= host->n || !host->gpus[n].sm)
        return jw_fail(err, JW_E_USAGE,
                       "--gpu %s: no GPU that is known here; name its architecture (sm_86)", index);
    return add_gpu(scope, host->gpus[n].sm, host->gpus[n].name, err);
}

static bool add_named(const struct jw_host_gpus *host, struct scan_scope *scope, const char *name,
                      struct jw_err *err)
{
    struct jw_gpu gpu;

    if (jw_gpu_is_index(name))
        return add_by_index(host, scope, name, err);
    if (!jw_text_equal_nocase(name, "all")) {
        if (!jw_gpu_parse(name, &gpu, err))
            return jw_wrap(err, "--gpu");
        return add_gpu(scope, gpu.sm, *gpu.name ? name : NULL, err);
    }
    for (size_t i = 0; i < jw_sms_important.n; i++)
        if (!add_gpu(scope, jw_sms_important.v[i], NULL, err))
            return false;
    return true;
}

static bool add_those_here(const struct jw_host_gpus *host, struct scan_scope *scope,
                           struct jw_err *err)
{
    for (const struct jw_gpu *gpu = host->gpus; gpu < host->gpus + host->n; gpu++)
        if (gpu->sm && !add_gpu(scope, gpu->sm, gpu->name, err))
            return false;
    return true;
}

/* Those that the driver alone lists, as in WSL. */
static void add_listed(struct cli *cli, struct scan_scope *scope)
{
    const struct jw_probe_report *p;

    if (!jw_session_probe(&cli->session, &p, JW_IGNORED))
        return;
    for (const struct jw_device *g = p->devices; g < p->devices + p->n_devices; g++)
        if (g->sm && jw_device_is_open(g))
            (void)add_gpu(scope, g->sm, g->name, JW_IGNORED);
    if (scope->sms.n && !scope->driver)
        scope->driver = jw_session_facts(&cli->session)->scope.version;
}

static int by_number(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

static void name_gpus(struct scan_scope *scope, struct jw_arena *a)
{
    jw_sort(scope->sms.v, scope->sms.n, sizeof *scope->sms.v, by_number);
    scope->names = jw_arena_alloc(a, scope->sms.n * sizeof *scope->names);
    for (size_t i = 0; i < scope->sms.n; i++)
        scope->names[i] = jw_arena_printf(a, "sm_%u", scope->sms.v[i]);
}

/* No GPU was named: those of this machine, with its driver; without any, common ones. */
static bool choose_here(struct cli *cli, bool gate, struct scan_scope *out, struct jw_err *err)
{
    const struct jw_host_gpus *host = jw_session_gpus(&cli->session);

    if (!add_those_here(host, out, err))
        return false;
    if (!out->sms.n)
        add_listed(cli, out);
    out->here = out->sms.n > 0;
    if (!out->here && gate)
        return jw_fail(err, JW_E_USAGE,
                       "--check: no GPU was found here; name some: --gpu sm_90,sm_100");
    if (!out->here)
        out->sms = jw_sms_important;
    else if (!out->driver)
        out->driver = host->driver;
    return true;
}

bool scan_scope_choose(struct cli *cli, const char *driver, bool gate, struct scan_scope *out,
                       struct jw_err *err)
{
    const struct jw_texts *asked = &cli->shared.gpus;
    unsigned branch;

    *out = (struct scan_scope){.driver = driver};
    if (driver && !jw_driver_parse(driver, &branch, err))
        return jw_wrap(err, "--driver");
    for (size_t i = 0; i < asked->n; i++)
        if (!add_named(jw_session_gpus(&cli->session), out, asked->v[i], err))
            return false;
    if (!asked->n && !choose_here(cli, gate, out, err))
        return false;
    name_gpus(out, cli->arena);
    return true;
}
