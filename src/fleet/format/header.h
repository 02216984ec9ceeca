/* Lines of an HTTP answer's head, as a server sends them: what of them a registry's client needs. Pure. */
#ifndef FLEET_FORMAT_HEADER_H
#define FLEET_FORMAT_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JW_MOST_URL = 8192, JW_MOST_HEADER = 8192 };

struct jw_http_answer {
    long status; /* 0: none yet */
    char location[JW_MOST_URL], range[64], challenge[JW_MOST_HEADER];
    unsigned retry_after; /* seconds; 0: not said, or as a date */
    uint64_t got;         /* bytes of the body that the sink took */
};

/* One line, `n` bytes that need no end. A status line begins a new answer. What is too long to keep, or holds a NUL, is not
 * kept. */
void jw_http_header(struct jw_http_answer *out, const char *line, size_t n);

#endif
