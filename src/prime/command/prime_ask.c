#include "base/limits.h"
#include "prime/command/prime_view.h"

bool prime_ask(struct cli *cli, FILE *in, const struct jw_prime_report *plan, const char *question,
               bool usual)
{
    struct prime_view v = { .verb = PRIME_PLAN, .report = plan };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    prime_say_head(&text, &v);
    jw_messages_progress_end(&cli->messages);
    if (plan->counts[JW_JOB_TODO] || plan->counts[JW_JOB_NO_ROOM]) /* else "nothing to do", and a question */
        jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
    return jw_cli_ask(cli, in, question, usual);
}
