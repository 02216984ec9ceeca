#include "check.h"
#include "env/env_change.h"

#define LINE ". env.sh " JW_ENV_TAIL "\n"
#define OWN JW_ENV_HEADER "\nexport CUDA_CACHE_MAXSIZE=1\njitwarm_d=/x\n"
#define JOINT " (and the line break before it)"

static struct jw_bytes bytes(const char *text)
{
    return (struct jw_bytes){ (const uint8_t *)text, strlen(text) };
}

/* Put and taken again: the same bytes, whatever they are. */
static void there_and_back(struct jw_bytes text, const char *block)
{
    struct jw_buf with = JW_BUF(1 << 16), back = JW_BUF(1 << 16), again = JW_BUF(1 << 16);
    struct jw_err err = { 0 };
    bool same;

    CHECK(jw_env_edit_put(text, true, block, &with, &same, &err));
    CHECK(!same && with.n >= text.n + strlen(block));
    CHECK(jw_env_edit_put(jw_buf_bytes(&with), true, block, &again, &same, &err));
    CHECK(same && again.n == with.n && memcmp(again.p, with.p, with.n) == 0);
    CHECK(jw_env_edit_take(jw_buf_bytes(&with), jw_env_block_find(jw_buf_bytes(&with)), &back, &err));
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
                                         "# jitwarm env was here\n" };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        there_and_back(bytes(texts[i]), LINE);
        there_and_back(bytes(texts[i]), OWN);
    }
    there_and_back(JW_BYTES("a\0b"), LINE);
}

static void put_is(const char *now, const char *block, const char *want)
{
    struct jw_buf out = JW_BUF(1 << 16);
    struct jw_err err = { 0 };
    bool same;

    CHECK(jw_env_edit_put(bytes(now), true, block, &out, &same, &err));
    CHECK_TEXT(jw_buf_cstr(&out), want);
    jw_buf_free(&out);
}

TEST(an_older_block_is_exchanged_where_it_stands)
{
    put_is("a\n" OWN "b\n", JW_ENV_HEADER "\nexport CUDA_CACHE_MAXSIZE=2\n",
           "a\n" JW_ENV_HEADER "\nexport CUDA_CACHE_MAXSIZE=2\nb\n");
    put_is("a\n. old.sh " JW_ENV_TAIL JOINT "\nb\n", LINE, "a\n. env.sh " JW_ENV_TAIL JOINT "\nb\n");
    put_is("a\n x" OWN, LINE, "a\n x" OWN LINE); /* not at the start of a line: no header */
}

static void take_is(const char *now, const char *want)
{
    struct jw_buf out = JW_BUF(1 << 16);
    struct jw_err err = { 0 };

    CHECK(jw_env_edit_take(bytes(now), jw_env_block_find(bytes(now)), &out, &err));
    CHECK_TEXT(jw_buf_cstr(&out), want);
    jw_buf_free(&out);
}

TEST(what_others_wrote_since_stays)
{
    take_is("a\n. env.sh " JW_ENV_TAIL JOINT "\nb\n", "a\nb\n"); /* the joint now parts two lines */
    take_is("a\n. env.sh " JW_ENV_TAIL JOINT "\n", "a");
    take_is("a\n" LINE, "a\n");
    take_is(OWN "A=1\nexport CUDA_CACHE_PATH=/mine\n", "A=1\nexport CUDA_CACHE_PATH=/mine\n");
    take_is(JW_ENV_HEADER "\nexport CUDA_CACHE_MAXSIZE=3\n", ""); /* changed by hand, and still ours */
}

TEST(a_text_without_a_mark_has_no_block)
{
    CHECK_NUM(jw_env_block_find(bytes("")).to, 0);
    CHECK_NUM(jw_env_block_find(bytes("export CUDA_CACHE_MAXSIZE=1\njitwarm_d=/x\n")).to, 0);
    CHECK_NUM(jw_env_block_find(bytes("# jitwarm env: why\n")).to, 0);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(what_is_put_is_taken_to_the_byte),
               T(an_older_block_is_exchanged_where_it_stands), T(what_others_wrote_since_stays),
               T(a_text_without_a_mark_has_no_block));
}
