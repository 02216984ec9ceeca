#include "doctor/doctor_framework_say.h"
#include "base/limits.h"
#include "base/text.h"
#include "doctor/doctor_words.h"

#include <stdio.h>
#include <string.h>

const char *jw_software_name(const struct jw_software *s, struct jw_findings *f)
{
    if (s->toolkit_only && s->cuda)
        return jw_fmt(f, "a program built with CUDA %u.%u", s->cuda / 100, s->cuda % 100);
    if (!*s->version)
        return s->title;
    if (s->variant && *s->variant && !s->from_files)
        return jw_fmt(f, "%s %s (%s)", s->title, s->version, s->variant);
    return jw_fmt(f, "%s %s", s->title, s->version);
}

const char *jw_gpu_phrase(const struct jw_gpu *gpu, struct jw_findings *f)
{
    if (gpu->name[0])
        return jw_fmt(f, "%s (compute capability %u.%u)", gpu->name, gpu->sm / 10, gpu->sm % 10);
    return jw_fmt(f, "a GPU of compute capability %u.%u", gpu->sm / 10, gpu->sm % 10);
}

/* "8.0, 8.6 and 9.0", each once */
static const char *capabilities_of(const struct jw_case *c, const size_t *list, size_t n,
                                   struct jw_findings *f)
{
    const char *text = "";
    size_t kinds[JW_MAX_GPUS], many = 0;

    for (size_t i = 0; i < n; i++) {
        bool again = false;

        for (size_t k = 0; k < many; k++)
            again = again || c->gpus[kinds[k]].sm == c->gpus[list[i]].sm;
        if (!again)
            kinds[many++] = list[i];
    }
    for (size_t i = 0; i < many; i++) {
        unsigned sm = c->gpus[kinds[i]].sm;

        text = jw_fmt(f, "%s%s%u.%u", text, jw_text_between(i, many), sm / 10, sm % 10);
    }
    return text;
}

static bool neighbour(const struct jw_software *s, bool newer, struct jw_framework_build *out)
{
    struct jw_framework_spec spec = s->spec;

    return s->framework != JW_NO_FRAMEWORK && spec.parts
           && jw_framework_neighbour(&spec, s->has_build ? s->build.os : ~0U, newer, out);
}

static const char *scanned_around(const struct jw_software *s, bool agree, struct jw_findings *f)
{
    struct jw_framework_build after;

    return jw_fmt(f, "this version was not scanned; %s before it and %s after it were, and %s%s",
                  s->build.version, neighbour(s, true, &after) ? after.version : "one",
                  agree ? "agree: confidence " : "do not agree here",
                  agree ? jw_confidence_name(s->sure) : "");
}

static const char *scanned_near(const struct jw_software *s, struct jw_findings *f)
{
    struct jw_framework_build before, after;
    bool older = neighbour(s, false, &before), newer = neighbour(s, true, &after);

    if (!older && !newer)
        return "not scanned";
    return jw_fmt(f, "this version was not scanned; the nearest %s %s%s%s",
                  older && newer ? "ones that were are" : "one that was is",
                  older ? before.version : after.version, older && newer ? " and " : "",
                  older && newer ? after.version : "");
}

