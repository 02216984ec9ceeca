/* Between the judgements: what each says in the same way. */
#ifndef ENGINE_DOCTOR_WORDS_H
#define ENGINE_DOCTOR_WORDS_H

#include "engine/doctor.h"

/* The variable of this process; NULL: unset. */
const char *doctor_variable(const struct jw_doctor_machine *m, const char *name);

/* "CUDA_CACHE_DISABLE=1, which /etc/environment sets": a variable as it is here, and who gives it to logins, where that is
 * the same value. */
const char *doctor_seen(const struct jw_doctor_machine *m, const char *name, const char *value,
                        struct jw_findings *f);

/* The lines that set a variable, or (value NULL) take it away, for now; and the sentence that says how it lasts. */
const char *doctor_set(const struct jw_doctor_machine *m, const char *name, const char *value,
                       struct jw_findings *f);
const char *doctor_last(const struct jw_doctor_machine *m, const char *name, const char *value,
                        struct jw_findings *f);

/* For a command line: in quotes where it needs them. */
const char *doctor_quoted(const struct jw_doctor_machine *m, const char *path, struct jw_findings *f);

/* "159 MB" */
const char *doctor_bytes(uint64_t n, struct jw_findings *f);

/* A cache folder that only this machine and user have: what CUDA_CACHE_PATH should be where the home will not do. */
const char *doctor_local_cache(const struct jw_doctor_machine *m, struct jw_findings *f);

#endif
