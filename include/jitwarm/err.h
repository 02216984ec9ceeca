/*
 * An error is a value that arrives as a sentence.
 *
 * Every fallible function returns bool and takes `struct jw_err *` last. True: outputs are valid and `err` is
 * untouched. False: `err` is set and outputs are safe to free. It never allocates.
 */
#ifndef JITWARM_ERR_H
#define JITWARM_ERR_H

#include <stdbool.h>

#if defined(__clang__)
#define JW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#elif defined(__GNUC__) /* plain printf would mean Microsoft's where gcc compiles for Windows */
#define JW_PRINTF(fmt, args) __attribute__((format(gnu_printf, fmt, args)))
#else
#define JW_PRINTF(fmt, args)
#endif

enum jw_code {
    JW_OK,
    JW_E_USAGE,  /* the caller asked for something that makes no sense */
    JW_E_IO,     /* the system refused: missing, unreadable, full */
    JW_E_FORMAT, /* bytes that are not what they claim to be */
    JW_E_LIMIT,  /* a ceiling of base/limits.h */
    JW_E_DRIVER,
    JW_E_NET,
    JW_E_INTERRUPTED,
    JW_E_UNFIT, /* a pack that is for another machine */
    JW_E_TRUST, /* a signature or a key that is not to be believed */
    JW_E_BUSY   /* somebody else is at it */
};

struct jw_err {
    enum jw_code code;
    long os; /* errno or GetLastError(), 0 when there was none */
    char msg[384];
};

void jw_err_set(struct jw_err *err, enum jw_code code, const char *fmt, ...) JW_PRINTF(3, 4);
void jw_err_wrap(struct jw_err *err, const char *fmt, ...)
    JW_PRINTF(2, 3); /* "what was being done: " + msg */

/* Both are false, so that callers can return them; macros, so that the compiler knows it, too. */
#define jw_fail(err, ...) (jw_err_set(err, __VA_ARGS__), false)
#define jw_wrap(err, ...) (jw_err_wrap(err, __VA_ARGS__), false)

#endif
