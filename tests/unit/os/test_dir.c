#include "check.h"
#include "os/files/dir.h"
#include "rigs/scratch.h"

enum { MANY = 3000 };

TEST(lists_each_name_once_with_its_type)
{
    static const struct {
        const char *name;
        enum jw_file_kind type;
    } want[] = {{"file", JW_FILE_REGULAR}, {"folder", JW_FILE_DIR}, {"한글", JW_FILE_REGULAR}};
    struct jw_dir *dir;
    struct jw_entry e;
    bool more = true;
    unsigned seen[JW_COUNT(want)] = {0}, all = 0;

    CHECK(jw_make_dirs(scratch("list/folder"), &err));
    scratch_write(scratch("list/file"), "");
    scratch_write(scratch("list/한글"), "");
    CHECK(jw_dir_open(&dir, scratch("list"), &err));
    for (; jw_dir_next(dir, &e, &more, &err) && more; all++)
        for (size_t i = 0; i < JW_COUNT(want); i++)
            if (strcmp(e.name, want[i].name) == 0)
                seen[i] += e.kind == want[i].type;
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
    struct jw_dir *dir;
    struct jw_file f;
    char got[8];
    size_t n;

    CHECK(jw_make_dirs(scratch("open/folder"), &err));
    scratch_write(scratch("open/파일"), "inside");
    CHECK(jw_dir_open(&dir, scratch("open"), &err));
    CHECK(jw_dir_open_file(dir, "파일", &f, NULL, &err));
    CHECK(jw_file_read(&f, 0, got, sizeof got, &n, &err) && n == 6
          && memcmp(got, "inside", 6) == 0);
    jw_file_close(&f);
    CHECK(!jw_dir_open_file(dir, "folder", &f, NULL, &err) && f.handle == -1);
    CHECK_TEXT(err.msg, "is a folder");
    CHECK_SAYS(jw_dir_open_file(dir, "vanished", &f, NULL, &err), err, "no such file");
    CHECK_NUM(err.code, JW_E_IO);
    CHECK_NUM(err.os, 2);
    jw_dir_close(dir);
}

