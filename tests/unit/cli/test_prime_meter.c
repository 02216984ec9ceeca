/* The numbers that are shown while a prime runs, and the lines in which they are shown. */
#include "base/compiler.h"
#include "base/text.h"
#include "check.h"
#include "cli/prime_progress.h"

static struct jw_buf page = { .max = 1 << 16 };

static const struct jw_prime_slot slots[] = {
    { "libggml-cuda.so: flash_attn", 12400000, 38 },
    { "a.so", 1860000, 2.5 },
    { "libggml-cuda.so: mul_mat_q", 900000, 72 },
    { "한국어.so: 커널", 60000, 38 },
    { "b\n\033[2J.so", 100, 0 },
    { "c.so", 100, 0 },
};

static struct jw_prime_progress half(size_t n_slots)
{
    return (struct jw_prime_progress){ .phase = JW_PHASE_COMPILE,
                                       .done = 41,
                                       .total = 143,
                                       .done_bytes = 108000000,
                                       .total_bytes = 266000000,
                                       .seconds = 60,
                                       .eta = 72,
                                       .slots = slots,
                                       .n_slots = n_slots,
                                       .slowest = "mmq.cu",
                                       .slowest_seconds = 58 };
}

static const char *lines(const struct jw_prime_progress *p, unsigned columns)
{
    struct prime_meter m = { 0 };

    prime_meter_feed(&m, p);
    jw_buf_clear(&page);
    prime_meter_lines(&page, &m, p, columns);
    return jw_buf_cstr(&page);
}

static const char *sentence(const struct jw_prime_progress *p)
{
    struct prime_meter m = { 0 };

    prime_meter_feed(&m, p);
    jw_buf_clear(&page);
    prime_meter_sentence(&page, &m, p);
    return jw_buf_cstr(&page);
}

TEST(a_screen_of_eighty_columns)
{
    struct jw_prime_progress p = half(2);

    CHECK_TEXT(lines(&p, 80), "[######........] 45 %, 41 of 143, 1 min elapsed, about 1 min 12 s left\n"
                              "  libggml-cuda.so: flash_attn");
}

TEST(every_width_is_kept)
{
    static const unsigned widths[] = { 2, 3, 5, 10, 20, 40, 80, 132, 300 };
    struct jw_prime_progress p = half(JW_COUNT(slots));

    p.failed = 3;
    for (size_t i = 0; i < JW_COUNT(widths); i++) {
        const char *at = lines(&p, widths[i]);

        CHECK(!strpbrk(at, "\033\r\t"));
        for (size_t n; *at; at += n + (at[n] == '\n')) {
            char line[1024];

            n = strcspn(at, "\n");
            (void)snprintf(line, sizeof line, "%.*s", (int)n, at);
            CHECK(jw_text_width(line) < widths[i]);
        }
    }
}

TEST(what_matters_most_is_kept_when_it_is_narrow)
{
    struct jw_prime_progress p = half(1);

    CHECK_TEXT(lines(&p, 20), "45 %, 41 of 143\n  libggml-cuda.so:…");
    p.n_slots = 0;
    CHECK_TEXT(lines(&p, 40), "45 %, 41 of 143, about 1 min 12 s left");
    p.failed = 2;
    CHECK_TEXT(lines(&p, 60), "45 %, 41 of 143, about 1 min 12 s left, 2 failed");
}

TEST(what_runs_longest_is_named)
{
    struct jw_prime_progress p = half(JW_COUNT(slots));

    CHECK_HAS(lines(&p, 132), "left\n  libggml-cuda.so: mul_mat_q");
    p.slots += 4;
    p.n_slots = 1;
    CHECK_HAS(lines(&p, 132), "left\n  b\\x0a\\x1b[2J.so");
    p.n_slots = 0;
    CHECK(strchr(lines(&p, 132), '\n') == NULL);
}

TEST(every_phase_has_its_line)
{
    struct jw_prime_progress p = { .phase = JW_PHASE_LOOK, .at = "/opt/x", .eta = -1 };

    CHECK_TEXT(lines(&p, 80), "looking for CUDA code: /opt/x");
    p = (struct jw_prime_progress){ .phase = JW_PHASE_ASK_DRIVER, .eta = -1 };
    CHECK_TEXT(lines(&p, 80), "asking the driver");
    p = (struct jw_prime_progress){ .phase = JW_PHASE_VERIFY, .done = 10, .total = 143, .eta = -1 };
    CHECK_TEXT(lines(&p, 80), "verifying [#.........................] 6 %, 10 of 143, under 1 s elapsed");
    p = (struct jw_prime_progress){ .phase = JW_PHASE_COMPILE, .eta = -1 };
    CHECK_HAS(lines(&p, 80), "0 %, under 1 s elapsed");
    p.total = 24;
    CHECK_TEXT(lines(&p, 80), "[................] 0 %, 0 of 24, under 1 s elapsed, no estimate yet");
    CHECK_TEXT(lines(&p, 60), "[..................] 0 %, 0 of 24, under 1 s elapsed");
}

