#include "fleet/remote/login.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>

enum { HELPER_MS = 30000, MAX_ANSWER = 65536 };

/* Exit code 1 means: no login. Its output may hold secrets and is not printed. */
static bool ask_helper(const struct jw_login *from, const struct jw_run *run, struct jw_arena *a,
                       struct jw_login *out, struct jw_err *err)
{
    struct jw_buf name = JW_BUF(128), path = JW_BUF(JW_MAX_PATH), answer = JW_BUF(MAX_ANSWER);
    bool found = false;
    int code = 0;

    jw_buf_printf(&name, "docker-credential-%s", from->helper);
    bool ok = jw_buf_ok(&name, err) && jw_process_find(jw_buf_cstr(&name), &path, &found, err)
              && (found || jw_fail(err, JW_E_NET, "it is not in PATH"));

    if (ok) {
        const char *argv[] = { jw_buf_cstr(&path), "get", NULL };
        const struct jw_command c = { .exe = argv[0],
                                      .argv = argv,
                                      .input = { (const uint8_t *)from->asked_as, strlen(from->asked_as) },
                                      .interrupted = run ? run->interrupted : NULL };

        ok = jw_process_run(&c, HELPER_MS, &answer, &code, err);
    }
    if (ok && code == 0)
        ok = jw_helper_read(jw_buf_bytes(&answer), a, out, err);
    if (!ok && err->code != JW_E_INTERRUPTED)
        (void)(jw_wrap(err, "%.100s", jw_buf_cstr(&name)));
    jw_buf_free(&answer);
    jw_buf_free(&path);
    jw_buf_free(&name);
    return ok;
}

static bool read_login_file(const char *path, const char *host, const struct jw_run *run, struct jw_arena *a,
                            struct jw_login *out, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    bool found = false;
    bool ok = (jw_file_slurp(path, &text, &found, err)
               && (!found || jw_login_read(jw_buf_bytes(&text), host, a, out, err)))
              || jw_wrap(err, "%.200s", path);

    jw_buf_free(&text);
    if (!ok && err->code == JW_E_FORMAT)
        err->code = JW_E_NET;
    if (ok && out->helper) {
        const struct jw_login from = *out;

        *out = (struct jw_login){ 0 };
        ok = ask_helper(&from, run, a, out, err);
    }
    return ok;
}

/* Docker's name for Docker Hub. */
static const char *key_of(const char *host)
{
    return strcmp(host, "registry-1.docker.io") == 0 ? "index.docker.io" : host;
}

bool login_find(const char *host, const char *given, const struct jw_run *run, struct jw_arena *a,
                struct jw_login *out, struct jw_err *err)
{
    const struct {
        const char *dir, *name;
    } places[] = { { jw_env(a, "REGISTRY_AUTH_FILE"), NULL },
                   { jw_env(a, "XDG_RUNTIME_DIR"), "containers/auth.json" },
                   { jw_env_config_user(a), "containers/auth.json" },
                   { jw_env(a, "DOCKER_CONFIG"), "config.json" },
                   { jw_env_home(a), ".docker/config.json" } };

    *out = (struct jw_login){ 0 };
    jw_process_shield();
    if (given && *given) {
        out->basic = given;
        return (strchr(given, ':') && !strpbrk(given, "\r\n"))
               || jw_fail(err, JW_E_USAGE, "JITWARM_LOGIN is not USER:PASSWORD");
    }
    for (size_t i = 0; i < sizeof places / sizeof *places && !out->basic && !out->identity; i++) {
        const char *path = places[i].dir && *places[i].dir && places[i].name
                               ? jw_path_join(a, places[i].dir, places[i].name)
                               : places[i].dir;

        if (path && *path && !read_login_file(path, key_of(host), run, a, out, err))
            return false;
    }
    return true;
}
