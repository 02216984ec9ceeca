/* Entries of the driver's cache: what is written comes back, and each kind of damage has its own
 * sentence. */
#include "cache/format/jitcache.h"
#include "check.h"
#include "rigs/cache_entry.h"

#include <stdlib.h>

#define KEY "Jan  7 202622:51:46HOST64sm_86.version 8.4\n.target sm_86\n\0\0 "

enum { KEY_N = sizeof KEY - 1, ELF_N = 64, AT_PAYLOAD = JW_CACHE_HEADER + KEY_N };

struct sample {
    struct jw_buf file;
    uint64_t name;
};

static struct sample sample_of(struct jw_bytes payload)
{
    struct sample s = {.file = JW_BUF(1 << 24)};

    CHECK(cache_entry_write(&s.file, JW_BYTES(KEY), payload, &s.name, JW_IGNORED));
    return s;
}

static struct sample sample(void)
{
    uint8_t elf[ELF_N] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 'A', [18] = 190};

    return sample_of((struct jw_bytes){elf, sizeof elf});
}

/* The file changed after the fact, with a checksum that holds again. */
static void seal(struct sample *s)
{
    jw_put64(s->file.p + 20,
             jw_fnv1a(JW_FNV_START, s->file.p + AT_PAYLOAD, s->file.n - AT_PAYLOAD));
}

static bool check_bytes(struct jw_bytes bytes, uint64_t name, struct jw_cache_entry *e,
                        struct jw_err *err)
{
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_cache_checked list[3];
    struct jw_err why = {0};
    bool ok = jw_cache_entry_check(&src, name, e, err);
    size_t bad;

    /* In memory it is the same answer, with the same sentence, for each of several. */
    for (size_t n = 1; n <= 3; n++) {
        for (size_t i = 0; i < n; i++)
            list[i] = (struct jw_cache_checked){.file = bytes, .name = name};
        why = (struct jw_err){0};
        CHECK(jw_cache_entries_check(list, n, &bad, &why) == ok);
        CHECK_NUM(bad, ok ? n : 0);
        CHECK_TEXT(why.msg, ok ? "" : err->msg);
    }
    return ok;
}

/* Refused with this code and sentence; the sample is freed. */
static void refused(struct sample *s, enum jw_code code, const char *says)
{
    struct jw_cache_entry e;
    struct jw_err err = {0};

    CHECK_SAYS(check_bytes(jw_buf_bytes(&s->file), s->name, &e, &err), err, says);
    CHECK_NUM(err.code, code);
    jw_buf_free(&s->file);
}

TEST(fnv_is_the_published_one)
{
    CHECK_NUM(jw_fnv1a(JW_FNV_START, "", 0), 0xcbf29ce484222325);
    CHECK_NUM(jw_fnv1a(JW_FNV_START, "a", 1), 0xaf63dc4c8601ec8c);
    CHECK_NUM(jw_fnv1a(JW_FNV_START, "foobar", 6), 0x85944171f73967e8);
    CHECK_NUM(jw_fnv1a(jw_fnv1a(JW_FNV_START, "foo", 3), "bar", 3), 0x85944171f73967e8);
}

TEST(names_go_both_ways)
{
    uint64_t hash = 1;

    CHECK_TEXT(jw_cache_name(0x423e06b9e6ec62aa).text, "4/2/3e06b9e6ec62aa");
    CHECK_TEXT(jw_cache_name(0).text, "0/0/00000000000000");
    CHECK_TEXT(jw_cache_name(UINT64_MAX).text, "f/f/ffffffffffffff");
    CHECK(jw_cache_name_parse("4", "2", "3e06b9e6ec62aa", &hash) && hash == 0x423e06b9e6ec62aa);
    CHECK(jw_cache_name_parse("0", "a", "00000000000000", &hash) && hash == 0x0a00000000000000);
}

