#include "rig.h"
#include "cache/place/listing.h"

#include "gen/samples.h"
#include "os/files/file.h"
#include "os/process/process.h"

#include <stdarg.h>
#include <stdlib.h>

#if defined(_WIN32)
#define setenv(name, value, over) _putenv_s(name, value)
#define unsetenv(name) _putenv_s(name, "")
#endif

int rig_code;
char rig_ended[384];

static const char *const variables[] = {
    "CUDA_CACHE_DISABLE",   "CUDA_CACHE_MAXSIZE", "CUDA_FORCE_PTX_JIT",  "CUDA_FORCE_JIT",
    "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT",   "CUDA_MODULE_LOADING", "CUDA_VISIBLE_DEVICES",
    "SIMCUDA_GPUS",         "SIMCUDA_DRIVER",     "SIMCUDA_STAMP",       "SIMCUDA_JIT",
    "SIMCUDA_COST",         "SIMCUDA_FAULTS",     "SIMCUDA_INIT",        "SIMCUDA_CONTEXT_BYTES",
    "SIMCUDA_KNOWLEDGE",    "SIMCUDA_SHARED",     "SIMNVRTC_VERSION",
};

void rig_set(const char *name, const char *value)
{
    if (value)
        (void)setenv(name, value, 1);
    else
        (void)unsetenv(name);
}

const char *rig_root(void)
{
    return scratch("root");
}

void rig_begin(void)
{
    struct jw_err err = { 0 };

    for (size_t i = 0; i < JW_COUNT(variables); i++)
        rig_set(variables[i], NULL);
    scratch_empty(scratch(""));
    CHECK(jw_make_dirs(scratch("home"), &err));
    rig_set("CUDA_CACHE_PATH", rig_root());
    rig_set("HOME", scratch("home"));
    rig_set("APPDATA", scratch("home"));
}

static void play_once(const char *const argv[], struct jw_buf *out)
{
    struct jw_err err = { 0 };

    rig_code = -1;
    rig_ended[0] = '\0';
    if (!jw_process_capture(PLAY, argv, 60000, out, &rig_code, &err))
        (void)snprintf(rig_ended, sizeof rig_ended, "%s", err.msg);
}

/* Wine, once in some thousand starts on a busy machine (docs/setup.md): every end of PLAY itself is 0, or comes after a word. */
static bool lost_by_wine(const struct jw_buf *out)
{
#if defined(_WIN32)
    return out->n == 0 && (rig_code == 1 || strstr(rig_ended, "Internal error"));
#else
    (void)out;
    return false;
#endif
}

const char *rig_play(const char *first, ...)
{
    static char said[16384];
    const char *argv[40] = { PLAY, SIMCUDA };
    struct jw_buf out = JW_BUF(sizeof said - 1);
    va_list args;
    size_t n = 2;

    va_start(args, first);
    for (const char *word = first; word && n < 39; word = va_arg(args, const char *))
        argv[n++] = word;
    va_end(args);
    play_once(argv, &out);
    if (lost_by_wine(&out)) {
        printf("again: %s ended with %d and no word (%s)\n", PLAY, rig_code, rig_ended);
        play_once(argv, &out);
    }
    (void)snprintf(said, sizeof said, "%s", jw_buf_cstr(&out));
    jw_buf_free(&out);
    return said;
}

/* Paths of files, good for longer than those of scratch(). */
static const char *kept(const char *name)
{
    static char paths[64][4096];
    static unsigned next;
    char *path = paths[next++ % 64];

    (void)snprintf(path, sizeof paths[0], "%s", scratch(name));
    return path;
}

static const char *write_file(const char *name, struct jw_buf *bytes)
{
    const char *path = kept(name);
    FILE *f = fopen(path, "wb");

    gen_check(bytes);
    CHECK(f && fwrite(bytes->p, 1, bytes->n, f) == bytes->n && fclose(f) == 0);
    jw_buf_free(bytes);
    return path;
}

const char *rig_ptx(const char *name, const char *version, const char *target, unsigned n, size_t bytes)
{
    struct jw_buf text = GEN_BUF;

    jw_buf_printf(
        &text,
        "//\n// made by a test\n//\n.version %s\n.target %s\n.address_size 64\n\n"
        ".visible .entry jw_canary_add_%u(\n\t.param .u64 out,\n\t.param .u32 x\n)\n{\n\t.reg .b32 %%r<4>;\n"
        "\t.reg .b64 %%rd<4>;\n\tld.param.u64 %%rd1, [out];\n\tld.param.u32 %%r1, [x];\n"
        "\tcvta.to.global.u64 %%rd2, %%rd1;\n\tadd.s32 %%r2, %%r1, %u;\n\tst.global.u32 [%%rd2], %%r2;\n"
        "\tret;\n}\n",
        version, target, n, n);
    while (text.n < bytes)
        jw_buf_printf(&text, "// %08zx\n", text.n);
    return write_file(name, &text);
}

void rig_slurp(const char *path, struct jw_buf *out)
{
    struct jw_err err = { 0 };
    bool found = false;

    CHECK(jw_file_slurp(path, out, &found, &err) && found);
}

const char *rig_fatbin(const char *name, const char *ptx, unsigned sm, uint64_t packing, const char *options)
{
    struct jw_buf text = GEN_BUF, fat = GEN_BUF;
    struct gen_fat_image image = { .kind = JW_KIND_PTX,
                                   .target = { .sm = (uint16_t)sm },
                                   .major = 7,
                                   .minor = 0,
                                   .packing = packing,
                                   .pack = gen_pack,
                                   .options = options };

    rig_slurp(ptx, &text);
    image.payload = jw_buf_bytes(&text);
    gen_fat_images(&fat, &image, 1);
    jw_buf_free(&text);
    return write_file(name, &fat);
}

uint64_t rig_name(const char *ptx, const char *arch, unsigned nuls, const char *options)
{
    struct jw_buf text = GEN_BUF, key = GEN_BUF;

    rig_slurp(ptx, &text);
    jw_cache_key_make(&key, RIG_STAMP, arch, jw_buf_bytes(&text), nuls, options);
    uint64_t name = jw_fnv1a(JW_FNV_START, key.p, key.n);

    jw_buf_free(&text);
    jw_buf_free(&key);
    return name;
}

const char *rig_entry(uint64_t name)
{
    char below[64];

    (void)snprintf(below, sizeof below, "root/%s", jw_cache_name(name).text);
    return scratch(below);
}

struct rig_look rig_look(void)
{
    struct rig_look out = { 0 };
    struct jw_arena a = { 0 };
    struct jw_cache_listing l = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_cache_list(rig_root(), true, NULL, &a, &l, &err));
    for (size_t i = 0; i < l.n; i++) {
        out.files++;
        out.damaged += l.files[i].damage != NULL;
        out.orphans += !l.files[i].indexed;
    }
    out.records = l.index.n;
    out.total = l.index.total;
    out.missing = l.missing;
    out.index_sound = l.index_trouble == JW_INDEX_WHOLE && !l.index_damage;
    for (size_t i = 0; i < l.index.n; i++)
        CHECK(jw_cache_index_add(&out.index, l.index.list[i], &err));
    jw_cache_listing_free(&l);
    jw_arena_free(&a);
    return out;
}

void rig_look_free(struct rig_look *l)
{
    jw_cache_index_free(&l->index);
}

size_t rig_files(void)
{
    struct rig_look l = rig_look();

    rig_look_free(&l);
    return l.files;
}
