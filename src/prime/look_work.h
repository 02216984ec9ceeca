/* The parts of a look: files (look_files.c), entries of the cache (reuse.c), and their judgement (look.c). */
#ifndef PRIME_LOOK_WORK_H
#define PRIME_LOOK_WORK_H

#include "cache/format/digest_set.h"
#include "memory/ledger.h"
#include "prime/look.h"

struct looking {
    struct jw_run *run;
    const struct jw_want *want;
    struct jw_look *look;
    /* of the files and entries; of the commands' files, of which all modules count */
    struct jw_ledger *ledgers[2];
    struct scan_memo memos[2];
    struct jw_job *list; /* found so far, a module as often as it was found */
    size_t n, room;
    size_t n_asked;            /* of `list`: behind them are those of entries of other builds */
    struct jw_digest_set used; /* PTX that programs are known to load */
};

/* The roots that are looked at: all, one command's, or none where paths are given. */
bool look_wants_root(const struct looking *x, const struct jw_root *r);
/* Something that is part of the question and could not be looked at; the sentence has the path, too. */
void look_unread(struct jw_look *l, const char *path, const char *sentence);
void look_lost(struct jw_look *l, const struct jw_root *command); /* code of it is nowhere any more */
/* Adds a module; the text of `path` lives as long as the look. */
void look_add(struct looking *x, const struct jw_job *j);

/* How files are scanned for the modules of this scope. */
struct scan_jobs_options look_scan(struct jw_session *session, const struct jw_scope *scope,
                                   const struct jw_scan_folder *roots, size_t n);

/* What is known of files is taken from the ledger. `which`: of x->ledgers, which the caller closes. */
void look_ledger(struct looking *x, struct scan_jobs_options *o, size_t which);

/* Looks for all entries once more: of warm jobs those that are not found are UNSTORED, others that are found now are WARM. Remembers
 * what is found as sound. */
bool look_again(struct jw_look *l, struct jw_err *err) JW_MUST;

/* Reads the files: given ones, or named before and found. Sets unread, without_code. */
bool look_files(struct looking *x, struct jw_err *err) JW_MUST;
/* Reads the files of recorded commands for the modules that these loaded. */
bool look_commands(struct looking *x, struct jw_err *err) JW_MUST;
/* Adds modules whose PTX only the cache has: kept for a command, or compiled by another driver build. */
bool look_entries(struct looking *x, struct jw_err *err) JW_MUST;
void look_sort_entries(struct jw_look *l);

/* Writes modules of the wanted jobs that no worker can read into files of `work`: PTX that only an entry has, and members of wheels, with
 * all others of the same wheel. */
bool look_spool(struct jw_run *run, struct jw_look *l, const char *work,
                bool (*wanted)(const struct jw_job *j), struct jw_err *err) JW_MUST;
#endif
