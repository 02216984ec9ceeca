#include "driver/probe/probe_check.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_KEY = 1 << 20 };

void probe_say(struct probe_findings *f, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    f->why = jw_arena_say(f->arena, fmt, args);
    va_end(args);
}

/* The sentences of the format name what they are about, which is said here already. */
static const char *without(const char *prefix, const char *sentence)
{
    return jw_text_starts(sentence, prefix) ? sentence + strlen(prefix) : sentence;
}

/* The key of one entry of the folder. */
static bool read_key(const char *cache, const struct jw_cache_file *file, struct jw_buf *key,
                     struct jw_arena *a, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    char *path = jw_path_join(a, cache, jw_cache_name(file->name).text);
    size_t want = (size_t)file->entry.key_size, got = 0;
    uint8_t *bytes = jw_alloc(want);
    bool ok = jw_file_open(&f, path, err) && jw_file_read(&f, JW_CACHE_HEADER, bytes, want, &got, err);
    if (ok) {
        jw_buf_clear(key);
        jw_buf_add(key, bytes, got);
        ok = jw_buf_ok(key, err);
    }
    jw_file_close(&f);
    jw_free(bytes);
    return ok;
}

static bool same_bytes(struct jw_bytes a, struct jw_bytes b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Which module of the set this key's input is; `n`: none. */
static size_t module_of(const struct probe_module *set, size_t n, struct jw_bytes input)
{
    for (size_t i = 0; i < n; i++)
        if (same_bytes(jw_buf_bytes(&set[i].ptx), input))
            return i;
    return n;
}

/* Level 1, one entry: of one stamp and architecture with the others, and with PTX in it that we fed.
 * driver-fact: F06-stamp-is-build */
static bool is_readable_entry(struct probe_findings *f, const struct probe_module *set, size_t n,
                              const struct jw_cache_file *file, const struct jw_cache_key *key)
{
    struct jw_cache_name name = jw_cache_name(file->name);
    size_t which = module_of(set, n, key->input);

    if (key->kind != JW_CACHE_CUDA)
        probe_say(f, "file %s is of the known format, but what it is about cannot be read off it", name.text);
    else if (which == n)
        probe_say(f, "file %s does not hold the code that was handed over", name.text);
    else if (f->names[which])
        probe_say(f, "the driver cached \"%s\" twice, as %s and as %s", set[which].what,
                  jw_cache_name(f->names[which]).text, name.text);
    else if (f->stamp[0] && strcmp(f->stamp, key->stamp) != 0)
        probe_say(f, "the files name different builds of the driver: \"%s\" and \"%s\"", f->stamp,
                  key->stamp);
    else if (f->arch[0] && strcmp(f->arch, key->arch) != 0)
        probe_say(f, "the files name different GPUs: %s and %s", f->arch, key->arch);
    else {
        memcpy(f->stamp, key->stamp, sizeof f->stamp);
        memcpy(f->arch, key->arch, sizeof f->arch);
        f->names[which] = file->name;
        return true;
    }
    return false;
}

static bool check_cached_file(struct probe_findings *f, const struct probe_module *set, size_t n,
                              const char *cache, const struct jw_cache_file *file, struct jw_buf *bytes,
                              bool *yes, struct jw_err *err)
{
    struct jw_cache_name name = jw_cache_name(file->name);
    struct jw_cache_key key;

    *yes = false;
    if (file->damage) {
        probe_say(f, "file %s is not as expected: %s", name.text, without("cache entry: ", file->damage));
        return true;
    }
    if (file->entry.key_size > MAX_KEY) {
        probe_say(f, "file %s has a key of %llu bytes, far more than was handed over", name.text,
                  (unsigned long long)file->entry.key_size);
        return true;
    }
    if (!read_key(cache, file, bytes, f->arena, err))
        return jw_wrap(err, "%s", name.text);
    jw_cache_key_read(jw_buf_bytes(bytes), bytes->n, &key);
    *yes = is_readable_entry(f, set, n, file, &key);
    return true;
}

/* Could the driver's files be read? Returns through `*yes`. */
static bool check_readable(struct probe_findings *f, const struct probe_module *set, size_t n,
                           const char *cache, const struct jw_cache_listing *l, bool *yes, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(MAX_KEY);
    bool ok = true;

    *yes = true;
    for (size_t i = 0; ok && *yes && i < l->n; i++)
        ok = check_cached_file(f, set, n, cache, &l->files[i], &bytes, yes, err);
    jw_buf_free(&bytes);
    return ok;
}

static bool check_index(struct probe_findings *f, const struct jw_cache_listing *l)
{
    size_t lost = 0;

    for (size_t i = 0; i < l->n; i++)
        lost += !l->files[i].indexed;
    if (!l->index_found)
        probe_say(f, "the driver wrote no index of its files");
    else if (l->index_damage)
        probe_say(f, "the index is not as expected: %s", without("cache index: ", l->index_damage));
    else if (lost || l->missing)
        probe_say(
            f, "the index does not fit the files: %zu of %zu files are not in it, and %zu in it are no files",
            lost, l->n, l->missing);
    else
        return true;
    return false;
}

/* Every module has its entry, and no entry is left over: each was found once in the set. */
static bool check_complete(struct probe_findings *f, const struct probe_module *set, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!f->names[i]) {
            probe_say(f, "the driver loaded \"%s\", but cached no file of it", set[i].what);
            return false;
        }
    return true;
}

