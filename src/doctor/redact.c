#include "doctor/redact.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Folders that every machine has. */
static const char *const common[] = {
    "/usr/local/cuda",
    "/usr/lib",
    "/usr/lib64",
    "/usr/bin",
    "/usr/share",
    "/usr/sbin",
    "/usr/local/lib",
    "/usr/local/bin",
    "/lib",
    "/lib64",
    "/bin",
    "/sbin",
    "/etc",
    "/proc",
    "/sys",
    "/dev",
    "/run/nvidia",
    "/opt/cuda",
    "/var/tmp/cuda-cache.XXXXXXXX",
    "/tmp/nvidia-mps",
    "C:\\Windows",
    "C:\\Program Files",
};

/* Last parts of paths that identify no user. */
static const char *const plain[] = { "ComputeCache", "index", "stubs", "nvcuda.dll" };

static bool ends_name(char c)
{
    return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
             || (c & 0x80));
}

static bool is_path_separator(char c)
{
    return c == '/' || c == '\\';
}

static void remember_name(const char **list, size_t *n, const char *text)
{
    if (!text || !*text || *n == JW_REDACT_MOST)
        return;
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i], text) == 0)
            return;
    list[(*n)++] = text;
}

void jw_redact_user(struct jw_redact *r, const char *name)
{
    if (name && strlen(name) > 1 && strcmp(name, "root") != 0 && strcmp(name, "SYSTEM") != 0)
        remember_name(r->users, &r->n_users, name);
}

/* "GPUBOX\bob"; "NT AUTHORITY\LOCAL SERVICE" is on every machine. */
void jw_redact_account(struct jw_redact *r, const char *name)
{
    const char *own = name ? strrchr(name, '\\') : NULL;

    if (own && strncmp(name, "NT ", 3) != 0 && strncmp(name, "BUILTIN", 7) != 0) {
        remember_name(r->users, &r->n_users, name);
        jw_redact_user(r, own + 1);
    }
}

void jw_redact_home(struct jw_redact *r, const char *path)
{
    if (!path || !jw_path_absolute(path) || strlen(path) < 2)
        return;
    remember_name(r->homes, &r->n_homes, path);
    jw_redact_user(r, jw_path_base(path));
}

void jw_redact_host(struct jw_redact *r, const char *name)
{
    size_t n = name ? strcspn(name, ".") : 0;

    if (n < 2 || strcmp(name, "localhost") == 0)
        return;
    remember_name(r->hosts, &r->n_hosts, name);
    if (name[n]) {
        remember_name(r->hosts, &r->n_hosts, jw_arena_text(r->a, name, n));
    }
}

static bool is_common(const char *path)
{
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        size_t n = strlen(common[i]);

        if (strncmp(path, common[i], n) == 0 && (ends_name(path[n]) || path[n] == '\0'))
            return true;
    }
    return false;
}

void jw_redact_path(struct jw_redact *r, const char *path)
{
    if (path && jw_path_absolute(path) && strlen(path) > 1 && !is_common(path))
        remember_name(r->paths, &r->n_paths, path);
}

/* ---- what to replace at one position ---- */

static size_t starts_with_any(const char *const *list, size_t n, const char *at, bool nocase, size_t *which)
{
    size_t longest = 0;

    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(list[i]), same = 0;

        while (same < length
               && (at[same] == list[i][same]
                   || (nocase && (at[same] | 0x20) == (list[i][same] | 0x20) && !ends_name(at[same]))))
            same++;
        if (same == length && length > longest && ends_name(at[length])) {
            longest = length;
            *which = i;
        }
    }
    return longest;
}

static bool begins_path(const char *at)
{
    bool letter = (at[0] >= 'a' && at[0] <= 'z') || (at[0] >= 'A' && at[0] <= 'Z');

    if (at[0] == '/')
        return !ends_name(at[1]) || at[1] == '.';
    return (letter && at[1] == ':' && is_path_separator(at[2])) || (at[0] == '\\' && at[1] == '\\' && at[2]);
}

/* Ends at a blank, a quote or punctuation. */
static size_t path_length(const char *at)
{
    size_t n = at[1] == ':' ? 3 : 0;

    n += strcspn(at + n, " \t\n\"'`;,:()<>|&=");
    while (n > 1 && at[n - 1] == '.')
        n--;
    return n;
}

static bool is_kept(const char *base)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(base, plain[i]) == 0)
            return true;
    return jw_text_starts(base, "libcuda.so") || jw_text_starts(base, "libcuda-");
}

