/* Findings about software: one function for each verdict. */
#include "base/text.h"
#include "doctor/doctor_software.h"
#include "doctor/doctor_words.h"
#include "facts/archs.h"
#include "facts/compile_time.h"
#include "facts/drivers.h"
#include "facts/env_defaults.h"
#include "machine/shell.h"
#include "prime/memory/receipts.h"
#include "session/lines.h"

#include <string.h>

/* One piece of software on one kind of GPU. */
struct verdict_ctx {
    const struct jw_software_case *c;
    const struct jw_software *s;
    const struct jw_software_check *k;
    const struct jw_gpu_code *code;
    const struct jw_gpu *gpu;
    const char *name, *gpu_name;
    struct jw_findings *f;
};

const char *jw_software_name(const struct jw_software *s, struct jw_findings *f)
{
    return *s->version ? jw_fmt(f, "%s %s", s->title, s->version) : s->title;
}

/* "NVIDIA GeForce RTX 3070 (compute capability 8.6)" */
static const char *jw_gpu_phrase(const struct jw_gpu *gpu, struct jw_findings *f)
{
    if (gpu->name[0])
        return jw_fmt(f, "%s (compute capability %u.%u)", gpu->name, gpu->sm / 10, gpu->sm % 10);
    return jw_fmt(f, "a GPU of compute capability %u.%u", gpu->sm / 10, gpu->sm % 10);
}

/* "2.5 to 2.6", "2.4", "2.11 and newer" */
static const char *versions_text(const struct jw_framework *r, struct jw_findings *f)
{
    size_t n = strcspn(r->versions, "-");
    const char *last = r->versions + n;

    if (!*last)
        return r->versions;
    return last[1] ? jw_fmt(f, "%.*s to %s", (int)n, r->versions, last + 1)
                   : jw_fmt(f, "%.*s and newer", (int)n, r->versions);
}

/* How the content is known: "read from its files". Lives with the findings. */
static const char *known_of(const struct jw_software *s, struct jw_findings *f)
{
    switch (s->from) {
    case JW_FROM_FILES:
        if (s->files)
            return jw_fmt(f, "read from %llu files of %s (%s): certain", (unsigned long long)s->n_files,
                          s->path, s->files);
        return s->cpu ? jw_fmt(f, "no GPU code in any of its files (%s)", s->path)
                      : jw_fmt(f, "read from its files (%s): certain", JW_N(s->modules, "module", "modules"));
    case JW_FROM_TABLE:
        return s->guessed ? jw_fmt(f,
                                   "the log names CUDA %s and no version: taken for %s, the newest "
                                   "built with it at the time of the log",
                                   s->framework->cuda_text, jw_software_name(s, f))
                          : jw_fmt(f, "jitwarm's table of frameworks: %s %s, %s%s", s->title,
                                   versions_text(s->framework, f), s->cpu ? "no CUDA code" : "CUDA ",
                                   s->framework->cuda_text);
    case JW_FROM_MESSAGE:
        return s->guessed
                   ? "from the list of architectures that it prints, which does not say for which of them it "
                     "has PTX: likely"
               : *s->version ? "from the list of architectures that this release is built for: certain, but "
                               "for a build of one's own"
                             : "from the list in its own message: certain";
    default: return "this version is not in jitwarm's table of frameworks";
    }
}

/* Subject and evidence are the software and how it is known, unless the finding has others. */
static void add(const struct verdict_ctx *v, struct jw_finding one)
{
    one.subject = one.subject ? one.subject : v->name;
    one.evidence = one.evidence ? one.evidence : known_of(v->s, v->f);
    jw_finding_add(v->f, one);
}
#define ADD(v, ...) add(v, (struct jw_finding){ __VA_ARGS__ })
#define COMMAND(v, ...) JW_COMMAND((v)->f->a, on_windows(v), __VA_ARGS__)

static bool reported(const struct verdict_ctx *v, enum jw_report_effect effect, struct jw_report *out)
{
    const struct jw_software *s = v->s;

    return s->product != JW_NO_PRODUCT
           && jw_framework_report(s->product, s->number, v->c->system, s->framework ? s->framework->cuda : 0,
                                  v->gpu->sm, effect, out);
}

/* ---- pieces of sentences ---- */

static bool on_windows(const struct verdict_ctx *v)
{
    return v->c->system == JW_BUILD_WINDOWS;
}

static const char *compiler_title(const struct verdict_ctx *v)
{
    return strcmp(v->s->about.compiler, "nvrtc") == 0 ? "NVRTC" : "ptxas";
}

/* "TensorFlow 2.5 to 2.6 (CUDA 11.2) has machine code for it"; NULL: no such version is known. */
static const char *ready_version(const struct verdict_ctx *v)
{
    struct jw_framework r;
    bool older;

    if (!jw_software_ready(v->c, v->s, v->gpu, &r, &older))
        return NULL;
    unsigned needs = jw_own_compiler_needs(&v->s->about, r.cuda, v->gpu->sm);

    return jw_fmt(v->f, "%s%s %s (CUDA %s) has machine code for it%s", older ? "the older " : "", v->s->title,
                  versions_text(&r, v->f), r.cuda_text,
                  needs ? jw_fmt(v->f, ", and needs %s of CUDA %u.%u or newer besides", compiler_title(v),
                                 needs / 100, needs % 100)
                        : "");
}

