/* Parts of reports that several verbs have: what a look found, what a start of a command did, a proof, a pack. */
#ifndef VERBS_PRIME_PARTS_H
#define VERBS_PRIME_PARTS_H

#include "cli/report.h"
#include "prime/prime.h"
#include "prime/watch.h"

/* The head, unless it follows one: the cause that stopped the run (of doctor any cause), else the answer, else how it ended; then the
 * answer's lines. */
void jw_show_look(struct rep *r, enum rep_role role, const struct jw_run *run, const struct jw_look *l);
/* What could not be read, and why; in JSON "unread": [ ... ]. */
void jw_show_unread(struct rep *r, const char *label, const char *const *paths, const char *const *whys,
                    size_t n);
/* Behind it: why the answer is not warm, and the one line that helps; of a warm one its concerns; nothing where there is no answer. */
void jw_show_why(struct rep *r, const struct jw_look *l);
/* What may do harm later: the first, where there is no cause or a prime ends it; with -v and in JSON all. */
void jw_show_concerns(struct rep *r, const struct jw_look *l);
/* "7.2 s to 45.0 s with 1 worker"; NULL: nothing was planned. */
const char *jw_estimate(const struct rep *r, const struct plan *p);
/* One of the roots, in a row of a table, as forget takes it; `shown`: of the text, too. */
void jw_show_root(struct rep *r, const struct jw_roots *roots, const struct jw_root *e, bool shown);
/* Another jitwarm that works on this cache now; in JSON "running": { ... }. */
void jw_show_running(struct rep *r, const struct jw_look *l);
/* What a start of a command did: a sentence, and its lines; in JSON "command": { ... }. */
const char *jw_seen_head(const struct jw_start_seen *s);
void jw_show_seen(struct rep *r, const struct jw_start_seen *s);
/* How fresh processes loaded them; in JSON "proof": { ... }. */
void jw_show_proof(struct rep *r, const struct jw_proof *p);
/* In JSON alone, "jobs": [ ... ]: modules that this run compiled, or that are not warm; with -v all. */
void jw_show_jobs(struct rep *r, const struct jw_look *l);
/* The words of this command without a flag, which has a letter, or without an option and its value. */
const char *const *jw_words_without(const struct cli *cli, const char *option, const char *letter);
/* Where a question, another jitwarm, Ctrl-C or a time limit ended the run: the same command, with what lets it go on. */
void jw_show_again(struct rep *r, const struct cli *cli, enum jw_end end);

#endif
