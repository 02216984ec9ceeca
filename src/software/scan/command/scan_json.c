#include "base/arena.h"
#include "base/path.h"
#include "cache/memory/spell.h"
#include "software/scan/command/scan_view.h"

#include <stdio.h>
#include <string.h>

#define T struct whole
#define F struct file_row
#define C struct gpu_verdict
#define R struct jw_scan_row
#define E struct jw_scan_entry
#define M struct jw_scan_module
#define G struct jw_gpu
#define KINDS "^(ptx|elf|nvvm|other)$"
#define ARCHS "^(compute|sm|lto)_[0-9]{1,3}[af]?$"
#define PACKED "^(none|zlib|lz4|lz4-frame|zstd|unknown)$"
#define NUMBERS "^[0-9]+\\.[0-9]+$"

/* ---- the report and what the command adds ---- */

struct gpu_verdict {
    uint16_t sm;
    uint64_t link_ms;
    struct jw_scan_verdict v;
};

struct file_row {
    struct jw_scan_file f;
    struct jw_package owner;
    bool vendor, entries;
    C *verdicts;
};

const struct jw_row scan_problem_rows[] = {
    { JW_TEXTS("problems", struct jw_scan_file, problems, n_problems), JW_LABEL("  Damaged") },
    { 0 },
};

struct whole {
    struct scan_view v;
    F *files;
};

/* ---- entries ---- */

/* Writes the ISA of PTX, or the format version of other kinds. `at`: major and minor; `n_at`: kind. */
static void write_version(struct jw_json *j, const struct jw_row *row, const void *of)
{
    bool isa = strcmp(row->key, "isa") == 0;
    const char *kind;
    uint16_t version[2];
    char text[16];

    memcpy(&kind, (const uint8_t *)of + row->n_at, sizeof kind);
    memcpy(version, (const uint8_t *)of + row->at, sizeof version);
    (void)snprintf(text, sizeof text, "%u.%u", version[0], version[1]);
    if (isa == (strcmp(kind, "ptx") == 0))
        jw_json_text(j, row->key, text);
}

#define VERSION(k, T)                                                                                        \
    JW_CUSTOM(k, JW_ROW_TEXT, write_version), JW_IF(T, kind), .at = offsetof(T, major),                      \
                                                              .n_at = offsetof(T, kind), JW_PATTERN(NUMBERS)

static const struct jw_row rows_of_file[] = {
    { JW_ROW("kind", R, kind), JW_PATTERN(KINDS) },
    { JW_ROW("arch", R, arch), JW_PATTERN(ARCHS) },
    { VERSION("isa", R) },
    { VERSION("code_version", R) },
    { JW_ROW("compression", R, compression), JW_PATTERN(PACKED) },
    { JW_ROW("count", R, count) },
    { JW_ROW("stored_bytes", R, stored) },
    { JW_ROW("plain_bytes", R, plain) },
    { JW_ROW("lazy", R, lazy) },
    { 0 },
};

static const struct jw_row entries[] = {
    { JW_ROW("offset", E, at) },
    { JW_ROW("kind", E, kind), JW_PATTERN(KINDS) },
    { JW_ROW("arch", E, arch), JW_PATTERN(ARCHS) },
    { VERSION("isa", E) },
    { VERSION("code_version", E) },
    { JW_ROW("compression", E, compression), JW_PATTERN(PACKED) },
    { JW_ROW("header_bytes", E, header) },
    { JW_ROW("stored_bytes", E, stored) },
    { JW_ROW("plain_bytes", E, plain) },
    { JW_ROW("flags", E, flags) },
    { JW_ROW("options", E, options), JW_NULLABLE },
    { JW_ROW("identifier", E, identifier), JW_NULLABLE },
    { 0 },
};

static const struct jw_row modules[] = {
    { JW_ROW("offset", M, at) },
    { JW_ROW("bytes", M, size) },
    { JW_ROW("section", M, section), JW_NULLABLE },
    { JW_ROW("member", M, member), JW_NULLABLE },
    { JW_ROW("role", M, role), JW_PATTERN("^(registered|rdc|lazy)$") },
    { JW_ROW("wrapper", M, wrapper) },
    { JW_ROW("doubt", M, doubt), JW_NULLABLE },
    { JW_LIST("entries", M, entries, n, entries) },
    { 0 },
};

/* ---- verdicts ---- */

