/* Which libraries count as one compiler, asked of a made library: its place of each kind is changed
 * by one byte. */
#include "check.h"
#include "driver/worker/compiler_code.h"
#include "os/files/file.h"
#include "rigs/scratch.h"

/* Where things are in the file. Addresses in memory are the same, from WRITABLE on + MOVED. */
enum {
    PHDR = 64,
    PHDRS = 4,
    NOTE = 320,
    BUILD_ID = NOTE + 16,
    TEXT = 400,       /* instructions */
    TABLE = 500,      /* of .rodata */
    DATE = 600,       /* "Oct 25 2024" */
    TIME = 620,       /* "15:40:49" */
    TAIL = DATE + 10, /* "4" */
    OTHER = 640,      /* "4", too */
    WORD = 650,       /* a text that ends no date */
    RELAS = 700,
    WRITABLE = 1024,
    POINTER = WRITABLE,
    DYNAMIC = WRITABLE + 64,
    SIZE = 1280,
    MOVED = 0x2000
};

enum { LOAD = 1, DYNAMIC_ROW = 2, NOTE_ROW = 4 };

struct library {
    uint8_t bytes[SIZE];
};

static void segment(struct library *l, unsigned at, uint32_t type, uint32_t flags, uint64_t from,
                    uint64_t addr, uint64_t size)
{
    uint8_t *row = l->bytes + PHDR + at * 56;

    jw_put32(row, type);
    jw_put32(row + 4, flags);
    jw_put64(row + 8, from);
    jw_put64(row + 16, addr);
    jw_put64(row + 24, addr);
    jw_put64(row + 32, size);
    jw_put64(row + 40, size);
}

static void point_to(struct library *l, uint64_t target)
{
    jw_put64(l->bytes + RELAS, POINTER + MOVED);
    jw_put64(l->bytes + RELAS + 8, 8); /* R_X86_64_RELATIVE */
    jw_put64(l->bytes + RELAS + 16, target);
    jw_put64(l->bytes + POINTER, target);
}

static void dynamic_row(struct library *l, unsigned at, uint64_t tag, uint64_t value)
{
    jw_put64(l->bytes + DYNAMIC + at * 16, tag);
    jw_put64(l->bytes + DYNAMIC + at * 16 + 8, value);
}

