/* Records of the worker that holds an NVRTC, there and back, and those that are none. */
#include "check.h"
#include "driver/worker/proto.h"

#include <stdlib.h>

static struct jw_rtc_msg sample(enum jw_rtc_msg_kind kind)
{
    struct jw_rtc_msg m = { .kind = kind };

    switch (kind) {
    case JW_RTC_HELLO:
        m.as.hello.protocol = JW_RTC_PROTO_VERSION;
        m.as.hello.program = "0.1";
        break;
    case JW_RTC_LIBRARY:
        m.as.library.path = "/a b/libnvrtc.so.13";
        m.as.library.major = 13;
        m.as.library.minor = 5;
        m.as.library.simulated = true;
        m.as.library.n_archs = 2;
        m.as.library.archs[0] = 75;
        m.as.library.archs[1] = 121;
        break;
    case JW_RTC_JOB:
        m.as.job.name = "한글.cu";
        m.as.job.size = JW_MAX_CU_SOURCE;
        m.as.job.n_options = 2;
        m.as.job.options[0] = "--gpu-architecture=compute_86";
        m.as.job.options[1] = "";
        break;
    case JW_RTC_SOURCE:
    case JW_RTC_PTX:
    case JW_RTC_LOG: m.as.part = JW_BYTES("some\0bytes"); break;
    case JW_RTC_DONE:
        m.as.done.result = 6;
        m.as.done.milliseconds = UINT32_MAX;
        m.as.done.log_cut = true;
        m.as.done.name = "NVRTC_ERROR_COMPILATION";
        break;
    case JW_RTC_ABSENT:
    case JW_RTC_REFUSED:
        m.as.refused.code = JW_E_LIMIT;
        m.as.refused.text = "no room";
        break;
    }
    return m;
}