const char *jw_software_known(const struct jw_software *s, struct jw_findings *f)
{
    if (s->from_files && s->cpu)
        return jw_fmt(f, "no GPU code in any of its files (%s)", s->path);
    if (s->from_files && s->path)
        return jw_fmt(f, "read from its files (%llu module%s): certain", (unsigned long long)s->modules,
                      s->modules == 1 ? "" : "s");
    if (s->toolkit_only)
        return s->cuda
                   ? "from the GPUs that this CUDA toolkit compiles for; a program may hold code for fewer"
                   : "from the tables of GPUs and drivers";
    if (s->by_message)
        return "from the list in its own message: certain";
    if (!s->has_build)
        return "jitwarm's table does not say what is in it";
    if (*s->build.code && s->match == JW_MATCH_EXACT && s->spec.guessed)
        return jw_fmt(f,
                      "the log names no version, only CUDA libraries; version %s was scanned: confidence %s",
                      s->build.version, jw_confidence_name(s->sure));
    if (*s->build.code && s->match == JW_MATCH_EXACT)
        return jw_fmt(f, "jitwarm scanned version %s on %.10s: confidence %s", s->build.version,
                      s->build.measured, jw_confidence_name(s->sure));
    if (*s->build.code && s->match == JW_MATCH_AGREED)
        return scanned_around(s, true, f);
    if (!*s->build.code && s->match == JW_MATCH_EXACT && s->cuda)
        return jw_fmt(f, "not scanned; its release notes name CUDA %u.%u (%s)", s->cuda / 100, s->cuda % 100,
                      s->build.source);
    return scanned_near(s, f);
}

void said_add(const struct said *d, struct jw_finding one)
{
    if (!one.subject)
        one.subject = d->name;
    if (!one.evidence)
        one.evidence =
            d->s->code[d->gpu].apart ? scanned_around(d->s, false, d->f) : jw_software_known(d->s, d->f);
    jw_finding_add(d->f, one);
}

bool said_report(const struct said *d, enum jw_report_effect effect, struct jw_report *out)
{
    return jw_software_report(d->c, d->s, d->c->gpus[d->gpu].sm, effect, out);
}

/* ---- pieces of sentences ---- */

/* " 3.5 3.7 5.2" of "35 37 52" */
static const char *capabilities(const char *list, struct jw_findings *f)
{
    char text[256] = "";
    size_t n = 0;

    while (*list && n < sizeof text - 8) {
        size_t word = strcspn(list, " "), digits = strspn(list, "0123456789");

        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s.%.*s", n ? " " : "", (int)(digits - 1), list,
                              (int)(word - digits + 1), list + digits - 1);
        list += word;
        list += *list == ' ';
    }
    return jw_fmt(f, "%s", text);
}

const char *said_holds(const struct said *d)
{
    const struct jw_framework_build *b = &d->s->build;

    if (d->s->from_files || !d->s->has_build || !*b->sass)
        return "";
    return jw_fmt(d->f, ": %s holds code for %s%s", d->s->match == JW_MATCH_AGREED ? b->version : "it",
                  capabilities(b->sass, d->f), *b->ptx ? "" : " only");
}

const char *said_source(const struct said *d)
{
    return *d->s->code[d->gpu].from ? d->s->code[d->gpu].from : "PTX";
}

const char *said_set(const struct said *d, const char *name, const char *value)
{
    if (d->c->system == JW_CASE_WINDOWS)
        return jw_fmt(d->f, "setx %s %s", name, value);
    return jw_fmt(d->f, "export %s=%s", name, value);
}

static const char *tag_text(unsigned tag, struct jw_findings *f)
{
    return jw_fmt(f, "cu%u%u", tag / 100, tag % 100);
}

static bool is_old_driver(enum jw_word w)
{
    return w == JW_WORD_DRIVER_OLD || w == JW_WORD_PTX_TOO_NEW;
}

/* "use TensorFlow >= 2.4 (best 2.5 to 2.10 with CUDA 11.2 and cuDNN 8.1)", `brief` without the best; NULL: nothing
 * better is known. */
