/* The index of the driver's cache: order kept, and each kind of damage reported while the rest is
 * read. */
#include "cache/format/jitcache.h"
#include "check.h"

#include <stdlib.h>

/* Not sorted, for the order is the order of insertion. */
static const struct jw_cache_record records[] = {
    {0x5000000000000001, 1000}, {0x1000000000000002, 22}, {0xf000000000000003, 1 << 20}, {7, 333}};

enum { N = JW_COUNT(records), TOTAL = 1000 + 22 + (1 << 20) + 333, SIZE = 16 + 16 * N };

static struct jw_buf sample(void)
{
    struct jw_buf b = JW_BUF(1 << 20);
    FREED(jw_cache_index) index = {0};

    for (size_t i = 0; i < N; i++)
        CHECK(jw_cache_index_add(&index, records[i], JW_IGNORED));
    CHECK(jw_cache_index_write(&index, &b, JW_IGNORED));
    return b;
}

static bool read_exact(const struct jw_buf *b, struct jw_cache_index *out, struct jw_err *err)
{
    uint8_t *copy = malloc(b->n ? b->n : 1);

    if (b->n)
        memcpy(copy, b->p, b->n);
    bool whole = jw_cache_index_read((struct jw_bytes){copy, b->n}, out, err) == JW_INDEX_WHOLE;
    free(copy);
    return whole;
}

/* Refused with this sentence, and `n` records of `total` bytes were read all the same. Frees the
 * bytes. */
static void refused(struct jw_buf *b, enum jw_code code, const char *says, size_t n, uint64_t total)
{
    FREED(jw_cache_index) index;
    struct jw_err err = {0};

    CHECK_SAYS(read_exact(b, &index, &err), err, says);
    CHECK_NUM(err.code, code);
    CHECK_NUM(index.n, n);
    CHECK_NUM(index.total, total);
    jw_buf_free(b);
}

TEST(what_is_written_comes_back)
{
    FREED(jw_buf) b = sample(), again = JW_BUF(1 << 20);
    FREED(jw_cache_index) index;

    CHECK_NUM(b.n, SIZE);
    CHECK_NUM(jw_le32(b.p), 0x41);
    CHECK_NUM(jw_le32(b.p + 4), N);
    CHECK_NUM(jw_le64(b.p + 8), TOTAL);
    CHECK_NUM(jw_le64(b.p + 16), records[0].hash);
    CHECK_NUM(jw_le64(b.p + 24), records[0].size);
    CHECK(read_exact(&b, &index, &err) && index.n == N && index.total == TOTAL);
    for (size_t i = 0; i < index.n; i++)
        CHECK(index.list[i].hash == records[i].hash && index.list[i].size == records[i].size);
    CHECK(jw_cache_index_write(&index, &again, &err));
    CHECK(again.n == b.n && memcmp(again.p, b.p, b.n) == 0);
}

TEST(empty)
{
    FREED(jw_buf) b = JW_BUF(64);
    struct jw_cache_index index = {0};

    CHECK(jw_cache_index_write(&index, &b, &err) && b.n == 16);
    CHECK(read_exact(&b, &index, &err) && index.n == 0 && index.total == 0 && !index.list);
    jw_cache_index_free(&index);
    jw_cache_index_free(&index);
}

TEST(a_hash_that_is_there_keeps_its_place)
{
    FREED(jw_cache_index) index = {0};

    for (size_t i = 0; i < N; i++)
        CHECK(jw_cache_index_add(&index, records[i], &err));
    CHECK(jw_cache_index_add(&index, (struct jw_cache_record){records[1].hash, 100}, &err));
    CHECK(index.n == N && index.list[1].size == 100 && index.total == TOTAL + 78);
    CHECK_SAYS(jw_cache_index_add(&index, (struct jw_cache_record){9, 1ULL << 40}, &err), err,
               "a record of 1099511627776 bytes, expected at most 1074790400");
    CHECK_NUM(index.n, N);
}

TEST(cut_off_in_the_header)
{
    struct jw_buf b = sample();

    b.n = 15;
    refused(&b, JW_E_FORMAT, "it has 15 bytes and format 0x41, expected a header of 16 and 0x41", 0,
            0);
}