static const char *install_ready(const struct verdict_ctx *v)
{
    struct jw_framework r;
    bool older;

    if (!jw_software_ready(v->c, v->s, v->gpu, &r, &older))
        return NULL;
    const uint16_t *n = older ? r.high : r.low;

    return jw_fmt(v->f, "%s %s", v->s->pip && *v->s->pip ? v->s->pip : "pip",
                  COMMAND(v, "install", jw_fmt(v->f, "%s==%u.%u.*", r.package, n[0], n[1])));
}

static const char *set_variable(const struct verdict_ctx *v, const char *name, const char *value)
{
    if (v->c->machine)
        return doctor_set_command(v->c->machine, name, value, v->f);
    return on_windows(v) ? COMMAND(v, "setx", name, value)
                         : COMMAND(v, "export", jw_fmt(v->f, "%s=%s", name, value));
}

/* The size of the cache with all of it compiled; 0: not known. */
static uint64_t cache_need(const struct verdict_ctx *v)
{
    return v->code->ptx_bytes ? v->c->cache_used + jw_cache_bytes_for(v->code->ptx_bytes) : 0;
}

/* The recommended limit, at most the documented maximum. */
/* The default limit of the driver here, or if none is known, of the oldest that drives this GPU. */
static uint64_t usual_limit(const struct verdict_ctx *v)
{
    const struct jw_arch_fact *arch = jw_arch_find(v->gpu->sm);

    return jw_cache_default(v->c->driver                 ? v->c->driver
                            : arch && arch->first_branch ? jw_driver_branch_text(arch->first_branch)
                                                         : NULL);
}

static uint64_t better_limit(const struct verdict_ctx *v)
{
    uint64_t better = jw_cache_limit_for(cache_need(v), jw_cache_default(v->c->driver));

    return better ? better : jw_cache_limits().max;
}

static bool default_is_enough(const struct verdict_ctx *v)
{
    return better_limit(v) <= usual_limit(v);
}

/* The line for the place where a log's program ran: the shell and the logins there are not known. */
static const char *set_limit(const struct verdict_ctx *v)
{
    const struct jw_line_shell there = { .windows = on_windows(v),
                                         .container = v->c->container,
                                         .driver = v->c->driver };

    return v->c->machine ? set_variable(v, "CUDA_CACHE_MAXSIZE",
                                        jw_fmt(v->f, "%llu", (unsigned long long)better_limit(v)))
                         : jw_line_limit_in(&there, better_limit(v), v->f->a);
}

static const char *prime(const struct verdict_ctx *v)
{
    const struct jw_doctor_machine *m = v->c->machine;
    bool hidden = false;

    for (size_t i = 0; m && i < m->probe.n_devices; i++)
        hidden |= m->probe.devices[i].hidden && m->probe.devices[i].sm == v->gpu->sm;
    return !m           ? "jitwarm prime"
           : !hidden    ? doctor_prime(m, v->f)
           : m->windows ? jw_shell_then(v->f->a, true, m->shows, doctor_prime(m, v->f))
                        : jw_fmt(v->f, "%s %s", m->shows, doctor_prime(m, v->f));
}

/* With a cache that holds it, in one line. */
static const char *prime_with_limit(const struct verdict_ctx *v)
{
    return jw_shell_then(v->f->a, on_windows(v), set_limit(v), prime(v));
}

/* By prime's measurements here, or else by the usual rates. */
static double seconds(const struct verdict_ctx *v)
{
    return jw_compile_seconds_by(v->c->rates, v->c->n_rates, v->gpu->sm, v->code->jit, v->code->ptx_bytes);
}

static const char *duration(const struct verdict_ctx *v)
{
    bool lazy = jw_isa_is_lazy(v->code->isa_major, v->code->isa_minor);

    /* By size it is a fit of other machines: a slow or busy one takes several times as long. */
    return jw_fmt(v->f, "%s%s on one CPU core%s%s", seconds(v) < 1 ? "" : "about ", JW_DURATION(seconds(v)),
                  jw_compile_rate_of(v->c->rates, v->c->n_rates, v->gpu->sm)
                      ? ", as measured here"
                      : ", longer on a slow or busy one",
                  lazy ? ", for a program that loads all of it" : "");
}

static const char *how_long(const struct verdict_ctx *v)
{
    struct jw_report r;

    if (v->c->waited_s >= 1) /* a wait that others report may be the one of this log */
        return jw_fmt(v->f, "; in this log it took %s", JW_CLOCK(v->c->waited_s + 0.5));
    if (v->s->from != JW_FROM_FILES && reported(v, JW_REPORT_COST, &r))
        return jw_fmt(v->f, "; others waited %s", r.text);
    if (v->code->ptx_bytes && v->s->from != JW_FROM_MESSAGE)
        return jw_fmt(v->f, "; by its size that is %s", duration(v));
    return "; expect minutes";
}

/* "; 32 modules are warm already; 1 entry in the cache is damaged" */
static const char *warm_part(const struct verdict_ctx *v)
{
    const struct jw_gpu_code *code = v->code;
    const char *warm =
        code->warm ? jw_fmt(v->f, "; %s warm already", JW_N(code->warm, "module is", "modules are")) : "";

    return code->damaged
               ? jw_fmt(v->f, "%s; %s damaged", warm,
                        JW_N(code->damaged, "entry of it in the cache is", "entries of it in the cache are"))
               : warm;
}

static const char *of_ptx(const struct verdict_ctx *v)
{
    return *v->code->from ? jw_fmt(v->f, " (%s)", v->code->from) : "";
}

/* ---- compiled, or not ---- */

/* "the next start compiles nothing", of the software's own files. NVIDIA's libraries may compile more when it uses
 * them. */
