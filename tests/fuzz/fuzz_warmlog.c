/* What is read of a log can be written again, and is the same then; what is alive of it makes a log that means the same. */
#include "base/limits.h"
#include "cache/format/jitcache.h"
#include "cache/format/warmlog.h"
#include "fuzz.h"

enum { HEAD = 4 + 2 };

static bool same(struct jw_bytes a, struct jw_bytes b)
{
    return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

static void check_record(const struct jw_warmlog_record *record)
{
    struct jw_arena a = { .max = (size_t)64 << 20 };
    struct jw_buf again = JW_BUF(JW_MAX_WARM_RECORD + JW_WARMLOG_FRAME);
    struct jw_warm_fact fact;
    struct jw_err err = { 0 };
    bool ok = jw_warmlog_get(record, &a, &fact, &err);

    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || jw_warmlog_known(record));
    if (ok) {
        jw_warmlog_put(&again, &fact);
        FUZZ_CHECK(!again.bad && same(jw_buf_bytes(&again), record->all));
    }
    jw_buf_free(&again);
    jw_arena_free(&a);
}

/* `alone`: all of it is known to be alive. */
static void check_log(struct jw_bytes file, bool alone)
{
    struct jw_warmlog log;
    struct jw_buf alive = JW_BUF(file.n);
    struct jw_err err = { 0 };
    size_t at = 0;

    FUZZ_CHECK(jw_warmlog_scan(file, &log, &err) && log.sound <= file.n && log.alive <= log.n);
    FUZZ_CHECK(!alone || (log.sound == file.n && log.alive == log.n));
    for (size_t i = 0; i < log.n; i++) {
        FUZZ_CHECK(log.list[i].all.p == file.p + at);
        at += log.list[i].all.n;
        check_record(&log.list[i]);
        if (log.list[i].alive)
            jw_buf_add(&alive, log.list[i].all.p, log.list[i].all.n);
    }
    FUZZ_CHECK(at == log.sound && alive.n == log.alive_bytes && !alive.bad);
    (void)jw_warmlog_root(file);
    if (!alone)
        check_log(jw_buf_bytes(&alive), true);
    jw_warmlog_free(&log);
    jw_buf_free(&alive);
}

/* A copy whose hashes hold, so that what lies behind that check is reached, too. */
static void seal(uint8_t *p, size_t n)
{
    while (n >= HEAD && jw_le32(p) <= n - HEAD && n - HEAD - jw_le32(p) >= 8) {
        size_t hashed = HEAD + jw_le32(p);

        jw_put64(p + hashed, jw_fnv1a(JW_FNV_START, p, hashed));
        p += hashed + 8;
        n -= hashed + 8;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    FUZZ_CHECK(copy != NULL);
    check_log((struct jw_bytes){ data, size }, false);
    if (size)
        memcpy(copy, data, size);
    seal(copy, size);
    check_log((struct jw_bytes){ copy, size }, false);
    free(copy);
    return 0;
}
