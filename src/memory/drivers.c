/* drivers/DIGEST.record: one checked record (base/fields.h) of a struct jw_driver_state, with the
 * fields below. DIGEST is jw_state_file_name of the build. A later version that stores more uses
 * another kind. Level and stamp in this file allow jitwarm to act, so it is trusted only in a
 * folder that no other user can change. A damaged file counts as missing, and the driver is probed
 * again. */
#include "memory/drivers.h"

#include "base/fields.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/format/jitcache.h"
#include "machine/paths.h"
#include "machine/trust.h"
#include "memory/cache_memory.h"
#include "memory/state_folder.h"

#include <string.h>

#define END ".record"
#define LATEST 4000000000000 /* seconds: past any clock */

enum { SLOWEST = 10000 };

static const char *const level_names[] = {[JW_LEVEL_OPAQUE] = "opaque",
                                          [JW_LEVEL_READABLE] = "readable",
                                          [JW_LEVEL_PREDICTABLE] = "predictable",
                                          [JW_LEVEL_PLACEABLE] = "placeable"};
JW_ROW_FOR_EACH(level_names, JW_LEVELS, 4);

const char *jw_level_name(enum jw_level l)
{
    return l >= JW_LEVEL_OPAQUE && l <= JW_LEVEL_PLACEABLE ? level_names[l] : "none";
}

static const char *driver_path(const char *folder, const char *build, struct jw_arena *a)
{
    return jw_path_join(a, folder, jw_arena_printf(a, "%s" END, jw_state_file_name(build, a)));
}

#define D struct jw_driver_state

static const struct jw_field fields[] = {
    JW_FIELD_OR_NULL(D, compiler),
    JW_FIELD(D, build),
    JW_FIELD_OR_NULL(D, stamp),
    JW_FIELD_OR_NULL(D, version),
    JW_FIELD_OR_NULL(D, library),
    JW_FIELD_OR_NULL(D, code),
    JW_FIELD_OR_NULL(D, probe_payload),
    JW_FIELD(D, level),
    JW_FIELD_OR_NULL(D, why),
    JW_FIELD(D, compiles_absent),
    JW_FIELD_UP_TO(D, proven_at, LATEST),
    JW_FIELD_UP_TO(D, met_at, LATEST),
    JW_FIELD(D, slowness),
    {0},
};

/* Could jitwarm have written this record? */
static bool is_sound(const struct jw_driver_state *s)
{
    if (!*s->build || s->level < JW_LEVEL_NONE || s->level > JW_LEVEL_PLACEABLE)
        return false;
    return s->stamp || s->level < JW_LEVEL_READABLE;
}

/* The name has to match the build: a copy under another name would make two drivers of one. */
static bool load(const char *folder, const char *name, struct jw_arena *a,
                 struct jw_driver_state *out)
{
    const char *path = jw_path_join(a, folder, name);
    bool found;

    *out = (struct jw_driver_state){0};
    if (!jw_trust_load(path, JW_RECORD_DRIVER, fields, a, out, &found, JW_IGNORED) || !found)
        return false;
    bool plausible = out->slowness > 0 && out->slowness <= SLOWEST;

    if (!plausible) /* that spoils only an estimate */
        out->slowness = 0;
    return is_sound(out) && strcmp(driver_path(folder, out->build, a), path) == 0;
}

const struct jw_driver_state *jw_drivers_of_build(const struct jw_drivers *all, const char *build)
{
    for (size_t i = 0; i < all->n; i++)
        if (jw_text_same(all->v[i].build, build))
            return &all->v[i];
    return NULL;
}

const struct jw_driver_state *jw_drivers_find(const struct jw_drivers *all, const char *stamp)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].stamp && strcmp(all->v[i].stamp, stamp) == 0)
            return &all->v[i];
    return NULL;
}

const char *jw_drivers_version(const struct jw_drivers *all, const char *stamp)
{
    const struct jw_driver_state *build = jw_drivers_find(all, stamp);

    return build ? build->version : NULL;
}

/* Did they make different code of the probe's modules for the same architecture? */
static bool probes_differ(const char *one, const char *other)
{
    if (!one || !other)
        return false;
    size_t sm = strcspn(one, " ") + 1;

    return strncmp(one, other, sm) == 0 && strcmp(one, other) != 0;
}

bool jw_drivers_compile_alike(const struct jw_driver_state *old, const struct jw_driver_state *now)
{
    if (old->level < JW_LEVEL_PLACEABLE || !old->code || jw_text_same(old->stamp, now->stamp))
        return false;
    return jw_text_same(old->code, now->code)
           && !probes_differ(old->probe_payload, now->probe_payload);
}

static int by_age(const void *a, const void *b)
{
    const struct jw_driver_state *x = a;
    const struct jw_driver_state *y = b;
    int order = jw_stamp_simulated(x->stamp) - jw_stamp_simulated(y->stamp);

    if (order) /* a simulated driver does not show what real programs use */
        return order;
    if (x->met_at != y->met_at)
        return x->met_at > y->met_at ? -1 : 1;
    return strcmp(x->build, y->build);
}

void jw_drivers_load(struct jw_arena *a, struct jw_drivers *out)
{
    const char *folder = jw_state_own(JW_STATE_DRIVERS, a, JW_IGNORED);
    struct jw_listing names = jw_listing_read(folder ? folder : "", JW_STATE_NAMES END, a, NULL);

    *out = (struct jw_drivers){jw_arena_alloc(a, (names.n + 1) * sizeof *out->v), 0};
    for (size_t i = 0; i < names.n; i++)
        out->n += load(folder, names.names[i], a, &out->v[out->n]);
    jw_sort(out->v, out->n, sizeof *out->v, by_age);
}

static bool save_in(const char *folder, const struct jw_driver_state *s, struct jw_arena *a,
                    struct jw_err *err)
{
    const char *path = driver_path(folder, s->build, a);

    return (jw_state_make(folder, a, err) && jw_trust_save(path, JW_RECORD_DRIVER, fields, s, err))
           || jw_wrap(err, "%s", path);
}

bool jw_driver_save(const struct jw_driver_state *s, struct jw_err *err)
{
    struct jw_arena a = {0};

    if (!*s->build)
        return jw_fail(err, JW_E_DRIVER, "the driver library has no identity to remember it by");
    const char *folder = jw_state_own(JW_STATE_DRIVERS, &a, err);
    bool ok = folder && save_in(folder, s, &a, err);

    jw_arena_free(&a);
    return ok;
}

bool jw_driver_save_slowness(const char *build, double slowness, struct jw_err *err)
{
    struct jw_arena a = {0};
    struct jw_drivers all;

    jw_drivers_load(&a, &all);
    const struct jw_driver_state *known = jw_drivers_of_build(&all, build);
    struct jw_driver_state now = known ? *known : (struct jw_driver_state){0};

    now.slowness = slowness;
    bool ok = !known || jw_driver_save(&now, err);

    jw_arena_free(&a);
    return ok;
}
