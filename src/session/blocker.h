/*
 * A blocker: a reason why jitwarm can warm nothing here, whatever there is to compile, such as no folder for
 * the driver's cache or for jitwarm's records. Every verb gives the same one, with the same command.
 */
#ifndef SESSION_BLOCKER_H
#define SESSION_BLOCKER_H

#include "machine/shell.h"
#include "machine/trust.h"
#include "session/session.h"

enum jw_blocker_kind {
    JW_BLOCKER_NONE,
    JW_BLOCKER_NO_HOME,       /* HOME is not set: each process compiles */
    JW_BLOCKER_HOME_MISSING,  /* it is no folder */
    JW_BLOCKER_HOME_RELATIVE, /* programs started in different folders have different caches */
    JW_BLOCKER_PATH_RELATIVE, /* the same by CUDA_CACHE_PATH */
    JW_BLOCKER_PATH,          /* nothing can be kept where it leads */
    JW_BLOCKER_STATE,         /* jitwarm's records cannot be written */
    JW_BLOCKER_FOREIGN, /* to root: the other user's programs could not use files that root makes in that user's folder */
    JW_BLOCKER_HIDDEN, /* programs see no GPU, by CUDA_VISIBLE_DEVICES: of prime's driver and of status, not of the folders */
    JW_BLOCKER_OPEN, /* other users may write to the cache's folder: nothing is put there, and what is warm stays */
    JW_BLOCKER_FULL /* for want of room, there or in the cache: what is warm stays; prime says how much is needed */
};

struct jw_blocker {
    enum jw_blocker_kind is;
    const char *variable; /* that is wrong, or that names another folder */
    const char *what;     /* a sentence; NULL: there is none */
    const char *command;  /* for this shell */
    /* the same, to stand before another command: "sudo -u anna"; NULL: `command` is run first */
    const char *as;
};

/* Programs keep nothing, either, or each elsewhere. */
static inline bool jw_blocker_is_of_programs(const struct jw_blocker *h)
{
    return h->is && h->is < JW_BLOCKER_STATE;
}

/* No prime can begin, and it is not known what is warm. With the other blockers, warm modules stay warm, and are
 * known. */
static inline bool jw_blocker_hides(const struct jw_blocker *h)
{
    return h->is && h->is < JW_BLOCKER_OPEN;
}

static inline bool jw_blocker_is_of_path(const struct jw_blocker *h)
{
    return h->is == JW_BLOCKER_PATH_RELATIVE || h->is == JW_BLOCKER_PATH;
}

/* Pure. Windows has no HOME; its profile is there when a user is logged in. */
struct jw_blocker_facts {
    bool windows;
    enum jw_shell shell;
    bool home_asked;      /* the driver's cache or jitwarm's state is below HOME */
    bool cache_elsewhere; /* the driver's cache is not */
    const char *home;     /* HOME's value; NULL or "": it is not set */
    const char *home_why; /* why it is no folder, "does not exist"; NULL: it is one */
    const char *path;     /* the value of CUDA_CACHE_PATH; NULL: it names no cache */
    const char *path_why; /* why nothing can be kept there, "is no folder"; NULL: that is not known */
    /* a file, or a link that leads nowhere, where the driver's default place would be; NULL: there is none */
    const char *place;
    const char *place_why;
    bool place_ours;             /* it can be renamed */
    const char *login_home;      /* of a fresh login, if it is a folder */
    const char *state, *because; /* the folder; why it cannot be written; NULL: it can */
    /* names that folder, and without it another one is taken that can be written; NULL: none does */
    const char *state_variable;
    const char *state_closes; /* the command after which it can be used; NULL: another folder is taken */
    /* a file or folder of jitwarm's that no run can use, in a folder that can be written; NULL: there is none */
    const char *blocked;
    const char *blocked_why; /* a sentence */
    const char *aside;       /* a name for it that is free */
    /* root alone: the folder of another user, in which it would make others; NULL: there is none */
    const char *foreign;
    const char *owner;
    bool foreign_named;     /* --cache or CUDA_CACHE_PATH leads there, not HOME */
    const char *caller;     /* the user who called sudo; NULL: nobody */
    const char *full;       /* the topmost folder of its disk, which is full; NULL: it is not */
    const char *cache_full; /* the same of the cache's disk */
    bool cache_unwritable;  /* the same holds for the cache's folder */
    const char *open;       /* the cache's folder, if it is this user's own and others may write to it */
    bool is_cache;          /* it is plainly the driver's, so that its mode may be changed */
    const char *writers, *closes; /* the users who may; the command that ends it on Windows */
    const char *without_path;     /* jw_session_without_path; NULL: it is to be unset here */
};

struct jw_blocker jw_blocker_of(const struct jw_blocker_facts *f, struct jw_arena *a);

/* The command `again`, so that it is not blocked. */
const char *jw_unblocked_command(const struct jw_blocker *h, const char *again, struct jw_arena *a);

/* `cache`: as in jw_session_cache_of. */
struct jw_blocker jw_session_blocker(struct jw_session *s, const char *cache, struct jw_arena *a);

/* The command after which a driver that finds nothing in this cache finds something again: its owner opens it, and the
 * cache of another user, which CUDA_CACHE_PATH names, is not used. NULL: the driver can look, or only doctor knows. */
const char *jw_session_way_out(struct jw_session *s, const char *cache, struct jw_arena *a);

/* The command after which programs of this shell take the driver's own place, and those of a login, too, where that
 * names the same cache: else both would differ. */
const char *jw_session_without_path(struct jw_session *s, struct jw_arena *a);

/* The blocker for CUDA_VISIBLE_DEVICES. `none`: the driver shows this process no GPU; else the answer rests
 * on the variable alone. */
struct jw_blocker jw_session_hidden_gpus(struct jw_session *s, bool none, struct jw_arena *a);

/* Is --cache (NULL: not given) a folder, or could one be made there? And is JITWARM_STATE an absolute path? False:
 * JW_E_USAGE, and the command that mends it, if there is one. */
bool jw_session_check_folders(const char *cache, struct jw_arena *a, const char **command,
                              struct jw_err *err) JW_MUST;

/* Why nothing can be made in the folder, or in the nearest one above it; NULL: something can. */
const char *jw_why_unwritable(const char *folder, struct jw_arena *a);

#endif
