/* Records of the source files that a command read, and the first change that is seen in them. */
#include "prime/memory/sources.h"

#include "base/path.h"
#include "base/work.h"
#include "check.h"
#include "gen/samples.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/warm.h"

enum { MOST = 8192 };

#define NEVER 1 /* started so long ago that no file of a test is older */

struct recorded {
    const struct jw_warm_answer *list;
    size_t n;
};

static struct recorded record(struct jw_arena *a, const char *const *opened, size_t n, int64_t started)
{
    struct jw_digests known = { .a = a };
    struct prime_digesting d = { &known, (uint64_t)1 << 30, a };
    const struct prime_sources sources = { .opened = opened, .n = n, .started = started };
    struct jw_warm_answer *list;
    size_t n_list;

    prime_sources_record(&sources, &d, &list, &n_list);
    return (struct recorded){ list, n_list };
}

/* As if the command were started when all files of it have been there for a while. */
static struct recorded record_old(struct jw_arena *a, const char *const *opened, size_t n)
{
    return record(a, opened, n, INT64_MAX);
}

static const char *change(struct jw_arena *a, const struct recorded *r, struct jw_digests *digests)
{
    const struct jw_trace now = { .a = a,
                                  .digests = digests,
                                  .looks = jw_arena_alloc(a, JW_TRACE_LOOKS * sizeof *now.looks) };
    const char *changed = NULL;

    for (size_t i = 0; i < r->n && !changed; i++)
        if (prime_is_of_sources(&r->list[i]))
            changed = prime_sources_change(&r->list[i], &now);
    return changed;
}

/* Writes the record to a log and reads it again, as a later run does. */
static struct recorded keep(struct jw_arena *a, const struct recorded *r)
{
    const char *cache = warm_begin(a, "kept");
    struct jw_warm_log *log = warm_open(cache);
    struct jw_warm_loads loads = { .key = "c", .build = "b", .answers = r->list, .n_answers = r->n };
    struct jw_warm_command c = jw_warm_recall_command(log, "c");
    struct jw_err err = { 0 };

    c.recorded = 1;
    jw_warm_put_loads(&c, loads, a);
    CHECK(jw_warm_add(log, &(struct jw_warm_fact){ JW_WARM_COMMAND, .as.command = c }, &err));
    CHECK_TEXT(err.msg, "");
    jw_warm_close(log);

    struct jw_warm_state state = warm_load(a, cache);
    const struct jw_warm_loads *then = jw_warm_machine(&state, "c", "b");

    CHECK(then != NULL);
    return (struct recorded){ then ? then->answers : NULL, then ? then->n_answers : 0 };
}

/* Names as those of large packages: all lie below one folder, in which a module lies, too. */
static const char *name_of(struct jw_arena *a, size_t i)
{
    if (i < 2000) /* the kernels of one folder */
        return jw_arena_printf(
            a, "lib/site-packages/triton_kernels/generated/fused_attention_block_%04zu_bf16.py", i);
    return i == MOST - 1
               ? "lib/site-packages/typing_extensions.py"
               : jw_arena_printf(
                   a,
                   "lib/site-packages/transformers/models/model_family_%zu/configuration_and_modeling_%zu.py",
                   i / 7, i);
}

/* Not by tree_file, which waits for the disk. */
static const char *write_file(struct jw_arena *a, const char *name, const char *text)
{
    const char *path = tree_path(a, name);
    struct jw_err err = { 0 };
    FILE *f = jw_make_dirs(jw_path_dir(a, path), &err) ? fopen(path, "w") : NULL;
    bool ok = f && fputs(text, f) >= 0;

    CHECK(f && !fclose(f) && ok);
    return path;
}

