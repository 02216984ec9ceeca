#include "base/command.h"
#include "base/text.h"
#include "doctor/log/log_lines.h"
#include "doctor/log/log_place.h"
#include "doctor/log/log_say.h"
#include "facts/compilers.h"
#include "machine/listing.h"
#include "os/machine/env.h"

#include <stdlib.h>
#include <string.h>

/* A log of Windows, also where it names no file. */
static bool is_of_windows(const struct jw_log *log)
{
    return log->windows || (jw_os_is_windows() && !log->linux);
}

const char *jw_log_there(const struct jw_log *log, const char *command, struct jw_findings *f)
{
    return jw_log_command_there(f->a, command, log->python, log->pip, is_of_windows(log), log->shell);
}

bool jw_log_cannot_prime(const struct jw_log *log, const struct jw_log_complaint *c)
{
    enum { INVALID_PTX = 218, UNSUPPORTED_PTX = 222 };

    if (strcmp(c->known.command, "jitwarm prime") != 0)
        return false;
    for (size_t i = 0; i < log->n_complaints; i++)
        if (log->complaints[i].known.code == INVALID_PTX || log->complaints[i].known.code == UNSUPPORTED_PTX)
            return true;
    return false;
}

bool jw_log_has_refused_ptx(const struct jw_log_complaint *c)
{
    enum { INVALID_PTX = 218 };

    return c->known.code == INVALID_PTX && jw_text_ends(c->file, ".ptx");
}

