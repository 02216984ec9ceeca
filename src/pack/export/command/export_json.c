#include "cache/memory/spell.h"
#include "pack/export/command/export_view.h"

#define V struct export_view
#define R struct jw_export_report
#define P struct jw_export_pack
#define O struct jw_export_origin
#define SUM struct jw_export_sum

static const struct jw_row driver[] = {
    { JW_ROW("version", R, driver_version), JW_NULLABLE },
    { JW_ROW("build", R, build), JW_NULLABLE, JW_ABOUT("identity of the driver's library") },
    JW_STAMP(R, stamp),
    { JW_ROW("asked", R, asked),
      JW_ABOUT("the driver responded; false: these are values of the last driver seen here") },
    { 0 },
};

static const struct jw_row sum[] = {
    { JW_ROW("entries", SUM, entries) },
    { JW_ROW("bytes", SUM, bytes), JW_ABOUT("key + payload, as the driver counts") },
    { 0 },
};

static const struct jw_row left_out[] = {
    { JW_ENUM_MAP("left_out", P, left_out, jw_export_why_name, JW_EXPORT_WHYS, sum),
      JW_ABOUT("skipped entries, by reason") },
    { 0 },
};

static const struct jw_row origins[] = {
    { JW_ROW("name", O, is.name), JW_NULLABLE,
      JW_ABOUT("a package, or the base name of a file; null: unknown") },
    { JW_ROW("version", O, is.version), JW_NULLABLE },
    { JW_PART(O, sum, sum) },
    { JW_ARRAY("kernels", O, kernels, n_kernels, NULL),
      JW_ABOUT("with --everything: of its largest entries") },
    { 0 },
};

const struct jw_row export_pack_rows[] = {
    { JW_SPELT("gpu", P, sm, &jw_spell_sm) },
    { JW_ROW("path", P, path), JW_NULLABLE, JW_ABOUT("null: standard output") },
    { JW_ROW("written", P, written), JW_ABOUT("it was written completely") },
    { JW_ROW("signature", P, signature), JW_NULLABLE, JW_ABOUT("the file of its signature, beside it") },
    { JW_ROW("kept", P, kept), JW_NULLABLE, JW_LABEL("Kept"),
      JW_ABOUT("its copy in the store of this machine") },
    { JW_PART(P, sum, sum) },
    { JW_ROW("not_compiled_again", P, once), JW_ABOUT("entries that cannot be compiled again from their "
                                                      "keys: the driver linker's, NVRTC's, nvJitLink's") },
    { JW_ROW("packed_bytes", P, packed), JW_NULLABLE, JW_ABOUT("of the file") },
    { JW_SPELT("manifest_digest", P, manifest_digest, &jw_spell_digest), JW_IF(P, packed), JW_NULLABLE,
      JW_LABEL("Contents"), JW_ABOUT("BLAKE2b-256 of its manifest, which has the digests of all entries") },
    { JW_ROWS(left_out) },
    { JW_LIST("origins", P, origins, n_origins, origins) },
    { 0 },
};

static const struct jw_row ending[] =
    JW_RUN_END(JW_CAN(DONE) | JW_CAN(PARTLY) | JW_CAN(NOTHING) | JW_CAN(NOT_PROVEN) | JW_CAN(NO_GPU)
               | JW_CAN(CANNOT_WRITE) | JW_CAN(CONSENT) | JW_CAN(INTERRUPTED));

static const struct jw_row head[] = {
    { JW_PART_AT(R, run, ending) },
    { 0 },
};

static const struct jw_row body[] = {
    { JW_SUB_OF("driver", driver) },
    { JW_ROW("root", R, root), JW_NULLABLE, JW_ABOUT("of the cache") },
    { JW_ROW("command", R, command), JW_NULLABLE, JW_ABOUT("with --run: whose entries these are") },
    { 0 },
};

static const struct jw_row made[] = {
    { JW_LIST("packs", R, packs, n_packs, export_pack_rows), JW_ABOUT("one for each architecture") }, { 0 }
};

static const struct jw_row words[] = { { JW_PART_AT(R, run, jw_run_says) }, { 0 } };

static const struct jw_row stats[] = {
    { JW_ROW("bytes_read", R, bytes_read), JW_ABOUT("of the cache; with --stats") },
    { JW_PART_AT(R, run, jw_run_took) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_PART_AT(V, report, head) },
    { JW_ROW("dry_run", V, dry_run) },
    { JW_PART_AT(V, report, body) },
    { JW_ROW("key", V, key), JW_NULLABLE, JW_ABOUT("id of the key that the packs are signed with") },
    { JW_PART_AT(V, report, made) },
    { JW_PART_AT(V, empty, left_out), JW_IF(V, empty) },
    { JW_PART_AT(V, report, words) },
    { JW_PART_AT(V, report, stats), JW_IF(V, stats) },
    { 0 },
};

const struct jw_form export_form = { .verb = "export",
                                     .about =
                                         "The packs that were written, their contents, and skipped entries.",
                                     .rows = rows };
