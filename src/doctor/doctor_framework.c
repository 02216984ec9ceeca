#include "doctor/doctor_framework.h"
#include "base/text.h"
#include "facts/env_defaults.h"

#include <stdlib.h>
#include <string.h>

/* The default of drivers before CUDA 12: small for some programs. */
enum { OLD_DEFAULT = 268435456 };

const char *jw_word_name(enum jw_word w)
{
    static const char *const names[JW_WORDS] = { NULL,           "NATIVE",           "WARM",
                                                 "JIT_FIRST",    "JIT_EVERY",        "NO_KERNEL",
                                                 "DRIVER_OLD",   "PTX_TOO_NEW",      "CPU_BUILD",
                                                 "LIBS_MISSING", "WRONG_RESULT_RISK" };

    return names[w];
}

const char *jw_certainty_name(enum jw_certainty c)
{
    static const char *const names[] = { "certain", "likely", "risk" };

    return names[c];
}

const char *jw_case_env(const struct jw_case *c, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < c->n_env; i++)
        if (strcmp(c->env[i].name, name) == 0)
            value = c->env[i].value;
    return value;
}

bool jw_case_env_on(const struct jw_case *c, const char *name)
{
    const char *value = jw_case_env(c, name);

    return value && *value && strcmp(value, "0") != 0;
}

bool jw_case_forced(const struct jw_case *c)
{
    return jw_case_env_on(c, "CUDA_FORCE_PTX_JIT") || jw_case_env_on(c, "CUDA_FORCE_JIT");
}

unsigned jw_case_os(const struct jw_case *c)
{
    return c->system == JW_CASE_WINDOWS ? JW_ON_WINDOWS : c->aarch64 ? JW_ON_AARCH64 : JW_ON_LINUX;
}

/* ---- the driver ---- */

static int compare_drivers(const struct jw_driver_version *a, const struct jw_driver_version *b)
{
    if (a->branch != b->branch)
        return a->branch < b->branch ? -1 : 1;
    if (a->minor != b->minor)
        return a->minor < b->minor ? -1 : 1;
    return a->patch == b->patch ? 0 : a->patch < b->patch ? -1 : 1;
}

enum jw_drives jw_case_drives(const struct jw_case *c, unsigned sm)
{
    struct jw_driver_version v;
    struct jw_err ignored;

    if (!c->driver || !jw_driver_parse(c->driver, &v, &ignored))
        return JW_DRIVES;
    enum jw_drives d = jw_driver_drives(&v, sm);

    /* The table has Linux branches; Windows branches have other numbers. */
    return d == JW_DRIVER_TOO_OLD && c->system != JW_CASE_LINUX ? JW_DRIVES : d;
}

const char *jw_case_least(const struct jw_case *c, const struct jw_cuda_release *t)
{
    return c->system == JW_CASE_LINUX ? t->linux_least : t->windows_least;
}

bool jw_case_serves(const struct jw_case *c, unsigned cuda)
{
    struct jw_driver_version have, least;
    struct jw_cuda_release t;
    struct jw_err ignored;

    return !c->driver || !cuda || !jw_cuda_release_find(cuda, &t)
           || !jw_driver_parse(c->driver, &have, &ignored)
           || !jw_driver_parse(jw_case_least(c, &t), &least, &ignored) || compare_drivers(&have, &least) >= 0;
}

/* ---- reports ---- */

bool jw_software_report(const struct jw_case *c, const struct jw_software *s, unsigned sm,
                        enum jw_report_effect effect, struct jw_report *out)
{
    return jw_framework_report(s->framework, s->spec.number, jw_case_os(c), s->cuda, sm, effect, out);
}

/* ---- Python ---- */

/* Reads 3.11 as 311 and moves *text behind it; 0: no version. */
static unsigned take_python(const char **text)
{
    char *end;
    unsigned long major = strtoul(*text, &end, 10), minor;

    if (end == *text || *end != '.')
        return 0;
    *text = end + 1;
    minor = strtoul(*text, &end, 10);
    if (end == *text || major > 9 || minor > 99)
        return 0;
    *text = end;
    return (unsigned)(major * 100 + minor);
}

/* True if `python` is in "2.7 3.5-3.8", "3.7+" or "3.6/3.8"; an empty list has all. */
static bool python_fits(const char *list, const char *python)
{
    unsigned wanted = take_python(&python);

    if (!*list || !wanted)
        return true;
    while (*list) {
        unsigned low = take_python(&list), high = low;

        if (*list == '-') {
            list++;
            high = take_python(&list);
        } else if (*list == '+') {
            high = ~0U;
            list++;
        }
        if (low && low <= wanted && wanted <= high)
            return true;
        list += strcspn(list, " /");
        list += strspn(list, " /");
    }
    return false;
}

