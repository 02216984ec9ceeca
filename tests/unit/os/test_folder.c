/* A folder held open: names below it are made, opened and moved, and nothing is written over
 * unasked. */
#include "os/files/folder.h"

#include "check.h"
#include "rigs/faults.h"
#include "rigs/scratch.h"

#if defined(__linux__)
#include "rigs/as_nobody.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

static void move(struct jw_folder *t, const char *name, const char *new_name, bool replaces,
                 bool moves)
{
    struct jw_err err = {0};
    bool moved;

    CHECK_OK(jw_folder_move(t, name, t, new_name, replaces, &moved, &err), err);
    CHECK(moved == moves);
}

static struct jw_folder open_fresh(const char *name)
{
    struct jw_folder t;
    struct jw_err err = {0};

    scratch_empty(scratch(name));
    CHECK_OK(jw_make_dirs(scratch(name), &err) && jw_folder_open(&t, scratch(name), &err), err);
    return t;
}

TEST(folders)
{
    struct jw_folder t, sub, again;
    bool found = true;

    CHECK_SAYS(jw_folder_open(&t, scratch("not-there"), &err), err, "no such folder");
    scratch_write(scratch("file"), "text");
    CHECK_SAYS(jw_folder_open(&t, scratch("file"), &err), err, "is not a folder");
    CHECK_NUM(err.code, JW_E_FORMAT);
    jw_folder_close(&t);

    t = open_fresh("folders");
    CHECK(jw_folder_enter(&t, "sub", false, &sub, &found, &err) && !found);
    CHECK(jw_folder_enter(&t, "sub", true, &sub, &found, &err) && found);
    CHECK(jw_folder_enter(&t, "sub", true, &again, &found, &err) && found);
    scratch_write(scratch("folders/file"), "text");
    CHECK(jw_folder_sync(&sub, &err) && jw_folder_sync(&t, &err));
    jw_folder_close(&again);
    jw_folder_close(&sub);
    CHECK(!jw_folder_enter(&t, "file", true, &sub, &found, &err) && !found);
    CHECK_TEXT(err.msg, "is not a folder");
    jw_folder_close(&sub);
    jw_folder_close(&t);
    jw_folder_close(&t);
}

TEST(facts)
{
    struct jw_folder t = open_fresh("facts"), sub;
    struct jw_file_info info;
    bool found;

    scratch_write(scratch("facts/file"), "text");
    CHECK(jw_folder_stat(&t, "nothing", &info, &err) && info.kind == JW_FILE_NONE);
    CHECK(jw_folder_stat(&t, "file", &info, &err) && info.kind == JW_FILE_REGULAR
          && info.size == 4);
    CHECK(jw_folder_enter(&t, "sub", true, &sub, &found, &err));
    CHECK(jw_folder_stat(&t, "sub", &info, &err) && info.kind == JW_FILE_DIR);

    struct jw_file_info same;

    CHECK(jw_folder_stat(&sub, ".", &same, &err) && same.kind == JW_FILE_DIR
          && same.id.node == info.id.node);
    jw_folder_close(&sub);
    jw_folder_close(&t);
}

