#include "doctor/doctor_framework_say.h"
#include "facts/archs.h"
#include "facts/drivers.h"

#include <stdio.h>
#include <string.h>

/* ---- not at all ---- */

static const char *no_kernel_consequence(const struct said *d)
{
    const char *name = d->s->framework == JW_NO_FRAMEWORK ? "" : d->s->about.name;

    if (d->j->reason == JW_BECAUSE_SWITCHED_OFF)
        return "programs stop with error 223 or 209 as soon as they use the GPU";
    if (strcmp(name, "pytorch") == 0)
        return "the program stops at its first work on the GPU with \"no kernel image is available for "
               "execution on the "
               "device\" (error 209), although torch.cuda.is_available() says True; neither waiting nor "
               "jitwarm prime "
               "helps, because there is nothing to compile";
    return "the program stops at its first work on the GPU with \"no kernel image is available for execution "
           "on the "
           "device\" (error 209); neither waiting nor jitwarm prime helps, because there is nothing to "
           "compile";
}

/* A driver that no longer knows the GPU comes before any build that would. */
static bool dropped(const struct said *d)
{
    struct jw_driver_version v;
    struct jw_err ignored;

    return d->c->driver && jw_driver_parse(d->c->driver, &v, &ignored)
           && jw_driver_drives(&v, d->c->gpus[d->gpu].sm) == JW_DRIVER_TOO_NEW;
}

void say_no_kernel(const struct said *d)
{
    if (dropped(d))
        say_dropped(d);

    bool off = d->j->reason == JW_BECAUSE_SWITCHED_OFF, forced = d->j->reason == JW_BECAUSE_FORCED;
    struct jw_report r;

    said_add(
        d, (struct jw_finding){
               .id = "framework-no-kernel",
               .severity = JW_PROBLEM,
               .text =
                   off ? jw_finding_say(
                       d->f,
                       "%s would have to be compiled for %s, and a variable forbids the driver to compile "
                       "(CUDA_DISABLE_PTX_JIT or CUDA_DISABLE_JIT is set)",
                       d->name, d->gpus)
                   : forced
                       ? jw_finding_say(
                           d->f,
                           "CUDA_FORCE_PTX_JIT has the driver pass over machine code, and %s has no "
                           "portable code (PTX) for %s",
                           d->name, d->gpus)
                       : jw_finding_say(
                           d->f, "%s cannot run on %s%s%s", d->name, d->gpus, said_holds(d),
                           d->s->from_files || !d->s->has_build
                               ? ": there is no code for it, and none that the driver could compile"
                           : !*d->s->build.code && !d->s->by_message ? jw_finding_say(
                                 d->f, ": CUDA %u.%u, which it is built with, makes no code for so old a GPU",
                                 d->s->cuda / 100, d->s->cuda % 100)
                           : !*d->s->build.ptx ? ", and nothing that the driver could compile"
                                               : ""),
               .consequence = no_kernel_consequence(d),
               .fix = off      ? "unset CUDA_DISABLE_PTX_JIT and CUDA_DISABLE_JIT"
                      : forced ? "unset CUDA_FORCE_PTX_JIT and CUDA_FORCE_JIT"
                               : said_better(d) });
    if (jw_framework_report(d->s->framework, d->s->spec.number, jw_case_os(d->c), d->s->cuda,
                            d->c->gpus[d->gpu].sm, JW_REPORT_NOTE, &r))
        said_add(d,
                 (struct jw_finding){ .id = "framework-report",
                                      .severity = JW_NOTE,
                                      .text = jw_finding_say(d->f, "%s on %s: %s", d->name, d->gpus, r.text),
                                      .evidence = r.source,
                                      .fix = *r.fix ? r.fix : NULL });
}

/* ---- the driver ---- */

static const char *least_driver(const struct said *d, const struct jw_cuda_release *t)
{
    return d->c->system == JW_CASE_LINUX ? t->linux_least : t->windows_least;
}

/* What can be done where only the host may change the driver. */
static const char *driver_fix(const struct said *d, const char *needed)
{
    const char *instead = d->s->framework == JW_NO_FRAMEWORK ? NULL : said_better(d);
    const char *update = jw_finding_say(d->f, "update the driver to %s or newer", needed);

    if (d->c->container)
        update =
            jw_finding_say(d->f,
                           "have the host's driver updated to %s or newer (inside a container it cannot be "
                           "changed; the CUDA toolkit in the image can)",
                           needed);
    return instead ? jw_finding_say(d->f, "%s; where that cannot be done: %s", update, instead) : update;
}

