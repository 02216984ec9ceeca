/* How far a run is: one line on a terminal, a line now and then elsewhere. */
#pragma once

#include "base/buf.h"
#include "jitwarm/run.h"

struct cli;

/* What is kept between two updates; zeroed at the start. */
struct jw_meter {
    enum jw_phase phase;
    double since;     /* when the phase began */
    unsigned percent; /* of the work; never falls within a phase */
    double printed;   /* when the last line was printed, or the phase began; 0: never */
    double late;      /* as it was then */
};

/* Updates the percentage: while compiling of the estimated time, else of the work. */
void jw_meter_feed(struct jw_meter *m, const struct jw_progress *p);
/* Writes "41 of 143 modules, about 14 min left, 1 failed: libggml-cuda.so: flash_attn". */
void jw_meter_say(struct jw_buf *out, const struct jw_progress *p);

/* Is a line due in a log? They come ever less often: an hour makes about 50. That a module takes
 * long is said once of each; else `late` of the line becomes 0. */
bool jw_meter_logs(struct jw_meter *m, struct jw_progress *p);

void jw_progress_show(void *cli, const struct jw_progress *p); /* jw_run.progress */
