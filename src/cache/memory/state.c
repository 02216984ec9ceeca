/*
 * drivers/BUILD.json
 *
 *   { "schema": "jitwarm.driver/1", "build": "gnu:5d1...", "stamp": "Jan  7 202622:51:46" or null,
 *     "version": "580.126.09" or null, "library": "/usr/lib/libcuda.so.580.126.09" or null, "level": 3, "level_name": "placeable",
 *     "siblings": true, "proven_at": 1790000000, "evidence": [ "..." ],
 *     "rates": [ { "sm": 86, "base_seconds": 0.03, "bytes_per_second": 1100000, "modules": 143 } ],
 *     "forged": [ { "compiler": "ptxas 13.0.88", "sm": 86, "proven_at": 1790000000 } ] }
 *
 * A later version only adds fields, or names another schema. What the file says opens doors (a level, a stamp), so it
 * is trusted only in a folder that no other user can change.
 */
#include "cache/memory/state.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/format/jitcache.h"
#include "machine/trust.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA "jitwarm.driver/1"

enum {
    LONGEST_NAME = 100, /* of a build, in a file name */
    SLOWEST_BASE_S = 3600,
    MOST_RATED = 1 << 30,
    SMALLEST_UNSAFE = 0x21
};

static const double latest = 4e12; /* seconds: past any clock, and exact in a double */

static const char *const level_names[] = { "opaque",    "readable",  "predictable",
                                           "placeable", "carryable", "forgeable" };

const char *jw_level_name(enum jw_level l)
{
    return l >= JW_LEVEL_OPAQUE && l <= JW_LEVEL_FORGEABLE ? level_names[l] : "none";
}

/* ---- folders and names ---- */

const char *jw_state_dir(struct jw_arena *a, struct jw_err *err)
{
    const char *own = jw_env(a, "JITWARM_STATE"), *base, *dir;

    if (own && *own) {
        if (!jw_path_absolute(own))
            (void)jw_fail(err, JW_E_USAGE, "JITWARM_STATE=%.200s is not an absolute path", own);
        return jw_path_absolute(own) ? own : NULL;
    }
    base = jw_env_state_user(a);
    if (!base) {
        (void)jw_fail(err, JW_E_IO, "this system names no folder for the user's state (HOME is unset?)");
        return NULL;
    }
    dir = jw_path_join(a, base, jw_os_is_windows() ? "jitwarm/state" : "jitwarm");
    return dir;
}

/*
 * "gnu:5D" -> "gnu-%5D": lower-case letters, digits and a few signs stay, so that no file system takes two for one; a
 * long name ends in its hash.
 */
static void safe_name(struct jw_buf *out, const char *build)
{
    size_t n = strlen(build);

    if (!strchr(build,
                ':')) /* every identity has one; what has none could be a device of Windows: con.json */
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
    jw_buf_text(out, ".json");
}

static bool is_file_of(const char *name, const char *build)
{
    struct jw_buf own = JW_BUF(LONGEST_NAME + 32);

    safe_name(&own, build);
    bool same = !own.bad && strcmp(jw_buf_cstr(&own), name) == 0;
    jw_buf_free(&own);
    return same;
}

static const char *driver_path(const char *dir, const char *build, struct jw_arena *a)
{
    struct jw_buf name = JW_BUF(LONGEST_NAME + 32);
    const char *path;

    safe_name(&name, build);
    path = jw_path_join(a, jw_path_join(a, dir, "drivers"), jw_buf_cstr(&name));
    jw_buf_free(&name);
    return path;
}

/* ---- reading ---- */

static void keep_text(const struct jw_jval *v, struct jw_arena *a, const char **out)
{
    const char *text = jw_jtext(v);

    *out = text ? jw_arena_str(a, text) : NULL;
}

/* A whole number from `least` to `most`; false leaves a sentence. */
static bool whole(const struct jw_jval *root, const char *field, double least, double most, double *out,
                  struct jw_err *err)
{
    return (jw_jnumber(jw_jget(root, field), out) && *out >= least && *out <= most
            && (double)(int64_t)*out == *out)
           || jw_fail(err, JW_E_FORMAT, "\"%s\" is not what it should be", field);
}

