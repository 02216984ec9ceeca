#include "tree.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/mem.h"
#include "formats/elf.h"
#include "machine/paths.h"
#include "os/files/file.h"
#include "rigs/faults.h"
#include "software/scan/scan_jobs.h"
#include "software/scan/verdict_words.h"

#include <stdio.h>
#include <string.h>

#define NOW "Jan  7 202622:51:46"

static const struct jw_sms sms = {{86, 90}, 2};

/* Good for the next seven calls. */
static struct scan_jobs kept(struct scan_jobs t)
{
    static struct scan_jobs last[8];
    static size_t n;
    struct scan_jobs *at = &last[n++ % JW_COUNT(last)];

    scan_jobs_free(at);
    return *at = t;
}

static struct scan_jobs find_with(const char *path, struct scan_jobs_options o)
{
    struct jw_scan_folder root = {path, JW_MAX_DEPTH, true, NULL};
    struct scan_jobs t = {0};
    struct jw_err err = {0};

    o.scan.folders = &root;
    o.scan.n_folders = 1;
    o.scan.sms = o.scan.sms.n ? o.scan.sms : sms;
    o.rules.stamp = NOW;
    CHECK_OK(scan_jobs_find(&o, &t, &err), err);
    return kept(t);
}

static struct scan_jobs find(const char *path)
{
    return find_with(path, (struct scan_jobs_options){0});
}

TEST(each_gpu_gets_what_it_would_compile)
{
    struct scan_jobs t = find(tree_library("native.so", "E86 P80"));

    CHECK_NUM(t.n, 1);
    CHECK_NUM(t.list[0].sm, 90);
    t = find(tree_library("ptx.so", "P75:s P80:l"));
    CHECK_NUM(t.n, 2);
    CHECK_NUM(t.list[0].sm, 86);
    CHECK_NUM(t.list[1].sm, 90);
    CHECK(memcmp(t.list[0].text, t.list[1].text, JW_DIGEST) == 0);
    CHECK(t.list[0].name != t.list[1].name && t.list[0].name);
}

/* A verdict is of one GPU, what is left out of both. */
TEST(verdicts_count_what_jobs_leave_out)
{
    static const char *const words[] = {"E86", "P75", "E61", "P80:s", "X80", "P80:z P75", "N80"};
    static const struct {
        enum jw_selected of;
        enum jw_out_is out;
    } kinds[] = {{JW_SELECTED_NATIVE, JW_OUT_IS_NATIVE},
                 {JW_SELECTED_BLOCKED, JW_OUT_IS_BLOCKED},
                 {JW_SELECTED_UNKNOWN, JW_OUT_IS_DOUBTFUL},
                 {JW_SELECTED_NONE, JW_OUT_IS_NOTHING},
                 {JW_SELECTED_LTO, JW_OUT_IS_LINKABLE}};

    for (size_t i = 0; i < JW_COUNT(words); i++) {
        const char *path = tree_library("counted.so", words[i]);
        const struct jw_scan_verdict *v =
            tree_scan(path, &(struct jw_scan_options){.driver = "535"}).files[0].verdicts;
        struct scan_jobs t = find_with(path, (struct scan_jobs_options){.scan.driver = "535"});

        for (size_t k = 0; k < JW_COUNT(kinds); k++)
            CHECK_NUM(v[0].modules[kinds[k].of] + v[1].modules[kinds[k].of], t.out[kinds[k].out].n);
        CHECK_NUM(OF(&v[0], JIT) + OF(&v[1], JIT), t.n);
    }
}

TEST(a_worker_finds_the_very_bytes)
{
    const char *path = tree_library("bytes.so", "P80:s");
    struct scan_jobs t = find(path);
    FREED(jw_buf) file = JW_BUF(1 << 20);
    uint8_t digest[JW_DIGEST];
    bool found;

    CHECK_NUM(t.n, 2);
    CHECK(jw_file_slurp(t.list[0].place->disk, &file, &found, &err) && found);
    CHECK(t.list[0].place->at + t.list[0].place->size <= file.n);
    jw_digest(digest, file.p + t.list[0].place->at, (size_t)t.list[0].place->size);
    CHECK(memcmp(digest, t.list[0].place->digest, JW_DIGEST) == 0);
    CHECK(!t.list[0].place->text);
}

