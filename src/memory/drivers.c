/*
 * drivers/BUILD.record: one checked record (base/fields.h) of a struct jw_driver_state, whose fields are
 * below. A later version that has more to say uses another kind. The file allows actions (by its level and
 * stamp), so it is trusted only in a folder that no other user can change.
 */
#include "memory/drivers.h"

#include "base/fields.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "cache/format/jitcache.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "memory/state_folder.h"

#include <string.h>

#define END ".record"
#define LATEST 4000000000000 /* seconds: past any clock */

enum {
    RECORD = 57,        /* its kind */
    LONGEST_NAME = 100, /* of a build, in a file name */
    SLOWEST_BASE_S = 3600
};

static const char *const level_names[] = { "opaque", "readable", "predictable", "placeable" };

const char *jw_level_name(enum jw_level l)
{
    return l >= JW_LEVEL_OPAQUE && l <= JW_LEVEL_PLACEABLE ? level_names[l] : "none";
}

/* ---- folders and names ---- */

/*
 * "gnu:5D" -> "gnu-%5D": lower-case letters, digits and a few signs stay, so that no file system takes two for one; a
 * long name ends in its hash.
 */
static void safe_name(struct jw_buf *out, const char *build)
{
    size_t n = strlen(build);

    if (!strchr(build,
                ':')) /* every identity has one; a name without it could be a device of Windows: con.record */
        jw_buf_text(out, "%");
    for (size_t i = 0; i < n && out->n < LONGEST_NAME; i++) {
        char c = build[i];

        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || (c == '.' && i))
            jw_buf_add(out, &c, 1);
        else if (c == ':')
            jw_buf_text(out, "-");
        else
            jw_buf_printf(out, "%%%02X", (unsigned)(uint8_t)c);
    }
    if (out->n >= LONGEST_NAME)
        jw_buf_printf(out, "-%016llx", (unsigned long long)jw_fnv1a(JW_FNV_START, build, n));
    jw_buf_text(out, END);
}

static const char *driver_path(const char *folder, const char *build, struct jw_arena *a)
{
    struct jw_buf name = JW_BUF_IN(a, LONGEST_NAME + 32);

    safe_name(&name, build);
    return jw_path_join(a, folder, jw_buf_cstr(&name));
}

/* ---- the record ---- */

#define D struct jw_driver_state
#define R struct jw_compile_rate

static const struct jw_field rate[] = {
    JW_FIELD(R, sm), JW_FIELD(R, base_s), JW_FIELD(R, per_byte_s), JW_FIELD(R, modules), { 0 }
};
static const struct jw_field fields[] = {
    JW_FIELD(D, compiler),
    JW_FIELD(D, failed),
    JW_FIELD(D, build),
    JW_FIELD(D, stamp),
    JW_FIELD(D, version),
    JW_FIELD(D, library),
    JW_FIELD(D, level),
    JW_FIELD(D, why),
    JW_FIELD(D, compiles_absent),
    JW_FIELD_UP_TO(D, proven_at, 8, LATEST),
    JW_FIELD_UP_TO(D, met_at, 8, LATEST),
    JW_FIELD_LIST_UP_TO(D, rates, n_rates, rate, JW_MAX_RATES),
    { 0 },
};

/* A record has no NULL. */
static void unset_empty(const char **text)
{
    if (!**text)
        *text = NULL;
}

/* A rate that makes no sense is dropped: it only makes an estimate better. */
static void drop_rates(struct jw_driver_state *s, struct jw_arena *a)
{
    struct jw_compile_rate *kept = jw_arena_alloc(a, s->n_rates * sizeof *kept);
    size_t n = 0;

    for (size_t i = 0; i < s->n_rates; i++) {
        const struct jw_compile_rate *r = &s->rates[i];

        if (r->sm && r->base_s >= 0 && r->base_s <= SLOWEST_BASE_S && r->per_byte_s > 0 && r->per_byte_s <= 1)
            kept[n++] = *r;
    }
    s->rates = kept;
    s->n_rates = n;
}

static bool is_stamp(const char *text)
{
    struct jw_cache_key key;

    jw_cache_key_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, JW_CACHE_KEY_HEAD, &key);
    return strcmp(key.stamp, text) == 0;
}

/* `build` NULL: whichever. */
static bool check_state(const char *build, struct jw_arena *a, struct jw_driver_state *out,
                        struct jw_err *err)
{
    unset_empty(&out->compiler);
    unset_empty(&out->failed);
    unset_empty(&out->stamp);
    unset_empty(&out->version);
    unset_empty(&out->library);
    unset_empty(&out->why);
    drop_rates(out, a);
    if (!*out->build || (build && strcmp(out->build, build) != 0))
        return jw_fail(err, JW_E_FORMAT, "it speaks of another library (%.80s)",
                       *out->build ? out->build : "none");
    if (out->level < JW_LEVEL_NONE || out->level > JW_LEVEL_PLACEABLE)
        return jw_fail(err, JW_E_FORMAT, "there is no level %d", (int)out->level);
    if (out->stamp && !is_stamp(out->stamp))
        return jw_fail(err, JW_E_FORMAT, "its stamp is not that of a driver");
    return out->level < JW_LEVEL_READABLE || out->stamp
           || jw_fail(err, JW_E_FORMAT, "level %d without a stamp", (int)out->level);
}

