/* Verdicts of whole files. The rules for one container are tested with formats/select.c. */
#include "base/mem.h"
#include "software/scan/verdict_words.h"
#include "tree.h"

static struct jw_scan_report scan_for(const char *path, unsigned sm, const char *driver)
{
    return tree_scan(path, &(struct jw_scan_options){.sms = {{(uint16_t)sm}, 1}, .driver = driver});
}

/* The verdict for sm_90 of a file with these containers, one per word list. */
static struct jw_scan_report check(const char *const *fats, size_t n, const char *driver)
{
    struct jw_buf file = GEN_BUF;

    for (size_t i = 0; i < n; i++)
        gen_fat(&file, fats[i]);
    return scan_for(tree_buf("checked.fatbin", &file), 90, driver);
}

#define WORDS(...)                                                                                 \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static void add_ptx(struct jw_buf *out, unsigned kernels, unsigned isa_major, unsigned isa_minor,
                    unsigned sm, uint64_t packing)
{
    FREED(jw_buf) text = GEN_BUF;
    struct jw_arch target = {(uint16_t)sm, '\0'};

    gen_ptx(&text, isa_major, isa_minor, target, kernels);
    struct gen_fat_image image = {.kind = JW_KIND_PTX,
                                  .target = target,
                                  .major = (uint16_t)isa_major,
                                  .minor = (uint16_t)isa_minor,
                                  .packing = packing,
                                  .pack = gen_pack,
                                  .payload = jw_buf_bytes(&text)};

    gen_fat_images(out, &image, 1);
}

static const char *ptx_of(unsigned kernels, unsigned isa_major, unsigned isa_minor,
                          uint64_t packing)
{
    struct jw_buf fat = GEN_BUF;

    add_ptx(&fat, kernels, isa_major, isa_minor, 80, packing);
    return tree_buf("big.fatbin", &fat);
}

TEST(compiled_modules_are_counted_with_their_bytes_and_what_they_need)
{
    struct jw_scan_report r = scan_for(ptx_of(100, 9, 1, JW_FAT_ZSTD), 90, NULL);
    const struct jw_scan_verdict *v = &r.files[0].verdicts[0];

    CHECK_NUM(v->verdict, JW_VERDICT_COMPILES);
    CHECK_NUM(OF(v, JIT), 1);
    CHECK(v->jit_ptx_bytes > 10000);
    CHECK_NUM(v->needs_driver, 590);
    CHECK(!v->too_new[JW_NEED_PACKING].branch);
}

/* OptiX Prime stores such ones: NVIDIA's drivers end with error 218. */
TEST(ptx_with_options_that_a_driver_may_refuse_is_not_known)
{
    static const struct {
        const char *options;
        enum jw_verdict verdict;
    } cases[] = {{"-dlcm=ca -O3", JW_VERDICT_COMPILES},
                 {"-dlcm=ca -knob InsertYields=0", JW_VERDICT_UNKNOWN}};

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        FREED(jw_buf) text = GEN_BUF;
        FREED(jw_buf) said = GEN_BUF;
        struct jw_buf fat = GEN_BUF;
        const struct jw_arch target = {80, '\0'};

        gen_ptx(&text, 7, 0, target, 1);
        struct gen_fat_image image = {.kind = JW_KIND_PTX,
                                      .target = target,
                                      .major = 7,
                                      .options = cases[i].options,
                                      .payload = jw_buf_bytes(&text)};

        gen_fat_images(&fat, &image, 1);
        struct jw_scan_report r = scan_for(tree_buf("odd.fatbin", &fat), 86, "550");

        CHECK_NUM(r.files[0].verdicts[0].verdict, cases[i].verdict);
        jw_verdict_say(&said, &r.files[0].verdicts[0], 86, &r.files[0], "550");
        CHECK((strstr(jw_buf_cstr(&said), "(-knob InsertYields=0)") != NULL) == (i == 1));
    }
}

/* A driver refuses a loose one by another number than a container without code for the GPU. */
TEST(a_loose_cubin_of_another_gpu_is_error_300)
{
    FREED(jw_buf) said = GEN_BUF;
    struct jw_buf cubin = GEN_BUF;

    gen_cubin(&cubin, (struct gen_cubin){.target = {70, '\0'}});
    struct jw_scan_report r = scan_for(tree_buf("k.cubin", &cubin), 86, "550");

    CHECK_NUM(r.files[0].verdicts[0].verdict, JW_VERDICT_NONE);
    jw_verdict_say(&said, &r.files[0].verdicts[0], 86, &r.files[0], "550");
    CHECK_HAS(jw_buf_cstr(&said), "error 300");
}

