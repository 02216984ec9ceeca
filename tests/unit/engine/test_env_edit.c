#include "base/fault.h"
#include "check.h"
#include "env/env_edit.h"

#define BLOCK "# ours\nexport A=1\n"
#define OTHER "export A=2\n"

static struct jw_bytes bytes(const char *text)
{
    return (struct jw_bytes){ (const uint8_t *)text, strlen(text) };
}

/* Put and taken again: the same bytes, whatever they are. */
static void there_and_back(struct jw_bytes text)
{
    struct jw_buf with = JW_BUF(1 << 16), back = JW_BUF(1 << 16), again = JW_BUF(1 << 16);
    struct jw_err err = { 0 };
    bool joint, same, found, ignored;

    CHECK(jw_env_edit_put(text, NULL, BLOCK, &with, &joint, &same, &err));
    CHECK(!same && with.n >= text.n + strlen(BLOCK));
    CHECK(jw_env_edit_put(jw_buf_bytes(&with), NULL, BLOCK, &again, &ignored, &same, &err));
    CHECK(same && again.n == with.n && memcmp(again.p, with.p, with.n) == 0);
    CHECK(jw_env_edit_take(jw_buf_bytes(&with), BLOCK, joint, &back, &found, &err));
    CHECK(found && back.n == text.n && (!text.n || memcmp(back.p, text.p, text.n) == 0));
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
                                         "# ours\nexport A=1",
                                         "export A=1\n",
                                         " # ours\nexport A=1\n",
                                         "caf\xe9\n" };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        there_and_back(bytes(texts[i]));
    there_and_back(JW_BYTES("a\0b"));
}

static void put_is(const char *now, const char *old, const char *want)
{
    struct jw_buf out = JW_BUF(1 << 16);
    struct jw_err err = { 0 };
    bool joint, same;

    CHECK(jw_env_edit_put(bytes(now), old, BLOCK, &out, &joint, &same, &err));
    CHECK_TEXT(jw_buf_cstr(&out), want);
    jw_buf_free(&out);
}

TEST(an_older_block_is_exchanged_where_it_stands)
{
    put_is("a\n" OTHER "b\n", OTHER, "a\n" BLOCK "b\n");
    put_is("a\nb\n", OTHER, "a\nb\n" BLOCK);           /* somebody took it out */
    put_is("a\n x" OTHER, OTHER, "a\n x" OTHER BLOCK); /* not at the start of a line: not ours */
    put_is("a\n" BLOCK "b\n", OTHER, "a\n" BLOCK "b\n");
}

static void take_is(const char *now, bool joint, const char *want, bool is_found)
{
    struct jw_buf out = JW_BUF(1 << 16);
    struct jw_err err = { 0 };
    bool found;

    CHECK(jw_env_edit_take(bytes(now), BLOCK, joint, &out, &found, &err));
    CHECK_NUM(found, is_found);
    CHECK_TEXT(jw_buf_cstr(&out), want);
    jw_buf_free(&out);
}

TEST(what_others_wrote_since_stays)
{
    take_is("a\n" BLOCK "b\n", true, "a\nb\n", true); /* the joint now parts two lines */
    take_is("a\n" BLOCK, true, "a", true);
    take_is("a\n" BLOCK, false, "a\n", true);
    take_is(BLOCK, true, "", true);
    take_is("a\n# ours\nexport A=3\n", false, "a\n# ours\nexport A=3\n", false);
    take_is("", false, "", false);
}

TEST(no_memory_is_told)
{
    struct jw_buf out = JW_BUF(4);
    struct jw_err err = { 0 };
    bool joint, same;

    CHECK(!jw_env_edit_put(bytes("a\n"), NULL, BLOCK, &out, &joint, &same, &err));
    CHECK(err.msg[0]);
    jw_buf_free(&out);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(what_is_put_is_taken_to_the_byte),
               T(an_older_block_is_exchanged_where_it_stands), T(what_others_wrote_since_stays),
               T(no_memory_is_told));
}