static const char *compiles_nothing(const struct verdict_ctx *v)
{
    const struct jw_doctor_machine *m = v->c->machine;
    const char *on_use = m && m->primed ? prime_on_use_words(m->primed->last.on_use, v->f->a) : NULL;

    return on_use ? jw_fmt(v->f, "the next start compiles nothing of its own files; %s", on_use)
                  : "the next start compiles nothing";
}

static void say_warm(const struct verdict_ctx *v)
{
    uint64_t warm = v->code->warm;

    ADD(v, .id = "framework-warm", .severity = JW_NOTE,
        .text = jw_fmt(
            v->f, "%s is warm for %s: the driver's cache has %s that would be compiled", v->name, v->gpu_name,
            warm == 1 ? "the one module" : JW_PHRASE("all %llu modules", (unsigned long long)warm)),
        .consequence = v->c->machine && v->c->machine->index              ? v->c->machine->index
                       : v->c->machine && v->c->machine->login_start.what ? v->c->machine->login_start.what
                       : v->c->machine && v->c->machine->over_limit
                           ? "the cache holds more than its limit: what is stored next evicts some"
                       : v->s->is_ptx
                           ? "the next start compiles nothing, if the program gives the driver no options "
                             "of its own (jitwarm verify --run CMD asks the driver)"
                           : compiles_nothing(v));
}

/* Adds status's reason, where it was primed here: the file, the driver or the cache is another one now. */
static const char *known_of_cold(const struct verdict_ctx *v)
{
    const struct jw_doctor_machine *m = v->c->machine;
    const char *known = known_of(v->s, v->f);

    return m && m->primed && m->primed->not_warm
               ? jw_fmt(v->f, "%s; %s", known, jw_doctor_primed_words(m, v->f))
               : known;
}

/* Too little to notice. */
static bool hardly_any(const struct verdict_ctx *v)
{
    return v->s->from == JW_FROM_FILES && v->code->ptx_bytes && seconds(v) < 4;
}

/* A new container begins without a cache. */
static const char *each_time(const struct verdict_ctx *v)
{
    return v->k->code != JW_SOFTWARE_JIT_EVERY ? "the first start"
           : v->k->every == JW_CACHE_GONE      ? "the first start in each container"
                                               : "every start";
}

/* On a machine that was primed, all of it was asked for: prime --check ends with 1, too. */
static bool is_no_trifle(const struct verdict_ctx *v)
{
    return v->code->damaged || (v->c->machine && v->c->machine->primed && v->c->machine->primed->any);
}

/* It has other code, too. */
static bool is_a_part(const struct jw_gpu_code *code)
{
    return code->native || code->warm || code->refused || code->blocked;
}

static unsigned long long all_modules(const struct jw_gpu_code *code)
{
    return code->native + code->jit + code->warm + code->refused + code->blocked + code->none + code->unknown;
}

/* "26 of 40 modules of app" */
static const char *what_is_compiled(const struct verdict_ctx *v)
{
    unsigned long long jit = v->code->jit;

    if (is_a_part(v->code))
        return jw_fmt(v->f, "%llu of %llu modules of %s", jit, all_modules(v->code), v->name);
    return v->s->files ? jw_fmt(v->f, "all %llu modules of %s", jit, v->name) : v->name;
}

/* Is it less than all of it, or a folder, which is no program? */
static bool is_counted(const struct verdict_ctx *v)
{
    return v->s->files || (v->s->from == JW_FROM_FILES && v->code->native);
}

/* "app has no machine code for"; "26 of 40 modules of app have to be compiled for" */
static const char *lacks_code(const struct verdict_ctx *v)
{
    unsigned long long jit = v->code->jit;

    return is_counted(v) ? jw_fmt(v->f, "%llu of %llu modules of %s %s to be compiled", jit,
                                  all_modules(v->code), v->name, jit == 1 ? "has" : "have")
                         : jw_fmt(v->f, "%s has no machine code", v->name);
}

static const char *its(const struct verdict_ctx *v)
{
    return is_counted(v) && v->code->jit > 1 ? "their" : "its";
}

static void say_jit_little(const struct verdict_ctx *v)
{
    bool again = v->k->code == JW_SOFTWARE_JIT_EVERY;
    bool warms = v->c->machine && (!again || v->k->every == JW_CACHE_GONE);

    ADD(v, .id = "framework-jit-little", .severity = is_no_trifle(v) ? JW_WARNING : JW_NOTE,
        .text = jw_fmt(v->f, "the driver compiles %s for %s at %s%s%s", what_is_compiled(v), v->gpu_name,
                       each_time(v), of_ptx(v), warm_part(v)),
        .evidence = known_of_cold(v),
        .consequence = jw_fmt(v->f, "that takes %s%s", duration(v), again ? "" : ", once per driver version"),
        .fix = warms ? "compile it ahead of time:" : NULL, .command = warms ? prime(v) : NULL);
}

