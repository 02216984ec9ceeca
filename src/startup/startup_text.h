/*
 * What systemd and Windows' Task Scheduler are given so that jitwarm runs by itself: texts, made of a few
 * facts. Pure, and the same on every system.
 *
 * A file of ours begins with
 *
 *   # Written by jitwarm VERSION: jitwarm startup install. jitwarm startup remove takes it away.
 *   # jitwarm-startup BLAKE2b-256-OF-ALL-BELOW folders=N
 *
 * so that nothing but the file itself is needed to tell whether it is ours, whether somebody changed it since, and how many
 * of the folders above it (or above the link that enables it) were made for it.
 */
#ifndef STARTUP_STARTUP_TEXT_H
#define STARTUP_STARTUP_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/process.h"

#include <stdbool.h>
#include <stddef.h>

#define JW_STARTUP_SERVICE "jitwarm-startup.service"
#define JW_STARTUP_TIMER "jitwarm-startup.timer"

enum { JW_STARTUP_DELAY_S = 45, JW_STARTUP_WORKERS = 2 };

struct jw_startup_spec {
    const char *version; /* of jitwarm */
    const char *exe;     /* absolute */
    const char *cache;   /* --cache; NULL: the one that programs use */
    const char *packs;   /* a folder of packs that each run imports from; NULL: none */
    bool prune, as_root;
    bool everybody;                  /* for all users of the machine, each as themselves */
    const char *user;                /* SID, of a task that is for one user; else NULL */
    const struct jw_child_edit *set; /* variables that a user manager does not have by itself */
    size_t n_set;
};

/* The command line: argv[0] is the program; NULL at its end. */
const char *const *jw_startup_command(const struct jw_startup_spec *s, struct jw_arena *a);

/* Each appends a whole text. `folders` is for the mark. False: something in it cannot be said there. */
bool jw_startup_service(const struct jw_startup_spec *s, unsigned folders, struct jw_buf *out,
                        struct jw_err *err) JW_MUST;
bool jw_startup_timer(const struct jw_startup_spec *s, unsigned folders, struct jw_buf *out,
                      struct jw_err *err) JW_MUST;
bool jw_startup_task(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err) JW_MUST;

/* "\jitwarm startup", of one user "\jitwarm startup S-1-5-21-...": tasks of all users share one place. */
bool jw_startup_task_name(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err) JW_MUST;

/* What a file says of itself. */
struct jw_startup_mark {
    bool ours;
    bool intact; /* not changed since we wrote it */
    unsigned folders;
    const char *program; /* that it starts; NULL: it does not say */
};

/* `program` lives in `a`. */
void jw_startup_read_mark(struct jw_bytes file, struct jw_arena *a, struct jw_startup_mark *out);

/* Was this task definition made by us? Windows writes it again in its own words. `program` as above. */
void jw_startup_read_task(const char *xml, struct jw_arena *a, struct jw_startup_mark *out);

#endif
