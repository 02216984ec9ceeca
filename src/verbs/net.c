#include "verbs/net.h"

#include "cache/status/status.h"
#include "machine/config.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>

/* Removes JITWARM_LOGIN from the environment, so that no child inherits it. */
static char *take_login(struct cli *cli)
{
    char *login = jw_env_take(cli->arena, "JITWARM_LOGIN");

    if (login)
        jw_process_shield();
    return login;
}

/* Ignores lines that others could have written: they would decide which server gets the login. */
static bool is_safe(struct cli *cli, const struct jw_conf_item *line)
{
    if (line->doubt)
        jw_messages_warn(&cli->messages, "%s: line ignored: %s", line->origin, line->doubt);
    return !line->doubt;
}

struct jw_remote_options net_options(struct cli *cli, const struct net_args *a, const struct jw_ref *ref)
{
    struct jw_remote_options net = { .cacert = a->cacert,
                                     .login = a->login ? a->login : take_login(cli),
                                     .deadline_s = a->deadline_s };

    if (!ref->host)
        return net;

    const struct jw_config *config = jw_session_config(&cli->session);

    for (size_t i = 0; i < config->plain.n; i++)
        net.plain_http =
            net.plain_http
            || (strcmp(config->plain.v[i].value, ref->host) == 0 && is_safe(cli, &config->plain.v[i]));
    for (size_t i = config->cacert.n; i && !net.cacert && !net.plain_http; i--)
        if (is_safe(cli, &config->cacert.v[i - 1]))
            net.cacert = config->cacert.v[i - 1].value;
    return net;
}

void net_show_for(struct jw_page *p, const char *driver, const char *stamp, uint16_t sm)
{
    if (driver)
        jw_page_say(p, TINT_NONE, "For", "driver %s, sm_%u", driver, (unsigned)sm);
    else /* "Jan  7 202622:51:46" */
        jw_page_say(p, TINT_NONE, "For", "driver built %s, sm_%u", jw_stamp_text(stamp).text, (unsigned)sm);
}

size_t net_layers_shown(const struct jw_page *p, size_t n)
{
    return p->verbose || n <= NET_LAYERS ? n : NET_LAYERS;
}

void net_show_layers(struct jw_page *p, const struct jw_table *table, size_t shown, size_t all)
{
    jw_page_put(p, "\n");
    jw_page_table(p, table);
    jw_page_more(p, NULL, shown, all, "more", "more");
    jw_page_put(p, "\n");
}
