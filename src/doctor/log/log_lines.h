/* Functions that look for facts in a line of a log, one for each kind of fact. */
#ifndef DOCTOR_LOG_LOG_LINES_H
#define DOCTOR_LOG_LOG_LINES_H

#include "doctor/log/log.h"

enum { JW_LOG_DAY = 86400 };

/* ---- of any line ---- */

void jw_log_keep(char out[JW_LOG_KEPT], const char *line);
const char *jw_log_behind(const char *line, const char *words); /* NULL: they are not in it */

/* "8.6", at its beginning. */
bool jw_log_capability(const char *at, unsigned *major, unsigned *minor);

/* The time at the beginning of a line, and whether it is of a clock that counts from 1970, which may be in another
 * time zone. `date`: year and month, where it says them. False: it has none. */
bool jw_log_time_of(const struct jw_log *log, const char *line, double *out, unsigned date[2], bool *unix);

/* "The paper asks for Python 3.7 and": most of its words are words, and there are many. */
bool jw_log_is_sentence(const char *line);

/* Once. False: that is no compute capability. */
bool jw_log_add_gpu(struct jw_log *log, const char *name, size_t n, unsigned major, unsigned minor);

/* ---- of Ollama ---- */

/* Its GPUs and, of a release whose lists are known, the architectures that its build holds. */
void jw_log_see_ollama(struct jw_log *log, const char *line);

/* Its build has machine code for all GPUs of the log. */
bool jw_log_ollama_is_native(const struct jw_log *log);

/* ---- of the kernel's log ---- */

void jw_log_see_kernel(struct jw_log *log, const char *line);

/* The line; where it ends a message of NVIDIA's kernel module that is broken over several, that message. */
const char *jw_log_whole_message(struct jw_log *log, const char *line);

/* Most of it is the kernel's log, in which NVIDIA's module says something. */
bool jw_log_is_of_kernel(const struct jw_log *log);

/* The number of "NVRM: Xid (PCI:0000:01:00): 79, pid=...". 0: 0: the line has none. */
unsigned jw_log_xid(const char *line);

/* ---- what it shows ---- */

void jw_log_see_pauses(struct jw_log *log, const char *line); /* times, and what is at work between them */
void jw_log_see_gpus(struct jw_log *log, const char *line);
void jw_log_see_software(struct jw_log *log, const char *line);
void jw_log_see_errors(struct jw_log *log, const char *line);

/* "RuntimeError: ...", "error: ...", "ERROR 09-16 ...": of any program. */
bool jw_log_names_error(const char *line);

/* A word of failure, and no name, measure or count of none. Where a program prints neither levels nor times, such a line
 * counts, or its log would be called healthy. */
bool jw_log_sounds_failed(const char *line);

/* The same, and the program does not say that it goes on. Where it is a log's last line, the log is no healthy one. */
bool jw_log_is_failure(const char *line);

/* Is this what a shell says of a program that was killed? */
bool jw_log_says_killed(const char *line);

#endif
