#include "cause/quote.h"
#include "check.h"
#include "os/process/process.h"
#include "rigs/scratch.h"

static const char *line(struct jw_buf *out, enum jw_shell form, const char *value)
{
    jw_buf_clear(out);
    return jw_env_put(form, "A", value, out, JW_IGNORED) ? jw_buf_cstr(out) : "refused";
}

TEST(what_is_special_is_quoted)
{
    static const char hard[] = "a b'c\"d$e%f;g\\h`i!j*~";
    FREED(jw_buf) b = JW_BUF(1000);

    CHECK_TEXT(line(&b, JW_SHELL_SH, "4294967296"), "export A=4294967296\n");
    CHECK_TEXT(line(&b, JW_SHELL_SH, "/a/b-c_d.e"), "export A=/a/b-c_d.e\n");
    CHECK_TEXT(line(&b, JW_SHELL_POWERSHELL, hard), "$env:A = 'a b''c\"d$e%f;g\\h`i!j*~'\n");
    CHECK_TEXT(line(&b, JW_ENVIRONMENT_D, hard), "refused"); /* its $ */
    CHECK_TEXT(line(&b, JW_ENVIRONMENT_D, "a b'c\"d\\h`i"), "A=\"a b'c\\\"d\\\\h\\`i\"\n");
}

TEST(powershell_takes_typographic_quotes_for_quotes)
{
    FREED(jw_buf) b = JW_BUF(1000);

    CHECK_TEXT(line(&b, JW_SHELL_POWERSHELL, "a\nb"), "$env:A = 'a\nb'\n");
    CHECK_TEXT(line(&b, JW_SHELL_POWERSHELL, "a\xe2\x80\x99z\xe2\x80\x9a"),
               "$env:A = 'a\xe2\x80\x99\xe2\x80\x99z\xe2\x80\x9a\xe2\x80\x9a'\n");
    CHECK_TEXT(line(&b, JW_SHELL_POWERSHELL, "\xe2\x80\x9c"), "$env:A = '\xe2\x80\x9c'\n");
}

TEST(a_refusal_says_what_and_why_and_appends_nothing)
{
    FREED(jw_buf) b = JW_BUF(1000);

    jw_buf_text(&b, "before");
    CHECK_SAYS(jw_env_put(JW_ENVIRONMENT_D, "A", "x\ny", &b, &err), err,
               "A: environment.d cannot hold a value with a line break in it");
    CHECK_NUM(err.code, JW_E_USAGE);
    CHECK_TEXT(jw_buf_cstr(&b), "before");
    CHECK_SAYS(jw_env_put(JW_ENVIRONMENT_D, "A", "x\ty", &b, &err), err,
               "A: environment.d cannot hold a value with a tab in it");
}

#ifndef _WIN32
/* What the readers themselves make of our lines: shells, systemd's generator, where they are
 * installed. */
static const char *const values[] = {
    "",
    "/with blanks/in it ",
    " leading",
    "it's",
    "say \"so\"",
    "$HOME ${HOME} $(id) `id` $$",
    "50%; %d %PATH%",
    "a;b&c|d>e<f(g)h",
    "back\\slash \\n \\\\ end\\",
    "line\nbreak\n",
    "tab\there",
    "~/x ~",
    "*?[a]{b,c}",
    "!history",
    "#comment",
    "caf\xc3\xa9 \xed\x95\x9c",
    "a=b:c",
    "'\"'\"\\'",
};

/* The program's whole output for the line and what prints $A behind it; NULL: it is not
 * installed. */
static char *ask(const char *tool, const char *flag, const char *line, const char *print,
                 struct jw_buf *out)
{
    FREED(jw_arena) a = {0};
    FREED(jw_buf) script = JW_BUF(1 << 16);
    const char *path = jw_process_path(tool, &a);
    struct jw_err err = {0};
    int code = 0;

    jw_buf_text(&script, line);
    jw_buf_text(&script, print);
    if (path) {
        const char *argv[] = {tool, flag, jw_buf_cstr(&script), NULL};

        CHECK_OK(jw_process_capture(path, argv, 20000, out, &code, &err), err);
        CHECK_NUM(code, 0);
    }
    return path ? (char *)(uintptr_t)jw_buf_cstr(out) : NULL;
}

static void try_all(const char *tool, const char *flag, enum jw_shell form, const char *print)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        FREED(jw_buf) line = JW_BUF(1 << 16), out = JW_BUF(1 << 16);

        CHECK(jw_env_put(form, "A", values[i], &line, JW_IGNORED));

        const char *got = ask(tool, flag, jw_buf_cstr(&line), print, &out);

        if (got)
            CHECK_TEXT(got, values[i]);
    }
}

TEST(shells_get_every_value)
{
    static const char says[] = "printenv A | head -c -1";

    try_all("sh", "-c", JW_SHELL_SH, says);
    try_all("bash", "-c", JW_SHELL_SH, says);
    try_all("zsh", "-c", JW_SHELL_SH, says);
    try_all("pwsh", "-Command", JW_SHELL_POWERSHELL, "[Console]::Out.Write($env:A)");
}

#define GENERATOR "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator"

/* systemd's own reader writes what it read for a shell; ours must make the same of it. */
TEST(systemd_gets_every_value)
{
    char command[8192];

    if (!scratch_there(GENERATOR))
        SKIP("systemd's generator is not installed");
    (void)snprintf(command, sizeof command,
                   "XDG_CONFIG_HOME='%s' " GENERATOR
                   " | sed 's/^A=/export A=/' >'%s'; . '%s'; printenv A | head -c -1",
                   scratch(""), scratch("said"), scratch("said"));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct jw_buf line = JW_BUF(1 << 16), out = JW_BUF(1 << 16);

        err = (struct jw_err){0};
        if (!jw_env_put(JW_ENVIRONMENT_D, "A", values[i], &line, &err)) {
            CHECK(strpbrk(values[i], "\n\t$"));
            jw_buf_free(&line);
            continue;
        }
        scratch_put("environment.d/50-test.conf", jw_buf_cstr(&line));
        CHECK(ask("bash", "-c", "", command, &out));
        CHECK_TEXT(jw_buf_cstr(&out), values[i]);
        jw_buf_free(&line);
        jw_buf_free(&out);
    }
}
#endif

MAIN(argc, argv)
{
    scratch_begin();
    return RUN(argc, argv);
}
