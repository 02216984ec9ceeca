#include "base/compiler.h"
#include "cache/memory/progress_json.h"
#include "cache/status/command/status_view.h"
#include "cli/spell.h"

#include <stdio.h>

#define V struct status_view
#define R struct jw_status_report
#define P struct jw_status_primed
#define G struct jw_status_group
#define O struct jw_status_origin
#define F struct jw_cache_file
#define D struct jw_driver_state

enum { MOST_NAMED = 1000 }; /* damaged entries by name; all are counted */

const struct jw_row status_sum_rows[] = {
    { JW_ROW("entries", struct jw_status_sum, entries) },
    { JW_ROW("bytes", struct jw_status_sum, bytes) },
    { 0 },
};

static const char *spell_stamp(const void *at, char out[80])
{
    (void)snprintf(out, 80, "%s", jw_stamp_text(at).text);
    return *out ? out : NULL;
}

static const struct jw_spelling stamp = { NULL, spell_stamp };

/* ---- the place ---- */

static const struct jw_row limits[] = {
    { JW_ROW("before_cuda_12", R, documented.before) },
    { JW_ROW("since_cuda_12", R, documented.since) },
    { JW_ROW("most", R, documented.most) },
    { 0 },
};

static void write_fill(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;

    jw_json_maybe(j, row->key, r->dir.limit_known, jw_status_fill(r, r->dir.limit));
}

static const struct jw_row cache[] = {
    { JW_ROW("root", R, dir.root), JW_MAY },
    { JW_ROW("root_from", R, dir.root_from.origin) },
    { JW_ROW("limit_bytes", R, dir.limit), JW_MAY },
    { JW_ROW("limit_value", R, dir.limit_from.value), JW_MAY },
    { JW_ROW("limit_from", R, dir.limit_from.origin) },
    { JW_ROW("limit_known", R, dir.limit_known) },
    { JW_SUB_OF("documented_limits", limits) },
    { JW_ROW("disabled", R, dir.disabled) },
    { JW_ROW("disabled_from", R, dir.disabled_from.origin) },
    { JW_ROW("exists", R, list.found) },
    { JW_ROW("refused", R, list.refused), JW_MAY },
    { JW_ROW("other_owner", R, trust.owner), JW_MAY },
    { JW_ROW("other_writers", R, trust.writers), JW_MAY },
    { JW_ROW("used_bytes", R, used) },
    { JW_CALL("fill_percent", JW_ROW_NUMBER, write_fill), JW_MAY },
    { 0 },
};

/* ---- who works on it ---- */

static void write_told(struct jw_json *j, const struct jw_row *row, const void *of)
{
    (void)of;
    jw_json_bool(j, row->key, false);
}

static const struct jw_row running[] = {
    { JW_CALL("told", JW_ROW_BOOL, write_told), JW_IF(R, running_silent),
      .about = "false: it has not told yet how far it is: only pid and started count; else absent" },
    { JW_PART_AT(R, running, jw_progress_rows) },
    { 0 },
};

/* ---- what it holds ---- */

static const char *check_name(unsigned check)
{
    return check ? "all" : "headers";
}

static const struct jw_row sums[] = {
    { JW_SUB("files", R, files, status_sum_rows) },
    { JW_SUB("sound", R, sound, status_sum_rows) },
    { JW_SUB("dead", R, dead, status_sum_rows) },
    { JW_SUB("carried", R, carried, status_sum_rows) },
    { JW_SUB("orphaned", R, orphans, status_sum_rows) },
    { JW_SUB("damaged", R, damaged, status_sum_rows) },
    { JW_SUB("unread", R, unread, status_sum_rows) },
    { JW_ROW("missing", R, list.missing) },
    { JW_ROW("missing_bytes", R, list.missing_bytes) },
    { JW_ROW("mismatched", R, mismatched) },
    { JW_ROW("not_looked_at", R, list.more) },
    { JW_ROW("other_names", R, list.foreign) },
    { JW_ROW("links", R, list.links) },
    { 0 },
};

