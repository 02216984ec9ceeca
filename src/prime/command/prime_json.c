#include "cli/spell.h"
#include "prime/command/prime_view.h"

#define R struct jw_prime_report
#define D struct jw_driver_here
#define C struct jw_cache_here
#define G struct jw_prime_gpu
#define F struct prime_file
#define P struct jw_job_place
#define J struct jw_job
#define PASS struct jw_verify_pass
#define MISS struct jw_verify_miss

/* What is page beside the report. */
#define T struct page
struct page {
    R r;
    uint64_t ptx_bytes, warm;
    const F *files;
    size_t n_files;
    bool verified, profiled;
    const char *command;
};

/* ---- for whom, from what, into what ---- */

const struct jw_row prime_driver_rows[] = {
    { JW_ROW("version", D, version), JW_MAY },
    { JW_ROW("build", D, build), JW_MAY, JW_ABOUT("identity of the driver's library") },
    JW_STAMP(D, stamp),
    { JW_ROW("level", D, level), JW_MAY, JW_ABOUT("how far it is understood") },
    { 0 },
};

const struct jw_row prime_driver_named_rows[] = {
    { JW_ROWS(prime_driver_rows) },
    { JW_SPELT("level_name", D, level, &jw_spell_level) },
    { 0 },
};

static const struct jw_row gpus[] = {
    { JW_ROW("index", G, index) },
    { JW_ROW("name", G, name) },
    { JW_SPELT("gpu", G, sm, &jw_spell_sm) },
    { JW_ROW("uuid", G, uuid), JW_MAY },
    { JW_ROW("pci", G, pci), JW_MAY },
    { JW_ROW("memory_bytes", G, memory) },
    { JW_ROW("mig", G, mig) },
    { JW_ROW("exclusive", G, exclusive), JW_ABOUT("to one process at a time") },
    { JW_ROW("chosen", G, chosen), JW_ABOUT("works, and is worked for") },
    { 0 },
};

static const struct jw_row targets[] = {
    { JW_ROW("from", R, targets_from), JW_MAY, JW_ABOUT("given, recorded or found") },
    { JW_TEXTS("paths", R, targets, n_targets) },
    { JW_ROW("files", R, files), JW_ABOUT("looked at") },
    { JW_ROW("bytes", R, bytes) },
    { 0 },
};

const struct jw_row prime_cache_rows[] = {
    { JW_ROW("root", C, root), JW_MAY },
    { JW_ROW("limit_bytes", C, limit), JW_ABOUT("that a new process of this user has") },
    { JW_ROW("limit_known", C, limit_known),
      JW_ABOUT("false: no driver was asked, and the smallest default counts") },
    { JW_ROW("used_bytes", C, used), JW_ABOUT("before") },
    { 0 },
};

static const struct jw_row cache[] = {
    { JW_PART(R, cache, prime_cache_rows) },
    { JW_ROW("outdated_bytes", R, outdated), JW_ABOUT("of that: of other driver builds") },
    { JW_ROW("free_disk_bytes", R, cache.free_disk) },
    { JW_ROW("need_bytes", R, need), JW_ABOUT("predicted, for what is to do") },
    { 0 },
};

/* ---- how much ---- */

static const struct jw_row predicted[] = {
    { JW_ROW("seconds", R, seconds), JW_ABOUT("by the clock") },
    { JW_ROW("cpu_seconds", R, cpu_seconds) },
    { JW_ROW("lazy", R, lazy),
      JW_ABOUT("the times are the most: programs compile only what they use of it") },
    { JW_ROW("workers", R, workers) },
    { 0 },
};

static const struct jw_row totals[] = {
    { JW_ROW("jobs", T, r.n_jobs) },
    { JW_ROW("warm", T, warm), JW_ABOUT("were, or are now") },
    { JW_ROW("ptx_bytes", T, ptx_bytes) },
    { JW_ROW("warmed_bytes", T, r.warmed_bytes), JW_ABOUT("added to the cache") },
    { JW_ROW("warmed_ptx_bytes", T, r.warmed_ptx) },
    { JW_PART_AT(T, r.run, jw_run_took) },
    { JW_ROW("compile_milliseconds", T, r.compile_milliseconds) },
    { 0 },
};

static const struct jw_row left_out[] = {
    { JW_ROW("modules", struct jw_left_out_sum, modules) },
    { JW_ROW("ptx_bytes", struct jw_left_out_sum, ptx_bytes) },
    { 0 },
};