TEST(inputs_of_a_linker_do_not_make_a_file_run)
{
    struct jw_buf fat = GEN_BUF, elf = GEN_BUF;

    gen_fat(&fat, "E100");
    (void)gen_elf(&elf, (struct gen_elf){0},
                  (struct gen_section[]){{.name = ".nv_fatbin", .data = jw_buf_bytes(&fat)},
                                         {.name = "__nv_relfatbin", .data = jw_buf_bytes(&fat)}},
                  2);
    jw_buf_free(&fat);
    CHECK_NUM(find(tree_buf("dead.so", &elf)).dead.n, 2);
}

/* As bitsandbytes' of several CUDA versions, of which a program takes one. */
TEST(what_is_too_new_blocks_where_it_is_named_or_no_variant_runs)
{
    const struct scan_jobs_options old = {.scan = {.driver = "535.104", .sms = {{86}, 1}}};
    const char *named = tree_library("new/cuda130.so", "P80:s");
    struct scan_jobs t = find_with(scratch("new"), old);

    CHECK_NUM(t.out[JW_OUT_IS_BLOCKED].n, 1);
    (void)tree_library("new/cuda99.so", "E86");
    (void)tree_library("new/cuda.ext.so", "P80:s");
    t = find_with(scratch("new"), old);
    CHECK(t.out[JW_OUT_IS_OTHERS].n == 1 && t.out[JW_OUT_IS_NOTHING].n == 0);
    CHECK_HAS(t.out[JW_OUT_IS_BLOCKED].first, "ext.so");
    const struct jw_scan_report r = tree_scan(scratch("new"), &old.scan);

    CHECK_NUM(tree_found(&r, "new/cuda130.so")->verdicts[0].verdict, JW_VERDICT_NOTHING);
    CHECK_NUM(tree_found(&r, "new/cuda.ext.so")->verdicts[0].verdict, JW_VERDICT_BLOCKED);
    CHECK_NUM(tree_scan(named, &old.scan).files[0].verdicts[0].verdict, JW_VERDICT_BLOCKED);
    t = find_with(named, old);
    CHECK_NUM(t.out[JW_OUT_IS_BLOCKED].n, 1);
}

TEST(a_text_is_its_whole_file)
{
    struct jw_buf ptx = GEN_BUF;

    gen_ptx(&ptx, 8, 0, (struct jw_arch){80, 0}, 2);
    jw_buf_add(&ptx, "\0of no driver", 13); /* it reads to the first NUL. driver-fact: F13-nuls */
    uint64_t n = ptx.n;
    struct scan_jobs t = find(tree_buf("kernels.ptx", &ptx));

    CHECK_NUM(t.n, 2);
    CHECK(t.list[0].place->text);
    CHECK_NUM(t.list[0].place->at, 0);
    CHECK_NUM(t.list[0].place->size, n);
    CHECK_NUM(t.list[0].ptx_bytes, n - 13);
}

TEST(what_cannot_be_decoded_is_left_out)
{
    struct jw_buf fat = GEN_BUF;

    gen_fat(&fat, "P80:s");
    fat.p[fat.n - 20] ^= 0x55;
    struct scan_jobs t = find(tree_buf("broken.fatbin", &fat));

    CHECK_NUM(t.n, 0);
    CHECK(t.out[JW_OUT_IS_DOUBTFUL].n >= 1);
}

/* ---- the memo ---- */

enum { REMEMBERED = 16 };

/* In place of a ledger, without stat data: what it knows is not read, whatever became of it. */
struct remembered {
    struct {
        char path[512];
        struct jw_buf value;
    } v[REMEMBERED];
    size_t n, hits;
};

bool __wrap_jw_ledger_find(struct remembered *r, const char *path, const struct jw_file_info *info,
                           struct jw_bytes *out);
