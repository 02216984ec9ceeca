/* Reads what a program printed, and knows of it: lines of the table of errors
 * (facts/tables/errors.csv), and the pause of a framework while the driver compiles. It is silent
 * about all else. */
#pragma once

#include "base/compiler.h"
#include "cause/remedy.h"
#include "facts/errors.h"
#include "jitwarm/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { JW_LOG_HITS = 16, JW_LOG_TEXT = 400, JW_LOG_BYTES = 64 << 20 };

struct jw_log_hit {
    uint64_t line; /* from 1 */
    struct jw_error_known known;
    char meaning[JW_LOG_TEXT],
        command[JW_LOG_TEXT]; /* known's, with the library that the line names */
    struct jw_remedy remedy;  /* beside the sentence known.remedy, of these texts */
};

struct jw_log_report {
    struct jw_log_hit hits[JW_LOG_HITS]; /* each error once, where it is first said */
    size_t n_hits;
    double pause;    /* seconds that it waited where the driver compiles, ten or more; 0: none */
    uint64_t before; /* the line before it */
    bool windows;    /* a program of Windows printed it */
    uint64_t lines;
    bool cut; /* the rest, behind JW_LOG_BYTES, was not read */
};

/* `path` "-" is standard input. JW_E_NAMED: another cannot be read. */
bool jw_doctor_log(const char *path, const atomic_bool *interrupted, struct jw_log_report *out,
                   struct jw_err *err) JW_MUST;

/* ---- pure, for tests ---- */

struct jw_log_reader {
    struct jw_log_report *out;
    char line[JW_LOG_TEXT];
    size_t n;
    uint64_t last; /* line that has a time; 0: none yet */
    double time;
    bool waits;      /* it comes before the driver compiles */
    bool tensorflow; /* it names TensorFlow */
};

/* Any bytes; NULs are passed over, so that UTF-16, as PowerShell's > writes it, is read, too. */
void jw_log_feed(struct jw_log_reader *r, const char *bytes, size_t n);
void jw_log_end(struct jw_log_reader *r);