TEST(wrong_format)
{
    struct jw_buf b = sample();

    b.p[0] = 0x42;
    refused(&b, JW_E_FORMAT, "it has 80 bytes and format 0x42, expected a header of 16 and 0x41", 0,
            0);
}

TEST(count_larger_than_the_file)
{
    struct jw_buf b = sample();

    b.p[4] = N + 1;
    refused(&b, JW_E_FORMAT, "it has 80 bytes, expected 96 (5 records)", N, TOTAL);
    b = sample();
    jw_put32(b.p + 4, 4 << 20);
    refused(&b, JW_E_FORMAT, "it has 80 bytes, expected 67108880 (4194304 records)", N, TOTAL);
}

TEST(count_smaller_than_the_file)
{
    struct jw_buf b = sample();

    b.p[4] = N - 1;
    refused(&b, JW_E_FORMAT, "1049931 bytes in all (0x8), expected 1049598, the sum of its records",
            N - 1, TOTAL - 333);
}

TEST(wrong_sum)
{
    struct jw_buf b = sample();

    jw_put64(b.p + 8, TOTAL + 1);
    refused(&b, JW_E_FORMAT, "1049932 bytes in all (0x8), expected 1049931, the sum of its records",
            N, TOTAL);
}

TEST(repeated_hashes)
{
    struct jw_buf b = sample();

    memcpy(b.p + 16 + 16 * 2, b.p + 16, 8);
    memcpy(b.p + 16 + 16 * 3, b.p + 16, 8);
    refused(&b, JW_E_FORMAT, "record at 0x30 repeats a hash (5000000000000001)", 2, 1022);
}

TEST(absurd_record)
{
    struct jw_buf b = sample();

    jw_put64(b.p + 16 + 16 + 8, 1ULL << 40);
    refused(&b, JW_E_LIMIT, "record at 0x20 of 1099511627776 bytes, expected at most 1074790400",
            N - 1, TOTAL - 22);
    b = sample();
    for (size_t i = 0; i < N; i++)
        jw_put64(b.p + 16 + 16 * i + 8, UINT64_MAX);
    refused(&b, JW_E_LIMIT,
            "record at 0x10 of 18446744073709551615 bytes, expected at most 1074790400", 0, 0);
}

/* Several at once: the first in the order of reading is reported. */
TEST(the_first_damage_is_told)
{
    struct jw_buf b = sample();

    b.n--;
    jw_put64(b.p + 16 + 16 + 8, 1ULL << 40);
    memcpy(b.p + 16 + 16 * 2, b.p + 16, 8);
    refused(&b, JW_E_FORMAT, "it has 79 bytes, expected 80 (4 records)", 1, 1000);
}

/* What was appended and not counted is behind it; what was counted and is not there is no end. */
TEST(where_the_counted_ones_end)
{
    static const struct {
        uint32_t counted;
        size_t bytes, end;
        enum jw_index_trouble trouble;
    } cases[] = {{N, SIZE, SIZE, JW_INDEX_WHOLE},
                 {N, SIZE + 21, SIZE, JW_INDEX_WHOLE},
                 {N, SIZE - 1, 0, JW_INDEX_HIDES},
                 {N, 15, 0, JW_INDEX_LOST},
                 {UINT32_MAX, SIZE + 21, 0, JW_INDEX_HIDES},
                 {0, SIZE, 16, JW_INDEX_MISCOUNTS},
                 {N, 0, 0, JW_INDEX_NONE}};

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        FREED(jw_buf) b = sample();
        FREED(jw_cache_index) index;

        jw_buf_fill(&b, 0xff, 21);
        jw_put32(b.p + 4, cases[i].counted);
        CHECK_NUM(jw_cache_index_read((struct jw_bytes){b.p, cases[i].bytes}, &index, JW_IGNORED),
                  cases[i].trouble);
        CHECK_NUM(index.end, cases[i].end);
    }
}

TEST(no_room)
{
    FREED(jw_cache_index) index = {0};
    FREED(jw_buf) small = JW_BUF(20);

    CHECK(jw_cache_index_add(&index, records[0], &err));
    CHECK(!jw_cache_index_write(&index, &small, &err) && err.code == JW_E_LIMIT);
}
