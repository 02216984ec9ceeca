/* What a folder of cache trees holds, counted by everything that a key tells but its input. */
#ifndef TESTS_SAMPLE_TABLE_H
#define TESTS_SAMPLE_TABLE_H

#include "cache/format/jitcache.h"

struct sample_row {
    const char *tree, *payload; /* "ELF", "PTX" */
    char stamp[JW_CACHE_STAMP + 1], arch[12], options[512];
    enum jw_cache_kind kind;
    unsigned nuls, entries, orphans;
};

enum { SAMPLE_ROWS = 256 };

struct sample_table {
    struct sample_row rows[SAMPLE_ROWS];
    size_t n;
    unsigned left_out; /* entries for which there was no row */
};

/* Counts `row`, whose `entries` and `orphans` are 0 or 1, in the row that is like it. */
void sample_count(struct sample_table *t, const struct sample_row *row);
void sample_print(const struct sample_table *t);

#endif
