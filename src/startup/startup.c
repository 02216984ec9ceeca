#include "startup/startup_work.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/trust.h"
#include "os/machine/env.h"
#include "os/process/child.h"
#include "os/process/process.h"

/* Variables that change what a run does. systemd's user manager does not have those that only a shell's file sets. */
static const char *const pinned[] = {
    "CUDA_CACHE_PATH", "CUDA_CACHE_MAXSIZE", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
    "JITWARM_DRIVER",  "JITWARM_STATE",      "JITWARM_STORE",
};

static void end_startup(struct startup *s, enum jw_end e, const char *why)
{
    jw_run_end(s->run, e, "%s", why ? why : "");
}

/* ---- begin ---- */

static bool find_self(struct startup *s, struct jw_err *err)
{
    struct jw_buf self = JW_BUF(JW_MAX_PATH);
    bool ok = true;

    s->spec.exe = s->o->exe;
    if (!s->spec.exe) {
        ok = jw_process_self(&self, err);
        s->spec.exe = ok ? jw_arena_str(s->run->a, jw_buf_cstr(&self)) : NULL;
    }
    jw_buf_free(&self);
    return ok;
}

static bool begin_startup(struct startup *s, struct jw_err *err)
{
    struct jw_err none = { 0 };

    *s->out = (struct jw_startup_report){ .run = s->run, .everybody = s->o->everybody };
    jw_run_begin(s->run);
    s->root = s->o->everybody && s->o->root ? s->o->root : "";
    s->spec = (struct jw_startup_spec){ .version = JITWARM_VERSION,
                                        .cache = s->o->cache,
                                        .prune = s->o->prune,
                                        .as_root = s->o->as_root,
                                        .everybody = s->o->everybody };
    if (!find_self(s, err) || !jw_startup_look(s->o->sysroot ? s->o->sysroot : "", s->run->a, &s->host, err))
        return false;
    s->spec.packs = s->o->packs ? s->o->packs : s->o->everybody ? s->host.packs : NULL;
    s->out->packs = s->spec.packs;
    s->spec.user = s->host.user ? s->host.user : "S-1-0-0";
    if (!*s->root)
        s->out->log = jw_startup_log_path(s->run->a, &none);
    if (!s->out->log && !s->o->everybody)
        jw_note(&s->run->notes, s->run->a, "jitwarm cannot write a log: %s", none.msg);
    return true;
}

static void say_command(struct startup *s)
{
    const char *const *words = jw_startup_command(&s->spec, s->run->a);
    struct jw_buf line = JW_BUF(JW_MAX_COMMAND);

    for (size_t i = 0; words && words[i]; i++) {
        jw_buf_text(&line, i ? " " : "");
        jw_text_shell_word(&line, words[i], jw_os_is_windows());
    }
    s->out->program = s->spec.exe;
    s->out->command = words ? jw_arena_str(s->run->a, jw_buf_cstr(&line)) : NULL;
    jw_buf_free(&line);
}

/* ---- install ---- */

static bool is_private(const struct startup *s)
{
    return !s->o->everybody && s->out->with == JW_STARTUP_SYSTEMD;
}

static void pin(struct startup *s)
{
    struct jw_child_edit *set = jw_arena_alloc(s->run->a, JW_COUNT(pinned) * sizeof *set);

    for (size_t i = 0; is_private(s) && i < JW_COUNT(pinned); i++) {
        const char *value = jw_env(s->run->a, pinned[i]);

        if (!value || !*value)
            continue;
        set[s->spec.n_set++] = (struct jw_child_edit){ pinned[i], value };
        jw_note(&s->run->notes, s->run->a, "the unit sets %s=%.200s, as in this shell", pinned[i], value);
    }
    s->spec.set = set;
}

/* Root's runs would fill root's cache, which other users' programs do not use. */
static bool judge_user(struct startup *s, struct jw_err *err)
{
    if (s->o->everybody || s->o->as_root || jw_os_is_windows() || !jw_process_elevated())
        return true;
    return jw_fail(err, JW_E_USAGE,
                   "as root it would prime root's cache. Run it as the user whose programs are slow, or use "
                   "--system for every user, or --as-root");
}

static bool judge_program(struct startup *s, struct jw_err *err)
{
    const char *why;

    if (!jw_path_absolute(s->spec.exe))
        return jw_fail(err, JW_E_IO, "%.250s is not an absolute path", s->spec.exe);
    if (!s->o->everybody || *s->root)
        return true;
    if (!jw_startup_safe_for_all(s->spec.exe, &s->host, s->run->a, &why, err))
        return false;
    return !why || jw_fail(err, JW_E_IO, "%s", why);
}

