#include "doctor/log/log_place.h"

#include "base/command.h"
#include "base/compiler.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* ---- its Python ---- */

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* Behind the last one of these characters; the line, where there is none. */
static const char *behind_last(const char *line, const char *at, const char *characters)
{
    while (at > line && !strchr(characters, at[-1]))
        at--;
    return at;
}

/* The beginning of the path of which `at` is a slash: behind its quote, or behind a blank. NULL: it is not absolute. */
static const char *begin_of_path(const char *line, const char *at)
{
    const char *quoted = behind_last(line, at, "\"'"), *bare = behind_last(line, at, "\"' \t([=");

    if (*at == '/')
        return *quoted == '/' ? quoted : *bare == '/' ? bare : NULL;
    while (at > quoted && !(at[-1] == ':' && is_slash(*at)))
        at--;
    return at - quoted > 1 && jw_is_letter(at[-2]) ? at - 2 : NULL;
}

/* "python3.10" of ".../python3.10/site-packages", whose folder ends at `end`; 0: none. */
static size_t version_folder(const char *path, const char *end)
{
    const char *at = end;

    while (at > path && !is_slash(at[-1]))
        at--;
    return jw_text_starts(at, "python3.") && end - at < 16 ? (size_t)(end - at) : 0;
}

static const char *folder_above(const char *path, const char *end)
{
    while (end > path && !is_slash(*--end))
        ;
    return end;
}

/* The Python of /PREFIX/lib/python3.10/site-packages. Debian's dist-packages and a user's own (~/.local) are
 * those of any python3.10. */
static bool python_of_posix(const char *path, const char *end, bool shared, char *out, size_t size)
{
    size_t n = version_folder(path, end);
    const char *lib = n ? end - n - 1 : path, *prefix = folder_above(path, lib);
    static const char local[] = "/.local";

    if (!n || prefix == path || !jw_text_starts(prefix, "/lib"))
        return false;
    shared = shared
             || (prefix - path >= (ptrdiff_t)sizeof local - 1
                 && jw_text_starts(prefix - (sizeof local - 1), local));
    n = shared ? (size_t)snprintf(out, size, "%.*s", (int)n, end - n)
               : (size_t)snprintf(out, size, "%.*s/bin/%.*s", (int)(prefix - path), path, (int)n, end - n);
    return n < size;
}

/* The Python of C:\PREFIX\Lib\site-packages: a virtual environment has its interpreter in Scripts, any other
 * beside Lib. */
static bool python_of_windows(const char *path, const char *end, char *out, size_t size)
{
    const char *prefix = folder_above(path, end), *name;
    bool made;
    size_t n;

    if (prefix == path || !jw_text_starts_nocase(prefix + 1, "lib\\"))
        return false;
    name = folder_above(path, prefix);
    n = (size_t)(prefix - name);
    made = jw_text_find_nocase(name, "venv") && jw_text_find_nocase(name, "venv") < prefix;
    made = made || (n == 4 && jw_text_starts_nocase(name + 1, "env"))
           || (n == 5 && jw_text_starts_nocase(name + 1, ".env"));
    n = (size_t)snprintf(out, size, "%.*s\\%spython.exe", (int)(prefix - path), path,
                         made ? "Scripts\\" : "");
    return n < size;
}

bool jw_log_python_of(const char *line, char *out, size_t size)
{
    static const char *const folders[] = { "site-packages", "dist-packages" };

    for (size_t i = 0; i < JW_COUNT(folders); i++) {
        const char *at = strstr(line, folders[i]), *path;

        if (!at || at == line || !is_slash(at[-1]) || !is_slash(at[strlen(folders[i])]))
            continue;
        path = begin_of_path(line, at - 1);
        if (path
            && (at[-1] == '/' ? python_of_posix(path, at - 1, i > 0, out, size)
                              : python_of_windows(path, at - 1, out, size)))
            return true;
    }
    *out = '\0';
    return false;
}

/* ---- a command ---- */

/* pip and python3 of this environment, wherever a command of the line begins. */
static const char *by_python(struct jw_arena *a, const char *command, const char *python, const char *pip,
                             bool windows)
{
    const char *word = *python ? JW_COMMAND(a, windows, python) : windows ? "python" : "python3", *done = "";

    for (const char *at = command; *at;) {
        const char *end = strstr(at, " && "), *rest = at;
        size_t n = end ? (size_t)(end - at) : strlen(at);
        const char *begin = "";

        if (jw_text_starts(at, "python3 ")) {
            begin = word;
            rest = at + strlen("python3");
        } else if (jw_text_starts(at, "pip ") && *python) {
            begin = pip ? pip : jw_arena_printf(a, "%s -m pip", word);
            rest = at + strlen("pip");
        }
        done = jw_arena_printf(a, "%s%s%.*s%s", done, begin, (int)(n - (size_t)(rest - at)), rest,
                               end ? " && " : "");
        at += n + (end ? 4 : 0);
    }
    return done;
}

/* "export NAME=VALUE" with a plain value, as the shell says it. */
static const char *by_shell(struct jw_arena *a, const char *command, bool windows, enum jw_shell shell)
{
    const char *name = command + strlen("export "), *value = strchr(name, '=');

    if (!value || strpbrk(value, "\"'$ ;&"))
        return windows ? NULL : command;
    return jw_shell_set(a, windows, shell, jw_arena_text(a, name, (size_t)(value - name)), value + 1);
}

static bool is_of_posix_alone(const char *command)
{
    static const char *const words[] = { "sudo ", "cat ", "ls ", "ldconfig ", "unset ", "apt", "free " };

    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (jw_text_starts(command, words[i]))
            return true;
    return false;
}

const char *jw_log_command_there(struct jw_arena *a, const char *command, const char *python, const char *pip,
                                 bool windows, enum jw_shell shell)
{
    if (!command || (windows && is_of_posix_alone(command)))
        return NULL;
    if (jw_text_starts(command, "export "))
        return by_shell(a, command, windows, shell);
    return by_python(a, command, python, pip, windows);
}
