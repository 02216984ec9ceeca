#include "doctor/doctor_log.h"

#include "base/text.h"
#include "facts/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shorter stops happen to everybody. */
enum { WORTH_A_WORD = 10, DAY = 86400 };

/* ---- time stamps ---- */

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

/* Days since some day long ago, for differences alone. */
static double days_of(unsigned year, unsigned month, unsigned day)
{
    unsigned y = month < 3 ? year - 1 : year, m = month < 3 ? month + 12 : month;
    unsigned days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * (m - 3) + 2) / 5 + day;

    return days;
}

/* "2020-11-22 22:35:25.2: I tensorflow/...", with a T between them, in brackets, or glog's "I1122 22:35:25.2". */
static bool stamp_of(const char *line, double *out)
{
    unsigned century, year, month, day;
    double seconds;

    line += strspn(line, " \t[(");
    if (two_digits(line, &century) && two_digits(line + 2, &year) && (line[4] == '-' || line[4] == '/')
        && two_digits(line + 5, &month) && line[7] == line[4] && two_digits(line + 8, &day)
        && (line[10] == ' ' || line[10] == 'T') && month >= 1 && month <= 12
        && time_of_day(line + 11, &seconds)) {
        *out = days_of(century * 100 + year, month, day) * DAY + seconds;
        return true;
    }
    if (*line && strchr("IWEF", *line) && two_digits(line + 1, &month) && two_digits(line + 3, &day)
        && line[5] == ' ' && month >= 1 && month <= 12 && time_of_day(line + 6, &seconds)) {
        *out = days_of(2000, month, day) * DAY + seconds;
        return true;
    }
    return false;
}

static void keep(char out[JW_LOG_KEPT], const char *line)
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

static void see_time(struct jw_log *log, const char *line)
{
    double now;

    if (!stamp_of(line, &now))
        return;
    log->stamped++;
    if (log->stamp_known && now - log->stamp >= WORTH_A_WORD && now - log->stamp < DAY
        && now - log->stamp > log->gap.seconds) {
        log->gap.seconds = now - log->stamp;
        log->gap.line = log->lines - 1;
        log->gap.compiling = waits_here(log->last);
        keep(log->gap.before, log->last);
        keep(log->gap.after, line);
    }
    log->stamp = now;
    log->stamp_known = true;
    keep(log->last, line);
}

/* ---- GPUs ---- */

static bool add_gpu(struct jw_log *log, const char *name, size_t n, unsigned major, unsigned minor)
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
    const char *name = jw_text_find_nocase(line, "name: "),
               *cc = jw_text_find_nocase(line, "computeCapability: ");
    unsigned major, minor;

    if (cc)
        cc += strlen("computeCapability: ");
    else if ((cc = jw_text_find_nocase(line, "compute capability: ")))
        cc += strlen("compute capability: ");
    if (!cc || !name || name > cc || !read_capability(cc, &major, &minor))
        return;
    name += strlen("name: ");
    const char *end = jw_text_find_nocase(name, " computeCapability"), *comma = strchr(name, ',');

    if (comma && (!end || comma < end))
        end = comma;
    if (end && end > name)
        (void)add_gpu(log, name, (size_t)(end - name), major, minor);
}

/* The oldest: "name: GeForce GTX 1080", and on the next line "major: 6 minor: 1". */
static void see_old_gpu(struct jw_log *log, const char *line)
{
    const char *at = jw_text_find_nocase(line, "major: "), *minor = jw_text_find_nocase(line, "minor: ");
    const char *name = jw_text_find_nocase(line, "name: ");
    size_t n = name ? (size_t)(at && at > name ? at - name : (long)strlen(name)) : 0;

    if (!at || !minor)
        return;
    if (name)
        (void)add_gpu(log, name + 6, n - 6, (unsigned)strtoul(at + 7, NULL, 10),
                      (unsigned)strtoul(minor + 7, NULL, 10));
    else
        (void)add_gpu(log, "", 0, (unsigned)strtoul(at + 7, NULL, 10),
                      (unsigned)strtoul(minor + 7, NULL, 10));
}

/* "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation." */
static void see_pytorch_gpu(struct jw_log *log, const char *line)
{
    const char *at = strstr(line, " with CUDA capability sm_"), *name;

    if (!at)
        return;
    log->pytorch = true;
    unsigned sm = (unsigned)strtoul(at + strlen(" with CUDA capability sm_"), NULL, 10);

    for (name = at; name > line && name[-1] != ':'; name--)
        ;
    name += strspn(name, " \t");
    if (name > at)
        name = at;
    (void)add_gpu(log, name, (size_t)(at - name), sm / 10, sm % 10);
}

/* ---- libraries ---- */