TEST(ptx_too_new_for_the_driver_blocks)
{
    const char *path = ptx_of(100, 9, 1, 0);
    static const struct {
        const char *driver;
        enum jw_verdict verdict;
    } cases[] = {{"580.95.05", JW_VERDICT_BLOCKED}, {"590", JW_VERDICT_COMPILES},
                 {"595.45", JW_VERDICT_COMPILES},   {"13.0", JW_VERDICT_BLOCKED},
                 {"13.1", JW_VERDICT_COMPILES},     {"999", JW_VERDICT_COMPILES}};

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_scan_report r = scan_for(path, 90, cases[i].driver);

        CHECK_NUM(r.files[0].verdicts[0].verdict, cases[i].verdict);
        CHECK_NUM(r.files[0].verdicts[0].needs_driver, 590);
    }
}

TEST(rows_are_kinds_of_entries_in_a_fixed_order)
{
    struct jw_scan_report r = check(WORDS("P90 E120a E86:s", "E86:s P75 E9"), NULL);
    static const char *const arch[] = {"sm_9", "sm_86", "sm_120a", "compute_75", "compute_90"};

    CHECK_NUM(r.files[0].n_rows, JW_COUNT(arch));
    for (size_t i = 0; i < JW_COUNT(arch) && i < r.files[0].n_rows; i++)
        CHECK_TEXT(jw_fat_arch_name(&r.files[0].rows[i]).text, arch[i]);
}

TEST(lazy_and_rdc_containers_are_kept_apart)
{
    FREED(jw_buf) code = GEN_BUF, lazy = GEN_BUF, rdc = GEN_BUF;
    struct jw_buf elf = GEN_BUF;

    gen_fat(&code, "E86");
    gen_fat(&lazy, "P75:s");
    gen_fat(&rdc, "E86");
    (void)gen_elf(&elf, (struct gen_elf){0},
                  (struct gen_section[]){{.name = ".nv_fatbin", .data = jw_buf_bytes(&code)},
                                         {.name = ".ldata", .data = jw_buf_bytes(&lazy)},
                                         {.name = "__nv_relfatbin", .data = jw_buf_bytes(&rdc)}},
                  3);
    struct jw_scan_report r = tree_scan(tree_buf("mixed.so", &elf), NULL);
    const struct jw_scan_file *f = &r.files[0];

    CHECK_NUM(jw_verdict_modules(&f->verdicts[1]), 1);
    CHECK_NUM(f->verdicts[0].verdict, JW_VERDICT_COMPILES); /* on demand */
    CHECK_NUM(f->verdicts[1].verdict, JW_VERDICT_NONE);
    CHECK_NUM(f->verdicts[1].lazy[JW_SELECTED_JIT], 1);
    CHECK_NUM(OF(&f->verdicts[1], RDC), 1);
}

/* A library that keeps all of its code for itself, checked for sm_86 and sm_90. */
static struct jw_scan_report check_lazy(const char *words, const char *driver)
{
    struct jw_buf lazy = GEN_BUF, elf = GEN_BUF;

    gen_fat(&lazy, words);
    (void)gen_elf(&elf, (struct gen_elf){0},
                  &(struct gen_section){.name = ".ldata", .data = jw_buf_bytes(&lazy)}, 1);
    jw_buf_free(&lazy);
    return tree_scan(tree_buf("lazy.so", &elf), &(struct jw_scan_options){.driver = driver});
}

TEST(lazy_code_for_other_gpus_or_drivers_is_no_harmless_stub)
{
    struct jw_scan_report r = check_lazy("E86 P100:s", NULL);
    const struct jw_scan_verdict *v = r.files[0].verdicts;

    CHECK_NUM(v[0].verdict, JW_VERDICT_NATIVE);
    CHECK_NUM(v[0].lazy[JW_SELECTED_NATIVE], 1);
    CHECK_NUM(v[1].verdict, JW_VERDICT_NONE);
    CHECK_NUM(check_lazy("P75:s", NULL).files[0].verdicts[0].verdict, JW_VERDICT_COMPILES);
    r = check_lazy("P75:s", "460"); /* refused, so never compiled */
    CHECK_NUM(r.files[0].verdicts[0].verdict, JW_VERDICT_BLOCKED);
    CHECK_NUM(r.files[0].verdicts[0].needs_driver, 550);
}

