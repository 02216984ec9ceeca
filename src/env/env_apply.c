/* env apply and env undo: which values are written, and what the user should know. */
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "env/env_apply_parts.h"
#include "machine/listing.h"
#include "os/machine/env.h"

#include <stdlib.h>
#include <string.h>

static void set_chosen(struct applier *k, const char *name, const char *value, const char *why)
{
    size_t i = 0;

    while (i < k->out->n_settings && strcmp(k->out->settings[i].name, name) != 0)
        i++;
    if (i == JW_ENV_ADVICES)
        return;
    k->out->n_settings += i == k->out->n_settings;
    k->out->settings[i] = (struct jw_env_setting){ name, value, why };
}

/* The default is unsuitable, and no other folder was named: use a local one with an unguessable name. */
static bool choose_local(struct applier *k)
{
    const struct jw_env_advice *place = &k->s->advice[JW_ENV_PLACE];
    const char *local = JW_ENV_LOCAL "RANDOM";
    const struct jw_env_facts *f = &k->s->facts;
    bool nowhere = f->refused || !f->dir->root || !jw_path_absolute(f->dir->root)
                   || (f->disk_known && f->disk.kind == JW_DISK_NETWORK);

    if (k->o->scope != JW_ENV_USER || !place->wrong || place->value || !nowhere
        || env_before_of(k, JW_ENV_PLACE_NAME) || jw_os_is_windows())
        return true;
    if (!k->o->dry_run && !jw_env_local_name(k->a, &local, k->err))
        return false;
    k->guarded = true;
    set_chosen(k, JW_ENV_PLACE_NAME, local,
               "a private folder on a local disk, with a name that other users cannot guess");
    return true;
}

/* Options first, then values written before (unless a larger one is recommended), then recommended values. */
static bool choose_values(struct applier *k)
{
    const struct jw_env_advice *advice = k->s->advice;

    for (size_t i = 0; i < k->n_before; i++)
        set_chosen(k, k->before[i].name, k->before[i].value, "written by an earlier env apply");
    for (size_t i = 0; i < JW_ENV_ADVICES; i++) {
        const char *before = env_before_of(k, advice[i].name), *value = advice[i].value;
        bool asked = i == JW_ENV_SIZE ? k->o->size_asked : i == JW_ENV_PLACE && k->o->place_asked;

        if (!value || (i == JW_ENV_PLACE && (k->o->scope == JW_ENV_SYSTEM || (before && !asked)))
            || (i == JW_ENV_SIZE && before && !asked
                && strtoull(before, NULL, 10) >= strtoull(value, NULL, 10)))
            continue;
        set_chosen(k, advice[i].name, value, advice[i].why);
    }
    return choose_local(k);
}

/* Other lines that a shell reads later override the setting. */
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
                    "%s:%u sets %s=%.100s, which may override the new value: remove that line", o->origin,
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
        jw_note(&k->out->notes, k->a, "in a new login %s is %.100s%s%.100s", s->name, v ? v->value : "unset",
                v && v->origin ? ", by " : "", v && v->origin ? v->origin : "");
    }
}

/* Only if a login has the same HOME. */
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

static void find_running(struct applier *k, const struct jw_env_setting *wanted, size_t n)
{
    jw_env_running(k->o->proc ? k->o->proc : "/proc", wanted, n, k->o->scope == JW_ENV_SYSTEM, k->a,
                   &k->out->running);
}

/* Notes: other lines that set them, a new login's values, processes with old values. */
static bool note_what_is_left(struct applier *k)
{
    for (size_t i = 0; i < k->targets.notes.n; i++)
        jw_note(&k->out->notes, k->a, "%s", k->targets.notes.v[i]);
    note_rivals(k);
    if (k->s->facts.container)
        jw_note(&k->out->notes, k->a,
                "in a container, set it in the image or with docker run -e: jitwarm env --shell docker "
                "prints the "
                "lines");
    if (!k->o->dry_run && !check_login(k))
        return false;
    find_running(k, k->out->settings, k->out->n_settings);
    return true;
}

bool env_add_step(struct applier *k, struct jw_env_step step)
{
    struct jw_env_step *slot =
        jw_list_add(k->a, &k->out->steps, &k->out->n, sizeof *slot, JW_MAX_LISTED, k->err);

    if (!slot)
        return false;
    *slot = step;
    k->out->nothing = k->out->nothing && (step.done == JW_ENV_SAME || step.done == JW_ENV_LEFT);
    return true;
}

bool env_is_text(const char *text, const char *what, struct jw_err *err)
{
    return jw_utf8_valid((struct jw_bytes){ (const uint8_t *)text, strlen(text) })
           || jw_fail(err, JW_E_USAGE, "%s is not UTF-8 text, so it cannot be written to files", what);
}

