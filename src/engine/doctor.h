/* What is wrong with this machine? Pure judgements over facts that were gathered before: nothing here reads a file. */
#ifndef ENGINE_DOCTOR_H
#define ENGINE_DOCTOR_H

#include "engine/finding.h"
#include "engine/probe.h"
#include "host/gpus.h"

struct jw_doctor_machine {
    bool windows;      /* whose words are used */
    const char *asked; /* $JITWARM_DRIVER, where it names the library; NULL: the system's was looked for */
    struct jw_host_gpus here;
    struct jw_probe_report probe;
};

/* Did the driver show GPUs to programs? */
bool jw_doctor_sees_gpus(const struct jw_doctor_machine *m);

/* The driver's version; where its library does not tell, what the kernel's part of it says. NULL: unknown. */
const char *jw_doctor_version(const struct jw_doctor_machine *m);

/* What the driver's answer means. */
void jw_doctor_driver(const struct jw_doctor_machine *m, struct jw_findings *f);

#endif
