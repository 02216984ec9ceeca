/* Records there and back, and those that are none. */
#include "check.h"

#include "base/limits.h"
#include "driver/worker/proto.h"

#include <stdlib.h>

/* Writes `m`, reads it back from its own allocation, and says whether that went well. */
static bool round_trip(const struct jw_msg *m, struct jw_msg *back, uint8_t **record)
{
    struct jw_buf out = JW_BUF(1 << 20);
    struct jw_err err = { 0 };
    size_t n = 0;

    jw_proto_put(&out, m);
    CHECK(!out.bad);
    CHECK(jw_record_length(out.p, &n, &err));
    CHECK_NUM(n, out.n - JW_RECORD_PREFIX);
    *record = malloc(n);
    memcpy(*record, out.p + JW_RECORD_PREFIX, n);
    bool ok = jw_proto_get((struct jw_bytes){ *record, n }, back, &err);
    CHECK_TEXT(err.msg, "");
    jw_buf_free(&out);
    return ok && back->kind == m->kind;
}

static struct jw_msg sample(enum jw_msg_kind kind)
{
    struct jw_msg m = { .kind = kind };

    switch (kind) {
    case JW_MSG_HELLO:
        m.as.hello.protocol = JW_PROTO_VERSION;
        m.as.hello.program = "0.1";
        break;
    case JW_MSG_LIBRARY: m.as.library.path = "/usr/lib/libcuda.so.1"; break;
    case JW_MSG_DRIVER:
        m.as.driver.result = -1;
        m.as.driver.cuda_version = 13010;
        m.as.driver.name = "none";
        m.as.driver.path = "";
        break;
    case JW_MSG_DEVICE:
        m.as.device = (struct jw_device){ 3, "GPU-x", "A GPU", "0000:01:00.0", 120,  (uint64_t)96 << 30,
                                          2, false,   true,    true,           false };
        break;
    case JW_MSG_JOB:
        m.as.job.id = 7;
        m.as.job.device = 1;
        m.as.job.module = (struct jw_place){
            .disk = "/a b/한글.so", .at = UINT64_MAX - 1, .size = 12345, .digest = { 1, 2, 3 }, .text = true
        };
        m.as.job.sm = 120;
        m.as.job.explain = true;
        break;
    case JW_MSG_STARTED:
        m.as.started.id = 8;
        m.as.started.gpu_free = (uint64_t)7 << 30;
        m.as.started.gpu_total = (uint64_t)8 << 30;
        break;
    case JW_MSG_LOG:
        m.as.log.id = 11;
        m.as.log.text = "ptxas fatal : line 7\nand more";
        break;
    case JW_MSG_DONE:
        m.as.done.id = 9;
        m.as.done.milliseconds = UINT32_MAX;
        break;
    case JW_MSG_FAIL:
        m.as.fail.id = 10;
        m.as.fail.result = 218;
        m.as.fail.code = JW_E_DRIVER;
        m.as.fail.milliseconds = 5;
        m.as.fail.text = "CUDA_ERROR_INVALID_PTX";
        break;
    case JW_MSG_READY:
    case JW_MSG_BYE: break;
    }
    return m;
}

TEST(every_kind_comes_back)
{
    for (int kind = JW_MSG_HELLO; kind <= JW_MSG_LOG; kind++) {
        struct jw_msg m = sample((enum jw_msg_kind)kind), back;
        uint8_t *record;

        CHECK(round_trip(&m, &back, &record));
        free(record);
    }
}

TEST(fields_come_back)
{
    struct jw_msg m = sample(JW_MSG_JOB), back;
    uint8_t *record;

    CHECK(round_trip(&m, &back, &record));
    CHECK_NUM(back.as.job.id, 7);
    CHECK_NUM(back.as.job.device, 1);
    CHECK(back.as.job.explain);
    CHECK_NUM(back.as.job.module.at, UINT64_MAX - 1);
    CHECK_NUM(back.as.job.module.size, 12345);
    CHECK(back.as.job.module.text && back.as.job.sm == 120
          && memcmp(back.as.job.module.digest, m.as.job.module.digest, 32) == 0);
    CHECK_TEXT(back.as.job.module.disk, "/a b/한글.so");
    free(record);

    m = sample(JW_MSG_DEVICE);
    CHECK(round_trip(&m, &back, &record));
    CHECK(memcmp(&back.as.device.memory, &m.as.device.memory, 8) == 0 && back.as.device.index == 3);
    CHECK_TEXT(back.as.device.uuid, "GPU-x");
    CHECK_TEXT(back.as.device.name, "A GPU");
    CHECK_TEXT(back.as.device.pci, "0000:01:00.0");
    CHECK(back.as.device.sm == 120 && back.as.device.compute_mode == 2 && back.as.device.mig
          && back.as.device.integrated);
    free(record);

    m = sample(JW_MSG_DRIVER);
    CHECK(round_trip(&m, &back, &record));
    CHECK(back.as.driver.result == -1 && back.as.driver.cuda_version == 13010);
    CHECK_TEXT(back.as.driver.name, "none");
    CHECK_TEXT(back.as.driver.path, "");
    free(record);

    m = sample(JW_MSG_FAIL);
    CHECK(round_trip(&m, &back, &record));
    CHECK(back.as.fail.id == 10 && back.as.fail.result == 218 && back.as.fail.code == JW_E_DRIVER);
    CHECK_TEXT(back.as.fail.text, "CUDA_ERROR_INVALID_PTX");
    free(record);

    m = sample(JW_MSG_STARTED);
    CHECK(round_trip(&m, &back, &record));
    CHECK_NUM(back.as.started.id, 8);
    CHECK_NUM(back.as.started.gpu_free, (uint64_t)7 << 30);
    CHECK_NUM(back.as.started.gpu_total, (uint64_t)8 << 30);
    free(record);

    m = sample(JW_MSG_LOG);
    CHECK(round_trip(&m, &back, &record));
    CHECK_NUM(back.as.log.id, 11);
    CHECK_TEXT(back.as.log.text, "ptxas fatal : line 7\nand more");
    free(record);
}

