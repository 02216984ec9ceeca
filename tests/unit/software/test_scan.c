#include "check.h"
#include "software/scan/scan_work.h"
#include "software/scan/verdict_words.h"
#include "tree.h"

#include "base/fault.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/work.h"
#include "os/files/scratch.h"

/* A tree with CUDA files in several folders among others. */
static const char *forest(void)
{
    tree_library("forest/a/liba.so", "P75 E86");
    tree_library("forest/a/deep/er/libb.so", "P90");
    tree_fatbin("forest/b/c.fatbin", "E90 E86");
    tree_fatbin("forest/b/skip/d.fatbin", "P52");
    tree_write("forest/readme.txt", JW_BYTES("nothing of interest, but longer than a header"));
    tree_write("forest/b/empty", JW_BYTES(""));

    static char path[4096]; /* scratch() forgets the oldest names */

    (void)snprintf(path, sizeof path, "%s", scratch("forest"));
    return path;
}

TEST(many_threads_tell_what_one_tells)
{
    const char *path = forest();
    char name[64];

    for (unsigned i = 0; i < 200; i++) {
        (void)snprintf(name, sizeof name, "forest/many/%u/%u.fatbin", i % 7, i);
        tree_fatbin(name, i % 2 ? "P75 E86" : "P80:s E90:l");
    }
    struct jw_scan_report one = tree_scan(path, &(struct jw_scan_options){.jobs = 1});

    for (unsigned jobs = 2; jobs <= 8; jobs *= 2) {
        struct jw_scan_report many = tree_scan(path, &(struct jw_scan_options){.jobs = jobs});

        CHECK_NUM(many.n_files, one.n_files);
        for (size_t i = 0; i < one.n_files && i < many.n_files; i++) {
            CHECK_TEXT(many.files[i].path, one.files[i].path);
            CHECK_NUM(many.files[i].verdicts[1].verdict, one.files[i].verdicts[1].verdict);
        }
    }
    scratch_empty(scratch("forest/many"));
}

TEST(excluded_files_and_folders_are_not_entered)
{
    const char *patterns[] = {"skip", "*.so"};
    struct jw_scan_report r =
        tree_scan(forest(), &(struct jw_scan_options){.exclude = {patterns, 2}});

    CHECK_NUM(r.n_files, 1);
    CHECK(tree_found(&r, "b/c.fatbin") != NULL);
}

TEST(depth_zero_is_the_folder_itself)
{
    const char *path = forest();
    struct jw_scan_folder root = {path, 0, true, NULL};
    struct jw_scan_report r =
        tree_scan(path, &(struct jw_scan_options){.folders = &root, .n_folders = 1});

    CHECK_NUM(r.n_files, 0);
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
    CHECK_TEXT(s ? s->reason : "",
               "the file is cut off (elf: section table at 0x7fffffff runs past the end)");
    scratch_empty(scratch("forest"));
}

TEST(one_file_named_twice_is_told_once)
{
    const char *path = tree_fatbin("once.fatbin", "E86");
    struct jw_scan_folder roots[] = {{path, 0, true, NULL}, {path, 0, true, NULL}};
    struct jw_scan_report r =
        tree_scan("", &(struct jw_scan_options){.folders = roots, .n_folders = 2});

    CHECK_NUM(r.n_files, 1);
}

TEST(an_interruption_ends_the_scan_with_nothing_to_free)
{
    atomic_bool stop = true;
    struct jw_scan_folder root = {forest(), JW_MAX_DEPTH, true, NULL};
    struct jw_scan_report r;

    CHECK(
        !jw_scan(&(struct jw_scan_options){.folders = &root, .n_folders = 1, .interrupted = &stop},
                 &r, &err));
    CHECK_NUM(err.code, JW_E_INTERRUPTED);
    CHECK(r.memory == NULL);
}

static void on_progress(void *ctx, const char *path)
{
    CHECK(path && *path);
    ++*(unsigned *)ctx;
}

TEST(each_folder_is_progress)
{
    unsigned calls = 0;
    (void)tree_scan(forest(),
                    &(struct jw_scan_options){.progress = on_progress, .progress_ctx = &calls});

    CHECK_NUM(calls, 6);
}

static void take_other_away(void *ctx, const char *path)
{
    const char *base = jw_path_base(path);

    (void)ctx;
    if (strcmp(base, "a") == 0 || strcmp(base, "b") == 0)
        jw_scratch_remove(scratch(*base == 'a' ? "forest/b" : "forest/a"));
}

