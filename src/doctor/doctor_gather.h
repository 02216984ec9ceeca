/* Gathers what doctor/doctor.h checks. Reads and asks; changes nothing but what the probe remembers. */
#ifndef DOCTOR_DOCTOR_GATHER_H
#define DOCTOR_DOCTOR_GATHER_H

#include "doctor/doctor.h"
#include "session/session.h"

/* `cache`: where the report of the cache is kept; to be freed with jw_status_free once the findings are written. */
bool jw_doctor_gather(struct jw_session *s, struct jw_doctor_machine *out, struct jw_status_report *cache,
                      struct jw_err *err) JW_MUST;

/* Is it on the PATH? */
bool jw_doctor_has_program(const char *name);

/* The checks that were made, and those that were not, with the reason: sentences without a full stop. */
struct jw_doctor_checked {
    struct jw_notes checked, unchecked;
};

void jw_doctor_checked(const struct jw_doctor_machine *m, struct jw_arena *a, struct jw_doctor_checked *out);

#endif
