
#include "base/buf.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "setup/login/login_env.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_MS = 20000, MADE_TIMEOUT_MS = 120000, FIRST_ROOM = 4096, MAX_ROOM = 1 << 20 };

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
    struct jw_env_set base; /* the environment that the shell starts with */
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
    const char *folder = jw_path_join(k->a, k->who->home, ".config/environment.d");
    bool ok = add_folder(k, folder, list, n);

    for (size_t i = 0; ok && i < JW_COUNT(folders); i++)
        ok = add_folder(k, below_root(k, folders[i]), list, n);
    jw_sort(*list, *n, sizeof **list, jw_by_text);
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

/* How a shell is asked. */
struct question {
    const char *shell;
    const struct jw_env_set *sets; /* that it has beside the base; NULL: none */
    bool login, interactive;
    bool traced; /* it says what it does, so that the files are known that it reads */
    bool typed;  /* the question is in its standard input, too */
    bool inside; /* as in tmux or screen, where no start file starts another one */
};

struct reply {
    bool found;
    struct jw_env_set all; /* variables */
    const char *became; /* the program that answered what was typed, in the shell's place; NULL: none did */
    const char *last;   /* command that a traced shell began; NULL: not known */
    const char *exit;   /* the last of those that is an exit; NULL: none */
    bool late;          /* not found in time */
    struct jw_err why;  /* not found, and the shell had to be stopped */
};

static bool run_shell(struct asker *k, const struct question *q, unsigned timeout_ms, struct jw_buf *output,
                      struct jw_err *why)
{
    static const char command[] = "set +x; echo " JW_LOGIN_MARK "; " ENV_TOOL " -0; echo " JW_LOGIN_MARK;
    /* One line, so that a program that repeats it does not answer. */
    static const char typed[] = "echo " JW_LOGIN_MARK "; " ENV_TOOL " -0; echo " JW_LOGIN_MARK
                                "; /bin/sh -c 'readlink /proc/$PPID/exe'; exit\n";
    static const struct jw_child_edit inside[] = { { "TMUX", "/dev/null,0,0" }, { "STY", "jitwarm" } };
    const char *argv[8] = { q->shell };
    size_t n_sets = q->sets ? q->sets->n : 0, n = 1, n_edits = 0;
    struct jw_child_edit *edits =
        jw_arena_alloc(k->a, (k->base.n + n_sets + JW_COUNT(inside)) * sizeof *edits);
    char hyphened[64];
    int code;

