/* env apply and env undo: which values are written, and what the user should know. */
#include "base/limits.h"
#include "base/text.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/machine/env.h"
#include "setup/env/env_apply_parts.h"

#include <stdlib.h>
#include <string.h>

bool env_add_step(struct applier *k, struct jw_env_step step)
{
    struct jw_env_step *slot =
        jw_list_add(k->a, &k->out->steps, &k->out->n, sizeof *slot, JW_MAX_LISTED, k->err);

    if (!slot)
        return false;
    *slot = step;
    k->out->nothing = k->out->nothing && (step.change == JW_ENV_SAME || step.change == JW_ENV_KEPT);
    return true;
}

/* ---- which values ---- */

const char *env_before_of(const struct applier *k, const char *name)
{
    for (size_t i = 0; i < k->n_before; i++)
        if (strcmp(k->before[i].name, name) == 0)
            return k->before[i].value;
    return NULL;
}

void env_keep_before(struct applier *k, const char *name, const char *value)
{
    for (size_t i = 0; i < JW_ENV_VARIABLES; i++)
        if (value && strcmp(jw_env_names[i], name) == 0 && !env_before_of(k, name))
            k->before[k->n_before++] = (struct jw_env_setting){ jw_env_names[i], value, NULL, false };
}

static void choose(struct applier *k, const struct jw_env_setting *s)
{
    size_t i = 0;

    while (i < k->out->n_settings && strcmp(k->out->settings[i].name, s->name) != 0)
        i++;
    if (i == JW_ENV_VARIABLES)
        return;
    k->out->n_settings += i == k->out->n_settings;
    k->out->settings[i] = *s;
}

/* True if a larger limit was written before, and no option names this one. */
static bool lowers(const struct applier *k, const struct jw_env_setting *s)
{
    const char *before = env_before_of(k, s->name);

    return before && !s->asked && strcmp(s->name, jw_env_names[JW_ENV_SIZE]) == 0
           && strtoull(before, NULL, 10) >= strtoull(s->value, NULL, 10);
}

/* The folder of the cache is each user's own. */
static bool fits_scope(const struct applier *k, const struct jw_env_setting *s)
{
    return !k->o->system || strcmp(s->name, jw_env_names[JW_ENV_PLACE]) != 0;
}

static void choose_values(struct applier *k, const struct jw_env_setting *wanted, size_t n)
{
    for (size_t i = 0; i < k->n_before; i++) {
        struct jw_env_setting before = k->before[i];

        before.why = "written by an earlier env apply";
        choose(k, &before);
    }
    for (size_t i = 0; i < n; i++)
        if (!lowers(k, &wanted[i]) && fits_scope(k, &wanted[i]))
            choose(k, &wanted[i]);
}

/* ---- the folder of the cache ---- */

static const char *chosen_place(const struct applier *k)
{
    for (size_t i = 0; i < k->out->n_settings; i++)
        if (strcmp(k->out->settings[i].name, jw_env_names[JW_ENV_PLACE]) == 0)
            return k->out->settings[i].value;
    return NULL;
}

/* A user who can write there chooses the code that programs run. */
static bool check_place(const char *place, bool *exists, struct jw_arena *a, struct jw_err *err)
{
    struct jw_trust trust;

    if (!jw_utf8_valid((struct jw_bytes){ (const uint8_t *)place, strlen(place) }))
        return jw_fail(err, JW_E_USAGE, "is not UTF-8 text, so it cannot be written to files");
    if (!jw_trust_read(place, a, &trust, err))
        return false;
    *exists = trust.exists;
    if (!trust.exists)
        return true;
    if (!jw_is_folder(place))
        return jw_fail(err, JW_E_IO, "is not a folder");
    if (trust.owner)
        return jw_fail(err, JW_E_IO, "belongs to %s, who could have other code run in your programs",
                       trust.owner);
    return !trust.writers
           || jw_fail(err, JW_E_IO, "%s may write to it, and so have other code run in your programs: %s",
                      trust.writers, trust.fix_command ? trust.fix_command : "run chmod 700 on it");
}

