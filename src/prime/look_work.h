/* The parts of a look: modules in files (look_files.c, cu_files.c) or in entries alone
 * (look_entries.c), each once (look.c), whether the cache has them (look_cache.c), and files for
 * workers (spool.c). */
#pragma once

#include "cache/format/digest_set.h"
#include "prime/look.h"

struct looking {
    struct jw_look *look;
    /* what is read now, sorted: paths or found software, then files of recorded commands */
    struct jw_scan_folder *targets;
    size_t n_targets;
    struct jw_job *list; /* modules found so far, as often as each was found */
    size_t n, room;
    struct jw_digest_set used;  /* PTX in files that recorded commands load */
    struct jw_ledger **ledgers; /* two, without and with --all; NULL: none stays open */
};

/* Does the look include this root? All, or those of one command; none if paths are given. */
bool look_files_want(const struct looking *x, const struct jw_root *r);
/* Notes a path that could not be looked at. Closed ones come first: the remedy is about them. */
void look_unread(struct jw_run *run, struct jw_look *look, const char *path, const char *why,
                 bool named, bool closed);
/* Is the program of this command gone, or the folder that its words depend on? */
bool look_is_gone(const struct jw_root *command, struct jw_arena *a);
void look_lost(struct jw_run *run, struct jw_look *look,
               const struct jw_root *command); /* code of this command is gone or was replaced */
void look_lost_path(struct jw_look *look, const char *path); /* a path that was named is gone */
/* Counts a blocked module of a command, too. `needs`: the branch that takes it. */
void look_block(struct jw_look *look, const char *path, uint16_t needs);
/* Adds a module; the text of `path` lives as long as the look. */
void look_add(struct looking *x, const struct jw_job *j);

/* Returns the options by which files are scanned for modules of this scope. */
struct scan_jobs_options look_files_scan(struct jw_session *session, const struct jw_scope *scope,
                                         const struct jw_scan_folder *folders, size_t n);

/* Remembers that a fresh process could not use this entry. */
void look_cache_refuse(struct jw_run *run, struct jw_look *look, const struct jw_cache_file *f);
/* Opens the cache as it is now, looks for each job, and answers. A job whose entry is found becomes
 * WARM, a banned one BANNED, and one that was warm in an earlier look and has no entry now
 * UNSTORED. */
bool look_cache_judge(struct jw_run *run, struct jw_look *look, struct jw_err *err) JW_MUST;
/* Measures the free room of the cache's disk again: others may have filled it. */
void look_cache_measure_disk(struct jw_look *look);

/* Reads the given files, or those of roots, or of found software. */
bool look_files(struct jw_run *run, struct looking *x, struct jw_err *err) JW_MUST;
/* Returns the PTX of this .cu file as it is now; the state folder keeps it. It is made for the
 * oldest GPU of the scope, since newer ones run it, too. NULL: NVRTC could not make it; err says
 * why, with the path. */
const char *cu_files_ptx(struct jw_run *run, struct jw_look *look, const char *path,
                         struct jw_err *err);
/* Reads the files of recorded commands, for the modules that these commands loaded. */
bool look_files_of_commands(struct jw_run *run, struct looking *x, struct jw_err *err) JW_MUST;
/* Adds modules that were kept for a command, since no file has their PTX. */
void look_entries_kept(struct jw_run *run, struct looking *x);

/* Writes the PTX of wanted jobs that no worker can read into files of `work`: PTX that only an
 * entry has, and members of wheels, together with the other members of the same wheel. */
bool spool_jobs(struct jw_run *run, struct jw_look *look, const char *work,
                bool (*wanted)(const struct jw_job *j), struct jw_err *err) JW_MUST;
