/* How far a prime is, as it is shown: pure functions from what the engine says to lines of text. */
#ifndef PRIME_COMMAND_PRIME_METER_H
#define PRIME_COMMAND_PRIME_METER_H

#include "base/buf.h"
#include "jitwarm/prime.h"

/* What is remembered from one look to the next, so that the numbers do not jump. Zeroed to begin with. */
struct prime_meter {
    bool begun;
    enum jw_prime_phase phase;
    double seconds; /* of the last look */
    double eta;     /* smoothed; < 0: not known */
    double part;    /* 0 .. 1 of the work; never falls in a phase */
    double late;    /* for so many seconds all that is left should have been done */
};

/*
 * The part is that of the bytes, running modules counted by the time that they have had, and never more than the
 * remaining time allows: bytes may be nearly done when minutes are left.
 */
void prime_meter_feed(struct prime_meter *m, const struct jw_prime_progress *p);

/* For a terminal: a line with a bar, and below it what runs now and what was slowest, as far as `rows` of the terminal
 * allow; each line narrower than `columns`, a line feed between them. */
void prime_meter_lines(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p,
                       unsigned columns, unsigned rows);

/* For a file: "41 of 143 modules, 108 of 266 MiB, about 1 min 12 s left, 0 failed". */
void prime_meter_sentence(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p);

/* "; now libggml-cuda.so: flash_attn (38 s) and 3 more; slowest so far: mmq.cu, 58 s", or nothing. */
void prime_meter_say_slots(struct jw_buf *out, const struct jw_prime_progress *p);

#endif
