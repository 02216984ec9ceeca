/* Help, man page and completions of the made-up commands in fake_commands.c. `test_cli_pages print bash`
 * (zsh, fish, man) prints one, for the tests that ask the shells themselves. */
#include "check.h"
#include "cli/commands.h"
#include "cli/help.h"

#include "base/compiler.h"

static struct jw_buf page = { .max = 1 << 20 };

static const char *made(void (*make)(struct jw_buf *out))
{
    jw_buf_clear(&page);
    make(&page);
    CHECK(!page.bad && page.n);
    return jw_buf_cstr(&page);
}

static const char *wrapped(const char *text, size_t at, size_t indent, size_t width)
{
    jw_buf_clear(&page);
    jw_help_wrap(&page, text, at, indent, width);
    return jw_buf_cstr(&page);
}

static const char *verb_help(size_t width)
{
    jw_buf_clear(&page);
    jw_help_verb(&page, jw_cmds[0], width);
    return jw_buf_cstr(&page);
}

static size_t widest(const char *text)
{
    size_t max = 0;

    for (size_t n; *text; text += n + (text[n] != '\0')) {
        n = strcspn(text, "\n");
        max = n > max ? n : max;
    }
    return max;
}

TEST(text_wraps_between_words)
{
    CHECK_TEXT(wrapped("one two three", 0, 0, 80), "one two three\n");
    CHECK_TEXT(wrapped("one two three", 0, 2, 7), "one two\n  three\n");
    CHECK_TEXT(wrapped("one two three", 4, 4, 11), "one two\n    three\n");
    CHECK_TEXT(wrapped("extraordinarily long", 0, 0, 5), "extraordinarily\nlong\n");
    CHECK_TEXT(wrapped("a b\nc\n\nd", 0, 1, 80), "a b c\n\n d\n");
    CHECK_TEXT(wrapped("", 0, 0, 80), "\n");
    /* Hangul is two columns wide. */
    CHECK_TEXT(wrapped("\xed\x95\x9c\xea\xb5\xad \xed\x95\x9c", 0, 0, 6),
               "\xed\x95\x9c\xea\xb5\xad\n\xed\x95\x9c\n");
}

TEST(verb_help_has_everything_and_fits)
{
    const char *text = verb_help(80);

    CHECK_HAS(text, "jitwarm paint: it's painted: red\nUsage: jitwarm paint [OPTION...] [PATH...]\n");
    CHECK_HAS(text, "\n  -d, --deep         it's [deep]: 100% of \\it\n");
    CHECK_HAS(text, "\n      --dir DIR    a folder\n");
    CHECK_HAS(text, "\n      --limit TIME   a time\n");
    CHECK_HAS(text, "\n  -w, --wait[=TIME]  a time, or none\n");
    CHECK_HAS(text, "\n      --an-option-with-a-long-name NAME\n                     has its explanation");
    CHECK_HAS(text, "\nCommon options (jitwarm help): --json, -h/--help\n");
    CHECK_HAS(text, "\nExamples:\n  jitwarm paint -d .\n      paints what's here\n");
    CHECK(widest(text) <= 80);
    CHECK(widest(verb_help(50)) <= 50);
}

TEST(the_overview_hides_what_is_hidden)
{
    jw_buf_clear(&page);
    jw_help_overview(&page, 80);

    const char *text = jw_buf_cstr(&page);

    CHECK_HAS(text, "\nVerbs  paint    it's painted: red\n       explain  explain a verb\n");
    CHECK(!strstr(text, "secret"));
}

TEST(bash_gets_words_files_and_folders)
{
    const char *text = made(jw_complete_bash);

    CHECK_HAS(text, "-o | --file) _jitwarm_paths -f \"$cur\"; return ;;");
    CHECK_HAS(text, "--dir) _jitwarm_paths -d \"$cur\"; return ;;");
    CHECK_HAS(text, "--name) :; return ;;");
    CHECK_HAS(text, "-m | --mode) _jitwarm_words 'fast slow' \"$cur\"; return ;;");
    CHECK_HAS(text, "--limit) :; return ;;");
    CHECK(!strstr(text, "--wait) "));
    CHECK_HAS(text, "_jitwarm_words 'paint explain --help --version'");
    CHECK(!strstr(text, "hidden"));
}

