#include "doctor/doctor_answer.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/cachedir.h"
#include "cache/place/cacheplace.h"
#include "cache/place/listing.h"
#include "doctor/doctor_libraries.h"
#include "doctor/doctor_words.h"
#include "facts/env_defaults.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

/* ---- the circumstances ---- */

/* The variables of this environment that matter. */
static void read_env(struct jw_arena *a, struct jw_software_case *c)
{
    static const char *const names[] = { "CUDA_CACHE_DISABLE",   "CUDA_CACHE_MAXSIZE", "CUDA_CACHE_PATH",
                                         "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT",   "CUDA_FORCE_PTX_JIT",
                                         "CUDA_FORCE_JIT" };
    struct jw_variable *out = jw_arena_alloc(a, JW_COUNT(names) * sizeof *out);

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *value = jw_env(a, names[i]);

        if (value)
            out[c->n_env++] = (struct jw_variable){ names[i], value };
    }
    c->env = out;
}

/* Takes over findings that keep the driver from caching. */
static void see_cache(struct jw_software_case *c, const struct jw_findings *f)
{
    const struct jw_finding *lost = jw_finding_of(f, "cache-container"), *why = jw_doctor_not_kept(f);

    c->not_kept = why ? why->text : NULL;
    c->container = c->container || (lost && lost->severity >= JW_WARNING);
}

/* The driver's GPUs, or else those on the bus. */
static void add_gpus(const struct jw_doctor_machine *m, struct jw_arena *a, struct jw_software_case *c)
{
    bool seen = jw_doctor_sees_gpus(m);
    size_t all = seen ? m->probe.n_devices : m->host.n;
    struct jw_gpu *gpus = jw_arena_alloc(a, (all + 1) * sizeof *gpus);

    for (size_t i = 0; i < all && c->n_gpus < JW_MAX_GPUS; i++) {
        struct jw_gpu g =
            seen ? (struct jw_gpu){ .sm = (uint16_t)m->probe.devices[i].sm, .source = JW_GPU_HERE }
                 : m->host.gpus[i];

        if (seen)
            (void)snprintf(g.name, sizeof g.name, "%.87s", m->probe.devices[i].name);
        if (g.sm)
            gpus[c->n_gpus++] = g;
    }
    c->gpus = gpus;
}

static void read_machine(const struct jw_doctor_machine *m, struct jw_arena *a, struct jw_software_case *c)
{
    c->machine = m;
    c->system = jw_build_system_here(jw_os_is_windows(), jw_os_arch());
    c->rates = m->probe.state.rates;
    c->n_rates = m->probe.state.n_rates;
    c->cache_used = m->cache ? m->cache->used : 0;
    c->driver = jw_doctor_version(m);
    read_env(a, c);
    add_gpus(m, a, c);
}

/* ---- the software ---- */

/* Lists modules that this driver could not compile for jitwarm, and is not asked to compile again. */
static void find_refused(const struct jw_doctor_machine *m, struct jw_arena *a, struct jw_scan_cache *out)
{
    const struct jw_modules *all = &m->cache->memory.modules;
    const char *build = m->probe.driver.build, *compiler = m->probe.compiler.id ? m->probe.compiler.id : "";
    struct jw_scan_refused *list = jw_arena_alloc(a, (all->n + 1) * sizeof *list);

    out->refused = list;
    for (size_t i = 0; build && i < all->n; i++)
        if (strcmp(all->list[i].build, build) == 0 && jw_module_is_banned(&all->list[i], compiler))
            list[out->n_refused++] = (struct jw_scan_refused){ all->list[i].id, all->list[i].sm };
}

/* Names of cached entries are predictable for this machine's driver only; else `out` stays empty. */
static void find_warm_names(const struct jw_doctor_machine *m, struct jw_arena *a, struct jw_scan_cache *out)
{
    if (!m->cache || m->probe.state.level < JW_LEVEL_PREDICTABLE)
        return;
    if (m->start_compiles || !jw_cache_is_asked(&m->cache->dir, a))
        *out = (struct jw_scan_cache){ .stamp = m->probe.state.stamp };
    else
        jw_cache_names_of_stamp(&m->cache->list, m->cache->dir.folder, m->probe.state.stamp, a, out);
    out->driver = m->probe.state.version;
    find_refused(m, a, out);
}

