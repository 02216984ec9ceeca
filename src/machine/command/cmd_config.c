#include "base/limits.h"
#include "base/text.h"
#include "cache/status/status.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/page.h"
#include "machine/config.h"
#include "machine/list.h"
#include "os/machine/env.h"
#include "pack/keys/keys.h"

#include <string.h>

enum { MOST_SETTINGS = 1 << 16, SAMPLE_WIDTH = 78 };

struct config_args {
    bool sample;
};

static const struct opt config_opts[] = {
    { "sample", 0, OPT_FLAG, offsetof(struct config_args, sample), NULL,
      "print a jitwarm.conf with every key explained and commented out", NULL, HINT_NONE },
    { 0 },
};

/* One setting and who said so. */
struct setting {
    const char *name, *value, *origin; /* value NULL: not set, and there is no default to show */
};

/* In the order in which they are shown. */
struct settings {
    struct jw_arena *a;
    struct setting *v;
    size_t n;
    struct jw_notes notes;
};

static void add_setting(struct settings *s, const char *name, const char *value, const char *origin)
{
    struct jw_err full;
    struct setting *slot = jw_list_add(s->a, &s->v, &s->n, sizeof *slot, MOST_SETTINGS, &full);

    if (slot)
        *slot = (struct setting){ name, value, origin };
}

/* A variable of ours, or what is used without it. */
static void add_own(struct settings *s, const char *name, const char *otherwise)
{
    const char *value = jw_env(s->a, name);
    bool set = value && *value;

    add_setting(s, name, set ? value : otherwise, set ? "environment" : "default");
}

static void add_item(struct settings *s, const char *name, const struct jw_conf_item *item, const char *usual)
{
    add_setting(s, name, item->value ? item->value : usual, item->value ? item->origin : "default");
}

static void add_list(struct settings *s, const char *name, const struct jw_conf_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        add_setting(s, name, list->v[i].value, list->v[i].origin);
    if (!list->n)
        add_setting(s, name, NULL, "default");
}

static void add_color(struct settings *s, const struct cli *cli)
{
    static const char *const words[] = { "auto", "always", "never" };
    const char *no_color = jw_env(s->a, "NO_COLOR");

    if (cli->common.color != PAINT_AUTO)
        add_setting(s, "color", words[cli->common.color], "--color");
    else if (no_color && *no_color)
        add_setting(s, "color", words[PAINT_NEVER], "NO_COLOR");
    else
        add_setting(s, "color", words[PAINT_AUTO], "default");
}

static const char *or_environment(const struct jw_setting_value *s)
{
    return s->value && strcmp(s->origin, "--cache") != 0 ? "environment" : s->origin;
}

/* "0807060504030201", "0807060504030201 for torch libfoo*" */
static void add_key(struct settings *s, const struct jw_trusted_key *key)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    char id[17];

    jw_minisign_show_id(id, key->key.id);
    jw_buf_text(&text, id);
    for (size_t i = 0; i < key->n_origins; i++)
        jw_buf_printf(&text, "%s%s", i ? " " : " for ", key->origins[i]);
    add_setting(s, "trust", jw_arena_str(s->a, jw_buf_cstr(&text)), key->from);
    jw_buf_free(&text);
}

/* Lists the trusted keys. If another user could have added one, lists none and says so. */
static void add_keys(struct settings *s, struct cli *cli, const struct jw_config *config)
{
    struct jw_keys_options o = { .conf = config };
    struct jw_trusted_keys keys;
    struct jw_err why = { 0 };

    if (!jw_keys_load(&o, s->a, &keys, &why)) {
        jw_messages_warn(&cli->messages, "%s", why.msg);
        add_setting(s, "trust", NULL, "refused");
        return;
    }
    for (size_t i = 0; i < keys.n; i++)
        add_key(s, &keys.v[i]);
    if (!keys.n)
        add_setting(s, "trust", NULL, "default");
}

static void gather_settings(struct settings *s, struct cli *cli, const struct jw_status_report *r)
{
    const struct jw_cachedir *d = &r->dir;
    const char *login = jw_env(s->a, "JITWARM_LOGIN");
    struct jw_config config;

    jw_config_load(s->a, &config);
    for (size_t i = 0; i < config.warnings.n; i++)
        jw_messages_warn(&cli->messages, "%s", config.warnings.v[i]);
    add_setting(s, "CUDA_CACHE_PATH", d->root, or_environment(&d->root_from));
    add_setting(s, "CUDA_CACHE_MAXSIZE", d->limit_from.value, or_environment(&d->limit_from));
    add_setting(s, "CUDA_CACHE_DISABLE", d->disabled_from.value ? d->disabled_from.value : "0",
                or_environment(&d->disabled_from));
    add_list(s, "roots", &config.roots);
    add_list(s, "exclude", &config.exclude);
    add_item(s, "jobs", &config.jobs, "half the CPUs");
    add_item(s, "store_cap", &config.store_cap, "2GiB");
    add_keys(s, cli, &config);
    add_list(s, "fleet", &config.fleet);
    add_list(s, "cacert", &config.cacert);
    add_list(s, "plain_http", &config.plain);
    add_color(s, cli);
    add_own(s, "JITWARM_STATE", r->state_dir);
    add_own(s, "JITWARM_STORE", r->store.dir);
    if (!jw_os_is_windows())
        add_own(s, "JITWARM_DRIVER", NULL);
    /* Never shows the password. */
    add_setting(s, "JITWARM_LOGIN", login && *login ? "(not shown)" : NULL,
                login && *login ? "environment" : "default");
}

