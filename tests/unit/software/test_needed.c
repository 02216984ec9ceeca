#include "tree.h"

#include "base/path.h"
#include "os/machine/env.h"
#include "rigs/variables.h"
#include "software/scan/scan_jobs.h"
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

/* What a named path asks the loader for, as a scan for jobs knows it. */
static void find_needed(const char *path, struct scan_jobs *found)
{
    const struct jw_scan_folder folder = {path, JW_MAX_DEPTH, true, NULL};
    const struct scan_jobs_options o = {
        .scan = {.folders = &folder, .n_folders = 1, .sms = {{86}, 1}, .jobs = 1}};

    CHECK(scan_jobs_find(&o, found, JW_IGNORED) && found->scan.n_files == 1);
}

TEST_ARENA(a_program_names_the_libraries_of_nvidia_that_it_loads)
{
    if (jw_os_is_windows())
        SKIP("the search is that of Linux' loader");
    const char *file = program("needed/app");
    const char *library = tree_library("needed/lib/libcufft.so.11", "P80");
    FREED(scan_jobs) found, none;

    (void)tree_library("needed/lib/libmine.so", "P80");
    set_variable("LD_LIBRARY_PATH", scratch("needed/lib"));
    find_needed(file, &found);
    const struct jw_scan_file *app = &found.scan.files[0];

    CHECK_NUM(app->n_needed, 2);
    CHECK_HAS(scan_needed_path(app->needed[0], a), jw_path_base(library));
    CHECK(!scan_needed_path(app->needed[1], a)); /* libcublas is nowhere */
    find_needed(library, &none);
    CHECK_NUM(none.scan.files[0].n_needed, 0);
}