/* Its owner can open it again. NULL: that is not what it lacks. */
static const char *command_to_read(const struct jw_doctor_machine *m, const char *path, const char *why,
                                   struct jw_findings *f)
{
    struct jw_trust trust;
    struct jw_err ignored;

    if (path && jw_is_folder(path) && jw_cache_is_closed(path, f->a))
        return jw_cache_command_to_open(path, f->a);
    return path && !m->windows && strstr(why, "permission denied") && jw_is_file(path)
                   && jw_trust_read(path, f->a, &trust, &ignored) && trust.exists && !trust.owner
               ? jw_fmt(f, "chmod u+r %s", doctor_quoted(m, path, f))
               : NULL;
}

static const char one_folder[] = "1 folder that may hold CUDA code could not be searched";

/* Folders of another user, which prime could not search and status cannot know. */
static void closed_folders(const struct jw_doctor_machine *m, const struct jw_software_seen *seen,
                           struct jw_findings *f)
{
    size_t n = seen->closed.n;

    if (!n || !m->primed || !m->primed->last.failed.any)
        return;
    JW_FINDING(
        f, .id = "files-unread", .severity = JW_WARNING, .subject = "software", .evidence = seen->closed.v[0],
        .text =
            n == 1 ? one_folder : jw_fmt(f, "%zu folders that may hold CUDA code could not be searched", n),
        .consequence = n == 1 ? "what it holds is not known, to jitwarm prime either"
                              : "what they hold is not known, to jitwarm prime either",
        .fix = n == 1 ? "its owner can open it, or a line exclude = PATH in jitwarm.conf skips it. Then:"
                      : "their owners can open them, or lines exclude = PATH in jitwarm.conf skip "
                        "them. Then:",
        .command = doctor_prime(m, f));
}

/* A sentence about a file that the last run could not read. NULL: there is none, or it can be read now, or was written
 * since. */
static const char *unread_then(const struct jw_doctor_machine *m)
{
    const struct jw_prime_last *last = m->primed ? &m->primed->last : NULL;
    struct jw_file_info info;
    struct jw_file file;
    struct jw_err ignored;

    if (!last || !last->failed.unread || !last->failed.unread_path)
        return last ? last->failed.unread : NULL;
    if (strstr(last->failed.unread, "permission denied")) {
        if (!jw_is_file(last->failed.unread_path) || !jw_file_open(&file, last->failed.unread_path, &ignored))
            return last->failed.unread;
        jw_file_close(&file);
        return NULL;
    }
    return jw_file_stat(last->failed.unread_path, &info, &ignored) && info.kind == JW_FILE_REGULAR
                   && info.ctime / 1000000000 > last->when
               ? NULL
               : last->failed.unread;
}

static void unread_files(const struct jw_doctor_machine *m, const struct jw_software_seen *seen,
                         struct jw_findings *f)
{
    const char *then = unread_then(m);
    size_t n = jw_max(seen->unread.n, (size_t)(then != NULL));
    const char *first = seen->unread.n ? seen->unread.v[0] : then,
               *path = seen->unread.n ? seen->unread_path
                       : m->primed    ? m->primed->last.failed.unread_path
                                      : NULL,
               *command = n == 1 ? command_to_read(m, path, first, f) : NULL;
    bool broken = n == 1 && !command && m->primed && m->primed->last.failed.broken
                  && jw_text_same(path, m->primed->last.failed.unread_path);

    if (!n) {
        closed_folders(m, seen, f);
        return;
    }
    JW_FINDING(f, .id = "files-unread", .severity = JW_WARNING, .subject = "software", .evidence = first,
               .text = n == 1 && path && jw_is_folder(path) ? one_folder
                       : n == 1 ? "1 file that may hold CUDA code could not be read"
                                : jw_fmt(f, "%zu files that may hold CUDA code could not be read", n),
               .consequence = "doctor cannot check them, and jitwarm prime skips them",
               .fix = command ? "make it readable, and prime it:"
                      : broken
                          ? "repair it, and run jitwarm prime. If it will not come back, list it, and forget "
                            "it with --yes:"
                          : "repair or remove them; exclude = PATH in jitwarm.conf skips a file permanently",
               .command = broken   ? doctor_list_gone(m, f)
                          : n == 1 ? command
                                   : "jitwarm scan");
}

