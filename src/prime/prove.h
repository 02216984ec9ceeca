/* The proof: fresh processes load what is called warm. */
#pragma once

#include "prime/hold.h"

/* For each architecture a fresh process loads the warm jobs with the settings of this environment.
 * Counts what is found and added, and sets look->proof. Modules that no worker can read are written
 * into the folder of `hold`, which is made if needed. */
bool jw_prove(struct jw_run *run, struct jw_look *look, struct jw_hold *hold,
              struct jw_err *err) JW_MUST;
