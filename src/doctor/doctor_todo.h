/* doctor's last line. */
#ifndef DOCTOR_DOCTOR_TODO_H
#define DOCTOR_DOCTOR_TODO_H

#include "doctor/doctor.h"

struct jw_doctor_todo {
    const char *when;    /* where it is run, or what it is for; NULL: it mends, now and here */
    const char *command; /* as it is pasted */
};

/* The command of the worst finding that a command mends as pasted. If there is none, `when` says so, and the command
 * shows more, or makes a page for the person who can change it. If nothing is wrong, the command shows more. machine
 * NULL: the findings are a log's. They are sorted. */
struct jw_doctor_todo jw_doctor_todo(const struct jw_doctor_machine *machine,
                                     const struct jw_findings *findings);

#endif
