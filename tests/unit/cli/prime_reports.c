#include "prime_reports.h"

#include "base/arena.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

enum { MANY = 100000 };

static struct jw_arena arena;
static struct made_report made;

static const struct jw_device laptop = { .name = "NVIDIA GeForce RTX 3070 Laptop GPU",
                                         .uuid = "GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc",
                                         .pci = "0000:01:00.0",
                                         .sm = 86,
                                         .memory = 8589934592,
                                         .chosen = true };

static struct jw_place ggml[] = {
    { .path = "/opt/llama/libggml-cuda.so",
      .disk = "/opt/llama/libggml-cuda.so",
      .at = 0x1f40,
      .size = 138000 },
    { .path = "/opt/llama/copy/libggml-cuda.so", .disk = "/opt/llama/copy/libggml-cuda.so", .size = 138000 }
};
static struct jw_place torch[] = { { .path = "torch/lib/libtorch_cuda.so",
                                     .disk = "torch/lib/libtorch_cuda.so",
                                     .package = "torch 2.9.0",
                                     .text = true } };

/* ---- pieces ---- */

static struct jw_job *jobs(struct jw_prime_report *r, size_t n)
{
    struct jw_job *list = jw_arena_alloc(&arena, n * sizeof *list);

    for (size_t i = 0; list && i < n; i++) {
        list[i] = (struct jw_job){ .id = { (uint8_t)(i >> 8), (uint8_t)i },
                                   .sm = 86,
                                   .module = { .target = "compute_75",
                                               .options = i % 2 ? "-maxrregcount=40" : "",
                                               .ptx_bytes = 1860000,
                                               .places = ggml,
                                               .n_places = 2 },
                                   .used = i % 3 == 0,
                                   .predicted = true,
                                   .name = 0x423e06b9e6ec62aaULL + i,
                                   .key_size = 1860100,
                                   .seconds = 1.7,
                                   .cache_bytes = 500000,
                                   .memory = 380000000 };
    }
    r->jobs = list;
    r->n_jobs = list ? n : 0;
    return list;
}

/* Jobs [from, to) come to this. */
static void became(struct jw_prime_report *r, size_t from, size_t to, enum jw_outcome state)
{
    for (size_t i = from; i < to; i++) {
        r->jobs[i].state = state;
        r->counts[state]++;
        if (state != JW_JOB_WARM && state != JW_JOB_WARMED)
            continue;
        r->jobs[i].entry_bytes = 496000;
        if (state == JW_JOB_WARMED) {
            r->jobs[i].milliseconds = 1650;
            r->warmed_bytes += 496000;
        }
    }
}

static void because(struct jw_prime_report *r, size_t from, size_t to, int code, const char *code_name,
                    const char *why)
{
    for (size_t i = from; i < to; i++) {
        r->jobs[i].code = code;
        r->jobs[i].code_name = code_name;
        r->jobs[i].why = why;
    }
}

static struct jw_run run; /* of the last report */

static struct jw_notes noted(const char *const *list, size_t n)
{
    return (struct jw_notes){ (const char **)(uintptr_t)list, n };
}

static struct jw_prime_report plain(enum jw_end end)
{
    static const char *const targets[] = { "/opt/llama" };

    run = (struct jw_run){ .end = end, .milliseconds = 125300 };
    return (struct jw_prime_report){ .run = &run,
                                     .driver.version = "580.126.09",
                                     .driver.build = "gnu:5d1",
                                     .driver.stamp = "Jan  7 202622:51:46",
                                     .driver.level = 3,
                                     .driver.gpus = &laptop,
                                     .driver.n_gpus = 1,
                                     .cache.folder = "/home/u/.nv/ComputeCache",
                                     .cache.limit.bytes = 1 << 30,
                                     .cache.limit.known = true,
                                     .cache.used = 300000000,
                                     .cache.free_disk = 23000000000,
                                     .workers = 8,
                                     .files = 12,
                                     .bytes = 5200000000,
                                     .targets = targets,
                                     .n_targets = 1,
                                     .targets_from = "given" };
}