/* A program that nvcc -rdc=true made: results of the device linker, and its inputs; each with a
 * wrapper of this version. */
static const struct jw_scan_verdict *check_linked(const char *const *results, size_t n_results,
                                                  uint32_t version, const char *const *inputs,
                                                  size_t n_inputs, const char *driver)
{
    FREED(jw_buf) code = GEN_BUF, rdc = GEN_BUF, wrappers = GEN_BUF;
    struct jw_buf elf = GEN_BUF;
    enum { ADDR = 0x100000 };
    uint64_t at[8];

    for (size_t i = 0; i < n_results; i++) {
        at[i] = code.n;
        gen_fat(&code, results[i]);
    }
    for (size_t i = 0; i < n_inputs; i++)
        gen_fat(&rdc, inputs[i]);
    gen_wrappers(&wrappers, version, ADDR, at, n_results);
    (void)gen_elf(
        &elf, (struct gen_elf){0},
        (struct gen_section[]){
            {.name = ".nv_fatbin", .data = jw_buf_bytes(&code), .addr = ADDR},
            {.name = "__nv_relfatbin", .data = jw_buf_bytes(&rdc), .addr = 2 * ADDR},
            {.name = ".nvFatBinSegment", .data = jw_buf_bytes(&wrappers), .addr = 3 * ADDR}},
        3);
    return scan_for(tree_buf("linked.so", &elf), 90, driver).files[0].verdicts;
}

TEST(a_result_without_code_is_linked_of_its_inputs)
{
    const struct jw_scan_verdict *v =
        check_linked(WORDS("E86"), 2, WORDS("E86 P75", "P80 E90", "P80"), NULL);

    CHECK_NUM(v->verdict, JW_VERDICT_COMPILES);
    CHECK_NUM(OF(v, LINKED), 1);
    CHECK_NUM(OF(v, JIT), 2);
    CHECK_NUM(jw_verdict_modules(v), 2); /* never "2 of 1" */
    CHECK_NUM(OF(v, NONE) + OF(v, RDC) + v->inputs_missing, 0);
    CHECK(v->jit_ptx_bytes);
    CHECK_NUM(check_linked(WORDS("E86"), 2, WORDS("E0", "P75"), NULL)->modules[JW_SELECTED_JIT],
              1); /* a damaged one is none */
}

/* nvcc -rdc=true with PTX alone, as -arch=compute_75: the device linker had nothing to link, and
 * the driver links all. */
TEST(an_empty_result_is_linked_of_its_inputs)
{
    const struct jw_scan_verdict *v =
        check_linked(WORDS(""), 2, WORDS("P75", "P80", "E80 E90"), NULL);

    CHECK_NUM(v->verdict, JW_VERDICT_COMPILES);
    CHECK_NUM(OF(v, LINKED), 1);
    CHECK_NUM(OF(v, JIT), 2);
    v = check_linked(WORDS(""), 2, WORDS("P100", "P100"), NULL);
    CHECK_NUM(v->verdict, JW_VERDICT_NONE);
    v = check_linked(WORDS("", "P75"), 2, NULL, 0,
                     NULL); /* as in each program that nvcc 13 makes */
    CHECK_NUM(v->verdict, JW_VERDICT_COMPILES);
    CHECK_NUM(OF(v, LINKED) + OF(v, NONE), 0);
    v = check_linked(WORDS("", "E90"), 1, WORDS("P75"),
                     NULL); /* ordinary code, as PyTorch 1.9 has */
    CHECK_NUM(v->verdict, JW_VERDICT_NATIVE);
    CHECK_NUM(check_linked(WORDS("E86"), 1, WORDS("P75"), NULL)->verdict, JW_VERDICT_NONE);
}

TEST(a_stub_of_another_gpu_is_linked_and_never_fails)
{
    const struct jw_scan_verdict *v = check_linked(WORDS("S52"), 2, WORDS("P75", "E80"), NULL);

    CHECK_NUM(v->verdict, JW_VERDICT_COMPILES);
    CHECK_NUM(OF(v, LINKED) + OF(v, JIT), 2);
    v = check_linked(WORDS("S52"), 2, WORDS("E80"), NULL);
    CHECK(v->verdict == JW_VERDICT_NOTHING && !v->inputs_missing);
    CHECK_NUM(check_linked(WORDS("S52", "E90"), 2, WORDS("P75"), NULL)->verdict, JW_VERDICT_NATIVE);
}

