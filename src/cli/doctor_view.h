/* What cmd_doctor hands to the two ways of telling it. */
#ifndef CLI_DOCTOR_VIEW_H
#define CLI_DOCTOR_VIEW_H

#include "cli/cli.h"
#include "engine/probe.h"
#include "host/gpus.h"

enum doctor_severity { DOCTOR_NOTE, DOCTOR_WARNING, DOCTOR_ERROR };

/* Something that the user should know: what is so, what follows, what to do. */
struct doctor_finding {
    const char *id; /* "driver-absent" */
    enum doctor_severity severity;
    const char *text, *fix; /* fix NULL: nothing to do */
};

enum { DOCTOR_MAX_FINDINGS = 16 };

struct doctor_view {
    const struct jw_probe_report *probe;
    const struct jw_host_gpus *here;
    const char *asked; /* $JITWARM_DRIVER, where it names the library; NULL: the system's was looked for */
    bool windows;      /* whose words are used */
    struct doctor_finding findings[DOCTOR_MAX_FINDINGS];
    size_t n_findings;
};

/* Did the driver show GPUs to programs? */
static inline bool doctor_sees_gpus(const struct doctor_view *v)
{
    return !v->probe->broken && v->probe->driver.init_result == 0 && v->probe->n_devices > 0;
}

/* The driver's version; where its library does not tell, what the kernel's part of it says. NULL: unknown. */
static inline const char *doctor_version(const struct doctor_view *v)
{
    const struct jw_worker_driver *d = &v->probe->driver;

    return d->version || d->simulated ? d->version : v->here->driver;
}

/* What the driver's answer means; sentences live in `a`. */
bool doctor_judge_driver(struct doctor_view *v, struct jw_arena *a, struct jw_err *err) JW_MUST;

bool doctor_write_json(struct cli *cli, const struct doctor_view *v, struct jw_err *err) JW_MUST;
bool doctor_write_text(struct cli *cli, const struct doctor_view *v, struct jw_err *err) JW_MUST;

#endif
