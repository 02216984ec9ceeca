#include "base/fault.h"
#include "base/limits.h"
#include "base/mem.h"
#include "cache/memory/progress_json.h"
#include "check.h"

#include <math.h>

static const struct jw_prime_slot slots[] = { { "libggml-cuda.so: flash_attn", 12400000, 38.125 },
                                              { "a\n\xff\"", 0, -1 } };

static struct jw_prime_progress busy(void)
{
    return (struct jw_prime_progress){ .phase = JW_PHASE_COMPILE,
                                       .done = 41,
                                       .total = 143,
                                       .failed = 2,
                                       .done_bytes = 108000000,
                                       .total_bytes = 266000000,
                                       .seconds = 63.25,
                                       .eta = 72,
                                       .slots = slots,
                                       .n_slots = JW_COUNT(slots),
                                       .slowest = "mmq.cu",
                                       .slowest_seconds = 58 };
}

static const struct jw_progress_who who = { .pid = 4711, .started = 1790000000 };

static const char *written(struct jw_buf *b, const struct jw_prime_progress *p)
{
    struct jw_err err = { 0 };

    jw_buf_clear(b);
    CHECK(jw_progress_write(b, &who, p, &err));
    return jw_buf_cstr(b);
}

static bool read_back(const char *text, struct jw_arena *a, struct jw_progress_record *out,
                      struct jw_err *err)
{
    return jw_progress_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, a, out, err);
}