TEST_ARENA(as_many_as_are_compared_are_recorded_with_the_names_of_large_packages)
{
    const char **opened = jw_arena_alloc(a, MOST * sizeof *opened);
    struct recorded r, kept;

    for (size_t i = 0; i < MOST; i++)
        opened[i] = write_file(a, name_of(a, i), "x\n");
    r = record_old(a, opened, MOST);
    CHECK(r.n > 1 && r.n < 32);
    kept = keep(a, &r);
    CHECK_NUM(kept.n, r.n);
    CHECK(!change(a, &kept, NULL));

    const struct jw_warm_loads loads = { .answers = kept.list, .n_answers = kept.n };

    for (size_t i = 0; i < MOST; i += 512)
        CHECK(prime_was_read(&loads, opened[i], a));
    CHECK(prime_was_read(&loads, opened[MOST - 1], a));
    for (size_t i = 0; i < MOST; i += 1365) {
        (void)write_file(a, name_of(a, i), "another\n");
        CHECK_TEXT(change(a, &kept, NULL), opened[i]);
        (void)write_file(a, name_of(a, i), "x\n");
        CHECK(!change(a, &kept, NULL));
    }
}

TEST_ARENA(files_of_the_first_folder_have_their_paths)
{
    struct jw_warm_answer answer = { "source files in /",
                                     "//0000000000000000//gone-in-the-first/0123456789//"
                                     "gone/deep//0000000000000000//x/0123456789/y.cu/0123456789" };
    const struct jw_warm_loads loads = { .answers = &answer, .n_answers = 1 };

    CHECK(prime_was_read(&loads, "/gone-in-the-first.py", a));
    CHECK(prime_was_read(&loads, "/gone/deep/x.py", a));
    CHECK(prime_was_read(&loads, "/gone/deep/y.cu", a));
    CHECK_TEXT(change(a, &(struct recorded){ &answer, 1 }, NULL), "/gone-in-the-first.py");
}

/* Data comes in archives, too. */
TEST_ARENA(the_directory_of_an_archive_is_read_once)
{
    struct gen_member m[GEN_MAX] = { 0 };
    const char *archives[] = { "data.zip", "modules.zip" };

    for (size_t i = 0; i < GEN_MAX; i++)
        m[i].name = jw_arena_printf(a, "images/%zu.jpg", i);
    for (int modules = 0; modules < 2; modules++) {
        struct jw_buf zip = GEN_BUF;

        m[0].name = modules ? "pkg/x.pyc" : "images/0.jpg";
        (void)gen_zip(&zip, m, GEN_MAX, "");
        archives[modules] = tree_bytes(a, archives[modules], zip.p, zip.n);
        jw_buf_free(&zip);
    }

    const uint64_t before = jw_work_done(JW_WORK_READS);
    struct recorded r = record(a, archives, 2, NEVER); /* no digest is made */
    const struct jw_warm_loads loads = { .answers = r.list, .n_answers = r.n };

    CHECK(jw_work_done(JW_WORK_READS) - before < GEN_MAX / 2);
    CHECK(prime_was_read(&loads, archives[1], a));
    CHECK(!prime_was_read(&loads, archives[0], a));
}

/* Which bytes the command read of it is not known, and none are the same. */
TEST_ARENA(a_file_that_was_written_meanwhile_is_changed_and_not_read)
{
    const char *path = tree_file(a, "written.py", "x\n");
    struct recorded r = record(a, &path, 1, NEVER);
    struct jw_digests known = { .a = a };
    const uint64_t before = jw_work_done(JW_WORK_BYTES_HASHED);

    CHECK_TEXT(change(a, &r, &known), path);
    CHECK(jw_work_done(JW_WORK_BYTES_HASHED) == before);
}

/* Times of files are those of the last tick. */
TEST_ARENA(a_file_that_is_written_in_the_tick_of_the_start_counts_as_written_after_it)
{
    const char *path = tree_file(a, "now.py", "x\n");
    struct jw_file_info info = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_file_stat(path, &info, &err));
    const struct recorded in_it = record(a, &path, 1, info.ctime + 1000000),
                          later = record(a, &path, 1, info.ctime + (int64_t)3 * 1000000000);

    CHECK_TEXT(change(a, &in_it, NULL), path);
    CHECK(!change(a, &later, NULL));
}
