#include "scratch.h"

#include "check.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/sys.h"

#include <stdlib.h>
#include <unistd.h>

enum { RING = 16, LONGEST = 4096 };

const char *scratch_root(void)
{
    static char path[LONGEST];
    const char *own = getenv("JW_TEST_SCRATCH"), *memory = getenv("JW_TEST_MEMORY");
    const char *name = own ? strrchr(own, '/') : NULL;

    if (!memory || !name)
        return own;
    (void)snprintf(path, sizeof path, "%s%s", memory, name);
    return path;
}

const char *scratch(const char *name)
{
    static char paths[RING][LONGEST];
    static unsigned next;
    const char *cache = scratch_root();
    char *path = paths[next++ % RING];

    (void)snprintf(path, LONGEST, "%s%s%s", cache ? cache : "scratch-os", *name ? "/" : "", name);
    return path;
}

void scratch_empty(const char *folder)
{
    struct jw_dir *dir;
    struct jw_entry e;
    bool more = true;

    if (!jw_dir_open(&dir, folder, JW_IGNORED))
        return;
    while (more && jw_dir_next(dir, &e, &more, JW_IGNORED) && more) {
        char path[LONGEST];

        (void)snprintf(path, sizeof path, "%s/%s", folder, e.name);
        if (e.kind == JW_FILE_DIR) {
            scratch_empty(path);
            (void)rmdir(path);
        } else
            jw_sys_remove(path);
    }
    jw_dir_close(dir);
}

void scratch_begin(void)
{
    struct jw_err err = {0};

    (void)setvbuf(stdout, NULL, _IONBF, 0); /* tests fork */
    scratch_empty(scratch(""));
    if (!jw_make_dirs(scratch(""), &err)) {
        printf("%s: %s\n", scratch(""), err.msg);
        exit(1);
    }
}

void scratch_write(const char *path, const char *text)
{
    struct jw_err err = {0};
    bool ok = jw_file_put(path, JW_OUT_REPLACE,
                          (struct jw_bytes){(const uint8_t *)text, strlen(text)}, &err);

    CHECK(ok);
    CHECK_TEXT(err.msg, "");
}

void scratch_put(const char *name, const char *text)
{
    char folder[4096];

    (void)snprintf(folder, sizeof folder, "%s", scratch(name));
    *strrchr(folder, '/') = '\0';
    CHECK(jw_make_dirs(folder, JW_IGNORED));
    scratch_write(scratch(name), text);
}

void scratch_holds(const char *path, const char *text)
{
    FREED(jw_buf) got = JW_BUF(1 << 20);
    bool found = false;

    CHECK(jw_file_slurp(path, &got, &found, JW_IGNORED));
    CHECK(found);
    CHECK_TEXT(jw_buf_cstr(&got), text);
}

size_t scratch_count(const char *folder)
{
    struct jw_dir *dir;
    struct jw_entry e;
    bool more = true;
    size_t n = 0;

    if (!jw_dir_open(&dir, folder, JW_IGNORED))
        return (size_t)-1;
    while (jw_dir_next(dir, &e, &more, JW_IGNORED) && more)
        n++;
    jw_dir_close(dir);
    return n;
}

bool scratch_there(const char *path)
{
    struct jw_file_info info;

    return jw_file_stat(path, &info, JW_IGNORED) && info.kind != JW_FILE_NONE;
}