static void verified(struct jw_prime_report *r, uint64_t loaded)
{
    struct jw_verify_pass *pass = jw_arena_alloc(&arena, sizeof *pass);

    *pass = (struct jw_verify_pass){
        .where = "this environment", .loaded = loaded, .hits = loaded, .milliseconds = 3100
    };
    r->verify = (struct jw_verify_report){ .done = true, .passes = pass, .n_passes = 1 };
}

/* ---- reports ---- */

static void good(struct jw_prime_report *r)
{
    *r = plain(JW_END_DONE);
    (void)jobs(r, 143);
    became(r, 0, 143, JW_JOB_WARMED);
    r->left_out[JW_OUT_IS_NATIVE] = (struct jw_left_out_sum){ 17, 0 };
    r->left_out[JW_OUT_IS_LAZY] = (struct jw_left_out_sum){ 46, 98000000 };
    verified(r, 143);
}

static void one(struct jw_prime_report *r)
{
    *r = plain(JW_END_DONE);
    (void)jobs(r, 1);
    became(r, 0, 1, JW_JOB_WARMED);
    r->left_out[JW_OUT_IS_LAZY].modules = 1;
    run.milliseconds = 1700;
    verified(r, 1);
}

static void nothing(struct jw_prime_report *r)
{
    *r = plain(JW_END_NOTHING);
    (void)jobs(r, 143);
    became(r, 0, 143, JW_JOB_WARM);
    verified(r, 143);
}

static void native(struct jw_prime_report *r)
{
    *r = plain(JW_END_NOTHING);
    r->left_out[JW_OUT_IS_NATIVE].modules = 212;
}

static void empty(struct jw_prime_report *r)
{
    *r = plain(JW_END_NOTHING);
    r->files = 0;
    r->found_nothing = true;
    r->targets_from = "found";
    r->n_targets = 0;
}

static void receipt(struct jw_prime_report *r)
{
    *r = plain(JW_END_NOTHING);
    r->receipt = true;
    r->counts[JW_JOB_WARM] = 143;
    run.milliseconds = 12;
}

static void receipt_of_a_search(struct jw_prime_report *r)
{
    receipt(r);
    r->searched = true;
}

static void receipt_of_named_paths(struct jw_prime_report *r)
{
    receipt(r);
    r->named = true;
}

