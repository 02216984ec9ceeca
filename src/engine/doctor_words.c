#include "engine/doctor_words.h"

#include "base/limits.h"
#include "base/text.h"

#include <string.h>

const char *doctor_variable(const struct jw_doctor_machine *m, const char *name)
{
    const struct jw_env_value *v = jw_env_set_find(&m->env, name);

    return v ? v->value : NULL;
}

const char *doctor_seen(const struct jw_doctor_machine *m, const char *name, const char *value,
                        struct jw_findings *f)
{
    const struct jw_env_value *login = m->login.known ? jw_env_set_find(&m->login.sets, name) : NULL;

    if (login && login->value && login->origin && strcmp(login->value, value) == 0)
        return jw_finding_say(f, "%s=%.200s; a fresh login has it, too, from %s", name, value, login->origin);
    if (m->login.known && !login)
        return jw_finding_say(f, "%s=%.200s, set in this environment only: a fresh login does not have it",
                              name, value);
    return jw_finding_say(f, "%s=%.200s", name, value);
}

const char *doctor_quoted(const struct jw_doctor_machine *m, const char *path, struct jw_findings *f)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%=";
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    const char *kept;

    if (*path && strspn(path, plain) == strlen(path))
        return path;
    if (m->windows)
        return jw_finding_say(f, "\"%s\"", path);
    jw_buf_text(&text, "'");
    for (; *path; path++)
        if (*path == '\'')
            jw_buf_text(&text, "'\\''");
        else
            jw_buf_add(&text, path, 1);
    jw_buf_text(&text, "'");
    f->bad = f->bad || text.bad;
    kept = jw_finding_say(f, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
    return kept;
}

const char *doctor_set(const struct jw_doctor_machine *m, const char *name, const char *value,
                       struct jw_findings *f)
{
    if (m->windows)
        return value ? jw_finding_say(f, "setx %s %s", name, doctor_quoted(m, value, f))
                     : jw_finding_say(f, "reg delete HKCU\\Environment /f /v %s", name);
    return value ? jw_finding_say(f, "export %s=%s", name, doctor_quoted(m, value, f))
                 : jw_finding_say(f, "unset %s", name);
}

const char *doctor_last(const struct jw_doctor_machine *m, const char *name, const char *value,
                        struct jw_findings *f)
{
    const struct jw_env_value *login = m->login.known ? jw_env_set_find(&m->login.sets, name) : NULL;

    if (m->windows)
        return "this lasts; programs that run already have to be started again";
    if (login && login->value && login->origin)
        return jw_finding_say(f,
                              value ? "for good: change it in %s; for this shell now:"
                                    : "for good: take it out of %s; for this shell now:",
                              login->origin);
    if (!value)
        return "it is set for this shell or program only; take it away there:";
    return "for good: put this line into ~/.profile and log in anew; for this shell now:";
}

const char *doctor_bytes(uint64_t n, struct jw_findings *f)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    const char *kept;

    jw_text_bytes(&text, n);
    kept = jw_finding_say(f, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
    return kept;
}

const char *doctor_local_cache(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (m->windows)
        return "%LOCALAPPDATA%\\NVIDIA\\ComputeCache";
    return jw_finding_say(f, "/var/tmp/%s/ComputeCache", m->who.user ? m->who.user : "$USER");
}
