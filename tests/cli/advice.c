/*
 * advice: reads what stands behind `jitwarm`, a command line in each line, and parses it as the program would. Prints those that
 * it would refuse, with the reason; exit 1 when there are any.
 */
#include "base/arena.h"
#include "base/compiler.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 64 };

static bool accepted(struct jw_arena *a, char **words, int n, struct jw_err *err)
{
    const struct cmd *cmd = jw_cmd_find(words[0]);
    struct common common = { 0 };
    struct jw_texts rest = { 0 };

    if (!cmd)
        return jw_fail(err, JW_E_USAGE, "there is no such verb");
    const struct opt_set sets[] = { { cmd->opts, jw_arena_alloc(a, cmd->args_size), cmd->command },
                                    { cmd->report ? jw_report_opts : NULL, &common, false },
                                    { cmd->cache ? jw_cache_opts : NULL, &common, false },
                                    { jw_common_opts, &common, false } };

    return jw_opt_parse(sets, JW_COUNT(sets), n - 1, words + 1, &rest, a, err)
           && jw_opt_check_count(cmd, &rest, err);
}

int main(void)
{
    char line[4096], text[4096], *words[WORDS_MAX];
    int refused = 0;

    while (fgets(line, sizeof line, stdin)) {
        struct jw_arena a = { 0 };
        struct jw_err err = { 0 };
        int n = 0;

        line[strcspn(line, "\n")] = '\0';
        memcpy(text, line, sizeof text);
        for (char *w = strtok(text, " "); w && n < WORDS_MAX - 1; w = strtok(NULL, " "))
            words[n++] = w;
        words[n] = NULL;
        if (n && !accepted(&a, words, n, &err)) {
            printf("jitwarm %s: %s\n", line, err.msg);
            refused = 1;
        }
        jw_arena_free(&a);
    }
    return refused;
}