TEST(in_place)
{
    struct jw_folder t = open_fresh("place");
    struct jw_file f;
    struct jw_file_info info;
    char text[8] = "";
    size_t got;
    bool found = true;

    CHECK(jw_folder_open_file(&t, "file", JW_FOLDER_CHANGE, &f, &found, &err) && !found);
    CHECK(jw_folder_open_file(&t, "file", JW_FOLDER_READ, &f, &found, &err) && !found);
    CHECK(jw_folder_open_file(&t, "file", JW_FOLDER_MAKE, &f, &found, &err) && found);
    CHECK(jw_file_write(&f, 0, "abcdef", 6, &err) && jw_file_write(&f, 2, "XY", 2, &err));
    CHECK(jw_file_read(&f, 0, text, sizeof text, &got, &err) && got == 6);
    CHECK_TEXT(text, "abXYef");
    CHECK(jw_file_truncate(&f, 3, &err) && jw_file_sync(&f, &err));
    jw_file_close(&f);
    scratch_holds(scratch("place/file"), "abX");

    CHECK(jw_folder_open_file(&t, "file", JW_FOLDER_MAKE, &f, &found, &err)
          && found); /* what is there stays */
    CHECK(jw_file_info(&f, &info, &err) && info.size == 3);
    CHECK(jw_file_truncate(&f, 5, &err) && jw_file_info(&f, &info, &err) && info.size == 5);
    jw_file_close(&f);
    CHECK(jw_folder_open_file(&t, "file", JW_FOLDER_READ, &f, &found, &err) && found);
    CHECK(!jw_file_write(&f, 0, "x", 1, &err)); /* not opened for that */
    jw_file_close(&f);

    err = (struct jw_err){0};
    CHECK(jw_make_dirs(scratch("place/folder"), &err));
    CHECK(!jw_folder_open_file(&t, "folder", JW_FOLDER_READ, &f, &found, &err) && !found);
    CHECK_TEXT(err.msg, "is a folder");
    CHECK(!jw_folder_open_file(&t, "folder", JW_FOLDER_MAKE, &f, &found, &err) && !found);
    CHECK_TEXT(err.msg, "is a folder");
    CHECK_NUM(err.code, JW_E_FORMAT);
    jw_folder_close(&t);
}

TEST(moving)
{
    struct jw_folder t = open_fresh("moving");
    bool moved;

    scratch_write(scratch("moving/a"), "first");
    scratch_write(scratch("moving/b"), "second");
    move(&t, "a", "b", false, false);
    scratch_holds(scratch("moving/b"), "second");
    move(&t, "a", "c", false, true);
    scratch_holds(scratch("moving/c"), "first");
    CHECK(!scratch_there(scratch("moving/a")));

    move(&t, "c", "b", true, true);
    scratch_holds(scratch("moving/b"), "first");
    CHECK(!scratch_there(scratch("moving/c")));

    CHECK(jw_folder_remove(&t, "b", &err) && jw_folder_remove(&t, "b", &err));
    CHECK(!scratch_there(scratch("moving/b")));
    CHECK_TEXT(err.msg, "");

    CHECK_SAYS(jw_folder_move(&t, "b", &t, "d", false, &moved, &err), err, "no such file");
    jw_folder_close(&t);
}

#if defined(__linux__)
/* No rename that spares what has the new name, and not this call. */
static void forbid(unsigned call)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){JW_COUNT(steps), steps});
}

/* As a mounted bucket: no hard links. */
static void in_bucket(void)
{
    forbid(SYS_linkat);
    moving((struct jw_err){0});
}

TEST(moving_in_a_bucket) { in_child("bucket", in_bucket); }

static void without_unlink(void)
{
    struct jw_folder t = open_fresh("half-moved");

    scratch_write(scratch("half-moved/a"), "first");
    forbid(SYS_unlinkat);
    move(&t, "a", "b", false, true);
    scratch_holds(scratch("half-moved/b"), "first");
    jw_folder_close(&t);
}

TEST(what_has_come_has_moved) { in_child("without_unlink", without_unlink); }
#endif

/* Whatever fails says so, and nothing stays open. */
TEST(faults)
{
    EACH_FAULT (step, 1) {
        struct jw_folder t = open_fresh("faults"), sub = JW_FOLDER_CLOSED;
        struct jw_file f = JW_FILE_CLOSED;
        bool found, moved;
        bool ok =
            FAULTED(step, jw_folder_enter(&t, "sub", true, &sub, &found, &err)
                              && jw_folder_open_file(&sub, "file", JW_FOLDER_MAKE, &f, &found, &err)
                              && jw_file_write(&f, 0, "text", 4, &err)
                              && jw_file_truncate(&f, 2, &err) && jw_file_sync(&f, &err)
                              && jw_folder_move(&sub, "file", &t, "file", false, &moved, &err)
                              && jw_folder_sync(&t, &err) && jw_folder_remove(&t, "file", &err));
        CHECK(ok != step.fired);
        CHECK(ok || err.msg[0]);
        jw_file_close(&f);
        jw_folder_close(&sub);
        jw_folder_close(&t);
        CHECK(step.nth < 200);
    }
}
