#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/place/other_caches.h"
#include "doctor/doctor_libraries.h"
#include "doctor/doctor_log.h"
#include "doctor/doctor_log_place.h"
#include "facts/drivers.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 65536 };

struct reading {
    struct jw_log *log;
    bool begun, wide, big_end; /* wide: UTF-16, which PowerShell's > writes */
    char held;                 /* the first byte of half a character */
    bool holds;
};

static void feed_wide(struct reading *r, const char *bytes, size_t n)
{
    char out[CHUNK];
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        if (!r->holds) {
            r->held = bytes[i];
            r->holds = true;
            continue;
        }
        char low = r->big_end ? bytes[i] : r->held, high = r->big_end ? r->held : bytes[i];

        out[k++] = high == 0 ? low : '?';
        r->holds = false;
    }
    jw_log_feed(r->log, out, k);
}

/* False when it cannot be a text. */
static bool begin_text(struct reading *r, const char *bytes, size_t n, size_t *skip, struct jw_err *err)
{
    *skip = 0;
    if (n >= 2 && ((uint8_t)bytes[0] == 0xff || (uint8_t)bytes[0] == 0xfe)
        && (uint8_t)bytes[1] == ((uint8_t)bytes[0] == 0xff ? 0xfe : 0xff)) {
        r->wide = true;
        r->big_end = (uint8_t)bytes[0] == 0xfe;
        *skip = 2;
        return true;
    }
    const char *zero = memchr(bytes, 0, n);

    return !zero
           || jw_fail(err, JW_E_FORMAT,
                      "not a text file (a zero byte at offset %zu); --log expects the output of a program",
                      (size_t)(zero - bytes));
}

static bool feed(struct reading *r, const char *bytes, size_t n, struct jw_err *err)
{
    size_t skip = 0;

    if (!r->begun && !begin_text(r, bytes, n, &skip, err))
        return false;
    r->begun = true;
    if (r->wide)
        feed_wide(r, bytes + skip, n - skip);
    else
        jw_log_feed(r->log, bytes, n);
    return true;
}

/* `f` NULL: standard input, which has no offsets. */
static bool read_log(struct jw_file *f, const atomic_bool *interrupted, struct reading *r, struct jw_err *err)
{
    char bytes[CHUNK];
    size_t got = 1;

    for (uint64_t at = 0; got; at += got) {
        if (!jw_not_interrupted(interrupted, err))
            return false;
        if (!(f ? jw_file_read(f, at, bytes, sizeof bytes, &got, err)
                : jw_stdin_read(bytes, sizeof bytes, &got, interrupted, err)))
            return false;
        if (got && !feed(r, bytes, got, err))
            return false;
    }
    if (!jw_not_interrupted(interrupted, err))
        return false;
    return r->begun
           || jw_fail(err, JW_E_FORMAT,
                      f ? "the log is empty; run the program again and redirect its output to it"
                        : "no input; pipe the log in: program 2>&1 | jitwarm doctor --log -");
}

/* A pipe by name, as a shell's <(program) makes it, is read like standard input: it has no offsets either. */
static bool take_pipe(const char *path, bool *piped, struct jw_err *err)
{
    struct jw_file_info info;

    if (*piped)
        return true;
    if (!jw_file_stat(path, &info, err))
        return false;
    *piped = info.kind == JW_FILE_OTHER;
    return !*piped || jw_stdin_take(path, err);
}

bool jw_log_read(const char *path, const atomic_bool *interrupted, struct jw_log *log, struct jw_err *err)
{
    struct reading r = { .log = log };
    bool piped = strcmp(path, "-") == 0, ok;
    struct jw_file f = JW_FILE_CLOSED;

    memset(log, 0, sizeof *log);
    ok = take_pipe(path, &piped, err) && (piped || jw_file_open(&f, path, err))
         && read_log(piped ? NULL : &f, interrupted, &r, err);
    jw_file_close(&f);
    jw_log_end(log);
    return ok || jw_wrap(err, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
}

/* ---- findings ---- */

static const char *quoted(const char *line, struct jw_findings *f)
{
    enum { SHOWN = 120 };
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);
    const char *kept;

    jw_text_clean(&clean, line);
    kept = jw_fmt(f, "%.*s%s", SHOWN, jw_buf_cstr(&clean), strlen(jw_buf_cstr(&clean)) > SHOWN ? "..." : "");
    jw_buf_free(&clean);
    return kept;
}

