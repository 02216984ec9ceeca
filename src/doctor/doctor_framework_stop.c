#include "doctor/doctor_framework_say.h"

#include <string.h>

/* ---- not at all ---- */

static bool is_called(const struct said *d, const char *name)
{
    return d->s->framework != JW_NO_FRAMEWORK && strcmp(d->s->about.name, name) == 0;
}

static const char *no_kernel_consequence(const struct said *d)
{
    if (d->j->reason == JW_BECAUSE_SWITCHED_OFF)
        return "programs stop with error 223 or 209 as soon as they use the GPU";
    return jw_fmt(d->f,
                  "the program stops at its first work on the GPU with \"no kernel image is available for "
                  "execution on the device\" (error 209)%s; neither waiting nor jitwarm prime helps, because "
                  "there is nothing to compile",
                  is_called(d, "pytorch") ? ", although torch.cuda.is_available() says True" : "");
}

/* What CUDA_DISABLE_* or CUDA_FORCE_* keeps from running. */
static void stopped_by_setting(const struct said *d, const char *text, const char *variables)
{
    bool windows = d->c->system == JW_CASE_WINDOWS;
    const char *second = strchr(variables, ' ');

    SAID(d, .id = "framework-no-kernel", .severity = JW_PROBLEM, .text = text,
         .consequence = no_kernel_consequence(d),
         .fix = jw_fmt(d->f, "unset %.*s and%s", (int)(second - variables), variables, second),
         .command = windows ? jw_fmt(d->f, "set %.*s=& set%s=", (int)(second - variables), variables, second)
                            : jw_fmt(d->f, "unset %s", variables));
}

static const char *why_no_kernel(const struct said *d)
{
    if (d->s->from_files || !d->s->has_build)
        return ": it has neither machine code nor PTX for this GPU";
    if (!*d->s->build.code && !d->s->by_message)
        return jw_fmt(d->f, ": it is built with CUDA %u.%u, which does not support this GPU",
                      d->s->cuda / 100, d->s->cuda % 100);
    return *d->s->build.ptx ? "" : ", and no PTX that the driver could compile";
}

void say_no_kernel(const struct said *d)
{
    struct jw_report r;

    if (jw_case_drives(d->c, d->c->gpus[d->gpu].sm) == JW_DRIVER_TOO_NEW)
        say_dropped(d); /* before any build that would run on it */
    if (d->j->reason == JW_BECAUSE_SWITCHED_OFF)
        stopped_by_setting(d,
                           jw_fmt(d->f,
                                  "the driver would have to compile %s for %s, and a variable forbids that "
                                  "(CUDA_DISABLE_PTX_JIT or CUDA_DISABLE_JIT is set)",
                                  d->name, d->gpus),
                           "CUDA_DISABLE_PTX_JIT CUDA_DISABLE_JIT");
    else if (d->j->reason == JW_BECAUSE_FORCED)
        stopped_by_setting(
            d,
            jw_fmt(d->f, "CUDA_FORCE_PTX_JIT makes the driver skip machine code, and %s has no PTX for %s",
                   d->name, d->gpus),
            "CUDA_FORCE_PTX_JIT CUDA_FORCE_JIT");
    else
        SAID(d, .id = "framework-no-kernel", .severity = JW_PROBLEM,
             .text =
                 jw_fmt(d->f, "%s cannot run on %s%s%s", d->name, d->gpus, said_holds(d), why_no_kernel(d)),
             .consequence = no_kernel_consequence(d), .fix = said_better(d), .command = said_install(d));
    if (said_report(d, JW_REPORT_NOTE, &r))
        SAID(d, .id = "framework-report", .severity = JW_NOTE,
             .text = jw_fmt(d->f, "%s on %s: %s", d->name, d->gpus, r.text), .evidence = r.source,
             .fix = *r.fix ? r.fix : NULL, .command = *r.command ? r.command : NULL);
}

/* ---- the driver ---- */

