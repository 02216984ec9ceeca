#include "cache/format/jitcache.h"
#include "cache/memory/spell.h"
#include "doctor/command/doctor_view.h"
#include "verbs/status.h"

#include <stdio.h>
#include <string.h>

#define T struct page
#define D struct jw_device
#define STATUS struct jw_status_report
#define GROUP struct jw_status_group
#define GPU struct jw_gpu
#define SOFT struct page_software
#define CHECK struct jw_software_check
#define CODE struct jw_gpu_code
#define F struct jw_finding

struct page_verdict {
    const GPU *gpu;
    const CHECK *check;
    const CODE *code;
};

struct page_software {
    const char *name, *version, *known_from, *known_by, *path;
    struct page_verdict *verdicts;
    size_t n_verdicts;
};

/* The view as it is printed: without what is not shown. */
struct page {
    bool about_machine; /* about this machine */

    bool found;
    const char *broken, *version;
    struct jw_worker_driver driver;
    const D *devices;
    size_t n_devices;
    struct jw_host_gpus plugged_in;

    struct jw_driver_state state;
    int level;
    const char *unproven;
    bool proven_now;
    uint64_t proven_at;

    struct doctor_settings settings;
    const STATUS *cache;
    struct jw_cache_place place;

    const char *log_path;
    uint64_t lines, gap_milliseconds, gap_line;
    SOFT *software;
    size_t n_software;

    F *findings;
    const char *todo;
    size_t n_findings;
    struct texts ignored;
    struct jw_doctor_checked checked;
};

/* ---- the machine ---- */

static const struct jw_row driver[] = {
    { JW_ROW("found", T, found) },
    { JW_ROW("broken", T, broken), JW_NULLABLE,
      JW_ABOUT("how it ended, or held up, its process before it said anything; null: it did not") },
    { JW_ROW("init_result", T, driver.init_result), JW_NULLABLE,
      JW_ABOUT("what cuInit gave; 0: usable; null: it was not called, or never came back") },
    { JW_ROW("init_name", T, driver.init_name), JW_NULLABLE,
      JW_ABOUT("the name of that result; where no driver was found, why") },
    { JW_ROW("version", T, version), JW_NULLABLE },
    { JW_ROW("cuda_version", T, driver.cuda_version), JW_ABOUT("13000 for 13.0; 0 unknown") },
    { JW_ROW("library", T, driver.library), JW_NULLABLE,
      JW_ABOUT("the file that was loaded, links resolved") },
    { JW_ROW("build", T, driver.build), JW_NULLABLE,
      JW_ABOUT("identity of that file: gnu:BUILD-ID, pe:TIMESTAMP+SIZE, b2:DIGEST") },
    { JW_ROW("wsl", T, driver.wsl) },
    { JW_ROW("container", T, driver.container) },
    { JW_ROW("mps", T, driver.mps) },
    { 0 },
};

static const struct jw_row devices[] = {
    { JW_ROW("index", D, index) },
    { JW_ROW("name", D, name) },
    { JW_SPELT("gpu", D, sm, &jw_spell_sm) },
    { JW_ROW("uuid", D, uuid), JW_NULLABLE },
    { JW_ROW("pci", D, pci), JW_NULLABLE },
    { JW_ROW("memory_bytes", D, memory) },
    { JW_ROW("compute_mode", D, compute_mode), JW_ABOUT("0 default, 2 prohibited, 3 one process at a time") },
    { JW_ROW("mig", D, mig) },
    { JW_ROW("integrated", D, integrated) },
    { 0 },
};

static const char *name_of_gpu(const void *at, char out[80])
{
    (void)out;
    return ((const GPU *)at)->name;
}

static const struct jw_spelling gpu_name = { NULL, name_of_gpu };

const struct jw_row doctor_plugged_rows[] = {
    { JW_LIST("plugged_in", struct jw_host_gpus, gpus, n, NULL), JW_LABEL("Plugged in"),
      .spelling = &gpu_name, JW_ABOUT("NVIDIA GPUs that the system knows of, without the driver") },
    { 0 },
};

static const char *allows_text(const void *at, char out[80])
{
    enum jw_level level;

    (void)out;
    memcpy(&level, at, sizeof level);
    return jw_level_allows(level);
}

static const struct jw_spelling allows = { NULL, allows_text };

const struct jw_row doctor_allows_rows[] = {
    { JW_SPELT("allows", struct jw_driver_state, level, &allows), JW_SENTENCE("Allows") },
    { 0 },
};

