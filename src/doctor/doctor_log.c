#include "doctor/doctor_log.h"

#include "base/text.h"
#include "doctor/doctor_log_place.h"
#include "doctor/doctor_log_subject.h"
#include "facts/errors.h"
#include "facts/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shorter pauses are normal. */
enum { WORTH_A_WORD = 10, DAY = 86400 };

/* As many of nearly one length are the steps of what the program does. */
#define STEADY 0.7

/* ---- time stamps ---- */

static bool is_word_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool two_digits(const char *t, unsigned *v)
{
    if (t[0] < '0' || t[0] > '9' || t[1] < '0' || t[1] > '9')
        return false;
    *v = (unsigned)(t[0] - '0') * 10 + (unsigned)(t[1] - '0');
    return true;
}

/* "22:35:25.216344" or "22:35:25,216" into seconds of the day. */
static bool time_of_day(const char *t, double *out)
{
    unsigned h, m, s;
    double part = 0, unit = 0.1;

    if (!two_digits(t, &h) || t[2] != ':' || !two_digits(t + 3, &m) || t[5] != ':' || !two_digits(t + 6, &s)
        || h > 23 || m > 59 || s > 60)
        return false;
    t += 8;
    if (*t == '.' || *t == ',')
        for (t++; *t >= '0' && *t <= '9'; t++) {
            part += unit * (*t - '0');
            unit /= 10;
        }
    *out = h * 3600.0 + m * 60.0 + s + part;
    return true;
}

/* Days, for differences only. */
static double days_of(unsigned year, unsigned month, unsigned day)
{
    unsigned y = month < 3 ? year - 1 : year, m = month < 3 ? month + 12 : month;
    unsigned days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * (m - 3) + 2) / 5 + day;

    return days;
}

/* "06-25 20:11:05" behind vLLM's level, glog's "I1122 22:35:25.2", syslog's "Jun 25 20:11:05" */
static bool stamp_without_year(const char *at, unsigned this_year, double *out)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    unsigned month = 0, day = 0;
    const char *time = NULL;
    double seconds;

    if (two_digits(at, &month) && at[2] == '-' && two_digits(at + 3, &day) && at[5] == ' ') {
        time = at + 6;
    } else if (*at && strchr("IWEF", *at) && two_digits(at + 1, &month) && two_digits(at + 3, &day)
               && at[5] == ' ') {
        time = at + 6;
    } else if (strlen(at) > 15 && at[3] == ' ' && at[6] == ' ') {
        for (unsigned i = 0; i < 12; i++)
            if (strncmp(months + i * 3UL, at, 3) == 0)
                month = i + 1;
        day = (unsigned)strtoul(at + 4, NULL, 10);
        time = at + 7;
    }
    if (!time || month < 1 || month > 12 || !time_of_day(time, &seconds))
        return false;
    *out = days_of(this_year, month, day) * DAY + seconds;
    return true;
}

/* "2020-11-22 22:35:25.2", with slashes, a T between them, or Gin's "2026/04/10 - 21:14:11" */
static bool stamp_with_year(const char *at, double *out, unsigned date[2])
{
    unsigned century, year, month, day;
    double seconds;

    if (!two_digits(at, &century) || !two_digits(at + 2, &year) || (at[4] != '-' && at[4] != '/')
        || !two_digits(at + 5, &month) || at[7] != at[4] || !two_digits(at + 8, &day)
        || (at[10] != ' ' && at[10] != 'T') || month < 1 || month > 12
        || !time_of_day(at + (jw_text_starts(at + 10, " - ") ? 13 : 11), &seconds))
        return false;
    *out = days_of(century * 100 + year, month, day) * DAY + seconds;
    date[0] = century * 100 + year;
    date[1] = month;
    return true;
}

/* TensorRT's "01/20/2025-12:00:03", rich's "01/20/25 12:00:03": the month first, as they write it */
static bool stamp_with_month_first(const char *at, double *out, unsigned date[2])
{
    unsigned month, day, year, rest = 0;
    double seconds;

    if (!two_digits(at, &month) || at[2] != '/' || !two_digits(at + 3, &day) || at[5] != '/'
        || !two_digits(at + 6, &year) || month < 1 || month > 12)
        return false;
    at += 8;
    if (two_digits(at, &rest))
        at += 2;
    else
        rest = year;
    if ((*at != '-' && *at != ' ') || !time_of_day(at + 1, &seconds))
        return false;
    date[0] = 2000 + rest;
    date[1] = month;
    *out = days_of(date[0], month, day) * DAY + seconds;
    return true;
}

/* absl's before a program set its clock, in seconds since 1970: "E0000 00:00:1746170000.001223     500 cuda_blas.cc:1418]". */
static bool stamp_since_1970(const char *at, double *out)
{
    static const char zero[] = "0000 00:00:";
    const char *seconds = at + sizeof zero;

    if (!*at || !strchr("IWEF", *at) || !jw_text_starts(at + 1, zero) || strspn(seconds, "0123456789") != 10
        || seconds[10] != '.')
        return false;
    *out = strtod(seconds, NULL);
    return true;
}

