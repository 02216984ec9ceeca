#include "env/env_apply_parts.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "env/env_edit.h"
#include "env/files/env_registry.h"
#include "env/files/env_write.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <stdio.h>
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

/* ---- files ---- */

/* That of the user database, if this is that home; else what this process says. */
static const char *login_shell(struct applier *k)
{
    const struct jw_login_env *login = &k->s->look.login;
    const struct jw_env_value *home = jw_env_set_find(&login->sets, "HOME");
    const char *own = jw_env(k->a, "SHELL");

    if (login->shell && (!own || !*own || (home && k->s->home && strcmp(home->value, k->s->home) == 0)))
        return login->shell;
    return own && *own ? own : NULL;
}

static bool find_targets(struct applier *k)
{
    struct jw_env_where w = { .scope = k->o->scope,
                              .sysroot = k->o->sysroot,
                              .home = k->s->home,
                              .zdotdir = jw_env(k->a, "ZDOTDIR"),
                              .shell = login_shell(k),
                              .windows = jw_os_is_windows(),
                              .guarded = k->guarded };
    const struct jw_env_kept *place = env_kept_of(&k->ledger, JW_ENV_PLACE_NAME);

    if (place && jw_text_starts(place->value, JW_ENV_LOCAL))
        w.guarded = true;
    return jw_env_targets(&w, k->out->settings, k->out->n_settings, k->a, &k->targets, k->err);
}

static bool read_targets(struct applier *k)
{
    k->texts = jw_arena_alloc(k->a, (k->targets.n + 1) * sizeof *k->texts);
    if (!k->texts)
        return jw_nomem(k->err, k->targets.n * sizeof *k->texts);
    for (size_t i = 0; i < k->targets.n; i++)
        if (!env_is_text(k->targets.v[i].path, "the path of a file", k->err)
            || !jw_env_text_read(k->targets.v[i].path, k->a, &k->texts[i], k->err))
            return false;
    return true;
}

static void free_targets(struct applier *k)
{
    for (size_t i = 0; k->texts && i < k->targets.n; i++)
        jw_env_text_free(&k->texts[i]);
    while (k->n_after)
        jw_buf_free(&k->after[--k->n_after]);
    k->texts = NULL;
    k->targets = (struct jw_env_targets){ 0 };
}

/* A file that is all ours, although nothing is remembered of it: our memory was removed. */
static struct jw_env_record *adopt(struct applier *k, const struct jw_env_text *text, struct jw_env_record *r)
{
    const char *whole = text->exists ? jw_arena_text(k->a, (const char *)text->text.p, text->text.n) : NULL;

    if (!whole || !jw_text_starts(whole, jw_env_header))
        return NULL;
    *r = (struct jw_env_record){ .kind = JW_ENV_FILE, .block = whole, .made = true };
    return r;
}

static bool holds(const struct jw_env_text *text, const char *block)
{
    struct jw_bytes what = { (const uint8_t *)block, strlen(block) };

    return jw_find(jw_buf_bytes(&text->text), what) < text->text.n;
}

/* Which of our blocks it holds; NULL: none. */
static const char *held(const struct jw_env_text *text, const struct jw_env_record *r)
{
    if (!r || holds(text, r->block))
        return r ? r->block : NULL;
    return r->was && holds(text, r->was) ? r->was : NULL;
}

/* What will be done to one, and its record. */
static bool plan_file(struct applier *k, size_t i, struct jw_buf *after)
{
    const struct jw_env_target *t = &k->targets.v[i];
    const struct jw_env_text *text = &k->texts[i];
    struct jw_env_record *known = jw_env_ledger_of(&k->ledger, JW_ENV_FILE, t->path), found;
    const struct jw_env_record *r = known ? known : adopt(k, text, &found);
    const char *old = held(text, r);
    struct jw_env_record now = { .kind = JW_ENV_FILE, .path = t->path, .block = t->block };
    bool same;

    if (!jw_env_edit_put(jw_buf_bytes(&text->text), old, t->block, after, &now.joint, &same, k->err))
        return false;
    if (r && (same || old))
        now.joint = r->joint;
    if (old && strcmp(old, t->block) != 0)
        now.was = old;
    now.made = !text->exists || (r && r->made);
    if (known)
        *known = now;
    else if (!jw_env_ledger_add(&k->ledger, now, k->a, k->err))
        return false;
    return env_add_step(k, (struct jw_env_step){ JW_ENV_FILE, t->path, t->block,
                                                 same            ? JW_ENV_SAME
                                                 : !text->exists ? JW_ENV_MADE
                                                 : r             ? JW_ENV_CHANGED
                                                                 : JW_ENV_ADDED,
                                                 NULL });
}

