/* Whose folder is it? Asked of folders whose files become code that runs on the GPU, or facts that we act on. */
#ifndef MACHINE_TRUST_H
#define MACHINE_TRUST_H

#include "base/arena.h"
#include "jitwarm/err.h"
#include "os/files/tree.h"

#include <stdbool.h>

struct jw_trust {
    bool exists;
    bool sticky; /* a folder where, whoever may write to it, nobody can move or remove what is another's */
    const char *owner;   /* NULL: this user; else "user 1000", of whom nothing more is known */
    const char *writers; /* who else may change it: "everybody", "its group", "GPUBOX\\bob"; NULL: nobody */
    bool by_access_list; /* POSIX: they may by an access list, which the rights of the group do not show */
    const char *mend;    /* Windows: the command that takes that away, or the ownership; else NULL */
};

/* Windows: where the system does not say, or the file system has no rights, nothing is found against a folder. */
bool jw_trust_read(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err) JW_MUST;

/* Of a `noun` ("folder", "file") that we remember something in: false, with a sentence, when somebody else could have
 * written that. One that is not there is fine. */
bool jw_trust_believe(const char *path, const char *noun, struct jw_arena *a, struct jw_err *err) JW_MUST;
/* False (JW_E_TRUST), with a sentence: somebody else than this user and root may change it. */
bool jw_trust_own(const struct jw_trust *t, struct jw_err *err) JW_MUST;

/* The same of a folder that is held open: nobody can put another one in its place between the question and its use. */
bool jw_trust_held(const struct jw_tree *folder, struct jw_arena *a, struct jw_trust *out,
                   struct jw_err *err) JW_MUST;

/*
 * Of a folder that decides whose code may run here, opened once: it and every folder above it, up to this user's home or to the
 * root, as sshd's StrictModes has it. `*at` is the first that somebody else may change, and `out` what is the matter with it;
 * NULL: none. `held` is the folder, to be closed by the caller; closed when it is not there. Links are followed first: what
 * they lead to counts. Windows: the folder and the one above it may be changed by nobody else in any way; of those above, to add
 * something to them is no harm.
 */
bool jw_trust_way(const char *path, struct jw_arena *a, struct jw_tree *held, const char **at,
                  struct jw_trust *out, struct jw_err *err) JW_MUST;

/* Of a file that is open: nobody can put another one in its place. `path` is what it was opened by. */
bool jw_trust_file(const struct jw_file *f, const char *path, struct jw_arena *a, struct jw_trust *out,
                   struct jw_err *err) JW_MUST;

/* May it say whose packs are believed? False: JW_E_TRUST, with the sentence that says why not. */
bool jw_trust_decides(const struct jw_trust *t, const char *path, const char *noun,
                      struct jw_err *err) JW_MUST;

/*
 * Opens a file that decides whose code may run here, once. `*doubt` says why it may not, by it or a folder on the way to it, as
 * jw_trust_way; NULL: nothing speaks against it. `*found` false: there is none.
 */
bool jw_trust_open(const char *path, const char *noun, struct jw_arena *a, struct jw_file *f, bool *found,
                   const char **doubt, struct jw_err *err) JW_MUST;

/* A folder for this user alone, with the folders above it; one that is there stays as it is. */
bool jw_trust_make(const char *path, struct jw_err *err) JW_MUST;

#endif
