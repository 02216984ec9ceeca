#include "machine/loader.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "base/path.h"
#include "formats/elf.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

/* A file without a whole header, too: the loader ends with it, where it passes over a library of another processor. */
static bool takes(const char *path)
{
    uint8_t raw[JW_ELF_HEADER];
    const struct jw_bytes head = { raw, sizeof raw };

    return jw_is_file(path)
           && (!jw_file_read_part(path, 0, raw, sizeof raw, JW_IGNORED) || !jw_starts(head, "\177ELF")
               || jw_elf_is_for(jw_elf_header(head), jw_os_arch()));
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
