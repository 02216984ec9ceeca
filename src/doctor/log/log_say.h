/* The findings of a log: pauses, errors and their remedies. */
#ifndef DOCTOR_LOG_LOG_SAY_H
#define DOCTOR_LOG_LOG_SAY_H

#include "doctor/log/log.h"

/* Without control characters, and cut where it is long. */
const char *jw_log_quoted(const char *line, struct jw_findings *f);

/* ---- pauses ---- */

/* The longest first, and what a compiler says of itself: each compiler once. `all` false: only of compilers with a
 * cache of their own. */
void jw_log_say_pauses(const struct jw_log *log, bool all, const char *path, struct jw_findings *f);

/* The complaint says the pause, too, and what it means. */
bool jw_log_has_the_pause(const struct jw_log *log, const struct jw_log_complaint *c);

/* ---- remedies ---- */

/* The command, as it is typed where the program ran. */
const char *jw_log_there(const struct jw_log *log, const char *command, struct jw_findings *f);

/* Says the row of the complaint, for the software, the GPU and the system that this log names. */
const char *jw_log_command_of(const struct jw_log *log, const struct jw_log_complaint *c,
                              struct jw_findings *f);

/* The row says to prime, and the driver's compiler refused this program's PTX: that would fail, too. */
bool jw_log_cannot_prime(const struct jw_log *log, const struct jw_log_complaint *c);

/* The driver's compiler refused a file of PTX that the log names. */
bool jw_log_has_refused_ptx(const struct jw_log_complaint *c);

/* The driver's compiler refused TensorFlow's own PTX, which is known of these versions on these GPUs. */
bool jw_log_is_known_to_fail(const struct jw_log *log, const struct jw_log_complaint *c,
                             struct jw_report *out);

#endif
