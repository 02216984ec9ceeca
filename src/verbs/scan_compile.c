#include "verbs/scan_compile.h"

#include "base/sort.h"
#include "cli/report.h"
#include "os/files/real.h"
#include "prime/prime.h"
#include "software/scan/verdict_words.h"

bool scan_compile_may(const struct cli *cli, bool gate, const char *driver, size_t n_paths,
                      struct jw_err *err)
{
    if (!gate)
        return jw_fail(err, JW_E_USAGE, "--driver-files is for the gate: --check");
    if (driver)
        return jw_fail(err, JW_E_USAGE, "--driver-files has the driver: leave --driver out");
    if (cli->shared.gpus.n && n_paths)
        return true;
    return jw_fail(err, JW_E_USAGE, "--driver-files: name the GPUs (--gpu sm_86) and the files");
}

bool scan_compile_paths(const struct jw_texts *paths, struct jw_arena *a, struct jw_texts *real,
                        struct jw_err *err)
{
    *real = (struct jw_texts){jw_arena_alloc(a, (paths->n + 1) * sizeof *real->v), 0};
    for (; real->n < paths->n; real->n++)
        if (!jw_real_path(paths->v[real->n], a, &real->v[real->n], err))
            return false;
    return true;
}

/* The place of this GPU among those that are asked about. */
static size_t place_of(const struct scan_scope *scope, uint16_t sm)
{
    size_t i = 0;

    while (i + 1 < scope->sms.n && scope->sms.v[i] != sm)
        i++;
    return i;
}

static void mark_refused(const struct jw_job *j, const struct scan_scope *scope,
                         struct jw_scan_report *report, struct jw_arena *a)
{
    const char *path = j->place->path;
    struct jw_scan_file *file =
        jw_search(&path, report->files, report->n_files, sizeof *report->files, jw_by_text);

    if (!file)
        return;
    struct jw_scan_verdict *v = &file->verdicts[place_of(scope, j->sm)];

    v->verdict = JW_VERDICT_NONE;
    v->refused = jw_arena_printf(a, "driver %s does not compile a module of it: %s", scope->driver,
                                 j->why ? j->why : rep_job_state(j));
}

/* False: the driver was not asked. */
static bool was_asked(const struct jw_run *run, const struct jw_look *look, struct jw_err *err)
{
    if (!run->ended || look->n_jobs || jw_look_answer(look).is)
        return true;
    return jw_fail(err, JW_E_NAMED, "--driver-files: %s",
                   run->why ? run->why : jw_end_names[run->end]);
}

bool scan_compile(struct cli *cli, const struct jw_texts *paths, const struct scan_scope *scope,
                  struct jw_scan_report *report, struct jw_err *err)
{
    const struct jw_prime_options o = {
        .form = JW_PRIME_FILES,
        .want = {.paths = *paths, .gpus = {scope->names, scope->sms.n}},
        .jobs = jw_session_config(&cli->session)->jobs,
    };
    struct jw_prime prime = {0};

    cli->shared.yes = true; /* who asks a gate waits for it */
    struct jw_run run = jw_cli_run(cli);

    if (!jw_prime(&run, &o, &prime, err))
        return false;
    bool ok = was_asked(&run, prime.look, err);
    const struct jw_job *end = prime.look->jobs + prime.look->n_jobs;

    for (const struct jw_job *job = prime.look->jobs; job < end; job++)
        if (!jw_job_is_warm(job))
            mark_refused(job, scope, report, cli->arena);
    jw_prime_free(&prime);
    return ok;
}
