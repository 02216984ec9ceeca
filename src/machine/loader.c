#include "machine/loader.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "base/path.h"
#include "formats/elf.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

struct search {
    const char *library, *root; /* root: a prefix of the system's files */
    struct jw_arena *a;
    /* the first file that this user may not read, and that is skipped; NULL: none */
    const char *closed;
};

/* Does the loader take this file? It skips a library of another processor, but not one without a
 * whole header, which ends it. */
static bool takes(struct search *s, const char *path)
{
    uint8_t raw[JW_ELF_HEADER];
    const struct jw_bytes head = {raw, sizeof raw};
    struct jw_file_info info;
    struct jw_err why = {0};

    if (jw_file_stat(path, &info, JW_IGNORED) && info.kind != JW_FILE_REGULAR)
        return false;
    if (jw_file_read_part(path, 0, raw, sizeof raw, &why))
        return !jw_starts(head, "\177ELF") || jw_elf_is_for(jw_elf_header(head), jw_os_arch());
    s->closed = s->closed || why.code == JW_E_FORMAT ? s->closed : path;
    return why.code == JW_E_FORMAT;
}

static const char *in_folders(struct search *s, const char *root, const char *list)
{
    while (list && *list) {
        size_t n = strcspn(list, ":;");
        const char *path = jw_path_join(
            s->a, n ? jw_arena_printf(s->a, "%s%.*s", root, (int)n, list) : ".", s->library);

        if (takes(s, path))
            return path;
        list += n;
        list += *list != '\0';
    }
    return NULL;
}

/* Searches the cache's texts, among which are the paths. Numbers may stand before the first. */
static const char *in_texts(struct search *s, struct jw_bytes cache)
{
    const char *p = (const char *)cache.p;
    size_t n = strlen(s->library);

    for (size_t i = 0, start = 0; i < cache.n; i++) {
        if (p[i])
            continue;
        if (i - start > n && p[i - n - 1] == '/' && strcmp(p + i - n, s->library) == 0) {
            const char *path = jw_arena_printf(s->a, "%s%s", s->root, strchr(p + start, '/'));

            if (takes(s, path))
                return path;
        }
        start = i + 1;
    }
    return NULL;
}

static const char *in_cache(struct search *s)
{
    struct jw_buf cache = JW_BUF(JW_MAX_LOADER_CACHE);
    const char *path = NULL;
    bool found;

    if (jw_file_slurp(jw_arena_printf(s->a, "%s/etc/ld.so.cache", s->root), &cache, &found,
                      JW_IGNORED)
        && found)
        path = in_texts(s, jw_buf_bytes(&cache));
    jw_buf_free(&cache);
    return path;
}

const char *jw_loader_takes(const char *library, const char *list, bool or_closed,
                            struct jw_arena *a)
{
    const char *path;
    const char *root = jw_env(a, "JITWARM_SYSROOT");
    const char *arch = jw_os_arch();
    struct search s = {library, root ? root : "", a, NULL};

    if (jw_os_is_windows())
        return NULL;
    path = in_folders(&s, "", list);
    path = path ? path : in_cache(&s);
    list = jw_arena_printf(
        a, "/lib64:/usr/lib64:/lib:/lib/%s-linux-gnu:/usr/lib:/usr/lib/%s-linux-gnu", arch, arch);
    path = path ? path : in_folders(&s, s.root, list);
    return path || !or_closed ? path : s.closed;
}
