#include "check.h"
#include "os/machine/env.h"
#include "setup/login/login_env.h"

#include "base/fault.h"
#include "base/path.h"
#include "base/text.h"
#include "os/machine/time.h"
#include "rigs/as_nobody.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"
#include <stdlib.h>
#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

#define MARK JW_LOGIN_MARK

static struct jw_env_set parse(struct jw_bytes said, bool want_found, struct jw_arena *a)
{
    struct jw_env_set s = { 0 };
    struct jw_err err = { 0 };
    bool found = !want_found;

    CHECK(jw_login_parse(said, "shell", a, &s, &found, &err));
    CHECK(found == want_found);
    return s;
}

static const char *value(const struct jw_env_set *s, const char *name)
{
    const struct jw_env_value *v = jw_env_set_find(s, name);

    return v ? v->value : "unset";
}

TEST_ARENA(the_environment_is_found_between_banners)
{
    struct jw_env_set s =
        parse(JW_BYTES("Welcome!\nCUDA_FAKE=1\n" MARK
                       "\nPATH=/x\0CUDA_CACHE_PATH=/c = d\nand\0CUDA_EMPTY=\0odd\0=x\0" MARK "\nGood bye\n"),
              true, a);

    CHECK_NUM(s.n, 3);
    CHECK_TEXT(value(&s, "CUDA_CACHE_PATH"), "/c = d\nand");
    CHECK_TEXT(value(&s, "CUDA_EMPTY"), "");
    if (s.n)
        CHECK_TEXT(s.v[0].origin, "shell");
}

TEST_ARENA(what_is_cut_off_is_not_found)
{
    (void)parse(JW_BYTES(""), false, a);
    (void)parse(JW_BYTES("banner"), false, a);
    (void)parse(JW_BYTES(MARK), false, a);
    (void)parse(JW_BYTES(MARK "\n"), false, a);
    (void)parse(JW_BYTES(MARK "\n" MARK "\n"), false, a); /* env does not know -0 */
    (void)parse(JW_BYTES(MARK "\nA=1\0B=2"), false, a);
    (void)parse(JW_BYTES(MARK "\nA=1\nB=2\n" MARK "\n"), false, a);
    CHECK_NUM(parse(JW_BYTES(MARK "\nA=1\0" MARK), true, a).n, 1);
}

TEST(wanted_is_what_concerns_cuda)
{
    CHECK(jw_login_wants("CUDA_CACHE_PATH") && jw_login_wants("CUDA_ANYTHING"));
    CHECK(jw_login_wants("CUPY_CACHE_DIR")
          && jw_login_wants("TRITON_HOME")); /* else a recorded command is called warm that looks elsewhere */
    CHECK(jw_login_wants("HOME") == !jw_os_is_windows());
    CHECK(jw_login_wants("APPDATA") == jw_os_is_windows());
    CHECK(!jw_login_wants("PATH") && !jw_login_wants("XCUDA_") && !jw_login_wants(""));
}

static struct jw_env_set set_of(const struct jw_env_value *v, size_t n, struct jw_arena *a)
{
    struct jw_env_set s = { 0 };
    struct jw_err err = { 0 };

    for (size_t i = 0; i < n; i++)
        CHECK(jw_env_set_put(&s, v[i].name, v[i].value, v[i].origin, a, &err));
    return s;
}

/* A login that has the home of this process, and more. */
static struct jw_login_env login_with(const struct jw_env_value *v, size_t n, struct jw_arena *a)
{
    static const char *const kept[] = { "HOME", "APPDATA", "LD_LIBRARY_PATH" };
    struct jw_login_env login = { .known = true, .sets = set_of(v, n, a) };
    struct jw_err err = { 0 };

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (jw_env_has(kept[i]))
            CHECK(jw_env_set_put(&login.sets, kept[i], jw_env(a, kept[i]), "same", a, &err));
    return login;
}

static struct jw_env_difference *compare(const struct jw_login_env *login, struct jw_arena *a, size_t want)
{
    struct jw_env_difference *d = NULL;
    size_t n = 99;

    jw_login_compare(login, a, &d, &n);
    CHECK_NUM(n, want);
    return n == want ? d : NULL;
}

