#include "pack/compile/offline_module.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/format/jitcache.h"
#include "driver/probe/forge.h"
#include "driver/worker/nvjitlink.h"
#include "formats/cubin.h"
#include "formats/fatbin_unpack.h"
#include "formats/image.h"
#include "formats/ptx.h"
#include "formats/select.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "software/find/toolkit_find.h"

#include <stdio.h>
#include <string.h>

/* ---- the compilers: ptxas is a program; nvJitLink is a library, which a worker process loads ---- */

enum { MOST_WORDS = 32, MOST_SAID = 1 << 20 };

#define NVJITLINK "nvJitLink"

static bool find_library(struct jw_arena *a, const char **path, struct jw_err *err)
{
    const struct jw_toolkit_places places = jw_nvjitlink_find(NULL, a);

    if (!places.n)
        return jw_fail(err, JW_E_USAGE,
                       "no nvJitLink found (%s): install it with \"pip install nvidia-nvjitlink\" or a CUDA "
                       "toolkit from "
                       "12.0 on, or name one with --compiler /PATH/%s",
                       jw_nvjitlink_where(jw_os_is_windows()),
                       jw_os_is_windows() ? "nvJitLink_130_0.dll" : "libnvJitLink.so.13");
    *path = places.v[0].path;
    return true;
}

static bool ask_library(const char *path, const atomic_bool *interrupted, struct jw_arena *a,
                        struct jw_compiler *out, struct jw_err *err)
{
    struct jw_nvjitlink l;

    if (!jw_is_file(path))
        return jw_fail(err, JW_E_USAGE, "%.200s: no such library", path);
    if (!jw_nvjitlink_ask(path, interrupted, a, &l, err)) {
        if (err->code == JW_E_DRIVER)
            err->code = JW_E_USAGE;
        return false;
    }
    *out = (struct jw_compiler){ .name = NVJITLINK, .path = path, .version = l.version, .library = true };
    jw_compiler_isa(l.major, l.minor, &out->isa_major, &out->isa_minor);
    return true;
}

bool offline_find_compiler(const char *asked, const atomic_bool *interrupted, struct jw_arena *a,
                           struct jw_compiler *out, struct jw_err *err)
{
    if (jw_text_equal_nocase(asked, NVJITLINK)) {
        const char *path;

        return find_library(a, &path, err) && ask_library(path, interrupted, a, out, err);
    }
    if (jw_path_absolute(asked) && jw_is_nvjitlink_name(jw_path_base(asked)))
        return ask_library(asked, interrupted, a, out, err);
    return jw_compiler_find(asked, a, out, err);
}

/* One module at work. */
struct compiling {
    const struct offline_way *way;
    const char *in, *out; /* files for the compiler */
    const char *options;  /* as the module's file stores them */
    struct jw_arena a;
    struct jw_buf ptx, cubin, key;
};

struct words {
    const char *v[MOST_WORDS + 1];
    size_t n;
    char arch[24];
};

/* -arch=sm_86 and the options that the module's file stores. */
static bool read_words(struct compiling *c, struct words *w, struct jw_err *err)
{
    char *options = jw_arena_str(&c->a, c->options);
    const char *unknown;

    (void)snprintf(w->arch, sizeof w->arch, "-arch=sm_%u", c->way->sm);
    w->v[0] = w->arch;
    if (!forge_options(options, w->v + 1, MOST_WORDS, &w->n, &unknown))
        return jw_fail(err, JW_E_FORMAT, "it needs the option %.60s, which jitwarm does not pass on",
                       unknown);
    if (c->way->by->library)
        forge_nvjitlink_options(w->v + 1, &w->n, &c->a);
    w->n++;
    return true;
}

static bool run_ptxas(const struct compiling *c, const struct words *w, struct jw_err *err)
{
    const struct jw_compiler *by = c->way->by;
    const char *argv[MOST_WORDS + 8] = { by->path };
    struct jw_buf said = JW_BUF(MOST_SAID);
    struct jw_process_options o = {
        .exe = by->path, .argv = argv, .timeout_ms = c->way->timeout_ms, .interrupted = c->way->interrupted
    };
    int code = -1;

    memcpy(argv + 1, w->v, w->n * sizeof *argv);
    argv[1 + w->n] = c->in;
    argv[2 + w->n] = "-o";
    argv[3 + w->n] = c->out;
    bool ran = jw_process_run(&o, &said, &code, err);

    jw_buf_free(&said);
    if (!ran)
        return jw_wrap(err, "%s", by->name);
    return code == 0 || jw_fail(err, JW_E_FORMAT, "%s refuses it (exit code %d)", by->name, code);
}

static bool run_library(const struct compiling *c, const struct words *w, struct jw_err *err)
{
    const struct jw_compiler *by = c->way->by;
    struct jw_nvjitlink_job job = { c->in, c->out, w->v, w->n, c->way->timeout_ms, c->way->interrupted };
    struct jw_nvjitlink l = { .path = by->path, .version = by->version };

    return jw_nvjitlink_compile(&l, &job, err);
}

