/* What a line tells about the program of a log: that it uses CUDA. */
#ifndef DOCTOR_DOCTOR_LOG_SUBJECT_H
#define DOCTOR_DOCTOR_LOG_SUBJECT_H

#include <stdbool.h>

/* It names CUDA, a GPU of NVIDIA's, or software that computes on one. What a client asked a web server for is no such name. */
bool jw_log_names_cuda(const char *line);

#endif