TEST_ARENA(differences_have_both_values)
{
    static const struct jw_env_value there[] = { { "CUDA_CACHE_PATH", "/there", "/etc/environment" },
                                                 { "CUDA_CACHE_MAXSIZE", "5", "shell" },
                                                 { "CUDA_FORCE_PTX_JIT", "1", "shell" } };
    struct jw_login_env login = login_with(there, 3, a);

    set_variable("CUDA_CACHE_PATH", "/here");
    set_variable("CUDA_CACHE_MAXSIZE", "5");
    set_variable("CUDA_NOBODY_ASKS", "1");

    struct jw_env_difference *d = compare(&login, a, 2);

    if (d) {
        CHECK_TEXT(d[0].name, "CUDA_CACHE_PATH");
        CHECK_TEXT(d[0].current, "/here");
        CHECK_TEXT(d[0].login, "/there");
        CHECK_TEXT(d[0].origin, "/etc/environment");
        CHECK_TEXT(d[1].name, "CUDA_FORCE_PTX_JIT");
        CHECK(d[1].current == NULL && !d[1].terminal_agrees);
        CHECK_TEXT(d[1].login, "1");
    }
    login.terminal = set_of((const struct jw_env_value[]){ { "CUDA_CACHE_PATH", "/here", "t" } }, 1, a);
    login.terminal_known = true;
    d = compare(&login, a, 2);
    if (d)
        CHECK(d[0].terminal_agrees && d[1].terminal_agrees); /* there it is unset, as it is here */
    login.known = false;
    (void)compare(&login, a, 0);
    set_variable("CUDA_CACHE_PATH", NULL);
    set_variable("CUDA_CACHE_MAXSIZE", NULL);
    set_variable("CUDA_NOBODY_ASKS", NULL);
}

/* `jitwarm env apply` writes CUDA_CACHE_DISABLE=0. */
TEST_ARENA(a_switch_that_is_off_is_as_good_as_none)
{
    static const struct jw_env_value off[] = { { "CUDA_CACHE_DISABLE", "0", "shell" } },
                                     on[] = { { "CUDA_CACHE_DISABLE", "1", "shell" } };
    struct jw_login_env with = login_with(off, 1, a), without = login_with(off, 0, a);
    struct jw_env_difference *ignored;
    size_t n, n_without;

    jw_login_compare(&with, a, &ignored, &n);
    jw_login_compare(&without, a, &ignored, &n_without);
    CHECK_NUM(n, n_without);
    with = login_with(on, 1, a);
    jw_login_compare(&with, a, &ignored, &n);
    CHECK_NUM(n, n_without + 1);
}

TEST_ARENA(unset_here_or_there_is_a_difference)
{
    struct jw_login_env login = login_with(NULL, 0, a);

    set_variable("CUDA_CACHE_PATH", "/here");
    set_variable("CUDA_CACHE_MAXSIZE", "5");

    struct jw_env_difference *d = compare(&login, a, 2);

    if (d)
        CHECK(d[0].login == NULL && d[0].origin == NULL && d[1].login == NULL);
    set_variable("CUDA_CACHE_PATH", NULL);
    set_variable("CUDA_CACHE_MAXSIZE", NULL);
}

TEST_ARENA(this_user)
{
    struct jw_login_env login;
    struct jw_err err = { 0 };

    CHECK(jw_login_env(NULL, a, &login, &err));
    CHECK(login.known == !login.why);
    printf("known %d, %s, shell %s, %zu values\n", login.known, login.why ? login.why : "",
           login.shell ? login.shell : "none", login.sets.n);
    if (login.known)
        CHECK(jw_env_set_find(&login.sets, jw_os_is_windows() ? "APPDATA" : "HOME") != NULL);
}

#ifndef _WIN32
/* Users whose home, system files and shells are the test's own. */
enum { PLENTY_MS = 30000 };

struct user {
    struct jw_arena a;
    struct jw_login_user who;
    struct jw_login_env env;
};

static const char *file(struct user *u, const char *name, const char *text)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", u->who.name, name);
    return tree_file(&u->a, path, text);
}

