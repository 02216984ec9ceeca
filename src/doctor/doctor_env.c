#include "base/path.h"
#include "base/text.h"
#include "doctor/doctor_words.h"
#include "facts/env_defaults.h"

#include <string.h>

/* ---- variables that force or forbid compiling ---- */

/* Two that force it, two that forbid it. */
static const char *const switches[] = { "CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT", "CUDA_DISABLE_PTX_JIT",
                                        "CUDA_DISABLE_JIT" };

static void compiling(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    for (size_t i = 0; i < JW_COUNT(switches); i++) {
        const char *name = switches[i], *value = doctor_variable(m, name);
        bool forces = i < 2;

        if (!jw_switch_is_on(value))
            continue;
        JW_FINDING(
            f, .id = forces ? "setting-forces-compiling" : "setting-forbids-compiling", .of_status = forces,
            .severity = JW_WARNING, .subject = name, .evidence = doctor_where_set(m, name, value, f),
            .text = forces ? "a variable makes the driver compile all GPU code, even where machine "
                             "code exists"
                           : "a variable forbids the driver to compile",
            .consequence = forces ? "starts are slow, and programs without PTX do not run at all"
                                  : "programs whose code is neither for this GPU nor in the cache fail "
                                    "with error 223 or 209",
            .fix = doctor_how_to_set(m, name, NULL, f), .command = doctor_set_command(m, name, NULL, f));
    }
}

/* Drivers before CUDA 11.7 do not know it, and load eagerly. */
static void eager(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    enum { SINCE = 11070 };
    static const char name[] = "CUDA_MODULE_LOADING";
    const char *value = doctor_variable(m, name);

    if (!value || strcmp(value, "EAGER") != 0 || m->probe.driver.cuda_version < SINCE)
        return;
    JW_FINDING(f, .id = "setting-loads-all", .severity = JW_NOTE, .subject = name,
               .evidence = doctor_where_set(m, name, value, f),
               .text = "programs load all of their GPU code when they start, not what they use",
               .consequence =
                   "starts take longer; a first start compiles all that has no machine code for this GPU",
               .fix = doctor_how_to_set(m, name, NULL, f), .command = doctor_set_command(m, name, NULL, f));
}

static void hidden(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    static const char name[] = "CUDA_VISIBLE_DEVICES";
    const char *value = doctor_variable(m, name);

    if (!doctor_gpus_are_hidden(m))
        return;
    JW_FINDING(f, .id = "gpu-hidden", .of_status = true, .severity = JW_WARNING, .subject = name,
               .text = "all GPUs are hidden from programs", .evidence = doctor_where_set(m, name, value, f),
               .consequence = "programs run on the CPU, or say that there is no GPU",
               .fix = doctor_how_to_set(m, name, NULL, f), .command = doctor_set_command(m, name, NULL, f));
}

/* ---- other settings elsewhere ---- */

/* True if it decides where compiled code is cached, or whether the driver compiles. */
static bool decides(const char *name)
{
    static const char *const others[] = { "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_MODULE_LOADING",
                                          "HOME", "LD_LIBRARY_PATH" };

    return !jw_text_among(name, others, JW_COUNT(others));
}

/* True if a warning about this variable exists. */
static bool has_warning(const struct jw_findings *f, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < f->n; i++) {
        const struct jw_finding *one = &f->v[i];

        if (one->severity < JW_WARNING)
            continue;
        if (one->subject && strcmp(one->subject, name) == 0)
            return true;
        if (one->evidence && strncmp(one->evidence, name, n) == 0 && one->evidence[n] == '=')
            return true;
    }
    return false;
}

static const char *shown(const char *name, const char *value, struct jw_findings *f)
{
    return value ? doctor_setting(name, value, f) : jw_fmt(f, "%s not set", name);
}

/* Unset is this driver's default. */
static uint64_t limit_of(const struct jw_doctor_machine *m, const char *value)
{
    return jw_cache_limit_read(value, jw_doctor_version(m));
}