/* A log of Windows, also where it names no file. */
static bool is_of_windows(const struct jw_log *log)
{
    return log->windows || (jw_os_is_windows() && !log->linux);
}

/* The command, as it is typed where the program ran. */
static const char *there(const struct jw_log *log, const char *command, struct jw_findings *f)
{
    return jw_log_command_there(f->a, command, log->python, is_of_windows(log), log->shell);
}

/* What the log itself says of the work in this pause, in seconds: the line behind it, or a line that counts all of it. 0: nothing. */
static double stated_seconds(const struct jw_log *log, const struct jw_log_gap *gap)
{
    double seconds = jw_log_stated_seconds(gap->after);

    if (log->stated.compiler && strcmp(log->stated.compiler->name, gap->compiler->name) == 0)
        seconds = log->stated.seconds;
    return seconds >= 1 ? seconds : 0;
}

/* A pause in which another compiler than the driver's is at work: which, and what to keep. */
static void show_other_gap(const struct jw_log *log, const struct jw_log_gap *gap, const char *clock,
                           const char *path, struct jw_findings *f)
{
    const struct jw_log_compiler *c = gap->compiler;
    const char *variable = c->variable, *does = c->does ? c->does : "compiles",
               *folder = c->owner ? jw_other_cache_usual(c->owner, f->a, &variable) : c->folder;
    double said = stated_seconds(log, gap);

    JW_FINDING(
        f, .id = "log-gap", .severity = JW_WARNING, .subject = path,
        .evidence = jw_fmt(f, "line %llu: %s", (unsigned long long)gap->said, quoted(gap->saying, f)),
        .text = !gap->line
                    ? jw_fmt(f, "%s %s for %.1f s%s, as the log says", c->name, does, gap->seconds, clock)
                    : jw_fmt(f, "the log pauses for %.1f s%s after line %llu, where %s %s%s", gap->seconds,
                             clock, (unsigned long long)gap->line, c->name, does,
                             said > 0 ? jw_fmt(f, "; it says that it took %s", JW_CLOCK(said + 0.5)) : ""),
        .consequence = c->does
                           ? c->so
                           : jw_fmt(f,
                                    "it keeps what it compiles in %s, or where %s says; a start that does "
                                    "not find it there, as in a new container, compiles it again",
                                    folder, variable),
        .fix = c->does
                   ? c->fix
                   : jw_fmt(f,
                            "keep that folder from one start to the next: in a container set %s to a "
                            "folder on a volume. jitwarm prime is for the driver's compiler, and does not "
                            "shorten this pause",
                            variable),
        .command = there(log, c->command, f));
}

/* Where TensorFlow itself says that the driver will compile. NULL: it does not. */
static const struct jw_log_complaint *says_that_it_compiles(const struct jw_log *log)
{
    for (size_t i = 0; i < log->n_complaints; i++)
        if (strstr(log->complaints[i].text, "not built with CUDA kernel binaries"))
            return &log->complaints[i];
    return NULL;
}

/* At a place where TensorFlow may wait for the driver's compiler. The newer ones say so before. */
static bool may_compile(const struct jw_log *log, const struct jw_log_gap *gap)
{
    return gap->compiling && (!log->tells_compiling || says_that_it_compiles(log));
}

static const char *clock_of(const struct jw_log_gap *gap, struct jw_findings *f)
{
    return gap->seconds < 60 ? "" : jw_fmt(f, " (%s)", JW_CLOCK(gap->seconds + 0.5));
}

/* Of a pause that no compiler explains: the line behind it may say what the program did there. */
static bool is_explained(const struct jw_log_gap *gap)
{
    return jw_log_stated_seconds(gap->after) > gap->seconds / 2;
}