/* llama.cpp's time since its start: minutes, seconds, milliseconds, microseconds and a level, "5.41.993.102 I " */
static bool stamp_since_start(const char *at, double *out)
{
    char *end;
    unsigned long minutes = strtoul(at, &end, 10);
    unsigned seconds;

    if (end == at || end - at > 4 || *end != '.' || !two_digits(end + 1, &seconds) || end[3] != '.'
        || strspn(end + 4, "0123456789") != 3 || end[7] != '.' || strspn(end + 8, "0123456789") != 3
        || end[11] != ' ' || !end[12] || !strchr("DIWE", end[12]) || end[13] != ' ')
        return false;
    *out = DAY + (double)minutes * 60 + seconds + strtod(end + 4, NULL) / 1000;
    return true;
}

/* Blender's time since a render began, minutes, seconds and hundredths: "Fra:1 Mem:512.11M | Time:03:41.87 | Scene" */
static bool stamp_of_render(const char *line, double *out)
{
    const char *at = jw_text_starts(line, "Fra:") ? strstr(line, "| Time:") : NULL;
    unsigned minutes, seconds;

    if (!at || !two_digits(at + 7, &minutes) || at[9] != ':' || !two_digits(at + 10, &seconds)
        || at[12] != '.')
        return false;
    *out = DAY + minutes * 60.0 + seconds;
    return true;
}

/* "23:59:58 ", "[23:59:58] ": of the day of the stamp before it, or of the next one. No "12:34:56<1:00" of a bar. */
static bool stamp_without_date(const struct jw_log *log, const char *at, double *out)
{
    double day = log->stamp_known ? (double)((long long)(log->stamp / DAY)) * DAY : DAY, seconds;

    if (!time_of_day(at, &seconds)
        || (!strchr(" \t].,", at[8]) && !(at[8] == '-' && jw_is_digit(at[9])))) /* "17:19:26-223456 INFO" */
        return false;
    *out = day + seconds;
    if (log->stamp_known && *out < log->stamp - DAY / 2.0)
        *out += DAY;
    return true;
}

/* What may stand before a time: "(Worker_TP0 pid=57) ", "time=", "INFO ", "I ", "rank0]", "web-1  | ", brackets, a colour. 0: nothing. */
static size_t before_time(const char *at)
{
    static const char *const levels[] = { "DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL" };
    size_t blanks = strspn(at, " \t[\"|:-"), word = 0;

    if (blanks)
        return blanks;
    if (*at == '\x1b')
        return at[1] == '[' ? 2 + strspn(at + 2, "0123456789;") + (at[2] != 0) : 1;
    if (*at == '(') {
        const char *process = strstr(at, " pid="), *end = process ? strchr(process, ')') : NULL;

        return end ? (size_t)(end - at) + 1 : 1;
    }
    if (*at == ')' || *at == ']')
        return 1;
    for (size_t i = 0; i < JW_COUNT(levels); i++)
        if (jw_text_starts(at, levels[i]) && !is_word_letter(at[strlen(levels[i])]))
            return strlen(levels[i]);
    while (is_word_letter(at[word]) || at[word] == '-' || at[word] == '.')
        word++;
    if (word && at[word] == '=')
        return word + 1;
    if (word && (at[word] == ']' || (word == 1 && strchr("DIWEFC", *at) && jw_is_digit(at[2]))))
        return word;
    return word && at[word] == ' ' && at[word + strspn(at + word, " ")] == '|' ? word : 0;
}

/* The time at the beginning of a line, and whether it is of a clock that counts from 1970, which may be in another time zone. */
static bool stamp_of(const struct jw_log *log, const char *line, double *out, unsigned date[2], bool *unix)
{
    enum { PREFIXES = 12 };
    unsigned this_year = log->year ? log->year : 2000;

    *unix = stamp_since_1970(line, out);
    if (stamp_of_render(line, out))
        return true;
    for (unsigned i = 0; i < PREFIXES && !*unix; i++) {
        size_t n;

        if (stamp_with_year(line, out, date) || stamp_with_month_first(line, out, date)
            || stamp_without_year(line, this_year, out) || stamp_without_date(log, line, out)
            || (i == 0 && stamp_since_start(line, out)))
            return true;
        n = before_time(line);
        if (!n)
            return false;
        line += n < strlen(line) ? n : strlen(line);
    }
    return *unix;
}

static void keep_line(char out[JW_LOG_KEPT], const char *line)
{
    (void)snprintf(out, JW_LOG_KEPT, "%.199s", line);
}

