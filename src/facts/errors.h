/* What CUDA's error numbers, and what frameworks print, mean to somebody who waits. */
#ifndef FACTS_ERRORS_H
#define FACTS_ERRORS_H

#include <stdbool.h>

enum jw_error_severity { JW_ERROR_PROBLEM, JW_ERROR_WARNING, JW_ERROR_NOTE };

/* Texts are "" where there is nothing to say. */
struct jw_error_known {
    unsigned code; /* CUDA's number; 0: a text of a framework */
    enum jw_error_severity severity;
    const char *name; /* "CUDA_ERROR_INVALID_PTX", of a number */
    const char *meaning, *cause, *remedy, *command;
};

/* "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"; NULL: not one of those that we explain. */
const char *jw_error_name(unsigned code);
const char *jw_error_meaning(unsigned code);

/* What a line of a log says: a known text, or one of CUDA's errors by its name, its number or the driver's sentence
 * for it. Letter case does not matter. False: nothing known. */
bool jw_error_in_log(const char *line, struct jw_error_known *out);

#endif