void __wrap_jw_ledger_put(struct remembered *r, const char *path, const struct jw_file_info *info,
                          struct jw_bytes value);

bool __wrap_jw_ledger_find(struct remembered *r, const char *path, const struct jw_file_info *info,
                           struct jw_bytes *out)
{
    CHECK_NUM(info->kind, JW_FILE_REGULAR);
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->v[i].path, path) == 0) {
            *out = jw_buf_bytes(&r->v[i].value);
            r->hits++;
            return true;
        }
    return false;
}

void __wrap_jw_ledger_put(struct remembered *r, const char *path, const struct jw_file_info *info,
                          struct jw_bytes value)
{
    size_t i = 0;

    CHECK(info->mtime > 0);
    while (i < r->n && strcmp(r->v[i].path, path) != 0)
        i++;
    CHECK(i < REMEMBERED && strlen(path) < sizeof r->v[i].path);
    if (i == r->n)
        r->v[r->n++].value = JW_BUF(1 << 20);
    (void)snprintf(r->v[i].path, sizeof r->v[i].path, "%s", path);
    jw_buf_clear(&r->v[i].value);
    jw_buf_add(&r->v[i].value, value.p, value.n);
}

static void remembered_free(struct remembered *r)
{
    for (size_t i = 0; i < r->n; i++)
        jw_buf_free(&r->v[i].value);
}

static struct scan_jobs find_known(const char *path, struct remembered *r,
                                   struct scan_jobs_options o)
{
    o.ledger = (struct jw_ledger *)r;
    o.scan.jobs = 1;
    return find_with(path, o);
}

static void check_same_place(const struct jw_place *x, const struct jw_place *y)
{
    CHECK_TEXT(x->path, y->path);
    CHECK_TEXT(x->disk ? x->disk : "-", y->disk ? y->disk : "-");
    CHECK(x->at == y->at && x->size == y->size && x->text == y->text && x->link == y->link);
    CHECK(memcmp(x->digest, y->digest, JW_DIGEST) == 0);
}

static void check_same(const struct scan_jobs *x, const struct scan_jobs *y)
{
    CHECK_NUM(x->n, y->n);
    CHECK_NUM(x->scan.n_files, y->scan.n_files);
    CHECK_NUM(x->needs, y->needs);
    for (size_t i = 0; i < JW_OUTS; i++) {
        CHECK_TEXT(x->out[i].first ? x->out[i].first : "-",
                   y->out[i].first ? y->out[i].first : "-");
        CHECK(x->out[i].n == y->out[i].n && x->out[i].on == y->out[i].on);
    }
    for (size_t i = 0; i < x->n && x->n == y->n; i++) {
        const struct jw_job *a = &x->list[i], *b = &y->list[i];

        check_same_place(a->place, b->place);
        CHECK(memcmp(a->id, b->id, JW_DIGEST) == 0 && memcmp(a->text, b->text, JW_DIGEST) == 0);
        CHECK(a->sm == b->sm && a->name == b->name && a->key_size == b->key_size);
        CHECK(a->ptx_bytes == b->ptx_bytes);
        CHECK_TEXT(a->options, b->options);
        CHECK_TEXT(a->kernel, b->kernel);
    }
    for (size_t i = 0; i < x->scan.n_files && x->scan.n_files == y->scan.n_files; i++) {
        CHECK_TEXT(x->scan.files[i].path, y->scan.files[i].path);
    }
}

#define make_wheel(name, code) make_wheel_of(name, "x/lib.so", code)
static const char *make_wheel_of(const char *name, const char *member, const char *code)
{
    FREED(jw_buf) library = GEN_BUF;
    struct jw_buf wheel = GEN_BUF;

    tree_lazy_bytes(&library, code);
    struct gen_member m = {.name = member, .data = jw_buf_bytes(&library), .deflated = true};

    (void)gen_zip(&wheel, &m, 1, "");
    return tree_buf(name, &wheel);
}