    for (size_t i = 0; i < k->base.n; i++)
        edits[n_edits++] = (struct jw_child_edit){ k->base.v[i].name, k->base.v[i].value };
    for (size_t i = 0; i < n_sets; i++)
        edits[n_edits++] = (struct jw_child_edit){ q->sets->v[i].name, q->sets->v[i].value };
    for (size_t i = 0; q->inside && i < JW_COUNT(inside); i++)
        edits[n_edits++] = inside[i];
    if (q->login && is_listed_shell(login_flag_shells, JW_COUNT(login_flag_shells), q->shell)) {
        argv[n++] = "-l";
    } else if (q->login) {
        (void)snprintf(hyphened, sizeof hyphened, "-%s", jw_path_base(q->shell));
        argv[0] = hyphened;
    }
    if (q->interactive)
        argv[n++] = "-i";
    if (q->traced)
        argv[n++] = "-x";
    argv[n++] = "-c";
    argv[n] = q->traced ? command : command + strlen("set +x; ");
    return jw_process_run(
        &(struct jw_process_options){ .exe = q->shell,
                                      .argv = argv,
                                      .timeout_ms = timeout_ms,
                                      .edits = edits,
                                      .n_edits = n_edits,
                                      .input = q->typed ? JW_BYTES(typed) : (struct jw_bytes){ 0 },
                                      .with_errors = q->traced,
                                      .bare = true,
                                      .interrupted = k->who->interrupted },
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

/* Behind the answer: "/usr/bin/zsh". */
static const char *find_became(struct jw_bytes text, struct jw_arena *a)
{
    const struct jw_bytes before = JW_BYTES("\0" JW_LOGIN_MARK "\n");
    size_t at = jw_find(text, before), n = 0;

    if (at == text.n)
        return NULL;
    for (at += before.n; at + n < text.n && text.p[at + n] > ' ';)
        n++;
    return n && text.p[at] == '/' ? jw_arena_text(a, (const char *)text.p + at, n) : NULL;
}

/* "+ exit 3", "++ sleep 60"; zsh: "+/home/ada/.zprofile:3> exit 3". */
static void find_last_command(struct jw_bytes text, struct jw_arena *a, struct reply *r)
{
    enum { MAX_SHOWN = 60 };

    r->last = r->exit = NULL;
    for (size_t at = 0, n; at < text.n; at += n + 1) {
        const uint8_t *end = memchr(text.p + at, '\n', text.n - at), *begin = text.p + at;

        n = (end ? (size_t)(end - text.p) : text.n) - at;
        if (!n || *begin != '+')
            continue;

        const uint8_t *of_file = memchr(begin, '>', n);
        size_t skip = of_file && begin[1] == '/' ? (size_t)(of_file - begin) + 1 : 0;

        while (skip < n && (begin[skip] == '+' || begin[skip] == ' '))
            skip++;
        if (skip == n)
            continue;
        r->last = jw_arena_printf(a, "%.*s%s", (int)jw_min(n - skip, MAX_SHOWN), (const char *)begin + skip,
                                  n - skip > MAX_SHOWN ? "..." : "");
        if (strcmp(r->last, "exit") == 0 || jw_text_starts(r->last, "exit "))
            r->exit = r->last;
    }
}

static bool ask_once(struct asker *k, const struct question *q, unsigned timeout_ms, struct reply *r)
{
    struct jw_buf output = JW_BUF(JW_MAX_LOGIN_OUTPUT);
    const char *origin = jw_arena_printf(k->a, "the login shell %s", q->shell);

    r->why = (struct jw_err){ 0 };

    /* Its output counts, even if a program that it started does not end. */
    bool ran = run_shell(k, q, timeout_ms, &output, &r->why);
    struct jw_bytes text = jw_buf_bytes(&output);

    if (!ran && r->why.code == JW_E_INTERRUPTED) {
        *k->err = r->why;
        jw_buf_free(&output);
        return false;
    }

    bool ok = jw_login_parse(text, origin, k->a, &r->all, &r->found, k->err);

    name_origins(&k->base, &r->all);
    if (r->found && q->typed)
        r->became = find_became(text, k->a);
    if (r->found || ran)
        r->why = (struct jw_err){ 0 };
    text.n = jw_find(text, JW_BYTES(JW_LOGIN_MARK "\n"));
    if (q->traced && !r->found)
        find_last_command(text, k->a, r);
    ok = ok && (!q->traced || jw_login_files_of(text, k->a, &k->out->files, k->err));
    jw_buf_free(&output);
    return ok;
}

/* A start file may replace its shell by another program, end where no person sits before it, or start a program that
 * wants a terminal. So who does not answer is asked again in the ways in which that one answers, too. */
static bool ask_shell(struct asker *k, const struct question *q, struct reply *r)
{
    bool traceable = is_listed_shell(traceable_shells, JW_COUNT(traceable_shells), q->shell),
         listed = is_listed_shell(login_flag_shells, JW_COUNT(login_flag_shells), q->shell);
    uint64_t deadline = jw_time_after_ms(k->who->timeout_ms);

    *r = (struct reply){ 0 };
    for (int way = traceable ? 0 : 1;
         way < (listed ? 3 : 2) && !r->found && jw_time_monotonic_ns() < deadline; way++) {
        struct question now = *q;
        uint64_t at = jw_time_monotonic_ns();

        now.traced = way == 0;
        now.typed = way > 0;
        now.inside = way > 1;
        now.interactive |= way > 1;
        if (!ask_once(k, &now, at < deadline ? (unsigned)((deadline - at) / 1000000) + 1 : 1, r))
            return false;
    }
    r->late = !r->found && jw_time_monotonic_ns() >= deadline;
    return true;
}

static bool can_be_asked(const char *shell)
{
    return strcmp(jw_path_base(shell), "busybox") != 0 && is_runnable_shell(shell)
           && is_listed_shell(login_flag_shells, JW_COUNT(login_flag_shells), shell);
}

static void note_silence(const struct asker *k, enum jw_login_silent whose, const char *shell,
                         const struct reply *r)
{
    struct jw_login_env *out = k->out;
    struct jw_start_line *at = &out->silent_at;
    const char *last = r->last;
    const char *how = r->late         ? jw_arena_printf(k->a, "did not show its environment within %g s",
                                                        (double)k->who->timeout_ms / 1000)
                      : r->why.msg[0] ? jw_arena_printf(k->a, "did not show its environment: %s", r->why.msg)
                                      : "ended before it showed its environment";

    *at = (struct jw_start_line){
        .shell = is_listed_shell(traceable_shells, JW_COUNT(traceable_shells), shell) ? shell : NULL
    };
    if (last)
        jw_start_line_find(out->files.names, out->files.n, shell, k->who->home, last, k->a, at);
    if (!at->file && r->exit && !r->late && !jw_text_starts(last, "exec ")) {
        last = r->exit; /* later lines are of ~/.bash_logout, or of a trap */
        jw_start_line_find(out->files.names, out->files.n, shell, k->who->home, last, k->a, at);
    }
    out->silent = whose;
    out->why_silent = jw_arena_printf(
        k->a, "its shell, %s, %s%s%s%s", shell, how, last ? "; its last command was: " : "", last ? last : "",
        at->file ? jw_arena_printf(k->a, ", in line %u of %s", at->number, at->file) : "");
}

static bool take_wanted(struct asker *k, const struct jw_env_set *all, struct jw_env_set *s)
{
    bool ok = true;

    for (size_t i = 0; ok && i < all->n; i++)
        ok = !jw_login_wants(all->v[i].name)
             || jw_env_set_put(s, all->v[i].name, all->v[i].value, all->v[i].origin, k->a, k->err);
    return ok;
}

/* Terminals and tmux start $SHELL: that which the login has set, or what this process has instead. */
static const char *shell_of_terminals(struct asker *k, const struct reply *login)
{
    const char *set = jw_env_set_value(&login->all, "SHELL"), *here = jw_env(k->a, "SHELL");

    if (set && strcmp(set, k->out->shell) != 0 && can_be_asked(set))
        return set;
    return here && strcmp(here, k->out->shell) != 0 && can_be_asked(here) && is_shell(k, here)
               ? here
               : k->out->shell;
}

/* In a terminal, an interactive shell starts with the variables of the login. If the login's shell is replaced by
 * another one, it is that one. */
static bool ask_terminal(struct asker *k, const struct reply *login)
{
    bool replaced = login->became && can_be_asked(login->became);
    const char *shell = replaced ? login->became : shell_of_terminals(k, login);
    struct reply r, next;

    if (!is_listed_shell(login_flag_shells, JW_COUNT(login_flag_shells), shell))
        return true;
    if (!ask_shell(k,
                   &(struct question){
                       .shell = shell, .sets = replaced ? &login->all : &k->out->sets, .interactive = true },
                   &r))
        return false;
    if (r.became && can_be_asked(r.became)) {
        shell = r.became;
        if (!ask_shell(k, &(struct question){ .shell = shell, .sets = &r.all, .interactive = true }, &next))
            return false;
        r = next;
    }
    k->out->terminal_known = r.found;
    if (!r.found) {
        note_silence(k, JW_SILENT_TERMINAL, shell, &r);
    }
    return take_wanted(k, &r.all, &k->out->terminal);
}

/* A folder includes the files in it. */
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
    static const char *const of_user[] = { ".profile",
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

    for (size_t i = 0; i < JW_COUNT(system) + JW_COUNT(of_user); i++) {
        const char *path = i < JW_COUNT(system)
                               ? below_root(k, system[i])
                               : jw_path_join(k->a, k->who->home, of_user[i - JW_COUNT(system)]);

        if (!add_login_file(k, path))
            return false;
    }
    return true;
}

static bool own_file_returns(const struct asker *k)
{
    static const char *const names[] = { ".profile", ".bash_profile", ".bash_login", ".zprofile", ".zlogin" };
    bool returns = false;

    for (size_t i = 0; i < JW_COUNT(names) && !returns; i++)
        returns = jw_start_file_returns(jw_path_join(k->a, k->who->home, names[i]), k->a);
    return returns;
}

bool jw_login_ask(const struct jw_login_user *who, struct jw_arena *a, struct jw_login_env *out,
                  struct jw_err *err)
{
    struct asker k = { .who = who, .a = a, .out = out, .err = err };
    struct reply r;

    *out = (struct jw_login_env){ 0 };
    pick_shell(&k);
    if (!out->shell)
        return true;
    if (!list_login_files(&k) || !make_base(&k)
        || !ask_shell(&k, &(struct question){ .shell = out->shell, .login = true }, &r))
        return false;
    out->known = r.found;
    out->replaced = r.became != NULL || own_file_returns(&k);
    if (!out->known) {
        note_silence(&k, JW_SILENT_LOGIN, out->shell, &r);
        return unknown(&k, "%s", out->why_silent);
    }
    return take_wanted(&k, &r.all, &out->sets) && fill_from_environment_d(&k) && ask_terminal(&k, &r);
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

bool jw_login_env(const atomic_bool *interrupted, struct jw_arena *a, struct jw_login_env *out,
                  struct jw_err *err)
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
    user.interrupted = interrupted;
    return jw_login_ask(&user, a, out, err);
}