static void read_evidence(const struct jw_jval *list, struct jw_arena *a, struct jw_driver_state *out)
{
    const char **kept = jw_arena_alloc(a, JW_MAX_NOTES * sizeof *kept);

    for (const struct jw_jval *v = jw_jfirst(list); v && out->n_evidence < JW_MAX_NOTES; v = jw_jnext(v)) {
        keep_text(v, a, &kept[out->n_evidence]);
        out->n_evidence += kept[out->n_evidence] != NULL;
    }
    out->evidence = kept;
}

/* Of no importance: what makes no sense is left out. */
static void read_rates(const struct jw_jval *list, struct jw_arena *a, struct jw_driver_state *out)
{
    struct jw_compile_rate *kept = jw_arena_alloc(a, JW_MAX_RATES * sizeof *kept);

    for (const struct jw_jval *v = jw_jfirst(list); v && out->n_rates < JW_MAX_RATES; v = jw_jnext(v)) {
        double sm, base, rate, modules;

        if (jw_jnumber(jw_jget(v, "sm"), &sm) && jw_jnumber(jw_jget(v, "base_seconds"), &base)
            && jw_jnumber(jw_jget(v, "bytes_per_second"), &rate)
            && jw_jnumber(jw_jget(v, "modules"), &modules) && sm >= 1 && sm <= UINT16_MAX && base >= 0
            && base <= SLOWEST_BASE_S && rate >= 1 && modules >= 0 && modules <= MOST_RATED)
            kept[out->n_rates++] =
                (struct jw_compile_rate){ (uint16_t)sm, base, 1 / rate, (uint64_t)modules };
    }
    out->rates = kept;
}

/* What makes no sense is not proven. */
static void read_forged(const struct jw_jval *list, struct jw_arena *a, struct jw_driver_state *out)
{
    struct jw_forged_proof *kept = jw_arena_alloc(a, JW_MAX_FORGED * sizeof *kept);

    for (const struct jw_jval *v = jw_jfirst(list); v && out->n_forged < JW_MAX_FORGED; v = jw_jnext(v)) {
        double sm, at;

        keep_text(jw_jget(v, "compiler"), a, &kept[out->n_forged].compiler);
        if (!kept[out->n_forged].compiler || !jw_jnumber(jw_jget(v, "sm"), &sm)
            || !(sm >= 1 && sm <= UINT16_MAX) || !jw_jnumber(jw_jget(v, "proven_at"), &at)
            || !(at >= 0 && at <= latest))
            continue;
        kept[out->n_forged].sm = (uint16_t)sm;
        kept[out->n_forged++].proven_at = (int64_t)at;
    }
    out->forged = kept;
}

static bool is_stamp(const char *text)
{
    struct jw_cache_key key;

    jw_cache_key_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, JW_CACHE_KEY_HEAD, &key);
    return strcmp(key.stamp, text) == 0;
}

/* `build` NULL: whichever. */
static bool read_state(const struct jw_jval *root, const char *build, struct jw_arena *a,
                       struct jw_driver_state *out, struct jw_err *err)
{
    const char *schema = jw_jtext(jw_jget(root, "schema"));
    const struct jw_jval *met_at = jw_jget(root, "met_at");
    double level, proven, met = 0;

    if (!schema || strcmp(schema, SCHEMA) != 0)
        return jw_fail(err, JW_E_FORMAT, "another version of jitwarm wrote it (schema %.40s)",
                       schema ? schema : "none");
    keep_text(jw_jget(root, "build"), a, &out->build);
    keep_text(jw_jget(root, "stamp"), a, &out->stamp);
    keep_text(jw_jget(root, "version"), a, &out->version);
    keep_text(jw_jget(root, "library"), a, &out->library);
    if (!out->build || !*out->build || (build && strcmp(out->build, build) != 0))
        return jw_fail(err, JW_E_FORMAT, "it speaks of another library (%.80s)",
                       out->build ? out->build : "none");
    if (!whole(root, "level", JW_LEVEL_NONE, JW_LEVEL_FORGEABLE, &level, err)
        || !whole(root, "proven_at", 0, latest, &proven, err)
        || (met_at && !whole(root, "met_at", 0, latest, &met, err)))
        return false;
    if (out->stamp && !is_stamp(out->stamp))
        return jw_fail(err, JW_E_FORMAT, "\"stamp\" is not what it should be");
    (void)jw_jbool(jw_jget(root, "siblings"), &out->siblings); /* an older jitwarm did not ask */
    out->level = (enum jw_level)(int)level;
    out->proven_at = (int64_t)proven;
    out->met_at = (int64_t)met;
    if (out->level >= JW_LEVEL_READABLE && !out->stamp)
        return jw_fail(err, JW_E_FORMAT, "level %d without a stamp", (int)out->level);
    read_evidence(jw_jget(root, "evidence"), a, out);
    read_rates(jw_jget(root, "rates"), a, out);
    read_forged(jw_jget(root, "forged"), a, out);
    return true;
}

