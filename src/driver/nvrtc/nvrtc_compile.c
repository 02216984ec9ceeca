#include "driver/nvrtc/nvrtc_compile.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "driver/nvrtc/nvrtc_keep.h"
#include "driver/worker/nvrtc_worker.h"
#include "formats/ptx.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "software/find/toolkit_find.h"

#include <string.h>

struct nvrtc_compiling {
    const struct jw_nvrtc_options *o;
    struct jw_nvrtc_report *out;
    struct jw_arena *a;
    struct jw_err *err;
    const char *folder; /* of the source, absolute */
    struct jw_buf source, log, *ptx;
    size_t start; /* of the PTX */
    uint8_t digest[JW_DIGEST];
    struct jw_toolkit_places places;
    const char *library; /* the one that was asked last */
    struct jw_nvrtc_answer answer;
    const char *unfit, *broken; /* why the first such library is not used; NULL: there is none */
};

/* ---- the source ---- */

static bool read_source(struct nvrtc_compiling *r)
{
    if (!jw_nvrtc_source(r->o->source, &r->source, r->digest, r->err))
        return false;
    if (!r->source.n)
        return jw_fail(r->err, JW_E_FORMAT, "it is empty");

    const uint8_t *nul = memchr(r->source.p, 0, r->source.n);

    return !nul
           || jw_fail(r->err, JW_E_FORMAT, "it is no text: byte %zu is a NUL", (size_t)(nul - r->source.p));
}

/* The folder of the path as it is given, not of a link's target: headers are searched there. */
static bool find_folder(struct nvrtc_compiling *r)
{
    return jw_real_path(jw_path_dir(r->a, r->o->source), r->a, &r->folder, r->err);
}

/* ---- which NVRTC ---- */

static void list_libraries(struct nvrtc_compiling *r)
{
    struct jw_toolkit_place given = { .minor = -1, .builtins = true };

    if (!r->o->library) {
        r->places = jw_nvrtc_find(r->o->where, r->a);
        return;
    }
    given.path = jw_arena_str(r->a, r->o->library);
    r->places = (struct jw_toolkit_places){ .v = jw_arena_copy(r->a, &given, sizeof given), .n = 1 };
}

/* The Python package with an NVRTC for this architecture and this driver. */
static const char *package_for(const struct nvrtc_compiling *r)
{
    unsigned cuda = r->o->driver_cuda ? r->o->driver_cuda : UINT32_MAX;

    return r->o->target.sm >= 75 && cuda >= 13000   ? "nvidia-cuda-nvrtc"
           : r->o->target.sm >= 50 && cuda >= 12000 ? "nvidia-cuda-nvrtc-cu12"
                                                    : "nvidia-cuda-nvrtc-cu11";
}

static bool fail_without(struct nvrtc_compiling *r)
{
    if (r->unfit)
        return jw_fail(r->err, JW_E_DRIVER, "%s; try \"pip install %s\"", r->unfit, package_for(r));
    if (r->broken)
        return jw_fail(r->err, JW_E_DRIVER, "no NVRTC that can be used to compile it: %s", r->broken);
    return jw_fail(
        r->err, JW_E_DRIVER,
        "no NVRTC was found to compile it (%s); \"pip install %s\" or NVIDIA's CUDA toolkit gives one",
        jw_nvrtc_where(jw_os_is_windows()), package_for(r));
}

/* A library that the loader does not find does not count as a broken one. */
static void note_unused(struct nvrtc_compiling *r, const char *library)
{
    const char **why = r->answer.end == JW_NVRTC_UNFIT ? &r->unfit : &r->broken;

    if (!*why && (r->answer.end == JW_NVRTC_UNFIT || r->o->library || jw_path_absolute(library)))
        *why = jw_arena_str(r->a, r->answer.why);
}

/* `*broken`: it is not tried again. */
static bool try_library(struct nvrtc_compiling *r, const char *library, bool older, bool *broken)
{
    char hex[2 * JW_DIGEST + 1];
    struct jw_nvrtc_job job = { .library = library,
                                .source = jw_path_join(r->a, r->folder, jw_path_base(r->o->source)),
                                .digest = hex,
                                .target = r->o->target,
                                .older = older,
                                .driver_cuda = r->o->driver_cuda,
                                .timeout_ms = r->o->timeout_ms,
                                .interrupted = r->o->interrupted };

    jw_digest_hex(hex, r->digest);
    jw_buf_clear(&r->log);
    r->ptx->n = r->start;
    r->library = library;
    if (!jw_nvrtc_run(&job, r->ptx, &r->log, &r->answer, r->err))
        return false;
    *broken = r->answer.end == JW_NVRTC_BROKEN;
    if (*broken || r->answer.end == JW_NVRTC_UNFIT)
        note_unused(r, library);
    return true;
}

static bool is_answered(const struct nvrtc_compiling *r)
{
    return r->answer.end == JW_NVRTC_MADE || r->answer.end == JW_NVRTC_REFUSED;
}

static bool find_library(struct nvrtc_compiling *r)
{
    bool *broken = jw_arena_alloc(r->a, r->places.n + 1);

    r->answer.end = JW_NVRTC_BROKEN;
    for (int older = 0; older < 2 && !is_answered(r); older++)
        for (size_t i = 0; i < r->places.n && !is_answered(r); i++)
            if (!broken[i] && !try_library(r, r->places.v[i].path, older, &broken[i]))
                return false;
    return is_answered(r) || fail_without(r);
}