/* `*found` false and true: it is not there. */
static bool load_file(const char *path, const char *build, struct jw_arena *a, struct jw_driver_state *out,
                      bool *found, struct jw_err *err)
{
    *out = (struct jw_driver_state){ .build = "" };
    bool ok = jw_trust_load(path, RECORD, fields, a, out, found, err)
              && (!*found || check_state(build, a, out, err));

    *found = ok && *found;
    return ok || jw_wrap(err, "%s", path);
}

bool jw_state_load_driver(const char *build, struct jw_arena *a, struct jw_driver_state *out, bool *found,
                          const char **why, struct jw_err *err)
{
    struct jw_err cause = { 0 };
    const char *folder;

    *found = false;
    *why = NULL;
    *out = (struct jw_driver_state){ .level = JW_LEVEL_NONE };
    if (!jw_state_dir(a, err))
        return false;
    if (!*build)
        return true;
    folder = jw_state_own(JW_STATE_DRIVERS, a, &cause);
    if (folder && load_file(driver_path(folder, build, a), build, a, out, found, &cause))
        return true;
    *why = jw_arena_str(a, cause.msg);
    *out = (struct jw_driver_state){ .level = JW_LEVEL_NONE };
    return true;
}

/* ---- all of them ---- */

static int64_t seen_at(const struct jw_driver_state *s)
{
    return s->met_at > s->proven_at ? s->met_at : s->proven_at;
}

const struct jw_driver_state *jw_state_of_stamp(const struct jw_driver_states *all, const char *stamp)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].stamp && strcmp(all->v[i].stamp, stamp) == 0)
            return &all->v[i];
    return NULL;
}

static int by_age(const void *a, const void *b)
{
    const struct jw_driver_state *x = a, *y = b;
    int64_t x_at = seen_at(x), y_at = seen_at(y);
    int order = jw_stamp_simulated(x->stamp) - jw_stamp_simulated(y->stamp);

    if (order) /* a rehearsal says nothing about what real programs use */
        return order;
    if (x_at != y_at)
        return x_at > y_at ? -1 : 1;
    return strcmp(x->build, y->build);
}

/* Reads one file of the folder; a problem becomes a note. */
static void add_state(const char *folder, const char *name, struct jw_arena *a, struct jw_driver_states *out)
{
    const char *path = jw_path_join(a, folder, name);
    struct jw_driver_state *s = &out->v[out->n];
    struct jw_err why = { 0 };
    bool found;

    if (!load_file(path, NULL, a, s, &found, &why)) {
        jw_note(&out->notes, a, "%s", why.msg);
    } else if (found
               && strcmp(driver_path(folder, s->build, a), path)
                      != 0) { /* a copy would make two of one build */
        jw_note(&out->notes, a, "%s: it speaks of another library (%.80s)", path, s->build);
    } else {
        out->n += found;
    }
}

void jw_state_list_drivers(struct jw_arena *a, struct jw_driver_states *out)
{
    struct jw_err why = { 0 };
    const char *folder = jw_state_own(JW_STATE_DRIVERS, a, &why);
    struct jw_listing names;

    *out = (struct jw_driver_states){ 0 };
    if (!folder) {
        jw_note(&out->notes, a, "%s", why.msg);
        return;
    }
    names = jw_listing_read(folder, "*" END, a, &out->notes);
    out->v = jw_arena_alloc(a, jw_min(names.n, JW_MAX_DRIVERS) * sizeof *out->v);
    for (size_t i = 0; i < names.n && out->n < JW_MAX_DRIVERS; i++)
        if (names.names[i][0] != '.')
            add_state(folder, names.names[i], a, out);
    if (names.n > JW_MAX_DRIVERS)
        jw_note(&out->notes, a, "%s: more than %zu files; the rest is not read", folder, JW_MAX_DRIVERS);
    jw_sort(out->v, out->n, sizeof *out->v, by_age);
}

/* ---- writing ---- */

bool jw_state_save_driver(const struct jw_driver_state *s, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    const char *folder = jw_state_path(JW_STATE_DRIVERS, &a, err);
    const char *path = folder ? driver_path(folder, s->build, &a) : NULL;
    bool ok =
        path
        && (*s->build || jw_fail(err, JW_E_DRIVER, "the driver library has no identity to remember it by"))
        && jw_state_make(folder, &a, err) && jw_trust_save(path, RECORD, fields, s, err);

    if (!ok && path)
        jw_err_wrap(err, "%s", path);
    jw_arena_free(&a);
    return ok;
}

const struct jw_compile_rate *jw_compile_rate_of(const struct jw_compile_rate *rates, size_t n, unsigned sm)
{
    for (size_t i = 0; i < n; i++)
        if (rates[i].sm == sm)
            return &rates[i];
    return NULL;
}