/* With a system and a home of its own. */
static struct user user(const char *name, const char *shell)
{
    struct user u = { .who = { .name = name, .shell = shell, .timeout_ms = PLENTY_MS } };

    u.who.home = file(&u, "home/.keep", "");
    u.who.home = jw_path_dir(&u.a, u.who.home);
    u.who.sysroot = jw_path_dir(&u.a, u.who.home);
    return u;
}

static const char *script(struct user *u, const char *name, const char *text)
{
    const char *path = file(u, name, text);

    CHECK(chmod(path, 0755) == 0);
    return path;
}

static void ask(struct user *u)
{
    struct jw_err err = { 0 };

    CHECK_OK(jw_login_ask(&u->who, &u->a, &u->env, &err), err);
    CHECK(u->env.known == !u->env.why);
}

static void is(const struct jw_env_set *s, const char *name, const char *value, const char *origin_ends)
{
    const struct jw_env_value *v = jw_env_set_find(s, name);

    CHECK_TEXT(v ? v->value : "unset", value);
    if (v)
        CHECK_HAS(v->origin, origin_ends);
}

static void is_unknown(struct user *u, const char *why)
{
    ask(u);
    CHECK(!u->env.known && u->env.sets.n == 0);
    CHECK_HAS(u->env.why ? u->env.why : "", why);
    jw_arena_free(&u->a);
}

static void real_shell(const char *shell, const char *startup, const char *text)
{
    struct user u = user(jw_path_base(shell), shell);

    if (access(shell, X_OK) != 0) {
        printf("no %s here\n", shell);
        jw_arena_free(&u.a);
        return;
    }
    (void)file(&u, startup, text);
    ask(&u);
    CHECK_TEXT(u.env.why ? u.env.why : "", "");
    is(&u.env.sets, "CUDA_CACHE_PATH", "/of/the/profile", shell);
    is(&u.env.sets, "HOME", u.who.home, shell);
    is(&u.env.sets, "CUDA_LEAKED", "unset", "");
    if (u.env.terminal_known) /* asked, for HOME is not this user's */
        is(&u.env.terminal, "CUDA_CACHE_PATH", "/of/the/profile", shell);
    CHECK(u.env.terminal_known == (strcmp(jw_path_base(shell), "tcsh") != 0));
    jw_arena_free(&u.a);
}

TEST(real_shells_read_their_profiles)
{
    static const char export[] = "echo a banner\nexport CUDA_CACHE_PATH=/of/the/profile\n";

    CHECK(setenv("CUDA_LEAKED", "1", 1) == 0);
    real_shell("/bin/sh", "home/.profile", export);
    real_shell("/bin/bash", "home/.bash_profile", export);
    real_shell("/bin/dash", "home/.profile", export);
    real_shell("/bin/zsh", "home/.zprofile", export);
    real_shell("/usr/bin/fish", "home/.config/fish/config.fish",
               "echo a banner\nset -gx CUDA_CACHE_PATH /of/the/profile\n");
    real_shell("/bin/tcsh", "home/.login", "echo a banner\nsetenv CUDA_CACHE_PATH /of/the/profile\n");
    (void)unsetenv("CUDA_LEAKED");
}