static void show_gap(const struct jw_log *log, const struct jw_log_gap *gap, const char *path,
                     struct jw_findings *f)
{
    const char *clock = clock_of(gap, f);
    bool compiling = may_compile(log, gap);

    if (gap->compiler) {
        show_other_gap(log, gap, clock, path, f);
        return;
    }
    JW_FINDING(
        f, .id = "log-gap", .severity = JW_WARNING, .subject = path,
        .evidence = jw_fmt(f, "line %llu: %s", (unsigned long long)gap->line, quoted(gap->before, f)),
        .text = jw_fmt(f, "the log pauses for %.1f s%s after line %llu", gap->seconds, clock,
                       (unsigned long long)gap->line),
        .consequence =
            compiling ? "here TensorFlow waits while the driver compiles its GPU code, where it has "
                        "none for the GPU"
            : gap->compiling
                ? "this TensorFlow says at this place when the driver has to compile, and it does "
                  "not: it loads cuDNN and cuBLAS, or other work was done"
            : gap->downloading  ? "the line before it speaks of a download, which may take that long"
            : is_explained(gap) ? jw_fmt(f, "line %llu says what took so long: %s",
                                         (unsigned long long)gap->next, quoted(gap->after, f))
                                : "if the program had no other work there, something was compiled or loaded",
        .fix = compiling ? "a pause that is gone at the second start was compiling; on that machine this "
                           "compiles ahead of time, in parallel:"
               : gap->downloading
                   ? "keep the folder of what was downloaded from one start to the next; in a container, "
                     "on a volume"
               : is_explained(gap)
                   ? "start it a second time: what is shorter then was compiling, or reading from disk"
                   : "compare with a second start: a pause that is gone then was compiling, "
                     "or reading from disk. Begun beside that start, this shows live whether the driver "
                     "compiles",
        .command = compiling                               ? "jitwarm prime"
                   : gap->downloading || is_explained(gap) ? NULL
                                                           : "jitwarm doctor --watch=60s");
}

/* " of CUDA 11 and cuDNN 8" */
static const char *missing_versions(const struct jw_log *log, struct jw_findings *f)
{
    unsigned cuda = log->cudart / 100, cudnn = log->cudnn / 100;

    if (cuda && cudnn)
        return jw_fmt(f, " of CUDA %u and cuDNN %u", cuda, cudnn);
    if (cuda)
        return jw_fmt(f, " of CUDA %u", cuda);
    return cudnn ? jw_fmt(f, " of cuDNN %u", cudnn) : " that the message names";
}

static void show_missing(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    const char *names = log->missing[0];
    struct jw_release r;
    bool guessed, known = jw_log_software(log, &r, &guessed);

    for (size_t i = 1; i < log->n_missing; i++)
        names = jw_fmt(f, "%s, %s", names, log->missing[i]);
    JW_FINDING(
        f, .id = "log-libs-missing", .severity = JW_PROBLEM, .subject = path, .evidence = quoted(names, f),
        .text = "the program could not load CUDA libraries", .consequence = "TensorFlow then runs on the CPU",
        .fix = jw_fmt(f, "install the libraries%s where the program finds them", missing_versions(log, f)),
        .command =
            there(log,
                  known && !log->windows && log->cudart / 100 >= 12
                      ? JW_COMMAND(f->a, false, "pip", "install",
                                   jw_fmt(f, "tensorflow[and-cuda]==%s%s", r.version, guessed ? ".*" : ""))
                      : "python3 -c \"import tensorflow; print(tensorflow.sysconfig.get_build_info())\"",
                  f));
}

/* The row says to prime, and the driver's compiler refused this program's PTX: that would fail, too. */
static bool cannot_prime(const struct jw_log *log, const struct jw_log_complaint *c)
{
    enum { INVALID_PTX = 218, UNSUPPORTED_PTX = 222 };

    if (strcmp(c->known.command, "jitwarm prime") != 0)
        return false;
    for (size_t i = 0; i < log->n_complaints; i++)
        if (log->complaints[i].known.code == INVALID_PTX || log->complaints[i].known.code == UNSUPPORTED_PTX)
            return true;
    return false;
}