static bool waits_here(const char *line)
{
    return jw_text_find_nocase(line, "Adding visible gpu device")
           || jw_text_find_nocase(line, "Created device /job")
           || jw_text_find_nocase(line, "Created TensorFlow device")
           || jw_text_find_nocase(line, "Creating TensorFlow device")
           || jw_text_find_nocase(line, "TensorFlow was not built with CUDA kernel binaries")
           || jw_text_find_nocase(line, "StreamExecutor device (0)");
}

/* The pause before this line, which has a time. */
static struct jw_log_gap gap_before(const struct jw_log *log, const char *line, double seconds)
{
    const struct jw_log_compiler *ends = jw_log_compiler_ends(line);
    struct jw_log_gap gap = { .seconds = seconds,
                              .line = log->last_line,
                              .next = log->lines,
                              .compiling = waits_here(log->last),
                              .downloading = jw_text_find_nocase(log->last, "downloading") != NULL,
                              .compiler =
                                  ends && (!log->compiler || ends->name == log->compiler->name) ? ends : NULL,
                              .said = log->lines };

    keep_line(gap.before, log->last);
    keep_line(gap.after, line);
    keep_line(gap.saying, gap.compiler ? line : log->saying);
    if (!gap.compiler) {
        gap.compiler = log->compiler;
        gap.said = log->said;
    }
    return gap;
}

/* A compiler that has begun, at whatever line. */
static void see_compiler(struct jw_log *log, const char *line, bool stamped)
{
    const struct jw_log_compiler *begins = jw_log_compiler_begins(line);

    begins = begins || stamped ? begins : jw_log_compiler_ends(line); /* the pause goes on to the next time */
    if (begins) {
        log->compiler = begins;
        log->said = log->lines;
        keep_line(log->saying, line);
    }
}

/* The longest pauses, the longest first. */
static void keep_longest(struct jw_log *log, double seconds)
{
    for (size_t i = 0; i < JW_LOG_PAUSES; i++)
        if (seconds > log->longest[i]) {
            double shorter = log->longest[i];

            log->longest[i] = seconds;
            seconds = shorter;
        }
}

bool jw_log_is_steady(const struct jw_log *log)
{
    return log->longest[JW_LOG_PAUSES - 1] > STEADY * log->longest[0] && !log->gap.compiling
           && !log->gap.compiler && !log->gap.downloading;
}

static void see_pause(struct jw_log *log, const char *line, double seconds)
{
    const struct jw_log_gap gap = gap_before(log, line, seconds);

    if (log->server_ready && !gap.compiler && !gap.compiling && !gap.downloading) {
        log->idle_s = seconds > log->idle_s ? seconds : log->idle_s;
        return;
    }
    keep_longest(log, gap.seconds);
    if (gap.seconds > log->gap.seconds)
        log->gap = gap;
    if (gap.compiler && gap.seconds > log->other.seconds)
        log->other = gap;
}

static void see_server(struct jw_log *log, const char *line)
{
    log->server_ready = (log->server_ready || jw_log_server_is_ready(line)) && !jw_log_server_works(line);
}

/* False: it has no time. */
static bool see_time(struct jw_log *log, const char *line)
{
    unsigned date[2] = { 0 };
    double now;
    bool unix;

    if (!stamp_of(log, line, &now, date, &unix))
        return false;
    log->stamped++;
    if (date[0]) {
        log->year = date[0];
        log->month = date[1];
    }
    if (log->stamp_known && unix == log->stamp_unix && now - log->stamp >= WORTH_A_WORD
        && now - log->stamp < DAY)
        see_pause(log, line, now - log->stamp);
    log->compiler = NULL;
    log->stamp = now;
    log->stamp_known = true;
    log->stamp_unix = unix;
    keep_line(log->last, line);
    log->last_line = log->lines;
    return true;
}

/* A compiler that says how long it worked, which may have been in parts. */
static void see_stated(struct jw_log *log, const char *line)
{
    const struct jw_log_compiler *ends = jw_log_compiler_ends(line);
    double seconds = ends ? jw_log_stated_seconds(line) : 0;

    if (seconds < WORTH_A_WORD || seconds <= log->stated.seconds)
        return;
    log->stated = (struct jw_log_gap){ .seconds = seconds, .compiler = ends, .said = log->lines };
    keep_line(log->stated.saying, line);
}

/* What follows `words` in the line; NULL: they are not in it. */
static const char *behind(const char *line, const char *words)
{
    const char *at = jw_text_find_nocase(line, words);

    return at ? at + strlen(words) : NULL;
}

/* ---- GPUs ---- */

static bool add_log_gpu(struct jw_log *log, const char *name, size_t n, unsigned major, unsigned minor)
{
    struct jw_gpu g = { .sm = (uint16_t)(major * 10 + minor), .source = JW_GPU_OPTION };

    if (major < 2 || major > 99 || minor > 9)
        return false;
    while (n && (name[n - 1] == ' ' || name[n - 1] == ','))
        n--;
    (void)snprintf(g.name, sizeof g.name, "%.*s", (int)(n < sizeof g.name ? n : sizeof g.name - 1), name);
    for (size_t i = 0; i < log->n_gpus; i++)
        if (log->gpus[i].sm == g.sm && strcmp(log->gpus[i].name, g.name) == 0)
            return true;
    if (log->n_gpus < JW_LOG_GPUS)
        log->gpus[log->n_gpus++] = g;
    return true;
}

