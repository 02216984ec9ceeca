/*
 * Operations on several modules, with options, and on memory:
 *
 *   many LIST            the files of the list, one after another; value: how many were loaded
 *   manyrun LIST         and their kernels launched; value: how many gave the right number
 *   threads N HOW LIST   by N threads, which share the primary context (HOW `shared`) or have one each (`own`)
 *   cycle N FILE         loaded and unloaded N times; value: by how many KB the free memory of the GPU shrank
 *   jit NUMBER VALUE FILE   cuModuleLoadDataEx with this CU_JIT option
 *   logs FILE            with buffers for the info log and the error log; value: bytes of the error log
 *   own                  a context of one's own, made current
 *   rss | free           value: KB of memory of this process, free KB of the GPU
 *   hog                  takes the GPU's free memory but for some MB
 *
 * The result is the first error of a driver's call.
 */
#include "step.h"

#include "os/files/file.h"
#include "os/machine/thread.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LIST = 1 << 20, X = 1000, LOG_BYTES = 8192, KB = 1024, LEAVE = 24 << 20, MAX_THREADS = 64 };
enum {
    CU_JIT_INFO_LOG = 3,
    CU_JIT_INFO_BYTES = 4,
    CU_JIT_ERROR_LOG = 5,
    CU_JIT_ERROR_BYTES = 6,
    CU_JIT_WALL_TIME = 2
};

static char *next_line(char **at, char *path, size_t room, char *kernel, unsigned *add)
{
    char *line = *at, *end = strchr(line, '\n');
    char name[64];

    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    char *blank = strchr(line, ' ');

    if (!blank || sscanf(blank + 1, "%63s %u", name, add) != 2)
        return NULL;
    (void)snprintf(path, room, "%.*s", (int)(blank - line), line);
    memcpy(kernel, name, sizeof name);
    return line;
}

static char *read_list(struct child *c, const char *path)
{
    struct jw_buf text = JW_BUF(MAX_LIST);
    struct jw_err err;
    bool found = false;
    char *copy = jw_file_slurp(path, &text, &found, &err) && found
                     ? jw_arena_str(&c->arena, jw_buf_cstr(&text))
                     : NULL;

    jw_buf_free(&text);
    return copy;
}

static int many(struct child *c, const char *list, bool run)
{
    char *at = read_list(c, list), path[4096], kernel[64];
    unsigned add;
    uint64_t good = 0;
    int first = 0;

    while (at && next_line(&at, path, sizeof path, kernel, &add)) {
        int code = step_load(c, "data", path);

        if (code == 0 && run)
            code = step_launch(c, kernel, X);
        good += code == 0 && (!run || c->value == X + add);
        first = first ? first : code;
        if (c->module && code == 0)
            (void)c->api->module_unload(c->module);
        c->module = NULL;
    }
    c->value = good;
    return at ? first : STEP_ABSENT;
}

struct share {
    struct child *c;
    pthread_mutex_t mutex;
    char *at;
    uint64_t good;
    int first;
    bool own;
};

static bool take(struct share *s, char *path, size_t room)
{
    char kernel[64];
    unsigned add;

    (void)pthread_mutex_lock(&s->mutex);
    bool some = next_line(&s->at, path, room, kernel, &add) != NULL;

    (void)pthread_mutex_unlock(&s->mutex);
    return some;
}

static void told(struct share *s, int code)
{
    (void)pthread_mutex_lock(&s->mutex);
    s->good += code == 0;
    s->first = s->first ? s->first : code;
    (void)pthread_mutex_unlock(&s->mutex);
}

static void worker(void *p, unsigned number)
{
    struct share *s = p;
    const struct cu_api *api = s->c->api;
    struct CUctx_st *ctx = s->c->gpu.ctx;
    struct CUmod_st *module = NULL;
    struct jw_image_room image;
    char path[4096];

    (void)number;
    int code = (int)(s->own ? api->ctx_create(&ctx, 0, s->c->gpu.device) : api->ctx_set(ctx));

    if (code)
        told(s, code);
    while (!code && take(s, path, sizeof path))
        told(s, step_read_image(path, &image) ? (int)s->c->lab->module_load(&module, image.p) : STEP_ABSENT);
    if (s->own && !code)
        (void)api->ctx_destroy(ctx);
}

static int threads(struct child *c, char *object)
{
    struct share s = { .c = c };
    unsigned n;
    char how[8];
    int at = 0;

    if (sscanf(object, "%u %7s %n", &n, how, &at) != 2 || !at || !n || n > MAX_THREADS)
        return STEP_ABSENT;
    s.own = strcmp(how, "own") == 0;
    s.at = read_list(c, object + at);
    if (!s.at || pthread_mutex_init(&s.mutex, NULL) != 0)
        return STEP_ABSENT;
    jw_parallel(n, worker, &s);
    (void)pthread_mutex_destroy(&s.mutex);
    (void)c->api->ctx_set(c->gpu.ctx);
    c->value = s.good;
    return s.first;
}

