#include "machine/login.h"

#include "base/buf.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/whoami.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>
#include <unistd.h>

enum { TIMEOUT_MS = 20000, MADE_TIMEOUT_MS = 120000 };

#define SH "/bin/sh"
#define ENV "/usr/bin/env"
#define MARK "jitwarm-login-environment"

/* Reads /etc/environment as pam_env does: NAME=VALUE, also with `export` and quotes. # begins a
 * comment, nothing is expanded. */
static const char etc_environment[] =
    "while IFS= read -r line || [ -n \"$line\" ]; do\n  line=${line%%#*}; line=${line#export }; "
    "value=${line#*=}; name=${line%%=*}\n  while [ \"$value\" != \"${value%[ \t\r]}\" ]; do "
    "value=${value%?}; done\n  case $value in \\\"*\\\") value=${value#?}; value=${value%?} ;; "
    "\\'*\\') value=${value#?}; value=${value%?} ;; esac\n  case $line in *=*) case $name in "
    "''|[0-9]*|*[!A-Za-z0-9_]*|HOME|USER|LOGNAME|SHELL) ;; *) export \"$name=$value\" ;; esac ;; "
    "esac\ndone 2>/dev/null <\"${JITWARM_SYSROOT:-}/etc/environment\"\n";
/* Gives the command line $0 to the user's shell. csh takes no -l beside -c. */
static const char start[] = "begin() { case ${SHELL:=" SH "} in *csh) exec \"$SHELL\" -c \"$0\" ;; "
                            "*) exec \"$SHELL\" -l -c \"$0\" ;; esac; }\n";
/* Does so twice if systemd's own program adds something from environment.d, which desktops have and
 * login shells do not. */
static const char with_environment_d[] =
    "(begin)\n"
    "plain=$(" ENV "); set -a\n"
    "eval \"$(/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator "
    "2>/dev/null)\"\n"
    "[ \"$plain\" = \"$(" ENV ")\" ] ||\n";

static bool find_account(const char *name, struct jw_arena *a, struct jw_account *out,
                         struct jw_err *err)
{
    static const char *const refuse[] = {"nologin", "false", "true", "sync", "halt", "shutdown"};
    /* A test's made-up machine has a made-up user. */
    bool made = !name && jw_env(a, "JITWARM_SYSROOT");
    const char *home = made ? jw_env(a, "HOME") : NULL;
    const char *shell = made ? jw_env(a, "SHELL") : NULL;

    if (!jw_account_find(name, geteuid(), a, out))
        return name ? jw_fail(err, JW_E_IO, "there is no user %s", name)
                    : jw_fail(err, JW_E_IO, "the user database has no user %lu",
                              (unsigned long)geteuid());
    if (home || !out->home)
        out->home = home ? home : "/";
    if (shell || !out->shell)
        out->shell = shell ? shell : SH;
    return !jw_text_among(jw_path_base(out->shell), refuse, JW_COUNT(refuse))
           || jw_fail(err, JW_E_IO, "%s cannot log in: the login shell is %s", out->name,
                      out->shell);
}

bool jw_login_check_home(struct jw_arena *a, struct jw_err *err)
{
    struct jw_account u = {0};
    const char *home = jw_env_home(a), *here, *there;

    if (!find_account(NULL, a, &u, JW_IGNORED) || !home)
        return true;
    bool known =
        jw_real_path(home, a, &here, JW_IGNORED) && jw_real_path(u.home, a, &there, JW_IGNORED);

    return (known && strcmp(here, there) == 0)
           || jw_fail(err, JW_E_USAGE,
                      "HOME is %.200s, but a login of %s has %.200s: set HOME to that first", home,
                      u.name, u.home);
}

static const char *setting(struct jw_arena *a, const char *name, const char *value)
{
    return jw_arena_printf(a, "%s=%s", name, value);
}

