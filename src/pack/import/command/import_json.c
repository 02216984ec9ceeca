#include "cache/memory/spell.h"
#include "pack/import/command/import_view.h"
#include "pack/kit/kit.h"
#include "prime/command/prime_view.h"
#include "prime/prime_rows.h"

#define R struct jw_import_report
#define M struct jw_pack_manifest
#define E struct jw_import_entry
#define F struct jw_import_factor
#define SUM struct import_sum

struct import_sum {
    uint64_t entries, bytes;
};

static const struct jw_row made_by[] = {
    { JW_ROW("tool", M, tool), JW_NULLABLE, JW_ABOUT("version of jitwarm that made it") },
    { JW_ROW("os", M, os), JW_NULLABLE, JW_PATTERN("^(linux|windows)$") },
    { JW_ROW("arch", M, arch), JW_NULLABLE, JW_ABOUT("of the host") },
    { JW_ROW("driver", M, driver), JW_NULLABLE, JW_ABOUT("version") },
    JW_STAMP(M, stamp),
    { JW_SPELT("gpu", M, sm, &jw_spell_sm), JW_NULLABLE },
    { 0 },
};

static const struct jw_row signature[] = {
    { JW_ROW("state", R, signature.state), JW_NULLABLE, JW_PATTERN("^(unsigned|trusted|unknown|wrong)$"),
      JW_ABOUT("null: it was not looked at") },
    { JW_ROW("key", R, signature.key), JW_NULLABLE, JW_ABOUT("id of the key that it names") },
    { JW_ROW("trusted_comment", R, signature.comment), JW_NULLABLE, JW_ABOUT("only when it is trusted") },
    { JW_ROW("trusted_by", R, signature.from), JW_NULLABLE, JW_ABOUT("where that key is trusted") },
    { JW_ROW("where", R, signature.where), JW_NULLABLE, JW_ABOUT("the file that it is in") },
    { 0 },
};

static const struct jw_row pack[] = {
    { JW_ROW("name", R, pack), JW_NULLABLE, JW_ABOUT("as it was given, or \"standard input\"") },
    { JW_ROW("bytes", R, pack_bytes), JW_ABOUT("of the file") },
    { JW_PART_AT(R, manifest, made_by) },
    { JW_SUB_OF("signature", signature) },
    { 0 },
};

static const struct jw_row factors[] = {
    { JW_ROW("factor", F, name), JW_PATTERN("^(os|arch|stamp|sm)$") },
    { JW_ROW("pack", F, pack) },
    { JW_ROW("here", F, machine) },
    { 0 },
};

static const struct jw_row cache[] = {
    { JW_PART(R, cache, prime_cache_rows) },
    { JW_ROW("free_disk_bytes", R, cache.free_disk) },
    { 0 },
};

static const struct jw_row totals[] = {
    { JW_ROW("entries", R, n_entries), JW_ABOUT("in the pack") },
    { JW_ROW("need_bytes", R, need), JW_ABOUT("of all that is to be imported, whether it fits or not") },
    { JW_ROW("drawn", R, drawn), JW_ABOUT("drawn by chance, to be compiled again") },
    { JW_ROW("audited", R, audited), JW_ABOUT("of them those that were compiled again, and are the same") },
    { JW_ROW("records_waiting", R, records),
      JW_ABOUT("entries in the cache that its index does not name yet") },
    { JW_PART_AT(R, run, jw_run_took) },
    { 0 },
};

static const struct jw_row sum[] = {
    { JW_ROW("entries", SUM, entries) },
    { JW_ROW("bytes", SUM, bytes), JW_ABOUT("key and payload") },
    { 0 },
};

static void write_counts(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;

    jw_json_object(j, row->key);
    for (unsigned s = 0; s < JW_IMPORT_STATES; s++)
        jw_rows_object(j, row->name(s), sum, &(SUM){ r->counts[s], r->bytes[s] });
    jw_json_close(j);
}

static const struct jw_row entry_file[] = {
    { JW_SPELT("digest", struct jw_pack_entry, digest, &jw_spell_digest),
      JW_ABOUT("BLAKE2b-256 of the file") },
    { 0 },
};

static const struct jw_row entries[] = {
    { JW_SPELT_AT("name", E, of, &jw_spell_entry) }, /* its first member */
    { JW_NAMED("state", E, state, jw_import_state_name, JW_IMPORT_STATES) },
    { JW_ROW("why", E, why), JW_NULLABLE, JW_ABOUT("of this one") },
    { JW_ROW("bytes", E, bytes), JW_ABOUT("key and payload") },
    { JW_ROW("origin", E, origin), JW_NULLABLE, JW_ABOUT("the software that it is of") },
    { JW_PART_AT(E, of, entry_file) },
    { 0 },
};

