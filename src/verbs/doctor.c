/* doctor: why CUDA programs start slowly here. */
#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"
#include "cache/format/jitcache.h"
#include "cache/memory/spell.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/page.h"
#include "doctor/doctor_here.h"
#include "doctor/doctor_settings.h"
#include "doctor/doctor_todo.h"
#include "doctor/doctor_watch_here.h"
#include "facts/env_defaults.h"
#include "os/machine/time.h"
#include "pack/kit/kit.h"
#include "session/lines.h"
#include "verbs/status.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

struct doctor_args {
    bool probe;
    const char *log, *cache;
    unsigned watch_s;
    struct jw_texts ignore, rest;
};

#define AT(field) offsetof(struct doctor_args, field)

static const struct opt doctor_opts[] = {
    { "log", 0, OPT_TEXT, AT(log), "FILE",
      "read what a program printed (- for standard input): its pauses, errors, GPUs and libraries", NULL,
      HINT_FILES },
    { "watch", 0, OPT_MAYBE_SPAN, AT(watch_s), "TIME",
      "show live which programs make the driver compile, for this long (default: until Ctrl-C); --json: a "
      "line for each event",
      NULL, HINT_NONE },
    { "probe", 0, OPT_FLAG, AT(probe), NULL,
      "repeat the probe of the driver, instead of showing the saved result", NULL, HINT_NONE },
    OPT_CACHE(doctor_args, cache, "look at this cache"),
    { "ignore", 0, OPT_LIST, AT(ignore), "ID", "hide this finding, also from the exit code; may be repeated",
      NULL, HINT_NONE },
    { 0 },
};

struct doctor_view {
    const struct jw_doctor_machine *machine; /* NULL: a log was given */
    const struct jw_doctor_answer *answer;
    const struct jw_findings *findings; /* the worst first, without those of --ignore */
    const struct jw_doctor_checked *checked;
    const struct jw_texts *ignored;     /* ids of findings of --ignore */
    struct jw_doctor_settings settings; /* of this machine */
    bool evidence;                      /* show the evidence of the probe */
};

/* ---- the report ---- */

#define S struct jw_doctor_setting
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
    const char *name, *version, *known_from, *path;
    struct page_verdict *verdicts;
    size_t n_verdicts;
};

/* The part of the view that is printed. */
struct page {
    const struct doctor_view *view;
    bool about_machine; /* about this machine */

    bool found;
    const char *broken, *version;
    struct jw_worker_driver driver;
    const D *devices;
    size_t n_devices;
    struct jw_host_gpus plugged_in;

    struct jw_driver_state state;
    int level;

    struct jw_doctor_settings settings;
    const STATUS *cache;
    struct jw_cache_place place;

    const char *log_path;
    uint64_t lines;
    SOFT *software;
    size_t n_software;

    F *findings;
    const char *const *todo;
    size_t n_todo, n_findings;
    struct jw_texts ignored;
    struct jw_doctor_checked checked;
};

enum { LABEL = 12 };

/* ---- the machine ---- */

static const struct jw_row driver_rows[] = {
    { JW_ROW("found", T, found) },
    { JW_ROW("broken", T, broken), JW_NULLABLE,
      JW_ABOUT("how it ended, or held up, its process before it said anything, or why it cannot start; null: "
               "it starts") },
    { JW_ROW("version", T, version), JW_NULLABLE },
    { JW_ROW("cuda_version", T, driver.cuda_version), JW_ABOUT("13000 for 13.0; 0 unknown") },
    { JW_ROW("library", T, driver.library), JW_NULLABLE,
      JW_ABOUT("the file that was loaded, or would be, links resolved") },
    { JW_ROW("build", T, driver.build), JW_NULLABLE,
      JW_ABOUT("identity of that file: gnu:BUILD-ID, pe:TIMESTAMP+SIZE, b2:DIGEST") },
    { JW_ROW("wsl", T, driver.wsl) },
    { JW_ROW("container", T, driver.container) },
    { 0 },
};

