/* A .cu file is made into PTX by NVRTC. That is of use to a program that loads this very PTX, and to no other. */
#include "engine/prime_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "engine/nvrtc_compile.h"
#include "os/file.h"

#include <stdio.h>
#include <string.h>

static bool is_source(const struct prime_target *t)
{
    return t->named && jw_text_ends(t->path, ".cu");
}

/* What the oldest GPU takes, the others take, too. */
static uint16_t oldest_arch(const struct prime *p)
{
    uint16_t least = p->sms[0];

    for (size_t i = 1; i < p->n_sms; i++)
        if (p->sms[i] < least)
            least = p->sms[i];
    return least;
}

static bool write_ptx(const char *path, const struct jw_buf *ptx, struct jw_err *err)
{
    struct jw_out out = { 0 };
    bool ok = jw_out_open(&out, path, true, err) && jw_out_write(&out, ptx->p, ptx->n, err)
              && jw_out_commit(&out, err);

    jw_out_close(&out);
    return ok || jw_wrap(err, "%s", path);
}

static bool tell(struct prime *p, const struct jw_nvrtc_report *r, const char *source, struct jw_err *err)
{
    if (r->library
        && !prime_note(p, err, "%s was compiled by NVRTC %u.%u for %s (%s)", source, r->major, r->minor,
                       r->arch, r->library))
        return false;
    if (r->log && *r->log && !prime_note(p, err, "NVRTC says:\n%.300s", r->log))
        return false;
    if (r->arch_note && !prime_note(p, err, "%s", r->arch_note))
        return false;
    return !r->driver_note || prime_note(p, err, "%s", r->driver_note);
}

/* Where its PTX goes: where the user wants it, else into our folder. */
static const char *place(struct prime *p, size_t at, struct jw_err *err)
{
    char name[32];
    const char *path;

    if (p->o->ptx)
        return p->o->ptx;
    (void)snprintf(name, sizeof name, "source-%zu.ptx", at);
    path = jw_path_join(p->a, p->work, name);
    if (!path)
        (void)jw_nomem(err, sizeof name);
    return path;
}

static bool compile(struct prime *p, size_t at, struct jw_err *err)
{
    struct prime_target *t = &p->targets[at];
    struct jw_buf ptx = JW_BUF(JW_MAX_PLAIN);
    struct jw_nvrtc_report report = { 0 };
    char arch[20];
    struct jw_nvrtc_options o = { .source = t->path,
                                  .includes = p->o->includes,
                                  .n_includes = p->o->n_includes,
                                  .arch = arch,
                                  .driver_cuda = p->probe.driver.cuda_version,
                                  .exe = p->o->exe,
                                  .timeout_ms = p->o->timeout_s * 1000,
                                  .interrupted = p->o->interrupted };

    (void)snprintf(arch, sizeof arch, "compute_%u", oldest_arch(p));
    prime_tell(p, JW_PHASE_LOOK, t->path);
    t->ptx = place(p, at, err);

    struct jw_err why = { 0 };
    bool ok = t->ptx && jw_nvrtc_compile(&o, &ptx, &report, &why);

    if (t->ptx && !tell(p, &report, jw_path_base(t->path), err))
        ok = false;
    else if (t->ptx && !ok)
        *err = why;
    ok = ok && write_ptx(t->ptx, &ptx, err);
    jw_nvrtc_report_free(&report);
    jw_buf_free(&ptx);
    return ok;
}

bool prime_sources(struct prime *p, struct jw_err *err)
{
    size_t sources = 0;

    for (size_t i = 0; i < p->n_targets; i++)
        sources += is_source(&p->targets[i]);
    if (p->o->ptx && sources != 1)
        return jw_fail(err, JW_E_USAGE, "-o takes the PTX of one .cu file, and %zu are named", sources);
    for (size_t i = 0; i < p->n_targets; i++)
        if (is_source(&p->targets[i]) && !compile(p, i, err))
            return false;
    return !sources || p->o->ptx
           || prime_note(p, err,
                         "only a program that loads this very PTX gains by it: -o FILE.ptx writes it down");
}
