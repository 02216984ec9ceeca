#include "tree.h"

#include "base/path.h"
#include "os/machine/env.h"
#include "rigs/variables.h"
#include "software/scan/scan_needed.h"

/* A program that asks the loader for these, one behind the other in its strings. */
static const char *program(const char *name)
{
    static const char strings[] = "\0libcufft.so.11\0libmine.so\0libcublas.so.12";
    static const uint64_t at[] = {1, 16, 27};
    struct jw_buf elf = GEN_BUF;
    FREED(jw_buf) rows = GEN_BUF;

    for (size_t i = 0; i < JW_COUNT(at); i++) {
        size_t row = rows.n;

        jw_buf_fill(&rows, 0, 16);
        gen_set64(&rows, row, 1);
        gen_set64(&rows, row + 8, at[i]);
    }
    const struct gen_section s[] = {
        {.name = ".dynamic", .data = jw_buf_bytes(&rows)},
        {.name = ".dynstr", .data = {(const uint8_t *)strings, sizeof strings}}};

    (void)gen_elf(&elf, (struct gen_elf){0}, s, JW_COUNT(s));
    return tree_buf(name, &elf);
}

TEST_ARENA(a_program_names_the_libraries_of_nvidia_that_it_loads)
{
    if (jw_os_is_windows())
        SKIP("the search is that of Linux' loader");
    const char *file = program("needed/app");
    const char *library = tree_library("needed/lib/libcufft.so.11", "P80");

    (void)tree_library("needed/lib/libmine.so", "P80");
    set_variable("LD_LIBRARY_PATH", scratch("needed/lib"));
    struct jw_texts found = jw_needed_of_nvidia(file, a);

    CHECK_NUM(found.n, 1); /* libcublas is nowhere */
    CHECK_HAS(found.n ? found.v[0] : "", jw_path_base(library));
    CHECK_NUM(jw_needed_of_nvidia(scratch("needed/lib"), a).n, 0);
    CHECK_NUM(jw_needed_of_nvidia(library, a).n, 0);
}