static bool read_capability(const char *at, unsigned *major, unsigned *minor)
{
    char *end;
    unsigned long v = strtoul(at, &end, 10);

    if (end == at || *end != '.' || end[1] < '0' || end[1] > '9')
        return false;
    *major = (unsigned)v;
    *minor = (unsigned)(end[1] - '0');
    return true;
}

/* "name: GeForce RTX 3070 computeCapability: 8.6", "name: Tesla T4, pci bus id: ..., compute capability: 7.5" */
static void see_tensorflow_gpu(struct jw_log *log, const char *line)
{
    const char *name = behind(line, "name: "), *cc = behind(line, "computeCapability: ");
    unsigned major, minor;

    cc = cc ? cc : behind(line, "compute capability: ");
    if (!cc || !name || name > cc || !read_capability(cc, &major, &minor))
        return;
    const char *end = jw_text_find_nocase(name, " computeCapability"), *comma = strchr(name, ',');

    if (comma && (!end || comma < end))
        end = comma;
    if (end && end > name)
        (void)add_log_gpu(log, name, (size_t)(end - name), major, minor);
}

/* The oldest: "name: GeForce GTX 1080", and on the same line or the next one "major: 6 minor: 1". */
static void see_old_gpu(struct jw_log *log, const char *line)
{
    const char *major = behind(line, "major: "), *minor = behind(line, "minor: "),
               *name = behind(line, "name: ");
    const char *end = name ? jw_text_find_nocase(name, "major: ") : NULL;

    if (name)
        (void)snprintf(log->name, sizeof log->name, "%.*s", (int)(end ? (size_t)(end - name) : strlen(name)),
                       name);
    if (!major || !minor)
        return;
    (void)add_log_gpu(log, log->name, strlen(log->name), (unsigned)strtoul(major, NULL, 10),
                      (unsigned)strtoul(minor, NULL, 10));
    log->name[0] = '\0';
}

/* "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation." */
static void see_pytorch_gpu(struct jw_log *log, const char *line)
{
    static const char words[] = "capability sm_", with[] = " with CUDA ";
    const char *at = strstr(line, words), *name;

    if (!at)
        return;
    log->pytorch = true;
    unsigned sm = (unsigned)strtoul(at + sizeof words - 1, NULL, 10);

    at = at - line >= (ptrdiff_t)(sizeof with - 1) && jw_text_starts(at - (sizeof with - 1), with)
             ? at - (sizeof with - 1)
             : line; /* cut off */
    for (name = at; name > line && name[-1] != ':'; name--)
        ;
    name += strspn(name, " \t");
    if (name > at)
        name = at;
    (void)add_log_gpu(log, name, (size_t)(at - name), sm / 10, sm % 10);
}

/* ---- libraries ---- */

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
            *to = read_capability(at, &major, &minor) ? major * 100 + minor
                                                      : (unsigned)strtoul(at, NULL, 10) * 100;
    }
}

