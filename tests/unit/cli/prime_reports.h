/* Hand-filled reports of plan, prime and verify, one for each thing that a run may come to. */
#ifndef TESTS_CLI_PRIME_REPORTS_H
#define TESTS_CLI_PRIME_REPORTS_H

#include "verbs/prime.h"

#include <stddef.h>

struct made_report {
    const char *name;
    enum prime_verb verb;
    struct jw_prime_report report;
};

/* Made again by each call; what they point to lives until made_reports_free. NULL: there is none of this name. */
const struct made_report *made_report(const char *name);
const struct made_report *made_report_at(size_t i);
void made_reports_free(void);

#endif
