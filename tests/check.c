#include "check.h"

#include <stdlib.h>

static unsigned failures;
static bool skipped;

void check_failed(const char *file, int line, const char *what)
{
    failures++;
    printf("%s:%d: failed: %s\n", file, line, what);
}

void check_equal_text(const char *file, int line, const char *what, const char *got, const char *want)
{
    if (got && want && strcmp(got, want) == 0)
        return;
    failures++;
    printf("%s:%d: failed: %s\n  got:  %s\n  want: %s\n", file, line, what, got ? got : "(null)",
           want ? want : "(null)");
}

void check_equal_num(const char *file, int line, const char *what, unsigned long long got,
                     unsigned long long want)
{
    if (got == want)
        return;
    failures++;
    printf("%s:%d: failed: %s is %llu (0x%llx), want %llu (0x%llx)\n", file, line, what, got, got, want,
           want);
}

void check_contains(const char *file, int line, const char *what, const char *hay, const char *needle)
{
    if (hay && strstr(hay, needle))
        return;
    failures++;
    printf("%s:%d: failed: %s\n  got:         %s\n  should hold: %s\n", file, line, what,
           hay ? hay : "(null)", needle);
}

void check_skip(const char *reason)
{
    skipped = true;
    printf("SKIP: %s\n", reason);
}

unsigned long check_fault_step(unsigned long usual)
{
    if (getenv("JW_TEST_SLOW"))
        return 1;
#ifdef _WIN32
    return usual * 13;
#else
    return usual;
#endif
}

int check_run(int argc, char **argv, const struct check_test *tests, size_t n)
{
    unsigned ran = 0, skips = 0;

    for (size_t i = 0; i < n; i++) {
        if (argc > 1 && strcmp(argv[1], tests[i].name) != 0)
            continue;
        unsigned before = failures;

        skipped = false;
        tests[i].fn();
        ran++;
        skips += skipped;
        if (failures > before)
            printf("FAIL %s\n", tests[i].name);
    }
    if (ran == 0) {
        printf("no test of that name\n");
        return 2;
    }
    printf("%u tests, %u skipped, %u checks failed\n", ran, skips, failures);
    return failures ? 1 : skips == ran ? 77 : 0;
}