static void check_known(const char *driver, uint64_t jobs, uint64_t blocked)
{
    static const char *const names[] = {"known/a.so", "known/b.so", "known/none.txt",
                                        "known/x-1-py3-none-any.whl"};
    struct scan_jobs_options o = {.scan.driver = driver};
    FREED(remembered) r = {0};

    (void)tree_library(names[0], "P75:s E90 P80:l");
    (void)tree_library(names[1], "P80:s E86");
    (void)tree_write(
        names[2], JW_BYTES("no code is in this file, of which only the first bytes are looked at"));
    (void)make_wheel(names[3], "P80:s E86");
    struct scan_jobs first = find_known(scratch("known"), &r, o);

    CHECK_NUM(r.n, 4);
    CHECK_NUM(r.hits, 0);
    CHECK_NUM(first.n, jobs);
    CHECK_NUM(first.out[JW_OUT_IS_NATIVE].n, 3);
    CHECK_NUM(first.out[JW_OUT_IS_BLOCKED].n, blocked);
    (void)tree_library(names[0], "P75 P75 P75 P75"); /* larger: a place lies within its file */
    (void)tree_library(names[1], "P75 P75 P75 P75");
    (void)tree_write(names[2], JW_BYTES("\177ELF"));
    (void)tree_write(names[3], JW_BYTES("written over"));
    struct scan_jobs second = find_known(scratch("known"), &r, o);

    CHECK_NUM(r.hits, 4);
    check_same(&first, &second);
}

TEST(what_is_known_is_neither_opened_nor_read)
{
    check_known("550.54.15", 3, 0);
    check_known("535.104", 0, 3);
}

TEST(what_was_not_read_whole_is_not_remembered)
{
    FREED(remembered) r = {0};

    (void)tree_write("cut/lib.so", JW_BYTES("\177ELF"));
    struct scan_jobs t = find_known(scratch("cut"), &r, (struct scan_jobs_options){0});

    CHECK_NUM(t.scan.n_skipped, 1);
    CHECK_NUM(r.n, 0);
}

TEST(a_known_library_of_nvidia_and_an_object_count_where_they_are_named)
{
    const struct scan_jobs_options lazily = {.lazy = true};
    const char *const paths[] = {tree_lazy_library("known2/libcublas.so.12", "P80"),
                                 tree_library("known2/k.o", "P80")};
    FREED(remembered) r = {0};
    FILE *object = fopen(paths[1], "r+b");

    CHECK(object && fseek(object, 16, SEEK_SET) == 0 && fputc(JW_ET_REL, object) == JW_ET_REL);
    (void)fclose(object);
    for (size_t i = 0; i < 4; i++) {
        struct scan_jobs t = find_known(i % 2 ? paths[i / 2] : scratch("known2"), &r, lazily);

        CHECK_NUM(t.n, i % 2 ? 2 : 0);
    }
    CHECK_NUM(find_known(scratch("known2"), &r, lazily).n, 0);
}

/* driver-fact: F113-runtime-loads */
TEST(a_library_of_nvidia_counts_unless_its_runtime_loads_it_lazily)
{
    const struct scan_jobs_options lazily = {.lazy = true}, eagerly = {.lazy = false};

    (void)tree_library("eager/libcudnn.so.7", "P80");
    (void)tree_lazy_library("later/libcudnn.so.9", "P80");
    CHECK_NUM(find_with(scratch("eager"), lazily).n, 2);
    CHECK_NUM(find_with(scratch("later"), eagerly).n, 2);
    struct scan_jobs t = find_with(scratch("later"), lazily);

    CHECK(t.n == 0 && t.out[JW_OUT_IS_SKIPPED].n == 2);
}

TEST(who_names_a_library_of_nvidia_asks_about_what_it_loads_on_demand_too)
{
    static const char *const names[] = {"demand/libcufft.so.11", "demand/libmine.so"};
    FREED(jw_buf) fat = GEN_BUF;

    gen_fat(&fat, "P80");
    const struct gen_section data = {.name = ".ldata", .data = jw_buf_bytes(&fat), .align = 32};

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct jw_buf elf = GEN_BUF;

        (void)gen_elf(&elf, (struct gen_elf){0}, &data, 1);
        CHECK_NUM(find(tree_buf(names[i], &elf)).n, i == 0 ? 2 : 0);
    }
    struct scan_jobs t = find(scratch("demand"));

    CHECK(t.n == 0 && t.out[JW_OUT_IS_SKIPPED].n == 4);
}

