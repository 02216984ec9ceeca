/* Options and output of push and pull, and what run --pull uses of them. */
#ifndef FLEET_COMMAND_FLEET_VIEW_H
#define FLEET_COMMAND_FLEET_VIEW_H

#include "cli/cli.h"
#include "cli/opt.h"
#include "fleet/pull.h"
#include "fleet/push.h"

/* Network options. */
struct net_args {
    const char *cacert;
    char *login; /* fleet_take_login; or NULL */
    unsigned deadline_s;
};

#define FLEET_NET_OPTS(type)                                                                                 \
    { "cacert", 0,                                                                                           \
      OPT_TEXT, offsetof(struct type, net.cacert),                                                           \
      "FILE",   "trust this certificate authority instead of the system's",                                  \
      NULL,     HINT_FILES },                                                                                \
    {                                                                                                        \
        "deadline", 0, OPT_DURATION, offsetof(struct type, net.deadline_s), "TIME",                          \
            "fail if it takes longer than 90s, 5m or 2h (default: 1h)", NULL, HINT_NONE                      \
    }

/* Adds the settings of jitwarm.conf to the options. */
struct jw_remote_options fleet_net(struct cli *cli, const struct net_args *a, const struct jw_ref *ref);

struct pull_args {
    struct net_args net;
    struct texts words, trust; /* words: REF, then PATHs */
    const char *cache;
    bool allow_unsigned, everything, no_verify, dry_run, as_root, or_prime;
};

/* For run --pull: prints one sentence; errors do not stop the command. */
void fleet_pull_before(struct cli *cli, const struct pull_args *args);

/* `public_key`: of what signed the packs, as text; or NULL. `a_part`: of a matrix, which says at its end how its packs are used
 * (fleet_push_use). */
bool fleet_push_text(struct cli *cli, const struct jw_push_report *r, const struct jw_ref *ref,
                     const char *public_key, bool a_part, struct jw_err *err) JW_MUST;
bool fleet_push_use(struct cli *cli, const struct jw_ref *ref, const char *public_key,
                    struct jw_err *err) JW_MUST;
bool fleet_push_json(struct cli *cli, const struct jw_push_report *r, const struct jw_ref *ref,
                     struct jw_err *err) JW_MUST;
bool fleet_pull_text(struct cli *cli, const struct jw_pull_report *r, const struct jw_ref *ref,
                     bool to_stderr, struct jw_err *err) JW_MUST;
bool fleet_pull_json(struct cli *cli, const struct jw_pull_report *r, const struct jw_ref *ref, bool dry_run,
                     struct jw_err *err) JW_MUST;

extern const struct jw_row fleet_push_rows[];      /* of a struct jw_push_kind */
extern const struct jw_row fleet_pull_rows[];      /* of a struct jw_pull_report */
extern const struct jw_row fleet_pull_kind_rows[]; /* of a struct jw_pull_kind */
extern const struct jw_form push_form, pull_form, matrix_form;

/* (matrix_show.c) For list: a reference with ://, or a folder that push filled. */
bool matrix_is_remote(struct cli *cli, const char *word);
int matrix_list(struct cli *cli, const struct net_args *net, const char *word);

#endif