/* "cudart64_101.dll" 1001, "cudart64_110.dll" 1100, "cudart64_12.dll" 1200, "libcudart.so.10.1" 1001 */
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
                  { "cudnn64_", false, true },
                  { "libcudnn.so.", false, false } };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *at = strstr(line, names[i].text);
        unsigned *to = names[i].cudart ? &log->cudart : &log->cudnn, major = 0, minor = 0;

        if (!at)
            continue;
        log->dll |= names[i].dll;
        log->so |= !names[i].dll;
        at += strlen(names[i].text);
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
    const char *at = jw_text_find_nocase(line, "Could not load dynamic library '"), *end;

    if (!at || log->n_missing == JW_LOG_MISSING)
        return;
    at += strlen("Could not load dynamic library '");
    end = strchr(at, '\'');
    if (!end || (size_t)(end - at) >= sizeof log->missing[0])
        return;
    for (size_t i = 0; i < log->n_missing; i++)
        if (strncmp(log->missing[i], at, (size_t)(end - at)) == 0)
            return;
    memcpy(log->missing[log->n_missing++], at, (size_t)(end - at));
}

/* ---- complaints ---- */

static void see_complaint(struct jw_log *log, const char *line)
{
    const char *meaning = jw_error_in_log(line);

    if (!meaning || jw_text_find_nocase(line, "Adding visible gpu device"))
        return;
    for (size_t i = 0; i < log->n_complaints; i++)
        if (log->complaints[i].meaning == meaning) {
            log->complaints[i].times++;
            return;
        }
    if (log->n_complaints == JW_LOG_COMPLAINTS)
        return;
    struct jw_log_complaint *c = &log->complaints[log->n_complaints++];

    c->meaning = meaning;
    c->line = log->lines;
    c->times = 1;
    keep(c->text, line);
}

/* ---- lines ---- */

/* Most lines of a long log tell of neither GPUs nor CUDA: they are read once, and not once for each text that is known. */
static bool of_interest(const char *line)
{
    static const char *const words[] = { "cud",   "gpu",    "ptx",   "kernel",      "capab",
                                         "major", "compil", "devic", "architecture" };

    for (; *line; line++) {
        char c = (char)(*line | 0x20);

        if (c != 'c' && c != 'g' && c != 'p' && c != 'k' && c != 'm' && c != 'd' && c != 'a')
            continue;
        for (size_t i = 0; i < JW_COUNT(words); i++) {
            size_t n = 0;

            while (words[i][n] && (line[n] | 0x20) == words[i][n])
                n++;
            if (!words[i][n])
                return true;
        }
    }
    return false;
}

static void see_line(struct jw_log *log, const char *line)
{
    log->lines++;
    log->tensorflow = log->tensorflow || strstr(line, "tensorflow/") || strstr(line, "TensorFlow")
                      || strstr(line, "external/local_xla");
    log->pytorch = log->pytorch || strstr(line, "PyTorch") || strstr(line, "torch/");
    if (!of_interest(line)) {
        see_time(log, line);
        return;
    }
    see_time(log, line);
    see_tensorflow_gpu(log, line);
    see_old_gpu(log, line);
    see_pytorch_gpu(log, line);
    see_libraries(log, line);
    see_missing(log, line);
    see_complaint(log, line);
}

static void end_line(struct jw_log *log)
{
    while (log->n_line && log->line[log->n_line - 1] == '\r')
        log->n_line--;
    log->line[log->n_line] = '\0';
    see_line(log, log->line);
    log->n_line = 0;
    log->skip_rest = false;
}

void jw_log_feed(struct jw_log *log, const char *text, size_t n)
{
    log->bytes += n;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n')
            end_line(log);
        else if (log->n_line + 1 < sizeof log->line)
            log->line[log->n_line++] = text[i] ? text[i] : ' ';
    }
}

void jw_log_end(struct jw_log *log)
{
    if (log->n_line)
        end_line(log);
}

/* ---- what it betrays ---- */

bool jw_log_framework(const struct jw_log *log, unsigned os, struct jw_framework_spec *out)
{
    struct jw_framework_build b, best = { 0 };
    bool found = false, cpu;
    size_t tensorflow = jw_framework_find("tensorflow", &cpu);

    if (!log->tensorflow || log->cudart == 0)
        return false;
    for (size_t i = 0; jw_framework_build_at(i, &b); i++) {
        bool fits = log->cudart >= 1100 ? b.cuda_low / 100 == log->cudart / 100 : b.cuda_low == log->cudart;

        if (b.framework != tensorflow || *b.code || !(b.os & os) || !fits || (b.marks & JW_BUILD_APPROXIMATE)
            || b.high[0] == 0xffff || jw_framework_for_cpu(&b))
            continue;
        if (!found || b.high[0] > best.high[0] || (b.high[0] == best.high[0] && b.high[1] > best.high[1]))
            best = b;
        found = true;
    }
    if (!found)
        return false;
    *out = (struct jw_framework_spec){ .framework = tensorflow, .parts = 2 };
    memcpy(out->number, best.high, sizeof out->number);
    jw_version_text(&best, best.high, best.parts, out->version);
    (void)snprintf(out->variant, sizeof out->variant, "by its CUDA %u.%u", best.cuda_low / 100,
                   best.cuda_low % 100);
    return true;
}