TEST(system_files_come_first_and_the_shell_may_change_what_they_say)
{
    struct user u = user("order", "/bin/sh");

    (void)file(&u, "etc/environment",
               "CUDA_CACHE_PATH=/pam\nCUDA_CACHE_MAXSIZE=1\nLD_LIBRARY_PATH=/lib1\nHOME=/not\n");
    (void)file(&u, "home/.profile", "export CUDA_CACHE_MAXSIZE=2 LD_LIBRARY_PATH=$LD_LIBRARY_PATH:/lib2\n");
    (void)file(&u, "home/.config/environment.d/50-mine.conf",
               "CUDA_MODULE_LOADING=EAGER\nCUDA_CACHE_PATH=/d\n");
    (void)file(&u, "home/.config/environment.d/60-off.conf", "");
    (void)file(&u, "usr/lib/environment.d/60-off.conf", "CUDA_CACHE_DISABLE=1\n");
    (void)file(&u, "usr/lib/environment.d/70-dev.conf", "CUDA_VISIBLE_DEVICES=${HOME}/${USER}\n");
    (void)file(&u, "usr/lib/environment.d/readme.txt", "CUDA_FORCE_JIT=1\n");
    ask(&u);
    is(&u.env.sets, "CUDA_CACHE_PATH", "/pam", "/etc/environment");
    is(&u.env.sets, "CUDA_CACHE_MAXSIZE", "2", "the login shell /bin/sh");
    is(&u.env.sets, "LD_LIBRARY_PATH", "/lib1:/lib2", "/bin/sh");
    is(&u.env.sets, "HOME", u.who.home, "/bin/sh");
    is(&u.env.sets, "CUDA_MODULE_LOADING", "EAGER", "50-mine.conf");
    is(&u.env.sets, "CUDA_CACHE_DISABLE", "unset", "");
    is(&u.env.sets, "CUDA_FORCE_JIT", "unset", "");

    char devices[4096];

    (void)snprintf(devices, sizeof devices, "%s/order", u.who.home);
    is(&u.env.sets, "CUDA_VISIBLE_DEVICES", devices, "70-dev.conf");
    CHECK_NUM(u.env.notes.n, 0);
    jw_arena_free(&u.a);
}

/* The same number may be another GPU there. */
TEST_ARENA(another_order_of_the_gpus_is_a_difference)
{
    static const struct jw_env_value there[] = { { "CUDA_VISIBLE_DEVICES", "0", "shell" } };
    struct jw_login_env login = login_with(there, 1, a);

    CHECK(setenv("CUDA_VISIBLE_DEVICES", "0", 1) == 0 && setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1) == 0);

    struct jw_env_difference *d = compare(&login, a, 1);

    if (d) {
        CHECK_TEXT(d->name, "CUDA_DEVICE_ORDER");
        CHECK_TEXT(d->current, "PCI_BUS_ID");
        CHECK(d->login == NULL);
    }
    CHECK(unsetenv("CUDA_VISIBLE_DEVICES") == 0 && unsetenv("CUDA_DEVICE_ORDER") == 0);
}

/* As Debian's own .bashrc begins. */
TEST(what_only_terminals_have_is_told_apart)
{
    struct user u = user("terminal", "/bin/bash");
    struct jw_env_difference *d = NULL;
    size_t n = 0;

    if (access("/bin/bash", X_OK) != 0) {
        jw_arena_free(&u.a);
        SKIP("there is no bash");
    }
    (void)file(&u, "home/.profile", ". ~/.bashrc\n");
    (void)file(&u, "home/.bashrc",
               "case $- in *i*) ;; *) return ;; esac\nexport CUDA_CACHE_MAXSIZE=4294967296\n");
    CHECK(setenv("CUDA_CACHE_MAXSIZE", "4294967296", 1) == 0 && setenv("HOME", u.who.home, 1) == 0);
    ask(&u);
    is(&u.env.sets, "CUDA_CACHE_MAXSIZE", "unset", "");
    CHECK(u.env.terminal_known);
    is(&u.env.terminal, "CUDA_CACHE_MAXSIZE", "4294967296", "/bin/bash");
    jw_login_compare(&u.env, &u.a, &d, &n);
    CHECK_NUM(n, 1);
    if (n == 1)
        CHECK(strcmp(d->name, "CUDA_CACHE_MAXSIZE") == 0 && d->terminal_agrees && !d->login);
    CHECK(unsetenv("CUDA_CACHE_MAXSIZE") == 0);
    ask(&u);
    jw_login_compare(&u.env, &u.a, &d, &n);
    CHECK_NUM(n, 0); /* a limit moves no cache */
    (void)file(&u, "home/.profile", "");
    (void)file(&u, "home/.bashrc",
               "export CUDA_CACHE_DISABLE=1\n"); /* a terminal's shell is no login shell */
    ask(&u);
    jw_login_compare(&u.env, &u.a, &d, &n);
    CHECK_NUM(n, 1);
    if (n == 1)
        CHECK(strcmp(d->name, "CUDA_CACHE_DISABLE") == 0 && d->terminal_only && !d->terminal_agrees
              && strcmp(d->login, "1") == 0);
    jw_arena_free(&u.a);
}

