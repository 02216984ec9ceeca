#include "driver/probe/driver_known.h"

#include "base/text.h"
#include "driver/worker/identity.h"
#include "facts/compilers.h"
#include "machine/listing.h"
#include "machine/loader.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <string.h>

/* Windows: where one was met last. Its place is asked again, for an update changes what lies there. */
static const char *where_met(const struct jw_driver_states *met)
{
    for (size_t i = 0; i < met->n; i++)
        if (met->v[i].library)
            return met->v[i].library;
    return NULL;
}

static const char *library_here(const char *named, const struct jw_driver_states *met, struct jw_arena *a)
{
    if (!named && jw_os_is_windows())
        return where_met(met);
    named = named ? named : jw_env(a, "JITWARM_DRIVER");
    return named && *named ? named : jw_loader_takes(JW_LIBCUDA_FILE, jw_env(a, "LD_LIBRARY_PATH"), a);
}

static const char *truncated_words(const char *library, const char *why, struct jw_arena *a)
{
    const char *real;
    struct jw_err ignored;

    if (!why || jw_os_is_windows())
        return NULL;
    if (!jw_real_path(library, a, &real, &ignored))
        real = library;
    return jw_arena_printf(a, "the driver's library, %.200s, %s", real, why);
}

void jw_driver_file_here(const char *named, const struct jw_driver_states *met, struct jw_arena *a,
                         struct jw_driver_file *out)
{
    const char *library = library_here(named, met, a);
    struct jw_library_head seen;

    *out = (struct jw_driver_file){ .found = jw_is_file(library), .library = library };
    if (!out->found)
        return;
    seen = jw_library_look(library, true, a);
    out->truncated = truncated_words(library, seen.truncated, a);
    out->build = seen.build && *seen.build ? seen.build : NULL;
    for (size_t i = 0; seen.build && i < met->n && !out->known; i++)
        if (strcmp(met->v[i].build, seen.build) == 0)
            out->known = &met->v[i];
}

const char *jw_driver_lacks_compiler(const struct jw_driver_file *file,
                                     const struct jw_compiler_file *compiler, struct jw_arena *a)
{
    const struct jw_driver_state *known = file->known;

    if (known && jw_text_same(known->compiler, compiler->id))
        return NULL;
    return known && jw_text_same(known->failed, compiler->id) ? jw_compiler_fails(compiler, a)
                                                              : compiler->lacking;
}
