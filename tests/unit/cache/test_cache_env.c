#include "cache/place/cache_env.h"
#include "check.h"
#include "machine/trust.h"
#include "os/machine/env.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"
#ifndef _WIN32
#include "rigs/as_nobody.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

static struct jw_cache_env found(struct jw_arena *a, const char *cache)
{
    struct jw_cache_env d;

    jw_cache_env_find(cache, a, &d);
    return d;
}

static void clean(void)
{
    set_variable("CUDA_CACHE_PATH", NULL);
    set_variable("CUDA_CACHE_MAXSIZE", NULL);
    set_variable("CUDA_CACHE_DISABLE", NULL);
}

TEST_ARENA(the_default_place)
{
    clean();
    if (jw_os_is_windows()) {
        set_variable("APPDATA", "C:\\users\\An\\AppData\\Roaming");
        CHECK_TEXT(found(a, NULL).folder, "C:\\users\\An\\AppData\\Roaming\\NVIDIA\\ComputeCache");
        set_variable("APPDATA", "D:\\profile\\");
        CHECK_TEXT(found(a, NULL).folder, "D:\\profile\\NVIDIA\\ComputeCache");
    } else {
        set_variable("HOME", "/home/an");
        CHECK_TEXT(found(a, NULL).folder, "/home/an/.nv/ComputeCache");
    }
    CHECK(!found(a, NULL).named && !found(a, NULL).why_none);
}

TEST_ARENA(no_home_is_no_cache)
{
    struct jw_cache_env d;

    if (jw_os_is_windows())
        SKIP("there the profile is found without a variable");
    clean();
    set_variable("HOME", NULL);
    d = found(a, NULL);
    CHECK(!d.folder);
    CHECK_HAS(d.why_none, "without HOME");
    set_variable("HOME", "");
    CHECK(!found(a, NULL).folder);
    set_variable("CUDA_CACHE_PATH", "/x");
    CHECK_TEXT(found(a, NULL).folder, "/x");
    set_variable("HOME", "/home/an");
}

TEST_ARENA(who_names_the_root)
{
    clean();
    set_variable("CUDA_CACHE_PATH",
                 jw_arena_printf(a, "/%01022d", 0)); /* driver-fact: F110-path-most */
    CHECK_HAS(found(a, NULL).folder, "/000");
    CHECK_TEXT(found(a, "elsewhere").folder, "elsewhere");
    CHECK(!found(a, NULL).named && found(a, "elsewhere").named);
    set_variable("CUDA_CACHE_PATH", jw_arena_printf(a, "/%01023d", 0));
    CHECK_HAS(found(a, NULL).folder, "ComputeCache");
}

TEST_ARENA(switched_off)
{
    clean();
    CHECK(!found(a, "x").disable);
    set_variable("CUDA_CACHE_DISABLE", "true");
    CHECK(!found(a, "x").disable);
    set_variable("CUDA_CACHE_DISABLE", " 01");
    CHECK_TEXT(found(a, "x").disable, " 01");
}

TEST_ARENA(set_but_empty)
{
    struct jw_cache_env d;

    if (jw_os_is_windows())
        SKIP("an empty variable is none there");
    clean();
    set_variable("HOME", "/home/an");
    set_variable("CUDA_CACHE_PATH", "");
    set_variable("CUDA_CACHE_MAXSIZE", "");
    d = found(a, NULL);
    CHECK_TEXT(d.folder, "/home/an/.nv/ComputeCache");
    CHECK(d.nameless && !d.disable);
    CHECK_TEXT(d.max_size, "");
}

#ifndef _WIN32
/* A user's group is private, whatever its number, if nobody else is in it. Without an entry the
 * number decides. */
static void groups(void)
{
    static const char *const cases[][3] = {{"1200", "ada:x:1200:", ""},
                                           {"1200", "ada:x:1200:bob", "group ada"},
                                           {"1100", "ada:x:1100:bob", "group ada"},
                                           {"1300", "team:x:1300:", "group team"},
                                           {"1100", "", ""},
                                           {"1200", "", "its group"}};
    FREED(jw_arena) a = {0};
    const char *dir = tree_dir(&a, "group");
    struct jw_trust t;

    if (!mount_at("/etc", "mode=755"))
        SKIP("no tmpfs");
    scratch_write("/etc/passwd", "ada:x:1100:1200::/:\nbob:x:1101:1101::/:\n");
    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        scratch_write("/etc/group", cases[i][1]);
        CHECK(chown(dir, 1100, (gid_t)atoi(cases[i][0])) == 0 && chmod(dir, 0770) == 0);
        CHECK(jw_trust_read(dir, &a, &t, JW_IGNORED) && strcmp(t.owner, "user 1100") == 0);
        CHECK_TEXT(t.writers ? t.writers : "", cases[i][2]);
    }
}

TEST_ARENA(whose_folder)
{
    struct jw_trust t;
    const char *dir = tree_dir(a, "trust");

    CHECK(chmod(dir, 0700) == 0 && jw_trust_read(dir, a, &t, &err));
    CHECK(t.exists && !t.owner && !t.writers);
    CHECK(chmod(dir, 0777) == 0 && jw_trust_read(dir, a, &t, &err));
    CHECK_TEXT(t.writers, "everybody");
    CHECK(jw_trust_read(tree_path(a, "not-there"), a, &t, &err) && !t.exists);
    in_child("groups", groups);
}
#endif

/* driver-fact: F81-force-disable */
TEST_ARENA(what_forces_a_driver_to_compile)
{
    set_variable("CUDA_FORCE_JIT", "1");
    CHECK(!jw_cache_forced_by(a, "470.256.02"));
    CHECK_TEXT(jw_cache_forced_by(a, "525.147.05"), "CUDA_FORCE_JIT");
    CHECK_TEXT(jw_cache_forced_by(a, NULL), "CUDA_FORCE_JIT");
    set_variable("CUDA_FORCE_PTX_JIT", "0");
    CHECK(!jw_cache_forced_by(a, "525.147.05"));
    set_variable("CUDA_FORCE_PTX_JIT", "1");
    CHECK_TEXT(jw_cache_forced_by(a, "390.157"), "CUDA_FORCE_PTX_JIT");
}
