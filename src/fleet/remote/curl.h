/*
 * libcurl, loaded when a verb needs the network and not before, so that jitwarm starts as fast without it and runs where it
 * is not installed. Its ABI is that of libcurl.so.4, since 2006; no header of it is needed to build.
 */
#ifndef FLEET_REMOTE_CURL_H
#define FLEET_REMOTE_CURL_H

#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/machine/lib.h"

#include <stdbool.h>
#include <stddef.h>

enum curl_option {
    CURL_LOW_SPEED_LIMIT = 19,
    CURL_LOW_SPEED_TIME = 20,
    CURL_NOPROGRESS = 43,
    CURL_NOBODY = 44,
    CURL_UPLOAD = 46,
    CURL_NOSIGNAL = 99,
    CURL_TIMEOUT_MS = 155,
    CURL_CONNECTTIMEOUT_MS = 156,
    CURL_PROTOCOLS = 181,
    CURL_SUPPRESS_CONNECT_HEADERS = 265,
    CURL_WRITEDATA = 10001,
    CURL_URL = 10002,
    CURL_READDATA = 10009,
    CURL_ERRORBUFFER = 10010,
    CURL_POSTFIELDS = 10015,
    CURL_USERAGENT = 10018,
    CURL_HTTPHEADER = 10023,
    CURL_SSLCERT = 10025,
    CURL_HEADERDATA = 10029,
    CURL_CUSTOMREQUEST = 10036,
    CURL_XFERINFODATA = 10057,
    CURL_CAINFO = 10065,
    CURL_SSLKEY = 10087,
    CURL_WRITEFUNCTION = 20011,
    CURL_READFUNCTION = 20012,
    CURL_HEADERFUNCTION = 20079,
    CURL_XFERINFOFUNCTION = 20219,
    CURL_INFILESIZE_LARGE = 30115
};

enum {
    CURL_DONE = 0,
    CURL_ABORTED = 42,       /* by our callback */
    CURL_WRITE_REFUSED = 23, /* by our sink */
    CURL_TIMED_OUT = 28,
    CURL_HTTP = 1,
    CURL_HTTPS = 2,
    CURL_RESPONSE_CODE = 0x200002,
    CURL_ERROR_SIZE = 256
};

struct curl_list;

struct curl {
    struct jw_lib lib;
    void *(*init)(void);
    void (*reset)(void *);
    void (*cleanup)(void *);
    int (*set)(void *, int, ...);
    int (*get)(void *, int, ...);
    int (*perform)(void *);
    const char *(*error)(int);
    struct curl_list *(*append)(struct curl_list *, const char *);
    void (*free_list)(struct curl_list *);
};

bool curl_open(struct curl *c, struct jw_err *err) JW_MUST;

#endif
