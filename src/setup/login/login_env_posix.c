
#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "setup/login/login_env.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_MS = 5000, MADE_TIMEOUT_MS = 120000, FIRST_ROOM = 4096, MAX_ROOM = 1 << 20 };

#define PAM_FILE "etc/environment"
#define ENV_TOOL "/usr/bin/env"

/* How to start a login shell. A shell that is not listed gets a name that begins with a hyphen, which is
 * how a login itself does it. */
static const char *const login_flag_shells[] = { "sh",  "bash",  "rbash", "dash", "ash",  "zsh",
                                                 "ksh", "ksh93", "mksh",  "yash", "fish", "busybox" };
/* With -x these say each command, its words expanded. */
static const char *const traceable_shells[] = { "sh",  "bash", "rbash", "dash", "ash",
                                                "zsh", "ksh",  "ksh93", "mksh", "yash" };
static const char *const nologin_shells[] = { "nologin", "false", "true", "sync", "halt", "shutdown" };

struct asker {
    const struct jw_login_user *who;
    struct jw_arena *a;
    struct jw_login_env *out;
    struct jw_env_set base; /* what the shell starts with */
    struct jw_err *err;
};

static bool is_listed_shell(const char *const *names, size_t n, const char *path)
{
    return jw_text_among(jw_path_base(path), names, n);
}

static bool unknown(struct asker *k, const char *fmt, ...) JW_PRINTF(2, 3);

/* Not knowing is an answer. */
static bool unknown(struct asker *k, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    k->out->why = jw_arena_say(k->a, fmt, args);
    va_end(args);
    k->out->known = false;
    return true;
}

/* ---- files that speak for a login ---- */

/* One that cannot be read is a note. False: there is nothing in `text`. */
static bool slurp_noted(struct asker *k, const char *path, struct jw_buf *text)
{
    struct jw_err why = { 0 };
    bool found = false;

    if (jw_file_slurp(path, text, &found, &why))
        return found;
    jw_note_failure(&k->out->notes, k->a, &why, path);
    return false;
}

static bool read_settings(struct asker *k, const char *path, bool systemd, struct jw_env_set *s)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    bool ok = true;

    if (slurp_noted(k, path, &text))
        ok = systemd ? jw_env_file_systemd(jw_buf_bytes(&text), path, k->a, s, k->err)
                     : jw_env_file_pam(jw_buf_bytes(&text), path, k->a, s, k->err);
    jw_buf_free(&text);
    return ok;
}

static const char *below_root(struct asker *k, const char *name)
{
    return jw_path_join(k->a, *k->who->sysroot ? k->who->sysroot : "/", name);
}

struct conf {
    const char *name, *path;
};

static int by_conf_name(const void *a, const void *b)
{
    return strcmp(((const struct conf *)a)->name, ((const struct conf *)b)->name);
}

/* A name hides those like it in the folders after its own. */
static bool add_folder(struct asker *k, const char *folder, struct conf **list, size_t *n)
{
    struct jw_listing names = jw_listing_read(folder, "*.conf", k->a, &k->out->notes);
    size_t before = *n;

    for (size_t i = 0; i < names.n; i++) {
        bool hidden = false;

        for (size_t j = 0; j < before && !hidden; j++)
            hidden = strcmp((*list)[j].name, names.names[i]) == 0;
        if (hidden)
            continue;

        struct conf *c = jw_list_add(k->a, list, n, sizeof *c, JW_MAX_LISTED, k->err);

        if (!c)
            return false;
        *c = (struct conf){ names.names[i], jw_path_join(k->a, folder, names.names[i]) };
    }
    return true;
}

static bool list_environment_d(struct asker *k, struct conf **list, size_t *n)
{
    static const char *const folders[] = { "etc/environment.d", "run/environment.d",
                                           "usr/local/lib/environment.d", "usr/lib/environment.d" };
    const char *own = jw_path_join(k->a, k->who->home, ".config/environment.d");
    bool ok = add_folder(k, own, list, n);

    for (size_t i = 0; ok && i < JW_COUNT(folders); i++)
        ok = add_folder(k, below_root(k, folders[i]), list, n);
    if (*n)
        qsort(*list, *n, sizeof **list, by_conf_name);
    return ok;
}

