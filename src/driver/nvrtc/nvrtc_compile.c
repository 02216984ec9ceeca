#include "driver/nvrtc/nvrtc_compile.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "driver/nvrtc/nvrtc_keep.h"
#include "formats/ptx.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

static void fit_target(const struct jw_nvrtc_library *lib, struct jw_arch wanted, struct jw_nvrtc_offer *o)
{
    if (!lib->n_archs) {
        o->fit = JW_FIT_UNKNOWN;
        o->target = wanted;
    }
    for (size_t i = 0; i < lib->n_archs && o->fit != JW_FIT_EXACTLY; i++) {
        /* `a` and `f` targets have no older substitute. */
        bool older = !wanted.suffix && lib->archs[i] < wanted.sm && lib->archs[i] > o->target.sm;

        if (lib->archs[i] == wanted.sm) {
            o->fit = JW_FIT_EXACTLY;
            o->target = wanted;
        } else if (older) {
            o->fit = JW_FIT_OLDER;
            o->target.sm = lib->archs[i];
        }
    }
}

struct jw_nvrtc_offer jw_nvrtc_offer(const struct jw_nvrtc_library *lib, struct jw_nvrtc_wish wish)
{
    struct jw_nvrtc_offer o = { .fit = JW_FIT_NONE };

    fit_target(lib, wish.target, &o);
    o.too_new = wish.driver_cuda && lib->major * 1000 + lib->minor * 10 > wish.driver_cuda;
    return o;
}

bool jw_nvrtc_better(struct jw_nvrtc_offer a, const struct jw_nvrtc_library *la, struct jw_nvrtc_offer b,
                     const struct jw_nvrtc_library *lb)
{
    if (a.too_new != b.too_new)
        return b.too_new;
    if (a.fit != b.fit)
        return a.fit > b.fit;
    if (a.target.sm != b.target.sm)
        return a.target.sm > b.target.sm;
    return la->major != lb->major ? la->major > lb->major : la->minor > lb->minor;
}

/* ---- the libraries that were tried ---- */

struct chooser {
    struct jw_nvrtc_wish wish;
    const struct jw_nvrtc_worker_options *options;
    struct jw_arena *a;
    struct jw_nvrtc_choice *out;
    struct jw_err *err;
};

static void outcome(struct chooser *c, struct jw_nvrtc_tried *t, const char *text)
{
    t->outcome = jw_arena_str(c->a, text);
}

static bool knows_too_little(struct chooser *c, struct jw_nvrtc_tried *t, const struct jw_nvrtc_library *lib)
{
    struct jw_arch lowest = { lib->archs[0], 0 }, highest = lowest;
    char text[160];

    for (size_t i = 0; i < lib->n_archs; i++) {
        lowest.sm = lib->archs[i] < lowest.sm ? lib->archs[i] : lowest.sm;
        highest.sm = lib->archs[i] > highest.sm ? lib->archs[i] : highest.sm;
    }
    (void)snprintf(text, sizeof text, "compiles for %s to %s, not for %s",
                   jw_arch_name("compute_", lowest).text, jw_arch_name("compute_", highest).text,
                   jw_arch_name("compute_", c->wish.target).text);
    outcome(c, t, text);
    return true;
}

static bool is_too_new(struct chooser *c, struct jw_nvrtc_tried *t)
{
    char text[160];

    (void)snprintf(text, sizeof text, "makes PTX that the driver here, of CUDA %u.%u, does not compile",
                   c->wish.driver_cuda / 1000, c->wish.driver_cuda % 1000 / 10);
    outcome(c, t, text);
    return true;
}

/* By its name alone, can this library not be better than the choice? */
static bool settled(const struct jw_nvrtc_choice *c, const struct jw_toolkit_place *place)
{
    return c->worker && c->offer.fit == JW_FIT_EXACTLY && !c->offer.too_new
           && ((place->major && place->major < jw_nvrtc_worker_library(c->worker)->major)
               || (c->place->builtins && !place->builtins));
}

/* Keeps the better of the two and stops the other's worker. */
static bool weigh(struct chooser *c, const struct jw_toolkit_place *place, struct jw_nvrtc_worker *w,
                  struct jw_nvrtc_tried *t)
{
    const struct jw_nvrtc_library *lib = jw_nvrtc_worker_library(w);
    struct jw_nvrtc_offer offer = jw_nvrtc_offer(lib, c->wish);
    struct jw_nvrtc_choice *best = c->out;

    t->major = lib->major;
    t->minor = lib->minor;

    bool usable = offer.fit != JW_FIT_NONE;
    bool ok = !usable ? knows_too_little(c, t, lib) : !offer.too_new || is_too_new(c, t);

