#include "check.h"
#include "os/machine/env.h"
#include "os/machine/lib.h"

/* One that each of these systems has. */
static const char *common(void) { return jw_os_is_windows() ? "version.dll" : "libm.so.6"; }

static bool is_common(const char *path)
{
    const char *name = jw_os_is_windows() ? "version.dll" : "libm";

    for (; *path; path++)
        if (strncmp(path, name, strlen(name)) == 0)
            return true;
    return false;
}

static bool is_nothing(const char *path)
{
    (void)path;
    return false;
}

TEST(a_library_has_symbols_and_a_path)
{
    struct jw_lib lib = {0}, again = {0};
    FREED(jw_buf) path = JW_BUF(1 << 16), loaded = JW_BUF(1 << 16);

    CHECK_OK(jw_lib_open(&lib, common(), &err), err);
    CHECK(jw_lib_symbol(&lib, jw_os_is_windows() ? "GetFileVersionInfoSizeW" : "cos") != NULL);
    CHECK(jw_lib_symbol(&lib, "no_such_function_anywhere") == NULL);
    CHECK(jw_lib_path(&lib, NULL, &path, &err));
    CHECK(jw_os_is_windows() ? jw_buf_cstr(&path)[1] == ':' : *jw_buf_cstr(&path) == '/');
    /* By that path it can be opened, too. */
    CHECK_OK(jw_lib_open(&again, jw_buf_cstr(&path), &err), err);

    CHECK(jw_lib_path(&lib, is_common, &loaded, &err) && is_common(jw_buf_cstr(&loaded)));
    jw_buf_clear(&loaded);
    CHECK(jw_lib_path(&lib, is_nothing, &loaded, &err));
    CHECK_TEXT(jw_buf_cstr(&loaded), jw_buf_cstr(&path));
}

static void refused(const char *name, enum jw_code code, const char *part)
{
    struct jw_lib lib;
    struct jw_err err = {0};

    CHECK_REFUSED(jw_lib_open(&lib, name, &err), err, part);
    CHECK_NUM(err.code, code);
}

TEST(what_cannot_be_opened_says_why)
{
    refused("libno-such-thing.so.77", JW_E_IO, "libno-such-thing.so.77");
    refused(jw_os_is_windows() ? "C:\\nowhere\\x.dll" : "/nowhere/x.so", JW_E_IO, "nowhere");
    refused("./x.so", JW_E_USAGE, "neither a file name nor an absolute path");
    refused("folder/x.so", JW_E_USAGE, "neither");
    refused("", JW_E_USAGE, "neither");
}
