#include "software/find/toolkit.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "facts/frameworks.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <limits.h>
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

/* ---- ptxas ---- */

enum { ASK_MS = 60 * 1000, MOST_SAID = 64 * 1024 };

#define PTXAS "ptxas"

/* driver-fact: F76-isa-limit */
void jw_compiler_isa(unsigned cuda_major, unsigned cuda_minor, unsigned *isa_major, unsigned *isa_minor)
{
    struct jw_cuda_release r = { .isa_major = UINT_MAX };

    if (!jw_cuda_release_find(cuda_major * 100 + cuda_minor, &r))
        r = (struct jw_cuda_release){ .isa_major = UINT_MAX };
    *isa_major = r.isa_major;
    *isa_minor = r.isa_minor;
}

bool jw_compiler_read(const char *said, struct jw_arena *a, struct jw_compiler *out)
{
    const char *release = strstr(said, "release "), *version = release ? strstr(release, ", V") : NULL;
    unsigned major, minor;
    size_t n;

    if (!version || !jw_toolkit_number(release + 8, &major, &minor))
        return false;
    version += 3;
    n = strspn(version, "0123456789.");
    if (!n || n > JW_MAX_PACK_WORD)
        return false;
    out->version = jw_arena_text(a, version, n);
    jw_compiler_isa(major, minor, &out->isa_major, &out->isa_minor);
    return out->version != NULL;
}

/* Returns the compiler below a toolkit's folder, or NULL. */
static const char *ptxas_below(const char *folder, struct jw_arena *a)
{
    const char *path = folder && jw_path_absolute(folder)
                           ? jw_path_join(a, folder, jw_os_is_windows() ? "bin/" PTXAS ".exe" : "bin/" PTXAS)
                           : NULL;

    return jw_is_file(path) ? path : NULL;
}

static bool find_ptxas(struct jw_arena *a, const char **path, struct jw_err *err)
{
    struct jw_buf found_path = JW_BUF(JW_MAX_PATH);
    bool found = false;

    for (size_t i = 0; !*path && i < JW_COUNT(variables); i++)
        *path = ptxas_below(jw_env(a, variables[i]), a);
    bool ok = *path || jw_process_find(PTXAS, &found_path, &found, err);

    if (ok && found)
        *path = jw_arena_str(a, jw_buf_cstr(&found_path));
    jw_buf_free(&found_path);
    if (ok && !*path && !jw_os_is_windows())
        *path = ptxas_below("/usr/local/cuda", a);
    return ok;
}

static bool ask_version(struct jw_arena *a, struct jw_compiler *c, struct jw_err *err)
{
    const char *const argv[] = { c->path, "--version", NULL };
    struct jw_buf said = JW_BUF(MOST_SAID);
    int code = -1;
    bool ran = jw_process_capture(c->path, argv, ASK_MS, &said, &code, err);
    bool known = ran && code == 0 && jw_compiler_read(jw_buf_cstr(&said), a, c);

    jw_buf_free(&said);
    if (ran && !known)
        return jw_fail(err, JW_E_USAGE, "%s prints no version as ptxas does", c->path);
    if (!ran)
        err->code = JW_E_USAGE;
    return ran || jw_wrap(err, "%s", c->path);
}

bool jw_compiler_find(const char *asked, struct jw_arena *a, struct jw_compiler *out, struct jw_err *err)
{
    *out = (struct jw_compiler){ .name = PTXAS };
    if (jw_path_absolute(asked))
        out->path = asked;
    else if (strcmp(asked, PTXAS) != 0)
        return jw_fail(
            err, JW_E_USAGE,
            "--compiler %.100s: this jitwarm knows ptxas and nvjitlink, or the absolute path of one", asked);
    else if (!find_ptxas(a, &out->path, err))
        return false;
    if (!out->path)
        return jw_fail(
            err, JW_E_USAGE,
            "there is no ptxas in CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda: install a CUDA toolkit "
            "(a package called cuda-nvcc has it), or name one with --compiler /PATH/ptxas");
    if (!jw_is_file(out->path))
        return jw_fail(err, JW_E_USAGE, "%.200s: no such program", out->path);
    return ask_version(a, out, err);
}
