/* What several verbs have: parts of a report, the secret key of those that sign, the remote of those that a person names one, and the
 * prime that others start. */
#ifndef VERBS_PRIME_PARTS_H
#define VERBS_PRIME_PARTS_H

#include "base/arena.h"
#include "cli/report.h"
#include "fleet/remote/remote.h"
#include "pack/export/export.h"
#include "prime/prime.h"
#include "prime/watch.h"

/* The values of --gpu, each read once. What one means only here, the driver is asked later (prime/want.h). */
struct jw_asked_gpus jw_asked_gpus(const struct cli *cli);
/* Is one of them an architecture that no GPU here has? Asks the driver. */
bool jw_gpus_are_absent(struct cli *cli, const struct jw_asked_gpus *gpus, bool *absent,
                        struct jw_err *err) JW_MUST;

/* The head, unless it follows one: the cause that stopped the run (of doctor any cause), else the answer, else how it ended; then the
 * answer's lines. */
void jw_show_look(struct rep *r, enum rep_role role, const struct jw_run *run, const struct jw_look *l);
/* Behind it: why the answer is not warm, and the one line that helps; of a warm one its concerns; nothing where there is no answer. */
void jw_show_why(struct rep *r, const struct jw_look *l);
/* What may do harm later: the first, where there is no cause or a prime ends it; with -v and in JSON all. */
void jw_show_concerns(struct rep *r, const struct jw_look *l);
/* Another jitwarm that works on this cache now; in JSON "running": { ... }. */
void jw_show_running(struct rep *r, const struct jw_look *l);
/* What a start of a command did: a sentence, and its lines; in JSON "command": { ... }. */
const char *jw_seen_head(const struct jw_command_seen *s);
void jw_show_seen(struct rep *r, const struct jw_command_seen *s);
/* How fresh processes loaded them; in JSON "proof": { ... }. */
void jw_show_proof(struct rep *r, const struct jw_verify_report *v);
/* What an export lacked that packed nothing of these paths; `named`: the line with which software is named, NULL: it takes none. */
void jw_show_unpacked(struct rep *r, const struct jw_export_report *e, const struct jw_texts *paths,
                      const char *named);
/* All modules, in JSON alone: "jobs": [ ... ]. */
void jw_show_jobs(struct rep *r, const struct jw_look *l);
/* Where a question, another jitwarm, Ctrl-C or a time limit ended the run: the same command, with what lets it go on. */
void jw_show_again(struct rep *r, const struct cli *cli, enum jw_end end);
/* What a pack is of: "software": [ ... ]; a line of the text where it is `shown`. */
void jw_show_software(struct rep *r, bool shown, const struct jw_pack_manifest *m);

struct jw_passphrase {
    char p[1024]; /* 1,023 bytes, as in minisign, and their end */
    size_t n;
};

/* Asks for a passphrase at the terminal. Returns EXIT_DONE, or prints an error and returns its exit code; without a terminal EXIT_BUSY,
 * with the advice `without`. The caller wipes `out`. */
int jw_cli_passphrase(struct cli *cli, const char *prompt, const char *without, struct jw_passphrase *out);

/* Loads the key of --sign, and asks for its passphrase; all zero without --sign. Returns as above. */
int jw_cli_secret_key(struct cli *cli, struct jw_minisign_secret *out);

/* A registry or folder that the user named, and how to reach it: --cacert, JITWARM_LOGIN, and jitwarm.conf. */
bool jw_named_remote(struct cli *cli, const char *text, struct jw_ref *ref, struct jw_remote_options *net,
                     struct jw_err *err) JW_MUST;

/*
 * A prime of `paths` in the background, for a package's script (prime --post-install) and after an enrolment: as the user behind a package manager
 * (sudo, doas, pkexec), through that user's login shell, so it has the settings that programs will have; for root itself only in a
 * container or with `as_root`. Nothing is loaded, and nothing waits.
 * `*says`: what came of it, a sentence. False: it could not be started. A package's script ends with 0 in each case.
 */
bool jw_post_install(struct jw_session *s, bool as_root, struct jw_texts paths, const char **says) JW_MUST;

#endif
