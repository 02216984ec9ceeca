#include "check.h"
#include "setup/login/env_file.h"

typedef bool parser(struct jw_bytes text, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                    struct jw_err *err);

static struct jw_env_set parse(parser *p, const char *text, struct jw_arena *a)
{
    struct jw_env_set s = { 0 };
    struct jw_err err = { 0 };

    CHECK_OK(p((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, "file", a, &s, &err), err);
    return s;
}

static void is(const struct jw_env_set *s, const char *name, const char *want)
{
    const struct jw_env_value *v = jw_env_set_find(s, name);

    CHECK_TEXT(v ? v->value : "unset", want);
    if (v)
        CHECK_TEXT(v->origin, "file");
}

TEST_ARENA(pam_reads_names_and_values)
{
    struct jw_env_set s = parse(jw_env_file_pam,
                                "# a comment\n\n  A=one two  \nexport B=\"quoted # not\"\n"
                                "C='single'\nD=\"open\nE=a\"b\"\nF=x # why\nG=$HOME/${X}\n"
                                "bad-name=1\n=2\nword\nH=a=b\nI=\nA=again\nJ=\"\"\r\nK=\\n\r\nexport\tL=tab",
                                a);

    is(&s, "A", "again");
    is(&s, "B", "quoted"); /* pam_env cuts there, too */
    is(&s, "C", "single");
    is(&s, "D", "open");
    is(&s, "E", "a\"b\"");
    is(&s, "F", "x");
    is(&s, "G", "$HOME/${X}");
    is(&s, "H", "a=b");
    is(&s, "I", "unset");
    is(&s, "J", "unset");
    is(&s, "K", "\\n");
    is(&s, "L", "tab");
    is(&s, "bad", "unset");
    is(&s, "word", "unset");
}

TEST_ARENA(a_value_can_be_taken_back)
{
    struct jw_env_set s = parse(jw_env_file_pam, "A=1\nA=\nB=2\n", a);

    is(&s, "A", "unset");
    is(&s, "B", "2");
    s = parse(jw_env_file_pam, "A=1\nA=\nA=3\n", a);
    is(&s, "A", "3");
}

TEST_ARENA(systemd_unquotes_and_expands)
{
    struct jw_env_set s =
        parse(jw_env_file_systemd,
              "; comment\n# another\nHOME_=/h\nA=\"two words\"  \nB='$HOME_'/x\n"
              "C=$HOME_/c:${HOME_}/d\nD=${NONE:-else}/${HOME_:-no}\nE=${HOME_:+then}${NONE:+no}\n"
              "F=one\\\ntwo\nG=a\\ b\\\"c\nH=\"in \\\"side\\\" \\x\"\nI=end  \nJ=\"line\none\"\n"
              "K=$\nP=a$$HOME_$$\nL=${open\nM=$5\nnot a variable\n-N=1\n1P=1\nO=\nA1_=z",
              a);

    is(&s, "A", "two words");
    is(&s, "B", "/h/x");
    is(&s, "C", "/h/c:/h/d");
    is(&s, "D", "else//h");
    is(&s, "E", "then");
    is(&s, "F", "onetwo");
    is(&s, "G", "a b\"c");
    is(&s, "H", "in \"side\" \\x");
    is(&s, "I", "end");
    is(&s, "J", "line\none");
    is(&s, "K", "$");
    is(&s, "P", "a$HOME_$"); /* as its generator was seen to do */
    is(&s, "L", "${open");
    is(&s, "M", "$5");
    is(&s, "N", "unset");
    is(&s, "O", "");
    is(&s, "A1_", "z");
    is(&s, "1P", "unset");
}

TEST_ARENA(what_is_no_text_gives_nothing)
{
    struct jw_env_set s = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_env_file_pam(JW_BYTES("A=1\n\0B=2\n"), "f", a, &s, &err));
    CHECK(jw_env_file_systemd(JW_BYTES("A=1\n\0B=2\n"), "f", a, &s, &err));
    CHECK(jw_env_file_pam((struct jw_bytes){ NULL, 0 }, "f", a, &s, &err));
    CHECK(jw_env_file_systemd((struct jw_bytes){ NULL, 0 }, "f", a, &s, &err));
    CHECK_NUM(s.n, 0);
}

/* Any cut of a file is a file. */
TEST(every_beginning_is_read)
{
    static const char text[] = "A=\"x\\\"\"\nB='y'\\\nC=${A:-b}$A\nexport D=\"z\"# c\n";

    for (size_t n = 0; n < sizeof text; n++) {
        struct jw_arena a = { 0 };
        struct jw_env_set s = { 0 };
        struct jw_err err = { 0 };
        struct jw_bytes cut = { (const uint8_t *)text, n };

        CHECK(jw_env_file_pam(cut, "f", &a, &s, &err) && jw_env_file_systemd(cut, "f", &a, &s, &err));
        jw_arena_free(&a);
    }
}