TEST(ids_tell_folders_apart)
{
    struct jw_dir *a = NULL, *b = NULL, *c = NULL;
    struct jw_file_info info;

    CHECK(jw_make_dirs(scratch("ids/one"), &err) && jw_make_dirs(scratch("ids/two"), &err));
    CHECK(jw_dir_open(&a, scratch("ids/one"), &err)
          && jw_dir_open(&b, scratch("ids/two/../one"), &err)
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
    struct jw_dir *dir;
    struct jw_entry e;
    bool more = true;
    char name[64];
    unsigned seen = 0;

    CHECK(jw_make_dirs(scratch("many"), &err));
    for (int i = 0; i < MANY; i++) {
        struct jw_file f;

        (void)snprintf(name, sizeof name, "many/a-name-of-some-length-%d", i);
        CHECK(jw_file_make(&f, scratch(name), &err));
        jw_file_close(&f);
    }
    CHECK_NUM(scratch_count(scratch("many")), MANY);
    CHECK(jw_dir_open(&dir, scratch("many"), &err));
    CHECK(jw_dir_next(dir, &e, &more, &err) && more);
    scratch_empty(scratch("many"));
    while (jw_dir_next(dir, &e, &more, &err) && more) {
        struct jw_file f;

        CHECK(!jw_dir_open_file(dir, e.name, &f, NULL, &err));
        CHECK_NUM(err.os, 2);
        seen++;
    }
    CHECK(!more && seen < MANY);
    jw_dir_close(dir);
}

#ifndef _WIN32
#include "rigs/as_nobody.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static enum jw_file_kind type_of(const char *folder, const char *name, bool *found)
{
    struct jw_dir *dir;
    struct jw_entry e;
    bool more = true;
    enum jw_file_kind type = JW_FILE_OTHER;

    *found = false;
    CHECK(jw_dir_open(&dir, folder, JW_IGNORED));
    while (jw_dir_next(dir, &e, &more, JW_IGNORED) && more)
        if (strcmp(e.name, name) == 0) {
            *found = true;
            type = e.kind;
        }
    jw_dir_close(dir);
    return type;
}

static void is(const char *name, enum jw_file_kind want)
{
    bool found;
    enum jw_file_kind type = type_of(scratch("types"), name, &found);

    CHECK(found);
    CHECK_NUM(type, want);
}

TEST(links_are_links_wherever_they_lead)
{
    CHECK(mkdir(scratch("types"), 0755) == 0);
    scratch_write(scratch("types/file"), "");
    CHECK(symlink("file", scratch("types/link")) == 0);
    CHECK(symlink("nowhere", scratch("types/dangling")) == 0);
    CHECK(symlink("loop", scratch("types/loop")) == 0);
    CHECK(symlink(".", scratch("types/circle")) == 0);
    CHECK(mkfifo(scratch("types/pipe"), 0600) == 0);
    is("file", JW_FILE_REGULAR);
    is("link", JW_FILE_LINK);
    is("dangling", JW_FILE_LINK);
    is("loop", JW_FILE_LINK);
    is("circle", JW_FILE_LINK);
    is("pipe", JW_FILE_OTHER);
}

static void opening(struct jw_dir *dir, const char *name, const char *sentence)
{
    struct jw_err err = {0};
    struct jw_file f;
    bool ok = jw_dir_open_file(dir, name, &f, NULL, &err);

    CHECK_TEXT(ok ? "opened" : err.msg, sentence);
    jw_file_close(&f);
}

TEST(opening_a_name_follows_the_rules_of_files)
{
    struct jw_dir *dir, *circle;

    CHECK(jw_dir_open(&dir, scratch("types"), &err));
    opening(dir, "link", "opened");
    opening(dir, "dangling", "no such file");
    opening(dir, "loop", "the links lead in a circle");
    opening(dir, "circle", "is a folder");
    opening(dir, "pipe", "is not a regular file");
    opening(dir, "", "the name is empty");
    CHECK(jw_dir_open(&circle, scratch("types/circle/circle"), &err));
    CHECK(jw_dir_id(dir).node == jw_dir_id(circle).node);
    jw_dir_close(circle);
    jw_dir_close(dir);
}

TEST(names_that_are_not_utf8_are_their_bytes)
{
    const char *name = "\xff\xfe-latin-\xe9";
    bool found;

    CHECK(mkdir(scratch("bytes"), 0755) == 0);
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", scratch("bytes"), name);
    scratch_write(path, "x");
    CHECK(type_of(scratch("bytes"), name, &found) == JW_FILE_REGULAR && found);
    scratch_holds(path, "x");
}

TEST(a_folder_may_vanish_while_it_is_listed)
{
    struct jw_dir *dir;
    struct jw_entry e;
    bool more = true;

    CHECK(mkdir(scratch("gone"), 0755) == 0);
    CHECK(jw_dir_open(&dir, scratch("gone"), &err));
    CHECK(rmdir(scratch("gone")) == 0);
    CHECK(jw_dir_next(dir, &e, &more, &err) && !more);
    jw_dir_close(dir);
}

static void lock_up(const char *folder)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/shut", folder);
    CHECK(mkdir(path, 0311) == 0);
    (void)snprintf(path, sizeof path, "%s/shut/file", folder);
    scratch_write(path, "known by name");
}

static void without_rights(const char *folder)
{
    struct jw_err err = {0};
    struct jw_dir *dir;
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/shut", folder);
    CHECK(!jw_dir_open(&dir, path, &err) && !dir);
    CHECK_TEXT(err.msg, "permission denied");
    CHECK_NUM(err.os, EACCES);
    (void)snprintf(path, sizeof path, "%s/shut/file", folder);
    scratch_holds(path, "known by name");
}

static void make_places(const char *folder)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/open", folder);
    CHECK(mkdir(path, 0700) == 0 && chmod(path, 0777) == 0);
    (void)snprintf(path, sizeof path, "%s/closed", folder);
    CHECK(mkdir(path, 0555) == 0);
    (void)snprintf(path, sizeof path, "%s/file", folder);
    scratch_write(path, "");
}

static void ask_places(const char *folder)
{
    static const char *const names[] = {"open", "closed", "file", "none"};
    char path[4096];

    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK(jw_may_use(path, JW_FILE_DIR) == (i == 0));
    }
}

TEST(who_may_make_files_in_it) { as_nobody(ask_places, make_places); }

TEST(rights_are_asked_of_the_system) { as_nobody(without_rights, lock_up); }

#endif
