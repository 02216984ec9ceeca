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

/* Of a process of the command while it had the driver, which reads its environment once, in cuInit: one for each that was seen. */
struct jw_witness_process {
    bool compiled;     /* the process loaded the driver's compiler */
    const char *cache; /* the folder of its cache, an absolute path; NULL: it has none, or it is not known */
    const char *no_cache;    /* the setting by which the driver keeps nothing: "CUDA_CACHE_DISABLE=1"; NULL */
    const char *small_cache; /* the limit above which a module is never kept; NULL */
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
