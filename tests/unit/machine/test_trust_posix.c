#include "base/path.h"
#include "check.h"
#include "machine/trust.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <unistd.h>

TEST_ARENA(links_of_this_user_lead_to_a_safe_place)
{
    static const char *const links[][2] = { { "absolute", "" },
                                            { "relative", "real" },
                                            { "twice", "relative/../absolute" },
                                            { "circle", "circle" } };
    static const char *const ways[] = { "absolute/new/folder", "relative/home/",
                                        "twice/home/../home" };
    const char *real = tree_dir(a, "real/home"), *at;
    struct jw_trust t;

    set_variable("HOME", tree_path(a, ""));
    for (size_t i = 0; i < JW_COUNT(links); i++)
        CHECK(symlink(*links[i][1] ? links[i][1] : jw_path_dir(a, real), tree_path(a, links[i][0]))
              == 0);
    for (size_t i = 0; i < JW_COUNT(ways); i++) {
        memset(&t, 0x59, sizeof t);
        CHECK_OK(jw_trust_check_place(tree_path(a, ways[i]), a, &at, &t, &err), err);
        CHECK(!at);
    }
    CHECK_REFUSED(jw_trust_check_place(tree_path(a, "circle/home"), a, &at, &t, &err), err,
                  "in a circle");
}

TEST_ARENA(a_file_that_is_larger_than_jitwarm_makes_it)
{
    enum { MOST = 1 << 15 };
    const char *path = tree_bytes(a, "large", jw_arena_alloc(a, 2 * MOST), 2 * MOST);
    struct jw_bytes bytes;
    bool found = true;

    CHECK_REFUSED(jw_trust_slurp(path, MOST, a, &bytes, &found, &err), err,
                  "larger than jitwarm makes it");
    CHECK(!found && !bytes.n);
}
