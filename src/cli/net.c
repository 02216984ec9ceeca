#include "cli/net.h"

#include "cli/report.h"
#include "os/machine/env.h"

#include <string.h>

bool jw_cli_remote(struct cli *cli, const char *text, const char *cacert, struct jw_ref *ref,
                   struct jw_remote_options *net, struct jw_err *err)
{
    struct jw_notes ignored = { 0 };

    if (!jw_ref_parse(text, cli->arena, ref, err))
        return false;
    *net = (struct jw_remote_options){ .ref = ref,
                                       .cacert = cacert,
                                       .login = jw_env_take(cli->arena, "JITWARM_LOGIN") };
    jw_remote_configure(net, jw_session_config(&cli->session), cli->arena, &ignored);
    for (size_t i = 0; i < ignored.n; i++)
        jw_messages_warn(&cli->messages, "%s", ignored.v[i]);
    return true;
}

/* ---- the report of a pull ---- */

struct cells {
    struct jw_arena *a;
    const struct jw_pull_report *p;
};

enum column { SOFTWARE, GPU, STATE, SIZE, ENTRIES, ADDED, KEY, WHY, DIGEST, COLUMNS };

static void layer_cell(const void *ctx, size_t row, size_t column, struct rep_cell *out)
{
    const struct cells *c = ctx;
    const struct jw_pull_layer *l = &c->p->layers[row];
    const uint64_t numbers[COLUMNS] = { [SIZE] = l->size, [ENTRIES] = l->entries, [ADDED] = l->added };

    out->n = numbers[column];
    switch (column) {
    case SOFTWARE: out->text = l->software; break;
    case GPU: out->text = jw_arena_printf(c->a, "sm_%u", (unsigned)l->sm); break;
    case STATE:
        out->text = l->here                 ? "here"
                    : !l->fetched           ? "new"
                    : l->end == JW_END_DONE ? "added"
                                            : jw_end_names[l->end];
        break;
    case KEY: out->text = l->key; break;
    case WHY: out->text = l->why; break;
    default: out->text = l->digest; break;
    }
    out->tone = l->why ? REP_WARN : REP_PLAIN;
}

static const char *head_of(enum jw_end end, bool dry_run)
{
    switch (end) {
    case JW_END_DONE: return "Pulled";
    case JW_END_NOTHING:
        return dry_run ? "This is there for this machine" : "All of it was in the cache already";
    case JW_END_PARTLY: return "Pulled, but not all of it";
    case JW_END_UNFIT: return "Nothing was pulled: nothing there fits this machine";
    case JW_END_REFUSED: return "A pack was refused";
    default: return "Nothing was pulled";
    }
}

static int show_pull(struct cli *cli, const char *verb, const struct jw_pull_report *p)
{
    static const struct rep_column columns[COLUMNS] = { [SOFTWARE] = { "software", "Software", REP_TEXT,
                                                                       true },
                                                        [GPU] = { "gpu", "GPU", REP_TEXT, false },
                                                        [STATE] = { "state", "State", REP_TEXT, false },
                                                        [SIZE] = { "size", "Size", REP_BYTES, false },
                                                        [ENTRIES] = { "entries", NULL, REP_COUNT, false },
                                                        [ADDED] = { "added", "Added", REP_COUNT, false },
                                                        [KEY] = { "key", NULL, REP_TEXT, false },
                                                        [WHY] = { "why", NULL, REP_TEXT, false },
                                                        [DIGEST] = { "digest", NULL, REP_TEXT, false } };
    const struct cells c = { cli->arena, p };
    struct rep *r = rep_open(cli, verb);
    enum jw_end end = p->run->end;

    if (p->stopped)
        rep_cause(r, p->stopped, p->look.facts);
    else
        rep_head(r,
                 end == JW_END_DONE || end == JW_END_NOTHING ? REP_GOOD
                 : end == JW_END_REFUSED                     ? REP_BAD
                                                             : REP_WARN,
                 jw_end_names[end], "%s", head_of(end, cli->shared.dry_run));
    rep_table(r, "layers", columns, COLUMNS, p->n, layer_cell, &c, 0);
    rep_fact(r, "cache", "Cache", REP_PATH | REP_DETAIL, p->scope.cache);
    rep_fact(r, "fetched_bytes", "Fetched", REP_BYTES | REP_UNLESS0, p->fetched_bytes);
    rep_fact(r, "added", "Added", REP_COUNT | REP_UNLESS0, p->added);
    rep_fact(r, "added_bytes", NULL, REP_BYTES, p->added_bytes);
    rep_run(r, p->run);
    return rep_close(r, jw_cli_exit(end));
}

int jw_cli_pull(struct cli *cli, const char *verb, const char *text, const char *cacert,
                const struct jw_import_options *import)
{
    struct jw_ref ref;
    struct jw_pull_options o = { .import = *import };
    struct jw_run run = jw_cli_run(cli);
    struct jw_pull_report report = { 0 };
    struct jw_err err = { 0 };

    if (!jw_cli_remote(cli, text, cacert, &ref, &o.net, &err))
        return jw_cli_usage(cli, &err);
    jw_cli_warn_of_config(cli);
    jw_run_begin(&run);

    bool ok = jw_pull(&run, &o, &report, &err);

    jw_messages_progress_end(&cli->messages);
    int code = ok ? show_pull(cli, verb, &report) : jw_cli_fail(cli, &err);

    jw_pull_free(&report);
    return code;
}
