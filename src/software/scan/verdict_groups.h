/* Groups the verdicts on many files by package, for a few lines. Pure. */
#ifndef SOFTWARE_SCAN_VERDICT_GROUPS_H
#define SOFTWARE_SCAN_VERDICT_GROUPS_H

#include "base/compiler.h"
#include "software/scan/verdict_words.h"

struct jw_verdict_files {
    const struct jw_scan_report *report;
    const struct jw_package *owners; /* one per file */
    size_t n_gpus;
    bool by_package; /* else each file is a line */
};

/* One line: a package, or a file without one. */
struct jw_verdict_group {
    const char *name;
    enum jw_code_owner of;
    size_t files;
    uint64_t modules;
    const struct jw_scan_verdict **of_gpu; /* of the file that decides, one per GPU */
    enum jw_verdict worst;
    uint64_t bytes; /* of PTX that is compiled, for the GPU with the most */
};

/* In their order: those with nothing to run last, the users' own first, the worst first, then by bytes and name. */
struct jw_verdict_groups {
    struct jw_verdict_group *list; /* the caller frees it (jw_free), also after a failure */
    size_t n, cap;
};

bool jw_verdict_groups(const struct jw_verdict_files *files, struct jw_arena *a,
                       struct jw_verdict_groups *out, struct jw_err *err) JW_MUST;

#endif
