#include "tree.h"

#include "base/digest.h"
#include "base/fault.h"
#include "base/limits.h"
#include "os/files/file.h"
#include "software/scan/scan_jobs.h"

#define NOW "Jan  7 202622:51:46"

static const uint16_t sms[] = { 86, 90 };

static struct scan_jobs find_with(const char *path, struct scan_jobs_options o)
{
    struct jw_scan_root root = { path, JW_MAX_DEPTH, true };
    struct scan_jobs t = { 0 };
    struct jw_err err = { 0 };

    o.scan.roots = &root;
    o.scan.n_roots = 1;
    o.sms = sms;
    o.n_sms = 2;
    o.rules.stamp = NOW;
    CHECK_OK(scan_jobs_find(&o, &t, &err), err);
    return t;
}

static struct scan_jobs find(const char *path)
{
    return find_with(path, (struct scan_jobs_options){ 0 });
}

static uint64_t left(const struct scan_jobs *t, enum jw_left_out why)
{
    return t->left_out[why].modules;
}

TEST(each_gpu_gets_what_it_would_compile)
{
    struct scan_jobs t = find(tree_library("native.so", "E86 P80"));

    CHECK_NUM(t.n, 1);
    CHECK_NUM(t.list[0].sm, 90);
    CHECK_TEXT(t.list[0].module.target, "compute_80");
    CHECK_NUM(left(&t, JW_OUT_IS_NATIVE), 1);
    scan_jobs_free(&t);
    t = find(tree_library("ptx.so", "P75:s P80:l"));
    CHECK_NUM(t.n, 2);
    CHECK_NUM(t.list[0].sm, 86);
    CHECK_NUM(t.list[1].sm, 90);
    CHECK(memcmp(t.list[0].module.text, t.list[1].module.text, JW_DIGEST) == 0);
    CHECK(t.list[0].name != t.list[1].name && t.list[0].name);
    CHECK(t.list[0].module.places->at && t.list[0].module.places->size);
    scan_jobs_free(&t);
}

TEST(a_worker_finds_the_very_bytes)
{
    const char *path = tree_library("bytes.so", "P80:z");
    struct scan_jobs t = find(path);
    struct jw_buf file = JW_BUF(1 << 20);
    uint8_t digest[JW_DIGEST];
    struct jw_err err;
    bool found;

    CHECK_NUM(t.n, 2);
    CHECK(jw_file_slurp(t.list[0].module.places->disk, &file, &found, &err) && found);
    CHECK(t.list[0].module.places->at + t.list[0].module.places->size <= file.n);
    jw_digest(digest, file.p + t.list[0].module.places->at, (size_t)t.list[0].module.places->size);
    CHECK(memcmp(digest, t.list[0].module.places->digest, JW_DIGEST) == 0);
    CHECK(!t.list[0].module.places->text);
    jw_buf_free(&file);
    scan_jobs_free(&t);
}

TEST(equal_code_in_two_files_has_one_identity)
{
    (void)tree_library("pair/a.so", "P80:s");
    (void)tree_library("pair/b.so", "P80:l");
    struct scan_jobs t = find(scratch("pair"));

    CHECK_NUM(t.n, 4);
    CHECK(memcmp(t.list[0].id, t.list[2].id, JW_DIGEST) == 0);
    CHECK_NUM(t.list[0].name, t.list[2].name);
    CHECK_HAS(t.list[0].module.places->path, "a.so");
    CHECK_HAS(t.list[2].module.places->path, "b.so");
    scan_jobs_free(&t);
}

TEST(filters_and_libraries_of_nvidia)
{
    static const char *const exclude[] = { "*b*" };
    struct scan_jobs t;

    (void)tree_library("filter/a.so", "P80");
    (void)tree_library("filter/ab.so", "P80");
    (void)tree_library("filter/c.so", "P80");
    (void)tree_library("filter/libcublas.so.12", "P80");
    t = find_with(scratch("filter"),
                  (struct scan_jobs_options){ .scan = { .exclude = exclude, .n_exclude = 1 } });
    CHECK_NUM(t.n, 4);
    CHECK_HAS(t.list[0].module.places->path, "a.so");
    CHECK_HAS(t.list[2].module.places->path, "c.so");
    scan_jobs_free(&t);
    t = find(scratch("filter"));
    CHECK_NUM(t.n, 6);
    CHECK_NUM(left(&t, JW_OUT_IS_VENDOR), 2);
    scan_jobs_free(&t);
    t = find_with(scratch("filter"), (struct scan_jobs_options){ .all = true });
    CHECK_NUM(t.n, 8);
    scan_jobs_free(&t);
    t = find(scratch("filter/libcublas.so.12")); /* it was named */
    CHECK_NUM(t.n, 2);
    scan_jobs_free(&t);
}