TEST(inputs_of_a_result_with_code_are_not_looked_at)
{
    const struct jw_scan_verdict *v =
        check_linked(WORDS("E86 E90"), 2, WORDS("E86 P75", "E86"), NULL);

    CHECK_NUM(v->verdict, JW_VERDICT_NATIVE);
    CHECK_NUM(OF(v, RDC), 2);
    CHECK_NUM(OF(v, LINKED) + OF(v, JIT), 0);
}

/* Newer toolkits write forms of which this program knows nothing: no sentence may say that there is
 * no code, or that nothing is compiled. */
TEST(code_of_an_unknown_form_is_not_known)
{
    const struct jw_scan_verdict *v =
        check_linked(WORDS("", "E86"), 2, WORDS("X80", "E80 E90"), NULL);

    CHECK_NUM(v->verdict, JW_VERDICT_UNKNOWN);
    CHECK_NUM(OF(v, UNKNOWN), 1);
    v = check_linked(WORDS("E90"), 2, WORDS("X80"),
                     NULL); /* the link is there: no input is looked at */
    CHECK_NUM(v->verdict, JW_VERDICT_NATIVE);
}

/* It stands aside only for known machine code, which drivers take first. */
TEST(an_unknown_kind_or_compression_is_an_unknown_form)
{
    static const char *const fats[] = {"X80",     "X80 B75",   "E90:z B80", "B80:z B75",
                                       "X80 E90", "E90 B80:z", "B80:l"};

    for (size_t i = 0; i < JW_COUNT(fats); i++) {
        struct jw_scan_report r = check(WORDS("E90", fats[i]), NULL);
        const struct jw_scan_verdict *v = r.files[0].verdicts;

        CHECK((OF(v, UNKNOWN) == 1) == (i < 4) && (v->verdict == JW_VERDICT_UNKNOWN) == (i < 4));
        CHECK((v->unknown_at > 0) == (i < 4) && r.files[0].n_problems == 0 && OF(v, NONE) == 0);
    }
}

TEST(whether_an_input_with_nothing_is_needed_is_not_known)
{
    const struct jw_scan_verdict *v = check_linked(WORDS("E86"), 2, WORDS("P75", "E86"), NULL);

    CHECK_NUM(v->verdict, JW_VERDICT_UNKNOWN);
    CHECK_NUM(v->inputs_missing, 1);
    CHECK_NUM(OF(v, JIT) + OF(v, LINKED), 2);
    v = check_linked(WORDS("E86", "E80 E90"), 2, WORDS("N75", "P75"), NULL);
    CHECK_NUM(v->verdict, JW_VERDICT_UNKNOWN);
    CHECK_NUM(v->inputs_missing, 1);
    CHECK_NUM(OF(v, JIT), 1);
    v = check_linked(WORDS("E86", "E80 E90"), 2, WORDS("E86", "P100"), NULL);
    CHECK_NUM(OF(v, LINKED), 0);
    CHECK_NUM(OF(v, NONE), 1);
}

TEST(inputs_of_equal_text_are_one_module)
{
    const struct jw_scan_verdict *v =
        check_linked(WORDS("E86"), 2, WORDS("P75:l", "P75:l", "P80"), NULL);

    CHECK_NUM(v->verdict, JW_VERDICT_COMPILES);
    CHECK_NUM(OF(v, JIT), 2);
}

TEST(inputs_too_new_for_the_driver_block)
{
    const struct jw_scan_verdict *v = check_linked(WORDS("E86"), 2, WORDS("P75:s"), "535");

    CHECK_NUM(v->verdict, JW_VERDICT_BLOCKED);
    CHECK_NUM(v->needs_driver, 550);
}