static const char *const *run_words(const struct jw_account *u, const char *const *words,
                                    bool desktop, struct jw_arena *a)
{
    const char *lang = jw_env(a, "LANG");
    const char *path = "/usr/local/bin:/usr/bin:/bin";
    const char *sysroot = jw_env(a, "JITWARM_SYSROOT");
    const char *script = jw_arena_printf(a, "%s%s%s begin", etc_environment, start,
                                         desktop ? with_environment_d : "");
    if (!lang)
        lang = "C.UTF-8";
    if (!sysroot)
        sysroot = "";
    if (!u->uid)
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    /* The last word is a line that all shells read alike. */
    const char *const line[] = {ENV,
                                "-i",
                                setting(a, "HOME", u->home),
                                setting(a, "USER", u->name),
                                setting(a, "LOGNAME", u->name),
                                setting(a, "SHELL", u->shell),
                                setting(a, "PATH", path),
                                setting(a, "LANG", lang),
                                "TERM=dumb",
                                setting(a, "JITWARM_SYSROOT", sysroot),
                                SH,
                                "-c",
                                script,
                                jw_arena_printf(a, "exec %s", jw_command_text(a, words, false)),
                                NULL};

    return jw_arena_copy(a, line, sizeof line);
}

const char *const *jw_login_run(const char *const *words, const char *user, struct jw_arena *a,
                                struct jw_err *err)
{
    struct jw_account u;

    return find_account(user, a, &u, err) ? run_words(&u, words, true, a) : NULL;
}

/* The value of one variable in "A=1\0B=2\0"; NULL: it is not there. */
static const char *value_in(struct jw_bytes all, const char *name, struct jw_arena *a)
{
    size_t length = strlen(name);

    for (size_t at = 0, n; at < all.n; at += n + 1) {
        const uint8_t *begin = all.p + at;
        const uint8_t *end = memchr(begin, 0, all.n - at);

        n = (end ? (size_t)(end - begin) : all.n - at);
        if (n > length && memcmp(begin, name, length) == 0 && begin[length] == '=')
            return jw_arena_text(a, (const char *)begin + length + 1, n - length - 1);
    }
    return NULL;
}

/* Cuts the text to what is between the two marks, as start files may print, too. */
static bool between_marks(struct jw_bytes *text)
{
    const struct jw_bytes mark = JW_BYTES(MARK "\n");
    size_t from = jw_find(*text, mark);

    if (from == text->n)
        return false;
    *text = (struct jw_bytes){text->p + from + mark.n, text->n - from - mark.n};

    size_t to = jw_find(*text, mark);
    bool whole = to < text->n;

    text->n = to;
    return whole;
}

static bool ask(const struct jw_account *u, const char *const *names, size_t n,
                const atomic_bool *interrupted, struct jw_arena *a, struct jw_login *out,
                struct jw_err *err)
{
    static const char *const question[] = {SH, "-c", "echo " MARK "; " ENV " -0; echo " MARK, NULL};
    const char **values = jw_arena_alloc(a, (n + 1) * sizeof *values);
    struct jw_buf output = JW_BUF(JW_MAX_LOGIN_OUTPUT);
    struct jw_err why = {0};
    int code = 0;
    const char *const *words = run_words(u, question, false, a);
    const struct jw_command c = {.exe = ENV, .argv = words, .interrupted = interrupted};
    bool ran = jw_process_run(&c, jw_env(a, "JITWARM_SYSROOT") ? MADE_TIMEOUT_MS : TIMEOUT_MS,
                              &output, &code, &why);
    struct jw_bytes text = jw_buf_bytes(&output);

    /* An answer counts, even if a program that a start file left behind does not end. */
    out->known = between_marks(&text);
    for (size_t i = 0; out->known && i < n; i++)
        values[i] = value_in(text, names[i], a);
    out->values = values;
    jw_buf_free(&output);
    if (!out->known && ran)
        out->why = jw_arena_printf(
            a, "the login shell %s ended before it started a program (exit code %d)", u->shell,
            code);
    else if (!out->known)
        out->why =
            jw_arena_printf(a, "the login shell %s started no program: %s", u->shell, why.msg);
    return ran || why.code != JW_E_INTERRUPTED || jw_pass(err, why);
}

bool jw_login_variables(const char *const *names, size_t n, const atomic_bool *interrupted,
                        struct jw_arena *a, struct jw_login *out, struct jw_err *err)
{
    struct jw_account u = {0};
    struct jw_whoami who;
    struct jw_err why = {0};

    jw_whoami("", a, &who);
    *out = (struct jw_login){.values = jw_arena_alloc(a, (n + 1) * sizeof(char *))};
    /* By sudo, doas or pkexec, or as a program with root's rights. */
    if (who.behind || getuid() != geteuid())
        out->why = "this process acts for another user, whose login it cannot ask; run jitwarm as "
                   "that user";
    else if (!find_account(NULL, a, &u, &why))
        out->why = jw_arena_str(a, why.msg);
    return out->why || ask(&u, names, n, interrupted, a, out, err);
}