TEST(members_of_a_wheel_are_written_down)
{
    struct jw_buf fat = GEN_BUF, library = GEN_BUF, wheel = GEN_BUF, spooled = JW_BUF(1 << 20);
    struct jw_err err;
    bool found;
    uint8_t digest[JW_DIGEST];

    gen_fat(&fat, "P80:s");
    (void)gen_library(&library, jw_buf_bytes(&fat), true);
    struct gen_member m = { .name = "x/lib.so", .data = jw_buf_bytes(&library), .deflated = true };

    (void)gen_zip(&wheel, &m, 1, "");
    const char *path = tree_buf("x-1-py3-none-any.whl", &wheel);

    CHECK(jw_make_dirs(scratch("spool"), &err));
    struct scan_jobs t = find_with(path, (struct scan_jobs_options){ .spool = scratch("spool") });

    CHECK_NUM(t.n, 2);
    CHECK_HAS(t.list[0].module.places->path, "any.whl!x/lib.so");
    CHECK_NUM(scratch_count(scratch("spool")), 1);
    CHECK(jw_file_slurp(t.list[1].module.places->disk, &spooled, &found, &err) && found);
    jw_digest(digest, spooled.p, spooled.n);
    CHECK(memcmp(digest, t.list[1].module.places->digest, JW_DIGEST) == 0);
    CHECK(spooled.n == fat.n && memcmp(spooled.p, fat.p, fat.n) == 0);
    scan_jobs_free(&t);
    t = find(path); /* a plan keeps nothing */
    CHECK_NUM(t.n, 2);
    CHECK(!t.list[0].module.places->disk);
    scan_jobs_free(&t);
    jw_buf_free(&spooled);
    jw_buf_free(&fat);
    jw_buf_free(&library);
}

TEST(a_text_is_its_whole_file)
{
    struct jw_buf ptx = GEN_BUF;

    gen_ptx(&ptx, 8, 0, (struct jw_arch){ 80, 0 }, 2);
    uint64_t n = ptx.n;
    struct scan_jobs t = find(tree_buf("kernels.ptx", &ptx));

    CHECK_NUM(t.n, 2);
    CHECK(t.list[0].module.places->text);
    CHECK_NUM(t.list[0].module.places->at, 0);
    CHECK_NUM(t.list[0].module.places->size, n);
    CHECK_NUM(t.list[0].module.ptx_bytes, n);
    scan_jobs_free(&t);
}

TEST(what_cannot_be_decoded_is_left_out)
{
    struct jw_buf fat = GEN_BUF;

    gen_fat(&fat, "P80:s");
    fat.p[fat.n - 20] ^= 0x55;
    struct scan_jobs t = find(tree_buf("broken.fatbin", &fat));

    CHECK_NUM(t.n, 0);
    CHECK(left(&t, JW_OUT_IS_DOUBTFUL) >= 1);
    scan_jobs_free(&t);
}

TEST(forced_compiling_passes_over_machine_code)
{
    struct scan_jobs t = find_with(tree_library("forced.so", "E86 E90 P80"),
                                   (struct scan_jobs_options){ .scan = { .force_jit = true } });

    CHECK_NUM(t.n, 2);
    scan_jobs_free(&t);
}

TEST(every_failure_is_survived)
{
    const char *path = tree_library("faults.so", "P75:s P80:l");

    for (unsigned long nth = 1; nth < 5000; nth++) {
        struct jw_scan_root root = { path, 0, true };
        struct scan_jobs_options o = {
            .scan = { .roots = &root, .n_roots = 1, .jobs = 1 }, .sms = sms, .n_sms = 2, .rules = { NOW }
        };
        struct scan_jobs t = { 0 };
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = scan_jobs_find(&o, &t, &err);
        bool fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok || err.msg[0]);
        scan_jobs_free(&t);
        if (!fired)
            return;
    }
    CHECK(!"it ends");
}
