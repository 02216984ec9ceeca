#include "engine/env_apply.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "engine/env_edit.h"
#include "host/env_registry.h"
#include "host/env_write.h"
#include "host/listing.h"
#include "os/env.h"
#include "os/file.h"
#include "os/real.h"

#include <stdio.h>
#include <string.h>

#define PLACE "CUDA_CACHE_PATH"
#define SIZE "CUDA_CACHE_MAXSIZE"

struct applier {
    const struct jw_env_apply_options *o;
    const struct jw_env_state *s;
    struct jw_arena *a;
    struct jw_env_report *out;
    struct jw_env_ledger ledger;
    struct jw_env_text *texts; /* of the targets, as they are now */
    struct jw_env_targets targets;
    struct jw_buf *after; /* what they will be */
    size_t n_after;
    bool guarded;
    struct jw_err *err;
};

const char *jw_env_done_name(enum jw_env_done d)
{
    static const char *const names[] = { "same", "made", "added", "changed", "taken", "removed", "left" };

    return names[d];
}

static bool add_step(struct applier *k, struct jw_env_step step)
{
    struct jw_env_step *slot =
        jw_list_add(k->a, &k->out->steps, &k->out->n, sizeof *slot, JW_MAX_LISTED, k->err);

    if (!slot)
        return false;
    *slot = step;
    k->out->nothing = k->out->nothing && (step.done == JW_ENV_SAME || step.done == JW_ENV_LEFT);
    return true;
}

static bool is_text(const char *text, const char *what, struct jw_err *err)
{
    return jw_utf8_valid((struct jw_bytes){ (const uint8_t *)text, strlen(text) })
           || jw_fail(err, JW_E_USAGE, "%s is not UTF-8 text, and cannot be written into files", what);
}

/* ---- which settings ---- */

static struct jw_env_kept *kept_of(struct jw_env_ledger *l, const char *name)
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

/* A prefix has a root of its own, named after it. */
static bool choose_root(struct applier *k)
{
    char hex[2 * JW_DIGEST + 1];
    uint8_t digest[JW_DIGEST];
    struct jw_buf name = JW_BUF(JW_MAX_PATH);
    const char *base, *place;

    if (k->s->facts.ask_place) {
        k->out->place = k->s->facts.ask_place;
        return true;
    }
    if (k->s->facts.disk_known && k->s->facts.disk.kind == JW_DISK_NETWORK)
        return jw_fail(
            k->err, JW_E_USAGE,
            "the cache is on another machine's disk; name a folder of this machine for it: --path DIR");
    base = jw_cachedir_default(k->a, &place);
    if (!base)
        return jw_fail(k->err, JW_E_IO, "%s", place ? place : "out of memory");
    jw_digest(digest, k->out->prefix, strlen(k->out->prefix));
    jw_digest_hex(hex, digest);
    jw_buf_printf(&name, "%s-%.40s-%.8s", base, jw_path_base(k->out->prefix), hex);
    k->out->place = name.bad ? NULL : jw_arena_str(k->a, jw_buf_cstr(&name));
    jw_buf_free(&name);
    return k->out->place || jw_nomem(k->err, 64);
}

/* What was asked for now, what was asked for at an earlier time, what is advised, what was written before: in this order. */
static bool choose(struct applier *k)
{
    const struct jw_env_advice *advice = k->s->advice;
    const struct jw_env_apply_options *o = k->o;

    for (size_t i = 0; i < k->ledger.n_settings; i++)
        set(k, k->ledger.settings[i].name, k->ledger.settings[i].value,
            k->ledger.settings[i].asked ? "as asked for before" : "as written before");
    for (size_t i = 0; i < JW_ENV_ADVICES; i++) {
        const struct jw_env_kept *before = kept_of(&k->ledger, advice[i].name);
        bool asked = i == JW_ENV_SIZE ? o->size_asked : i == JW_ENV_PLACE && o->place_asked;

        if (!advice[i].value || (before && before->asked && !asked)
            || (i == JW_ENV_PLACE && (o->scope == JW_ENV_SYSTEM || (before && !asked))))
            continue;
        set(k, advice[i].name, advice[i].value, advice[i].why);
    }
    if (o->scope != JW_ENV_PREFIX)
        return true;
    if (!choose_root(k))
        return false;
    set(k, PLACE, k->out->place, "a cache of its own");
    if (!o->size_asked && !(kept_of(&k->ledger, SIZE) && kept_of(&k->ledger, SIZE)->asked)) {
        char most[24];

        (void)snprintf(most, sizeof most, "%llu", (unsigned long long)jw_cache_limits().most);

        const char *text = jw_arena_str(k->a, most);

        if (!text)
            return jw_nomem(k->err, sizeof most);
        set(k, SIZE, text,
            "the most that a driver heeds: it is a ceiling, and takes no room before it is used");
    }
    return true;
}

