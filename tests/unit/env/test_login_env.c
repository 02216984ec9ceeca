#include "check.h"
#include "env/files/login_env.h"
#include "os/machine/env.h"

#include <stdlib.h>

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

TEST(the_environment_is_found_between_banners)
{
    struct jw_arena a = { 0 };
    struct jw_env_set s =
        parse(JW_BYTES("Welcome!\nCUDA_FAKE=1\n" MARK
                       "\nPATH=/x\0CUDA_CACHE_PATH=/c = d\nand\0CUDA_EMPTY=\0odd\0=x\0" MARK "\nGood bye\n"),
              true, &a);

    CHECK_NUM(s.n, 2);
    CHECK_TEXT(value(&s, "CUDA_CACHE_PATH"), "/c = d\nand");
    CHECK_TEXT(value(&s, "CUDA_EMPTY"), "");
    if (s.n)
        CHECK_TEXT(s.v[0].origin, "shell");
    jw_arena_free(&a);
}

TEST(what_is_cut_off_is_not_found)
{
    struct jw_arena a = { 0 };

    (void)parse(JW_BYTES(""), false, &a);
    (void)parse(JW_BYTES("banner"), false, &a);
    (void)parse(JW_BYTES(MARK), false, &a);
    (void)parse(JW_BYTES(MARK "\n"), false, &a);
    (void)parse(JW_BYTES(MARK "\n" MARK "\n"), false, &a); /* env does not know -0 */
    (void)parse(JW_BYTES(MARK "\nA=1\0B=2"), false, &a);
    (void)parse(JW_BYTES(MARK "\nA=1\nB=2\n" MARK "\n"), false, &a);
    CHECK_NUM(parse(JW_BYTES(MARK "\nA=1\0" MARK), true, &a).n, 0);
    jw_arena_free(&a);
}

TEST(wanted_is_what_concerns_cuda)
{
    CHECK(jw_login_wants("CUDA_CACHE_PATH") && jw_login_wants("CUDA_ANYTHING"));
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

TEST(differences_have_both_values)
{
    static char path[] = "CUDA_CACHE_PATH=/here", same[] = "CUDA_CACHE_MAXSIZE=5",
                extra[] = "CUDA_NOBODY_ASKS=1";
    static const struct jw_env_value there[] = { { "CUDA_CACHE_PATH", "/there", "/etc/environment" },
                                                 { "CUDA_CACHE_MAXSIZE", "5", "shell" },
                                                 { "CUDA_FORCE_PTX_JIT", "1", "shell" } };
    struct jw_arena a = { 0 };
    struct jw_login_env login = login_with(there, 3, &a);

    CHECK(putenv(path) == 0 && putenv(same) == 0 && putenv(extra) == 0);

    struct jw_env_difference *d = compare(&login, &a, 2);

    if (d) {
        CHECK_TEXT(d[0].name, "CUDA_CACHE_PATH");
        CHECK_TEXT(d[0].here, "/here");
        CHECK_TEXT(d[0].login, "/there");
        CHECK_TEXT(d[0].origin, "/etc/environment");
        CHECK_TEXT(d[1].name, "CUDA_FORCE_PTX_JIT");
        CHECK(d[1].here == NULL && !d[1].terminal_agrees);
        CHECK_TEXT(d[1].login, "1");
    }
    login.terminal = set_of((const struct jw_env_value[]){ { "CUDA_CACHE_PATH", "/here", "t" } }, 1, &a);
    login.terminal_known = true;
    d = compare(&login, &a, 2);
    if (d)
        CHECK(d[0].terminal_agrees && d[1].terminal_agrees); /* there it is unset, as it is here */
    login.known = false;
    (void)compare(&login, &a, 0);
    jw_arena_free(&a);
}

TEST(unset_here_or_there_is_a_difference)
{
    static char one[] = "CUDA_CACHE_PATH=/here", two[] = "CUDA_CACHE_MAXSIZE=5";
    struct jw_arena a = { 0 };
    struct jw_login_env login = login_with(NULL, 0, &a);

    CHECK(putenv(one) == 0 && putenv(two) == 0);

    struct jw_env_difference *d = compare(&login, &a, 2);

    if (d)
        CHECK(d[0].login == NULL && d[0].origin == NULL && d[1].login == NULL);
    jw_arena_free(&a);
}

TEST(this_user)
{
    struct jw_arena a = { 0 };
    struct jw_login_env login;
    struct jw_err err = { 0 };

    CHECK(jw_login_env(&a, &login, &err));
    CHECK(login.known == !login.why);
    printf("known %d, %s, shell %s, %zu values\n", login.known, login.why ? login.why : "",
           login.shell ? login.shell : "none", login.sets.n);
    if (login.known)
        CHECK(jw_env_set_find(&login.sets, jw_os_is_windows() ? "APPDATA" : "HOME") != NULL);
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(the_environment_is_found_between_banners), T(what_is_cut_off_is_not_found),
               T(wanted_is_what_concerns_cuda), T(differences_have_both_values),
               T(unset_here_or_there_is_a_difference), T(this_user));
}
