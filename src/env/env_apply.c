#include "env/env_apply_parts.h"

#include "base/limits.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/machine/env.h"

#include <string.h>

const char *jw_env_done_name(enum jw_env_done d)
{
    static const char *const names[] = { "same", "made", "added", "changed", "taken", "removed", "left" };

    return names[d];
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
           || jw_fail(err, JW_E_USAGE, "%s is not UTF-8 text, and cannot be written into files", what);
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
            k->before[k->n_before++] = (struct jw_env_setting){ names[i], value };
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

/* One that apply itself named goes when it is empty; one that the user named is the user's. */
static bool leave_place(struct applier *k, const char *place)
{
    struct jw_err ignored = { 0 };

    if (jw_text_starts(place, JW_ENV_LOCAL))
        (void)jw_env_folder_drop(place, &ignored);
    if (jw_is_folder(place))
        jw_note(&k->out->notes, k->a, "%s stays, with what is in it: remove it when no program uses it",
                place);
    return true;
}

/* ---- the two verbs ---- */

static bool write_all(struct applier *k)
{
    const char *place = chosen_place(k);

    if (place && !jw_env_cache_make(place, k->a, k->err))
        return false;
    k->out->begun = true;
    return env_write(k);
}

bool jw_env_apply(const struct jw_env_apply_options *o, const struct jw_env_state *s, struct jw_arena *a,
                  struct jw_env_report *out, struct jw_err *err)
{
    struct applier k = { .o = o, .s = s, .a = a, .out = out, .err = err };

    *out = (struct jw_env_report){ .scope = o->scope, .nothing = true };
    bool ok = env_read_before(&k) && env_choose(&k);

    if (ok && out->n_settings)
        ok = env_may_write(&k) && env_plan(&k) && plan_place(&k)
             && (o->dry_run || out->nothing || write_all(&k));
    ok = ok && env_look_after(&k);
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
    return (o->dry_run || !place || leave_place(&k, place))
           && (!out->n || env_find_running(o, k.before, k.n_before, a, out, err));
}
