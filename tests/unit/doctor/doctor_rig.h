/* A machine that is well, to be made ill by the tests: pure facts, no file. */
#ifndef TESTS_DOCTOR_DOCTOR_RIG_H
#define TESTS_DOCTOR_DOCTOR_RIG_H

#include "check.h"
#include "doctor/doctor.h"

struct doctor_rig {
    struct jw_arena arena;
    struct jw_doctor_machine m;
    struct jw_status_report cache;
    struct jw_primed primed; /* nothing was */
    struct jw_device devices[4];
    struct jw_gpu gpus[4];
};

/* Linux, driver 580 with an RTX 3070, user anna with an empty cache on an ext4 disk, and a login like this environment. */
void doctor_rig(struct doctor_rig *r);
void doctor_rig_free(struct doctor_rig *r);

/* A test that is given such a machine as `r`. */
#define TEST_DOCTOR(id) TEST_WITH(id, struct doctor_rig, r, doctor_rig, doctor_rig_free)

/* A variable, here and in the login (NULL there: only here). */
void doctor_rig_set(struct doctor_rig *r, const char *name, const char *value, const char *origin);
/* CUDA_CACHE_MAXSIZE as jw_cachedir_find would understand it. */
void doctor_rig_limit(struct doctor_rig *r, const char *value);
/* The cache at this path; `value` NULL: the default place. */
void doctor_rig_root(struct doctor_rig *r, const char *cache, const char *value);

/* All findings of the machine; each is of a kind that there is, has what it must have, and commands that exist. */
struct jw_findings doctor_rig_check(struct doctor_rig *r);

/* Exactly one finding, of this id and severity; with these parts (NULL: not asked, "": none). */
struct wanted {
    const char *id;
    enum jw_severity severity;
    const char *subject, *evidence, *text, *consequence, *fix, *command;
};
#define PROBLEM(...) ((struct wanted){ .severity = JW_PROBLEM, .id = __VA_ARGS__ })
#define WARNING(...) ((struct wanted){ .severity = JW_WARNING, .id = __VA_ARGS__ })
#define NOTE(...) ((struct wanted){ .severity = JW_NOTE, .id = __VA_ARGS__ })
void doctor_rig_one(struct doctor_rig *r, struct wanted w);
/* The same among others. */
void doctor_rig_has(struct doctor_rig *r, struct wanted w);
void doctor_rig_none(struct doctor_rig *r, const char *id);

#endif
