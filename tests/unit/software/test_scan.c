#include "tree.h"

#include "base/fault.h"
#include "base/limits.h"

/* A tree with CUDA files in several folders among others. */
static const char *forest(void)
{
    tree_library("forest/a/liba.so", "P75 E86");
    tree_library("forest/a/deep/er/libb.so", "P90");
    tree_fatbin("forest/b/c.fatbin", "E90 E86");
    tree_fatbin("forest/b/skip/d.fatbin", "P52");
    tree_bytes("forest/readme.txt", JW_BYTES("nothing of interest, but longer than a header"));
    tree_bytes("forest/b/empty", JW_BYTES(""));

    static char path[4096]; /* scratch() forgets the oldest names */

    (void)snprintf(path, sizeof path, "%s", scratch("forest"));
    return path;
}

TEST(finds_what_is_there_and_leaves_the_rest)
{
    struct jw_scan_report r = tree_scan(forest(), NULL);

    CHECK_NUM(r.n_files, 4);
    CHECK_NUM(r.n_skipped, 0);
    CHECK_NUM(r.files_walked, 6);
    CHECK_NUM(r.folders_walked, 6);
    CHECK(tree_file(&r, "a/liba.so") && tree_file(&r, "er/libb.so") && tree_file(&r, "b/c.fatbin"));
    jw_scan_free(&r);
}

TEST(files_are_in_the_order_of_their_paths)
{
    struct jw_scan_report r = tree_scan(forest(), NULL);

    for (size_t i = 1; i < r.n_files; i++)
        CHECK(strcmp(r.files[i - 1].path, r.files[i].path) < 0);
    jw_scan_free(&r);
}

TEST(many_threads_tell_what_one_tells)
{
    const char *path = forest();
    char name[64];

    for (unsigned i = 0; i < 200; i++) {
        (void)snprintf(name, sizeof name, "forest/many/%u/%u.fatbin", i % 7, i);
        tree_fatbin(name, i % 2 ? "P75 E86" : "P80:s E90:l");
    }
    struct jw_scan_report one = tree_scan(path, &(struct jw_scan_options){ .jobs = 1 });

    for (unsigned jobs = 2; jobs <= 8; jobs *= 2) {
        struct jw_scan_report many = tree_scan(path, &(struct jw_scan_options){ .jobs = jobs });

        CHECK_NUM(many.n_files, one.n_files);
        CHECK_NUM(many.bytes, one.bytes);
        CHECK_NUM(many.files_walked, one.files_walked);
        for (size_t i = 0; i < one.n_files && i < many.n_files; i++) {
            CHECK_TEXT(many.files[i].path, one.files[i].path);
            CHECK_NUM(many.files[i].verdicts[1].verdict, one.files[i].verdicts[1].verdict);
        }
        jw_scan_free(&many);
    }
    jw_scan_free(&one);
    scratch_empty(scratch("forest/many"));
}

TEST(excluded_files_and_folders_are_not_entered)
{
    const char *patterns[] = { "skip", "*.so" };
    struct jw_scan_report r =
        tree_scan(forest(), &(struct jw_scan_options){ .exclude = patterns, .n_exclude = 2 });

    CHECK_NUM(r.n_files, 1);
    CHECK(tree_file(&r, "b/c.fatbin") != NULL);
    jw_scan_free(&r);
}

TEST(depth_zero_is_the_folder_itself)
{
    const char *path = forest();
    struct jw_scan_root root = { path, 0, true };
    struct jw_scan_report r = tree_scan(path, &(struct jw_scan_options){ .roots = &root, .n_roots = 1 });

    CHECK_NUM(r.n_files, 0);
    CHECK_NUM(r.folders_walked, 1);
    jw_scan_free(&r);
}

TEST(a_named_file_is_told_even_without_code)
{
    struct jw_scan_report r =
        tree_scan(tree_bytes("plain.txt", JW_BYTES("just some words, nothing else")), NULL);

    CHECK_NUM(r.n_files, 1);
    CHECK_TEXT(r.files[0].format, "none");
    CHECK_NUM(r.files[0].verdicts[0].verdict, JW_VERDICT_NO_CODE);
    CHECK(r.files[0].named);
    jw_scan_free(&r);
}

TEST(a_missing_path_is_skipped_with_its_reason_and_the_rest_goes_on)
{
    struct jw_scan_root roots[] = { { scratch("not/there"), JW_MAX_DEPTH, true },
                                    { forest(), JW_MAX_DEPTH, true } };
    struct jw_scan_report r = tree_scan("", &(struct jw_scan_options){ .roots = roots, .n_roots = 2 });

    CHECK_NUM(r.n_files, 4);
    CHECK_NUM(r.n_skipped, 1);
    CHECK_TEXT(r.skipped[0].reason, "no such file");
    CHECK_NUM(r.skipped[0].why, JW_SKIP_UNREADABLE);
    CHECK(r.skipped[0].named);
    jw_scan_free(&r);
}

