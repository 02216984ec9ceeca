/*
 * The real compilers, where there are any: ptxas as a program, libnvJitLink as a library loaded by its
 * path. PTX of a newer ISA than theirs is lowered in a private copy; key and entry keep the program's bytes.
 */
#include "sim.h"

#include "base/mem.h"
#include "formats/ptx.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <stdlib.h>
#include <string.h>

enum { MINUTES_30 = 30 * 60 * 1000, FIRST_SM_OF_13 = 75, MAX_WORDS = 64 };
#define MAX_OUTPUT ((size_t)1 << 20)

/* Places below a home where the project keeps a toolkit for its tests. */
static const char toolkit[] = ".cache/jitwarm-corpus/toolkit";

static bool find_compiler(const char *set, const char *name, const char *below, struct jw_buf *path)
{
    struct jw_err err = { 0 };
    struct jw_arena a = { 0 };
    struct jw_file_info info;
    const char *home = jw_env_home(&a);
    bool found = false;

    if (set && *set) {
        jw_buf_text(path, set);
    } else if (!name || !jw_process_find(name, path, &found, &err) || !found) {
        jw_buf_clear(path);
        jw_buf_printf(path, "%s/%s/%s", home ? home : "", toolkit, below);
    }
    found = jw_file_stat(jw_buf_cstr(path), &info, &err) && info.kind == JW_FILE_REGULAR;
    jw_arena_free(&a);
    return found;
}

/* CUDA 12.x is PTX 8.x up to 12.5, then one behind; 13.x is 9.x, 11.x 7.x. */
static void isa_of_cuda(unsigned major, unsigned minor, unsigned *isa_major, unsigned *isa_minor)
{
    *isa_major = major >= 11 ? major - 4 : 6;
    *isa_minor = major == 12 && minor > 5 ? minor - 1 : minor;
}

/* "... release 13.0, V13.0.88" */
static bool ptxas_isa(const char *ptxas, unsigned *major, unsigned *minor)
{
    const char *const argv[] = { ptxas, "--version", NULL };
    struct jw_buf out = JW_BUF(MAX_OUTPUT);
    struct jw_err err = { 0 };
    int code = -1;
    const char *release = NULL;

    if (jw_process_capture(ptxas, argv, 60000, &out, &code, &err) && code == 0)
        release = strstr(jw_buf_cstr(&out), "release ");
    if (release) {
        char *end;
        unsigned long a = strtoul(release + 8, &end, 10), b = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

        isa_of_cuda((unsigned)a, (unsigned)b, major, minor);
    }
    jw_buf_free(&out);
    return release != NULL;
}

/* A copy whose .version the compiler knows. */
static void lowered(struct jw_bytes ptx, unsigned major, unsigned minor, struct jw_buf *out)
{
    size_t at = jw_find(ptx, JW_BYTES(".version")), from = at + 8, end;
    struct jw_ptx head;
    struct jw_err err = { 0 };

    if (!jw_ptx_read(ptx, &head, &err) || head.major < major
        || (head.major == major && head.minor <= minor)) {
        jw_buf_add(out, ptx.p, ptx.n);
        return;
    }
    while (from < ptx.n && (ptx.p[from] == ' ' || ptx.p[from] == '\t'))
        from++;
    for (end = from; end < ptx.n && ((ptx.p[end] >= '0' && ptx.p[end] <= '9') || ptx.p[end] == '.');)
        end++;
    jw_buf_add(out, ptx.p, from);
    jw_buf_printf(out, "%u.%u", major, minor);
    jw_buf_add(out, ptx.p + end, ptx.n - end);
}

/* ---- ptxas ---- */

/* The words of the stored options, without those that are set here anyway. */
static void add_words(const char *options, struct jw_arena *a, const char **argv, size_t *n)
{
    for (const char *p = options; *p && *n < MAX_WORDS - 8;) {
        size_t length = strcspn(p, " ");

        if (length)
            argv[(*n)++] = jw_arena_text(a, p, length);
        p += length + (p[length] == ' ');
    }
}

static int run_ptxas(const char *ptxas, const struct sim_request *r, const char *in, const char *out)
{
    const char *argv[MAX_WORDS] = { ptxas };
    struct jw_buf said = JW_BUF(MAX_OUTPUT);
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };
    char arch[24];
    size_t n = 1;
    int code = -1;

    (void)snprintf(arch, sizeof arch, "-arch=sm_%u", r->options->target ? r->options->target : r->sm);
    argv[n++] = arch;
    if (r->relocatable)
        argv[n++] = "-c";
    add_words(r->image->options, &a, argv, &n);
    argv[n++] = in;
    argv[n++] = "-o";
    argv[n] = out;
    bool ran = jw_process_capture(ptxas, argv, MINUTES_30, &said, &code, &err);

    jw_buf_free(&said);
    jw_arena_free(&a);
    return !ran ? CU_UNKNOWN : code == 0 ? CU_OK : CU_INVALID_PTX;
}

