/* The steps of a prime that are about commands: `prime --run` watches one, and later runs use its record. */
#ifndef PRIME_COMMANDS_COMMAND_H
#define PRIME_COMMANDS_COMMAND_H

#include "prime/prime_work.h"

/* ---- one command: --run ---- */

/* Uses the cache that the command is known to have chosen itself. */
bool prime_recall_command(struct prime *p, struct jw_err *err);
/* Checks that cache (prime_check_own_cache). */
bool prime_check_recalled(struct prime *p, struct jw_err *err);
bool prime_watch(struct prime *p, struct jw_err *err); /* watches what the driver compiles for a command */
/* Keeps the PTX that a recorded command makes while it runs. */
bool prime_keep_made(struct prime *p, struct jw_err *err);
bool prime_record_command(struct prime *p, struct jw_err *err); /* --run: watches a command */
/* Remembers with this cache that a command was to be recorded, and was not started. */
void prime_leave_command(struct prime *p, const char *cache);
/* Adds what the command may load, and its files. */
bool prime_add_shared(struct prime *p, struct jw_err *err);
/* Keeps files in other caches for export --run. */
bool prime_keep_shared(struct prime *p, struct jw_err *err);
/* Makes the hint of a pack the command's profile. */
bool prime_take_hint(struct prime *p, struct jw_err *err);
/* True if it is known that the command made nothing in other caches. */
bool prime_kit_made_nothing(const struct prime *p);

/* ---- recorded commands ---- */

/* Runs the same for each recorded command's own cache. */
bool prime_command_caches(struct prime *p, struct jw_err *err);
/* Notes the command line that verifies by a start of the program, and returns it: verify alone knows only the start that
 * was recorded. `folder`: as in struct prime_recorded. */
const char *prime_note_program(struct prime *p, const char *command, const char *folder);

/* Looks at what recorded commands load, where the run is about them: `lost` and `recorded_unsure` of the report.
 * `build`: of the driver; NULL: none is known. */
bool prime_look_at_recorded(struct prime *p, const char *build, struct jw_err *err);
/* Records what commands of another driver build load of this one, where all of it is warm now; and the files of those
 * that are the same by their bytes alone. */
bool prime_record_again(struct prime *p, struct jw_err *err);
bool prime_recorded_suffices(const struct prime *p);
/* Sets `*out` to prime_recorded_state of the run's cache. */
bool prime_recorded_facts(struct prime *p, const char *build, uint64_t *out, struct jw_err *err) JW_MUST;
/* Names the start that is needed, if prime_recorded_suffices is false. */
void prime_advise_recorded(struct prime *p);

#endif