static const char *better_of(const struct said *d, size_t gpu, bool brief)
{
    struct jw_better b;
    const char *title = d->s->title, *built = "", *best = "";

    jw_better_build(d->c, d->s, d->c->gpus[gpu].sm, &b);
    if (!b.found)
        return *d->s->about.advice ? d->s->about.advice : NULL;
    if (b.same_version)
        return jw_fmt(d->f, "use the build of %s %s for CUDA %u.%u (%s)", title, b.first, b.tag / 100,
                      b.tag % 100, tag_text(b.tag, d->f));
    if (b.tag)
        built = jw_fmt(d->f, " built for CUDA %u.%u (%s)%s", b.tag / 100, b.tag % 100, tag_text(b.tag, d->f),
                       b.older ? "" : " or newer");
    if (b.older)
        return jw_fmt(d->f, "use %s %s%s, the last %s %s", title, b.first, built,
                      is_old_driver(d->j->word) ? "for" : "with code for",
                      is_old_driver(d->j->word) ? "this driver"
                      : brief                   ? "it"
                                                : "this GPU");
    if (*b.from && !brief)
        best = jw_fmt(d->f, " (best %s%s%s%s%s%s%s)", b.from, *b.to ? " to " : "", b.to,
                      b.cuda ? " with CUDA " : "",
                      b.cuda ? jw_fmt(d->f, "%u.%u", b.cuda / 100, b.cuda % 100) : "",
                      *b.cudnn ? " and cuDNN " : "", b.cudnn);
    return jw_fmt(d->f, "use %s >= %s%s%s", title, b.first, built, best);
}

/* One remedy for all GPUs, or one for each kind: "on 8.0 and 8.6: use TensorFlow >= 2.4; on 9.0: ..." */
const char *said_better(const struct said *d)
{
    const char *first = better_of(d, d->gpu, false), *brief[JW_MAX_GPUS], *all = NULL;
    bool one = true, any = false;

    for (size_t i = 0; i < d->n; i++) {
        one = one && jw_text_same(first, better_of(d, d->alike[i], false));
        brief[i] = better_of(d, d->alike[i], true);
        any = any || brief[i];
    }
    if (one || !any)
        return first;
    for (size_t i = 0; i < d->n; i++) {
        size_t list[JW_MAX_GPUS], n = 0;
        bool said = false;

        for (size_t k = 0; k < d->n; k++)
            if (jw_text_same(brief[i], brief[k])) {
                said = said || k < i;
                list[n++] = d->alike[k];
            }
        if (said)
            continue;
        if (n == d->n)
            return brief[i];
        all = jw_fmt(d->f, "%s%son %s: %s", all ? all : "", all ? "; " : "",
                     capabilities_of(d->c, list, n, d->f), brief[i] ? brief[i] : "no better build is known");
    }
    return all;
}

/* ---- commands ---- */

/* "cupy-cuda12x": the package that pip has of this software, for a toolkit where its name holds one (0: the usual). */
static const char *package_of(const struct said *d, unsigned tag, const char *version)
{
    static const struct {
        const char *framework, *package, *end;
        unsigned usual; /* its CUDA version where none was named; 0: the name has none */
    } names[] = { { "pytorch", "torch", "", 0 },
                  { "jax", "jax-cuda", "-pjrt", 12 },
                  { "cupy", "cupy-cuda", "x", 12 },
                  { "mxnet", "mxnet-cu", "", 112 },
                  { "spconv", "spconv-cu", "", 120 },
                  { "cuml", "cuml-cu", "", 12 },
                  { "faiss", "faiss-gpu-cu", "", 12 },
                  { "tensorrt", "tensorrt-cu", "", 12 },
                  { "flashinfer", "flashinfer-python", "", 0 } };
    const char *name = d->s->about.name;
    unsigned major = tag / 100, minor = tag % 100;

    if (strcmp(name, "tensorflow") == 0 && version[0] == '1')
        return "tensorflow-gpu";
    for (size_t i = 0; i < JW_COUNT(names); i++) {
        if (strcmp(name, names[i].framework) != 0)
            continue;
        if (!names[i].usual)
            return names[i].package;
        if (tag && minor != 99) /* cupy-cuda92 */
            return jw_fmt(d->f, "%s%u%u", names[i].package, major, minor);
        return jw_fmt(d->f, "%s%u%s", names[i].package, tag ? major : names[i].usual, names[i].end);
    }
    return name;
}

static const char on_npm[] = "node-llama-cpp";

