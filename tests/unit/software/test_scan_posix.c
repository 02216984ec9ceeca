/* What only this system's files can do to a scan. */
#include "tree.h"

#include "os/machine/time.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
    struct jw_scan_report r = tree_scan(scratch("links"), NULL);

    CHECK_NUM(r.n_files, 1);
    CHECK(tree_file(&r, "links/libz.so.1.2") != NULL);
    CHECK_NUM(r.n_skipped, 0);
    jw_scan_free(&r);
}

TEST(hard_links_are_one_file)
{
    const char *path = tree_fatbin("hard/a.fatbin", "E86");

    (void)unlink(scratch("hard/b.fatbin"));
    CHECK(link(path, scratch("hard/b.fatbin")) == 0);
    struct jw_scan_report r = tree_scan(scratch("hard"), NULL);

    CHECK_NUM(r.n_files, 1);
    jw_scan_free(&r);
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
    jw_scan_free(&r);
}

TEST(a_folder_behind_a_link_is_searched)
{
    (void)tree_fatbin("elsewhere/x.fatbin", "E86");
    (void)tree_bytes("start/readme", JW_BYTES("only a link is in here, beside these words"));
    link_to("../elsewhere", "start/more");
    struct jw_scan_report r = tree_scan(scratch("start"), NULL);

    CHECK_NUM(r.n_files, 1);
    CHECK(tree_file(&r, "start/more/x.fatbin") != NULL);
    jw_scan_free(&r);
}

TEST(pipes_and_devices_are_not_opened_in_a_walk_and_refused_by_name)
{
    (void)tree_fatbin("pipe/x.fatbin", "E86");
    (void)unlink(scratch("pipe/fifo"));
    CHECK(mkfifo(scratch("pipe/fifo"), 0600) == 0);
    struct jw_scan_report r = tree_scan(scratch("pipe"), NULL);

    CHECK_NUM(r.n_files, 1);
    CHECK_NUM(r.n_skipped, 0);
    jw_scan_free(&r);
    r = tree_scan(scratch("pipe/fifo"), NULL);
    CHECK_NUM(r.n_skipped, 1);
    CHECK_TEXT(r.n_skipped ? r.skipped[0].reason : "", "is not a regular file");
    jw_scan_free(&r);
}

/* The file says 977 KiB when it is opened; then it is cut. A source that fails in the middle is a skipped file.
 * */
TEST(a_file_that_shrinks_is_a_skipped_file)
{
    struct jw_buf fat = GEN_BUF, elf = GEN_BUF;

    for (unsigned i = 0; i < 50; i++)
        gen_fat(&fat, "P75 E86");
    (void)gen_library(&elf, jw_buf_bytes(&fat), true);
    jw_buf_free(&fat);
    size_t size = elf.n;
    const char *path = tree_buf("shrinks.so", &elf);

    for (size_t to = 0; to < size; to += size / 40) {
        CHECK(truncate(path, (off_t)to) == 0);
        struct jw_scan_report r = tree_scan(path, NULL);

        /* Cut before it is opened: never a crash, never a silent success with all of it. */
        CHECK(r.n_skipped == 1 || r.files[0].containers < 50);
        jw_scan_free(&r);
    }
}

/* Cut while its headers are read, at another moment each time: all of it, or a reason; never half of it in silence. */
TEST(a_file_that_is_cut_while_it_is_read_is_whole_or_skipped)
{
    struct jw_buf fat = GEN_BUF, elf = GEN_BUF;
    unsigned skipped = 0;

    for (unsigned i = 0; i < 400; i++)
        gen_fat(&fat, "P75 E86");
    (void)gen_library(&elf, jw_buf_bytes(&fat), true);
    jw_buf_free(&fat);
    for (unsigned i = 0; i < 40; i++) {
        const char *path = tree_bytes("cut.so", jw_buf_bytes(&elf));
        pid_t child = fork();

        if (child == 0) {
            usleep(i * 25);
            _exit(truncate(path, (off_t)elf.n / 2) == 0 ? 0 : 1);
        }
        struct jw_scan_report r = tree_scan(path, NULL);
        int status = 1;

        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
        CHECK(r.n_skipped + r.n_files == 1);
        CHECK(r.n_files == 0 || r.files[0].containers == 400);
        CHECK(r.n_skipped == 0 || r.skipped[0].reason[0]);
        skipped += (unsigned)r.n_skipped;
        jw_scan_free(&r);
    }
    printf("cut in time: %u of 40\n", skipped);
    jw_buf_free(&elf);
}