static const struct jw_row verdicts[] = {
    { JW_SPELT("gpu", C, sm, &jw_spell_sm) },
    { JW_NAMED("verdict", C, v.verdict, jw_verdict_name, JW_VERDICTS) },
    { JW_ROW("native", C, v.native) },
    { JW_ROW("jit", C, v.jit), JW_ABOUT("without those that are warm") },
    { JW_ROW("warm", C, v.warm), JW_ABOUT("modules that would be compiled, and are in the driver's cache") },
    { JW_ROW("blocked", C, v.blocked) },
    { JW_ROW("none", C, v.none) },
    { JW_ROW("mostly_none", C, v.mostly_none),
      JW_ABOUT("most kernels are only in modules that have no code for this GPU") },
    { JW_ROW("links", C, v.links),
      JW_ABOUT("results of the device linker that the driver links at each start") },
    { JW_ROW("inputs", C, v.inputs), JW_ABOUT("of the device linker, that it links instead") },
    { JW_ROW("inputs_native", C, v.inputs_native) },
    { JW_ROW("inputs_lto", C, v.inputs_lto),
      JW_ABOUT("with link-time code alone: whether the driver compiles that is not known") },
    { JW_ROW("inputs_missing", C, v.inputs_missing), JW_ABOUT("with nothing for this GPU") },
    { JW_ROW("link_milliseconds", C, link_ms), JW_NULLABLE,
      JW_ABOUT(
          "of the link that remains at each start, measured when the file was primed; null: not measured") },
    { JW_ROW("rdc", C, v.rdc) },
    { JW_ROW("lto", C, v.lto) },
    { JW_ROW("lazy_native", C, v.lazy_native) },
    { JW_ROW("lazy_jit", C, v.lazy_jit) },
    { JW_ROW("lazy_none", C, v.lazy_none) },
    { JW_ROW("left_out", C, v.left_out) },
    { JW_TEXTS("from", C, v.from, v.n_from), JW_PATTERN("^compute_[0-9]{1,3}[af]?$") },
    { JW_ROW("jit_ptx_bytes", C, v.jit_ptx_bytes) },
    { JW_ROW("warm_ptx_bytes", C, v.warm_ptx_bytes) },
    { JW_ROW("lazy_ptx_bytes", C, v.lazy_ptx_bytes) },
    { JW_ROW("largest_ptx_bytes", C, v.largest_ptx) },
    { JW_ROW("needs_driver", C, v.needs_driver), JW_NULLABLE, JW_PATTERN("^[0-9]{3}(\\.[0-9]+)*$") },
    { 0 },
};

/* ---- files ---- */

static const struct jw_row package[] = {
    { JW_ROW("name", F, owner.name) },
    { JW_ROW("version", F, owner.version), JW_NULLABLE },
    { JW_ROW("vendor", F, owner.vendor) },
    { 0 },
};

static const struct jw_row files[] = {
    { JW_ROW("path", F, f.path) },
    { JW_ROW("size", F, f.size) },
    { JW_ROW("format", F, f.format), JW_PATTERN("^(none|elf|pe|ar|coff|fatbin|cubin|ptx|wheel)$") },
    { JW_ROW("vendor", F, vendor) },
    { JW_SUB_OF("package", package) },
    { JW_ROW("containers", F, f.containers) },
    { JW_ROW("lazy_containers", F, f.lazy_containers) },
    { JW_ROW("rdc_containers", F, f.rdc_containers) },
    { JW_LIST("entries", F, f.rows, f.n_rows, rows_of_file) },
    { JW_LIST("verdicts", F, verdicts, f.n_verdicts, verdicts) },
    { JW_LIST("modules", F, f.modules, f.n_modules, modules), JW_IF(F, entries) },
    { JW_ROW("ptx_pieces", F, f.ptx_pieces),
      JW_ABOUT("in its data: it may put PTX together and compile while it runs") },
    { JW_ROW("sampled_bytes", F, f.sampled), JW_IF(F, f.sampled),
      JW_ABOUT("of large sections of data that were searched in samples only; scan --check searches all") },
    { JW_PART(F, f, scan_problem_rows) },
    { JW_ROW("more_problems", F, f.more_problems), JW_IF(F, f.more_problems) },
    { 0 },
};

/* ---- all of it ---- */

static const char *source_name(unsigned source)
{
    static const char *const sources[] = { "option", "here", "default" };

    return sources[source];
}