static bool on_pip(const struct jw_software *s)
{
    struct jw_framework_build b;

    for (size_t i = 0; s->framework != JW_NO_FRAMEWORK && jw_framework_build_at(i, &b); i++)
        if (b.framework == s->framework && (b.channel & JW_BY_PIP))
            return true;
    return false;
}

/* PyTorch has an index of packages for each toolkit. */
static const char *index_of(const struct said *d, unsigned tag)
{
    if (strcmp(d->s->about.name, "pytorch") != 0 || !tag)
        return "";
    return jw_fmt(d->f, " --index-url https://download.pytorch.org/whl/%s", tag_text(tag, d->f));
}

const char *said_scan(const struct said *d)
{
    const struct jw_software *s = d->s;

    if (!on_pip(s) || !*s->version || strcmp(s->about.name, on_npm) == 0)
        return NULL;
    const char *name = package_of(d, s->spec.tag, s->version);

    return jw_fmt(d->f, "pip download --no-deps %s==%s%s && jitwarm scan %.*s*.whl", name, s->version,
                  index_of(d, s->spec.tag), (int)strcspn(name, "-"), name);
}

const char *said_pip(const struct said *d, const char *version, unsigned tag, bool newer)
{
    const char *name = package_of(d, tag, version), *dot = strchr(version, '.');
    bool series = dot && !strchr(dot + 1, '.'); /* 2.7 stands for all of 2.7 */

    if (strcmp(name, on_npm) == 0)
        return jw_fmt(d->f, "npm install %s@%s", name, newer || !*version ? "latest" : version);
    if (!*version)
        return jw_fmt(d->f, "pip install %s%s", name, index_of(d, tag));
    newer = newer && strcmp(name, "tensorflow-gpu") != 0; /* whose newest release installs nothing */
    return jw_fmt(d->f, "pip install \"%s%s%s%s\"%s", name, newer ? ">=" : "==", version,
                  series && !newer ? ".*" : "", index_of(d, tag));
}

/* Of the best build for one of the GPUs. */
static const char *install_for(const struct said *d, size_t gpu)
{
    struct jw_better b;

    jw_better_build(d->c, d->s, d->c->gpus[gpu].sm, &b);
    if (!b.found)
        return NULL;
    if (*b.from)
        return said_pip(d, *b.to ? b.to : b.from, b.tag, false);
    return said_pip(d, b.first, b.tag, !b.same_version && !b.older);
}

const char *said_install(const struct said *d)
{
    const char *first;

    if (!on_pip(d->s) || d->s->spec.dated)
        return NULL;
    first = install_for(d, d->gpu);
    for (size_t i = 0; i < d->n; i++)
        if (!jw_text_same(first, install_for(d, d->alike[i])))
            return NULL;
    return first;
}

static bool is_compiled(enum jw_word w)
{
    return w == JW_WORD_JIT_FIRST || w == JW_WORD_JIT_EVERY;
}

static void note_reported_ptx(const struct said *d)
{
    struct jw_report r;

    if (is_compiled(d->j->word)
        && jw_report_about(JW_REPORT_PTX, d->j->from, jw_case_os(d->c), d->c->gpus[d->gpu].sm, &r))
        SAID(d, .id = "framework-report", .severity = JW_NOTE,
             .text = jw_fmt(d->f, "%s on %s: %s", d->name, d->gpus, r.text),
             .evidence = jw_fmt(d->f, "reports: %s", r.source), .fix = r.fix);
}

static void one_word(const struct said *d, enum jw_word word)
{
    switch (word) {
    case JW_WORD_NATIVE:
        if (!d->s->from_files)
            say_not_compat(d);
        break;
    case JW_WORD_WARM: say_warm(d); break;
    case JW_WORD_JIT_FIRST: say_jit_first(d); break;
    case JW_WORD_JIT_EVERY: say_jit_every(d); break;
    case JW_WORD_NO_KERNEL: say_no_kernel(d); break;
    case JW_WORD_DRIVER_OLD: say_driver_old(d); break;
    case JW_WORD_PTX_TOO_NEW: say_ptx_too_new(d); break;
    case JW_WORD_CPU_BUILD: say_cpu_build(d); break;
    case JW_WORD_LIBS_MISSING: say_libs_missing(d); break;
    case JW_WORD_WRONG_RESULT_RISK: say_wrong_result(d); break;
    default: say_no_verdict(d);
    }
}