static const struct jw_row counts[] = {
    { JW_NAMED("checked", V, check, check_name, 2) },
    { JW_PART_AT(V, report, sums) },
    { 0 },
};

/* What a comparison would have counted is null where there was none. */
static void write_compared(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const P *p = of;

    if (p->compared && !p->emptied)
        jw_rows_object(j, row->key, row->rows, (const uint8_t *)of + row->at);
    else
        jw_json_null(j, row->key);
}

static const struct jw_row primed[] = {
    { JW_SUB("recorded", P, recorded, status_sum_rows), .about = "entries that it compiled or verified" },
    { JW_ROW("emptied", P, emptied), .about = "they are gone with all the cache; gone does not count then" },
    { JW_SUB("gone", P, gone, status_sum_rows), JW_MAY, .write = write_compared,
      .about = "those that are no longer there; null: not all of the cache could be read, or it is empty" },
    { JW_SUB("changed", P, changed, status_sum_rows), JW_MAY, .write = write_compared,
      .about = "those that have another size now; bytes: as they were recorded" },
    { JW_SUB("needed", P, need, status_sum_rows), .about = "those that recorded targets need" },
    { JW_ROW("compile_milliseconds", P, compile_milliseconds),
      .about = "that this driver took to compile what is warm, one module after the other: the most that "
               "first starts were spared, in all" },
    { 0 },
};

static const struct jw_row store[] = {
    { JW_ROW("folder", R, store.dir), JW_MAY }, { JW_ROW("refused", R, store.refused), JW_MAY },
    { JW_ROW("packs", R, store_packs) },        { JW_ROW("for_this_driver", R, store_current) },
    { JW_ROW("bytes", R, store.bytes) },        { 0 },
};

static const struct jw_row records[] = {
    { JW_ROW("exists", R, list.index_found) }, { JW_ROW("records", R, recorded.entries) },
    { JW_ROW("bytes", R, recorded.bytes) },    { JW_ROW("damage", R, list.index_damage), JW_MAY },
    { JW_ROW("lost", R, list.index_lost) },    { 0 },
};

static const struct jw_row origins[] = {
    { JW_ROW("origin", O, origin), .about = "a package, or the base name of a file" },
    { JW_PART(O, sum, status_sum_rows) },
    { 0 },
};

static const struct jw_row version[] = {
    { JW_ROW("driver", D, version), JW_MAY },
    { 0 },
};

static const struct jw_row builds[] = {
    { JW_NAMED("kind", G, kind, jw_cache_kind_name, JW_CACHE_OTHER + 1) },
    { JW_SPELT("stamp", G, stamp, &stamp), JW_MAY },
    { JW_ROW("arch", G, arch), JW_MAY },
    { JW_NAMED("standing", G, standing, jw_standing_name, JW_STANDING_UNKNOWN + 1) },
    { JW_PART_AT(G, driver, version) },
    { JW_ROW("entries", G, entries) },
    { JW_ROW("bytes", G, bytes) },
    { JW_ROW("origin", G, origins[0].origin), JW_MAY,
      .about = "the software whose code most of it is, where that is known" },
    { JW_ARRAY("origins", G, origins, n_origins, origins), .about = "the largest of what is known" },
    { JW_ROW("more_origins", G, more_origins), .about = "further ones, which are not listed" },
    { 0 },
};

static const struct jw_row file[] = {
    { JW_SPELT("name", F, name, &jw_spell_entry) },
    { JW_ROW("key_bytes", F, entry.key_size) },
    { JW_ROW("payload_bytes", F, entry.payload_size) },
    { JW_NAMED("kind", F, kind, jw_cache_kind_name, JW_CACHE_OTHER + 1) },
    { JW_SPELT("stamp", F, stamp, &stamp), JW_MAY },
    { JW_ROW("arch", F, arch), JW_MAY },
    { 0 },
};

static const struct jw_row largest[] = {
    { JW_PART_AT(struct jw_status_large, file, file) },
    { JW_ROW("origin", struct jw_status_large, origin), JW_MAY },
    { 0 },
};