TEST(the_members_of_a_thin_archive_are_files_beside_it)
{
    struct jw_buf obj = GEN_BUF, fat = GEN_BUF, ar = GEN_BUF;

    gen_fat(&fat, "E86 P75");
    (void)gen_elf(&obj, (struct gen_elf){ .type = 1 },
                  &(struct gen_section){ .name = ".nv_fatbin", .data = jw_buf_bytes(&fat) }, 1);
    (void)gen_ar(&ar, GEN_AR_THIN, &(struct gen_member){ .name = "sub/k.o", .data = jw_buf_bytes(&obj) }, 1);
    jw_buf_free(&fat);
    (void)tree_buf("thin/sub/k.o", &obj);
    struct jw_scan_report r = tree_scan(tree_buf("thin/lib.a", &ar), NULL);
    const struct jw_scan_file *f = tree_file(&r, "sub/k.o");

    CHECK(f && f->containers == 1);
    jw_scan_free(&r);
}

TEST(a_section_beyond_four_gigabytes_is_found)
{
    struct jw_buf fat = GEN_BUF, elf = GEN_BUF;
    const uint64_t far = (uint64_t)5 << 30;

    gen_fat(&fat, "P75 E86");
    struct gen_host h = gen_library(&elf, jw_buf_bytes(&fat), false);

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
    struct jw_scan_report r = tree_scan(path, &(struct jw_scan_options){ .entries = true });

    CHECK_NUM(r.n_files, 1);
    CHECK_NUM(r.files[0].containers, 1);
    CHECK_NUM(r.files[0].modules[0].at, far);
    CHECK(r.bytes_read < 1 << 20);
    jw_scan_free(&r);
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

/* Terabytes of holes behind a library's head: the limit of a search ends it, or the user does, in a fifth of a second. */
TEST(one_huge_file_does_not_keep_a_scan)
{
    const char *path = tree_fatbin("huge.fatbin", "P75 E86");
    struct jw_scan_options deep = { .deep = true, .interrupted = &interrupted, .jobs = 1 };
    struct jw_scan_root root = { .path = path, .named = true };
    uint64_t late = UINT64_MAX;

    if (!huge_file(path, (off_t)8 << 40)) {
        (void)unlink(path);
        SKIP("no sparse files of 7.3 TiB here");
    }
    deep.roots = &root;
    deep.n_roots = 1;
    (void)signal(SIGALRM, on_alarm);
    for (unsigned tries = 0; tries < 3 && late > 200000000;
         tries++) { /* other work may hold this machine up */
        struct jw_scan_report r;
        struct jw_err err = { 0 };

        atomic_store(&interrupted, false);
        (void)ualarm(200000, 0);
        CHECK(!jw_scan(&deep, &r, &err));
        late = jw_time_monotonic_ns() - interrupted_at;
        CHECK_NUM(err.code, JW_E_INTERRUPTED);
        CHECK_TEXT(err.msg, "interrupted"); /* and nothing about the file */
        jw_scan_free(&r);
    }
    (void)signal(SIGALRM, SIG_DFL);
    printf("noticed after %llu us\n", (unsigned long long)(late / 1000));
    CHECK(late <= 200000000);
    (void)unlink(path);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(a_file_with_several_names_is_told_once_under_its_real_one),
               T(hard_links_are_one_file), T(loops_of_folders_end), T(a_folder_behind_a_link_is_searched),
               T(pipes_and_devices_are_not_opened_in_a_walk_and_refused_by_name),
               T(a_file_that_shrinks_is_a_skipped_file),
               T(a_file_that_is_cut_while_it_is_read_is_whole_or_skipped),
               T(the_members_of_a_thin_archive_are_files_beside_it),
               T(a_section_beyond_four_gigabytes_is_found), T(one_huge_file_does_not_keep_a_scan));
}
