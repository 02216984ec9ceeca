#include "check.h"
#include "cli/table.h"

#include "base/buf.h"
#include "base/compiler.h"
#include "base/text.h"

static const struct jw_column columns[] = {
    { "FILE", COLUMN_PATH },
    { "SIZE", COLUMN_RIGHT },
    { "VERDICT", COLUMN_LEFT },
};

static const char hangul[] =
    "/opt/\xed\x95\x9c\xea\xb5\xad/\xec\x8b\xa4\xed\x97\x98/libggml-cuda.so"; /* 32 columns */

static void fill(struct jw_table *t, struct jw_arena *a)
{
    jw_table_begin(t, a, columns, JW_COUNT(columns));
    jw_table_cell(t, TINT_NONE, hangul);
    jw_table_cell(t, TINT_NONE, "159 MB");
    jw_table_cell(t, TINT_WARN, "jit");
    jw_table_cell(t, TINT_NONE, "/opt/lib/a.so");
    jw_table_cellf(t, TINT_NONE, "%d kB", 7);
    jw_table_cell(t, TINT_GOOD, "native");
}

static const char *print(unsigned width, bool color)
{
    static struct jw_buf out = { .max = 1 << 16 };
    struct jw_arena arena = { 0 };
    struct jw_table t;
    struct jw_err err = { 0 };

    jw_buf_clear(&out);
    fill(&t, &arena);
    CHECK(jw_table_print(&t, (struct jw_paint){ color }, width, jw_sink_buf(&out), &err));
    jw_arena_free(&arena);
    return jw_buf_cstr(&out);
}

/* The widest line, in columns. */
static size_t widest(const char *text)
{
    size_t max = 0;

    while (*text) {
        size_t n = strcspn(text, "\n");
        char line[512];

        CHECK(n < sizeof line && (n == 0 || text[n - 1] != ' '));
        memcpy(line, text, n);
        line[n] = '\0';
        max = jw_text_width(line) > max ? jw_text_width(line) : max;
        text += n + (text[n] != '\0');
    }
    return max;
}

/* Column of the first `needle` in the line that holds `line`. */
static size_t column_of(const char *text, const char *line, const char *needle)
{
    const char *start = strstr(text, line), *at;
    char head[512] = "";

    while (start && start > text && start[-1] != '\n')
        start--;
    at = start ? strstr(start, needle) : NULL;
    if (!at || (size_t)(at - start) >= sizeof head)
        return 999;
    memcpy(head, start, (size_t)(at - start));
    return jw_text_width(head);
}

TEST(a_wide_terminal_cuts_nothing)
{
    const char *text = print(200, false);

    CHECK_HAS(text, hangul);
    CHECK_NUM(widest(text), jw_text_width(hangul) + 2 + 6 + 2 + 7);
    CHECK_NUM(column_of(text, "lib/a.so", "native"), column_of(text, "FILE", "VERDICT"));
    CHECK_NUM(column_of(text, "libggml", "jit"), column_of(text, "FILE", "VERDICT"));
}

TEST(numbers_stand_on_the_right)
{
    const char *text = print(0, false);

    CHECK_NUM(column_of(text, "libggml", "159 MB"), column_of(text, "lib/a.so", "7 kB") - 2);
    CHECK_NUM(column_of(text, "FILE", "SIZE"), column_of(text, "lib/a.so", "7 kB"));
}

TEST(no_terminal_never_cuts)
{
    CHECK_HAS(print(0, false), hangul);
}

TEST(a_path_is_cut_in_its_middle_at_40)
{
    const char *text = print(40, false);

    CHECK_NUM(widest(text), 40);
    CHECK(!strstr(text, hangul));
    CHECK_HAS(text, "cuda.so");
    CHECK_HAS(text, "/opt/lib/a.so");
    CHECK_NUM(column_of(text, "cuda.so", "jit"), column_of(text, "lib/a.so", "native"));
}

