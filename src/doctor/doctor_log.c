#include "doctor/doctor_log.h"

#include "base/text.h"
#include "os/files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORTH_A_WORD = 10, DAY = 24 * 60 * 60 };

#define DIGITS "0123456789"

/* ---- times ---- */

/* Two digits; -1: others. */
static int two(const char *t)
{
    return jw_is_digit(t[0]) && jw_is_digit(t[1]) ? (t[0] - '0') * 10 + t[1] - '0' : -1;
}

/* "22:35:25.216344", "22:35:25,216": seconds of the day. */
static bool time_of_day(const char *t, double *out)
{
    int h = two(t);
    int m = h < 0 || t[2] != ':' ? -1 : two(t + 3);
    int s = m < 0 || t[5] != ':' ? -1 : two(t + 6);
    char fraction[16] = "0.";

    if (s < 0)
        return false;
    if (t[8] == '.' || t[8] == ',')
        (void)snprintf(fraction, sizeof fraction, "0.%.*s", (int)strspn(t + 9, DIGITS) % 10, t + 9);
    *out = h * 3600 + m * 60 + s + strtod(fraction, NULL);
    return true;
}

/* "2020-11-22 22:35:25", with slashes or a T, "11-22 22:35:25" and "I1122 22:35:25". Each month
 * counts 31 days: that matters at midnight alone. */
static bool dated(const char *at, double *out)
{
    bool year = strspn(at, DIGITS) == 4 && at[4] && strchr("-/", at[4]);
    bool glog = *at && strchr("IWEF", *at) && strspn(at + 1, DIGITS) == 4 && at[5] == ' ';
    const char *m = at + (year ? 5 : glog);
    int day;
    int month = two(m);
    int apart = !glog;

    if (month <= 0 || (apart && (!m[2] || !strchr("-/", m[2]))))
        return false;
    day = two(m + 2 + apart);
    if (day <= 0 || !m[4 + apart] || !time_of_day(m + 5 + apart, out))
        return false;
    *out += (((year ? two(at) * 100 + two(at + 2) : 0) * 12 + month) * 31 + day) * (double)DAY;
    return true;
}

/* A day and a time near the begin of the line, also behind what a container or the journal writes
 * before it; seconds since 1970, which no other form comes near, as TensorFlow writes them
 * since 2.17; a time alone at the begin. */
static bool time_of(const char *line, double *out)
{
    enum { NEAR = 64 };
    static const char since_1970[] = "0000 00:00:";
    const char *at = strstr(line, since_1970);
    const char *seconds = at ? at + strlen(since_1970) : "";

    if (strspn(seconds, DIGITS) == 10) {
        *out = strtod(seconds, NULL);
        return true;
    }
    for (size_t i = 0; i < NEAR && line[i]; i++)
        if ((!i || !jw_is_digit(line[i - 1])) && dated(line + i, out))
            return true;
    return time_of_day(line + strspn(line, " \t[("), out);
}

/* ---- lines ---- */

/* Frameworks print these right before the driver compiles, "created" also right after it. */
static bool comes_before_compiling(const char *line)
{
    static const char *const all[] = {
        "Adding visible gpu device", "Created device /job",
        "Created TensorFlow device", "Creating TensorFlow device",
        "StreamExecutor device (0)", "TensorFlow was not built with CUDA kernel binaries"};

    for (size_t i = 0; i < JW_COUNT(all); i++)
        if (jw_text_find_nocase(line, all[i]))
            return true;
    return false;
}

static void see_time(struct jw_log_reader *r, const char *line)
{
    bool waits = comes_before_compiling(line);
    double now, waited;

    if (!time_of(line, &now))
        return;
    waited = now - r->time + (now < r->time && now < DAY ? DAY : 0);
    r->waits |= waits && r->tensorflow && jw_text_find_nocase(line, "creat");
    if (r->waits && waited >= WORTH_A_WORD && waited < DAY / 2.0 && waited > r->out->pause) {
        r->out->pause = waited;
        r->out->before = r->last;
    }
    r->time = now;
    r->waits = waits;
    r->last = r->out->lines;
    r->tensorflow = jw_text_find_nocase(line, "tensorflow");
}

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* `text` of the table, where it has {library}, with the name of the library of CUDA in the line,
 * as far as it is of `letters`: a line of the log may become part of a command that a person
 * pastes. */