/* Writes `m` and reads it back from its own allocation, which is the caller's to free. */
static uint8_t *round_trip(const struct jw_rtc_msg *m, struct jw_rtc_msg *back)
{
    struct jw_buf out = JW_BUF(1 << 20);
    struct jw_err err = { 0 };
    size_t n = 0;

    jw_rtc_put(&out, m);
    CHECK(!out.bad && jw_record_length(out.p, &n, &err));
    CHECK_NUM(n, out.n - JW_RECORD_PREFIX);

    uint8_t *record = malloc(n);

    memcpy(record, out.p + JW_RECORD_PREFIX, n);
    CHECK(jw_rtc_get((struct jw_bytes){ record, n }, back, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(back->kind == m->kind);
    jw_buf_free(&out);
    return record;
}

TEST(fields_come_back)
{
    struct jw_rtc_msg m = sample(JW_RTC_LIBRARY), back;
    uint8_t *record = round_trip(&m, &back);

    CHECK(back.as.library.major == 13 && back.as.library.minor == 5 && back.as.library.simulated);
    CHECK(back.as.library.n_archs == 2 && back.as.library.archs[0] == 75 && back.as.library.archs[1] == 121);
    CHECK_TEXT(back.as.library.path, "/a b/libnvrtc.so.13");
    free(record);

    m = sample(JW_RTC_JOB);
    record = round_trip(&m, &back);
    CHECK_TEXT(back.as.job.name, "한글.cu");
    CHECK(back.as.job.size == JW_MAX_CU_SOURCE && back.as.job.n_options == 2);
    CHECK_TEXT(back.as.job.options[0], "--gpu-architecture=compute_86");
    CHECK_TEXT(back.as.job.options[1], "");
    free(record);

    m = sample(JW_RTC_DONE);
    record = round_trip(&m, &back);
    CHECK(back.as.done.result == 6 && back.as.done.milliseconds == UINT32_MAX && back.as.done.log_cut);
    CHECK_TEXT(back.as.done.name, "NVRTC_ERROR_COMPILATION");
    free(record);

    m = sample(JW_RTC_REFUSED);
    record = round_trip(&m, &back);
    CHECK_NUM(back.as.refused.code, JW_E_LIMIT);
    CHECK_TEXT(back.as.refused.text, "no room");
    free(record);

    m = sample(JW_RTC_PTX);
    record = round_trip(&m, &back);
    CHECK(back.as.part.n == 10 && memcmp(back.as.part.p, "some\0bytes", 10) == 0);
    free(record);
}

/* The bytes are the layout; they must not change while the protocol's number stays. */
TEST(the_layout_is_fixed)
{
    static const uint8_t want[] = {
        22, 0, 0, 0, JW_RTC_REFUSED, 0, 4, 0, 0, 0, 7, 0, 0, 0, 'n', 'o', ' ', 'r', 'o', 'o', 'm', 0
    };
    struct jw_buf out = JW_BUF(100);
    struct jw_rtc_msg m = sample(JW_RTC_REFUSED);

    jw_rtc_put(&out, &m);
    CHECK_NUM(out.n, sizeof want);
    CHECK(memcmp(out.p + 4, want + 4, sizeof want - 4) == 0 && jw_le32(out.p) == sizeof want - 4);
    jw_buf_free(&out);
}

static bool is_part(int kind)
{
    return kind == JW_RTC_SOURCE || kind == JW_RTC_PTX || kind == JW_RTC_LOG;
}

TEST(every_cut_and_every_tail_is_refused)
{
    for (int kind = JW_RTC_HELLO; kind <= JW_RTC_REFUSED; kind++) {
        struct jw_rtc_msg m = sample((enum jw_rtc_msg_kind)kind), back;
        struct jw_buf out = JW_BUF(1 << 20);
        struct jw_err err = { 0 };

        jw_rtc_put(&out, &m);
        jw_buf_fill(&out, 0, 1);

        size_t n = out.n - JW_RECORD_PREFIX;

        for (size_t cut = 0; cut <= n; cut++)
            if (cut != n - 1 && !(is_part(kind) && cut > 2))
                CHECK(!jw_rtc_get((struct jw_bytes){ out.p + JW_RECORD_PREFIX, cut }, &back, &err));
        jw_buf_free(&out);
    }
}

TEST(nonsense_is_refused)
{
    static const uint8_t unknown[] = { 99, 0 }, zero[] = { 0, 0 };
    static const uint8_t too_large[] = { JW_RTC_JOB, 0, 1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    static const uint8_t too_many[] = { JW_RTC_JOB, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
    static const uint8_t neither[] = { JW_RTC_LIBRARY, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    static const uint8_t no_code[] = { JW_RTC_ABSENT, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    static const uint8_t no_such_code[] = { JW_RTC_ABSENT, 0, 77, 0, 0, 0, 0, 0, 0, 0, 0 };
    static const uint8_t open[] = { JW_RTC_ABSENT, 0, 1, 0, 0, 0, 1, 0, 0, 0, 'a', 'b' };
    static const struct jw_bytes all[] = {
        { unknown, sizeof unknown },           { zero, sizeof zero },       { too_large, sizeof too_large },
        { too_many, sizeof too_many },         { neither, sizeof neither }, { no_code, sizeof no_code },
        { no_such_code, sizeof no_such_code }, { open, sizeof open },
    };

    for (size_t i = 0; i < JW_COUNT(all); i++) {
        struct jw_err err = { 0 };
        struct jw_rtc_msg m;

        CHECK(!jw_rtc_get(all[i], &m, &err));
        CHECK_NUM(err.code, JW_E_FORMAT);
        CHECK_HAS(err.msg, "nvrtc worker: ");
    }
}

TEST(a_later_protocol_is_read_as_far_as_its_number)
{
    static const uint8_t later[] = { JW_RTC_HELLO, 0, 9, 0, 0, 0, 1, 2, 3 };
    struct jw_rtc_msg m;
    struct jw_err err = { 0 };

    CHECK(jw_rtc_get((struct jw_bytes){ later, sizeof later }, &m, &err));
    CHECK_NUM(m.as.hello.protocol, 9);
    CHECK_TEXT(m.as.hello.program, "");
}

TEST(lengths_have_a_ceiling)
{
    uint8_t prefix[4];
    struct jw_err err = { 0 };
    size_t n;

    jw_put32(prefix, JW_MAX_RECORD);
    CHECK(jw_record_length(prefix, &n, &err) && n == JW_MAX_RECORD);
    jw_put32(prefix, JW_MAX_RECORD + 1);
    CHECK(!jw_record_length(prefix, &n, &err));
    jw_put32(prefix, 1);
    CHECK(!jw_record_length(prefix, &n, &err));
    CHECK_TEXT(err.msg, "worker: no record has 1 bytes");
}

TEST(what_is_too_long_makes_the_buffer_bad)
{
    struct jw_rtc_msg m = sample(JW_RTC_ABSENT);
    struct jw_buf out = JW_BUF(1 << 20);
    char *path = malloc(JW_MAX_PATH + 2);

    memset(path, 'a', JW_MAX_PATH + 1);
    path[JW_MAX_PATH + 1] = '\0';
    m.as.refused.text = path;
    jw_rtc_put(&out, &m);
    CHECK(out.bad);

    /* Each is short enough, and together they are not. */
    path[JW_MAX_PATH] = '\0';
    m = sample(JW_RTC_JOB);
    m.as.job.options[0] = m.as.job.options[1] = path;
    jw_buf_clear(&out);
    jw_rtc_put(&out, &m);
    CHECK(out.bad);
    jw_buf_free(&out);
    free(path);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(fields_come_back), T(the_layout_is_fixed),
               T(every_cut_and_every_tail_is_refused), T(nonsense_is_refused),
               T(a_later_protocol_is_read_as_far_as_its_number), T(lengths_have_a_ceiling),
               T(what_is_too_long_makes_the_buffer_bad));
}