/* The bytes of a DONE are its layout; they must not change while the protocol's number stays. */
TEST(the_layout_is_fixed)
{
    static const uint8_t want[] = { 10, 0, 0, 0, JW_MSG_DONE, 0, 9, 0, 0, 0, 0xff, 0xff, 0xff, 0xff };
    struct jw_buf out = JW_BUF(100);
    struct jw_msg m = sample(JW_MSG_DONE);

    jw_proto_put(&out, &m);
    CHECK_NUM(out.n, sizeof want);
    CHECK(memcmp(out.p, want, sizeof want) == 0);
    jw_buf_free(&out);
}

TEST(every_cut_and_every_tail_is_refused)
{
    for (int kind = JW_MSG_HELLO; kind <= JW_MSG_LOG; kind++) {
        struct jw_msg m = sample((enum jw_msg_kind)kind), back;
        struct jw_buf out = JW_BUF(1 << 20);
        struct jw_err err = { 0 };

        jw_proto_put(&out, &m);
        jw_buf_fill(&out, 0, 1);
        size_t n = out.n - JW_RECORD_PREFIX;

        for (size_t cut = 0; cut <= n; cut++)
            if (cut != n - 1)
                CHECK(!jw_proto_get((struct jw_bytes){ out.p + JW_RECORD_PREFIX, cut }, &back, &err));
        jw_buf_free(&out);
    }
}

TEST(nonsense_is_refused)
{
    static const uint8_t unknown[] = { 99, 0 }, zero[] = { 0, 0 };
    /* A text without its NUL, and one with a NUL inside. */
    static const uint8_t open[] = { JW_MSG_LIBRARY, 0, 0, 1, 0, 0, 0, 'a', 'b' };
    static const uint8_t inside[] = { JW_MSG_LIBRARY, 0, 0, 2, 0, 0, 0, 'a', 0, 0 };
    static const uint8_t huge[] = { JW_MSG_LIBRARY, 0, 0, 0xff, 0xff, 0xff, 0xff, 0 };
    static const uint8_t neither[] = { JW_MSG_LIBRARY, 0, 2, 0, 0, 0, 0, 0 };
    static const struct jw_bytes all[] = { { unknown, sizeof unknown }, { zero, sizeof zero },
                                           { open, sizeof open },       { inside, sizeof inside },
                                           { huge, sizeof huge },       { neither, sizeof neither } };
    struct jw_msg m;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct jw_err err = { 0 };

        CHECK(!jw_proto_get(all[i], &m, &err));
        CHECK_NUM(err.code, JW_E_FORMAT);
        CHECK_HAS(err.msg, "worker: ");
    }
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
    struct jw_buf out = JW_BUF(JW_RECORD_PREFIX + JW_MAX_RECORD);
    struct jw_msg m = { .kind = JW_MSG_LIBRARY };
    char *path = malloc(JW_MAX_PATH + 2);

    memset(path, 'a', JW_MAX_PATH + 1);
    path[JW_MAX_PATH + 1] = '\0';
    m.as.library.path = path;
    jw_proto_put(&out, &m);
    CHECK(out.bad);
    jw_buf_clear(&out);
    path[JW_MAX_PATH] = '\0';
    jw_proto_put(&out, &m);
    CHECK(!out.bad);
    jw_buf_free(&out);
    free(path);
}

/* What a later protocol adds to its greeting does not keep its number from being read. */
TEST(a_foreign_greeting_is_read_as_far_as_its_number)
{
    static const uint8_t later[] = { JW_MSG_HELLO, 0, JW_PROTO_VERSION + 1, 0, 0, 0, 1, 2, 3 };
    struct jw_msg m;
    struct jw_err err = { 0 };

    CHECK(jw_proto_get((struct jw_bytes){ later, sizeof later }, &m, &err));
    CHECK_NUM(m.as.hello.protocol, JW_PROTO_VERSION + 1);
    CHECK_TEXT(m.as.hello.program, "");
}

/* Records of the worker that holds an NVRTC, there and back, and those that are none. */

static struct jw_rtc_msg sample_nvrtc(enum jw_rtc_msg_kind kind)
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
static uint8_t *round_trip_nvrtc(const struct jw_rtc_msg *m, struct jw_rtc_msg *back)
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

