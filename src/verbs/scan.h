/* The findings of scan, for its report: scan.c has the rows, scan_table.c many files in one table, scan_words.c the sentences. */
#ifndef VERBS_SCAN_H
#define VERBS_SCAN_H

#include "base/text.h"
#include "cli/cli.h"
#include "cli/page.h"
#include "jitwarm/scan.h"
#include "software/fetch/fetch.h"
#include "software/find/discover.h"
#include "software/scan/verdict_words.h"

/* Does the next start compile nothing, and does all code run? Code that is loaded on demand or linked does not count. */
enum scan_check { SCAN_PASSED, SCAN_FAILED, SCAN_NO_CODE, SCAN_SAMPLED };

struct scan_view {
    struct jw_scan_report report;
    enum scan_check check;
    struct jw_gpu *gpus;
    size_t n_gpus;
    struct jw_verdict_known known;
    struct jw_discovery discovery;     /* without PATH: the roots, and what was skipped */
    const struct jw_package *owners;   /* one per file of the report */
    const enum jw_code_of *of;         /* the same: whose code it is */
    struct jw_notes run_time;          /* packages that compile while they run, and show no code */
    bool discovered, entries;          /* discovered: without PATH */
    bool everyone;                     /* the homes of all users were searched */
    const struct jw_fetched *packages; /* that were asked for by name */
    size_t n_packages;
    const char *
        elsewhere; /* where packages that could not be fetched here can be, and the command; NULL: all were */
    bool for_windows; /* the system that they were fetched for */
    /* why programs of this environment compile at each start: a sentence; NULL: they need not */
    const char *ignored;
    uint64_t limit;   /* of the cache, where a variable sets one; 0: none does */
    const char *todo; /* a command; NULL: nothing is to be done here */
};

/* Prints what to do about fetched packages, by the table of frameworks: a limit to set, a version with machine code. */
void scan_show_advice(struct jw_page *page, const struct scan_view *v);

/* The driver is older than the toolkit of a package needs, which its files do not say. */
bool scan_needs_newer_driver(const struct scan_view *v);

/* The table, for more files than are printed one by one. */
void scan_show_table(struct jw_page *p, const struct scan_view *v);

/* GPUs with the same text share a sentence: `put` is called once for each group, with their names. */
struct scan_sentences {
    void (*say)(struct jw_buf *out, size_t gpu, void *ctx);
    void (*put)(const char *gpus, const char *sentence, size_t first, void *ctx);
    void *ctx;
};
void scan_share_sentences(const struct scan_view *v, const struct scan_sentences *s);

enum jw_tint scan_tint(const struct jw_scan_verdict *v);

#endif