static void say_jit_first(const struct verdict_ctx *v)
{
    const char *instead = ready_version(v), *size = jw_case_env(v->c, "CUDA_CACHE_MAXSIZE");
    uint64_t limit = 0;
    bool usual = v->c->driver && size && jw_text_u64(size, &limit) && limit == jw_cache_default(v->c->driver);
    bool sized = (size && *size && !usual) || default_is_enough(v);

    ADD(v, .id = "framework-jit-first", .severity = JW_WARNING,
        .text = jw_fmt(v->f, "%s for %s; the driver %scompiles %s PTX%s at the first start%s", lacks_code(v),
                       v->gpu_name, v->s->from == JW_FROM_MESSAGE && v->s->guessed ? "probably " : "", its(v),
                       of_ptx(v), warm_part(v)),
        .evidence = known_of_cold(v),
        .consequence = jw_fmt(v->f,
                              "the first start seems to hang: one CPU core is busy and nothing is printed%s. "
                              "This happens once per driver version, if the cache is large enough",
                              how_long(v)),
        .fix = jw_fmt(
            v->f, "%s; jitwarm prime compiles all of it ahead of time, in parallel%s%s",
            sized
                ? "let the first start finish"
                : jw_fmt(
                    v->f,
                    "set CUDA_CACHE_MAXSIZE=%llu before the next start, because the default may be too small",
                    (unsigned long long)better_limit(v)),
            instead ? ". To avoid compiling: " : "", instead ? instead : ""),
        .command = sized ? prime(v) : prime_with_limit(v), .cost_s = seconds(v));
}

static const char *why_not_kept(const struct verdict_ctx *v)
{
    const char *size = jw_case_env(v->c, "CUDA_CACHE_MAXSIZE");
    uint64_t bytes = v->code->ptx_bytes;

    switch (v->k->every) {
    case JW_CACHE_FORCED:
        return "CUDA_FORCE_PTX_JIT or CUDA_FORCE_JIT has the driver compile what its cache holds, too";
    case JW_CACHE_OFF:
        return jw_fmt(v->f, "CUDA_CACHE_DISABLE=%.40s switches the driver's cache off",
                      jw_case_env(v->c, "CUDA_CACHE_DISABLE"));
    case JW_CACHE_SUFFIX:
        return jw_fmt(
            v->f, "the driver reads CUDA_CACHE_MAXSIZE=%.40s as a few bytes: it accepts digits only", size);
    case JW_CACHE_SMALL:
        if (bytes)
            return jw_fmt(v->f, "CUDA_CACHE_MAXSIZE=%.40s is less than the needed %llu MiB (estimated)", size,
                          (unsigned long long)(2 * bytes >> 20));
        return jw_fmt(v->f, "CUDA_CACHE_MAXSIZE=%.40s may be less than it needs", size);
    case JW_CACHE_BROKEN: return v->c->not_kept;
    default: return "the driver's cache is inside the container and is lost with it";
    }
}

/* The finding about this machine that has the driver keep nothing, with the command against it; NULL: there is none. */
static struct jw_finding *cause_of(const struct verdict_ctx *v)
{
    const char *id = v->k->every == JW_CACHE_FORCED   ? "setting-forces-compiling"
                     : v->k->every == JW_CACHE_OFF    ? "cache-disabled"
                     : v->k->every == JW_CACHE_SUFFIX ? "cache-limit-junk"
                     : v->k->every == JW_CACHE_SMALL  ? "cache-limit-small"
                                                      : NULL;

    if (v->c->machine && v->k->every == JW_CACHE_BROKEN)
        return jw_doctor_not_kept(v->f);
    return v->c->machine && id ? jw_finding_of(v->f, id) : NULL;
}

static const char *keep_fix(const struct verdict_ctx *v)
{
    switch (v->k->every) {
    case JW_CACHE_GONE:
        if (!v->c->machine)
            return "keep the cache on a volume; this prints what the image needs:";
        return v->c->machine->volume
                   ? doctor_volume_fix(v->c->machine, v->f)
                   : "compile it once for all starts in this container; for the next one, keep the "
                     "cache on a volume (cache-container):";
    case JW_CACHE_BROKEN: return "mend that first";
    case JW_CACHE_FORCED: return "unset both";
    case JW_CACHE_OFF:
        return default_is_enough(v)
                   ? "switch the cache on again"
                   : jw_fmt(v->f, "switch the cache on again, and set CUDA_CACHE_MAXSIZE=%llu",
                            (unsigned long long)better_limit(v));
    default:
        return jw_fmt(v->f, "set CUDA_CACHE_MAXSIZE=%llu before the next start",
                      (unsigned long long)better_limit(v));
    }
}

static const char *keep_command(const struct verdict_ctx *v)
{
    switch (v->k->every) {
    case JW_CACHE_GONE:
        if (!v->c->machine)
            return "jitwarm env --shell docker";
        return v->c->machine->volume ? doctor_volume_command(v->c->machine, v->f)
                                     : doctor_prime(v->c->machine, v->f);
    case JW_CACHE_BROKEN: return NULL;
    case JW_CACHE_FORCED:
        return on_windows(v) ? "set CUDA_FORCE_PTX_JIT=& set CUDA_FORCE_JIT="
                             : "unset CUDA_FORCE_PTX_JIT CUDA_FORCE_JIT";
    case JW_CACHE_OFF:
        if (v->c->machine)
            return doctor_set_command(v->c->machine, "CUDA_CACHE_DISABLE", NULL, v->f);
        return on_windows(v) ? "setx CUDA_CACHE_DISABLE 0" : "unset CUDA_CACHE_DISABLE";
    default: return set_limit(v);
    }
}

static void say_jit_every(const struct verdict_ctx *v)
{
    static const char *const sure[] = { "compiles", "probably compiles", "may have to compile" };
    const char *instead = ready_version(v);
    struct jw_finding *cause = cause_of(v);
    const char *fix = cause ? jw_fmt(v->f, "mend that first (%s)", cause->id) : keep_fix(v);

    if (cause) /* it comes first, and what it costs is known now */
        cause->cost_s += seconds(v);
    ADD(v, .id = "framework-jit-every", .severity = JW_WARNING,
        .text = jw_fmt(v->f, "%s for %s; the driver %s %s PTX%s at %s: %s%s", lacks_code(v), v->gpu_name,
                       sure[v->k->certainty], its(v), of_ptx(v), each_time(v), why_not_kept(v), warm_part(v)),
        .consequence = jw_fmt(v->f, "%s seems to hang: one CPU core is busy and nothing is printed%s",
                              v->k->every == JW_CACHE_GONE ? each_time(v) : "each start", how_long(v)),
        .fix = instead ? jw_fmt(v->f, "to avoid compiling: %s; else %s", instead, fix) : fix,
        .command = cause ? NULL : keep_command(v), .cost_s = seconds(v));
}

