/* How far a prime or a verification is: a bar on a terminal, lines elsewhere, or a stream of JSON lines. */
#ifndef CLI_PRIME_PROGRESS_H
#define CLI_PRIME_PROGRESS_H

#include "base/buf.h"
#include "base/rows.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "jitwarm/prime.h"

#include <stdint.h>

/* ---- lines of text; pure ---- */

/* Smooths the numbers between two updates. Zeroed at the start. */
struct prime_meter {
    bool begun;
    enum jw_prime_phase phase;
    double seconds;  /* of the last look */
    double since;    /* when the phase began; 0: it was not seen to begin */
    double eta;      /* smoothed; < 0: not known */
    double last_eta; /* as it was last_eta at the last look */
    double part;     /* 0 .. 1 of the work; never falls in a phase */
};

/* The part is that of the estimated time while compiling, and that of the modules while verifying. */
void prime_meter_feed(struct prime_meter *m, const struct jw_prime_progress *p);

unsigned prime_meter_percent(const struct prime_meter *m);

/* For a terminal: "[#####......] 45 %, 1 min elapsed, about 1 min 12 s left" and below it "  libggml-cuda.so: flash_attn".
 * Each line is narrower than `columns`; the least important parts are dropped first. */
void prime_meter_lines(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p,
                       unsigned columns);

/* For a file: "41 of 143 modules, 103 of 254 MiB, about 1 min 12 s left, 0 failed". */
void prime_meter_sentence(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p);

/* "; now libggml-cuda.so: flash_attn (38 s) and 3 more; slowest so far: mmq.cu, 58 s", or nothing. */
void prime_meter_say_slots(struct jw_buf *out, const struct jw_prime_progress *p);

/* ---- where it is shown: a bar on a terminal, lines elsewhere, or a stream of JSON lines ---- */

/* The work of all runs, for a command that primes several times and shows them as one. */
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
    bool other;                      /* the work is none of the prime: a pull or a push */
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

/* The fields of a line of the stream. */
extern const struct jw_form progress_form;

#endif