TEST(names_are_strict)
{
    static const char *const wrong[][3] = {
        {"", "2", "3e06b9e6ec62aa"},
        {"42", "2", "3e06b9e6ec62aa"},
        {"A", "2", "3e06b9e6ec62aa"},
        {"4", "", "3e06b9e6ec62aa"},
        {"4", "g", "3e06b9e6ec62aa"},
        {"4", "2", ""},
        {"4", "2", "3e06b9e6ec62a"},
        {"4", "2", "3e06b9e6ec62aaa"},
        {"4", "2", "3E06b9e6ec62aa"},
        {"4", "2", "3e06b9e6ec62a/"},
        {"4", "2", "../../../../index"},
        {"4", "2", "3e06b9e6ec62aa~"},
        {"4", "2", " 3e06b9e6ec62a"},
        {"\xff", "2", "3e06b9e6ec62aa"},
        {"4", "2", "index"},
    };

    for (size_t i = 0; i < JW_COUNT(wrong); i++) {
        uint64_t hash = 7;

        CHECK(!jw_cache_name_parse(wrong[i][0], wrong[i][1], wrong[i][2], &hash));
    }
}

TEST(what_is_written_is_sound)
{
    struct sample s = sample();
    struct jw_cache_entry e;

    CHECK_NUM(s.file.n, AT_PAYLOAD + ELF_N);
    CHECK_NUM(jw_le32(s.file.p), 0x41);
    CHECK_NUM(jw_le64(s.file.p + 4), KEY_N);
    CHECK_NUM(jw_le64(s.file.p + 12), ELF_N);
    CHECK(memcmp(s.file.p + 28, KEY, KEY_N) == 0);
    CHECK_NUM(s.name, jw_fnv1a(JW_FNV_START, KEY, KEY_N));
    CHECK(jw_cache_entry_read(jw_buf_bytes(&s.file), s.file.n, &e, &err));
    CHECK(jw_cache_entry_read((struct jw_bytes){s.file.p, 28}, s.file.n, &e, &err));
    CHECK(check_bytes(jw_buf_bytes(&s.file), s.name, &e, &err));
    CHECK_NUM(e.key_size, KEY_N);
    CHECK_NUM(e.payload_size, ELF_N);
    CHECK_NUM(e.payload_hash, jw_le64(s.file.p + 20));
    CHECK_NUM(err.code, JW_OK);
    jw_buf_free(&s.file);
}

TEST(ptx_is_a_payload_too)
{
    struct sample s = sample_of(JW_BYTES("//\n// two stages\n//\n\n.version 9.0\n.target sm_89\n"));
    struct jw_cache_entry e;

    CHECK(check_bytes(jw_buf_bytes(&s.file), s.name, &e, &err));
    jw_buf_free(&s.file);
}

TEST(the_smallest_and_the_streamed)
{
    static const size_t sizes[] = {20, 65535, 65536, 65537, 200001};

    for (size_t i = 0; i < JW_COUNT(sizes); i++) {
        uint8_t *elf = calloc(1, sizes[i]);
        struct jw_cache_entry e;

        err = (struct jw_err){0};
        memcpy(elf, "\177ELF", 4);
        elf[18] = 190;
        elf[sizes[i] - 1] |= 1;
        if (sizes[i] == 20)
            elf[19] = 0;
        struct sample s = sample_of((struct jw_bytes){elf, sizes[i]});
        CHECK(check_bytes(jw_buf_bytes(&s.file), s.name, &e, &err));
        s.file.p[s.file.n - 1] ^= 0x80;
        CHECK_REFUSED(check_bytes(jw_buf_bytes(&s.file), s.name, &e, &err), err, "payload at 0x");
        jw_buf_free(&s.file);
        free(elf);
    }
}

