/* Fills in the facts of the next start (memory/next_start.h) from a caller's report. */
#ifndef PRIME_FACTS_H
#define PRIME_FACTS_H

#include "prime/memory/next_start.h"

/* Sets the facts about this environment's cache: whether programs find what is in it, and keep it. The caller counts the
 * modules. `of_login`: asks about programs of a fresh login, too, which starts a shell. */
struct jw_session;
struct jw_cache_listing;
bool jw_next_start_of_cache(struct jw_session *s, const struct jw_cache_listing *l, bool of_login,
                            struct jw_next_start_facts *out, struct jw_err *err) JW_MUST;

/* Returns the facts of a prime, a dry run or a verification that has ended. The texts are those of the report. */
struct jw_prime_report;
struct jw_next_start_facts jw_prime_facts(const struct jw_prime_report *r);

/* Returns how the start of --run went (pack/kit/kit.h), without the command's name. */
struct jw_kit_last;
struct jw_kit_last jw_prime_last_start(const struct jw_prime_report *r);

#endif