/* Other users who may write to the folder could make this user run any program. */
static bool judge_unit_folders(struct startup *s, struct jw_err *err)
{
    for (size_t i = 0; i < s->out->n_steps; i++) {
        const char *folder = s->out->steps[i].folders_for;
        struct jw_trust trust = { 0 };
        struct jw_err why = { 0 };

        for (; folder && !trust.exists; folder = jw_path_dir(s->run->a, folder)) {
            if (!jw_trust_read(folder, s->run->a, &trust, err))
                return jw_wrap(err, "%.250s", folder);
            if (trust.exists && !jw_trust_own(&trust, &why))
                return jw_fail(
                    err, JW_E_IO,
                    "%.250s %s, who could change the program that runs as %s; nothing was installed", folder,
                    why.msg, s->o->everybody ? "every user" : "you");
        }
    }
    return true;
}

/* Never changes another program's file, and an edited one only with --yes. */
static bool judge_found(struct startup *s, struct jw_err *err)
{
    for (size_t i = 0; i < s->out->n_steps; i++) {
        const struct jw_startup_step *step = &s->out->steps[i];

        if (step->found == JW_FOUND_OTHERS)
            return jw_fail(err, JW_E_IO, "%s", step->why);
        if (step->found != JW_FOUND_EDITED || s->o->yes || s->o->dry_run)
            continue;
        jw_run_end(s->run, JW_END_CONSENT, "%.250s was edited by hand; use --yes to overwrite it",
                   step->path);
        return true;
    }
    return true;
}

static bool differs(const struct startup *s)
{
    for (size_t i = 0; i < s->out->n_steps; i++)
        if (s->out->steps[i].act != JW_STARTUP_COMMAND && s->out->steps[i].found != JW_FOUND_SAME)
            return true;
    return false;
}

static void run_commands(struct startup *s)
{
    const char *why = startup_command(s);

    if (why)
        end_startup(s, JW_END_PARTLY, why);
}

static bool install(struct startup *s, struct jw_err *err)
{
    if (!judge_user(s, err) || !startup_choose(s, &s->out->with, err) || !judge_program(s, err))
        return false;
    pin(s);
    say_command(s);
    if (!startup_plan_places(s, s->out->with, err) || !startup_look(s, true, err)
        || !judge_unit_folders(s, err) || !judge_found(s, err))
        return false;
    if (s->run->end == JW_END_CONSENT)
        return true;
    if (!differs(s)) {
        if (!s->o->dry_run)
            startup_sweep(s);
        end_startup(s, JW_END_NOTHING, NULL);
        return true;
    }
    if (!startup_plan_commands(s, true, err))
        return false;
    if (s->o->dry_run)
        return true;
    if (!startup_put(s, err))
        return false;
    run_commands(s);
    return true;
}

/* Checks options. Only --dry-run works for the other system. */
static bool check_with(const struct jw_startup_options *o, struct jw_err *err)
{
    bool windows = jw_os_is_windows();

    if (!o->dry_run && (o->with == JW_STARTUP_TASK) != windows && o->with != JW_STARTUP_AUTO)
        return jw_fail(err, JW_E_USAGE, "--with %s needs %s; --dry-run works here, too",
                       jw_startup_with_name(o->with), windows ? "Linux" : "Windows");
    if (o->root && !o->everybody)
        return jw_fail(err, JW_E_USAGE, "--root needs --system");
    if (o->root && !jw_path_absolute(o->root))
        return jw_fail(err, JW_E_USAGE, "--root: %.200s is not an absolute path", o->root);
    if (o->packs && !jw_path_absolute(o->packs))
        return jw_fail(err, JW_E_USAGE, "--packs: %.200s is not an absolute path", o->packs);
    if (o->cache && !jw_path_absolute(o->cache))
        return jw_fail(err, JW_E_USAGE, "--cache: %.200s is not an absolute path", o->cache);
    return !o->cache || !o->everybody
           || jw_fail(err, JW_E_USAGE, "--cache cannot be combined with --system: each user has a cache");
}

bool jw_startup_install(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                        struct jw_err *err)
{
    struct startup s = { .o = o, .run = run, .out = out };

    return check_with(o, err) && begin_startup(&s, err) && install(&s, err);
}

/* ---- what is installed ---- */

static bool any_step(const struct startup *s)
{
    for (size_t i = 0; i < s->out->n_steps; i++)
        if (s->out->steps[i].found != JW_FOUND_NOTHING && s->out->steps[i].found != JW_FOUND_OTHERS)
            return true;
    return false;
}

static bool find_one(struct startup *s, enum jw_startup_with with, bool *found, struct jw_err *err)
{
    s->out->n_steps = 0;
    s->out->steps = NULL;
    s->out->program = NULL;
    if (!startup_plan_places(s, with, err) || !startup_look(s, false, err))
        return false;
    if (s->sweeps)
        startup_sweep(s);
    *found = any_step(s);
    s->out->with = *found ? with : JW_STARTUP_AUTO;
    return true;
}