static bool plan_folders(struct applier *k, const char *path)
{
    struct jw_env_folders missing;

    if (!jw_env_folders_missing(path, k->a, &missing, k->err))
        return false;
    for (size_t i = 0; i < missing.n; i++) {
        if (jw_env_ledger_of(&k->ledger, JW_ENV_FOLDER, missing.v[i]))
            continue;
        if (!jw_env_ledger_add(&k->ledger,
                               (struct jw_env_record){ .kind = JW_ENV_FOLDER, .path = missing.v[i] }, k->a,
                               k->err)
            || !env_add_step(k, (struct jw_env_step){ JW_ENV_FOLDER, missing.v[i], NULL, JW_ENV_MADE, NULL }))
            return false;
    }
    return true;
}

static bool plan_files(struct applier *k)
{
    k->after = jw_arena_alloc(k->a, (k->targets.n + 1) * sizeof *k->after);
    if (!k->after)
        return jw_nomem(k->err, k->targets.n * sizeof *k->after);
    for (size_t i = 0; i < k->targets.n; i++) {
        k->after[k->n_after++] = JW_BUF(JW_MAX_CONF * 2);
        if (!plan_folders(k, k->targets.v[i].path) || !plan_file(k, i, &k->after[i]))
            return false;
    }
    return true;
}

static bool write_files(struct applier *k)
{
    for (size_t i = 0; i < k->targets.n; i++) {
        const struct jw_env_text *was = &k->texts[i];
        const char *folder = jw_path_dir(k->a, was->path);

        if (!folder)
            return jw_nomem(k->err, strlen(was->path));
        if (was->exists && k->after[i].n == was->text.n
            && (!was->text.n || memcmp(k->after[i].p, was->text.p, was->text.n) == 0))
            continue;
        if (!jw_make_dirs(folder, k->err))
            return jw_wrap(k->err, "%.300s", folder);
        if (!jw_env_text_write(was, jw_buf_bytes(&k->after[i]), k->err))
            return false;
    }
    return true;
}

/* ---- the registry ---- */

static bool plan_value(struct applier *k, bool machine, const struct jw_env_setting *s)
{
    struct jw_env_record *r = jw_env_ledger_of(&k->ledger, JW_ENV_REGISTRY, s->name);
    struct jw_env_reg now;
    struct jw_buf text = JW_BUF(JW_MAX_VARIABLE);
    const char *line;
    bool same;

    if (!jw_env_registry_get(machine, s->name, k->a, &now, k->err))
        return false;
    same = now.text && strcmp(now.text, s->value) == 0;
    jw_buf_printf(&text, "%s=", s->name);
    jw_buf_text(&text, s->value);
    line = text.bad ? NULL : jw_arena_str(k->a, jw_buf_cstr(&text));
    jw_buf_free(&text);
    if (!line)
        return jw_nomem(k->err, 64);
    if (!env_add_step(k, (struct jw_env_step){ JW_ENV_REGISTRY, jw_env_registry_key(machine), line,
                                               same         ? JW_ENV_SAME
                                               : now.exists ? JW_ENV_CHANGED
                                                            : JW_ENV_MADE,
                                               NULL }))
        return false;
    if (r) {
        r->wrote = s->value;
        return true;
    }
    return same
           || jw_env_ledger_add(&k->ledger,
                                (struct jw_env_record){ .kind = JW_ENV_REGISTRY,
                                                        .path = s->name,
                                                        .machine = machine,
                                                        .existed = now.exists,
                                                        .type = now.type,
                                                        .data = now.data,
                                                        .wrote = s->value },
                                k->a, k->err);
}

