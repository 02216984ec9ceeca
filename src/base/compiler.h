/* Compiler attributes. */
#pragma once

#define JW_MUST __attribute__((warn_unused_result))
#define JW_NORETURN __attribute__((noreturn))
#define JW_NEVER_NULL __attribute__((returns_nonnull, warn_unused_result))
/* ThreadSanitizer does not look at what the function reads and writes. */
#define JW_UNWATCHED __attribute__((no_sanitize("thread")))

#define JW_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A table by an enum has one row for each of its `count` values. The number stops the compiler
 * where a value was added, until the table has its row. */
#define JW_ROW_FOR_EACH(table, count, number)                                                      \
    _Static_assert((int)(count) == (number) && JW_COUNT(table) == (number),                        \
                   #table " has a row for each value of its enum")