static void fill(char *out, size_t size, const char *text, const char *line, const char *letters)
{
    const char *at = strstr(text, "{library}");
    const char *name = at ? jw_text_find_nocase(line, "libcu") : NULL;

    if (name)
        (void)snprintf(out, size, "%.*s%.*s%s", (int)(at - text), text, (int)strspn(name, letters),
                       name, at + strlen("{library}"));
    else
        (void)snprintf(out, size, "%s", text);
}

static void see_error(struct jw_log_report *out, const char *line)
{
    struct jw_log_hit *hit = &out->hits[out->n_hits];
    struct jw_error_known known;

    /* The last place is kept for a line that made the program fail. */
    if (!jw_error_in_log(line, &known) || known.severity == JW_ERROR_NOTE
        || out->n_hits + (known.severity != JW_ERROR_PROBLEM) >= JW_LOG_HITS)
        return;
    hit->known = known;
    hit->line = out->lines;
    fill(hit->meaning, sizeof hit->meaning, hit->known.meaning, line, NAME_LETTERS ".");
    fill(hit->command, sizeof hit->command, hit->known.command, line, NAME_LETTERS);
    hit->remedy = (struct jw_remedy){.kind = JW_REMEDY_NOTHING};
    if (*known.variable)
        hit->remedy = (struct jw_remedy){.kind = JW_REMEDY_SET,
                                         .what = known.variable,
                                         .value = *known.value ? known.value : NULL};
    else if (*known.command)
        hit->remedy = (struct jw_remedy){.kind = JW_REMEDY_PASTE, .what = hit->command};
    for (size_t i = 0; i < out->n_hits; i++)
        if (strcmp(out->hits[i].meaning, hit->meaning) == 0)
            return;
    out->n_hits++;
}

static void see_line(struct jw_log_reader *r)
{
    r->line[r->n] = '\0';
    r->n = 0;
    r->out->lines++;
    see_time(r, r->line);
    see_error(r->out, r->line);
    r->out->windows |= strstr(r->line, ":\\") || jw_text_find_nocase(r->line, ".dll");
}

/* The rest of a line that is longer is passed over. */
void jw_log_feed(struct jw_log_reader *r, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n')
            see_line(r);
        else if (bytes[i] && bytes[i] != '\r' && r->n + 1 < sizeof r->line)
            r->line[r->n++] = bytes[i];
    }
}

void jw_log_end(struct jw_log_reader *r)
{
    if (r->n)
        see_line(r);
}

/* ---- the file ---- */

/* A file is read as a pipe is. */
static bool read_all(struct jw_log_reader *r, const atomic_bool *interrupted, struct jw_err *err)
{
    char bytes[1 << 16];
    size_t got = 1;

    for (uint64_t at = 0; got && at < JW_LOG_BYTES; at += got) {
        if (!jw_stdin_read(bytes, sizeof bytes, &got, interrupted, err))
            return false;
        jw_log_feed(r, bytes, got);
    }
    r->out->cut = got;
    jw_log_end(r);
    return true;
}

bool jw_doctor_log(const char *path, const atomic_bool *interrupted, struct jw_log_report *out,
                   struct jw_err *err)
{
    struct jw_log_reader r = {.out = out};
    bool piped = strcmp(path, "-") == 0;

    *out = (struct jw_log_report){0};
    if ((piped || jw_stdin_take(path, err)) && read_all(&r, interrupted, err))
        return true;
    if (!piped)
        jw_err_becomes(err, JW_E_IO, JW_E_NAMED);
    return jw_wrap(err, "%s", piped ? "standard input" : path);
}
