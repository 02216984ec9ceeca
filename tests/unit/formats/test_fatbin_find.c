/* Where containers are: gaps, other bytes between them, nesting, wrappers. */
#include "base/limits.h"
#include "formats/fatbin.h"
#include "gen/sources.h"
#include "scanned.h"

struct found {
    struct jw_arena arena;
    struct jw_fats fats;
    struct jw_problems problems;
    struct jw_err err;
    bool ok;
};

static void walk(struct found *f, const struct jw_source *src, struct jw_range range)
{
    *f = (struct found){0};
    f->fats.arena = f->problems.arena = &f->arena;
    f->ok = jw_fat_walk(&f->fats, src, range, &f->problems, &f->err);
}

static void found_free(struct found *f)
{
    jw_fats_free(&f->fats);
    jw_arena_free(&f->arena);
}

/* Containers with `gap` bytes of `value` between them. */
static size_t found_with_gap(size_t gap, uint8_t value, bool among_data, size_t *problems)
{
    FREED(jw_buf) b = GEN_BUF;
    struct found f;

    for (unsigned i = 0; i < 3; i++) {
        gen_fat(&b, "P75 E86");
        if (i < 2)
            jw_buf_fill(&b, value, gap);
    }
    struct jw_source src = jw_source_memory(&(struct jw_bytes){b.p, b.n});
    walk(&f, &src, (struct jw_range){.end = b.n, .role = JW_ROLE_LAZY, .among_data = among_data});
    size_t n = f.fats.n;

    CHECK(f.ok);
    for (size_t i = 0; i < n; i++)
        CHECK(f.fats.list[i].role == JW_ROLE_LAZY);
    *problems = f.problems.n;
    found_free(&f);
    return n;
}

TEST(gaps_of_zeros)
{
    static const size_t gaps[] = {0,   1,   4,    7,    8,    15,    16,    24,    100,
                                  255, 256, 4095, 4096, 4097, 65535, 65536, 70000, 200000};
    size_t problems;

    for (size_t i = 0; i < JW_COUNT(gaps); i++) {
        CHECK_NUM(found_with_gap(gaps[i], 0, false, &problems), 3);
        CHECK_NUM(problems, 0);
        CHECK_NUM(found_with_gap(gaps[i], 0, true, &problems), 3);
    }
}

TEST(gaps_of_other_bytes)
{
    static const size_t gaps[] = {1, 3, 8, 13, 1000, 60000};
    size_t problems;

    for (size_t i = 0; i < JW_COUNT(gaps); i++) {
        CHECK_NUM(found_with_gap(gaps[i], 'x', false, &problems), 3);
        CHECK_NUM(problems, 0);
        CHECK_NUM(found_with_gap(gaps[i], 'x', true, &problems), 3);
    }
    CHECK_NUM(found_with_gap(3 << 20, 'x', false, &problems), 3);
    CHECK_NUM(found_with_gap(17 << 20, 'x', true, &problems), 3);
}

#define TEST_FOUND(id) TEST_WITH(id, struct found, f, (void), found_free)

TEST(a_magic_across_two_chunks_is_found)
{
    static const size_t pages[] = {4096, 8192, 12288, 28672, 61440, 65536, 126976};

    for (size_t i = 0; i < JW_COUNT(pages) * 11; i++) {
        size_t at = pages[i / 11] - 9 + i % 11;
        FREED(jw_buf) b = GEN_BUF;
        struct found f;

        jw_buf_fill(&b, 'x', at);
        gen_fat(&b, "P75");
        struct jw_source src = jw_source_memory(&(struct jw_bytes){b.p, b.n});
        walk(&f, &src, (struct jw_range){.end = b.n});
        CHECK(f.ok && f.fats.n == 1 && f.fats.list[0].at == at);
        found_free(&f);
    }
}