static bool means_the_same(const struct jw_doctor_machine *m, const char *name, const char *a, const char *b)
{
    if (strcmp(name, "CUDA_CACHE_DISABLE") == 0 && (!a || strcmp(a, "0") == 0) && (!b || strcmp(b, "0") == 0))
        return true;
    return jw_text_same(a, b)
           || (strcmp(name, "CUDA_CACHE_MAXSIZE") == 0 && limit_of(m, a) && limit_of(m, a) == limit_of(m, b));
}

/* The command after which each login has the value that is here; NULL: there is none. */
static const char *set_for_logins(const struct jw_doctor_machine *m, const struct jw_env_difference *d,
                                  struct jw_findings *f)
{
    const char *option = strcmp(d->name, "CUDA_CACHE_MAXSIZE") == 0 ? "--max-size"
                         : strcmp(d->name, "CUDA_CACHE_PATH") == 0  ? "--path"
                                                                    : NULL;

    return option && d->current && !m->probe.driver.container
               ? DOCTOR_COMMAND(m, f, "jitwarm", "env", "apply", option,
                                jw_command_is_plain(d->current, m->windows) ? d->current : "VALUE")
               : NULL;
}

static const char *lasting(const struct jw_doctor_machine *m, const struct jw_env_difference *d,
                           struct jw_findings *f)
{
    const char *command = set_for_logins(m, d, f);

    return command ? jw_fmt(f, "make it permanent (%s), or remove it here; for this shell:", command)
                   : "make it permanent, or remove it here; for this shell:";
}

/* The harm that a login does to programs by this value; NULL: none. */
static const char *harm_of(const struct jw_doctor_machine *m, const char *name, const char *value)
{
    if (!value)
        return NULL;
    if (strcmp(name, "CUDA_CACHE_MAXSIZE") == 0)
        return doctor_limit_keeps_nothing(m, value)
                   ? "programs that are started from there keep nothing of what they compile, and compile it "
                     "at each start"
                   : NULL;
    if (strcmp(name, "CUDA_CACHE_PATH") == 0)
        return !jw_path_absolute(value) ? "programs that are started from there have another cache in each "
                                          "working folder, or none"
                                        : NULL;
    return jw_switch_is_on(value)
                   && (jw_text_among(name, switches, JW_COUNT(switches))
                       || strcmp(name, "CUDA_CACHE_DISABLE") == 0)
               ? "programs that are started from there compile at every start, or fail"
               : NULL;
}

/* The command that takes the value out of the file that sets it for logins; NULL: no such file is known. */
static const char *take_out(const struct jw_doctor_machine *m, const struct jw_env_difference *d,
                            struct jw_findings *f)
{
    uint64_t meant;

    if (strcmp(d->name, "CUDA_CACHE_MAXSIZE") == 0 && !m->probe.driver.container
        && jw_text_u64(doctor_limit_meant(m, d->login, f), &meant))
        return jw_login_raise_limit(d, meant, m->windows, m->who.root, f->a);
    return jw_login_take_out(d, m->windows, m->who.root, f->a);
}

static bool is_spoilt_by(const struct jw_doctor_machine *m, const struct jw_env_difference *d)
{
    return strcmp(d->name, "CUDA_CACHE_PATH") == 0 && m->login_start.by == d
           && jw_login_spoils(&m->login_start);
}

static void login_harms(const struct jw_doctor_machine *m, const struct jw_env_difference *d,
                        struct jw_findings *f)
{
    JW_FINDING(f, .id = "setting-differs-at-login", .severity = JW_WARNING, .subject = d->name,
               .text = jw_fmt(f, "%s has %s", jw_login_name(d->terminal_only), shown(d->name, d->login, f)),
               .evidence = jw_fmt(f, "here %s; in %s %s%s%s", shown(d->name, d->current, f),
                                  jw_login_name(d->terminal_only), shown(d->name, d->login, f),
                                  d->origin ? ", from " : "", d->origin ? d->origin : ""),
               .of_status = m->login_start.by == d,
               .consequence = is_spoilt_by(m, d) ? m->login_start.what : harm_of(m, d->name, d->login),
               .fix = "change it for logins:", .command = take_out(m, d, f));
}

