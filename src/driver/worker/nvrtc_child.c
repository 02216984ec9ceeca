#include "base/digest.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "driver/api/nvrtc.h"
#include "driver/worker/child.h"
#include "driver/worker/nvrtc_worker.h"
#include "driver/worker/proto.h"
#include "os/files/file.h"
#include "os/process/process.h"

#include <stdlib.h>
#include <string.h>

enum { RTC_INVALID_OPTION = 5, RTC_COMPILATION = 6 }; /* of nvrtcResult */

struct child {
    const struct jw_nvrtc_child *o;
    struct jw_parent parent;
    struct jw_rtc rtc;
    struct jw_arena a;
    struct jw_arch wanted, target;
    struct jw_buf out, source, ptx, log;
};

static bool send_msg(struct child *c, const struct jw_rtc_msg *m, struct jw_err *err)
{
    jw_buf_clear(&c->out);
    jw_rtc_put(&c->out, m);
    return jw_buf_ok(&c->out, err) && jw_parent_write(&c->parent, c->out.p, c->out.n, err);
}

static bool send_parts(struct child *c, enum jw_rtc_msg_kind kind, const struct jw_buf *text,
                       struct jw_err *err)
{
    struct jw_rtc_msg m = { .kind = kind };

    for (size_t at = 0; at < text->n; at += m.as.part.n) {
        m.as.part = (struct jw_bytes){ text->p + at, (size_t)jw_min(text->n - at, JW_RTC_PART) };
        if (!send_msg(c, &m, err))
            return false;
    }
    return true;
}

static bool send_end(struct child *c, enum jw_nvrtc_end end, const struct jw_err *why, struct jw_err *err)
{
    struct jw_rtc_msg m = { .kind = JW_RTC_END };

    m.as.end.end = (uint32_t)end;
    m.as.end.code = (uint32_t)why->code;
    m.as.end.sm = c->target.sm;
    m.as.end.suffix = (uint16_t)c->target.suffix;
    m.as.end.why = why->msg;
    return send_msg(c, &m, err);
}

static bool send_loaded(struct child *c, struct jw_err *err)
{
    struct jw_rtc_msg m = { .kind = JW_RTC_LOADED };

    m.as.loaded.major = (uint16_t)c->rtc.major;
    m.as.loaded.minor = (uint16_t)c->rtc.minor;
    return send_msg(c, &m, err);
}

/* ---- does the library do? ---- */

/* `a` and `f` targets have no older substitute. */
static bool choose_target(struct child *c, bool older)
{
    const struct jw_rtc *r = &c->rtc;

    for (size_t i = 0; i < r->n_archs; i++)
        if (r->archs[i] == c->wanted.sm) {
            c->target = c->wanted;
            return true;
        } else if (older && !c->wanted.suffix && r->archs[i] < c->wanted.sm && r->archs[i] > c->target.sm)
            c->target.sm = r->archs[i];
    if (!r->n_archs) /* before 11.2 it does not say */
        c->target = c->wanted;
    return c->target.sm != 0;
}

static bool refuse_arch(struct child *c, struct jw_err *why)
{
    struct jw_arch lowest = { c->rtc.archs[0], 0 }, highest = lowest;

    for (size_t i = 0; i < c->rtc.n_archs; i++) {
        lowest.sm = c->rtc.archs[i] < lowest.sm ? c->rtc.archs[i] : lowest.sm;
        highest.sm = c->rtc.archs[i] > highest.sm ? c->rtc.archs[i] : highest.sm;
    }
    return jw_fail(why, JW_E_DRIVER, "NVRTC %u.%u (%.200s) compiles for %s to %s, not for %s", c->rtc.major,
                   c->rtc.minor, c->o->library, jw_arch_name("compute_", lowest).text,
                   jw_arch_name("compute_", highest).text, jw_arch_name("compute_", c->wanted).text);
}

static bool check_library(struct child *c, struct jw_err *why)
{
    unsigned cuda = (unsigned)strtoul(c->o->cuda, NULL, 10);

    if (!jw_arch_parse(c->o->arch, &c->wanted))
        return jw_fail(why, JW_E_USAGE, "\"%s\" is no architecture", c->o->arch);
    if (!choose_target(c, strcmp(c->o->fit, JW_NVRTC_OLDER) == 0))
        return refuse_arch(c, why);
    return !cuda || c->rtc.major * 1000 + c->rtc.minor * 10 <= cuda
           || jw_fail(why, JW_E_DRIVER,
                      "NVRTC %u.%u (%.200s) makes PTX that the driver here, of CUDA %u.%u, does not compile",
                      c->rtc.major, c->rtc.minor, c->o->library, cuda / 1000, cuda % 1000 / 10);
}

