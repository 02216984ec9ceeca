#include "env/env_look.h"
#include "base/buf.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "env/env_shell.h"
#include "env/files/env_registry.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

/* Part of the names of files that jitwarm env apply writes. */
#define OURS "jitwarm"

enum dialect { SHELL, PAM, ENVIRONMENT_D, UNIT };

/* Begins with ~ (the home) or / (below the sysroot); may contain *. */
static const struct place {
    const char *pattern;
    enum dialect dialect;
} places[] = {
    { "/etc/environment", PAM },
    { "/usr/lib/environment.d/*.conf", ENVIRONMENT_D },
    { "/usr/local/lib/environment.d/*.conf", ENVIRONMENT_D },
    { "/etc/environment.d/*.conf", ENVIRONMENT_D },
    { "/run/environment.d/*.conf", ENVIRONMENT_D },
    { "~/.config/environment.d/*.conf", ENVIRONMENT_D },
    { "/etc/profile", SHELL },
    { "/etc/profile.d/*.sh", SHELL },
    { "/etc/profile.d/*.csh", SHELL },
    { "/etc/bash.bashrc", SHELL },
    { "/etc/bashrc", SHELL },
    { "/etc/csh.cshrc", SHELL },
    { "/etc/zsh/zshenv", SHELL },
    { "/etc/zsh/zprofile", SHELL },
    { "/etc/zsh/zshrc", SHELL },
    { "/etc/fish/config.fish", SHELL },
    { "/etc/fish/conf.d/*.fish", SHELL },
    { "~/.pam_environment", PAM },
    { "~/.profile", SHELL },
    { "~/.bash_profile", SHELL },
    { "~/.bash_login", SHELL },
    { "~/.bashrc", SHELL },
    { "~/.bash_aliases", SHELL },
    { "~/.zshenv", SHELL },
    { "~/.zprofile", SHELL },
    { "~/.zshrc", SHELL },
    { "~/.zlogin", SHELL },
    { "~/.kshrc", SHELL },
    { "~/.cshrc", SHELL },
    { "~/.tcshrc", SHELL },
    { "~/.login", SHELL },
    { "~/.xprofile", SHELL },
    { "~/.xsessionrc", SHELL },
    { "~/.config/fish/config.fish", SHELL },
    { "~/.config/fish/conf.d/*.fish", SHELL },
    { "~/.config/jitwarm/env.*", SHELL },
    { "/etc/systemd/system.conf", UNIT },
    { "/etc/systemd/system.conf.d/*.conf", UNIT },
    { "/etc/systemd/user.conf", UNIT },
    { "/etc/systemd/user.conf.d/*.conf", UNIT },
    { "/etc/systemd/system/*.service", UNIT },
    { "/etc/systemd/system/*.service.d/*.conf", UNIT },
    { "/etc/systemd/user/*.service", UNIT },
    { "/etc/systemd/user/*.service.d/*.conf", UNIT },
    { "~/.config/systemd/user/*.service", UNIT },
    { "~/.config/systemd/user/*.service.d/*.conf", UNIT },
};

struct looker {
    const struct jw_env_look_options *o;
    struct jw_arena *a;
    struct jw_env_look *out;
    struct jw_err *err;
};

static const struct jw_env_known *meant(const char *name)
{
    const char *right = jw_env_meant(name, jw_os_is_windows());

    return right ? jw_env_known(right) : NULL;
}

static bool wants(const char *name)
{
    return jw_env_known(name) || meant(name);
}

/* ---- sources ---- */

static struct jw_env_var *var_of(struct looker *k, const char *name)
{
    struct jw_env_var *v;

    for (size_t i = 0; i < k->out->n; i++)
        if (strcmp(k->out->v[i].name, name) == 0)
            return &k->out->v[i];
    v = jw_list_add(k->a, &k->out->v, &k->out->n, sizeof *v, JW_MAX_VARIABLES, k->err);
    if (v)
        *v = (struct jw_env_var){ .name = name, .known = jw_env_known(name), .meant = meant(name) };
    return v;
}

static bool add_source(struct looker *k, const char *name, struct jw_env_source s)
{
    struct jw_env_var *v = var_of(k, name);
    struct jw_env_source *slot =
        v ? jw_list_add(k->a, &v->sources, &v->n_sources, sizeof *slot, JW_MAX_LISTED, k->err) : NULL;

    if (!slot)
        return false;
    s.ours = strstr(jw_path_base(s.origin), OURS) != NULL || strstr(s.origin, "/" OURS "/") != NULL;
    *slot = s;
    return true;
}

