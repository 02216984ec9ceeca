#include "check.h"
#include "setup/env/env_block.h"

#define LINES "export CUDA_CACHE_MAXSIZE=1\nexport CUDA_CACHE_PATH='/a b'\n"
#define BLOCK ENV_BLOCK_BEGIN "\n" LINES ENV_BLOCK_END "\n"
#define JOINT " (and the line break before it)"

static struct jw_bytes bytes(const char *text)
{
    return (struct jw_bytes){ (const uint8_t *)text, strlen(text) };
}

static struct env_block find(struct jw_bytes text)
{
    struct env_block b;
    struct jw_err err = { 0 };

    CHECK(env_block_find(text, &b, &err));
    return b;
}

/* Put and taken again: the same bytes, whatever they are. */
static void there_and_back(struct jw_bytes text)
{
    struct jw_buf with = JW_BUF(1 << 16), back = JW_BUF(1 << 16), again = JW_BUF(1 << 16);
    struct jw_err err = { 0 };
    struct env_block b;

    CHECK(env_block_put(text, true, LINES, &with, &err));
    CHECK(with.n >= text.n + strlen(BLOCK));
    CHECK(env_block_put(jw_buf_bytes(&with), true, LINES, &again, &err));
    CHECK(again.n == with.n && memcmp(again.p, with.p, with.n) == 0);
    b = find(jw_buf_bytes(&with));
    CHECK(b.lines_to - b.lines_from == strlen(LINES)
          && memcmp(with.p + b.lines_from, LINES, strlen(LINES)) == 0);
    CHECK(env_block_take(jw_buf_bytes(&with), &b, &back, &err));
    CHECK(back.n == text.n && (!text.n || memcmp(back.p, text.p, text.n) == 0));
    jw_buf_free(&with);
    jw_buf_free(&back);
    jw_buf_free(&again);
}

TEST(what_is_put_is_taken_to_the_byte)
{
    static const char *const texts[] = { "",
                                         "\n",
                                         "x",
                                         "x\n",
                                         "x\n\n",
                                         "x\r\n",
                                         "x\r",
                                         "# ours\n",
                                         "export CUDA_CACHE_MAXSIZE=1",
                                         "caf\xe9\n",
                                         ENV_BLOCK_END "\n",
                                         " " ENV_BLOCK_BEGIN "\n",
                                         "# jitwarm env was here\n" };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        there_and_back(bytes(texts[i]));
    there_and_back(JW_BYTES("a\0b"));
}

static void put_is(const char *now, const char *lines, const char *want)
{
    struct jw_buf out = JW_BUF(1 << 16);
    struct jw_err err = { 0 };

    CHECK(env_block_put(bytes(now), true, lines, &out, &err));
    CHECK_TEXT(jw_buf_cstr(&out), want);
    jw_buf_free(&out);
}

TEST(an_older_block_is_replaced_where_it_is)
{
    put_is("a\n" BLOCK "b\n", "A=2\n", "a\n" ENV_BLOCK_BEGIN "\nA=2\n" ENV_BLOCK_END "\nb\n");
    put_is("a\n" ENV_BLOCK_BEGIN JOINT "\nA=1\n" ENV_BLOCK_END "\nb\n", "A=2\n",
           "a\n" ENV_BLOCK_BEGIN JOINT "\nA=2\n" ENV_BLOCK_END "\nb\n");
}

static void take_is(const char *now, const char *want)
{
    struct jw_buf out = JW_BUF(1 << 16);
    struct jw_err err = { 0 };
    struct env_block b = find(bytes(now));

    CHECK(env_block_take(bytes(now), &b, &out, &err));
    CHECK_TEXT(jw_buf_cstr(&out), want);
    jw_buf_free(&out);
}

TEST(what_was_written_around_it_stays)
{
    take_is("a\n" ENV_BLOCK_BEGIN JOINT "\nA=1\n" ENV_BLOCK_END "\nb\n",
            "a\nb\n"); /* the joint now parts two lines */
    take_is("a\n" ENV_BLOCK_BEGIN JOINT "\nA=1\n" ENV_BLOCK_END "\n", "a");
    take_is("a\n" BLOCK, "a\n");
    take_is(BLOCK "A=1\nexport CUDA_CACHE_PATH=/mine\n", "A=1\nexport CUDA_CACHE_PATH=/mine\n");
    take_is(ENV_BLOCK_BEGIN "\nwhat a user wrote between\n" ENV_BLOCK_END, "");
}

TEST(a_text_without_a_mark_has_no_block)
{
    CHECK_NUM(find(bytes("")).to, 0);
    CHECK_NUM(find(bytes("export CUDA_CACHE_MAXSIZE=1\n" ENV_BLOCK_END "\n")).to, 0);
    CHECK_NUM(find(bytes(ENV_BLOCK_BEGIN " and more\n")).to, 0);
}

/* Nobody knows which lines are jitwarm's. */
TEST(a_block_without_its_end_is_not_touched)
{
    struct jw_buf out = JW_BUF(1 << 16);
    struct env_block b;
    struct jw_err err = { 0 };

    CHECK_REFUSED(env_block_find(bytes("a\n" ENV_BLOCK_BEGIN "\nA=1\nb\n"), &b, &err), err,
                  "remove jitwarm's lines by hand");
    CHECK(!env_block_put(bytes(ENV_BLOCK_BEGIN), true, LINES, &out, &err));
    CHECK_NUM(out.n, 0);
    jw_buf_free(&out);
}
