#include "base/limits.h"
#include "base/mem.h"
#include "cache/prune/repair.h"
#include "cache/status/command/status_view.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "machine/config.h"
#include "machine/list.h"
#include "os/machine/env.h"
#include "pack/keys/keys.h"

#include <string.h>

enum { MOST_SETTINGS = 1 << 16 };

struct status_args {
    const char *cache;
    bool check, config, metrics, repair;
};

static const struct opt status_opts[] = {
    { "cache", 0, OPT_TEXT, offsetof(struct status_args, cache), "DIR",
      "look at this cache (default: the one that CUDA programs use when they are started from here)", NULL,
      HINT_DIRS },
    { "check", 0, OPT_FLAG, offsetof(struct status_args, check), NULL,
      "read every byte of every entry, and exit with 6 if one is damaged", NULL, HINT_NONE },
    { "config", 0, OPT_FLAG, offsetof(struct status_args, config), NULL,
      "tell the settings instead, each with where it comes from", NULL, HINT_NONE },
    { "repair", 0, OPT_FLAG, offsetof(struct status_args, repair), NULL,
      "rebuild the cache's index first, if it is missing or damaged; no entry is removed", NULL, HINT_NONE },
    { "metrics", 0, OPT_FLAG, offsetof(struct status_args, metrics), NULL,
      "answer in Prometheus' text format", NULL, HINT_NONE },
    { 0 },
};

/* The settings of a run, in the order in which they are told. */
struct settings {
    struct jw_arena *a;
    struct status_setting *v;
    size_t n;
};

static bool add(struct settings *s, const char *name, const char *value, const char *origin,
                struct jw_err *err)
{
    struct status_setting *slot = jw_list_add(s->a, &s->v, &s->n, sizeof *slot, MOST_SETTINGS, err);

    if (slot)
        *slot = (struct status_setting){ name, value, origin };
    return slot != NULL;
}

/* A variable of ours, or what is used without it. */
static bool add_own(struct settings *s, const char *name, const char *otherwise, struct jw_err *err)
{
    const char *value = jw_env(s->a, name);

    if (value && *value)
        return add(s, name, value, "the environment", err);
    return add(s, name, otherwise, "default", err);
}

static bool add_list(struct settings *s, const char *name, const struct jw_conf_list *list,
                     struct jw_err *err)
{
    for (size_t i = 0; i < list->n; i++)
        if (!add(s, name, list->v[i].value, list->v[i].origin, err))
            return false;
    return list->n || add(s, name, NULL, "default", err);
}

static bool add_color(struct settings *s, const struct cli *cli, struct jw_err *err)
{
    static const char *const words[] = { "auto", "always", "never" };
    const char *no_color = jw_env(s->a, "NO_COLOR");

    if (cli->common.color != PAINT_AUTO)
        return add(s, "color", words[cli->common.color], "--color", err);
    if (no_color && *no_color)
        return add(s, "color", words[PAINT_NEVER], "NO_COLOR", err);
    return add(s, "color", words[PAINT_AUTO], "default", err);
}

static const char *or_environment(const struct jw_setting_value *s)
{
    return s->value && strcmp(s->origin, "--cache") != 0 ? "the environment" : s->origin;
}

static bool add_cuda(struct settings *s, const struct jw_cachedir *d, struct jw_err *err)
{
    return add(s, "CUDA_CACHE_PATH", d->root, or_environment(&d->root_from), err)
           && add(s, "CUDA_CACHE_MAXSIZE", d->limit_from.value, or_environment(&d->limit_from), err)
           && add(s, "CUDA_CACHE_DISABLE", d->disabled_from.value ? d->disabled_from.value : "0",
                  or_environment(&d->disabled_from), err);
}

/* "0807060504030201", "0807060504030201 for torch libfoo*" */
static bool add_key(struct settings *s, const struct jw_trusted_key *key, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    const char *value;
    char id[17];

    jw_minisign_show_id(id, key->key.id);
    jw_buf_text(&text, id);
    for (size_t i = 0; i < key->n_origins; i++)
        jw_buf_printf(&text, "%s%s", i ? " " : " for ", key->origins[i]);
    value = jw_arena_str(s->a, jw_buf_cstr(&text));
    jw_buf_free(&text);
    return value ? add(s, "trust", value, key->from, err) : jw_nomem(err, JW_MAX_LINE);
}

/* The keys whose packs are believed. Where somebody else could have put one, none is, and that is told. */
static bool add_keys(struct settings *s, struct cli *cli, const struct jw_config *config, struct jw_err *err)
{
    struct jw_keys_options o = { .conf = config };
    struct jw_trusted_keys keys;
    struct jw_err why = { 0 };

    if (!jw_keys_load(&o, s->a, &keys, &why)) {
        jw_story_warn(&cli->story, "%s", why.msg);
        return add(s, "trust", NULL, "refused", err);
    }
    for (size_t i = 0; i < keys.n; i++)
        if (!add_key(s, &keys.v[i], err))
            return false;
    return keys.n || add(s, "trust", NULL, "default", err);
}

