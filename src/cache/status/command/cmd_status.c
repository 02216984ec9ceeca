#include "base/compiler.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/progress_json.h"
#include "cache/memory/spell.h"
#include "cache/prune/prune.h"
#include "cache/status/command/status_view.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#define V struct status_view
#define R struct jw_status_report
#define P struct jw_status_primed
#define G struct jw_status_group
#define O struct jw_status_origin
#define F struct jw_cache_file
#define D struct jw_driver_state

enum { MAX_NAMED = 1000 }; /* damaged entries that are listed; all are counted */

const struct jw_row status_sum_rows[] = {
    { JW_ROW("entries", struct jw_status_sum, entries) },
    { JW_ROW("bytes", struct jw_status_sum, bytes) },
    { 0 },
};

static const char *spell_stamp(const void *at, char out[80])
{
    (void)snprintf(out, 80, "%s", jw_stamp_text(at).text);
    return *out ? out : NULL;
}

static const struct jw_spelling stamp = { NULL, spell_stamp };

/* ---- the place ---- */

static const struct jw_row limits[] = {
    { JW_ROW("before_cuda_12", R, documented.before) },
    { JW_ROW("since_cuda_12", R, documented.since) },
    { JW_ROW("most", R, documented.max) },
    { 0 },
};

static void write_fill(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;

    jw_json_maybe(j, row->key, r->dir.limit_known, jw_status_fill(r, r->dir.limit));
}

static const struct jw_row cache_rows[] = {
    { JW_ROW("root", R, dir.root), JW_NULLABLE },
    { JW_ROW("root_from", R, dir.root_from.origin) },
    { JW_ROW("limit_bytes", R, dir.limit), JW_NULLABLE },
    { JW_ROW("limit_value", R, dir.limit_from.value), JW_NULLABLE },
    { JW_ROW("limit_from", R, dir.limit_from.origin) },
    { JW_ROW("limit_known", R, dir.limit_known) },
    { JW_SUB_OF("documented_limits", limits) },
    { JW_ROW("disabled", R, dir.disabled) },
    { JW_ROW("disabled_from", R, dir.disabled_from.origin) },
    { JW_ROW("exists", R, list.found) },
    { JW_ROW("refused", R, list.refused), JW_NULLABLE },
    { JW_ROW("other_owner", R, trust.owner), JW_NULLABLE },
    { JW_ROW("other_writers", R, trust.writers), JW_NULLABLE },
    { JW_ROW("used_bytes", R, used) },
    { JW_CUSTOM("fill_percent", JW_ROW_NUMBER, write_fill), JW_NULLABLE },
    { 0 },
};

/* ---- who works on it ---- */

static void write_silent(struct jw_json *j, const struct jw_row *row, const void *of)
{
    (void)of;
    jw_json_bool(j, row->key, true);
}

static const struct jw_row running[] = {
    { JW_CUSTOM("silent", JW_ROW_BOOL, write_silent), JW_IF(R, running_silent),
      JW_ABOUT(
          "true: it has not reported its progress yet, and only pid and started are known; else absent") },
    { JW_PART_AT(R, running, jw_progress_rows) },
    { 0 },
};

/* ---- what it holds ---- */

static const char *check_name(unsigned check)
{
    return check ? "all" : "headers";
}

static const struct jw_row sums[] = {
    { JW_SUB("files", R, files, status_sum_rows) },
    { JW_SUB("sound", R, sound, status_sum_rows) },
    { JW_SUB("outdated", R, outdated, status_sum_rows) },
    { JW_SUB("unindexed", R, unindexed, status_sum_rows) },
    { JW_SUB("damaged", R, damaged, status_sum_rows) },
    { JW_SUB("unread", R, unread, status_sum_rows) },
    { JW_ROW("missing", R, list.missing) },
    { JW_ROW("missing_bytes", R, list.missing_bytes) },
    { JW_ROW("mismatched", R, mismatched) },
    { JW_ROW("not_looked_at", R, list.more) },
    { JW_ROW("other_names", R, list.foreign) },
    { JW_ROW("links", R, list.links) },
    { 0 },
};

static const struct jw_row counts[] = {
    { JW_NAMED("checked", V, check, check_name, 2) },
    { JW_PART_AT(V, report, sums) },
    { 0 },
};

/* null if the entries were not compared. */
static void write_compared(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const P *p = of;

    if (p->compared && !p->emptied)
        jw_rows_object(j, row->key, row->rows, (const uint8_t *)of + row->at);
    else
        jw_json_null(j, row->key);
}