/* systemd gives these to a session, where the shell is silent. */
static bool fill_from_environment_d(struct asker *k)
{
    struct conf *list = NULL;
    size_t n = 0;
    struct jw_env_set s = { 0 };
    bool ok = list_environment_d(k, &list, &n);

    for (size_t i = 0; ok && i < k->base.n; i++)
        ok = jw_env_set_put(&s, k->base.v[i].name, k->base.v[i].value, NULL, k->a, k->err);
    for (size_t i = 0; ok && i < n; i++)
        ok = read_settings(k, list[i].path, true, &s);
    for (size_t i = 0; ok && i < s.n; i++) {
        const struct jw_env_value *v = &s.v[i];

        if (v->origin && v->value && jw_login_wants(v->name) && !jw_env_set_find(&k->out->sets, v->name))
            ok = jw_env_set_put(&k->out->sets, v->name, v->value, v->origin, k->a, k->err);
    }
    return ok;
}

/* ---- the shell ---- */

static bool is_runnable_shell(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return *path == '/' && jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_REGULAR
           && access(path, X_OK) == 0;
}

/* Is it a line of /etc/shells? */
static bool is_shell(struct asker *k, const char *shell)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    bool is = false;

    (void)slurp_noted(k, below_root(k, "etc/shells"), &text);
    for (const char *at = jw_buf_cstr(&text); !is && *at;) {
        size_t n = strcspn(at, "\n");

        is = n == strlen(shell) && strncmp(at, shell, n) == 0;
        at += n + (at[n] != '\0');
    }
    jw_buf_free(&text);
    return is;
}

/* The user database names it; where that one is not installed here, $SHELL if the system knows it as a shell. */
static void pick_shell(struct asker *k)
{
    const char *shell = *k->who->shell ? k->who->shell : "/bin/sh", *other = jw_env(k->a, "SHELL");

    if (is_listed_shell(nologin_shells, JW_COUNT(nologin_shells), shell))
        (void)unknown(k, "%s cannot log in: the login shell is %s", k->who->name, shell);
    else if (is_runnable_shell(shell))
        k->out->shell = shell;
    else if (other && is_shell(k, other) && is_runnable_shell(other))
        k->out->shell = other;
    else
        (void)unknown(k, "the login shell of %s, %s, cannot be run", k->who->name, shell);
}

/* Later ones win, but cannot change the user. */
static bool make_base(struct asker *k)
{
    const char *lang = jw_env(k->a, "LANG");
    const struct jw_env_value before[] = {
        { "PATH",
          k->who->root ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
                       : "/usr/local/bin:/usr/bin:/bin",
          NULL },
        { "LANG", lang ? lang : "C.UTF-8", NULL },
    };
    const struct jw_env_value after[] = { { "HOME", k->who->home, NULL },
                                          { "USER", k->who->name, NULL },
                                          { "LOGNAME", k->who->name, NULL },
                                          { "SHELL", k->out->shell, NULL },
                                          { "TERM", "dumb", NULL } };
    bool ok = true;

    for (size_t i = 0; ok && i < JW_COUNT(before); i++)
        ok = jw_env_set_put(&k->base, before[i].name, before[i].value, NULL, k->a, k->err);
    ok = ok && read_settings(k, below_root(k, PAM_FILE), false, &k->base);
    for (size_t i = 0; ok && i < JW_COUNT(after); i++)
        ok = jw_env_set_put(&k->base, after[i].name, after[i].value, NULL, k->a, k->err);
    return ok;
}

/* An interactive shell starts in a terminal, with what the login has set. `traced`: it says what it does, so that the files are
 * known that it reads. */
static bool run_shell(struct asker *k, bool interactive, bool traced, struct jw_buf *output,
                      struct jw_err *why)
{
    const struct jw_env_set *sets = &k->out->sets;
    static const char command[] = "set +x; echo " JW_LOGIN_MARK "; " ENV_TOOL " -0; echo " JW_LOGIN_MARK;
    const char *argv[8] = { k->out->shell };
    struct jw_child_edit *edits = jw_arena_alloc(k->a, (k->base.n + sets->n) * sizeof *edits);
    char hyphened[64];
    size_t n = 1, n_edits = 0;
    int code;

