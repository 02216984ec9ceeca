/* Which values env apply writes. */
#include "env/env_apply_parts.h"

#include "base/path.h"
#include "os/machine/env.h"

#include <stdlib.h>
#include <string.h>

static void set(struct applier *k, const char *name, const char *value, const char *why)
{
    size_t i = 0;

    while (i < k->out->n_settings && strcmp(k->out->settings[i].name, name) != 0)
        i++;
    if (i == JW_ENV_ADVICES)
        return;
    k->out->n_settings += i == k->out->n_settings;
    k->out->settings[i] = (struct jw_env_setting){ name, value };
    k->out->why[i] = why;
}

/* What is asked for now, what was written before unless more is advised, what is advised: in this order. */
static void choose_advised(struct applier *k)
{
    const struct jw_env_advice *advice = k->s->advice;

    for (size_t i = 0; i < k->n_before; i++)
        set(k, k->before[i].name, k->before[i].value, "as written before");
    for (size_t i = 0; i < JW_ENV_ADVICES; i++) {
        const char *before = env_before_of(k, advice[i].name), *value = advice[i].value;
        bool asked = i == JW_ENV_SIZE ? k->o->size_asked : i == JW_ENV_PLACE && k->o->place_asked;

        if (!value || (i == JW_ENV_PLACE && (k->o->scope == JW_ENV_SYSTEM || (before && !asked)))
            || (i == JW_ENV_SIZE && before && !asked
                && strtoull(before, NULL, 10) >= strtoull(value, NULL, 10)))
            continue;
        set(k, advice[i].name, value, advice[i].why);
    }
}

/* The default is bad, and nobody has named another folder: one that nobody can guess, on this machine. */
static bool choose_local(struct applier *k)
{
    const struct jw_env_advice *place = &k->s->advice[JW_ENV_PLACE];
    const char *local = NULL;

    const struct jw_env_facts *f = &k->s->facts;
    bool nowhere = f->refused || !f->dir->root || !jw_path_absolute(f->dir->root)
                   || (f->disk_known && f->disk.kind == JW_DISK_NETWORK);

    if (k->o->scope != JW_ENV_USER || !place->wrong || place->value || !nowhere
        || env_before_of(k, JW_ENV_PLACE_NAME) || jw_os_is_windows())
        return true;
    if (k->o->dry_run) {
        k->guarded = true;
        set(k, JW_ENV_PLACE_NAME, JW_ENV_LOCAL "RANDOM",
            "a folder on this machine's own disk, for this user alone, whose name nobody can guess");
        return true;
    }
    if (!jw_env_local_name(k->a, &local, k->err))
        return false;
    k->guarded = true;
    set(k, JW_ENV_PLACE_NAME, local,
        "a folder on this machine's own disk, for this user alone, whose name nobody can guess");
    return true;
}

bool env_choose(struct applier *k)
{
    choose_advised(k);
    return choose_local(k);
}
