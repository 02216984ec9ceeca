/*
 * Tests without a framework: CHECK says what failed and goes on; the program ends with 1 if any
 * did.
 *
 *   TEST(reader_goes_bad_once) { CHECK(...); }
 *
 * Each test makes itself known before the program's main begins (unit/room.c); those of a file run
 * in their order there, in an empty scratch folder. A file that does more before them, or is
 * started again to play a part, has one MAIN, which ends with RUN:
 *
 *   MAIN(argc, argv) { scratch_begin(); self = own_program(); return RUN(argc, argv); }
 *
 * `test_base buf NAME` runs one. SKIP("reason") ends the running test as skipped; a program whose
 * tests were all skipped exits 77.
 */
#pragma once

#include "jitwarm/err.h"
#include "rigs/freed.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A test, or what has no name: the MAIN of a file, its EACH. */
struct check_test {
    const char *file;
    int line;
    const char *name;
    void (*fn)(struct jw_err err);
    int (*main)(int argc, char **argv);
    void (*begin)(void), (*end)(void);
    struct check_test *next;
};

void check_failed(const char *file, int line, const char *what);
void check_equal_text(const char *file, int line, const char *what, const char *got,
                      const char *want);
void check_equal_num(const char *file, int line, const char *what, unsigned long long got,
                     unsigned long long want);
void check_contains(const char *file, int line, const char *what, const char *hay,
                    const char *needle);
void check_skip(const char *reason);
/* How far apart the calls are that a walk over faults has fail: 1 when all of it is wanted
 * (JW_TEST_SLOW), `usual` otherwise, and more under Wine, where each call takes a hundred times as
 * long. */
unsigned long check_fault_step(unsigned long usual);
/* How many there are of something: `fewer` under Wine, unless all of it is wanted. */
unsigned check_many(unsigned usual, unsigned fewer);
void check_add(struct check_test *test);
/* All that were added, those of a file beside one another and by their lines, a MAIN first. */
const struct check_test *check_all(void);
int check_run(int argc, char **argv, const char *file);
/* In a process of its own: the exit code that it ends with. */
int check_run_one(const char *name, void (*fn)(void));

/* The file that is compiled: tests also come out of tables that it includes. */
#define CHECK_ADD(id, ...)                                                                         \
    __attribute__((constructor)) static void check_add_##id(void)                                  \
    {                                                                                              \
        static struct check_test test = {.file = __BASE_FILE__, __VA_ARGS__};                      \
                                                                                                   \
        check_add(&test);                                                                          \
    }
/* Each test has an `err`, in which there is nothing when it begins. */
#define CHECK_ERR __attribute__((unused)) struct jw_err err
#define TEST(id)                                                                                   \
    static void id(CHECK_ERR);                                                                     \
    CHECK_ADD(id, .line = __LINE__, .name = #id, .fn = id)                                         \
    static void id(CHECK_ERR)
/* A test that is given a thing of this type, which `begin` made and `end` frees. */
#define TEST_WITH(id, type, name, begin, end)                                                      \
    static void check_##id(__attribute__((unused)) type *name, CHECK_ERR);                         \
    TEST(id)                                                                                       \
    {                                                                                              \
        type name = {0};                                                                           \
                                                                                                   \
        begin(&name);                                                                              \
        check_##id(&name, err);                                                                    \
        end(&name);                                                                                \
    }                                                                                              \
    static void check_##id(__attribute__((unused)) type *name, CHECK_ERR)
/* An arena as `a`, where base/arena.h is included. */
#define TEST_ARENA(id) TEST_WITH(id, struct jw_arena, a, (void), jw_arena_free)
/* Stands before the tests of a file: what each of them begins and ends with, or NULL. */
#define EACH(first, last) CHECK_ADD(each, .line = __LINE__, .begin = (first), .end = (last))
#define MAIN(argc, argv)                                                                           \
    static int check_main(int argc, char **argv);                                                  \
    CHECK_ADD(main, .main = check_main)                                                            \
    static int check_main(int argc, char **argv)
/* The MAIN of a file that is started again to play a part: `play` gives the exit code of that, or
 * -1. */
#define PLAYS(play)                                                                                \
    MAIN(argc, argv)                                                                               \
    {                                                                                              \
        int code = play(argc, argv);                                                               \
                                                                                                   \
        if (code >= 0)                                                                             \
            return code;                                                                           \
        scratch_begin();                                                                           \
        return RUN(argc, argv);                                                                    \
    }
#define RUN(argc, argv) check_run(argc, argv, __BASE_FILE__)

#define CHECK(cond) ((cond) ? (void)0 : check_failed(__FILE__, __LINE__, #cond))
#define CHECK_TEXT(got, want) check_equal_text(__FILE__, __LINE__, #got, got, want)
#define CHECK_NUM(got, want)                                                                       \
    check_equal_num(__FILE__, __LINE__, #got, (unsigned long long)(got), (unsigned long long)(want))
#define CHECK_HAS(hay, needle) check_contains(__FILE__, __LINE__, #hay, hay, needle)
/* The call did its work and left no sentence; it refused, with a sentence that holds this, or with
 * this very sentence. */
#define CHECK_OK(call, err)                                                                        \
    do {                                                                                           \
        CHECK(call);                                                                               \
        CHECK_TEXT((err).msg, "");                                                                 \
    } while (0)
#define CHECK_REFUSED(call, err, sentence)                                                         \
    do {                                                                                           \
        CHECK(!(call));                                                                            \
        CHECK_HAS((err).msg, sentence);                                                            \
    } while (0)
#define CHECK_SAYS(call, err, sentence)                                                            \
    do {                                                                                           \
        CHECK(!(call));                                                                            \
        CHECK_TEXT((err).msg, sentence);                                                           \
    } while (0)
#define SKIP(reason)                                                                               \
    do {                                                                                           \
        check_skip(reason);                                                                        \
        return;                                                                                    \
    } while (0)

/* What qemu-user answers by itself, and otherwise than a kernel does. */
#ifdef JW_UNDER_QEMU
#define SKIP_UNDER_QEMU(reason) SKIP("qemu-user " reason)
#else
#define SKIP_UNDER_QEMU(reason) (void)0
#endif
