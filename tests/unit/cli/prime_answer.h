/* What a verb would write, as text. */
#ifndef TESTS_CLI_PRIME_ANSWER_H
#define TESTS_CLI_PRIME_ANSWER_H

#include "verbs/prime.h"

struct answer_how {
    bool json, verbose;
    unsigned columns;
};

/* Lives until the next call. NULL: it failed. */
const char *answer_of(enum prime_verb verb, const struct jw_prime_report *r, struct answer_how how);
void answer_free(void);

#endif
