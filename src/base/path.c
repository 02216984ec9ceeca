#include "base/path.h"

#include "base/text.h"

#include <string.h>

static bool is_separator(char c) { return c == '/' || c == '\\'; }

/* A path that begins with / is one of Linux, where \ is part of a name. */
static bool separates(const char *path, char c)
{
    return c == '/' || (c == '\\' && path[0] != '/');
}

char *jw_path_join(struct jw_arena *a, const char *dir, const char *name)
{
    size_t n = strlen(dir);
    size_t m = strlen(name);
    bool between = n > 0 && !separates(dir, dir[n - 1]);
    char *path = jw_arena_alloc(a, n + between + m + 1);
    char separator = jw_path_separator(dir);

    memcpy(path, dir, n);
    if (between)
        path[n] = separator;
    memcpy(path + n + between, name, m);
    if (separator == '/')
        return path;
    for (char *c = strchr(path + n + between, '/'); c; c = strchr(c, '/'))
        *c = separator;
    return path;
}

const char *jw_path_base(const char *path)
{
    const char *base = path + strlen(path);

    while (base > path && !separates(path, base[-1]))
        base--;
    return base;
}

/* The length of the part that no walk upwards leaves: "/", "C:\", "\\". */
static size_t root_length(const char *path)
{
    size_t n = jw_is_letter(path[0]) && path[1] == ':' ? 2 : 0;

    while (separates(path, path[n]))
        n++;
    return n;
}

bool jw_path_is_disk(const char *path)
{
    size_t root = root_length(path);

    return root && !path[root];
}

char *jw_path_dir(struct jw_arena *a, const char *path)
{
    size_t root = root_length(path);
    size_t n = (size_t)(jw_path_base(path) - path);

    while (n > root && separates(path, path[n - 1]))
        n--;
    if (n < root)
        n = root;
    return n ? jw_arena_text(a, path, n) : jw_arena_str(a, ".");
}

const char *jw_path_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    if (strncmp(path, folder, n) != 0)
        return NULL;
    if (separates(path, path[n]))
        return path + n + 1;
    return n && separates(folder, folder[n - 1]) && path[n] ? path + n : NULL;
}

bool jw_path_absolute(const char *path)
{
    if (path[0] == '/')
        return true;
    if (path[0] == '\\')
        return path[1] == '\\';
    return jw_is_letter(path[0]) && path[1] == ':' && is_separator(path[2]);
}

char jw_path_separator(const char *path)
{
    bool drive = jw_is_letter(path[0]) && path[1] == ':' && path[2] == '\\';

    return drive || (path[0] == '\\' && path[1] == '\\') ? '\\' : '/';
}

/* Matches one character of a pattern against the one at `*text`, which moves past it. */
static bool match_one(char pattern, const char **text)
{
    char c = *(*text)++;

    while (pattern == '?' && (**text & 0xc0) == 0x80) /* a whole UTF-8 character */
        ++*text;
    return pattern == '?' || pattern == c || (pattern == '/' && c == '\\');
}

/* [pattern, pattern_end) against all of [text, end). Only the last * is tried again. */
static bool match(const char *pattern, const char *pattern_end, const char *text, const char *end)
{
    const char *star = NULL;
    const char *star_text = NULL;

    while (text < end) {
        const char *t = text;

        if (pattern < pattern_end && *pattern == '*') {
            star = ++pattern;
            star_text = text;
        } else if (pattern < pattern_end && match_one(*pattern, &t) && t <= end) {
            pattern++;
            text = t;
        } else if (star) {
            pattern = star;
            text = ++star_text;
        } else {
            return false;
        }
    }
    while (pattern < pattern_end && *pattern == '*')
        pattern++;
    return pattern == pattern_end;
}

bool jw_path_match(const char *pattern, const char *path)
{
    const char *pattern_end = pattern + strlen(pattern);
    const char *end = path + strlen(path);

    while (pattern_end > pattern + 1 && pattern_end[-1] == '/')
        pattern_end--;
    bool tails = strcspn(pattern, "/\\") < (size_t)(pattern_end - pattern);

    for (const char *at = path; at < end;) {
        const char *stop = at;

        while (stop < end && !is_separator(*stop))
            stop++;
        if (match(pattern, pattern_end, at, tails ? end : stop))
            return true;
        at = stop < end ? stop + 1 : end;
    }
    return false;
}

bool jw_path_excluded(const char *path, const char *const *patterns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (jw_path_match(patterns[i], strpbrk(patterns[i], "/\\") ? path : jw_path_base(path)))
            return true;
    return false;
}
