#include "verbs/net.h"

#include "os/machine/env.h"
#include "os/process/process.h"

/* Removes JITWARM_LOGIN from the environment, so that no child inherits it. */
static char *take_login(struct cli *cli)
{
    char *login = jw_env_take(cli->arena, "JITWARM_LOGIN");

    if (login)
        jw_process_shield();
    return login;
}

struct jw_remote_options net_options(struct cli *cli, const struct net_args *a, const struct jw_ref *ref)
{
    struct jw_remote_options net = { .cacert = a->cacert,
                                     .login = a->login ? a->login : take_login(cli),
                                     .deadline_s = a->deadline_s };
    struct jw_notes ignored = { 0 };

    jw_remote_configure(&net, ref, jw_session_config(&cli->session), cli->arena, &ignored);
    for (size_t i = 0; i < ignored.n; i++)
        jw_messages_warn(&cli->messages, "%s", ignored.v[i]);
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
