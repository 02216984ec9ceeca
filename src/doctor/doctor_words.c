#include "doctor/doctor_words.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"

#include <string.h>

const char *doctor_variable(const struct jw_doctor_machine *m, const char *name)
{
    const struct jw_env_value *v = jw_env_set_find(&m->env, name);

    return v ? v->value : NULL;
}

bool doctor_gpus_are_hidden(const struct jw_doctor_machine *m)
{
    const char *value = doctor_variable(m, "CUDA_VISIBLE_DEVICES");

    return value && (!*value || strcmp(value, "-1") == 0 || strcmp(value, "NoDevFiles") == 0);
}

const char *doctor_where_set(const struct jw_doctor_machine *m, const char *name, const char *value,
                             struct jw_findings *f)
{
    const struct jw_env_value *login = m->login.known ? jw_env_set_find(&m->login.sets, name) : NULL;

    if (login && login->value && login->origin && strcmp(login->value, value) == 0)
        return jw_fmt(f, "%s=%.200s; a fresh login has it, too, from %s", name, value, login->origin);
    if (m->login.known && !login)
        return jw_fmt(f, "%s=%.200s, set in this environment only: a fresh login does not have it", name,
                      value);
    return jw_fmt(f, "%s=%.200s", name, value);
}

const char *doctor_quoted(const struct jw_doctor_machine *m, const char *path, struct jw_findings *f)
{
    return DOCTOR_COMMAND(m, f, path);
}

/* The file that sets this variable at login; NULL: none, or unknown. */
static const char *login_origin(const struct jw_doctor_machine *m, const char *name)
{
    const struct jw_env_value *login = m->login.known ? jw_env_set_find(&m->login.sets, name) : NULL;

    return login && login->value ? login->origin : NULL;
}

/* True if `jitwarm env apply` can set it; a container has no logins that read its files. */
static bool by_env(const struct jw_doctor_machine *m, const char *name, const char *value)
{
    return !m->probe.driver.container && value && strcmp(name, "CUDA_CACHE_MAXSIZE") == 0;
}

const char *doctor_set_in_shell(const struct jw_doctor_machine *m, const char *name, const char *value,
                                struct jw_findings *f)
{
    const char *word = value ? doctor_quoted(m, value, f) : NULL;

    if (m->windows) {
        const char *set = DOCTOR_COMMAND(m, f, jw_fmt(f, "%s=%s", name, value ? value : ""));

        return jw_fmt(f, *set == '"' ? "set %s" : "set \"%s\"", set); /* else a blank before & counts */
    }
    switch (m->shell) {
    case JW_SHELL_FISH: return value ? jw_fmt(f, "set -gx %s %s", name, word) : jw_fmt(f, "set -e %s", name);
    case JW_SHELL_CSH: return value ? jw_fmt(f, "setenv %s %s", name, word) : jw_fmt(f, "unsetenv %s", name);
    case JW_SHELL_POWERSHELL:
        return value ? jw_fmt(f, "$env:%s = %s", name, *word == '\'' ? word : jw_fmt(f, "'%s'", word))
                     : jw_fmt(f, "Remove-Item Env:%s", name);
    default: return value ? jw_fmt(f, "export %s=%s", name, word) : jw_fmt(f, "unset %s", name);
    }
}

const char *doctor_set_command(const struct jw_doctor_machine *m, const char *name, const char *value,
                               struct jw_findings *f)
{
    const char *here = doctor_set_in_shell(m, name, value, f), *then = m->windows ? "&" : "&&";

    if (by_env(m, name, value))
        return jw_fmt(f, "%s %s %s", DOCTOR_COMMAND(m, f, "jitwarm", "env", "apply", "--max-size", value),
                      then, here);
    if (!value && strcmp(name, "CUDA_CACHE_DISABLE") == 0 && login_origin(m, name)
        && !m->probe.driver.container)
        return jw_fmt(f, "jitwarm env apply %s %s", then, here);
    if (m->windows && login_origin(m, name))
        return value ? DOCTOR_COMMAND(m, f, "setx", name, value)
                     : jw_fmt(f, "reg delete HKCU\\Environment /f /v %s", name);
    return here;
}

const char *doctor_how_to_set(const struct jw_doctor_machine *m, const char *name, const char *value,
                              struct jw_findings *f)
{
    const char *origin = login_origin(m, name);
    bool env = jw_text_starts(doctor_set_command(m, name, value, f), "jitwarm env apply");

    if (env)
        return jw_fmt(f, "%s%sthis sets it for new logins (undo: jitwarm env undo) and in this shell:",
                      origin ? origin : "", origin ? " sets it; " : "");
    if (m->probe.driver.container && value)
        return "permanently: docker run -e, or ENV in the image; for this shell:";
    if (origin)
        return jw_fmt(f,
                      value ? "permanently: change it in %s; for this shell:"
                            : "permanently: remove it from %s; for this shell:",
                      origin);
    return value ? "for this shell:" : "it is set for this shell or program only; remove it there:";
}