TEST(cut_off_or_longer)
{
    static const struct {
        size_t at;
        const char *says;
    } cuts[] = {
        {0, "it has 0 bytes, expected a header of 28"},
        {10, "it has 10 bytes, expected a header of 28"},
        {27, "it has 27 bytes, expected a header of 28"},
        {28, "it has 28 bytes, expected 152 (key 60, payload 64)"},
        {AT_PAYLOAD + ELF_N - 1, "it has 151 bytes, expected 152 (key 60, payload 64)"},
        {AT_PAYLOAD + ELF_N + 1, "it has 153 bytes, expected 152 (key 60, payload 64)"},
    };

    for (size_t i = 0; i < JW_COUNT(cuts); i++) {
        struct sample s = sample();

        jw_buf_fill(&s.file, 0, 1);
        s.file.n = cuts[i].at;
        refused(&s, JW_E_FORMAT, cuts[i].says);
    }
}

TEST(wrong_format)
{
    struct sample s = sample();

    s.file.p[0] = 0x42;
    refused(&s, JW_E_FORMAT, "format 0x42 at 0x0, expected 0x41");
    s = sample();
    s.file.p[3] = 1;
    refused(&s, JW_E_FORMAT, "format 0x1000041 at 0x0, expected 0x41");
}

TEST(absurd_sizes)
{
    static const struct {
        unsigned at;
        uint64_t n;
        enum jw_code code;
        const char *says;
    } rows[] = {
        {4, 0, JW_E_FORMAT, "empty key (0x4), expected at least 1 byte"},
        {12, 0, JW_E_FORMAT, "empty payload (0xc), expected at least 1 byte"},
        {4, 1ULL << 40, JW_E_LIMIT, "key of 1099511627776 bytes (0x4), expected at most 537919488"},
        {12, 1ULL << 40, JW_E_LIMIT,
         "payload of 1099511627776 bytes (0xc), expected at most 536870912"},
        {4, UINT64_MAX, JW_E_LIMIT,
         "key of 18446744073709551615 bytes (0x4), expected at most 537919488"},
        {12, (512 << 20) + 1, JW_E_LIMIT,
         "payload of 536870913 bytes (0xc), expected at most 536870912"},
        {4, 513 << 20, JW_E_FORMAT,
         "it has 152 bytes, expected 537919580 (key 537919488, payload 64)"},
        {12, 512 << 20, JW_E_FORMAT,
         "it has 152 bytes, expected 536871000 (key 60, payload 536870912)"},
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        struct sample s = sample();

        jw_put64(s.file.p + rows[i].at, rows[i].n);
        refused(&s, rows[i].code, rows[i].says);
    }
}

/* The sum is right, so only the key's hash can tell. */
TEST(sizes_changed_places)
{
    struct sample s = sample();
    char says[160];

    jw_put64(s.file.p + 4, ELF_N);
    jw_put64(s.file.p + 12, KEY_N);
    (void)snprintf(says, sizeof says, "key at 0x1c hashes to %016llx, expected its name %016llx",
                   (unsigned long long)jw_fnv1a(JW_FNV_START, s.file.p + 28, ELF_N),
                   (unsigned long long)s.name);
    refused(&s, JW_E_FORMAT, says);
}

TEST(wrong_payload_hash)
{
    struct sample s = sample();
    uint64_t is = jw_le64(s.file.p + 20);
    char says[160];

    s.file.p[20] ^= 1;
    (void)snprintf(says, sizeof says, "payload at 0x58 hashes to %016llx, expected %016llx (0x14)",
                   (unsigned long long)is, (unsigned long long)is ^ 1);
    refused(&s, JW_E_FORMAT, says);
}

TEST(foreign_payloads)
{
    struct sample s = sample();

    s.file.p[AT_PAYLOAD] = 'x';
    seal(&s);
    refused(&s, JW_E_FORMAT, "unknown payload at 0x58, expected an ELF or PTX text");
    s = sample_of(JW_BYTES("not PTX .version 8.4"));
    refused(&s, JW_E_FORMAT, "unknown payload at 0x58, expected an ELF or PTX text");
    s = sample_of(JW_BYTES("\177ELF\2\1\1"));
    refused(&s, JW_E_FORMAT, "ELF at 0x58 ends after 7 bytes, expected at least 20");
    s = sample();
    s.file.p[AT_PAYLOAD + 18] = 62;
    seal(&s);
    refused(&s, JW_E_FORMAT, "ELF for machine 62 (0x6a), expected 190, CUDA");
}