/* The variables that a container was started with are no settings of a login; those of this shell alone are lost with it. */
static void login_of_container(const struct jw_doctor_machine *m, const struct jw_env_difference *d,
                               struct jw_findings *f)
{
    JW_FINDING(f, .id = "setting-differs-at-login", .severity = JW_NOTE, .subject = d->name,
               .text = jw_fmt(f, "%s is set, and no file of the image sets it", d->name),
               .evidence = shown(d->name, d->current, f),
               .consequence = "if it was set in this shell, the next container has none",
               .fix = jw_fmt(f, "set it with %s", doctor_container_setting(m)));
}

/* Files set this for those shells of a container that read them. */
static void note_login(const struct jw_doctor_machine *m, const struct jw_env_difference *d,
                       struct jw_findings *f)
{
    const char *harm = harm_of(m, d->name, d->login);

    JW_FINDING(f, .id = "setting-differs-at-login", .severity = JW_NOTE, .subject = d->name,
               .text = jw_fmt(f, "a login shell of this container has %s", shown(d->name, d->login, f)),
               .evidence = jw_fmt(f, "here %s; in %s %s%s%s", shown(d->name, d->current, f),
                                  jw_login_name(d->terminal_only), shown(d->name, d->login, f),
                                  d->origin ? ", from " : "", d->origin ? d->origin : ""),
               .consequence = harm ? harm : "programs started from there may not find what is warmed here",
               .fix = "if programs are started from one (a devcontainer, JupyterHub), change it there:",
               .command = take_out(m, d, f));
}

/* Here they are seen: nothing compiles there, and nothing runs on a GPU. */
static void hidden_at_login(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_login_gpus *there = &m->login_gpus;

    if (!there->none || doctor_gpus_are_hidden(m))
        return;
    JW_FINDING(
        f, .id = "gpu-hidden", .severity = JW_WARNING, .subject = there->by->name,
        .text = jw_fmt(f, "all GPUs are hidden from programs of %s", jw_login_name(there->by->terminal_only)),
        .evidence = there->how,
        .consequence = "programs that are started from there run on the CPU, or say that there is no GPU",
        .fix = "take it out of the file that sets it:", .command = take_out(m, there->by, f));
}

static void login_unknown(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_start_line *at = &m->login.silent_at;
    const char *fix = "let its start files come to their end without a terminal, too";

    if (m->login_start.is == JW_LOGIN_PRELOADS)
        fix = "take it out of the file that sets it:";
    else if (m->login_start.is == JW_LOGIN_OTHER_DRIVER)
        fix = "give this shell the same driver, and prime for it:";
    else if (at->file && at->returns)
        fix = jw_fmt(f,
                     "with return in place of exit, line %u of %s ends the file, and not the shell (the old "
                     "one stays as %s.bak):",
                     at->number, at->file, jw_path_base(at->file));
    else if (at->file)
        fix =
            jw_fmt(f, "let line %u of %s come to its end without a terminal, too; this shows it:", at->number,
                   at->file);
    else if (at->shell)
        fix = jw_fmt(f, "%s; this shows what they do last:", fix);
    JW_FINDING(f, .id = "login-unknown", .severity = JW_WARNING, .of_status = true, .subject = "login",
               .text = m->login_start.what,
               .consequence = m->login_start.is == JW_LOGIN_OTHER_DRIVER
                                  ? "each driver has entries of its own in the cache"
                              : m->login_start.is == JW_LOGIN_PRELOADS
                                  ? "it may be another driver, or have the driver compile code of its own"
                                  : "they may use another cache, or compile at every start",
               .fix = fix, .command = m->login_start.command);
}

