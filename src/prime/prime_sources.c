/* A .cu file is made into PTX by NVRTC. That is of use to a program that loads this very PTX, and to no other. */
#include "prime/prime_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "driver/nvrtc/nvrtc_compile.h"
#include "os/files/file.h"

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

/* All that NVRTC said, of every source. */
static bool keep_log(struct prime *p, const struct jw_nvrtc_report *r, struct jw_err *err)
{
    struct jw_buf all = JW_BUF(JW_MAX_RTC_LOG + 4096);
    bool ok;

    if (!r->log || !*r->log)
        return true;
    jw_buf_printf(&all, "%s%s%s", p->out->compiler_log ? p->out->compiler_log : "", r->log,
                  jw_text_ends(r->log, "\n") ? "" : "\n");
    if (all.bad) /* enough has been said */
        ok = true;
    else {
        p->out->compiler_log = jw_arena_text(p->a, (const char *)all.p, all.n);
        ok = p->out->compiler_log || jw_nomem(err, all.n);
    }
    jw_buf_free(&all);
    return ok;
}

static bool tell(struct prime *p, const struct jw_nvrtc_report *r, const char *source, struct jw_err *err)
{
    if (r->library
        && !prime_note(p, err, "%s was compiled by NVRTC %u.%u for %s (%s)", source, r->major, r->minor,
                       r->arch, r->library))
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
                                  .timeout_ms = prime_timeout_ms(p),
                                  .interrupted = p->o->interrupted };

    (void)snprintf(arch, sizeof arch, "compute_%u", oldest_arch(p));
    prime_tell(p, JW_PHASE_LOOK, t->path);
    t->ptx = place(p, at, err);

    struct jw_err why = { 0 };
    bool ok = t->ptx && jw_nvrtc_compile(&o, &ptx, &report, &why);

    if (t->ptx && !keep_log(p, &report, err))
        ok = false;
    else if (why.code == JW_E_DRIVER) /* no NVRTC that can be used: nothing is said against the GPU */
        ok = prime_end(p, err, JW_END_STOPPED, "%s", why.msg);
    else if (why.code != JW_OK)
        *err = why;
    else
        ok = ok && tell(p, &report, jw_path_base(t->path), err) && write_ptx(t->ptx, &ptx, err);
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
    for (size_t i = 0; i < p->n_targets && !p->ended; i++)
        if (is_source(&p->targets[i]) && !compile(p, i, err))
            return false;
    return !sources || p->ended || p->o->ptx
           || prime_note(p, err,
                         "only a program that loads this very PTX gains by it: -o FILE.ptx writes it down");
}
