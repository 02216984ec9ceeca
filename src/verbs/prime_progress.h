/* Shows the progress of a prime: a bar on a terminal, lines elsewhere, or a stream of JSON lines. */
#ifndef VERBS_PRIME_PROGRESS_H
#define VERBS_PRIME_PROGRESS_H

#include "base/rows.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "verbs/prime_meter.h"

/* A command that primes several times shows them as one: what the other runs did, and will do. */
struct prime_whole {
    double seconds_here, seconds_after;     /* predicted: to compile in this run, and in those after it */
    uint64_t done, here, total;             /* modules: of earlier runs, of this one, of all */
    uint64_t done_ptx, here_ptx, total_ptx; /* their bytes */
    double part;                            /* 0 .. 1 that was shown before: it does not fall */
};

struct prime_progress {
    struct jw_messages *messages;
    struct prime_meter meter;
    double last_line;         /* time of the last line, without a terminal */
    struct jw_output *stream; /* --progress json: docs/progress.md; NULL: for people */
    bool streamed;
    int64_t started;                 /* in its first line */
    enum jw_prime_phase phase;       /* of the last line of the stream */
    uint64_t began;                  /* of the command, monotonic ns; 0: with the run */
    const struct prime_whole *whole; /* or NULL */
};

/* jw_run.progress; `ctx` is a struct prime_progress. */
void prime_progress_show(void *ctx, const struct jw_progress *p);

/* Writes the last line of the stream. `run` NULL: there is no report. */
void prime_progress_end(struct prime_progress *s, const struct jw_run *run, uint64_t warm, uint64_t total,
                        int code);

/* Of a line of the stream. */
extern const struct jw_form progress_form;

#endif
