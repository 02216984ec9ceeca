#include "software/find/compiler.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "facts/frameworks.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "software/find/toolkit.h"

#include <limits.h>
#include <string.h>

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
static const char *below(const char *folder, struct jw_arena *a)
{
    const char *path = folder && jw_path_absolute(folder)
                           ? jw_path_join(a, folder, jw_os_is_windows() ? "bin/" PTXAS ".exe" : "bin/" PTXAS)
                           : NULL;

    return jw_is_file(path) ? path : NULL;
}

static bool look_for(struct jw_arena *a, const char **path, struct jw_err *err)
{
    static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH" };
    struct jw_buf found_path = JW_BUF(JW_MAX_PATH);
    bool found = false;

    for (size_t i = 0; !*path && i < JW_COUNT(variables); i++)
        *path = below(jw_env(a, variables[i]), a);
    bool ok = *path || jw_process_find(PTXAS, &found_path, &found, err);

    if (ok && found)
        *path = jw_arena_str(a, jw_buf_cstr(&found_path));
    jw_buf_free(&found_path);
    if (ok && !*path && !jw_os_is_windows())
        *path = below("/usr/local/cuda", a);
    return ok;
}

static bool ask(struct jw_arena *a, struct jw_compiler *c, struct jw_err *err)
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
    else if (!look_for(a, &out->path, err))
        return false;
    if (!out->path)
        return jw_fail(
            err, JW_E_USAGE,
            "there is no ptxas in CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda: install a CUDA toolkit "
            "(a package called cuda-nvcc has it), or name one with --compiler /PATH/ptxas");
    if (!jw_is_file(out->path))
        return jw_fail(err, JW_E_USAGE, "%.200s: no such program", out->path);
    return ask(a, out, err);
}