static bool run_compiler(struct compiling *c, struct jw_err *err)
{
    struct words w = { 0 };
    struct jw_err ignored;
    bool found = false;

    (void)!jw_append_remove(c->out, &ignored);
    return read_words(c, &w, err) && (c->way->by->library ? run_library : run_ptxas)(c, &w, err)
           && jw_file_slurp(c->out, &c->cubin, &found, err)
           && (found || jw_fail(err, JW_E_FORMAT, "%s wrote no code", c->way->by->name));
}

/* ---- one module: PTX from its file, compiled, stored under the key that the driver will compute ---- */

enum { MOST_NULS = 9, MOST_CANARY = 32 * 1024 };

static bool slurp_place(const struct target *t, struct jw_buf *out, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    size_t got = 0;

    if (t->place.size > JW_MAX_PLAIN)
        return jw_fail(err, JW_E_LIMIT, "it is larger than %llu bytes", (unsigned long long)JW_MAX_PLAIN);
    jw_buf_fill(out, 0, (size_t)t->place.size);
    bool ok = jw_buf_ok(out, err) && jw_file_open(&f, t->place.disk, err)
              && jw_file_read(&f, t->place.at, out->p, out->n, &got, err)
              && (got == out->n || jw_fail(err, JW_E_FORMAT, "its file became shorter"));
    uint8_t digest[JW_DIGEST];

    jw_file_close(&f);
    if (!ok)
        return false;
    jw_digest(digest, out->p, out->n);
    return memcmp(digest, t->place.digest, JW_DIGEST) == 0
           || jw_fail(err, JW_E_FORMAT, "its file was changed during the scan");
}

static bool unpack_module(const struct target *t, struct jw_bytes container, struct jw_buf *ptx,
                          struct jw_err *err)
{
    struct jw_source src = jw_source_memory(&container);
    struct jw_driver_limits any = { .force_jit = true };
    struct jw_image image = { 0 };
    bool ok = jw_image_scan(&src, "module.fatbin", (struct jw_image_options){ 0 }, &image, err);

    if (ok && image.fats.n == 1) {
        struct jw_choice c = jw_select(&image.fats.list[0], image.fats.entries, t->sm, &any);

        ok = c.entry ? jw_fat_unpack(&src, c.entry, jw_sink_buf(ptx), err)
                     : jw_fail(err, JW_E_FORMAT, "its fatbin has no code for sm_%u", t->sm);
    } else if (ok)
        ok = jw_fail(err, JW_E_FORMAT, "its fatbin cannot be read");
    jw_image_free(&image);
    return ok;
}

static bool read_ptx(struct compiling *c, const struct target *t, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(JW_MAX_PLAIN);
    bool ok = slurp_place(t, &bytes, err);

    if (ok && t->place.text)
        jw_buf_add(&c->ptx, bytes.p, bytes.n);
    else if (ok)
        ok = unpack_module(t, jw_buf_bytes(&bytes), &c->ptx, err);
    jw_buf_free(&bytes);
    while (ok && c->ptx.n && c->ptx.p[c->ptx.n - 1] == '\0')
        c->ptx.n--;
    return ok && jw_buf_ok(&c->ptx, err);
}

/* The scan computed the entry's name. The number of NULs behind the PTX is the one that gives this name. */
static bool make_entry_key(struct compiling *c, const struct target *t, struct jw_err *err)
{
    char arch[16];

    (void)snprintf(arch, sizeof arch, "sm_%u", t->sm);
    for (unsigned nuls = 0; nuls <= MOST_NULS; nuls++) {
        jw_buf_clear(&c->key);
        jw_cache_key_make(&c->key, c->way->stamp, arch, jw_buf_bytes(&c->ptx), nuls, t->options);
        if (!jw_buf_ok(&c->key, err))
            return false;
        if (jw_fnv1a(JW_FNV_START, c->key.p, c->key.n) == t->key.name)
            return true;
    }
    return jw_fail(err, JW_E_FORMAT, "its file was changed after the scan");
}

/* Not synced: a temporary file. */
static bool put_file(const char *path, struct jw_bytes bytes, struct jw_err *err)
{
    struct jw_append out = JW_APPEND_CLOSED;
    bool ok = jw_append_open(&out, path, err) && jw_append_cut(&out, 0, err)
              && jw_append_write(&out, bytes.p, bytes.n, err);

    jw_append_close(&out);
    return ok || jw_wrap(err, "%s", path);
}

