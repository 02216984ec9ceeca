/*
 * Tests without a framework: CHECK says what failed and goes on; the program ends with 1 if any did.
 *
 *   TEST(reader_goes_bad_once) { CHECK(...); }
 *   int main(int argc, char **argv) { return RUN(argc, argv, T(reader_goes_bad_once), T(...)); }
 *
 * `test_base buf NAME` runs one. SKIP("reason") ends the running test as skipped; a program whose tests were all
 * skipped exits 77.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct check_test {
    const char *name;
    void (*fn)(void);
};

void check_failed(const char *file, int line, const char *what);
void check_equal_text(const char *file, int line, const char *what, const char *got, const char *want);
void check_equal_num(const char *file, int line, const char *what, unsigned long long got,
                     unsigned long long want);
void check_contains(const char *file, int line, const char *what, const char *hay, const char *needle);
void check_skip(const char *reason);
/* How far apart the calls are that a walk over faults has fail: 1 when all of it is wanted (JW_TEST_SLOW), `usual` otherwise, and
 * more under Wine, where each call takes a hundred times as long. */
unsigned long check_fault_step(unsigned long usual);
int check_run(int argc, char **argv, const struct check_test *tests, size_t n);
/* Each file has one, of this shape; in the program of a room it has the name main_of_FILE (unit/room.c). */
int main(int argc, char **argv);

#define TEST(name) static void name(void)
#define T(name)                                                                                              \
    {                                                                                                        \
#name, name                                                                                          \
    }
#define RUN(argc, argv, ...)                                                                                 \
    check_run(argc, argv, (const struct check_test[]){ __VA_ARGS__ },                                        \
              sizeof((const struct check_test[]){ __VA_ARGS__ }) / sizeof(struct check_test))

#define CHECK(cond) ((cond) ? (void)0 : check_failed(__FILE__, __LINE__, #cond))
#define CHECK_TEXT(got, want) check_equal_text(__FILE__, __LINE__, #got, got, want)
#define CHECK_NUM(got, want)                                                                                 \
    check_equal_num(__FILE__, __LINE__, #got, (unsigned long long)(got), (unsigned long long)(want))
#define CHECK_HAS(hay, needle) check_contains(__FILE__, __LINE__, #hay, hay, needle)
#define SKIP(reason)                                                                                         \
    do {                                                                                                     \
        check_skip(reason);                                                                                  \
        return;                                                                                              \
    } while (0)

/* What qemu-user answers by itself, and otherwise than a kernel does. */
#ifdef JW_UNDER_QEMU
#define SKIP_UNDER_QEMU(reason) SKIP("qemu-user " reason)
#else
#define SKIP_UNDER_QEMU(reason) (void)0
#endif

#endif