TEST(what_is_gone_before_its_turn_is_not_unreadable)
{
    struct jw_scan_report r =
        tree_scan(forest(), &(struct jw_scan_options){.jobs = 1, .progress = take_other_away});

    CHECK(r.n_files == 2 && r.n_skipped == 0);
}

/* Whatever fails first, an allocation or a call to the system: a sentence or a skipped file, and
 * nothing leaks. */
TEST(any_failure_is_survived)
{
    const char *path = forest();
    struct jw_scan_folder root = {path, JW_MAX_DEPTH, true, NULL};
    struct jw_scan_options o = {.folders = &root, .n_folders = 1, .sms = {{86}, 1}, .jobs = 1};
    unsigned long nth = 1;

    for (;; nth++) {
        struct jw_scan_report r;

        err = (struct jw_err){0};
        jw_fault_arm(nth);
        bool ok = jw_scan(&o, &r, &err), fired = jw_fault_fired();

        jw_fault_arm(0);
        if (!ok)
            CHECK(err.msg[0] != '\0');
        else if (fired)
            CHECK(r.n_skipped == 1
                  || r.n_files == 4); /* a lost file is reported; a lost wake-up costs nothing */
        size_t files = r.n_files;

        jw_scan_free(&r);
        if (!fired) {
            CHECK(ok && files == 4);
            break;
        }
    }
    CHECK(nth > 30);
}

#ifndef _WIN32
#include "os/machine/time.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* What only this system's files can do to a scan. */

static void link_to(const char *target, const char *name)
{
    (void)unlink(scratch(name));
    CHECK(symlink(target, scratch(name)) == 0);
}

TEST(a_file_with_several_names_is_told_once_under_its_real_one)
{
    (void)tree_library("links/libz.so.1.2", "E86");
    link_to("libz.so.1.2", "links/liba.so");
    link_to("libz.so.1.2", "links/libz.so.1");
    link_to("nowhere", "links/dangling.so");
    CHECK(link(scratch("links/libz.so.1.2"), scratch("links/libz.so.hard")) == 0);
    struct jw_scan_report r = tree_scan(scratch("links"), NULL);

    CHECK_NUM(r.n_files, 1);
    CHECK(tree_found(&r, "links/libz.so.1.2") != NULL);
    CHECK_NUM(r.n_skipped, 0);
}

TEST(loops_of_folders_end)
{
    (void)tree_fatbin("loop/in/x.fatbin", "E86");
    link_to("..", "loop/in/up");
    link_to(".", "loop/self");
    link_to("loop-b", "loop-a");
    link_to("loop-a", "loop-b");
    struct jw_scan_report r = tree_scan(scratch("loop"), NULL);

    CHECK_NUM(r.n_files, 1);
    CHECK_NUM(r.n_skipped, 0);
}

TEST(a_folder_behind_a_link_is_searched)
{
    (void)tree_fatbin("elsewhere/x.fatbin", "E86");
    (void)tree_write("start/readme", JW_BYTES("only a link is in here, beside these words"));
    link_to("../elsewhere", "start/more");
    struct jw_scan_report r = tree_scan(scratch("start"), NULL);

    CHECK_NUM(r.n_files, 1);
    CHECK(tree_found(&r, "start/more/x.fatbin") != NULL);
}

TEST(pipes_and_devices_are_not_opened_in_a_walk_and_refused_by_name)
{
    (void)tree_fatbin("pipe/x.fatbin", "E86");
    (void)unlink(scratch("pipe/fifo"));
    CHECK(mkfifo(scratch("pipe/fifo"), 0600) == 0);
    struct jw_scan_report r = tree_scan(scratch("pipe"), NULL);

    CHECK_NUM(r.n_files, 1);
    CHECK_NUM(r.n_skipped, 0);
    r = tree_scan(scratch("pipe/fifo"), NULL);
    CHECK_NUM(r.n_skipped, 1);
    CHECK_TEXT(r.n_skipped ? r.skipped[0].reason : "", "is not a regular file");
}