/* The name that a driver of this stamp gives to a module.
 * driver-fact: F02-name-is-fnv, F05-key-parts, F13-nuls */
static bool predict(const struct probe_findings *f, const struct probe_module *m, const char *arch,
                    uint64_t *name, struct jw_err *err)
{
    struct jw_buf key = JW_BUF(MAX_KEY);

    jw_cache_key_make(&key, f->stamp, arch, jw_buf_bytes(&m->ptx), m->nuls, m->options);
    bool ok = jw_buf_ok(&key, err);

    *name = ok ? jw_fnv1a(JW_FNV_START, key.p, key.n) : 0;
    jw_buf_free(&key);
    return ok;
}

static bool check_predictable(struct probe_findings *f, const struct probe_module *set, size_t n, bool *yes,
                              struct jw_err *err)
{
    uint64_t name, example = 0;
    size_t wrong = 0, which = 0;
    char arch[sizeof f->arch];

    (void)snprintf(arch, sizeof arch, "sm_%u", f->sm);
    for (size_t i = 0; i < n; i++) {
        if (!predict(f, &set[i], arch, &name, err))
            return false;
        if (name != f->names[i] && !wrong++) {
            which = i;
            example = name;
        }
    }
    if (wrong && strcmp(arch, f->arch) != 0)
        probe_say(f, "the files are for \"%s\", and this GPU is %s: their names cannot be computed", f->arch,
                  arch);
    else if (wrong)
        probe_say(f, "%zu of %zu files have another name than was computed (%s: %s, not %s)", wrong, n,
                  set[which].what, jw_cache_name(f->names[which]).text, jw_cache_name(example).text);
    *yes = wrong == 0;
    return true;
}

bool probe_check(struct probe_findings *f, const struct probe_module *set, size_t n, const char *cache,
                 const struct jw_cache_listing *l, struct jw_err *err)
{
    uint64_t files = l->n + l->foreign;
    bool yes;

    f->level = JW_LEVEL_NONE;
    if (files == 0) {
        probe_say(f, "the driver compiled %zu tiny modules for %s, but cached no file", n, f->gpu);
        return true;
    }
    f->level = JW_LEVEL_OPAQUE;
    if (l->n == 0) {
        probe_say(f, "none of the files is named as jitwarm knows it");
        return true;
    }
    if (!check_readable(f, set, n, cache, l, &yes, err))
        return false;
    if (!yes || !check_index(f, l) || !check_complete(f, set, n))
        return true;
    f->level = JW_LEVEL_READABLE;
    if (!check_predictable(f, set, n, &yes, err))
        return false;
    if (!yes)
        return true;
    f->level = JW_LEVEL_PREDICTABLE;
    return true;
}
