/* Meanings and remedies of CUDA errors and of lines that frameworks print. */
#pragma once

#include <stdbool.h>

/* The CUresults that jitwarm tells apart. */
enum {
    JW_CUDA_OUT_OF_MEMORY = 2,
    JW_CUDA_STUB_LIBRARY = 34,
    JW_CUDA_DEVICE_UNAVAILABLE = 46,
    JW_CUDA_NO_DEVICE = 100,
    JW_CUDA_INVALID_DEVICE = 101,
    JW_CUDA_INVALID_IMAGE = 200,
    JW_CUDA_NO_BINARY_FOR_GPU = 209,
    JW_CUDA_INVALID_PTX = 218,
    JW_CUDA_JIT_COMPILER_NOT_FOUND = 221,
    JW_CUDA_UNSUPPORTED_PTX_VERSION = 222,
    JW_CUDA_JIT_COMPILATION_DISABLED = 223,
    JW_CUDA_INVALID_SOURCE = 300,
    JW_CUDA_FIRST_STICKY = 700, /* from here to the last: the context is broken */
    JW_CUDA_LAST_STICKY = 719,
    JW_CUDA_SYSTEM_NOT_READY = 802,
    JW_CUDA_DRIVER_MISMATCH = 803,
    JW_CUDA_COMPAT_NOT_SUPPORTED = 804,
    JW_CUDA_MPS_FIRST = 805,
    JW_CUDA_MPS_LAST = 810,
    JW_CUDA_UNKNOWN = 999
};

enum jw_error_severity { JW_ERROR_PROBLEM, JW_ERROR_WARNING, JW_ERROR_NOTE };

/* Missing texts are "". */
struct jw_error_known {
    unsigned code; /* CUDA's number; 0: a text of a framework */
    enum jw_error_severity severity;
    const char *meaning, *cause, *remedy;
    const char *variable, *value, *command; /* to be set, without a value unset; or to be pasted */
};

/* "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"; NULL: not in the table. */
const char *jw_error_name(unsigned code);

/* Finds a known text, or a CUDA error by name, number or sentence, in a line. False: none. */
bool jw_error_in_log(const char *line, struct jw_error_known *out);
