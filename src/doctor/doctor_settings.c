#include "doctor/doctor_settings.h"

#include "base/arena.h"
#include "machine/config.h"
#include "os/machine/env.h"
#include "pack/keys/keys.h"

#include <string.h>

enum { MAX_SETTINGS = 1 << 16 };

static void add_setting(struct jw_doctor_settings *s, const char *name, const char *value, const char *origin)
{
    struct jw_err full;
    struct jw_doctor_setting *slot = jw_list_add(s->a, &s->v, &s->n, sizeof *slot, MAX_SETTINGS, &full);

    if (slot)
        *slot = (struct jw_doctor_setting){ name, value, origin };
}

/* A variable of jitwarm, or what is used without it. */
static void add_own(struct jw_doctor_settings *s, const char *name, const char *otherwise)
{
    const char *value = jw_env(s->a, name);
    bool set = value && *value;

    add_setting(s, name, set ? value : otherwise, set ? "environment" : "default");
}

static void add_item(struct jw_doctor_settings *s, const char *name, const struct jw_conf_item *item,
                     const char *usual)
{
    add_setting(s, name, item->value ? item->value : usual, item->value ? item->origin : "default");
}

static void add_list(struct jw_doctor_settings *s, const char *name, const struct jw_conf_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        add_setting(s, name, list->v[i].value, list->v[i].origin);
    if (!list->n)
        add_setting(s, name, NULL, "default");
}

static const char *or_environment(const struct jw_setting_value *s)
{
    return s->value && strcmp(s->origin, "--cache") != 0 ? "environment" : s->origin;
}

static void add_key(struct jw_doctor_settings *s, const struct jw_trusted_key *key)
{
    char id[17];

    jw_minisign_show_id(id, key->key.id);
    add_setting(s, "trust", jw_arena_str(s->a, id), key->from);
}

/* Lists the trusted keys. If another user could have added one, lists none and says so. */
static void add_keys(struct jw_doctor_settings *s, const struct jw_config *config)
{
    struct jw_keys_options o = { .conf = config };
    struct jw_trusted_keys keys;
    struct jw_err why = { 0 };

    if (!jw_keys_load(&o, s->a, &keys, &why)) {
        s->refused = jw_arena_str(s->a, why.msg);
        add_setting(s, "trust", NULL, "refused");
        return;
    }
    for (size_t i = 0; i < keys.n; i++)
        add_key(s, &keys.v[i]);
    if (!keys.n)
        add_setting(s, "trust", NULL, "default");
}

void jw_doctor_settings(struct jw_session *session, const struct jw_status_report *r,
                        struct jw_doctor_settings *s)
{
    const struct jw_cachedir *d = &r->dir;
    const char *login = jw_env(session->a, "JITWARM_LOGIN");
    const struct jw_config *config = jw_session_config(session);

    *s = (struct jw_doctor_settings){ .a = session->a };
    add_setting(s, "CUDA_CACHE_PATH", d->folder, or_environment(&d->folder_from));
    add_setting(s, "CUDA_CACHE_MAXSIZE", d->limit_from.value, or_environment(&d->limit_from));
    add_setting(s, "CUDA_CACHE_DISABLE", d->disabled_from.value ? d->disabled_from.value : "0",
                or_environment(&d->disabled_from));
    add_list(s, "roots", &config->roots);
    add_list(s, "exclude", &config->exclude);
    add_item(s, "jobs", &config->jobs, "half the CPUs");
    add_item(s, "store_cap", &config->store_cap, "2GiB");
    add_keys(s, config);
    add_list(s, "source", &config->source);
    add_list(s, "cacert", &config->cacert);
    add_list(s, "plain_http", &config->plain);
    add_own(s, "JITWARM_STATE", r->state_dir);
    add_own(s, "JITWARM_STORE", r->store.dir);
    if (!jw_os_is_windows())
        add_own(s, "JITWARM_DRIVER", NULL);
    /* Never shows the password. */
    add_setting(s, "JITWARM_LOGIN", login && *login ? "(not shown)" : NULL,
                login && *login ? "environment" : "default");
}
