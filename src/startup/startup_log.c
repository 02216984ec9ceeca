#include "startup/startup_log.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "machine/trust.h"
#include "os/files/append.h"
#include "os/files/file.h"

#include <string.h>

enum {
    DAY_S = 86400,
    FIELDS = 6,
    STAMP = 20,
    MOST_EXIT = 255,
    MOST_LOG = 4 * JW_RUNLOG_FULL,
    MOST_WHAT = 4096,
    PATIENCE_MS = 2000
};

static const char began[] = "began";

/* ---- time ---- */

/* Days since 1970 of the civil calendar, with years that begin in March, so that the odd day comes last. */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
    int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, year_of_era = y - era * 400;
    int64_t of_year = (153 * (int64_t)(month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719468;
}

static bool two(const char *p, unsigned most, unsigned *out)
{
    if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
        return false;
    *out = (unsigned)(p[0] - '0') * 10 + (unsigned)(p[1] - '0');
    return *out <= most;
}

static bool read_time(const char *p, int64_t *out)
{
    unsigned century, year, month, day, hour, minute, second;

    if (strlen(p) != STAMP || p[4] != '-' || p[7] != '-' || p[10] != 'T' || p[13] != ':' || p[16] != ':'
        || p[19] != 'Z')
        return false;
    if (!two(p, 99, &century) || !two(p + 2, 99, &year) || !two(p + 5, 12, &month) || !month
        || !two(p + 8, 31, &day) || !day || !two(p + 11, 23, &hour) || !two(p + 14, 59, &minute)
        || !two(p + 17, 60, &second))
        return false;
    *out = days_of((int64_t)century * 100 + year, month, day) * DAY_S + (int64_t)hour * 3600 + minute * 60
           + second;
    return true;
}

/* ---- lines ---- */

void jw_startup_write_line(struct jw_buf *out, const struct jw_startup_run *run)
{
    jw_text_time(out, run->when);
    jw_buf_printf(out, "\t%s\t%u\t%llu\t", run->began ? began : run->end, run->exit,
                  (unsigned long long)run->milliseconds);
    jw_text_clean(out, run->what ? run->what : "");
    jw_buf_printf(out, "\t%lu@%s\n", run->pid, run->start ? run->start : "");
}

/* A line's fields, cut out of a copy of it. */
static bool split_line(char *line, char *fields[FIELDS])
{
    for (size_t i = 0; i < FIELDS; i++) {
        fields[i] = line;
        line += strcspn(line, "\t");
        if (*line)
            *line++ = '\0';
        else if (i + 1 < FIELDS)
            return false;
    }
    return true;
}

static bool read_line(char *line, struct jw_startup_run *out)
{
    char *fields[FIELDS], *at;
    uint64_t pid, code, ms;

    if (!split_line(line, fields) || !(at = strchr(fields[5], '@')))
        return false;
    *at = '\0';
    if (!read_time(fields[0], &out->when) || !jw_text_u64(fields[5], &pid) || pid > UINT32_MAX
        || !jw_text_u64(fields[2], &code) || code > MOST_EXIT || !jw_text_u64(fields[3], &ms))
        return false;
    out->pid = (unsigned long)pid;
    out->start = at + 1;
    out->end = fields[1];
    out->began = strcmp(fields[1], began) == 0;
    out->exit = (unsigned)code;
    out->milliseconds = ms;
    out->what = fields[4];
    return true;
}

void jw_startup_last_run(struct jw_bytes log, struct jw_arena *a, struct jw_startup_run *out, bool *found)
{
    size_t end = log.n;

    *found = false;
    while (end && !*found) {
        size_t from = end - 1;
        char *line;

        while (from && log.p[from - 1] != '\n')
            from--;
        if (log.p[end - 1] != '\n' || end - from > MOST_WHAT || memchr(log.p + from, 0, end - from)) {
            end = from; /* torn, or not ours */
            continue;
        }
        line = jw_arena_text(a, (const char *)log.p + from, end - from - 1);
        *found = read_line(line, out);
        end = from;
    }
}

/* ---- the files ---- */

struct files {
    const char *path;
    struct jw_buf old, lock;
};

static bool name_files(struct files *f, const char *path, struct jw_err *err)
{
    *f = (struct files){ path, JW_BUF(JW_MAX_PATH), JW_BUF(JW_MAX_PATH) };
    jw_buf_printf(&f->old, "%s.1", path);
    jw_buf_printf(&f->lock, "%s.lock", path);
    return jw_buf_ok(&f->old, err) && jw_buf_ok(&f->lock, err);
}

static void free_files(struct files *f)
{
    jw_buf_free(&f->old);
    jw_buf_free(&f->lock);
}

static bool make_log_folder(const char *path, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    const char *folder = jw_path_dir(&a, path);
    bool ok = (jw_trust_make(folder, err) && jw_trust_believe(folder, "folder", &a, err))
              || jw_wrap(err, "%s", folder);

    jw_arena_free(&a);
    return ok;
}

/* Renames a full file to PATH.1. */
static bool rename_full(struct files *f, struct jw_append *log, size_t n, struct jw_err *err)
{
    if (log->size + n <= JW_RUNLOG_FULL || !log->size)
        return true;
    return jw_append_become(log, f->path, jw_buf_cstr(&f->old), false, err)
           && jw_append_open(log, f->path, err);
}

static bool add_lines(struct files *f, struct jw_bytes lines, struct jw_err *err)
{
    struct jw_append log = JW_APPEND_CLOSED;
    bool ok = jw_append_open(&log, f->path, err) && rename_full(f, &log, lines.n, err)
              && jw_append_write(&log, lines.p, lines.n, err);

    jw_append_close(&log);
    return ok || jw_wrap(err, "%s", f->path);
}

/* A separate lock file, because the log itself is renamed. */
bool jw_runlog_add(const char *path, struct jw_bytes lines, struct jw_err *err)
{
    struct jw_append lock = JW_APPEND_CLOSED;
    struct files f;
    bool taken = false, ok = name_files(&f, path, err) && make_log_folder(path, err);

    ok = ok
         && ((jw_append_open(&lock, jw_buf_cstr(&f.lock), err)
              && jw_filelock_take_mark(lock.handle, true, PATIENCE_MS, &taken, err))
             || jw_wrap(err, "%s", jw_buf_cstr(&f.lock)));
    if (ok && !taken)
        ok = jw_fail(err, JW_E_IO, "%s: another process has held it for %d seconds", jw_buf_cstr(&f.lock),
                     PATIENCE_MS / 1000);
    ok = ok && add_lines(&f, lines, err);
    jw_append_close(&lock);
    free_files(&f);
    return ok;
}

bool jw_runlog_read(const char *path, struct jw_buf *out, struct jw_err *err)
{
    struct files f;
    bool found, ok = name_files(&f, path, err) && jw_file_slurp(jw_buf_cstr(&f.old), out, &found, err)
                     && jw_file_slurp(path, out, &found, err);

    free_files(&f);
    return ok || jw_wrap(err, "%s", path);
}

const char *jw_startup_log_path(struct jw_arena *a, struct jw_err *err)
{
    const char *state = jw_state_dir(a, err);

    return state ? jw_path_join(a, state, "startup.log") : NULL;
}

bool jw_startup_log_add(const struct jw_startup_run *run, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_buf line = JW_BUF(MOST_WHAT);
    const char *path = jw_startup_log_path(&a, err);
    struct jw_startup_run brief = *run;
    bool ok = path != NULL;

    jw_startup_write_line(&line, run);
    if (line.bad) {
        jw_buf_clear(&line);
        brief.what = "what it did is too long to be shown here";
        jw_startup_write_line(&line, &brief);
    }
    ok = ok && jw_buf_ok(&line, err) && jw_runlog_add(path, jw_buf_bytes(&line), err);
    jw_buf_free(&line);
    jw_arena_free(&a);
    return ok;
}

bool jw_startup_log_read(struct jw_arena *a, struct jw_startup_run *out, bool *found, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(MOST_LOG);
    const char *path = jw_startup_log_path(a, err);
    bool ok = path && jw_runlog_read(path, &text, err);

    if (ok)
        jw_startup_last_run(jw_buf_bytes(&text), a, out, found);
    jw_buf_free(&text);
    return ok;
}
