#include "os/machine/lib.h"

#include "base/mem.h"
#include "base/path.h"
#include "os/files/winpath.h"
#include "os/sys.h"
#include "os/sys_windows.h"

#include <psapi.h>
#include <string.h>

enum { MAX_MODULES = 4096 };

static bool load_library(const wchar_t *wide, DWORD flags, struct jw_lib *lib, struct jw_err *err)
{
    lib->handle = LoadLibraryExW(wide, NULL, flags);
    return lib->handle || jw_win_fail(err);
}

bool jw_lib_open(struct jw_lib *lib, const char *name, struct jw_err *err)
{
    wchar_t *wide = NULL;
    bool ok;

    lib->handle = NULL;
    if (jw_sys_fault(err))
        return false;
    if (!*name || (strpbrk(name, "/\\:") && !jw_path_absolute(name)))
        return jw_fail(err, JW_E_USAGE, "\"%s\" is neither a file name nor an absolute path", name);
    /* Never searches the current folder, the program's or PATH, where an nvcuda.dll may be put. */
    if (jw_path_absolute(name))
        ok = jw_win_path(name, false, &wide, err)
             && load_library(wide, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32,
                             lib, err);
    else
        ok = jw_utf16_from(name, &wide, err)
             && load_library(wide, LOAD_LIBRARY_SEARCH_SYSTEM32, lib, err);
    jw_free(wide);
    return ok || jw_wrap(err, "%s", name);
}

jw_lib_fn jw_lib_symbol(const struct jw_lib *lib, const char *name)
{
    FARPROC p = GetProcAddress(lib->handle, name);
    jw_lib_fn fn;

    _Static_assert(sizeof fn == sizeof p, "addresses of one size");
    memcpy(&fn, &p, sizeof fn);
    return fn;
}

bool jw_lib_path(const struct jw_lib *lib, bool (*is)(const char *path), struct jw_buf *path,
                 struct jw_err *err)
{
    HMODULE *modules = jw_alloc(MAX_MODULES * sizeof *modules);
    DWORD bytes = 0;
    size_t start = path->n;
    bool found = false;
    bool ok = !jw_sys_fault(err);

    if (ok && is
        && !K32EnumProcessModules(GetCurrentProcess(), modules, MAX_MODULES * sizeof *modules,
                                  &bytes))
        ok = jw_win_fail(err);
    size_t n = bytes / sizeof *modules;

    if (n > MAX_MODULES)
        n = MAX_MODULES;
    for (size_t i = 0; i < n; i++) {
        if (!ok || found)
            break;
        path->n = start;
        ok = jw_win_module(modules[i], path, err);
        found = ok && is(jw_buf_cstr(path) + start);
    }
    if (!found)
        path->n = start;
    jw_free(modules);
    return ok && (found || jw_win_module(lib->handle, path, err));
}
