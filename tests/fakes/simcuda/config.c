/* The variables that a real driver reads, and those that say which driver is played. Read once */
#include "sim.h"

#include "base/path.h"
#include "base/text.h"
#include "facts/driver_settings.h"
#include "facts/rows.h"
#include "os/machine/env.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { STAMP_HOUR = 11 };

static const char default_gpus[] = "sm_86:NVIDIA GeForce RTX 3070 Laptop GPU:8G";
static const char default_driver[] = "580.126.09";

/* Words in the order of their values; "a,b" are two spellings of one. */
static const struct {
    const char *env;
    size_t at;
    const char *words;
} switches[] = {
#define S(env, field, words)                                                                       \
    {                                                                                              \
        "SIMCUDA_" env, offsetof(struct sim_switches, field), words                                \
    }
    S("KNOWLEDGE", knowledge, "0|1|2|3"),
    S("JIT", no_jit, "stand-in|none"),
    S("TRACE", trace, "0|1"),
    S("PRELOAD", preload, "0|1"),
    S("CALL", call, "0|1|2"),
#undef S
};

static bool is_word(const char *words, size_t n, const char *value)
{
    size_t length = strlen(value);

    for (const char *p = words; p < words + n; p += strcspn(p, ",|") + 1)
        if (strcspn(p, ",|") == length && memcmp(p, value, length) == 0)
            return true;
    return false;
}

static bool read_switches(struct sim_config *c, struct jw_arena *a, struct jw_err *err)
{
    for (size_t i = 0; i < JW_COUNT(switches); i++) {
        const char *value = jw_env(a, switches[i].env), *word = switches[i].words;
        unsigned number = 0;

        if (!value || !*value)
            continue;
        for (; *word; word += strcspn(word, "|"), word += *word == '|', number++)
            if (is_word(word, strcspn(word, "|"), value))
                break;
        if (!*word)
            return jw_fail(err, JW_E_USAGE, "%s=%s: not one of %s", switches[i].env, value,
                           switches[i].words + (switches[i].words[0] == '|'));
        memcpy((char *)&c->sw + switches[i].at, &number, sizeof number);
    }
    return true;
}

static const struct jw_branch_row *branch_of(unsigned branch)
{
    const struct jw_branch_row *best = &jw_facts_branches[0];

    for (size_t i = 0; i < jw_facts_branches_n; i++)
        if (jw_facts_branches[i].branch <= branch && jw_facts_branches[i].branch >= best->branch)
            best = &jw_facts_branches[i];
    return best;
}

/* That of the default driver; the others get one of their own, the same each time. Those behind 580
 * are not older than it. */
static void default_stamp(const char *version, char stamp[JW_CACHE_STAMP + 1])
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    uint64_t h = jw_fnv1a(JW_FNV_START, version, strlen(version));
    unsigned year = strtoul(version, NULL, 10) > 580 ? 26 : 15 + (unsigned)(h >> 16) % 12;
    char made[64];

    if (strcmp(version, default_driver) == 0) {
        memcpy(stamp, "Jan  7 202622:51:46", JW_CACHE_STAMP + 1);
        return;
    }
    (void)snprintf(made, sizeof made, "%.3s %2u 20%02u%02u:%02u:%02u", months + h % 12 * 3,
                   1 + (unsigned)(h >> 8) % 28, year, (unsigned)(h >> 24) % 24,
                   (unsigned)(h >> 32) % 60, (unsigned)(h >> 40) % 60);
    memcpy(stamp, made, JW_CACHE_STAMP);
    stamp[JW_CACHE_STAMP] = '\0';
}

/* "Jan  7 2026 22:51:46", as people write it, or without the blank, as it stands in keys. */
static bool read_stamp(const char *text, char stamp[JW_CACHE_STAMP + 1], struct jw_err *err)
{
    size_t n = strlen(text);
    struct jw_cache_key key;
    char head[64];

    if (n == JW_CACHE_STAMP + 1 && text[11] == ' ')
        (void)snprintf(stamp, JW_CACHE_STAMP + 1, "%.11s%s", text, text + 12);
    else if (n == JW_CACHE_STAMP)
        memcpy(stamp, text, JW_CACHE_STAMP + 1);
    else
        return jw_fail(err, JW_E_USAGE, "SIMCUDA_STAMP=%s: write it like 'Jan  7 2026 22:51:46'",
                       text);
    int head_n = snprintf(head, sizeof head, "%sHOST64sm_86", stamp);

    jw_cache_key_read((struct jw_bytes){(const uint8_t *)head, (size_t)head_n}, 1000, &key);
    return key.stamp[0]
           || jw_fail(err, JW_E_USAGE, "SIMCUDA_STAMP=%s: that is no date and time", text);
}

