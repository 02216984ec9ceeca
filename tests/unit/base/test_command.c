#include "check.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/command.h"
#include "base/limits.h"

#include <stdlib.h>

static const struct {
    const char *text, *posix, *windows;
} words[] = {
    {"/home/ada/.nv", "/home/ada/.nv", "/home/ada/.nv"},
    {"a b", "'a b'", "\"a b\""},
    {"it's", "'it'\\''s'", "\"it's\""},
    {"$(reboot)", "'$(reboot)'", "\"?(reboot)\""},
    {"`reboot`", "'`reboot`'", "\"?reboot?\""},
    {"C:\\Users\\Ada", "'C:'\\\\'Users'\\\\'Ada'", "C:\\Users\\Ada"},
    {"C:\\my cache\\", "'C:'\\\\'my cache'\\\\''", "\"C:\\my cache\\\\\""},
    {"", "''", "\"\""},
    {"=ls", "'=ls'", "\"=ls\""},
    {"~", "'~'", "\"~\""},
    {"%PATH%", "%PATH%", "\"?PATH?\""},
    {"a&calc", "'a&calc'", "\"a&calc\""},
    {"a,b", "a,b", "\"a,b\""},
    {"--limit=1.5", "--limit=1.5", "\"--limit=1.5\""},
    {"a\"b", "'a\"b'", "\"a?b\""},
    {"a\xe2\x80\x9d", "'a\xe2\x80\x9d'", "\"a?\""},
    {"x\\'; reboot", "'x'\\\\''\\''; reboot'", "\"x\\'; reboot\""},
    {"a\nb", "\"$(printf 'a\\012b')\"", "\"a?b\""},
    {"\x1b]0;x\a", "\"$(printf '\\033\\1350\\073x\\007')\"", "\"?]0;x?\""},
    {"a\xe2\x80\xae-", "\"$(printf 'a\\342\\200\\256\\055')\"", "\"a?-\""},
    {"a\xe2\x80\x8b-", "\"$(printf 'a\\342\\200\\213\\055')\"", "\"a?-\""},
    {"-n\xff", "\"$(printf '\\055n\\377')\"", "\"-n?\""},
    {"wow!", "'wow!'", "\"wow!\""},
    {"a   (b)", "'a   (b)'", "\"a   (b)\""},
    {"na\xc3\xafve", "'na\xc3\xafve'", "\"na\xc3\xafve\""},
};

TEST_ARENA(a_word)
{
    for (size_t i = 0; i < JW_COUNT(words); i++) {
        CHECK_TEXT(JW_COMMAND(a, false, words[i].text), words[i].posix);
        CHECK_TEXT(JW_COMMAND(a, true, words[i].text), words[i].windows);
    }
}

/* ---- what a shell makes of it ---- */

enum { RANDOM = 2000, LONGEST = 12 };

static const char alphabet[] =
    "ab-'\"\\$`(){}[]<>|&;!*?#~=%^ \t\n\r\x01\x1b\x7f\x80\xc3\xa9\xe2\x80\xae,.:/@+0";

static void random_word(unsigned *seed, char out[LONGEST + 1])
{
    *seed = *seed * 1103515245u + 12345u;
    size_t n = (*seed >> 16) % LONGEST;

    for (size_t i = 0; i < n; i++) {
        *seed = *seed * 1103515245u + 12345u;
        out[i] = alphabet[(*seed >> 16) % (sizeof alphabet - 1)];
    }
    out[n] = '\0';
}

/* Each word that can be shown is printed by the shell with a NUL behind it. */
static void check_shell(const char *shell, struct jw_arena *a)
{
#ifdef _WIN32
    (void)shell, (void)a, (void)random_word;
#else
    FREED(jw_buf) script = JW_BUF(1 << 20), want = JW_BUF(1 << 20), got = JW_BUF(1 << 20);
    char word[LONGEST + 1], command[100], part[4096];
    unsigned seed = 7;
    FILE *f;

    for (size_t i = 0; i < JW_COUNT(words) + RANDOM; i++) {
        const char *text = i < JW_COUNT(words) ? words[i].text : word;

        random_word(&seed, word);
        if (*text && text[strlen(text) - 1] == '\n') /* which sh loses */
            continue;
        jw_buf_printf(&script, "printf '%%s\\0' %s\n", JW_COMMAND(a, false, text));
        jw_buf_add(&want, text, strlen(text) + 1);
    }
    (void)snprintf(command, sizeof command, "LC_ALL=C.UTF-8 %s >command.out", shell);
    f = popen(command, "w");
    CHECK(f && fwrite(script.p, 1, script.n, f) == script.n && pclose(f) == 0);
    f = fopen("command.out", "rb");
    for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0;)
        jw_buf_add(&got, part, n);
    CHECK(f && fclose(f) == 0);
    CHECK_NUM(got.n, want.n);
    for (size_t at = 0; at < got.n && at < want.n; at += strlen((char *)want.p + at) + 1)
        CHECK_TEXT((char *)got.p + at, (char *)want.p + at);
    remove("command.out");
#endif
}

TEST_ARENA(sh_reads_what_was_meant) { check_shell("sh", a); }

TEST_ARENA(other_shells_read_the_same)
{
    if (system("command -v bash >/dev/null") == 0)
        check_shell("bash", a);
    if (system("command -v zsh >/dev/null") == 0)
        check_shell("zsh", a);
    if (system("command -v fish >/dev/null") == 0)
        check_shell("fish", a);
}

/* cmd expands between percent signs and PowerShell after $ and ` even in double quotes, and both
 * end a word at one more quote. */
TEST_ARENA(windows_words_hold_nothing_that_a_shell_reads)
{
    unsigned seed = 7;

    for (size_t i = 0; i < RANDOM; i++) {
        char word[LONGEST + 1];

        random_word(&seed, word);
        const char *text = JW_COMMAND(a, true, word);

        CHECK(!text[strcspn(text, "%$`\n\r\x1b")]);
        if (*text == '"') {
            size_t n = strlen(text), slashes = 0;

            CHECK(n >= 2 && text[n - 1] == '"' && strcspn(text + 1, "\"") == n - 2);
            while (slashes < n - 2 && text[n - 2 - slashes] == '\\')
                slashes++;
            CHECK_NUM(slashes % 2, 0);
        } else {
            CHECK(*text && !text[strcspn(text, " \t'&|<>^();,{}#~*?!")]);
        }
    }
}

/* ---- whole commands ---- */

TEST_ARENA(a_command)
{
    size_t n = JW_MAX_COMMAND;
    char *large = jw_arena_alloc(a, n + 1);

    memset(large, 'x', n);
    large[n] = '\0';
    CHECK_TEXT(JW_COMMAND(a, false, "jitwarm", "prime", "--run", "a b", "$x"),
               "jitwarm prime --run 'a b' '$x'");
    CHECK_TEXT(JW_COMMAND(a, false, "jitwarm", "prime", large),
               "jitwarm ..."); /* half of one is another one */
}

TEST_ARENA(of_many_words_a_screen_is_shown)
{
    const char *many[301] = {NULL}, *text;

    for (size_t i = 0; i < 300; i++)
        many[i] = "/opt/some/library.so";
    text = jw_command_shown(a, many, false);
    CHECK(strlen(text) < 1400);
    CHECK_HAS(text, "library.so ... and 240 more (-v)");
    many[60] = NULL;
    CHECK_TEXT(jw_command_shown(a, many, false), jw_command_text(a, many, false));
}