/* "Could not load dynamic library 'cudart64_110.dll'; dlerror: ..." */
static void see_missing(struct jw_log *log, const char *line)
{
    const char *at = behind(line, "Could not load dynamic library '"), *end;

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

/* ---- which file ---- */

/* The folder of the Python package that a frame of a traceback is in: File
 * "/usr/lib/.../site-packages/torch/nn/x.py" */
static void see_package(struct jw_log *log, const char *line)
{
    static const char *const folders[] = { "site-packages", "dist-packages" };
    const char *at = strstr(line, "File \""), *end = at ? strchr(at + 6, '"') : NULL;

    if (strstr(line, "Traceback (most recent call last)"))
        log->package[0] = '\0';
    for (size_t i = 0; end && i < JW_COUNT(folders); i++) {
        const char *folder = strstr(at, folders[i]);
        size_t n = folder && folder < end ? (size_t)(folder - at) + strlen(folders[i]) + 1 : 0;

        if (!n || (at[n - 1] != '/' && at[n - 1] != '\\'))
            continue;
        n += strcspn(at + n, "/\\\"");
        if (at[n] != '"' && n - 6 < sizeof log->package) /* a folder, not a module of one file */
            (void)snprintf(log->package, sizeof log->package, "%.*s", (int)(n - 6), at + 6);
    }
}

static void see_python(struct jw_log *log, const char *line)
{
    if (log->python[0] || !jw_log_python_of(line, log->python, sizeof log->python))
        return;
    log->windows |= strchr(log->python, '\\') != NULL;
    log->linux |= !strchr(log->python, '\\');
}

/* The first word of a line that is a file's name by its ending, with its folder where that is wanted. "": none. */
static bool named_file(const char *line, const char *const *endings, size_t n_endings, bool absolute,
                       char out[JW_LOG_KEPT])
{
    static const char blanks[] = " \t\"'`()[]<>,;=";

    for (const char *at = line; *at; at += strspn(at, blanks)) {
        size_t n = strcspn(at, blanks), path = n;

        while (path && (at[path - 1] == ':' || at[path - 1] == '.'))
            path--;
        (void)snprintf(out, JW_LOG_KEPT, "%.*s", (int)(path < JW_LOG_KEPT ? path : 0), at);
        for (size_t i = 0; i < n_endings; i++)
            if (strstr(out, endings[i]) && (!absolute || *at == '/' || (at[1] == ':' && at[2] == '\\')))
                return true;
        at += n;
    }
    out[0] = '\0';
    return false;
}

/* The shared library that a line names with its folder: "/opt/app/libx.so.1: no kernel image" */
static void library_of(const char *line, char out[JW_LOG_KEPT])
{
    static const char *const endings[] = { ".so", ".dll", ".pyd" };

    (void)named_file(line, endings, JW_COUNT(endings), true, out);
}

/* "Loading module kernels/k.ptx": of a program that loads its GPU code from files. */
static void see_code(struct jw_log *log, const char *line)
{
    static const char *const endings[] = { ".ptx", ".cubin", ".fatbin" };
    char file[JW_LOG_KEPT];

    if (named_file(line, endings, JW_COUNT(endings), false, file))
        keep_line(log->code, file);
}

/* "libcudnn_ops_infer.so.8: cannot open shared object file" */
static void missing_library(const char *line, char out[64])
{
    const char *end = strstr(line, ": cannot open shared object file"), *at = end;

    while (at && at > line && at[-1] != ' ' && at[-1] != '/')
        at--;
    (void)snprintf(out, 64, "%.*s", at && end - at < 64 ? (int)(end - at) : 0, at ? at : "");
}

/* "llama_perf_context_print:        load time =  412388.44 ms", Ollama's "llama runner started in 162.30 seconds" */
static void see_load(struct jw_log *log, const char *line)
{
    if (strstr(line, "load time =") || strstr(line, "llama runner started in "))
        log->load_s = jw_log_stated_seconds(line);
}

/* ---- complaints ---- */

/* "RuntimeError: ...", "error: ...", "ERROR 09-16 ..." */
static bool looks_like_error(const char *line)
{
    const char *at = jw_text_find_nocase(line, "error: ");

    return (at && !(at - line >= 2 && jw_text_starts(at - 2, "dlerror"))) || strstr(line, "ERROR ")
           || strstr(line, "failed to load model") || strstr(line, "Exception: ");
}

/* "(found version 10010)" 1001, "unsatisfied condition: cuda>=12.4" 1204 */
static unsigned cuda_of_message(const char *line)
{
    const char *found = behind(line, "(found version "), *wanted = behind(line, "condition: cuda>=");
    unsigned long v = found ? strtoul(found, NULL, 10) : 0;
    unsigned major, minor;

    if (v >= 1000 && v < 100000)
        return (unsigned)(v / 1000 * 100 + v % 1000 / 10);
    return wanted && read_capability(wanted, &major, &minor) && major < 100 ? major * 100 + minor : 0;
}

static void see_complaint(struct jw_log *log, const char *line)
{
    struct jw_error_known known;

    if (!jw_error_in_log(line, &known)) {
        if (!log->error[0] && !log->traceback && looks_like_error(line)) {
            keep_line(log->error, line);
            log->error_line = log->lines;
        }
        return;
    }
    if (known.severity == JW_ERROR_PROBLEM)
        log->explained_line = log->lines;
    for (size_t i = 0; i < log->n_complaints; i++)
        if (log->complaints[i].known.meaning == known.meaning) {
            log->complaints[i].times++;
            return;
        }
    if (log->n_complaints == JW_LOG_COMPLAINTS)
        return;
    struct jw_log_complaint *c = &log->complaints[log->n_complaints++];

    c->known = known;
    c->cuda = cuda_of_message(line);
    c->line = log->lines;
    c->times = 1;
    keep_line(c->text, line);
    missing_library(line, c->library);
    library_of(line, c->file);
    if (!c->file[0])
        keep_line(c->file, log->code[0] ? log->code : log->package);
}

/* ">>> torch.cuda.is_available()", and "False" on the next line. */
static void see_availability(struct jw_log *log, const char *line)
{
    if (log->asked_for_gpu && strcmp(line, "False") == 0)
        see_complaint(log, "torch.cuda.is_available(): False");
    log->asked_for_gpu = strstr(line, "cuda.is_available()") != NULL;
}

/* ---- GPUs, versions and architectures that software prints ---- */

/* "Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes" */
static void see_ggml_gpu(struct jw_log *log, const char *line)
{
    const char *name = behind(line, "Device "), *cc = jw_text_find_nocase(line, ", compute capability ");
    unsigned major, minor;

    if (!cc || !name || name > cc || !read_capability(behind(cc, ", compute capability "), &major, &minor))
        return;
    name += strspn(name, "0123456789");
    if (*name == ':' && name < cc)
        (void)add_log_gpu(log, name + 2, (size_t)(cc - name - 2), major, minor);
}

/* "Your Tesla T4 GPU has compute capability 7.5", "but your device is of CUDA capability 6.1", "your current GPU is
 * 120", "Compute Capability detected: 5.2", "not built with CUDA kernel binaries compatible with compute capability
 * 12.0" */
static void see_bare_gpu(struct jw_log *log, const char *line)
{
    static const char *const before[] = { "GPU has compute capability ", "your device is of CUDA capability ",
                                          "Compute Capability detected: ",
                                          "binaries compatible with compute capability ",
                                          "ptxas does not support CC " };
    const char *at, *comma;
    unsigned major, minor;
    unsigned long sm = 0;

    if (log->n_gpus)
        return;
    for (size_t i = 0; i < JW_COUNT(before); i++)
        if ((at = behind(line, before[i])) && read_capability(at, &major, &minor)
            && add_log_gpu(log, "", 0, major, minor))
            return;
    if ((at = behind(line, "your GPU has capability (")) && (comma = strchr(at, ','))
        && add_log_gpu(log, "", 0, (unsigned)strtoul(at, NULL, 10), (unsigned)strtoul(comma + 1, NULL, 10)))
        return;
    if ((at = behind(line, "compatible with CUDA arch ")))
        sm = strtoul(at, NULL, 10) / 10;
    else if ((at = behind(line, "your current GPU is ")))
        sm = strtoul(at, NULL, 10);
    if (sm < 1000)
        (void)add_log_gpu(log, "", 0, (unsigned)sm / 10, (unsigned)sm % 10);
}

/* The longest of a line's words from here on that are the name of one kind of GPU; its length, 0: none. */
static size_t product_at(const char *at, size_t first, struct jw_gpu *out)
{
    enum { WORDS_MAX = 6 };
    size_t ends[WORDS_MAX] = { 0 }, n = 0, end = first;

    while (n < WORDS_MAX && at[end] && at[end] != ' ') {
        end += strcspn(at + end, " \t,;:()[]'\"\n");
        ends[n++] = end;
        end += at[end] == ' ';
    }
    while (n--) {
        struct jw_err unknown;
        char name[sizeof out->name];

        if (ends[n] >= sizeof name)
            continue;
        (void)snprintf(name, sizeof name, "%.*s", (int)ends[n], at);
        if (jw_gpu_parse(name, out, &unknown))
            return ends[n];
    }
    return 0;
}

/* A product's name, where the log says no compute capability: "Device: cuda:0 NVIDIA GeForce RTX 5090 : cudaMallocAsync". Of two
 * that differ neither is taken. The table is not asked about each line of a long log. */
static void see_named_gpu(struct jw_log *log, const char *line)
{
    static const char *const begins[] = { "NVIDIA ", "GeForce ", "Tesla ", "Quadro " };
    enum { ENOUGH = 100 };

    for (size_t i = 0; i < JW_COUNT(begins) && log->n_named < ENOUGH; i++) {
        const char *at = strstr(line, begins[i]);
        struct jw_gpu gpu;
        size_t n;

        if (!at)
            continue;
        if (log->named.sm && jw_text_starts(at, log->named_as) && !is_word_letter(at[strlen(log->named_as)]))
            return;
        log->n_named++;
        n = product_at(at, strlen(begins[i]), &gpu);
        if (!n)
            continue;
        log->names_differ |= log->named.sm && log->named.sm != gpu.sm;
        if (!log->named.sm) {
            log->named = gpu;
            (void)snprintf(log->named_as, sizeof log->named_as, "%.*s", (int)n, at);
        }
        return;
    }
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

            if ((at > line && (is_word_letter(at[-1]) || at[-1] == '/' || at[-1] == '-'))
                || is_word_letter(*end) || !version_behind(end, version))
                continue;
            (void)snprintf(log->release, sizeof log->release, "%s==%s", names[i].name, version);
            break;
        }
    const char *engine = behind(line, "LLM engine (");

    if (engine && *engine == 'v' && version_behind(engine, version) && !jw_text_starts(log->release, "vllm"))
        (void)snprintf(log->release, sizeof log->release, "vllm==%s", version);
}