static void driver_old_for_gpu(const struct said *d)
{
    const struct jw_gpu *gpu = &d->c->gpus[d->gpu];
    char needed[16] = "a newer one";
    const char *with = "";
    struct jw_cuda_release t;

    for (unsigned branch = 100; branch < 1000; branch++) {
        struct jw_driver_version v = { branch, 0, 0 };

        if (jw_driver_drives(&v, gpu->sm) == JW_DRIVES) {
            (void)snprintf(needed, sizeof needed, "%u", branch);
            break;
        }
    }
    if (jw_cuda_release_for(gpu->sm, &t) && *t.linux_with)
        with = jw_finding_say(d->f, " (CUDA %u.%u, the first that knows %s, came with %s)", t.cuda / 100,
                              t.cuda % 100, d->n > 1 ? "them" : "this GPU", t.linux_with);
    jw_finding_add(
        d->f,
        (struct jw_finding){
            .id = "driver-old-for-gpu",
            .severity = JW_PROBLEM,
            .subject = "driver",
            .evidence = jw_finding_say(d->f, "driver %s", d->c->driver),
            .text = jw_finding_say(d->f, "driver %s is too old for %s: %s >= %s%s", d->c->driver, d->gpus,
                                   d->n > 1 ? "they need" : "it needs", needed, with),
            .consequence = "the driver does not drive such a GPU: programs see none, and on Linux the "
                           "desktop may not start on it",
            .fix = d->c->container ? jw_finding_say(d->f,
                                                    "have the host's driver updated to %s or newer: inside "
                                                    "a container it cannot be changed",
                                                    needed)
                                   : jw_finding_say(d->f, "install driver %s or newer", needed) });
}

static void driver_cannot_unpack(const struct said *d)
{
    const char *needed = JW_ZSTD_FIRST_BRANCH_TEXT;

    said_add(d,
             (struct jw_finding){
                 .id = "framework-driver-old",
                 .severity = JW_PROBLEM,
                 .text = jw_finding_say(d->f,
                                        "%s holds code for %s that is packed with zstd, which drivers "
                                        "before %s cannot unpack; this one is %s",
                                        d->name, d->gpus, needed, d->c->driver),
                 .consequence = "the program stops when it loads that code: with error 218 under drivers 470 "
                                "and 535, by a crash under 525",
                 .fix = driver_fix(d, needed) });
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
    const char *needed = least_driver(d, &t);

    said_add(
        d, (struct jw_finding){
               .id = "framework-driver-old",
               .severity = JW_PROBLEM,
               .text = jw_finding_say(d->f,
                                      "%s is built with CUDA %u.%u, which needs driver >= %s; this one is %s",
                                      d->name, t.cuda / 100, t.cuda % 100, needed, d->c->driver),
               .consequence =
                   "it finds no usable GPU (error 35, \"CUDA driver version is insufficient\"). The CUDA "
                   "version that nvidia-smi shows is the newest that the driver can serve, not what is "
                   "installed",
               .fix = driver_fix(d, needed) });
}

void say_ptx_too_new(const struct said *d)
{
    const struct jw_gpu_code *code = &d->s->code[d->gpu];
    bool known = code->needs_driver && *code->needs_driver;

    said_add(
        d, (struct jw_finding){
               .id = "framework-ptx-too-new",
               .severity = JW_PROBLEM,
               .text = jw_finding_say(
                   d->f,
                   "%s must be compiled for %s by the driver, and its portable code (PTX %u.%u) is "
                   "newer than driver %s can read",
                   d->name, d->gpus, code->isa_major, code->isa_minor, d->c->driver ? d->c->driver : "here"),
               .consequence =
                   "the program stops with \"the provided PTX was compiled with an unsupported toolchain\" "
                   "(error 222)",
               .fix = driver_fix(d, known ? code->needs_driver : "the newest one") });
}