TEST(what_is_left_out_of_a_wheel_is_a_member_also_for_the_memo)
{
    const struct scan_jobs_options old = {.scan.driver = "535.104"};
    const char *path = make_wheel("v-1-py3-none-any.whl", "P80:s E86");
    FREED(remembered) r = {0};

    for (size_t hits = 0; hits < 2; hits++) {
        struct scan_jobs t = find_known(path, &r, old);

        CHECK_NUM(r.hits, hits);
        CHECK_HAS(t.out[JW_OUT_IS_BLOCKED].first, "v-1-py3-none-any.whl!x/lib.so");
    }
}

/* As scan says of it: usual, and no error. */
TEST(a_module_for_other_gpus_counts_where_nothing_of_its_file_runs)
{
    FREED(jw_buf) some = GEN_BUF, none = GEN_BUF;

    gen_fat(&some, "E86");
    gen_fat(&some, "E61");
    gen_fat(&none, "E61");
    (void)tree_write("usual/some.fatbin", jw_buf_bytes(&some));
    struct scan_jobs t =
        find_with(scratch("usual"), (struct scan_jobs_options){.scan.sms = {{86}, 1}});

    CHECK(t.out[JW_OUT_IS_OTHERS].n == 1 && t.out[JW_OUT_IS_NOTHING].n == 0);
    (void)tree_write("usual/none.fatbin", jw_buf_bytes(&none));
    t = find_with(scratch("usual"), (struct scan_jobs_options){.scan.sms = {{86}, 1}});
    CHECK(t.out[JW_OUT_IS_OTHERS].n == 1 && t.out[JW_OUT_IS_NOTHING].n == 1);
    CHECK_HAS(t.out[JW_OUT_IS_NOTHING].first, "none.fatbin");
}

TEST(two_versions_of_a_wheel_are_no_variants)
{
    const struct scan_jobs_options old = {.scan = {.driver = "535.104", .sms = {{86}, 1}}};

    (void)make_wheel("two/x-1-py3-none-any.whl", "P80:s");
    (void)make_wheel("two/x-2-py3-none-any.whl", "E86");
    struct scan_jobs t = find_with(scratch("two"), old);

    CHECK_NUM(t.out[JW_OUT_IS_BLOCKED].n, 1);
    CHECK_NUM(t.out[JW_OUT_IS_NOTHING].n, 0);
}

TEST(members_that_a_worker_needs_are_written_for_it)
{
    const char *path = make_wheel("y-1-py3-none-any.whl", "P80:s E86");
    struct scan_jobs t = find_with(path, (struct scan_jobs_options){0});

    CHECK(t.n == 1 && !t.list[0].place->disk);
    CHECK(jw_make_dirs(scratch("spool2"), &err));
    t = find_with(path, (struct scan_jobs_options){.spool = scratch("spool2")});
    CHECK(t.n == 1 && jw_is_file(t.list[0].place->disk));
}

/* What a memo says of a wheel is of all its members. A folder of it is excluded as one on the disk
 * is. */
TEST(an_excluded_member_is_neither_remembered_nor_recalled)
{
    static const char *names[] = {"lib.so", "x", "*.whl/x", "*.whl!x/*"};
    const char *path = make_wheel("w-1-py3-none-any.whl", "P80:s E86");

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const struct scan_jobs_options without = {.scan.exclude = {&names[i], 1}};
        FREED(remembered) r = {0};

        CHECK(find_known(path, &r, without).n == 0 && r.n == 0);
        CHECK_NUM(find_known(path, &r, (struct scan_jobs_options){0}).n, 1);
        CHECK(find_known(path, &r, without).n == 0 && r.n == 1);
    }
}

