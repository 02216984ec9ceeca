#include "doctor/doctor_framework_say.h"

#include <stdio.h>
#include <string.h>

const char *jw_software_name(const struct jw_software *s, struct jw_findings *f)
{
    if (s->toolkit_only && s->cuda)
        return jw_finding_say(f, "a program built with CUDA %u.%u", s->cuda / 100, s->cuda % 100);
    if (!*s->version)
        return s->title;
    if (s->variant && *s->variant && !s->from_files)
        return jw_finding_say(f, "%s %s (%s)", s->title, s->version, s->variant);
    return jw_finding_say(f, "%s %s", s->title, s->version);
}

const char *jw_gpu_phrase(const struct jw_gpu *gpu, struct jw_findings *f)
{
    if (gpu->name[0])
        return jw_finding_say(f, "%s (compute capability %u.%u)", gpu->name, gpu->sm / 10, gpu->sm % 10);
    return jw_finding_say(f, "a GPU of compute capability %u.%u", gpu->sm / 10, gpu->sm % 10);
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

    return jw_finding_say(f, "this version was not scanned; %s before it and %s after it were, and %s%s",
                          s->build.version, neighbour(s, true, &after) ? after.version : "one",
                          agree ? "agree: confidence " : "do not agree here",
                          agree ? jw_confidence_name(s->sure) : "");
}

static const char *scanned_near(const struct jw_software *s, struct jw_findings *f)
{
    struct jw_framework_build before, after;
    bool older = neighbour(s, false, &before), newer = neighbour(s, true, &after);

    if (!older && !newer)
        return "nobody scanned it";
    return jw_finding_say(f, "this version was not scanned; the nearest %s %s%s%s",
                          older && newer ? "ones that were are" : "one that was is",
                          older ? before.version : after.version, older && newer ? " and " : "",
                          older && newer ? after.version : "");
}

const char *jw_software_known(const struct jw_software *s, struct jw_findings *f)
{
    if (s->from_files && s->cpu)
        return jw_finding_say(f, "none of its files holds code for a GPU (%s)", s->path);
    if (s->from_files && s->path)
        return jw_finding_say(f, "read from its files (%llu module%s): certain",
                              (unsigned long long)s->modules, s->modules == 1 ? "" : "s");
    if (s->toolkit_only)
        return s->cuda ? "from what this CUDA toolkit can compile for: a program may hold less"
                       : "from the tables of GPUs and drivers";
    if (s->by_message)
        return "by the list in its own message: certain";
    if (!s->has_build)
        return "the table of known builds does not say what is in it";
    if (*s->build.code && s->match == JW_MATCH_EXACT)
        return jw_finding_say(f, "scanned: version %s was fetched and read on %.10s: confidence %s",
                              s->build.version, s->build.measured, jw_confidence_name(s->sure));
    if (*s->build.code && s->match == JW_MATCH_AGREED)
        return scanned_around(s, true, f);
    if (!*s->build.code && s->match == JW_MATCH_EXACT && s->cuda)
        return jw_finding_say(f, "nobody scanned it; its makers say that it is built with CUDA %u.%u (%s)",
                              s->cuda / 100, s->cuda % 100, s->build.source);
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
    return jw_finding_say(f, "%s", text);
}

const char *said_holds(const struct said *d)
{
    const struct jw_framework_build *b = &d->s->build;

    if (d->s->from_files || !d->s->has_build || !*b->sass)
        return "";
    return jw_finding_say(d->f, ": %s holds code for %s%s",
                          d->s->match == JW_MATCH_AGREED ? b->version : "it", capabilities(b->sass, d->f),
                          *b->ptx ? "" : " only");
}

const char *said_source(const struct said *d)
{
    return *d->s->code[d->gpu].from ? d->s->code[d->gpu].from : "PTX";
}

const char *said_set(const struct said *d, const char *name, const char *value)
{
    if (d->c->system == JW_CASE_WINDOWS)
        return jw_finding_say(d->f, "setx %s %s", name, value);
    return jw_finding_say(d->f, "export %s=%s", name, value);
}

static const char *tag_text(unsigned tag, struct jw_findings *f)
{
    return jw_finding_say(f, "cu%u%u", tag / 100, tag % 100);
}