static int free_memory(struct child *c, size_t *bytes)
{
    size_t total = 0;

    return c->api->mem_info ? (int)c->api->mem_info(bytes, &total) : STEP_ABSENT;
}

static int cycle(struct child *c, char *object)
{
    size_t before = 0, after = 0;
    char *path = NULL;
    unsigned long n = strtoul(object, &path, 10);
    int code = 0;

    path += *path == ' ';
    for (unsigned long i = 0; code == 0 && i < n; i++) {
        code = step_load(c, "data", path);
        if (code == 0)
            code = (int)c->api->module_unload(c->module);
        c->module = NULL;
        if (i == 0 && code == 0)
            (void)free_memory(c, &before);
    }
    (void)free_memory(c, &after);
    c->value = before > after ? (before - after) / KB : 0;
    return code;
}

static int jit(struct child *c, char *object)
{
    struct jw_image_room image;
    unsigned option, wide;
    int at = 0;

    if (sscanf(object, "%u %u %n", &option, &wide, &at) != 2 || !at || !step_read_image(object + at, &image))
        return STEP_ABSENT;
    void *value = (void *)(uintptr_t)wide;
    unsigned code = c->api->module_load_ex(&c->module, image.p, 1, &option, &value);

    c->value = code;
    return (int)code;
}

static int with_logs(struct child *c, const char *path)
{
    char *logs = jw_arena_alloc(&c->arena, (size_t)2 * LOG_BYTES);
    unsigned options[] = { CU_JIT_INFO_LOG, CU_JIT_INFO_BYTES, CU_JIT_ERROR_LOG, CU_JIT_ERROR_BYTES };
    void *values[] = { logs, (void *)(uintptr_t)LOG_BYTES, logs + LOG_BYTES, (void *)(uintptr_t)LOG_BYTES };
    struct jw_image_room image;

    if (!logs || !step_read_image(path, &image))
        return STEP_ABSENT;
    memset(logs, 0, (size_t)2 * LOG_BYTES);
    unsigned code = c->api->module_load_ex(&c->module, image.p, 4, options, values);

    c->value = strnlen(logs + LOG_BYTES, LOG_BYTES);
    return (int)code;
}

static int own_context(struct child *c)
{
    struct CUctx_st *ctx = NULL;
    unsigned code = c->api->init(0);
    int device = 0;

    if (code == 0)
        code = c->api->device(&device, 0);
    return (int)(code ? code : c->api->ctx_create(&ctx, 0, device)); /* it is current then */
}

static int resident(struct child *c)
{
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long long all = 0, pages = 0;

    if (!f)
        return STEP_ABSENT;
    if (fscanf(f, "%llu %llu", &all, &pages) == 2)
        c->value = pages * (unsigned long long)sysconf(_SC_PAGESIZE) / KB;
    (void)fclose(f);
    return 0;
}

/* A plain allocation of what is free now, never more. */
static int hog(struct child *c)
{
    unsigned long long address = 0;
    size_t bytes = 0;
    int code = free_memory(c, &bytes);

    if (code || bytes <= LEAVE)
        return code;
    c->value = (bytes - LEAVE) / KB;
    return (int)c->lab->mem_alloc(&address, bytes - LEAVE);
}

static int free_now(struct child *c)
{
    size_t bytes = 0;
    int code = free_memory(c, &bytes);

    c->value = bytes / KB;
    return code;
}

bool step_more(struct child *c, const char *verb, char *object, int *code)
{
    if (strcmp(verb, "many") == 0)
        *code = many(c, object, false);
    else if (strcmp(verb, "manyrun") == 0)
        *code = many(c, object, true);
    else if (strcmp(verb, "threads") == 0)
        *code = threads(c, object);
    else if (strcmp(verb, "cycle") == 0)
        *code = cycle(c, object);
    else if (strcmp(verb, "jit") == 0)
        *code = jit(c, object);
    else if (strcmp(verb, "logs") == 0)
        *code = with_logs(c, object);
    else if (strcmp(verb, "own") == 0)
        *code = own_context(c);
    else if (strcmp(verb, "rss") == 0)
        *code = resident(c);
    else if (strcmp(verb, "free") == 0)
        *code = free_now(c);
    else if (strcmp(verb, "hog") == 0)
        *code = hog(c);
    else
        return false;
    return true;
}