static void make(struct library *l)
{
    static const uint8_t head[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    static const char note[] = "\4\0\0\0\5\0\0\0\3\0\0\0GNU\0\xde\xad\xbe\xef\x01\0\0";

    *l = (struct library){0};
    memcpy(l->bytes, head, sizeof head);
    jw_put16(l->bytes + 16, 3); /* ET_DYN */
    jw_put16(l->bytes + 18, 62);
    jw_put64(l->bytes + 32, PHDR);
    jw_put16(l->bytes + 54, 56);
    jw_put16(l->bytes + 56, PHDRS);
    segment(l, 0, LOAD, 5, 0, 0, WRITABLE);
    segment(l, 1, LOAD, 6, WRITABLE, WRITABLE + MOVED, SIZE - WRITABLE);
    segment(l, 2, DYNAMIC_ROW, 6, DYNAMIC, DYNAMIC + MOVED, 4 * 16);
    segment(l, 3, NOTE_ROW, 4, NOTE, NOTE, sizeof note - 1);
    memcpy(l->bytes + NOTE, note, sizeof note - 1);
    memset(l->bytes + TEXT, 0x90, 64);
    memset(l->bytes + TABLE, 0x77, 64);
    memcpy(l->bytes + DATE, "Oct 25 2024", 12);
    memcpy(l->bytes + TIME, "15:40:49", 9);
    memcpy(l->bytes + OTHER, "4", 2);
    memcpy(l->bytes + WORD, "sm_90", 6);
    dynamic_row(l, 0, 7, RELAS);
    dynamic_row(l, 1, 8, 24);
    dynamic_row(l, 2, 9, 24);
    point_to(l, OTHER);
}

static void begin(struct library *l) { make(l); }

static void end(struct library *l) { (void)l; }

static bool code_of(const struct library *l, size_t size, uint8_t code[JW_DIGEST],
                    struct jw_err *err)
{
    FREED(jw_arena) a = {0};
    struct jw_bytes bytes = {l->bytes, size};
    struct jw_source src = jw_source_memory(&bytes);

    return jw_compiler_code(&src, &a, code, err);
}

/* Has the library the code of the one that `make` makes? */
static bool is_same(const struct library *l)
{
    struct library whole;
    uint8_t code[JW_DIGEST];
    uint8_t code_of_whole[JW_DIGEST];

    make(&whole);
    CHECK(code_of(&whole, SIZE, code_of_whole, JW_IGNORED));
    CHECK(code_of(l, SIZE, code, JW_IGNORED));
    return memcmp(code, code_of_whole, JW_DIGEST) == 0;
}

TEST_WITH(the_names_of_a_build_do_not_count, struct library, l, begin, end)
{
    memcpy(l->bytes + BUILD_ID, "\1\2\3\4\5", 5);
    CHECK(is_same(l));
    memcpy(l->bytes + DATE, "Sep  4 2025", 12);
    CHECK(is_same(l));
}

TEST_WITH(every_other_byte_counts, struct library, l, begin, end)
{
    static const size_t places[] = {
        TEXT,         TEXT + 63,   TABLE,     WORD,      OTHER,
        WRITABLE + 8, POINTER + 1, RELAS + 1, RELAS + 8, DATE - 1,
        TIME,         NOTE + 12,   SIZE - 1,  40 /* where the table of sections is */};

    for (size_t i = 0; i < JW_COUNT(places); i++) {
        make(l);
        l->bytes[places[i]] ^= 1;
        CHECK(!is_same(l));
    }
}

TEST_WITH(what_only_looks_like_a_date_counts, struct library, l, begin, end)
{
    static const char *const texts[] = {"Oct 25 1024", "oct 25 2024", "Oct 2x 2024", "Oct-25 2024",
                                        "Oct 25 202."};

    for (size_t i = 0; i < JW_COUNT(texts); i++) {
        make(l);
        memcpy(l->bytes + DATE, texts[i], 11);
        CHECK(!is_same(l));
    }
    make(l);
    l->bytes[DATE + 11] = 'x'; /* no NUL follows */
    CHECK(!is_same(l));
}

/* A linker may store the text "4" as the end of the date. */
TEST_WITH(of_a_pointer_to_the_end_of_a_date_the_text_counts, struct library, l, begin, end)
{
    point_to(l, TAIL);
    CHECK(is_same(l));
    memcpy(l->bytes + DATE, "Jun 14 2025", 12); /* the pointer now says "5" */
    CHECK(!is_same(l));
    make(l);
    point_to(l, TAIL - 1); /* "24" */
    CHECK(!is_same(l));
}

TEST_WITH(of_any_other_pointer_the_address_counts, struct library, l, begin, end)
{
    struct library twice = *l;

    memcpy(twice.bytes + WORD + 8, "sm_90", 6); /* the same text a second time */
    *l = twice;
    point_to(l, WORD);
    point_to(&twice, WORD + 8);
    uint8_t first[JW_DIGEST];
    uint8_t second[JW_DIGEST];

    CHECK(code_of(l, SIZE, first, &err) && code_of(&twice, SIZE, second, &err));
    CHECK(memcmp(first, second, JW_DIGEST) != 0);
}

/* A text that something may write to is no constant. */
TEST_WITH(a_pointer_to_writable_memory_counts_as_it_is, struct library, l, begin, end)
{
    memcpy(l->bytes + WRITABLE + 32, "4", 2);
    struct library other = *l;
    uint8_t first[JW_DIGEST];
    uint8_t second[JW_DIGEST];

    point_to(&other, WRITABLE + 32 + MOVED);
    CHECK(code_of(l, SIZE, first, &err) && code_of(&other, SIZE, second, &err));
    CHECK(memcmp(first, second, JW_DIGEST) != 0);
}

TEST_WITH(a_library_that_is_cut_off_has_none, struct library, l, begin, end)
{
    uint8_t code[JW_DIGEST];

    for (size_t size = 0; size < SIZE; size += 16)
        CHECK(!code_of(l, size, code, JW_IGNORED));
    CHECK_REFUSED(code_of(l, SIZE - 1, code, &err), err, "cut off");
}

TEST_WITH(a_library_that_is_not_understood_has_none, struct library, l, begin, end)
{
    static const struct {
        size_t at;
        uint8_t value;
    } cases[] = {
        {0, 0},                       /* no ELF file */
        {16, 2},                      /* a program */
        {18, 40},                     /* another processor */
        {54, 64},                     /* rows of another size */
        {56, 0},                      /* no rows */
        {PHDR + 56 + 17, 0},          /* segments that lie over each other */
        {PHDR + 41, 0},               /* less in memory than in the file */
        {PHDR + 2 * 56 + 18, 0xff},   /* the dynamic table is not loaded */
        {PHDR + 3 * 56, DYNAMIC_ROW}, /* two of them */
        {DYNAMIC + 8 + 2, 1},         /* relocations that are not loaded */
        {DYNAMIC + 2 * 16 + 8, 16},   /* of another size */
    };
    uint8_t code[JW_DIGEST];

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        make(l);
        l->bytes[cases[i].at] = cases[i].value;
        CHECK(!code_of(l, SIZE, code, JW_IGNORED));
    }
}

TEST_WITH(a_file_has_its_code_as_text, struct library, l, begin, end)
{
    FREED(jw_arena) a = {0};
    uint8_t code[JW_DIGEST];
    const char *path = scratch("compiler");

    CHECK_OK(code_of(l, SIZE, code, &err), err);
    CHECK_OK(jw_file_put(path, JW_OUT_REPLACE, (struct jw_bytes){l->bytes, SIZE}, &err), err);
    CHECK_TEXT(jw_compiler_code_of_file(path, &a), jw_digest_text(code).text);
    CHECK(!jw_compiler_code_of_file(scratch("nothing"), &a));
}
