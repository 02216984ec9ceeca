/*
 * Operations with other compilers, and with jitwarm's own way into a cache:
 *
 *   nvjitlink ARCH FILE     PTX by libnvJitLink into FILE.cubin; value: its bytes. $LAB_NVJITLINK, else the toolkit's, else the
 *                           loader's; -1: there is none
 *   publish FOLDER          every entry of another cache's folder into the root, as jitwarm import does it; value: entries
 */
#include "step.h"

#include "cache/change/publish.h"
#include "os/files/file.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_PTX = 2, MAX_TEXT = 8 << 20, FLUSH_MS = 5000 };

struct linker {
    int (*create)(void **handle, uint32_t n, const char **options);
    int (*add)(void *handle, int type, const void *data, size_t size, const char *name);
    int (*complete)(void *handle);
    int (*size)(void *handle, size_t *bytes);
    int (*get)(void *handle, void *cubin);
};

static void *open_linker(void)
{
    static const char *const places[] = { "/usr/local/cuda/lib64/libnvJitLink.so.13",
                                          "/usr/local/cuda/lib64/libnvJitLink.so.12", "libnvJitLink.so.13",
                                          "libnvJitLink.so.12" };
    const char *given = getenv("LAB_NVJITLINK");
    void *library = NULL;

    if (given)
        return *given ? dlopen(given, RTLD_NOW) : NULL;
    for (size_t i = 0; !library && i < JW_COUNT(places); i++)
        library = dlopen(places[i], RTLD_NOW);
    return library;
}

static bool bind(void *library, struct linker *l)
{
    static const char *const names[] = { "nvJitLinkCreate", "nvJitLinkAddData", "nvJitLinkComplete",
                                         "nvJitLinkGetLinkedCubinSize", "nvJitLinkGetLinkedCubin" };
    void *found[JW_COUNT(names)];

    _Static_assert(sizeof found == sizeof *l, "one slot for each name");
    for (size_t i = 0; i < JW_COUNT(names); i++)
        if (!(found[i] = dlsym(library, names[i])))
            return false;
    memcpy(l, found, sizeof found);
    return true;
}

static bool write_cubin(const char *path, const void *p, size_t n)
{
    char name[4200];

    (void)snprintf(name, sizeof name, "%s.cubin", path);
    FILE *f = fopen(name, "wb");
    bool ok = f && fwrite(p, 1, n, f) == n;

    return f && fclose(f) == 0 && ok;
}

static int by_nvjitlink(struct child *c, char *object)
{
    char *path = strchr(object, ' '), arch[32];
    const char *options[] = { arch };
    struct jw_buf text = JW_BUF(MAX_TEXT);
    struct linker l;
    struct jw_err err;
    bool found = false;
    void *library = path ? open_linker() : NULL, *handle = NULL;
    size_t n = 0;

    if (!library || !bind(library, &l))
        return STEP_ABSENT;
    *path++ = '\0';
    (void)snprintf(arch, sizeof arch, "-arch=%.20s", object);
    if (!jw_file_slurp(path, &text, &found, &err) || !found)
        return STEP_ABSENT;
    jw_buf_fill(&text, 0, 1);
    int code = l.create(&handle, 1, options);

    code = code ? code : l.add(handle, INPUT_PTX, text.p, text.n, "lab");
    code = code ? code : l.complete(handle);
    code = code ? code : l.size(handle, &n);
    void *cubin = code ? NULL : jw_arena_alloc(&c->arena, n);

    if (cubin && (l.get(handle, cubin) != 0 || !write_cubin(path, cubin, n)))
        code = 1;
    jw_buf_free(&text);
    c->value = n;
    return code;
}

static int publish(struct child *c, const char *folder)
{
    struct jw_cache_listing from = { 0 };
    struct jw_publisher *p = NULL;
    struct jw_err err;
    bool ok = jw_cachedir_list(folder, false, &c->arena, &from, &err) && from.n
              && jw_publisher_open(&p, c->cache, &err);
    struct jw_pub_entry *list = ok ? jw_arena_alloc(&c->arena, from.n * sizeof *list) : NULL;

    for (size_t i = 0; list && i < from.n; i++) {
        char path[4200];

        (void)snprintf(path, sizeof path, "%s/%s", folder, jw_cache_name(from.files[i].name).text);
        list[i] = (struct jw_pub_entry){ .name = from.files[i].name, .from = jw_arena_str(&c->arena, path) };
    }
    ok = list && jw_publisher_add(p, list, from.n, &c->arena, &err)
         && jw_publisher_flush(p, FLUSH_MS, NULL, &err);
    for (size_t i = 0; ok && i < from.n; i++)
        c->value += list[i].result != JW_PUB_REFUSED;
    if (!ok)
        (void)fprintf(stderr, "publish %s: %s\n", folder, err.msg);
    jw_publisher_close(p);
    jw_cache_listing_free(&from);
    return ok ? 0 : STEP_ABSENT;
}

bool step_tools(struct child *c, const char *verb, char *object, int *code)
{
    if (strcmp(verb, "nvjitlink") == 0)
        *code = by_nvjitlink(c, object);
    else if (strcmp(verb, "publish") == 0)
        *code = publish(c, object);
    else
        return false;
    return true;
}
