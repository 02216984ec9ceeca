#include "software/find/cuda_programs.h"

#include "base/path.h"
#include "base/text.h"

#include <string.h>

/* "7f00-7f01 r-xp 00000000 08:01 131 /usr/lib/libcuda.so.580.126.09": the path is the sixth field. */
static const char *mapped_path(const char *line, size_t n)
{
    const char *slash = memchr(line, '/', n);

    return slash;
}

const char *jw_maps_driver(const char *maps, struct jw_arena *a)
{
    for (const char *at = maps; *at;) {
        size_t n = strcspn(at, "\n");
        const char *path = mapped_path(at, n);

        if (path) {
            size_t length = n - (size_t)(path - at);
            const char *text = jw_arena_text(a, path, length);

            if (jw_text_starts(jw_path_base(text), "libcuda.so"))
                return text;
        }
        at += n + (at[n] != '\0');
    }
    return NULL;
}

/* A user's own services are below user@1000.service, so the last name counts. */
const char *jw_cgroup_service(const char *listing, struct jw_arena *a)
{
    for (const char *at = listing; *at;) {
        size_t n = strcspn(at, "\n");
        const char *line = jw_arena_text(a, at, n);

        if (jw_text_ends(line, ".service"))
            return jw_path_base(line);
        at += n + (at[n] != '\0');
    }
    return NULL;
}
