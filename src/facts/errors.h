/* Meanings and remedies of CUDA errors and of lines that frameworks print. */
#ifndef FACTS_ERRORS_H
#define FACTS_ERRORS_H

#include <stdbool.h>

enum jw_error_severity { JW_ERROR_PROBLEM, JW_ERROR_WARNING, JW_ERROR_NOTE };

/* Missing texts are "". */
struct jw_error_known {
    unsigned code; /* CUDA's number; 0: a text of a framework */
    enum jw_error_severity severity;
    const char *name; /* "CUDA_ERROR_INVALID_PTX", of a number */
    const char *meaning, *cause, *remedy, *command;
};

/* "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"; NULL: not in the table. */
const char *jw_error_name(unsigned code);

/* Finds a known text, or a CUDA error by name, number or sentence, in a line. Ignores letter case. False: none. */
bool jw_error_in_log(const char *line, struct jw_error_known *out);

#endif
