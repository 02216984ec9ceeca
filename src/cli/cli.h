/* The struct that every verb receives, and the exit codes. */
#pragma once

#include "base/json.h"
#include "cli/opt.h"
#include "cli/progress.h"
#include "cli/stream.h"
#include "session/session.h"

enum jw_exit {
    EXIT_DONE = 0,   /* also: there was nothing to do */
    EXIT_PARTLY = 1, /* a part failed, or the answer is no */
    EXIT_USAGE = 2,
    EXIT_NO_GPU = 3,       /* no usable GPU or driver */
    EXIT_CANNOT_WRITE = 4, /* no space, no right, or a limit */
    EXIT_UNFIT_PACK = 5,   /* a pack that does not fit this machine */
    EXIT_INTEGRITY = 6,    /* a pack is damaged or its signature is bad */
    EXIT_BUSY = 7,         /* another jitwarm works, or --yes or time is missing */
    EXIT_REMOTE = 8,
    EXIT_BUG = 70,
    EXIT_INTERRUPTED = 130
};

struct cli {
    const struct cmd *cmd;     /* the verb; NULL before it is known */
    char *const *argv;         /* the whole command line; a NULL follows the last word */
    struct shared shared;      /* values of options that several verbs have */
    struct jw_stream messages; /* stderr */
    struct jw_stream out;      /* stdout */
    struct jw_json json;       /* of the open report */
    struct jw_meter meter;
    struct jw_arena *arena;    /* lives as long as the run */
    struct jw_session session; /* this machine */
    const char *login;         /* JITWARM_LOGIN, which is in no child's environment; NULL: unset */
};

/* Opens stdout and stderr as the shared options say. Set `cli->arena` and `cli->shared` before. */
void jw_cli_open(struct cli *cli);

/* Prints the error on stderr, and with --json as a report "error" on stdout; returns its exit
 * code. Of a wrong command line it also names the help of its verb. jw_cli_close reports failed
 * output. */
int jw_cli_fail(struct cli *cli, const struct jw_err *err);
/* The same of a refusal in words: JW_CLI_REFUSE(cli, &err, JW_E_USAGE, "..."). */
#define JW_CLI_REFUSE(cli, err, ...) ((void)jw_fail(err, __VA_ARGS__), jw_cli_fail(cli, err))

/* Begins a run that shows its progress, and asks at a terminal. */
struct jw_run jw_cli_run(struct cli *cli);
/* The same where nobody can be asked: every answer is yes, and no other jitwarm is waited for. */
struct jw_run jw_cli_run_alone(struct cli *cli);

int jw_cli_exit(enum jw_end end); /* jitwarm/ends.def; for people docs/README.md#exit-codes */

/* The last call: prints which lines of jitwarm.conf mean nothing, if it was read. Returns `code`,
 * or EXIT_CANNOT_WRITE if output failed. */
int jw_cli_close(struct cli *cli, int code);