const char *env_before_of(const struct applier *k, const char *name)
{
    for (size_t i = 0; i < k->n_before; i++)
        if (strcmp(k->before[i].name, name) == 0)
            return k->before[i].value;
    return NULL;
}

void env_keep_before(struct applier *k, const char *name, const char *value)
{
    static const char *const names[] = { JW_ENV_SIZE_NAME, JW_ENV_PLACE_NAME, JW_ENV_OFF_NAME };

    for (size_t i = 0; i < JW_COUNT(names); i++)
        if (value && strcmp(names[i], name) == 0 && !env_before_of(k, name))
            k->before[k->n_before++] = (struct jw_env_setting){ names[i], value, NULL };
}

bool env_plan_folders(struct applier *k, const char *path)
{
    struct jw_env_folders missing;

    if (!jw_env_folders_missing(path, k->a, &missing, k->err))
        return false;
    for (size_t i = 0; i < missing.n; i++) {
        size_t j = 0;

        while (j < k->out->n && strcmp(k->out->steps[j].path, missing.v[i]) != 0)
            j++;
        if (j == k->out->n
            && !env_add_step(k, (struct jw_env_step){ JW_ENV_FOLDER, missing.v[i], NULL, JW_ENV_MADE, NULL }))
            return false;
    }
    return true;
}

/* ---- the folder of the cache ---- */

static const char *chosen_place(const struct applier *k)
{
    for (size_t i = 0; i < k->out->n_settings; i++)
        if (strcmp(k->out->settings[i].name, JW_ENV_PLACE_NAME) == 0)
            return k->out->settings[i].value;
    return NULL;
}

static bool plan_place(struct applier *k)
{
    const char *place = chosen_place(k);
    bool there = true;

    if (place
        && (!env_is_text(place, "the folder of the cache", k->err)
            || !jw_env_cache_judge(place, k->a, &there, k->err)))
        return false;
    return there
           || (env_plan_folders(k, place)
               && env_add_step(k, (struct jw_env_step){ JW_ENV_FOLDER, place, NULL, JW_ENV_MADE, NULL }));
}

/* Removes a folder that apply named, if it is empty. Keeps one that the user named. */
static void leave_place(struct applier *k, const char *place)
{
    struct jw_err ignored = { 0 };

    if (jw_text_starts(place, JW_ENV_LOCAL))
        (void)jw_env_folder_drop(place, &ignored);
    if (jw_is_folder(place))
        jw_note(&k->out->notes, k->a, "%s was kept, with its contents: remove it when no program uses it",
                place);
}

/* ---- the two verbs ---- */

/* If no file could be written, no file names the folder that was made: undo would not find it. */
static bool write_all(struct applier *k)
{
    const char *place = chosen_place(k);
    struct jw_err ignored = { 0 };

    if (place && !jw_env_cache_make(place, k->a, k->err))
        return false;
    if (env_write(k))
        return true;
    if (k->guarded && !k->out->begun)
        (void)jw_env_folder_drop(place, &ignored);
    return false;
}

bool jw_env_apply(const struct jw_env_apply_options *o, const struct jw_env_state *s, struct jw_arena *a,
                  struct jw_env_report *out, struct jw_err *err)
{
    struct applier k = { .o = o, .s = s, .a = a, .out = out, .err = err };

    *out = (struct jw_env_report){ .scope = o->scope, .nothing = true };
    bool ok = env_read_before(&k) && choose_values(&k);

    if (ok && out->n_settings)
        ok = env_may_write(&k) && env_plan(&k) && plan_place(&k)
             && (o->dry_run || out->nothing || write_all(&k));
    ok = ok && note_what_is_left(&k);
    env_free(&k);
    return ok;
}

bool jw_env_undo(const struct jw_env_apply_options *o, struct jw_arena *a, struct jw_env_report *out,
                 struct jw_err *err)
{
    struct jw_env_state s = { .home = jw_env_home(a) };
    struct applier k = { .o = o, .s = &s, .a = a, .out = out, .err = err };

    *out = (struct jw_env_report){ .scope = o->scope, .nothing = true };
    if (!env_read_before(&k) || !env_take(&k))
        return false;

    const char *place = env_before_of(&k, JW_ENV_PLACE_NAME);

    for (size_t i = 0; i < k.n_before; i++)
        k.before[i].value = NULL;
    if (!o->dry_run && place)
        leave_place(&k, place);
    if (out->n)
        find_running(&k, k.before, k.n_before);
    return true;
}
