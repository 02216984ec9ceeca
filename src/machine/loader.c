#include "machine/loader.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

enum { EM_X86_64 = 62, EM_AARCH64 = 183 };

/* One without a whole header is no library of another processor: the loader ends with it. */
static bool is_of_other_processor(const char *path)
{
    enum { CLASS = 4, ORDER, MACHINE = 18, HEADER = 64 };
    static const uint8_t magic[] = { 0x7f, 'E', 'L', 'F' };
    uint16_t here = strcmp(jw_os_arch(), "aarch64") == 0 ? EM_AARCH64 : EM_X86_64;
    uint8_t head[HEADER];

    return jw_file_read_part(path, 0, head, sizeof head, JW_IGNORED) && memcmp(head, magic, sizeof magic) == 0
           && (head[CLASS] != 2 || head[ORDER] != 1 || jw_le16(head + MACHINE) != here);
}

static bool takes(const char *path)
{
    return jw_is_file(path) && !is_of_other_processor(path);
}

static const char *in_folders(const char *root, const char *library, const char *list, struct jw_arena *a)
{
    while (list && *list) {
        size_t n = strcspn(list, ":;");
        const char *path =
            jw_path_join(a, n ? jw_arena_printf(a, "%s%.*s", root, (int)n, list) : ".", library);

        if (takes(path))
            return path;
        list += n;
        list += *list != '\0';
    }
    return NULL;
}

/* The cache's texts, among which are the paths, end with a NUL each; numbers may stand before the first one. */
static const char *in_texts(struct jw_bytes cache, const char *root, const char *library, struct jw_arena *a)
{
    const char *p = (const char *)cache.p;
    size_t n = strlen(library);

    for (size_t i = 0, start = 0; i < cache.n; i++) {
        if (p[i])
            continue;
        if (i - start > n && p[i - n - 1] == '/' && strcmp(p + i - n, library) == 0) {
            const char *path = jw_arena_printf(a, "%s%s", root, strchr(p + start, '/'));

            if (takes(path))
                return path;
        }
        start = i + 1;
    }
    return NULL;
}

static const char *in_cache(const char *root, const char *library, struct jw_arena *a)
{
    struct jw_buf cache = JW_BUF(JW_MAX_LOADER_CACHE);
    const char *path = NULL;
    bool found;

    if (jw_file_slurp(jw_arena_printf(a, "%s/etc/ld.so.cache", root), &cache, &found, JW_IGNORED) && found)
        path = in_texts(jw_buf_bytes(&cache), root, library, a);
    jw_buf_free(&cache);
    return path;
}

const char *jw_loader_takes(const char *library, const char *list, struct jw_arena *a)
{
    const char *root = jw_env(a, "JITWARM_SYSROOT"), *arch = jw_os_arch(), *path;

    if (jw_os_is_windows())
        return NULL;
    root = root ? root : "";
    path = in_folders("", library, list, a);
    path = path ? path : in_cache(root, library, a);
    list = jw_arena_printf(a, "/lib64:/usr/lib64:/lib:/lib/%s-linux-gnu:/usr/lib:/usr/lib/%s-linux-gnu", arch,
                           arch);
    return path ? path : in_folders(root, library, list, a);
}