TEST_FOUND(a_search_among_data_finds_all_and_nothing_else)
{
    FREED(jw_buf) b = GEN_BUF;
    size_t at[3];

    f->fats.arena = &f->arena;
    jw_buf_fill(&b, 'c', 1001);
    jw_buf_add(&b, JW_FAT_MAGIC_BYTES, 8); /* code that compares with the constant */
    jw_buf_text(&b, "\xff\xff\xff\xff\xff\xff\xff\xff and so on");
    for (size_t i = 0; i < 3; i++) {
        jw_buf_fill(&b, 'd', 100000 * i + 3);
        at[i] = b.n;
        gen_fat(&b, "P75:s E120a");
    }
    jw_buf_add(&b, JW_FAT_MAGIC_BYTES, 8);
    struct jw_source src = jw_source_memory(&(struct jw_bytes){b.p, b.n});
    CHECK(jw_fat_walk(&f->fats, &src, (struct jw_range){.end = b.n, .among_data = true}, NULL,
                      &f->err));
    CHECK_NUM(f->fats.n, 3);
    for (size_t i = 0; i < 3 && i < f->fats.n; i++)
        CHECK_NUM(f->fats.list[i].at, at[i]);
}

TEST_FOUND(a_container_behind_four_bytes_of_another_is_found)
{
    FREED(jw_buf) b = GEN_BUF;
    size_t at;

    gen_fat(&b, "P75");
    jw_buf_add(&b, JW_FAT_MAGIC_BYTES, 4);
    at = b.n;
    gen_fat(&b, "P80");
    struct jw_source src = jw_source_memory(&(struct jw_bytes){b.p, b.n});
    walk(f, &src, (struct jw_range){.end = b.n, .among_data = true});
    CHECK_NUM(f->fats.n, 2);
    CHECK(f->fats.n == 2 && f->fats.list[1].at == at);
}

TEST(wrappers_label_containers_in_any_order)
{
    FREED(jw_buf) fat = GEN_BUF, wrappers = GEN_BUF;
    FREED(scanned) s = {.buf = GEN_BUF};
    uint64_t at[3];

    for (size_t i = 0; i < 3; i++) {
        at[i] = fat.n;
        gen_fat(&fat, "P75");
    }
    const uint64_t order[] = {at[2], at[0], 12345, UINT64_MAX};
    gen_wrappers(&wrappers, 1, 0x700000, order, 1);
    gen_wrappers(&wrappers, 2, 0x700000, order + 1, 1);
    gen_wrappers(&wrappers, 1, 0x700000, order + 2, 2); /* to nowhere */
    gen_wrappers(&wrappers, 3, 0x700000, at + 1, 1);    /* no version that there is */
    jw_buf_text(&wrappers, "a rest");
    const struct gen_section sections[] = {
        {.name = ".nv_fatbin", .data = jw_buf_bytes(&fat), .addr = 0x700000},
        {.name = ".nvFatBinSegment", .data = jw_buf_bytes(&wrappers), .addr = 0x800000},
    };
    (void)gen_elf(&s.buf, (struct gen_elf){0}, sections, 2);
    scan_it(&s, "x.so", false);
    CHECK(s.ok && s.image.fats.n == 3);
    if (s.image.fats.n == 3) {
        CHECK_NUM(s.image.fats.list[0].wrapper, 2);
        CHECK_NUM(s.image.fats.list[1].wrapper, 0);
        CHECK_NUM(s.image.fats.list[2].wrapper, 1);
    }
}

static void relocation(struct jw_buf *out, uint64_t place, uint64_t kind, uint64_t addr)
{
    gen_put64(out, place);
    gen_put64(out, kind);
    gen_put64(out, addr);
}

/* In a program that may be loaded anywhere the records' addresses are zero, and relocations have
 * them: of a hostile one no more than three for each record are read. */
