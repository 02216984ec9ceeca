#include "check.h"
#include "cli/table.h"

#include "base/compiler.h"
#include "base/text.h"

static const struct jw_table_column columns[] = {
    { .title = "FILE", .path = true, .flexible = true },
    { .title = "SIZE", .right = true },
    { .title = "VERDICT" },
};

static const struct jw_table_cell cells[] = {
    { "/opt/\xed\x95\x9c\xea\xb5\xad/\xec\x8b\xa4\xed\x97\x98/libggml-cuda.so", TINT_NONE }, /* 32 columns */
    { "159 MiB", TINT_NONE },
    { "jit", TINT_WARN },
    { "/opt/lib/a.so", TINT_NONE },
    { "7 KiB", TINT_NONE },
    { "native", TINT_GOOD },
};

static const char *table(unsigned width, bool color)
{
    static struct jw_buf out = { .max = 1 << 16 };
    struct jw_arena a = { 0 };

    jw_buf_clear(&out);
    jw_table_put(&out, &a, columns, JW_COUNT(columns), cells, 2, (struct jw_paint){ color }, width);
    jw_arena_free(&a);
    return jw_buf_cstr(&out);
}

TEST(columns_are_aligned_by_what_a_terminal_shows)
{
    CHECK_TEXT(table(0, false),
               "FILE                               SIZE  VERDICT\n"
               "/opt/\xed\x95\x9c\xea\xb5\xad/\xec\x8b\xa4\xed\x97\x98/libggml-cuda.so  159 MiB  jit\n"
               "/opt/lib/a.so                     7 KiB  native\n");
}

TEST(the_flexible_column_is_cut_and_then_others_go_from_the_right)
{
    const char *cut = table(40, false);

    CHECK_HAS(cut, "SIZE  VERDICT\n");
    CHECK_HAS(cut, "\xe2\x80\xa6");
    cut = table(34, false);
    CHECK_HAS(cut, "FILE");
    CHECK_HAS(cut, "SIZE\n");
    CHECK(!strstr(cut, "VERDICT"));
    CHECK(!strstr(table(10, false), "SIZE"));
}

TEST(no_line_is_wider_than_the_terminal_or_ends_in_a_blank)
{
    for (unsigned width = 10; width < 80; width++) {
        const char *text = table(width, false);

        for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
            char line[256];

            memcpy(line, text, (size_t)(end - text));
            line[end - text] = '\0';
            CHECK(jw_text_width(line) <= width);
            CHECK(end == text || end[-1] != ' ');
        }
    }
}

TEST(colour_is_of_the_text_alone)
{
    CHECK_HAS(table(0, true), "  \033[33mjit\033[0m\n");
    CHECK_HAS(table(0, true), "\033[32mnative\033[0m\n");
}