static const struct jw_row misses[] = { { .key = "entry", .kind = JW_ROW_TEXT },
                                        { .key = "cause", .kind = JW_ROW_TEXT },
                                        { 0 } };

static void write_misses(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;

    jw_json_array(j, row->key);
    for (size_t i = 0; i < r->verify.n_misses; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "entry", jw_cache_name(r->loaded[r->verify.misses[i].job]).text);
        jw_json_text(j, "cause", r->verify.misses[i].cause);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_verified(struct jw_json *j, const struct jw_row *row, const void *of)
{
    jw_json_bool(j, row->key, prime_is_verified(&((const R *)of)->verify));
}

static const struct jw_row verify[] = {
    { JW_ROW("done", R, verify.done) },
    { JW_CUSTOM("verified", JW_ROW_BOOL, write_verified),
      JW_ABOUT("all that was loaded was found, and nothing was compiled") },
    { JW_ROW("why", R, verify.why), JW_NULLABLE, JW_ABOUT("it could not be done") },
    { JW_LIST("passes", R, verify.passes, verify.n_passes, prime_pass_rows) },
    { JW_CUSTOM("misses", JW_ROW_LIST, write_misses), .rows = misses },
    { 0 },
};

#define S struct jw_kit_sum

static const struct jw_row kit[] = {
    { JW_ROW("name", S, name) },
    { JW_ROW("root", S, root), JW_NULLABLE, JW_ABOUT("null: jitwarm does not know this cache") },
    { JW_ROW("files", S, files) },
    { JW_ROW("bytes", S, bytes) },
    { JW_ROW("programs", S, programs), JW_ABOUT("of the files, by their names: machine code") },
    { JW_ROW("python", S, python), JW_ABOUT("the same: what Python runs or unpickles") },
    { JW_ROW("left", S, left), JW_NULLABLE, JW_ABOUT("why its files were skipped; null: they were not") },
    { JW_ROW("placed", S, placed) },
    { JW_ROW("present", S, present), JW_ABOUT("were there already, the same") },
    { JW_ROW("kept", S, kept), JW_ABOUT("left as they are: another content has the name") },
    { 0 },
};

static const struct jw_row store[] = {
    { JW_ROW("path", R, stored), JW_NULLABLE, JW_ABOUT("of the pack in the store; null: it is not there") },
    { JW_ROW("there_before", R, stored_before) },
    { 0 },
};

static const struct jw_row ending[] = JW_RUN_END(IMPORT_ENDS);

static const struct jw_row rows[] = {
    { JW_PART_AT(R, run, ending) },
    { JW_PART(R, next_start, jw_next_start_rows) },
    { JW_ROW("dry_run", R, dry_run), JW_ABOUT("nothing was changed") },
    { JW_SUB_OF("pack", pack), JW_ABOUT("fields are null if the pack is not trusted") },
    { JW_ARRAY("differs", R, factors, n_factors, factors),
      JW_ABOUT("in which this machine is not as the pack needs it") },
    { JW_SUB("driver", R, driver, prime_driver_rows), JW_ABOUT("here") },
    { JW_SUB_OF("cache", cache) },
    { JW_SUB_OF("totals", totals) },
    { JW_CUSTOM("counts", JW_ROW_MAP, write_counts), .name = jw_import_state_name, .names = JW_IMPORT_STATES,
      .rows = sum, JW_ABOUT("entries by their state") },
    { JW_LIST("entries", R, entries, n_entries, entries), JW_ABOUT("none: they were not checked") },
    { JW_LIST("other_caches", R, kit, n_kit, kit), JW_ABOUT("files for caches of CuPy, Triton and others") },
    { JW_SUB_OF("verify", verify) },
    { JW_SUB_OF("store", store) },
    { JW_PART_AT(R, run, jw_run_says) },
    { 0 },
};

const struct jw_form import_form = { .verb = "import",
                                     .about = "What became, or would become, of the entries of a pack.",
                                     .rows = rows };

#define T struct jw_import_set

static const struct jw_row set[] = {
    { JW_ENDING(T, end, IMPORT_ENDS), JW_ABOUT("the worst of all packs; unfit: none is for this machine") },
    { JW_LIST("packs", T, packs, n, rows), JW_ABOUT("those that fit this machine") },
    { JW_TEXTS("skipped", T, skipped, n_skipped), JW_LABEL("Skipped"),
      JW_ABOUT("files of packs for other machines") },
    { 0 },
};

const struct jw_form import_set_form = { .verb = "import-set",
                                         .about = "What became of several packs.",
                                         .rows = set };
