/* Shows the progress of a prime: a bar on a terminal, lines elsewhere, or a stream of JSON lines. */
#ifndef PRIME_COMMAND_PRIME_PROGRESS_H
#define PRIME_COMMAND_PRIME_PROGRESS_H

#include "base/rows.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "prime/command/prime_meter.h"

struct prime_progress {
    struct jw_messages *messages;
    struct prime_meter meter;
    double last_line;         /* time of the last line, without a terminal */
    struct jw_output *stream; /* --progress json: docs/progress.md; NULL: for people */
    bool streamed;
    int64_t started;           /* in its first line */
    enum jw_prime_phase phase; /* of the last line of the stream */
};

/* jw_run.progress; `ctx` is a struct prime_progress. */
void prime_progress_show(void *ctx, const struct jw_progress *p);

/* Writes the last line of the stream. `r` NULL: there is no report. */
void prime_progress_end(struct prime_progress *s, const struct jw_prime_report *r, int code);

/* Of a line of the stream. */
extern const struct jw_form progress_form;

#endif