/* The driver's compiler refused TensorFlow's own PTX, which is known of these versions on these GPUs. */
static bool is_known_to_fail(const struct jw_log *log, const struct jw_log_complaint *c,
                             struct jw_report *out)
{
    enum { INVALID_PTX = 218, FIRST_RTX_50 = 120 };
    static const uint16_t newest_known[3] = { 2, 20 };
    struct jw_release r;
    bool guessed, cpu, known = jw_log_software(log, &r, &guessed);

    return c->known.code == INVALID_PTX && log->tensorflow
           && jw_framework_report(jw_product_find("tensorflow", &cpu), known ? r.number : newest_known,
                                  jw_log_system(log, JW_BUILD_LINUX), 0,
                                  log->n_gpus ? log->gpus[0].sm : FIRST_RTX_50, JW_REPORT_FAILS, out);
}

/* The CUDA of a library that the loader did not find: its own number, the log's or the one whose packages are usual. 0: there is no
 * such library. */
static unsigned cuda_of_library(const struct jw_log *log, const struct jw_log_complaint *c)
{
    enum { USUAL = 12 };
    const char *so = strstr(c->library, ".so.");

    if (!so)
        return 0;
    if (jw_text_starts(c->library, "libcublas") || jw_text_starts(c->library, "libcudart"))
        return (unsigned)strtoul(so + 4, NULL, 10);
    return log->cudart ? log->cudart / 100 : USUAL;
}

/* The package of "libcudnn_ops_infer.so.8: cannot open shared object file". NULL: none is known. */
static const char *package_of(const struct jw_log *log, const struct jw_log_complaint *c,
                              struct jw_findings *f)
{
    unsigned cuda = cuda_of_library(log, c);

    return cuda < 11 || strstr(c->known.command, "onnxruntime") ? NULL
                                                                : jw_library_package(c->library, cuda, f->a);
}

/* Then the folders of NVIDIA's packages on the loader's path, which looks into no package by itself. */
static const char *for_the_loader(const struct jw_log *log, const struct jw_log_complaint *c,
                                  const char *command, struct jw_findings *f)
{
    const char *python = *log->python ? JW_COMMAND(f->a, false, log->python) : "python3";

    if (is_of_windows(log) || strstr(c->text, ".dll"))
        return command;
    return jw_fmt(f,
                  "%s && export LD_LIBRARY_PATH=\"$(%s -c 'import glob, nvidia, os; "
                  "print(\":\".join(glob.glob(nvidia.__path__[0] + \"/*/lib\") "
                  "+ os.environ.get(\"LD_LIBRARY_PATH\", \"\").split()))')\"",
                  command, python);
}

/* ONNX Runtime names the one library that it missed first, and needs these of the same CUDA. Its own extra packages begin with 1.21, and
 * are those of its newest CUDA. NULL: it missed none of CUDA 12 or newer. */
static const char *onnxruntime_libraries(const struct jw_log *log, const struct jw_log_complaint *c,
                                         struct jw_findings *f)
{
    static const char *const names[] = { "libcublas", "libcudart", "libcufft", "libcurand", "libnvrtc" };
    unsigned cuda = cuda_of_library(log, c);
    const char *command = "pip install";

    if (cuda < 12 || !strstr(c->known.command, "onnxruntime") || is_of_windows(log))
        return NULL;
    for (size_t i = 0; i < JW_COUNT(names); i++)
        command = jw_fmt(
            f, "%s %s", command,
            JW_COMMAND(f->a, false, jw_library_package(jw_fmt(f, "%s.so.%u", names[i], cuda), cuda, f->a)));
    return jw_fmt(f, "%s %s", command,
                  JW_COMMAND(f->a, false, jw_library_package("libcudnn.so.9", cuda, f->a)));
}

static bool names_libraries(const char *command)
{
    return jw_text_starts(command, "pip install nvidia-cublas")
           || jw_text_starts(command, "pip install nvidia-cudnn");
}

