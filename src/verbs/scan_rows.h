/* What scan found of each file, what the driver compiles of it, and the table of that. */
#pragma once

#include "cli/report.h"
#include "software/scan/verdict_words.h"
#include "verbs/scan_scope.h"

enum scan_check { CHECK_NOTHING, CHECK_RUNS, CHECK_NATIVE };

struct scan_args {
    struct jw_texts paths, exclude;
    const char *driver;
    unsigned check; /* enum scan_check */
};

/* A file. Of many, those of one place with the same verdicts share a row of the table. */
struct row {
    const struct jw_scan_file *file;
    const char *place; /* its package, else its folder */
    bool own;          /* NVIDIA's: it raises no alarm */
    uint8_t verdicts[JW_MAX_SMS], worst;
    unsigned anywhere; /* a set of verdicts */
};

struct scanned {
    struct cli *cli;
    const struct scan_args *args;
    struct jw_arena *a;
    struct scan_scope of;
    bool compiles; /* a driver from files is asked, too */
    bool searched; /* there is no PATH: installed software was searched */
    const struct jw_scan_folder *folders;
    size_t n_folders;
    struct jw_discovery found;
    struct jw_scan_report report;
    struct row *rows; /* of each file */
};

/* Sets of verdicts. */
enum {
    DOES_NOT_RUN = 1 << JW_VERDICT_NONE | 1 << JW_VERDICT_BLOCKED,
    IS_UNKNOWN = 1 << JW_VERDICT_UNKNOWN,
    COMPILES = 1 << JW_VERDICT_COMPILES,
    HAS_CODE = DOES_NOT_RUN | IS_UNKNOWN | COMPILES | 1 << JW_VERDICT_NATIVE
};

/* The verdicts that --check does not let pass. */
unsigned scan_failing(const struct scanned *s);
/* The verdict as a set. NVIDIA's libraries without code for this GPU have one beside them. */
unsigned scan_verdict_on(const struct row *row, size_t gpu);
/* Makes the rows; in the order of the table, but for JSON. */
void scan_make_rows(struct scanned *s);

/* What the driver compiles: modules of how many, and their PTX. */
struct scan_amount {
    uint64_t jit, modules, ptx_bytes;
};
struct scan_amount scan_amount_on(const struct row *row, size_t gpu);
/* On one core; of a driver that is not known, the slowest. */
double scan_seconds(const struct scanned *s, const struct scan_amount *all);
/* "2 of 231 modules, 7.2 KiB, under 1 s", of the GPU where most is compiled; not `full`: without
 * the word. NULL: the driver compiles none of them, and may link some. */
const char *scan_amount_text(const struct scanned *s, const struct row *rows, size_t n, bool full);

/* Shows the table; of --check what fails. */
void scan_show_table(struct rep *r, const struct scanned *s);