/* Is its package in one of the environments that were searched? */
static bool is_installed(const struct jw_other_cache *c, const struct jw_software_seen *seen,
                         struct jw_arena *a)
{
    for (size_t i = 0; c->module && i < seen->sites.n; i++)
        if (jw_is_folder(jw_path_join(a, seen->sites.v[i], c->module)))
            return true;
    return false;
}

static void other_caches(const struct jw_doctor_machine *m, const struct jw_software_seen *seen,
                         struct jw_arena *a, struct jw_findings *f)
{
    struct jw_other_cache found[JW_OTHER_CACHES];
    bool installed[JW_OTHER_CACHES];
    const char *list = "";
    size_t n, there = 0;

    jw_other_caches(a, found, &n);
    for (size_t i = 0; i < n; i++)
        installed[i] = is_installed(&found[i], seen, a);
    jw_doctor_others(m, found, n, installed, f);
    for (size_t i = 0; i < n; i++)
        if (found[i].there)
            list = jw_fmt(f, "%s%s%s (%s)", list, there++ ? ", " : "", found[i].owner, found[i].path);
    if (there)
        JW_FINDING(f, .id = "other-caches", .severity = JW_NOTE, .evidence = list,
                   .text = jw_fmt(f, "%s besides the driver's holds compiled GPU code",
                                  there == 1 ? "a cache" : "more than one cache"),
                   .consequence = "it does not count against the driver's limit; export --run packs what a "
                                  "recorded command used of it, and "
                                  "jitwarm deletes nothing there");
}

/* Commands that choose their cache themselves: settings here do not reach it. */
static void own_caches(const struct jw_status_report *cache, struct jw_findings *f)
{
    const char *list = "";
    size_t n = 0;

    for (size_t i = 0; cache && i < cache->n_commands; i++)
        if (cache->commands[i].cache)
            list = jw_fmt(f, "%s%s%.60s (%.200s)", list, n++ ? ", " : "", cache->commands[i].words,
                          cache->commands[i].cache);
    if (n)
        JW_FINDING(f, .id = "cache-own", .severity = JW_NOTE, .evidence = list,
                   .text = n == 1 ? "a recorded command uses a driver's cache of its own"
                                  : "recorded commands use driver's caches of their own",
                   .consequence =
                       "prime fills it for that command alone; doctor checks the cache of this user",
                   .fix = "jitwarm status --cache DIR and jitwarm prune --cache DIR work on it");
}

/* Bytes in the cache for all software here, once for each kind of GPU. */
static uint64_t room_that_is_needed(const struct jw_doctor_answer *answer)
{
    uint64_t ptx = 0;

    for (size_t i = 0; i < answer->n; i++)
        for (size_t k = 0; k < answer->c.n_gpus; k++) {
            bool again = false;

            for (size_t before = 0; before < k; before++)
                again = again || answer->c.gpus[before].sm == answer->c.gpus[k].sm;
            if (!again && answer->software[i].code[k].jit)
                ptx += answer->software[i].code[k].ptx_bytes;
        }
    return ptx ? jw_cache_bytes_for(ptx) : 0;
}

static void check_all(struct jw_doctor_answer *out, struct jw_arena *a, struct jw_findings *findings)
{
    size_t each = out->c.n_gpus;

    out->checks = jw_arena_alloc(a, (out->n * each + 1) * sizeof *out->checks);
    for (size_t i = 0; i < out->n; i++)
        for (size_t k = 0; k < each; k++)
            out->checks[i * each + k] = jw_check_software(&out->c, &out->software[i], k);
    jw_doctor_software(&out->c, out->software, out->n, out->checks, findings);
}

bool jw_doctor_answer_machine(struct jw_session *session, const struct jw_doctor_machine *machine,
                              const struct jw_doctor_progress *progress, struct jw_doctor_answer *out,
                              struct jw_findings *findings, struct jw_err *err)
{
    struct jw_scan_cache cache = { 0 };
    struct jw_software_search o = { .session = session,
                                    .c = &out->c,
                                    .cache = &cache,
                                    .progress = progress->show,
                                    .progress_ctx = progress->ctx };