/* "jitwarm scan", for the file or the software that this log names. */
static const char *scan_of(const struct jw_log *log, const struct jw_log_complaint *c, struct jw_findings *f)
{
    struct jw_release r;
    bool guessed;

    if (c->file[0])
        return JW_COMMAND(f->a, strchr(c->file, '\\') != NULL, "jitwarm", "scan", c->file);
    if (jw_log_software(log, &r, &guessed))
        return JW_COMMAND(f->a, false, "jitwarm", "scan", jw_fmt(f, "%s==%s", r.name, r.version),
                          log->n_gpus ? "--gpu" : NULL,
                          jw_fmt(f, "sm_%u", log->n_gpus ? log->gpus[0].sm : 0));
    return log->pytorch ? "python3 -c \"import torch; print(torch.__version__, torch.cuda.get_arch_list())\""
                        : "jitwarm scan";
}

/* PyTorch's packages for CUDA 12.8 have no code for GPUs before 7.5; those for 12.6 have, from 5.0 on. */
static const char *torch_for_gpu(const struct jw_log *log, const char *command, struct jw_findings *f)
{
    const char *newer = strstr(command, "/whl/cu128");
    unsigned sm = log->n_gpus ? log->gpus[0].sm : 0;

    if (!newer || !sm || sm >= 75)
        return command;
    return sm < 50 ? NULL : jw_fmt(f, "%.*s/whl/cu126", (int)(newer - command), command);
}

/* TensorFlow before 2.14 looks for ptxas on the PATH, and not in NVIDIA's packages; the one of CUDA 11.8 makes code that drivers of its
 * time can read. */
static const char *ptxas_on_the_path(const struct jw_log *log, const char *command, struct jw_findings *f)
{
    const char *python = *log->python ? JW_COMMAND(f->a, false, log->python) : "python3";

    if (!strstr(command, "nvidia-cuda-nvcc-cu12") || !log->tensorflow || log->tells_compiling)
        return command;
    if (is_of_windows(log)) /* its words differ from shell to shell */
        return "pip install nvidia-cuda-nvcc-cu11";
    return jw_fmt(f,
                  "pip install nvidia-cuda-nvcc-cu11 && export PATH=\"$(%s -c 'import nvidia.cuda_nvcc as n; "
                  "print(n.__path__[0])')/bin:$PATH\"",
                  python);
}

/* Not of JAX, whose variable is another one: its older XLA came out of TensorFlow's sources. */
static bool is_of_tensorflow(const struct jw_log *log, const struct jw_log_complaint *c)
{
    return log->tensorflow && !strstr(c->text, "external/org_tensorflow") && !strstr(c->text, "jaxlib");
}

/* What the row says, for the software that this log names. */
static const char *command_of(const struct jw_log *log, const struct jw_log_complaint *c,
                              struct jw_findings *f)
{
    const char *command = c->known.command, *package = package_of(log, c, f),
               *libraries = onnxruntime_libraries(log, c, f),
               *cudnn = strstr(c->text, "tensorflow/") ? NULL : strstr(c->text, "source was compiled with: ");

    if (cudnn) /* not of a TensorFlow that does not look for pip's cuDNN */
        command = JW_COMMAND(f->a, is_of_windows(log), "pip", "install", "--upgrade",
                             jw_fmt(f, "nvidia-cudnn-cu12==%lu.*", strtoul(cudnn + 26, NULL, 10)));
    else if (libraries || package)
        command = for_the_loader(
            log, c, libraries ? libraries : JW_COMMAND(f->a, is_of_windows(log), "pip", "install", package),
            f);
    else if (names_libraries(command))
        command = for_the_loader(log, c, command, f);
    else if (cannot_prime(log, c) || !*command)
        command = NULL;
    else if (strcmp(command, "jitwarm scan") == 0)
        command = scan_of(log, c, f);
    else if (strstr(command, "XLA_PYTHON_CLIENT_PREALLOCATE") && is_of_tensorflow(log, c))
        command = "export TF_FORCE_GPU_ALLOW_GROWTH=true";
    else
        command = ptxas_on_the_path(log, torch_for_gpu(log, command, f), f);
    return there(log, command, f);
}

