#include "cache/place/entry_kind.h"

#include "base/limits.h"
#include "base/num.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"

#include <string.h>

enum { TAIL = 256, MAX_COMPILERS = 64, ENOUGH_ASKED = 4, MAX_THREADS = 16, FILES_PER_THREAD = 256 };

struct telling {
    const char *folder;
    const atomic_bool *interrupted;
    struct jw_cache_file *files;
    size_t n;
    atomic_size_t next;
};

/* The last bytes of its key, or the first ones; none: they cannot be read. */
static struct jw_bytes read_part(const struct telling *t, const struct jw_cache_file *f, bool last,
                                 uint8_t *part, size_t room)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    size_t n = (size_t)jw_min(f->entry.key_size, room);
    uint64_t at = JW_CACHE_HEADER + (last ? f->entry.key_size - n : 0);

    jw_buf_printf(&path, "%s/%s", t->folder, jw_cache_name(f->name).text);
    bool ok = !path.bad && jw_file_read_part(jw_buf_cstr(&path), at, part, n, JW_IGNORED);

    jw_buf_free(&path);
    return (struct jw_bytes){ part, ok ? n : 0 };
}

/* OpenCL's second stage and nvJitLink compile PTX, too, and nvJitLink bitcode: only the options, at the key's end, tell
 * them from CUDA and NVRTC. If these cannot be read, the entry stays what it is. */
static enum jw_cache_kind read_kind(const struct telling *t, const struct jw_cache_file *f)
{
    uint8_t tail[TAIL];
    struct jw_bytes got = read_part(t, f, true, tail, sizeof tail);

    return got.n ? jw_cache_key_kind_by_options(f->kind, got) : f->kind;
}

/* If an entry of OpenCL's first stage was seen (its key has the source), more of all keys is read: that stage's
 * version, and the target and end of PTX. */
static void find_opencl(const struct telling *t, struct jw_cache_file *f)
{
    struct jw_cache_key k = { .kind = f->kind };
    uint8_t part[JW_CACHE_KEY_END];

    if (f->kind == JW_CACHE_OPENCL) {
        jw_cache_key_read_source_tail(read_part(t, f, true, part, sizeof part), &k);
        memcpy(f->version, k.version, sizeof f->version);
        memcpy(f->arch, k.arch, sizeof f->arch);
        f->sm = k.sm;
    } else if (f->kind == JW_CACHE_CUDA
               && (jw_cache_ptx_is_opencl(read_part(t, f, false, part, sizeof part))
                   || read_kind(t, f) == JW_CACHE_OPENCL)) {
        f->kind = JW_CACHE_OPENCL;
    }
}

/* One build, of the driver or of nvJitLink. */
struct compiler {
    const char *stamp;
    unsigned asked, linked; /* entries whose kind was read, and those of nvJitLink */
};

static struct compiler *find_compiler(struct compiler *v, size_t *n, const char *stamp)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(v[i].stamp, stamp) == 0)
            return &v[i];
    if (*n == MAX_COMPILERS)
        return NULL;
    v[*n] = (struct compiler){ .stamp = stamp };
    return &v[(*n)++];
}

/* Of PTX nvJitLink's stamp is its own, so the first entries of each stamp tell for all of them. Of bitcode it is NVRTC's, too. */
static void find_nvjitlink(struct telling *t)
{
    struct compiler v[MAX_COMPILERS];
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++) {
        struct jw_cache_file *f = &t->files[i];
        struct compiler *c = !f->damage && f->kind == JW_CACHE_CUDA ? find_compiler(v, &n, f->stamp) : NULL;
        bool ask = c && c->asked < ENOUGH_ASKED;

        if (!f->damage && f->kind == JW_CACHE_NVVM)
            f->kind = read_kind(t, f);
        if (ask ? read_kind(t, f) == JW_CACHE_NVJITLINK : c && c->linked == c->asked) {
            f->kind = JW_CACHE_NVJITLINK;
            c->linked += ask;
        }
        if (ask)
            c->asked++;
    }
}

static void look_again(void *ctx, unsigned worker)
{
    struct telling *t = ctx;
    size_t at;

    (void)worker;
    while (jw_not_interrupted(t->interrupted, JW_IGNORED) && (at = atomic_fetch_add(&t->next, 1)) < t->n)
        if (!t->files[at].damage)
            find_opencl(t, &t->files[at]);
}

void jw_cache_tell_kinds(const char *folder, const atomic_bool *interrupted, struct jw_cache_file *files,
                         size_t n)
{
    struct telling t = { .folder = folder, .interrupted = interrupted, .files = files, .n = n };
    uint64_t threads = jw_min(jw_min(jw_cpu_count(), MAX_THREADS), 1 + n / FILES_PER_THREAD);
    bool opencl = false;

    for (size_t i = 0; i < n; i++)
        opencl |= files[i].kind == JW_CACHE_OPENCL;
    if (opencl)
        jw_parallel((unsigned)threads, look_again, &t);
    find_nvjitlink(&t);
}