TEST(a_section_beyond_four_gigabytes_is_found)
{
    struct jw_buf fat = GEN_BUF, elf = GEN_BUF;
    const uint64_t far = (uint64_t)5 << 30;

    gen_fat(&fat, "P75 E86");
    struct gen_host h = gen_library(&elf, jw_buf_bytes(&fat), false);

    gen_set64(&elf, h.table + 1 * 64 + 32,
              far - h.at[0]);                    /* the size of .text, which is before it */
    gen_set64(&elf, h.table + 2 * 64 + 24, far); /* .nv_fatbin is header 2; its offset is at 24 */
    const char *path = tree_buf("far.so", &elf);
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || pwrite(fd, fat.p, fat.n, (off_t)far) != (ssize_t)fat.n) {
        (void)unlink(path);
        jw_buf_free(&fat);
        SKIP("no sparse files of 4.7 GiB here");
    }
    (void)close(fd);
    jw_buf_free(&fat);
    uint64_t before = jw_work_done(JW_WORK_BYTES_READ);
    struct jw_scan_report r = tree_scan(path, NULL);

    CHECK_NUM(r.n_files, 1);
    CHECK(r.files[0].n_rows);
    CHECK(jw_work_done(JW_WORK_BYTES_READ) - before < 1 << 20);
    (void)unlink(path);
}

static atomic_bool interrupted;
static volatile uint64_t interrupted_at;

static void on_alarm(int sig)
{
    (void)sig;
    interrupted_at = jw_time_monotonic_ns();
    atomic_store(&interrupted, true);
}

static bool huge_file(const char *path, off_t size)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && ftruncate(fd, size) == 0;

    if (fd >= 0)
        (void)close(fd);
    return ok;
}

/* Terabytes of holes behind a library's head: the limit of a search ends it, or the user does, in a
 * fifth of a second. */
TEST(one_huge_file_does_not_keep_a_scan)
{
    const char *path = tree_fatbin("huge.fatbin", "P75 E86");
    struct jw_scan_options one = {.interrupted = &interrupted, .jobs = 1};
    struct jw_scan_folder root = {.path = path, .named = true};
    uint64_t late = UINT64_MAX;

    if (!huge_file(path, (off_t)8 << 40)) {
        (void)unlink(path);
        SKIP("no sparse files of 7.3 TiB here");
    }
    one.folders = &root;
    one.n_folders = 1;
    (void)signal(SIGALRM, on_alarm);
    for (unsigned tries = 0; tries < 3 && late > 200000000;
         tries++) { /* other work may hold this machine up */
        struct jw_scan_report r;

        err = (struct jw_err){0};
        atomic_store(&interrupted, false);
        (void)ualarm(20000, 0); /* a quiet machine reaches the limit in 180 ms */
        CHECK(!jw_scan(&one, &r, &err));
        late = jw_time_monotonic_ns() - interrupted_at;
        CHECK_TEXT(err.msg, "interrupted"); /* and nothing about the file */
        CHECK_TEXT(r.n_skipped ? r.skipped[0].reason : "", "");
        jw_scan_free(&r);
    }
    (void)signal(SIGALRM, SIG_DFL);
    printf("noticed after %llu us\n", (unsigned long long)(late / 1000));
    CHECK(late <= 200000000);
    (void)unlink(path);
}

#endif

TEST(tells_the_first_sight_of_each)
{
    struct scan_ids ids = {0};
    unsigned seen;

    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint64_t i = 1; i <= 5000; i++)
            CHECK(scan_ids_add(&ids, (struct jw_file_id){i % 3, i}, 3, &seen) == (pass == 0));
        CHECK(
            scan_ids_add(&ids, (struct jw_file_id){0, 0}, 3, &seen)); /* not known: like no other */
    }
    CHECK_NUM(ids.n, 5000);
    scan_ids_free(&ids);
}

/* The scan is for sm_86 and sm_90. */
TEST(of_loose_files_one_for_each_gpu_the_program_takes_the_right_one)
{
    static const struct {
        const char *name, *words;
        enum jw_verdict verdict; /* on sm_86 */
    } files[] = {
        {"loose/k_sm80.fatbin", "E80", JW_VERDICT_NATIVE},
        {"loose/k_sm90.fatbin", "E90", JW_VERDICT_NOTHING},
        {"loose/k_sm.fatbin", "E90", JW_VERDICT_NONE},
        {"loose/sm_80.fatbin", "E80", JW_VERDICT_NATIVE},
        {"loose/sm_90a.fatbin", "E90", JW_VERDICT_NOTHING},
        {"loose/compute80.fatbin", "E80", JW_VERDICT_NATIVE},
        {"loose/compute90.fatbin", "E90", JW_VERDICT_NOTHING},
        {"loose/sm_75/m.fatbin", "P75", JW_VERDICT_COMPILES},
        {"loose/sm_90/m.fatbin", "E90", JW_VERDICT_NOTHING},
        {"loose/none_sm_90.fatbin", "E90", JW_VERDICT_NONE},
        {"loose/none_sm_100.fatbin", "E100", JW_VERDICT_NONE},
        {"loose/prism80.fatbin", "E80", JW_VERDICT_NATIVE},
        {"loose/prism90.fatbin", "E90", JW_VERDICT_NONE},
        {"loose/one_sm90.fatbin", "E90", JW_VERDICT_NONE},
        {"loose/sm_9000.fatbin", "E90", JW_VERDICT_NONE},
    };

    for (size_t i = 0; i < JW_COUNT(files); i++)
        (void)tree_fatbin(files[i].name, files[i].words);
    struct jw_scan_report r = tree_scan(scratch("loose"), NULL);

    CHECK_NUM(r.n_files, JW_COUNT(files));
    for (size_t i = 0; i < JW_COUNT(files); i++)
        CHECK_NUM(tree_found(&r, files[i].name)->verdicts[0].verdict, files[i].verdict);
}

