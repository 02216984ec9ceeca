#include "setup/env/env_container.h"

#include "base/limits.h"
#include "base/text.h"

#include <string.h>

/* mkdir, chown and chmod of the volume's folder, as a shell reads them. */
static void put_owner(struct jw_buf *out, const struct env_container *c)
{
    struct jw_buf folder = JW_BUF(JW_MAX_PATH);

    jw_text_shell_word(&folder, c->volume, false);
    jw_buf_printf(out, "mkdir -p %s/cuda && chown -R %lu:%lu %s && chmod 700 %s", jw_buf_cstr(&folder),
                  c->uid, c->gid, jw_buf_cstr(&folder), jw_buf_cstr(&folder));
    jw_buf_free(&folder);
}

static bool put_variables(enum jw_env_form form, const char *indent, const struct env_container *c,
                          struct jw_buf *out, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH), state = JW_BUF(JW_MAX_PATH);
    bool ok;

    jw_buf_printf(&path, "%s/cuda", c->volume);
    jw_buf_printf(&state, "%s/jitwarm", c->volume);

    const struct jw_env_setting all[] = { { .name = "CUDA_CACHE_PATH", .value = jw_buf_cstr(&path) },
                                          { .name = "CUDA_CACHE_MAXSIZE", .value = c->limit },
                                          { .name = "JITWARM_STATE", .value = jw_buf_cstr(&state) } };

    ok = jw_buf_ok(&path, err) && jw_buf_ok(&state, err);
    for (size_t i = 0; ok && i < JW_COUNT(all); i++) {
        jw_buf_text(out, indent);
        ok = jw_env_put(form, all[i].name, all[i].value, out, err);
    }
    jw_buf_free(&path);
    jw_buf_free(&state);
    return ok;
}

#define WHAT_FOLLOWS                                                                                         \
    "# Second start: nothing is compiled. After a driver update, jitwarm run first compiles again\n"         \
    "# what was primed, and then starts the program.\n"

static void put_start(struct jw_buf *out, const struct env_container *c, const char *rest)
{
    jw_buf_text(out, "#   docker run --gpus all -v jit-cache:");
    jw_text_shell_word(out, c->volume, false);
    jw_buf_printf(out, " %s\n", rest);
}

static bool put_docker(const struct env_container *c, struct jw_buf *out, struct jw_err *err)
{
    jw_buf_text(
        out, "# Compiled GPU code stays in a volume. Put this above USER and CMD; the image has jitwarm.\n");
    if (!put_variables(JW_ENV_DOCKER, "", c, out, err))
        return false;
    jw_buf_printf(out,
                  "# A fresh named volume takes the owner of this folder: %lu:%lu is the image's USER.\n"
                  "# Without it the volume belongs to root, and nothing that is compiled can be kept.\n"
                  "RUN ",
                  c->uid, c->gid);
    put_owner(out, c);
    jw_buf_text(out, "\nENTRYPOINT [\"jitwarm\", \"run\", \"--\"]\n# Start it:\n");
    put_start(out, c, "IMAGE");
    jw_buf_text(out, "# First start: the driver compiles while the program starts, and the volume keeps it.\n"
                     "# To compile before, once, on all processors:\n");
    put_start(out, c, "--entrypoint jitwarm IMAGE prime /app");
    jw_buf_text(out, WHAT_FOLLOWS);
    return jw_buf_ok(out, err);
}

/* compose reads $$ as one $. */
static void put_yaml_text(struct jw_buf *out, const char *text)
{
    static const char *const rules[] = { "\\\\\\", "\"\\\"", "$$$", NULL };

    jw_buf_text(out, "\"");
    jw_text_escape(out, text, rules);
    jw_buf_text(out, "\"");
}

static bool put_compose(const struct env_container *c, struct jw_buf *out, struct jw_err *err)
{
    struct jw_buf owner = JW_BUF(JW_MAX_LINE), mount = JW_BUF(JW_MAX_PATH);
    bool ok;

    put_owner(&owner, c);
    jw_buf_printf(&mount, "jit-cache:%s", c->volume);
    jw_buf_printf(out,
                  "# Compiled GPU code stays in a volume. \"app\" is your service; its image has jitwarm.\n"
                  "services:\n"
                  "  app:\n"
                  "    user: \"%lu:%lu\"\n"
                  "    environment:\n",
                  c->uid, c->gid);
    ok = put_variables(JW_ENV_COMPOSE, "      ", c, out, err);
    jw_buf_text(out, "    volumes:\n      - ");
    put_yaml_text(out, jw_buf_cstr(&mount));
    jw_buf_text(
        out, "\n    entrypoint: [\"jitwarm\", \"run\", \"--\"]\n"
             "    command: [\"your\", \"program\"]  # an entrypoint here hides the image's CMD\n"
             "    depends_on:\n"
             "      jit-cache-owner:\n"
             "        condition: service_completed_successfully\n"
             "  # A fresh named volume belongs to root: without this nothing that is compiled can be kept.\n"
             "  jit-cache-owner:\n"
             "    image: busybox\n"
             "    user: root\n"
             "    entrypoint: [\"sh\", \"-c\", ");
    put_yaml_text(out, jw_buf_cstr(&owner));
    jw_buf_text(out, "]\n    volumes:\n      - ");
    put_yaml_text(out, jw_buf_cstr(&mount));
    jw_buf_text(out, "\nvolumes:\n  jit-cache:\n"
                     "# First start: the driver compiles while the program starts, and the volume keeps it.\n"
                     "# To compile before, once, on all processors:\n"
                     "#   docker compose run --entrypoint jitwarm app prime /app\n" WHAT_FOLLOWS);
    ok = ok && jw_buf_ok(&owner, err) && jw_buf_ok(&mount, err) && jw_buf_ok(out, err);
    jw_buf_free(&owner);
    jw_buf_free(&mount);
    return ok;
}

bool env_container_put(enum jw_env_form form, const struct env_container *c, struct jw_buf *out,
                       struct jw_err *err)
{
    if (strchr(c->volume, ':'))
        return jw_fail(err, JW_E_USAGE, "--path: %.200s has a colon in it, which a volume cannot have",
                       c->volume);
    return form == JW_ENV_COMPOSE ? put_compose(c, out, err) : put_docker(c, out, err);
}
