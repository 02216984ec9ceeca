/* Software\Python\COMPANY\TAG\InstallPath, whose default value is the prefix: "PythonCore\3.12",
 * "ContinuumAnalytics\Anaconda39-64". */
#include "software/find/pythons.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/files/winpath.h"

#include <string.h>
#include <windows.h>

enum { NAME_ROOM = 256, PATH_ROOM = 4096, MOST_KEYS = 256 };

struct reading {
    struct jw_arena *a;
    struct jw_listing *out;
    struct jw_err *err;
};

static bool take(struct reading *r, const wchar_t *prefix)
{
    struct jw_buf text = JW_BUF(JW_MAX_PATH);

    jw_utf16_to(&text, (const uint16_t *)prefix);
    while (text.n > 3 && (text.p[text.n - 1] == '\\' || text.p[text.n - 1] == '/'))
        text.n--;

    const char *path = jw_arena_str(r->a, jw_buf_cstr(&text));

    jw_buf_free(&text);
    if (!jw_path_absolute(path))
        return true;
    for (size_t i = 0; i < r->out->n; i++)
        if (strcmp(r->out->names[i], path) == 0)
            return true;
    if (r->out->n >= JW_MAX_ROOTS)
        return true;
    const char **slot =
        jw_list_add(r->a, &r->out->names, &r->out->n, sizeof *r->out->names, JW_MAX_ROOTS, r->err);
    if (slot)
        *slot = path;
    return slot != NULL;
}

static bool read_tag(struct reading *r, HKEY company, const wchar_t *tag)
{
    wchar_t prefix[PATH_ROOM];
    DWORD bytes = sizeof prefix;
    HKEY key;
    bool ok = true;

    if (RegOpenKeyExW(company, tag, 0, KEY_READ, &key) != ERROR_SUCCESS)
        return true;
    if (RegGetValueW(key, L"InstallPath", NULL, RRF_RT_REG_SZ, NULL, prefix, &bytes) == ERROR_SUCCESS)
        ok = take(r, prefix);
    (void)RegCloseKey(key);
    return ok;
}

/* Each key below `key`. */
static bool each(struct reading *r, HKEY key, bool (*fn)(struct reading *r, HKEY key, const wchar_t *name))
{
    bool ok = true;

    for (DWORD at = 0; ok && at < MOST_KEYS; at++) {
        wchar_t name[NAME_ROOM];
        DWORD n = NAME_ROOM;
        LSTATUS rc = RegEnumKeyExW(key, at, name, &n, NULL, NULL, NULL, NULL);

        if (rc == ERROR_NO_MORE_ITEMS)
            break;
        ok = rc != ERROR_SUCCESS || fn(r, key, name);
    }
    return ok;
}

static bool read_company(struct reading *r, HKEY python, const wchar_t *name)
{
    HKEY key;
    bool ok = true;

    if (RegOpenKeyExW(python, name, 0, KEY_READ, &key) != ERROR_SUCCESS)
        return true;
    ok = each(r, key, read_tag);
    (void)RegCloseKey(key);
    return ok;
}

bool jw_pythons_registered(struct jw_arena *a, struct jw_listing *out, struct jw_err *err)
{
    const HKEY roots[] = { HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE };
    struct reading r = { a, out, err };
    bool ok = true;

    *out = (struct jw_listing){ 0 };
    for (size_t i = 0; ok && i < JW_COUNT(roots); i++) {
        HKEY key;

        if (RegOpenKeyExW(roots[i], L"Software\\Python", 0, KEY_READ, &key) != ERROR_SUCCESS)
            continue;
        ok = each(&r, key, read_company);
        (void)RegCloseKey(key);
    }
    return ok;
}