/* "use TensorFlow 2.4 or newer (best 2.5 to 2.10 with CUDA 11.2 and cuDNN 8.1)"; NULL: nothing better is known. */
const char *said_better(const struct said *d)
{
    struct jw_better b;
    const char *title = d->s->title, *built = "", *best = "";

    jw_better_build(d->c, d->s, d->c->gpus[d->gpu].sm, &b);
    if (!b.found)
        return *d->s->about.advice ? d->s->about.advice : NULL;
    if (b.same_version)
        return jw_finding_say(d->f, "use the build of %s %s for CUDA %u.%u (%s)", title, b.first, b.tag / 100,
                              b.tag % 100, tag_text(b.tag, d->f));
    if (b.tag)
        built = jw_finding_say(d->f, " built for CUDA %u.%u (%s)%s", b.tag / 100, b.tag % 100,
                               tag_text(b.tag, d->f), b.older ? "" : " or newer");
    if (b.older)
        return jw_finding_say(d->f, "use %s %s%s, the last with code for this GPU", title, b.first, built);
    if (*b.from)
        best = jw_finding_say(d->f, " (best %s%s%s%s%s%s%s)", b.from, *b.to ? " to " : "", b.to,
                              b.cuda ? " with CUDA " : "",
                              b.cuda ? jw_finding_say(d->f, "%u.%u", b.cuda / 100, b.cuda % 100) : "",
                              *b.cudnn ? " and cuDNN " : "", b.cudnn);
    return jw_finding_say(d->f, "use %s >= %s%s%s", title, b.first, built, best);
}

