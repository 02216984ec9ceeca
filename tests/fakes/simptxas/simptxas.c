/*
 * simptxas: as much of ptxas as jitwarm calls (-arch=sm_NN [options] IN -o OUT, and --version), with the stand-in's code.
 *
 *   SIMPTXAS_VERSION   the release that it plays; else 13.0.88
 *   SIMPTXAS_FAULT     crash | hang | fail | garbage | wrong-sm | nothing: what it does with inputs
 *   SIMPTXAS_AT        only with inputs that hold this text
 *   SIMPTXAS_LOG       a file that gets a line with the arguments of each call
 */
#include "sim.h"

#include "os/files/file.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCH = 580, MOST = 1 << 26, FOREVER_MS = 1000000 };

struct call {
    const char *in, *out;
    unsigned sm;
};

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value && *value ? value : otherwise;
}

static void log_call(int argc, char **argv)
{
    const char *path = getenv("SIMPTXAS_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;

    if (!f)
        return;
    for (int i = 1; i < argc; i++)
        (void)fprintf(f, "%s ", argv[i]);
    (void)fputc('\n', f);
    (void)fclose(f);
}

static int tell_version(void)
{
    const char *version = setting("SIMPTXAS_VERSION", "13.0.88");
    size_t n = strcspn(version, ".");

    n += 1 + strcspn(version + n + 1, ".");
    (void)printf("ptxas: jitwarm's simulated assembler\nCuda compilation tools, release %.*s, V%s\n", (int)n,
                 version, version);
    return 0;
}

static bool read_call(int argc, char **argv, struct call *c)
{
    *c = (struct call){ 0 };
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-arch=sm_", 9) == 0)
            c->sm = (unsigned)strtoul(argv[i] + 9, NULL, 10);
        else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            c->out = argv[++i];
        else if (argv[i][0] != '-')
            c->in = argv[i];
    }
    return c->in && c->out && c->sm;
}

static bool put(const char *path, const struct jw_buf *bytes)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes->p, 1, bytes->n, f) == bytes->n;

    return f && fclose(f) == 0 && ok;
}

static int compile(const struct call *c, const char *fault, struct jw_buf *ptx)
{
    struct sim_config config = { .driver = { .branch = BRANCH } };
    struct sim_image image = { .ptx = true, .bytes = *ptx };
    struct sim_request r = { .image = &image, .sm = strcmp(fault, "wrong-sm") == 0 ? c->sm + 1 : c->sm };
    struct jw_buf out = JW_BUF(MOST);

    if (strcmp(fault, "garbage") == 0)
        jw_buf_text(&out, "this is no machine code");
    else if (!sim_standin(&config, &r, &out))
        return 255;
    int code = strcmp(fault, "nothing") == 0 || put(c->out, &out) ? 0 : 1;

    jw_buf_free(&out);
    return code;
}

int main(int argc, char **argv)
{
    const char *fault = setting("SIMPTXAS_FAULT", ""), *at = setting("SIMPTXAS_AT", "");
    struct jw_buf ptx = JW_BUF(MOST);
    struct jw_err err = { 0 };
    struct call c;
    bool found;

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return tell_version();
    log_call(argc, argv);
    if (!read_call(argc, argv, &c) || !jw_file_slurp(c.in, &ptx, &found, &err) || !found)
        return 1;
    if (*at && !strstr(jw_buf_cstr(&ptx), at))
        fault = "";
    if (strcmp(fault, "crash") == 0)
        abort();
    if (strcmp(fault, "hang") == 0)
        jw_time_sleep_ms(FOREVER_MS);
    int code = strcmp(fault, "fail") == 0 ? 255 : compile(&c, fault, &ptx);

    jw_buf_free(&ptx);
    return code;
}
