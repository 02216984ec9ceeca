/* The limits that the system sets a process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum jw_ulimit_which {
    JW_ULIMIT_NONE,
    JW_ULIMIT_FILES,     /* how many are open */
    JW_ULIMIT_FILE_SIZE, /* in bytes */
    JW_ULIMIT_MEMORY,    /* virtual, in bytes: any limit is too low */
    JW_ULIMITS
};

struct jw_ulimit {
    enum jw_ulimit_which which;
    uint64_t is;
    bool hard; /* it cannot be raised here */
};

/* The first limit of this process that is too low for a driver. */
struct jw_ulimit jw_ulimit_too_low(void);