/* ---- files ---- */

static bool add_set(struct looker *k, const struct jw_env_set *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].origin && wants(s->v[i].name)
            && !add_source(
                k, s->v[i].name,
                (struct jw_env_source){ .origin = s->v[i].origin, .value = s->v[i].value, .exact = true }))
            return false;
    return true;
}

static bool add_assigns(struct looker *k, const char *path, const struct jw_env_assigns *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!add_source(k, list->v[i].name,
                        (struct jw_env_source){ .origin = path,
                                                .line = list->v[i].line,
                                                .value = list->v[i].value,
                                                .exact = list->v[i].exact }))
            return false;
    return true;
}

static bool read_by_dialect(struct looker *k, const char *path, enum dialect dialect, struct jw_bytes text)
{
    struct jw_env_assigns list = { 0 };
    struct jw_env_set s = { 0 };

    switch (dialect) {
    case PAM: return jw_env_file_pam(text, path, k->a, &s, k->err) && add_set(k, &s);
    case ENVIRONMENT_D:
        return (!k->o->home || jw_env_set_put(&s, "HOME", k->o->home, NULL, k->a, k->err))
               && jw_env_file_systemd(text, path, k->a, &s, k->err) && add_set(k, &s);
    case UNIT: return jw_env_unit_read(text, wants, k->a, &list, k->err) && add_assigns(k, path, &list);
    default: return jw_env_shell_read(text, wants, k->a, &list, k->err) && add_assigns(k, path, &list);
    }
}

static bool read_place(struct looker *k, const char *path, enum dialect dialect)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    struct jw_err why = { 0 };
    bool found = false, ok;

    if (!jw_file_slurp(path, &text, &found, &why)) {
        jw_buf_free(&text);
        if (why.code == JW_E_LIMIT) {
            jw_note(&k->out->notes, k->a, "%s: is larger than 1 MiB; skipped", path);
            return true;
        }
        jw_note_failure(&k->out->notes, k->a, &why, path);
        return true;
    }
    ok = !found || read_by_dialect(k, path, dialect, jw_buf_bytes(&text));
    if (ok && found && text.n && memchr(text.p, '\0', text.n))
        jw_note(&k->out->notes, k->a, "%s: is not text (it contains a NUL); skipped", path);
    jw_buf_free(&text);
    return ok;
}

static bool expand_pattern(struct looker *k, const char *folder, const char *rest, enum dialect dialect)
{
    size_t n = strcspn(rest, "/");
    const char *name = jw_arena_text(k->a, rest, n), *path;
    struct jw_listing found;

    rest += n + (rest[n] == '/');
    if (!strchr(name, '*')) {
        path = jw_path_join(k->a, folder, name);
        return *rest ? expand_pattern(k, path, rest, dialect) : read_place(k, path, dialect);
    }
    found = jw_listing_read(folder, name, k->a, &k->out->notes);
    for (size_t i = 0; i < found.n; i++) {
        path = jw_path_join(k->a, folder, found.names[i]);
        if (!(*rest ? expand_pattern(k, path, rest, dialect) : read_place(k, path, dialect)))
            return false;
    }
    return true;
}

static bool read_places(struct looker *k)
{
    const char *root = *k->o->sysroot ? k->o->sysroot : "/";

    for (size_t i = 0; i < JW_COUNT(places); i++) {
        bool own = places[i].pattern[0] == '~';
        const char *folder = own ? k->o->home : root;

        if (folder && !expand_pattern(k, folder, places[i].pattern + (own ? 2 : 1), places[i].dialect))
            return false;
    }
    return true;
}

/* ---- conda ---- */

/* conda-meta/state: { "env_vars": { "NAME": "value" } } */
static bool read_conda_state(struct looker *k, const char *path)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    struct jw_jdoc *doc = NULL;
    struct jw_err why = { 0 };
    bool found = false, ok = true;
    const struct jw_jval *v;

    if (!jw_file_slurp(path, &text, &found, &why) || !found
        || !jw_jdoc_parse(&doc, jw_buf_bytes(&text), &why)) {
        jw_buf_free(&text);
        if (why.msg[0])
            jw_note_failure(&k->out->notes, k->a, &why, path);
        return true;
    }
    for (v = jw_jfirst(jw_jget(jw_jdoc_root(doc), "env_vars")); ok && v; v = jw_jnext(v)) {
        const char *name = jw_jkey(v), *value = jw_jtext(v);

        if (!name || !value || !wants(name))
            continue;
        name = jw_arena_str(k->a, name);
        value = jw_arena_str(k->a, value);
        ok = add_source(k, name, (struct jw_env_source){ .origin = path, .value = value, .exact = true });
    }
    jw_jdoc_free(doc);
    jw_buf_free(&text);
    return ok;
}