static const struct jw_row device_rows[] = {
    { JW_ROW("index", D, index) },
    { JW_ROW("name", D, name) },
    { JW_SPELT("gpu", D, sm, &jw_spell_sm) },
    { JW_ROW("uuid", D, uuid), JW_NULLABLE },
    { JW_ROW("pci", D, pci), JW_NULLABLE },
    { JW_ROW("memory_bytes", D, memory) },
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

static const struct jw_row plugged_rows[] = {
    { JW_LIST("plugged_in", struct jw_host_gpus, gpus, n, NULL), JW_LABEL("Plugged in"),
      .spelling = &gpu_name, JW_ABOUT("NVIDIA GPUs that the system knows of, without the driver") },
    { 0 },
};

static const struct jw_row knowledge_rows[] = {
    { JW_ROW("level", T, level), JW_NULLABLE },
    { JW_SPELT("name", T, state.level, &jw_spell_level) },
    { JW_SPELT_AT("stamp", T, state.stamp, &jw_spell_stamp), JW_NULLABLE,
      JW_ABOUT("when the driver was built") },
    { JW_TEXTS("evidence", T, state.evidence, state.n_evidence) },
    { 0 },
};

static const struct jw_row group_rows[] = {
    { JW_NAMED("kind", GROUP, kind, jw_cache_kind_names) },
    { JW_SPELT("stamp", GROUP, stamp, &jw_spell_stamp), JW_NULLABLE },
    { JW_ROW("gpu", GROUP, arch) },
    { JW_NAMED("status", GROUP, relation, jw_build_relation_names) },
    { JW_ROW("entries", GROUP, entries) },
    { JW_ROW("bytes", GROUP, bytes) },
    { 0 },
};

static const struct jw_row found_rows[] = {
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
    { JW_LIST("groups", STATUS, groups, n_groups, group_rows) },
    { 0 },
};

static const char *const disk_names[] = { "local", "network", "memory", "kernel" };

static const struct jw_row place_rows[] = {
    { JW_ROW("folder", STATUS, dir.folder), JW_NULLABLE, JW_LABEL("Cache") },
    { 0 },
};

static const struct jw_row cache_rows[] = {
    { JW_PART_AT(T, cache, place_rows) },
    { JW_PART_AT(T, cache, found_rows) },
    { JW_NAMED("disk", T, place.disk.kind, disk_names), JW_IF(T, place.disk_known), JW_NULLABLE },
    { 0 },
};

/* ---- the software ---- */

static const struct jw_row gpu_rows[] = {
    { JW_SPELT("gpu", GPU, sm, &jw_spell_sm) },
    { JW_ROW("name", GPU, name), JW_NULLABLE },
    { 0 },
};

static const struct jw_row log_rows[] = {
    { JW_ROW("path", T, log_path) },
    { JW_ROW("lines", T, lines) },
    { 0 },
};

static const struct jw_row check_rows[] = {
    { JW_NAMED("verdict", CHECK, verdict, jw_software_verdict_names), .first = JW_SOFTWARE_NATIVE,
      JW_NULLABLE, JW_ABOUT("null: its content is not known") },
    { 0 },
};

static const struct jw_row code_rows[] = {
    { JW_ROW("from", CODE, from), JW_NULLABLE, JW_ABOUT("compute_70: what is compiled") },
    { JW_ROW("jit", CODE, jit), JW_ABOUT("modules that would be compiled, without those that are warm") },
    { JW_ROW("warm", CODE, warm), JW_ABOUT("modules that would be compiled, and are in the driver's cache") },
    { JW_ROW("jit_ptx_bytes", CODE, ptx_bytes), JW_NULLABLE,
      JW_ABOUT("to be compiled; null: nothing, or not measured") },
    { 0 },
};

static const struct jw_row verdict_rows[] = {
    { JW_PART_AT(struct page_verdict, gpu, gpu_rows) },
    { JW_PART_AT(struct page_verdict, check, check_rows) },
    { JW_PART_AT(struct page_verdict, code, code_rows) },
    { 0 },
};

static const struct jw_row software_rows[] = {
    { JW_ROW("name", SOFT, name) },
    { JW_ROW("version", SOFT, version), JW_NULLABLE },
    { JW_ROW("known_from", SOFT, known_from), JW_PATTERN("^(files|table|message|nothing)$"),
      JW_ABOUT("files: read from the software itself; table: from the table of frameworks; message: from "
               "what the log says of it") },
    { JW_ROW("path", SOFT, path), JW_NULLABLE },
    { JW_LIST("verdicts", SOFT, verdicts, n_verdicts, verdict_rows) },
    { 0 },
};

/* ---- all of it ---- */

static const struct jw_row checked_rows[] = {
    { JW_TEXTS("checked", struct jw_doctor_checked, checked.v, checked.n), JW_SENTENCE("Checked"),
      JW_ABOUT("what was looked at") },
    { JW_TEXTS("not_checked", struct jw_doctor_checked, unchecked.v, unchecked.n), JW_SENTENCE("Not checked"),
      JW_ABOUT("what could not be, and why") },
    { 0 },
};

static const struct jw_row finding_rows[] = {
    { JW_ROW("id", F, id), JW_PATTERN("^[a-z]+(-[a-z]+)*$") },
    { JW_NAMED("severity", F, severity, jw_severity_names) },
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

/* A value may be set and empty. */
static void write_setting(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const S *s = of;

    jw_json_text(j, row->key, s->value);
}

static const struct jw_row setting_rows[] = {
    { JW_ROW("name", S, name) },
    { JW_ROW("value", S, value), JW_NULLABLE, .write = write_setting,
      JW_ABOUT("as it was set; null: not set, and there is no default to show") },
    { JW_ROW("from", S, origin) },
    { 0 },
};

/* ---- its text ---- */

static void show_driver(struct jw_page *p, const void *of)
{
    const struct doctor_view *v = ((const T *)of)->view;
    const struct jw_worker_driver *d = &v->machine->probe.driver;
    const char *stamp = v->machine->probe.state.stamp, *version = jw_doctor_version(v->machine);
    struct jw_buf text = JW_LINE(p->arena);

    if (!d->library || v->machine->probe.broken) {
        jw_page_say(p, TINT_STRONG, "Driver", "%s",
                    v->machine->probe.truncated ? "it cannot start"
                    : v->machine->probe.broken  ? "it did not survive its start"
                                                : "none was found");
        if (d->library)
            jw_page_whole(p, TINT_NONE, "", "%s", d->library);
        return;
    }
    jw_say(&text, "%s", version ? version : "unknown version");
    if (d->cuda_version)
        jw_say(&text, ", for CUDA up to %u.%u", d->cuda_version / 1000, d->cuda_version % 1000 / 10);
    jw_say(&text, "%s%s%s", d->wsl ? ", under WSL" : "", d->container ? ", in a container" : "",
           d->mps ? ", with MPS" : "");
    jw_page_line(p, TINT_STRONG, "Driver", &text);
    jw_page_whole(p, TINT_NONE, "", "%s", d->library);
    if (stamp && *jw_stamp_text(stamp).text)
        jw_say(&text, "built %s, ", jw_stamp_text(stamp).text);
    jw_say(&text, "build id %s", d->build && *d->build ? d->build : "unknown");
    if (p->columns && LABEL + text.n > p->columns)
        jw_page_say(p, TINT_NONE, "", "%s", jw_buf_cstr(&text));
    else
        jw_page_whole(p, TINT_NONE, "", "%s", jw_buf_cstr(&text));
}

/* "8 GiB", "7.6 GiB" */
static void say_memory(struct jw_buf *text, uint64_t bytes)
{
    uint64_t tenths = (bytes / 1024 * 10 + (1 << 19)) >> 20;

    jw_say(text, "%llu", (unsigned long long)(tenths / 10));
    if (tenths % 10)
        jw_say(text, ".%llu", (unsigned long long)(tenths % 10));
    jw_say(text, " GiB");
}

static void show_devices(struct jw_page *p, const void *of)
{
    const struct doctor_view *v = ((const T *)of)->view;
    char label[16];

    for (size_t i = 0; i < v->machine->probe.n_devices; i++) {
        const struct jw_device *d = &v->machine->probe.devices[i];

        (void)snprintf(label, sizeof label, "GPU %u", d->index);
        jw_page_say(p, TINT_STRONG, label, "%s, sm_%u, %s%s%s%s%s%s", d->name, d->sm,
                    jw_words(say_memory, d->memory).text, d->mig ? ", a MIG slice" : "",
                    d->compute_mode == JW_COMPUTE_EXCLUSIVE ? ", exclusive to one process" : "",
                    d->compute_mode == JW_COMPUTE_PROHIBITED ? ", closed for computing" : "",
                    d->integrated ? ", integrated" : "",
                    d->hidden ? ", shown in a fresh login and not here" : "");
        if (*d->uuid) /* drivers before 410 tell none */
            jw_page_whole(p, TINT_NONE, "", "%s", d->uuid);
    }
}

/* GPUs on the bus, if the driver shows none. */
static void show_plugged_in(struct jw_page *p, const void *of)
{
    const struct doctor_view *v = ((const T *)of)->view;

    if (!jw_doctor_sees_gpus(v->machine))
        jw_page_rows(p, TINT_STRONG, plugged_rows, &v->machine->host);
}

static void show_knowledge(struct jw_page *p, const void *of)
{
    const struct doctor_view *v = ((const T *)of)->view;
    const struct jw_probe_report *probe = &v->machine->probe;
    const struct jw_driver_state *s = &probe->state;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!jw_doctor_sees_gpus(v->machine))
        return;
    if (s->level == JW_LEVEL_NONE)
        jw_say(&text, "%s", probe->unproven ? "not known yet" : "not at all");
    else if (probe->cannot_compile)
        jw_say(&text, "%d of 3 steps proven before; now it cannot compile", (int)s->level);
    else
        jw_say(&text, "%s%d of 3 steps proven", probe->unproven ? "at least " : "", (int)s->level);
    if (!probe->unproven && s->level != JW_LEVEL_NONE)
        jw_say(&text, "%s", probe->proven_now ? " now" : " before (--probe proves them again)");
    jw_page_line(p, s->level >= JW_LEVEL_PLACEABLE ? TINT_GOOD : TINT_WARN, "Probe", &text);
    for (size_t i = 0; i < s->n_evidence && v->evidence; i++)
        jw_page_say(p, TINT_NONE, "", "- %s", s->evidence[i]);
    if (s->level >= 0 && !probe->cannot_compile)
        jw_page_say(p, TINT_NONE, "Allows", "%s", jw_level_allows(s->level));
}

/* Caches of other compilers. */
static void show_others(struct jw_page *p, const struct jw_status_report *r)
{
    const char *words = jw_kit_words(r->kits, r->n_kits, p->arena);

    if (*words)
        jw_page_say(p, TINT_STRONG, "Others", "%s", words);
}

static void show_cache_folder(struct jw_page *p, const void *of)
{
    const struct jw_status_report *r = ((const T *)of)->cache;

    jw_page_rows(p, TINT_STRONG, place_rows, r);
    if (r->dir.folder && !r->list.found)
        jw_page_say(p, TINT_NONE, "", "%s",
                    r->primed.emptied ? "not there any more"
                                      : "not there yet: no program has cached code in it");
    else if (r->dir.folder)
        jw_page_say(p, TINT_NONE, "", "%s in %s; the limit is %s", JW_SIZE(r->used),
                    JW_N(r->files.entries, "entry", "entries"),
                    r->dir.limit_known        ? JW_SIZE(r->dir.limit)
                    : r->dir.limit_from.value ? "not clear"
                                              : "the driver's default");
    show_others(p, r);
}

/* ---- the software ---- */

static enum jw_tint tint_of_verdict(enum jw_software_verdict v)
{
    if (v == JW_SOFTWARE_NATIVE || v == JW_SOFTWARE_WARM)
        return TINT_GOOD;
    if (v == JW_SOFTWARE_UNKNOWN)
        return TINT_FAINT;
    return v == JW_SOFTWARE_JIT_FIRST || v == JW_SOFTWARE_JIT_EVERY ? TINT_WARN : TINT_BAD;
}

static void gpu_text(char out[128], const struct jw_gpu *gpu)
{
    const char *name = gpu->name;

    if (jw_text_starts(name, "NVIDIA "))
        name += 7;
    (void)snprintf(out, 128, "%s%s%u.%u%s", name, *name ? " (" : "", (unsigned)gpu->sm / 10,
                   (unsigned)gpu->sm % 10, *name ? ")" : "");
}

static const char *what_happens(const struct jw_software_case *c, enum jw_software_verdict v,
                                enum jw_uncached every)
{
    if (v == JW_SOFTWARE_WARM && c->machine && c->machine->over_limit)
        return "in the cache, over its limit";
    return v == JW_SOFTWARE_JIT_EVERY && every == JW_CACHE_GONE
               ? "compiled at the next start, and in each new container"
               : jw_software_verdict_texts[v];
}

static void add_rows(struct jw_table *t, const struct jw_doctor_answer *a, size_t i,
                     struct jw_findings *scratch)
{
    const struct jw_software_case *c = &a->c;

    for (size_t k = 0; k < c->n_gpus; k++) {
        const struct jw_software_check *check = &a->checks[i * c->n_gpus + k];
        enum jw_software_verdict v = check->verdict, code = check->code;
        bool then =
            v == JW_SOFTWARE_LIBS_MISSING && code != JW_SOFTWARE_UNKNOWN && code != JW_SOFTWARE_RUN_TIME;
        const char *word = jw_software_verdict_names[v], *from = a->software[i].code[k].from;
        char gpu[128];

        gpu_text(gpu, &c->gpus[k]);
        jw_table_cell(t, TINT_STRONG, k ? "" : jw_software_name(&a->software[i], scratch));
        jw_table_cell(t, TINT_NONE, gpu);
        jw_table_cell(t, tint_of_verdict(v), word ? word : "-");
        if (then)
            jw_table_cellf(t, TINT_NONE, "CUDA libraries are not %s; its code: %s",
                           *a->software[i].libraries.missing || !a->software[i].libraries.looked ? "here"
                                                                                                 : "found",
                           what_happens(c, code, check->every));
        else
            jw_table_cellf(t, TINT_NONE, "%s%s%s%s%s", what_happens(c, v, check->every), *from ? " (" : "",
                           from, *from ? ")" : "",
                           a->software[i].run_time && code != JW_SOFTWARE_RUN_TIME
                               ? "; compiles more while it runs"
                               : "");
    }
}

/* JAX is two packages of one version, jaxlib and the plugin: one line where all that is shown is equal. */
static bool shows_the_same(const struct jw_doctor_answer *a, size_t i, size_t other)
{
    const struct jw_software *x = &a->software[i], *y = &a->software[other];
    bool same = jw_text_same(x->title, y->title) && jw_text_same(x->version, y->version);

    for (size_t k = 0; same && k < a->c.n_gpus; k++) {
        const struct jw_software_check *one = &a->checks[i * a->c.n_gpus + k],
                                       *two = &a->checks[other * a->c.n_gpus + k];

        same = one->verdict == two->verdict && one->code == two->code && one->every == two->every
               && strcmp(x->code[k].from, y->code[k].from) == 0;
    }
    return same;
}

static bool was_shown(const struct jw_doctor_answer *a, size_t i)
{
    for (size_t other = 0; other < i; other++)
        if (shows_the_same(a, i, other))
            return true;
    return false;
}

static void show_software(struct jw_page *p, const void *of)
{
    static const struct jw_column columns[] = { { "SOFTWARE", COLUMN_LEFT },
                                                { "GPU", COLUMN_GPU },
                                                { "VERDICT", COLUMN_LEFT },
                                                { "WHAT HAPPENS", COLUMN_LEFT } };
    const struct jw_doctor_answer *a = ((const T *)of)->view->answer;
    struct jw_findings scratch = JW_FINDINGS(p->arena);
    struct jw_table t;

    if (a->n == 0 || a->c.n_gpus == 0)
        return;
    jw_table_begin(&t, p->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < a->n; i++)
        if (!was_shown(a, i))
            add_rows(&t, a, i, &scratch);
    jw_page_table(p, &t);
}

/* ---- findings ---- */

static void show_part(struct jw_page *p, const char *label, const char *text)
{
    if (text)
        jw_page_say(p, TINT_FAINT, label, "%s", text);
}

/* The finding above that has the same command; NULL: none. */
static const struct jw_finding *same_command(const T *t, size_t at)
{
    for (size_t i = 0; i < at && t->findings[at].command; i++)
        if (jw_text_same(t->findings[i].command, t->findings[at].command))
            return &t->findings[i];
    return NULL;
}

static void show_remedy(struct jw_page *p, const T *t, size_t at)
{
    const struct jw_finding *f = &t->findings[at], *above = same_command(t, at);

    if (above) {
        jw_page_say(p, TINT_FAINT, "  Do", "the command of %s above does this, too", above->id);
        return;
    }
    show_part(p, "  Do", f->fix ? f->fix : f->command ? "run this:" : NULL);
    if (f->command)
        jw_page_whole(p, TINT_NONE, "", "%s", f->command);
}

static void show_finding(struct jw_page *p, const T *t, size_t at, bool first)
{
    const struct jw_finding *f = &t->findings[at];
    static const struct {
        const char *label;
        enum jw_tint tint;
    } severities[] = { { "Note", TINT_FAINT }, { "Warning", TINT_WARN }, { "Problem", TINT_BAD } };

    if (!first)
        jw_page_put(p, "\n");
    jw_page_say(p, severities[f->severity].tint, severities[f->severity].label, "%s [%s]", f->text, f->id);
    show_part(p, "  Seen", f->evidence);
    show_part(p, "  So", f->consequence);
    show_remedy(p, t, at);
}

/* "1 problem, 2 warnings, 1 note" */
static struct jw_words counts_words(const unsigned n[JW_PROBLEM + 1])
{
    static const char *const nouns[] = { "note", "warning", "problem" };
    struct jw_words all = { "" };

    for (int s = JW_PROBLEM; s >= JW_NOTE; s--)
        if (n[s])
            all = jw_phrase("%s%s%u %s%s", all.text, all.text[0] ? ", " : "", n[s], nouns[s],
                            n[s] == 1 ? "" : "s");
    return all;
}

/* True if software was named, and no verdict on it was possible, or a log was read that is not about CUDA. */
static bool nothing_known(const struct doctor_view *v)
{
    const struct jw_doctor_answer *a = v->answer;

    if (a->log && !jw_log_understood(a->log))
        return true;
    for (size_t i = 0; i < a->n * a->c.n_gpus; i++)
        if (a->checks[i].verdict != JW_SOFTWARE_UNKNOWN)
            return false;
    return !v->machine && a->n && a->c.n_gpus;
}

/* Nothing is said of any software, and none was primed. */
static bool nothing_primed(const struct doctor_view *v)
{
    return v->machine && !v->machine->primed->any && !v->answer->n;
}

static void show_findings(struct jw_page *p, const void *of)
{
    const T *t = of;
    bool first = !t->view->machine && !t->n_software;

    for (size_t i = 0; i < t->n_findings; i++)
        show_finding(p, t, i, first && !i);
    jw_page_put(p, "\n");
}

/* How many of each severity; wrong: a warning or a problem. */
static bool count_findings(const T *t, unsigned n[JW_PROBLEM + 1])
{
    for (size_t i = 0; i < t->n_findings; i++)
        n[t->findings[i].severity]++;
    return n[JW_WARNING] || n[JW_PROBLEM];
}

static void show_checked(struct jw_page *p, const void *of)
{
    const T *t = of;
    unsigned n[JW_PROBLEM + 1] = { 0 };

    if (!count_findings(t, n) || p->verbose)
        jw_page_rows(p, TINT_STRONG, checked_rows, &t->checked);
}

static void show_verdict(struct jw_page *p, const void *of)
{
    const T *t = of;
    unsigned n[JW_PROBLEM + 1] = { 0 };
    bool wrong = count_findings(t, n),
         compiles = t->view->machine && jw_finding_of(t->view->findings, "framework-jit-little");
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < t->ignored.n; i++)
        jw_say(&text, "%s%s", i ? ", " : "", t->ignored.items[i]);
    jw_page_line(p, TINT_STRONG, "Ignored", &text);
    if (wrong)
        jw_page_say(p, n[JW_PROBLEM] ? TINT_BAD : TINT_WARN, "Verdict", "%s", counts_words(n).text);
    else
        jw_page_say(p, nothing_primed(t->view) || compiles ? TINT_NONE : TINT_GOOD, "Verdict", "%s%s",
                    compiles                  ? "a start compiles a little, as noted; nothing else is wrong"
                    : nothing_primed(t->view) ? "not known what starts compile: " JW_NEXT_START_NOTHING_FOUND
                    : t->view->machine        ? "nothing is wrong"
                    : nothing_known(t->view)  ? "not known"
                                              : "nothing wrong was found",
                    n[JW_NOTE] ? JW_PHRASE(" (%s above)", counts_words(n).text) : "");
}

