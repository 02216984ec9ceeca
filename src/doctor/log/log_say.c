#include "doctor/log/log_say.h"
#include "doctor/log/log_lines.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "facts/archs.h"
#include "facts/drivers.h"

#include <string.h>

const char *jw_log_quoted(const char *line, struct jw_findings *f)
{
    enum { SHOWN = 120 };
    struct jw_buf clean = JW_BUF(JW_MAX_LINE);
    const char *kept;

    jw_text_clean(&clean, line);
    kept = jw_fmt(f, "%.*s%s", SHOWN, jw_buf_cstr(&clean), strlen(jw_buf_cstr(&clean)) > SHOWN ? "..." : "");
    jw_buf_free(&clean);
    return kept;
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
        f, .id = "log-libs-missing", .severity = JW_PROBLEM, .subject = path,
        .evidence = jw_log_quoted(names, f), .text = "the program could not load CUDA libraries",
        .consequence = "TensorFlow then runs on the CPU",
        .fix = jw_fmt(f, "install the libraries%s where the program finds them%s", missing_versions(log, f),
                      log->cudart / 100 == 11 ? ", as this does in a conda environment: conda install -c "
                                                "conda-forge cudatoolkit=11.2 cudnn=8.1"
                                              : ""),
        .command = jw_log_there(
            log,
            known && !log->windows && log->cudart / 100 >= 12
                ? JW_COMMAND(f->a, false, "pip", "install",
                             jw_fmt(f, "tensorflow[and-cuda]==%s%s", r.version, guessed ? ".*" : ""))
                : "python3 -c \"import tensorflow; print(tensorflow.sysconfig.get_build_info())\"",
            f));
}

/* Is it what the table says of such a line? */
static bool is_of_line(const struct jw_log_complaint *c, const char *line)
{
    struct jw_error_known known;

    return jw_error_in_log(line, &known) && known.meaning == c->known.meaning;
}

/* Names the drivers that serve the GPU which the kernel module refuses. NULL: the message is another one, or
 * the tables do not say. */
static const char *cause_of_refusal(const struct jw_log *log, const struct jw_log_complaint *c,
                                    struct jw_findings *f)
{
    const struct jw_gpu *gpu = log->n_gpus == 1 ? &log->gpus[0] : NULL;
    const struct jw_arch_fact *arch = gpu ? jw_arch_find(gpu->sm) : NULL;
    struct jw_driver_version driver;
    struct jw_err ignored;

    if (!arch)
        return NULL;
    const char *which = jw_fmt(f, "%s (compute capability %u.%u)", gpu->name, gpu->sm / 10U, gpu->sm % 10U);

    if (is_of_line(c, "NVRM: The NVIDIA GPU is not supported by open nvidia.ko"))
        return jw_fmt(f, "this is %s; %s", which, c->known.cause);
    if (!is_of_line(c, "NVRM: The NVIDIA GPU is not supported by the NVIDIA 361.42 driver release")
        || !jw_driver_parse(log->driver, &driver, &ignored))
        return NULL;
    switch (jw_driver_support(&driver, gpu->sm)) {
    case JW_DRIVER_TOO_OLD:
        return jw_fmt(f, "driver %s is older than this GPU: %s is served from driver %u on", log->driver,
                      which, arch->first_branch);
    case JW_DRIVER_TOO_NEW:
        return jw_fmt(f, "driver %s no longer serves this GPU: %s is served up to driver %u", log->driver,
                      which, arch->last_branch);
    default:
        return jw_fmt(f,
                      "driver %s serves GPUs like %s, but not this one: it is newer than the driver, or a "
                      "virtual one that needs the driver of its vGPU software",
                      log->driver, which);
    }
}