static bool read_driver(struct sim_config *c, struct jw_arena *a, struct jw_err *err)
{
    const char *version = jw_env(a, "SIMCUDA_DRIVER"), *stamp = jw_env(a, "SIMCUDA_STAMP");

    version = version && *version ? version : default_driver;
    if (!jw_driver_parse(version, &c->branch, err))
        return jw_wrap(err, "SIMCUDA_DRIVER=%s", version);
    const struct jw_branch_row *row = branch_of(c->branch);

    c->cache_limit = jw_cache_limit_read(jw_env(a, "CUDA_CACHE_MAXSIZE"), version);
    c->cuda = row->cuda_major * 1000 + row->cuda_minor * 10;
    c->isa_major = row->isa_major;
    c->isa_minor = row->isa_minor;
    if (!stamp || !*stamp)
        default_stamp(version, c->stamp);
    else if (!read_stamp(stamp, c->stamp, err))
        return false;
    if (!jw_stamp_simulated(c->stamp))
        c->stamp[STAMP_HOUR] = (char)(c->stamp[STAMP_HOUR] + JW_SIMULATED_HOURS / 10);
    return true;
}

/* "850" milliseconds for each MB of PTX, "850+20" and 20 more for each module. */
static bool read_cost(struct sim_config *c, const char *text, struct jw_err *err)
{
    char *end = NULL;

    if (!text || !*text)
        return true;
    c->ms_per_mb = strtod(text, &end);
    if (*end == '+')
        c->ms_per_module = strtod(end + 1, &end);
    return (*end == '\0' && c->ms_per_mb >= 0 && c->ms_per_module >= 0)
           || jw_fail(err, JW_E_USAGE, "SIMCUDA_COST=%s: write milliseconds per MB, or MB+MODULE",
                      text);
}

static bool read_sizes(struct sim_config *c, struct jw_arena *a, struct jw_err *err)
{
    const char *context = jw_env(a, "SIMCUDA_CONTEXT_BYTES");

    c->context_bytes = (uint64_t)256 << 20;
    return !context || sim_memory(context, &c->context_bytes)
           || jw_fail(err, JW_E_USAGE, "SIMCUDA_CONTEXT_BYTES=%s: write a size such as 300M",
                      context);
}

static bool truth(const char *value) { return value && strtol(value, NULL, 10) != 0; }

static void read_cache(struct sim_config *c, struct jw_arena *a)
{
    const char *root = jw_env(a, "CUDA_CACHE_PATH"), *disable = jw_env(a, "CUDA_CACHE_DISABLE");
    const char *home = jw_env(a, jw_os_is_windows() ? "APPDATA" : "HOME");

    if (disable && strtol(disable, NULL, 10) == 1)
        return;
    if (root && *root) {
        c->cache_folder = root;
    } else if (home && *home) {
        c->cache_folder =
            jw_path_join(a, home, jw_os_is_windows() ? "NVIDIA/ComputeCache" : ".nv/ComputeCache");
    }
}

static void read_loading(struct sim_config *c, struct jw_arena *a)
{
    const char *force = jw_env(a, "CUDA_FORCE_PTX_JIT"),
               *disable = jw_env(a, "CUDA_DISABLE_PTX_JIT");
    const char *preload = jw_env(a, JW_PRELOAD_VARIABLE);

    c->sw.preload = preload ? truth(preload) : c->sw.preload;
    c->force_ptx = truth(force ? force : jw_env(a, "CUDA_FORCE_JIT"));
    c->disable_ptx = truth(disable ? disable : jw_env(a, "CUDA_DISABLE_JIT"));
}

static bool read_init(struct sim_config *c, const char *text, struct jw_err *err)
{
    uint64_t code = 0;

    if (text && *text && (!jw_text_u64(text, &code) || code > 9999))
        return jw_fail(err, JW_E_USAGE, "SIMCUDA_INIT=%s: write the number that cuInit is to give",
                       text);
    c->init_result = (int)code;
    return true;
}

bool sim_config_read(struct sim_config *c, struct jw_arena *a, struct jw_err *err)
{
    const char *gpus = jw_env(a, "SIMCUDA_GPUS"), *faults = jw_env(a, "SIMCUDA_FAULTS");
    const char *shared = jw_env(a, "SIMCUDA_SHARED");

    *c = (struct sim_config){.sw = {.knowledge = 3}};
    if (!read_driver(c, a, err))
        return false;
    if (!read_switches(c, a, err) || !read_sizes(c, a, err)
        || !read_cost(c, jw_env(a, "SIMCUDA_COST"), err)
        || !read_init(c, jw_env(a, "SIMCUDA_INIT"), err)
        || !sim_faults_read(c, faults ? faults : "", err)
        || !sim_gpus_read(c, gpus ? gpus : default_gpus, jw_env(a, "CUDA_VISIBLE_DEVICES"), err))
        return false;
    read_cache(c, a);
    read_loading(c, a);
    c->shared = shared && *shared ? shared : NULL;
    return true;
}
