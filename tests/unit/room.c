/*
 * The tests of one room as one program: `test_base buf [NAME]` is unit/base/test_buf.c. A program
 * of one file needs no such word. A test that starts itself again finds its file by the variable.
 */
#include "check.h"
#include "rigs/scratch.h"

#include <stdlib.h>

#define VARIABLE "JW_TEST_OF_ROOM"

#ifdef _WIN32
#define REMEMBER(name) ((void)_putenv_s(VARIABLE, name))
#else
#define REMEMBER(name) ((void)setenv(VARIABLE, name, 1))
#endif

/* "buf" of ".../test_buf.c" */
static const char *word_of(const char *file)
{
    static char word[64];
    const char *last = strrchr(file, '/');

    (void)snprintf(word, sizeof word, "%s", last ? last + 1 : file);
    word[strcspn(word, ".")] = '\0';
    return strncmp(word, "test_", 5) == 0 ? word + 5 : word;
}

static const struct check_test *first_of(const char *word)
{
    for (const struct check_test *t = check_all(); word && t; t = t->next)
        if (strcmp(word_of(t->file), word) == 0)
            return t;
    return NULL;
}

static bool is_of_one_file(void)
{
    const struct check_test *first = check_all();

    for (const struct check_test *t = first; t; t = t->next)
        if (strcmp(t->file, first->file) != 0)
            return false;
    return first != NULL;
}

static int usage(const char *program)
{
    const char *told = "";

    (void)fprintf(stderr, "%s TEST [FUNCTION]; the tests are:\n", program);
    for (const struct check_test *t = check_all(); t; t = t->next) {
        if (strcmp(t->file, told) != 0)
            (void)fprintf(stderr, "  %s\n", word_of(t->file));
        told = t->file;
    }
    return 2;
}

static int run(const struct check_test *first, int argc, char **argv)
{
    if (first->main)
        return first->main(argc, argv);
    scratch_begin();
    return check_run(argc, argv, first->file);
}

int main(int argc, char **argv)
{
    const struct check_test *again = first_of(getenv(VARIABLE)),
                            *named = argc > 1 ? first_of(argv[1]) : NULL;

    if (again)
        return run(again, argc, argv);
    if (!named)
        return is_of_one_file() ? run(check_all(), argc, argv) : usage(argc ? argv[0] : "test");
    REMEMBER(argv[1]);
    argv[1] = argv[0];
    return run(named, argc - 1, argv + 1);
}
