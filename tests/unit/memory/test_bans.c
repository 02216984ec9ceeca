#include "check.h"
#include "memory/bans.h"
#include "rigs/memory.h"

static const uint8_t one[JW_DIGEST] = { 1 }, two[JW_DIGEST] = { 2 };

static void put(struct jw_bans *b, const uint8_t *id, uint16_t sm, const char *build, const char *compiler,
                struct jw_arena *a)
{
    struct jw_ban ban = { .sm = sm,
                          .build = build,
                          .compiler = compiler,
                          .how = JW_JOB_FAILED,
                          .why = "CUDA_ERROR_INVALID_PTX (218)",
                          .stopped_ms = 7 };

    memcpy(ban.id, id, JW_DIGEST);
    jw_ban_put(b, &ban, a);
}

#define OF(module, gpu, ...)                                                                                 \
    jw_ban_of(&b, &(struct jw_job){ .id = { module }, .sm = gpu }, &(struct jw_scope){ __VA_ARGS__ })

TEST_ARENA(a_ban_is_of_one_build_and_compiler)
{
    struct jw_cache_memory f = memory_begin(a, "round");
    struct jw_bans b;
    struct jw_err err = { 0 };
    const struct jw_ban *is;

    jw_bans_load(&f, a, &b);
    CHECK(b.n == 0 && !OF(1, 86, .build = "gnu:1"));
    put(&b, one, 86, "gnu:1", NULL, a);
    put(&b, one, 86, "gnu:2", "cc 1", a);
    put(&b, one, 90, "gnu:1", "cc 1", a);
    put(&b, two, 86, "gnu:1", "cc 1", a);
    put(&b, one, 86, "gnu:2", "cc 2", a); /* replaces that of the first compiler */
    CHECK_OK(jw_bans_save(&f, &b, &err), err);
    jw_bans_load(&f, a, &b);
    CHECK_NUM(b.n, 4);
    CHECK(!OF(1, 86, .build = "gnu:2", .compiler = "cc 1")
          && !OF(2, 90, .build = "gnu:1", .compiler = "cc 1"));
    CHECK(OF(1, 86, .build = "gnu:1") && OF(1, 86, .build = "gnu:1", .compiler = ""));
    is = OF(1, 86, .build = "gnu:2", .compiler = "cc 2");
    CHECK(is && is->how == JW_JOB_FAILED && is->stopped_ms == 7);
    CHECK_TEXT(is ? is->why : NULL, "CUDA_ERROR_INVALID_PTX (218)");
    jw_ban_lift(&b, &(struct jw_ban){ .id = { 1 }, .sm = 86, .build = "gnu:1" });
    CHECK(b.n == 3 && !OF(1, 86, .build = "gnu:1") && OF(1, 90, .build = "gnu:1", .compiler = "cc 1"));
    CHECK(OF(1, 86, .build = "gnu:2", .compiler = "cc 2")); /* what another build did with it stays */
    put(&b, two, 90, "gnu:1", "", a);
    CHECK(b.n == 4 && OF(2, 90, .build = "gnu:1", .compiler = ""));
}

TEST_ARENA(a_driver_that_refuses_everything)
{
    enum { MOST = 16384 };
    struct jw_cache_memory f = memory_begin(a, "many");
    struct jw_ban *v = jw_arena_alloc(a, MOST * sizeof *v);
    struct jw_bans b = { v, MOST };
    struct jw_err err = { 0 };

    for (uint32_t i = 0; i < MOST; i++) {
        v[i] = (struct jw_ban){ .sm = 86, .build = "gnu:1", .compiler = "", .why = "" };
        memcpy(v[i].id, &i, sizeof i);
    }
    put(&b, two, 90, "gnu:1", "", a);
    CHECK(b.n == MOST && OF(2, 90, .build = "gnu:1") && OF(1, 86, .build = "gnu:1"));
    CHECK(!OF(0, 86, .build = "gnu:1", .compiler = ""));
    CHECK_OK(jw_bans_save(&f, &b, &err), err);
    jw_bans_load(&f, a, &b);
    CHECK_NUM(b.n, MOST);
}

static void is_empty(const struct jw_cache_memory *f)
{
    struct jw_arena a = { 0 };
    struct jw_bans b;

    jw_bans_load(f, &a, &b);
    CHECK_NUM(b.n, 0);
    jw_arena_free(&a);
}

TEST_ARENA(a_damaged_file_is_empty)
{
    struct jw_cache_memory f = memory_begin(a, "damaged");
    struct jw_bans b = { 0 };
    struct jw_err err = { 0 };

    put(&b, one, 86, "gnu:1", "cc", a);
    CHECK_OK(jw_bans_save(&f, &b, &err), err);
    memory_spoil(&f, "bans", is_empty);
}
