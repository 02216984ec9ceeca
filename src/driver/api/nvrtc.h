/*
 * One NVRTC library, NVIDIA's compiler of CUDA C++ into PTX, through a table of its entry points. Only a
 * process that may be lost holds one: it can crash, hang and exit.
 */
#ifndef DRIVER_API_NVRTC_H
#define DRIVER_API_NVRTC_H

#include "base/buf.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "jitwarm/err.h"
#include "os/machine/lib.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct _nvrtcProgram;

struct rtc_api {
#define F(need, type, field, name, parameters) type(*field) parameters;
#include "driver/api/nvrtc_api.def"
#undef F
};

enum { JW_RTC_OK = 0 };

/* A symbol that only the project's own simulated NVRTC exports. */
#define JW_RTC_SIMULATED "jitwarm_simulated_nvrtc"

struct jw_rtc {
    struct jw_lib lib, builtins;
    struct rtc_api api;
    unsigned major, minor;
    uint16_t archs[JW_MAX_RTC_ARCHS];
    size_t n_archs; /* 0: older than 11.2, which do not say */
    bool simulated;
};

/* An absolute path, or a file name for the loader. The sentence is the loader's, or says what it lacks. */
bool jw_rtc_open(struct jw_rtc *r, const char *name, struct jw_err *err) JW_MUST;
void jw_rtc_close(struct jw_rtc *r); /* accepts a zeroed one */

struct jw_rtc_source {
    const char *text, *name;
    const char *const *options;
    size_t n_options;
};

struct jw_rtc_outcome {
    unsigned result;  /* NVRTC's; JW_RTC_OK: there is PTX */
    const char *name; /* "NVRTC_ERROR_COMPILATION"; of the library, or constant */
    bool log_cut;
};

/*
 * Appends the PTX, without its closing NUL, and what NVRTC says, which there may be of a success, too; the
 * log is cut to what its buffer takes. Nothing of the PTX is validated. False only past a limit.
 */
bool jw_rtc_compile(const struct jw_rtc *r, const struct jw_rtc_source *s, struct jw_buf *ptx,
                    struct jw_buf *log, struct jw_rtc_outcome *out, struct jw_err *err) JW_MUST;

#endif
