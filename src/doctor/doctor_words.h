/* Between the judgements: what each says in the same way. */
#ifndef DOCTOR_DOCTOR_WORDS_H
#define DOCTOR_DOCTOR_WORDS_H

#include "doctor/doctor.h"

/* The variable of this process; NULL: unset. */
const char *doctor_variable(const struct jw_doctor_machine *m, const char *name);

/* Does CUDA_VISIBLE_DEVICES leave no GPU? */
bool doctor_hidden(const struct jw_doctor_machine *m);

/* "CUDA_CACHE_DISABLE=1, which /etc/environment sets": a variable as it is here, and who gives it to logins, where that is
 * the same value. */
const char *doctor_seen(const struct jw_doctor_machine *m, const char *name, const char *value,
                        struct jw_findings *f);

/* The command that sets a variable, or (value NULL) takes it away, and the sentence in front of it: how long that lasts. */
const char *doctor_set(const struct jw_doctor_machine *m, const char *name, const char *value,
                       struct jw_findings *f);
const char *doctor_last(const struct jw_doctor_machine *m, const char *name, const char *value,
                        struct jw_findings *f);

/* What sets it, or takes it away, in this shell and no longer. */
const char *doctor_now(const struct jw_doctor_machine *m, const char *name, const char *value,
                       struct jw_findings *f);

/* For a command line: in quotes where it needs them. */
const char *doctor_quoted(const struct jw_doctor_machine *m, const char *path, struct jw_findings *f);

/* "159 MiB" */
const char *doctor_bytes(uint64_t n, struct jw_findings *f);

/* What gives the driver a folder of this machine, with a name that nobody can take before us. */
const char *doctor_own_folder(const struct jw_doctor_machine *m);

#endif