static void partly(struct jw_prime_report *r)
{
    static const char *const notes[] = {
        "CUDA_DISABLE_PTX_JIT is set for the user's programs, too",
        "5 files belong to another user",
        "the driver was updated since the last run",
    };
    static const char *const advice[] = { "jitwarm env apply", "jitwarm doctor --probe" };

    *r = plain(JW_END_PARTLY);
    (void)jobs(r, 143);
    became(r, 0, 80, JW_JOB_WARMED);
    became(r, 80, 83, JW_JOB_WARM);
    became(r, 83, 133, JW_JOB_FAILED);
    because(r, 83, 133, 218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed");
    r->jobs[83].module.kernel = "flash_attn_ext_f16";
    r->jobs[83].log =
        "\nptxas application ptx input, line 9; fatal   : Unresolved extern function 'foo'\nbye";
    became(r, 133, 136, JW_JOB_CRASHED);
    because(r, 133, 136, 0, NULL, "signal 11 (SIGSEGV)");
    became(r, 136, 137, JW_JOB_TIMEOUT);
    because(r, 136, 137, 0, NULL, "it was ended after 30 min");
    became(r, 137, 139, JW_JOB_SKIPPED);
    because(r, 137, 139, 0, NULL, "signal 11 (SIGSEGV), on 2026-10-01");
    became(r, 139, 140, JW_JOB_CHANGED);
    became(r, 140, 142, JW_JOB_UNSTORED);
    became(r, 142, 143, JW_JOB_NO_ROOM);
    run.notes = noted(notes, 3);
    run.advice = noted(advice, 2);
    r->left_out[JW_OUT_IS_NATIVE].modules = 1;
    r->left_out[JW_OUT_IS_RDC].modules = 1;
    r->left_out[JW_OUT_IS_BLOCKED].modules = 2;
    r->left_out[JW_OUT_IS_DOUBTFUL].modules = 1;
    r->left_out[JW_OUT_IS_LAZY].modules = 46;
    r->left_out[JW_OUT_IS_VENDOR].modules = 1200;
    verified(r, 83);
}

static void no_room(struct jw_prime_report *r)
{
    static const char *const advice[] = { "jitwarm env apply", "export CUDA_CACHE_MAXSIZE=1073741824" };

    *r = plain(JW_END_PARTLY);
    (void)jobs(r, 143);
    became(r, 0, 40, JW_JOB_WARMED);
    became(r, 40, 143, JW_JOB_NO_ROOM);
    r->cache.limit.bytes = 268435456;
    r->cache.limit.known = true;
    r->cache.used = 248000000;
    r->outdated = 40000000;
    r->need = 71500000;
    run.advice = noted(advice, 2);
    verified(r, 40);
}

static void no_gpu(struct jw_prime_report *r)
{
    static const char *const advice[] = { "jitwarm doctor" };

    run = (struct jw_run){ .end = JW_END_NO_GPU,
                           .why = "there is no NVIDIA driver here (libcuda.so.1: cannot open shared "
                                  "object file: No such file or directory)" };
    *r = (struct jw_prime_report){ .run = &run, .driver.level = -1, .targets_from = "found" };
    run.advice = noted(advice, 1);
}

static void to_do(struct jw_prime_report *r)
{
    *r = plain(JW_END_DONE);
    (void)jobs(r, 143);
    for (size_t i = 100; i < 143; i++) {
        r->jobs[i].module.places = torch;
        r->jobs[i].module.n_places = 1;
    }
    became(r, 0, 20, JW_JOB_WARM);
    became(r, 20, 143, JW_JOB_TODO);
    r->need = 61500000;
    r->seconds = 26;
    run.milliseconds = 40;
}

static void consent(struct jw_prime_report *r)
{
    static const char *const advice[] = { "jitwarm prime --yes" };

    to_do(r);
    run.end = JW_END_CONSENT;
    run.why = "it is 25 minutes of computing; without a terminal to ask at, --yes says so";
    run.advice = noted(advice, 1);
}

static void simulated(struct jw_prime_report *r)
{
    good(r);
    r->driver.stamp = "Jan  7 202662:51:46";
}

static void busy(struct jw_prime_report *r)
{
    *r = plain(JW_END_BUSY);
    run.why = "process 4711 has been at work on this cache since 14:02:11 (--wait waits for it)";
}

static void stopped(struct jw_prime_report *r)
{
    static const char *const advice[] = { "unset CUDA_CACHE_DISABLE" };

    *r = plain(JW_END_STOPPED);
    run.why = "CUDA_CACHE_DISABLE=1 is set here: the driver would keep nothing of what it compiles";
    run.advice = noted(advice, 1);
}

static void time_up(struct jw_prime_report *r)
{
    *r = plain(JW_END_TIME);
    (void)jobs(r, 143);
    became(r, 0, 93, JW_JOB_WARMED);
    became(r, 93, 143, JW_JOB_TODO);
    r->verify.why = "the time is up";
}

static void box_too_short(struct jw_prime_report *r)
{
    static const char *const advice[] = {
        "jitwarm prime --time-limit 60s   # a shorter time limit gets no further"
    };

    *r = plain(JW_END_TIME);
    (void)jobs(r, 20);
    became(r, 0, 20, JW_JOB_TODO);
    r->next_seconds = 40;
    r->next_limit = 60;
    run.why = "0 finished: the first module needs about 40 s; use --time-limit 60s";
    run.advice = noted(advice, 1);
}

static void one_long(struct jw_prime_report *r)
{
    to_do(r);
    r->seconds = r->longest_seconds = 40;
}

static void interrupted(struct jw_prime_report *r)
{
    *r = plain(JW_END_INTERRUPTED);
    (void)jobs(r, 143);
    became(r, 0, 1, JW_JOB_WARMED);
    became(r, 1, 143, JW_JOB_TODO);
}

static void full_disk(struct jw_prime_report *r)
{
    *r = plain(JW_END_CANNOT_WRITE);
    (void)jobs(r, 143);
    became(r, 0, 12, JW_JOB_WARMED);
    became(r, 12, 143, JW_JOB_TODO);
    run.why = "cannot write /home/u/.nv/ComputeCache/4/2/3e06b9e6ec62aa: No space left on device";
    r->cache.free_disk = 0;
}

static void read_only(struct jw_prime_report *r)
{
    *r = plain(JW_END_CANNOT_WRITE);
    run.why = "cannot make /home/u/.nv/ComputeCache: Permission denied";
}

/* Names that would move the cursor, and wide ones. */
static void odd_names(struct jw_prime_report *r)
{
    static struct jw_place odd[] = { { .path = "/opt/\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4/lib\nx\033[31m.so",
                                       .disk = "/x",
                                       .package = "한국어 1.0" },
                                     { .path = "C:\\Users\\\xff\\a.dll", .disk = "C:\\x" } };
    static const char *const notes[] = { "a note with\ttab" };

    *r = plain(JW_END_PARTLY);
    (void)jobs(r, 3);
    became(r, 0, 1, JW_JOB_WARMED);
    became(r, 1, 3, JW_JOB_FAILED);
    because(r, 1, 3, 999, NULL, "why\x07");
    for (size_t i = 0; i < 3; i++) {
        r->jobs[i].module.places = odd;
        r->jobs[i].module.n_places = 2;
    }
    r->jobs[1].module.kernel = "k\033[2J커널";
    r->jobs[1].log = "\r\n  log\r\n\033]0;title\a\n";
    r->cache.folder = "/home/\xea\xb9\x80/.nv/ComputeCache";
    run.notes = noted(notes, 1);
    verified(r, 1);
}

static void many(struct jw_prime_report *r)
{
    struct jw_place *places = jw_arena_alloc(&arena, 1000 * sizeof *places);
    char path[64];

    *r = plain(JW_END_PARTLY);
    (void)jobs(r, MANY);
    for (size_t i = 0; i < 1000; i++) {
        (void)snprintf(path, sizeof path, "/opt/app/plugins/module-%03zu/lib.so", i);
        places[i] = (struct jw_place){ .path = jw_arena_str(&arena, path), .disk = "x" };
    }
    for (size_t i = 0; i < MANY; i++) {
        r->jobs[i].module.places = &places[i % 1000];
        r->jobs[i].module.n_places = 1;
        (void)snprintf(path, sizeof path, "reason %zu", i % 40);
        if (i >= 50000)
            r->jobs[i].why = jw_arena_str(&arena, path);
    }
    became(r, 0, 50000, JW_JOB_WARMED);
    became(r, 50000, MANY, JW_JOB_FAILED);
    verified(r, 50000);
}

static void many_to_do(struct jw_prime_report *r)
{
    many(r);
    run.end = JW_END_DONE;
    memset(r->counts, 0, sizeof r->counts);
    became(r, 0, MANY, JW_JOB_TODO);
    r->verify = (struct jw_verify_report){ 0 };
    r->warmed_bytes = 0;
    r->need = 50000000000;
    r->seconds = 26000;
}

static void missing(struct jw_prime_report *r)
{
    static const struct jw_verify_pass passes[] = {
        { .where = "this environment",
          .loaded = 143,
          .hits = 140,
          .misses = 3,
          .new_entries = 3,
          .milliseconds = 9 },
        { .where = "a fresh login", .loaded = 143, .hits = 142, .failed = 1, .milliseconds = 9 },
    };
    static const struct jw_verify_miss misses[] = {
        { 5, 0, "its entry is gone: evicted, or removed" },
        { 7, 0, "the program's options differ" },
        { 9, 0, "its entry is gone: evicted, or removed" },
    };

    nothing(r);
    run.end = JW_END_PARTLY;
    r->verify = (struct jw_verify_report){
        .done = true, .passes = passes, .n_passes = 2, .misses = misses, .n_misses = 3
    };
}

static void login_differs(struct jw_prime_report *r)
{
    static const struct jw_verify_pass passes[] = {
        { .where = "this environment", .loaded = 143, .hits = 143 },
        { .where = "a fresh login", .loaded = 143, .hits = 143 }
    };

    nothing(r);
    r->verify.passes = passes;
    r->verify.n_passes = 2;
}

static void unverifiable(struct jw_prime_report *r)
{
    *r = plain(JW_END_NO_GPU);
    run.why = "no driver";
    r->verify.why = "no driver";
}

static void several_gpus(struct jw_prime_report *r)
{
    static const struct jw_device gpus[] = {
        { .index = 0, .name = "NVIDIA H100", .sm = 90, .chosen = true },
        { .index = 1, .name = "NVIDIA H100", .sm = 90, .chosen = true },
        { .index = 2, .name = "NVIDIA T4", .sm = 75, .chosen = true, .exclusive = true },
        { .index = 3, .name = "Tesla K80", .sm = 37 },
    };

    good(r);
    r->driver.gpus = gpus;
    r->driver.n_gpus = 4;
    r->counts[JW_JOB_WARM] = 1;
}

static const struct {
    const char *name;
    enum prime_verb verb;
    void (*fill)(struct jw_prime_report *r);
} all[] = {
    { "good", PRIME_PRIME, good },
    { "one", PRIME_PRIME, one },
    { "nothing", PRIME_PRIME, nothing },
    { "native", PRIME_PRIME, native },
    { "empty", PRIME_PRIME, empty },
    { "receipt", PRIME_PRIME, receipt },
    { "receipt-of-a-search", PRIME_PRIME, receipt_of_a_search },
    { "receipt-of-named-paths", PRIME_PRIME, receipt_of_named_paths },
    { "partly", PRIME_PRIME, partly },
    { "no-room", PRIME_PRIME, no_room },
    { "no-gpu", PRIME_PRIME, no_gpu },
    { "consent", PRIME_PRIME, consent },
    { "simulated", PRIME_PRIME, simulated },
    { "busy", PRIME_PRIME, busy },
    { "stopped", PRIME_PRIME, stopped },
    { "time", PRIME_PRIME, time_up },
    { "box-too-short", PRIME_PRIME, box_too_short },
    { "plan-one-long", PRIME_PLAN, one_long },
    { "interrupted", PRIME_PRIME, interrupted },
    { "full-disk", PRIME_PRIME, full_disk },
    { "read-only", PRIME_PRIME, read_only },
    { "odd-names", PRIME_PRIME, odd_names },
    { "many", PRIME_PRIME, many },
    { "several-gpus", PRIME_PRIME, several_gpus },
    { "plan", PRIME_PLAN, to_do },
    { "plan-consent", PRIME_PLAN, consent },
    { "plan-nothing", PRIME_PLAN, nothing },
    { "plan-no-room", PRIME_PLAN, no_room },
    { "plan-no-gpu", PRIME_PLAN, no_gpu },
    { "plan-many", PRIME_PLAN, many_to_do },
    { "plan-simulated", PRIME_PLAN, simulated },
    { "plan-interrupted", PRIME_PLAN, interrupted },
    { "verify", PRIME_VERIFY, nothing },
    { "verify-login", PRIME_VERIFY, login_differs },
    { "verify-missing", PRIME_VERIFY, missing },
    { "verify-no-gpu", PRIME_VERIFY, unverifiable },
    { "verify-native", PRIME_VERIFY, native },
    { "verify-empty", PRIME_VERIFY, empty },
    { "verify-simulated", PRIME_VERIFY, simulated },
};

const struct made_report *made_report_at(size_t i)
{
    if (i >= sizeof all / sizeof all[0])
        return NULL;
    made = (struct made_report){ .name = all[i].name, .verb = all[i].verb };
    all[i].fill(&made.report);
    return &made;
}

const struct made_report *made_report(const char *name)
{
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0)
            return made_report_at(i);
    check_failed(__FILE__, __LINE__, name);
    return made_report_at(0);
}

void made_reports_free(void)
{
    jw_arena_free(&arena);
}