static bool is_native(const struct jw_judgement *j)
{
    return j->word == JW_WORD_NATIVE;
}

/* True if the note on the software's own compiler matters here. */
static bool note_is_due(const struct said *d)
{
    static const char *const compilers[] = { "cupy", "jax", "tensorrt" };

    return (jw_text_among(d->s->about.name, compilers, JW_COUNT(compilers)) && is_native(d->j)
            && !d->s->from_files)
           || (*d->s->about.advice && is_compiled(d->j->word));
}

static void all_words(const struct said *d)
{
    if (d->j->known_to_fail && d->j->word == JW_WORD_JIT_FIRST) {
        say_known_to_fail(d);
        return;
    }
    one_word(d, d->j->word);
    note_reported_ptx(d);
    if (is_compiled(d->j->also))
        one_word(d, d->j->also);
    if (d->j->known_to_fail)
        say_known_to_fail(d);
    if (*d->s->about.note && note_is_due(d))
        SAID(d, .id = "framework-note", .severity = JW_NOTE,
             .text = jw_fmt(d->f, "%s: %s", d->s->title, d->s->about.note),
             .evidence = jw_fmt(d->f, "source: %s", d->s->about.source),
             .fix = *d->s->about.advice ? d->s->about.advice : NULL);
}

/* ---- who is judged alike ---- */

/* True if driver branches treat both architectures the same. */
static bool driven_alike(const struct jw_judgement *j, unsigned x, unsigned y)
{
    const struct jw_arch_fact *a = jw_arch_find(x), *b = jw_arch_find(y);
    struct jw_cuda_release s = { 0 }, t = { 0 };

    if (!a || !b || a->last_branch != b->last_branch)
        return false;
    return j->reason != JW_BECAUSE_GPU
           || (a->first_branch == b->first_branch && jw_cuda_release_for(x, &s) == jw_cuda_release_for(y, &t)
               && s.cuda == t.cuda);
}

static bool reported_alike(const struct jw_case *c, const struct jw_software *s, unsigned x, unsigned y)
{
    static const enum jw_report_effect effects[] = { JW_REPORT_FAILS, JW_REPORT_WRONG, JW_REPORT_NOTE };
    struct jw_report a, b;

    for (size_t i = 0; i < JW_COUNT(effects); i++) {
        bool one = jw_software_report(c, s, x, effects[i], &a);

        if (one != jw_software_report(c, s, y, effects[i], &b)
            || (one && (strcmp(a.text, b.text) != 0 || strcmp(a.fix, b.fix) != 0)))
            return false;
    }
    return true;
}

/* True if the same text fits both GPUs; a verdict without compiling says nothing of the code's details. */
static bool same_text_without_compiling(const struct jw_case *c, const struct jw_software *s,
                                        const struct jw_judgement *j, size_t x, size_t y)
{
    const struct jw_judgement *a = &j[x];
    unsigned one = c->gpus[x].sm, other = c->gpus[y].sm;
    bool by_driver =
        a->word == JW_WORD_NO_KERNEL || a->reason == JW_BECAUSE_GPU || a->reason == JW_BECAUSE_DROPPED;

    return s->code[x].apart == s->code[y].apart && (!by_driver || driven_alike(a, one, other))
           && (a->reason == JW_BECAUSE_UNKNOWN || reported_alike(c, s, one, other));
}