/* `with` stays AUTO if nothing is installed. */
static bool find_installed(struct startup *s, struct jw_err *err)
{
    bool found = false;

    if (s->o->with != JW_STARTUP_AUTO)
        return find_one(s, s->o->with, &found, err);
    if (jw_os_is_windows())
        return find_one(s, JW_STARTUP_TASK, &found, err);
    return (!s->host.units && !s->o->everybody) || find_one(s, JW_STARTUP_SYSTEMD, &found, err);
}

/* ---- remove ---- */

static bool remove_installed(struct startup *s, struct jw_err *err)
{
    if (!judge_found(s, err) || s->run->end == JW_END_CONSENT)
        return s->run->end == JW_END_CONSENT;
    if (!startup_plan_commands(s, false, err))
        return false;
    if (s->o->dry_run)
        return true;
    if (!startup_take(s, err))
        return false;
    run_commands(s);
    return true;
}

bool jw_startup_remove(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err)
{
    struct startup s = { .o = o, .run = run, .out = out, .sweeps = !o->dry_run };

    if (!check_with(o, err) || !begin_startup(&s, err) || !find_installed(&s, err))
        return false;
    if (out->with != JW_STARTUP_AUTO)
        return remove_installed(&s, err);
    out->n_steps = 0;
    end_startup(&s, JW_END_NOTHING, NULL);
    return true;
}

/* An installation for all users counts for this user, too; then `all` are the options, and must outlive `s`. */
static bool find_for_this_user(struct startup *s, struct jw_startup_options *all, struct jw_err *err)
{
    if (!check_with(s->o, err) || !begin_startup(s, err) || !find_installed(s, err))
        return false;
    if (s->out->with != JW_STARTUP_AUTO || s->o->everybody || s->o->with != JW_STARTUP_AUTO)
        return true;
    *all = *s->o;
    all->everybody = s->spec.everybody = true;
    s->o = all;
    if (!find_installed(s, err))
        return false;
    s->out->everybody = s->out->with != JW_STARTUP_AUTO;
    return true;
}

/* ---- run ---- */

void startup_not_installed(struct startup *s)
{
    s->out->n_steps = 0;
    end_startup(s, JW_END_PARTLY, jw_arena_printf(s->run->a, "it is not installed: %s", startup_install(s)));
}

const char *startup_install(const struct startup *s)
{
    return jw_arena_printf(s->run->a, "jitwarm startup install%s%s%s", s->out->everybody ? " --system" : "",
                           *s->root ? " --root " : "", s->root);
}

static bool ask_systemd(struct startup *s, struct jw_err *err)
{
    const char *const argv[] = {
        s->host.systemctl, "--user", "start", "--no-block", JW_STARTUP_SERVICE, NULL
    };
    struct jw_buf out = JW_BUF(JW_MAX_STATE);
    int code;
    bool ok = jw_process_capture(argv[0], argv, 20000, &out, &code, err);

    jw_buf_free(&out);
    if (ok && code)
        return jw_fail(err, JW_E_IO,
                       "systemctl --user start %s: exit code %d; systemctl --user status %s shows why",
                       JW_STARTUP_SERVICE, code, JW_STARTUP_SERVICE);
    return ok;
}

/* Starts it directly if neither systemd nor Windows can. */
static bool start_now(struct startup *s, struct jw_err *err)
{
    const char *const *words;

    if (s->out->with == JW_STARTUP_TASK)
        return jw_startup_task_run(s->out->steps[0].path, err);
    if (s->out->with == JW_STARTUP_SYSTEMD && s->host.systemctl)
        return ask_systemd(s, err);
    words = jw_startup_command(&s->spec, s->run->a);
    return jw_detach(words[0], words, NULL, err);
}

bool jw_startup_run(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                    struct jw_err *err)
{
    struct jw_startup_options all;
    struct startup s = { .o = o, .run = run, .out = out };

    if (!find_for_this_user(&s, &all, err))
        return false;
    if (out->with == JW_STARTUP_AUTO) {
        startup_not_installed(&s);
        return true;
    }
    if (out->program)
        s.spec.exe = out->program;
    return o->dry_run || start_now(&s, err);
}

/* ---- status ---- */

bool jw_startup_status(struct jw_run *run, const struct jw_startup_options *o, struct jw_startup_report *out,
                       struct jw_err *err)
{
    struct jw_startup_options all;
    struct startup s = { .o = o, .run = run, .out = out };

    return find_for_this_user(&s, &all, err) && startup_status(&s, err);
}

bool jw_startup_is_installed(struct jw_arena *a)
{
    const struct jw_startup_options own = { 0 };
    struct jw_startup_options all;
    struct jw_startup_report r = { 0 };
    struct jw_run run = { .a = a };
    struct startup s = { .o = &own, .run = &run, .out = &r };
    struct jw_err ignored;
    bool known = find_for_this_user(&s, &all, &ignored) && r.with != JW_STARTUP_AUTO;

    for (size_t i = 0; known && i < r.n_steps; i++)
        known = r.steps[i].found != JW_FOUND_NOTHING && r.steps[i].found != JW_FOUND_OTHERS;
    return known;
}