static const struct jw_row primed[] = {
    { JW_SUB("recorded", P, recorded, status_sum_rows), JW_ABOUT("entries that it compiled or verified") },
    { JW_ROW("emptied", P, emptied), JW_ABOUT("the whole cache is gone; gone is null then") },
    { JW_SUB("gone", P, gone, status_sum_rows), JW_NULLABLE, .write = write_compared,
      JW_ABOUT("those that no longer exist; null: not all of the cache could be read, or it is empty") },
    { JW_SUB("changed", P, changed, status_sum_rows), JW_NULLABLE, .write = write_compared,
      JW_ABOUT("those that have a different size now; bytes: as recorded") },
    { JW_SUB("needed", P, need, status_sum_rows), JW_ABOUT("those that primed targets need") },
    { 0 },
};

static const struct jw_row store[] = {
    { JW_ROW("folder", R, store.dir), JW_NULLABLE },
    { JW_ROW("refused", R, store.refused), JW_NULLABLE },
    { JW_ROW("packs", R, store_packs) },
    { JW_ROW("for_this_driver", R, store_current) },
    { JW_ROW("bytes", R, store.bytes) },
    { 0 },
};

static const struct jw_row records[] = {
    { JW_ROW("exists", R, list.index_found) }, { JW_ROW("records", R, recorded.entries) },
    { JW_ROW("bytes", R, recorded.bytes) },    { JW_ROW("damage", R, list.index_damage), JW_NULLABLE },
    { JW_ROW("lost", R, list.index_lost) },    { 0 },
};

static const struct jw_row origins[] = {
    { JW_ROW("origin", O, origin), JW_ABOUT("a package, or the base name of a file") },
    { JW_PART(O, sum, status_sum_rows) },
    { 0 },
};

static const struct jw_row version[] = {
    { JW_ROW("driver", D, version), JW_NULLABLE },
    { 0 },
};

static const struct jw_row builds[] = {
    { JW_NAMED("kind", G, kind, jw_cache_kind_name, JW_CACHE_OTHER + 1) },
    { JW_SPELT("stamp", G, stamp, &stamp), JW_NULLABLE },
    { JW_ROW("arch", G, arch), JW_NULLABLE },
    { JW_NAMED("status", G, relation, jw_build_relation_name, JW_BUILD_TENANT + 1) },
    { JW_PART_AT(G, driver, version) },
    { JW_ROW("entries", G, entries) },
    { JW_ROW("bytes", G, bytes) },
    { JW_ROW("origin", G, origins[0].origin), JW_NULLABLE,
      JW_ABOUT("the software that most of the code belongs to, if known") },
    { JW_ARRAY("origins", G, origins, n_origins, origins), JW_ABOUT("the largest ones that are known") },
    { JW_ROW("more_origins", G, more_origins), JW_ABOUT("number of further ones, not listed") },
    { 0 },
};

static const struct jw_row damage[] = {
    { JW_SPELT("name", F, name, &jw_spell_entry) },
    { JW_ROW("reason", F, damage) },
    { JW_ROW("unread", F, unread) },
    { 0 },
};

static void write_damage(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;
    size_t named = 0;

    jw_json_array(j, row->key);
    for (size_t i = 0; i < r->list.n && named < MAX_NAMED; i++)
        if (r->list.files[i].damage && ++named)
            jw_rows_object(j, NULL, row->rows, &r->list.files[i]);
    jw_json_close(j);
}

static const struct jw_row stats[] = {
    { JW_ROW("bytes_read", R, list.bytes_read) },
    { JW_ROW("milliseconds", R, milliseconds) },
    { 0 },
};

/* ---- the drivers ---- */

static const struct jw_row driver[] = {
    { JW_ROW("build", D, build) },
    { JW_SPELT_AT("stamp", D, stamp, &stamp), JW_NULLABLE },
    { JW_ROW("version", D, version), JW_NULLABLE },
    { JW_SPELT("level", D, level, &jw_spell_level) },
    { JW_ROW("proven_at", D, proven_at) },
    { JW_SIMULATED(D, stamp) },
    { 0 },
};

struct listed {
    const D *driver;
    bool current;
};

static const struct jw_row drivers[] = {
    { JW_PART_AT(struct listed, driver, driver) },
    { JW_ROW("current", struct listed, current) },
    { 0 },
};

static void write_drivers(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;

    jw_json_array(j, row->key);
    for (size_t i = 0; i < r->drivers.n; i++)
        jw_rows_object(j, NULL, row->rows,
                       &(struct listed){ &r->drivers.v[i], &r->drivers.v[i] == r->current });
    jw_json_close(j);
}

static void write_all_notes(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;
    const struct jw_notes *all[] = { &r->dir.notes, &r->list.notes, &r->drivers.notes, &r->memory.notes };

    jw_json_array(j, row->key);
    for (size_t i = 0; i < JW_COUNT(all); i++)
        for (size_t k = 0; k < all[i]->n; k++)
            jw_json_text(j, NULL, all[i]->v[k]);
    jw_json_close(j);
}

