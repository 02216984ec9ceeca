/* A line may show that the program of a log uses CUDA, or that it is a server that waits for requests. */
#ifndef DOCTOR_LOG_LOG_SUBJECT_H
#define DOCTOR_LOG_LOG_SUBJECT_H

#include <stdbool.h>

/* True if the line names CUDA, a GPU of NVIDIA's, or software that computes on one. A name in a client's
 * request does not count. */
bool jw_log_names_cuda(const char *line);

/* The server behind the log is ready from here on, for it listens or has answered: silence is then that of its clients. */
bool jw_log_server_is_ready(const char *line);

/* It has work: it starts, loads a model, or a request has come. */
bool jw_log_server_works(const char *line);

#endif
