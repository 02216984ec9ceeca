#include "base/text.h"
#include "doctor/log/log_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "cudart64_101.dll" 1001, "cudart64_110.dll" 1100, "cudart64_12.dll" 1200, "libcudart.so.10.1" 1001; TensorFlow before
 * 1.13 holds the runtime and says "successfully opened CUDA library libcublas.so.7.5 locally" 705 */
static unsigned dll_number(const char *at)
{
    unsigned long v = strtoul(at, NULL, 10);

    return v >= 60 ? (unsigned)(v / 10 * 100 + v % 10) : (unsigned)v * 100;
}

static void see_libraries(struct jw_log *log, const char *line)
{
    static const struct {
        const char *text;
        bool cudart, dll;
    } names[] = { { "cudart64_", true, true },
                  { "libcudart.so.", true, false },
                  { "opened CUDA library libcublas.so.", true, false },
                  { "dynamic library libcublas.so.", true, false },
                  { "cudnn64_", false, true },
                  { "libcudnn.so.", false, false } };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *at = strstr(line, names[i].text);
        unsigned *to = names[i].cudart ? &log->cudart : &log->cudnn, major = 0, minor = 0;

        if (!at)
            continue;
        log->windows |= names[i].dll;
        log->linux |= !names[i].dll;
        at += strlen(names[i].text);
        if (names[i].cudart && strstr(line, "libcublas.so.10") && at[2] != '.') {
            /* From 10.1 on its number is the major one alone. */
            log->cudart = log->cudart ? log->cudart : 1001;
            continue;
        }
        if (!names[i].cudart)
            *to = (unsigned)strtoul(at, NULL, 10) * 100;
        else if (names[i].dll)
            *to = dll_number(at);
        else
            *to = jw_log_capability(at, &major, &minor) ? major * 100 + minor
                                                        : (unsigned)strtoul(at, NULL, 10) * 100;
    }
}

/* "Could not load dynamic library 'cudart64_110.dll'; dlerror: ..." */
static void see_missing(struct jw_log *log, const char *line)
{
    const char *at = jw_log_behind(line, "Could not load dynamic library '"), *end;

    if (!at || log->n_missing == JW_LOG_MISSING)
        return;
    end = strchr(at, '\'');
    if (!end || (size_t)(end - at) >= sizeof log->missing[0])
        return;
    if (jw_text_starts(at, "libcuda.so") || jw_text_starts(at, "nvcuda.dll")) /* the driver's: a complaint */
        return;
    if (jw_text_starts(at, "libnvinfer")
        || jw_text_starts(at, "nvinfer")) /* TensorRT's: few programs use it */
        return;
    for (size_t i = 0; i < log->n_missing; i++)
        if (strncmp(log->missing[i], at, (size_t)(end - at)) == 0)
            return;
    memcpy(log->missing[log->n_missing++], at, (size_t)(end - at));
}

/* The version behind a name: "==2.1.0+cu121", " version: 2.10.0", ": 2.3.0", " (v0.6.3)", "-2.4.1-cp38". */
static size_t version_behind(const char *at, char out[32])
{
    static const char *const words[] = { "_version", ".__version__", "version" };
    size_t n = 0;

    at += strspn(at, " \t\"'-");
    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (jw_text_starts_nocase(at, words[i]))
            at += strlen(words[i]);
    at += strspn(at, " \t\"':=(");
    at += (*at == 'v' || *at == 'V') && at[1] >= '0' && at[1] <= '9';
    while (n < 30
           && ((at[n] >= '0' && at[n] <= '9') || (at[n] == '.' && at[n + 1] >= '0' && at[n + 1] <= '9')))
        n++;
    if (n < 3 || n > 12 || !memchr(at, '.', n) || at[0] == '.')
        return 0;
    memcpy(out, at, n);
    if (jw_text_starts(at + n, "+cu") && n < 20) {
        size_t tag = 3 + strspn(at + n + 3, "0123456789");

        if (tag > 4 && tag < 8) {
            memcpy(out + n, at + n, tag);
            n += tag;
        }
    }
    out[n] = '\0';
    return n;
}

