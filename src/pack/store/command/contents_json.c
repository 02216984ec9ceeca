#include "cache/memory/spell.h"
#include "pack/store/command/store_view.h"

#define V struct contents_view
#define M struct jw_pack_manifest
#define O struct contents_origin
#define E struct jw_pack_entry
#define SUM struct contents_sum

static const struct jw_row sum[] = { { JW_ROW("entries", SUM, entries) },
                                     { JW_ROW("bytes", SUM, bytes) },
                                     { 0 } };

static const char *where_name(unsigned seen)
{
    static const char *const names[] = { "none", "inside", "beside" };

    return names[seen];
}

static const struct jw_row signature[] = {
    { JW_NAMED("where", V, seen.signature, where_name, JW_PACK_SEEN_BESIDE + 1) },
    { JW_ROW("key", V, seen.key), JW_NULLABLE, JW_PATTERN("^[0-9A-F]{16}$"),
      JW_ABOUT("id of the key in the signature") },
    { JW_ROW("verified", V, verified), JW_ABOUT("false: list verifies nothing") },
    { 0 },
};

static const struct jw_row manifest[] = {
    { JW_ROW("tool", M, tool) },
    { JW_ROW("os", M, os), JW_PATTERN("^(linux|windows)$") },
    { JW_ROW("arch", M, arch), JW_PATTERN("^(x86_64|aarch64)$") },
    { JW_ROW("driver", M, driver), JW_NULLABLE },
    JW_STAMP(M, stamp),
    { JW_ROW("sm", M, sm) },
    { 0 },
};

static const struct jw_row origins[] = {
    { JW_ROW("name", O, is.name) },
    { JW_ROW("version", O, is.version), JW_NULLABLE },
    { JW_PART(O, sum, sum) },
    { 0 },
};

static const struct jw_row entries[] = {
    { JW_SPELT("name", E, name, &jw_spell_entry) },
    { JW_ROW("key_bytes", E, key_bytes) },
    { JW_ROW("payload_bytes", E, payload_bytes) },
    { JW_SPELT("digest", E, digest, &jw_spell_digest) },
    { JW_ROW_AT("origin", E, origin), .kind = JW_ROW_SIGNED, JW_NULLABLE, JW_ABOUT("index into origins") },
    { 0 },
};

static const struct jw_row totals[] = { { JW_ROW("entries", V, seen.manifest.n_entries) },
                                        { JW_ROW("bytes", V, bytes) },
                                        { 0 } };

static const struct jw_row rows[] = {
    { JW_ROW("file", V, file), JW_ABOUT("as it was named; - is standard input") },
    { JW_ROW("bytes", V, seen.bytes), JW_ABOUT("of the pack") },
    { JW_ROW("tar_bytes", V, seen.tar_bytes), JW_ABOUT("of the uncompressed tar, from the manifest") },
    { JW_SUB_OF("signature", signature) },
    { JW_ROW("format", V, format), JW_PATTERN("^jitwarm\\.pack/2$") },
    { JW_PART(V, seen.manifest, manifest) },
    { JW_LIST("origins", V, origins, seen.manifest.n_origins, origins) },
    { JW_SUB("unnamed", V, unnamed, sum), JW_ABOUT("entries without an origin") },
    { JW_LIST("entries", V, seen.manifest.entries, seen.manifest.n_entries, entries) },
    { JW_SUB_OF("totals", totals) },
    { 0 },
};

const struct jw_form contents_form = { "contents", "The contents of a pack, not verified.", rows };