static const struct jw_row gpus[] = {
    { JW_SPELT("gpu", G, sm, &jw_spell_sm) },
    { JW_ROW("name", G, name), JW_NULLABLE },
    { JW_NAMED("source", G, source, source_name, JW_GPU_DEFAULT + 1) },
    { 0 },
};

static const struct jw_row searched[] = {
    { JW_ROW("path", struct jw_root, path) },
    { JW_ROW("how", struct jw_root, how) },
    { 0 },
};

static const struct jw_row skipped[] = {
    { JW_ROW("path", struct jw_scan_skipped, path) },
    { JW_ROW("reason", struct jw_scan_skipped, reason) },
    { 0 },
};

static const struct jw_row asked[] = {
    { JW_ROW("package", struct scan_package, text) },
    { JW_ROW("where", struct scan_package, where), JW_NULLABLE,
      JW_ABOUT("the line of a requirements file or lock file; null: an argument") },
    { JW_ROW("wheel", struct scan_package, wheel), JW_NULLABLE, JW_ABOUT("its files begin with this name") },
    { JW_ROW("not_scanned", struct scan_package, why), JW_NULLABLE, JW_ABOUT("why; null: it was scanned") },
    { 0 },
};

static const struct jw_row totals[] = {
    { JW_ROW("files", T, v.report.n_files) },
    { JW_ROW("bytes", T, v.report.bytes) },
    { JW_ROW("folders_walked", T, v.report.folders_walked) },
    { JW_ROW("files_walked", T, v.report.files_walked) },
    { JW_ROW("bytes_read", T, v.report.bytes_read), JW_IF(T, v.stats) },
    { JW_ROW("milliseconds", T, v.report.milliseconds), JW_IF(T, v.stats) },
    { 0 },
};

static const char *check_name(unsigned check)
{
    static const char *const checks[] = { "passed", "failed", "no-code", "sampled" };

    return checks[check];
}

static const struct jw_row rows[] = {
    { JW_NAMED("check", T, v.check, check_name, SCAN_SAMPLED + 1),
      JW_ABOUT(
          "what --check says, asked for or not: passed: on these GPUs the next start compiles nothing, "
          "and all code runs; "
          "no-code: there was nothing to check; sampled: nothing that fails was found, but large sections of "
          "data "
          "were searched in samples, so only --check knows") },
    { JW_LIST("gpus", T, v.gpus, v.n_gpus, gpus) },
    { JW_ROW("driver", T, v.driver), JW_NULLABLE },
    { JW_ROW("driver_build", T, v.known.build), JW_NULLABLE,
      JW_ABOUT("the build of this machine's driver whose cache was asked what is warm; null: none was, and "
               "'warm' is 0") },
    { JW_LIST("searched", T, v.discovery.roots, v.discovery.n_roots, searched), JW_IF(T, v.discovered) },
    { JW_LIST("packages", T, v.packages, v.n_packages, asked), JW_IF(T, v.n_packages),
      JW_ABOUT("that were asked for by name and fetched") },
    { JW_LIST("files", T, files, v.report.n_files, files) },
    { JW_LIST("skipped", T, v.report.skipped, v.report.n_skipped, skipped) },
    { JW_SUB_OF("totals", totals) },
    { 0 },
};

const struct jw_form scan_form = { .verb = "scan",
                                   .about = "What CUDA files hold, and what that means for each GPU.",
                                   .rows = rows };

bool scan_write_json(struct cli *cli, const struct scan_view *v, struct jw_err *err)
{
    T all = { .v = *v };

    all.files = jw_arena_alloc(cli->arena, v->report.n_files * sizeof *all.files);
    for (size_t i = 0; i < v->report.n_files; i++) {
        const struct jw_scan_file *f = &v->report.files[i];
        C *each = jw_arena_alloc(cli->arena, f->n_verdicts * sizeof *each);

        for (size_t k = 0; k < f->n_verdicts; k++)
            each[k] = (C){ v->gpus[k].sm, scan_link_ms(v, &f->verdicts[k]), f->verdicts[k] };
        all.files[i] = (F){ *f, v->owners[i], v->owners[i].vendor || jw_vendor_file(jw_path_base(f->path)),
                            v->entries, each };
    }
    return jw_output_report(&cli->out, &scan_form, &all, err);
}