static const struct jw_row knowledge[] = {
    { JW_ROW("level", T, level), JW_NULLABLE },
    { JW_SPELT("name", T, state.level, &jw_spell_level) },
    { JW_PART(T, state, doctor_allows_rows) },
    { JW_ROW("stamp", T, state.stamp), JW_NULLABLE,
      JW_ABOUT("date and time of the driver's build, as they stand in its cache: 'Jan  7 202622:51:46'") },
    { JW_ROW("unproven", T, unproven), JW_NULLABLE,
      JW_ABOUT("why the probe did not come to its end, or its result could not be kept; then the level is a "
               "lower bound, and nothing was remembered") },
    { JW_ROW("proven_now", T, proven_now), JW_ABOUT("false: remembered, or there was nothing to prove") },
    { JW_ROW("proven_at", T, proven_at), JW_ABOUT("seconds since 1970; 0: never") },
    { JW_TEXTS("evidence", T, state.evidence, state.n_evidence) },
    { 0 },
};

static const struct jw_row groups[] = {
    { JW_NAMED("kind", GROUP, kind, jw_cache_kind_name, JW_CACHE_OTHER + 1) },
    { JW_ROW("stamp", GROUP, stamp) },
    { JW_ROW("gpu", GROUP, arch) },
    { JW_NAMED("status", GROUP, relation, jw_build_relation_name, JW_BUILD_OTHER_COMPILER + 1) },
    { JW_ROW("entries", GROUP, entries) },
    { JW_ROW("bytes", GROUP, bytes) },
    { 0 },
};

static const struct jw_row found[] = {
    { JW_ROW("exists", STATUS, list.found) },
    { JW_ROW("disabled", STATUS, dir.disabled) },
    { JW_ROW("limit", STATUS, dir.limit), JW_IF(STATUS, dir.limit_known), JW_NULLABLE,
      JW_ABOUT("null: the driver's default, or what CUDA_CACHE_MAXSIZE says makes no sense") },
    { JW_ROW("used", STATUS, used) },
    { JW_SUB("files", STATUS, files, status_sum_rows) },
    { JW_SUB("outdated", STATUS, outdated, status_sum_rows),
      JW_ABOUT("of other drivers than the one that is here") },
    { JW_SUB("unindexed", STATUS, unindexed, status_sum_rows), JW_ABOUT("not in the index") },
    { JW_SUB("damaged", STATUS, damaged, status_sum_rows) },
    { JW_LIST("groups", STATUS, groups, n_groups, groups) },
    { 0 },
};

static const char *disk_name(unsigned kind)
{
    static const char *const names[] = { "local", "network", "memory", "kernel" };

    return names[kind];
}

const struct jw_row doctor_root_rows[] = {
    { JW_ROW("root", STATUS, dir.root), JW_NULLABLE, JW_LABEL("Cache") },
    { 0 },
};

static const struct jw_row cache[] = {
    { JW_PART_AT(T, cache, doctor_root_rows) },
    { JW_PART_AT(T, cache, found) },
    { JW_NAMED("disk", T, place.disk.kind, disk_name, JW_DISK_KINDS), JW_IF(T, place.disk_known),
      JW_NULLABLE },
    { JW_ROW("file_system", T, place.type), JW_NULLABLE },
    { JW_ROW("disk_free", T, place.disk.free), JW_IF(T, place.disk_known), JW_NULLABLE },
    { JW_ROW("writable", T, place.may_write) },
    { 0 },
};

/* ---- the software ---- */

static const struct jw_row gpu[] = {
    { JW_SPELT("gpu", GPU, sm, &jw_spell_sm) },
    { JW_ROW("name", GPU, name), JW_NULLABLE },
    { 0 },
};

static const struct jw_row log_rows[] = {
    { JW_ROW("path", T, log_path) },
    { JW_ROW("lines", T, lines) },
    { JW_ROW("gap_milliseconds", T, gap_milliseconds), JW_NULLABLE,
      JW_ABOUT("the longest time between two lines, from 10 s; null: none") },
    { JW_ROW("gap_line", T, gap_line), JW_ABOUT("the line before it") },
    { 0 },
};

static const char *certainty_text(const void *at, char out[80])
{
    const CHECK *k = at;

    (void)out;
    return k->verdict == JW_SOFTWARE_JIT_EVERY ? jw_certainty_name(k->certainty) : NULL;
}

static const struct jw_spelling certainty = { "^(certain|likely|risk)$", certainty_text };