/* ---- what it made ---- */

/* Keeps line ends and tabs, which align NVRTC's marks. */
static void keep_log(struct nvrtc_compiling *r)
{
    struct jw_buf clean = JW_BUF(4 * JW_MAX_RTC_LOG); /* at most "\xNN" for each byte */
    size_t n;

    jw_buf_fill(&r->log, 0, 1);
    for (size_t at = 0; !r->log.bad && at + 1 < r->log.n; at += n + 1) {
        char *text = (char *)r->log.p + at, mark;

        n = strcspn(text, "\n\t\r");
        mark = text[n];

        text[n] = '\0';
        jw_text_clean(&clean, text);
        if (mark == '\n' || mark == '\t')
            jw_buf_fill(&clean, (uint8_t)mark, 1);
    }
    r->out->log = jw_arena_str(r->a, jw_buf_cstr(&clean));
    jw_buf_free(&clean);
}

static struct jw_bytes made(const struct nvrtc_compiling *r)
{
    return (struct jw_bytes){ r->ptx->p + r->start, r->ptx->n - r->start };
}

static bool check_ptx(struct nvrtc_compiling *r)
{
    struct jw_bytes ptx = made(r);
    struct jw_ptx head;

    if (ptx.n && memchr(ptx.p, 0, ptx.n))
        return jw_fail(r->err, JW_E_DRIVER, "NVRTC's PTX has a NUL in its middle");
    return jw_ptx_read(ptx, &head, r->err) || jw_wrap(r->err, "what NVRTC made of it");
}

static void report_library(struct nvrtc_compiling *r)
{
    const struct jw_arch *wanted = &r->o->target, *made_for = &r->answer.target;

    r->out->major = r->answer.major;
    r->out->minor = r->answer.minor;
    r->out->arch = jw_arena_str(r->a, jw_arch_name("compute_", *made_for).text);
    if (r->answer.end == JW_NVRTC_MADE && (made_for->sm != wanted->sm || made_for->suffix != wanted->suffix))
        r->out->arch_note = jw_arena_printf(r->a,
                                            "NVRTC %u.%u does not know %s; %s is the newest before it that "
                                            "it knows, which the GPU takes, too",
                                            r->answer.major, r->answer.minor,
                                            jw_arch_name("compute_", *wanted).text, r->out->arch);
}

static const char *kept_path(const struct nvrtc_compiling *r, bool by_loader)
{
    struct jw_nvrtc_asked asked = { .folder = r->folder,
                                    .name = jw_path_base(r->o->source),
                                    .arch = jw_arch_name("compute_", r->o->target).text,
                                    .driver_cuda = r->o->driver_cuda,
                                    .libraries = &r->places,
                                    .by_loader = by_loader };

    memcpy(asked.source, r->digest, sizeof asked.source);
    return jw_nvrtc_kept_path(r->a, r->o->keep, &asked);
}

/* PTX of a library that the loader chose is kept in a file that is never recalled. */
static bool keep(struct nvrtc_compiling *r)
{
    if (!r->o->keep)
        return true;
    r->out->kept = kept_path(r, !jw_path_absolute(r->library));
    return jw_nvrtc_keep(r->out->kept, made(r), r->a, r->err);
}

static bool compile(struct nvrtc_compiling *r)
{
    if (!find_library(r))
        return false;
    report_library(r);
    keep_log(r);
    if (r->answer.end == JW_NVRTC_REFUSED)
        return jw_fail(r->err, r->answer.code, "%s", r->answer.why);
    return check_ptx(r) && keep(r);
}

static bool recall(struct nvrtc_compiling *r)
{
    if (!r->o->keep)
        return false;
    r->out->kept = kept_path(r, false);
    r->out->reused = jw_nvrtc_stands_alone(jw_buf_bytes(&r->source)) && jw_nvrtc_kept(r->out->kept, r->ptx);
    r->out->arch = jw_arena_str(r->a, jw_arch_name("compute_", r->o->target).text);
    return r->out->reused;
}

bool jw_nvrtc_compile(const struct jw_nvrtc_options *o, struct jw_arena *a, struct jw_buf *ptx,
                      struct jw_nvrtc_report *out, struct jw_err *err)
{
    struct nvrtc_compiling r = { .o = o,
                                 .out = out,
                                 .a = a,
                                 .err = err,
                                 .source = JW_BUF(JW_MAX_CU_SOURCE),
                                 .log = JW_BUF(JW_MAX_RTC_LOG + 1), /* and a NUL */
                                 .ptx = ptx,
                                 .start = ptx->n };

    *out = (struct jw_nvrtc_report){ .arch = "", .log = "" };
    bool ok = read_source(&r) && find_folder(&r);

    if (ok) {
        list_libraries(&r);
        ok = recall(&r) ? check_ptx(&r) : compile(&r);
    }
    jw_buf_free(&r.source);
    jw_buf_free(&r.log);
    if (!ok && !ptx->bad)
        ptx->n = r.start;
    return ok || jw_wrap(err, "%s", o->source);
}