/* The row's cause; where the line says a version of CUDA, that one in words. */
static const char *cause_of(const struct jw_log *log, const struct jw_log_complaint *c, struct jw_findings *f)
{
    const char *version = jw_fmt(f, "%u.%u", c->cuda / 100, c->cuda % 100), *branch;
    const char *refusal = cause_of_refusal(log, c, f);
    struct jw_driver_version driver;
    struct jw_err unknown;

    if (refusal)
        return refusal;
    if (!c->cuda && c->library[0] && !jw_text_starts(c->library, "libcuda.so"))
        return jw_fmt(
            f,
            "%s, which it needs, is not where the loader looks: another CUDA or cuDNN is installed, or none",
            c->library);
    if (jw_log_has_the_pause(log, c))
        return jw_fmt(f, "%s; the log pauses for %s after line %llu", c->known.cause,
                      JW_TENTHS(log->gap.seconds), (unsigned long long)log->gap.line);
    if (!c->cuda)
        return *c->known.cause ? c->known.cause : NULL;
    if (jw_text_find_nocase(c->text, "found version"))
        return jw_fmt(f, "the driver serves CUDA up to %s, as the message says", version);
    branch = jw_driver_parse(version, &driver, &unknown) ? jw_driver_branch_text(driver.branch) : NULL;
    return branch
               ? jw_fmt(f, "the image wants CUDA %s, which driver %s and newer ones serve", version, branch)
               : jw_fmt(f, "the image wants CUDA %s", version);
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
    { "CUDA_ERROR_INVALID_PTX", "SM version specified by .target is higher than default SM version assumed" },
    { "CUDA_ERROR_INVALID_PTX", "Ptx assembly aborted due to errors" },
    { "CUDA_ERROR_INVALID_PTX", "ptxas fatal   : Unresolved extern function 'foo'" },
    { "CUDA_ERROR_INVALID_PTX",
      "ptxas application ptx input: Unsupported .version 8.4; current version is '8.2'" },
    { "CUDA_ERROR_LAUNCH_FAILED", "GPU has fallen off the bus" },
    { "CUDA_ERROR_INVALID_HANDLE", "CUDA_ERROR_INVALID_PTX" },
    { "Could not find cuda drivers on your machine, GPU will not be used",
      "failed call to cuInit: UNKNOWN ERROR (303)" },
    { "Failed to create CUDAExecutionProvider", "Failed to load library libonnxruntime_providers_cuda.so" },
    { "Failed to execute compilation command, see console for details", "nvcc: not found" },
    { "NVRM: RmInitAdapter failed",
      "Direct firmware load for nvidia/570.144/gsp_ga10x.bin failed with error" },
};

/* The kernel module says this when it gives up for any reason; its other lines say more. */
static bool is_last_word_of_kernel(const struct jw_log *log, const struct jw_log_complaint *c)
{
    if (!is_of_line(c, "NVRM: None of the NVIDIA devices were initialized"))
        return false;
    for (size_t i = 0; i < log->n_complaints; i++)
        if (&log->complaints[i] != c && strstr(log->complaints[i].text, "NVRM: "))
            return true;
    return false;
}

