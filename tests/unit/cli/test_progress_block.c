/* What is sent to a terminal, played on one: rows of characters, a cursor, and the few sequences that are used. */
#include "base/buf.h"
#include "check.h"
#include "cli/progress_block.h"

#include <stdlib.h>

enum { ROWS = 12, WIDEST = 90 };

struct screen {
    char cells[ROWS][WIDEST + 1];
    unsigned columns, row, column;
    bool wrapped; /* something went past the last column: never wanted */
};

static struct screen screen;

static void clear(unsigned columns)
{
    screen = (struct screen){ .columns = columns };
    memset(screen.cells, ' ', sizeof screen.cells);
}

static void clear_line(unsigned at, unsigned from)
{
    memset(screen.cells[at] + from, ' ', WIDEST - from);
}

/* Behind ESC [; gives its last character. */
static const char *sequence(const char *p)
{
    char *end;
    unsigned long n = strtoul(p, &end, 10);

    if (*end == 'A')
        screen.row = n > screen.row ? 0 : screen.row - (unsigned)n;
    else if (*end == 'K' || *end == 'J')
        clear_line(screen.row, screen.column);
    for (unsigned i = screen.row + 1; *end == 'J' && i < ROWS; i++)
        clear_line(i, 0);
    return end;
}

static void play(struct jw_buf *b)
{
    for (const char *p = jw_buf_cstr(b); *p; p++) {
        if (*p == '\r')
            screen.column = 0;
        else if (*p == '\n') {
            screen.row++;
            screen.column = 0;
        } else if (*p == '\033') {
            p = sequence(p + 2);
        } else if ((*p & 0xc0) == 0x80) { /* the rest of a character */
            continue;
        } else if (screen.column + 1 >= screen.columns) {
            screen.wrapped = true;
        } else {
            screen.cells[screen.row][screen.column++] = *p;
        }
    }
    jw_buf_clear(b);
}

static const char *row(unsigned n)
{
    size_t end = WIDEST;

    while (end && screen.cells[n][end - 1] == ' ')
        end--;
    screen.cells[n][end] = '\0';
    return screen.cells[n];
}

static void draw(struct jw_block *b, const char *text)
{
    struct jw_buf out = JW_BUF(10000);

    jw_block_draw(b, text, screen.columns, (struct jw_paint){ false }, &out);
    play(&out);
    jw_buf_free(&out);
}

static void erase(struct jw_block *b)
{
    struct jw_buf out = JW_BUF(10000);

    jw_block_erase(b, screen.columns, &out);
    play(&out);
    jw_buf_free(&out);
}

TEST(the_lines_stay_where_they_are)
{
    struct jw_block b = { 0 };

    clear(40);
    screen.row = 3;
    draw(&b, "half\nfirst\nsecond");
    CHECK_TEXT(row(3), "half");
    CHECK_TEXT(row(5), "second");
    clear(40);
    screen.row = 5;
    draw(&b, "more\nthird");
    CHECK_NUM(screen.row, 4);
    CHECK_TEXT(row(3), "more");
    CHECK_TEXT(row(4), "third");
    CHECK_TEXT(row(5), "");
    draw(&b, "a\nb\nc\nd");
    CHECK_NUM(screen.row, 6);
    CHECK_TEXT(row(3), "a");
    CHECK_TEXT(row(6), "d");
    erase(&b);
    CHECK(screen.row == 3 && screen.column == 0 && b.n == 0);
    for (unsigned i = 0; i < ROWS; i++)
        CHECK_TEXT(row(i), "");
}

TEST(a_shorter_line_leaves_nothing_of_a_longer_one)
{
    struct jw_block b = { 0 };

    clear(40);
    draw(&b, "a long line\nand another");
    draw(&b, "short\nit");
    CHECK_TEXT(row(0), "short");
    CHECK_TEXT(row(1), "it");
}

TEST(nothing_reaches_the_last_column)
{
    static const char wide[] = "\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4"; /* three Hangul, six columns */
    struct jw_buf out = JW_BUF(1000);
    struct jw_block b = { 0 };

    clear(10);
    draw(&b, "0123456789\n012345678\nshort");
    CHECK(!screen.wrapped);
    CHECK(b.widths[0] == 9 && b.widths[1] == 9 && b.widths[2] == 5);
    b = (struct jw_block){ 0 };
    jw_block_draw(&b, wide, 6, (struct jw_paint){ false }, &out);
    CHECK_TEXT(jw_buf_cstr(&out), "\r\xed\x95\x9c\xea\xb5\xad\xe2\x80\xa6\033[K");
    CHECK_NUM(b.widths[0], 5);
    jw_buf_clear(&out);
    jw_block_draw(&b, "x", 1, (struct jw_paint){ false }, &out);
    CHECK_NUM(out.n, 0);
    jw_buf_free(&out);
}

/* A window of 20 columns in which lines of 30 were drawn: each is two rows now. */
TEST(after_a_narrower_window_the_way_up_is_longer)
{
    struct jw_buf out = JW_BUF(1000);
    struct jw_block b = { .n = 3, .widths = { 30, 20, 5 } };

    jw_block_draw(&b, "x\ny", 20, (struct jw_paint){ false }, &out);
    CHECK_TEXT(jw_buf_cstr(&out), "\r\033[3Ax\033[K\ny\033[K\033[J");
    jw_buf_free(&out);
}

TEST(there_is_an_end_to_the_lines)
{
    struct jw_block b = { 0 };

    clear(40);
    draw(&b, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10");
    CHECK_NUM(b.n, JW_BLOCK_LINES);
    CHECK_TEXT(row(7), "8");
    CHECK_TEXT(row(8), "");
}

TEST(colour_is_outside_of_the_width)
{
    struct jw_buf out = JW_BUF(1000);
    struct jw_block b = { 0 };

    jw_block_draw(&b, "one\ntwo", 40, (struct jw_paint){ true }, &out);
    CHECK_TEXT(jw_buf_cstr(&out), "\rone\033[K\n\033[2mtwo\033[0m\033[K");
    CHECK_NUM(b.widths[1], 3);
    jw_buf_free(&out);
}