/* nvidia-smi's "Driver Version: 535.54.03", TensorFlow's "kernel reported version is: 460.91.3" */
static void see_driver(struct jw_log *log, const char *line)
{
    static const char *const before[] = { "Driver Version: ", "kernel reported version is: ",
                                          "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " };

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

    if (log->sass[0])
        return;
    if ((at = behind(line, "supports CUDA capabilities "))
        || ((at = strstr(line, "['sm_")) && strstr(at, "']"))) {
        see_named_archs(log, at);
        see_ptx_archs(log, at);
        log->made_by = "PyTorch";
    } else if ((at = behind(line, "was compiled for: ")) && strstr(line, "ggml")) {
        see_bare_archs(log, at, true);
        log->made_by = "llama.cpp";
    } else if ((at = behind(line, "CUDA : ARCHS = ")) || (at = behind(line, " CUDA.0.ARCHS="))) {
        see_bare_archs(log, at,
                       true); /* __CUDA_ARCH_LIST__, where an architecture may stand for its PTX alone */
        (void)snprintf(log->ptx, sizeof log->ptx, "%.*s", (int)sizeof log->ptx - 1, log->sass);
        log->archs_guessed = true;
        log->made_by = strstr(line, "WHISPER : ") ? "whisper.cpp" : "llama.cpp";
    } else if ((at = behind(line, "PaddlePaddle package was compiled for "))) {
        see_bare_archs(log, at, false);
        log->made_by = "PaddlePaddle";
    }
}

