/* What status says of a prime that is at work meanwhile. */
#include "cache/memory/progress_json.h"
#include "check.h"
#include "verbs/status.h"

static const struct jw_prime_slot slots[] = { { "libggml-cuda.so: flash_attn", 12400000, 38 },
                                              { "a\n\033[2J.so", 1860000, 72 },
                                              { "c.so", 1, 1 } };

static const struct jw_progress_record busy = { .who = { .pid = 4711, .since = 1790000000 },
                                                .now = { .phase = JW_PHASE_COMPILE,
                                                         .done = 41,
                                                         .total = 143,
                                                         .failed = 2,
                                                         .done_bytes = 108000000,
                                                         .total_bytes = 266000000,
                                                         .seconds = 63,
                                                         .eta = 72,
                                                         .slots = slots,
                                                         .n_slots = 3,
                                                         .slowest = "mmq.cu",
                                                         .slowest_seconds = 58 } };

static const char *answer_of(const struct jw_status_report *report, bool json)
{
    static char text[16384];
    struct jw_status_report r = *report;
    struct status_view v = { .report = &r };
    struct jw_arena arena = { 0 };
    struct cli cli = { .arena = &arena, .common.json = json };
    FILE *to = tmpfile();
    struct jw_err err = { 0 };

    text[0] = '\0';
    if (!to)
        return text;
    r.dir.folder = "/home/u/.nv/ComputeCache";
    jw_output_open(&cli.out, to, 0, 100);
    CHECK(jw_cli_report(&cli, &status_form, &v, &err));
    CHECK(jw_output_close(&cli.out, &err));
    rewind(to);
    text[fread(text, 1, sizeof text - 1, to)] = '\0';
    (void)fclose(to);
    jw_arena_free(&arena);
    return text;
}

static const char *answer(const struct jw_progress_record *running, bool json)
{
    return answer_of(&(struct jw_status_report){ .running = running }, json);
}

TEST(nobody_is_at_work)
{
    CHECK(!strstr(answer(NULL, false), "Running"));
    CHECK_HAS(answer(NULL, true), "\n  \"running\": null,\n");
}

TEST(a_prime_is_shown_with_what_it_does_now)
{
    CHECK_HAS(answer(&busy, false),
              "\nRunning   prime (process 4711), for 1 min 3 s: 41 of 143 modules, "
              "103 of 254 MiB, about 1 min 12 s\n"
              "          left, 2 failed; now a\\x0a\\x1b[2J.so (1 min 12 s) and 2 more; "
              "slowest so far: mmq.cu, 58 s\n");
}

TEST(scripts_get_all_of_it)
{
    CHECK_HAS(answer(&busy, true), "  \"running\": {\n    \"pid\": 4711,\n    \"started\": 1790000000,\n"
                                   "    \"phase\": \"compile\",\n    \"at\": null,\n    \"done\": 41,\n"
                                   "    \"total\": 143,\n    \"failed\": 2,\n");
    CHECK_HAS(answer(&busy, true),
              "\"slowest\": {\n      \"what\": \"mmq.cu\",\n      \"seconds\": 58.000\n    }\n  },");
}

TEST(one_that_has_not_reported_yet)
{
    struct jw_progress_record t = { .who = { .pid = 4711, .since = 1790000000 },
                                    .now = { .seconds = 3, .eta = -1 } };
    struct jw_status_report r = { .running = &t, .running_silent = true };

    CHECK_HAS(answer_of(&r, false),
              "\nRunning   another jitwarm (process 4711), for 3 s: it has not compiled anything yet\n");
    CHECK_HAS(answer_of(&r, true), "\"running\": {\n    \"silent\": true,\n    \"pid\": 4711,\n");
    t.who = (struct jw_warm_holder){ 0 };
    CHECK_HAS(answer_of(&r, false), "\nRunning   another jitwarm: it has not compiled anything yet\n");
}
