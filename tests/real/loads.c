/*
 * loads [FILE...]: a CUDA program for any architecture of processors, which shares no code with
 * jitwarm. It loads each file, a module of CUDA code, and prints a line for each: what
 * cuModuleLoadData answered. Without files it reads their names from standard input, a line each,
 * so that its caller can look at the cache after each. The last line says whether the driver's
 * compiler is in this process. Exit: 0 the driver was there, 1 it was not.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MORE = 64, LINE = 8192 }; /* MORE: zeros behind a file, as behind a text */

static void *driver;

static int (*init)(unsigned);
static int (*context_create)(void **, unsigned, int);
static int (*module_load)(void **, const void *);

/* `call` is one of the pointers above. */
static void find(void *call, const char *name)
{
    void *at = dlsym(driver, name);

    if (!at) {
        fprintf(stderr, "loads: the driver has no %s\n", name);
        exit(1);
    }
    memcpy(call, &at, sizeof at);
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    long n = -1;

    if (f && fseek(f, 0, SEEK_END) == 0)
        n = ftell(f);
    if (n >= 0)
        data = calloc((size_t)n + MORE, 1);
    if (!data) {
        perror(path);
        exit(1);
    }
    rewind(f);
    if (fread(data, 1, (size_t)n, f) != (size_t)n) {
        perror(path);
        exit(1);
    }
    (void)fclose(f);
    return data;
}

static int compiler_is_loaded(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[LINE];
    int found = 0;

    if (!maps) {
        perror("/proc/self/maps");
        exit(1);
    }
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "libnvidia-ptxjitcompiler"))
            found = 1;
    (void)fclose(maps);
    return found;
}

static void load(const char *path)
{
    char *image = read_all(path);
    void *module = NULL;

    printf("%d\n", module_load(&module, image));
    (void)fflush(stdout);
    free(image);
}

static void load_those_named(FILE *names)
{
    char path[LINE];

    while (fgets(path, sizeof path, names)) {
        path[strcspn(path, "\n")] = '\0';
        load(path);
    }
}

int main(int argc, char **argv)
{
    void *context = NULL;

    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        fprintf(stderr, "loads: %s\n", dlerror());
        return 1;
    }
    find(&init, "cuInit");
    find(&context_create, "cuCtxCreate_v2");
    find(&module_load, "cuModuleLoadData");
    if (init(0) != 0 || context_create(&context, 0, 0) != 0) {
        fputs("loads: no usable GPU\n", stderr);
        return 1;
    }
    for (int i = 1; i < argc; i++)
        load(argv[i]);
    if (argc == 1)
        load_those_named(stdin);
    puts(compiler_is_loaded() ? "compiler" : "none");
    return 0;
}
