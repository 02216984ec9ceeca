#include "check.h"
#include "driver/worker/worker.h"
#include "os/machine/time.h"
#include "prime/commands/watching.h"
#include "rigs/variables.h"

#include <stdio.h>
#include <stdlib.h>

static bool page_says(const char *page, const char *words)
{
    const char *source = getenv("JW_SOURCE_DIR");
    static char text[1 << 17];
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/docs/%s", source ? source : ".", page);

    FILE *f = fopen(path, "rb");

    CHECK(f);
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = '\0';
    if (f)
        (void)fclose(f);

    size_t n = 0;

    /* Pages break their lines anywhere. */
    for (const char *c = text; *c; c++)
        if (!strchr(" \n", *c) || (n > 0 && text[n - 1] != ' '))
            text[n++] = *c == '\n' ? ' ' : *c;
    text[n] = '\0';
    return strstr(text, words) != NULL;
}

/* Tests reach these limits sooner (JW_TEST_HURRY), so they do not show how long users wait. */
TEST(users_wait_as_long_as_the_pages_say)
{
    set_variable("JW_TEST_HURRY", NULL);
    CHECK_NUM(jw_time_limit_ms(PRIME_QUIET_MS), 10000);
    CHECK(page_says("recorded-commands.md", "when its start is over (nothing was loaded for 10 seconds)"));
    CHECK(page_says("kits.md", "until it has loaded no module for ten seconds"));
    CHECK_NUM(jw_time_limit_ms(JW_LEFT_MS), 10000);
    CHECK(page_says("recorded-commands.md", "still runs ten seconds after the command has ended"));
    CHECK(page_says("kits.md", "until they open nothing for ten seconds, a minute at most"));
    CHECK_NUM(jw_time_limit_ms(JW_WORKER_START_MS), 60000);
}

TEST(a_test_waits_less)
{
    set_variable("JW_TEST_HURRY", "20");
    CHECK_NUM(jw_time_limit_ms(JW_WORKER_START_MS), 3000);
    set_variable("JW_TEST_HURRY", "");
    CHECK_NUM(jw_time_limit_ms(JW_WORKER_START_MS), 60000);
    set_variable("JW_TEST_HURRY", NULL);
}