static bool plan_place(struct applier *k)
{
    const char *place = chosen_place(k);
    bool exists = true;

    if (place && !check_place(place, &exists, k->a, k->err))
        return jw_wrap(k->err, "%.300s", place);
    return exists
           || env_add_step(k, (struct jw_env_step){ JW_ENV_FOLDER, place, NULL, JW_ENV_CREATED, NULL });
}

static bool make_place(struct applier *k)
{
    const char *place = chosen_place(k);
    bool exists;

    return !place || (jw_trust_make(place, k->err) && check_place(place, &exists, k->a, k->err))
           || jw_wrap(k->err, "%.300s", place);
}

/* ---- what the user should know ---- */

static void note_login(struct applier *k, const struct jw_login_env *login)
{
    k->out->checked = login->known;
    for (size_t i = 0; login->known && i < k->out->n_settings; i++) {
        const struct jw_env_setting *s = &k->out->settings[i];
        const struct jw_env_value *v = jw_env_set_find(&login->sets, s->name);

        if (v && strcmp(v->value, s->value) == 0)
            continue;
        k->out->checked = false;
        jw_note(&k->out->notes, k->a,
                "in a fresh login %s is %.100s%s%.100s: find the line that sets it, and "
                "remove it",
                s->name, v ? v->value : "not set", v && v->origin ? ", by " : "",
                v && v->origin ? v->origin : "");
    }
}

/* A login with another home reads other files. */
static bool check_login(struct applier *k)
{
    const struct jw_login_env *login;

    if (k->o->unchecked || k->o->system || k->o->dry_run || jw_os_is_windows())
        return true;
    jw_session_changed(k->session);
    if (!jw_session_login(k->session, &login, k->err))
        return false;
    if (!login->known)
        jw_note(&k->out->notes, k->a, "no fresh login was checked: %s", login->why);
    else if (jw_env_same_home(login, k->home))
        note_login(k, login);
    return true;
}

static void note_container(struct applier *k)
{
    if (jw_session_surroundings(k->session)->container)
        jw_note(&k->out->notes, k->a,
                "programs of a container read no login files: set it in the image (jitwarm env --shell "
                "docker)");
}

/* ---- the two verbs ---- */

static struct applier begin(struct jw_session *s, const struct jw_env_options *o, struct jw_env_report *out,
                            struct jw_err *err)
{
    *out = (struct jw_env_report){ .system = o->system, .nothing = true };
    return (
        struct applier){ .session = s, .o = o, .a = s->a, .out = out, .home = jw_env_home(s->a), .err = err };
}

bool jw_env_apply(struct jw_session *s, const struct jw_env_options *o, const struct jw_env_setting *wanted,
                  size_t n, struct jw_env_report *out, struct jw_err *err)
{
    struct applier k = begin(s, o, out, err);
    bool ok = env_read_before(&k);

    if (ok)
        choose_values(&k, wanted, n);
    if (ok && out->n_settings) {
        ok = env_may_write(&k) && env_plan(&k) && plan_place(&k)
             && (o->dry_run || out->nothing || (make_place(&k) && env_write(&k))) && check_login(&k);
        note_container(&k);
    }
    env_free(&k);
    return ok;
}

bool jw_env_undo(struct jw_session *s, const struct jw_env_options *o, struct jw_env_report *out,
                 struct jw_err *err)
{
    struct applier k = begin(s, o, out, err);
    bool ok = env_read_before(&k) && env_remove(&k);
    const char *place = ok ? env_before_of(&k, jw_env_names[JW_ENV_PLACE]) : NULL;

    if (place && !o->dry_run && jw_is_folder(place))
        jw_note(&out->notes, s->a, "%s stays, with what is in it: remove it when no program uses it", place);
    return ok;
}