    if (usable
        && (!best->worker
            || jw_nvrtc_better(offer, lib, best->offer, jw_nvrtc_worker_library(best->worker)))) {
        struct jw_nvrtc_worker *worse = best->worker;

        best->worker = w;
        best->place = place;
        best->offer = offer;
        w = worse;
    }
    jw_nvrtc_worker_stop(w);
    return ok;
}

static bool ask_library(struct chooser *c, const struct jw_toolkit_place *place, struct jw_nvrtc_tried *t)
{
    struct jw_nvrtc_worker_options o = *c->options;
    struct jw_nvrtc_worker *w = NULL;
    struct jw_err why = { 0 };

    o.library = place->path;
    if (jw_nvrtc_worker_start(&w, &o, &why))
        return weigh(c, place, w, t);
    if (why.code == JW_E_DRIVER) {
        outcome(c, t, why.msg);
        return true;
    }
    *c->err = why;
    return false;
}

/* Sets the outcome of those that were usable but not chosen. */
static void close_tried(struct jw_nvrtc_choice *c, const struct jw_toolkit_places *places)
{
    for (size_t i = 0; i < c->n_tried; i++)
        if (c->place == &places->v[i])
            c->tried[i].outcome = "used";
        else if (!c->tried[i].outcome)
            c->tried[i].outcome = c->tried[i].major ? "not needed: another is as good or better"
                                                    : "not asked: a newer one compiles for this GPU";
}

bool jw_nvrtc_choose(const struct jw_toolkit_places *places, struct jw_nvrtc_wish wish,
                     const struct jw_nvrtc_worker_options *o, struct jw_arena *a, struct jw_nvrtc_choice *out,
                     struct jw_err *err)
{
    struct chooser c = { wish, o, a, out, err };

    *out = (struct jw_nvrtc_choice){ .tried = jw_arena_alloc(a, (places->n + 1) * sizeof *out->tried),
                                     .n_tried = places->n };
    for (size_t i = 0; i < places->n; i++)
        out->tried[i] = (struct jw_nvrtc_tried){ .path = places->v[i].path };
    for (size_t i = 0; i < places->n; i++)
        if (!settled(out, &places->v[i]) && !ask_library(&c, &places->v[i], &out->tried[i])) {
            jw_nvrtc_worker_stop(out->worker);
            out->worker = NULL;
            return false;
        }
    close_tried(out, places);
    return true;
}

enum { RTC_INVALID_OPTION = 5, RTC_COMPILATION = 6 }; /* of nvrtcResult */

struct run {
    const struct jw_nvrtc_options *o;
    struct jw_nvrtc_report *out;
    struct jw_arena *a;
    struct jw_err *err;
    struct jw_nvrtc_wish wish;
    struct jw_buf source, log;
    struct jw_nvrtc_choice choice;
    const char *options[JW_MAX_RTC_OPTIONS];
    size_t n_options;
};

/* A copy for the report; NULL: err says why. */
static const char *keep_text(struct run *r, struct jw_buf *text)
{
    const char *made = jw_buf_cstr(text);
    const char *kept = jw_buf_ok(text, r->err) ? jw_arena_str(r->a, made) : NULL;

    jw_buf_free(text);
    return kept;
}

/* ---- the request ---- */

static bool check_options(struct run *r)
{
    const struct jw_nvrtc_options *o = r->o;

    return jw_arch_parse(o->arch, &r->wish.target)
           || jw_fail(r->err, JW_E_USAGE, "%s: \"%s\" is no architecture", o->source, o->arch);
}

/* Skips a UTF-8 byte order mark. */
static void drop_bom(struct jw_buf *b)
{
    if (jw_starts(jw_buf_bytes(b), "\xef\xbb\xbf")) {
        b->n -= 3;
        memmove(b->p, b->p + 3, b->n);
    }
}

static bool read_source(struct run *r)
{
    const char *path = r->o->source;
    struct jw_file_info info;
    struct jw_err ignored;
    bool found = false;

    if (jw_file_stat(path, &info, &ignored) && info.size > JW_MAX_CU_SOURCE)
        return jw_fail(r->err, JW_E_LIMIT, "%s: a source of more than %zu bytes", path, JW_MAX_CU_SOURCE);
    if (!jw_file_slurp(path, &r->source, &found, r->err))
        return jw_wrap(r->err, "%s", path);
    if (!found)
        return jw_fail(r->err, JW_E_IO, "%s: no such file", path);
    drop_bom(&r->source);
    if (!r->source.n)
        return jw_fail(r->err, JW_E_FORMAT, "%s: it is empty", path);

    const uint8_t *nul = memchr(r->source.p, 0, r->source.n);

    return !nul
           || jw_fail(r->err, JW_E_FORMAT, "%s: it is no text: byte %zu is a NUL", path,
                      (size_t)(nul - r->source.p));
}