/* The folder of the state, and the one below it that holds the files. Who can write there can say anything about the
 * driver. */
static bool trusted_folders(const char *dir, struct jw_arena *a, struct jw_err *err)
{
    const char *drivers = jw_path_join(a, dir, "drivers");

    return jw_trust_believe(dir, "folder", a, err)
           && (jw_trust_believe(drivers, "folder", a, err) || jw_wrap(err, "drivers"));
}

/* `*found` false and true: it is not there. */
static bool load_file(const char *path, const char *build, struct jw_arena *a, struct jw_driver_state *out,
                      bool *found, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_jdoc *doc = NULL;
    bool ok;

    *out = (struct jw_driver_state){ .level = JW_LEVEL_NONE };
    ok = jw_trust_believe(path, "file", a, err) && jw_file_slurp(path, &text, found, err)
         && (!*found
             || (jw_jdoc_parse(&doc, jw_buf_bytes(&text), err)
                 && read_state(jw_jdoc_root(doc), build, a, out, err)));
    jw_jdoc_free(doc);
    jw_buf_free(&text);
    if (!ok)
        *found = false;
    return ok;
}

bool jw_state_load_driver(const char *build, struct jw_arena *a, struct jw_driver_state *out, bool *found,
                          const char **why, struct jw_err *err)
{
    struct jw_err cause = { 0 };
    const char *dir = jw_state_dir(a, err), *path;

    *found = false;
    *why = NULL;
    *out = (struct jw_driver_state){ .level = JW_LEVEL_NONE };
    path = dir ? driver_path(dir, build, a) : NULL;
    if (!path)
        return false;
    if (!*build || (trusted_folders(dir, a, &cause) && load_file(path, build, a, out, found, &cause)))
        return true;
    (void)jw_wrap(&cause, "%s", cause.code == JW_E_FORMAT ? path : dir);
    *why = jw_arena_str(a, cause.msg);
    *out = (struct jw_driver_state){ .level = JW_LEVEL_NONE };
    return true;
}

/* ---- all of them ---- */

static int by_age(const void *a, const void *b)
{
    const struct jw_driver_state *x = a, *y = b;
    int64_t x_at = x->met_at > x->proven_at ? x->met_at : x->proven_at;
    int64_t y_at = y->met_at > y->proven_at ? y->met_at : y->proven_at;

    int order = jw_stamp_simulated(x->stamp) - jw_stamp_simulated(y->stamp);

    if (order) /* a rehearsal says nothing about what real programs use */
        return order;
    if (x_at != y_at)
        return x_at > y_at ? -1 : 1;
    return strcmp(x->build, y->build);
}

/* One file of the folder; what is wrong with it becomes a note. */
static bool add_state(const char *folder, const char *name, struct jw_arena *a, struct jw_driver_states *out,
                      struct jw_err *err)
{
    struct jw_driver_state s;
    bool found;
    const char *path = jw_path_join(a, folder, name);

    if (!load_file(path, NULL, a, &s, &found, err)) {
        jw_note_failure(&out->notes, a, err, path);
        return true;
    }
    if (!found)
        return true;
    /* A copy would make two of one build. */
    if (!is_file_of(name, s.build)) {
        jw_note(&out->notes, a, "%s: it speaks of another library (%.80s)", path, s.build);
        return true;
    }

    struct jw_driver_state *slot = jw_list_add(a, &out->v, &out->n, sizeof s, JW_MAX_DRIVERS, err);

    if (!slot)
        return false;
    *slot = s;
    return true;
}

static bool read_folder(const char *folder, struct jw_dir *dir, struct jw_arena *a,
                        struct jw_driver_states *out, struct jw_err *err)
{
    struct jw_entry e;
    bool more = true;

    for (;;) {
        if (!jw_dir_next(dir, &e, &more, err)) {
            jw_note_failure(&out->notes, a, err, folder);
            return true;
        }
        if (!more)
            return true;
        if (e.type != JW_ENTRY_FILE || e.name[0] == '.' || !jw_text_ends(e.name, ".json"))
            continue;
        if (out->n == JW_MAX_DRIVERS) {
            jw_note(&out->notes, a, "%s: more than %zu files; the rest is not read", folder, JW_MAX_DRIVERS);
            return true;
        }
        if (!add_state(folder, e.name, a, out, err))
            return false;
    }
}

