/* Parts of reports that several verbs have. */
#pragma once

#include "cli/report.h"
#include "pack/prune/prune.h"
#include "prime/prime.h"
#include "prime/watch.h"

/* All that is said of a look: its summary, the answer, what was not read or compiled, the cause
 * with what helps, the notes (-v and JSON: all), the proof. `below`: the verb says the head. Called
 * once. */
void jw_show_look(struct rep *r, bool below, const struct jw_summary *v, const struct jw_look *l);
/* PTX in pieces, of which this file has some; NULL: none has. */
void jw_note_pieces(struct rep *r, const char *first);
/* What could not be read, and why; in JSON "unread": [ ... ]. */
void jw_show_unread(struct rep *r, const char *label, const struct jw_unread *v, size_t n);
/* "about 4 min to compile, with 8 workers"; NULL: nothing was planned. */
const char *jw_estimate(const struct rep *r, const struct plan *p);
/* A row of a root, as forget takes it; behind a command its folder, unless it is `here`. */
void jw_show_root(struct rep *r, const struct jw_root *e, const char *title, const char *here);
/* Cells of a row: who made these entries, for which GPU, how many. */
void jw_show_build(struct rep *r, const struct jw_prune_group *group);
/* What a start of a command did: a sentence, and its lines; in JSON "command": { ... }. */
const char *jw_seen_head(struct rep *r, const struct jw_start_seen *s);
void jw_show_seen(struct rep *r, const struct jw_start_seen *s,
                  bool explained); /* a cause says why */
/* How fresh processes loaded them; in JSON "proof": { ... }. */
void jw_show_proof(struct rep *r, const struct jw_proof *p);
/* "jobs", in JSON alone: modules that this run compiled, or that are not warm; with -v all. */
void jw_show_jobs(struct rep *r, const struct jw_look *l);
/* Can the user be asked, once a list of what goes was shown? And how does that list end: where the
 * user is asked, or wanted nothing else (-n), it is only a list, else --yes is missing. */
bool jw_may_confirm(const struct cli *cli, const struct jw_run *run);
enum jw_end jw_end_of_list(const struct cli *cli, const struct jw_run *run);
/* Of a run that a person, another jitwarm or a time limit ended: the command that goes on. */
void jw_show_again(struct rep *r, const struct cli *cli, enum jw_end end);
