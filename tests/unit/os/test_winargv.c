#include "check.h"
#include "os/process/winargv.h"

enum { MAX = 64, LONG = 40000 };

/* Takes a line apart by the documented rules of CommandLineToArgvW; `text` holds the results one
 * after another. */
static size_t split(const char *line, char *text, const char *args[MAX])
{
    size_t n = 0;
    bool quoted = false;

    args[n++] = text;
    for (; *line && (quoted || (*line != ' ' && *line != '\t'));
         line++) /* the program: quotes only */
        if (*line == '"')
            quoted = !quoted;
        else
            *text++ = *line;
    *text++ = '\0';
    for (;;) {
        line += strspn(line, " \t");
        if (!*line || n == MAX)
            return n;
        args[n++] = text;
        for (quoted = false; *line && (quoted || (*line != ' ' && *line != '\t'));) {
            size_t slashes = strspn(line, "\\");

            line += slashes;
            if (*line != '"') {
                memset(text, '\\', slashes);
                text += slashes;
                if (!slashes)
                    *text++ = *line++;
                continue;
            }
            memset(text, '\\', slashes / 2);
            text += slashes / 2;
            if (slashes % 2)
                *text++ = '"';
            else if (quoted && line[1] == '"') /* a doubled quote inside quotes is one */
                *text++ = *++line;
            else
                quoted = !quoted;
            line++;
        }
        *text++ = '\0';
    }
}

static void round_trip(const char *const argv[])
{
    static char text[LONG];
    const char *got[MAX];
    FREED(jw_buf) line = JW_BUF(LONG);
    size_t n;

    CHECK(jw_winargv_line(&line, argv, JW_IGNORED));
    n = split(jw_buf_cstr(&line), text, got);
    for (size_t i = 0; i < n && argv[i]; i++)
        CHECK_TEXT(got[i], argv[i]);
    CHECK(!argv[n]);
}

TEST(known_lines)
{
    FREED(jw_buf) line = JW_BUF(LONG);

    CHECK(jw_winargv_line(
        &line, (const char *const[]){"C:\\a b\\x.exe", "plain", "two words", "", NULL}, &err));
    CHECK_TEXT(jw_buf_cstr(&line), "\"C:\\a b\\x.exe\" plain \"two words\" \"\"");
    jw_buf_clear(&line);
    CHECK(jw_winargv_line(
        &line, (const char *const[]){"x", "C:\\a b\\", "C:\\a\\b", "say \"hi\\\"", NULL}, &err));
    CHECK_TEXT(jw_buf_cstr(&line), "\"x\" \"C:\\a b\\\\\" C:\\a\\b \"say \\\"hi\\\\\\\"\"");
}

TEST(hard_arguments_come_back)
{
    round_trip((const char *const[]){"x", NULL});
    round_trip((const char *const[]){"C:\\dir\\", "a", NULL});
    round_trip((const char *const[]){"x y", "", " ", "\t", "\"", "\"\"", "\\", "\\\\", "\\\"",
                                     "\\\\\"", "a\\", "a \\", "a \\\\", "a\"b c", "a\\\\\"b c\\\\",
                                     "한글 이름", "end", NULL});
}

/* Every argument of up to six of the letters that matter. */
TEST(all_short_arguments_come_back)
{
    static const char letters[] = {'a', ' ', '"', '\\'};

    for (unsigned length = 0; length <= 6; length++)
        for (unsigned code = 0; code < 1u << 2 * length; code++) {
            char arg[8] = "";

            for (unsigned i = 0; i < length; i++)
                arg[i] = letters[code >> 2 * i & 3];
            round_trip((const char *const[]){"x", arg, "next", NULL});
        }
}

TEST(what_cannot_be_said_is_refused)
{
    FREED(jw_buf) line = JW_BUF((size_t)4 * LONG), small = JW_BUF(8);

    CHECK(!jw_winargv_line(&line, (const char *const[]){"a\"b", NULL}, &err));
    CHECK_NUM(err.code, JW_E_USAGE);
    CHECK(!jw_winargv_line(&line, (const char *const[]){NULL}, &err));
    CHECK(!jw_winargv_line(&small, (const char *const[]){"x", "longer", NULL}, &err));
    CHECK_NUM(err.code, JW_E_LIMIT);
}