static void show_to_do(struct jw_page *p, const void *of)
{
    const T *t = of;
    const struct jw_doctor_todo todo = jw_doctor_todo(t->view->machine, t->view->findings);

    jw_page_end(p, t->view->machine ? t->view->machine->probe.state.stamp : NULL);
    if (todo.when)
        jw_page_say(p, TINT_NONE, "When", "%s:", todo.when);
    jw_page_whole(p, TINT_STRONG, "To do", "%s", todo.command);
}

static void show_settings(struct jw_page *p, const void *of)
{
    static const struct jw_column columns[] = { { "SETTING", COLUMN_LEFT },
                                                { "VALUE", COLUMN_PATH },
                                                { "FROM", COLUMN_LEFT } };
    const struct jw_doctor_settings *s = &((const T *)of)->settings;
    struct jw_table t;

    jw_table_begin(&t, p->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < s->n; i++) {
        jw_table_cell(&t, TINT_NONE, s->v[i].name);
        jw_table_cell(&t, TINT_NONE, s->v[i].value ? s->v[i].value : "-");
        jw_table_cell(&t, TINT_FAINT, s->v[i].origin);
    }
    jw_page_table(p, &t);
}

/* ---- all of it ---- */

static const struct jw_row on_bus_rows[] = { { JW_PART(T, plugged_in, plugged_rows) }, { 0 } };
static const struct jw_row looked_rows[] = { { JW_PART(T, checked, checked_rows) }, { 0 } };

