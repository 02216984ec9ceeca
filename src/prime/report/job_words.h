/* Sentences of prime and other verbs about modules that were to be compiled, and about the proof. Texts from
 * files are escaped. */
#ifndef PRIME_REPORT_JOB_WORDS_H
#define PRIME_REPORT_JOB_WORDS_H

#include "base/buf.h"
#include "jitwarm/prime.h"

const char *jw_job_path(const struct jw_job *job); /* of its first place; "" none */

void jw_job_say_part(struct jw_buf *out, uint64_t n, uint64_t all); /* "41 of 143 modules" */

/* "the driver refused it: CUDA_ERROR_INVALID_PTX (218): ..."; `jobs` selects "it" or "them". */
void jw_job_say_failure(struct jw_buf *out, const struct jw_job *job, uint64_t jobs);

/* "verified: ..." or "not verified: ...", of `all` modules, some or all of which recorded starts loaded. True: verified. */
bool jw_verify_say(struct jw_buf *out, const struct jw_verify_report *v, uint64_t all,
                   const struct jw_prime_starts *starts);

/* "all 6 modules of the start that was recorded 2 h ago," */
void jw_starts_say(struct jw_buf *out, uint64_t modules, const struct jw_prime_starts *s);

#endif
