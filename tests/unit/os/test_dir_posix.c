#include "base/fault.h"
#include "check.h"
#include "os/files/dir.h"
#include "rigs/as_nobody.h"
#include "rigs/scratch.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static enum jw_entry_type type_of(const char *folder, const char *name, bool *found)
{
    struct jw_err err = { 0 };
    struct jw_dir *dir;
    struct jw_entry e;
    bool more = true;
    enum jw_entry_type type = JW_ENTRY_OTHER;

    *found = false;
    CHECK(jw_dir_open(&dir, folder, &err));
    while (jw_dir_next(dir, &e, &more, &err) && more)
        if (strcmp(e.name, name) == 0) {
            *found = true;
            type = e.type;
        }
    jw_dir_close(dir);
    return type;
}

static void is(const char *name, enum jw_entry_type want)
{
    bool found;
    enum jw_entry_type type = type_of(scratch("types"), name, &found);

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
    is("file", JW_ENTRY_FILE);
    is("link", JW_ENTRY_LINK);
    is("dangling", JW_ENTRY_LINK);
    is("loop", JW_ENTRY_LINK);
    is("circle", JW_ENTRY_LINK);
    is("pipe", JW_ENTRY_OTHER);
}

static void opening(struct jw_dir *dir, const char *name, const char *sentence)
{
    struct jw_err err = { 0 };
    struct jw_file f;
    bool ok = jw_dir_open_file(dir, name, &f, &err);

    CHECK_TEXT(ok ? "opened" : err.msg, sentence);
    jw_file_close(&f);
}

TEST(opening_a_name_follows_the_rules_of_files)
{
    struct jw_err err = { 0 };
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
    CHECK(type_of(scratch("bytes"), name, &found) == JW_ENTRY_FILE && found);
    scratch_holds(path, "x");
}

TEST(a_folder_may_vanish_while_it_is_listed)
{
    struct jw_err err = { 0 };
    struct jw_dir *dir;
    struct jw_entry e;
    bool more = true;

    CHECK(mkdir(scratch("gone"), 0755) == 0);
    CHECK(jw_dir_open(&dir, scratch("gone"), &err));
    CHECK(rmdir(scratch("gone")) == 0);
    CHECK(jw_dir_next(dir, &e, &more, &err) && !more);
    jw_dir_close(dir);
}

TEST(every_fault_is_told)
{
    struct jw_err err = { 0 };
    struct jw_dir *dir;
    struct jw_entry e;
    struct jw_file f;
    bool more = true;

    jw_fault_arm(1);
    CHECK(!jw_dir_open(&dir, scratch("types"), &err) && !dir && err.msg[0]);
    jw_fault_arm(0);
    CHECK(jw_dir_open(&dir, scratch("types"), &err));
    jw_fault_arm(1);
    CHECK(!jw_dir_next(dir, &e, &more, &err) && !more);
    jw_fault_arm(1);
    CHECK(!jw_dir_open_file(dir, "file", &f, &err) && f.handle == -1);
    CHECK_TEXT(err.msg, "injected failure");
    jw_fault_arm(0);
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
    struct jw_err err = { 0 };
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
    static const char *const names[] = { "open", "closed", "file", "none" };
    struct jw_err err = { 0 };
    char path[4096];
    bool may;

    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK(jw_dir_may_add(path, &may, &err));
        CHECK(may == (i == 0));
    }
}

TEST(who_may_make_files_in_it)
{
    struct jw_err err = { 0 };
    bool may;

    as_nobody(ask_places, make_places);
    jw_fault_arm(1);
    CHECK(!jw_dir_may_add(scratch("types"), &may, &err) && !may);
    jw_fault_arm(0);
}

TEST(rights_are_asked_of_the_system)
{
    as_nobody(without_rights, lock_up);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(links_are_links_wherever_they_lead),
               T(opening_a_name_follows_the_rules_of_files), T(names_that_are_not_utf8_are_their_bytes),
               T(a_folder_may_vanish_while_it_is_listed), T(every_fault_is_told), T(who_may_make_files_in_it),
               T(rights_are_asked_of_the_system));
}
