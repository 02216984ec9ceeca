/* Which values env apply writes. */
#include "env/env_apply_parts.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

struct jw_env_kept *env_kept_of(struct jw_env_ledger *l, const char *name)
{
    for (size_t i = 0; i < l->n_settings; i++)
        if (strcmp(l->settings[i].name, name) == 0)
            return &l->settings[i];
    return NULL;
}

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

/* What was asked for now, what was asked for at an earlier time, what is advised, what was written before: in this order. */
static bool choose_advised(struct applier *k)
{
    const struct jw_env_advice *advice = k->s->advice;
    const struct jw_env_apply_options *o = k->o;

    for (size_t i = 0; i < k->ledger.n_settings; i++)
        set(k, k->ledger.settings[i].name, k->ledger.settings[i].value,
            k->ledger.settings[i].asked ? "as asked for before" : "as written before");
    for (size_t i = 0; i < JW_ENV_ADVICES; i++) {
        const struct jw_env_kept *before = env_kept_of(&k->ledger, advice[i].name);
        bool asked = i == JW_ENV_SIZE ? o->size_asked : i == JW_ENV_PLACE && o->place_asked;

        if (!advice[i].value || (before && before->asked && !asked)
            || (i == JW_ENV_PLACE && (o->scope == JW_ENV_SYSTEM || (before && !asked))))
            continue;
        set(k, advice[i].name, advice[i].value, advice[i].why);
    }
    return true;
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
        || env_kept_of(&k->ledger, JW_ENV_PLACE_NAME) || jw_os_is_windows())
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

static bool keep_settings(struct applier *k)
{
    for (size_t i = 0; i < k->out->n_settings; i++) {
        const struct jw_env_setting *s = &k->out->settings[i];
        struct jw_env_kept *before = env_kept_of(&k->ledger, s->name);
        bool asked = (strcmp(s->name, JW_ENV_SIZE_NAME) == 0 && k->o->size_asked)
                     || (strcmp(s->name, JW_ENV_PLACE_NAME) == 0 && k->o->place_asked);

        if (!before
            && !(before = jw_list_add(k->a, &k->ledger.settings, &k->ledger.n_settings, sizeof *before, 64,
                                      k->err)))
            return false;
        asked = asked || (before->asked && before->value && strcmp(before->value, s->value) == 0);
        *before = (struct jw_env_kept){ s->name, s->value, asked };
    }
    return true;
}

bool env_choose(struct applier *k)
{
    return choose_advised(k) && choose_local(k) && keep_settings(k);
}
