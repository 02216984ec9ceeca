#include "tree.h"

#include "base/path.h"
#include "check.h"
#include "os/files/file.h"
#include "rigs/scratch.h"

#include <stdlib.h>

/* Without a folder of its own a test does nothing: what it makes, and gives away, would lie in the
 * root folder. */
const char *tree_path(struct jw_arena *a, const char *name)
{
    const char *scratch = scratch_root();
    const char *path = scratch && *scratch ? jw_path_join(a, scratch, name) : NULL;

    if (!path) {
        printf("JW_TEST_SCRATCH names no folder for this test: ctest sets it\n");
        exit(1);
    }
    return path;
}

const char *tree_dir(struct jw_arena *a, const char *name)
{
    const char *path = tree_path(a, name);

    CHECK(jw_make_dirs(path, JW_IGNORED));
    return path;
}

const char *tree_bytes(struct jw_arena *a, const char *name, const void *p, size_t n)
{
    const char *path = tree_path(a, name), *dir = jw_path_dir(a, path);

    bool ok = dir && jw_make_dirs(dir, JW_IGNORED)
              && jw_file_put(path, JW_OUT_REPLACE, (struct jw_bytes){p, n}, JW_IGNORED);

    CHECK(ok);
    return path;
}

const char *tree_file(struct jw_arena *a, const char *name, const char *text)
{
    return tree_bytes(a, name, text, strlen(text));
}