static void check_relocations(bool hostile)
{
    enum { CODE = 0x700000, SEGMENT = 0x800000, RELATIVE = 8, SYMBOL = 1 };
    FREED(jw_buf) fat = GEN_BUF, wrappers = GEN_BUF, rela = GEN_BUF;
    FREED(scanned) s = {.buf = GEN_BUF};
    const uint64_t zero = 0;
    uint64_t at[3];

    for (size_t i = 0; i < 3; i++) {
        at[i] = fat.n;
        gen_fat(&fat, "P75");
    }
    gen_wrappers(&wrappers, 2, 0, &zero, 1);
    gen_wrappers(&wrappers, 1, 0, &zero, 1);
    gen_wrappers(&wrappers, 1, 0, &zero, 1);
    for (uint64_t i = 0; i < 100; i++)
        relocation(&rela, 0x1000 + 8 * i, RELATIVE, CODE);
    relocation(&rela, SEGMENT + 8, RELATIVE, CODE + at[1]);
    relocation(&rela, SEGMENT + 16, RELATIVE, CODE + at[0]); /* its list of inputs */
    relocation(&rela, SEGMENT + 24 + 8, RELATIVE, CODE + at[2]);
    relocation(&rela, SEGMENT + 48 + 8, SYMBOL, CODE + at[0]);
    for (unsigned i = 0; hostile && i < 5; i++)
        relocation(&rela, SEGMENT + 48 + 16, RELATIVE, 0);
    relocation(&rela, SEGMENT + (hostile ? 48 : 72) + 8, RELATIVE,
               CODE + at[0]); /* or behind the segment */
    const struct gen_section sections[] = {
        {.name = ".rela.dyn", .data = jw_buf_bytes(&rela), .addr = 0x600000},
        {.name = ".nv_fatbin", .data = jw_buf_bytes(&fat), .addr = CODE},
        {.name = ".nvFatBinSegment", .data = jw_buf_bytes(&wrappers), .addr = SEGMENT},
    };
    (void)gen_elf(&s.buf, (struct gen_elf){0}, sections, 3);
    scan_it(&s, "x.so", false);
    CHECK(s.ok && s.image.fats.n == 3);
    if (s.image.fats.n == 3) {
        CHECK_NUM(s.image.fats.list[0].wrapper, 0);
        CHECK_NUM(s.image.fats.list[1].wrapper, 2);
        CHECK_NUM(s.image.fats.list[2].wrapper, 1);
    }
}

TEST(relocations_label_containers)
{
    check_relocations(false);
    check_relocations(true);
}

TEST(lld_leaves_wrappers_empty_and_the_containers_are_found_all_the_same)
{
    FREED(jw_buf) fat = GEN_BUF;
    FREED(scanned) s = {.buf = GEN_BUF};

    gen_fat(&fat, "P75 E86");
    gen_fat(&fat, "P80");
    (void)gen_library(&s.buf, jw_buf_bytes(&fat), false);
    scan_it(&s, "x.so", false);
    CHECK(s.ok && s.image.fats.n == 2 && s.image.problems.n == 0);
    CHECK(s.image.fats.list[0].wrapper == 0 && s.image.fats.list[0].role == JW_ROLE_CODE);
}

/* Terabytes where nothing tells how far a search must go: it ends, and what is behind is not
 * known. */
TEST(a_search_without_a_landmark_ends)
{
    FREED(jw_buf) b = GEN_BUF;
    FREED(jw_image) image;

    gen_fat(&b, "P75 E86");
    jw_buf_add(&b, "\1", 1); /* no zeros: something else stands behind the container */
    struct gen_sparse sparse = {.size = (uint64_t)8 << 40, .n = 1};
    sparse.piece[0].data = jw_buf_bytes(&b);
    struct jw_source src = gen_source(&sparse);

    CHECK(jw_image_scan(&src, "x.fatbin", false, &image, &err));
    CHECK(image.fats.n == 1 && image.fats.searched >= JW_MAX_FAT_SEARCH
          && sparse.bytes <= JW_MAX_FAT_SEARCH + (1 << 20));
    CHECK_NUM(image.problems.n, 1);
    CHECK_HAS(image.problems.n ? image.problems.text[0] : "",
              "the search for code stopped after 4 GiB");
}