static bool gather(struct settings *s, struct cli *cli, const struct jw_status_report *r, struct jw_err *err)
{
    struct jw_config config;

    if (!jw_config_load(s->a, &config, err))
        return false;
    for (size_t i = 0; i < config.warnings.n; i++)
        jw_story_warn(&cli->story, "%s", config.warnings.v[i]);
    return add_cuda(s, &r->dir, err) && add_list(s, "roots", &config.roots, err)
           && add_list(s, "exclude", &config.exclude, err)
           && add(s, "jobs", config.jobs.value, config.jobs.value ? config.jobs.origin : "default", err)
           && add(s, "store_cap", config.store_cap.value ? config.store_cap.value : "2GiB",
                  config.store_cap.value ? config.store_cap.origin : "default", err)
           && add_keys(s, cli, &config, err) && add_color(s, cli, err)
           && add_own(s, "JITWARM_STATE", r->state_dir, err) && add_own(s, "JITWARM_STORE", r->store.dir, err)
           && (jw_os_is_windows() || add_own(s, "JITWARM_DRIVER", NULL, err));
}

static bool tell(struct cli *cli, const struct status_args *args, const struct jw_status_report *r,
                 struct jw_err *err)
{
    struct settings s = { .a = cli->arena };
    struct status_view v = { .report = r, .check = args->check, .stats = cli->common.stats };

    if (args->config && !gather(&s, cli, r, err))
        return false;
    v.settings = s.v;
    v.n_settings = s.n;
    return cli->common.json ? status_write_json(cli, &v, err)
           : args->metrics  ? status_write_metrics(cli, &v, err)
                            : status_write_text(cli, &v, err);
}

/* What is done goes to stderr, before and after it: the answer is that of status. */
static bool repair(struct cli *cli, const char *cache, int *code, struct jw_err *err)
{
    struct jw_repair r;

    jw_story_progress(&cli->story, "looking at the cache's index, to rebuild it if it is missing or damaged");
    if (!jw_cache_repair(cache, cli->interrupted, cli->arena, &r, err))
        return false;
    jw_story_progress_end(&cli->story);
    if (r.end == JW_REPAIR_SOUND)
        jw_story_say(&cli->story, "The index is sound: nothing was repaired.");
    else if (r.end == JW_REPAIR_DONE)
        jw_story_say(&cli->story,
                     "The index was damaged (%s). It was rebuilt from %llu whole entries; %llu damaged files "
                     "got no record.",
                     r.healed.damage, (unsigned long long)r.healed.records,
                     (unsigned long long)r.healed.not_whole);
    else
        jw_story_error(&cli->story, "%s/index: %s", r.root, r.why);
    *code = r.end == JW_REPAIR_BUSY ? EXIT_BUSY : r.end == JW_REPAIR_CANNOT ? EXIT_CANNOT_WRITE : EXIT_DONE;
    return true;
}

static int status_run(struct cli *cli, const void *p)
{
    const struct status_args *args = p;
    struct jw_status_options o = {
        .cache = args->cache, .check = args->check, .look = !args->config, .interrupted = cli->interrupted
    };
    struct jw_status_report r = { 0 };
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (args->repair && (args->config || args->metrics))
        (void)jw_fail(&err, JW_E_USAGE, "--repair: not with --config or --metrics");
    else if (args->metrics && (args->config || cli->common.json))
        (void)jw_fail(&err, JW_E_USAGE, "--metrics is an answer of its own: not with --config or --json");
    else if (args->cache && !*args->cache)
        (void)jw_fail(&err, JW_E_USAGE, "--cache: the name is empty");
    if (err.code != JW_OK)
        return jw_cli_usage(cli, &err);
    if (args->repair && !repair(cli, args->cache, &code, &err))
        return jw_cli_fail(cli, &err);
    if (code != EXIT_DONE)
        return code;
    if (!jw_status(&o, cli->arena, &r, &err) || !tell(cli, args, &r, &err))
        code = jw_cli_fail(cli, &err);
    else if (args->check
             && (r.damaged.entries || r.list.index_lost || (r.list.index_damage && !r.list.index_unread)))
        code = EXIT_INTEGRITY;
    else if (!jw_status_whole(&r))
        code = EXIT_PARTLY;
    jw_status_free(&r);
    return code;
}

static const struct example status_examples[] = {
    { "jitwarm status", "what the driver keeps for CUDA programs that you start from this shell" },
    { "jitwarm status --check --cache /srv/cache/ComputeCache", "is every entry of that cache whole?" },
    { "jitwarm status --metrics > /var/lib/node_exporter/jitwarm.prom",
      "for the node exporter's text collector" },
    { "jitwarm status --config", "which setting holds, and who said so" },
    { 0 },
};

const struct cmd jw_cmd_status = {
    .name = "status",
    .summary = "show what the driver's cache holds",
    .synopsis_args = "",
    .details =
        "Tells where the NVIDIA driver keeps the code that it compiled for this user (its JIT cache, "
        "\"ComputeCache\"), how large that may grow, and what is in it: entries by the driver build "
        "that made them and by GPU architecture, those of OpenCL and NVRTC, the largest, and what is "
        "damaged or lost. An entry serves only the driver build that made it; which build is this "
        "machine's is known once it was probed.\n\n"
        "What prime recorded is held against what is there: entries that are gone, whether all that is "
        "needed fits under the limit, and which software the entries are of. A prime that is at work on "
        "this cache is told with how far it is.\n\n"
        "The environment of this shell decides: a service or another login may have another cache. "
        "Without --repair nothing is changed or locked, and the driver is not loaded. Caches of other "
        "programs (shader "
        "caches, PyTorch's, Triton's, CuPy's) are not looked at.\n\n"
        "--repair: a cache whose index is missing or damaged loses all other entries when the next program "
        "compiles something. The index is rebuilt from the records that are left and from whole entries.\n\n"
        "The exit code is 1 when part of the cache could not be read.",
    .examples = status_examples,
    .opts = status_opts,
    .args_size = sizeof(struct status_args),
    .report = true,
    .run = status_run,
};
