/* The network options of list, push and pull, and how these reach a registry, a web server or a folder. */
#ifndef VERBS_NET_H
#define VERBS_NET_H

#include "cli/cli.h"
#include "cli/opt.h"
#include "cli/page.h"
#include "fleet/remote/remote.h"
#include "pack/import/import.h"

struct net_args {
    const char *cacert;
    char *login; /* net_options takes it; or NULL */
    unsigned deadline_s;
};

#define NET_OPT_CACERT(type)                                                                                 \
    {                                                                                                        \
        "cacert", 0, OPT_TEXT, offsetof(struct type, net.cacert), "FILE",                                    \
            "trust this certificate authority instead of the system's", NULL, HINT_GIVEN                     \
    }
#define NET_OPT_DEADLINE(type)                                                                               \
    {                                                                                                        \
        "deadline", 0, OPT_DURATION, offsetof(struct type, net.deadline_s), "TIME",                          \
            "fail if it takes longer than 90s, 5m or 2h (default: 1h)", NULL, HINT_NONE                      \
    }

/* Adds the settings of jitwarm.conf to the options. */
struct jw_remote_options net_options(struct cli *cli, const struct net_args *a, const struct jw_ref *ref);

#define NET_SHA "^sha256:[0-9a-f]{64}$"

enum { NET_LABEL = 10, NET_LAYERS = 12 };

/* Parts of the reports of push and pull: the machines that packs are for, and the table of layers, cut if it
 * is long. */
void net_show_for(struct jw_page *p, const char *driver, const char *stamp, uint16_t sm);
size_t net_layers_shown(const struct jw_page *p, size_t n);
void net_show_layers(struct jw_page *p, const struct jw_table *table, size_t shown, size_t all);

/* ---- pull (pull.c) ---- */

/* How it ends, and import. */
#define IMPORT_ENDS (~(JW_CAN(LISTED) | JW_CAN(TIME) | JW_CAN(WAITING) | JW_CAN(NOT_PROVEN)))

struct pull_args {
    struct net_args net;
    struct jw_import_options import; /* as far as the command line says it */
    struct jw_texts words;           /* REF, then PATHs */
    const char *cache;
    bool or_prime;
};

/* For run --pull: prints one sentence; errors do not stop the command. */
void pull_before(struct cli *cli, const struct pull_args *args);

#endif
