/* Another machine to discover: its variables, and a tree of files. */
#ifndef TESTS_SOFTWARE_FAKE_MACHINE_H
#define TESTS_SOFTWARE_FAKE_MACHINE_H

#include "base/compiler.h"
#include "base/path.h"
#include "rigs/tree.h"
#include "software/find/discover.h"

#include <string.h>

struct fake {
    const char *vars[8][2];
};

static const char *fake_env(void *ctx, struct jw_arena *a, const char *name)
{
    const struct fake *fake = ctx;

    (void)a;
    for (size_t i = 0; i < JW_COUNT(fake->vars) && fake->vars[i][0]; i++) {
        if (strcmp(fake->vars[i][0], name) == 0)
            return fake->vars[i][1];
    }
    return NULL;
}

static const char *const no_pythons[] = { NULL };

static struct jw_discover_options options(struct jw_arena *a, struct fake *fake, bool windows,
                                          const char *tree)
{
    return (struct jw_discover_options){
        .system = windows ? JW_SYSTEM_WINDOWS : JW_SYSTEM_LINUX,
        .env = fake_env,
        .env_ctx = fake,
        .home = jw_path_join(a, tree_path(a, tree), "home"),
        .sysroot = tree_path(a, tree),
        .pythons = no_pythons,
        .registered = no_pythons,
        .working = "/",
    };
}

#endif
