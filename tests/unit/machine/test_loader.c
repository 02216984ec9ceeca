#include "base/path.h"
#include "check.h"
#include "machine/loader.h"
#include "os/machine/env.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

/* The head of a library of this processor, or of another one. */
static const char *library(struct jw_arena *a, const char *name, bool other)
{
    char head[64] = {0x7f, 'E', 'L', 'F', 2, 1};
    bool arm = (strcmp(jw_os_arch(), "aarch64") == 0) != other;

    head[18] = arm ? (char)183 : 62;
    return tree_bytes(a, name, head, sizeof head);
}

static const char *taken(const char *list, struct jw_arena *a)
{
    return jw_loader_takes("libjw-none.so.1", list, false, a);
}

TEST_ARENA(the_first_folder_that_has_one)
{
    const char *one = library(a, "one/libjw-none.so.1", false),
               *two = library(a, "two/libjw-none.so.1", false);
    const char *first = jw_path_dir(a, one), *second = jw_path_dir(a, two),
               *empty = tree_dir(a, "empty");

    CHECK_TEXT(taken(jw_arena_printf(a, "%s:%s", first, second), a), one);
    CHECK_TEXT(taken(jw_arena_printf(a, "/no/such:%s;%s:%s:", empty, second, first), a), two);
    CHECK(!taken(empty, a) && !taken("", a) && !taken(NULL, a));
}

TEST_ARENA(what_it_passes_over)
{
    const char *other = library(a, "other/libjw-none.so.1", true),
               *here = library(a, "here/libjw-none.so.1", false);
    const char *text = tree_file(a, "text/libjw-none.so.1", "no library at all");
    const char *list = jw_arena_printf(a, "%s:%s", jw_path_dir(a, other), jw_path_dir(a, here));

    (void)tree_dir(a, "folder/libjw-none.so.1");
    CHECK_TEXT(taken(list, a), here);
    CHECK_TEXT(taken(jw_arena_printf(a, "%s:%s", tree_path(a, "folder"), list), a), here);
    /* It ends with an error there, and looks no further. */
    CHECK_TEXT(taken(jw_arena_printf(a, "%s:%s", jw_path_dir(a, text), list), a), text);
}

/* Every Linux with a C library has it, in the loader's cache or in a folder of the system's; a made
 * machine has what the test made. */
TEST_ARENA(what_the_system_has)
{
    static const char cache[] = "libc.so.6\0/nv/libc.so.6";
    const char *nv = library(a, "root/nv/libc.so.6", false),
               *lib = tree_path(a, "root/lib64/libc.so.6");

    set_variable("JITWARM_SYSROOT", NULL);
    const char *path = jw_loader_takes("libc.so.6", NULL, false, a);

    CHECK(path && jw_path_absolute(path) && strcmp(jw_path_base(path), "libc.so.6") == 0);
    set_variable("JITWARM_SYSROOT", tree_path(a, "root"));
    CHECK(!jw_loader_takes("libc.so.6", NULL, false, a));
    (void)library(a, "root/lib64/libc.so.6", false);
    CHECK_TEXT(jw_loader_takes("libc.so.6", NULL, false, a), lib);
    (void)tree_bytes(a, "root/etc/ld.so.cache", cache, sizeof cache);
    CHECK_TEXT(jw_loader_takes("libc.so.6", NULL, false, a), nv);
}