TEST(a_shell_of_another_kind_is_called_as_a_login_calls_it)
{
    struct user u = user("odd", "");

    u.who.shell = script(&u, "oddshell",
                         "#!/bin/sh\n[ \"$1\" = -c ] || exit 1\nCUDA_CACHE_PATH=$1 exec /bin/sh \"$@\"\n");
    ask(&u);
    is(&u.env.sets, "CUDA_CACHE_PATH", "-c", "oddshell");
    CHECK(!u.env.terminal_known);
    jw_arena_free(&u.a);
}

TEST(shells_that_do_not_answer_are_unknown)
{
    struct user u = user("silent", "");
    uint64_t before = jw_time_monotonic_ns();

    u.who.shell = script(&u, "sh", "#!/bin/sh\nexit 3\n");
    is_unknown(&u, "sh, ended before it showed its environment");
    u = user("banner", "");
    u.who.shell = script(&u, "sh", "#!/bin/sh\necho This account is not available\n");
    is_unknown(&u, "sh, ended before it showed its environment");
    u = user("repeats", "");
    u.who.shell = script(&u, "sh", "#!/bin/sh\ncat\n");
    is_unknown(&u, "sh, ended before it showed its environment");
    u = user("ends", "/bin/sh");
    (void)file(&u, "home/.profile", "export CUDA_CACHE_DISABLE=1\nexit 3\n");
    is_unknown(&u, "its shell, /bin/sh, ended before it showed its environment; its last command was: exit "
                   "3, in line 2 of ");
    u = user("logs-out", "/bin/bash");
    (void)file(&u, "home/.profile", "A=1\n[ -f /nowhere ] || exit 4\n");
    (void)file(&u, "home/.bash_logout", "[ -x /bin/true ] && /bin/true -q\n"); /* which runs after that */
    is_unknown(&u, "its last command was: exit 4, in line 2 of ");
    u = user("hangs", "/bin/sh");
    u.who.timeout_ms = 300;
    (void)file(&u, "home/.profile", "sleep 600\n");
    is_unknown(&u, "/bin/sh, did not show its environment within 0.3 s; its last "
                   "command was: sleep 600");
    u = user("flood", "/bin/sh");
    (void)file(&u, "home/.profile", "yes\n");
    is_unknown(&u, "did not show its environment: its output: no room");
    u = user("dies", "/bin/sh");
    (void)file(&u, "home/.profile", "kill -9 $$\n");
    is_unknown(&u, "did not show its environment: was ended by signal 9");
    CHECK(jw_time_monotonic_ns() - before < (uint64_t)30 * 1000000000);
}

/* As people write exec zsh who may not change their shell. */
static void replaced(const char *shell, const char *startup, const char *line)
{
    static int number;
    char text[256], name[32];

    (void)snprintf(name, sizeof name, "replaced%d", number++);
    printf("%s, %s, %s\n", shell, startup, line);

    struct user u = user(name, shell);

    (void)snprintf(text, sizeof text, "export CUDA_CACHE_PATH=/before\n%s\nexport CUDA_CACHE_PATH=/after\n",
                   line);
    (void)file(&u, startup, text);
    (void)file(&u, "home/.zshrc", "export CUDA_CACHE_MAXSIZE=7\n");
    (void)file(&u, "home/.config/fish/config.fish",
               "if status is-interactive; set -gx CUDA_CACHE_MAXSIZE 7; end\n");
    ask(&u);
    CHECK(u.env.known && u.env.terminal_known && !u.env.silent);
    if (strstr(startup, "profile"))
        is(&u.env.sets, "CUDA_CACHE_PATH", "/before", "shell");
    is(&u.env.terminal, "CUDA_CACHE_PATH", "/before", "shell");
    is(&u.env.terminal, "CUDA_CACHE_MAXSIZE", strstr(line, "zsh") || strstr(line, "fish") ? "7" : "unset",
       "shell");
    jw_arena_free(&u.a);
}

