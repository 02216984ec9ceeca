#include "setup/env.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/login.h"
#include "os/machine/env.h"

#include <string.h>

const char *const jw_env_names[] = { "CUDA_CACHE_PATH",    "CUDA_CACHE_MAXSIZE",   "CUDA_CACHE_DISABLE",
                                     "CUDA_FORCE_PTX_JIT", "CUDA_DISABLE_PTX_JIT", "CUDA_VISIBLE_DEVICES",
                                     "LD_LIBRARY_PATH" };

bool jw_env_look(const atomic_bool *interrupted, struct jw_arena *a, struct jw_env_view *out,
                 struct jw_err *err)
{
    struct jw_step_list mine = { 0 };
    struct jw_login login;
    struct jw_err ignored;

    *out = (struct jw_env_view){ 0 };
    if (!jw_login_variables(jw_env_names, JW_ENV_ROWS, interrupted, a, &login, err))
        return false;
    for (size_t i = 0; i < JW_ENV_ROWS; i++) {
        out->here[i] = jw_env(a, jw_env_names[i]);
        out->login[i] = login.values[i];
    }
    out->why_unknown = login.known ? NULL : login.why;
    if (jw_env_undo(true, a, &mine, &ignored) && jw_steps_found(&mine))
        out->file = mine.v[0].path;
    return true;
}

bool jw_env_settings(const struct jw_env_options *o, struct jw_arena *a, struct jw_env_setting **out,
                     size_t *n, struct jw_err *err)
{
    struct jw_env_setting *s = jw_arena_alloc(a, 2 * sizeof *s);

    *n = 0;
    *out = s;
    if (o->path && !jw_path_absolute(o->path))
        return jw_fail(err, JW_E_USAGE, "--path: %.250s is not an absolute path", o->path);
    if (o->size > JW_ENV_SIZE)
        return jw_fail(
            err, JW_E_USAGE,
            "--size: the driver stores at most 4 GiB, whatever is set"); /* driver-fact: F52-most */
    if (o->path)
        s[(*n)++] = (struct jw_env_setting){ .name = jw_env_names[0], .value = o->path };
    s[(*n)++] = (struct jw_env_setting){
        .name = jw_env_names[1],
        .value = jw_arena_printf(a, "%llu", (unsigned long long)(o->size ? o->size : JW_ENV_SIZE))
    };
    return true;
}

/* ---- PATH of Windows ---- */

static bool is_folder(const char *item, size_t n, const char *folder, struct jw_arena *a)
{
    while (n > 1 && item[n - 1] == '\\')
        n--;
    return jw_text_equal_nocase(jw_arena_text(a, item, n), folder);
}

const char *jw_env_path_with(const char *path, const char *folder, bool add, struct jw_arena *a)
{
    struct jw_buf out = JW_BUF_IN(a, JW_MAX_VARIABLE);
    bool there = false, begun = false;

    for (const char *at = path;; at++) {
        size_t n = strcspn(at, ";");
        bool is = n && is_folder(at, n, folder, a);

        if (!is || (add && !there)) {
            jw_buf_text(&out, begun ? ";" : "");
            jw_buf_add(&out, at, n);
            begun = true;
        }
        there |= is;
        at += n;
        if (!*at)
            break;
    }
    if (add && !there)
        jw_buf_printf(&out, "%s%s", out.n && out.p[out.n - 1] != ';' ? ";" : "", folder);
    return jw_buf_cstr(&out);
}
