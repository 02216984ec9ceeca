/*
 * An error is a value with a sentence for people.
 *
 * Every fallible function returns bool and takes `struct jw_err *` last. True: outputs are valid and `err` is
 * untouched. False: `err` is set and outputs are safe to free. Setting an error never allocates.
 */
#ifndef JITWARM_ERR_H
#define JITWARM_ERR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__clang__)
#define JW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#elif defined(__GNUC__) /* gcc for Windows takes `printf` for Microsoft's */
#define JW_PRINTF(fmt, args) __attribute__((format(gnu_printf, fmt, args)))
#else
#define JW_PRINTF(fmt, args)
#endif

enum jw_code {
    JW_OK,
    JW_E_USAGE,  /* a wrong option or argument */
    JW_E_IO,     /* the system refused: missing file, no permission, disk full */
    JW_E_FORMAT, /* a damaged or unknown file format */
    JW_E_LIMIT,  /* a limit of base/limits.h is exceeded */
    JW_E_DRIVER,
    JW_E_NET,
    JW_E_INTERRUPTED,
    JW_E_UNFIT, /* a pack for another machine */
    JW_E_TRUST, /* a bad signature or an untrusted key */
    JW_E_BUSY   /* another process holds it */
};

struct jw_err {
    enum jw_code code;
    long os; /* errno or GetLastError(), 0 when there was none */
    char msg[384];
};

void jw_err_set(struct jw_err *err, enum jw_code code, const char *fmt, ...) JW_PRINTF(3, 4);
void jw_err_wrap(struct jw_err *err, const char *fmt, ...)
    JW_PRINTF(2, 3); /* puts "what was being done: " before msg */

/* `flag`: set by the signal handler; NULL: there is none. */
bool jw_interrupted(const atomic_bool *flag);
/* False, with an error: it was interrupted. */
bool jw_not_interrupted(const atomic_bool *flag, struct jw_err *err);

/* Both evaluate to false, for `return jw_fail(...)`. Macros, because the analyzer then knows the value. */
#define jw_fail(err, ...) (jw_err_set(err, __VA_ARGS__), false)
#define jw_wrap(err, ...) (jw_err_wrap(err, __VA_ARGS__), false)

/*
 * Out of memory is no such value. It ends the process: "jitwarm: out of memory (wanted 123 bytes)" on standard error, exit
 * code 4. No data is lost, because jitwarm can be killed at any instant.
 */

#endif
