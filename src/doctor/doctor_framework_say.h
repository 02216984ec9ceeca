/* Findings about software: one function for each verdict. */
#ifndef DOCTOR_DOCTOR_FRAMEWORK_SAY_H
#define DOCTOR_DOCTOR_FRAMEWORK_SAY_H

#include "doctor/doctor_framework.h"

/* One piece of software on GPUs with the same verdict. */
struct said {
    const struct jw_case *c;
    const struct jw_software *s;
    const struct jw_judgement *j; /* of the first of them */
    size_t gpu;                   /* the first */
    const size_t *alike;          /* each of them */
    size_t n;                     /* how many */
    const char *name, *gpus;
    struct jw_findings *f;
};

/* Adds a finding; subject and evidence default to the software and how it is known. */
void said_add(const struct said *d, struct jw_finding one);
#define SAID(d, ...) said_add(d, (struct jw_finding){ __VA_ARGS__ })

/* What was reported of it on the first of the GPUs; false: nothing of this effect. */
bool said_report(const struct said *d, enum jw_report_effect effect, struct jw_report *out);

const char *said_holds(const struct said *d);  /* ": it holds code for 3.5 3.7"; "" not known */
const char *said_source(const struct said *d); /* "compute_70" */
/* "use TensorFlow >= 2.4 (best 2.5 to 2.10 with CUDA 11.2 and cuDNN 8.1)"; NULL: nothing better is known. */
const char *said_better(const struct said *d);
const char *said_install(const struct said *d); /* the pip command for it; NULL: pip does not have it */
/* The command for one version ("" the newest), or (`newer`) one from that version on; `tag`: for this CUDA. */
const char *said_pip(const struct said *d, const char *version, unsigned tag, bool newer);
const char *said_scan(const struct said *d); /* the command that fetches and scans this version; NULL: none */
const char *said_from(const struct jw_case *c); /* where a driver comes from */
const char *said_set(const struct said *d, const char *name, const char *value); /* "export NAME=VALUE" */

void say_warm(const struct said *d);
void say_jit_first(const struct said *d);
void say_jit_every(const struct said *d);
void say_known_to_fail(const struct said *d);
void say_no_kernel(const struct said *d);
void say_driver_old(const struct said *d);
void say_ptx_too_new(const struct said *d);
void say_dropped(const struct said *d);
void say_cpu_build(const struct said *d);
void say_libs_missing(const struct said *d);
void say_wrong_result(const struct said *d);
void say_not_compat(const struct said *d);
void say_own_compiler(const struct said *d, unsigned knows); /* the newest that it knows */
void say_no_verdict(const struct said *d);

#endif