static const struct jw_row rows[] = {
    { JW_SIMULATED(T, state.stamp) },
    { JW_SUB_OF("driver", driver_rows), JW_IF(T, about_machine), JW_SHOW(show_driver) },
    { JW_LIST("devices", T, devices, n_devices, device_rows), JW_IF(T, about_machine), JW_SHOW(show_devices),
      JW_ABOUT("what the driver shows to programs") },
    { JW_ROWS(on_bus_rows), JW_IF(T, about_machine), JW_SHOW(show_plugged_in) },
    { JW_SUB_OF("knowledge", knowledge_rows), JW_IF(T, about_machine), JW_SHOW(show_knowledge) },
    { JW_SUB_OF("cache", cache_rows), JW_IF(T, about_machine), JW_SHOW(show_cache_folder),
      JW_ABOUT("the driver's cache of compiled code") },
    { JW_SUB_OF("log", log_rows), JW_IF(T, log_path), JW_ABOUT("what --log was given") },
    { JW_LIST("software", T, software, n_software, software_rows), JW_SHOW(show_software),
      JW_ABOUT("software, and what it does on each GPU") },
    { JW_LIST("findings", T, findings, n_findings, finding_rows), JW_SHOW(show_findings) },
    { JW_ROWS(looked_rows), JW_SHOW(show_checked) },
    { JW_TEXTS("ignored", T, ignored.items, ignored.n),
      JW_ABOUT("ids of --ignore, whether they were found or not") },
    { JW_TEXT_ALONE(show_verdict) },
    { JW_LIST("settings", T, settings.v, settings.n, setting_rows), JW_IF(T, about_machine),
      JW_SHOW(show_settings), JW_ABOUT("the settings in force, and where each comes from") },
    { JW_COMMANDS("todo", T, todo, n_todo), JW_SHOW(show_to_do),
      JW_ABOUT("what to do next: a command, in the shell that asked, of the worst finding that has one") },
    { 0 },
};