    for (size_t i = 0; i < k->base.n; i++)
        edits[n_edits++] = (struct jw_child_edit){ k->base.v[i].name, k->base.v[i].value };
    for (size_t i = 0; interactive && i < sets->n; i++)
        edits[n_edits++] = (struct jw_child_edit){ sets->v[i].name, sets->v[i].value };
    if (interactive)
        argv[n++] = "-i";
    else if (is_listed_shell(login_flag_shells, JW_COUNT(login_flag_shells), k->out->shell))
        argv[n++] = "-l";
    else {
        (void)snprintf(hyphened, sizeof hyphened, "-%s", jw_path_base(k->out->shell));
        argv[0] = hyphened;
    }
    if (traced)
        argv[n++] = "-x";
    argv[n++] = "-c";
    argv[n] = traced ? command : command + strlen("set +x; ");
    return jw_process_run(&(struct jw_process_options){ .exe = k->out->shell,
                                                        .argv = argv,
                                                        .timeout_ms = k->who->timeout_ms,
                                                        .edits = edits,
                                                        .n_edits = n_edits,
                                                        .with_errors = traced,
                                                        .bare = true },
                          output, &code, why);
}

/* A value that came through the shell unchanged is still the file's. */
static void name_origins(const struct jw_env_set *base, struct jw_env_set *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct jw_env_value *v = jw_env_set_find(base, s->v[i].name);

        if (v && v->origin && strcmp(v->value, s->v[i].value) == 0)
            s->v[i].origin = v->origin;
    }
}

/* `*found` false: it did not say its environment; `why` is empty when it did not even fail. */
static bool ask_once(struct asker *k, bool interactive, bool traced, struct jw_env_set *s, bool *found,
                     struct jw_err *why)
{
    struct jw_buf output = JW_BUF(JW_MAX_LOGIN_OUTPUT);
    bool ran = run_shell(k, interactive, traced, &output, why), ok = true;

    if (ran) {
        const char *origin = jw_arena_printf(k->a, "the login shell %s", k->out->shell);
        struct jw_bytes text = jw_buf_bytes(&output);

        ok = jw_login_parse(text, origin, k->a, s, found, k->err);
        name_origins(&k->base, s);
        text.n = jw_find(text, JW_BYTES(JW_LOGIN_MARK));
        ok = ok && (!traced || jw_login_files_of(text, k->a, &k->out->files, k->err));
    }
    jw_buf_free(&output);
    return ok;
}

static bool ask_shell(struct asker *k, bool interactive, struct jw_env_set *s, bool *found,
                      struct jw_err *why)
{
    struct jw_err ignored = { 0 };
    bool traced = is_listed_shell(traceable_shells, JW_COUNT(traceable_shells), k->out->shell);

    *found = false;
    if (traced && !ask_once(k, interactive, true, s, found, &ignored))
        return false;
    return *found || ask_once(k, interactive, false, s, found, why);
}

static bool ask_terminal(struct asker *k)
{
    struct jw_err ignored = { 0 };

    if (!is_listed_shell(login_flag_shells, JW_COUNT(login_flag_shells), k->out->shell))
        return true;
    return ask_shell(k, true, &k->out->terminal, &k->out->terminal_known, &ignored);
}

/* A folder stands for what is in it, too. */
static bool add_login_file(struct asker *k, const char *path)
{
    struct jw_listing *files = &k->out->files, in = jw_listing_read(path, "*", k->a, &k->out->notes);
    const char **slot = jw_list_add(k->a, &files->names, &files->n, sizeof *slot, JW_MAX_LISTED, k->err);
    bool ok = slot;

    if (slot)
        *slot = path;
    for (size_t i = 0; ok && i < in.n; i++) {
        slot = jw_list_add(k->a, &files->names, &files->n, sizeof *slot, JW_MAX_LISTED, k->err);
        if ((ok = slot))
            *slot = jw_path_join(k->a, path, in.names[i]);
    }
    return ok;
}

