/* What CUDA's error numbers, and what frameworks print, mean to somebody who waits. */
#ifndef FACTS_ERRORS_H
#define FACTS_ERRORS_H

/* "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"; NULL: not one of those that we explain. */
const char *jw_error_name(unsigned code);
const char *jw_error_meaning(unsigned code);

/* The meaning of a line of a log that holds a known text, letter case ignored; NULL: no known text. */
const char *jw_error_in_log(const char *line);

#endif
