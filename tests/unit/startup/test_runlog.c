#include "startup/startup_log.h"

#include "base/fault.h"
#include "base/limits.h"
#include "base/mem.h"
#include "check.h"
#include "os/files/file.h"

#include "rigs/scratch.h"
#include "rigs/tree.h"

#include <stdlib.h>

static bool add(const char *path, const char *line, struct jw_err *err)
{
    return jw_runlog_add(path, (struct jw_bytes){ (const uint8_t *)line, strlen(line) }, err);
}

static char *all_of(const char *path, struct jw_arena *a)
{
    struct jw_buf b = JW_BUF(4 * JW_RUNLOG_FULL);
    struct jw_err err = { 0 };

    CHECK(jw_runlog_read(path, &b, &err));
    char *text = jw_arena_str(a, jw_buf_cstr(&b));

    jw_buf_free(&b);
    return text;
}

static uint64_t size_of(const char *path)
{
    struct jw_file_info info;
    struct jw_err err = { 0 };

    return jw_file_stat(path, &info, &err) && info.kind == JW_FILE_REGULAR ? info.size : 0;
}

TEST(lines_follow_each_other)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *path = tree_path(&a, "follow/startup.log");

    CHECK_TEXT(all_of(path, &a), "");
    CHECK(add(path, "one\n", &err) && add(path, "two\n", &err));
    CHECK_TEXT(all_of(path, &a), "one\ntwo\n");
    jw_arena_free(&a);
}

TEST(it_never_grows_past_two_files)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *path = tree_path(&a, "full/startup.log"), *old = tree_path(&a, "full/startup.log.1");
    char line[1025];

    memset(line, 'x', sizeof line);
    line[sizeof line - 2] = '\n';
    line[sizeof line - 1] = '\0';
    for (unsigned i = 0; i < 5 * JW_RUNLOG_FULL / 1024; i++) {
        (void)snprintf(line, 9, "%08u", i);
        line[8] = ' ';
        CHECK(add(path, line, &err));
        CHECK(size_of(path) <= JW_RUNLOG_FULL && size_of(old) <= JW_RUNLOG_FULL);
    }
    CHECK(size_of(path) && size_of(old));

    char *text = all_of(path, &a);
    unsigned last = (unsigned)strtoul(text + strlen(text) - 1024, NULL, 10),
             first = (unsigned)strtoul(text, NULL, 10);

    CHECK_NUM(last, 5 * JW_RUNLOG_FULL / 1024 - 1);
    CHECK_NUM(last - first + 1, strlen(text) / 1024); /* none is lost in between */
    jw_arena_free(&a);
}

TEST(a_line_that_is_larger_than_the_log_is_kept_alone)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    const char *path = tree_path(&a, "large/startup.log");
    char *line = jw_alloc(JW_RUNLOG_FULL + 2);

    memset(line, 'y', JW_RUNLOG_FULL);
    line[JW_RUNLOG_FULL] = '\n';
    CHECK(add(path, line, &err) && add(path, "after\n", &err));
    CHECK_NUM(size_of(path), 6);
    jw_free(line);
    jw_arena_free(&a);
}

/* Whatever fails, whole lines are in it: those before, and the new one or not. */
TEST(every_failure_leaves_whole_lines)
{
    struct jw_arena a = { 0 };
    const char *path = tree_path(&a, "faults/startup.log");
    bool fired = true;
    unsigned kept = 0;

    for (unsigned long nth = 1; fired; nth++) {
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = add(path, "line\n", &err);

        fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || err.msg[0]);
        CHECK(fired || ok);
        kept += ok;

        const char *text = all_of(path, &a);

        CHECK(strlen(text) % 5 == 0 && strlen(text) / 5 >= kept);
        for (const char *at = text; *at; at += 5)
            CHECK(strncmp(at, "line\n", 5) == 0);
    }
    CHECK(kept > 0);
    jw_arena_free(&a);
}

TEST(what_is_in_the_way_is_told)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };

    (void)tree_file(&a, "way/file", "x");
    CHECK(!add(tree_path(&a, "way/file/startup.log"), "x\n", &err) && strstr(err.msg, "file"));
    (void)tree_dir(&a, "way/startup.log");
    CHECK(!add(tree_path(&a, "way/startup.log"), "x\n", &err) && strstr(err.msg, "startup.log"));
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(lines_follow_each_other), T(it_never_grows_past_two_files),
               T(a_line_that_is_larger_than_the_log_is_kept_alone), T(every_failure_leaves_whole_lines),
               T(what_is_in_the_way_is_told));
}