static const struct jw_row check[] = {
    { JW_NAMED("verdict", CHECK, verdict, jw_software_verdict_name, JW_SOFTWARE_VERDICTS),
      .first = JW_SOFTWARE_NATIVE, JW_NULLABLE, JW_ABOUT("null: its content is not known") },
    { JW_SPELT_OF("certainty", &certainty), JW_NULLABLE, JW_ABOUT("of JIT_EVERY") },
    { 0 },
};

static const struct jw_row code[] = {
    { JW_ROW("from", CODE, from), JW_NULLABLE, JW_ABOUT("compute_70: what is compiled") },
    { JW_ROW("jit", CODE, jit), JW_ABOUT("modules that would be compiled, without those that are warm") },
    { JW_ROW("warm", CODE, warm), JW_ABOUT("modules that would be compiled, and are in the driver's cache") },
    { JW_ROW("jit_ptx_bytes", CODE, ptx_bytes), JW_NULLABLE,
      JW_ABOUT("to be compiled; null: nothing, or not measured") },
    { 0 },
};

static const struct jw_row verdicts[] = {
    { JW_PART_AT(struct page_verdict, gpu, gpu) },
    { JW_PART_AT(struct page_verdict, check, check) },
    { JW_PART_AT(struct page_verdict, code, code) },
    { 0 },
};

static const struct jw_row software[] = {
    { JW_ROW("name", SOFT, name) },
    { JW_ROW("version", SOFT, version), JW_NULLABLE },
    { JW_ROW("known_from", SOFT, known_from), JW_PATTERN("^(files|table|message|nothing)$"),
      JW_ABOUT("files: read from the software itself; table: from the table of frameworks; message: from "
               "what the log says of it") },
    { JW_ROW("known_by", SOFT, known_by) },
    { JW_ROW("path", SOFT, path), JW_NULLABLE },
    { JW_LIST("verdicts", SOFT, verdicts, n_verdicts, verdicts) },
    { 0 },
};

/* ---- all of it ---- */

const struct jw_row doctor_checked_rows[] = {
    { JW_TEXTS("checked", struct jw_doctor_checked, checked.v, checked.n), JW_SENTENCE("Checked"),
      JW_ABOUT("what was looked at") },
    { JW_TEXTS("not_checked", struct jw_doctor_checked, unchecked.v, unchecked.n), JW_SENTENCE("Not checked"),
      JW_ABOUT("what could not be, and why") },
    { 0 },
};

static const struct jw_row findings[] = {
    { JW_ROW("id", F, id), JW_PATTERN("^[a-z]+(-[a-z]+)*$") },
    { JW_NAMED("severity", F, severity, jw_severity_name, JW_PROBLEM + 1) },
    { JW_ROW("subject", F, subject), JW_NULLABLE,
      JW_ABOUT("the file, variable, GPU or package that it is about; null: the machine") },
    { JW_ROW("evidence", F, evidence), JW_NULLABLE,
      JW_ABOUT("what was seen, with its value and its place; null: the text says all") },
    { JW_ROW("text", F, text), JW_PATTERN(".") },
    { JW_ROW("consequence", F, consequence), JW_NULLABLE,
      JW_ABOUT("what the user will notice of it; null: the text says it") },
    { JW_ROW("fix", F, fix), JW_NULLABLE, JW_ABOUT("what to do, in words; null: nothing") },
    { JW_ROW("command", F, command), JW_NULLABLE,
      JW_ABOUT("that does it, as it is typed or written into a file; null: none does") },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_SIMULATED(T, state.stamp) },
    { JW_SUB_OF("driver", driver), JW_IF(T, about_machine) },
    { JW_LIST("devices", T, devices, n_devices, devices), JW_IF(T, about_machine),
      JW_ABOUT("what the driver shows to programs") },
    { JW_PART(T, plugged_in, doctor_plugged_rows), JW_IF(T, about_machine) },
    { JW_SUB_OF("knowledge", knowledge), JW_IF(T, about_machine) },
    { JW_LIST("settings", T, settings.v, settings.n, doctor_setting_rows), JW_IF(T, about_machine),
      JW_ABOUT("the settings in force, and where each comes from") },
    { JW_SUB_OF("cache", cache), JW_IF(T, about_machine), JW_ABOUT("the driver's cache of compiled code") },
    { JW_SUB_OF("log", log_rows), JW_IF(T, log_path), JW_ABOUT("what --log was given") },
    { JW_LIST("software", T, software, n_software, software),
      JW_ABOUT("software, and what it does on each GPU") },
    { JW_LIST("findings", T, findings, n_findings, findings) },
    { JW_ROW("todo", T, todo), JW_NULLABLE,
      JW_ABOUT("the command to run next, in the shell that asked: of the worst finding that has one; null: "
               "none is known") },
    { JW_TEXTS("ignored", T, ignored.items, ignored.n),
      JW_ABOUT("ids of --ignore, whether they were found or not") },
    { JW_PART(T, checked, doctor_checked_rows) },
    { 0 },
};