static bool is_compiled(enum jw_word w)
{
    return w == JW_WORD_JIT_FIRST || w == JW_WORD_JIT_EVERY;
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

/* It compiles besides the driver: where it is what it does most, and where it has a rule of its own for GPUs that it does
 * not know. */
static bool note_is_due(const struct said *d)
{
    static const char *const compilers[] = { "cupy", "jax", "tensorrt" };
    bool compiler = false;

    for (size_t i = 0; i < JW_COUNT(compilers); i++)
        compiler = compiler || strcmp(d->s->about.name, compilers[i]) == 0;
    return (compiler && is_native(d->j) && !d->s->from_files)
           || (*d->s->about.advice && is_compiled(d->j->word));
}

static void all_words(const struct said *d)
{
    if (d->j->known_to_fail && d->j->word == JW_WORD_JIT_FIRST) {
        say_known_to_fail(d);
        return;
    }
    one_word(d, d->j->word);
    if (is_compiled(d->j->also))
        one_word(d, d->j->also);
    if (d->j->known_to_fail)
        say_known_to_fail(d);
    if (*d->s->about.note && note_is_due(d))
        said_add(d,
                 (struct jw_finding){ .id = "framework-note",
                                      .severity = JW_NOTE,
                                      .text = jw_finding_say(d->f, "%s: %s", d->s->title, d->s->about.note),
                                      .evidence = jw_finding_say(d->f, "source: %s", d->s->about.source),
                                      .fix = *d->s->about.advice ? d->s->about.advice : NULL });
}

/* ---- who is judged alike ---- */

/* One sentence for both? What runs natively is one matter on any GPU; what does not has a cure for each. */
static bool alike(const struct jw_case *c, const struct jw_judgement *j, size_t x, size_t y)
{
    const struct jw_judgement *a = &j[x], *b = &j[y];

    if (is_native(a) || is_native(b))
        return is_native(a) && is_native(b) && a->word == b->word;
    return a->word == b->word && a->also == b->also && a->reason == b->reason && a->every == b->every
           && a->known_to_fail == b->known_to_fail && c->gpus[x].sm == c->gpus[y].sm;
}

/* "NVIDIA A10 (compute capability 8.6) and NVIDIA A100 (8.0)": each kind once. */
static const char *phrase_of(const struct jw_case *c, const struct jw_judgement *j, size_t first,
                             struct jw_findings *f)
{
    const char *text = jw_gpu_phrase(&c->gpus[first], f);

    for (size_t i = first + 1; i < c->n_gpus; i++) {
        bool again = false;

        for (size_t k = first; k < i && !again; k++)
            again = c->gpus[k].sm == c->gpus[i].sm && strcmp(c->gpus[k].name, c->gpus[i].name) == 0;
        if (!again && alike(c, j, first, i))
            text = jw_finding_say(f, "%s and %s", text, jw_gpu_phrase(&c->gpus[i], f));
    }
    return text;
}

/* How many GPUs one sentence is about. */
static size_t count_of(const struct jw_case *c, const struct jw_judgement *j, size_t first)
{
    size_t n = 0;

    for (size_t i = first; i < c->n_gpus; i++)
        n += alike(c, j, first, i);
    return n;
}

/* For each kind of GPU that it runs on natively. */
static void own_compilers(const struct jw_case *c, const struct jw_software *s, const struct jw_judgement *j,
                          struct jw_findings *f)
{
    for (size_t i = 0; i < c->n_gpus; i++) {
        struct said d = { .c = c, .s = s, .j = &j[i], .gpu = i, .n = 1, .f = f };
        bool said = j[i].word != JW_WORD_NATIVE;

        for (size_t k = 0; k < i && !said; k++)
            said = c->gpus[k].sm == c->gpus[i].sm;
        if (said)
            continue;
        d.name = jw_software_name(s, f);
        d.gpus = jw_gpu_phrase(&c->gpus[i], f);
        say_own_compiler(&d);
    }
}

static void one_software(const struct jw_case *c, const struct jw_software *s, const struct jw_judgement *j,
                         struct jw_findings *f)
{
    for (size_t i = 0; i < c->n_gpus; i++) {
        struct said d = { .c = c, .s = s, .j = &j[i], .gpu = i, .f = f };
        bool said = false;

        for (size_t k = 0; k < i && !said; k++)
            said = alike(c, j, k, i);
        if (said)
            continue;
        d.name = jw_software_name(s, f);
        d.gpus = phrase_of(c, j, i, f);
        d.n = count_of(c, j, i);
        all_words(&d);
    }
    own_compilers(c, s, j, f);
}

/* Several GPUs, of which only some have to wait; or the same one twice. */
static void several_gpus(const struct jw_case *c, const struct jw_software *s, const struct jw_judgement *j,
                         struct jw_findings *f)
{
    size_t native = c->n_gpus, compiled = c->n_gpus, twice = 0;
    const char *name = jw_software_name(s, f);

    for (size_t i = 0; i < c->n_gpus; i++) {
        if (j[i].word == JW_WORD_NATIVE && native == c->n_gpus)
            native = i;
        if (is_compiled(j[i].word) && compiled != c->n_gpus && c->gpus[i].sm == c->gpus[compiled].sm)
            twice++;
        if (is_compiled(j[i].word) && compiled == c->n_gpus)
            compiled = i;
    }
    if (native < c->n_gpus && compiled < c->n_gpus)
        jw_finding_add(
            f, (struct jw_finding){
                   .id = "gpus-differ",
                   .severity = JW_NOTE,
                   .subject = name,
                   .text = jw_finding_say(
                       f,
                       "%s has to be compiled only when %s is visible to it; %s needs none "
                       "of it",
                       name, jw_gpu_phrase(&c->gpus[compiled], f), jw_gpu_phrase(&c->gpus[native], f)),
                   .fix = "to start without waiting, show programs only the other GPU: set "
                          "CUDA_VISIBLE_DEVICES to its number (as nvidia-smi counts them, with "
                          "CUDA_DEVICE_ORDER=PCI_BUS_ID)",
                   .command = c->system == JW_CASE_WINDOWS
                                  ? jw_finding_say(f,
                                                   "set CUDA_DEVICE_ORDER=PCI_BUS_ID& set "
                                                   "CUDA_VISIBLE_DEVICES=%zu",
                                                   native)
                                  : jw_finding_say(f,
                                                   "export CUDA_DEVICE_ORDER=PCI_BUS_ID "
                                                   "CUDA_VISIBLE_DEVICES=%zu",
                                                   native) });
    if (twice)
        jw_finding_add(f, (struct jw_finding){
                              .id = "gpus-alike",
                              .severity = JW_NOTE,
                              .subject = name,
                              .text = jw_finding_say(
                                  f, "the GPUs of one kind can share what is compiled for one of them, if "
                                     "the driver's cache is large enough; it is not certain, for one "
                                     "report names 1.5 hours on four RTX 3090 against 30 to 35 minutes "
                                     "on one"),
                              .evidence = "reports: tensorflow #44200",
                              .fix = "start with one of them visible first, then with all" });
}

/* This very driver is known to be bad for one of the GPUs. */
static void bad_driver(const struct jw_case *c, struct jw_findings *f)
{
    struct jw_report r;

    for (size_t i = 0; c->driver && i < c->n_gpus; i++)
        if (jw_driver_report(c->driver, jw_case_os(c), c->gpus[i].sm, &r)) {
            jw_finding_add(f, (struct jw_finding){
                                  .id = "driver-known-bad",
                                  .severity = JW_WARNING,
                                  .subject = "driver",
                                  .evidence = jw_finding_say(f, "reports: %s", r.source),
                                  .text = jw_finding_say(f, "%s: %s", jw_gpu_phrase(&c->gpus[i], f), r.text),
                                  .fix = r.fix });
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
