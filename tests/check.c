#include "check.h"

#include <stdlib.h>

static unsigned failures;
static bool skipped;
static struct check_test *all;

void check_failed(const char *file, int line, const char *what)
{
    failures++;
    printf("%s:%d: failed: %s\n", file, line, what);
}

void check_equal_text(const char *file, int line, const char *what, const char *got,
                      const char *want)
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
    printf("%s:%d: failed: %s is %llu (0x%llx), want %llu (0x%llx)\n", file, line, what, got, got,
           want, want);
}

void check_contains(const char *file, int line, const char *what, const char *hay,
                    const char *needle)
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

unsigned check_many(unsigned usual, unsigned fewer)
{
#ifdef _WIN32
    return getenv("JW_TEST_SLOW") ? usual : fewer;
#else
    (void)fewer;
    return usual;
#endif
}

unsigned long check_fault_step(unsigned long usual)
{
    return getenv("JW_TEST_SLOW") ? 1 : usual * check_many(1, 40);
}

static bool is_before(const struct check_test *a, const struct check_test *b)
{
    int order = strcmp(a->file, b->file);

    return order < 0 || (order == 0 && a->line < b->line);
}

void check_add(struct check_test *test)
{
    struct check_test **at = &all;

    while (*at && is_before(*at, test))
        at = &(*at)->next;
    test->next = *at;
    *at = test;
}

const struct check_test *check_all(void) { return all; }

static unsigned ran, skips;

static void run(const char *name, void (*test)(struct jw_err err), void (*fn)(void))
{
    unsigned before = failures;

    skipped = false;
    if (test)
        test((struct jw_err){0});
    else
        fn();
    ran++;
    skips += skipped;
    if (failures > before)
        printf("FAIL %s\n", name);
}

static int ended(void)
{
    printf("%u tests, %u skipped, %u checks failed\n", ran, skips, failures);
    return failures ? 1 : skips == ran ? 77 : 0;
}

int check_run_one(const char *name, void (*fn)(void))
{
    ran = skips = 0;
    run(name, NULL, fn);
    return ended();
}

int check_run(int argc, char **argv, const char *file)
{
    const struct check_test *each = NULL;

    for (const struct check_test *t = all; t; t = t->next) {
        if (strcmp(t->file, file) != 0)
            continue;
        each = t->begin || t->end ? t : each;
        if (!t->fn || (argc > 1 && strcmp(argv[1], t->name) != 0))
            continue;
        if (each && each->begin)
            each->begin();
        run(t->name, t->fn, NULL);
        if (each && each->end)
            each->end();
    }
    if (ran == 0) {
        printf("no test of that name\n");
        return 2;
    }
    return ended();
}
