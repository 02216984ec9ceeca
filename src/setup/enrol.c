/* The file jitwarm/startup.conf beside jitwarm.conf: the lines of --source and --trust. */
#include "base/limits.h"
#include "base/path.h"
#include "fleet/format/ref.h"
#include "pack/keys/keys.h"
#include "setup/parts.h"

#include <string.h>

static bool add_source(struct jw_buf *out, const char *text, struct jw_arena *a, struct jw_err *err)
{
    struct jw_ref ref = {0};

    if (!jw_ref_parse(text, a, &ref, err))
        return jw_wrap(err, "--source");
    if (ref.path && !jw_path_absolute(text))
        return jw_fail(err, JW_E_USAGE, "--source: %.200s is not an absolute path", text);
    if (strpbrk(text, "#\n\r"))
        return jw_fail(err, JW_E_USAGE, "--source: %.200s cannot stand in jitwarm's settings",
                       text);
    jw_buf_printf(out, "source = %s\n", text);
    return true;
}

/* Writes the key itself, not the name of its file: a user who can write to a share cannot exchange
 * it later. */
static bool add_keys(struct jw_buf *out, const struct jw_startup *s, struct jw_err *err)
{
    const struct jw_config *conf = jw_session_config(s->run->session);
    struct jw_trusted_keys keys = {0};
    char line[JW_MINISIGN_LINE + 1];

    for (size_t i = 0; i < s->trust.n; i++) {
        if (!jw_keys_load((struct jw_texts){&s->trust.v[i], 1}, NULL, s->run->a, &keys, err))
            return jw_wrap(err, err->code == JW_E_TRUST
                                    ? "--trust (its text, RW..., may stand for the file)"
                                    : "--trust");
        jw_minisign_show_public(line, &keys.v[0].key); /* given ones are first */
        jw_buf_printf(out, "trust = %s\n", line);
    }
    return s->trust.n
           || (jw_keys_load((struct jw_texts){0}, conf, s->run->a, &keys, err) && keys.n > 0)
           || jw_fail(err, JW_E_USAGE,
                      "--source needs --trust KEY: no key is trusted here, so nothing of a source "
                      "would be taken");
}

static const char *lines_of(const struct jw_startup *s, struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(s->run->a, JW_MAX_CONF);
    bool ok = true;

    jw_buf_printf(&text, "# Written by jitwarm " JITWARM_VERSION
                         ": jitwarm startup install. jitwarm startup remove takes it away.\n");
    for (size_t i = 0; ok && i < s->sources.n; i++)
        ok = add_source(&text, s->sources.v[i], s->run->a, err);
    return ok && add_keys(&text, s, err) && jw_buf_ok(&text, err) ? jw_buf_cstr(&text) : NULL;
}

bool startup_find_enrolment(struct jw_startup *s, bool texts, struct jw_err *err)
{
    struct jw_arena *a = s->run->a;
    bool enrols = s->sources.n || s->trust.n;
    const char *config = s->everybody ? jw_env_config_system(a) : jw_env_config_user(a);
    const char *root = s->everybody ? jw_session_sysroot(s->run->session) : "";
    const char *folder = config ? jw_arena_printf(a, "%s%s", root, config) : NULL;
    const char *text = texts && enrols ? lines_of(s, err) : NULL;

    if (texts && enrols && !text)
        return false;
    if (!folder)
        return !enrols || jw_fail(err, JW_E_IO, "this user has no folder for settings");
    if (!texts || enrols) /* an earlier enrolment stays */
        jw_step_look(&s->steps, JW_STEP_FILE, jw_path_join(a, folder, "jitwarm/startup.conf"),
                     folder, text, a);
    return true;
}
