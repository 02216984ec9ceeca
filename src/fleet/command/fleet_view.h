/* What the verbs that share packs have in common, and what prime and run take of them. */
#ifndef FLEET_COMMAND_FLEET_VIEW_H
#define FLEET_COMMAND_FLEET_VIEW_H

#include "cli/cli.h"
#include "cli/opt.h"
#include "fleet/pull.h"
#include "fleet/push.h"
#include "pack/keys/keys.h"

/* How to reach a registry or a web server. */
struct net_args {
    const char *cacert, *cert, *cert_key;
    char *login; /* fleet_take_login; NULL: not taken yet, or none */
    unsigned deadline_s;
    bool plain_http;
};

#define FLEET_NET_OPTS(type)                                                                                 \
    { "cacert", 0,                                                                                           \
      OPT_TEXT, offsetof(struct type, net.cacert),                                                           \
      "FILE",   "trust this certificate authority, in place of the system's",                                \
      NULL,     HINT_FILES },                                                                                \
        { "cert",   0,                                                                                       \
          OPT_TEXT, offsetof(struct type, net.cert),                                                         \
          "FILE",   "show this client certificate",                                                          \
          NULL,     HINT_FILES },                                                                            \
        { "cert-key", 0,                                                                                     \
          OPT_TEXT,   offsetof(struct type, net.cert_key),                                                   \
          "FILE",     "the key of the client certificate",                                                   \
          NULL,       HINT_FILES },                                                                          \
        { "plain-http", 0,                                                                                   \
          OPT_FLAG,     offsetof(struct type, net.plain_http),                                               \
          NULL,         "allow http without TLS to other machines, too",                                     \
          NULL,         HINT_NONE },                                                                         \
    {                                                                                                        \
        "deadline", 0, OPT_DURATION, offsetof(struct type, net.deadline_s), "TIME",                          \
            "give up after 90s, 5m or 2h (default: 1h)", NULL, HINT_NONE                                     \
    }

/* What jitwarm.conf says counts where an option does not. */
struct jw_remote_options fleet_net(struct cli *cli, const struct net_args *a, const struct jw_ref *ref);

/* JITWARM_LOGIN, out of the environment before any child could inherit it. */
char *fleet_take_login(struct cli *cli);

struct push_args {
    struct net_args net;
    struct texts words, gpus, exclude, packs; /* words: REF, then PATHs */
    const char *cache, *sign, *mount, *attach;
    unsigned jobs;
    bool include_carried, from_store, replace;
};

struct pull_args {
    struct net_args net;
    struct texts words, gpus, trust; /* words: REF, then PATHs */
    const char *cache;
    unsigned wait_s;
    bool allow_unsigned, foreign, force, dry_run, verify, no_verify, no_audit, as_root, or_prime;
};

/* `to_stderr`: standard output belongs to another verb, so this text goes to stderr. */
int fleet_push(struct cli *cli, const struct push_args *args, bool to_stderr);
int fleet_pull(struct cli *cli, const struct pull_args *args, bool to_stderr);

/* fleet_push in two steps, for a verb that works long in between: what is wrong with REF or the key is said before.
 * EXIT_DONE, or it was said why not. Wipe `key`. */
int fleet_push_ready(struct cli *cli, const struct push_args *args, struct jw_minisign_secret *key);
int fleet_push_with(struct cli *cli, const struct push_args *args, const struct jw_minisign_secret *key,
                    bool to_stderr);

/* Before a command that runs in any case: one sentence of what was fetched, or of why nothing was. */
void fleet_pull_before(struct cli *cli, const struct pull_args *args);

bool fleet_push_text(struct cli *cli, const struct jw_push_report *r, const struct jw_ref *ref,
                     bool to_stderr, struct jw_err *err) JW_MUST;
bool fleet_push_json(struct cli *cli, const struct jw_push_report *r, const struct jw_ref *ref,
                     struct jw_err *err) JW_MUST;
bool fleet_pull_text(struct cli *cli, const struct jw_pull_report *r, bool dry_run, bool to_stderr,
                     struct jw_err *err) JW_MUST;
bool fleet_pull_json(struct cli *cli, const struct jw_pull_report *r, const struct jw_ref *ref, bool dry_run,
                     struct jw_err *err) JW_MUST;

extern const struct jw_form push_form, pull_form;

#endif