void say_dropped(const struct said *d)
{
    const struct jw_arch_fact *arch = jw_arch_find(d->c->gpus[d->gpu].sm);
    unsigned last = arch ? arch->last_branch : 0;

    jw_finding_add(
        d->f, (struct jw_finding){
                  .id = "gpu-dropped",
                  .severity = JW_PROBLEM,
                  .subject = "driver",
                  .evidence = jw_finding_say(d->f, "driver %s", d->c->driver),
                  .text = jw_finding_say(d->f, "driver %s no longer drives %s; R%u is the last that does",
                                         d->c->driver, d->gpus, last),
                  .consequence = "programs see no GPU",
                  .fix = jw_finding_say(d->f, "install a driver of branch %u", last) });
}

/* ---- on the CPU ---- */

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
    const char *title = s->title;

    said_add(
        d,
        (struct jw_finding){
            .id = "framework-cpu-build",
            .severity = s->from_files ? JW_WARNING : JW_PROBLEM,
            .text = s->cpu ? jw_finding_say(d->f, "%s %s is a package without CUDA", title, s->version)
                           : jw_finding_say(d->f, "the package of %s%s holds nothing for a GPU", d->name,
                                            windows         ? " for native Windows"
                                            : d->c->aarch64 ? " for aarch64"
                                                            : ""),
            .consequence = "it computes on the processor, without any error",
            .fix = s->cpu   ? jw_finding_say(d->f, "install the package %s in its place", s->about.name)
                   : before ? jw_finding_say(d->f,
                                             "use %s %s, the last with GPU support on native Windows, or "
                                             "Linux under WSL2",
                                             title, last)
                   : windows && *last
                       ? "install a build for CUDA (+cu126 or another) from the project's own package index"
                   : *s->build.notes ? s->build.notes
                                     : NULL });
}

/* "cudart64_110.dll", "libcudart.so.11.0" */
static const char *cudart_name(const struct said *d)
{
    unsigned major = d->s->cuda / 100, minor = d->s->cuda % 100;

    if (d->c->system == JW_CASE_WINDOWS)
        return major >= 12   ? jw_finding_say(d->f, "cudart64_%u.dll", major)
               : major == 11 ? "cudart64_110.dll"
                             : jw_finding_say(d->f, "cudart64_%u%u.dll", major, minor);
    return major >= 12   ? jw_finding_say(d->f, "libcudart.so.%u", major)
           : major == 11 ? "libcudart.so.11.0"
                         : jw_finding_say(d->f, "libcudart.so.%u.%u", major, minor);
}

/* "cublas64_11.dll", "libcublas.so.10": what is looked for among the files. */
static const char *cublas_name(const struct said *d)
{
    unsigned major = d->s->cuda / 100, minor = d->s->cuda % 100;
    bool windows = d->c->system == JW_CASE_WINDOWS;

    if (d->s->cuda > 1000)
        return jw_finding_say(d->f, windows ? "cublas64_%u.dll" : "libcublas.so.%u", major);
    return jw_finding_say(d->f, windows ? "cublas64_%u%u.dll" : "libcublas.so.%u.%u", major, minor);
}

static const char *cudnn_name(const struct said *d)
{
    int major = (int)strcspn(d->s->build.cudnn, ". /x");

    if (d->c->system == JW_CASE_WINDOWS)
        return jw_finding_say(d->f, "cudnn64_%.*s.dll", major, d->s->build.cudnn);
    return jw_finding_say(d->f, "libcudnn.so.%.*s", major, d->s->build.cudnn);
}

/* conda-forge names cuDNN 8 and later with three numbers. */
static const char *conda_command(const struct said *d)
{
    const char *cudnn = d->s->build.cudnn;
    bool short_name = strspn(cudnn, "0123456789.") == strlen(cudnn) && cudnn[0] >= '8' && strlen(cudnn) == 3;

    if (!d->s->cuda || d->s->cuda >= 1200)
        return NULL;
    return jw_finding_say(d->f, "conda install -c conda-forge cudatoolkit=%u.%u%s%.*s%s", d->s->cuda / 100,
                          d->s->cuda % 100, *cudnn ? " cudnn=" : "", (int)strcspn(cudnn, "/ "), cudnn,
                          short_name ? ".0" : "");
}

static const char *libs_command(const struct said *d)
{
    if (strcmp(d->s->about.name, "tensorflow") == 0 && d->c->system != JW_CASE_WINDOWS
        && strstr(d->s->build.variant, "[and-cuda]"))
        return jw_finding_say(d->f, "pip install 'tensorflow[and-cuda]%s%s'", *d->s->version ? "==" : "",
                              d->s->version);
    return conda_command(d);
}