    *out = (struct jw_doctor_answer){ 0 };
    see_cache(&out->c, findings);
    read_machine(machine, session->a, &out->c);
    if (out->c.n_gpus == 0)
        return true;
    find_warm_names(machine, session->a, &cache);
    out->searched = jw_software_here(&o, &out->software, &out->n, &out->seen, err);
    if (!out->searched)
        return false;
    out->c.cuda = out->seen.cuda;
    out->c.cudnn = out->seen.cudnn;
    jw_doctor_room(machine, room_that_is_needed(out), findings);
    see_cache(&out->c, findings);
    check_all(out, session->a, findings);
    unread_files(machine, &out->seen, findings);
    other_caches(machine, &out->seen, session->a, findings);
    own_caches(machine->cache, findings);
    return true;
}

/* ---- a log ---- */

/* Reading a model from a disk takes less, as a rule. */
enum { SLOW_LOAD_S = 60 };

static bool software_of_log(struct jw_doctor_answer *out, struct jw_arena *a, struct jw_err *err)
{
    const struct jw_log *log = out->log;
    struct jw_release r;
    bool guessed;

    out->software = jw_arena_alloc(a, sizeof *out->software);
    if (log->made_by) {
        out->n = 1;
        if (!jw_software_of_message(&out->c, log->made_by, log->sass, log->ptx, a, out->software, err))
            return false;
        out->software->guessed = log->archs_guessed;
        if (strcmp(log->made_by, "Ollama") == 0)
            out->software->version = jw_arena_printf(a, "0.%u.%u", log->ollama / 100, log->ollama % 100);
        for (size_t i = 0; log->archs_guessed && i < out->c.n_gpus; i++)
            out->software->code[i].from[0] = '\0'; /* of which PTX is not known */
        return true;
    }
    if (!jw_log_software(log, &r, &guessed))
        return true;
    out->n = 1;
    if (!jw_software_of_release(&out->c, &r, a, out->software, err))
        return false;
    out->software->guessed = guessed;
    return true;
}

/* The GPUs that the log names, or else those that are plugged in. */
static void gpus_of_log(struct jw_session *session, struct jw_doctor_answer *out)
{
    const struct jw_host_gpus *here;
    struct jw_gpu *gpus;

    out->c.gpus = out->log->gpus;
    out->c.n_gpus = out->log->n_gpus;
    if (out->c.n_gpus)
        return;
    here = jw_session_gpus(session);
    gpus = jw_arena_alloc(session->a, (here->n + 1) * sizeof *gpus);
    for (size_t i = 0; i < here->n; i++)
        if (here->gpus[i].sm)
            gpus[out->c.n_gpus++] = here->gpus[i];
    out->c.gpus = gpus;
}

/* The verdict that was read from the log's own message does not say it a second time; and nothing says that no error
 * was found where software is slow or fails. */
static void say_once(const struct jw_log *log, struct jw_findings *findings)
{
    size_t n = 0;
    bool said = false, wrong = false;

    for (size_t i = 0; log->made_by && i < log->n_complaints; i++)
        said = said || jw_log_says_no_code(&log->complaints[i]);
    for (size_t i = 0; i < findings->n; i++)
        wrong = wrong || findings->v[i].severity >= JW_WARNING;
    for (size_t i = 0; i < findings->n; i++) {
        const char *id = findings->v[i].id;

        if (!(said && strcmp(id, "framework-no-kernel") == 0) && !(wrong && strcmp(id, "log-quiet") == 0))
            findings->v[n++] = findings->v[i];
    }
    findings->n = n;
}

/* The log names files of an environment. NULL: it is not of this machine. */
static const char *site_of(struct jw_arena *a, const char *python)
{
    const char *prefix = jw_path_dir(a, jw_path_dir(a, python));
    const char *site =
        jw_path_join(a, prefix, jw_arena_printf(a, "lib/%s/site-packages", jw_path_base(python)));

    return jw_path_absolute(python) && jw_is_folder(site) ? site : NULL;
}

/* The words that install into an environment without a pip of its own. NULL: it has one. */
static const char *pip_of(struct jw_arena *a, const char *site)
{
    if (!site || jw_is_folder(jw_path_join(a, site, "pip")))
        return NULL;
    const char *pip = jw_environment_pip(site, a);

    return *pip ? pip : NULL;
}