/* "<path-2>/ComputeCache" */
static void say_path(struct jw_redact *r, const char *path, struct jw_buf *out)
{
    size_t which = 0;
    const char *base = jw_path_base(path);

    while (which < r->n_paths && strcmp(r->paths[which], path) != 0)
        which++;
    if (which == r->n_paths && which < JW_REDACT_MOST)
        r->paths[r->n_paths++] = path;
    jw_buf_printf(out, "<path-%zu>", which + 1);
    if (is_kept(base))
        jw_buf_printf(out, "/%s", base);
}

static size_t take_path(struct jw_redact *r, const char *at, struct jw_buf *out)
{
    size_t which = 0, n = starts_with_any(r->paths, r->n_paths, at, false, &which);
    const char *path;

    if (n) {
        say_path(r, r->paths[which], out);
        return n;
    }
    if (!begins_path(at))
        return 0;
    n = path_length(at);
    if (is_common(at)) {
        jw_buf_add(out, at, n);
        return n;
    }
    path = jw_arena_text(r->a, at, n);
    say_path(r, path, out);
    return n;
}

/* "GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc", "MIG-..." */
static size_t take_uuid(const char *at, struct jw_buf *out)
{
    enum { HEAD = 4, LENGTH = 36 };

    if (!jw_text_starts(at, "GPU-") && !jw_text_starts(at, "MIG-"))
        return 0;
    if (strspn(at + HEAD, "0123456789abcdefABCDEF-") < LENGTH)
        return 0;
    jw_buf_printf(out, "%.4s<uuid>", at);
    return HEAD + LENGTH;
}

/* Below a home: what every home has. */
static bool is_usual(const char *below)
{
    static const char *const usual[] = { "/.nv",
                                         "/.local",
                                         "/.config",
                                         "/.cache",
                                         "/.profile",
                                         "/.bashrc",
                                         "/.bash_profile",
                                         "/.zshrc",
                                         "/.zprofile",
                                         "\\AppData\\Roaming\\NVIDIA",
                                         "\\AppData\\Local\\NVIDIA" };

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (jw_text_starts(below, usual[i]) && ends_name(below[strlen(usual[i])]))
            return true;
    return !*below || !is_path_separator(*below);
}

static size_t take_home(struct jw_redact *r, const char *at, struct jw_buf *out)
{
    size_t which = 0, n = starts_with_any(r->homes, r->n_homes, at, false, &which), rest;

    if (!n || !is_usual(at + n))
        return 0;
    rest = is_path_separator(at[n]) ? path_length(at + n) : 0;
    jw_buf_text(out, "~");
    jw_buf_add(out, at + n, rest);
    return n + rest;
}

static size_t take_known_name(struct jw_redact *r, const char *at, struct jw_buf *out)
{
    size_t which = 0, n = starts_with_any(r->users, r->n_users, at, true, &which);

    if (n) {
        jw_buf_text(out, "<user>");
        return n;
    }
    n = starts_with_any(r->hosts, r->n_hosts, at, true, &which);
    if (n)
        jw_buf_text(out, "<host>");
    return n;
}

/* A Windows SID, which contains the machine or domain. */
static size_t take_sid(const char *at, struct jw_buf *out)
{
    static const char start[] = "S-1-5-21-";
    size_t n = sizeof start - 1;

    if (strncmp(at, start, n) != 0)
        return 0;
    jw_buf_text(out, "<account>");
    return n + strspn(at + n, "0123456789-");
}

/* Options of icacls, which look like paths. */
static size_t take_option(const char *at, struct jw_buf *out)
{
    static const char *const options[] = { "/inheritance:", "/remove:", "/grant:", "/setowner" };

    for (size_t i = 0; i < JW_COUNT(options); i++)
        if (jw_text_starts(at, options[i])) {
            jw_buf_text(out, options[i]);
            return strlen(options[i]);
        }
    return 0;
}

static size_t take_private(struct jw_redact *r, const char *at, struct jw_buf *out)
{
    size_t n = take_option(at, out);

    n = n ? n : take_home(r, at, out);
    n = n ? n : take_path(r, at, out);
    n = n ? n : take_uuid(at, out);
    n = n ? n : take_sid(at, out);
    return n ? n : take_known_name(r, at, out);
}

/* A path or name can begin after any character except letters, digits, separators and ~. */
const char *jw_redacted(struct jw_redact *r, const char *text)
{
    struct jw_buf out = JW_BUF(JW_MAX_LINE);
    const char *kept;
    bool begins = true;

    if (!text)
        return NULL;
    for (const char *at = text; *at;) {
        size_t n = begins ? take_private(r, at, &out) : 0;

        begins = !n && ends_name(*at) && !is_path_separator(*at) && *at != '~';
        if (!n)
            jw_buf_add(&out, at, n = 1);
        at += n;
    }
    kept = jw_arena_str(r->a, jw_buf_cstr(&out)); /* "" of what is too long */
    jw_buf_free(&out);
    return kept;
}