/* ---- which NVRTC ---- */

static struct jw_toolkit_places list_libraries(struct run *r)
{
    struct jw_toolkit_place given = { .how = "given", .builtins = true };

    if (!r->o->library)
        return jw_nvrtc_find(r->o->where, r->a);
    given.path = jw_arena_str(r->a, r->o->library);
    return (struct jw_toolkit_places){ .v = jw_arena_copy(r->a, &given, sizeof given), .n = 1 };
}

/* The Python package with an NVRTC for this architecture. */
static const char *package_for(struct jw_arch t)
{
    return t.sm >= 75   ? "nvidia-cuda-nvrtc"
           : t.sm >= 50 ? "nvidia-cuda-nvrtc-cu12"
                        : "nvidia-cuda-nvrtc-cu11";
}

/* The tried library for the message: one with a version, else the first. */
static const struct jw_nvrtc_tried *most_telling(const struct run *r)
{
    const struct jw_nvrtc_tried *found = NULL;

    for (size_t i = 0; i < r->choice.n_tried; i++) {
        const struct jw_nvrtc_tried *t = &r->choice.tried[i];

        if (t->major)
            return t;
        if (!found && (r->o->library || jw_path_absolute(t->path)))
            found = t;
    }
    return found;
}

static bool fail_without(struct run *r)
{
    const struct jw_nvrtc_tried *why = most_telling(r);
    const char *package = package_for(r->wish.target), *source = r->o->source;

    if (why && why->major)
        return jw_fail(r->err, JW_E_DRIVER, "%s: NVRTC %u.%u (%s) %s; try \"pip install %s\"", source,
                       why->major, why->minor, why->path, why->outcome, package);
    if (why)
        return jw_fail(r->err, JW_E_DRIVER, "%s: no NVRTC that can be used to compile it: %s", source,
                       why->outcome);
    return jw_fail(
        r->err, JW_E_DRIVER,
        "%s: no NVRTC was found to compile it (%s); \"pip install %s\" or NVIDIA's CUDA toolkit gives one",
        source, jw_nvrtc_where(jw_os_is_windows()), package);
}

static bool note_arch(struct run *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_nvrtc_report *out = r->out;

    (void)snprintf(out->arch, sizeof out->arch, "%s", jw_arch_name("compute_", r->choice.offer.target).text);
    if (r->choice.offer.fit != JW_FIT_OLDER)
        return true;
    jw_buf_printf(
        &text,
        "NVRTC %u.%u does not know %s; %s is the newest before it that it knows, which the GPU takes, too",
        out->major, out->minor, jw_arch_name("compute_", r->wish.target).text, out->arch);
    out->arch_note = keep_text(r, &text);
    return out->arch_note != NULL;
}

static bool note_driver(struct run *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    unsigned cuda = r->wish.driver_cuda;

    if (!r->choice.offer.too_new)
        return true;
    jw_buf_printf(&text, "the driver here, of CUDA %u.%u, does not compile the PTX of NVRTC %u.%u",
                  cuda / 1000, cuda % 1000 / 10, r->out->major, r->out->minor);
    r->out->driver_note = keep_text(r, &text);
    return r->out->driver_note != NULL;
}

static bool choose_library(struct run *r)
{
    const struct jw_nvrtc_worker_options w = { .exe = r->o->exe,
                                               .timeout_ms = r->o->timeout_ms,
                                               .interrupted = r->o->interrupted };
    struct jw_toolkit_places places = list_libraries(r);
    struct jw_nvrtc_report *out = r->out;

    if (!jw_nvrtc_choose(&places, r->wish, &w, r->a, &r->choice, r->err))
        return jw_wrap(r->err, "%s", r->o->source);
    if (!r->choice.worker)
        return fail_without(r);

    const struct jw_nvrtc_library *lib = jw_nvrtc_worker_library(r->choice.worker);

    out->major = lib->major;
    out->minor = lib->minor;
    return note_arch(r) && note_driver(r);
}

/* ---- its options ---- */

static bool add_option(struct run *r, const char *name, const char *value)
{
    struct jw_buf text = JW_BUF(JW_MAX_PATH);

    if (r->n_options == JW_COUNT(r->options))
        return jw_fail(r->err, JW_E_LIMIT, "%s: more than %zu options for NVRTC", r->o->source,
                       JW_MAX_RTC_OPTIONS);
    jw_buf_text(&text, name);
    jw_buf_text(&text, value);
    r->options[r->n_options] = keep_text(r, &text);
    return r->options[r->n_options++] != NULL;
}

