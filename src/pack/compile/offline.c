#include "pack/compile/offline.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/format/jitcache.h"
#include "cache/memory/state.h"
#include "driver/probe/forge.h"
#include "driver/worker/nvjitlink.h"
#include "formats/cubin.h"
#include "formats/fatbin_unpack.h"
#include "formats/image.h"
#include "formats/ptx.h"
#include "formats/select.h"
#include "machine/list.h"
#include "machine/listing.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "pack/store/store.h"
#include "software/find/toolkit_find.h"
#include "software/scan/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SM = 10, MOST_SM = 999 };

/* ---- --for driver=STAMP,sm=86 ---- */

/* "sm=86" or "sm=sm_86" */
static bool read_sm(const char *text, size_t n, uint16_t *out)
{
    size_t before = n > 6 && memcmp(text, "sm=sm_", 6) == 0 ? 6 : 3;
    char digits[8] = "";
    uint64_t sm;

    if (n <= before || n - before >= sizeof digits || memcmp(text, "sm=", 3) != 0)
        return false;
    memcpy(digits, text + before, n - before);
    if (!jw_text_u64(digits, &sm) || sm < LEAST_SM || sm > MOST_SM)
        return false;
    *out = (uint16_t)sm;
    return true;
}

static bool read_part(const char *text, size_t n, struct jw_arena *a, struct jw_compile_target *out,
                      struct jw_err *err)
{
    if (n > 7 && memcmp(text, "driver=", 7) == 0) {
        out->driver = jw_arena_text(a, text + 7, n - 7);
        return true;
    }
    if (out->n_sms == JW_COMPILE_MOST_GPUS)
        return jw_fail(err, JW_E_USAGE, "--for: more than %d GPU architectures", (int)JW_COMPILE_MOST_GPUS);
    return read_sm(text, n, &out->sms[out->n_sms++])
           || jw_fail(err, JW_E_USAGE,
                      "--for: \"%.*s\" is neither driver=DRIVER nor sm=NUMBER, as in --for "
                      "driver=580.178.04,sm=86,sm=89",
                      (int)jw_min(n, 60), text);
}

bool jw_compile_target(const char *text, struct jw_arena *a, struct jw_compile_target *out,
                       struct jw_err *err)
{
    *out = (struct jw_compile_target){ 0 };
    while (*text) {
        size_t n = strcspn(text, ",");

        if (!read_part(text, n, a, out, err))
            return false;
        text += n + (text[n] == ',');
    }
    return true;
}

/* "Jan  7 202622:51:46", with or without a blank before the time. */
static bool read_stamp(const char *text, struct jw_arena *a, const char **out, struct jw_err *err)
{
    enum { DATE = 11 };
    size_t n = strlen(text);
    char stamp[JW_CACHE_STAMP + 2] = "";

    if (n == JW_CACHE_STAMP + 1 && text[DATE] == ' ') {
        memcpy(stamp, text, DATE);
        memcpy(stamp + DATE, text + DATE + 1, n - DATE - 1);
    } else if (n == JW_CACHE_STAMP)
        memcpy(stamp, text, n);
    if (!jw_cache_stamp_time(stamp))
        return jw_fail(err, JW_E_USAGE,
                       "--for: driver=%.40s is no stamp like \"Jan  7 202622:51:46\"; jitwarm doctor --probe "
                       "--json prints it on the target machine (knowledge, stamp)",
                       text);
    *out = jw_arena_str(a, stamp);
    return true;
}

bool jw_offline_target(const char *text, struct jw_arena *a, struct jw_offline_options *out,
                       struct jw_err *err)
{
    struct jw_compile_target t;

    if (!jw_compile_target(text, a, &t, err) || (t.driver && !read_stamp(t.driver, a, &out->stamp, err)))
        return false;
    out->sm = t.sms[0];
    return (t.driver && t.n_sms == 1)
           || jw_fail(err, JW_E_USAGE,
                      "--for needs driver=STAMP and one sm=NUMBER, as in --for \"driver=Jan  7 "
                      "202622:51:46,sm=86\"");
}

struct offline_job {
    const struct target *of;
    const char *why; /* it was not compiled; NULL: it was */
};

struct offline {
    const struct jw_offline_options *o;
    struct jw_offline_report *out;
    struct jw_run *run; /* its arena: while threads run, under `lock` */
    struct targets found;
    struct offline_job *jobs; /* each module once, the largest first */
    size_t n_jobs;
    char *work, *root; /* temporary folders; `root` has the layout of a cache */

