/* Packs that wait on this machine: prime takes from them before it compiles. */
#include "pack/import/import_run.h"

#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "pack/export/export.h"
#include "pack/format/pack_key.h"

#include <string.h>

struct own {
    struct jw_run *run;
    const struct jw_scope *scope;
    struct jw_trusted_keys keys;
    struct jw_cache_lookup cache;
    const char **files;
    size_t n;
};

/* The machine's folder for packs: /var/lib/jitwarm/packs, %ProgramData%\jitwarm\packs; an administrator fills it. NULL: none. */
static const char *packs_of_system(struct jw_session *s)
{
    const char *base = jw_os_is_windows() ? jw_env_config_system(s->a)
                                          : jw_arena_printf(s->a, "%s/var/lib", jw_session_sysroot(s));

    return base ? jw_path_join(s->a, base, "jitwarm/packs") : NULL;
}

/* Nothing is verified yet, but what its own signature names keeps a pack out: reading all of it would say the same. */
static bool may_be_trusted(const struct own *x, const struct jw_pack_peeked *seen, struct jw_err *why)
{
    struct jw_pack_verdict v = { .kind = seen->key[0] ? JW_PACK_SIGNED_UNKNOWN : JW_PACK_UNSIGNED };

    memcpy(v.key, seen->key, sizeof v.key);
    for (size_t i = 0; i < x->keys.n; i++) {
        char id[sizeof v.key];

        jw_minisign_show_id(id, x->keys.v[i].key.id);
        if (strcmp(id, seen->key) == 0)
            v.kind = JW_PACK_SIGNED;
    }
    return jw_pack_check_trust(&v, JW_UNSIGNED_NEVER, why);
}

/* A look at the manifest saves reading a pack that brings nothing. */
static bool consider(struct own *x, const char *path, struct jw_err *err)
{
    struct jw_pack_peeked seen = { .bytes = 0 };
    struct jw_err why = { 0 };
    const char *unfit, **to;

    if (!jw_not_interrupted(x->run->interrupted, err))
        return false;
    bool read = jw_pack_peek(path, x->run->a, &seen, &why);

    if (read
        && (!import_fits(&seen.manifest, x->scope, x->run->a, &unfit)
            || import_brings_nothing(&x->cache, &seen.manifest)))
        return true;
    if (!read || !may_be_trusted(x, &seen, &why)) {
        JW_NOTE(x->run, "not imported: %s: %s", path, why.msg);
        return true;
    }
    to = jw_list_add(x->run->a, &x->files, &x->n, sizeof *to, SIZE_MAX, err);
    if (to)
        *to = path;
    return to != NULL;
}

static bool list_folder(struct own *x, const char *folder, struct jw_err *err)
{
    const struct jw_listing names = jw_listing_read(folder, "*" JW_PACK_ENDING, x->run->a, &x->run->notes);

    for (size_t i = 0; i < names.n; i++)
        for (size_t k = 0; k < x->scope->n_sms; k++) {
            const struct jw_pack_key key = jw_pack_key(x->scope->stamp, x->scope->sms[k]);

            if (jw_pack_is_named(names.names[i], &key)
                && !consider(x, jw_path_join(x->run->a, folder, names.names[i]), err))
                return false;
        }
    return true;
}

/* A `source` that is no folder is a registry: fleet asks it. */
static bool list_all(struct own *x, struct jw_err *err)
{
    const struct jw_conf_list *sources = &jw_session_config(x->run->session)->source;
    const char *folders[] = { jw_packs_of_user(x->run->a), packs_of_system(x->run->session) };

    for (size_t i = 0; i < JW_COUNT(folders); i++)
        if (folders[i] && !list_folder(x, folders[i], err))
            return false;
    for (size_t i = 0; i < sources->n; i++)
        if (!sources->v[i].doubt && jw_path_absolute(sources->v[i].value)
            && !list_folder(x, sources->v[i].value, err))
            return false;
    return true;
}

/* That prime may write to this cache was asked before; what keeps packs out keeps prime from nothing. */
static bool take_all(struct own *x, uint64_t *added, struct jw_err *err)
{
    const struct jw_import_options o = { .of_source = true, .yes = true, .as_root = true };
    struct jw_import_report report = { 0 };
    struct jw_run run = *x->run;
    struct import im = { .o = &o, .out = &report, .run = &run, .keys = x->keys, .unproven = true };
    struct jw_err why = { 0 };
    bool ok = import_all(&im, x->files, x->n, &why);

    import_end_changes(&im);
    *added = report.added;
    x->run->notes = run.notes;
    for (const struct jw_import_pack *p = report.packs; p < report.packs + report.n_packs; p++)
        if (p->added)
            JW_NOTE(x->run, "%s imported from %s", JW_N(p->added, "entry was", "entries were"), p->path);
    jw_import_free(&report);
    jw_session_changed(run.session);
    if (!ok && why.code == JW_E_INTERRUPTED) {
        *err = why;
        return false;
    }
    if (!ok)
        JW_NOTE(x->run, "packs could not be imported: %s", why.msg);
    return true;
}

bool jw_import_own(struct jw_run *run, const struct jw_scope *scope, uint64_t *added, struct jw_err *err)
{
    struct own x = { .run = run, .scope = scope };
    const struct jw_keys_options o = { .conf = jw_session_config(run->session) };
    struct jw_err why = { 0 };

    *added = 0;
    if (!scope->stamp || !scope->cache || scope->level < JW_LEVEL_PLACEABLE)
        return true;
    if (!jw_keys_load(&o, run->a, &x.keys, &why)) {
        JW_NOTE(run, "no pack is imported: %s", why.msg);
        return true;
    }
    if (!jw_cache_lookup_open(scope->cache, run->a, &x.cache, err))
        return false;
    bool ok = list_all(&x, err) && (!x.n || take_all(&x, added, err));

    jw_cache_lookup_close(&x.cache);
    return ok;
}
