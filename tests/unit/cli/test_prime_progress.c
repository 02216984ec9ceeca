/* What is reported while a prime runs, where it goes to a terminal and where it does not. */
#include "check.h"
#include "cli/prime_progress.h"

static struct jw_messages messages;
static struct prime_progress progress;

static struct jw_place place = { .path = "lib\n.so" };
static const struct jw_job failed = { .state = JW_JOB_FAILED,
                                      .code = 218,
                                      .code_name = "CUDA_ERROR_INVALID_PTX",
                                      .why = "it is no PTX",
                                      .module = { .places = &place, .n_places = 1 } };
static const struct jw_job warmed = { .state = JW_JOB_WARMED, .module = { .places = &place, .n_places = 1 } };

static bool opened(bool terminal, enum jw_messages_level level)
{
    FILE *to = tmpfile();

    if (!to)
        return false;
    jw_messages_open(&messages, to, terminal, 60);
    messages.level = level;
    messages.moves = true;
    progress = (struct prime_progress){ .messages = &messages };
    return true;
}

static const char *told(void)
{
    static char text[4096];
    size_t n;

    jw_messages_progress_end(&messages);
    (void)fflush(messages.to);
    rewind(messages.to);
    n = fread(text, 1, sizeof text - 1, messages.to);
    text[n] = '\0';
    (void)fclose(messages.to);
    return text;
}

static void show(double seconds, const struct jw_job *finished)
{
    struct jw_prime_progress p = { .phase = JW_PHASE_COMPILE,
                                   .done = 41,
                                   .total = 143,
                                   .done_bytes = 108000000,
                                   .total_bytes = 266000000,
                                   .seconds = seconds,
                                   .eta = -1,
                                   .finished = finished };

    prime_progress_show(&progress, &(struct jw_progress){ .prime = &p });
}

#define LINE "jitwarm: 41 of 143 modules, 103 of 254 MiB, no estimate yet, 0 failed\n"
#define FAILURE "jitwarm: lib\\x0a.so: the driver refused it: CUDA_ERROR_INVALID_PTX (218): it is no PTX\n"

TEST(a_file_gets_a_line_every_five_seconds)
{
    if (!opened(false, MESSAGES_NORMAL))
        SKIP("no temporary file");
    for (int tenth = 0; tenth < 120; tenth++)
        show(tenth / 10.0, NULL);
    CHECK_TEXT(told(), LINE LINE);
}

TEST(verbose_tells_each_failure_at_once)
{
    if (!opened(false, MESSAGES_VERBOSE))
        SKIP("no temporary file");
    show(.5, &failed);
    show(.6, &warmed);
    show(6, &failed);
    CHECK_TEXT(told(), FAILURE FAILURE LINE);
}

TEST(the_answer_groups_failures)
{
    static const enum jw_messages_level levels[] = { MESSAGES_QUIET, MESSAGES_NORMAL };

    for (size_t i = 0; i < JW_COUNT(levels); i++) {
        if (!opened(false, levels[i]))
            SKIP("no temporary file");
        show(1, &failed);
        show(2, &warmed);
        CHECK_TEXT(told(), "");
    }
}

TEST(a_terminal_gets_a_block_that_goes_away)
{
    if (!opened(true, MESSAGES_NORMAL))
        SKIP("no temporary file");
    show(.5, NULL);
    CHECK_TEXT(told(), "");
    if (!opened(true, MESSAGES_NORMAL))
        SKIP("no temporary file");
    messages.pace.started = true;
    show(6, &failed);
    CHECK_TEXT(told(), "\r[................] 0 %, 41 of 143, 6 s elapsed\033[K\r\033[J");
}

TEST(verbose_tells_failures_above_the_block)
{
    if (!opened(true, MESSAGES_VERBOSE))
        SKIP("no temporary file");
    messages.pace.started = true;
    show(6, NULL);
    show(6.1, &failed);
    CHECK_HAS(told(), "\033[K\r\033[J" FAILURE);
}

static void show_part(enum jw_prime_phase phase, uint64_t done, double seconds, double eta)
{
    struct jw_prime_progress p = { .phase = phase,
                                   .done = done,
                                   .total = 40,
                                   .done_bytes = done << 20,
                                   .total_bytes = 40 << 20,
                                   .seconds = seconds,
                                   .eta = eta };

    prime_progress_show(&progress, &(struct jw_progress){ .what = "verifying", .prime = &p });
}

TEST(several_primes_are_one)
{
    const struct prime_whole whole = { .seconds_here = 40,
                                       .seconds_after = 60,
                                       .done = 60,
                                       .here = 40,
                                       .total = 200,
                                       .done_ptx = 60 << 20,
                                       .here_ptx = 40 << 20,
                                       .total_ptx = 200 << 20,
                                       .part = .4 };

    if (!opened(false, MESSAGES_NORMAL))
        SKIP("no temporary file");
    progress.whole = &whole;
    show_part(JW_PHASE_LOOK, 0, 10, -1);
    CHECK_NUM(prime_meter_percent(&progress.meter), 40);
    show_part(JW_PHASE_COMPILE, 10, 20, 30);
    CHECK_NUM(prime_meter_percent(&progress.meter), 40);
    show_part(JW_PHASE_VERIFY, 5, 70, -1);
    CHECK(prime_meter_percent(&progress.meter) > 50);
    CHECK_TEXT(told(), "jitwarm: 60 of 200 modules, 60 of 200 MiB, about 1 min 40 s left, 0 failed\n"
                       "jitwarm: 70 of 200 modules, 70 of 200 MiB, about 1 min 30 s left, 0 failed\n"
                       "jitwarm: 100 of 200 modules, 100 of 200 MiB, about 1 min left, 0 failed\n");
}
