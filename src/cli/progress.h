/*
 * How far a run is: one line on a terminal, a line now and then elsewhere, or with --progress json a stream of JSON lines
 * (docs/json.md). jw_run.progress of jw_cli_run comes here.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/buf.h"
#include "jitwarm/run.h"

struct cli;

/* The memory between two updates; zeroed at the start. */
struct jw_meter {
    enum jw_phase phase;
    double since;     /* when the phase began */
    unsigned percent; /* of the work; never falls in a phase */
    double printed;   /* when the last line was; 0: none */
};

extern const char *const jw_phase_names[JW_PHASE_VERIFY + 1]; /* "compile" */

/* Its percent are those of the estimated time while compiling, else of what is done. */
void jw_meter_feed(struct jw_meter *m, const struct jw_progress *p);
/* "41 of 143 modules, about 1 min 12 s left, 1 failed: libggml-cuda.so: flash_attn" */
void jw_meter_say(struct jw_buf *out, const struct jw_progress *p);

void jw_progress_show(void *cli, const struct jw_progress *p); /* jw_run.progress */
/* The last line of the stream: how the verb ended. */
void jw_progress_end(struct cli *cli, const char *result, const char *message, int code);

#endif