/* ---- libraries ---- */

/* True if the installed toolkit fits software built with `built`. Since CUDA 11 the major version decides. */
static bool serves(const struct jw_library *l, unsigned built)
{
    unsigned installed = l->version;

    if (l->majors)
        return built / 100 < 32 && (l->majors >> built / 100 & 1);
    return built >= 1100 ? installed / 100 == built / 100 : installed == built;
}

static bool libraries_missing(const struct jw_case *c, const struct jw_software *s)
{
    if (s->framework == JW_NO_FRAMEWORK || s->about.libs != JW_LIBS_OUTSIDE || s->spec.with_libs)
        return false;
    if (c->cuda.presence == JW_PRESENCE_NONE
        || (c->cuda.presence == JW_PRESENCE_VERSION && s->cuda && !serves(&c->cuda, s->cuda)))
        return true;
    if (!s->has_build || !*s->build.cudnn)
        return false;
    return c->cudnn.presence == JW_PRESENCE_NONE
           || (c->cudnn.presence == JW_PRESENCE_VERSION && jw_cuda_number(s->build.cudnn)
               && (c->cudnn.majors ? !serves(&c->cudnn, jw_cuda_number(s->build.cudnn))
                                   : c->cudnn.version / 100 != jw_cuda_number(s->build.cudnn) / 100));
}

/* ---- is it kept? ---- */

/* An entry holds the PTX and its machine code, which is about as large. */
static enum jw_every too_small(uint64_t limit, uint64_t ptx_bytes, struct jw_judgement *j)
{
    if (ptx_bytes == 0) {
        j->certainty = JW_AT_RISK;
        return limit <= OLD_DEFAULT ? JW_CACHE_SMALL : JW_KEPT;
    }
    j->certainty = limit < ptx_bytes ? JW_CERTAIN : JW_AT_RISK;
    return limit < 2 * ptx_bytes ? JW_CACHE_SMALL : JW_KEPT;
}

static enum jw_every kept(const struct jw_case *c, uint64_t ptx_bytes, struct jw_judgement *j)
{
    const char *size = jw_case_env(c, "CUDA_CACHE_MAXSIZE"), *path = jw_case_env(c, "CUDA_CACHE_PATH");
    uint64_t limit = 0;
    enum jw_every every;

    j->certainty = JW_CERTAIN;
    if (jw_cache_is_off(jw_case_env(c, "CUDA_CACHE_DISABLE")))
        return JW_CACHE_OFF;
    if (c->not_kept)
        return JW_CACHE_BROKEN;
    if (size && *size && !jw_text_u64(size, &limit)) {
        j->certainty = JW_LIKELY;
        return JW_CACHE_SUFFIX;
    }
    /* A limit equal to the driver's default changes nothing. */
    bool usual = c->driver && limit == jw_cache_default(c->driver);

    if (size && *size && !usual && (every = too_small(limit, ptx_bytes, j)) != JW_KEPT)
        return every;
    j->certainty = JW_LIKELY;
    return c->container && !(path && *path) ? JW_CACHE_GONE : JW_KEPT;
}

/* ---- the verdict ---- */

static bool no_verdict(const struct jw_case *c, const struct jw_software *s, size_t gpu,
                       struct jw_judgement *j)
{
    const char *visible = jw_case_env(c, "CUDA_VISIBLE_DEVICES");
    bool guess = s->match == JW_MATCH_NEWER || s->match == JW_MATCH_BETWEEN || s->match == JW_MATCH_NEAR;
    bool known = s->from_files || (s->has_build && !guess) || s->toolkit_only;

    if (!known || s->code[gpu].apart)
        j->reason = JW_BECAUSE_UNKNOWN;
    else if (s->match == JW_MATCH_NO_VARIANT)
        j->reason = *s->variant ? JW_BECAUSE_VARIANT : JW_BECAUSE_UNKNOWN;
    else if (s->match == JW_MATCH_NO_SYSTEM)
        j->reason = JW_BECAUSE_SYSTEM;
    else if (s->has_build && !s->from_files && c->python && !python_fits(s->build.python, c->python))
        j->reason = JW_BECAUSE_PYTHON;
    else if (visible && (!*visible || strcmp(visible, "-1") == 0))
        j->reason = JW_BECAUSE_HIDDEN;
    else
        return false;
    return true;
}