/* `.fix` and `.command` of an old driver: in a container only the host can change it. */
static const char *driver_fix(const struct said *d, const char *needed)
{
    const char *instead = d->s->framework == JW_NO_FRAMEWORK ? NULL : said_better(d);
    const char *update = d->c->container
                             ? jw_fmt(d->f,
                                      "update the host's driver to %s or newer (inside a container it cannot "
                                      "be changed; the CUDA toolkit in the image can)",
                                      needed)
                             : jw_fmt(d->f, "update the driver to %s or newer%s", needed, said_from(d->c));

    return instead ? jw_fmt(d->f, "%s; if you cannot: %s", update, instead) : update;
}

static void driver_old_for_gpu(const struct said *d)
{
    const struct jw_arch_fact *arch = jw_arch_find(d->c->gpus[d->gpu].sm);
    const char *needed = jw_fmt(d->f, "%u", arch ? arch->first_branch : 0), *with = "";
    struct jw_cuda_release t;

    if (jw_cuda_release_for(d->c->gpus[d->gpu].sm, &t) && *t.linux_with)
        with = jw_fmt(d->f, " (CUDA %u.%u, the first that knows %s, came with %s)", t.cuda / 100,
                      t.cuda % 100, d->n > 1 ? "them" : "this GPU", t.linux_with);
    JW_FINDING(
        d->f, .id = "driver-old-for-gpu", .severity = JW_PROBLEM, .subject = "driver",
        .evidence = jw_fmt(d->f, "driver %s", d->c->driver),
        .text = jw_fmt(d->f, "driver %s is too old for %s: %s >= %s%s", d->c->driver, d->gpus,
                       d->n > 1 ? "they need" : "it needs", needed, with),
        .consequence = "the driver does not support this GPU: programs do not see it, and on Linux "
                       "the desktop may not start",
        .fix = d->c->container ? jw_fmt(
                   d->f, "update the host's driver to %s or newer: inside a container it cannot be changed",
                   needed)
                               : jw_fmt(d->f, "install driver %s or newer%s", needed, said_from(d->c)));
}

static void driver_cannot_unpack(const struct said *d)
{
    const char *needed = JW_ZSTD_FIRST_BRANCH_TEXT;

    SAID(d, .id = "framework-driver-old", .severity = JW_PROBLEM,
         .text = jw_fmt(d->f,
                        "%s has code for %s that is compressed with zstd; drivers before %s cannot read it, "
                        "and this one is %s",
                        d->name, d->gpus, needed, d->c->driver),
         .consequence = "the program stops when it loads that code: with error 218 under drivers 470 and "
                        "535, by a crash under 525",
         .fix = driver_fix(d, needed), .command = said_install(d));
}

void say_driver_old(const struct said *d)
{
    struct jw_cuda_release t;

    if (d->j->reason == JW_BECAUSE_GPU) {
        driver_old_for_gpu(d);
        return;
    }
    if (d->j->reason == JW_BECAUSE_PACKED) {
        driver_cannot_unpack(d);
        return;
    }
    if (!jw_cuda_release_find(d->s->cuda, &t))
        return;
    const char *needed = jw_case_least(d->c, &t);

    SAID(d, .id = "framework-driver-old", .severity = JW_PROBLEM,
         .text = jw_fmt(d->f, "%s is built with CUDA %u.%u, which needs driver >= %s; this one is %s",
                        d->name, t.cuda / 100, t.cuda % 100, needed, d->c->driver),
         .consequence =
             "it finds no usable GPU (error 35, \"CUDA driver version is insufficient\"). The CUDA version "
             "that nvidia-smi shows is the newest that the driver can serve, not what is installed",
         .fix = driver_fix(d, needed), .command = said_install(d));
}

void say_ptx_too_new(const struct said *d)
{
    const struct jw_gpu_code *code = &d->s->code[d->gpu];
    bool known = code->needs_driver && *code->needs_driver;

    SAID(
        d, .id = "framework-ptx-too-new", .severity = JW_PROBLEM,
        .text = jw_fmt(
            d->f,
            "the driver must compile %s for %s, but its PTX (version %u.%u) is newer than driver %s can read",
            d->name, d->gpus, code->isa_major, code->isa_minor, d->c->driver ? d->c->driver : "here"),
        .consequence = "the program stops with \"the provided PTX was compiled with an unsupported "
                       "toolchain\" (error 222)",
        .fix = driver_fix(d, known ? code->needs_driver : "the newest one"), .command = said_install(d));
}

