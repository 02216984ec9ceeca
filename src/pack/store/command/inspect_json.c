#include "cache/memory/spell.h"
#include "pack/store/command/store_view.h"

#define V struct inspect_view
#define M struct jw_pack_manifest
#define O struct inspect_origin
#define E struct jw_pack_entry
#define SUM struct inspect_sum

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
    { JW_ROW("key", V, seen.key), JW_MAY, JW_PATTERN("^[0-9A-F]{16}$"),
      JW_ABOUT("id of the key in the signature") },
    { JW_ROW("verified", V, verified), JW_ABOUT("false: inspect verifies nothing") },
    { 0 },
};

static const struct jw_row compiler[] = { { JW_ROW("name", M, compiler) },
                                          { JW_ROW("version", M, compiler_version) },
                                          { 0 } };

static const struct jw_row manifest[] = {
    { JW_ROW("tool", M, tool) },
    { JW_ROW("os", M, os), JW_PATTERN("^(linux|windows)$") },
    { JW_ROW("arch", M, arch), JW_PATTERN("^(x86_64|aarch64)$") },
    { JW_ROW("driver", M, driver), JW_MAY },
    JW_STAMP(M, stamp),
    { JW_ROW("sm", M, sm) },
    { JW_ROW("level", M, level), JW_ABOUT("how far jitwarm knew the driver's cache format") },
    { JW_ROW("date", M, date), JW_IF(M, date),
      JW_ABOUT("when it was made, in seconds since 1970; absent: unknown") },
    { JW_ROW("counter", M, counter), JW_IF(M, date),
      JW_ABOUT("number of this pack among its maker's packs for this driver, architecture and software") },
    { JW_SUB_OF("compiler", compiler), JW_IF(M, compiler),
      JW_ABOUT("of the forged entries; absent: none, or unknown") },
    { 0 },
};

static const struct jw_row origins[] = {
    { JW_ROW("name", O, is.name) },
    { JW_ROW("version", O, is.version), JW_MAY },
    { JW_ROW("build", O, is.build), JW_MAY },
    { JW_SPELT("digest", O, is.digest, &jw_spell_digest), JW_IF(O, is.digested), JW_MAY },
    { JW_PART(O, sum, sum) },
    { 0 },
};

static const struct jw_row entries[] = {
    { JW_SPELT("name", E, name, &jw_spell_entry) },
    { JW_ROW("key_bytes", E, key_bytes) },
    { JW_ROW("payload_bytes", E, payload_bytes) },
    { JW_SPELT("digest", E, digest, &jw_spell_digest) },
    { JW_ROW_AT("origin", E, origin), .kind = JW_ROW_SIGNED, JW_MAY, JW_ABOUT("index into origins") },
    { JW_NAMED("made", E, made, jw_pack_made_name, INSPECT_MADE) },
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
    { JW_ROW("format", V, format), JW_PATTERN("^jitwarm\\.pack/1$") },
    { JW_PART(V, seen.manifest, manifest) },
    { JW_LIST("origins", V, origins, seen.manifest.n_origins, origins) },
    { JW_SUB("unnamed", V, unnamed, sum), JW_ABOUT("entries without an origin") },
    { JW_BY("made", V, made, jw_pack_made_name, INSPECT_MADE, sum) },
    { JW_LIST("entries", V, seen.manifest.entries, seen.manifest.n_entries, entries), JW_IF(V, entries),
      JW_ABOUT("with --entries") },
    { JW_SUB_OF("totals", totals) },
    { 0 },
};

const struct jw_form inspect_form = { "inspect", "The contents of a pack, not verified.", rows };