/* One rule: tests count with --all or where they are named, NVIDIA's libraries that load lazily
 * with
 * --all, and a program of that name always. */
TEST_ARENA(a_package_counts_in_a_wheel_as_it_does_in_a_folder)
{
    static const char *const members[] = {"p/tests/t.so", "test/t.so", "p/libcublas.so.12",
                                          "p/bin/test"};

    for (size_t i = 0; i < 2 * JW_COUNT(members); i++) {
        const char *member = members[i / 2], *site = jw_arena_printf(a, "v/%zu/site-packages", i);
        const char *place =
            i % 2 ? make_wheel_of("p-1-py3-none-any.whl", member, "P80") : scratch(site);

        (void)tree_lazy_library(jw_arena_printf(a, "%s/%s", site, member), "P80");
        struct scan_jobs t = find_with(place, (struct scan_jobs_options){.lazy = true});

        CHECK_NUM(t.n, i < 6 ? 0 : 2);
        CHECK_NUM(t.out[JW_OUT_IS_SKIPPED].n, i / 2 == 2 ? 2 : 0);
        CHECK_NUM(find_with(place, (struct scan_jobs_options){.scan.all = true}).n, 2);
    }
    (void)tree_library("v/0/site-packages/p/tests/test/t.so", "P80");
    CHECK_NUM(find(scratch("v/0/site-packages/p/tests")).n, 4);
    (void)tree_library("own/my-site-packages/tests/t.so", "P80");
    CHECK_NUM(find(scratch("own")).n, 2);
}

/* The bytes of a memo may be anything. */
TEST(a_damaged_memo_is_a_miss)
{
    FREED(remembered) r = {0};
    const char *path = make_wheel("z-1-py3-none-any.whl", "P80:s E86");
    struct scan_jobs t = find_known(path, &r, (struct scan_jobs_options){0});
    FREED(jw_buf) memo = JW_BUF(1 << 20);
    struct scan_known k;

    CHECK(t.n == 1 && r.n == 1);
    jw_buf_add(&memo, r.v[0].value.p, r.v[0].value.n);
    for (size_t n = 0; n < memo.n; n++) {
        FREED(jw_arena) a = {0};
        uint8_t *copy = jw_alloc(n);

        if (n)
            memcpy(copy, memo.p, n);
        k = (struct scan_known){.path = path, .info.size = 1 << 20};
        CHECK(!scan_memo_read((struct jw_bytes){copy, n}, &a, &k));
        jw_free(copy);
    }
}

TEST(the_view_is_all_that_the_answer_depends_on)
{
    struct scan_jobs_options o = {.scan.sms = sms, .rules.stamp = NOW}, all[6];
    uint8_t first[JW_DIGEST], view[JW_DIGEST];

    scan_memo_view(&o, first);
    scan_memo_view(&o, view);
    CHECK(memcmp(first, view, sizeof view) == 0);
    for (size_t i = 0; i < JW_COUNT(all); i++)
        all[i] = o;
    all[0].scan.sms.v[1] = 89;
    all[1].rules.stamp = "another";
    all[2].rules.cuts_ptx = true;
    all[3].scan.all = true;
    all[4].scan.driver = "470.1";
    all[5].lazy = true;
    for (size_t i = 0; i < JW_COUNT(all); i++) {
        scan_memo_view(&all[i], view);
        CHECK(memcmp(first, view, sizeof view) != 0);
    }
}

TEST(every_failure_is_survived)
{
    const char *path = tree_library("faults.so", "P75:s P80:l");

    EACH_FAULT (f, 1) {
        struct jw_scan_folder root = {path, 0, true, NULL};
        struct scan_jobs_options o = {
            .scan = {.folders = &root, .n_folders = 1, .jobs = 1, .sms = sms}, .rules = {NOW}};
        struct scan_jobs t = {0};
        bool ok = FAULTED(f, scan_jobs_find(&o, &t, &err));

        CHECK(ok || err.msg[0]);
        scan_jobs_free(&t);
    }
}
