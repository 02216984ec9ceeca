#include "software/find/toolkit.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH" }; /* that name one */

struct finder {
    struct jw_arena *a;
    struct jw_toolkit *out;
    size_t *n;
};

bool jw_toolkit_number(const char *text, unsigned *major, unsigned *minor)
{
    unsigned v[2] = { 0, 0 };

    for (unsigned i = 0; i < 2; i++) {
        const char *from = text;

        for (; *text >= '0' && *text <= '9' && v[i] < 1000; text++)
            v[i] = v[i] * 10 + (unsigned)(*text - '0');
        if (text == from || (i == 0 && *text++ != '.'))
            return false;
    }
    *major = v[0];
    *minor = v[1];
    return v[0] > 0 && v[0] < 1000 && v[1] < 1000;
}

/* version.json: {"cuda": {"name": "CUDA SDK", "version": "12.4.1"}, ...}. */
bool jw_toolkit_version(const char *text, unsigned *major, unsigned *minor)
{
    static const char plain[] = "CUDA Version ", key[] = "\"version\"";
    const char *at = strstr(text, plain);

    if (at)
        return jw_toolkit_number(at + sizeof plain - 1, major, minor);
    at = strstr(text, "\"cuda\"");
    at = at ? strstr(at, key) : NULL;
    if (!at)
        return false;
    at += sizeof key - 1;
    at += strspn(at, " \t\r\n:");
    return *at == '"' && jw_toolkit_number(at + 1, major, minor);
}

/* One name may be a link to the other: lists the same version once. */
static void add_toolkit(struct finder *f, const char *where, unsigned major, unsigned minor, bool image)
{
    for (size_t i = 0; i < *f->n; i++)
        if (f->out[i].major == major && f->out[i].minor == minor && f->out[i].image == image)
            return;
    if (*f->n < JW_TOOLKITS)
        f->out[(*f->n)++] = (struct jw_toolkit){ where, major, minor, image };
}

static void look_into(struct finder *f, const char *folder)
{
    static const char *const names[] = { "version.json", "version.txt" };
    unsigned major, minor;

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct jw_buf text = JW_BUF(JW_MAX_CONF);
        struct jw_err why = { 0 };
        bool found = false;
        const char *path = jw_path_join(f->a, folder, names[i]);

        bool read = jw_file_slurp(path, &text, &found, &why) && found;
        bool known = read && jw_toolkit_version(jw_buf_cstr(&text), &major, &minor);

        jw_buf_free(&text);
        if (known) {
            add_toolkit(f, folder, major, minor, false);
            return;
        }
    }
}

void jw_toolkits(const char *sysroot, struct jw_arena *a, struct jw_toolkit out[JW_TOOLKITS], size_t *n)
{
    struct finder f = { a, out, n };
    const char *image = jw_env(a, "CUDA_VERSION");
    const char *usual = jw_path_join(a, *sysroot ? sysroot : "/", "usr/local/cuda");
    unsigned major, minor;

    *n = 0;
    for (size_t i = 0; i < JW_COUNT(variables); i++) {
        const char *folder = jw_env(a, variables[i]);

        if (folder && *folder)
            look_into(&f, folder);
    }
    if (!jw_os_is_windows())
        look_into(&f, usual);
    if (image && jw_toolkit_number(image, &major, &minor))
        add_toolkit(&f, "CUDA_VERSION", major, minor, true);
}