/* The pause is said there, and what it means. */
static bool has_the_pause(const struct jw_log *log, const struct jw_log_complaint *c)
{
    return c && c == says_that_it_compiles(log) && log->gap.seconds > 0 && !log->gap.compiler
           && may_compile(log, &log->gap);
}

/* The row's cause; where the line says a version of CUDA, that one in words. */
static const char *cause_of(const struct jw_log *log, const struct jw_log_complaint *c, struct jw_findings *f)
{
    const char *version = jw_fmt(f, "%u.%u", c->cuda / 100, c->cuda % 100), *branch;
    struct jw_driver_version driver;
    struct jw_err unknown;

    if (!c->cuda && c->library[0] && !jw_text_starts(c->library, "libcuda.so"))
        return jw_fmt(
            f,
            "%s, which it needs, is not where the loader looks: another CUDA or cuDNN is installed, or none",
            c->library);
    if (has_the_pause(log, c))
        return jw_fmt(f, "%s; the log pauses for %.1f s%s after line %llu", c->known.cause, log->gap.seconds,
                      clock_of(&log->gap, f), (unsigned long long)log->gap.line);
    if (!c->cuda)
        return *c->known.cause ? c->known.cause : NULL;
    if (jw_text_find_nocase(c->text, "found version"))
        return jw_fmt(f, "the driver serves CUDA up to %s, as the message says", version);
    branch = jw_driver_parse(version, &driver, &unknown) ? jw_driver_branch_text(driver.branch) : NULL;
    return branch
               ? jw_fmt(f, "the image wants CUDA %s, which driver %s and newer ones serve", version, branch)
               : jw_fmt(f, "the image wants CUDA %s", version);
}

/* Is it what the table says of such a line? */
static bool is_of_line(const struct jw_log_complaint *c, const char *line)
{
    struct jw_error_known known;

    return jw_error_in_log(line, &known) && known.meaning == c->known.meaning;
}

/* Lines that belong to one error, and the one of them that says most. */
static const struct {
    const char *less, *more;
} same_error[] = {
    { "no usable GPU found, --gpu-layers option will be ignored", "CUDA_ERROR_NO_DEVICE" },
    { "DNN library initialization failed",
      "Loaded runtime CuDNN library: 8.0.4 but source was compiled with: 8.1.0" },
    { "Skipping registering GPU devices", "Cannot dlopen some GPU libraries" },
    { "Could not find cuda drivers on your machine, GPU will not be used",
      "Cannot dlopen some GPU libraries" }, /* which is printed where the driver shows a GPU */
    { "Could not find cuda drivers on your machine, GPU will not be used",
      "Exception when calling jax_plugins" },
    { "a CUDA-enabled jaxlib is not installed", "Exception when calling jax_plugins" },
    { "NVRTC_ERROR_INVALID_OPTION", "nvrtc: error: invalid value for --gpu-architecture" },
    { "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
      "ptxas application ptx input: Unsupported .version 8.4; current version is '8.2'" },
    { "CUDA_ERROR_LAUNCH_FAILED", "GPU has fallen off the bus" },
    { "CUDA_ERROR_INVALID_HANDLE", "CUDA_ERROR_INVALID_PTX" },
    { "Could not find cuda drivers on your machine, GPU will not be used",
      "failed call to cuInit: UNKNOWN ERROR (303)" },
    { "Failed to create CUDAExecutionProvider", "Failed to load library libonnxruntime_providers_cuda.so" },
    { "Failed to execute compilation command, see console for details", "nvcc: not found" },
};

/* Another line says the same, and more: which GPU the software has no code for, which library is missing. */
static bool has_better_line(const struct jw_log *log, const struct jw_log_complaint *c)
{
    enum { NO_BINARY = 209 };

    if (log->n_missing
        && (is_of_line(c, "Cannot dlopen some GPU libraries")
            || is_of_line(c, "Skipping registering GPU devices")))
        return true;
    for (size_t i = 0; i < log->n_complaints; i++) {
        const struct jw_log_complaint *other = &log->complaints[i];

        if (c->known.code == NO_BINARY && jw_log_says_no_code(other))
            return true;
        for (size_t k = 0; k < JW_COUNT(same_error); k++)
            if (is_of_line(c, same_error[k].less) && is_of_line(other, same_error[k].more))
                return true;
    }
    return false;
}

