/* Evidence, from outside a command, of whether the driver compiled PTX for it. */
#ifndef JITWARM_WITNESS_H
#define JITWARM_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `nothing` needs evidence: the command used the driver that was watched, and the watch missed nothing. */
enum jw_witness_answer { JW_WITNESS_UNKNOWN, JW_WITNESS_NOTHING, JW_WITNESS_COMPILED };

/* "unknown" "nothing" "compiled" */
extern const char *const jw_witness_answer_names[3];

/* The environment of a process when it was looked at, as the driver reads it; NULL: not set. */
struct jw_process_settings {
    bool known;          /* false: its memory could not be read */
    const char *home;    /* HOME */
    const char *path;    /* CUDA_CACHE_PATH; a relative one is below `folder` */
    const char *disable; /* CUDA_CACHE_DISABLE */
    const char *limit;   /* CUDA_CACHE_MAXSIZE */
    const char *folder;  /* where it works */
};

/* Settings that a process of the command had while it had the driver, which reads them once, in cuInit: one for each that was seen. */
struct jw_witness_process {
    bool compiled; /* the process loaded the driver's compiler */
    struct jw_process_settings settings;
};

struct jw_witness_report {
    enum jw_witness_answer answer;
    bool unused;     /* no process of the command loaded the driver */
    bool shared;     /* another program had the driver compile, then or before */
    const char *why; /* of `unknown`, a sentence without a full stop; else NULL */
    const struct jw_witness_process *processes;
    size_t n;
    const char *const *files; /* programs and libraries that these processes had loaded, as far as was seen */
    size_t n_files;
};

#endif