TEST(a_shell_that_is_replaced_by_another_program_answers)
{
    static const char *const lines[] = { "exec sh",   "exec zsh",        "exec fish",
                                         "exec bash", "exec /bin/sh -i", "exec env A=1 bash" };
    static const char *const programs[] = { "/bin/sh",   "/bin/zsh", "/usr/bin/fish",
                                            "/bin/bash", "/bin/sh",  "/bin/bash" };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (access(programs[i], X_OK) != 0 || access("/bin/bash", X_OK) != 0)
            continue;
        replaced("/bin/bash", "home/.profile", lines[i]);
        replaced("/bin/bash", "home/.bashrc", lines[i]);
    }
}

/* A program of its own that wants a terminal, or a guard against shells without one. */
TEST(a_login_is_asked_as_a_window_of_tmux_and_as_a_person_would)
{
    struct user u = user("window", "/bin/sh");

    (void)file(&u, "home/.profile", "[ -n \"$TMUX\" ] || exec false\nexport CUDA_CACHE_PATH=/window\n");
    ask(&u);
    is(&u.env.sets, "CUDA_CACHE_PATH", "/window", "shell");
    jw_arena_free(&u.a);
    u = user("person", "/bin/sh");
    (void)file(&u, "home/.profile", "case $- in *i*) ;; *) exit ;; esac\nexport CUDA_CACHE_PATH=/person\n");
    ask(&u);
    is(&u.env.sets, "CUDA_CACHE_PATH", "/person", "shell");
    jw_arena_free(&u.a);
}

/* Its trace has the words expanded, and no line. */
TEST(the_line_that_ends_a_shell)
{
    static const struct {
        const char *text, *last, *shell;
        unsigned number;
        bool returns;
    } cases[] = {
        { "A=1\nexit 3\n", "exit 3", "/bin/sh", 2, true },
        { "A=1; exit", "exit", "/bin/sh", 1, true },
        { "if x; then exit 3; fi # exit\n", "exit 3", "/bin/sh", 1, false },
        { "exit 3 # of it\n", "exit 3", "/bin/sh", 1, true },
        { "(exit 3)\n", "exit 3", "/bin/sh", 1, true },
        { "# exit 3\nfalse || exit 3\n", "exit 3", "/bin/sh", 2, true },
        { "exit 3\nexit 3\n", "exit 3", "/bin/sh", 0, false }, /* which of them? */
        { "exit 33\npreexit 3\nexit $A\n", "exit 3", "/bin/sh", 0, false },
        { "exec /bin/true -a\n", "exec /bin/true -a", "/bin/sh", 1, false },
        { "exec /bin/true -a -b\n", "exec /bin/true...", "/bin/sh", 1, false },
        { "exit 3\n", "exit 3", "/bin/zsh", 1, true },
        { "", "exit 3", "/bin/sh", 0, false },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "line%zu", i);

        struct user u = user(name, "/bin/sh");
        const char *files[3] = { u.who.home, file(&u, "home/.profile", cases[i].text) };
        struct jw_start_line at = { 0 };

        files[2] = files[1];
        jw_start_line_find(files, 3, cases[i].shell, u.who.home, cases[i].last, &u.a, &at);
        CHECK_NUM(at.number, cases[i].number);
        CHECK_NUM(at.returns, cases[i].returns);
        CHECK(!at.file == !cases[i].number);
        jw_arena_free(&u.a);
    }
}

TEST(terminals_that_do_not_answer_are_unknown)
{
    struct user u = user("terminals", "/bin/bash");

    if (access("/bin/bash", X_OK) != 0) {
        jw_arena_free(&u.a);
        SKIP("there is no bash");
    }
    (void)file(&u, "home/.bashrc", "exit 3\n");
    ask(&u);
    CHECK(u.env.known && !u.env.terminal_known);
    CHECK_NUM(u.env.silent, JW_SILENT_TERMINAL);
    CHECK(jw_text_starts(u.env.why_silent,
                         "its shell, /bin/bash, ended before it showed its environment; its last command "
                         "was: exit 3, in line 1 of "));
    CHECK_NUM(u.env.silent_at.number, 1);
    CHECK(u.env.silent_at.returns);
    jw_arena_free(&u.a);
}

