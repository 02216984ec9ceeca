#include "base/compiler.h"
#include "base/limits.h"
#include "base/text.h"
#include "os/machine/ask.h"
#include "prime/command/prime_view.h"

static bool is_yes(const char *line, bool usual)
{
    static const char *const yes[] = { "y", "yes" };

    for (size_t i = 0; i < JW_COUNT(yes); i++)
        if (jw_text_equal_nocase(line, yes[i]))
            return true;
    return usual && !*line;
}

bool prime_ask(struct cli *cli, FILE *in, const struct jw_prime_report *plan, const char *question,
               bool usual)
{
    struct prime_view v = { .verb = PRIME_PLAN, .report = plan };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    char line[16];

    prime_say_head(&text, &v);
    jw_messages_progress_end(&cli->messages);
    jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&text));
    jw_buf_clear(&text);
    jw_say(&text, "%s%s", question, usual ? " [Y/n] " : " [y/N] ");
    jw_messages_page(&cli->messages, jw_buf_cstr(&text));
    jw_buf_free(&text);
    return jw_ask_line(in, line, sizeof line, cli->interrupted) && is_yes(line, usual);
}