static int by_ptxas(const struct sim_config *c, const struct sim_request *r, struct jw_buf *out)
{
    struct jw_buf ptxas = JW_BUF(1 << 16), folder = JW_BUF(1 << 16), in = JW_BUF(1 << 16),
                  made = JW_BUF(1 << 16);
    struct jw_buf text = JW_BUF(SIM_MAX_IMAGE);
    struct jw_err err = { 0 };
    unsigned major, minor;
    bool found = false;
    int code = CU_JIT_COMPILER_NOT_FOUND;

    if (find_compiler(c->ptxas, "ptxas", "bin/ptxas", &ptxas)
        && ptxas_isa(jw_buf_cstr(&ptxas), &major, &minor)) {
        lowered(jw_buf_bytes(&r->image->bytes), major, minor, &text);
        code = CU_UNKNOWN;
        if (!text.bad && sys_scratch(c->tmp, &folder)) {
            jw_buf_printf(&in, "%s/in.ptx", jw_buf_cstr(&folder));
            jw_buf_printf(&made, "%s/out.cubin", jw_buf_cstr(&folder));
            if (sys_put(jw_buf_cstr(&in), text.p, text.n))
                code = run_ptxas(jw_buf_cstr(&ptxas), r, jw_buf_cstr(&in), jw_buf_cstr(&made));
            if (code == CU_OK && (!jw_file_slurp(jw_buf_cstr(&made), out, &found, &err) || !found))
                code = CU_UNKNOWN;
            sys_remove(jw_buf_cstr(&in));
            sys_remove(jw_buf_cstr(&made));
            sys_rmdir(jw_buf_cstr(&folder));
        }
    }
    jw_buf_free(&ptxas);
    jw_buf_free(&folder);
    jw_buf_free(&in);
    jw_buf_free(&made);
    jw_buf_free(&text);
    return code;
}

/* ---- libnvJitLink ---- */

struct linker {
    int (*version)(unsigned *major, unsigned *minor);
    int (*create)(void **handle, uint32_t n, const char **options);
    int (*add)(void *handle, int type, const void *data, size_t size, const char *name);
    int (*complete)(void *handle);
    int (*size)(void *handle, size_t *size);
    int (*get)(void *handle, void *cubin);
    int (*destroy)(void **handle);
};

static bool bind(void *library, struct linker *l)
{
    static const struct {
        const char *name;
        size_t at;
    } wanted[] = {
        { "nvJitLinkVersion", offsetof(struct linker, version) },
        { "nvJitLinkCreate", offsetof(struct linker, create) },
        { "nvJitLinkAddData", offsetof(struct linker, add) },
        { "nvJitLinkComplete", offsetof(struct linker, complete) },
        { "nvJitLinkGetLinkedCubinSize", offsetof(struct linker, size) },
        { "nvJitLinkGetLinkedCubin", offsetof(struct linker, get) },
        { "nvJitLinkDestroy", offsetof(struct linker, destroy) },
    };

    for (size_t i = 0; i < JW_COUNT(wanted); i++) {
        void *symbol = sys_symbol(library, wanted[i].name);

        if (!symbol)
            return false;
        memcpy((char *)l + wanted[i].at, &symbol, sizeof symbol);
    }
    return true;
}

static int link_one(const struct linker *l, const struct sim_request *r, struct jw_bytes text,
                    struct jw_buf *out)
{
    enum { INPUT_PTX = 2 };
    char arch[24];
    const char *options[] = { arch, "-no-cache" };
    void *handle = NULL;
    size_t n = 0;
    int code = CU_INVALID_PTX;

    (void)snprintf(arch, sizeof arch, "-arch=sm_%u", r->options->target ? r->options->target : r->sm);
    if (l->create(&handle, 2, options) != 0)
        return CU_UNKNOWN;
    if (l->add(handle, INPUT_PTX, text.p, text.n, "simcuda") == 0 && l->complete(handle) == 0
        && l->size(handle, &n) == 0) {
        jw_buf_fill(out, 0, n);
        code = !out->bad && l->get(handle, out->p) == 0 ? CU_OK : CU_UNKNOWN;
    }
    (void)l->destroy(&handle);
    return code;
}

static int by_nvjitlink(const struct sim_config *c, const struct sim_request *r, struct jw_buf *out)
{
    struct jw_buf path = JW_BUF(1 << 16), text = JW_BUF(SIM_MAX_IMAGE);
    struct linker l;
    unsigned cuda_major, cuda_minor, major, minor;
    int code = CU_JIT_COMPILER_NOT_FOUND;
    void *library = NULL;

    if (find_compiler(c->nvjitlink, NULL, "lib/libnvJitLink.so.13", &path))
        library = sys_library(jw_buf_cstr(&path)); /* stays, as a driver's helper libraries do */
    if (library && bind(library, &l) && l.version(&cuda_major, &cuda_minor) == 0) {
        isa_of_cuda(cuda_major, cuda_minor, &major, &minor);
        lowered(jw_buf_bytes(&r->image->bytes), major, minor, &text);
        jw_buf_fill(&text, 0, 1);
        code = text.bad ? CU_OUT_OF_MEMORY : link_one(&l, r, jw_buf_bytes(&text), out);
    }
    jw_buf_free(&path);
    jw_buf_free(&text);
    return code;
}

/* CU_NOT_SUPPORTED: not for this architecture; the stand-in takes it. */
int sim_compile_real(const struct sim_config *c, const struct sim_request *r, struct jw_buf *out)
{
    if (r->sm < FIRST_SM_OF_13 || (c->sw.jit == JIT_NVJITLINK && r->relocatable))
        return CU_NOT_SUPPORTED;
    return c->sw.jit == JIT_PTXAS ? by_ptxas(c, r, out) : by_nvjitlink(c, r, out);
}