/* The first software with a version in the log. */
static void see_version(struct jw_log *log, const char *line)
{
    static const struct {
        const char *text, *name;
    } names[] = { { "tensorflow-gpu", "tensorflow" },
                  { "tensorflow", "tensorflow" },
                  { "tf.__version__", "tensorflow" },
                  { "vllm api server", "vllm" },
                  { "vllm", "vllm" },
                  { "pytorch", "torch" },
                  { "torch", "torch" },
                  { "onnxruntime-gpu", "onnxruntime-gpu" },
                  { "onnx runtime", "onnxruntime-gpu" },
                  { "onnxruntime", "onnxruntime-gpu" },
                  { "jaxlib", "jaxlib" },
                  { "cupy", "cupy" },
                  { "xformers", "xformers" },
                  { "paddlepaddle-gpu", "paddlepaddle-gpu" },
                  { "ctranslate2", "ctranslate2" },
                  { "bitsandbytes", "bitsandbytes" } };
    char version[32];

    for (size_t i = 0; !log->release[0] && i < JW_COUNT(names); i++)
        for (const char *at = line; (at = jw_text_find_nocase(at, names[i].text));
             at += strlen(names[i].text)) {
            const char *end = at + strlen(names[i].text);

            if ((at > line && (jw_is_name_letter(at[-1]) || at[-1] == '/' || at[-1] == '-'))
                || jw_is_name_letter(*end) || !version_behind(end, version))
                continue;
            (void)snprintf(log->release, sizeof log->release, "%s==%s", names[i].name, version);
            break;
        }
    const char *engine = jw_log_behind(line, "LLM engine (");

    if (engine && *engine == 'v' && version_behind(engine, version) && !jw_text_starts(log->release, "vllm"))
        (void)snprintf(log->release, sizeof log->release, "vllm==%s", version);
}

/* nvidia-smi's "Driver Version: 535.54.03", TensorFlow's "kernel reported version is: 460.91.3", and what the kernel's
 * module says of itself */
static void see_driver(struct jw_log *log, const char *line)
{
    static const char *const before[] = { "Driver Version: ",
                                          "kernel reported version is: ",
                                          "NVIDIA UNIX x86_64 Kernel Module  ",
                                          "Kernel Module for x86_64  ",
                                          "is not supported by the NVIDIA ",
                                          "is not supported by the ",
                                          "kernel module has the version " };

    for (size_t i = 0; !log->driver[0] && i < JW_COUNT(before); i++) {
        const char *found = strstr(line, before[i]), *at = found ? found + strlen(before[i]) : NULL;
        size_t n = at ? strspn(at, "0123456789.") : 0;

        if (n >= 6 && n < sizeof log->driver) {
            memcpy(log->driver, at, n);
            log->driver[n] = '\0';
        }
    }
}

/* Adds " 86" to a list, once. */
static void add_listed_arch(char *list, size_t size, unsigned long arch, const char *suffix)
{
    char word[12];
    size_t n = strlen(list);

    (void)snprintf(word, sizeof word, "%lu%s", arch, suffix);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[strlen(word)] == ' ' || !at[strlen(word)]))
            return;
    if (arch >= 20 && arch < 200 && n + sizeof word + 1 < size)
        (void)snprintf(list + n, size - n, "%s%s", n ? " " : "", word);
}

/* sm_50 sm_60 ... compute_90, wherever they stand in the line. */
static void see_named_archs(struct jw_log *log, const char *at)
{
    for (; (at = strstr(at, "sm_")); at += 3) {
        char *end;
        unsigned long arch = strtoul(at + 3, &end, 10);
        char suffix[2] = { *end == 'a' || *end == 'f' ? *end : '\0', '\0' };

        add_listed_arch(log->sass, sizeof log->sass, arch, suffix);
    }
}

static void see_ptx_archs(struct jw_log *log, const char *at)
{
    while ((at = strstr(at, "compute_"))) {
        at += strlen("compute_");
        add_listed_arch(log->ptx, sizeof log->ptx, strtoul(at, NULL, 10), "");
    }
}

/* Bare numbers: "61 70 75", or ggml's "600,610,750" (`tenth`). */
static void see_bare_archs(struct jw_log *log, const char *at, bool tenth)
{
    for (;;) {
        char *end;
        unsigned long arch;

        at += strspn(at, " ,");
        arch = strtoul(at, &end, 10);
        if (end == at || (*end && !strchr(" ,\r\n", *end)))
            return;
        add_listed_arch(log->sass, sizeof log->sass, tenth ? arch / 10 : arch, "");
        at = end;
    }
}

