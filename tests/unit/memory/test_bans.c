#include "check.h"
#include "memory/bans.h"
#include "rigs/memory.h"

#define BAN(module, gpu, of, cc)                                                                   \
    {                                                                                              \
        {module}, gpu, of, cc, JW_JOB_FAILED, "CUDA_ERROR_INVALID_PTX (218)", 7                    \
    }

static struct jw_bans changed(const struct jw_cache_memory *f, struct jw_ban *v, size_t n,
                              struct jw_arena *a)
{
    struct jw_bans b;

    CHECK(jw_bans_change(f, &(struct jw_bans){v, n}, JW_IGNORED));
    jw_bans_load(f, a, &b);
    return b;
}

#define OF(module, gpu, ...)                                                                       \
    jw_ban_of(&b, &(struct jw_job){.id = {module}, .sm = gpu}, &(struct jw_scope){__VA_ARGS__})

TEST_ARENA(a_ban_is_of_one_build_and_compiler)
{
    struct jw_cache_memory f = memory_begin(a, "round");
    struct jw_ban v[] = {
        BAN(1, 86, "gnu:1", NULL), BAN(1, 86, "gnu:2", "cc 1"), BAN(1, 90, "gnu:1", "cc 1"),
        BAN(2, 86, "gnu:1", "cc 1"),
        BAN(1, 86, "gnu:2", "cc 2")}; /* the last replaces that of the first compiler */
    struct jw_bans b = changed(&f, NULL, 0, a);
    const struct jw_ban *is;

    CHECK(b.n == 0 && !OF(1, 86, .build = "gnu:1"));
    b = changed(&f, v, JW_COUNT(v), a);
    CHECK_NUM(b.n, 4);
    CHECK(!OF(1, 86, .build = "gnu:2", .compiler = "cc 1")
          && !OF(2, 90, .build = "gnu:1", .compiler = "cc 1"));
    CHECK(OF(1, 86, .build = "gnu:1") && OF(1, 86, .build = "gnu:1", .compiler = ""));
    is = OF(1, 86, .build = "gnu:2", .compiler = "cc 2");
    CHECK(is && is->how == JW_JOB_FAILED && is->stopped_ms == 7);
    CHECK_TEXT(is ? is->why : NULL, "CUDA_ERROR_INVALID_PTX (218)");
    v[0].how = JW_JOB_LOADED;
    v[1] = (struct jw_ban)BAN(2, 90, "gnu:1", "");
    b = changed(&f, v, 2, a);
    CHECK(b.n == 4 && !OF(1, 86, .build = "gnu:1")
          && OF(1, 90, .build = "gnu:1", .compiler = "cc 1"));
    CHECK(
        OF(1, 86, .build = "gnu:2", .compiler = "cc 2")); /* what another build did with it stays */
    CHECK(OF(2, 90, .build = "gnu:1", .compiler = ""));
}

TEST_ARENA(a_driver_that_refuses_everything)
{
    enum { MOST = 4096 };
    struct jw_cache_memory f = memory_begin(a, "many");
    struct jw_ban *v = jw_arena_alloc(a, (MOST + 1) * sizeof *v);

    for (uint32_t i = 0; i <= MOST; i++) {
        v[i] = (struct jw_ban){.sm = 86, .build = "gnu:1", .compiler = "", .why = ""};
        memcpy(v[i].id, &i, sizeof i);
    }
    struct jw_bans b = changed(&f, v, MOST, a);

    CHECK_NUM(b.n, MOST);
    b = changed(&f, v + MOST, 1, a);
    CHECK(b.n == MOST && OF(1, 86, .build = "gnu:1") && !OF(0, 86, .build = "gnu:1"));
}

static void is_empty(const struct jw_cache_memory *f)
{
    FREED(jw_arena) a = {0};
    struct jw_bans b;

    jw_bans_load(f, &a, &b);
    CHECK_NUM(b.n, 0);
}

TEST_ARENA(a_damaged_file_is_empty)
{
    struct jw_cache_memory f = memory_begin(a, "damaged");
    struct jw_ban v = BAN(1, 86, "gnu:1", "cc");

    CHECK_NUM(changed(&f, &v, 1, a).n, 1);
    memory_spoil(&f, "bans", is_empty);
}