/* ---- the compilation ---- */

bool jw_nvrtc_source(const char *path, struct jw_buf *out, uint8_t digest[JW_DIGEST], struct jw_err *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
    struct jw_file_info info;
    struct jw_err ignored;
    bool found = false;

    if (jw_file_stat(path, &info, &ignored) && info.size > JW_MAX_CU_SOURCE)
        return jw_fail(err, JW_E_LIMIT, "a source of more than %zu bytes", JW_MAX_CU_SOURCE);
    if (!jw_file_slurp(path, out, &found, err))
        return false;
    if (!found)
        return jw_fail(err, JW_E_IO, "no such file");
    if (jw_starts(jw_buf_bytes(out), mark)) {
        out->n -= sizeof mark - 1;
        memmove(out->p, out->p + sizeof mark - 1, out->n);
    }
    jw_digest(digest, out->p, out->n);
    return true;
}

static bool read_source(struct child *c, struct jw_err *why)
{
    uint8_t digest[JW_DIGEST];
    char hex[2 * JW_DIGEST + 1];

    if (!jw_nvrtc_source(c->o->source, &c->source, digest, why))
        return false;
    jw_digest_hex(hex, digest);
    return strcmp(hex, c->o->digest) == 0 || jw_fail(why, JW_E_IO, "it was changed while it was read");
}

/* The last two exist since 12.9. With its cache on, NVRTC loads the driver and stores into the driver's cache; the
 * seed decides the names of symbols that are local to the file. */
static size_t make_options(struct child *c, const char *options[4])
{
    struct jw_arch_name arch = jw_arch_name("compute_", c->target);

    options[0] = jw_arena_printf(&c->a, "--gpu-architecture=%s", arch.text);
    options[1] = jw_arena_printf(&c->a, "--include-path=%s", jw_path_dir(&c->a, c->o->source));
    options[2] = jw_arena_printf(&c->a, "--frandom-seed=%s", c->o->digest);
    options[3] = "--no-cache";
    return c->rtc.major > 12 || (c->rtc.major == 12 && c->rtc.minor >= 9) ? 4 : 2;
}

static bool compile(struct child *c, struct jw_err *why)
{
    const char *options[4];
    struct jw_rtc_outcome outcome;
    const struct jw_rtc_source source = { jw_buf_cstr(&c->source), jw_path_base(c->o->source), options,
                                          make_options(c, options) };

    if (!jw_rtc_compile(&c->rtc, &source, &c->ptx, &c->log, &outcome, why))
        return false;
    return !outcome.result
           || jw_fail(why,
                      outcome.result == RTC_COMPILATION      ? JW_E_FORMAT
                      : outcome.result == RTC_INVALID_OPTION ? JW_E_USAGE
                                                             : JW_E_DRIVER,
                      "it does not compile: NVRTC %u.%u says %s", c->rtc.major, c->rtc.minor, outcome.name);
}

static bool serve(struct child *c, struct jw_err *err)
{
    struct jw_err why = { 0 };

    if (!jw_rtc_open(&c->rtc, c->o->library, &why))
        return send_end(c, JW_NVRTC_BROKEN, &why, err);
    if (!send_loaded(c, err))
        return false;
    if (!check_library(c, &why))
        return send_end(c, JW_NVRTC_UNFIT, &why, err);
    if (!read_source(c, &why) || !compile(c, &why))
        return send_parts(c, JW_RTC_LOG, &c->log, err) && send_end(c, JW_NVRTC_REFUSED, &why, err);
    return send_parts(c, JW_RTC_LOG, &c->log, err) && send_parts(c, JW_RTC_PTX, &c->ptx, err)
           && send_end(c, JW_NVRTC_MADE, &why, err);
}

bool jw_nvrtc_serve(const struct jw_nvrtc_child *o, struct jw_err *err)
{
    struct child c = { .o = o,
                       .out = JW_BUF(JW_RECORD_PREFIX + JW_MAX_RECORD),
                       .source = JW_BUF(JW_MAX_CU_SOURCE + 4), /* a mark of UTF-8, a NUL */
                       .ptx = JW_BUF(JW_MAX_PLAIN + 1),
                       .log = JW_BUF(JW_MAX_RTC_LOG) };
    bool ok = jw_parent_open(&c.parent, err) && serve(&c, err);

    jw_buf_free(&c.out);
    jw_buf_free(&c.source);
    jw_buf_free(&c.ptx);
    jw_buf_free(&c.log);
    jw_arena_free(&c.a);
    return ok; /* the library stays loaded: it may have threads, and the process ends now */
}