void say_dropped(const struct said *d)
{
    const struct jw_arch_fact *arch = jw_arch_find(d->c->gpus[d->gpu].sm);
    unsigned last = arch ? arch->last_branch : 0;

    JW_FINDING(d->f, .id = "gpu-dropped", .severity = JW_PROBLEM, .subject = "driver",
               .evidence = jw_fmt(d->f, "driver %s", d->c->driver),
               .text = jw_fmt(d->f, "driver %s no longer supports %s; R%u is the last that does",
                              d->c->driver, d->gpus, last),
               .consequence = "programs see no GPU",
               .fix = jw_fmt(d->f, "install a driver of branch %u%s", last, said_from(d->c)));
}

/* ---- on the CPU ---- */

/* The newest toolkit that this version has a build for on this system, and that compiles for the GPU; 0: none is
 * known. */
static unsigned tag_for(const struct said *d)
{
    struct jw_framework_build b;
    struct jw_cuda_release t;
    unsigned best = 0, sm = d->c->gpus[d->gpu].sm;

    for (size_t i = 0; jw_framework_build_at(i, &b); i++)
        for (size_t k = 0; b.framework == d->s->framework && (b.os & jw_case_os(d->c)) && k < 5 && b.tags[k];
             k++)
            if (jw_framework_compare(d->s->spec.number, &b) == 0 && b.tags[k] > best
                && jw_cuda_release_find(b.tags[k], &t) && t.oldest <= sm && sm <= t.newest)
                best = b.tags[k];
    return best;
}

void say_cpu_build(const struct said *d)
{
    const struct jw_software *s = d->s;
    struct jw_framework_build b;
    uint16_t newest[3] = { 0 };
    char last[24] = "";

    for (size_t i = 0; !s->cpu && jw_framework_build_at(i, &b); i++)
        if (b.framework == s->framework && (b.os & jw_case_os(d->c)) && (*b.sass || *b.ptx)
            && b.high[0] != 0xffff
            && (b.high[0] > newest[0] || (b.high[0] == newest[0] && b.high[1] > newest[1]))) {
            memcpy(newest, b.high, sizeof newest);
            jw_version_text(&b, b.high, b.parts, last);
        }
    bool windows = d->c->system == JW_CASE_WINDOWS;
    bool before = windows && *last && jw_framework_compare(newest, &s->build) < 0;
    const char *title = s->title, *command = NULL;

    if (s->cpu)
        command = said_pip(d, "", 0, false);
    else if (before)
        command = said_pip(d, last, 0, false);
    else if (is_called(d, "pytorch") && tag_for(d))
        command = said_pip(d, s->version, tag_for(d), false);

    SAID(d, .id = "framework-cpu-build", .severity = s->from_files ? JW_WARNING : JW_PROBLEM,
         .text = s->cpu ? jw_fmt(d->f, "%s %s is a package without CUDA", title, s->version)
                        : jw_fmt(d->f, "the package of %s%s has no GPU code", d->name,
                                 windows         ? " for native Windows"
                                 : d->c->aarch64 ? " for aarch64"
                                                 : ""),
         .consequence = "it runs on the CPU, without any error",
         .fix = s->cpu   ? jw_fmt(d->f, "install the package %s instead", s->about.name)
                : before ? jw_fmt(
                      d->f, "use %s %s, the last with GPU support on native Windows, or Linux under WSL2",
                      title, last)
                : windows && *last
                    ? "install a build for CUDA (+cu126 or another) from the project's own package index"
                : *s->build.notes ? s->build.notes
                                  : NULL,
         .command = command);
}

/* "cudart64_110.dll", "libcudart.so.11.0" */
static const char *cudart_name(const struct said *d)
{
    unsigned major = d->s->cuda / 100, minor = d->s->cuda % 100;

    if (d->c->system == JW_CASE_WINDOWS)
        return major >= 12   ? jw_fmt(d->f, "cudart64_%u.dll", major)
               : major == 11 ? "cudart64_110.dll"
                             : jw_fmt(d->f, "cudart64_%u%u.dll", major, minor);
    return major >= 12   ? jw_fmt(d->f, "libcudart.so.%u", major)
           : major == 11 ? "libcudart.so.11.0"
                         : jw_fmt(d->f, "libcudart.so.%u.%u", major, minor);
}