TEST(zsh_gets_quoted_explanations)
{
    const char *text = made(jw_complete_zsh);

    CHECK_HAS(text, "'(-d --deep)'{-d,--deep}'[it'\\''s \\[deep\\]\\: 100% of \\\\it]'");
    CHECK_HAS(text, "'*'{-g+,--gpu=}'[a GPU]:GPU:(all known ");
    CHECK_HAS(text, "'*--word=[a word]:WORD:(alpha beta)'");
    CHECK_HAS(text, "'--dir=[a folder]:DIR:_files -/'");
    CHECK_HAS(text, "'--limit=[a time]:TIME: '");
    CHECK_HAS(text, "'(-w --wait)'{-w-,--wait=-}'[a time, or none]::TIME: '");
    CHECK_HAS(text, "'paint:it'\\''s painted\\: red'");
    CHECK(!strstr(text, "secret"));
}

TEST(fish_gets_quoted_explanations)
{
    const char *text = made(jw_complete_fish);

    CHECK_HAS(text, "-s d -l deep -d 'it\\'s [deep]: 100% of \\\\it'");
    CHECK_HAS(text, "-s o -l file -rF -d 'a file'");
    CHECK_HAS(text, "-l name -x -d 'a name'");
    CHECK_HAS(text, "-l limit -x -d 'a time'");
    CHECK_HAS(text, "-s w -l wait -d 'a time, or none'");
    CHECK_HAS(text, "-l mode -xa 'fast slow' -d 'a choice'");
    CHECK_HAS(text, "complete -c jitwarm -n '__jitwarm_verb explain' -a 'paint explain'\n");
    CHECK(!strstr(text, "secret"));
}

static void man_of_paint(struct jw_buf *out)
{
    jw_man_verb(out, jw_cmds[0]);
}

TEST(roff_is_escaped)
{
    const char *text = made(man_of_paint);

    CHECK_HAS(text, ".TH JITWARM\\-PAINT 1 2026-11-20 ");
    CHECK_HAS(text, "jitwarm\\-paint \\- it\\(aqs painted: red\n");
    CHECK_HAS(text, ".SS Where\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-file\\fR");
    CHECK_HAS(text, "\\fB\\-d\\fR, \\fB\\-\\-deep\\fR\nit\\(aqs [deep]: 100% of \\eit\n");
    CHECK_HAS(text, "\\fB\\-w\\fR, \\fB\\-\\-wait\\fR[=\\fITIME\\fR]\n");
    CHECK_HAS(text, "\n.PP\n\\&.dot starts the second, whose \\(aqquotes\\(aq and back\\eslashes survive.\n");
}

TEST(the_first_man_page_lists_the_verbs)
{
    const char *text = made(jw_man_page);

    CHECK_HAS(text, ".TH JITWARM 1 2026-11-20 ");
    CHECK_HAS(text, "\\fBjitwarm\\-paint\\fR(1)\nit\\(aqs painted: red\n");
    CHECK_HAS(text, "\\fB\\(ti/.paint\\fR\n");
    CHECK(!strstr(text, "secret"));
}

TEST(options_stand_in_groups)
{
    const char *text = verb_help(80);
    const char *where = strstr(text, "\nWhere:\n"), *other = strstr(text, "\nOther options:\n");

    CHECK(where && other && where < other);
    CHECK(strstr(where, "--dir DIR") < other);
    CHECK(!strstr(other, "--dir DIR"));
    CHECK_HAS(other, "--deep");
    CHECK(!strstr(text, "Gone"));
}

TEST(short_help_has_what_people_use)
{
    jw_buf_clear(&page);
    jw_help_short(&page, jw_cmds[0], 80);

    const char *text = jw_buf_cstr(&page);

    CHECK_HAS(text, "\nMost used options:\n  -d, --deep         it's [deep]");
    CHECK_HAS(text, "\n  -w, --wait[=TIME]");
    CHECK(!strstr(text, "--dir"));
    CHECK_HAS(text, "\nMore: jitwarm help paint\n");
}

MAIN(argc, argv)
{
    static const struct {
        const char *name;
        void (*make)(struct jw_buf *out);
    } pages[] = {
        { "bash", jw_complete_bash },
        { "zsh", jw_complete_zsh },
        { "fish", jw_complete_fish },
        { "man", man_of_paint },
    };
    int code = 2;

    if (argc == 3 && strcmp(argv[1], "print") == 0) {
        for (size_t i = 0; i < JW_COUNT(pages); i++)
            if (strcmp(argv[2], pages[i].name) == 0)
                code = fputs(made(pages[i].make), stdout) < 0;
    } else {
        code = RUN(argc, argv);
    }
    jw_buf_free(&page);
    return code;
}
