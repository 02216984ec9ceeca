#include "base/limits.h"
#include "cache/memory/spell.h"
#include "prime/prime_rows.h"
#include "verbs/prime_view.h"

#define R struct jw_prime_report
#define F struct prime_file

/* The report, and what the view makes of it. Each other part has its rows beside what computes it (prime_rows.h). */
#define T struct page
struct page {
    R r;
    uint64_t ptx_bytes, warm;
    const F *files;
    size_t n_files;
    bool verified, profiled;
    struct jw_next_start_answer next_start;
    const char *command;
    struct jw_pack_sources sources;
};

static const struct jw_row totals[] = {
    { JW_ROW("jobs", T, r.n_jobs) },
    { JW_ROW("warm", T, warm), JW_ABOUT("were, or are now") },
    { JW_ROW("ptx_bytes", T, ptx_bytes) },
    { JW_PART(T, r, prime_added_rows) },
    { JW_PART_AT(T, r.run, jw_run_took) },
    { JW_PART(T, r, prime_compile_rows) },
    { 0 },
};

static const struct jw_row files[] = {
    { JW_ROW("path", F, path) },
    { JW_ROW("package", F, package), JW_NULLABLE },
    { JW_ROW("jobs", F, modules), JW_ABOUT("of which it is the first place") },
    { JW_ROW("warm", F, warm), JW_ABOUT("were warm before") },
    { JW_ROW("not_warm", F, left), JW_ABOUT("are not warm now") },
    { JW_ROW("ptx_bytes", F, ptx_bytes) },
    { JW_ROW("seconds", F, seconds), JW_ABOUT("predicted, for those that were not warm, of one worker") },
    { JW_ROW("cache_bytes", F, cache_bytes), JW_ABOUT("the same") },
    { 0 },
};

static const struct jw_row jobs[] = {
    { JW_ROWS(plan_module_rows) },
    { JW_ROWS(prime_job_end_rows) },
    { JW_ROWS(prime_job_failure_rows) },
    { JW_ROWS(plan_place_rows) },
    { 0 },
};

static const struct jw_row verify[] = {
    { JW_ROW("done", T, r.verify.done) },
    { JW_ROW("verified", T, verified), JW_ABOUT("every pass found all, and not one file appeared") },
    { JW_PART(T, r.verify, prime_verify_rows) },
    { 0 },
};

static const struct jw_row run[] = {
    { JW_ROW("command", T, command) },
    { JW_PART(T, r, prime_command_rows) },
    { JW_PART(T, r, prime_kit_rows) },
    { JW_ROW("profile_modules", T, r.profile_modules), JW_IF(T, profiled),
      JW_ABOUT("that it loads, as far as could be seen") },
    { JW_ROW("shared_modules", T, r.profile_shared), JW_IF(T, profiled),
      JW_ABOUT("more that share a kernel with these: another start may load them instead") },
    { 0 },
};

/* ---- all of it ---- */

static const struct jw_row ending[] = JW_RUN_END(~(JW_CAN(LISTED) | JW_PACK_ENDS));

static const struct jw_row head[] = {
    { JW_PART_AT(T, r.run, ending) },
    { JW_PART(T, next_start, jw_next_start_rows) },
    { JW_PART(T, r, prime_receipt_rows) },
    { JW_SUB("driver", T, r.driver, prime_driver_named_rows) },
    { JW_LIST("gpus", T, r.driver.gpus, r.driver.n_gpus, prime_gpu_rows) },
    { JW_PART(T, r, prime_absent_rows) },
    { JW_SUB("targets", T, r, prime_target_rows) },
    { JW_SUB("cache", T, r, prime_room_rows) },
    { JW_SUB("predicted", T, r, prime_predicted_rows) },
    { JW_SUB_OF("totals", totals) },
    { JW_PART(T, r, prime_count_rows) },
    { JW_LIST("files", T, files, n_files, files), JW_ABOUT("most seconds first") },
    { JW_LIST("jobs", T, r.jobs, r.n_jobs, jobs), JW_ABOUT("in the order in which they are begun") },
    { 0 },
};

static const struct jw_row tail[] = {
    { JW_PART(T, r, prime_unread_rows) },
    { JW_PART_AT(T, r.run, jw_run_says) },
    { 0 },
};

static const struct jw_row prime[] = {
    { JW_ROWS(head) },
    { JW_SUB_OF("verify", verify) },
    { JW_SUB_OF("run", run), JW_IF(T, command), JW_NULLABLE, JW_ABOUT("the command of --run") },
    { JW_PART(T, r, prime_own_rows) },
    { JW_LIST("sources", T, sources.v, sources.n, jw_pack_source_rows),
      JW_ABOUT("that were asked because something was to be compiled, and what came of it") },
    { JW_ROWS(tail) },
    { 0 },
};

const struct jw_form prime_form = {
    .verb = "prime",
    .about = "What is to be compiled, was compiled, was not and why, and the proof.",
    .rows = prime
};
const struct jw_form verify_form = { .verb = "verify",
                                     .about = "What fresh processes found of what should be warm.",
                                     .rows = prime };

bool prime_write_json(struct cli *cli, const struct prime_view *v, struct jw_err *err)
{
    const R *r = v->report;
    T page = { .r = *r,
               .warm = prime_warm(r),
               .verified = prime_is_verified(&r->verify),
               .profiled = v->verb == PRIME_PRIME,
               .command = v->command,
               .sources = v->sources };

    const struct jw_next_start_facts facts = jw_prime_facts(r);

    page.next_start = jw_next_start_answer(&facts, cli->arena);
    for (size_t i = 0; i < r->n_jobs; i++)
        page.ptx_bytes += r->jobs[i].module.ptx_bytes;
    prime_files(r, cli->arena, &page.files, &page.n_files);
    return jw_output_report(&cli->out, v->verb == PRIME_VERIFY ? &verify_form : &prime_form, &page, err);
}