/* One container of machine code for this architecture, of this toolkit (129 for CUDA 12.9). */
static void add_code(struct jw_buf *out, uint16_t sm, uint16_t minor, uint8_t toolkit,
                     uint64_t packing)
{
    const struct gen_section section = {.name = ".text.add",
                                        .data = JW_BYTES("code, of some kind")};
    FREED(jw_buf) cubin = GEN_BUF;

    (void)gen_elf(
        &cubin,
        (struct gen_elf){.type = 2, .machine = 190, .os_abi = 0x33, .abi_version = 7, .flags = sm},
        &section, 1);
    cubin.p[20] = toolkit;
    struct gen_fat_image image = {.kind = JW_KIND_ELF,
                                  .target = {sm, '\0'},
                                  .major = 1,
                                  .minor = minor,
                                  .packing = packing,
                                  .pack = gen_pack,
                                  .payload = jw_buf_bytes(&cubin)};

    gen_fat_images(out, &image, 1);
}

/* driver-fact: F105-code-of-toolkit */
TEST(code_of_a_toolkit_that_the_driver_does_not_know_is_blocked)
{
    static const uint64_t packings[] = {0, JW_FAT_LZ4};
    static const struct {
        const char *driver;
        uint8_t toolkit;
        bool blocked;
    } cases[] = {{"470.256.02", 121, false}, {"470.256.02", 122, true},  {"460.106.00", 129, true},
                 {"450.248.02", 129, true},  {"450.248.02", 118, false}, {"418.226.00", 129, false},
                 {"525.147.05", 129, false}, {NULL, 129, false}};

    for (size_t i = 0; i < JW_COUNT(cases); i++)
        for (size_t k = 0; k < JW_COUNT(packings); k++) {
            struct jw_buf fat = GEN_BUF;

            add_code(&fat, 70, 7, cases[i].toolkit, packings[k]);
            struct jw_scan_report r =
                scan_for(tree_buf("toolkit.fatbin", &fat), 70, cases[i].driver);
            const struct jw_scan_verdict *v = &r.files[0].verdicts[0];

            CHECK_NUM(v->verdict, cases[i].blocked ? JW_VERDICT_BLOCKED : JW_VERDICT_NATIVE);
            CHECK_NUM(v->needs_driver, cases[i].blocked ? 525 : 0);
            CHECK_NUM(v->too_new[JW_NEED_TOOLKIT].version, cases[i].blocked ? cases[i].toolkit : 0);
        }
}

/* CUDA 12 writes version 1.8 for sm_100 and newer alone. */
TEST(machine_code_of_cuda_13_needs_its_driver)
{
    static const struct {
        const char *driver;
        uint16_t sm, minor;
        enum jw_verdict verdict;
        unsigned needs;
    } cases[] = {
        {"550.163.01", 90, 8, JW_VERDICT_BLOCKED, 580}, {"570.86", 90, 8, JW_VERDICT_BLOCKED, 580},
        {"580.95.05", 90, 8, JW_VERDICT_NATIVE, 580},   {NULL, 90, 8, JW_VERDICT_NATIVE, 580},
        {"550.163.01", 90, 7, JW_VERDICT_NATIVE, 0},    {"570.86", 100, 8, JW_VERDICT_NATIVE, 0}};

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_buf fat = GEN_BUF;

        add_code(&fat, cases[i].sm, cases[i].minor, 130, 0);
        struct jw_scan_report r =
            scan_for(tree_buf("code.fatbin", &fat), cases[i].sm, cases[i].driver);
        const struct jw_scan_verdict *v = &r.files[0].verdicts[0];

        CHECK_NUM(v->verdict, cases[i].verdict);
        CHECK_NUM(v->needs_driver, cases[i].needs);
    }
}

/* Only the PTX would be compiled. */
TEST(each_kind_that_is_too_new_is_known)
{
    struct jw_buf fat = GEN_BUF;

    for (unsigned i = 0; i < 3; i++)
        add_code(&fat, 90, 8, 130, 0);
    add_ptx(&fat, 1, 9, 0, 90, 0);
    struct jw_scan_report r = scan_for(tree_buf("both.fatbin", &fat), 90, "550.163.01");
    const struct jw_scan_verdict *v = &r.files[0].verdicts[0];

    CHECK_NUM(OF(v, BLOCKED), 4);
    CHECK_NUM(v->too_new[JW_NEED_CUDA_13].branch, 580);
    CHECK_NUM(v->too_new[JW_NEED_ISA].version, 90);
    CHECK(!v->too_new[JW_NEED_PACKING].branch && !v->too_new[JW_NEED_TOOLKIT].branch);
    CHECK_NUM(v->needs_driver, 580);
}