static void show_complaint(const struct jw_log *log, const struct jw_log_complaint *c, const char *path,
                           struct jw_findings *f)
{
    static const enum jw_severity severities[] = { JW_PROBLEM, JW_WARNING, JW_NOTE };
    const struct jw_error_known *k = &c->known;
    const char *text = quoted(c->text, f), *cause = cause_of(log, c, f);
    struct jw_report fails = { 0 };
    bool known = is_known_to_fail(log, c, &fails);
    const char *command = known ? fails.command : command_of(log, c, f);

    JW_FINDING(
        f, .id = "log-complaint", .severity = severities[k->severity], .subject = path,
        .evidence = c->times > 1 ? jw_fmt(f, "line %llu, and %llu more like it: %s",
                                          (unsigned long long)c->line, (unsigned long long)c->times - 1, text)
                                 : jw_fmt(f, "line %llu: %s", (unsigned long long)c->line, text),
        .text = k->code ? jw_fmt(f, "%s (%u): %s", k->name, k->code, k->meaning) : k->meaning,
        .consequence = known ? jw_fmt(f, "known of TensorFlow on this GPU: %s", fails.text) : cause,
        .fix = cannot_prime(log, c)
                   ? "compiling it ahead cannot help: the driver's compiler refuses this code, as the "
                     "error above says"
               : known ? fails.fix
               : command && strstr(command, "export LD_LIBRARY_PATH=")
                   ? "install the packages that hold them, and have the loader look there; for this shell:"
               : *k->remedy ? k->remedy
                            : NULL,
        .command = command);
}

static const char *numbered(uint64_t number, const char *line, struct jw_findings *f)
{
    return jw_fmt(f, "line %llu: %s", (unsigned long long)number, quoted(line, f));
}

/* Errors that no row of the table explains: the first one, and what the program ended with. */
static bool ends_in_error(const struct jw_log *log)
{
    return log->exception_line && log->lines - log->exception_line < JW_LOG_LAST;
}

static void show_unknown_error(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    bool ends = ends_in_error(log);
    const char *first = log->error[0] ? numbered(log->error_line, log->error, f) : NULL,
               *last = log->exception_line ? numbered(log->exception_line, log->exception, f) : first;

    if (first && log->error_line < log->exception_line)
        last = jw_fmt(f, "%s; the last, %s", first, last);
    const char *of_others = jw_log_is_about_cuda(log) ? "" : "; nothing in it is about CUDA";

    JW_FINDING(f, .id = "log-not-understood", .severity = JW_WARNING, .subject = path, .evidence = last,
               .text = log->traceback ? "the log ends within a traceback, before the error itself"
                                      : jw_fmt(f, "the log %s an error that jitwarm does not know%s",
                                               ends ? "ends with" : "has", of_others),
               .fix = log->traceback ? "log the whole output: the last line of a traceback says what happened"
                      : *of_others   ? "search for this line in the issues of the program's project"
                                   : "search for this line in the issues of the program's project; where its "
                                     "files are, jitwarm scan shows whether they run on your GPU");
}

/* Of times, and not a word about CUDA: a web server's, say. Its pauses have other reasons, and it is no all-clear either. */
static void show_of_others(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    JW_FINDING(f, .id = "log-not-understood", .severity = JW_NOTE, .subject = path,
               .text =
                   jw_fmt(f,
                          "nothing in this log is about CUDA (%llu lines read): no GPU, CUDA library, known "
                          "software or error%s",
                          (unsigned long long)log->lines,
                          log->gap.seconds > 0 ? "; its pauses say nothing about compiling" : ""),
               .fix = "log what the program that uses the GPU prints, from its start");
}

