#include "base/path.h"
#include "cache/format/jitcache.h"
#include "cache/memory/spell.h"
#include "cache/status/command/status_view.h"
#include "doctor/command/doctor_view.h"
#include "os/files/file.h"

#include <stdio.h>
#include <string.h>

#define T struct page
#define D struct jw_worker_device
#define STATUS struct jw_status_report
#define GROUP struct jw_status_group
#define KIT struct jw_toolkit
#define CASE struct jw_case
#define GPU struct jw_gpu
#define SOFT struct page_software
#define JUDGED struct jw_judgement
#define CODE struct jw_gpu_code
#define F struct jw_finding

struct page_verdict {
    const GPU *gpu;
    const JUDGED *judged;
    const CODE *code;
};

struct page_software {
    const char *framework, *name, *version, *variant, *known_from, *confidence, *known_by, *measured, *source,
        *path;
    const char **sass, **ptx;
    size_t n_sass, n_ptx;
    struct page_verdict *verdicts;
    size_t n_verdicts;
};

/* The view as it is printed: redacted, and without what is not shown. */
struct page {
    bool portable, bundle, here, not_portable, own; /* own: of this machine, and not portable */

    bool found;
    const char *broken, *version;
    struct jw_worker_driver driver;
    D *devices;
    size_t n_devices;
    struct jw_host_gpus plugged_in;

    struct jw_driver_state state;
    int level;
    const char *allows, *unproven;
    bool proven_now;
    uint64_t proven_at;

    struct jw_setting *settings;
    size_t n_settings;
    const char *root;
    const STATUS *cache;
    struct jw_cache_place place;

    const char *jitwarm, *system;
    KIT *toolkits;
    size_t n_toolkits;

    const CASE *asked;
    const char *log_path;
    uint64_t lines, gap_milliseconds, gap_line;
    SOFT *software;
    size_t n_software;

    F *findings;
    size_t n_findings;
    struct texts ignored;
    struct jw_notes checked, unchecked;
};

/* ---- the machine ---- */