bool jw_state_list_drivers(struct jw_arena *a, struct jw_driver_states *out, struct jw_err *err)
{
    struct jw_err cause = { 0 };
    struct jw_file_info info;
    struct jw_dir *dir;
    const char *top = jw_state_dir(a, &cause), *folder;
    bool ok;

    *out = (struct jw_driver_states){ 0 };
    if (!top) {
        *err = cause;
        jw_note(&out->notes, a, "%s", cause.msg);
        return true;
    }
    folder = jw_path_join(a, top, "drivers");
    if (!trusted_folders(top, a, err)) {
        jw_note_failure(&out->notes, a, err, top);
        return true;
    }
    if (!jw_file_stat(folder, &info, err)) {
        jw_note_failure(&out->notes, a, err, folder);
        return true;
    }
    if (info.kind == JW_FILE_NONE)
        return true;
    if (!jw_dir_open(&dir, folder, err)) {
        jw_note_failure(&out->notes, a, err, folder);
        return true;
    }
    ok = read_folder(folder, dir, a, out, err);
    jw_dir_close(dir);
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_age);
    return ok;
}

/* ---- writing ---- */

static void write_rates(struct jw_json *j, const struct jw_driver_state *s)
{
    if (!s->n_rates)
        return;
    jw_json_array(j, "rates");
    for (size_t i = 0; i < s->n_rates; i++) {
        jw_json_object(j, NULL);
        jw_json_number(j, "sm", s->rates[i].sm);
        jw_json_real(j, "base_seconds", s->rates[i].base_s);
        jw_json_real(j, "bytes_per_second", 1 / s->rates[i].per_byte_s);
        jw_json_number(j, "modules", s->rates[i].modules);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_forged(struct jw_json *j, const struct jw_driver_state *s)
{
    if (!s->n_forged)
        return;
    jw_json_array(j, "forged");
    for (size_t i = 0; i < s->n_forged; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "compiler", s->forged[i].compiler);
        jw_json_number(j, "sm", s->forged[i].sm);
        jw_json_number(j, "proven_at", (uint64_t)s->forged[i].proven_at);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static bool write_state(const struct jw_driver_state *s, struct jw_sink sink, struct jw_err *err)
{
    struct jw_json j;

    jw_json_begin(&j, sink, true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", SCHEMA);
    jw_json_text(&j, "build", s->build);
    jw_json_text(&j, "stamp", s->stamp);
    jw_json_text(&j, "version", s->version);
    jw_json_text(&j, "library", s->library);
    if (s->level < JW_LEVEL_OPAQUE)
        jw_json_real(&j, "level", s->level);
    else
        jw_json_number(&j, "level", (uint64_t)s->level);
    jw_json_text(&j, "level_name", jw_level_name(s->level));
    if (s->siblings)
        jw_json_bool(&j, "siblings", true);
    jw_json_number(&j, "proven_at", s->proven_at > 0 ? (uint64_t)s->proven_at : 0);
    if (s->met_at > 0)
        jw_json_number(&j, "met_at", (uint64_t)s->met_at);
    jw_json_texts(&j, "evidence", (const char *const *)s->evidence, s->n_evidence);
    write_rates(&j, s);
    write_forged(&j, s);
    jw_json_close(&j);
    return jw_json_end(&j);
}

bool jw_state_save_driver(const struct jw_driver_state *s, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct jw_out out = { 0 };
    const char *dir = jw_state_dir(&a, err);
    const char *path = dir ? driver_path(dir, s->build, &a) : NULL;
    const char *folder = path ? jw_path_dir(&a, path) : NULL;
    bool ok = folder;

    if (ok && !*s->build)
        ok = jw_fail(err, JW_E_DRIVER, "the driver library has no identity to remember it by");
    ok = ok && jw_trust_make(dir, err) && jw_trust_make(folder, err) && jw_out_open(&out, path, true, err)
         && write_state(s, jw_out_sink(&out), err) && jw_out_commit(&out, err);
    jw_out_close(&out);
    if (!ok && path)
        jw_err_wrap(err, "%s", path);
    jw_arena_free(&a);
    return ok;
}