TEST(terminals_start_the_shell_that_is_set)
{
    struct user u = user("chosen", "/bin/sh");

    if (access("/bin/bash", X_OK) != 0) {
        jw_arena_free(&u.a);
        SKIP("there is no bash");
    }
    CHECK(unsetenv("SHELL") == 0);
    (void)file(&u, "home/.bashrc", "export CUDA_CACHE_PATH=/of/bash\n");
    ask(&u);
    is(&u.env.terminal, "CUDA_CACHE_PATH", "unset", "");
    (void)file(&u, "home/.profile", "export SHELL=/bin/bash\n");
    ask(&u);
    CHECK(u.env.terminal_known);
    is(&u.env.sets, "CUDA_CACHE_PATH", "unset", "");
    is(&u.env.terminal, "CUDA_CACHE_PATH", "/of/bash", "/bin/bash");
    /* This session has another one than the login: only one that the system knows as a shell. */
    (void)file(&u, "home/.profile", "");
    CHECK(setenv("SHELL", "/bin/bash", 1) == 0);
    ask(&u);
    is(&u.env.terminal, "CUDA_CACHE_PATH", "unset", "");
    (void)file(&u, "etc/shells", "/bin/bash\n");
    ask(&u);
    is(&u.env.terminal, "CUDA_CACHE_PATH", "/of/bash", "/bin/bash");
    CHECK(unsetenv("SHELL") == 0);
    jw_arena_free(&u.a);
}

TEST(who_cannot_log_in_has_no_login)
{
    struct user u = user("daemon", "/usr/sbin/nologin");

    is_unknown(&u, "daemon cannot log in: the login shell is /usr/sbin/nologin");
    u = user("false", "/bin/false");
    is_unknown(&u, "cannot log in");
}

TEST(a_shell_that_is_not_installed_is_replaced_only_by_one_that_the_system_knows)
{
    struct user u = user("moved", "/no/such/shell");

    CHECK(setenv("SHELL", "/bin/sh", 1) == 0);
    is_unknown(&u, "the login shell of moved, /no/such/shell, cannot be run");
    u = user("known", "/no/such/shell");
    (void)file(&u, "etc/shells", "# comment\n/bin/shx\n/bin/sh\n");
    ask(&u);
    CHECK_TEXT(u.env.shell ? u.env.shell : "", "/bin/sh");
    CHECK(u.env.known);
    jw_arena_free(&u.a);
    u = user("empty", "");
    ask(&u);
    CHECK_TEXT(u.env.shell ? u.env.shell : "", "/bin/sh");
    jw_arena_free(&u.a);
}

TEST(unreadable_files_are_notes)
{
    struct user u = user("locked", "/bin/sh");

    (void)tree_dir(&u.a, "locked/etc/environment");
    ask(&u);
    CHECK(u.env.known);
    CHECK_NUM(u.env.notes.n, 1);
    if (u.env.notes.n)
        CHECK_HAS(u.env.notes.v[0], "etc/environment: is a folder");
    jw_arena_free(&u.a);
}

static bool names_file(const struct user *u, const char *name)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", u->who.home, name);
    for (size_t i = 0; i < u->env.files.n; i++)
        if (strcmp(u->env.files.names[i], path) == 0)
            return true;
    return false;
}

static void reads_files(const char *shell, const char *startup)
{
    struct user u = user(jw_path_base(shell), shell);

    if (access(shell, X_OK) != 0) {
        printf("no %s here\n", shell);
        jw_arena_free(&u.a);
        return;
    }
    (void)file(&u, startup,
               "where=$HOME/.gpu\n. \"$where/set.sh\"\n[ -f ~/.absent.sh ] && . ~/.absent.sh\n"
               "export CUDA_CACHE_MAXSIZE=$(cat \"$where/size\")\n");
    (void)file(&u, "home/.gpu/set.sh", "export CUDA_CACHE_PATH=/of/the/file\n. ~/.gpu/deeper.sh\n");
    (void)file(&u, "home/.gpu/deeper.sh", "echo a banner with /no/file\n");
    (void)file(&u, "home/.gpu/size", "12\n");
    (void)file(&u, "home/.config/environment.d/x.conf", "FOO=1\n");
    ask(&u);
    is(&u.env.sets, "CUDA_CACHE_PATH", "/of/the/file", shell);
    is(&u.env.sets, "CUDA_CACHE_MAXSIZE", "12", shell);
    CHECK(names_file(&u, ".gpu/set.sh") && names_file(&u, ".gpu/deeper.sh") && names_file(&u, ".gpu/size"));
    CHECK(names_file(&u, ".absent.sh") && names_file(&u, ".profile"));
    CHECK(names_file(&u, ".config/environment.d") && names_file(&u, ".config/environment.d/x.conf"));
    jw_arena_free(&u.a);
}