/* Another line says the same, and more: which GPU the software has no code for, which library is missing. */
static bool has_better_line(const struct jw_log *log, const struct jw_log_complaint *c)
{
    enum { NO_BINARY = 209 };

    if (log->n_missing
        && (is_of_line(c, "Cannot dlopen some GPU libraries")
            || is_of_line(c, "Skipping registering GPU devices")))
        return true;
    if (is_last_word_of_kernel(log, c))
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

/* The program went on and printed no exception since. */
static bool is_survived(const struct jw_log *log, const struct jw_log_complaint *c)
{
    return c->tried_again && log->exception_line <= c->last && log->lines > c->last + 1;
}

/* The command is for a GPU that the log does not name. */
static const char *says_which_gpu(const struct jw_log *log, const char *command, struct jw_findings *f)
{
    bool for_gpu = command && (strstr(command, "/whl/cu") || strstr(command, " --gpu sm_"));

    return for_gpu && !log->n_gpus && log->here.sm ? jw_fmt(
               f, "; the log names no GPU, this machine's is taken: %s (sm_%u)", log->here.name, log->here.sm)
                                                   : "";
}

static const char *numbered(uint64_t number, const char *line, struct jw_findings *f)
{
    return jw_fmt(f, "line %llu: %s", (unsigned long long)number, jw_log_quoted(line, f));
}

/* Says which line of the log it is, how many more are like it, and what ptxas says of the same error. */
static const char *seen_of(const struct jw_log *log, const struct jw_log_complaint *c, struct jw_findings *f)
{
    enum { INVALID_PTX = 218 };
    const char *said = jw_text_starts(c->text, "NVRM: ") ? c->text + 6 : c->text,
               *text = numbered(c->line, said, f);

    if (c->times > 1)
        text = jw_fmt(f, "line %llu, and %llu more like it: %s", (unsigned long long)c->line,
                      (unsigned long long)c->times - 1, jw_log_quoted(said, f));
    if (log->ptxas_line
        && (c->known.code == INVALID_PTX || is_of_line(c, "Ptx assembly aborted due to errors")))
        text = jw_fmt(f, "%s; %s", numbered(log->ptxas_line, log->ptxas, f), text);
    return text;
}

/* For PTX that the driver is too old for: the driver that a new GPU needs anyway. All drivers in use serve the older
 * ones. */
static const char *remedy_of(const struct jw_log *log, const struct jw_log_complaint *c,
                             struct jw_findings *f)
{
    enum { UNSUPPORTED_PTX = 222, IN_USE = 550 };
    const char *remedy = c->known.remedy;
    const struct jw_gpu *gpu = log->n_gpus == 1 ? &log->gpus[0] : NULL;
    const struct jw_arch_fact *arch = gpu ? jw_arch_find(gpu->sm) : NULL;

    if (c->known.code != UNSUPPORTED_PTX || !arch || arch->first_branch <= IN_USE)
        return *remedy ? remedy : NULL;
    return jw_fmt(f, "%s; %s (compute capability %u.%u) needs driver %u or newer", remedy,
                  *gpu->name ? gpu->name : "this GPU", gpu->sm / 10U, gpu->sm % 10U, arch->first_branch);
}

static void show_complaint(const struct jw_log *log, const struct jw_log_complaint *c, const char *path,
                           struct jw_findings *f)
{
    static const enum jw_severity severities[] = { JW_PROBLEM, JW_WARNING, JW_NOTE };
    const struct jw_error_known *k = &c->known;
    const char *cause = cause_of(log, c, f);
    struct jw_report fails = { 0 };
    unsigned xid = jw_log_xid(c->text);
    bool known = jw_log_is_known_to_fail(log, c, &fails);
    const char *command = known ? fails.command : jw_log_command_of(log, c, f);

    JW_FINDING(
        f, .id = "log-complaint",
        .severity =
            is_survived(log, c) && k->severity == JW_ERROR_PROBLEM ? JW_WARNING : severities[k->severity],
        .subject = path, .evidence = jw_fmt(f, "%s%s", seen_of(log, c, f), says_which_gpu(log, command, f)),
        .text = k->code ? jw_fmt(f, "%s (%u): %s", k->name, k->code, k->meaning)
                : xid   ? jw_fmt(f, "%s (Xid %u)", k->meaning, xid)
                        : k->meaning,
        .consequence = known ? jw_fmt(f, "known of TensorFlow on this GPU: %s", fails.text)
                       : is_survived(log, c)
                           ? jw_fmt(f, "the program says that it tried again, and its log goes on%s%s",
                                    cause ? "; " : "", cause ? cause : "")
                           : cause,
        .fix =
            jw_log_cannot_prime(log, c)
                ? "compiling it ahead cannot help: the driver's compiler refuses this code, as the "
                  "error above says"
            : known ? fails.fix
            : jw_log_has_refused_ptx(c)
                ? "this has the driver compile it, and says what its compiler refuses: an error in the file "
                  "itself, or what a build for this GPU or a newer driver helps against"
            : command && strstr(command, "export LD_LIBRARY_PATH=")
                ? "install the packages that hold them, and have the loader look there; for this shell:"
            : c->cuda && command && strstr(command, "/whl/cu")
                ? "update the driver, or install a build for a CUDA that it serves; this one is:"
                : remedy_of(log, c, f),
        .command = command);
}

/* Errors that no row of the table explains: the first one, and what the program ended with. */
static bool ends_in_error(const struct jw_log *log)
{
    return log->exception_line && log->lines - log->exception_line < JW_LOG_LAST;
}

static void show_unknown_error(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    bool ends = ends_in_error(log) || (!log->exception_line && log->error_line == log->ending_line);
    const char *first = log->error[0] ? numbered(log->error_line, log->error, f) : NULL,
               *last = log->exception_line ? numbered(log->exception_line, log->exception, f) : first;

    if (first && log->error_line < log->exception_line)
        last = jw_fmt(f, "%s; the last, %s", first, last);
    const char *of_others = jw_log_is_about_cuda(log) ? "" : "; nothing in it is about CUDA";

    if (jw_log_says_killed(log->exception) && ends) {
        JW_FINDING(
            f, .id = "log-killed", .severity = JW_WARNING, .subject = path, .evidence = last,
            .text =
                "the program was killed from outside; most often the system does that where memory is short",
            .fix = "give the program or its container more memory, if the kernel's log says so (root may "
                   "read it):",
            .command = "dmesg -T | grep -i 'killed process'");
        return;
    }
    JW_FINDING(f, .id = "log-not-understood", .severity = JW_WARNING, .subject = path, .evidence = last,
               .text = log->traceback ? "the log ends within a traceback, before the error itself"
                                      : jw_fmt(f, "the log %s an error that jitwarm does not know%s",
                                               ends ? "ends with" : "has", of_others),
               .fix =
                   log->traceback ? "log the whole output: the last line of a traceback says what happened"
                   : jw_text_starts(log->exception, "ModuleNotFoundError: ")
                       ? "install the package that has this module, in the environment of the Python that ran"
                   : *of_others ? "search for this line in the issues of the program's project"
                                : "search for this line in the issues of the program's project; where its "
                                  "files are, jitwarm scan shows whether they run on your GPU");
}

/* The log has times, but no word about CUDA: a web server's, for example. The cause of its pauses is not
 * known, so it is no all-clear. */
static void show_of_others(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    JW_FINDING(f, .id = "log-not-understood", .severity = JW_NOTE, .subject = path,
               .text =
                   jw_fmt(f,
                          "nothing in this log is about CUDA (%llu lines read): no GPU, CUDA library, known "
                          "software or error%s",
                          (unsigned long long)log->lines,
                          log->gap.seconds <= 0 || jw_log_is_steady(log) || log->gap.seconds >= JW_LOG_LONG
                              ? ""
                              : jw_fmt(f, "; its longest pause is %s", JW_TENTHS(log->gap.seconds))),
               .fix = "log what the program that uses the GPU prints, from its start");
}

static void show_nothing(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    bool understood = jw_log_understood(log);

    JW_FINDING(
        f, .id = understood ? "log-quiet" : "log-not-understood",
        .severity = understood ? JW_NOTE : JW_WARNING, .subject = path,
        .evidence = understood || !log->ending_line || jw_log_speaks_of_cuda(log) ? NULL
                    : jw_log_is_prose(log)
                        ? log->error[0] ? numbered(log->error_line, log->error, f) : NULL
                        : jw_fmt(f, "its last line, %llu: %s", (unsigned long long)log->ending_line,
                                 jw_log_quoted(log->ending, f)),
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
                : jw_log_is_prose(log)
                    ? jw_fmt(f,
                             "this does not look like what a program printed (%llu line%s read): it has no "
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

void jw_doctor_log(const struct jw_log *log, const char *path, struct jw_findings *f)
{
    bool of_kernel = jw_log_is_of_kernel(log), /* the kernel's log has no next line that anybody waits for */
        steady = !of_kernel && jw_log_is_steady(log),
         of_others = log->stamped > 1 && !jw_log_is_about_cuda(log),
         paused = !of_kernel && (log->gap.seconds > 0 || log->stated.seconds > 0);

    bool failed = log->exception_line || (log->error[0] && !jw_log_is_prose(log)),
         unknown = failed && !log->n_missing && !log->explained_line;

    if (unknown && ends_in_error(log)) /* a program that died is worse than one that was slow */
        show_unknown_error(log, path, f);
    if (steady)
        show_steady(log, path, f);
    if (paused)
        jw_log_say_pauses(log, !steady, path, f);
    if (log->n_missing)
        show_missing(log, path, f);
    for (size_t i = 0; i < log->n_complaints; i++)
        if (!has_better_line(log, &log->complaints[i]))
            show_complaint(log, &log->complaints[i], path, f);
    if (unknown && !ends_in_error(log))
        show_unknown_error(log, path, f);
    else if (!unknown && of_others && !steady)
        show_of_others(log, path, f);
    else if (!unknown && !paused && !log->n_missing && !log->n_complaints)
        show_nothing(log, path, f);
}