/* ---- lines ---- */

/* Skips lines without any of these words, to save time. */
static bool of_interest(const char *line)
{
    static const char *const words[] = {
        "cud",          "gpu",        "ptx",     "kernel",       "capab",  "major",     "compil",     "devic",
        "architecture", "driver",     "numa",    "jax",          "nv",     "extension", "version",    "==",
        "matmul",       "llm",        "llama",   "sm_",          "libcu",  "cub",       "torch",      "dnn",
        "name: ",       "memory_eff", "getproc", "module named", "memory", "oom",       "due to time"
    };

    for (; *line; line++) {
        char c = (char)(*line | 0x20);

        if (!strchr("cgpkmdanjevlsto=", c) || !c)
            continue;
        for (size_t i = 0; i < JW_COUNT(words); i++) {
            size_t n = 0;

            while (words[i][n] && line[n] && ((line[n] | 0x20) == words[i][n] || line[n] == words[i][n]))
                n++;
            if (!words[i][n])
                return true;
        }
    }
    return false;
}

/* "TensorFlow version 2.4.1": a few words, one of which is that. */
static bool says_version(const char *line)
{
    enum { FEW = 5 };
    size_t words = 1;

    for (const char *at = line; *at; at++)
        words += *at == ' ' && at[1] && at[1] != ' ';
    return words <= FEW && jw_text_find_nocase(line, "version");
}

/* "INFO", "[W ...]", "gpu_device.cc:1858]", "Device 0: ...", a whole line "torch==2.1.0": no sentence of prose has them. */
static bool is_printed(const char *line)
{
    static const char *const words[] = {
        ".cc:",          ".cpp:",   ".cu:",      ".py:",       "File \"",     "Traceback (", "INFO",
        "WARN",          "ERROR",   "DEBUG",     "Warning: ",  "Error: ",     "ggml_",       "llama_",
        "system_info: ", "CUDA : ", "pciBusID:", "NVIDIA-SMI", "__version__", "'sm_"
    };

    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (strstr(line, words[i]))
            return true;
    if (jw_text_starts(line, "[") || strstr(line, "Device 0: ") || strstr(line, ">>> "))
        return true;
    return (strstr(line, "==") && !strchr(line, ' ')) || says_version(line);
}

/* "The paper asks for Python 3.7 and": most of its words are words, and there are many. */
static bool is_sentence(const char *line)
{
    enum { MANY = 7 };
    size_t words = 0, others = 0;

    for (const char *at = line + strspn(line, " \t"); *at; at += strspn(at, " \t")) {
        size_t n = strcspn(at, " \t"), letters = 0;

        while (letters < n && (jw_is_letter(at[letters]) || strchr("'-", at[letters])))
            letters++;
        words += letters == n || (letters + 1 == n && strchr(".,;:", at[letters]));
        others += !(letters == n || (letters + 1 == n && strchr(".,;:", at[letters])));
        at += n;
    }
    return words >= MANY && words > 2 * others;
}

/* The exception that a line of Python names: "torch.cuda.OutOfMemoryError: ...", behind whatever vLLM writes before it. */
static bool names_exception(const char *line)
{
    static const char *const ends[] = { "Error: ", "Exception: " };

    for (size_t i = 0; i < JW_COUNT(ends); i++) {
        const char *at = strstr(line, ends[i]), *word = at;

        while (word && word > line && (is_word_letter(word[-1]) || word[-1] == '.'))
            word--;
        if (word && word < at && (word == line || word[-1] == ' '))
            return true;
    }
    return false;
}

