#include "driver/probe/driver_known.h"

#include "base/path.h"
#include "cache/format/jitcache.h"
#include "driver/worker/identity.h"
#include "machine/listing.h"
#include "os/machine/env.h"

#include <string.h>

/* The first folder of LD_LIBRARY_PATH that has a driver. */
static const char *on_loader_path(struct jw_arena *a)
{
    const char *list = jw_env(a, "LD_LIBRARY_PATH");

    while (list && *list) {
        size_t n = strcspn(list, ":;");
        const char *dir = n ? jw_arena_text(a, list, n) : NULL;
        const char *path = dir ? jw_path_join(a, dir, "libcuda.so.1") : NULL;

        if (jw_is_file(path))
            return path;
        list += n;
        list += *list != '\0';
    }
    return NULL;
}

/* Where one was met last that the system's own rules found: its place is asked again, for an update changes what lies
 * there. */
static const char *where_met(const struct jw_driver_states *known, struct jw_arena *a)
{
    for (size_t i = 0; i < known->n; i++) {
        const struct jw_driver_state *s = &known->v[i];
        const char *dir = s->library ? jw_path_dir(a, s->library) : NULL, *link;

        if (!dir || (jw_stamp_simulated(s->stamp) && !jw_os_is_windows()))
            continue;
        link = jw_os_is_windows() ? NULL : jw_path_join(a, dir, "libcuda.so.1");
        return jw_is_file(link) ? link : s->library;
    }
    return NULL;
}

static const char *library_here(const struct jw_driver_states *known, struct jw_arena *a)
{
    const char *named = jw_os_is_windows() ? NULL : jw_env(a, "JITWARM_DRIVER");
    const char *path = named && *named ? named : jw_os_is_windows() ? NULL : on_loader_path(a);

    return path ? path : where_met(known, a);
}

void jw_driver_file_here(const struct jw_driver_states *met, struct jw_arena *a, struct jw_driver_file *out)
{
    struct jw_err ignored = { 0 };
    const char *library = met->n ? library_here(met, a) : NULL, *build;

    *out = (struct jw_driver_file){ .found = jw_is_file(library) };
    if (!out->found || !jw_identity_of_file(library, a, &build, &ignored))
        return;
    for (size_t i = 0; i < met->n && !out->known; i++)
        if (strcmp(met->v[i].build, build) == 0)
            out->known = &met->v[i];
}
