/* An error is a value with a sentence for people.
 *
 * Every function that can fail returns bool and takes `struct jw_err *` last. True: the outputs are
 * valid and `err` is untouched. False: `err` is set and the outputs are safe to free. Setting an
 * error never allocates. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#if defined(__clang__)
#define JW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#elif defined(__GNUC__) /* gcc for Windows takes `printf` for Microsoft's */
#define JW_PRINTF(fmt, args) __attribute__((format(gnu_printf, fmt, args)))
#else
#define JW_PRINTF(fmt, args)
#endif

enum jw_code {
    JW_OK,
    JW_E_USAGE, /* a wrong option or argument */
    JW_E_NAMED, /* a named file or command is not there, or cannot be used: no help page says why */
    JW_E_IO,    /* the system refused: missing file, no permission, disk full */
    JW_E_FORMAT, /* a damaged or unknown file format */
    JW_E_LIMIT,  /* a limit of base/limits.h is exceeded */
    JW_E_DRIVER,
    JW_E_NET,
    JW_E_INTERRUPTED,
    JW_E_UNFIT, /* a pack for another machine */
    JW_E_TRUST, /* a bad signature or an untrusted key */
    JW_E_BUSY,  /* another process holds the lock */
    JW_CODES
};

struct jw_err {
    enum jw_code code;
    long os; /* errno or GetLastError(); 0: there was none */
    char msg[384];
};

void jw_err_set(struct jw_err *err, enum jw_code code, const char *fmt, ...) JW_PRINTF(3, 4);
/* Puts "what was being done: " before the message. */
void jw_err_wrap(struct jw_err *err, const char *fmt, ...) JW_PRINTF(2, 3);

/* What a failure means to who called: a file that a user named is not just a file that is missing.
 * The first changes a failure of kind `from`, the second each one but an interruption. */
void jw_err_becomes(struct jw_err *err, enum jw_code from, enum jw_code to);
void jw_err_becomes_all(struct jw_err *err, enum jw_code to);

/* Was the run interrupted? The signal handler sets `flag`; NULL: there is no handler. */
bool jw_interrupted(const atomic_bool *flag);
/* False, with an error, if it was interrupted. */
bool jw_not_interrupted(const atomic_bool *flag, struct jw_err *err);

/* All are false, so that a function can `return jw_fail(...)`. They are macros, so that the
 * analyzer knows the value. */
#define jw_fail(err, ...) (jw_err_set(err, __VA_ARGS__), false)
#define jw_wrap(err, ...) (jw_err_wrap(err, __VA_ARGS__), false)
#define jw_pass(err, why) (*(err) = (why), false) /* an error that was looked at first */
/* For a call whose failure changes nothing but its result. */
#define JW_IGNORED (&(struct jw_err){0})

/* Out of memory is no error of this kind: it ends the process with "jitwarm: out of memory (wanted
 * 123 bytes)" and exit code 4. No data is lost, because jitwarm can be killed at any instant. */