static bool fits_compiler(const struct compiling *c, struct jw_err *err)
{
    const struct jw_compiler *by = c->way->by;
    struct jw_ptx head;

    if (!jw_ptx_read(jw_buf_bytes(&c->ptx), &head, err))
        return false;
    return head.major < by->isa_major || (head.major == by->isa_major && head.minor <= by->isa_minor)
           || jw_fail(err, JW_E_FORMAT,
                      "its PTX has ISA %u.%u, but %s %s reads up to %u.%u: use a newer toolkit", head.major,
                      head.minor, by->name, by->version, by->isa_major, by->isa_minor);
}

/* It must be machine code for exactly this architecture, ready to load. */
static bool check_cubin(struct compiling *c, struct jw_err *err)
{
    struct jw_bytes bytes = jw_buf_bytes(&c->cubin);
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_elf elf = jw_elf_header(bytes);
    struct jw_sections sections = { 0 };
    struct jw_cubin cubin;
    const char *by = c->way->by->name;

    if (!elf.ours || elf.machine != JW_EM_CUDA)
        return jw_fail(err, JW_E_FORMAT, "%s wrote no GPU code", by);
    bool ok =
        jw_cubin_read(&src, &elf, &c->a, &cubin, err) && jw_elf_sections(&src, &elf, &c->a, &sections, err);

    jw_sections_free(&sections);
    if (!ok)
        return jw_wrap(err, "the code of %s", by);
    if (cubin.target.sm != c->way->sm || cubin.relocatable)
        return jw_fail(err, JW_E_FORMAT, "%s wrote code for sm_%u%s, not for sm_%u", by, cubin.target.sm,
                       cubin.relocatable ? " (to be linked)" : "", c->way->sm);
    return true;
}

static bool make_home(struct compiling *c, const char *name, struct jw_err *err)
{
    char first[2] = { name[0] }, second[4] = { name[0], '/', name[2] };
    const char *a = jw_path_join(&c->a, c->way->root, first), *b = jw_path_join(&c->a, c->way->root, second);

    return jw_make_private_dir(a, err) && jw_make_private_dir(b, err);
}

static bool write_forged(struct compiling *c, struct jw_err *err)
{
    struct jw_buf file = JW_BUF(JW_CACHE_HEADER + (size_t)JW_MAX_CACHE_KEY + (size_t)JW_MAX_CACHE_PAYLOAD);
    struct jw_cache_name name;
    const char *path;
    uint64_t hash;
    bool ok = jw_cache_entry_write(&file, jw_buf_bytes(&c->key), jw_buf_bytes(&c->cubin), &hash, err);

    name = jw_cache_name(hash);
    path = ok ? jw_path_join(&c->a, c->way->root, name.text) : NULL;
    ok = ok && make_home(c, name.text, err) && put_file(path, jw_buf_bytes(&file), err);
    jw_buf_free(&file);
    return ok;
}

static bool open_thread_folder(struct compiling *c, unsigned worker, struct jw_err *err)
{
    char name[24];

    (void)snprintf(name, sizeof name, "worker%u", worker);
    const char *folder = jw_path_join(&c->a, c->way->work, name);

    c->in = jw_path_join(&c->a, folder, "in.ptx");
    c->out = jw_path_join(&c->a, folder, "out.cubin");
    return jw_make_private_dir(folder, err);
}

/* The test kernel by which the target proves that it runs this compiler's code. */
static bool read_canary(struct compiling *c, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(MOST_CANARY);
    uint64_t name;
    bool ok = forge_canary(&text, FORGE_OTHER, err);

    jw_buf_add(&c->ptx, text.p, ok ? text.n : 0);
    jw_buf_free(&text);
    return ok && jw_buf_ok(&c->ptx, err) && forge_canary_key(c->way->stamp, c->way->sm, &c->key, &name, err);
}

bool offline_compile(const struct offline_way *way, const struct target *t, unsigned thread,
                     struct jw_err *why, struct jw_err *err)
{
    struct compiling c = { .way = way,
                           .options = t ? t->options : "",
                           .ptx = JW_BUF(JW_MAX_PLAIN),
                           .cubin = JW_BUF((size_t)JW_MAX_CACHE_PAYLOAD),
                           .key = JW_BUF((size_t)JW_MAX_CACHE_KEY) };
    bool ok = jw_not_interrupted(way->interrupted, err) && open_thread_folder(&c, thread, err);
    bool good = ok && (t ? read_ptx(&c, t, why) && make_entry_key(&c, t, why) : read_canary(&c, why))
                && fits_compiler(&c, why);

    ok = ok && (!good || put_file(c.in, jw_buf_bytes(&c.ptx), err));
    good = good && ok && run_compiler(&c, why) && check_cubin(&c, why);
    ok = ok && (!good || write_forged(&c, err));
    if (why->code == JW_E_INTERRUPTED) {
        *err = *why;
        ok = false;
    }
    jw_buf_free(&c.ptx);
    jw_buf_free(&c.cubin);
    jw_buf_free(&c.key);
    jw_arena_free(&c.a);
    return ok;
}
