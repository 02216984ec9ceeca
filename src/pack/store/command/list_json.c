#include "cache/memory/spell.h"
#include "pack/store/command/store_view.h"

#define R struct jw_store_report
#define S struct jw_store_shown
#define P struct jw_store_pack
#define O struct jw_pack_origin

const struct jw_row list_store_rows[] = {
    { JW_ROW("folder", R, store.dir), JW_NULLABLE, JW_LABEL("Store") },
    { JW_ROW("exists", R, store.exists) },
    { JW_ROW("refused", R, store.refused), JW_NULLABLE, JW_ABOUT("why it cannot be used") },
    { JW_ROW("bytes", R, store.bytes) },
    { JW_ROW("cap_bytes", R, cap) },
    { JW_ROW("cap_from", R, cap_origin) },
    { 0 },
};

static const struct jw_row origins[] = {
    { JW_ROW("name", O, name) },
    { JW_ROW("version", O, version), JW_NULLABLE },
    { 0 },
};

static const struct jw_row manifest[] = {
    { JW_ROW("entries", S, entries) },
    { JW_ROW("raw_bytes", S, raw), JW_ABOUT("of its tar") },
    { JW_LIST("origins", S, origins, n_origins, origins) },
    { JW_ROW("others", S, unnamed), JW_ABOUT("some entries have no origin") },
    { JW_ROW("signed", S, is_signed), JW_ABOUT("it has a signature, not verified") },
    { JW_ROW("key", S, key), JW_NULLABLE },
    { JW_ROW("trusted_from", S, key_file), JW_NULLABLE },
    { 0 },
};

static const struct jw_row kind[] = {
    { JW_ROW("file", P, path) },
    { JW_ROW("driver", P, key.driver), JW_NULLABLE },
    JW_STAMP(P, key.stamp),
    { JW_ROW("sm", P, key.sm) },
    { 0 },
};

static const struct jw_row times[] = {
    { JW_ROW("replaced", P, older), JW_ABOUT("the store has a newer pack for the same driver and GPU") },
    { JW_ROW("packed_bytes", P, size) },
    { JW_ROW("added_at", P, added_at) },
    { 0 },
};

static void write_manifest(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const S *s = of;

    if (s->damage)
        jw_json_null(j, row->key);
    else
        jw_rows_object(j, row->key, row->rows, s);
}

static const struct jw_row packs[] = {
    { JW_PART_AT(S, pack, kind) },
    { JW_ROW("current", S, current), JW_ABOUT("for the last driver seen here") },
    { JW_PART_AT(S, pack, times) },
    { JW_ROW("damage", S, damage), JW_NULLABLE },
    { JW_SUB_OF("manifest", manifest), JW_NULLABLE, .write = write_manifest,
      JW_ABOUT("from the pack's manifest, not verified") },
    { 0 },
};

static void write_others(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;

    jw_json_array(j, row->key);
    for (size_t i = 0; i < r->n_others; i++)
        jw_json_text(j, NULL, r->others[i]->name);
    jw_json_close(j);
}

static const struct jw_row rows[] = {
    { JW_SUB_OF("store", list_store_rows) },
    { JW_LIST("packs", R, shown, n_shown, packs) },
    { JW_CUSTOM("other_names", JW_ROW_LIST, write_others) },
    { JW_TEXTS("notes", R, notes.v, notes.n) },
    { 0 },
};

const struct jw_form list_form = { "list", "The packs in this machine's store.", rows };
