/*
 * Writes systemd units and Windows task definitions. Pure.
 *
 * Each file begins with
 *
 *   # Written by jitwarm VERSION: jitwarm startup install. jitwarm startup remove takes it away.
 *   # jitwarm-startup BLAKE2b-256-OF-ALL-BELOW folders=N
 *
 * The digest shows whether the file was edited. folders=N: how many folders above it (or above the link that enables
 * it) were created for it.
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
    const char *cache;   /* --cache; NULL: the default */
    const char *packs;   /* each run imports from this folder; NULL: none */
    bool prune, as_root;
    bool everybody;                  /* for all users of the machine, each as themselves */
    const char *user;                /* SID, for a task of one user; else NULL */
    const struct jw_child_edit *set; /* environment variables */
    size_t n_set;
};

/* The command line: argv[0] is the program; NULL at its end. */
const char *const *jw_startup_command(const struct jw_startup_spec *s, struct jw_arena *a);

/* Each appends a whole file. False: it cannot hold one of the values. */
bool jw_startup_service(const struct jw_startup_spec *s, unsigned folders, struct jw_buf *out,
                        struct jw_err *err) JW_MUST;
bool jw_startup_timer(const struct jw_startup_spec *s, unsigned folders, struct jw_buf *out,
                      struct jw_err *err) JW_MUST;
bool jw_startup_task(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err) JW_MUST;

/* "\jitwarm startup", of one user "\jitwarm startup S-1-5-21-...": tasks of all users share one place. */
bool jw_startup_task_name(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err) JW_MUST;

/* Read from a file. */
struct jw_startup_mark {
    bool ours;   /* written by jitwarm */
    bool intact; /* not edited since */
    unsigned folders;
    const char *program; /* that it starts, or NULL */
};

/* `program` lives in `a`. */
void jw_startup_read_mark(struct jw_bytes file, struct jw_arena *a, struct jw_startup_mark *out);

/* Reads a task definition, as Windows rewrote it. */
void jw_startup_read_task(const char *xml, struct jw_arena *a, struct jw_startup_mark *out);

/* Quotes words for systemd units and Windows task definitions. Pure. Call jw_startup_sayable first: neither can hold
 * all bytes. */

/* Checks for UTF-8 without control characters. `noun` names the text in the error. */
bool jw_startup_sayable(const char *noun, const char *text, struct jw_err *err) JW_MUST;

/* A word of ExecStart=: in double quotes; % and $ are doubled. In the path of the program, the first word,
 * only %. */
void jw_startup_unit_word(struct jw_buf *out, const char *text, bool program);

/* NAME=VALUE of Environment=, in double quotes: specifiers, but no variables. */
void jw_startup_unit_setting(struct jw_buf *out, const char *name, const char *value);

/* Text of an XML element. */
void jw_startup_xml_text(struct jw_buf *out, const char *text);

#endif
