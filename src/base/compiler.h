/* Compiler attributes. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#include <stddef.h>

#if defined(__GNUC__)
#define JW_MUST __attribute__((warn_unused_result))
#define JW_NORETURN __attribute__((noreturn))
#define JW_NEVER_NULL __attribute__((returns_nonnull, warn_unused_result))
#else
#define JW_MUST
#define JW_NORETURN
#define JW_NEVER_NULL
#endif

#define JW_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
