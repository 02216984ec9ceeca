/* Caches of other compilers that die with a container. */
#include "check.h"
#include "doctor_rig.h"

static const struct jw_other_cache caches[] = {
    { "Triton", "triton", "TRITON_CACHE_DIR", false, "/root/.triton/cache", true, NULL },
    { "FlashInfer", "flashinfer", "FLASHINFER_WORKSPACE_BASE", false, "/root/.cache/flashinfer", false,
      NULL },
    { "CuPy", "cupy", "CUPY_CACHE_DIR", true, "/workspace/cupy", true, NULL },
    { "JAX", "jax", "JAX_COMPILATION_CACHE_DIR", false, NULL, false, NULL },
    { "DeepGEMM", "deep_gemm", "DG_JIT_CACHE_DIR", false, "/root/.deep_gemm", false, NULL },
    { "cuda.core", NULL, NULL, false, "/root/.cache/cuda-python", true, NULL }, /* nothing moves it */
};
static const bool installed[] = { true, true, true, true, false, false };

static struct jw_findings ask(struct doctor_rig *r, size_t n)
{
    struct jw_findings f = JW_FINDINGS(&r->arena);

    jw_doctor_others(&r->m, caches, n, installed, &f);
    return f;
}

TEST_DOCTOR(all_that_die_are_named_at_once)
{
    static const char *const volumes[] = { "/workspace" };
    struct jw_findings f;

    CHECK_NUM(ask(r, JW_COUNT(caches)).n, 0); /* no container */
    r->m.probe.driver.container = true;
    r->m.volume = volumes[0];
    r->m.volumes = volumes;
    r->m.n_volumes = 1;
    f = ask(r, JW_COUNT(caches));
    CHECK_NUM(f.n, 1);
    CHECK_TEXT(f.v[0].id, "other-caches-lost");
    CHECK_NUM(f.v[0].severity, JW_WARNING);
    CHECK_HAS(f.v[0].text, "3 caches of other compilers");
    CHECK_TEXT(f.v[0].evidence,
               "Triton (/root/.triton/cache), FlashInfer (/root/.cache/flashinfer), JAX (keeps "
               "nothing without JAX_COMPILATION_CACHE_DIR)");
    CHECK_TEXT(f.v[0].command, "export TRITON_CACHE_DIR=/workspace/.cache/triton && export "
                               "FLASHINFER_WORKSPACE_BASE=/workspace/.cache/flashinfer && export "
                               "JAX_COMPILATION_CACHE_DIR=/workspace/.cache/jax");
    r->m.volume = NULL; /* of which container is not known: jitwarm env knows nothing of these caches */
    CHECK(!ask(r, JW_COUNT(caches)).v[0].command);
    CHECK_HAS(ask(r, JW_COUNT(caches)).v[0].fix, "set in the image: ENV ");
    r->m.container = (struct jw_container){ .engine = JW_CONTAINER_DOCKER, .id = "3f2a9c1b0d4e" };
    r->m.who.root = true;
    f = ask(r, 1);
    CHECK_TEXT(f.v[0].command,
               "docker run -it --gpus all -v jit-caches:/jit-caches -e TRITON_CACHE_DIR=/jit-caches/triton "
               "\"$(docker inspect -f '{{.Config.Image}}' 3f2a9c1b0d4e)\"");
    /* The driver's with them, in one command that both findings have. */
    f = JW_FINDINGS(&r->arena);
    JW_FINDING(&f, .id = "cache-container", .severity = JW_WARNING, .text = "x", .command = "y");
    jw_doctor_others(&r->m, caches, 1, installed, &f);
    CHECK_NUM(f.n, 2);
    CHECK_HAS(f.v[0].command, "-e TRITON_CACHE_DIR=/jit-caches/triton -e CUDA_CACHE_PATH=/jit-caches/cuda ");
    CHECK_TEXT(f.v[1].command, f.v[0].command);
}

/* What is installed and was never used is worth a note. */
TEST_DOCTOR(installed_alone_is_a_note)
{
    struct jw_findings f = { 0 };

    r->m.probe.driver.container = true;
    f = JW_FINDINGS(&r->arena);
    jw_doctor_others(&r->m, caches + 1, 1, installed + 1, &f);
    CHECK_NUM(f.n, 1);
    CHECK_NUM(f.v[0].severity, JW_NOTE);
    f.n = 0;
    jw_doctor_others(&r->m, caches + 4, 2, installed + 4,
                     &f); /* neither used nor installed; nothing to move */
    CHECK_NUM(f.n, 0);
}
