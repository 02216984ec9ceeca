#include "check.h"
#include "cli/cli.h"
#include "cli/progress.h"

static struct jw_progress at(double seconds, double eta, uint64_t done)
{
    return (struct jw_progress){
        .phase = JW_PHASE_COMPILE, .seconds = seconds, .eta = eta, .done = done, .total = 10};
}

TEST(the_part_is_of_the_time_and_never_falls)
{
    struct jw_meter m = {0};
    struct jw_progress p = at(0, 100, 0);
    unsigned before = 0;

    for (int second = 0; second <= 100; second++) {
        p = at(second, second < 50 ? 100 - second : 150 - second, 3);
        jw_meter_feed(&m, &p);
        CHECK(m.percent >= before && m.percent <= 99);
        before = m.percent;
        if (second == 25)
            CHECK(before >= 20 && before <= 30);
    }
    p = at(101, 0, 10);
    jw_meter_feed(&m, &p);
    CHECK_NUM(m.percent, 100);
    p.phase = JW_PHASE_VERIFY;
    p.done = 5;
    jw_meter_feed(&m, &p);
    CHECK_NUM(m.percent, 50);      /* each phase begins at nothing */
    CHECK(!jw_meter_logs(&m, &p)); /* there may be nothing to wait for */
}

static const char *said(const struct jw_progress *p)
{
    static struct jw_buf out = {.max = 4096};

    jw_buf_clear(&out);
    jw_meter_say(&out, p);
    return jw_buf_cstr(&out);
}

TEST(a_line_says_what_is_done_left_and_at_work)
{
    struct jw_progress p = at(10, 841, 4);

    p.at = "b\033";
    p.failed = 1;
    CHECK_TEXT(said(&p), "4 of 10 compiled, about 15 min left, 1 failed: b\\x1b");
    p.late = 100;
    CHECK_TEXT(said(&p),
               "4 of 10 compiled, 1 failed: b\\x1b takes longer than predicted, 1 min 40 s so far");
    p = (struct jw_progress){.phase = JW_PHASE_LOOK, .at = "/opt/x"};
    CHECK_TEXT(said(&p), "looking for CUDA code: /opt/x");
}

TEST(a_log_says_once_of_each_module_that_it_takes_long)
{
    struct jw_meter m = {0};
    unsigned lines = 0;

    for (int second = 0; second < 600; second++) {
        struct jw_progress p = at(second, 100, 0);

        p.late = second < 20 ? 0 : second % 300; /* another one from 300 on */
        if (jw_meter_logs(&m, &p))
            lines += p.late > 0 ? 100 : 1;
    }
    CHECK(lines > 200 && lines < 220);
}

/* The count is of modules, the percentage of the time: "68 %, 0 of 22" would contradict itself. */
TEST(a_percentage_says_what_it_is_of_and_the_line_goes_before_a_command_writes)
{
    struct cli cli = {.messages = {.to = tmpfile(), .terminal = true, .columns = 60, .due = 1}};
    struct jw_progress p = at(68, 32, 0);
    char text[256] = "";

    if (!cli.messages.to)
        SKIP("no temporary file");
    cli.meter = (struct jw_meter){.phase = JW_PHASE_COMPILE};
    jw_progress_show(&cli, &p);
    CHECK(cli.messages.drawn);
    jw_progress_show(&cli, &(struct jw_progress){0});
    CHECK(!cli.messages.drawn);
    rewind(cli.messages.to);
    CHECK(fgets(text, sizeof text, cli.messages.to));
    CHECK_HAS(text, "68 % of the time, 0 of 10 compiled");
    (void)fclose(cli.messages.to);
}