/* ---- all of it ---- */

static const struct jw_row head[] = {
    { JW_SUB_OF("cache", cache_rows) },
    { JW_SUB_OF("running", running), JW_IF(R, running), JW_NULLABLE,
      JW_ABOUT("a prime that is running on this cache now, as in jitwarm.progress/1") },
    { 0 },
};

static const struct jw_row commands[] = {
    { JW_ROW("command", struct jw_status_command, words) },
    { JW_ROW("when", struct jw_status_command, when), JW_ABOUT("seconds since 1970") },
    { JW_ROW("modules", struct jw_status_command, modules), JW_NULLABLE },
    { JW_ROW("cold_milliseconds", struct jw_status_command, cold), JW_NULLABLE,
      JW_ABOUT("its last start that found nothing in the cache") },
    { JW_ROW("warm_milliseconds", struct jw_status_command, warm), JW_NULLABLE,
      JW_ABOUT("its last start for which the driver compiled nothing") },
    { JW_ROW("own_cache", struct jw_status_command, root), JW_NULLABLE,
      JW_ABOUT("the cache that it chose itself; null: it uses the one that it is given") },
    { JW_ROW("own_modules", struct jw_status_command, primed), JW_NULLABLE,
      JW_ABOUT("what the last complete prime left in that cache") },
    { JW_ROW("own_warm", struct jw_status_command, found), JW_ABOUT("of these, their entries are there") },
    { JW_SUB_AT("last_start", struct jw_status_command, start, jw_kit_last_rows), JW_NULLABLE,
      JW_ABOUT("that was watched, of a command that uses other caches than the driver's; null: none") },
    { 0 },
};

static const struct jw_row contents[] = {
    { JW_ENUM_MAP("kinds", R, kinds, jw_cache_kind_name, JW_CACHE_OTHER + 1, status_sum_rows) },
    { JW_SUB("primed", R, primed, primed), JW_IF(R, primed.known), JW_NULLABLE,
      JW_ABOUT("what jitwarm recorded of this cache for the driver that programs load here; null: nothing") },
    { JW_LIST("software", R, software, n_software, origins),
      JW_ABOUT("whose code the entries for the driver that programs load here are, largest first") },
    { JW_LIST("commands", R, commands, n_commands, commands), JW_ABOUT("recorded or timed, newest first") },
    { JW_SUB_OF("store", store), JW_ABOUT("the packs in the store") },
    { JW_SUB_OF("index", records) },
    { JW_LIST("builds", R, groups, n_groups, builds) },
    { JW_CUSTOM("damage", JW_ROW_LIST, write_damage), .rows = damage },
    { 0 },
};

static const struct jw_row tail[] = {
    { JW_CUSTOM("drivers", JW_ROW_LIST, write_drivers), .rows = drivers },
    { JW_CUSTOM("notes", JW_ROW_LIST, write_all_notes) },
    { 0 },
};

/* ---- machine, last prime, commands ---- */

static const struct jw_row gpus[] = {
    { JW_ROW("name", struct jw_gpu, name) },
    { JW_SPELT("arch", struct jw_gpu, sm, &jw_spell_sm) },
    { 0 },
};

static const struct jw_row last_prime[] = {
    { JW_ROW("when", struct jw_prime_last, when), JW_ABOUT("seconds since 1970") },
    { JW_ROW("modules", struct jw_prime_last, modules) },
    { JW_ROW("warm", struct jw_prime_last, warm), JW_ABOUT("their entries are in the cache") },
    { JW_ROW("partly", struct jw_prime_last, partly),
      JW_ABOUT("some software could not be read or compiled") },
    { JW_ROW("changed", struct jw_prime_last, changed), JW_ABOUT("files or settings changed since") },
    { JW_ROW("other_driver", struct jw_prime_last, other_driver), JW_ABOUT("the driver changed since") },
    { 0 },
};

static const struct jw_row machine[] = {
    { JW_LIST("gpus", V, host.gpus, host.n, gpus) },
    { JW_ROW("driver", V, driver), JW_NULLABLE },
    { JW_SUB("last_prime", V, last, last_prime), JW_IF(V, last.known), JW_NULLABLE },
    { JW_PART(V, next_start, jw_next_start_rows) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_ROWS(machine) },
    { JW_PART_AT(V, report, head) },
    { JW_SUB_OF("counts", counts) },
    { JW_PART_AT(V, report, contents) },
    { JW_LIST("sources", V, sources.v, sources.n, jw_pack_source_rows),
      JW_ABOUT("of jitwarm.conf, with what came of it when a prime asked them last") },
    { JW_SUB("background", V, background, jw_background_rows), JW_IF(V, background.began), JW_NULLABLE,
      JW_ABOUT("the prime that a package's script started last (--post-install); null: none") },
    { JW_SUB_AT("stats", V, report, stats), JW_IF(V, stats) },
    { JW_PART_AT(V, report, tail) },
    { JW_ROW("next", V, next), JW_NULLABLE, JW_ABOUT("the next command") },
    { 0 },
};