static const struct jw_row driver[] = {
    { JW_ROW("found", T, found) },
    { JW_ROW("broken", T, broken), JW_MAY,
      JW_ABOUT("how it ended, or held up, its process before it said anything; null: it did not") },
    { JW_ROW("init_result", T, driver.init_result), JW_MAY,
      JW_ABOUT("what cuInit gave; 0: usable; null: it was not called, or never came back") },
    { JW_ROW("init_name", T, driver.init_name), JW_MAY,
      JW_ABOUT("the name of that result; where no driver was found, why") },
    { JW_ROW("version", T, version), JW_MAY },
    { JW_ROW("cuda_version", T, driver.cuda_version), JW_ABOUT("13000 for 13.0; 0 unknown") },
    { JW_ROW("library", T, driver.library), JW_MAY, JW_ABOUT("the file that was loaded, links resolved") },
    { JW_ROW("build", T, driver.build), JW_MAY,
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
    { JW_ROW("uuid", D, uuid), JW_MAY, JW_ABOUT("null with --portable") },
    { JW_ROW("pci", D, pci), JW_MAY },
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

static const struct jw_row knowledge[] = {
    { JW_ROW("level", T, level), JW_MAY },
    { JW_SPELT("name", T, state.level, &jw_spell_level) },
    { JW_ROW("allows", T, allows) },
    { JW_ROW("stamp", T, state.stamp), JW_MAY,
      JW_ABOUT("date and time of the driver's build, as they stand in its cache: 'Jan  7 202622:51:46'") },
    { JW_ROW("unproven", T, unproven), JW_MAY,
      JW_ABOUT("why the probe did not come to its end, or its result could not be kept; then the level is a "
               "lower bound, and nothing was remembered") },
    { JW_ROW("proven_now", T, proven_now), JW_IF(T, not_portable),
      JW_ABOUT("false: remembered, or there was nothing to prove; not with --portable") },
    { JW_ROW("proven_at", T, proven_at), JW_IF(T, not_portable),
      JW_ABOUT("seconds since 1970; 0: never; not with --portable") },
    { JW_TEXTS("evidence", T, state.evidence, state.n_evidence) },
    { 0 },
};

static const struct jw_row settings[] = {
    { JW_ROW("name", struct jw_setting, name) },
    { JW_ROW("value", struct jw_setting, value) },
    { 0 },
};

static const struct jw_row groups[] = {
    { JW_NAMED("kind", GROUP, kind, jw_cache_kind_name, JW_CACHE_OTHER + 1) },
    { JW_ROW("stamp", GROUP, stamp) },
    { JW_ROW("gpu", GROUP, arch) },
    { JW_NAMED("status", GROUP, standing, jw_standing_name, JW_STANDING_UNKNOWN + 1) },
    { JW_ROW("entries", GROUP, entries) },
    { JW_ROW("bytes", GROUP, bytes) },
    { 0 },
};

static const struct jw_row found[] = {
    { JW_ROW("exists", STATUS, list.found) },
    { JW_ROW("disabled", STATUS, dir.disabled) },
    { JW_ROW("limit", STATUS, dir.limit), JW_IF(STATUS, dir.limit_known), JW_MAY,
      JW_ABOUT("null: the driver's default, or what CUDA_CACHE_MAXSIZE says makes no sense") },
    { JW_ROW("used", STATUS, used) },
    { JW_SUB("files", STATUS, files, status_sum_rows) },
    { JW_SUB("outdated", STATUS, outdated, status_sum_rows),
      JW_ABOUT("of other drivers than the one that is here") },
    { JW_SUB("unindexed", STATUS, orphans, status_sum_rows), JW_ABOUT("not in the index") },
    { JW_SUB("damaged", STATUS, damaged, status_sum_rows) },
    { JW_LIST("groups", STATUS, groups, n_groups, groups) },
    { 0 },
};

static const char *disk_name(unsigned kind)
{
    static const char *const names[] = { "local", "network", "memory" };

    return names[kind];
}

static const struct jw_row cache[] = {
    { JW_ROW("root", T, root), JW_MAY },
    { JW_PART_AT(T, cache, found) },
    { JW_NAMED("disk", T, place.disk.kind, disk_name, 3), JW_IF(T, place.disk_known), JW_MAY },
    { JW_ROW("file_system", T, place.type), JW_MAY },
    { JW_ROW("disk_free", T, place.disk.free), JW_IF(T, place.disk_known), JW_MAY },
    { JW_ROW("writable", T, place.may_write) },
    { 0 },
};

static const struct jw_row toolkits[] = {
    { JW_ROW("where", KIT, where) },
    { JW_ROW("major", KIT, major) },
    { JW_ROW("minor", KIT, minor) },
    { 0 },
};

static const struct jw_row about[] = {
    { JW_ROW("jitwarm", T, jitwarm) },
    { JW_ROW("system", T, system), JW_MAY },
    { JW_ROW("kernel_module", T, plugged_in.driver), JW_MAY },
    { JW_LIST("toolkits", T, toolkits, n_toolkits, toolkits) },
    { 0 },
};

/* ---- what was asked, and the software ---- */

static const char *system_name(unsigned system)
{
    static const char *const names[] = { "linux", "windows", "wsl" };

    return names[system];
}

static const char *arch_name(unsigned aarch64)
{
    return aarch64 ? "aarch64" : "x86_64";
}

static const char *library_text(const void *at, char out[80])
{
    const struct jw_library *l = at;

    (void)snprintf(out, 80, "%u.%u", l->version / 100, l->version % 100);
    return l->presence == JW_PRESENCE_UNKNOWN ? NULL : l->presence == JW_PRESENCE_NONE ? "none" : out;
}

static const struct jw_spelling library = { "^(none|[0-9]+\\.[0-9]+)$", library_text };

static const struct jw_row gpu[] = {
    { JW_SPELT("gpu", GPU, sm, &jw_spell_sm) },
    { JW_ROW("name", GPU, name), JW_MAY },
    { 0 },
};

static const struct jw_row asked[] = {
    { JW_NAMED("os", CASE, system, system_name, JW_CASE_WSL + 1) },
    { JW_NAMED("arch", CASE, aarch64, arch_name, 2) },
    { JW_ROW("driver", CASE, driver), JW_MAY },
    { JW_ROW("python", CASE, python), JW_MAY },
    { JW_SPELT("cuda", CASE, cuda, &library), JW_MAY,
      JW_ABOUT("the toolkit that is installed, 'none', or null: not said") },
    { JW_SPELT("cudnn", CASE, cudnn, &library), JW_MAY },
    { JW_ROW("container", CASE, container) },
    { JW_LIST("gpus", CASE, gpus, n_gpus, gpu) },
    { 0 },
};

static const struct jw_row log_rows[] = {
    { JW_ROW("path", T, log_path) },
    { JW_ROW("lines", T, lines) },
    { JW_ROW("gap_milliseconds", T, gap_milliseconds), JW_MAY,
      JW_ABOUT("the longest time between two lines, from 10 s; null: none") },
    { JW_ROW("gap_line", T, gap_line), JW_ABOUT("the line before it") },
    { 0 },
};

static const char *reason_name(unsigned reason)
{
    static const char *const reasons[] = { "code",   "unknown", "variant", "system",  "python",
                                           "hidden", "dropped", "gpu",     "toolkit", "switched-off",
                                           "forced", "packed",  "unasked" };

    return reasons[reason];
}

static const char *certainty_text(const void *at, char out[80])
{
    const JUDGED *v = at;

    (void)out;
    return v->word == JW_WORD_JIT_EVERY || v->also == JW_WORD_JIT_EVERY ? jw_certainty_name(v->certainty)
                                                                        : NULL;
}

static const struct jw_spelling certainty = { "^(certain|likely|risk)$", certainty_text };

static const struct jw_row judged[] = {
    { JW_NAMED("verdict", JUDGED, word, jw_word_name, JW_WORDS), .first = JW_WORD_NATIVE, JW_MAY,
      JW_ABOUT("null: there is none, and 'because' says why") },
    { JW_NAMED("also", JUDGED, also, jw_word_name, JW_WORDS), .first = JW_WORD_NATIVE, JW_MAY,
      JW_ABOUT("what would be so besides") },
    { JW_ROW("from", JUDGED, from), JW_MAY, JW_ABOUT("compute_70: what is compiled; sm_52: what runs") },
    { JW_NAMED("because", JUDGED, reason, reason_name, JW_BECAUSE_UNASKED + 1) },
    { JW_SPELT_OF("certainty", &certainty), JW_MAY, JW_ABOUT("of JIT_EVERY") },
    { JW_ROW("known_to_fail", JUDGED, known_to_fail),
      JW_ABOUT("compiling it for this GPU was reported to fail") },
    { 0 },
};

static const struct jw_row code[] = {
    { JW_ROW("jit", CODE, jit), JW_ABOUT("modules that would be compiled, without those that are warm") },
    { JW_ROW("warm", CODE, warm), JW_ABOUT("modules that would be compiled, and are in the driver's cache") },
    { JW_ROW("jit_ptx_bytes", CODE, ptx_bytes), JW_MAY,
      JW_ABOUT("to be compiled; null: nothing, or not measured") },
    { 0 },
};

static const struct jw_row verdicts[] = {
    { JW_PART_AT(struct page_verdict, gpu, gpu) },
    { JW_PART_AT(struct page_verdict, judged, judged) },
    { JW_PART_AT(struct page_verdict, code, code) },
    { 0 },
};

static const struct jw_row software[] = {
    { JW_ROW("framework", SOFT, framework), JW_MAY, JW_ABOUT("its name in the table; null: not there") },
    { JW_ROW("name", SOFT, name) },
    { JW_ROW("version", SOFT, version), JW_MAY },
    { JW_ROW("variant", SOFT, variant), JW_MAY },
    { JW_ROW("known_from", SOFT, known_from), JW_PATTERN("^(files|table|toolkit|nothing)$"),
      JW_ABOUT("files: read from the software itself; table: from the table of known builds; toolkit: from "
               "what a CUDA toolkit can compile for") },
    { JW_ROW("confidence", SOFT, confidence), JW_PATTERN("^(certain|high|medium|low)$") },
    { JW_ROW("known_by", SOFT, known_by) },
    { JW_ROW("measured", SOFT, measured), JW_MAY,
      JW_ABOUT("date and version of the package that was scanned to confirm the table") },
    { JW_ROW("source", SOFT, source), JW_MAY },
    { JW_ROW("path", SOFT, path), JW_MAY },
    { JW_TEXTS("sass", SOFT, sass, n_sass), JW_PATTERN("^sm_[0-9]+[af]?$"),
      JW_ABOUT("from the table: machine code in it") },
    { JW_TEXTS("ptx", SOFT, ptx, n_ptx), JW_PATTERN("^compute_[0-9]+[af]?$") },
    { JW_LIST("verdicts", SOFT, verdicts, n_verdicts, verdicts) },
    { 0 },
};

/* ---- all of it ---- */

static const struct jw_row findings[] = {
    { JW_ROW("id", F, id), JW_PATTERN("^[a-z]+(-[a-z]+)*$") },
    { JW_NAMED("severity", F, severity, jw_severity_name, JW_PROBLEM + 1) },
    { JW_ROW("subject", F, subject), JW_MAY,
      JW_ABOUT("the file, variable, GPU or package that it is about; null: the machine") },
    { JW_ROW("evidence", F, evidence), JW_MAY,
      JW_ABOUT("what was seen, with its value and its place; null: the text says all") },
    { JW_ROW("text", F, text), JW_PATTERN(".") },
    { JW_ROW("consequence", F, consequence), JW_MAY,
      JW_ABOUT("what the user will notice of it; null: the text says it") },
    { JW_ROW("fix", F, fix), JW_MAY, JW_ABOUT("what to do, in words; null: nothing") },
    { JW_ROW("command", F, command), JW_MAY,
      JW_ABOUT("that does it, as it is typed or written into a file; null: none does") },
    { JW_ROW("local", F, local), JW_ABOUT("two equal machines may differ in it") },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_SIMULATED(T, state.stamp) },
    { JW_TRUE("portable", T, portable),
      JW_ABOUT("--portable: what two equal machines may differ in is null or absent") },
    { JW_SUB_OF("about", about), JW_IF(T, bundle), JW_ABOUT("only in the file of --bundle") },
    { JW_SUB_AT("asked", T, asked, asked), JW_IF(T, asked),
      JW_ABOUT(
          "the circumstances that the options give; absent when this machine was asked about, as it is") },
    { JW_SUB_OF("driver", driver), JW_IF(T, here) },
    { JW_LIST("devices", T, devices, n_devices, devices), JW_IF(T, here),
      JW_ABOUT("what the driver shows to programs") },
    { JW_LIST("plugged_in", T, plugged_in.gpus, plugged_in.n, NULL), .spelling = &gpu_name, JW_IF(T, here),
      JW_ABOUT("NVIDIA GPUs that the system knows of, without the driver") },
    { JW_SUB_OF("knowledge", knowledge), JW_IF(T, here) },
    { JW_LIST("settings", T, settings, n_settings, settings), JW_IF(T, here),
      JW_ABOUT("the variables of this process that begin with CUDA_") },
    { JW_SUB_OF("cache", cache), JW_IF(T, own),
      JW_ABOUT("the driver's cache of compiled code; not with --portable") },
    { JW_SUB_OF("log", log_rows), JW_IF(T, log_path), JW_ABOUT("what --log was given") },
    { JW_LIST("frameworks", T, software, n_software, software),
      JW_ABOUT("software, and what it does on each GPU") },
    { JW_LIST("findings", T, findings, n_findings, findings) },
    { JW_TEXTS("ignored", T, ignored.items, ignored.n),
      JW_ABOUT("ids of --ignore, whether they were found or not") },
    { JW_TEXTS("checked", T, checked.v, checked.n), JW_IF(T, not_portable),
      JW_ABOUT("what was looked at; not with --portable") },
    { JW_TEXTS("unchecked", T, unchecked.v, unchecked.n), JW_IF(T, not_portable),
      JW_ABOUT("what could not be, and why; not with --portable") },
    { 0 },
};

const struct jw_form doctor_form = {
    "doctor",
    "The driver, the GPUs and the driver's cache of this machine, what CUDA software does on them, and what "
    "is "
    "wrong. About another machine (--gpu, --driver, --os, --log) driver, devices, plugged_in, knowledge, "
    "settings and cache are absent. docs/findings.md lists the findings.",
    rows,
};

/* ---- filling the page ---- */

const char *doctor_say(const struct doctor_view *v, const char *text)
{
    return v->redact ? jw_redacted(v->redact, text) : text;
}

bool doctor_is_shown(const struct doctor_view *v, const struct jw_finding *f)
{
    if (v->portable && f->local)
        return false;
    for (size_t i = 0; i < v->ignored->n; i++)
        if (strcmp(v->ignored->items[i], f->id) == 0)
            return false;
    return true;
}

static const char **say_all(const struct doctor_view *v, struct jw_arena *a, const char *const *texts,
                            size_t n)
{
    const char **out = jw_arena_alloc(a, (n + 1) * sizeof *out);

    for (size_t i = 0; i < n; i++)
        out[i] = doctor_say(v, texts[i]);
    return out;
}

static void fill_driver(T *p, const struct doctor_view *v, struct jw_arena *a)
{
    const struct jw_probe_report *probe = &v->machine->probe;
    struct jw_worker_driver *d = &p->driver;

    *d = probe->driver;
    p->found = d->init_result >= 0 || probe->broken;
    p->broken = doctor_say(v, probe->broken);
    p->version = probe->broken || d->init_result < 0 ? NULL : jw_doctor_version(v->machine);
    d->init_name = doctor_say(v, d->init_name);
    d->library = doctor_say(v, v->portable && d->library ? jw_path_base(d->library) : d->library);
    p->devices = jw_arena_alloc(a, (probe->n_devices + 1) * sizeof *p->devices);
    p->n_devices = probe->n_devices;
    for (size_t i = 0; i < p->n_devices; i++) {
        D *to = &p->devices[i];

        *to = probe->devices[i];
        (void)snprintf(to->uuid, sizeof to->uuid, "%s",
                       v->portable ? "" : doctor_say(v, probe->devices[i].uuid));
        if (v->portable)
            to->pci[0] = '\0';
    }
}

static void fill_knowledge(T *p, const struct doctor_view *v, struct jw_arena *a)
{
    const struct jw_probe_report *probe = &v->machine->probe;

    p->state = probe->state;
    p->state.evidence = say_all(v, a, p->state.evidence, p->state.n_evidence);
    p->level = p->state.level == JW_LEVEL_NONE ? -1 : (int)p->state.level;
    p->allows = jw_level_unlocks(p->state.level);
    p->unproven = doctor_say(v, probe->unproven);
    p->proven_now = probe->proven_now;
    p->proven_at = p->state.proven_at > 0 ? (uint64_t)p->state.proven_at : 0;
}

static void fill_settings(T *p, const struct doctor_view *v, struct jw_arena *a)
{
    const struct jw_env_set *s = &v->machine->env;

    p->settings = jw_arena_alloc(a, (s->n + 1) * sizeof *p->settings);
    for (size_t i = 0; i < s->n; i++)
        if (strncmp(s->v[i].name, "CUDA_", 5) == 0)
            p->settings[p->n_settings++] = (struct jw_setting){ s->v[i].name, doctor_say(v, s->v[i].value) };
}

static void fill_machine(T *p, const struct doctor_view *v, struct jw_arena *a)
{
    const struct jw_doctor_machine *m = v->machine;

    p->here = true;
    p->own = !v->portable;
    p->bundle = v->bundle;
    p->plugged_in = m->here;
    p->jitwarm = JITWARM_VERSION;
    p->system = doctor_say(v, m->who.system);
    p->toolkits = jw_arena_alloc(a, (m->n_toolkits + 1) * sizeof *p->toolkits);
    p->n_toolkits = m->n_toolkits;
    for (size_t i = 0; i < m->n_toolkits; i++) {
        p->toolkits[i] = m->toolkits[i];
        p->toolkits[i].where = doctor_say(v, m->toolkits[i].where);
    }
    p->cache = m->cache;
    p->root = doctor_say(v, m->cache->dir.root);
    p->place = m->place;
    fill_driver(p, v, a);
    fill_knowledge(p, v, a);
    fill_settings(p, v, a);
}

/* "35 37 90a" */
static const char **archs(struct jw_arena *a, const char *prefix, const char *list, size_t *n)
{
    const char **out = jw_arena_alloc(a, (strlen(list) + 1) * sizeof *out);

    for (*n = 0; *list; list += strspn(list, " ")) {
        char text[24];
        int size = (int)strcspn(list, " ");

        (void)snprintf(text, sizeof text, "%s%.*s", prefix, size, list);
        out[(*n)++] = jw_arena_str(a, text);
        list += size;
    }
    return out;
}

static void fill_software(SOFT *out, const struct doctor_view *v, size_t i, struct jw_findings *scratch)
{
    const struct doctor_answer *answer = v->answer;
    const struct jw_software *s = &answer->software[i];
    size_t n = answer->c.n_gpus;
    bool table = s->has_build && !s->from_files;

    *out = (SOFT){
        .framework = s->framework == JW_NO_FRAMEWORK ? NULL : s->about.name,
        .name = s->title,
        .version = s->version,
        .variant = s->variant,
        .known_from = s->from_files     ? "files"
                      : s->toolkit_only ? "toolkit"
                      : table           ? "table"
                                        : "nothing",
        .confidence = s->from_files ? "certain" : jw_confidence_name(s->sure),
        .known_by = doctor_say(v, jw_software_known(s, scratch)),
        .measured = table ? s->build.measured : NULL,
        .source = table ? s->build.source : NULL,
        .path = s->from_files ? doctor_say(v, s->path) : NULL,
        .verdicts = jw_arena_alloc(scratch->a, (n + 1) * sizeof *out->verdicts),
        .n_verdicts = n,
    };
    out->sass = archs(scratch->a, "sm_", table ? s->build.sass : "", &out->n_sass);
    out->ptx = archs(scratch->a, "compute_", table ? s->build.ptx : "", &out->n_ptx);
    for (size_t k = 0; k < n; k++)
        out->verdicts[k] =
            (struct page_verdict){ &answer->c.gpus[k], &answer->judgements[i * n + k], &s->code[k] };
}

static void fill_answer(T *p, const struct doctor_view *v, struct jw_arena *a)
{
    const struct doctor_answer *answer = v->answer;
    struct jw_findings scratch = JW_FINDINGS(a);

    p->asked = answer->asked ? &answer->c : NULL;
    if (answer->log) {
        p->log_path = doctor_say(v, answer->log_path);
        p->lines = answer->log->lines;
        p->gap_milliseconds = (uint64_t)(answer->log->gap.seconds * 1000 + 0.5);
        p->gap_line = answer->log->gap.line;
    }
    p->software = jw_arena_alloc(a, (answer->n + 1) * sizeof *p->software);
    p->n_software = answer->n;
    for (size_t i = 0; i < answer->n; i++)
        fill_software(&p->software[i], v, i, &scratch);
}

static void fill_findings(T *p, const struct doctor_view *v, struct jw_arena *a)
{
    p->findings = jw_arena_alloc(a, (v->findings->n + 1) * sizeof *p->findings);
    for (size_t i = 0; i < v->findings->n; i++) {
        F *f = &p->findings[p->n_findings];

        if (!doctor_is_shown(v, &v->findings->v[i]))
            continue;
        *f = v->findings->v[i];
        f->subject = doctor_say(v, f->subject);
        f->evidence = doctor_say(v, f->evidence);
        f->text = doctor_say(v, f->text);
        f->consequence = doctor_say(v, f->consequence);
        f->fix = doctor_say(v, f->fix);
        f->command = doctor_say(v, f->command);
        p->n_findings++;
    }
    p->checked = (struct jw_notes){ .v = say_all(v, a, v->checked->checked.v, v->checked->checked.n),
                                    .n = v->checked->checked.n };
    p->unchecked = (struct jw_notes){ .v = say_all(v, a, v->checked->unchecked.v, v->checked->unchecked.n),
                                      .n = v->checked->unchecked.n };
}

static bool write_to(struct jw_sink sink, const struct doctor_view *v, struct jw_arena *a, struct jw_err *err)
{
    T page = { .portable = v->portable, .not_portable = !v->portable, .ignored = *v->ignored };

    if (v->machine)
        fill_machine(&page, v, a);
    fill_answer(&page, v, a);
    fill_findings(&page, v, a);
    return jw_rows_report(sink, &doctor_form, &page, err);
}

bool doctor_write_json(struct cli *cli, const struct doctor_view *v, struct jw_err *err)
{
    return write_to(jw_output_sink(&cli->out), v, cli->arena, err);
}

bool doctor_write_bundle(const char *path, const struct doctor_view *v, struct jw_err *err)
{
    struct jw_out out = { 0 };
    bool ok = jw_out_open(&out, path, false, err) && write_to(jw_out_sink(&out), v, v->redact->a, err)
              && jw_out_commit(&out, err);

    jw_out_close(&out);
    return ok || jw_wrap(err, "%s", path);
}