static const struct jw_row damage[] = {
    { JW_SPELT("name", F, name, &jw_spell_entry) },
    { JW_ROW("reason", F, damage) },
    { JW_ROW("unread", F, unread) },
    { 0 },
};

static void write_damage(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;
    size_t named = 0;

    jw_json_array(j, row->key);
    for (size_t i = 0; i < r->list.n && named < MOST_NAMED; i++)
        if (r->list.files[i].damage && ++named)
            jw_rows_object(j, NULL, row->rows, &r->list.files[i]);
    jw_json_close(j);
}

static const struct jw_row stats[] = {
    { JW_ROW("bytes_read", R, list.bytes_read) },
    { JW_ROW("milliseconds", R, milliseconds) },
    { 0 },
};

/* ---- the drivers ---- */

static const struct jw_row driver[] = {
    { JW_ROW("build", D, build) },
    { JW_SPELT_AT("stamp", D, stamp, &stamp), JW_MAY },
    { JW_ROW("version", D, version), JW_MAY },
    { JW_SPELT("level", D, level, &jw_spell_level) },
    { JW_ROW("proven_at", D, proven_at) },
    { JW_ROW("simulated", D, simulated) },
    { 0 },
};

struct met {
    const D *driver;
    bool current;
};

static const struct jw_row drivers[] = {
    { JW_PART_AT(struct met, driver, driver) },
    { JW_ROW("current", struct met, current) },
    { 0 },
};

static void write_drivers(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;

    jw_json_array(j, row->key);
    for (size_t i = 0; i < r->drivers.n; i++)
        jw_rows_object(j, NULL, row->rows, &(struct met){ &r->drivers.v[i], &r->drivers.v[i] == r->current });
    jw_json_close(j);
}

static void write_notes(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;
    const struct jw_notes *all[] = { &r->dir.notes, &r->list.notes, &r->drivers.notes, &r->memory.notes };

    jw_json_array(j, row->key);
    for (size_t i = 0; i < JW_COUNT(all); i++)
        for (size_t k = 0; k < all[i]->n; k++)
            jw_json_text(j, NULL, all[i]->v[k]);
    jw_json_close(j);
}

static const struct jw_row simulated[] = {
    { JW_TRUE("simulated", D, simulated),
      .about = "the driver that was probed last is the project's simulated one" },
    { 0 },
};

/* ---- all of it ---- */

static const struct jw_row head[] = {
    { JW_PART_AT(R, current, simulated) },
    { JW_SUB_OF("cache", cache) },
    { JW_SUB_OF("running", running), JW_IF(R, running), JW_MAY,
      .about = "a prime that is at work on this cache now, as jitwarm.progress/1 has it" },
    { 0 },
};

static const struct jw_row contents[] = {
    { JW_BY("kinds", R, kinds, jw_cache_kind_name, JW_CACHE_OTHER + 1, status_sum_rows) },
    { JW_SUB("primed", R, primed, primed), JW_IF(R, primed.known), JW_MAY,
      .about = "what jitwarm recorded of this cache for the driver that was probed last; null: nothing" },
    { JW_SUB_OF("store", store), .about = "the packs that are kept here, by their names" },
    { JW_SUB_OF("index", records) },
    { JW_LIST("builds", R, groups, n_groups, builds) },
    { JW_ARRAY("largest", R, largest, n_largest, largest) },
    { JW_CALL("damage", JW_ROW_LIST, write_damage), .rows = damage },
    { 0 },
};

static const struct jw_row tail[] = {
    { JW_CALL("drivers", JW_ROW_LIST, write_drivers), .rows = drivers },
    { JW_CALL("notes", JW_ROW_LIST, write_notes) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_PART_AT(V, report, head) },     { JW_SUB_OF("counts", counts) },
    { JW_PART_AT(V, report, contents) }, { JW_SUB_AT("stats", V, report, stats), JW_IF(V, stats) },
    { JW_PART_AT(V, report, tail) },     { 0 },
};

const struct jw_form status_form = { "status", "What the driver's cache of compiled code holds.", rows };