static void login(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (jw_login_is_unknown(&m->login_start))
        login_unknown(m, f);
    for (size_t i = 0; i < m->n_differs; i++) {
        const struct jw_env_difference *d = &m->differs[i];

        if (!decides(d->name) || has_warning(f, d->name) || means_the_same(m, d->name, d->current, d->login))
            continue;
        if (jw_login_weighs(d, m->probe.driver.container) != JW_LOGIN_COUNTS) {
            if (jw_login_weighs(d, true) == JW_LOGIN_NOTED)
                note_login(m, d, f);
            else if (d->current && !d->login)
                login_of_container(m, d, f);
            continue;
        }
        if (d->terminal_only && strcmp(d->name, "CUDA_CACHE_MAXSIZE") == 0
            && limit_of(m, d->login) >= limit_of(m, d->current))
            continue;
        if (m->login_start.is == JW_LOGIN_KEEPS_NOTHING && strcmp(d->name, "CUDA_CACHE_PATH") == 0) {
            JW_FINDING(f, .id = "setting-differs-at-login", .severity = JW_NOTE, .subject = d->name,
                       .text = m->login_start.what, .evidence = shown(d->name, d->current, f),
                       .consequence =
                           "what is warmed here serves programs that are started with this variable");
            continue;
        }
        if (harm_of(m, d->name, d->login) || is_spoilt_by(m, d)) {
            login_harms(m, d, f);
            continue;
        }
        const char *terminal = d->terminal_agrees ? set_for_logins(m, d, f) : NULL;

        JW_FINDING(f, .id = "setting-differs-at-login", .of_status = m->login_start.by == d,
                   .severity = d->terminal_agrees || strcmp(d->name, "CUDA_CACHE_MAXSIZE") == 0 ? JW_NOTE
                                                                                                : JW_WARNING,
                   .subject = d->name,
                   .text = jw_fmt(f, "%s differs from %s", d->name, jw_login_name(d->terminal_only)),
                   .evidence = jw_fmt(f, "here %s; in %s %s%s%s%s", shown(d->name, d->current, f),
                                      jw_login_name(d->terminal_only), shown(d->name, d->login, f),
                                      d->origin ? ", from " : "", d->origin ? d->origin : "",
                                      d->terminal_agrees ? "; a new terminal has what is here" : ""),
                   .consequence = "programs started from a desktop, a service or over the network may not "
                                  "find what is warmed here",
                   .fix = terminal
                              ? "programs of a new terminal start as those of this shell; for all others:"
                          : d->current ? lasting(m, d, f)
                                       : "set it here as the login does, or start a new shell; for this one:",
                   .command = terminal ? terminal : doctor_set_in_shell(m, d->name, d->login, f));
    }
}

/* ---- names that the driver does not know ---- */

/* The one of the driver's that was meant; NULL: not clear. */
static const char *meant(const char *name)
{
    static const struct {
        const char *part, *name;
    } parts[] = { { "SIZE", "CUDA_CACHE_MAXSIZE" },   { "MAX", "CUDA_CACHE_MAXSIZE" },
                  { "LIMIT", "CUDA_CACHE_MAXSIZE" },  { "DISABLE", "CUDA_CACHE_DISABLE" },
                  { "ENABLE", "CUDA_CACHE_DISABLE" }, { "PATH", "CUDA_CACHE_PATH" },
                  { "DIR", "CUDA_CACHE_PATH" },       { "FOLDER", "CUDA_CACHE_PATH" } };

    for (size_t i = 0; i < JW_COUNT(parts); i++)
        if (jw_text_find_nocase(name, parts[i].part))
            return parts[i].name;
    return NULL;
}

static void unknown_names(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    static const char *const known[] = { "CUDA_CACHE_PATH", "CUDA_CACHE_MAXSIZE", "CUDA_CACHE_DISABLE" };

    for (size_t i = 0; i < m->env.n; i++) {
        const struct jw_env_value *v = &m->env.v[i];
        const char *instead = meant(v->name);

        if (!v->value || !jw_text_starts(v->name, "CUDA_CACHE_")
            || jw_text_among(v->name, known, JW_COUNT(known)))
            continue;
        JW_FINDING(f, .id = "setting-unknown", .severity = JW_NOTE, .subject = v->name,
                   .evidence = doctor_setting(v->name, v->value, f),
                   .text = jw_fmt(f, "the driver does not know %s", v->name),
                   .consequence = "it has no effect on the driver's cache",
                   .fix = instead ? jw_fmt(f, "did you mean %s?", instead) : NULL);
    }
}

void jw_doctor_env(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    hidden(m, f); /* first: a program that sees no GPU compiles nothing */
    compiling(m, f);
    unknown_names(m, f);
    eager(m, f);
    hidden_at_login(m, f);
    login(m, f);
}
