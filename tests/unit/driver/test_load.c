/* In which order the driver is called to load one module. */
#include "base/limits.h"
#include "check.h"
#include "driver/api/driver.h"

static char calls[256];
static unsigned answers[6];

enum { LOAD, UNLOAD, CONTEXT };

static void called(const char *what)
{
    size_t n = strlen(calls);

    (void)snprintf(calls + n, sizeof calls - n, "%s%s", n ? " " : "", what);
}

static unsigned device(int *out, int ordinal)
{
    *out = ordinal;
    return ordinal > 3 ? 101 : 0;
}

static unsigned retain(struct CUctx_st **ctx, int of)
{
    (void)of;
    called("retain");
    *ctx = (struct CUctx_st *)(void *)calls;
    return answers[CONTEXT];
}

static unsigned release(int of)
{
    (void)of;
    called("release");
    return 0;
}

static unsigned set(struct CUctx_st *ctx)
{
    (void)ctx;
    called("set");
    return 0;
}

static unsigned load(struct CUmod_st **module, const void *image, unsigned n, unsigned *options,
                     void **values)
{
    CHECK((uintptr_t)image % 64 == 0 && n == 0 && !options && !values);
    CHECK(memcmp(image, "abc\0\0\0\0\0", 8) == 0);
    called("load");
    *module = (struct CUmod_st *)(void *)calls;
    return answers[LOAD];
}

static unsigned unload(struct CUmod_st *module)
{
    (void)module;
    called("unload");
    return answers[UNLOAD];
}

static struct cu_api whole(void)
{
    return (struct cu_api){ .device = device,
                            .primary_retain = retain,
                            .primary_release = release,
                            .ctx_set = set,
                            .module_load_ex = load,
                            .module_unload = unload };
}

/* Opens, loads "abc", closes; gives the load's result. */
static unsigned run(const struct cu_api *api)
{
    struct jw_image_room room;
    struct jw_context g;
    unsigned result;

    calls[0] = '\0';
    CHECK(jw_image_room_new(&room, 3, JW_IGNORED));
    memcpy(room.p, "abc", 3);
    CHECK_NUM(jw_context_open(&g, api, 2), 0);
    result = jw_load_image(&g, &room, 0, NULL);
    jw_context_close(&g);
    jw_context_close(&g);
    jw_image_room_free(&room);
    jw_image_room_free(&room);
    return result;
}

TEST(it_loads_and_unloads)
{
    struct cu_api api = whole();

    CHECK_NUM(run(&api), 0);
    CHECK_TEXT(calls, "retain set load unload release");
}

TEST(the_first_failure_is_the_result_and_nothing_stays_loaded)
{
    struct cu_api api = whole();

    answers[LOAD] = 218;
    CHECK_NUM(run(&api), 218);
    CHECK_TEXT(calls, "retain set load release");
    answers[LOAD] = 0;
    answers[UNLOAD] = 999;
    CHECK_NUM(run(&api), 999);
    answers[UNLOAD] = 0;
}

TEST(a_context_that_cannot_be_had)
{
    struct cu_api api = whole();
    struct jw_context g;

    calls[0] = '\0';
    answers[CONTEXT] = 2;
    CHECK_NUM(jw_context_open(&g, &api, 0), 2);
    CHECK_TEXT(calls, "retain");
    CHECK(!g.ctx);
    answers[CONTEXT] = 0;
    CHECK_NUM(jw_context_open(&g, &api, 9), 101);
    jw_context_close(&g);
}

TEST(room_has_a_ceiling)
{
    FREED(jw_image_room) room;

    CHECK(!jw_image_room_new(&room, JW_MAX_IMAGE + 1, &err));
    CHECK_NUM(err.code, JW_E_LIMIT);
}