static bool plan_values(struct applier *k)
{
    for (size_t i = 0; i < k->out->n_settings; i++)
        if (!plan_value(k, k->o->scope == JW_ENV_SYSTEM, &k->out->settings[i]))
            return false;
    return true;
}

/* Writing what is there already does no harm. */
static bool write_values(struct applier *k)
{
    bool ok = true;

    for (size_t i = 0; ok && i < k->out->n_settings; i++)
        ok = jw_env_registry_set(k->o->scope == JW_ENV_SYSTEM, k->out->settings[i].name,
                                 k->out->settings[i].value, k->err);
    jw_env_registry_announce();
    return ok;
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
    bool there;

    if (!place)
        return true;
    if (!env_is_text(place, "the folder of the cache", k->err)
        || !jw_env_cache_judge(place, k->a, &there, k->err))
        return false;
    if (there)
        return true;
    if (!plan_folders(k, place))
        return false;
    if (!jw_env_ledger_of(&k->ledger, JW_ENV_FOLDER, place)
        && !jw_env_ledger_add(&k->ledger, (struct jw_env_record){ .kind = JW_ENV_FOLDER, .path = place },
                              k->a, k->err))
        return false;
    return env_add_step(k, (struct jw_env_step){ JW_ENV_FOLDER, place, NULL, JW_ENV_MADE, NULL });
}

/* ---- the two verbs ---- */

bool env_begin(struct applier *k)
{
    *k->out = (struct jw_env_report){ .scope = k->o->scope, .nothing = true };
    return jw_env_ledger_load(k->o->scope, k->o->sysroot, k->a, &k->ledger, k->err);
}

/* The ledger first, with what is about to be done; the file that has all others read last. */
static bool write_all(struct applier *k, bool values)
{
    const char *place = chosen_place(k);

    if (!k->out->n_settings || (k->out->nothing && k->ledger.found))
        return true;
    if (!jw_env_ledger_save(&k->ledger, k->err))
        return false;
    k->out->begun = true;
    return (!place || jw_env_cache_make(place, k->a, k->err)) && (values ? write_values(k) : write_files(k));
}

static bool may_write(struct applier *k, bool values)
{
    const char *home = k->s->home;

    if (k->o->scope == JW_ENV_SYSTEM && !*k->o->sysroot && !k->o->dry_run && !jw_process_elevated())
        return jw_fail(k->err, JW_E_IO,
                       values ? "only an administrator can set variables of the machine"
                              : "only root can write to /etc: sudo jitwarm env apply --system");
    if (k->o->scope != JW_ENV_USER || values)
        return true;
    if (!home)
        return jw_fail(
            k->err, JW_E_IO,
            "the system names no home folder for this user (HOME is unset), so that nothing can last there");
    return jw_is_folder(home)
           || jw_fail(k->err, JW_E_IO, "%.300s: the home folder is not there, so that nothing can last in it",
                      home);
}

/* What would be written, and whether it may be. */
static bool plan_all(struct applier *k, bool values)
{
    free_targets(k);
    if (!env_begin(k) || !env_choose(k))
        return false;
    return !k->out->n_settings
           || (may_write(k, values) && find_targets(k) && read_targets(k)
               && (values ? plan_values(k) : plan_files(k)) && plan_place(k));
}

bool jw_env_apply(const struct jw_env_apply_options *o, const struct jw_env_state *s, struct jw_arena *a,
                  struct jw_env_report *out, struct jw_err *err)
{
    struct applier k = { .o = o, .s = s, .a = a, .out = out, .lock = JW_APPEND_CLOSED, .err = err };
    bool values = jw_os_is_windows(), ok = plan_all(&k, values);

    /* Once more under the lock: another one may have written meanwhile. */
    if (ok && out->n_settings && !o->dry_run && !(out->nothing && k.ledger.found))
        ok = env_lock(&k) && plan_all(&k, values) && write_all(&k, values);
    env_unlock(&k, false);
    ok = ok && env_look_after(&k);
    free_targets(&k);
    return ok;
}