static bool say_known_to_fail(const struct verdict_ctx *v)
{
    struct jw_report r;

    if (!reported(v, JW_REPORT_FAILS, &r))
        return false;
    ADD(v, .id = "framework-jit-fails", .severity = JW_PROBLEM,
        .text = jw_fmt(v->f, "%s on %s: compiling its PTX%s is known to fail: %s", v->name, v->gpu_name,
                       of_ptx(v), r.text),
        .evidence = jw_fmt(v->f, "reports: %s", r.source), .consequence = "no setting of this machine helps",
        .fix = *r.fix ? r.fix : NULL, .command = *r.command ? r.command : install_ready(v));
    return true;
}

static void say_jit(const struct verdict_ctx *v)
{
    if (say_known_to_fail(v))
        return;
    if (hardly_any(v))
        say_jit_little(v);
    else if (v->k->code == JW_SOFTWARE_JIT_FIRST)
        say_jit_first(v);
    else
        say_jit_every(v);
}

static void say_refused(const struct verdict_ctx *v)
{
    if (!jw_finding_of(v->f, "modules-refused"))
        ADD(v, .id = "modules-refused", .severity = JW_WARNING,
            .text = jw_fmt(v->f, "this driver cannot compile %s of %s for %s",
                           JW_N(v->code->refused, "module", "modules"), v->name, v->gpu_name),
            .consequence = "programs that load it fail, and another prime does not help",
            .fix = DOCTOR_REFUSED_FIX);
}

/* Native, by the table: where a log is slow, the cause is another. */
static void say_native(const struct verdict_ctx *v)
{
    if (v->s->from == JW_FROM_FILES)
        return;
    ADD(v, .id = "not-compat", .severity = JW_NOTE,
        .text = jw_fmt(v->f, "%s has machine code for %s: the driver compiles nothing at its start", v->name,
                       v->gpu_name),
        .consequence = "if it is slow, check CPU load, batch size and data loading");
}

/* ---- not at all ---- */

/* Says what cannot run because of CUDA_DISABLE_* or CUDA_FORCE_*. */
static void say_stopped_by_setting(const struct verdict_ctx *v)
{
    const char *first = v->k->switched_off ? "CUDA_DISABLE_PTX_JIT" : "CUDA_FORCE_PTX_JIT";
    const char *second = v->k->switched_off ? "CUDA_DISABLE_JIT" : "CUDA_FORCE_JIT";

    ADD(v, .id = "framework-no-kernel", .severity = JW_PROBLEM,
        .text = v->k->switched_off
                    ? jw_fmt(v->f, "the driver would have to compile %s for %s, and %s or %s forbids that",
                             v->name, v->gpu_name, first, second)
                    : jw_fmt(v->f, "%s or %s makes the driver skip machine code, and %s%s has no PTX for %s",
                             first, second, v->code->jit || v->code->warm ? "most of " : "", v->name,
                             v->gpu_name),
        .consequence = "programs stop with error 223 or 209 as soon as they use the GPU",
        .fix = jw_fmt(v->f, "unset %s and %s", first, second),
        .command = v->c->machine   ? jw_fmt(v->f, on_windows(v) ? "%s& %s" : "%s; %s",
                                            doctor_set_in_shell(v->c->machine, first, NULL, v->f),
                                            doctor_set_in_shell(v->c->machine, second, NULL, v->f))
                   : on_windows(v) ? jw_fmt(v->f, "set %s=& set %s=", first, second)
                                   : jw_fmt(v->f, "unset %s %s", first, second));
}

/* driver-fact: F101-newer-text */
static void say_no_kernel(const struct verdict_ctx *v)
{
    struct jw_report ended;
    bool left = reported(v, JW_REPORT_ENDED, &ended), loose = v->s->is_ptx;
    bool most = v->code->native + v->code->jit + v->code->warm + v->code->unknown > 0;
    const char *ready = ready_version(v);

    if (v->k->switched_off || v->k->forced) {
        say_stopped_by_setting(v);
        return;
    }
    ADD(v, .id = "framework-no-kernel", .severity = JW_PROBLEM,
        .text = left ? jw_fmt(v->f, "%s does not run on %s: %s", v->name, v->gpu_name, ended.text)
                : loose
                    ? jw_fmt(v->f, "%s cannot run on %s: it is PTX for newer GPUs", v->name, v->gpu_name)
                    : jw_fmt(v->f, "%s%s cannot run on %s: %s has neither machine code nor PTX for this GPU",
                             most ? "most of " : "", v->name, v->gpu_name, most ? "that part" : "it"),
        .consequence =
            loose  ? "the driver refuses it when the program loads it: CUDA_ERROR_INVALID_PTX (218), or 222 "
                     "where it is too new for the driver, too"
            : most ? "programs that load that part stop with \"no kernel image is available for execution on "
                     "the device\" (error 209); there is nothing to compile in it"
                   : "the program stops at its first work on the GPU with \"no kernel image is available for "
                     "execution on the device\" (error 209); there is nothing to compile",
        .fix = left && *ended.fix ? ended.fix
               : ready            ? ready
                                  : jw_fmt(v->f, "get or make a build of %s for compute capability %u.%u",
                                v->s->files ? "these files" : v->s->title, v->gpu->sm / 10, v->gpu->sm % 10),
        .command = left && *ended.command ? ended.command : install_ready(v));
}

