/* The settings in force on this machine, and the place that sets each. */
#ifndef DOCTOR_DOCTOR_SETTINGS_H
#define DOCTOR_DOCTOR_SETTINGS_H

#include "cache/status/status.h"
#include "session/session.h"

struct jw_doctor_setting {
    const char *name, *value, *origin; /* value NULL: not set, and there is no default to show */
};

struct jw_doctor_settings { /* in the order in which they are shown */
    struct jw_arena *a;
    struct jw_doctor_setting *v;
    size_t n;
    const char *refused; /* why the trusted keys are not listed; NULL: they are */
};

/* `cache`: as status found it. */
void jw_doctor_settings(struct jw_session *session, const struct jw_status_report *cache,
                        struct jw_doctor_settings *out);

#endif