/* Both options exist since 12.9. With its cache on, NVRTC loads the driver and stores into the driver's cache. */
static bool add_new_options(struct run *r)
{
    char hex[2 * JW_DIGEST + 1];
    uint8_t digest[JW_DIGEST];

    if (r->out->major < 12 || (r->out->major == 12 && r->out->minor < 9))
        return true;
    jw_digest(digest, r->source.p, r->source.n);
    jw_digest_hex(hex, digest);
    return add_option(r, "--frandom-seed=", hex) && add_option(r, "--no-cache", "");
}

static bool make_options(struct run *r)
{
    return add_option(r, "--gpu-architecture=", r->out->arch)
           && add_option(r, "--include-path=", jw_path_dir(r->a, r->o->source)) && add_new_options(r);
}

/* ---- the compilation ---- */

/* Keeps line ends and tabs, which align NVRTC's marks. */
static bool keep_log(struct run *r)
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
    r->out->log = keep_text(r, &clean);
    return r->out->log != NULL;
}

static bool check_ptx(struct run *r, struct jw_bytes ptx)
{
    struct jw_ptx head;

    if (ptx.n && memchr(ptx.p, 0, ptx.n))
        return jw_fail(r->err, JW_E_DRIVER, "%s: NVRTC's PTX has a NUL in its middle", r->o->source);
    return jw_ptx_read(ptx, &head, r->err) || jw_wrap(r->err, "%s: what NVRTC made of it", r->o->source);
}

static bool fail_compile(struct run *r, const struct jw_nvrtc_result *result)
{
    enum jw_code code = result->code == RTC_COMPILATION      ? JW_E_FORMAT
                        : result->code == RTC_INVALID_OPTION ? JW_E_USAGE
                                                             : JW_E_DRIVER;

    return jw_fail(r->err, code, "%s does not compile: NVRTC %u.%u says %s", r->o->source, r->out->major,
                   r->out->minor, result->name);
}

static bool compile_source(struct run *r, struct jw_buf *ptx)
{
    const struct jw_nvrtc_job job = { .name = jw_path_base(r->o->source),
                                      .source = jw_buf_bytes(&r->source),
                                      .options = r->options,
                                      .n_options = r->n_options };
    struct jw_nvrtc_result result;
    size_t start = ptx->n;

    if (r->o->keep)
        r->out->kept = jw_nvrtc_kept_path(r->a, r->o->keep, &job, jw_nvrtc_worker_library(r->choice.worker));
    if (r->out->kept && jw_nvrtc_stands_alone(job.source) && jw_nvrtc_kept(r->out->kept, ptx)) {
        r->out->reused = true;
        return check_ptx(r, (struct jw_bytes){ ptx->p + start, ptx->n - start });
    }
    bool ok = jw_nvrtc_worker_compile(r->choice.worker, &job, ptx, &r->log, &result, r->err)
              || jw_wrap(r->err, "%s", r->o->source);

    ok = ok && keep_log(r) && (!result.code || fail_compile(r, &result))
         && check_ptx(r, (struct jw_bytes){ ptx->p + start, ptx->n - start })
         && (!r->out->kept
             || jw_nvrtc_keep(r->out->kept, (struct jw_bytes){ ptx->p + start, ptx->n - start }, r->a,
                              r->err));
    if (!ok && !ptx->bad)
        ptx->n = start;
    return ok;
}

bool jw_nvrtc_compile(const struct jw_nvrtc_options *o, struct jw_buf *ptx, struct jw_nvrtc_report *out,
                      struct jw_err *err)
{
    *out = (struct jw_nvrtc_report){ .log = "" };

    struct run r = { .o = o,
                     .out = out,
                     .a = &out->arena,
                     .err = err,
                     .wish = { .driver_cuda = o->driver_cuda },
                     .source = JW_BUF(JW_MAX_CU_SOURCE),
                     .log = JW_BUF(JW_MAX_RTC_LOG + 1) }; /* and a NUL */
    bool ok = check_options(&r) && read_source(&r) && choose_library(&r) && make_options(&r)
              && compile_source(&r, ptx);

    jw_nvrtc_worker_stop(r.choice.worker);
    jw_buf_free(&r.source);
    jw_buf_free(&r.log);
    return ok;
}

void jw_nvrtc_report_free(struct jw_nvrtc_report *r)
{
    jw_arena_free(&r->arena);
    *r = (struct jw_nvrtc_report){ 0 };
}