/* "cublas64_11.dll", "libcublas.so.10": what is looked for among the files. */
static const char *cublas_name(const struct said *d)
{
    unsigned major = d->s->cuda / 100, minor = d->s->cuda % 100;
    bool windows = d->c->system == JW_CASE_WINDOWS;

    if (d->s->cuda > 1000)
        return jw_fmt(d->f, windows ? "cublas64_%u.dll" : "libcublas.so.%u", major);
    return jw_fmt(d->f, windows ? "cublas64_%u%u.dll" : "libcublas.so.%u.%u", major, minor);
}

static const char *cudnn_name(const struct said *d)
{
    int major = (int)strcspn(d->s->build.cudnn, ". /x");

    if (d->c->system == JW_CASE_WINDOWS)
        return jw_fmt(d->f, "cudnn64_%.*s.dll", major, d->s->build.cudnn);
    return jw_fmt(d->f, "libcudnn.so.%.*s", major, d->s->build.cudnn);
}

/* conda-forge names cuDNN 8 and later with three numbers. */
static const char *conda_command(const struct said *d)
{
    const char *cudnn = d->s->build.cudnn;
    bool short_name = strspn(cudnn, "0123456789.") == strlen(cudnn) && cudnn[0] >= '8' && strlen(cudnn) == 3;

    if (!d->s->cuda || d->s->cuda >= 1200)
        return NULL;
    return jw_fmt(d->f, "conda install -c conda-forge cudatoolkit=%u.%u%s%.*s%s", d->s->cuda / 100,
                  d->s->cuda % 100, *cudnn ? " cudnn=" : "", (int)strcspn(cudnn, "/ "), cudnn,
                  short_name ? ".0" : "");
}

static const char *libs_command(const struct said *d)
{
    if (strcmp(d->s->about.name, "tensorflow") == 0 && d->c->system != JW_CASE_WINDOWS
        && strstr(d->s->build.variant, "[and-cuda]"))
        return jw_fmt(d->f, "pip install 'tensorflow[and-cuda]%s%s'", *d->s->version ? "==" : "",
                      d->s->version);
    return conda_command(d);
}

/* "CUDA 11.0 and cuDNN 8.0 (libcudart.so.11.0, libcudnn.so.8)" */
static const char *needed_libs(const struct said *d)
{
    const char *cudnn = d->s->build.cudnn;

    if (!d->s->cuda)
        return "CUDA (of an unknown version: this build is not in jitwarm's table)";
    return jw_fmt(d->f, "CUDA %u.%u%s%s (%s%s%s)", d->s->cuda / 100, d->s->cuda % 100,
                  *cudnn ? " and cuDNN " : "", cudnn, d->s->from_files ? cublas_name(d) : cudart_name(d),
                  *cudnn ? ", " : "", *cudnn ? cudnn_name(d) : "");
}

void say_libs_missing(const struct said *d)
{
    const struct jw_library *cuda = &d->c->cuda;
    const char *here = cuda->presence == JW_PRESENCE_VERSION && !cuda->majors
                           ? jw_fmt(d->f, "; CUDA %u.%u is here", cuda->version / 100, cuda->version % 100)
                           : "";

    struct jw_report wrong;
    bool dangerous = said_report(d, JW_REPORT_WRONG, &wrong);

    SAID(d, .id = "framework-libs-missing", .severity = JW_PROBLEM,
         .text = jw_fmt(d->f, "%s needs the libraries of %s, and %s%s", d->name, needed_libs(d),
                        d->s->from_files ? "jitwarm did not find them" : "some are missing", here),
         .consequence = d->s->about.cpu_else ? "it runs on the CPU, and only its log says so"
                                             : "it stops when it is loaded, and names the missing library",
         .fix = dangerous ? jw_fmt(d->f, "do not install them, because %s computes wrong results on %s; %s",
                                   d->name, d->gpus, wrong.fix)
                          : "install them; the driver does not contain them",
         .command = dangerous ? said_install(d) : libs_command(d));
}

/* ---- no verdict ---- */