/* ---- the driver ---- */

/* "a version of CTranslate2 that is built with CUDA 12.4 or older"; NULL: it is not known which CUDA this
 * driver serves. */
static const char *older_build(const struct verdict_ctx *v)
{
    unsigned cuda = v->c->machine ? v->c->machine->probe.driver.cuda_version : 0;

    if (cuda && v->s->is_ptx)
        return jw_fmt(v->f, "make %s with CUDA %u.%u or older", v->s->title, cuda / 1000, cuda % 1000 / 10);
    return cuda ? jw_fmt(v->f, "install a version of %s that is built with CUDA %u.%u or older%s",
                         v->s->title, cuda / 1000, cuda % 1000 / 10,
                         v->s->package
                             ? jw_fmt(v->f, " (jitwarm scan %s==VERSION shows what it holds)", v->s->package)
                             : "")
                : NULL;
}

/* In a container only the host can change the driver. */
static const char *driver_fix(const struct verdict_ctx *v, const char *needed)
{
    const char *ready = ready_version(v), *instead = ready ? ready : older_build(v);
    const char *to = needed ? jw_fmt(v->f, "%s or newer", needed) : "the newest one";
    const char *update =
        v->c->container
            ? jw_fmt(v->f, "update the host's driver to %s: inside a container it cannot be changed", to)
            : jw_fmt(v->f, "update the driver to %s%s", to,
                     on_windows(v) ? DOCTOR_DRIVERS_WINDOWS : DOCTOR_DRIVERS_LINUX);

    return instead ? jw_fmt(v->f, "%s; if you cannot: %s", update, instead) : update;
}

/* NULL: none is known. */
static const char *needed_driver(const struct verdict_ctx *v)
{
    return v->code->needs_driver && *v->code->needs_driver ? v->code->needs_driver : NULL;
}

static const char *here_driver(const struct verdict_ctx *v)
{
    return v->c->driver ? v->c->driver : "here";
}

/* The driver does not drive this GPU: yet, or any more. */
static void say_undriven(const struct verdict_ctx *v)
{
    const struct jw_arch_fact *arch = jw_arch_find(v->gpu->sm);
    bool old = v->code->needs_driver != NULL;

    ADD(v, .id = old ? "driver-old-for-gpu" : "gpu-dropped", .severity = JW_PROBLEM, .subject = "driver",
        .evidence = jw_fmt(v->f, "driver %s", here_driver(v)),
        .text = old ? jw_fmt(v->f, "driver %s is too old for %s: it needs %s or newer", here_driver(v),
                             v->gpu_name, needed_driver(v))
                    : jw_fmt(v->f, "driver %s no longer supports %s; R%u is the last that does",
                             here_driver(v), v->gpu_name, arch ? arch->last_branch : 0),
        .consequence = "programs see no GPU",
        .fix = old ? driver_fix(v, needed_driver(v))
                   : jw_fmt(v->f, "install a driver of branch %u", arch ? arch->last_branch : 0));
}

/* Another version, or else the driver. */
static const char *newer_driver(const struct verdict_ctx *v)
{
    const char *instead = install_ready(v);

    return instead || !v->c->machine ? instead : doctor_newer_driver(v->c->machine);
}

/* "12.2"; by the names of its libraries alone "12" */
static const char *toolkit_name(const struct verdict_ctx *v)
{
    unsigned toolkit = v->code->needs_toolkit;

    return v->s->framework && v->s->framework->cuda == toolkit
               ? jw_fmt(v->f, "%u.%u", toolkit / 100, toolkit % 100)
               : jw_fmt(v->f, "%u", toolkit / 100);
}

static void say_driver_old(const struct verdict_ctx *v)
{
    unsigned toolkit = v->code->needs_toolkit;
    bool cuda_13 = v->code->cuda_13;
    const char *first = cuda_13 ? JW_CUDA_13_FIRST_BRANCH_TEXT : JW_ZSTD_FIRST_BRANCH_TEXT;

    if (v->code->undriven) {
        say_undriven(v);
        return;
    }
    ADD(v, .id = "framework-driver-old", .severity = JW_PROBLEM,
        .text = toolkit
                    ? jw_fmt(v->f, "%s is built with CUDA %s, which needs driver >= %s; this one is %s",
                             v->name, toolkit_name(v), needed_driver(v), here_driver(v))
                    : jw_fmt(v->f,
                             "%s has code for %s that is %s; drivers before %s cannot read it, and this one "
                             "is %s",
                             v->name, v->gpu_name, cuda_13 ? "of CUDA 13" : "compressed with zstd", first,
                             here_driver(v)),
        .consequence =
            toolkit   ? "it finds no usable GPU (error 35, \"CUDA driver version is insufficient\")"
            : cuda_13 ? "the program stops when it loads that code: with error 200 under driver 555, by a "
                        "crash under 550"
                      : "the program stops when it loads that code: with error 218 under drivers 470 and "
                        "535, by a crash under 525",
        .fix = driver_fix(v, toolkit ? needed_driver(v) : first), .command = newer_driver(v));
}

/* driver-fact: F76-isa-limit */
static bool is_before_222(const struct verdict_ctx *v)
{
    enum { FIRST_BRANCH = 450 };
    struct jw_driver_version have;
    struct jw_err ignored;

    return v->c->driver && jw_driver_parse(v->c->driver, &have, &ignored) && have.branch < FIRST_BRANCH;
}

