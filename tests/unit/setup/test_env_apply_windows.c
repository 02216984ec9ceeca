/* Through the registry of the user who runs the tests: what was there is there again at the end. */
#include "base/fault.h"
#include "check.h"
#include "rigs/scratch.h"
#include "setup/env/env_apply.h"
#include "setup/login/env_registry.h"

#include <windows.h>

#define NAME "CUDA_CACHE_MAXSIZE"

struct rig {
    struct jw_arena a;
    struct jw_env_options o;
};

static struct rig begin(void)
{
    return (struct rig){ .o = { .unchecked = true } };
}

static bool apply(struct rig *r, struct jw_err *err)
{
    const struct jw_env_setting wanted = { NAME, "2147483648", "because", false };
    struct jw_session s = { .a = &r->a };
    struct jw_env_report out;

    return jw_env_apply(&s, &r->o, &wanted, 1, &out, err);
}

static bool undo(struct rig *r, struct jw_err *err)
{
    struct jw_session s = { .a = &r->a };
    struct jw_env_report out;

    return jw_env_undo(&s, &r->o, &out, err);
}

static struct jw_env_reg get(struct jw_arena *a)
{
    struct jw_env_reg now;
    struct jw_err err = { 0 };

    CHECK(jw_env_registry_get(false, NAME, a, &now, &err));
    return now;
}

static void set_before(void)
{
    static const wchar_t value[] = L"%JITWARM_NOWHERE%5";

    CHECK(RegSetKeyValueW(HKEY_CURRENT_USER, L"Environment", L"" NAME, REG_EXPAND_SZ, value, sizeof value)
          == ERROR_SUCCESS);
}

/* A variable that nobody had set, and its mark. */
static void is_gone(struct rig *r)
{
    struct jw_env_reg mark;
    struct jw_err err = { 0 };

    CHECK(!get(&r->a).exists);
    CHECK(jw_env_registry_get(false, "JITWARM_ENV_" NAME, &r->a, &mark, &err) && !mark.exists);
}

TEST(what_is_as_the_mark_says_is_removed)
{
    struct rig r = begin();
    struct jw_err err = { 0 };

    set_before();
    CHECK(apply(&r, &err));
    CHECK_TEXT(get(&r.a).text, "2147483648");
    CHECK(apply(&r, &err)); /* again: nothing is forgotten */
    CHECK_OK(undo(&r, &err), err);
    is_gone(&r);
    CHECK(undo(&r, &err));
    jw_arena_free(&r.a);
}

TEST(what_the_user_had_set_to_the_same_stays)
{
    struct rig r = begin();
    struct jw_err err = { 0 };

    CHECK(jw_env_registry_set(false, NAME, "2147483648", &err));
    CHECK(apply(&r, &err) && undo(&r, &err));
    CHECK_TEXT(get(&r.a).text, "2147483648");
    jw_arena_free(&r.a);
}

TEST(what_somebody_has_set_since_stays)
{
    struct rig r = begin();
    struct jw_err err = { 0 };

    set_before();
    CHECK(apply(&r, &err));
    CHECK(jw_env_registry_set(false, NAME, "7", &err));
    CHECK(undo(&r, &err));
    CHECK_TEXT(get(&r.a).text, "7");
    jw_arena_free(&r.a);
}

TEST(every_fault_leaves_old_or_new)
{
    for (unsigned long nth = 1; nth < 1000; nth++) {
        struct rig r = begin();
        struct jw_err err = { 0 };
        bool ok, fired;

        CHECK(jw_env_registry_set(false, NAME, NULL, &err));
        jw_fault_arm(nth);
        ok = apply(&r, &err) && undo(&r, &err);
        fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || err.msg[0]);
        err = (struct jw_err){ 0 };
        CHECK(undo(&r, &err));
        is_gone(&r);
        jw_arena_free(&r.a);
        if (!fired)
            break;
        CHECK(nth < 999);
    }
}

MAIN(argc, argv)
{
    struct jw_arena a = { 0 };
    struct jw_env_reg own;
    struct jw_err err = { 0 };
    int code;

    scratch_begin();
    if (!jw_env_registry_get(false, NAME, &a, &own, &err))
        return 1;
    code = RUN(argc, argv);
    if (!jw_env_registry_set(false, NAME, own.text, &err))
        return 1;
    jw_arena_free(&a);
    return code;
}
