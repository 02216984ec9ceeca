/*
 * Windows: settings are values of a registry key. Beside each that was written stands its mark, JITWARM_ENV_NAME with
 * the same value: undo removes what still is as the mark says.
 */
#include "setup/env/env_apply_parts.h"

#include "base/limits.h"
#include "base/mem.h"
#include "os/process/process.h"
#include "session/session.h"
#include "setup/login/env_registry.h"

#include <stdio.h>
#include <string.h>

static bool of_machine(const struct applier *k)
{
    return k->o->system;
}

static bool get_value(struct applier *k, const char *prefix, const char *name, struct jw_env_reg *out)
{
    char full[64];

    (void)snprintf(full, sizeof full, "%s%s", prefix, name);
    return jw_env_registry_get(of_machine(k), full, k->a, out, k->err);
}

/* NULL: removes it. */
static bool put_value(struct applier *k, const char *prefix, const char *name, const char *value)
{
    char full[64];

    (void)snprintf(full, sizeof full, "%s%s", prefix, name);
    return jw_env_registry_set(of_machine(k), full, value, k->err);
}

#define MARK "JITWARM_ENV_"

bool env_may_write(struct applier *k)
{
    return !of_machine(k) || *jw_session_sysroot(k->session) || k->o->dry_run || jw_process_elevated()
           || jw_fail(k->err, JW_E_IO, "only an administrator can set variables of the machine");
}

static bool is_value(const struct jw_env_reg *a, const char *text)
{
    return a->text && text && strcmp(a->text, text) == 0;
}

bool env_read_before(struct applier *k)
{
    struct jw_env_reg mark, now;

    for (size_t i = 0; i < JW_ENV_VARIABLES; i++) {
        if (!get_value(k, MARK, jw_env_names[i], &mark) || !get_value(k, "", jw_env_names[i], &now))
            return false;
        if (is_value(&now, mark.text))
            env_keep_before(k, jw_env_names[i], mark.text);
    }
    return true;
}

static bool add_value_step(struct applier *k, const char *name, const char *value, struct jw_env_step step)
{
    step.kind = JW_ENV_REGISTRY;
    step.path = jw_env_registry_key(of_machine(k));
    step.text = jw_arena_printf(k->a, "%s=%s", name, value);
    return env_add_step(k, step);
}

bool env_plan(struct applier *k)
{
    for (size_t i = 0; i < k->out->n_settings; i++) {
        const struct jw_env_setting *s = &k->out->settings[i];
        struct jw_env_step step = { .change = JW_ENV_CREATED };
        struct jw_env_reg now;

        if (!get_value(k, "", s->name, &now))
            return false;
        if (now.exists)
            step.change = is_value(&now, s->value) ? JW_ENV_SAME : JW_ENV_CHANGED;
        if (!add_value_step(k, s->name, s->value, step))
            return false;
        if (step.change == JW_ENV_CHANGED && !env_before_of(k, s->name))
            jw_note(&k->out->notes, k->a,
                    "%s is %.200s now: env undo removes the variable and does not restore that value",
                    s->name, now.text ? now.text : "no text");
    }
    return true;
}

/* Writes the mark first, because a value without one is not jitwarm's. */
bool env_write(struct applier *k)
{
    bool ok = true;

    k->out->begun = true;
    for (size_t i = 0; ok && i < k->out->n_settings; i++) {
        const struct jw_env_setting *s = &k->out->settings[i];

        if (k->out->steps[i].change != JW_ENV_SAME)
            ok = put_value(k, MARK, s->name, s->value) && put_value(k, "", s->name, s->value);
    }
    jw_env_registry_announce();
    return ok;
}

static bool take_value(struct applier *k, const char *name)
{
    struct jw_env_step step = { .change = JW_ENV_REMOVED };
    struct jw_env_reg mark, now;

    if (!get_value(k, MARK, name, &mark) || !get_value(k, "", name, &now) || !mark.exists)
        return k->err->code == JW_OK;
    if (now.exists && !is_value(&now, mark.text)) {
        step.change = JW_ENV_KEPT;
        step.why = "it was changed since, and is kept";
    }
    if (!k->o->dry_run
        && ((step.change == JW_ENV_REMOVED && !put_value(k, "", name, NULL))
            || !put_value(k, MARK, name, NULL)))
        return false;
    return add_value_step(k, name, mark.text ? mark.text : "", step);
}

bool env_remove(struct applier *k)
{
    for (size_t i = 0; i < JW_ENV_VARIABLES; i++)
        if (!take_value(k, jw_env_names[i]))
            return false;
    if (k->out->n && !k->o->dry_run)
        jw_env_registry_announce();
    return true;
}

void env_free(struct applier *k)
{
    (void)k;
}