/* "CUDA 11.0 and cuDNN 8.0 (libcudart.so.11.0, libcudnn.so.8)" */
static const char *needed_libs(const struct said *d)
{
    const char *cudnn = d->s->build.cudnn;

    if (!d->s->cuda)
        return "CUDA (the table of known builds does not have this one, and so not of which version)";
    return jw_finding_say(d->f, "CUDA %u.%u%s%s (%s%s%s)", d->s->cuda / 100, d->s->cuda % 100,
                          *cudnn ? " and cuDNN " : "", cudnn,
                          d->s->from_files ? cublas_name(d) : cudart_name(d), *cudnn ? ", " : "",
                          *cudnn ? cudnn_name(d) : "");
}

void say_libs_missing(const struct said *d)
{
    const struct jw_library *cuda = &d->c->cuda;
    const char *here =
        cuda->presence == JW_PRESENCE_VERSION && !cuda->majors
            ? jw_finding_say(d->f, "; CUDA %u.%u is here", cuda->version / 100, cuda->version % 100)
            : "";

    /* What was reported to compute wrong results here is not to be installed. */
    struct jw_report wrong;
    bool dangerous = jw_framework_report(d->s->framework, d->s->spec.number, jw_case_os(d->c), d->s->cuda,
                                         d->c->gpus[d->gpu].sm, JW_REPORT_WRONG, &wrong);

    said_add(
        d,
        (struct jw_finding){
            .id = "framework-libs-missing",
            .severity = JW_PROBLEM,
            .text = jw_finding_say(d->f, "%s needs the libraries of %s, and %s%s", d->name, needed_libs(d),
                                   d->s->from_files ? "they were not found where CUDA software is looked for"
                                                    : "not all of them are there",
                                   here),
            .consequence = d->s->about.cpu_else ? "it computes on the processor, and only its log says so"
                                                : "it stops when it is loaded, and names the missing library",
            .fix = dangerous
                       ? jw_finding_say(d->f, "do not install them: %s computes wrong results on %s; %s",
                                        d->name, d->gpus, wrong.fix)
                       : "install them; the driver alone does not bring them",
            .command = dangerous ? NULL : libs_command(d) });
}

/* ---- no verdict ---- */

/* "cupy-cuda12x" of CuPy for CUDA 12: the package that pip knows. */
static const char *package_of(const struct said *d)
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
    const struct jw_software *s = d->s;
    unsigned tag = s->spec.tag, major = tag / 100, minor = tag % 100;

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        if (strcmp(s->about.name, names[i].framework) != 0)
            continue;
        if (!names[i].usual)
            return names[i].package;
        if (tag && minor != 99) /* cupy-cuda92 */
            return jw_finding_say(d->f, "%s%u%u", names[i].package, major, minor);
        return jw_finding_say(d->f, "%s%u%s", names[i].package, tag ? major : names[i].usual, names[i].end);
    }
    return s->about.name;
}

/* The one command that answers for a package that pip has; NULL: it comes another way. */
static const char *scan_command(const struct said *d)
{
    const struct jw_software *s = d->s;
    struct jw_framework_build b;
    bool pip = false, index = strcmp(s->about.name, "pytorch") == 0 && s->spec.tag;

    for (size_t i = 0; s->framework != JW_NO_FRAMEWORK && jw_framework_build_at(i, &b); i++)
        pip |= b.framework == s->framework && (b.channel & JW_BY_PIP);
    if (!pip || !*s->version)
        return NULL;
    const char *name = package_of(d);

    return jw_finding_say(
        d->f, "pip download --no-deps %s==%s%s && jitwarm scan %.*s*.whl", name, s->version,
        index ? jw_finding_say(d->f, " --index-url https://download.pytorch.org/whl/%s", s->variant) : "",
        (int)strcspn(name, "-"), name);
}

