#include "base/digest.h"
#include "base/limits.h"
#include "base/path.h"
#include "driver/api/nvrtc.h"
#include "driver/worker/child.h"
#include "formats/ptx.h"
#include "os/files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compiling {
    const struct jw_nvrtc_child *o;
    struct jw_rtc rtc;
    struct jw_arena a;
    uint16_t wanted, target;
    struct jw_buf source, ptx;
    struct jw_digest_text digest; /* of the source */
};

static const char *compute(struct compiling *c, uint16_t sm)
{
    return jw_arena_printf(&c->a, "compute_%u", sm);
}

/* Reads the source without the mark of UTF-8 that some editors put before it. */
static bool read_source(struct compiling *c, struct jw_err *why)
{
    static const char mark[] = "\xef\xbb\xbf";
    uint8_t digest[JW_DIGEST];
    bool found = false;

    if (!jw_file_slurp(c->o->source, &c->source, &found, why))
        return false;
    if (!found)
        return jw_fail(why, JW_E_IO, "no such file");
    if (jw_starts(jw_buf_bytes(&c->source), mark)) {
        c->source.n -= sizeof mark - 1;
        memmove(c->source.p, c->source.p + sizeof mark - 1, c->source.n);
    }
    if (!c->source.n)
        return jw_fail(why, JW_E_FORMAT, "it is empty");

    const uint8_t *nul = memchr(c->source.p, 0, c->source.n);

    jw_digest(digest, c->source.p, c->source.n);
    c->digest = jw_digest_text(digest);
    return !nul
           || jw_fail(why, JW_E_FORMAT, "it is no text: byte %zu is a NUL",
                      (size_t)(nul - c->source.p));
}

/* Chooses the newest architecture that NVRTC knows and that the GPU runs: PTX of an older one runs,
 * too. */
static bool choose_target(struct compiling *c, struct jw_err *why)
{
    const struct jw_rtc *r = &c->rtc;
    uint16_t lowest = UINT16_MAX;
    uint16_t highest = 0;

    if (!r->n_archs) /* NVRTC before 11.2 does not list them */
        c->target = c->wanted;
    for (size_t i = 0; i < r->n_archs; i++) {
        if (r->archs[i] <= c->wanted && r->archs[i] > c->target)
            c->target = r->archs[i];
        lowest = r->archs[i] < lowest ? r->archs[i] : lowest;
        highest = r->archs[i] > highest ? r->archs[i] : highest;
    }
    return c->target
           || jw_fail(why, JW_E_DRIVER, "NVRTC %u.%u (%.200s) compiles for %s to %s, not for %s",
                      r->major, r->minor, c->o->library, compute(c, lowest), compute(c, highest),
                      compute(c, c->wanted));
}

static bool check_library(struct compiling *c, struct jw_err *why)
{
    unsigned cuda = (unsigned)strtoul(c->o->cuda, NULL, 10);

    if (!choose_target(c, why))
        return false;
    return !cuda || c->rtc.major * 1000 + c->rtc.minor * 10 <= cuda
           || jw_fail(why, JW_E_DRIVER,
                      "NVRTC %u.%u (%.200s) makes PTX that the driver here, of CUDA %u.%u, does "
                      "not compile; one of that CUDA or older does",
                      c->rtc.major, c->rtc.minor, c->o->library, cuda / 1000, cuda % 1000 / 10);
}

/* The last two exist since 12.9. With its cache on, NVRTC loads the driver and stores into the
 * driver's cache; the seed decides the names of symbols that are local to the file. */
static size_t make_options(struct compiling *c, const char *options[4])
{
    options[0] = jw_arena_printf(&c->a, "--gpu-architecture=%s", compute(c, c->target));
    options[1] = jw_arena_printf(&c->a, "--include-path=%s", jw_path_dir(&c->a, c->o->source));
    options[2] = jw_arena_printf(&c->a, "--frandom-seed=%s", c->digest.text);
    options[3] = "--no-cache";
    return c->rtc.major > 12 || (c->rtc.major == 12 && c->rtc.minor >= 9) ? 4 : 2;
}

static bool compile(struct compiling *c, struct jw_err *why)
{
    const char *options[4];
    size_t n = make_options(c, options);
    struct jw_ptx head;

    if (!jw_rtc_compile(&c->rtc, jw_buf_cstr(&c->source), jw_path_base(c->o->source), options, n,
                        &c->ptx, why))
        return jw_wrap(why, "%sNVRTC %u.%u",
                       why->code == JW_E_FORMAT ? "it does not compile: " : "", c->rtc.major,
                       c->rtc.minor);
    if (memchr(c->ptx.p, 0, c->ptx.n))
        return jw_fail(why, JW_E_DRIVER, "NVRTC's PTX has a NUL in its middle");
    return jw_ptx_read(jw_buf_bytes(&c->ptx), &head, why) || jw_wrap(why, "what NVRTC made of it");
}

/* Writes the PTX. A file that holds it already is not touched, so that the ledger still
 * knows it. */
static bool keep(struct compiling *c, struct jw_err *why)
{
    struct jw_buf old = JW_BUF_IN(&c->a, JW_MAX_PLAIN);
    bool found = false;

    if (jw_file_slurp(c->o->ptx, &old, &found, JW_IGNORED) && old.n == c->ptx.n
        && memcmp(old.p, c->ptx.p, old.n) == 0)
        return true;
    return jw_file_put(c->o->ptx, JW_OUT_REPLACE, jw_buf_bytes(&c->ptx), why)
           || jw_wrap(why, "%s", c->o->ptx);
}

static enum jw_nvrtc_end serve(struct compiling *c, struct jw_err *why)
{
    if (!read_source(c, why))
        return JW_NVRTC_REFUSED;
    if (!jw_rtc_open(&c->rtc, c->o->library, why)) {
        jw_err_wrap(why, "NVRTC %.200s", c->o->library);
        return JW_NVRTC_BROKEN;
    }
    if (!check_library(c, why))
        return JW_NVRTC_UNFIT;
    if (strcmp(c->o->ptx, JW_NVRTC_LOADS) == 0)
        return JW_NVRTC_MADE;
    if (!compile(c, why) || !keep(c, why))
        return why->code == JW_E_DRIVER ? JW_NVRTC_BROKEN : JW_NVRTC_REFUSED;
    if (c->target != c->wanted)
        (void)jw_fail(
            why, JW_E_FORMAT,
            "NVRTC %u.%u does not know %s; %s is the newest before it that it knows, which the GPU "
            "takes, too",
            c->rtc.major, c->rtc.minor, compute(c, c->wanted), compute(c, c->target));
    return JW_NVRTC_MADE;
}

void jw_nvrtc_serve(const struct jw_nvrtc_child *o)
{
    struct compiling c = {.o = o,
                          .wanted = (uint16_t)strtoul(o->sm, NULL, 10),
                          .source = JW_BUF(JW_MAX_CU_SOURCE + 4), /* a mark of UTF-8, a NUL */
                          .ptx = JW_BUF(JW_MAX_PLAIN + 1)};
    struct jw_err why = {0};
    char end = (char)serve(&c, &why);

    printf(JW_NVRTC_SAYS "%c%s\n", end, why.msg);
    (void)fflush(stdout);
    jw_buf_free(&c.source);
    jw_buf_free(&c.ptx);
    jw_arena_free(
        &c.a); /* the library stays loaded: it may have threads, and the process ends now */
}