/* True if one finding covers both GPUs; said_better lists different remedies. */
static bool alike(const struct jw_case *c, const struct jw_software *s, const struct jw_judgement *j,
                  size_t x, size_t y)
{
    const struct jw_judgement *a = &j[x], *b = &j[y];
    const struct jw_gpu_code *k = &s->code[x], *l = &s->code[y];

    if (a->word != b->word || is_native(a))
        return a->word == b->word;
    if (a->reason != b->reason || a->every != b->every)
        return false;
    if (c->gpus[x].sm == c->gpus[y].sm)
        return a->also == b->also;
    if (!is_compiled(a->word) && !is_compiled(a->also) && !is_compiled(b->also) && a->word != JW_WORD_WARM
        && a->word != JW_WORD_PTX_TOO_NEW)
        return same_text_without_compiling(c, s, j, x, y);
    return a->also == b->also && a->certainty == b->certainty && a->known_to_fail == b->known_to_fail
           && strcmp(a->from, b->from) == 0 && k->jit == l->jit && k->warm == l->warm
           && k->ptx_bytes == l->ptx_bytes && k->isa_major == l->isa_major && k->isa_minor == l->isa_minor
           && k->apart == l->apart && jw_text_same(k->needs_driver, l->needs_driver)
           && driven_alike(a, c->gpus[x].sm, c->gpus[y].sm)
           && reported_alike(c, s, c->gpus[x].sm, c->gpus[y].sm);
}

/* "GPUs of compute capability 8.6 and 9.0"; with names: "NVIDIA A10 (compute capability 8.6) and NVIDIA A100 ...", each
 * kind once. */
static const char *phrase_of(const struct said *d)
{
    const struct jw_gpu *gpus = d->c->gpus;
    const char *text = "";
    bool named = false, kinds = false;
    size_t list[JW_MAX_GPUS], n = 0;

    for (size_t i = 0; i < d->n; i++) {
        const struct jw_gpu *one = &gpus[d->alike[i]];
        bool again = false;

        for (size_t k = 0; k < n && !again; k++)
            again = gpus[list[k]].sm == one->sm && strcmp(gpus[list[k]].name, one->name) == 0;
        if (!again)
            list[n++] = d->alike[i];
        named = named || one->name[0];
        kinds = kinds || one->sm != gpus[d->gpu].sm;
    }
    if (kinds && !named)
        return jw_fmt(d->f, "GPUs of compute capability %s", capabilities_of(d->c, list, n, d->f));
    for (size_t i = 0; i < n; i++)
        text = jw_fmt(d->f, "%s%s%s", text, jw_text_between(i, n), jw_gpu_phrase(&gpus[list[i]], d->f));
    return text;
}

/* Warns about the software's own compiler, once for GPUs with the same limit. */
static void own_compilers(struct said d, const struct jw_judgement *j)
{
    for (size_t i = 0; i < d.c->n_gpus; i++) {
        unsigned knows = jw_compiler_too_old(d.s, d.s->cuda, d.c->gpus[i].sm);
        size_t list[JW_MAX_GPUS];

        d.alike = list;
        d.n = 0;
        for (size_t k = 0; k < d.c->n_gpus; k++)
            if (is_native(&j[k]) && jw_compiler_too_old(d.s, d.s->cuda, d.c->gpus[k].sm) == knows)
                list[d.n++] = k;
        if (knows && d.n && list[0] == i)
            say_own_compiler(&d, knows);
    }
}

static void one_software(const struct jw_case *c, const struct jw_software *s, const struct jw_judgement *j,
                         struct jw_findings *f)
{
    struct said d = { .c = c, .s = s, .f = f, .name = jw_software_name(s, f) };

    for (size_t i = 0; i < c->n_gpus; i++) {
        size_t list[JW_MAX_GPUS];

        d.alike = list;
        d.n = 0;
        for (size_t k = 0; k < c->n_gpus; k++)
            if (alike(c, s, j, i, k))
                list[d.n++] = k;
        if (!d.n || list[0] < i) /* it was said with one before it */
            continue;
        d.gpu = i;
        d.j = &j[i];
        d.gpus = phrase_of(&d);
        all_words(&d);
    }
    own_compilers(d, j);
}

