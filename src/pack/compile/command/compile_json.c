#include "cache/memory/spell.h"
#include "pack/compile/command/compile_view.h"

#include <limits.h>
#include <stdio.h>

#define V struct offline_view
#define R struct jw_offline_report
#define C struct jw_compiler
#define L struct jw_offline_lost

static const char *isa_text(const void *at, char out[80])
{
    const C *c = at;

    (void)snprintf(out, 80, "%u.%u", c->isa_major, c->isa_minor);
    return c->isa_major != UINT_MAX ? out : NULL;
}

static const struct jw_spelling isa = { NULL, isa_text };

static const struct jw_row compiler[] = {
    { JW_ROW("name", C, name) },
    { JW_ROW("version", C, version) },
    { JW_SPELT_OF("isa", &isa), JW_MAY, JW_ABOUT("newest PTX ISA that it reads; null: unknown") },
    { JW_ROW("path", C, path) },
    { 0 },
};

static const struct jw_row lost[] = {
    { JW_ROW("path", L, path) },
    { JW_ROW("kernel", L, kernel) },
    { JW_ROW("from", L, target) },
    { JW_ROW("why", L, why) },
    { 0 },
};

static const struct jw_row pack[] = {
    { JW_ROW("path", R, path) },
    { JW_ROW("stored", R, stored) },
    { JW_ROW("signature", R, signature), JW_MAY },
    { JW_ROW("entries", R, pack.sum.entries), JW_ABOUT("including the canary") },
    { JW_ROW("bytes", R, pack.sum.bytes) },
    { JW_ROW("packed_bytes", R, pack.packed) },
    { JW_SPELT("manifest_digest", R, pack.manifest_digest, &jw_spell_digest) },
    { 0 },
};

static const struct jw_row ending[] =
    JW_RUN_END(JW_CAN(DONE) | JW_CAN(PARTLY) | JW_CAN(NOTHING) | JW_CAN(CANNOT_WRITE) | JW_CAN(CONSENT)
               | JW_CAN(INTERRUPTED));

static const struct jw_row notes[] = { { JW_TEXTS("notes", struct jw_run, notes.v, notes.n) }, { 0 } };

static const struct jw_row rows[] = {
    { JW_PART_AT(V, r.run, ending) },
    { JW_ROW("dry_run", V, dry_run) },
    JW_STAMP(V, r.stamp),
    { JW_ROW("sm", V, r.sm) },
    { JW_SUB("compiler", V, r.compiler, compiler) },
    { JW_ROW("modules", V, r.modules), JW_ABOUT("to compile, each once") },
    { JW_ROW("ptx_bytes", V, r.ptx_bytes) },
    { JW_ROW("compiled", V, r.compiled) },
    { JW_LIST("failed", V, r.lost, r.n_lost, lost) },
    { JW_SUB("pack", V, r, pack), JW_IF(V, r.path), JW_MAY },
    { JW_PART_AT(V, r.run, jw_run_took) },
    { JW_PART_AT(V, r.run, notes) },
    { 0 },
};

const struct jw_form compile_form = {
    "compile", "The pack compiled for another machine, and the modules that are not in it.", rows
};