static void show_nothing(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    bool understood = jw_log_understood(log);

    JW_FINDING(
        f, .id = understood ? "log-quiet" : "log-not-understood",
        .severity = understood ? JW_NOTE : JW_WARNING, .subject = path,
        .evidence = understood || !log->ending_line || jw_log_speaks_of_cuda(log)
                        ? NULL
                        : jw_fmt(f, "its last line, %llu: %s", (unsigned long long)log->ending_line,
                                 quoted(log->ending, f)),
        .text = understood
                    ? jw_fmt(f, "no known error in the log%s (%llu lines read%s)",
                             log->stamped < 2  ? ""
                             : log->idle_s > 0 ? ", and no pause of 10 s or more but of a server that is "
                                                 "ready: it waits for a request there, or works on one"
                                               : ", and no pause of 10 s or more",
                             (unsigned long long)log->lines, log->stamped > 1 ? "" : ", without timestamps")
                : jw_log_speaks_of_cuda(log)
                    ? jw_fmt(f,
                             "this is not what a program printed (%llu line%s read): it speaks of "
                             "CUDA software, and has no "
                             "timestamp, message or source line",
                             (unsigned long long)log->lines, log->lines == 1 ? "" : "s")
                    : jw_fmt(f,
                             "nothing in this log was understood (%llu line%s read): no GPU, "
                             "CUDA library, known software or timestamp",
                             (unsigned long long)log->lines, log->lines == 1 ? "" : "s"),
        .fix = understood ? NULL : "log everything that the program prints from its start, errors included",
        .command = understood ? NULL : "python3 program.py > start.log 2>&1");
}

static void show_steady(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    JW_FINDING(
        f, .id = "log-quiet", .severity = JW_NOTE, .subject = path,
        .text = jw_fmt(
            f,
            "no pause stands out: again and again a line comes up to %s after the one before, as steps of a "
            "training do",
            JW_CLOCK(log->longest[0] + 0.5)),
        .fix = "where a start is slow, log it from its beginning");
}

/* Its pauses, the longest first, and what a compiler says of itself: each compiler once. */
static void show_pauses(const struct jw_log *log, bool all, const char *path, struct jw_findings *f)
{
    const struct jw_log_gap *gap = all && log->gap.seconds > 0 ? &log->gap : NULL,
                            *other = log->other.line != log->gap.line ? &log->other : NULL,
                            *stated = &log->stated;

    if (gap && has_the_pause(log, says_that_it_compiles(log)))
        gap = NULL;
    if (stated->compiler
        && ((gap && gap->compiler && strcmp(gap->compiler->name, stated->compiler->name) == 0)
            || (log->other.compiler && strcmp(log->other.compiler->name, stated->compiler->name) == 0)))
        stated = NULL;
    if (stated && stated->seconds > log->gap.seconds)
        show_gap(log, stated, path, f);
    if (gap)
        show_gap(log, gap, path, f);
    if (other && other->seconds > 0)
        show_gap(log, other, path, f);
    if (stated && stated->seconds > 0 && stated->seconds <= log->gap.seconds)
        show_gap(log, stated, path, f);
}

void jw_doctor_log(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    bool steady = jw_log_is_steady(log), of_others = log->stamped > 1 && !jw_log_is_about_cuda(log);

    bool unknown = (log->error[0] || log->exception_line) && !log->n_missing && !log->explained_line;

    if (unknown && ends_in_error(log)) /* a program that died is worse than one that was slow */
        show_unknown_error(log, path, f);
    if (steady)
        show_steady(log, path, f);
    show_pauses(log, !steady && !of_others, path, f);
    if (log->n_missing)
        show_missing(log, path, f);
    for (size_t i = 0; i < log->n_complaints; i++)
        if (!has_better_line(log, &log->complaints[i]))
            show_complaint(log, &log->complaints[i], path, f);
    if (unknown && !ends_in_error(log))
        show_unknown_error(log, path, f);
    else if (!unknown && of_others && !steady)
        show_of_others(log, path, f);
    else if (!unknown && !log->gap.seconds && !log->stated.seconds && !log->n_missing && !log->n_complaints)
        show_nothing(log, path, f);
}