static void say_ptx_too_new(const struct verdict_ctx *v)
{
    ADD(v, .id = "framework-ptx-too-new", .severity = JW_PROBLEM,
        .text = jw_fmt(
            v->f,
            "the driver must compile %s for %s, but its PTX (version %u.%u) is newer than driver %s can read",
            v->name, v->gpu_name, v->code->isa_major, v->code->isa_minor, here_driver(v)),
        .consequence = is_before_222(v)
                           ? "the program stops with \"a PTX JIT compilation failed\" (error 218)"
                           : "the program stops with \"the provided PTX was compiled with an unsupported "
                             "toolchain\" (error 222)",
        .fix = driver_fix(v, needed_driver(v)), .command = newer_driver(v));
}

/* ---- on the CPU ---- */

static void say_cpu_build(const struct verdict_ctx *v)
{
    bool installed = v->s->from == JW_FROM_FILES;

    ADD(v, .id = "framework-cpu-build", .severity = installed ? JW_WARNING : JW_PROBLEM,
        .text =
            jw_fmt(v->f, "%s is a package without CUDA code%s", v->name, on_windows(v) ? " for Windows" : ""),
        .consequence = "it runs on the CPU, without any error",
        .fix = "install a build with CUDA from the project's own package index, or use Linux (WSL2)");
}

/* "CUDA 11.2 and cuDNN 8" */
static const char *needed_libs(const struct verdict_ctx *v, const struct jw_framework *f)
{
    return jw_fmt(v->f, "CUDA %s%s%s", f->cuda_text, *f->cudnn ? " and cuDNN " : "", f->cudnn);
}

static const char *libs_consequence(const struct verdict_ctx *v)
{
    return v->s->about.cpu_else ? "it runs on the CPU, and only its log says so"
                                : "it stops when it needs them, and names the missing library";
}

/* By the names that its own files hold. */
static void say_libs_named(const struct verdict_ctx *v)
{
    const struct jw_needed_libraries *l = &v->s->libraries;

    if (*l->missing)
        ADD(v, .id = "framework-libs-missing", .severity = JW_PROBLEM,
            .text = jw_fmt(v->f, "%s needs CUDA libraries that are not here: %s", v->name, l->missing),
            .evidence = jw_fmt(v->f, "%s (%s)", l->how, v->s->path), .consequence = libs_consequence(v),
            .fix = *l->install ? "install the packages that hold them, beside it:"
                               : "install them where it finds them",
            .command = *l->install ? l->install : NULL);
    else
        ADD(v, .id = "framework-libs-missing", .severity = JW_PROBLEM,
            .text =
                jw_fmt(v->f, "%s does not find CUDA libraries that are installed: %s", v->name, l->unseen),
            .evidence = jw_fmt(v->f, "they are in %s; neither %s nor the loader looks there", l->folders,
                               v->s->title),
            .consequence = libs_consequence(v),
            .fix = "name their folders where it is started; for this shell:",
            .command = v->c->machine
                           ? doctor_set_in_shell(v->c->machine, "LD_LIBRARY_PATH",
                                                 doctor_with_folders(v->c->machine, l->folders, v->f), v->f)
                           : NULL);
}

static void say_libs_missing(const struct verdict_ctx *v)
{
    const struct jw_framework *b = v->s->framework;

    if (v->s->libraries.looked)
        say_libs_named(v);
    if (v->s->libraries.looked || !b) /* none was found to be missing but by the one or the other */
        return;
    ADD(v, .id = "framework-libs-missing", .severity = JW_PROBLEM,
        .text = jw_fmt(v->f, "%s needs the libraries of %s, and jitwarm did not find them", v->name,
                       needed_libs(v, b)),
        .consequence = libs_consequence(v), .fix = "install them where it finds them",
        .command = b->cuda >= 1200 ? NULL
                                   : COMMAND(v, "conda", "install", "-c", "conda-forge",
                                             jw_fmt(v->f, "cudatoolkit=%s", b->cuda_text),
                                             *b->cudnn ? jw_fmt(v->f, "cudnn=%s", b->cudnn) : NULL));
}

/* Its files are here, and some of their code is of a form that newer toolkits write. */
static void say_unknown_form(const struct verdict_ctx *v)
{
    ADD(v, .id = "framework-unknown-form", .severity = JW_WARNING,
        .text = jw_fmt(v->f,
                       "%s has code of a form that this jitwarm does not know: whether the driver compiles "
                       "it for %s is not known",
                       v->name, v->gpu_name),
        .consequence = "its first start may compile what prime cannot",
        .fix = "record a start of its program (jitwarm prime --run CMD), and verify it with --run; this "
               "shows its code:",
        .command = v->s->path ? COMMAND(v, "jitwarm", "scan", v->s->path) : NULL);
}

static void say_unknown(const struct verdict_ctx *v)
{
    if (v->s->from == JW_FROM_FILES) {
        say_unknown_form(v);
        return;
    }
    ADD(v, .id = "framework-unknown", .severity = JW_NOTE,
        .text = jw_fmt(v->f, "which code %s holds for %s is not known", v->name, v->gpu_name),
        .fix = "scan it: its files where it is installed, or else its package, which this fetches:",
        .command = v->s->package && *v->s->version
                       ? COMMAND(v, "jitwarm", "scan", jw_fmt(v->f, "%s==%s", v->s->package, v->s->version),
                                 "--gpu", jw_fmt(v->f, "sm_%u", v->gpu->sm))
                       : NULL);
}

