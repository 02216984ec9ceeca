#include "base/fault.h"
#include "check.h"
#include "env/env_look.h"
#include "env/env_shell.h"

static bool wants(const char *name)
{
    return name[0] >= 'A' && name[0] <= 'F' && !name[1];
}

static struct jw_env_assigns parse(const char *text, struct jw_arena *a)
{
    struct jw_env_assigns out = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_env_shell_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, wants, a, &out, &err));
    CHECK_TEXT(err.msg, "");
    return out;
}

static void is(const struct jw_env_assigns *s, size_t i, unsigned line, const char *name, const char *value,
               bool exact)
{
    CHECK(i < s->n);
    if (i >= s->n)
        return;
    CHECK_NUM(s->v[i].line, line);
    CHECK_TEXT(s->v[i].name, name);
    CHECK_TEXT(s->v[i].value ? s->v[i].value : "(unset)", value);
    CHECK_NUM(s->v[i].exact, exact);
}

TEST(sh_sets_in_many_ways)
{
    struct jw_arena a = { 0 };
    struct jw_env_assigns s =
        parse("# A=0\nexport A=1\n  B='two words' ; export B\nexport C=\"x$HOME\" D=4 # E=5\n"
              "[ -d /x ] && export E=~/y\nif true; then F=6; fi\nA=7 program\necho A=8\nunset B C\ndeclare "
              "-x A=\"9\\\"\"\n"
              "A=a\\\nb\nA=$(id) B=`id`\nX=1\n",
              &a);

    is(&s, 0, 2, "A", "1", true);
    is(&s, 1, 3, "B", "two words", true);
    is(&s, 2, 4, "C", "x$HOME", false);
    is(&s, 3, 4, "D", "4", true);
    is(&s, 4, 5, "E", "~/y", false);
    is(&s, 5, 6, "F", "6", true);
    is(&s, 6, 9, "B", "(unset)", true);
    is(&s, 7, 9, "C", "(unset)", true);
    is(&s, 8, 10, "A", "9\"", true);
    is(&s, 9, 11, "A", "ab", true);
    CHECK(s.n >= 11);
    jw_arena_free(&a);
}

TEST(fish_and_csh_set_too)
{
    struct jw_arena a = { 0 };
    struct jw_env_assigns s =
        parse("set -gx A 1\nset -x B 'two words'\nset C local\nset -e D\nset --export E 5\nsetenv F 6\n"
              "unsetenv A\nif status is-login; set -Ux B 7; end\n",
              &a);

    is(&s, 0, 1, "A", "1", true);
    is(&s, 1, 2, "B", "two words", true);
    is(&s, 2, 4, "D", "(unset)", true);
    is(&s, 3, 5, "E", "5", true);
    is(&s, 4, 6, "F", "6", true);
    is(&s, 5, 7, "A", "(unset)", true);
    is(&s, 6, 8, "B", "7", true);
    CHECK_NUM(s.n, 7);
    jw_arena_free(&a);
}

TEST(hostile_texts_end_well)
{
    static const char *const texts[] = { "A=",      "A='",       "A=\"",    "A=\\",     "'",
                                         "\"",      "\\",        "export",  "unset",    "set",
                                         "set -gx", "set -gx A", "setenv",  "setenv A", "A=1\r\nB=2\r\n",
                                         ";;;&&||", "#",         "= =A A==" };
    struct jw_arena a = { 0 };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        (void)parse(texts[i], &a);

    struct jw_env_assigns s = parse("A=1\r\nexport B=2\r\nC=3", &a);

    is(&s, 0, 1, "A", "1", true);
    is(&s, 1, 2, "B", "2", true);
    is(&s, 2, 3, "C", "3", true);

    struct jw_env_assigns none = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_env_shell_read(JW_BYTES("A=1\n\0B=2\n"), wants, &a, &none, &err));
    CHECK_NUM(none.n, 0);
    jw_arena_free(&a);
}

TEST(units_are_read_as_systemd_does)
{
    static const char text[] =
        "[Service]\nEnvironment=A=1 \"B=two words\" 'C=3'\n#Environment=D=4\n"
        "Environment=\"D=50%% \\\"q\\\"\" E=%h/x\nDefaultEnvironment=F=6\nExecStart=/bin/A=7\n";
    struct jw_arena a = { 0 };
    struct jw_env_assigns s = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_env_unit_read(JW_BYTES(text), wants, &a, &s, &err));
    is(&s, 0, 2, "A", "1", true);
    is(&s, 1, 2, "B", "two words", true);
    is(&s, 2, 2, "C", "3", true);
    is(&s, 3, 4, "D", "50% \"q\"", true);
    is(&s, 4, 4, "E", "%h/x", false);
    is(&s, 5, 5, "F", "6", true);
    CHECK_NUM(s.n, 6);
    jw_arena_free(&a);
}

TEST(every_fault_is_told)
{
    static const char text[] = "export A=1 B=2\nunset C\nset -gx D 4\nsetenv E 5\n";

    for (unsigned long nth = 1; nth < 1000; nth++) {
        struct jw_arena a = { 0 };
        struct jw_env_assigns s = { 0 };
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_env_shell_read(JW_BYTES(text), wants, &a, &s, &err)
                  && jw_env_unit_read(JW_BYTES("Environment=A=1 B=2\n"), wants, &a, &s, &err);
        bool fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok == !fired);
        CHECK(ok || err.msg[0]);
        jw_arena_free(&a);
        if (!fired)
            break;
        CHECK(nth < 999);
    }
}

TEST(misspelt_names_are_known_by_what_is_meant)
{
    static const char *const wrong[][2] = {
        { "CUDA_CACHE_MAX_SIZE", "CUDA_CACHE_MAXSIZE" }, { "CUDA_CACHE_SIZE", "CUDA_CACHE_MAXSIZE" },
        { "CUDA_CACHE_DIR", "CUDA_CACHE_PATH" },         { "cuda_cache_path", "CUDA_CACHE_PATH" },
        { "CUDA_CACHE_DISABLED", "CUDA_CACHE_DISABLE" }, { "CUDA_CACHEMAXSIZE", "CUDA_CACHE_MAXSIZE" }
    };
    static const char *const right[] = {
        "CUDA_HOME", "CUDA_PATH", "CUDA_CACHE_PATH", "PATH", "CUDA_LAUNCH_BLOCKING", "CUDA_TOOLKIT_ROOT"
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_TEXT(jw_env_meant(wrong[i][0], false), wrong[i][1]);
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        CHECK(!jw_env_meant(right[i], false));
    CHECK(!jw_env_meant("Cuda_Cache_Path", true));
    CHECK_TEXT(jw_env_meant("CUDA_CACHE_SIZE", true), "CUDA_CACHE_MAXSIZE");
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(sh_sets_in_many_ways), T(fish_and_csh_set_too), T(hostile_texts_end_well),
               T(units_are_read_as_systemd_does), T(every_fault_is_told),
               T(misspelt_names_are_known_by_what_is_meant));
}
