/* An NVRTC library (NVIDIA's compiler of CUDA C++ to PTX) and its entry points. Only a worker
 * process loads one, because it can crash, hang or exit. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "base/limits.h"
#include "jitwarm/err.h"
#include "os/machine/lib.h"

struct _nvrtcProgram;

struct rtc_api {
#define F(need, type, field, name, parameters) type(*field) parameters;
#include "driver/api/nvrtc_api.def"
#undef F
};

enum { JW_RTC_OK = 0, JW_RTC_REFUSED = 6 /* the only result that is the fault of the source */ };

struct jw_rtc {
    struct jw_lib lib;
    struct rtc_api api;
    unsigned major, minor;
    uint16_t archs[JW_MAX_RTC_ARCHS];
    size_t n_archs; /* 0: unknown (before 11.2) */
};

/* Loads the library `name`, an absolute path or a file name for the loader, for good: it may have
 * threads. */
bool jw_rtc_open(struct jw_rtc *r, const char *name, struct jw_err *err) JW_MUST;

/* Appends the PTX, without its NUL and unvalidated. The error is the result's name, and the line of
 * NVRTC's log with the first error. */
bool jw_rtc_compile(const struct jw_rtc *r, const char *source, const char *name,
                    const char *const *options, size_t n_options, struct jw_buf *ptx,
                    struct jw_err *err) JW_MUST;
