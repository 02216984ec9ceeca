#include "base/text.h"
#include "doctor/log/log_lines.h"

#include <stdlib.h>
#include <string.h>

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
    *out = days_of(this_year, month, day) * JW_LOG_DAY + seconds;
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
    *out = days_of(century * 100 + year, month, day) * JW_LOG_DAY + seconds;
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
    *out = days_of(date[0], month, day) * JW_LOG_DAY + seconds;
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
    *out = JW_LOG_DAY + (double)minutes * 60 + seconds + strtod(end + 4, NULL) / 1000;
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
    *out = JW_LOG_DAY + minutes * 60.0 + seconds;
    return true;
}

/* "23:59:58 ", "[23:59:58] ": of the day of the stamp before it, or of the next one. No "12:34:56<1:00" of a bar. */
static bool stamp_without_date(const struct jw_log *log, const char *at, double *out)
{
    double day = log->stamp_known ? (double)((long long)(log->stamp / JW_LOG_DAY)) * JW_LOG_DAY : JW_LOG_DAY,
           seconds;

    if (!time_of_day(at, &seconds)
        || (!strchr(" \t].,", at[8]) && !(at[8] == '-' && jw_is_digit(at[9])))) /* "17:19:26-223456 INFO" */
        return false;
    *out = day + seconds;
    if (log->stamp_known && *out < log->stamp - JW_LOG_DAY / 2.0)
        *out += JW_LOG_DAY;
    return true;
}

/* The length of words before a time: "(Worker_TP0 pid=57) ", "time=", "INFO ", "I ", "rank0]", "web-1  | ", brackets.
 * 0: nothing. */
static size_t before_time(const char *at)
{
    static const char *const levels[] = { "DEBUG", "INFO", "WARNING", "WARN", "ERROR", "CRITICAL", "FATAL" };
    size_t blanks = strspn(at, " \t[\"|:-"), word = 0;

    if (blanks)
        return blanks;
    if (*at == '(') {
        const char *process = strstr(at, " pid="), *end = process ? strchr(process, ')') : NULL;

        return end ? (size_t)(end - at) + 1 : 1;
    }
    if (*at == ')' || *at == ']')
        return 1;
    for (size_t i = 0; i < JW_COUNT(levels); i++)
        if (jw_text_starts(at, levels[i]) && !jw_is_name_letter(at[strlen(levels[i])]))
            return strlen(levels[i]);
    while (jw_is_name_letter(at[word]) || at[word] == '-' || at[word] == '.')
        word++;
    if (word && at[word] == '=')
        return word + 1;
    if (word && (at[word] == ']' || (word == 1 && strchr("DIWEFC", *at) && jw_is_digit(at[2]))))
        return word;
    return word && at[word] == ' ' && at[word + strspn(at + word, " ")] == '|' ? word : 0;
}

bool jw_log_time_of(const struct jw_log *log, const char *line, double *out, unsigned date[2], bool *unix)
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