TEST(a_gpu_keeps_its_capability)
{
    static const struct jw_column gpus[] = { { "GPU", COLUMN_GPU }, { "VERDICT", COLUMN_LEFT } };
    struct jw_buf out = JW_BUF(4096);
    struct jw_arena arena = { 0 };
    struct jw_table t;
    struct jw_err err = { 0 };

    jw_table_begin(&t, &arena, gpus, JW_COUNT(gpus));
    jw_table_cell(&t, TINT_NONE, "GeForce RTX 3070 (8.6)");
    jw_table_cell(&t, TINT_NONE, "JIT_EVERY");
    jw_table_cell(&t, TINT_NONE, "12.0");
    jw_table_cell(&t, TINT_NONE, "NATIVE");
    CHECK(jw_table_print(&t, (struct jw_paint){ false }, 27, jw_sink_buf(&out), &err));
    CHECK_HAS(jw_buf_cstr(&out), "GeForce R\xe2\x80\xa6 (8.6)  JIT_EVERY\n12.0              NATIVE\n");
    jw_buf_free(&out);
    jw_arena_free(&arena);
}

/* A sentence that is alone in its line breaks between words. */
TEST(a_sentence_wraps)
{
    static const struct jw_column two[] = { { "SOFTWARE", COLUMN_LEFT }, { "WHAT HAPPENS", COLUMN_LEFT } };
    struct jw_buf out = JW_BUF(4096);
    struct jw_arena arena = { 0 };
    struct jw_table t;
    struct jw_err err = { 0 };

    jw_table_begin(&t, &arena, two, JW_COUNT(two));
    jw_table_cell(&t, TINT_NONE, "torch");
    jw_table_cell(&t, TINT_NONE, "compiled at the next start, and in each new container");
    CHECK(jw_table_print(&t, (struct jw_paint){ false }, 30, jw_sink_buf(&out), &err));
    CHECK_TEXT(jw_buf_cstr(&out), "SOFTWARE\n  WHAT HAPPENS\ntorch\n  compiled at the next start,\n"
                                  "  and in each new container\n");
    jw_buf_free(&out);
    jw_arena_free(&arena);
}

TEST(eighty_columns_hold_it_all)
{
    CHECK_TEXT(print(80, false), print(0, false));
    CHECK(widest(print(80, false)) <= 80);
}

TEST(too_narrow_a_row_takes_several_lines)
{
    const char *text = print(24, false);

    CHECK_HAS(text, "FILE\n    SIZE  VERDICT\n");
    CHECK_HAS(text, "cuda.so\n  159 MB  jit\n");
    CHECK_HAS(text, "/opt/lib/a.so\n    7 kB  native\n");
    CHECK_NUM(widest(print(5, false)), 10);
    CHECK_HAS(print(5, false), "  159 MB\n");
}

TEST(colour_does_not_move_anything)
{
    const char *text = print(0, true);

    CHECK_HAS(text, "\033[2mFILE\033[0m");
    CHECK_HAS(text, "\033[33mjit\033[0m\n");
    CHECK_HAS(text, "\033[32mnative\033[0m\n");
    CHECK_HAS(text, "  \033[2mSIZE\033[0m  ");
}

TEST(foreign_text_cannot_move_the_cursor)
{
    struct jw_buf out = JW_BUF(4096);
    struct jw_arena arena = { 0 };
    struct jw_table t;
    struct jw_err err = { 0 };

    jw_table_begin(&t, &arena, columns, JW_COUNT(columns));
    jw_table_cell(&t, TINT_NONE, "a\nb\033[2J\xff");
    CHECK(jw_table_print(&t, (struct jw_paint){ false }, 0, jw_sink_buf(&out), &err));
    CHECK_HAS(jw_buf_cstr(&out), "a\\x0ab\\x1b[2J\\xff\n");
    jw_buf_free(&out);
    jw_arena_free(&arena);
}

TEST(no_rows_print_nothing)
{
    struct jw_buf out = JW_BUF(4096);
    struct jw_arena arena = { 0 };
    struct jw_table t;
    struct jw_err err = { 0 };

    jw_table_begin(&t, &arena, columns, JW_COUNT(columns));
    CHECK(jw_table_print(&t, (struct jw_paint){ true }, 80, jw_sink_buf(&out), &err));
    CHECK_NUM(out.n, 0);
    jw_arena_free(&arena);
}

TEST(a_sink_that_fails_stops_it)
{
    struct jw_buf out = JW_BUF(8);
    struct jw_arena arena = { 0 };
    struct jw_table t;
    struct jw_err err = { 0 };

    fill(&t, &arena);
    CHECK(!jw_table_print(&t, (struct jw_paint){ false }, 0, jw_sink_buf(&out), &err));
    CHECK(err.msg[0]);
    jw_buf_free(&out);
    jw_arena_free(&arena);
}