static void say_nothing_on_aarch64(const struct said *d)
{
    const struct jw_arch_fact *arch = jw_arch_find(d->c->gpus[d->gpu].sm);
    bool tegra = arch && arch->isolated;

    SAID(d, .id = "build-unknown", .severity = JW_WARNING,
         .evidence = "jitwarm's table has no build of it for aarch64",
         .text =
             jw_fmt(d->f, "what %s holds on aarch64 is not known; its x86-64 builds are different", d->name),
         .fix = jw_fmt(d->f, "%swhere it is installed, jitwarm scan reads its files",
                       tegra ? "NVIDIA's Jetson builds are not on PyPI; " : ""));
}

/* The newest Python of a list such as "3.7-3.10" or "2.7 3.5-3.8". */
static const char *python_command(const struct said *d)
{
    const char *list = d->s->build.python, *last = list;

    for (const char *at = list; *at; at++)
        if (at > list && (at[-1] == ' ' || at[-1] == '-' || at[-1] == '/') && *at >= '0' && *at <= '9')
            last = at;
    return jw_fmt(d->f, "conda create -n %s python=%.*s", d->s->about.name, (int)strspn(last, "0123456789."),
                  last);
}

void say_no_verdict(const struct said *d)
{
    const struct jw_framework_build *b = &d->s->build;
    const struct jw_software *s = d->s;

    switch (d->j->reason) {
    case JW_BECAUSE_PYTHON:
        SAID(d, .id = "python-unsupported", .severity = JW_PROBLEM,
             .text = jw_fmt(d->f, "%s has no package for Python %s, only for Python %s", d->name,
                            d->c->python, b->python),
             .consequence = "pip finds no matching version", .fix = jw_fmt(d->f, "use Python %s", b->python),
             .command = python_command(d));
        break;
    case JW_BECAUSE_VARIANT:
        SAID(d, .id = "build-unknown", .severity = JW_WARNING,
             .text = jw_fmt(d->f, "no build \"+%s\" of %s %s is known; the table has %s", s->variant,
                            s->title, s->version, b->variant),
             .fix = said_better(d), .command = said_install(d));
        break;
    case JW_BECAUSE_SYSTEM:
        if (d->c->aarch64)
            say_nothing_on_aarch64(d);
        else
            SAID(d, .id = "build-unknown", .severity = JW_WARNING,
                 .text = jw_fmt(d->f, "no build of %s for %s is known", d->name,
                                d->c->system == JW_CASE_WINDOWS ? "Windows" : "Linux"),
                 .command = said_scan(d));
        break;
    case JW_BECAUSE_HIDDEN:
        JW_FINDING(d->f, .id = "gpu-hidden", .severity = JW_PROBLEM, .subject = "CUDA_VISIBLE_DEVICES",
                   .evidence =
                       jw_fmt(d->f, "CUDA_VISIBLE_DEVICES=%s", jw_case_env(d->c, "CUDA_VISIBLE_DEVICES")),
                   .text = "CUDA_VISIBLE_DEVICES names no GPU, so programs see none",
                   .consequence = "they stop, or run on the CPU",
                   .fix = "unset it, or set it to the numbers of the GPUs, such as 0",
                   .command = d->c->system == JW_CASE_WINDOWS ? "set CUDA_VISIBLE_DEVICES="
                                                              : "unset CUDA_VISIBLE_DEVICES");
        break;
    case JW_BECAUSE_DROPPED: say_dropped(d); break;
    case JW_BECAUSE_UNASKED:
        SAID(d, .id = "nothing-named", .severity = JW_NOTE, .subject = "framework",
             .text = jw_fmt(d->f, "no software was named, so only driver and GPU were checked: %s", d->gpus),
             .fix = "name the software: --framework NAME==VERSION");
        break;
    default:
        SAID(d, .id = "framework-unknown", .severity = said_scan(d) ? JW_WARNING : JW_NOTE,
             .text = jw_fmt(d->f, "which code %s holds for %s is not known", d->name, d->gpus),
             .consequence = *s->about.note ? s->about.note : NULL,
             .fix = *s->about.advice ? s->about.advice
                    : said_scan(d)   ? "download it without installing it, and scan it"
                                     : "where it is installed, jitwarm scan reads its files",
             .command = *s->about.advice ? NULL : said_scan(d));
    }
}