const struct jw_form doctor_form = {
    .verb = "doctor",
    .about = "The driver, the GPUs and the driver's cache of this machine, what CUDA software does on them, "
             "and what "
             "is wrong. With --log driver, devices, plugged_in, knowledge, settings and cache are absent. "
             "docs/findings.md "
             "lists the findings.",
    .rows = rows,
    .label = LABEL
};

/* ---- filling the page ---- */

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
    p->state = v->machine->probe.state;
    p->level = p->state.level == JW_LEVEL_NONE ? -1 : (int)p->state.level;
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

static void fill_software(SOFT *out, const struct jw_doctor_answer *answer, size_t i,
                          struct jw_findings *scratch)
{
    const struct jw_software *s = &answer->software[i];
    size_t n = answer->c.n_gpus;

    *out = (SOFT){ .name = s->title,
                   .version = s->version,
                   .known_from = jw_software_source_name(s->from),
                   .path = s->path,
                   .verdicts = jw_arena_alloc(scratch->a, (n + 1) * sizeof *out->verdicts),
                   .n_verdicts = n };
    for (size_t k = 0; k < n; k++)
        out->verdicts[k] =
            (struct page_verdict){ &answer->c.gpus[k], &answer->checks[i * n + k], &s->code[k] };
}

static void fill_answer(T *p, const struct doctor_view *v, struct jw_arena *a)
{
    const struct jw_doctor_answer *answer = v->answer;
    struct jw_findings scratch = JW_FINDINGS(a);

    if (answer->log) {
        p->log_path = answer->log_path;
        p->lines = answer->log->lines;
    }
    p->software = jw_arena_alloc(a, (answer->n + 1) * sizeof *p->software);
    p->n_software = answer->n;
    for (size_t i = 0; i < answer->n; i++)
        fill_software(&p->software[i], answer, i, &scratch);
}

static bool print_report(struct cli *cli, const struct doctor_view *v, struct jw_err *err)
{
    const char *todo = jw_doctor_todo(v->machine, v->findings).command;
    T page = { .view = v,
               .ignored = *v->ignored,
               .findings = v->findings->v,
               .n_findings = v->findings->n,
               .checked = *v->checked,
               .todo = &todo,
               .n_todo = todo != NULL };

    if (v->machine)
        fill_machine(&page, v);
    fill_answer(&page, v, cli->arena);
    return jw_cli_report(cli, &doctor_form, &page, err);
}