/* Torn in the middle: the size is right, the rest is zeros. */
TEST(torn_at_every_byte)
{
    struct sample whole = sample();
    unsigned missed = 0;

    for (size_t at = 0; at < whole.file.n; at++) {
        struct sample s = sample();
        struct jw_cache_entry e;

        err = (struct jw_err){0};
        if (s.file.p[at] != 0) {
            memset(s.file.p + at, 0, s.file.n - at);
            missed += check_bytes(jw_buf_bytes(&s.file), s.name, &e, &err);
        }
        jw_buf_free(&s.file);
    }
    CHECK_NUM(missed, 0);
    jw_buf_free(&whole.file);
}

TEST(every_flipped_bit_is_seen)
{
    struct sample s = sample();
    unsigned missed = 0;

    for (size_t bit = 0; bit < s.file.n * 8; bit++) {
        struct jw_cache_entry e;

        err = (struct jw_err){0};
        s.file.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        missed += check_bytes(jw_buf_bytes(&s.file), s.name, &e, &err);
        s.file.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CHECK_NUM(missed, 0);
    jw_buf_free(&s.file);
}

static bool pull_fails_late(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    const struct sample *s = ctx;

    if (at + n > 40)
        return jw_fail(err, JW_E_IO, "the file shrank while it was read");
    memcpy(dst, s->file.p + at, n);
    return true;
}

TEST(a_read_that_fails)
{
    struct sample s = sample();
    struct jw_source src = {.size = s.file.n, .pull = pull_fails_late, .ctx = &s};
    struct jw_cache_entry e;

    CHECK(!jw_cache_entry_check(&src, s.name, &e, &err) && err.code == JW_E_IO);
    CHECK_TEXT(err.msg, "the file shrank while it was read");
    CHECK_NUM(e.key_size, KEY_N); /* what the header said is reported all the same */
    jw_buf_free(&s.file);
}

TEST(a_head_that_is_too_short)
{
    struct sample s = sample();
    struct jw_cache_entry e;

    CHECK(!jw_cache_entry_read((struct jw_bytes){s.file.p, 27}, s.file.n, &e, &err));
    CHECK_REFUSED(jw_cache_entry_read((struct jw_bytes){NULL, 0}, s.file.n, &e, &err), err,
                  "it has 0 bytes");
    jw_buf_free(&s.file);
}

/* Whatever their lengths are, and wherever the damaged one is. */
TEST(several_at_once)
{
    enum { MAX = 9 };
    static const size_t lengths[MAX] = {700, 20, 21, 5000, 20, 333, 64, 65, 1200};
    static uint8_t elf[5000] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 'A', [18] = 190};
    struct jw_cache_checked list[MAX];
    struct sample s[MAX];
    size_t bad;

    for (size_t i = 20; i < sizeof elf; i++)
        elf[i] = (uint8_t)(i * 7);
    for (size_t i = 0; i < MAX; i++) {
        s[i] = sample_of((struct jw_bytes){elf, lengths[i]});
        list[i] = (struct jw_cache_checked){.file = jw_buf_bytes(&s[i].file), .name = s[i].name};
    }
    for (size_t n = 0; n <= MAX; n++) {
        CHECK(jw_cache_entries_check(list, n, &bad, &err));
        for (size_t i = 0; i < n; i++)
            CHECK_NUM(list[i].entry.payload_size, lengths[i]);
        for (size_t i = 0; i < n; i++) {
            s[i].file.p[s[i].file.n - 1] ^= 1;
            CHECK(!jw_cache_entries_check(list, n, &bad, &err));
            CHECK_NUM(bad, i);
            s[i].file.p[s[i].file.n - 1] ^= 1;
        }
    }
    for (size_t i = 0; i < MAX; i++)
        jw_buf_free(&s[i].file);
}