TEST(fields_come_back_nvrtc)
{
    struct jw_rtc_msg m = sample_nvrtc(JW_RTC_LIBRARY), back;
    uint8_t *record = round_trip_nvrtc(&m, &back);

    CHECK(back.as.library.major == 13 && back.as.library.minor == 5);
    CHECK(back.as.library.n_archs == 2 && back.as.library.archs[0] == 75 && back.as.library.archs[1] == 121);
    CHECK_TEXT(back.as.library.path, "/a b/libnvrtc.so.13");
    free(record);

    m = sample_nvrtc(JW_RTC_JOB);
    record = round_trip_nvrtc(&m, &back);
    CHECK_TEXT(back.as.job.name, "한글.cu");
    CHECK(back.as.job.size == JW_MAX_CU_SOURCE && back.as.job.n_options == 2);
    CHECK_TEXT(back.as.job.options[0], "--gpu-architecture=compute_86");
    CHECK_TEXT(back.as.job.options[1], "");
    free(record);

    m = sample_nvrtc(JW_RTC_DONE);
    record = round_trip_nvrtc(&m, &back);
    CHECK(back.as.done.result == 6);
    CHECK_TEXT(back.as.done.name, "NVRTC_ERROR_COMPILATION");
    free(record);

    m = sample_nvrtc(JW_RTC_REFUSED);
    record = round_trip_nvrtc(&m, &back);
    CHECK_NUM(back.as.refused.code, JW_E_LIMIT);
    CHECK_TEXT(back.as.refused.text, "no room");
    free(record);

    m = sample_nvrtc(JW_RTC_PTX);
    record = round_trip_nvrtc(&m, &back);
    CHECK(back.as.part.n == 10 && memcmp(back.as.part.p, "some\0bytes", 10) == 0);
    free(record);
}

/* The bytes are the layout; they must not change while the protocol's number stays. */
TEST(the_layout_is_fixed_nvrtc)
{
    static const uint8_t want[] = {
        22, 0, 0, 0, JW_RTC_REFUSED, 0, 4, 0, 0, 0, 7, 0, 0, 0, 'n', 'o', ' ', 'r', 'o', 'o', 'm', 0
    };
    struct jw_buf out = JW_BUF(100);
    struct jw_rtc_msg m = sample_nvrtc(JW_RTC_REFUSED);

    jw_rtc_put(&out, &m);
    CHECK_NUM(out.n, sizeof want);
    CHECK(memcmp(out.p + 4, want + 4, sizeof want - 4) == 0 && jw_le32(out.p) == sizeof want - 4);
    jw_buf_free(&out);
}

static bool is_part(int kind)
{
    return kind == JW_RTC_SOURCE || kind == JW_RTC_PTX || kind == JW_RTC_LOG;
}

TEST(every_cut_and_every_tail_is_refused_nvrtc)
{
    for (int kind = JW_RTC_HELLO; kind <= JW_RTC_REFUSED; kind++) {
        struct jw_rtc_msg m = sample_nvrtc((enum jw_rtc_msg_kind)kind), back;
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

TEST(nonsense_is_refused_nvrtc)
{
    static const uint8_t unknown[] = { 99, 0 }, zero[] = { 0, 0 };
    static const uint8_t too_large[] = { JW_RTC_JOB, 0, 1, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
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
        CHECK_HAS(err.msg, "NVRTC worker: ");
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

TEST(lengths_have_a_ceiling_nvrtc)
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

TEST(what_is_too_long_makes_the_buffer_bad_nvrtc)
{
    struct jw_rtc_msg m = sample_nvrtc(JW_RTC_ABSENT);
    struct jw_buf out = JW_BUF(1 << 20);
    char *path = malloc(JW_MAX_PATH + 2);

    memset(path, 'a', JW_MAX_PATH + 1);
    path[JW_MAX_PATH + 1] = '\0';
    m.as.refused.text = path;
    jw_rtc_put(&out, &m);
    CHECK(out.bad);

    /* Each is short enough, and together they are not. */
    path[JW_MAX_PATH] = '\0';
    m = sample_nvrtc(JW_RTC_JOB);
    m.as.job.options[0] = m.as.job.options[1] = path;
    jw_buf_clear(&out);
    jw_rtc_put(&out, &m);
    CHECK(out.bad);
    jw_buf_free(&out);
    free(path);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(every_kind_comes_back), T(fields_come_back), T(the_layout_is_fixed),
               T(every_cut_and_every_tail_is_refused), T(nonsense_is_refused), T(lengths_have_a_ceiling),
               T(what_is_too_long_makes_the_buffer_bad), T(a_foreign_greeting_is_read_as_far_as_its_number),
               T(fields_come_back_nvrtc), T(the_layout_is_fixed_nvrtc),
               T(every_cut_and_every_tail_is_refused_nvrtc), T(nonsense_is_refused_nvrtc),
               T(a_later_protocol_is_read_as_far_as_its_number), T(lengths_have_a_ceiling_nvrtc),
               T(what_is_too_long_makes_the_buffer_bad_nvrtc));
}