/* What a shell, Docker or the C++ runtime prints when a program dies, and lines that a logger calls errors. */
static bool says_it_died(const char *line)
{
    static const char *const words[] = { "Segmentation fault",
                                         "(core dumped)",
                                         "terminate called after",
                                         "Bus error",
                                         "Illegal instruction",
                                         "docker: Error response",
                                         "ERROR ",
                                         "CRITICAL ",
                                         "level=ERROR" };

    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (strstr(line, words[i]))
            return true;
    return strcmp(line, "Killed") == 0 || strcmp(line, "Aborted") == 0 || jw_text_starts(line, "Error: ")
           || jw_text_starts(line, "panic: ");
}

/* Exceptions that end a program, whatever they speak of. A traceback's last line is the first one that is not indented. */
static void see_exception(struct jw_log *log, const char *line)
{
    const char *begins = strstr(line, "Traceback (most recent call last)");

    if (begins) {
        log->traceback = true;
        log->traceback_at = (size_t)(begins - line);
        keep_line(log->exception, line);
        log->exception_line = log->lines;
        return;
    }
    bool ends = log->traceback && strlen(line) > log->traceback_at && is_word_letter(line[log->traceback_at]);

    /* An exception is said, and not the lines that follow it. */
    bool dies = !log->traceback && says_it_died(line)
                && (!log->exception_line || log->lines - log->exception_line > JW_LOG_LAST);

    if (!ends && !dies && !names_exception(line))
        return;
    log->traceback = false;
    log->exception_line = strstr(line, "KeyboardInterrupt") ? 0 : log->lines;
    keep_line(log->exception, line);
}

static void see_ending(struct jw_log *log, const char *line)
{
    if (!line[strspn(line, " \t")])
        return;
    keep_line(log->ending, line);
    log->ending_line = log->lines;
}

static void see_line(struct jw_log *log, const char *line)
{
    log->lines++;
    log->printed = log->printed || is_printed(line);
    log->sentences += is_sentence(line);
    log->names_cuda = log->names_cuda || jw_log_names_cuda(line);
    log->tensorflow = log->tensorflow || strstr(line, "tensorflow/") || strstr(line, "TensorFlow")
                      || strstr(line, "external/local_xla");
    log->tells_compiling = log->tells_compiling || strstr(line, "external/local_");
    log->pytorch = log->pytorch || strstr(line, "PyTorch") || strstr(line, "torch/");
    see_package(log, line);
    see_python(log, line);
    see_code(log, line);
    see_compiler(log, line, see_time(log, line));
    see_stated(log, line);
    see_server(log, line);
    see_exception(log, line);
    see_availability(log, line);
    see_load(log, line);
    see_ending(log, line);
    if (!of_interest(line))
        return;
    see_tensorflow_gpu(log, line);
    see_old_gpu(log, line);
    see_pytorch_gpu(log, line);
    see_ggml_gpu(log, line);
    see_bare_gpu(log, line);
    see_named_gpu(log, line);
    see_libraries(log, line);
    see_version(log, line);
    see_driver(log, line);
    see_archs(log, line);
    see_missing(log, line);
    see_complaint(log, line);
}

/* Colours of a terminal ("ESC [ 1 ; 31 m"), which some programs write into files, too. */
static void remove_colours(char *line)
{
    char *to = line;

    for (const char *at = line; *at;)
        if (at[0] == '\x1b' && at[1] == '[') {
            at += 2 + strspn(at + 2, "0123456789;?");
            at += *at != '\0';
        } else {
            *to++ = *at++;
        }
    *to = '\0';
}

static void end_log_line(struct jw_log *log)
{
    while (log->n_line && log->line[log->n_line - 1] == '\r')
        log->n_line--;
    log->line[log->n_line] = '\0';
    remove_colours(log->line);
    see_line(log, log->line);
    log->n_line = 0;
}

void jw_log_feed(struct jw_log *log, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n')
            end_log_line(log);
        else if (log->n_line + 1 < sizeof log->line)
            log->line[log->n_line++] = text[i] ? text[i] : ' ';
    }
}

/* "model.bin: No such file or directory", as perror says it: an error where nothing comes after it, and no logger said it. */
static bool is_error_of_system(const char *line)
{
    static const char *const ends[] = { ": No such file or directory", ": Permission denied",
                                        ": command not found", ": No space left on device" };

    for (size_t i = 0; i < JW_COUNT(ends); i++)
        if (jw_text_ends(line, ends[i]))
            return true;
    return false;
}

void jw_log_end(struct jw_log *log)
{
    if (log->n_line)
        end_log_line(log);
    if (!log->exception_line && log->ending_line != log->last_line && is_error_of_system(log->ending)) {
        keep_line(log->exception, log->ending);
        log->exception_line = log->ending_line;
    }
    if (!log->n_gpus && log->named.sm && !log->names_differ)
        log->gpus[log->n_gpus++] = log->named;
}

/* As the rows of errors.csv for PyTorch, PaddlePaddle and ggml say it. */
bool jw_log_says_no_code(const struct jw_log_complaint *c)
{
    return strstr(c->known.meaning, " holds no code for ") != NULL;
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
