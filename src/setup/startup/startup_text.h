/*
 * Makes systemd units and the definition of a Windows task, from the files of files/ with @NAMES@ in them. Pure.
 *
 * The first lines of a unit say that jitwarm wrote it, and which program it starts.
 */
#ifndef SETUP_STARTUP_STARTUP_TEXT_H
#define SETUP_STARTUP_STARTUP_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/process/child.h"

#include <stdbool.h>
#include <stddef.h>

#define JW_STARTUP_SERVICE "jitwarm-startup.service"
#define JW_STARTUP_TIMER "jitwarm-startup.timer"
#define JW_STARTUP_PATH "jitwarm-startup.path"

struct jw_startup_spec {
    const char *version; /* of jitwarm */
    const char *exe;     /* absolute */
    bool as_root;
    bool everybody;                  /* for all users of the machine, each as themselves */
    const char *user;                /* SID, for a task of one user; else NULL */
    const struct jw_child_edit *set; /* environment variables */
    size_t n_set;
};

/* The command line: argv[0] is the program; NULL at its end. */
const char *const *jw_startup_command(const struct jw_startup_spec *s, struct jw_arena *a);

/* Each appends a whole file. False: it cannot hold one of the values. */
bool jw_startup_service(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err) JW_MUST;
bool jw_startup_timer(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err) JW_MUST;
bool jw_startup_path(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err) JW_MUST;
bool jw_startup_task(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err) JW_MUST;

/* "\jitwarm startup", of one user "\jitwarm startup S-1-5-21-...": tasks of all users share one place. */
bool jw_startup_task_name(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err) JW_MUST;

/* Tells whether jitwarm wrote this file or task, as Windows rewrote it, and the program that it starts: NULL, or in `a`. */
bool jw_startup_unit_is_ours(struct jw_bytes file, struct jw_arena *a, const char **program);
bool jw_startup_task_is_ours(const char *xml, struct jw_arena *a, const char **program);

/* True if a Windows program is below one of these folders, each ended by \n. */
bool jw_startup_in_programs(const char *exe, const char *folders);

/* ---- quoting, for tests ---- */

/* A word of ExecStart=: in double quotes; % and $ are doubled. In the path of the program, the first word, only %. */
void jw_startup_unit_word(struct jw_buf *out, const char *text, bool program);

/* Text of an XML element. */
void jw_startup_xml_text(struct jw_buf *out, const char *text);

#endif
