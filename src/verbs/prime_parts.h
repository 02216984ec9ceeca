/* Parts of a report that several verbs have. */
#ifndef VERBS_PRIME_PARTS_H
#define VERBS_PRIME_PARTS_H

#include "base/arena.h"
#include "cli/report.h"
#include "pack/export/export.h"
#include "prime/prime.h"
#include "prime/watch.h"

/* The head of a run that ended before it knew of modules. */
void jw_show_end(struct rep *r, enum jw_end end);
/* The answer, and what was not read; in JSON "unread": [ ... ]. Returns the exit code of the answer alone. */
int jw_show_answer(struct rep *r, const struct jw_answer *a, const struct jw_look *l);
/* Another jitwarm that works on this cache now, as the look met it; in JSON "running": { ... }. */
void jw_show_running(struct rep *r, const struct jw_look *l);
/* What a start of a command did: a sentence, and its lines; in JSON "command": { ... }. */
const char *jw_seen_head(enum jw_witness_answer compiled);
void jw_show_seen(struct rep *r, const struct jw_command_seen *s);
/* The line that primes the command `words` in the cache that it chose itself. */
void jw_show_own_cache(struct rep *r, const struct jw_command_seen *s, const char *const *words);
/* Behind an answer, for these askers (JW_ASKS_*): why it is not warm, and the one line that helps; of a warm one, what may do harm later. */
void jw_show_why(struct rep *r, enum jw_is is, const struct jw_facts *f, unsigned who);
/* How fresh processes loaded them: "verify": { ... }. */
void jw_show_proof(struct rep *r, const struct jw_verify_report *v);
/* What an export lacked that packed nothing of these paths; `named`: the line with which software is named, NULL: it takes none. */
void jw_show_unpacked(struct rep *r, const struct jw_export_report *e, const struct jw_texts *paths,
                      const char *named);
/* All modules, in JSON alone: "jobs": [ ... ]. */
void jw_show_jobs(struct rep *r, const struct jw_prime_report *p);
/* Modules that are not warm for a reason, by file, with the driver's words; text alone. */
void jw_show_failures(struct rep *r, const struct jw_prime_report *p);
/* Where a question or another jitwarm ended the run: the same command with what lets it go on. */
void jw_show_again(struct rep *r, const struct cli *cli, enum jw_end end);
/* What a pack is of: "software": [ ... ]; a line of the text where it is `shown`. */
void jw_show_software(struct rep *r, struct jw_arena *a, bool shown, const struct jw_pack_manifest *m);

#endif