TEST(a_file_gets_sentences)
{
    struct jw_prime_progress p = half(2);

    CHECK_TEXT(sentence(&p), "41 of 143 modules, 103 of 254 MiB, about 1 min 12 s left, 0 failed");
    p.eta = -1;
    p.failed = 2;
    CHECK_TEXT(sentence(&p), "41 of 143 modules, 103 of 254 MiB, no estimate yet, 2 failed");
    p.done = p.total;
    p.done_bytes = p.total_bytes;
    p.eta = 0;
    CHECK_TEXT(sentence(&p), "143 of 143 modules, 254 of 254 MiB, 2 failed");
    p.phase = JW_PHASE_VERIFY;
    CHECK_TEXT(sentence(&p), "verifying: 143 of 143 modules, 2 failed");
    p.phase = JW_PHASE_LOOK;
    p.at = "/opt\n";
    CHECK_TEXT(sentence(&p), "looking for CUDA code: /opt\\x0a");
}

/* A run of `length` seconds whose estimate is off by up to a half, to and fro. */
TEST(the_remaining_time_does_not_jump)
{
    struct prime_meter m = { 0 };
    struct jw_prime_progress p = half(0);
    double before = -1, length = 200;
    unsigned seed = 1;

    for (double t = 0; t < length; t += .1) {
        seed = seed * 1103515245u + 12345u;
        p.seconds = t;
        p.done_bytes = (uint64_t)((double)p.total_bytes * t / length);
        p.eta = (length - t) * (.5 + (double)(seed >> 16 & 0x3ff) / 1024);
        prime_meter_feed(&m, &p);
        if (t > 1 && before >= 0 && (m.eta > before + 2 || m.eta < before - 2.5))
            check_equal_num(__FILE__, __LINE__, "jumps at", (unsigned long long)t, 0);
        before = m.eta;
    }
    CHECK(m.eta < 5);
    p.eta = -1;
    prime_meter_feed(&m, &p);
    CHECK(m.eta >= 0); /* what was known stays */
}

TEST(a_true_estimate_is_counted_down)
{
    struct prime_meter m = { 0 };
    struct jw_prime_progress p = half(0);

    for (double t = 0; t <= 100; t += .1) {
        p.seconds = t;
        p.eta = 100 - t;
        prime_meter_feed(&m, &p);
        CHECK(m.eta > 100 - t - .01 && m.eta < 100 - t + .01);
    }
}

/* One module of 143 takes five minutes where seconds were predicted. */
TEST(it_does_not_stand_at_99_percent)
{
    struct prime_meter m = { 0 };
    struct jw_prime_progress p = half(1);
    double last = 0, stands = 0;

    for (double t = 0; t < 360; t += .1) {
        bool over = t > 60;

        p.seconds = t;
        p.done = over ? 142 : (uint64_t)(142 * t / 60);
        p.done_bytes = over ? 265000000 : (uint64_t)(265000000 * t / 60);
        p.eta = over ? 0 : 61 - t;
        p.late = over ? t - 60 : 0;
        prime_meter_feed(&m, &p);
        CHECK(m.part >= last && m.part < 1);
        last = m.part;
        jw_buf_clear(&page);
        prime_meter_lines(&page, &m, &p, 100);
        stands += strstr(jw_buf_cstr(&page), "99 %") ? .1 : 0;
    }
    CHECK(stands < 8);
    CHECK_HAS(jw_buf_cstr(&page), "142 of 143, 5 min 59 s elapsed, the last takes longer than predicted");
    p.done = 143;
    p.done_bytes = p.total_bytes;
    prime_meter_feed(&m, &p);
    CHECK(m.part >= 1);
}

/* 30 are left behind one module that takes three minutes longer than predicted: the time left stands meanwhile. */
TEST(the_time_left_does_not_rise_behind_a_late_module)
{
    struct prime_meter m = { 0 };
    struct jw_prime_progress p = half(1);
    double before = 1e9;

    for (double t = 0; t < 200; t += .1) {
        p.seconds = t;
        p.eta = t < 20 ? 80 - t : 60;
        p.late = t < 20 ? 0 : t - 20;
        prime_meter_feed(&m, &p);
        CHECK(m.eta <= before + 1e-9);
        before = m.eta;
        jw_buf_clear(&page);
        prime_meter_lines(&page, &m, &p, 100);
        if (t > 26)
            CHECK_HAS(jw_buf_cstr(&page), t < 79   ? "at least 1 min left"
                                          : t < 81 ? ""
                                                   : "a large module takes longer than predicted");
    }
    CHECK(m.part > .7 && m.part < .8); /* of what is elapsed and what is left */
    p.seconds += .1;
    p.eta = 59.9;
    p.late = 0;
    prime_meter_feed(&m, &p);
    jw_buf_clear(&page);
    prime_meter_lines(&page, &m, &p, 100);
    CHECK_HAS(jw_buf_cstr(&page), "about 59 s left");
}

/* Bytes alone would say 99 %; minutes are left. */
TEST(the_part_is_not_more_than_the_time_allows)
{
    struct prime_meter m = { 0 };
    struct jw_prime_progress p = half(0);

    p.done_bytes = 264000000;
    p.seconds = 60;
    p.eta = 180;
    prime_meter_feed(&m, &p);
    CHECK(m.part > .24 && m.part < .26);
}

TEST(each_phase_begins_anew)
{
    struct prime_meter m = { 0 };
    struct jw_prime_progress p = half(0);

    prime_meter_feed(&m, &p);
    CHECK_NUM(prime_meter_percent(&m), 45);
    p.phase = JW_PHASE_VERIFY;
    p.eta = -1;
    p.done = 0;
    prime_meter_feed(&m, &p);
    CHECK_NUM(prime_meter_percent(&m), 0);
}

MAIN(argc, argv)
{
    int code = RUN(argc, argv);

    jw_buf_free(&page);
    return code;
}