/* The default is bad, and nobody has named another folder: one that nobody can guess, on this machine. */
static bool choose_local(struct applier *k)
{
    const struct jw_env_advice *place = &k->s->advice[JW_ENV_PLACE];
    const char *local = NULL;

    if (k->o->scope != JW_ENV_USER || !place->wrong || place->value || kept_of(&k->ledger, PLACE)
        || jw_os_is_windows()
        || (k->s->facts.disk_known && k->s->facts.disk.kind == JW_DISK_MEMORY && !k->s->facts.refused))
        return true;
    if (k->o->dry_run) {
        k->guarded = true;
        set(k, PLACE, JW_ENV_LOCAL "RANDOM",
            "a folder on this machine's own disk, for this user alone, whose name nobody can guess");
        return true;
    }
    if (!jw_env_local_name(k->a, &local, k->err))
        return false;
    k->guarded = true;
    set(k, PLACE, local,
        "a folder on this machine's own disk, for this user alone, whose name nobody can guess");
    return true;
}

static bool keep_settings(struct applier *k)
{
    for (size_t i = 0; i < k->out->n_settings; i++) {
        const struct jw_env_setting *s = &k->out->settings[i];
        struct jw_env_kept *before = kept_of(&k->ledger, s->name);
        bool asked = (strcmp(s->name, SIZE) == 0 && k->o->size_asked)
                     || (strcmp(s->name, PLACE) == 0 && k->o->place_asked);

        if (!before
            && !(before = jw_list_add(k->a, &k->ledger.settings, &k->ledger.n_settings, sizeof *before, 64,
                                      k->err)))
            return false;
        asked = asked || (before->asked && before->value && strcmp(before->value, s->value) == 0);
        *before = (struct jw_env_kept){ s->name, s->value, asked };
    }
    return true;
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
                              .prefix = k->out->prefix,
                              .windows = jw_os_is_windows(),
                              .guarded = k->guarded };
    const struct jw_env_kept *place = kept_of(&k->ledger, PLACE);
    const struct jw_env_var *usual = jw_env_var_of(&k->s->look, PLACE);

    w.usual_place = usual ? usual->login ? usual->login : usual->here : NULL;
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
        if (!is_text(k->targets.v[i].path, "the path of a file", k->err)
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

/* What will be done to one, and its record. */
static bool plan_file(struct applier *k, size_t i, struct jw_buf *after)
{
    const struct jw_env_target *t = &k->targets.v[i];
    const struct jw_env_text *text = &k->texts[i];
    struct jw_env_record *known = jw_env_ledger_of(&k->ledger, JW_ENV_FILE, t->path), found;
    const struct jw_env_record *r = known ? known : adopt(k, text, &found);
    struct jw_env_record now = { .kind = JW_ENV_FILE, .path = t->path, .block = t->block };
    bool same;

    if (!jw_env_edit_put(jw_buf_bytes(&text->text), r ? r->block : NULL, t->block, after, &now.joint, &same,
                         k->err))
        return false;
    if (r && (same || holds(text, r->block)))
        now.joint = r->joint;
    now.made = !text->exists || (r && r->made);
    if (known)
        *known = now;
    else if (!jw_env_ledger_add(&k->ledger, now, k->a, k->err))
        return false;
    return add_step(k, (struct jw_env_step){ JW_ENV_FILE, t->path, t->block,
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
            || !add_step(k, (struct jw_env_step){ JW_ENV_FOLDER, missing.v[i], NULL, JW_ENV_MADE, NULL }))
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
    if (!add_step(k, (struct jw_env_step){ JW_ENV_REGISTRY, jw_env_registry_key(machine), line,
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
        if (strcmp(k->out->settings[i].name, PLACE) == 0)
            return k->out->settings[i].value;
    return NULL;
}

static bool plan_place(struct applier *k)
{
    const char *place = chosen_place(k);
    bool there;

    if (!place)
        return true;
    if (!is_text(place, "the folder of the cache", k->err)
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
    return add_step(k, (struct jw_env_step){ JW_ENV_FOLDER, place, NULL, JW_ENV_MADE, NULL });
}

/* ---- afterwards ---- */

/* What is read after our line wins over it. */
static bool note_rivals(struct applier *k)
{
    for (size_t i = 0; i < k->out->n_settings; i++) {
        const struct jw_env_setting *s = &k->out->settings[i];
        const struct jw_env_var *v = jw_env_var_of(&k->s->look, s->name);

        for (size_t j = 0; v && j < v->n_sources && k->o->scope == JW_ENV_USER; j++) {
            const struct jw_env_source *o = &v->sources[j];

            if (o->ours || !o->value || strcmp(o->value, s->value) == 0)
                continue;
            if (!jw_note(&k->out->notes, k->a, k->err,
                         "%s:%u sets %s=%.100s: what reads that last has that; remove the line", o->origin,
                         o->line, s->name, o->value))
                return false;
        }
    }
    return true;
}

static bool note_login(struct applier *k, const struct jw_login_env *login)
{
    k->out->checked = login->known;
    for (size_t i = 0; login->known && i < k->out->n_settings; i++) {
        const struct jw_env_setting *s = &k->out->settings[i];
        const struct jw_env_value *v = jw_env_set_find(&login->sets, s->name);

        if (v && strcmp(v->value, s->value) == 0)
            continue;
        k->out->checked = false;
        if (!jw_note(&k->out->notes, k->a, k->err, "a new login was asked: there %s is %.100s%s%.100s",
                     s->name, v ? v->value : "unset", v && v->origin ? ", by " : "",
                     v && v->origin ? v->origin : ""))
            return false;
    }
    return true;
}

/* Only where this HOME is the one that a login has. */
static bool check_login(struct applier *k)
{
    struct jw_login_env login;
    const struct jw_env_value *home = jw_env_set_find(&k->s->look.login.sets, "HOME");

    if (k->o->unchecked || k->o->scope != JW_ENV_USER || jw_os_is_windows() || !home || !k->s->home
        || strcmp(home->value, k->s->home) != 0)
        return true;
    return jw_login_env(k->a, &login, k->err) && note_login(k, &login);
}

static bool look_after(struct applier *k)
{
    for (size_t i = 0; i < k->targets.notes.n; i++)
        if (!jw_note(&k->out->notes, k->a, k->err, "%s", k->targets.notes.v[i]))
            return false;
    if (!note_rivals(k))
        return false;
    if (k->s->facts.container && k->o->scope != JW_ENV_PREFIX
        && !jw_note(&k->out->notes, k->a, k->err,
                    "in a container nobody logs in: programs have what the image and docker run give them; "
                    "jitwarm env --shell "
                    "docker prints that"))
        return false;
    if (!k->o->dry_run && !check_login(k))
        return false;
    return k->o->scope == JW_ENV_PREFIX
           || jw_env_running("/proc", k->out->settings, k->out->n_settings, k->o->scope == JW_ENV_SYSTEM,
                             k->a, &k->out->running, k->err);
}

/* ---- the two verbs ---- */

static bool begin(struct applier *k)
{
    const char *prefix = NULL;

    *k->out = (struct jw_env_report){ .scope = k->o->scope, .nothing = true };
    if (k->o->scope == JW_ENV_PREFIX) {
        if (!jw_real_path(k->o->prefix, k->a, &prefix, k->err))
            return jw_wrap(k->err, "%.300s", k->o->prefix);
        k->out->prefix = prefix;
        if (!is_text(prefix, "the path", k->err))
            return false;
    }
    return jw_env_ledger_load(k->o->scope, prefix, k->o->sysroot, k->a, &k->ledger, k->err);
}

/* The ledger first, with what is about to be done; the file that has all others read last. */
static bool write_all(struct applier *k, bool values)
{
    const char *place = chosen_place(k);

    if (k->o->dry_run || (k->out->nothing && k->ledger.found))
        return true;
    return jw_env_ledger_save(&k->ledger, k->err) && (!place || jw_env_cache_make(place, k->a, k->err))
           && (values ? write_values(k) : write_files(k));
}

bool jw_env_apply(const struct jw_env_apply_options *o, const struct jw_env_state *s, struct jw_arena *a,
                  struct jw_env_report *out, struct jw_err *err)
{
    struct applier k = { .o = o, .s = s, .a = a, .out = out, .err = err };
    bool values = jw_os_is_windows() && o->scope != JW_ENV_PREFIX,
         ok = begin(&k) && choose(&k) && choose_local(&k);

    if (ok && !out->n_settings)
        return look_after(&k);
    if (ok && o->scope == JW_ENV_USER && !s->home && !values)
        ok = jw_fail(
            err, JW_E_IO,
            "the system names no home folder for this user (HOME is unset), so that nothing can last there");
    ok = ok && keep_settings(&k) && find_targets(&k) && read_targets(&k)
         && (values ? plan_values(&k) : plan_files(&k)) && plan_place(&k) && write_all(&k, values)
         && look_after(&k);
    free_targets(&k);
    return ok;
}

/* ---- undo ---- */

static bool take_file(struct applier *k, const struct jw_env_record *r)
{
    struct jw_env_text text = { 0 };
    struct jw_buf after = JW_BUF(JW_MAX_CONF * 2);
    struct jw_env_step step = { JW_ENV_FILE, r->path, r->block, JW_ENV_SAME, NULL };
    bool found = false, gone = false;
    bool ok = jw_env_text_read(r->path, k->a, &text, k->err);

    ok = ok
         && (!text.exists
             || jw_env_edit_take(jw_buf_bytes(&text.text), r->block, r->joint, &after, &found, k->err));
    if (ok && found) {
        gone = r->made && after.n == 0;
        step.done = gone ? JW_ENV_REMOVED : JW_ENV_TAKEN;
        if (!k->o->dry_run)
            ok = gone ? jw_env_text_remove(&text, k->err)
                      : jw_env_text_write(&text, jw_buf_bytes(&after), k->err);
    } else if (ok && text.exists && strstr(jw_buf_cstr(&text.text), "jitwarm env")) {
        step.done = JW_ENV_LEFT;
        step.why =
            "what jitwarm wrote there was changed by hand since, and is left as it is: remove it by hand";
    }
    jw_buf_free(&after);
    jw_env_text_free(&text);
    return ok && add_step(k, step);
}

static bool take_value(struct applier *k, const struct jw_env_record *r)
{
    struct jw_env_step step = { JW_ENV_REGISTRY, jw_env_registry_key(r->machine), r->path, JW_ENV_LEFT,
                                NULL };
    struct jw_env_reg now, was = { .exists = r->existed, .type = r->type, .data = r->data };

    if (!jw_env_registry_get(r->machine, r->path, k->a, &now, k->err))
        return false;
    if (!now.exists && !r->existed) {
        step.done = JW_ENV_SAME;
    } else if (now.exists && now.type == r->type && now.data.n == r->data.n && r->existed
               && memcmp(now.data.p, r->data.p, r->data.n) == 0) {
        step.done = JW_ENV_SAME;
    } else if (!now.text || strcmp(now.text, r->wrote) != 0) {
        step.why = "it was changed since, and is left as it is";
    } else {
        step.done = r->existed ? JW_ENV_TAKEN : JW_ENV_REMOVED;
        if (!k->o->dry_run && !jw_env_registry_put_back(r->machine, r->path, &was, k->err))
            return false;
    }
    return add_step(k, step);
}

/* Made last, removed first: folders are empty by then, or stay. */
static bool take_all(struct applier *k)
{
    bool registry = false;

    for (size_t i = k->ledger.n; i-- > 0;) {
        const struct jw_env_record *r = &k->ledger.records[i];

        registry = registry || r->kind == JW_ENV_REGISTRY;
        if (r->kind == JW_ENV_FILE ? !take_file(k, r) : r->kind == JW_ENV_REGISTRY && !take_value(k, r))
            return false;
    }
    for (size_t i = k->ledger.n; i-- > 0;)
        if (k->ledger.records[i].kind == JW_ENV_FOLDER && !k->o->dry_run)
            jw_env_folder_drop(k->ledger.records[i].path);
    if (registry && !k->o->dry_run)
        jw_env_registry_announce();
    return true;
}

bool jw_env_undo(const struct jw_env_apply_options *o, struct jw_arena *a, struct jw_env_report *out,
                 struct jw_err *err)
{
    struct applier k = { .o = o, .a = a, .out = out, .err = err };
    struct jw_env_setting gone[JW_ENV_ADVICES];
    size_t n = 0;

    if (!begin(&k))
        return false;
    if (!k.ledger.found)
        return true;
    for (size_t i = 0; i < k.ledger.n_settings && n < JW_ENV_ADVICES; i++) {
        if (strcmp(k.ledger.settings[i].name, PLACE) == 0)
            out->place = k.ledger.settings[i].value;
        gone[n++] = (struct jw_env_setting){ k.ledger.settings[i].name, NULL };
    }
    if (!take_all(&k) || (!o->dry_run && !jw_env_ledger_drop(&k.ledger, err)))
        return false;
    if (!o->dry_run && out->place && jw_is_folder(out->place)
        && !jw_note(&out->notes, a, err, "%s stays, with what is in it: remove it when no program uses it",
                    out->place))
        return false;
    return o->scope == JW_ENV_PREFIX
           || jw_env_running("/proc", gone, n, o->scope == JW_ENV_SYSTEM, a, &out->running, err);
}