TEST(a_damaged_file_among_others_is_skipped_with_its_reason)
{
    struct jw_buf elf = GEN_BUF, fat = GEN_BUF;

    gen_fat(&fat, "P75 E86");
    (void)gen_library(&elf, jw_buf_bytes(&fat), true);
    gen_set64(&elf, 0x28, 0x7fffffff);
    jw_buf_free(&fat);
    tree_buf("forest/b/lies.so", &elf);
    struct jw_scan_report r = tree_scan(forest(), NULL);
    const struct jw_scan_skipped *s = tree_skipped(&r, "b/lies.so");

    CHECK_NUM(r.n_files, 4);
    CHECK(s && s->why == JW_SKIP_DAMAGED && !s->named);
    CHECK_TEXT(s ? s->reason : "", "elf: section table at 0x7fffffff runs past the end");
    jw_scan_free(&r);
    scratch_empty(scratch("forest"));
}

TEST(one_file_named_twice_is_told_once)
{
    const char *path = tree_fatbin("once.fatbin", "E86");
    struct jw_scan_root roots[] = { { path, 0, true }, { path, 0, true } };
    struct jw_scan_report r = tree_scan("", &(struct jw_scan_options){ .roots = roots, .n_roots = 2 });

    CHECK_NUM(r.n_files, 1);
    jw_scan_free(&r);
}

TEST(an_interruption_ends_the_scan_with_nothing_to_free)
{
    atomic_bool stop = true;
    struct jw_scan_root root = { forest(), JW_MAX_DEPTH, true };
    struct jw_scan_report r;
    struct jw_err err = { 0 };

    CHECK(
        !jw_scan(&(struct jw_scan_options){ .roots = &root, .n_roots = 1, .interrupted = &stop }, &r, &err));
    CHECK_NUM(err.code, JW_E_INTERRUPTED);
    CHECK(r.memory == NULL);
}

struct counted {
    unsigned calls;
    uint64_t folders, files;
};

static void on_progress(void *ctx, const struct jw_scan_progress *p)
{
    struct counted *c = ctx;

    c->calls++;
    CHECK(p->folders >= c->folders && p->files >= c->files && p->path);
    c->folders = p->folders;
    c->files = p->files;
}

TEST(progress_only_grows_and_ends_at_the_totals)
{
    struct counted c = { 0 };
    struct jw_scan_report r =
        tree_scan(forest(), &(struct jw_scan_options){ .progress = on_progress, .progress_ctx = &c });

    CHECK_NUM(c.calls, r.folders_walked);
    CHECK_NUM(c.folders, r.folders_walked);
    CHECK_NUM(c.files, r.files_walked);
    jw_scan_free(&r);
}

/* Whatever fails first, an allocation or a call to the system: a sentence or a skipped file, and nothing
 * leaks. */
TEST(any_failure_is_survived)
{
    const char *path = forest();
    struct jw_scan_root root = { path, JW_MAX_DEPTH, true };
    struct jw_gpu gpu = { .sm = 86 };
    struct jw_scan_options o = {
        .roots = &root, .n_roots = 1, .gpus = &gpu, .n_gpus = 1, .jobs = 1, .entries = true
    };
    unsigned long nth = 1;

    for (;; nth++) {
        struct jw_scan_report r;
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_scan(&o, &r, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        if (!ok)
            CHECK(err.msg[0] != '\0');
        else if (fired)
            CHECK(r.n_skipped == 1 || r.n_files == 4); /* a lost file is told; a lost wake-up costs nothing */
        size_t files = r.n_files;

        jw_scan_free(&r);
        if (!fired) {
            CHECK(ok && files == 4);
            break;
        }
    }
    CHECK(nth > 30);
}

TEST(a_driver_version_that_is_none_is_refused)
{
    struct jw_scan_root root = { forest(), JW_MAX_DEPTH, true };
    struct jw_scan_report r;
    struct jw_err err = { 0 };

    CHECK(!jw_scan(&(struct jw_scan_options){ .roots = &root, .n_roots = 1, .driver = "new" }, &r, &err));
    CHECK_HAS(err.msg, "\"new\" is not a driver version");
    jw_scan_free(&r);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(
        argc, argv, T(finds_what_is_there_and_leaves_the_rest), T(files_are_in_the_order_of_their_paths),
        T(many_threads_tell_what_one_tells), T(excluded_files_and_folders_are_not_entered),
        T(depth_zero_is_the_folder_itself), T(a_named_file_is_told_even_without_code),
        T(a_missing_path_is_skipped_with_its_reason_and_the_rest_goes_on),
        T(a_damaged_file_among_others_is_skipped_with_its_reason), T(one_file_named_twice_is_told_once),
        T(an_interruption_ends_the_scan_with_nothing_to_free), T(progress_only_grows_and_ends_at_the_totals),
        T(any_failure_is_survived), T(a_driver_version_that_is_none_is_refused));
}
