/* A prime that would compile asks the sources of jitwarm.conf first. What nobody has, it compiles. */
#include "fleet/sources.h"
#include "verbs/prime.h"

#include <string.h>

enum { MIN_S = 60, MAX_S = 3600 };

/* A source that answers gets as long as compiling would take, within limits; and not more than is left. */
static unsigned deadline(const struct jw_prime_report *report, unsigned left_s)
{
    double s = report->seconds < MIN_S ? MIN_S : report->seconds > MAX_S ? MAX_S : report->seconds;

    return left_s && left_s < (unsigned)s ? left_s : (unsigned)s;
}

/* Seconds left of a time box after this run; at least one. */
static unsigned left_of_box(const struct jw_prime_options *o, const struct jw_run *run)
{
    uint64_t took = run->milliseconds / 1000;

    return !o->time_box_s ? 0 : took < o->time_box_s ? o->time_box_s - (unsigned)took : 1;
}

static bool take(struct cli *cli, const struct jw_prime_options *o, bool hurried,
                 const struct jw_prime_report *report, struct jw_pack_sources *sources, struct jw_err *err)
{
    const char *given = cli->session.cache;
    const struct jw_sources_options take = {
        .paths = o->paths,
        .n_paths = o->n_paths,
        .as_root = o->as_root,
        .deadline_s = deadline(report, left_of_box(o, report->run)),
        .hurried = hurried,
        .progress = jw_cli_progress,
        .ctx = cli,
    };

    if (report->own_cache)
        cli->session.cache = jw_arena_str(cli->arena, report->cache.root);
    bool ok = jw_sources_take(&cli->session, &take, sources, err);

    cli->session.cache = given;

    jw_messages_progress_end(&cli->messages);
    return ok || err->code == JW_E_INTERRUPTED; /* the prime ends by that, with its report */
}

bool prime_with_sources(struct cli *cli, struct jw_run *run, struct jw_prime_options *o, bool hurried,
                        struct jw_prime_report *report, struct jw_prime_memory **memory,
                        struct jw_pack_sources *sources, struct jw_err *err)
{
    *sources = (struct jw_pack_sources){ NULL, 0 };
    /* What a command loads is compiled by running it. */
    o->ask_first = jw_session_config(&cli->session)->source.n && !o->run && !o->dry_run && !o->verify_only;
    if (!jw_prime(run, o, report, memory, err))
        return false;
    if (!report->would_compile)
        return true;
    if (!take(cli, o, hurried, report, sources, err))
        return false;

    unsigned left = left_of_box(o, run);

    jw_prime_free(*memory);
    *memory = NULL;
    o->ask_first = false;
    o->time_box_s = left;
    return jw_prime(run, o, report, memory, err);
}
