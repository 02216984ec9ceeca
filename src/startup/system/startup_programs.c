/* Where only administrators write, as text. */
#include "startup/system/startup_host.h"

#include <string.h>

static char folded(char c)
{
    if (c == '/')
        return '\\';
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool climbs(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
        if ((at == path || folded(at[-1]) == '\\') && (!at[2] || folded(at[2]) == '\\'))
            return true;
    return false;
}

static bool below(const char *path, const char *folder, size_t n)
{
    while (n && folded(folder[n - 1]) == '\\')
        n--;
    for (size_t i = 0; i < n; i++)
        if (!path[i] || folded(path[i]) != folded(folder[i]))
            return false;
    return n && folded(path[n]) == '\\' && path[n + 1];
}

bool jw_startup_in_programs(const char *exe, const char *folders)
{
    while (folders && *folders) {
        size_t n = strcspn(folders, "\n");

        if (below(exe, folders, n) && !climbs(exe))
            return true;
        folders += n + (folders[n] == '\n');
    }
    return false;
}
