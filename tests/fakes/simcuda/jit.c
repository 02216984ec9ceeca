/* PTX to machine code: the key, the cache, a compiler, the cache again. */
#include "sim.h"
#include "sys.h"

#include "os/machine/time.h"

#include <string.h>

enum { KNOWS_NAMES = 1 };

enum { CUDA_OF_460 = 11020 }; /* older drivers end PTX at its first NUL. driver-fact: F13-nuls */

static void key_options(const struct sim *s, const struct sim_request *r, struct jw_buf *out)
{
    jw_buf_text(out, r->relocatable ? "-c" : ""); /* driver-fact: F17-link-options */
    jw_buf_text(out, r->image->options);
    if (s->c.sw.knowledge == KNOWS_NAMES)
        jw_buf_printf(out, " --salt=%016llx",
                      (unsigned long long)jw_fnv1a(JW_FNV_START, s->c.stamp, strlen(s->c.stamp)));
}

static void make_key(const struct sim *s, const struct sim_request *r, struct jw_buf *key)
{
    struct jw_buf options = JW_BUF(1 << 20);
    unsigned sm = r->options->target ? r->options->target : r->sm;
    char arch[16];

    (void)snprintf(arch, sizeof arch, "sm_%u", sm); /* driver-fact: F19-arch-spelling */
    key_options(s, r, &options);
    unsigned nuls = s->c.cuda < CUDA_OF_460 ? 1 : r->image->nuls;

    jw_cache_key_make(key, s->c.stamp, arch, jw_buf_bytes(&r->image->bytes), nuls,
                      jw_buf_cstr(&options));
    if (options.bad)
        key->bad = true;
    jw_buf_free(&options);
}

static int compile(const struct sim *s, const struct sim_request *r, struct jw_buf *out)
{
    const struct sim_config *c = &s->c;

    if (c->sw.no_jit)
        return CU_JIT_COMPILER_NOT_FOUND;
    double ms = c->ms_per_module + c->ms_per_mb * (double)r->image->bytes.n / 1e6;

    if (ms >= 1)
        jw_time_sleep_ms((unsigned)ms);
    jw_buf_clear(out);
    return sim_standin(c, r, out) ? CU_OK : CU_INVALID_PTX;
}

static int compile_and_store(struct sim *s, const struct sim_request *r, struct jw_bytes key,
                             struct sim_lookup *seen, struct jw_buf *cubin)
{
    if (s->c.disable_ptx) /* what is warm runs; driver-fact: F81-force-disable */
        return CU_JIT_COMPILATION_DISABLED;
    if (!sys_load_compiler()) /* driver-fact: F86-compiler-opened */
        return CU_JIT_COMPILER_NOT_FOUND;

    struct sim_struck struck = sim_faults_strike(s, jw_fnv1a(JW_FNV_START, key.p, key.n));
    int code = struck.result != CU_OK ? struck.result : compile(s, r, cubin);

    if (code != CU_OK)
        return code;
    sim_cache_store(s, key, jw_buf_bytes(cubin), seen, &struck);
    return CU_OK;
}

void sim_log_error(const struct sim_options *o, int code)
{
    const char *text = "";

    if (o->error_log_used)
        *o->error_log_used = NULL;
    if (code == CU_OK || !o->error_log || !o->error_log_size
        || cuGetErrorName(code, &text) != CU_OK)
        return;
    (void)snprintf(o->error_log, o->error_log_size, "simulated ptxas: %s", text);
    if (o->error_log_used)
        *o->error_log_used = (void *)(uintptr_t)strlen(o->error_log);
}

int sim_jit(struct sim *s, const struct sim_request *r, struct jw_buf *cubin)
{
    struct jw_buf key = JW_BUF(SIM_MAX_IMAGE);
    struct sim_lookup seen = {0};
    int code = CU_OUT_OF_MEMORY;

    make_key(s, r, &key);
    if (!key.bad) {
        sim_cache_find(s, jw_buf_bytes(&key), cubin, &seen);
        code = seen.found ? CU_OK : compile_and_store(s, r, jw_buf_bytes(&key), &seen, cubin);
    }
    if (code == CU_OK && r->options->target && r->options->target != r->sm)
        code = CU_INVALID_SOURCE;
    sim_log_error(r->options, code);
    jw_buf_free(&key);
    return code;
}
