/*
 * play LIBRARY COMMAND...   calls a CUDA driver; a line for each command: its name and the CUresult
 *
 *   init   ctx N   load FILE   fn NAME
 */
#include "base/buf.h"
#include "fakes/simcuda/abi.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/lib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct play {
    struct jw_lib lib;
    void *ctx, *module, *function;
};

static jw_lib_fn find(struct play *p, const char *name)
{
    jw_lib_fn f = jw_lib_symbol(&p->lib, name);

    if (!f) {
        printf("no %s\n", name);
        exit(9);
    }
    return f;
}

#define CALL(p, name) ((__typeof__(name) *)find(p, #name))

static int load(struct play *p, const char *path)
{
    struct jw_buf image = JW_BUF((size_t)1 << 30);
    struct jw_err err = {0};
    bool found = false;

    if (!jw_file_slurp(path, &image, &found, &err) || !found) {
        printf("no file %s\n", path);
        exit(9);
    }
    jw_buf_fill(&image, 0, 64); /* text ends with a NUL */
    int r = CALL(p, cuModuleLoadData)(&p->module, image.p);

    jw_buf_free(&image);
    return r;
}

static int perform(struct play *p, const char *command, const char *rest)
{
    if (strcmp(command, "init") == 0)
        return CALL(p, cuInit)(0);
    if (strncmp(command, "ctx ", 4) == 0)
        return CALL(p, cuCtxCreate_v2)(&p->ctx, 0, atoi(rest));
    if (strncmp(command, "load ", 5) == 0)
        return load(p, rest);
    if (strncmp(command, "fn ", 3) == 0)
        return CALL(p, cuModuleGetFunction)(&p->function, p->module, rest);
    printf("no command %s\n", command);
    exit(9);
}

int main(int argc, char **argv)
{
    struct jw_err err = {0};
    struct play p = {0};

    if (argc < 2 || !jw_env_begin(&err) || !jw_lib_open(&p.lib, argv[1], &err)) {
        printf("cannot load the driver: %s\n", err.msg);
        return 9;
    }
    for (int i = 2; i < argc; i++) {
        size_t n = strcspn(argv[i], " ");
        int r = perform(&p, argv[i], argv[i] + n + (argv[i][n] == ' '));

        printf("%.*s %d\n", (int)n, argv[i], r);
        (void)fflush(stdout);
    }
    return 0;
}