/* ---- --watch: a line for each program that makes the driver compile or link, as it happens, and a summary ---- */

/* A command to be primed. */
struct advised {
    const char *prime; /* NULL: none */
    const char *const *words;
    const char *folder;
};

struct live {
    struct cli *cli;
    const struct jw_compile_watch *o;
    uint64_t began;
    uint64_t causes[JW_COMPILE_CAUSES]; /* programs that ended, by why the driver compiled for them */
    struct advised prime;               /* the first to be primed */
    const char *setting;                /* of the first that keeps nothing */
    struct advised setting_prime;
    unsigned long paused_pid; /* the last that had compiled what it needed, and what it had left */
    uint64_t paused_entries;
};

/* ---- a line for each event ---- */

static void write_event(struct live *l, const struct jw_compile_event *e)
{
    struct jw_err ignored = { 0 };
    struct jw_json j;

    jw_json_begin(&j, jw_output_sink(&l->cli->out), false, &ignored);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "event", e->ended ? "ended" : e->paused ? "paused" : "began");
    jw_json_number(&j, "when", (uint64_t)e->when);
    jw_json_number(&j, "pid", e->pid);
    jw_json_text(&j, "name", e->name);
    jw_json_text(&j, "command", e->command);
    if (e->ended || e->paused) {
        jw_json_bool(&j, "running", e->running);
        jw_json_bool(&j, "goes_on", e->goes_on);
        jw_json_bool(&j, "earlier", e->earlier);
        jw_json_real(&j, "processor_seconds", e->cpu_s);
        if (e->seconds < 0)
            jw_json_null(&j, "seconds");
        else
            jw_json_real(&j, "seconds", e->seconds);
        jw_json_number(&j, "new_entries", e->entries);
        jw_json_number(&j, "new_bytes", e->bytes);
        jw_json_text(&j, "cache", e->cache);
        jw_json_bool(&j, "other_cache", e->other_cache);
        jw_json_text(&j, "cause", jw_compile_cause_name(e->cause));
        jw_json_text(&j, "setting", e->setting);
        jw_json_text(&j, "why", e->why);
    }
    jw_json_close(&j);
    (void)jw_json_end(&j);
}

static void say_cause(struct jw_buf *out, const struct jw_compile_event *e)
{
    switch (e->cause) {
    case JW_COMPILE_COLD: jw_say(out, "; it was not in the cache"); break;
    case JW_COMPILE_FULL:
        if (e->setting)
            jw_say(out, "; %s is too small for it, so each start compiles", e->setting);
        else
            jw_say(out, "; the cache is full, so older entries are removed each time");
        break;
    case JW_COMPILE_DRIVER: jw_say(out, "; the cache has entries of another driver alone"); break;
    case JW_COMPILE_DISABLED:
        jw_say(out, "; nothing is kept (%s), so each start compiles", e->setting);
        break;
    case JW_COMPILE_CLOSED:
        jw_say(out, "; it cannot write to %s/index, so each start compiles", e->cache);
        break;
    case JW_COMPILE_FAILS: jw_say(out, ": compiling fails: %s", e->why); break;
    case JW_COMPILE_LINKS:
        jw_say(out, "; it links while it starts (%s of processor time), compiles nothing: %s",
               JW_TENTHS(e->cpu_s), e->why);
        break;
    default:
        jw_say(out, "; it links code while it runs, keeps it where jitwarm does not look, or compiling "
                    "failed, which its own "
                    "output says (jitwarm doctor --log FILE)");
        break;
    }
}

static void say_event(struct live *l, const struct jw_compile_event *e)
{
    struct jw_buf line = JW_BUF(2 * JW_MAX_COMMAND);
    double at = (double)(jw_time_monotonic_ns() - l->began) / 1e9;

    jw_say(&line, "%s  %s (PID %lu) ", JW_CLOCK(at), e->name, e->pid);
    if (!e->ended && !e->paused) {
        jw_say(&line, "makes the driver compile or link%s: %s", e->earlier ? ", since before this watch" : "",
               e->command);
    } else if (e->goes_on && e->earlier && !e->entries) {
        jw_say(&line,
               "had the driver's compiler loaded before this watch and is at work (%s of processor time), "
               "without a new entry%s%s: it compiles something large, or does something else: %s",
               JW_TOOK(e->cpu_s), e->setting ? ", for nothing is kept: " : "", e->setting ? e->setting : "",
               e->command);
    } else if (e->goes_on) { /* the numbers so far are no total */
        jw_say(&line, "goes on: %s (%s) so far, %s of processor time",
               JW_N(e->entries, "new entry", "new entries"), JW_SIZE(e->bytes), JW_TOOK(e->cpu_s));
    } else {
        jw_say(&line, "%s ",
               e->paused    ? "has compiled, and left"
               : e->running ? "has left"
                            : "ended and left");
        if (e->entries)
            jw_say(&line, "%s (%s) in %s, with %s of processor time",
                   JW_N(e->entries, "new entry", "new entries"), JW_SIZE(e->bytes), e->cache,
                   JW_TOOK(e->cpu_s));
        else
            jw_say(&line, "no new entry");
        say_cause(&line, e);
    }
    jw_output_printf(&l->cli->out, "%s\n", jw_buf_cstr(&line));
    jw_buf_free(&line);
}

static bool can_be_given(const struct advised *d)
{
    return d->prime && jw_compile_can_start_again(d->words, d->folder);
}

/* The first that can be given again. */
static void advise(struct jw_arena *a, struct advised *d, const struct jw_compile_event *e)
{
    const char **words;
    size_t n = 0;

    if (can_be_given(d) || !e->prime || !e->words)
        return;
    while (e->words[n])
        n++;
    words = jw_arena_alloc(a, (n + 1) * sizeof *words);
    for (size_t i = 0; i < n; i++)
        words[i] = jw_arena_str(a, e->words[i]);
    words[n] = NULL;
    *d = (struct advised){ jw_arena_str(a, e->prime), words, e->folder ? jw_arena_str(a, e->folder) : NULL };
}