const struct jw_form doctor_form = {
    .verb = "doctor",
    .about = "The driver, the GPUs and the driver's cache of this machine, what CUDA software does on them, "
             "and what "
             "is wrong. With --log driver, devices, plugged_in, knowledge, settings and cache are absent. "
             "docs/findings.md "
             "lists the findings.",
    .rows = rows
};

/* ---- filling the page ---- */

bool doctor_is_shown(const struct doctor_view *v, const struct jw_finding *f)
{
    for (size_t i = 0; i < v->ignored->n; i++)
        if (strcmp(v->ignored->items[i], f->id) == 0)
            return false;
    return true;
}

static void fill_driver(T *p, const struct doctor_view *v)
{
    const struct jw_probe_report *probe = &v->machine->probe;
    const struct jw_worker_driver *d = &probe->driver;

    p->driver = *d;
    p->found = d->init_result >= 0 || probe->broken;
    p->broken = probe->broken;
    p->version = probe->broken || d->init_result < 0 ? NULL : jw_doctor_version(v->machine);
    p->devices = probe->devices;
    p->n_devices = probe->n_devices;
}

static void fill_knowledge(T *p, const struct doctor_view *v)
{
    const struct jw_probe_report *probe = &v->machine->probe;

    p->state = probe->state;
    p->level = p->state.level == JW_LEVEL_NONE ? -1 : (int)p->state.level;
    p->unproven = probe->unproven;
    p->proven_now = probe->proven_now;
    p->proven_at = p->state.proven_at > 0 ? (uint64_t)p->state.proven_at : 0;
}

static void fill_machine(T *p, const struct doctor_view *v)
{
    const struct jw_doctor_machine *m = v->machine;

    p->about_machine = true;
    p->plugged_in = m->host;
    p->settings = v->settings;
    p->cache = m->cache;
    p->place = m->place;
    fill_driver(p, v);
    fill_knowledge(p, v);
}

static void fill_software(SOFT *out, const struct doctor_answer *answer, size_t i,
                          struct jw_findings *scratch)
{
    const struct jw_software *s = &answer->software[i];
    size_t n = answer->c.n_gpus;

    *out = (SOFT){ .name = s->title,
                   .version = s->version,
                   .known_from = jw_software_source_name(s->from),
                   .known_by = jw_software_known(s, scratch),
                   .path = s->path,
                   .verdicts = jw_arena_alloc(scratch->a, (n + 1) * sizeof *out->verdicts),
                   .n_verdicts = n };
    for (size_t k = 0; k < n; k++)
        out->verdicts[k] =
            (struct page_verdict){ &answer->c.gpus[k], &answer->checks[i * n + k], &s->code[k] };
}

static void fill_answer(T *p, const struct doctor_view *v, struct jw_arena *a)
{
    const struct doctor_answer *answer = v->answer;
    struct jw_findings scratch = JW_FINDINGS(a);

    if (answer->log) {
        p->log_path = answer->log_path;
        p->lines = answer->log->lines;
        p->gap_milliseconds = (uint64_t)(answer->log->gap.seconds * 1000 + 0.5);
        p->gap_line = answer->log->gap.line;
    }
    p->software = jw_arena_alloc(a, (answer->n + 1) * sizeof *p->software);
    p->n_software = answer->n;
    for (size_t i = 0; i < answer->n; i++)
        fill_software(&p->software[i], answer, i, &scratch);
}

static void fill_findings(T *p, const struct doctor_view *v, struct jw_arena *a)
{
    p->findings = jw_arena_alloc(a, (v->findings->n + 1) * sizeof *p->findings);
    for (size_t i = 0; i < v->findings->n; i++)
        if (doctor_is_shown(v, &v->findings->v[i]))
            p->findings[p->n_findings++] = v->findings->v[i];
    p->checked = *v->checked;
    p->todo = doctor_todo(v).command;
}

bool doctor_write_json(struct cli *cli, const struct doctor_view *v, struct jw_err *err)
{
    T page = { .ignored = *v->ignored };

    if (v->machine)
        fill_machine(&page, v);
    fill_answer(&page, v, cli->arena);
    fill_findings(&page, v, cli->arena);
    return jw_output_report(&cli->out, &doctor_form, &page, err);
}