/* ---- a sample ---- */

static void say_comment(struct jw_buf *out, const char *text)
{
    struct jw_buf lines = JW_BUF(JW_MAX_LINE);

    jw_help_wrap(&lines, text, 0, 0, SAMPLE_WIDTH);
    for (const char *at = jw_buf_cstr(&lines); *at;) {
        size_t n = strcspn(at, "\n");

        jw_buf_text(out, "# ");
        jw_buf_add(out, at, n);
        jw_buf_text(out, "\n");
        at += n + (at[n] == '\n');
    }
    jw_buf_free(&lines);
}

static int print_sample(struct cli *cli)
{
    struct jw_buf out = JW_BUF(JW_MAX_PAGE);

    say_comment(&out, "jitwarm.conf: settings of jitwarm. Remove the # before a line that you want to use.");
    say_comment(&out, "The file of the machine is /etc/jitwarm/jitwarm.conf; that of a user is "
                      "~/.config/jitwarm/jitwarm.conf. The user's file counts more; lists add up.");
    for (const struct jw_config_key *k = jw_config_keys; k->name; k++) {
        jw_buf_text(&out, "\n");
        say_comment(&out, k->what);
        if (k->list)
            say_comment(&out, "May be repeated.");
        else
            jw_buf_printf(&out, "# Default: %s\n", k->usual);
        jw_buf_printf(&out, "#%s = %s\n", k->name, k->example);
    }
    return jw_cli_page(cli, &out);
}

/* ---- the answer ---- */

/* A value may be set and empty. */
static void write_value(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const struct setting *s = of;

    jw_json_text(j, row->key, s->value);
}

static const struct jw_row setting_rows[] = {
    { JW_ROW("name", struct setting, name) },
    { JW_ROW("value", struct setting, value), JW_MAY, .write = write_value },
    { JW_ROW("from", struct setting, origin) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_LIST("settings", struct settings, v, n, setting_rows) },
    { JW_TEXTS("notes", struct settings, notes.v, notes.n) },
    { 0 },
};

const struct jw_form config_form = { "config", "Each setting, its value, and where the value comes from.",
                                     rows };

static bool show_settings(struct cli *cli, const struct settings *s, struct jw_err *err)
{
    static const struct jw_column columns[] = { { "SETTING", COLUMN_LEFT },
                                                { "VALUE", COLUMN_PATH },
                                                { "FROM", COLUMN_LEFT } };
    struct jw_table t;
    struct jw_page page;

    jw_page_open(&page, cli, 2, err);
    jw_table_begin(&t, cli->arena, columns, JW_COUNT(columns));
    for (size_t i = 0; i < s->n; i++) {
        jw_table_cell(&t, TINT_NONE, s->v[i].name);
        jw_table_cell(&t, TINT_NONE, s->v[i].value ? s->v[i].value : "-");
        jw_table_cell(&t, TINT_FAINT, s->v[i].origin);
    }
    jw_page_table(&page, &t);
    for (size_t i = 0; i < s->notes.n; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_text_clean(&text, s->notes.v[i]);
        jw_page_put(&page, i ? "" : "\n");
        jw_page_line(&page, TINT_WARN, "*", &text);
    }
    return !page.bad;
}

static int config_run(struct cli *cli, const void *p)
{
    const struct config_args *args = p;
    struct jw_status_options o = { .look = false, .interrupted = cli->interrupted };
    struct jw_status_report r = { 0 };
    struct settings s = { .a = cli->arena };
    struct jw_err err = { 0 };
    bool ok;

    if (args->sample)
        return print_sample(cli);
    ok = jw_status(&o, cli->arena, &r, &err);
    if (ok)
        gather_settings(&s, cli, &r);
    s.notes = r.dir.notes;
    ok = ok
         && (cli->common.json ? jw_output_report(&cli->out, &config_form, &s, &err)
                              : show_settings(cli, &s, &err));
    jw_status_free(&r);
    return ok ? EXIT_DONE : jw_cli_fail(cli, &err);
}

static const struct example config_examples[] = {
    { "jitwarm config", "which settings apply, and where each comes from" },
    { "jitwarm config --sample >~/.config/jitwarm/jitwarm.conf", "begin a jitwarm.conf" },
    { 0 },
};

const struct cmd jw_cmd_config = {
    .name = "config",
    .summary = "show each setting and where it comes from",
    .synopsis_args = "",
    .details =
        "A setting comes from an option, an environment variable, jitwarm.conf or a default. The environment "
        "is that of this shell; another login or a service may have another one (jitwarm env). A line of "
        "jitwarm.conf that makes no sense is a warning with its file and line.",
    .examples = config_examples,
    .opts = config_opts,
    .args_size = sizeof(struct config_args),
    .report = true,
    .run = config_run,
};
