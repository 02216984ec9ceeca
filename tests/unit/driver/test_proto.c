/* Records there and back, and those that are none. */
#include "check.h"

#include "base/limits.h"
#include "driver/worker/proto.h"

#include <stdlib.h>

static struct jw_msg sample(enum jw_msg_kind kind)
{
    struct jw_msg m = {.kind = kind};

    switch (kind) {
    case JW_MSG_HELLO: m.as.hello.protocol = JW_PROTO_VERSION; break;
    case JW_MSG_DRIVER:
        m.as.driver.result = -1;
        m.as.driver.cuda_version = 13010;
        m.as.driver.preloads = true;
        m.as.driver.name = "none";
        m.as.driver.path = "";
        break;
    case JW_MSG_DEVICE:
        m.as.device = (struct jw_device){3, "GPU-x", "A GPU", 120, (uint64_t)96 << 30, 2};
        break;
    case JW_MSG_JOB:
        m.as.job.device = 1;
        m.as.job.module = (struct jw_place){.disk = "/a b/한글.so",
                                            .at = UINT64_MAX - 1,
                                            .size = 12345,
                                            .digest = {1, 2, 3},
                                            .text = true};
        m.as.job.sm = 120;
        m.as.job.explain = true;
        break;
    case JW_MSG_STARTED:
        m.as.started.gpu_free = (uint64_t)7 << 30;
        m.as.started.gpu_total = (uint64_t)8 << 30;
        break;
    case JW_MSG_DONE: m.as.done.milliseconds = UINT32_MAX; break;
    case JW_MSG_FAIL:
        m.as.fail.result = 218;
        m.as.fail.code = JW_E_DRIVER;
        m.as.fail.milliseconds = 5;
        m.as.fail.text = "CUDA_ERROR_INVALID_PTX";
        m.as.fail.log = "ptxas fatal : line 7\nand more";
        break;
    case JW_MSG_READY: break;
    }
    return m;
}

TEST(every_cut_and_every_tail_is_refused)
{
    for (int kind = JW_MSG_HELLO; kind <= JW_MSG_FAIL; kind++) {
        struct jw_msg m = sample((enum jw_msg_kind)kind), back;
        FREED(jw_buf) out = JW_BUF(1 << 20);

        err = (struct jw_err){0};
        jw_proto_put(&out, &m);
        jw_buf_fill(&out, 0, 1);
        size_t n = out.n - JW_MESSAGE_PREFIX;

        for (size_t cut = 0; cut <= n; cut++)
            CHECK(jw_proto_get((struct jw_bytes){out.p + JW_MESSAGE_PREFIX, cut}, &back, &err)
                  == (cut == n - 1));
    }
}

TEST(nonsense_is_refused)
{
    static const uint8_t unknown[] = {99, 0}, zero[] = {0, 0};
    /* A text without its NUL, and one with a NUL inside. */
    static const uint8_t open[] = {JW_MSG_DRIVER, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                   'a',           'b'};
    static const uint8_t inside[] = {JW_MSG_DRIVER, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,
                                     'a',           0, 0};
    static const uint8_t huge[] = {JW_MSG_DRIVER, 0,    0,    0,    0, 0, 0, 0, 0, 0, 0,
                                   0xff,          0xff, 0xff, 0xff, 0};
    static const uint8_t neither[] = {JW_MSG_DRIVER, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0};
    static const struct jw_bytes all[] = {{unknown, sizeof unknown}, {zero, sizeof zero},
                                          {open, sizeof open},       {inside, sizeof inside},
                                          {huge, sizeof huge},       {neither, sizeof neither}};
    struct jw_msg m;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        err = (struct jw_err){0};
        CHECK_REFUSED(jw_proto_get(all[i], &m, &err), err, "worker: ");
        CHECK_NUM(err.code, JW_E_FORMAT);
    }
}

TEST(lengths_have_a_ceiling)
{
    uint8_t prefix[4];
    size_t n;

    jw_put32(prefix, JW_MAX_RECORD);
    CHECK(jw_message_length(prefix, &n, &err) && n == JW_MAX_RECORD);
    jw_put32(prefix, JW_MAX_RECORD + 1);
    CHECK(!jw_message_length(prefix, &n, &err));
    jw_put32(prefix, 1);
    CHECK_SAYS(jw_message_length(prefix, &n, &err), err, "worker: no message has 1 bytes");
}

TEST(what_is_too_long_makes_the_buffer_bad)
{
    FREED(jw_buf) out = JW_BUF(JW_MESSAGE_PREFIX + JW_MAX_RECORD);
    struct jw_msg m = {.kind = JW_MSG_DRIVER, .as.driver.name = ""};
    char *path = malloc(JW_MAX_PATH + 2);

    memset(path, 'a', JW_MAX_PATH + 1);
    path[JW_MAX_PATH + 1] = '\0';
    m.as.driver.path = path;
    jw_proto_put(&out, &m);
    CHECK(out.bad);
    jw_buf_clear(&out);
    path[JW_MAX_PATH] = '\0';
    jw_proto_put(&out, &m);
    CHECK(!out.bad);
    free(path);
}
