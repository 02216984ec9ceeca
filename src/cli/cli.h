/* What every verb is given, and how a run ends. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/arena.h"
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/messages.h"
#include "cli/opt.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum jw_exit {
    EXIT_DONE = 0,   /* or nothing to do */
    EXIT_PARTLY = 1, /* not wholly */
    EXIT_USAGE = 2,
    EXIT_NO_GPU = 3,       /* no usable GPU or driver */
    EXIT_CANNOT_WRITE = 4, /* space, rights, a limit */
    EXIT_UNFIT_PACK = 5,   /* a pack that does not fit this machine */
    EXIT_INTEGRITY = 6,    /* or signature */
    EXIT_BUSY = 7,         /* or consent or time lacking */
    EXIT_REMOTE = 8,
    EXIT_BUG = 70,
    EXIT_INTERRUPTED = 130
};

/* The values of the options of every verb (commands.c). */
struct common {
    bool json, stats, quiet, verbose, help;
    unsigned color; /* enum jw_paint_when */
};

struct cli {
    const struct cmd *cmd; /* the verb; NULL before it is known */
    struct common common;
    struct jw_messages messages; /* stderr */
    struct jw_answer answer;     /* stdout */
    struct jw_arena *arena;      /* lives as long as the run */
    /* True after Ctrl-C: long work polls it and fails with JW_E_INTERRUPTED. */
    const atomic_bool *interrupted;
};

/* Opens both streams; `cli->arena` must be set. */
void jw_cli_open(struct cli *cli);

/* Applies the common options once they have been read. */
void jw_cli_settle(struct cli *cli);

/* Tells the sentence on stderr, and gives the exit code that goes with it. An answer that could not be
 * written is left to jw_cli_close. */
int jw_cli_fail(struct cli *cli, const struct jw_err *err);

/* A question at the terminal, answered on `in`; `usual`: what a mere return means. */
bool jw_cli_ask(struct cli *cli, FILE *in, const char *question, bool usual);

/* As jw_cli_fail for a mistake in the command line: names the verb and where its help is. */
int jw_cli_usage(struct cli *cli, const struct jw_err *err);

/* A whole page as the answer, or the sentence why there is none; frees it. */
int jw_cli_page(struct cli *cli, struct jw_buf *page);

int jw_cli_exit(enum jw_end end);

/* Flushes the answer. The exit code of the run: `code`, or EXIT_CANNOT_WRITE with a sentence. */
int jw_cli_close(struct cli *cli, int code);

#endif