const char *doctor_without_folder(const struct jw_doctor_machine *m, const char *word, struct jw_findings *f)
{
    static const char name[] = "LD_LIBRARY_PATH";
    const char *at = doctor_variable(m, name), *kept = "";

    while (at && *at) {
        size_t n = strcspn(at, ":");
        const char *folder = jw_fmt(f, "%.*s", (int)n, at);

        if (*folder && !strstr(folder, word))
            kept = jw_fmt(f, "%s%s%s", kept, *kept ? ":" : "", folder);
        at += n + (at[n] == ':');
    }
    return doctor_set_in_shell(m, name, *kept ? kept : NULL, f);
}

const char *doctor_with_folders(const struct jw_doctor_machine *m, const char *folders, struct jw_findings *f)
{
    const char *now = doctor_variable(m, "LD_LIBRARY_PATH");

    return now && *now ? jw_fmt(f, "%s:%s", folders, now) : folders;
}

/* A command that sets CUDA_CACHE_PATH to what `word` expands to, here and for new logins. */
static const char *move_cache(const struct jw_doctor_machine *m, const char *word, struct jw_findings *f)
{
    static const char name[] = "CUDA_CACHE_PATH";
    const char *set = m->shell == JW_SHELL_FISH         ? jw_fmt(f, "set -gx %s %s", name, word)
                      : m->shell == JW_SHELL_CSH        ? jw_fmt(f, "setenv %s \"%s\"", name, word)
                      : m->shell == JW_SHELL_POWERSHELL ? jw_fmt(f, "$env:%s = %s", name, word)
                                                        : jw_fmt(f, "export %s=%s", name, word);

    if (m->probe.driver.container)
        return set;
    return jw_fmt(f, "%s && jitwarm env apply --path \"$%s%s\"", set,
                  m->shell == JW_SHELL_POWERSHELL ? "env:" : "", name);
}

const char *doctor_own_folder(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    static const char make[] = "mktemp -d /var/tmp/cuda-cache.XXXXXXXX";

    if (m->windows)
        return "jitwarm env apply --path \"%LOCALAPPDATA%\\NVIDIA\\ComputeCache\"";
    return move_cache(m,
                      jw_fmt(f,
                             m->shell == JW_SHELL_CSH    ? "`%s`"
                             : m->shell == JW_SHELL_FISH ? "(%s)"
                                                         : "$(%s)",
                             make),
                      f);
}

/* ---- in a container ---- */

const char *doctor_volume_command(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (!m->volume)
        return "jitwarm env --shell docker";
    return move_cache(m, doctor_quoted(m, jw_fmt(f, "%s/.nv/ComputeCache", m->volume), f), f);
}

const char *doctor_volume_fix(const struct jw_doctor_machine *m)
{
    return m->volume ? "keep it on the volume of this container; permanently: docker run -e, or ENV in the "
                       "image; for this shell:"
                     : "keep it on a volume; this prints what the image needs:";
}

/* Docker gives a container the first 12 digits of its id as its name. */
static bool is_container_id(const char *host)
{
    return host && strlen(host) == 12 && strspn(host, "0123456789abcdef") == 12;
}

const char *doctor_docker(const struct jw_doctor_machine *m, const char *options, struct jw_findings *f)
{
    if (!is_container_id(m->who.host))
        return jw_fmt(f, "docker run %s IMAGE", options);
    return jw_fmt(f, "docker run -it %s \"$(docker inspect -f '{{.Config.Image}}' %s)\"", options,
                  m->who.host);
}

/* ---- as which user ---- */

const char *doctor_sudo(const struct jw_doctor_machine *m)
{
    return m->who.root ? "" : "sudo ";
}

const char *doctor_make_own(const struct jw_doctor_machine *m, const char *folder, struct jw_findings *f)
{
    return jw_fmt(f, "%schown -R %lu:%lu %s", doctor_sudo(m), m->who.uid, m->who.gid,
                  doctor_quoted(m, folder, f));
}

const char *doctor_prime(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (m->windows || !m->who.root || m->probe.driver.container)
        return "jitwarm prime";
    return m->who.behind ? JW_COMMAND(f->a, false, "sudo", "-u", m->who.behind, "jitwarm", "prime")
                         : "jitwarm prime --as-root";
}

const char *doctor_install_driver(const struct jw_doctor_machine *m)
{
    static const struct {
        const char *distro, *as_user, *as_root;
    } managers[] = {
        { "ubuntu", "sudo ubuntu-drivers install", "ubuntu-drivers install" },
        { "debian", "sudo apt-get install nvidia-driver", "apt-get install nvidia-driver" },
        { "fedora", "sudo dnf install akmod-nvidia", "dnf install akmod-nvidia" },
        { "arch", "sudo pacman -S nvidia", "pacman -S nvidia" },
    };

    if (m->windows || m->probe.driver.container || m->probe.driver.wsl || !m->who.distro)
        return NULL;
    for (size_t i = 0; i < JW_COUNT(managers); i++)
        if (strcmp(m->who.distro, managers[i].distro) == 0)
            return m->who.root ? managers[i].as_root : managers[i].as_user;
    return NULL;
}
