#include "doctor/doctor_words.h"

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
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    jw_text_shell_word(&text, path, m->windows);
    const char *kept = jw_fmt(f, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
    return kept;
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
    if (m->windows)
        return value ? jw_fmt(f, "set %s=%s", name, value) : jw_fmt(f, "set %s=", name);
    return value ? jw_fmt(f, "export %s=%s", name, doctor_quoted(m, value, f)) : jw_fmt(f, "unset %s", name);
}

const char *doctor_set_command(const struct jw_doctor_machine *m, const char *name, const char *value,
                               struct jw_findings *f)
{
    if (by_env(m, name, value))
        return jw_fmt(f, "jitwarm env apply --max-size %s", value);
    if (!value && strcmp(name, "CUDA_CACHE_DISABLE") == 0 && login_origin(m, name)
        && !m->probe.driver.container)
        return "jitwarm env apply";
    if (m->windows && login_origin(m, name))
        return value ? jw_fmt(f, "setx %s %s", name, doctor_quoted(m, value, f))
                     : jw_fmt(f, "reg delete HKCU\\Environment /f /v %s", name);
    return doctor_set_in_shell(m, name, value, f);
}

const char *doctor_how_to_set(const struct jw_doctor_machine *m, const char *name, const char *value,
                              struct jw_findings *f)
{
    const char *origin = login_origin(m, name);
    bool apply = jw_text_starts(doctor_set_command(m, name, value, f), "jitwarm env apply");

    if (apply)
        return jw_fmt(
            f, "%s%sthis makes it permanent for new logins (undo: jitwarm env undo); for this shell: %s",
            origin ? origin : "", origin ? " sets it; " : "", doctor_set_in_shell(m, name, value, f));
    if (m->probe.driver.container && value)
        return "permanently: docker run -e, or ENV in the image; for this shell:";
    if (origin)
        return jw_fmt(f,
                      value ? "permanently: change it in %s; for this shell:"
                            : "permanently: remove it from %s; for this shell:",
                      origin);
    return value ? "for this shell:" : "it is set for this shell or program only; remove it there:";
}

const char *doctor_own_folder(const struct jw_doctor_machine *m)
{
    if (m->windows)
        return "jitwarm env apply --path \"%LOCALAPPDATA%\\NVIDIA\\ComputeCache\"";
    if (m->probe.driver.container)
        return "export CUDA_CACHE_PATH=$(mktemp -d /var/tmp/cuda-cache.XXXXXXXX)";
    return "jitwarm env apply --path \"$(mktemp -d /var/tmp/cuda-cache.XXXXXXXX)\"";
}