/* ---- besides the verdict ---- */

static void say_wrong_results(const struct verdict_ctx *v)
{
    struct jw_report r;

    if (reported(v, JW_REPORT_WRONG, &r))
        ADD(v, .id = "framework-wrong-results", .severity = JW_PROBLEM,
            .text = jw_fmt(v->f, "%s may compute wrong results on %s", v->name, v->gpu_name),
            .evidence = jw_fmt(v->f, "reports: %s", r.source), .consequence = r.text, .fix = r.fix);
}

/* It runs, but the compiler of the toolkit that it calls at run time does not know the GPU. */
static void say_own_compiler(const struct verdict_ctx *v)
{
    const struct jw_framework *r = v->s->framework;
    unsigned needs = r ? jw_own_compiler_needs(&v->s->about, r->cuda, v->gpu->sm) : 0;
    bool nvrtc = needs && strcmp(v->s->about.compiler, "nvrtc") == 0;

    if (!needs || v->k->verdict != JW_SOFTWARE_NATIVE)
        return;
    ADD(v, .id = nvrtc ? "nvrtc-old" : "ptxas-old", .severity = JW_WARNING,
        .text =
            jw_fmt(v->f, "%s of CUDA %s does not know sm_%u", compiler_title(v), r->cuda_text, v->gpu->sm),
        .consequence =
            nvrtc ? "what it compiles at run time may stop with \"invalid value for --gpu-architecture\""
                  : "its own kernels run; the driver compiles what ptxas should (XLA, autotuning)",
        .fix = jw_fmt(
            v->f, nvrtc ? "use a build for CUDA >= %u.%u" : "put ptxas of CUDA >= %u.%u first on the PATH",
            needs / 100, needs % 100));
}

static void say_verdict(const struct verdict_ctx *v)
{
    /* Libraries that are missing hide nothing: the code is compiled once they are there. */
    if (v->k->verdict == JW_SOFTWARE_LIBS_MISSING)
        say_libs_missing(v);
    switch (v->k->code) {
    case JW_SOFTWARE_NATIVE: say_native(v); break;
    case JW_SOFTWARE_WARM: say_warm(v); break;
    case JW_SOFTWARE_JIT_FIRST:
    case JW_SOFTWARE_JIT_EVERY: say_jit(v); break;
    case JW_SOFTWARE_NO_COMPILER: break; /* doctor_driver.c says why, once for all */
    case JW_SOFTWARE_REFUSED: say_refused(v); break;
    case JW_SOFTWARE_NO_KERNEL: say_no_kernel(v); break;
    case JW_SOFTWARE_DRIVER_OLD: say_driver_old(v); break;
    case JW_SOFTWARE_PTX_TOO_NEW: say_ptx_too_new(v); break;
    case JW_SOFTWARE_CPU_BUILD: say_cpu_build(v); break;
    case JW_SOFTWARE_RUN_TIME: break; /* said with the parts that were not looked at */
    default: say_unknown(v);
    }
}

/* Another GPU of this kind came before, and got the same answer. */
static bool noted_before(const struct jw_software_case *c, size_t gpu)
{
    for (size_t i = 0; i < gpu; i++)
        if (c->gpus[i].sm == c->gpus[gpu].sm)
            return true;
    return false;
}

static void say_bad_driver(const struct jw_software_case *c, struct jw_findings *f)
{
    struct jw_report r;

    for (size_t i = 0; c->driver && i < c->n_gpus; i++)
        if (jw_driver_report(c->driver, c->system, c->gpus[i].sm, &r)) {
            JW_FINDING(f, .id = "driver-known-bad", .severity = JW_WARNING, .subject = "driver",
                       .evidence = jw_fmt(f, "reports: %s", r.source),
                       .text = jw_fmt(f, "%s: %s", jw_gpu_phrase(&c->gpus[i], f), r.text), .fix = r.fix);
            return;
        }
}

void jw_doctor_toolkit(const struct jw_software_case *c, unsigned cuda, struct jw_findings *f)
{
    static const uint16_t any[3];
    struct jw_report r;

    for (size_t i = 0; i < c->n_gpus; i++)
        if (!noted_before(c, i)
            && jw_framework_report(JW_NO_PRODUCT, any, c->system, cuda, c->gpus[i].sm, JW_REPORT_WRONG, &r))
            JW_FINDING(f, .id = "framework-wrong-results", .severity = JW_PROBLEM,
                       .subject = jw_fmt(f, "CUDA %u.%u", cuda / 100, cuda % 100),
                       .text = jw_fmt(f, "programs of CUDA %u.%u may compute wrong results on %s", cuda / 100,
                                      cuda % 100, jw_gpu_phrase(&c->gpus[i], f)),
                       .evidence = jw_fmt(f, "reports: %s", r.source), .consequence = r.text, .fix = r.fix);
}

void jw_doctor_software(const struct jw_software_case *c, const struct jw_software *s, size_t n,
                        const struct jw_software_check *checks, struct jw_findings *f)
{
    say_bad_driver(c, f);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < c->n_gpus; k++) {
            const struct verdict_ctx v = { c,
                                           &s[i],
                                           &checks[i * c->n_gpus + k],
                                           &s[i].code[k],
                                           &c->gpus[k],
                                           jw_software_name(&s[i], f),
                                           jw_gpu_phrase(&c->gpus[k], f),
                                           f };

            if (noted_before(c, k))
                continue;
            say_verdict(&v);
            say_wrong_results(&v);
            say_own_compiler(&v);
            if (s[i].cpu)
                break;
        }
}
