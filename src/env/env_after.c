/* What the user should know after env apply. */
#include "env/env_apply_parts.h"

#include "os/machine/env.h"

#include <string.h>

/* What is read after our line wins over it. */
static void note_rivals(struct applier *k)
{
    for (size_t i = 0; i < k->out->n_settings; i++) {
        const struct jw_env_setting *s = &k->out->settings[i];
        const struct jw_env_var *v = jw_env_var_of(&k->s->look, s->name);

        for (size_t j = 0; v && j < v->n_sources && k->o->scope == JW_ENV_USER; j++) {
            const struct jw_env_source *o = &v->sources[j];

            if (o->ours || !o->value || strcmp(o->value, s->value) == 0)
                continue;
            jw_note(&k->out->notes, k->a,
                    "%s:%u sets %s=%.100s: what reads that last has that; remove the line", o->origin,
                    o->line, s->name, o->value);
        }
    }
}

static void note_login(struct applier *k, const struct jw_login_env *login)
{
    k->out->checked = login->known;
    for (size_t i = 0; login->known && i < k->out->n_settings; i++) {
        const struct jw_env_setting *s = &k->out->settings[i];
        const struct jw_env_value *v = jw_env_set_find(&login->sets, s->name);

        if (v && strcmp(v->value, s->value) == 0)
            continue;
        k->out->checked = false;
        jw_note(&k->out->notes, k->a, "a new login was asked: there %s is %.100s%s%.100s", s->name,
                v ? v->value : "unset", v && v->origin ? ", by " : "", v && v->origin ? v->origin : "");
    }
}

/* Only where this HOME is the one that a login has. */
static bool check_login(struct applier *k)
{
    struct jw_login_env login;
    const struct jw_env_value *home = jw_env_set_find(&k->s->look.login.sets, "HOME");

    if (k->o->unchecked || k->o->scope != JW_ENV_USER || jw_os_is_windows() || !home || !k->s->home
        || strcmp(home->value, k->s->home) != 0)
        return true;
    if (!jw_login_env(k->a, &login, k->err))
        return false;
    note_login(k, &login);
    return true;
}

bool env_find_running(const struct jw_env_apply_options *o, const struct jw_env_setting *wanted, size_t n,
                      struct jw_arena *a, struct jw_env_report *out, struct jw_err *err)
{
    return jw_env_running(o->proc ? o->proc : "/proc", wanted, n, o->scope == JW_ENV_SYSTEM, a, &out->running,
                          err);
}

bool env_look_after(struct applier *k)
{
    for (size_t i = 0; i < k->targets.notes.n; i++)
        jw_note(&k->out->notes, k->a, "%s", k->targets.notes.v[i]);
    note_rivals(k);
    if (k->s->facts.container)
        jw_note(&k->out->notes, k->a,
                "in a container nobody logs in: programs have what the image and docker run give them; "
                "jitwarm env --shell "
                "docker prints that");
    if (!k->o->dry_run && !check_login(k))
        return false;
    return env_find_running(k->o, k->out->settings, k->out->n_settings, k->a, k->out, k->err);
}