static enum jw_word compiled(const struct jw_case *c, const struct jw_software *s, size_t gpu,
                             struct jw_judgement *j)
{
    const struct jw_gpu_code *code = &s->code[gpu];
    struct jw_report r;

    if (jw_case_env_on(c, "CUDA_DISABLE_PTX_JIT") || jw_case_env_on(c, "CUDA_DISABLE_JIT")) {
        j->reason = JW_BECAUSE_SWITCHED_OFF;
        return JW_WORD_NO_KERNEL;
    }
    j->known_to_fail = jw_software_report(c, s, c->gpus[gpu].sm, JW_REPORT_FAILS, &r);
    j->every = kept(c, code->ptx_bytes, j);
    return j->every == JW_KEPT ? JW_WORD_JIT_FIRST : JW_WORD_JIT_EVERY;
}

static enum jw_word of_code(const struct jw_case *c, const struct jw_software *s, size_t gpu,
                            struct jw_judgement *j)
{
    const struct jw_gpu_code *code = &s->code[gpu];

    if (jw_case_forced(c))
        j->reason = JW_BECAUSE_FORCED;
    if (code->packed) {
        j->reason = JW_BECAUSE_PACKED;
        return JW_WORD_DRIVER_OLD;
    }
    if (code->blocked)
        return JW_WORD_PTX_TOO_NEW;
    if (code->jit)
        return compiled(c, s, gpu, j);
    if (code->warm)
        return JW_WORD_WARM;
    return code->native || !code->none ? JW_WORD_NATIVE : JW_WORD_NO_KERNEL;
}

/* Puts a worse verdict first; the old one becomes `also`. */
static void put_first(struct jw_judgement *j, enum jw_word word, enum jw_reason reason)
{
    j->also = j->word;
    j->word = word;
    j->reason = reason;
}

/* True if the project dropped the GPU: only code of bundled libraries is left for it. */
static bool gave_up(const struct jw_case *c, const struct jw_software *s, unsigned sm)
{
    struct jw_report r;

    return !s->from_files && !s->by_message && s->framework != JW_NO_FRAMEWORK
           && jw_software_report(c, s, sm, JW_REPORT_ENDED, &r);
}

struct jw_judgement jw_judge(const struct jw_case *c, const struct jw_software *s, size_t gpu)
{
    struct jw_judgement j = { 0 };
    unsigned sm = c->gpus[gpu].sm;
    enum jw_drives d = jw_case_drives(c, sm);
    struct jw_cuda_release t;
    struct jw_report r;

    if (s->cpu
        || (s->has_build && !s->from_files && s->match != JW_MATCH_NO_SYSTEM
            && jw_framework_for_cpu(&s->build))) {
        j.word = JW_WORD_CPU_BUILD;
        return j;
    }
    if (no_verdict(c, s, gpu, &j))
        return j;
    bool code_known =
        s->from_files || s->by_message || (s->has_build && *s->build.code) || (s->toolkit_only && s->cuda);

    memcpy(j.from, s->code[gpu].from, sizeof j.from);
    bool wrong = jw_software_report(c, s, sm, JW_REPORT_WRONG, &r);

    if (code_known)
        j.word = gave_up(c, s, sm) ? JW_WORD_NO_KERNEL : of_code(c, s, gpu, &j);
    else if (s->cuda && jw_cuda_release_find(s->cuda, &t) && sm < t.oldest)
        j.word = JW_WORD_NO_KERNEL; /* its toolkit does not support the GPU any more */
    else if (wrong && s->has_build)
        j.word = compiled(c, s, gpu, &j); /* by a report */
    else
        j.reason = s->toolkit_only ? JW_BECAUSE_UNASKED : JW_BECAUSE_UNKNOWN;
    if (j.word == JW_WORD_NO_KERNEL)
        return j;
    if (j.word == JW_WORD_JIT_FIRST || j.word == JW_WORD_JIT_EVERY)
        if (wrong)
            put_first(&j, JW_WORD_WRONG_RESULT_RISK, JW_BECAUSE_CODE);
    if (libraries_missing(c, s))
        put_first(&j, JW_WORD_LIBS_MISSING, j.reason);
    if (!jw_case_serves(c, s->cuda))
        put_first(&j, JW_WORD_DRIVER_OLD, JW_BECAUSE_TOOLKIT);
    if (d == JW_DRIVER_TOO_OLD)
        put_first(&j, JW_WORD_DRIVER_OLD, JW_BECAUSE_GPU);
    else if (d == JW_DRIVER_TOO_NEW)
        put_first(&j, JW_WORD_NONE, JW_BECAUSE_DROPPED);
    return j;
}