TEST(files_that_start_files_read_are_known)
{
    reads_files("/bin/sh", "home/.profile");
    reads_files("/bin/bash", "home/.bash_profile");
    reads_files("/bin/dash", "home/.profile");
    reads_files("/bin/zsh", "home/.zprofile");
}

static void prepare_locked(const char *folder)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/etc", folder);
    CHECK(mkdir(path, 0755) == 0);
    (void)snprintf(path, sizeof path, "%s/etc/environment", folder);
    scratch_write(path, "CUDA_CACHE_PATH=/pam\n");
    CHECK(chmod(path, 0) == 0);
}

static void log_in_without_rights(const char *folder)
{
    struct user u = { .who = { .name = "nobody",
                               .home = "/nonexistent",
                               .shell = "/bin/sh",
                               .sysroot = folder,
                               .timeout_ms = PLENTY_MS } };
    struct jw_login_env mine;
    struct jw_err err = { 0 };

    ask(&u);
    CHECK(u.env.known);
    is(&u.env.sets, "CUDA_CACHE_PATH", "unset", "");
    CHECK_NUM(u.env.notes.n, 1);
    if (u.env.notes.n)
        CHECK_HAS(u.env.notes.v[0], "etc/environment: permission denied");
    CHECK(jw_login_env(NULL, &u.a, &mine, &err)); /* whatever the user database says of nobody */
    CHECK(mine.known == !mine.why);
    jw_arena_free(&u.a);
}

TEST(a_user_without_rights_is_told_what_is_locked)
{
    as_nobody(log_in_without_rights, prepare_locked);
}

TEST_ARENA(root_does_not_run_the_shell_of_others)
{
    CHECK(!jw_login_for_another(1000, 1000, a));
    CHECK(!jw_login_for_another(0, 0, a));
    CHECK(jw_login_for_another(1000, 0, a));
    CHECK(setenv("SUDO_UID", "1000", 1) == 0);
    CHECK(jw_login_for_another(0, 0, a));
    CHECK(!jw_login_for_another(1000, 1000, a));
    CHECK(setenv("SUDO_UID", "0", 1) == 0);
    CHECK(!jw_login_for_another(0, 0, a));
    CHECK(setenv("DOAS_USER", "somebody", 1) == 0);
    CHECK(jw_login_for_another(0, 0, a));

    if (geteuid() == 0) {
        struct jw_login_env env;
        struct jw_err err = { 0 };

        CHECK(jw_login_env(NULL, a, &env, &err));
        CHECK(!env.known);
        CHECK_HAS(env.why ? env.why : "", "acts for another user");
    }
    (void)unsetenv("SUDO_UID");
    (void)unsetenv("DOAS_USER");
}

/* Whatever fails: a sentence, a note, or an answer that says that it is none. */
TEST(every_fault_is_told)
{
    struct user u = user("torture", "/bin/sh");

    (void)file(&u, "etc/environment", "CUDA_CACHE_PATH=/pam\n");
    (void)file(&u, "home/.config/environment.d/a.conf", "CUDA_CACHE_MAXSIZE=1\n");
    for (unsigned long nth = 1; nth < 1000; nth++) {
        struct jw_arena a = { 0 };
        struct jw_login_env env = { 0 };
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_login_ask(&u.who, &a, &env, &err), fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || (fired && err.msg[0]));
        CHECK(!ok || env.known == !env.why);
        if (ok && !fired)
            CHECK(env.known && jw_env_set_find(&env.sets, "CUDA_CACHE_MAXSIZE"));
        jw_arena_free(&a);
        if (!fired)
            break;
        CHECK(nth < 999);
    }
    jw_arena_free(&u.a);
}
#endif