    struct jw_lock *lock; /* for the members below */
    atomic_size_t next;
    uint64_t done, total; /* bytes of PTX */
    struct jw_err failed; /* ends the run */
};

/* One module at work. */
struct compiling {
    struct offline *x;
    const char *in, *out; /* files for the compiler */
    const char *options;  /* as the module's file stores them */
    struct jw_arena a;
    struct jw_buf ptx, cubin, key;
};

static bool not_interrupted(const struct offline *x, struct jw_err *err)
{
    return !(x->run->interrupted && atomic_load(x->run->interrupted))
           || jw_fail(err, JW_E_INTERRUPTED, "interrupted");
}

/* ---- the compilers: ptxas is a program; nvJitLink is a library, which a worker process loads ---- */

enum { MOST_WORDS = 32, TIMEOUT_S = 30 * 60, MOST_SAID = 1 << 20 };

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

/* `asked`: "ptxas", "nvjitlink" or an absolute path. */
static bool find_compiler(const char *asked, const atomic_bool *interrupted, struct jw_arena *a,
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

struct words {
    const char *v[MOST_WORDS + 1];
    size_t n;
    char arch[24];
};

/* -arch=sm_86 and the options that the module's file stores. */
static bool read_words(struct compiling *c, struct words *w, struct jw_err *err)
{
    const struct offline *x = c->x;
    char *options = jw_arena_str(&c->a, c->options);
    const char *unknown;

    (void)snprintf(w->arch, sizeof w->arch, "-arch=sm_%u", x->o->sm);
    w->v[0] = w->arch;
    if (!forge_options(options, w->v + 1, MOST_WORDS, &w->n, &unknown))
        return jw_fail(err, JW_E_FORMAT, "it needs the option %.60s, which jitwarm does not pass on",
                       unknown);
    if (x->out->compiler.library)
        forge_nvjitlink_options(w->v + 1, &w->n, &c->a);
    w->n++;
    return true;
}

static unsigned timeout_ms(const struct offline *x)
{
    return (x->o->timeout_s ? x->o->timeout_s : TIMEOUT_S) * 1000;
}

static bool run_ptxas(const struct compiling *c, const struct words *w, struct jw_err *err)
{
    const struct offline *x = c->x;
    const struct jw_compiler *by = &x->out->compiler;
    const char *argv[MOST_WORDS + 8] = { by->path };
    struct jw_buf said = JW_BUF(MOST_SAID);
    struct jw_process_options o = {
        .exe = by->path, .argv = argv, .timeout_ms = timeout_ms(x), .interrupted = x->run->interrupted
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
    const struct offline *x = c->x;
    const struct jw_compiler *by = &x->out->compiler;
    struct jw_nvjitlink_job job = { c->in, c->out, w->v, w->n, timeout_ms(x), x->run->interrupted };
    struct jw_nvjitlink l = { .path = by->path, .version = by->version };

    return jw_nvjitlink_compile(&l, &job, err);
}

static bool run_compiler(struct compiling *c, struct jw_err *err)
{
    struct words w = { 0 };
    struct jw_err ignored;
    bool found = false;

    (void)!jw_append_remove(c->out, &ignored);
    return read_words(c, &w, err) && (c->x->out->compiler.library ? run_library : run_ptxas)(c, &w, err)
           && jw_file_slurp(c->out, &c->cubin, &found, err)
           && (found || jw_fail(err, JW_E_FORMAT, "%s wrote no code", c->x->out->compiler.name));
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

static bool unpack(const struct target *t, struct jw_bytes container, struct jw_buf *ptx, struct jw_err *err)
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
        ok = unpack(t, jw_buf_bytes(&bytes), &c->ptx, err);
    jw_buf_free(&bytes);
    while (ok && c->ptx.n && c->ptx.p[c->ptx.n - 1] == '\0')
        c->ptx.n--;
    return ok && jw_buf_ok(&c->ptx, err);
}

/* The scan computed the entry's name. The number of NULs behind the PTX is the one that gives this name. */
static bool make_key(struct compiling *c, const struct target *t, struct jw_err *err)
{
    char arch[16];

    (void)snprintf(arch, sizeof arch, "sm_%u", t->sm);
    for (unsigned nuls = 0; nuls <= MOST_NULS; nuls++) {
        jw_buf_clear(&c->key);
        jw_cache_key_make(&c->key, c->x->o->stamp, arch, jw_buf_bytes(&c->ptx), nuls, t->options);
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
    const struct jw_compiler *by = &c->x->out->compiler;
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
    const char *by = c->x->out->compiler.name;

    if (!elf.ours || elf.machine != JW_EM_CUDA)
        return jw_fail(err, JW_E_FORMAT, "%s wrote no GPU code", by);
    bool ok =
        jw_cubin_read(&src, &elf, &c->a, &cubin, err) && jw_elf_sections(&src, &elf, &c->a, &sections, err);

    jw_sections_free(&sections);
    if (!ok)
        return jw_wrap(err, "the code of %s", by);
    if (cubin.target.sm != c->x->o->sm || cubin.relocatable)
        return jw_fail(err, JW_E_FORMAT, "%s wrote code for sm_%u%s, not for sm_%u", by, cubin.target.sm,
                       cubin.relocatable ? " (to be linked)" : "", c->x->o->sm);
    return true;
}

static bool make_home(struct compiling *c, const char *name, struct jw_err *err)
{
    char first[2] = { name[0] }, second[4] = { name[0], '/', name[2] };
    const char *a = jw_path_join(&c->a, c->x->root, first), *b = jw_path_join(&c->a, c->x->root, second);

    return jw_make_private_dir(a, err) && jw_make_private_dir(b, err);
}

static bool write_entry(struct compiling *c, struct jw_err *err)
{
    struct jw_buf file = JW_BUF(JW_CACHE_HEADER + (size_t)JW_MAX_CACHE_KEY + (size_t)JW_MAX_CACHE_PAYLOAD);
    struct jw_cache_name name;
    const char *path;
    uint64_t hash;
    bool ok = jw_cache_entry_write(&file, jw_buf_bytes(&c->key), jw_buf_bytes(&c->cubin), &hash, err);

    name = jw_cache_name(hash);
    path = ok ? jw_path_join(&c->a, c->x->root, name.text) : NULL;
    ok = ok && make_home(c, name.text, err) && put_file(path, jw_buf_bytes(&file), err);
    jw_buf_free(&file);
    return ok;
}

static bool open_folder(struct compiling *c, unsigned worker, struct jw_err *err)
{
    char name[24];

    (void)snprintf(name, sizeof name, "worker%u", worker);
    const char *folder = jw_path_join(&c->a, c->x->work, name);

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
    return ok && jw_buf_ok(&c->ptx, err)
           && forge_canary_key(c->x->o->stamp, c->x->o->sm, &c->key, &name, err);
}

/* Compiles a module (NULL: the canary) into `root`. `*why`: the reason why it was not compiled. `err` ends the run.
 * `worker`: number of the thread's folder. */
static bool compile_module(struct offline *x, const struct target *t, unsigned worker, const char **why,
                           struct jw_err *err)
{
    struct compiling c = { .x = x,
                           .options = t ? t->options : "",
                           .ptx = JW_BUF(JW_MAX_PLAIN),
                           .cubin = JW_BUF((size_t)JW_MAX_CACHE_PAYLOAD),
                           .key = JW_BUF((size_t)JW_MAX_CACHE_KEY) };
    struct jw_err own = { 0 };
    bool ok = not_interrupted(x, err) && open_folder(&c, worker, err);
    bool good = ok && (t ? read_ptx(&c, t, &own) && make_key(&c, t, &own) : read_canary(&c, &own))
                && fits_compiler(&c, &own);

    ok = ok && (!good || put_file(c.in, jw_buf_bytes(&c.ptx), err));
    good = good && ok && run_compiler(&c, &own) && check_cubin(&c, &own);
    ok = ok && (!good || write_entry(&c, err));
    if (own.code == JW_E_INTERRUPTED) {
        *err = own;
        ok = false;
    }
    jw_lock_take(x->lock);
    *why = ok && own.code ? jw_arena_str(x->run->a, own.msg) : NULL;
    jw_lock_drop(x->lock);
    jw_buf_free(&c.ptx);
    jw_buf_free(&c.cubin);
    jw_buf_free(&c.key);
    jw_arena_free(&c.a);
    return ok;
}

static void notify(const struct offline *x, const char *what)
{
    if (x->run->progress)
        x->run->progress(x->run->ctx,
                         &(struct jw_progress){ .what = what, .done = x->done, .total = x->total });
}

static bool end(struct offline *x, enum jw_end how, const char *why)
{
    return jw_run_end(x->run, how, "%s", why ? why : "");
}

/* ---- which modules ---- */

static bool note_skipped(struct offline *x, struct jw_err *err)
{
    const struct jw_scan_report *s = &x->found.scan;
    uint64_t others = 0;

    for (size_t i = 0; i < s->n_skipped; i++) {
        others += !s->skipped[i].named;
        if (s->skipped[i].named && !x->found.n)
            return jw_fail(err, s->skipped[i].why == JW_SKIP_UNREADABLE ? JW_E_USAGE : JW_E_FORMAT, "%s: %s",
                           s->skipped[i].path, s->skipped[i].reason);
        if (s->skipped[i].named)
            JW_NOTE(x->run, "%s: %s", s->skipped[i].path, s->skipped[i].reason);
    }
    if (others)
        JW_NOTE(x->run, "%llu file%s could not be read", (unsigned long long)others, others == 1 ? "" : "s");
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct target *x = ((const struct offline_job *)a)->of, *y = ((const struct offline_job *)b)->of;

    return x->key.name < y->key.name ? -1 : x->key.name > y->key.name;
}

static int by_size(const void *a, const void *b)
{
    const struct target *x = ((const struct offline_job *)a)->of, *y = ((const struct offline_job *)b)->of;

    return x->ptx_bytes != y->ptx_bytes ? (x->ptx_bytes > y->ptx_bytes ? -1 : 1) : by_name(a, b);
}

static void make_jobs(struct offline *x)
{
    size_t n = x->found.n;

    x->jobs = jw_arena_alloc(x->run->a, (n + 1) * sizeof *x->jobs);
    for (size_t i = 0; i < n; i++)
        x->jobs[i] = (struct offline_job){ .of = &x->found.list[i] };
    if (n)
        qsort(x->jobs, n, sizeof *x->jobs, by_name);
    for (size_t i = 0; i < n; i++)
        if (!i || x->jobs[i].of->key.name != x->jobs[x->n_jobs - 1].of->key.name)
            x->jobs[x->n_jobs++] = x->jobs[i];
    if (x->n_jobs)
        qsort(x->jobs, x->n_jobs, sizeof *x->jobs, by_size);
    for (size_t i = 0; i < x->n_jobs; i++)
        x->total += x->jobs[i].of->ptx_bytes;
    x->out->modules = x->n_jobs;
    x->out->ptx_bytes = x->total;
}

static void on_scan(void *ctx, const struct jw_scan_progress *p)
{
    notify(ctx, p->path);
}

static bool find_modules(struct offline *x, struct jw_err *err)
{
    const struct jw_offline_options *o = x->o;
    struct jw_scan_root *roots = jw_arena_alloc(x->run->a, o->n_paths * sizeof *roots);
    struct targets_options t = {
        .scan = { .roots = roots,
                  .n_roots = o->n_paths,
                  .exclude = o->exclude,
                  .n_exclude = o->n_exclude,
                  .interrupted = x->run->interrupted,
                  .progress = on_scan,
                  .progress_ctx = x },
        .sms = &o->sm,
        .n_sms = 1,
        .rules.stamp = o->stamp,
        .only = o->only,
        .n_only = o->n_only,
        .all = o->all,
        .spool = x->work,
    };

    for (size_t i = 0; i < o->n_paths; i++) {
        struct jw_file_info info;
        const char *real;

        if (!jw_file_stat(o->paths[i], &info, err) || !jw_real_path(o->paths[i], x->run->a, &real, err))
            return jw_wrap(err, "%s", o->paths[i]);
        if (info.kind == JW_FILE_NONE)
            return jw_fail(err, JW_E_USAGE, "%s: no such file or folder", o->paths[i]);
        roots[i] = (struct jw_scan_root){ real, JW_MAX_DEPTH, true };
    }
    if (!(targets_find(&t, &x->found, err) && note_skipped(x, err)))
        return false;
    make_jobs(x);
    return true;
}

static bool end_without_modules(struct offline *x)
{
    const struct jw_left_out_sum *out = x->found.left_out;

    if (!out[JW_OUT_IS_NATIVE].modules && (out[JW_OUT_IS_VENDOR].modules || out[JW_OUT_IS_LAZY].modules))
        return end(x, JW_END_NOTHING,
                   "a driver would compile only NVIDIA's own libraries or modules loaded on demand; --all "
                   "includes them");
    return end(x, JW_END_NOTHING,
               jw_arena_printf(x->run->a,
                               out[JW_OUT_IS_NATIVE].modules
                                   ? "these files have machine code for sm_%u, a driver compiles nothing"
                                   : "a driver compiles nothing of these files for sm_%u; jitwarm scan shows "
                                     "their contents",
                               x->o->sm));
}

/* ---- compiling ---- */

static void finish_job(struct offline *x, struct offline_job *job, const char *why, bool ok,
                       const struct jw_err *err)
{
    jw_lock_take(x->lock);
    if (!ok && !x->failed.code)
        x->failed = *err;
    job->why = why;
    x->out->compiled += ok && !why;
    x->done += job->of->ptx_bytes;
    if (ok)
        notify(x, job->of->place.path);
    jw_lock_drop(x->lock);
}

static bool has_failed(struct offline *x)
{
    jw_lock_take(x->lock);
    bool yes = x->failed.code != JW_OK;
    jw_lock_drop(x->lock);
    return yes;
}

static void compile_jobs(void *ctx, unsigned worker)
{
    struct offline *x = ctx;
    size_t i;

    while (!has_failed(x) && (i = atomic_fetch_add(&x->next, 1)) < x->n_jobs) {
        const char *why = NULL;
        struct jw_err err = { 0 };
        bool ok = compile_module(x, x->jobs[i].of, worker, &why, &err);

        finish_job(x, &x->jobs[i], why, ok, &err);
    }
}

static void report_lost(struct offline *x)
{
    struct jw_offline_lost *lost = jw_arena_alloc(x->run->a, (x->n_jobs + 1) * sizeof *lost);

    for (size_t i = 0; i < x->n_jobs; i++)
        if (x->jobs[i].why)
            lost[x->out->n_lost++] =
                (struct jw_offline_lost){ jw_arena_str(x->run->a, x->jobs[i].of->place.path),
                                          jw_arena_str(x->run->a, x->jobs[i].of->kernel),
                                          jw_arena_str(x->run->a, x->jobs[i].of->from), x->jobs[i].why };
    x->out->lost = lost;
}

static bool compile_all(struct offline *x, struct jw_err *err)
{
    unsigned half = (jw_cpu_count() + 1) / 2, n = x->o->jobs ? x->o->jobs : half;

    jw_parallel((unsigned)jw_min(n, x->n_jobs), compile_jobs, x);
    if (x->failed.code) {
        *err = x->failed;
        return false;
    }
    report_lost(x);
    return true;
}

/* Compiled first: if the compiler does not know the architecture, it fails once and not for each module. */
static bool make_canary(struct offline *x, bool *can, struct jw_err *err)
{
    const char *why = NULL;
    bool ok = compile_module(x, NULL, 0, &why, err);

    *can = ok && !why;
    if (!ok || !why)
        return ok;
    return end(x, JW_END_NOTHING,
               jw_arena_printf(x->run->a, "%s %s cannot compile a small test kernel for sm_%u: %s",
                               x->out->compiler.name, x->out->compiler.version, x->o->sm, why));
}

/* ---- the pack ---- */

static enum jw_end end_of(const struct offline *x, enum jw_end how)
{
    switch (how) {
    case JW_END_DONE:
    case JW_END_PARTLY: return x->out->n_lost ? JW_END_PARTLY : JW_END_DONE;
    case JW_END_CANNOT_WRITE:
    case JW_END_CONSENT:
    case JW_END_INTERRUPTED: return how;
    default: return JW_END_NOTHING;
    }
}

static bool store_pack(struct offline *x, struct jw_err *err)
{
    struct jw_store_add add = {
        .key = { .stamp = x->o->stamp, .sm = x->o->sm },
        .file = x->out->path,
        .signature = x->out->signature,
        .take = true,
        .vouched = JW_STORE_MADE_HERE,
        .cap = x->o->store_cap,
    };

    if (!jw_store_add(&add, x->run->a, err))
        return false;
    x->out->path = add.path;
    x->out->stored = true;
    x->out->signature = NULL; /* moved with the pack */
    for (size_t i = 0; i < add.n_evicted; i++)
        JW_NOTE(x->run, "removed %s from the store to make room", add.evicted[i]);
    return true;
}

static bool export_pack(struct offline *x, const char *output, struct jw_err *err)
{
    uint64_t canary;
    struct jw_buf key = JW_BUF(0);
    bool ok = forge_canary_key(x->o->stamp, x->o->sm, &key, &canary, err);
    struct jw_export_offline offline = { .root = x->root,
                                         .stamp = x->o->stamp,
                                         .sm = x->o->sm,
                                         .compiler = x->out->compiler.name,
                                         .version = x->out->compiler.version,
                                         .found = &x->found,
                                         .canary = canary };
    struct jw_export_options o = {
        .output = output, .offline = &offline, .yes = x->o->yes, .key = x->o->key
    };
    struct jw_run packing = {
        .a = x->run->a, .interrupted = x->run->interrupted, .progress = x->run->progress, .ctx = x->run->ctx
    };
    struct jw_export_report r = { 0 };

    jw_buf_free(&key);
    if (!ok || !jw_export(&packing, &o, &r, err))
        return false;
    for (size_t i = 0; i < packing.notes.n; i++)
        JW_NOTE(x->run, "%s", packing.notes.v[i]);
    end(x, end_of(x, packing.end), packing.why);
    if (!r.n_packs || !r.packs[0].written)
        return true;
    x->out->pack = r.packs[0];
    x->out->path = r.packs[0].path;
    x->out->signature = r.packs[0].signature;
    return x->o->output || store_pack(x, err);
}

static bool make_pack(struct offline *x, struct jw_err *err)
{
    char *folder = NULL;
    bool ok = (x->o->output || jw_store_work(x->run->a, &folder, err))
              && export_pack(x, folder ? folder : x->o->output, err);

    jw_scratch_remove(folder);
    return ok;
}

/* ---- the run ---- */

static bool make_folders(struct offline *x, struct jw_err *err)
{
    const char *state = jw_state_dir(x->run->a, err);

    if (!state || !jw_scratch_make(state, "offline", x->run->a, &x->work, err))
        return false;
    x->root = jw_path_join(x->run->a, x->work, "cache");
    return jw_make_private_dir(x->root, err);
}

/* Releases 12.1 to 12.4 (PTX ISA 8.1 to 8.4). 12.0 does not load the driver; 12.5 has an option against it. */
static void note_compiler(struct offline *x)
{
    const struct jw_compiler *c = &x->out->compiler;

    if (c->library && c->isa_major == 8 && c->isa_minor >= 1 && c->isa_minor <= 4)
        JW_NOTE(x->run, "%s %s loads this machine's driver, if there is one; from 12.5 on it does not",
                c->name, c->version);
}

static bool run(struct offline *x, struct jw_err *err)
{
    bool can = false;

    x->lock = jw_lock_new();
    note_compiler(x);
    if (!make_folders(x, err) || !find_modules(x, err))
        return false;
    if (!x->n_jobs)
        return end_without_modules(x);
    if (x->o->dry_run)
        return end(x, JW_END_DONE, NULL);
    if (!make_canary(x, &can, err) || !can)
        return x->run->ended;
    if (!compile_all(x, err))
        return false;
    return x->out->compiled ? make_pack(x, err)
                            : end(x, JW_END_NOTHING, "none of these modules could be compiled");
}

/* Ends the run with the reason `why`. False for internal errors. */
static bool end_by(struct offline *x, const struct jw_err *why, struct jw_err *err)
{
    if (why->code == JW_E_LIMIT)
        return end(x, JW_END_CANNOT_WRITE, why->msg);
    return jw_run_end_by(x->run, why, err);
}

bool jw_offline(struct jw_run *frame, const struct jw_offline_options *o, struct jw_offline_report *out,
                struct jw_err *err)
{
    struct offline x = { .o = o, .out = out, .run = frame };
    struct jw_err why = { 0 };

    *out = (struct jw_offline_report){ .run = frame, .stamp = o->stamp, .sm = o->sm };
    jw_run_begin(frame);
    if ((o->output && !jw_export_place(o->output, frame->a, err))
        || !find_compiler(o->compiler, frame->interrupted, frame->a, &out->compiler, err))
        return false;
    bool ok = run(&x, &why) || end_by(&x, &why, err);

    frame->milliseconds = (jw_time_monotonic_ns() - frame->began) / 1000000;
    jw_lock_free(x.lock);
    jw_scratch_remove(x.work);
    targets_free(&x.found);
    return ok;
}
