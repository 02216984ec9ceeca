/* Collects the headers of an HTTP response that a registry client needs. Pure. */
#ifndef FLEET_FORMAT_HEADER_H
#define FLEET_FORMAT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JW_MAX_URL = 8192, JW_MAX_HEADER = 8192 };

struct jw_http_answer {
    long status;
    char location[JW_MAX_URL], challenge[JW_MAX_HEADER];
    unsigned retry_after; /* seconds; 0: none, or a date */
    uint64_t got;         /* bytes of the body written to the sink */
};

/* Adds one line of `n` bytes. A status line clears the earlier headers. Headers that are too long or contain NUL are
 * ignored. */
void jw_http_header(struct jw_http_answer *out, const char *line, size_t n);

#endif
