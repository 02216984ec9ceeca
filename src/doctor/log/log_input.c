#include "doctor/log/log.h"
#include "os/files/file.h"

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

/* A log may hold a NUL, as Numba prints the one at the end of nvJitLink's words. A file with many zero bytes, or many
 * bytes that no text has, is no log. */
static bool is_text(const char *bytes, size_t n, size_t *zeros)
{
    enum { ZEROS_PART = 4, OTHERS_PART = 32 };
    size_t others = 0;

    *zeros = 0;
    for (size_t i = 0; i < n; i++) {
        *zeros += !bytes[i];
        others += bytes[i] && (uint8_t)bytes[i] < ' ' && !strchr("\a\b\t\n\v\f\r\x1b", bytes[i]);
    }
    return !*zeros || (*zeros <= n / ZEROS_PART && others <= n / OTHERS_PART);
}

/* False when it cannot be a text. */
static bool begin_text(struct reading *r, const char *bytes, size_t n, size_t *skip, struct jw_err *err)
{
    size_t zeros;

    *skip = 0;
    if (n >= 2 && ((uint8_t)bytes[0] == 0xff || (uint8_t)bytes[0] == 0xfe)
        && (uint8_t)bytes[1] == ((uint8_t)bytes[0] == 0xff ? 0xfe : 0xff)) {
        r->wide = true;
        r->big_end = (uint8_t)bytes[0] == 0xfe;
        *skip = 2;
        return true;
    }
    return is_text(bytes, n, &zeros)
           || jw_fail(
               err, JW_E_FORMAT,
               "not a text file (zero bytes: %zu of the first %zu); --log expects the output of a program",
               zeros, n);
}

static bool feed(struct reading *r, const char *bytes, size_t n, struct jw_err *err)
{
    size_t skip = 0;

    /* A log that was cut while its program went on writing, as logrotate's copytruncate does, begins with a hole. */
    for (; !r->begun && n && !*bytes; n--)
        bytes++;
    if (!n)
        return true;
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