/* A log of another system is of another machine. */
static void take_gpu_of_machine(struct jw_session *session, struct jw_log *log)
{
    enum jw_build_system here = jw_build_system_here(jw_os_is_windows(), jw_os_arch());
    const struct jw_host_gpus *plugged;

    if (log->n_gpus || jw_log_system(log, here) != here)
        return;
    plugged = jw_session_gpus(session);
    for (size_t i = 1; i < plugged->n; i++)
        if (plugged->gpus[i].sm != plugged->gpus[0].sm)
            return;
    if (plugged->n)
        log->here = plugged->gpus[0];
}

bool jw_doctor_answer_log(struct jw_session *session, const char *path, struct jw_doctor_answer *out,
                          struct jw_findings *findings, struct jw_err *err)
{
    struct jw_arena *a = session->a;

    *out = (struct jw_doctor_answer){ .log_path = path, .log = jw_arena_alloc(a, sizeof *out->log) };
    if (!jw_log_read(path, session->interrupted, out->log, err)) {
        if (err->code == JW_E_IO || err->code == JW_E_FORMAT) /* it is no log: another file is to be named */
            err->code = JW_E_USAGE;
        return jw_wrap(err, "--log");
    }
    out->log->shell = jw_shell_here(a);
    out->log->site = site_of(a, out->log->python);
    out->log->pip = pip_of(a, out->log->site);
    take_gpu_of_machine(session, out->log);
    jw_doctor_log(out->log, path, findings);
    out->c.system = jw_log_system(out->log, jw_build_system_here(jw_os_is_windows(), jw_os_arch()));
    out->c.driver = out->log->driver[0] ? out->log->driver : NULL;
    out->c.waited_s = out->log->gap.compiling           ? out->log->gap.seconds
                      : out->log->load_s >= SLOW_LOAD_S ? out->log->load_s
                                                        : 0;
    if (!jw_log_understood(out->log))
        return true;
    gpus_of_log(session, out);
    if (out->c.n_gpus == 0)
        return true;
    if (!software_of_log(out, a, err))
        return false;
    if (!out->n)
        jw_doctor_toolkit(&out->c, out->log->cudart, findings);
    check_all(out, a, findings);
    say_once(out->log, findings);
    return true;
}

/* ---- what was looked at ---- */

/* "what cupy-cuda12x 14.2.0 and numba-cuda 0.30.4 compile while they run" */
static void note_run_time(const struct jw_doctor_answer *answer, struct jw_findings *scratch,
                          struct jw_doctor_checked *out)
{
    struct jw_notes which = { 0 };
    const char *names = "";

    for (size_t i = 0; i < answer->n; i++) {
        const char *name = jw_software_name(&answer->software[i], scratch);

        if (answer->software[i].run_time && !jw_text_among(name, which.v, which.n))
            jw_note(&which, scratch->a, "%s", name);
    }
    for (size_t i = 0; i < which.n; i++)
        names = jw_fmt(scratch, "%s%s%s", names, jw_text_between(i, which.n), which.v[i]);
    if (which.n)
        jw_note(&out->unchecked, scratch->a, "what %s %s (jitwarm prime --run CMD records a start)", names,
                which.n == 1 ? "compiles while it runs" : "compile while they run");
}

void jw_doctor_answer_checked(const struct jw_doctor_answer *answer, struct jw_arena *a,
                              struct jw_doctor_checked *out)
{
    struct jw_findings scratch = JW_FINDINGS(a);

    if (answer->log)
        jw_note(&out->checked, a, "the log: %llu lines, for pauses and known errors",
                (unsigned long long)answer->log->lines);
    if (answer->searched)
        jw_note(&out->checked, a, "the CUDA software that is installed: %s%s",
                JW_N(answer->n, "package", "packages"),
                answer->n ? "" : " where it was looked for (jitwarm scan -v); elsewhere: jitwarm prime PATH");
    note_run_time(answer, &scratch, out);
    for (size_t i = 0; answer->log && i < answer->n; i++)
        jw_note(&out->checked, a, "%s on %s", jw_software_name(&answer->software[i], &scratch),
                JW_N(answer->c.n_gpus, "GPU", "GPUs"));
}
