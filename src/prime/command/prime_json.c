#include "base/json_write.h"
#include "cache/memory/state.h"
#include "cache/place/cachedir.h"
#include "prime/command/prime_view.h"

#include <stdio.h>

static void write_hex(struct jw_json *j, const char *key, const uint8_t id[32])
{
    char text[65];

    for (size_t i = 0; i < 32; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", id[i]);
    jw_json_text(j, key, text);
}

static void write_sm(struct jw_json *j, const char *key, unsigned sm)
{
    char text[16];

    (void)snprintf(text, sizeof text, "sm_%u", sm);
    jw_json_text(j, key, text);
}

static void write_unless_empty(struct jw_json *j, const char *key, const char *text)
{
    jw_json_text(j, key, text && *text ? text : NULL);
}

/* ---- for whom, from what, into what ---- */

void prime_json_driver(struct jw_json *j, const struct jw_prime_report *r)
{
    jw_json_object(j, "driver");
    jw_json_text(j, "version", r->driver_version);
    jw_json_text(j, "build", r->build);
    jw_json_text(j, "stamp", r->stamp);
    if (r->level == JW_LEVEL_NONE)
        jw_json_null(j, "level");
    else
        jw_json_number(j, "level", (uint64_t)r->level);
    jw_json_text(j, "level_name", jw_level_name((enum jw_level)r->level));
    jw_json_close(j);
}

static void write_gpus(struct jw_json *j, const struct jw_prime_report *r)
{
    jw_json_array(j, "gpus");
    for (size_t i = 0; i < r->n_gpus; i++) {
        const struct jw_prime_gpu *g = &r->gpus[i];

        jw_json_object(j, NULL);
        jw_json_number(j, "index", g->index);
        jw_json_text(j, "name", g->name);
        write_sm(j, "gpu", g->sm);
        write_unless_empty(j, "uuid", g->uuid);
        write_unless_empty(j, "pci", g->pci);
        jw_json_number(j, "memory_bytes", g->memory);
        jw_json_bool(j, "mig", g->mig);
        jw_json_bool(j, "exclusive", g->exclusive);
        jw_json_bool(j, "chosen", g->chosen);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_targets(struct jw_json *j, const struct jw_prime_report *r)
{
    jw_json_object(j, "targets");
    jw_json_text(j, "from", r->targets_from);
    jw_json_texts(j, "paths", r->targets, r->n_targets);
    jw_json_number(j, "files", r->files);
    jw_json_number(j, "bytes", r->bytes);
    jw_json_close(j);
}

static void write_cache(struct jw_json *j, const struct jw_prime_report *r)
{
    jw_json_object(j, "cache");
    jw_json_text(j, "root", r->root);
    jw_json_number(j, "limit_bytes", r->limit);
    jw_json_bool(j, "limit_known", r->limit_known);
    jw_json_number(j, "used_bytes", r->used);
    jw_json_number(j, "dead_bytes", r->dead);
    jw_json_number(j, "free_disk_bytes", r->free_disk);
    jw_json_number(j, "need_bytes", r->need);
    jw_json_close(j);
}

/* ---- how much ---- */

static void write_totals(struct jw_json *j, const struct jw_prime_report *r)
{
    uint64_t ptx = 0;

    for (size_t i = 0; i < r->n_jobs; i++)
        ptx += r->jobs[i].ptx_bytes;
    jw_json_object(j, "predicted");
    jw_json_real(j, "seconds", r->seconds);
    jw_json_real(j, "cpu_seconds", r->cpu_seconds);
    jw_json_bool(j, "lazy", r->lazy);
    jw_json_number(j, "workers", r->workers);
    jw_json_close(j);
    jw_json_object(j, "totals");
    jw_json_number(j, "jobs", r->n_jobs);
    jw_json_number(j, "warm", prime_warm(r));
    jw_json_number(j, "ptx_bytes", ptx);
    jw_json_number(j, "warmed_bytes", r->warmed_bytes);
    jw_json_number(j, "warmed_ptx_bytes", r->warmed_ptx);
    jw_json_number(j, "milliseconds", r->milliseconds);
    jw_json_number(j, "compile_milliseconds", r->compile_milliseconds);
    jw_json_close(j);
    jw_json_object(j, "counts");
    for (unsigned s = 0; s < JW_JOB_STATES; s++)
        jw_json_number(j, jw_job_state_name((enum jw_job_state)s), r->counts[s]);
    jw_json_close(j);
}

static void write_left_out(struct jw_json *j, const struct jw_prime_report *r)
{
    jw_json_object(j, "left_out");
    for (unsigned i = 0; i < JW_LEFT_OUT; i++) {
        jw_json_object(j, jw_left_out_name((enum jw_left_out)i));
        jw_json_number(j, "modules", r->left_out[i].modules);
        jw_json_number(j, "ptx_bytes", r->left_out[i].ptx_bytes);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static bool write_files(struct jw_json *j, struct cli *cli, const struct jw_prime_report *r)
{
    const struct prime_file *files;
    size_t n;

    if (!prime_files(r, cli->arena, &files, &n))
        return false;
    jw_json_array(j, "files");
    for (size_t i = 0; i < n; i++) {
        const struct prime_file *f = &files[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "path", f->path);
        jw_json_text(j, "package", f->package);
        jw_json_number(j, "jobs", f->modules);
        jw_json_number(j, "warm", f->warm);
        jw_json_number(j, "not_warm", f->left);
        jw_json_number(j, "ptx_bytes", f->ptx_bytes);
        jw_json_real(j, "seconds", f->seconds);
        jw_json_number(j, "cache_bytes", f->cache_bytes);
        jw_json_close(j);
    }
    jw_json_close(j);
    return true;
}

/* ---- each job ---- */

static void write_places(struct jw_json *j, const struct jw_job *job)
{
    jw_json_array(j, "places");
    for (size_t i = 0; i < job->n_places; i++) {
        const struct jw_job_place *p = &job->places[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "path", p->path);
        jw_json_text(j, "disk", p->disk);
        jw_json_number(j, "at", p->at);
        jw_json_number(j, "size", p->size);
        jw_json_text(j, "package", p->package);
        write_hex(j, "digest", p->digest);
        jw_json_text(j, "form", p->text ? "text" : "container");
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_entry(struct jw_json *j, const struct jw_job *job)
{
    jw_json_object(j, "entry");
    jw_json_text(j, "name", job->name ? jw_cache_name(job->name).text : NULL);
    jw_json_bool(j, "predicted", job->predicted);
    jw_json_number(j, "key_bytes", job->key_size);
    jw_json_number(j, "bytes", job->entry_bytes);
    jw_json_close(j);
}

static void write_outcome(struct jw_json *j, const struct jw_job *job)
{
    jw_json_text(j, "state", jw_job_state_name(job->state));
    jw_json_number(j, "milliseconds", job->milliseconds);
    jw_json_maybe(j, "code", job->code > 0, (uint64_t)job->code);
    jw_json_text(j, "code_name", job->code_name);
    jw_json_text(j, "why", job->why);
    jw_json_text(j, "log", job->log);
    jw_json_texts(j, "kernels", job->kernels, job->n_kernels);
    jw_json_number(j, "more_kernels", job->more_kernels);
}

static void write_jobs(struct jw_json *j, const struct jw_prime_report *r)
{
    jw_json_array(j, "jobs");
    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct jw_job *job = &r->jobs[i];

        jw_json_object(j, NULL);
        write_hex(j, "id", job->id);
        write_sm(j, "gpu", job->sm);
        jw_json_text(j, "target", job->target);
        jw_json_text(j, "options", job->options ? job->options : "");
        jw_json_number(j, "ptx_bytes", job->ptx_bytes);
        jw_json_bool(j, "used", job->used);
        write_outcome(j, job);
        write_entry(j, job);
        jw_json_object(j, "predicted");
        jw_json_real(j, "seconds", job->seconds);
        jw_json_number(j, "cache_bytes", job->cache_bytes);
        jw_json_number(j, "memory_bytes", job->memory);
        jw_json_close(j);
        write_places(j, job);
        jw_json_close(j);
    }
    jw_json_close(j);
}

/* ---- the proof ---- */

void prime_json_passes(struct jw_json *j, const struct jw_verify_report *v)
{
    jw_json_array(j, "passes");
    for (size_t i = 0; i < v->n_passes; i++) {
        const struct jw_verify_pass *p = &v->passes[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "where", p->where);
        jw_json_number(j, "loaded", p->loaded);
        jw_json_number(j, "hits", p->hits);
        jw_json_number(j, "misses", p->misses);
        jw_json_number(j, "failed", p->failed);
        jw_json_number(j, "new_entries", p->new_entries);
        jw_json_number(j, "milliseconds", p->milliseconds);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_misses(struct jw_json *j, const struct jw_prime_report *r)
{
    jw_json_array(j, "misses");
    for (size_t i = 0; i < r->verify.n_misses; i++) {
        const struct jw_verify_miss *m = &r->verify.misses[i];

        jw_json_object(j, NULL);
        jw_json_number(j, "job", m->job);
        jw_json_text(j, "cause", m->cause);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_verify(struct jw_json *j, const struct prime_view *v)
{
    const struct jw_verify_report *report = &v->report->verify;

    jw_json_object(j, "verify");
    jw_json_bool(j, "done", report->done);
    jw_json_bool(j, "verified", prime_is_verified(v->report));
    jw_json_bool(j, "login_same", report->login_same);
    jw_json_text(j, "why", report->why);
    prime_json_passes(j, report);
    write_misses(j, v->report);
    jw_json_close(j);
}

/* The command of --run; null: there was none. */
static void write_run(struct jw_json *j, const struct prime_view *v)
{
    const struct jw_prime_report *r = v->report;

    if (!v->command) {
        jw_json_null(j, "run");
        return;
    }
    jw_json_object(j, "run");
    jw_json_text(j, "command", v->command);
    jw_json_number(j, "exit_code", r->run_code < 0 ? 0 : (uint64_t)r->run_code);
    jw_json_number(j, "milliseconds", r->run_milliseconds);
    jw_json_number(j, "new_entries", r->run_entries);
    jw_json_number(j, "new_bytes", r->run_bytes);
    if (v->verb == PRIME_PRIME)
        jw_json_number(j, "profile_modules", r->profile_modules);
    jw_json_close(j);
}

/* What was compiled for is not here; absent: it is. */
static void write_siblings(struct jw_json *j, const struct jw_prime_report *r)
{
    char arch[16];

    if (!r->n_siblings)
        return;
    jw_json_array(j, "siblings");
    for (size_t i = 0; i < r->n_siblings; i++) {
        (void)snprintf(arch, sizeof arch, "sm_%u", r->siblings[i]);
        jw_json_text(j, NULL, arch);
    }
    jw_json_close(j);
}

bool prime_write_json(struct cli *cli, const struct prime_view *v, struct jw_err *err)
{
    static const char *const schemas[] = { "jitwarm.plan/1", "jitwarm.prime/1", "jitwarm.verify/1" };
    const struct jw_prime_report *r = v->report;
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, schemas[v->verb], err);
    jw_json_flag(&j, "simulated", r->simulated);
    jw_json_text(&j, "end", jw_prime_end_name(r->end));
    jw_json_text(&j, "why", r->why);
    jw_json_bool(&j, "receipt", r->receipt);
    prime_json_driver(&j, r);
    write_gpus(&j, r);
    write_siblings(&j, r);
    write_targets(&j, r);
    write_cache(&j, r);
    write_totals(&j, r);
    write_left_out(&j, r);
    if (!write_files(&j, cli, r))
        return false;
    write_jobs(&j, r);
    if (v->verb != PRIME_PLAN) {
        write_verify(&j, v);
        write_run(&j, v);
    }
    jw_json_texts(&j, "unread", r->unread, r->n_unread);
    jw_json_texts(&j, "advice", r->advice, r->n_advice);
    jw_json_texts(&j, "notes", r->notes, r->n_notes);
    jw_json_close(&j);
    return jw_json_end(&j);
}
