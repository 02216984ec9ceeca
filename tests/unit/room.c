/*
 * The tests of one room as one program: `test_base buf [NAME]` is unit/base/test_buf.c, whose main() was given the name main_of_buf
 * (jw_unit_test in tests/CMakeLists.txt; ROWS is the list that it makes). A test that starts itself again finds it by the variable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE "JW_TEST_OF_ROOM"

#ifdef _WIN32
#define REMEMBER(name) ((void)_putenv_s(VARIABLE, name))
#else
#define REMEMBER(name) ((void)setenv(VARIABLE, name, 1))
#endif

#define ROW(name) int main_of_##name(int argc, char **argv);
#include ROWS
#undef ROW

static const struct row {
    const char *name;
    int (*main)(int argc, char **argv);
} rows[] = {
#define ROW(name) { #name, main_of_##name },
#include ROWS
};

static const struct row *by_name(const char *name)
{
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct row *again = by_name(getenv(VARIABLE)), *row = again      ? again
                                                                : argc > 1 ? by_name(argv[1])
                                                                           : NULL;

    if (!row) {
        (void)fprintf(stderr, "%s TEST [FUNCTION]; the tests are:\n", argc ? argv[0] : "test");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            (void)fprintf(stderr, "  %s\n", rows[i].name);
        return 2;
    }
    if (again)
        return row->main(argc, argv);
    REMEMBER(row->name);
    argv[1] = argv[0];
    return row->main(argc - 1, argv + 1);
}
