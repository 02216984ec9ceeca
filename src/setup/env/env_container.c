#include "setup/env/env_container.h"

#include "base/command.h"
#include "base/limits.h"

#include <string.h>

/* mkdir, chown and chmod of the volume's folder, as a shell reads them. */
static void put_owner(struct jw_buf *out, const struct env_container *c)
{
    struct jw_buf folder = JW_BUF(JW_MAX_PATH);

    jw_command_word(&folder, c->volume, false);
    jw_buf_printf(out, "mkdir -p %s/cuda && chown -R %lu:%lu %s && chmod 700 %s", jw_buf_cstr(&folder),
                  c->uid, c->gid, jw_buf_cstr(&folder), jw_buf_cstr(&folder));
    jw_buf_free(&folder);
}

static bool put_variables(const struct env_container *c, struct jw_buf *out, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH), state = JW_BUF(JW_MAX_PATH);
    bool ok;

    jw_buf_printf(&path, "%s/cuda", c->volume);
    jw_buf_printf(&state, "%s/jitwarm", c->volume);

    const struct jw_env_setting all[] = { { .name = "CUDA_CACHE_PATH", .value = jw_buf_cstr(&path) },
                                          { .name = "CUDA_CACHE_MAXSIZE", .value = c->limit },
                                          { .name = "JITWARM_STATE", .value = jw_buf_cstr(&state) } };

    ok = jw_buf_ok(&path, err) && jw_buf_ok(&state, err);
    for (size_t i = 0; ok && i < JW_COUNT(all); i++)
        ok = jw_env_put(JW_ENV_DOCKER, all[i].name, all[i].value, out, err);
    jw_buf_free(&path);
    jw_buf_free(&state);
    return ok;
}

static void put_start(struct jw_buf *out, const struct env_container *c, const char *rest)
{
    jw_buf_text(out, "#   docker run --gpus all -v jit-cache:");
    jw_command_word(out, c->volume, false);
    jw_buf_printf(out, " %s\n", rest);
}

static bool put_docker(const struct env_container *c, struct jw_buf *out, struct jw_err *err)
{
    jw_buf_text(
        out, "# Compiled GPU code stays in a volume. Put this above USER and CMD; the image has jitwarm.\n");
    if (!put_variables(c, out, err))
        return false;
    jw_buf_printf(out,
                  "# A fresh named volume takes the owner of this folder. Put the image's USER here if it is "
                  "not %lu:%lu.\n"
                  "# Without it the volume belongs to root, and nothing that is compiled can be kept.\n"
                  "RUN ",
                  c->uid, c->gid);
    put_owner(out, c);
    jw_buf_text(out, "\nENTRYPOINT [\"jitwarm\", \"run\", \"--\"]\n# Start it:\n");
    put_start(out, c, "IMAGE");
    jw_buf_text(out, "# First start: the driver compiles while the program starts, and the volume keeps it.\n"
                     "# To compile before, once, on all processors:\n");
    put_start(out, c, "--entrypoint jitwarm IMAGE prime /app");
    jw_buf_text(
        out, "# Second start: nothing is compiled. After a driver update, jitwarm run first compiles again\n"
             "# what was primed, and then starts the program.\n");
    return jw_buf_ok(out, err);
}

bool env_container_put(const struct env_container *c, struct jw_buf *out, struct jw_err *err)
{
    if (strchr(c->volume, ':'))
        return jw_fail(err, JW_E_USAGE, "--path: %.200s has a colon in it, which a volume cannot have",
                       c->volume);
    return put_docker(c, out, err);
}