bool jw_log_is_known_to_fail(const struct jw_log *log, const struct jw_log_complaint *c,
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

/* The CUDA of a library that the loader did not find: its own number, the log's or the one whose packages are usual.
 * 0: there is no such library. */
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

/* Then the folders of NVIDIA's packages on the loader's path, which does not search packages. */
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

/* ONNX Runtime names the one library that it missed first, and needs these of the same CUDA. Its own extra packages
 * begin with 1.21, and are those of its newest CUDA. NULL: it missed none of CUDA 12 or newer. */
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

/* The cuDNN that a message names: "libcudnn_ops_infer.so.8", "cudnn_cnn_infer64_8.dll". 0: none. */
static unsigned cudnn_in(const char *text)
{
    const char *name = strstr(text, "cudnn"), *so = name ? strstr(name, ".so.") : NULL,
               *dll = name ? strstr(name, "64_") : NULL;

    return so ? (unsigned)strtoul(so + 4, NULL, 10) : dll ? (unsigned)strtoul(dll + 3, NULL, 10) : 0;
}

/* The cuDNN of the software that the complaint is of, if the log names it with its version. 0: not known. */
static unsigned cudnn_of_software(const struct jw_log *log, const struct jw_log_complaint *c)
{
    struct jw_release r;
    struct jw_framework row;
    struct jw_product p;
    bool guessed;

    return jw_log_software(log, &r, &guessed) && jw_product_at(r.product, &p)
                   && strstr(c->known.meaning, p.title)
                   && jw_framework_find(&r, jw_log_system(log, JW_BUILD_LINUX), &row)
               ? (unsigned)strtoul(row.cudnn, NULL, 10)
               : 0;
}

/* "pip install nvidia-cudnn-cu12" alone takes the newest, which another program needs than an older one. */
static const char *with_its_cudnn(const struct jw_log *log, const struct jw_log_complaint *c,
                                  const char *command, struct jw_findings *f)
{
    static const char package[] = "nvidia-cudnn-cu12";
    enum { CUDA = 12 };
    const char *at = command ? strstr(command, package) : NULL;
    unsigned named = cudnn_in(c->text), cudnn = named ? named : cudnn_of_software(log, c);

    if (!at || !cudnn || at[sizeof package - 1])
        return command;
    return jw_fmt(f, "%.*s%s", (int)(at - command), command,
                  JW_COMMAND(f->a, is_of_windows(log),
                             jw_library_package(jw_fmt(f, "libcudnn.so.%u", cudnn), CUDA, f->a)));
}

static bool names_libraries(const char *command)
{
    return jw_text_starts(command, "pip install nvidia-cublas")
           || jw_text_starts(command, "pip install nvidia-cudnn");
}

/* 0: none is known. */
static unsigned sm_of(const struct jw_log *log)
{
    return log->n_gpus ? log->gpus[0].sm : log->here.sm;
}

/* "jitwarm scan", for the file or the software that this log names. If it names none, doctor looks for the
 * software. */
static const char *scan_of(const struct jw_log *log, const struct jw_log_complaint *c, struct jw_findings *f)
{
    struct jw_release r;
    bool guessed;

    if (c->file[0])
        return JW_COMMAND(f->a, strchr(c->file, '\\') != NULL, "jitwarm", "scan", c->file);
    if (jw_log_software(log, &r, &guessed))
        return JW_COMMAND(f->a, false, "jitwarm", "scan", jw_fmt(f, "%s==%s", r.name, r.version),
                          sm_of(log) ? "--gpu" : NULL, jw_fmt(f, "sm_%u", sm_of(log)));
    return log->pytorch ? "python3 -c \"import torch; print(torch.__version__, torch.cuda.get_arch_list())\""
                        : "jitwarm doctor";
}

/* PyTorch's packages for CUDA 12.8 have no code for GPUs before 7.0, and some versions none before 7.5; those for 12.6
 * have, from 5.0 on. */
static const char *torch_for_gpu(const struct jw_log *log, const char *command, struct jw_findings *f)
{
    const char *newer = strstr(command, "/whl/cu128");
    unsigned sm = sm_of(log);

    if (!newer || !sm || sm >= 75)
        return command;
    return sm < 50 ? NULL : jw_fmt(f, "%.*s/whl/cu126", (int)(newer - command), command);
}

/* PyTorch's builds for the newest CUDA that this driver serves. NULL: for that CUDA, or for this GPU with it, there
 * are none. */
static const char *torch_for_driver(const struct jw_log *log, const struct jw_log_complaint *c,
                                    struct jw_findings *f)
{
    static const unsigned builds[] = { 1300, 1208, 1206, 1204, 1201, 1108 };
    enum { FIRST_OF_CUDA_12_8 = 100, LEAST = 1208 };

    for (size_t i = 0; i < JW_COUNT(builds); i++)
        if (builds[i] <= c->cuda && !(builds[i] > LEAST && sm_of(log) && sm_of(log) < 75)) {
            const char *command = jw_fmt(f,
                                         "pip install --force-reinstall torch torchvision torchaudio "
                                         "--index-url https://download.pytorch.org/whl/cu%u%u",
                                         builds[i] / 100, builds[i] % 100);

            if (sm_of(log) >= FIRST_OF_CUDA_12_8 && builds[i] < LEAST)
                return NULL;
            return torch_for_gpu(log, command, f);
        }
    return NULL;
}

/* TensorFlow before 2.14 looks for ptxas on the PATH, and not in NVIDIA's packages; the one of CUDA 11.8 makes code
 * that drivers of its time can read. */
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

/* "12.4" of nvidia_nvjitlink_cu12-12.4.127.dist-info, beside what the log names. NULL: the package is not there, or
 * that is not known. */
static const char *release_beside(const struct jw_log *log, const char *package, struct jw_findings *f)
{
    char *folder = jw_arena_str(f->a, package);
    struct jw_notes ignored = { 0 };
    const char *version;
    unsigned major, minor;

    if (!log->site)
        return NULL;
    for (char *c = folder; *c; c++)
        *c = *c == '-' ? '_' : *c;

    struct jw_listing l = jw_listing_read(log->site, jw_fmt(f, "%s-*.dist-info", folder), f->a, &ignored);

    version = l.n ? l.names[0] + strlen(folder) + 1 : "";
    return jw_log_capability(version, &major, &minor) ? jw_fmt(f, "%u.%u", major, minor) : NULL;
}

/* Packages that are parts of one toolkit, as pip installs them: those that are missing, and those of another release,
 * of the release that what links has; else of the first one that is there. It reads what the others make. */
static const char *of_one_toolkit(const struct jw_log *log, const char *command, struct jw_findings *f)
{
    static const char *const parts[] = { "nvidia-nvjitlink-cu12", "nvidia-cuda-nvcc-cu12",
                                         "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-runtime-cu12" };
    const char *release = NULL, *line = "pip install";
    bool changes = false,
         compiles = jw_text_starts(command, "pip install nvidia-cuda-") && strstr(command, "-cu12"),
         links = strstr(command, parts[0]) && strstr(command, parts[1]);

    for (size_t i = 0; (compiles || links) && i < JW_COUNT(parts) && !release; i++)
        release = release_beside(log, parts[i], f);
    for (size_t i = 0; release && i < JW_COUNT(parts); i++) {
        const char *there = release_beside(log, parts[i], f);

        if (there ? strcmp(there, release) == 0 : !strstr(command, parts[i]))
            continue;
        line = jw_fmt(f, "%s %s", line,
                      JW_COMMAND(f->a, is_of_windows(log), jw_fmt(f, "%s==%s.*", parts[i], release)));
        changes = true;
    }
    return changes ? line : command;
}

const char *jw_log_command_of(const struct jw_log *log, const struct jw_log_complaint *c,
                              struct jw_findings *f)
{
    bool old_driver = jw_text_find_nocase(c->text, "NVIDIA driver on your system is too old") != NULL;
    const char *build = old_driver ? torch_for_driver(log, c, f) : NULL,
               *command = build ? build : c->known.command, *package = package_of(log, c, f),
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
        command = for_the_loader(log, c, with_its_cudnn(log, c, command, f), f);
    else if (jw_log_cannot_prime(log, c) || !*command)
        command = NULL;
    else if (log->numba && strstr(c->text, "ptxas application ptx input"))
        command = "pip install --upgrade \"numba-cuda[cu12]\"";
    else if (jw_log_has_refused_ptx(c))
        command = JW_COMMAND(f->a, strchr(c->file, '\\') != NULL, "jitwarm", "prime", c->file);
    else if (strcmp(command, "jitwarm scan") == 0)
        command = scan_of(log, c, f);
    else if (strstr(command, "XLA_PYTHON_CLIENT_PREALLOCATE") && is_of_tensorflow(log, c))
        command = "export TF_FORCE_GPU_ALLOW_GROWTH=true";
    else
        command = of_one_toolkit(log, ptxas_on_the_path(log, torch_for_gpu(log, command, f), f), f);
    return jw_log_there(log, command, f);
}
