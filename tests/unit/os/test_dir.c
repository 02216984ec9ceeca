#include "check.h"
#include "os/files/dir.h"
#include "os/sys.h"
#include "rigs/scratch.h"

#include <stdlib.h>

enum { MANY = 3000 };

TEST(lists_each_name_once_with_its_type)
{
    static const struct {
        const char *name;
        enum jw_entry_type type;
    } want[] = { { "file", JW_ENTRY_FILE }, { "folder", JW_ENTRY_DIR }, { "한글", JW_ENTRY_FILE } };
    struct jw_err err = { 0 };
    struct jw_dir *dir;
    struct jw_entry e;
    bool more = true;
    unsigned seen[JW_COUNT(want)] = { 0 }, all = 0;

    CHECK(jw_make_dirs(scratch("list/folder"), &err));
    scratch_write(scratch("list/file"), "");
    scratch_write(scratch("list/한글"), "");
    CHECK(jw_dir_open(&dir, scratch("list"), &err));
    for (; jw_dir_next(dir, &e, &more, &err) && more; all++)
        for (size_t i = 0; i < JW_COUNT(want); i++)
            if (strcmp(e.name, want[i].name) == 0)
                seen[i] += e.type == want[i].type;
    CHECK(!more);
    CHECK_NUM(all, 3);
    for (size_t i = 0; i < JW_COUNT(want); i++)
        CHECK_NUM(seen[i], 1);
    CHECK(jw_dir_next(dir, &e, &more, &err) && !more); /* the end stays the end */
    jw_dir_close(dir);
    jw_dir_close(NULL);
}

TEST(what_is_no_folder_is_refused)
{
    struct jw_err err = { 0 };
    struct jw_dir *dir;

    scratch_write(scratch("file"), "");
    CHECK(!jw_dir_open(&dir, scratch("file"), &err) && !dir);
    CHECK_TEXT(err.msg, "is not a folder");
    CHECK(!jw_dir_open(&dir, scratch("missing"), &err) && !dir);
    CHECK_TEXT(err.msg, "no such folder");
    CHECK_NUM(err.code, JW_E_IO);
    CHECK(err.os != 0);
    CHECK(!jw_dir_open(&dir, "", &err) && !dir);
}

TEST(opens_files_of_the_listing)
{
    struct jw_err err = { 0 };
    struct jw_dir *dir;
    struct jw_file f;
    char got[8];
    size_t n;

    CHECK(jw_make_dirs(scratch("open/folder"), &err));
    scratch_write(scratch("open/파일"), "inside");
    CHECK(jw_dir_open(&dir, scratch("open"), &err));
    CHECK(jw_dir_open_file(dir, "파일", &f, &err));
    CHECK(jw_file_read(&f, 0, got, sizeof got, &n, &err) && n == 6 && memcmp(got, "inside", 6) == 0);
    jw_file_close(&f);
    CHECK(!jw_dir_open_file(dir, "folder", &f, &err) && f.handle == -1);
    CHECK_TEXT(err.msg, "is a folder");
    CHECK(!jw_dir_open_file(dir, "vanished", &f, &err));
    CHECK_TEXT(err.msg, "no such file");
    CHECK_NUM(err.code, JW_E_IO);
    CHECK_NUM(err.os, 2);
    jw_dir_close(dir);
}

TEST(ids_tell_folders_apart)
{
    struct jw_err err = { 0 };
    struct jw_dir *a = NULL, *b = NULL, *c = NULL;
    struct jw_file_info info;

    CHECK(jw_make_dirs(scratch("ids/one"), &err) && jw_make_dirs(scratch("ids/two"), &err));
    CHECK(jw_dir_open(&a, scratch("ids/one"), &err) && jw_dir_open(&b, scratch("ids/two/../one"), &err)
          && jw_dir_open(&c, scratch("ids/two"), &err));
    CHECK(jw_dir_id(a).node == jw_dir_id(b).node && jw_dir_id(a).volume == jw_dir_id(b).volume);
    CHECK(jw_dir_id(a).node != jw_dir_id(c).node);
    CHECK(jw_file_stat(scratch("ids/one"), &info, &err));
    CHECK(info.id.node == jw_dir_id(a).node && info.id.volume == jw_dir_id(a).volume);
    jw_dir_close(a);
    jw_dir_close(b);
    jw_dir_close(c);
}

TEST(files_may_vanish_while_they_are_listed)
{
    struct jw_err err = { 0 };
    struct jw_dir *dir;
    struct jw_entry e;
    bool more = true;
    char name[64];
    unsigned seen = 0;

    CHECK(jw_make_dirs(scratch("many"), &err));
    for (int i = 0; i < MANY; i++) {
        struct jw_err ignored;
        intptr_t handle = -1;
        bool taken;

        (void)snprintf(name, sizeof name, "many/a-name-of-some-length-%d", i);
        CHECK(jw_sys_create(scratch(name), &handle, &taken, &err) && !taken
              && jw_sys_close(handle, &ignored));
    }
    CHECK_NUM(scratch_count(scratch("many")), MANY);
    CHECK(jw_dir_open(&dir, scratch("many"), &err));
    CHECK(jw_dir_next(dir, &e, &more, &err) && more);
    scratch_empty(scratch("many"));
    while (jw_dir_next(dir, &e, &more, &err) && more) {
        struct jw_file f;

        CHECK(!jw_dir_open_file(dir, e.name, &f, &err));
        CHECK_NUM(err.os, 2);
        seen++;
    }
    CHECK(!more && seen < MANY);
    jw_dir_close(dir);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(lists_each_name_once_with_its_type), T(what_is_no_folder_is_refused),
               T(opens_files_of_the_listing), T(ids_tell_folders_apart),
               T(files_may_vanish_while_they_are_listed));
}