TEST(what_is_written_reads_back)
{
    struct jw_buf b = JW_BUF(10000);
    struct jw_prime_progress p = busy();
    struct jw_arena a = { 0 };
    struct jw_progress_record t;
    struct jw_err err = { 0 };

    CHECK(read_back(written(&b, &p), &a, &t, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(t.who.pid == 4711 && t.who.started == 1790000000);
    CHECK(t.now.phase == JW_PHASE_COMPILE && !t.now.at && !t.now.finished);
    CHECK(t.now.done == 41 && t.now.total == 143 && t.now.failed == 2);
    CHECK(t.now.done_bytes == 108000000 && t.now.total_bytes == 266000000);
    CHECK(t.now.seconds == 63.25 && t.now.eta == 72);
    CHECK_NUM(t.now.n_slots, 2);
    CHECK_TEXT(t.now.slots[0].what, "libggml-cuda.so: flash_attn");
    CHECK(t.now.slots[0].ptx_bytes == 12400000 && t.now.slots[0].seconds == 38.125);
    CHECK_TEXT(t.now.slots[1].what, "a\n\xef\xbf\xbd\"");
    CHECK(t.now.slots[1].seconds == 0);
    CHECK_TEXT(t.now.slowest, "mmq.cu");
    CHECK(t.now.slowest_seconds == 58);
    jw_arena_free(&a);
    jw_buf_free(&b);
}

TEST(what_is_not_known_is_null)
{
    struct jw_prime_progress p = { .phase = JW_PHASE_LOOK, .at = "/opt/한국.so", .eta = -1, .seconds = NAN };
    struct jw_buf b = JW_BUF(10000);
    struct jw_arena a = { 0 };
    struct jw_progress_record t;
    struct jw_err err = { 0 };
    const char *text = written(&b, &p);

    CHECK_HAS(text, "\"eta_seconds\": null");
    CHECK_HAS(text, "\"slowest\": null");
    CHECK_HAS(text, "\"slots\": []");
    CHECK(read_back(text, &a, &t, &err));
    CHECK(t.now.eta < 0 && t.now.seconds == 0 && !t.now.slowest && t.now.n_slots == 0);
    CHECK_TEXT(t.now.at, "/opt/한국.so");
    jw_arena_free(&a);
    jw_buf_free(&b);
}

/* Each field once gone and once of another kind; each time a sentence that names it. */
TEST(every_field_is_wanted_and_of_its_kind)
{
    static const char *const fields[] = { "schema",  "pid",         "started", "phase",      "at",
                                          "done",    "total",       "failed",  "done_bytes", "total_bytes",
                                          "seconds", "eta_seconds", "slots",   "slowest",    "what" };
    struct jw_prime_progress p = busy();
    struct jw_buf good = JW_BUF(10000), bad = JW_BUF(10000);
    struct jw_arena a = { 0 };
    struct jw_progress_record t;

    (void)written(&good, &p);
    for (size_t i = 0; i < JW_COUNT(fields); i++) {
        char key[32];
        struct jw_err err = { 0 };

        (void)snprintf(key, sizeof key, "\"%s\":", fields[i]);
        const char *at = strstr(jw_buf_cstr(&good), key);

        CHECK(at != NULL);
        if (!at)
            continue;
        jw_buf_clear(&bad);
        jw_buf_add(&bad, good.p, (size_t)(at + 1 - (const char *)good.p));
        jw_buf_text(&bad, "un");
        jw_buf_text(&bad, at + 1);
        CHECK(!read_back(jw_buf_cstr(&bad), &a, &t, &err));
        CHECK_NUM(err.code, JW_E_FORMAT);
        CHECK_HAS(err.msg, strcmp(fields[i], "schema") == 0 ? "schema none" : fields[i]);
        err = (struct jw_err){ 0 };
        jw_buf_clear(&bad);
        jw_buf_add(&bad, good.p, (size_t)(at - (const char *)good.p));
        jw_buf_printf(&bad, "%s true, \"un%s", key, at + 1);
        CHECK(!read_back(jw_buf_cstr(&bad), &a, &t, &err));
        CHECK_NUM(err.code, JW_E_FORMAT);
    }
    jw_arena_free(&a);
    jw_buf_free(&bad);
    jw_buf_free(&good);
}

TEST(numbers_that_make_no_sense_are_refused)
{
    static const char *const values[] = { "-1", "1.5", "1e16", "\"1\"", "null" };
    struct jw_arena a = { 0 };
    struct jw_buf b = JW_BUF(10000), bad = JW_BUF(10000);
    struct jw_prime_progress p = busy();
    struct jw_progress_record t;
    const char *text = written(&b, &p), *at = strstr(text, "143");

    for (size_t i = 0; i < JW_COUNT(values); i++) {
        struct jw_err err = { 0 };

        jw_buf_clear(&bad);
        jw_buf_add(&bad, text, (size_t)(at - text));
        jw_buf_printf(&bad, "%s%s", values[i], at + 3);
        CHECK(!read_back(jw_buf_cstr(&bad), &a, &t, &err));
        CHECK_TEXT(err.msg, "progress: \"total\" is missing or wrong");
    }
    jw_arena_free(&a);
    jw_buf_free(&bad);
    jw_buf_free(&b);
}

TEST(more_slots_than_workers_can_be_are_refused)
{
    struct jw_prime_slot *many = jw_alloc((JW_MAX_WORKERS + 1) * sizeof *many);
    struct jw_prime_progress p = busy();
    struct jw_buf b = JW_BUF(1 << 20);
    struct jw_arena a = { 0 };
    struct jw_progress_record t;
    struct jw_err err = { 0 };

    p.slots = many;
    p.n_slots = JW_MAX_WORKERS;
    CHECK(read_back(written(&b, &p), &a, &t, &err));
    CHECK_NUM(t.now.n_slots, JW_MAX_WORKERS);
    p.n_slots++;
    CHECK(!read_back(written(&b, &p), &a, &t, &err));
    CHECK_HAS(err.msg, "\"slots\"");
    jw_arena_free(&a);
    jw_buf_free(&b);
    jw_free(many);
}

TEST(what_is_cut_short_is_refused)
{
    struct jw_prime_progress p = busy();
    struct jw_buf b = JW_BUF(10000);
    struct jw_arena a = { 0 };
    struct jw_progress_record t;

    (void)written(&b, &p);
    for (size_t n = 0; n + 1 < b.n; n++) {
        struct jw_err err = { 0 };

        if (!jw_progress_read((struct jw_bytes){ b.p, n }, &a, &t, &err))
            CHECK(err.msg[0] != '\0');
        else
            CHECK(n + 1 == b.n);
    }
    jw_arena_free(&a);
    jw_buf_free(&b);
}

TEST(without_memory_it_fails_with_a_sentence)
{
    struct jw_prime_progress p = busy();

    for (unsigned long nth = 1;; nth++) {
        struct jw_buf b = JW_BUF(10000);
        struct jw_arena a = { 0 };
        struct jw_progress_record t;
        struct jw_err err = { 0 };

        jw_fault_arm(nth);
        bool ok = jw_progress_write(&b, &who, &p, &err) && jw_progress_read(jw_buf_bytes(&b), &a, &t, &err);
        bool fired = jw_fault_fired();

        jw_fault_arm(0);
        CHECK(ok != fired);
        CHECK(ok || err.msg[0]);
        jw_arena_free(&a);
        jw_buf_free(&b);
        if (!fired)
            break;
    }
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(what_is_written_reads_back), T(what_is_not_known_is_null),
               T(every_field_is_wanted_and_of_its_kind), T(numbers_that_make_no_sense_are_refused),
               T(more_slots_than_workers_can_be_are_refused), T(what_is_cut_short_is_refused),
               T(without_memory_it_fails_with_a_sentence));
}