const struct jw_form status_form = { .verb = "status",
                                     .about = "What the driver's cache of compiled code holds.",
                                     .rows = rows };

struct status_args {
    const char *cache;
    bool check, repair;
};

static const struct opt status_opts[] = {
    { "cache", 0, OPT_TEXT, offsetof(struct status_args, cache), "DIR",
      "look at this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "check", 0, OPT_FLAG, offsetof(struct status_args, check), NULL,
      "read every byte of every entry, and exit with 6 if one is damaged", NULL, HINT_NONE },
    { "repair", 0, OPT_FLAG, offsetof(struct status_args, repair), NULL,
      "rebuild the cache's index first, if it is missing or damaged; no entry is removed", NULL, HINT_NONE },
    { 0 },
};

/* Its messages go to stderr: stdout has the report of status. */
static bool repair(struct cli *cli, int *code, struct jw_err *err)
{
    struct jw_repair r;

    jw_messages_progress(&cli->messages, "checking the cache's index");
    if (!jw_cache_repair(&cli->session, &r, err))
        return false;
    jw_messages_progress_end(&cli->messages);
    if (r.end == JW_END_NOTHING)
        jw_messages_say(&cli->messages, "The index is valid: nothing was repaired.");
    else if (r.end == JW_END_DONE)
        jw_messages_say(&cli->messages, "The index was damaged (%s). It was rebuilt from %s; %s no record.",
                        r.repaired.damage, JW_N(r.repaired.records, "valid entry", "valid entries"),
                        JW_N(r.repaired.not_whole, "damaged file got", "damaged files got"));
    else
        jw_messages_error(&cli->messages, "%s", r.why);
    *code = jw_cli_exit(r.end);
    return true;
}

static int status_run(struct cli *cli, const void *p)
{
    const struct status_args *args = p;
    const struct jw_status_options o = { .check = args->check };
    struct jw_status_report r = { 0 };
    struct status_view v;
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (args->cache && !*args->cache)
        (void)jw_fail(&err, JW_E_USAGE, "--cache: the name is empty");
    if (err.code != JW_OK)
        return jw_cli_usage(cli, &err);
    cli->session.cache = args->cache;
    if (args->repair && !repair(cli, &code, &err))
        return jw_cli_fail(cli, &err);
    if (code != EXIT_DONE)
        return code;
    if (!status_view_gather(cli, &o, &r, &v, &err)
        || !(cli->common.json ? jw_output_report(&cli->out, &status_form, &v, &err)
                              : status_write_text(cli, &v, &err)))
        code = jw_cli_fail(cli, &err);
    else if (args->check
             && (r.damaged.entries || r.list.index_lost || (r.list.index_damage && !r.list.index_unread)))
        code = EXIT_INTEGRITY;
    else if (!jw_status_is_complete(&r) || (args->cache && !r.list.found))
        code = EXIT_PARTLY;
    jw_status_free(&r);
    return code;
}

static const struct example status_examples[] = {
    { "jitwarm status", "what the driver has cached for CUDA programs that you start from this shell" },
    { "jitwarm status --check --cache /srv/cache/ComputeCache", "check every entry of that cache" },
    { 0 },
};

const struct cmd jw_cmd_status = {
    .name = "status",
    .summary = "show what the driver's cache holds",
    .synopsis_args = "",
    .details =
        "Shows where the NVIDIA driver caches the code that it compiled for this user (its JIT cache, "
        "\"ComputeCache\"), how large the cache may grow, and what is in it: entries by driver build, GPU "
        "architecture and kind (CUDA, OpenCL, NVRTC), and damaged or unindexed ones. Only "
        "the driver build that made an entry can use it. jitwarm knows this machine's build once it was "
        "probed.\n\n"
        "status compares the cache with what prime recorded. It shows which entries are gone, whether "
        "all fit under the limit, and which software they belong to. It also shows a running prime.\n\n"
        "The cache is the one of programs started from this shell: a service or another login may have "
        "another one. Without --repair nothing is changed or locked, and the driver is not loaded. Caches "
        "of other programs (shader caches, PyTorch's, Triton's, CuPy's) are not read.\n\n"
        "--repair: if the index is missing or damaged, the next program that compiles something deletes all "
        "other entries. --repair rebuilds the index from the remaining records and from valid entries.\n\n"
        "The exit code is 1 when part of the cache could not be read, or --cache names no folder.",
    .examples = status_examples,
    .opts = status_opts,
    .args_size = sizeof(struct status_args),
    .report = true,
    .run = status_run,
};