/* "No CUDA code" would be said of what nobody looked at. */
TEST(a_package_that_is_named_has_to_be_unpacked_first)
{
    static const struct {
        const char *name, *bytes, *tool;
    } cases[] = {
        {"x.deb", "!<arch>\ndebian-binary   1700000000  0     0     100644  4         `\n2.0\n",
         "dpkg-deb -x"},
        {"x.a", "!<arch>\nk.o/            0           0     0     644     4         `\ncode",
         "ar x"},
        {"x.rpm", "\xed\xab\xee\xdb\3\0 and more than sixteen bytes of a header", "bsdtar -xf"},
        {"x.tar.gz", "\x1f\x8b\x08 more than sixteen bytes of a stream", "tar -xf"},
        {"x.tar.zst", "\x28\xb5\x2f\xfd more than sixteen bytes of a frame", "jitwarm import"},
        {"x.so.gz", "\x1f\x8b\x08 more than sixteen bytes of a stream", "gunzip -k"},
        {"x.so.xz", "\3757zXZ more than sixteen bytes of a stream", "unxz -k"},
        {"x.conda", "PK\3\4 more than sixteen bytes of an archive", "unzip"}};

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        const char *path =
            tree_write(cases[i].name,
                       (struct jw_bytes){(const uint8_t *)cases[i].bytes, strlen(cases[i].bytes)});
        struct jw_scan_folder root = {path, JW_MAX_DEPTH, true, NULL};
        struct jw_scan_options o = {.folders = &root, .n_folders = 1};
        struct jw_scan_report r;

        err = (struct jw_err){0};
        CHECK_OK(jw_scan(&o, &r, &err), err);
        CHECK_NUM(r.n_skipped, 1);
        CHECK(r.skipped[0].packed);
        CHECK_HAS(r.skipped[0].reason, "has to be unpacked first");
        CHECK_HAS(r.skipped[0].reason, JW_PHRASE("(%s %s", cases[i].tool, path));
        jw_scan_free(&r);
        root = (struct jw_scan_folder){
            .path = scratch("")}; /* found in a folder it is like any other file */
        CHECK_OK(jw_scan(&o, &r, &err), err);
        jw_scan_free(&r);
    }
}

/* What a library has among its constants is found, whether a person named the library, its folder
 * or nothing. */
TEST(what_is_embedded_counts_in_named_and_found_files_alike)
{
    FREED(jw_buf) fat = GEN_BUF, data = GEN_BUF;
    struct jw_buf elf = GEN_BUF;

    gen_fat(&fat, "E86");
    gen_fat(&data, "P80:l");
    (void)gen_elf(
        &elf, (struct gen_elf){0},
        (struct gen_section[]){{.name = ".nv_fatbin", .data = jw_buf_bytes(&fat), .addr = 0x100000},
                               {.name = ".rodata", .data = jw_buf_bytes(&data), .addr = 0x200000}},
        2);
    const char *path = tree_buf("embeds/lib.so", &elf);
    const struct jw_scan_folder roots[] = {{path, 0, true, NULL},
                                           {scratch("embeds"), 4, true, NULL},
                                           {scratch("embeds"), 4, false, NULL}};

    for (size_t i = 0; i < JW_COUNT(roots); i++) {
        struct jw_scan_report r =
            tree_scan(path, &(struct jw_scan_options){.folders = &roots[i], .n_folders = 1});

        CHECK_NUM(r.n_files, 1);
        CHECK_NUM(OF(&r.files[0].verdicts[0], NATIVE), 1);
        CHECK_NUM(OF(&r.files[0].verdicts[0], JIT), 1);
    }
}