/* Builds for x86-64 are lists of other architectures: none of their answers holds. */
static void say_nothing_on_aarch64(const struct said *d)
{
    const struct jw_arch_fact *arch = jw_arch_find(d->c->gpus[d->gpu].sm);
    bool tegra = arch && arch->isolated;

    said_add(d,
             (struct jw_finding){
                 .id = "build-unknown",
                 .severity = JW_WARNING,
                 .evidence = "the table of known builds has none of it for aarch64",
                 .text = jw_finding_say(d->f,
                                        "nothing is known of %s on aarch64; what its builds for x86-64 hold "
                                        "says nothing about it",
                                        d->name),
                 .fix = jw_finding_say(d->f, "%swhere it is installed, jitwarm scan reads it from its files",
                                       tegra ? "NVIDIA's builds for Jetson are not those that pip finds by "
                                               "itself; "
                                             : "") });
}

void say_no_verdict(const struct said *d)
{
    const struct jw_framework_build *b = &d->s->build;
    const struct jw_software *s = d->s;

    switch (d->j->reason) {
    case JW_BECAUSE_PYTHON:
        said_add(d, (struct jw_finding){
                        .id = "python-unsupported",
                        .severity = JW_PROBLEM,
                        .text = jw_finding_say(d->f,
                                               "there is no package of %s for Python %s; there are some "
                                               "for Python %s",
                                               d->name, d->c->python, b->python),
                        .consequence = "pip finds no matching version",
                        .fix = jw_finding_say(d->f, "use a Python of %s", b->python) });
        break;
    case JW_BECAUSE_VARIANT:
        said_add(d, (struct jw_finding){
                        .id = "build-unknown",
                        .severity = JW_WARNING,
                        .text = jw_finding_say(d->f, "no build \"+%s\" of %s %s is known; the table has %s",
                                               s->variant, s->title, s->version, b->variant),
                        .fix = said_better(d) });
        break;
    case JW_BECAUSE_SYSTEM:
        if (d->c->aarch64)
            say_nothing_on_aarch64(d);
        else
            said_add(d, (struct jw_finding){
                            .id = "build-unknown",
                            .severity = JW_WARNING,
                            .text = jw_finding_say(d->f, "no build of %s for %s is known", d->name,
                                                   d->c->system == JW_CASE_WINDOWS ? "Windows" : "Linux") });
        break;
    case JW_BECAUSE_HIDDEN:
        jw_finding_add(d->f, (struct jw_finding){
                                 .id = "gpu-hidden",
                                 .severity = JW_PROBLEM,
                                 .subject = "CUDA_VISIBLE_DEVICES",
                                 .evidence = jw_finding_say(d->f, "CUDA_VISIBLE_DEVICES=%s",
                                                            jw_case_env(d->c, "CUDA_VISIBLE_DEVICES")),
                                 .text = "CUDA_VISIBLE_DEVICES names no GPU, so programs see none",
                                 .consequence = "they stop, or compute on the processor",
                                 .fix = "unset it, or set it to the numbers of the GPUs, such as 0",
                                 .command = d->c->system == JW_CASE_WINDOWS ? "set CUDA_VISIBLE_DEVICES="
                                                                            : "unset CUDA_VISIBLE_DEVICES" });
        break;
    case JW_BECAUSE_DROPPED: say_dropped(d); break;
    case JW_BECAUSE_UNASKED:
        said_add(d, (struct jw_finding){ .id = "nothing-named",
                                         .severity = JW_NOTE,
                                         .subject = "framework",
                                         .text = jw_finding_say(
                                             d->f, "%s was judged by itself, without any software", d->gpus),
                                         .fix = "name what runs on it: --framework NAME==VERSION" });
        break;
    default:
        said_add(
            d, (struct jw_finding){
                   .id = "framework-unknown",
                   .severity = scan_command(d) ? JW_WARNING : JW_NOTE,
                   .text = s->framework != JW_NO_FRAMEWORK && *s->about.note && !*s->version
                               ? jw_finding_say(d->f, "%s: %s", d->name, s->about.note)
                               : jw_finding_say(d->f, "which code %s holds for %s is not known%s%s", d->name,
                                                d->gpus,
                                                s->framework != JW_NO_FRAMEWORK && *s->about.note ? ". " : "",
                                                s->framework != JW_NO_FRAMEWORK ? s->about.note : ""),
                   .fix = *s->about.advice  ? s->about.advice
                          : scan_command(d) ? "fetch it without installing it, and have jitwarm read it"
                                            : "where it is installed, jitwarm scan reads it from its files",
                   .command = *s->about.advice ? NULL : scan_command(d) });
    }
}
