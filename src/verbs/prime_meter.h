/* Makes lines of text from the progress of a prime. Pure. */
#ifndef VERBS_PRIME_METER_H
#define VERBS_PRIME_METER_H

#include "base/buf.h"
#include "jitwarm/prime.h"

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

#endif