static const struct jw_row files[] = {
    { JW_ROW("path", F, path) },
    { JW_ROW("package", F, package), JW_MAY },
    { JW_ROW("jobs", F, modules), JW_ABOUT("of which it is the first place") },
    { JW_ROW("warm", F, warm), JW_ABOUT("were warm before") },
    { JW_ROW("not_warm", F, left), JW_ABOUT("are not warm now") },
    { JW_ROW("ptx_bytes", F, ptx_bytes) },
    { JW_ROW("seconds", F, seconds), JW_ABOUT("predicted, for those that were not warm, of one worker") },
    { JW_ROW("cache_bytes", F, cache_bytes), JW_ABOUT("the same") },
    { 0 },
};

/* ---- each job ---- */

static const char *form_name(unsigned text)
{
    return text ? "text" : "container";
}

static const struct jw_row places[] = {
    { JW_ROW("path", P, path),
      JW_ABOUT("as it is shown: of a wheel NAME.whl!member, of cached code its entry") },
    { JW_ROW("disk", P, disk), JW_MAY, JW_ABOUT("the file that is read") },
    { JW_ROW("at", P, at) },
    { JW_ROW("size", P, size) },
    { JW_ROW("package", P, package), JW_MAY },
    { JW_SPELT("digest", P, digest, &jw_spell_digest), JW_ABOUT("BLAKE2b-256 of these bytes") },
    { JW_NAMED("form", P, text, form_name, 2) },
    { 0 },
};

static const struct jw_row entry[] = {
    { JW_SPELT("name", J, name, &jw_spell_entry), JW_MAY,
      JW_ABOUT("its file below the cache's root; null: not known") },
    { JW_ROW("predicted", J, predicted), JW_ABOUT("the name was computed beforehand") },
    { JW_ROW("key_bytes", J, key_size) },
    { JW_ROW("bytes", J, entry_bytes),
      JW_ABOUT("of key and payload, of the entry that is there now; 0: there is none") },
    { 0 },
};

static const struct jw_row job_predicted[] = {
    { JW_ROW("seconds", J, seconds) },
    { JW_ROW("cache_bytes", J, cache_bytes) },
    { JW_ROW("memory_bytes", J, memory) },
    { 0 },
};

static const struct jw_row jobs[] = {
    { JW_SPELT("id", J, id, &jw_spell_digest),
      JW_ABOUT("BLAKE2b-256 of PTX, options and architecture: the same on every machine") },
    { JW_SPELT("gpu", J, sm, &jw_spell_sm) },
    { JW_ROW("target", J, target), JW_ABOUT("what the PTX was made for: compute_75") },
    { JW_ROW("options", J, options), JW_ABOUT("as stored with the PTX") },
    { JW_ROW("ptx_bytes", J, ptx_bytes) },
    { JW_ROW("used", J, used), JW_ABOUT("programs of this user are known to load it") },
    { JW_NAMED("state", J, state, jw_job_state_name, JW_JOB_STATES) },
    { JW_ROW("milliseconds", J, milliseconds) },
    { JW_ROW("code", J, code), JW_IF(J, code), JW_MAY, JW_ABOUT("the driver's CUresult") },
    { JW_ROW("code_name", J, code_name), JW_MAY },
    { JW_ROW("why", J, why), JW_MAY },
    { JW_ROW("log", J, log), JW_MAY, JW_ABOUT("the driver's words") },
    { JW_TEXTS("kernels", J, kernels, n_kernels), JW_ABOUT("of a module that failed; the first few") },
    { JW_ROW("more_kernels", J, more_kernels) },
    { JW_SUB_OF("entry", entry) },
    { JW_SUB_OF("predicted", job_predicted), JW_ABOUT("of one worker") },
    { JW_LIST("places", J, places, n_places, places),
      JW_ABOUT("where its PTX was found; the first is what the driver gets") },
    { 0 },
};

/* ---- the proof ---- */

const struct jw_row prime_pass_rows[] = {
    { JW_ROW("where", PASS, where) },
    { JW_ROW("loaded", PASS, loaded) },
    { JW_ROW("hits", PASS, hits) },
    { JW_ROW("misses", PASS, misses) },
    { JW_ROW("failed", PASS, failed), JW_ABOUT("could not be loaded at all") },
    { JW_ROW("new_entries", PASS, new_entries), JW_ABOUT("that appeared meanwhile") },
    { JW_ROW("milliseconds", PASS, milliseconds) },
    { 0 },
};

static const struct jw_row misses[] = {
    { JW_ROW("job", MISS, job), JW_ABOUT("index into jobs") },
    { JW_ROW("cause", MISS, cause), JW_MAY },
    { 0 },
};

