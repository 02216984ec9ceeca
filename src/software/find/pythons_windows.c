/* Software\Python\COMPANY\TAG\InstallPath, whose default value is the prefix: "PythonCore\3.12",
 * "ContinuumAnalytics\Anaconda39-64". */
#include "software/find/python.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/files/winpath.h"

#include <string.h>
#include <windows.h>

enum { NAME_ROOM = 256, PATH_ROOM = 4096, MAX_KEYS = 256 };

struct reading {
    struct jw_arena *a;
    struct jw_listing out;
};

static void add_prefix(struct reading *r, const wchar_t *prefix)
{
    struct jw_buf text = JW_BUF(JW_MAX_PATH);

    jw_utf16_to(&text, (const uint16_t *)prefix);
    while (text.n > 3 && (text.p[text.n - 1] == '\\' || text.p[text.n - 1] == '/'))
        text.n--;

    const char *path = jw_arena_str(r->a, jw_buf_cstr(&text));

    jw_buf_free(&text);
    if (!jw_path_absolute(path))
        return;
    for (size_t i = 0; i < r->out.n; i++)
        if (strcmp(r->out.names[i], path) == 0)
            return;
    struct jw_err full;
    const char **slot = jw_list_add(r->a, &r->out.names, &r->out.n, sizeof *slot, JW_MAX_ROOTS, &full);

    if (slot)
        *slot = path;
}

static void read_tag(struct reading *r, HKEY company, const wchar_t *tag)
{
    wchar_t prefix[PATH_ROOM];
    DWORD bytes = sizeof prefix;
    HKEY key;

    if (RegOpenKeyExW(company, tag, 0, KEY_READ, &key) != ERROR_SUCCESS)
        return;
    if (RegGetValueW(key, L"InstallPath", NULL, RRF_RT_REG_SZ, NULL, prefix, &bytes) == ERROR_SUCCESS)
        add_prefix(r, prefix);
    (void)RegCloseKey(key);
}

/* Each key below `key`. */
static void each(struct reading *r, HKEY key, void (*fn)(struct reading *r, HKEY key, const wchar_t *name))
{
    for (DWORD at = 0; at < MAX_KEYS; at++) {
        wchar_t name[NAME_ROOM];
        DWORD n = NAME_ROOM;
        LSTATUS rc = RegEnumKeyExW(key, at, name, &n, NULL, NULL, NULL, NULL);

        if (rc == ERROR_NO_MORE_ITEMS)
            break;
        if (rc == ERROR_SUCCESS)
            fn(r, key, name);
    }
}

static void read_company(struct reading *r, HKEY python, const wchar_t *name)
{
    HKEY key;

    if (RegOpenKeyExW(python, name, 0, KEY_READ, &key) != ERROR_SUCCESS)
        return;
    each(r, key, read_tag);
    (void)RegCloseKey(key);
}

struct jw_listing jw_pythons_registered(struct jw_arena *a)
{
    const HKEY roots[] = { HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE };
    struct reading r = { .a = a };
    HKEY python;

    for (size_t i = 0; i < JW_COUNT(roots); i++)
        if (RegOpenKeyExW(roots[i], L"Software\\Python", 0, KEY_READ, &python) == ERROR_SUCCESS) {
            each(&r, python, read_company);
            (void)RegCloseKey(python);
        }
    return r.out;
}