/* The first list of architectures in the log. */
static void see_archs(struct jw_log *log, const char *line)
{
    const char *at;

    if (log->sass[0] || log->ptx[0])
        return;
    if ((at = jw_log_behind(line, "supports CUDA capabilities "))
        || ((at = strstr(line, "['sm_")) && strstr(at, "']"))) {
        see_named_archs(log, at);
        see_ptx_archs(log, at);
        log->made_by = "PyTorch";
    } else if ((at = jw_log_behind(line, "was compiled for: ")) && strstr(line, "ggml")) {
        see_bare_archs(log, at, true);
        log->made_by = "llama.cpp";
    } else if ((at = jw_log_behind(line, "CUDA : ARCHS = "))
               || (at = jw_log_behind(line, " CUDA.0.ARCHS="))) {
        see_bare_archs(log, at,
                       true); /* __CUDA_ARCH_LIST__, where an architecture may stand for its PTX alone */
        (void)snprintf(log->ptx, sizeof log->ptx, "%.*s", (int)sizeof log->ptx - 1, log->sass);
        log->archs_guessed = true;
        log->made_by = strstr(line, "WHISPER : ") ? "whisper.cpp" : "llama.cpp";
    } else if ((at = jw_log_behind(line, "PaddlePaddle package was compiled for "))) {
        see_bare_archs(log, at, false);
        log->made_by = "PaddlePaddle";
    }
}

void jw_log_see_software(struct jw_log *log, const char *line)
{
    see_libraries(log, line);
    see_version(log, line);
    see_driver(log, line);
    jw_log_see_ollama(log, line);
    see_archs(log, line);
    see_missing(log, line);
}

/* ---- which software ---- */

/* True if TensorFlow 2.`minor` was released before the log's date. */
static bool was_out(const struct jw_log *log, unsigned minor)
{
    static const uint16_t months[] = {
        /* of 2.0, 2.1, ...: year * 12 + month */
        2019 * 12 + 9,  2020 * 12 + 1,  2020 * 12 + 5, 2020 * 12 + 7,  2020 * 12 + 12, 2021 * 12 + 5,
        2021 * 12 + 8,  2021 * 12 + 11, 2022 * 12 + 2, 2022 * 12 + 5,  2022 * 12 + 9,  2022 * 12 + 11,
        2023 * 12 + 3,  2023 * 12 + 7,  2023 * 12 + 9, 2023 * 12 + 11, 2024 * 12 + 3,  2024 * 12 + 7,
        2024 * 12 + 10, 2025 * 12 + 3,  2025 * 12 + 8
    };

    return !log->year || minor >= JW_COUNT(months) || months[minor] <= log->year * 12 + log->month;
}

enum jw_build_system jw_log_system(const struct jw_log *log, enum jw_build_system here)
{
    return log->windows ? JW_BUILD_WINDOWS : log->linux && here == JW_BUILD_WINDOWS ? JW_BUILD_LINUX : here;
}

/* The newest version of a row that was out then; versions before 2.0 always were. */
static bool newest_out(const struct jw_log *log, const struct jw_framework *f, uint16_t out[2])
{
    unsigned first = f->low[0] == 2 ? f->low[1] : 0;

    for (unsigned minor = f->high[1] + 1U; f->high[0] == 2 && minor-- > first;)
        if (was_out(log, minor)) {
            out[0] = 2;
            out[1] = (uint16_t)minor;
            return true;
        }
    out[0] = f->low[0];
    out[1] = f->high[0] == f->low[0] ? f->high[1] : f->low[1];
    return f->low[0] < 2;
}

/* The newest TensorFlow for the CUDA runtime in the log, released by then. */
static bool by_libraries(const struct jw_log *log, struct jw_release *out)
{
    enum jw_build_system system = jw_log_system(log, JW_BUILD_LINUX);
    struct jw_framework f;
    uint16_t version[2];
    bool found = false, cpu;
    char text[16];
    size_t tensorflow = jw_product_find("tensorflow", &cpu);

    if (!log->tensorflow || log->cudart == 0)
        return false;
    for (size_t i = 0; jw_framework_at(i, system, &f); i++) {
        bool fits = log->cudart >= 1100 ? f.cuda / 100 == log->cudart / 100 : f.cuda == log->cudart;

        if (f.product != tensorflow || !fits || !newest_out(log, &f, version))
            continue;
        (void)snprintf(text, sizeof text, "%u.%u", version[0], version[1]);
        *out = jw_release_of(f.package, text);
        found = true;
    }
    return found;
}

bool jw_log_software(const struct jw_log *log, struct jw_release *out, bool *guessed)
{
    *guessed = false;
    if (log->release[0] && jw_release_parse(log->release, out))
        return true;
    *guessed = by_libraries(log, out);
    return *guessed;
}
