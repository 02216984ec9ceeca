#include "tree.h"

#include "base/text.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "software/scan/scan_work.h"

static void read_all(const char *path, struct jw_buf *out)
{
    struct jw_err err = { 0 };
    bool found = false;

    CHECK(jw_file_slurp(path, out, &found, &err) && found);
}

TEST(payloads_come_out_as_they_went_in)
{
    struct jw_buf ptx = GEN_BUF, got = JW_BUF(1 << 20);
    const char *path = tree_fatbin("four.fatbin", "P75 P80:s P86:l P90:z E86:L");
    struct jw_scan_report r =
        tree_scan(path, &(struct jw_scan_options){ .extract = scratch("out/new/folder") });
    static const struct {
        const char *name;
        unsigned sm;
    } want[] = { { "m00000.e00.compute_75.ptx", 75 },
                 { "m00000.e01.compute_80.ptx", 80 },
                 { "m00000.e02.compute_86.ptx", 86 },
                 { "m00000.e03.compute_90.ptx", 90 } };

    CHECK_NUM(r.n_files, 1);
    CHECK_NUM(r.files[0].extracted, 5);
    for (size_t i = 0; i < JW_COUNT(want); i++) {
        char name[128], target[32];

        (void)snprintf(name, sizeof name, "out/new/folder/four.fatbin/%s", want[i].name);
        (void)snprintf(target, sizeof target, ".target sm_%u", want[i].sm);
        read_all(scratch(name), &got);
        CHECK_HAS(jw_buf_cstr(&got), target);
        CHECK(got.n && got.p[got.n - 1] != '\0'); /* the NUL of the container is no part of the text */
        jw_buf_clear(&got);
    }
    read_all(scratch("out/new/folder/four.fatbin/m00000.e04.sm_86.cubin"), &got);
    CHECK(jw_starts(jw_buf_bytes(&got), "\177ELF"));
    jw_buf_free(&got);
    jw_buf_free(&ptx);
    jw_scan_free(&r);
}

TEST(a_folder_in_use_is_refused_and_left_alone)
{
    const char *path = tree_fatbin("one.fatbin", "P75");
    struct jw_scan_root root = { path, 0, true };
    struct jw_scan_report r;
    struct jw_err err = { 0 };

    (void)tree_bytes("used/mine.txt", JW_BYTES("mine"));
    CHECK(!jw_scan(&(struct jw_scan_options){ .roots = &root, .n_roots = 1, .extract = scratch("used") }, &r,
                   &err));
    CHECK_HAS(err.msg, "used is not empty; --extract overwrites nothing: name a new folder");
    CHECK_NUM(scratch_count(scratch("used")), 1);
    scratch_holds(scratch("used/mine.txt"), "mine");
}

TEST(two_files_of_one_name_get_two_folders)
{
    (void)tree_fatbin("twins/a/x.fatbin", "P75");
    (void)tree_fatbin("twins/b/x.fatbin", "P80");
    struct jw_scan_report r =
        tree_scan(scratch("twins"), &(struct jw_scan_options){ .extract = scratch("twins-out") });

    CHECK_NUM(r.n_files, 2);
    CHECK(scratch_there(scratch("twins-out/x.fatbin")) && scratch_there(scratch("twins-out/x.fatbin-2")));
    jw_scan_free(&r);
}

TEST(what_cannot_be_decoded_is_a_problem_and_leaves_no_file)
{
    struct jw_buf fat = GEN_BUF;

    gen_fat(&fat, "P75:s");
    fat.p[fat.n - 9] ^= 0xff;
    fat.p[fat.n - 20] ^= 0xff;
    struct jw_scan_report r = tree_scan(tree_buf("broken.fatbin", &fat),
                                        &(struct jw_scan_options){ .extract = scratch("broken-out") });

    CHECK_NUM(r.files[0].extracted, 0);
    CHECK_NUM(r.files[0].n_problems, 1);
    CHECK_HAS(r.files[0].n_problems ? r.files[0].problems[0] : "", "fatbin: entry at 0x10: ");
    CHECK_NUM(scratch_count(scratch("broken-out/broken.fatbin")), 0);
    jw_scan_free(&r);
}

TEST(obfuscated_code_is_left_out)
{
    const char *path = tree_fatbin("lto.fatbin", "N75 P75");
    struct jw_scan_report r = tree_scan(path, &(struct jw_scan_options){ .extract = scratch("lto-out") });

    CHECK_NUM(r.files[0].extracted, 1);
    CHECK_NUM(r.files[0].n_problems, 0);
    jw_scan_free(&r);
}

static bool cut_off(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    (void)ctx;
    (void)at;
    (void)dst;
    (void)n;
    return jw_fail(err, JW_E_IO, "the file shrank while it was read");
}

TEST(a_file_that_shrinks_meanwhile_is_its_own_problem_and_no_end_of_the_scan)
{
    struct jw_buf fat = GEN_BUF;

    gen_fat(&fat, "P75 P80:s");
    struct jw_bytes bytes = jw_buf_bytes(&fat);
    struct jw_source whole = jw_source_memory(&bytes), cut = { .size = bytes.n, .pull = cut_off };
    struct jw_image image;
    struct jw_err err = { 0 };
    struct jw_scan_options o = { .extract = scratch("cut-out") };
    struct scan scan = { .o = &o };
    struct scan_worker w = { .scan = &scan };
    struct scan_subject subject = { .path = "cut.fatbin", .name = "cut.fatbin", .src = cut, .size = bytes.n };
    uint64_t written = 0;

    CHECK(jw_image_scan(&whole, "cut.fatbin", (struct jw_image_options){ 0 }, &image, &err));
    CHECK(scan_extract(&w, &subject, &image, &written, &err));
    CHECK_NUM(written, 0);
    CHECK_NUM(image.problems.n, 2);
    CHECK_HAS(image.problems.n ? image.problems.text[0] : "", "the file shrank while it was read");
    CHECK_NUM(scratch_count(scratch("cut-out/cut.fatbin")), 0);
    jw_image_free(&image);
    jw_buf_free(&fat);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(payloads_come_out_as_they_went_in), T(a_folder_in_use_is_refused_and_left_alone),
               T(two_files_of_one_name_get_two_folders),
               T(what_cannot_be_decoded_is_a_problem_and_leaves_no_file), T(obfuscated_code_is_left_out),
               T(a_file_that_shrinks_meanwhile_is_its_own_problem_and_no_end_of_the_scan));
}
