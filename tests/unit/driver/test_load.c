/* In which order the driver is called to load one module. */
#include "base/limits.h"
#include "check.h"
#include "driver/api/driver.h"

static char calls[256];
static unsigned answers[6];

enum { LOAD, TOUCH, UNLOAD, CONTEXT, MEMORY, LAUNCH };

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

static unsigned create(struct CUctx_st **ctx, unsigned flags, int of)
{
    (void)flags;
    (void)of;
    called("create");
    *ctx = (struct CUctx_st *)(void *)calls;
    return answers[CONTEXT];
}

static unsigned destroy(struct CUctx_st *ctx)
{
    (void)ctx;
    called("destroy");
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

static unsigned by_name(struct CUfunc_st **function, struct CUmod_st *module, const char *name)
{
    (void)function;
    (void)module;
    called(name);
    return answers[TOUCH];
}

static struct cu_api whole(void)
{
    return (struct cu_api){ .device = device,
                            .primary_retain = retain,
                            .primary_release = release,
                            .ctx_create = create,
                            .ctx_destroy = destroy,
                            .ctx_set = set,
                            .module_load_ex = load,
                            .module_unload = unload,
                            .module_function = by_name };
}

/* Opens, loads "abc", closes; gives the load's result. */
static unsigned run(const struct cu_api *api)
{
    struct jw_image_room room;
    struct jw_gpu g;
    struct jw_err err = { 0 };
    unsigned result;

    calls[0] = '\0';
    CHECK(jw_image_room_new(&room, 3, &err));
    memcpy(room.p, "abc", 3);
    CHECK_NUM(jw_gpu_open(&g, api, 2), 0);
    result = jw_load_image(&g, &room, 0);
    jw_gpu_close(&g);
    jw_gpu_close(&g);
    jw_image_room_free(&room);
    jw_image_room_free(&room);
    return result;
}

TEST(it_loads_and_unloads)
{
    struct cu_api api = whole();

    CHECK_NUM(run(&api), 0);
    CHECK_TEXT(calls, "retain set load unload release");
    api.primary_retain = NULL;
    CHECK_NUM(run(&api), 0);
    CHECK_TEXT(calls, "create set load unload destroy");
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

/* A kernel that adds 5, on memory of ours. */
static uint32_t memory;
static unsigned launched_with;

static unsigned give_room(unsigned long long *address, size_t bytes)
{
    CHECK_NUM(bytes, sizeof memory);
    *address = 0x1000;
    called("alloc");
    return answers[MEMORY];
}

static unsigned take_room(unsigned long long address)
{
    CHECK_NUM(address, 0x1000);
    called("free");
    return 0;
}

static unsigned copy_to(unsigned long long to, const void *from, size_t bytes)
{
    CHECK(to == 0x1000 && bytes == sizeof memory);
    memcpy(&memory, from, bytes);
    return 0;
}

static unsigned copy_from(void *to, unsigned long long from, size_t bytes)
{
    CHECK(from == 0x1000 && bytes == sizeof memory);
    memcpy(to, &memory, bytes);
    return 0;
}

static unsigned run_it(struct CUfunc_st *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                       unsigned bz, unsigned shared, struct CUstream_st *stream, void **params, void **extra)
{
    uint32_t x;

    CHECK(!f && gx * gy * gz * bx * by * bz == 1 && !shared && !stream && !extra);
    memcpy(&x, params[1], sizeof x);
    launched_with = x;
    CHECK(memory != x + 5);
    memory = x + 5;
    called("launch");
    return answers[LAUNCH];
}

static unsigned sync_it(void)
{
    called("sync");
    return 0;
}

TEST(a_canary_is_launched)
{
    struct cu_api api = whole();
    struct jw_image_room room;
    struct jw_gpu g;
    struct jw_err err = { 0 };
    uint32_t number;

    api.mem_alloc = give_room;
    api.mem_free = take_room;
    api.copy_to = copy_to;
    api.copy_from = copy_from;
    api.launch = run_it;
    api.ctx_sync = sync_it;
    CHECK(jw_image_room_new(&room, 3, &err));
    memcpy(room.p, "abc", 3);
    CHECK_NUM(jw_gpu_open(&g, &api, 2), 0);
    calls[0] = '\0';
    CHECK_NUM(jw_load_launch(&g, &room, "canary", 37, &number), 0);
    CHECK_TEXT(calls, "load canary alloc launch sync free unload");
    CHECK(number == 42 && launched_with == 37);
    answers[LAUNCH] = 719;
    calls[0] = '\0';
    CHECK_NUM(jw_load_launch(&g, &room, "canary", 37, &number), 719);
    CHECK_TEXT(calls, "load canary alloc launch free unload");
    answers[LAUNCH] = 0;
    answers[MEMORY] = 2;
    calls[0] = '\0';
    CHECK_NUM(jw_load_launch(&g, &room, "canary", 37, &number), 2);
    CHECK_TEXT(calls, "load canary alloc unload");
    answers[MEMORY] = 0;
    answers[TOUCH] = 500;
    CHECK_NUM(jw_load_launch(&g, &room, "canary", 37, &number), 500);
    answers[TOUCH] = 0;
    jw_gpu_close(&g);
    jw_image_room_free(&room);
}

TEST(a_context_that_cannot_be_had)
{
    struct cu_api api = whole();
    struct jw_gpu g;

    calls[0] = '\0';
    answers[CONTEXT] = 2;
    CHECK_NUM(jw_gpu_open(&g, &api, 0), 2);
    CHECK_TEXT(calls, "retain");
    CHECK(!g.ctx);
    answers[CONTEXT] = 0;
    CHECK_NUM(jw_gpu_open(&g, &api, 9), 101);
    jw_gpu_close(&g);
}

TEST(room_has_a_ceiling)
{
    struct jw_image_room room;
    struct jw_err err = { 0 };

    CHECK(!jw_image_room_new(&room, JW_MAX_IMAGE + 1, &err));
    CHECK_NUM(err.code, JW_E_LIMIT);
    jw_image_room_free(&room);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(it_loads_and_unloads),
               T(the_first_failure_is_the_result_and_nothing_stays_loaded), T(a_canary_is_launched),
               T(a_context_that_cannot_be_had), T(room_has_a_ceiling));
}