static bool list_login_files(struct asker *k)
{
    static const char *const system[] = { PAM_FILE,
                                          "etc/environment.d",
                                          "run/environment.d",
                                          "usr/lib/environment.d",
                                          "usr/local/lib/environment.d",
                                          "etc/profile",
                                          "etc/profile.d",
                                          "etc/bash.bashrc",
                                          "etc/bashrc",
                                          "etc/zsh/zshenv",
                                          "etc/zsh/zprofile",
                                          "etc/zsh/zshrc",
                                          "etc/zsh/zlogin",
                                          "etc/fish/conf.d",
                                          "etc/fish/config.fish" };
    static const char *const own[] = { ".profile",
                                       ".bash_profile",
                                       ".bash_login",
                                       ".bashrc",
                                       ".zshenv",
                                       ".zprofile",
                                       ".zshrc",
                                       ".zlogin",
                                       ".config/environment.d",
                                       ".config/fish/conf.d",
                                       ".config/fish/config.fish",
                                       ".config/jitwarm/env.sh" };

    for (size_t i = 0; i < JW_COUNT(system) + JW_COUNT(own); i++) {
        const char *path = i < JW_COUNT(system) ? below_root(k, system[i])
                                                : jw_path_join(k->a, k->who->home, own[i - JW_COUNT(system)]);

        if (!add_login_file(k, path))
            return false;
    }
    return true;
}

bool jw_login_ask(const struct jw_login_user *who, struct jw_arena *a, struct jw_login_env *out,
                  struct jw_err *err)
{
    struct asker k = { .who = who, .a = a, .out = out, .err = err };
    struct jw_err why = { 0 };

    *out = (struct jw_login_env){ 0 };
    pick_shell(&k);
    if (!out->shell)
        return true;
    if (!list_login_files(&k))
        return false;
    if (!make_base(&k) || !ask_shell(&k, false, &out->sets, &out->known, &why))
        return false;
    if (!out->known)
        return why.msg[0] ? unknown(&k, "the login shell %s did not respond: %s", out->shell, why.msg)
                          : unknown(&k, "the login shell %s did not say its environment", out->shell);
    return fill_from_environment_d(&k) && ask_terminal(&k);
}

/* ---- this user ---- */

bool jw_login_for_another(unsigned long real, unsigned long effective, struct jw_arena *a)
{
    static const char *const names[] = { "SUDO_UID", "PKEXEC_UID", "DOAS_USER" };
    bool another = real != effective;

    for (size_t i = 0; effective == 0 && i < JW_COUNT(names) && !another; i++) {
        const char *who = jw_env(a, names[i]);

        another = who && *who && strcmp(who, "0") != 0 && strcmp(who, "root") != 0;
    }
    return another;
}

/* NULL: there is no entry. */
static struct passwd *entry_of(uid_t id, struct passwd *entry, struct jw_arena *a)
{
    struct passwd *found = NULL;
    int why = ERANGE;

    for (size_t room = FIRST_ROOM; why == ERANGE && room <= MAX_ROOM; room *= 4) {
        char *text = jw_arena_alloc(a, room);

        do
            why = getpwuid_r(id, entry, text, room, &found);
        while (why == EINTR);
    }
    return why ? NULL : found;
}

bool jw_login_user(struct jw_arena *a, struct jw_login_user *out)
{
    struct passwd entry;
    uid_t id = geteuid();
    /* On a made machine, which only tests have, the user is made, too; its shell may start on a busy machine. */
    const char *made = jw_env(a, "JITWARM_SYSROOT"), *home = made ? jw_env(a, "HOME") : NULL,
               *shell = made ? jw_env(a, "SHELL") : NULL;

    if (!entry_of(id, &entry, a))
        return false;
    *out = (struct jw_login_user){ .name = entry.pw_name,
                                   .home = home ? home : entry.pw_dir,
                                   .shell = shell            ? shell
                                            : entry.pw_shell ? entry.pw_shell
                                                             : "",
                                   .sysroot = made ? made : "",
                                   .root = id == 0,
                                   .timeout_ms = made ? MADE_TIMEOUT_MS : TIMEOUT_MS };
    return true;
}

bool jw_login_env(struct jw_arena *a, struct jw_login_env *out, struct jw_err *err)
{
    struct asker k = { .a = a, .out = out, .err = err };
    struct jw_login_user user;

    *out = (struct jw_login_env){ 0 };
    if (jw_login_for_another(getuid(), geteuid(), a))
        return unknown(
            &k, "this process acts for another user, whose login shell is not its to run; run jitwarm as "
                "that user");
    if (!jw_login_user(a, &user))
        return unknown(&k, "the user database has no entry for user %lu", (unsigned long)geteuid());
    return jw_login_ask(&user, a, out, err);
}
