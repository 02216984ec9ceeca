/* The whole probe under test: real workers of the built program, on the simulated driver. Nothing
 * here is about hardware. */
#pragma once

#include "check.h"
#include "driver/probe/probe.h"
#include "session/session.h"

extern struct jw_arena rig_arena;

/* At the start of each test: no variable of another one, an empty state folder, a cache of the
 * user's. */
void rig_begin(void);
const char *rig_path(const char *name); /* in the test's folder */

struct jw_probe_options rig_options(void);
struct jw_session rig_session(void); /* a new one, with that driver */
/* It must give an answer, must not have touched the user's cache, and must have left nothing
 * behind. */
struct jw_probe_report rig_probe_with(const struct jw_probe_options *o);
struct jw_probe_report rig_probe(void);
void rig_check_clean(void);

/* Proven now, to its end. */
void rig_expect(const struct jw_probe_report *r, enum jw_level level);
/* Not to its end: this word in the sentence, and nothing is remembered. */
void rig_expect_unproven(const struct jw_probe_report *r, enum jw_level level, int refused,
                         const char *word);