/* Notes on several GPUs: only some must compile, or some are alike. */
static void several_gpus(const struct jw_case *c, const struct jw_software *s, const struct jw_judgement *j,
                         struct jw_findings *f)
{
    size_t native = c->n_gpus, compiled = c->n_gpus, twice = 0;
    const char *name = jw_software_name(s, f);

    if (c->n_gpus && c->gpus[0].source == JW_GPU_DEFAULT) /* a list of GPUs, and not those of a machine */
        return;
    for (size_t i = 0; i < c->n_gpus; i++) {
        if (j[i].word == JW_WORD_NATIVE && native == c->n_gpus)
            native = i;
        if (is_compiled(j[i].word) && compiled != c->n_gpus && c->gpus[i].sm == c->gpus[compiled].sm)
            twice++;
        if (is_compiled(j[i].word) && compiled == c->n_gpus)
            compiled = i;
    }
    if (native < c->n_gpus && compiled < c->n_gpus)
        JW_FINDING(
            f, .id = "gpus-differ", .severity = JW_NOTE, .subject = name,
            .text = jw_fmt(f, "%s is compiled only when %s is visible to it; on %s it starts at once", name,
                           jw_gpu_phrase(&c->gpus[compiled], f), jw_gpu_phrase(&c->gpus[native], f)),
            .fix = "to start without waiting, show programs only the other GPU (CUDA_VISIBLE_DEVICES, "
                   "numbered as in nvidia-smi)",
            .command =
                c->system == JW_CASE_WINDOWS
                    ? jw_fmt(f, "set CUDA_DEVICE_ORDER=PCI_BUS_ID& set CUDA_VISIBLE_DEVICES=%zu", native)
                    : jw_fmt(f, "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=%zu", native));
    if (twice)
        JW_FINDING(
            f, .id = "gpus-alike", .severity = JW_NOTE, .subject = name,
            .text = jw_fmt(
                f, "GPUs of one kind can share compiled code, if the driver's cache is large enough; this is "
                   "not certain: one report names 1.5 hours on four RTX 3090, and 30 to 35 minutes on one"),
            .evidence = "reports: tensorflow #44200",
            .fix = "start with one of them visible first, then with all",
            .command = c->system == JW_CASE_WINDOWS ? "set CUDA_VISIBLE_DEVICES=0"
                                                    : "export CUDA_VISIBLE_DEVICES=0");
}

const char *said_from(const struct jw_case *c)
{
    return c->system == JW_CASE_LINUX ? DOCTOR_DRIVERS_LINUX : DOCTOR_DRIVERS_WINDOWS;
}

static void bad_driver(const struct jw_case *c, struct jw_findings *f)
{
    struct jw_report r;

    for (size_t i = 0; c->driver && i < c->n_gpus; i++)
        if (jw_report_about(JW_REPORT_DRIVER, c->driver, jw_case_os(c), c->gpus[i].sm, &r)) {
            JW_FINDING(f, .id = "driver-known-bad", .severity = JW_WARNING, .subject = "driver",
                       .evidence = jw_fmt(f, "reports: %s", r.source),
                       .text = jw_fmt(f, "%s: %s", jw_gpu_phrase(&c->gpus[i], f), r.text),
                       .fix = jw_fmt(f, "%s%s", r.fix, said_from(c)));
            return;
        }
}

void jw_doctor_frameworks(const struct jw_case *c, const struct jw_software *s, size_t n,
                          const struct jw_judgement *judgements, struct jw_findings *f)
{
    bad_driver(c, f);
    for (size_t i = 0; i < n; i++) {
        one_software(c, &s[i], judgements + i * c->n_gpus, f);
        several_gpus(c, &s[i], judgements + i * c->n_gpus, f);
    }
}