static const struct jw_row verify[] = {
    { JW_ROW("done", T, r.verify.done) },
    { JW_ROW("verified", T, verified), JW_ABOUT("every pass found all, and not one file appeared") },
    { JW_ROW("login_same", T, r.verify.login_same),
      JW_ABOUT("a fresh login has the same settings, so that one pass speaks for both") },
    { JW_ROW("why", T, r.verify.why), JW_MAY, JW_ABOUT("why it could not be done") },
    { JW_LIST("passes", T, r.verify.passes, r.verify.n_passes, prime_pass_rows) },
    { JW_LIST("misses", T, r.verify.misses, r.verify.n_misses, misses) },
    { 0 },
};

static const struct jw_row run[] = {
    { JW_ROW("command", T, command) },
    { JW_ROW("exit_code", T, r.run_code),
      JW_ABOUT("128 and the signal's number for one that a signal ended") },
    { JW_ROW("milliseconds", T, r.run_milliseconds) },
    { JW_ROW("new_entries", T, r.run_entries), JW_ABOUT("what the driver compiled for it") },
    { JW_ROW("new_bytes", T, r.run_bytes) },
    { JW_ROW("profile_modules", T, r.profile_modules), JW_IF(T, profiled),
      JW_ABOUT("that it loads, as far as could be seen") },
    { 0 },
};

/* ---- all of it ---- */

static const struct jw_row ending[] = JW_RUN_END(~(JW_CAN(LISTED) | JW_PACK_ENDS));

static const struct jw_row head[] = {
    { JW_PART_AT(T, r.run, ending) },
    { JW_ROW("receipt", T, r.receipt), JW_ABOUT("nothing was looked at but the receipt of an earlier run") },
    { JW_SUB("driver", T, r.driver, prime_driver_named_rows) },
    { JW_LIST("gpus", T, r.driver.gpus, r.driver.n_gpus, gpus) },
    { JW_LIST("siblings", T, r.siblings, r.n_siblings, NULL), JW_IF(T, r.n_siblings),
      .spelling = &jw_spell_sm,
      JW_ABOUT("what was compiled for is not here: these architectures; absent: it is") },
    { JW_SUB("targets", T, r, targets) },
    { JW_SUB("cache", T, r, cache) },
    { JW_SUB("predicted", T, r, predicted) },
    { JW_SUB_OF("totals", totals) },
    { JW_BY("counts", T, r.counts, jw_job_state_name, JW_JOB_STATES, NULL), JW_ABOUT("jobs by their state") },
    { JW_BY("left_out", T, r.left_out, jw_left_out_name, JW_LEFT_OUT, left_out),
      JW_ABOUT("modules that are no job, by the reason") },
    { JW_LIST("files", T, files, n_files, files), JW_ABOUT("most seconds first") },
    { JW_LIST("jobs", T, r.jobs, r.n_jobs, jobs), JW_ABOUT("in the order in which they are begun") },
    { 0 },
};

static const struct jw_row tail[] = {
    { JW_TEXTS("unread", T, r.unread, r.n_unread),
      JW_ABOUT("a file and why, each: it may hold CUDA code, and could not be read or understood") },
    { JW_PART_AT(T, r.run, jw_run_says) },
    { 0 },
};

static const struct jw_row plan[] = { { JW_ROWS(head) }, { JW_ROWS(tail) }, { 0 } };

static const struct jw_row prime[] = {
    { JW_ROWS(head) },
    { JW_SUB_OF("verify", verify) },
    { JW_SUB_OF("run", run), JW_IF(T, command), JW_MAY, JW_ABOUT("the command of --run") },
    { JW_ROWS(tail) },
    { 0 },
};

const struct jw_form prime_forms[] = {
    { "plan", "What prime would have the driver compile, how long that takes, and what it needs.", plan },
    { "prime", "What was compiled, what was not and why, and the proof.", prime },
    { "verify", "What fresh processes found of what should be warm.", prime },
};

bool prime_write_json(struct cli *cli, const struct prime_view *v, struct jw_err *err)
{
    const R *r = v->report;
    T page = { .r = *r,
               .warm = prime_warm(r),
               .verified = prime_is_verified(&r->verify),
               .profiled = v->verb == PRIME_PRIME,
               .command = v->command };

    for (size_t i = 0; i < r->n_jobs; i++)
        page.ptx_bytes += r->jobs[i].ptx_bytes;
    prime_files(r, cli->arena, &page.files, &page.n_files);
    return jw_output_report(&cli->out, &prime_forms[v->verb], &page, err);
}
