/* The texts of a report about this machine, and how they become a page. */
#ifndef VERBS_REPORT_H
#define VERBS_REPORT_H

#include "base/buf.h"
#include "doctor/finding.h"

#include <stddef.h>

enum { REPORT_COLUMNS = 5, REPORT_FACTS = 5, REPORT_TABLES = 4 };

struct report_fact {
    const char *label, *value;
};

struct report_column {
    const char *heading; /* NULL: the table has fewer */
    const char *class;   /* "name" of software, "n" a number, "v" a verdict; "" */
};

struct report_row {
    const char *cells[REPORT_COLUMNS]; /* NULL: unknown */
};

struct report_table {
    const char *title;
    const struct report_column *columns;
    struct report_row *rows;
    size_t n; /* 0: it is not shown */
};

struct report_page {
    const char *host; /* "" unknown */
    struct report_fact facts[REPORT_FACTS];
    size_t n_facts;
    const char *when, *next; /* the next command, and when it is for; or NULL */
    const struct jw_findings *findings;
    struct report_table tables[REPORT_TABLES];
    size_t n_tables;
};

/* Whatever the texts are, they cannot become markup. */
void report_write_html(struct jw_buf *out, const struct report_page *page);

#endif