static bool read_conda(struct looker *k)
{
    const char *prefix = jw_env(k->a, "CONDA_PREFIX"), *state;

    if (!prefix || !jw_path_absolute(prefix))
        return true;
    state = jw_path_join(k->a, prefix, "conda-meta/state");
    return read_conda_state(k, state)
           && expand_pattern(k, prefix,
                             jw_os_is_windows() ? "etc/conda/activate.d/*.ps1" : "etc/conda/activate.d/*.sh",
                             SHELL);
}

/* ---- the process and the login ---- */

/* Misspelt names come from the environment, known names from the list. */
static bool take_misspelt(struct looker *k)
{
    const char *const *all;
    size_t n;

    if (!jw_env_all(k->a, &all, &n, k->err))
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *name = jw_arena_text(k->a, all[i], strcspn(all[i], "="));

        if (meant(name) && !var_of(k, name))
            return false;
    }
    return true;
}

static bool take_here(struct looker *k)
{
    for (size_t i = 0; i < jw_env_vars_n; i++)
        if ((jw_env_vars[i].kind == JW_ENV_CACHE || jw_env_has(jw_env_vars[i].name))
            && !var_of(k, jw_env_vars[i].name))
            return false;
    return take_misspelt(k);
}

static bool take_login(struct looker *k)
{
    const struct jw_login_env *login = &k->out->login;

    if (k->o->no_login)
        return true;
    if (!jw_login_env(k->a, &k->out->login, k->err))
        return false;
    for (size_t i = 0; i < login->sets.n && login->known; i++) {
        struct jw_env_var *v;

        if (!wants(login->sets.v[i].name))
            continue;
        v = var_of(k, login->sets.v[i].name);
        if (!v)
            return false;
        v->login = login->sets.v[i].value;
        v->login_from = login->sets.v[i].origin;
    }
    return true;
}

static const char *say_origin(struct looker *k, const struct jw_env_source *s)
{
    return s->line ? jw_arena_printf(k->a, "%s:%u", s->origin, s->line) : s->origin;
}

/* The last file with the same value; else the login; else unknown. */
static void judge_from(struct looker *k, struct jw_env_var *v)
{
    const char *container = "this process: the program that started it set the variable";

    if (!v->here)
        return;
    for (size_t i = v->n_sources; i-- > 0 && !v->from;)
        if (v->sources[i].value && strcmp(v->sources[i].value, v->here) == 0)
            v->from = say_origin(k, &v->sources[i]);
    if (!v->from)
        v->from = v->login && strcmp(v->login, v->here) == 0 && v->login_from ? v->login_from : container;
}

/* Windows: the user's value, and the machine's. */
static bool read_registry(struct looker *k)
{
    for (size_t i = 0; i < jw_env_vars_n; i++)
        for (int machine = 1; machine >= 0; machine--) {
            struct jw_env_reg r;
            struct jw_err why = { 0 };

            if (!jw_env_registry_get(machine, jw_env_vars[i].name, k->a, &r, &why)) {
                jw_note_failure(&k->out->notes, k->a, &why, jw_env_registry_key(machine));
            } else if (r.text
                       && !add_source(k, jw_env_vars[i].name,
                                      (struct jw_env_source){ .origin = jw_env_registry_key(machine),
                                                              .value = r.text,
                                                              .exact = !strchr(r.text, '%') }))
                return false;
        }
    return true;
}

bool jw_env_look(const struct jw_env_look_options *o, struct jw_arena *a, struct jw_env_look *out,
                 struct jw_err *err)
{
    struct looker k = { o, a, out, err };

    *out = (struct jw_env_look){ 0 };
    if (!take_here(&k) || !(jw_os_is_windows() ? read_registry(&k) : read_places(&k)) || !read_conda(&k)
        || !take_login(&k))
        return false;
    for (size_t i = 0; i < out->n; i++) {
        out->v[i].here = jw_env(a, out->v[i].name);
        judge_from(&k, &out->v[i]);
    }
    return true;
}

const struct jw_env_var *jw_env_var_of(const struct jw_env_look *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i].name, name) == 0)
            return &l->v[i];
    return NULL;
}
