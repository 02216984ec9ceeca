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
    const char *mend;    /* Windows: the command that takes that away, or the ownership; else NULL */
};

/* Windows: where the system does not say, or the file system has no rights, nothing is found against a folder. */
bool jw_trust_read(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err) JW_MUST;

/* As jw_trust_read, of what decides whose code may run here: what the system does not say is an error. */
bool jw_trust_guarded(const char *path, struct jw_arena *a, struct jw_trust *out, struct jw_err *err) JW_MUST;

/* Of a `noun` ("folder", "file") that we remember something in: false, with a sentence, when somebody else could have
 * written that. One that is not there is fine. */
bool jw_trust_believe(const char *path, const char *noun, struct jw_arena *a, struct jw_err *err) JW_MUST;
/* The same of a folder that is held open: nobody can put another one in its place between the question and its use. */
bool jw_trust_held(const struct jw_tree *folder, struct jw_arena *a, struct jw_trust *out,
                   struct jw_err *err) JW_MUST;

/* A folder for this user alone, with the folders above it; one that is there stays as it is. */
bool jw_trust_make(const char *path, struct jw_err *err) JW_MUST;

#endif
