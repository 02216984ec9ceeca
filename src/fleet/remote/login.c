#include "fleet/remote/login.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/secret.h"
#include "fleet/format/challenge.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

static bool read_file(const char *path, const char *host, struct jw_arena *a, char **out, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    const char *login = NULL;
    bool found = false;
    bool ok = (jw_file_slurp(path, &text, &found, err)
               && (!found || jw_fleet_login_read(jw_buf_bytes(&text), host, a, &login, err)))
              || jw_wrap(err, "%.200s", path);

    if (text.p)
        jw_secret_wipe(text.p, text.n);
    jw_buf_free(&text);
    if (ok && login) {
        *out = jw_arena_str(a, login);
        ok = *out || jw_nomem(err, strlen(login));
    }
    return ok;
}

bool login_find(const char *host, struct jw_arena *a, char **out, struct jw_err *err)
{
    const struct {
        const char *dir, *name;
    } places[] = { { jw_env(a, "REGISTRY_AUTH_FILE"), NULL },
                   { jw_env(a, "XDG_RUNTIME_DIR"), "containers/auth.json" },
                   { jw_env_config_user(a), "containers/auth.json" },
                   { jw_env(a, "DOCKER_CONFIG"), "config.json" },
                   { jw_env_home(a), ".docker/config.json" } };
    const char *given = jw_env(a, "JITWARM_LOGIN");

    *out = NULL;
    if (given && *given) {
        *out = jw_arena_str(a, given);
        if (*out && (!strchr(*out, ':') || strpbrk(*out, "\r\n")))
            return jw_fail(err, JW_E_USAGE, "JITWARM_LOGIN is not USER:PASSWORD");
        return *out || jw_nomem(err, 64);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places && !*out; i++) {
        const char *path = places[i].dir && *places[i].dir && places[i].name
                               ? jw_path_join(a, places[i].dir, places[i].name)
                               : places[i].dir;

        if (path && *path && !read_file(path, host, a, out, err))
            return false;
    }
    return true;
}