static void on_event(void *ctx, const struct jw_compile_event *e)
{
    struct live *l = ctx;
    bool again = e->ended && !e->goes_on && l->paused_pid == e->pid && l->paused_entries == e->entries;

    if (e->paused) {
        l->paused_pid = e->pid;
        l->paused_entries = e->entries;
    }

    if (e->ended) {
        l->causes[e->cause]++;
        if (e->cause == JW_COMPILE_COLD || e->cause == JW_COMPILE_DRIVER)
            advise(l->cli->arena, &l->prime, e);
        if (!l->setting && e->setting) {
            l->setting = jw_arena_str(l->cli->arena, e->setting);
            advise(l->cli->arena, &l->setting_prime, e);
        }
    }
    if (l->cli->common.json)
        write_event(l, e);
    else if (!again) /* its end adds nothing */
        say_event(l, e);
    jw_output_flush(&l->cli->out);
}

/* ---- the summary ---- */

static void say(struct jw_output *out, const char *fmt, ...) JW_PRINTF(2, 3);

/* A sentence in lines of its own; in one, where no width is known. */
static void say(struct jw_output *out, const char *fmt, ...)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE), lines = JW_BUF(JW_MAX_LINE * 4);
    va_list args;

    va_start(args, fmt);
    jw_say_args(&text, fmt, args);
    va_end(args);
    jw_help_wrap(&lines, jw_buf_cstr(&text), 0, 0, out->columns ? out->width : text.n + 1);
    jw_output_text(out, jw_buf_cstr(&lines));
    jw_buf_free(&text);
    jw_buf_free(&lines);
}

/* A fix for programs that cannot use the cache comes before a prime that fills it. NULL: no command helps. */
static const char *todo_of(const struct live *l)
{
    struct jw_arena *a = l->cli->arena;

    if (l->setting)
        return can_be_given(&l->setting_prime)
                   ? jw_line_in(l->setting_prime.folder,
                                jw_arena_printf(a, "env -u %.*s %s", (int)strcspn(l->setting, "="),
                                                l->setting, l->setting_prime.prime),
                                a)
                   : NULL;
    if (l->causes[JW_COMPILE_FULL])
        return jw_line_limit(&l->cli->session, jw_cache_limits().max, NULL, a);
    if (l->causes[JW_COMPILE_CLOSED] || l->causes[JW_COMPILE_FAILS])
        return "jitwarm doctor";
    return can_be_given(&l->prime) ? jw_line_in(l->prime.folder, l->prime.prime, a) : NULL;
}

static void say_todo(const struct live *l, const struct jw_compile_watch_report *r)
{
    struct jw_output *out = &l->cli->out;
    const char *todo = todo_of(l);

    if (!todo && r->working && !r->programs)
        todo = "jitwarm doctor --watch   # a compile shows when it leaves its next entry; Ctrl-C ends this";

    if (l->causes[JW_COMPILE_FAILS])
        say(out, "jitwarm doctor says which driver or which build it needs.");
    if (l->causes[JW_COMPILE_CLOSED])
        say(out, "jitwarm doctor says how the cache becomes writable.");
    if (l->causes[JW_COMPILE_FULL])
        say(out, "The cache is full: a higher limit keeps what is compiled.");
    if (l->setting)
        say(out, "Remove %s where the program gets it%s", l->setting,
            todo ? "; this compiles it without:" : ".");
    if (todo)
        jw_output_printf(out, "To do     %s\n", todo);
}

static void say_summary(const struct live *l, const struct jw_compile_watch_report *r)
{
    struct jw_output *out = &l->cli->out;

    uint64_t links = l->causes[JW_COMPILE_LINKS], compiled = r->programs - jw_min(links, r->programs);

    if (links)
        say(out, "In %s the driver linked for %s, and compiled nothing for %s.", JW_TOOK(r->seconds),
            JW_N(links, "program", "programs"), links == 1 ? "it" : "them");
    if (compiled)
        say(out, "In %s the driver compiled for %s.", JW_TOOK(r->seconds),
            JW_N(compiled, "program", "programs"));
    else if (!links)
        say(out, "In %s the driver compiled for no program that could be seen%s.", JW_TOOK(r->seconds),
            r->working ? JW_PHRASE("; of %s it is not known", JW_N(r->working, "program", "programs")) : "");
    if (r->unseen)
        say(out, "Its compiler was opened %s by a process of another user, or one that had ended.",
            JW_N(r->unseen, "time", "times"));
    if (r->lost)
        say(out, "The system dropped events, or the driver was replaced: there may have been more.");
    say_todo(l, r);
}

static void write_summary(const struct live *l, const struct jw_compile_watch_report *r)
{
    struct jw_err ignored = { 0 };
    struct jw_json j;

    jw_json_begin(&j, jw_output_sink(&l->cli->out), false, &ignored);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "event", "summary");
    jw_json_real(&j, "seconds", r->seconds);
    jw_json_number(&j, "programs", r->programs);
    jw_json_number(&j, "working", r->working);
    jw_json_number(&j, "unseen", r->unseen);
    jw_json_bool(&j, "lost", r->lost);
    jw_json_close(&j);
    (void)jw_json_end(&j);
}

/* ---- the watch ---- */

static void on_begun(void *ctx)
{
    struct live *l = ctx;

    l->began = jw_time_monotonic_ns();
    jw_messages_say(&l->cli->messages, "watching %s%s", l->o->library, l->o->seconds ? "" : " until Ctrl-C");
}

/* For so many seconds; UINT_MAX: until it is interrupted. Returns the exit code. */
static int watch(struct cli *cli, unsigned seconds)
{
    struct live l = { .cli = cli };
    struct jw_watch_here here;
    struct jw_compile_watch_report report;
    struct jw_err err = { 0 };
    struct jw_compile_watch o = {
        .seconds = seconds == UINT_MAX ? 0 : seconds, .began = on_begun, .seen = on_event, .ctx = &l
    };

    l.o = &o;
    if (!jw_watch_here(&cli->session, &here, &o, &err) || !jw_compile_watch(&o, &report, &err))
        return jw_cli_fail(cli, &err);
    if (cli->common.json)
        write_summary(&l, &report);
    else
        say_summary(&l, &report);
    return report.programs > l.causes[JW_COMPILE_LINKS] ? EXIT_PARTLY : EXIT_DONE;
}

/* ---- the run ---- */

