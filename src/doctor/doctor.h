/* What is wrong with this machine? Pure judgements over facts that were gathered before: nothing here reads a file. */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "cache/place/cacheplace.h"
#include "cache/status/status.h"
#include "doctor/finding.h"
#include "driver/probe/probe.h"
#include "env/files/login_env.h"
#include "machine/gpus.h"
#include "machine/whoami.h"
#include "software/find/cuda_programs.h"
#include "software/find/toolkit.h"

/* All that is judged. What was not looked at is zero, and then nothing is said of it. */
struct jw_doctor_machine {
    bool windows;      /* whose words are used */
    const char *asked; /* $JITWARM_DRIVER, where it names the library; NULL: the system's was looked for */
    struct jw_host_gpus here;
    struct jw_probe_report probe;
    struct jw_whoami who;
    struct jw_env_set env;                /* of this process: CUDA_*, and what could be meant to be one */
    const struct jw_status_report *cache; /* NULL: not looked at */
    struct jw_cache_place place;          /* root NULL: there is none */
    const char *const *store_pythons;     /* caches of their own */
    size_t n_store_pythons;
    struct jw_login_env login;
    struct jw_env_difference *differs; /* between this process and a login */
    size_t n_differs;
    struct jw_cuda_programs programs;
    struct jw_toolkit toolkits[JW_TOOLKITS];
    size_t n_toolkits;
};

/* Did the driver show GPUs to programs? */
bool jw_doctor_sees_gpus(const struct jw_doctor_machine *m);

/* The driver's version; where its library does not say, what the kernel's part of it says. NULL: unknown. */
const char *jw_doctor_version(const struct jw_doctor_machine *m);

/* Everything below, the worst first. */
void jw_doctor_judge(const struct jw_doctor_machine *m, struct jw_findings *f);

/* The library, its start, and what the probe made of it. */
void jw_doctor_driver(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Driver, GPUs and CUDA of this machine held against each other. */
void jw_doctor_versions(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Is the cache on, and large enough? */
void jw_doctor_cache_limit(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Where it lies, and whose it is. */
void jw_doctor_cache_place(const struct jw_doctor_machine *m, struct jw_findings *f);
/* What it holds. */
void jw_doctor_cache_content(const struct jw_doctor_machine *m, struct jw_findings *f);
/* Variables that defeat it, and processes that have others. */
void jw_doctor_env(const struct jw_doctor_machine *m, struct jw_findings *f);

#endif