/* Refuses misspelt ids, which would hide nothing. */
static bool known_ids(const struct jw_texts *ids, struct jw_err *err)
{
    for (size_t i = 0; i < ids->n; i++)
        if (!jw_finding_exists(ids->items[i]))
            return jw_fail(
                err, JW_E_USAGE,
                "--ignore: there is no finding \"%.60s\"; doctor prints the id of each finding in brackets",
                ids->items[i]);
    return true;
}

/* Removes those of --ignore. */
static void drop_ignored(const struct jw_texts *ids, struct jw_findings *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        if (!jw_text_among(f->v[i].id, ids->items, ids->n))
            f->v[n++] = f->v[i];
    f->n = n;
}

/* The worst comes first. */
static bool is_bad(const struct jw_findings *f)
{
    return f->n && f->v[0].severity >= JW_WARNING;
}

static bool check_log(struct cli *cli, const char *path, struct jw_doctor_answer *answer,
                      struct jw_findings *findings, struct jw_err *err)
{
    bool ok = jw_doctor_answer_log(&cli->session, path, answer, findings, err);

    jw_findings_sort(findings);
    return ok;
}

/* "--watch 20s" is --watch=20s, and no other argument means anything. */
static bool take_time(const struct doctor_args *a, unsigned *seconds, struct jw_err *err)
{
    uint64_t s;

    *seconds = a->watch_s;
    if (a->watch_s && a->log)
        return jw_fail(err, JW_E_USAGE,
                       "--watch looks at what runs now, and --log at what ran before: give one");
    if (!a->rest.n)
        return true;
    if (a->watch_s != UINT_MAX || !jw_text_seconds(a->rest.items[0], &s) || !s || s >= UINT_MAX)
        return jw_fail(err, JW_E_USAGE, "takes no arguments, but got '%s'", a->rest.items[0]);
    *seconds = (unsigned)s;
    return true;
}

static int doctor_run(struct cli *cli, const void *args)
{
    const struct doctor_args *a = args;
    unsigned watch_s;
    struct jw_doctor_machine machine = { 0 };
    struct jw_status_report cache = { 0 };
    struct jw_doctor_checked checked = { 0 };
    struct jw_doctor_answer answer = { 0 };
    struct jw_findings findings = JW_FINDINGS(cli->arena);
    struct doctor_view v = { .machine = a->log ? NULL : &machine,
                             .answer = &answer,
                             .findings = &findings,
                             .checked = &checked,
                             .ignored = &a->ignore,
                             .evidence = a->probe || cli->common.verbose };
    const struct jw_doctor_progress progress = { jw_cli_show_search, cli };
    struct jw_err err = { 0 };
    bool ok;

    if (!known_ids(&a->ignore, &err) || !take_time(a, &watch_s, &err))
        return jw_cli_usage(cli, &err);
    if (watch_s)
        return watch(cli, watch_s);
    cli->session.cache = a->cache;
    cli->session.probe_again = a->probe;
    ok = a->log ? check_log(cli, a->log, &answer, &findings, &err)
                : jw_doctor_here(&cli->session, &progress, &machine, &cache, &answer, &findings, &err);
    jw_messages_progress_end(&cli->messages);
    drop_ignored(&a->ignore, &findings);
    if (ok && v.machine)
        jw_doctor_checked(&machine, cli->arena, &checked);
    if (ok)
        jw_doctor_answer_checked(&answer, cli->arena, &checked);
    if (ok && v.machine && (cli->common.verbose || cli->common.json)) {
        jw_cli_warn_of_config(cli);
        jw_doctor_settings(&cli->session, &cache, &v.settings);
        if (v.settings.refused)
            jw_messages_warn(&cli->messages, "%s", v.settings.refused);
    }
    ok = ok && print_report(cli, &v, &err);
    jw_status_free(&cache);
    if (!ok)
        return jw_cli_fail(cli, &err);
    return is_bad(&findings) ? EXIT_PARTLY : EXIT_DONE;
}

static const struct example doctor_examples[] = {
    { "jitwarm doctor", "show what is wrong here, and how to fix it" },
    { "jitwarm doctor --probe", "repeat the probe of the driver" },
    { "jitwarm doctor --watch=60s", "which programs make the driver compile right now?" },
    { "jitwarm doctor --log training.log", "where did the time go?" },
    { "jitwarm doctor -v", "also show each setting, and where it comes from" },
    { 0 },
};

const struct cmd jw_cmd_doctor = {
    .name = "doctor",
    .summary = "find out why CUDA programs start slowly here",
    .synopsis_args = "",
    .details =
        "Looks at the driver, the GPUs, the settings, the driver's cache of compiled GPU code and the "
        "CUDA software that is installed, and reports what is wrong: what it saw, what follows, and "
        "the command that fixes it. It changes nothing.\n\n"
        "Each piece of software gets a verdict for each GPU, read from its files: NATIVE starts at once. "
        "The driver compiles JIT_FIRST at the first start, and JIT_EVERY at every start. NO_KERNEL does "
        "not run. DRIVER_OLD and PTX_TOO_NEW need a newer driver, and this one refused to compile REFUSED. "
        "NO_COMPILER cannot be compiled here, because the driver's compiler is missing or damaged. "
        "CPU_BUILD and LIBS_MISSING run on the "
        "CPU, or not at all. RUN_TIME has no code, and compiles while it runs. jitwarm scan checks software "
        "for GPUs that are not here.\n\n"
        "A separate process loads the driver, so that a crash of the driver does not end jitwarm. "
        "NVIDIA does not document the driver's cache. On the first run with a driver, and with "
        "--probe, jitwarm compiles a few tiny modules into an empty folder and compares the result "
        "with what it expects. Each proven level enables features. The result is saved for this "
        "driver build and its compiler only. The cache of your programs is not touched.\n\nThe exit code "
        "suits "
        "monitoring: 0 healthy (notes do not count), 1 a warning or a problem (--json lists the ids, "
        "--ignore skips one), 2 wrong options, 130 interrupted, any other code: doctor itself failed.",
    .examples = doctor_examples,
    .opts = doctor_opts,
    .often = "log watch probe cache ignore",
    .args_size = sizeof(struct doctor_args),
    .positional_at = AT(rest),
    .max_pos = 1,
    .report = true,
    .run = doctor_run,
};
