#include "engine/probe_judge.h"

#include "base/mem.h"
#include "base/path.h"
#include "os/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_KEY = 1 << 20, MAX_NULS = 4 };

void probe_say(struct probe_findings *f, const char *fmt, ...)
{
    char text[384];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (f->n_evidence == JW_COUNT(f->evidence))
        return;
    f->evidence[f->n_evidence] = jw_arena_str(f->arena, text);
    f->n_evidence += f->evidence[f->n_evidence] != NULL;
}

/* The key of one entry of the folder. */
static bool read_key(const char *root, const struct jw_cache_file *file, struct jw_buf *key,
                     struct jw_arena *a, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    char *path = jw_path_join(a, root, jw_cache_name(file->name).text);
    size_t want = (size_t)file->entry.key_size, got = 0;
    uint8_t *bytes = want <= MAX_KEY ? jw_alloc(want) : NULL;
    bool ok = path && bytes ? true : jw_nomem(err, want);

    ok = ok && jw_file_open(&f, path, err) && jw_file_read(&f, JW_CACHE_HEADER, bytes, want, &got, err);
    if (ok) {
        jw_buf_clear(key);
        jw_buf_add(key, bytes, got);
        ok = jw_buf_ok(key, err);
    }
    jw_file_close(&f);
    jw_free(bytes);
    return ok;
}

static bool same(struct jw_bytes a, struct jw_bytes b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Which module of the set this key's input is; `n`: none. */
static size_t module_of(const struct probe_module *set, size_t n, struct jw_bytes input)
{
    for (size_t i = 0; i < n; i++)
        if (same(jw_buf_bytes(&set[i].ptx), input))
            return i;
    return n;
}

/* Level 1, one entry: sound, of one stamp and architecture, and with PTX in it that we fed. */
static bool readable(struct probe_findings *f, const struct probe_module *set, size_t n,
                     const struct jw_cache_file *file, const struct jw_cache_key *key)
{
    size_t which = module_of(set, n, key->input);

    if (key->kind != JW_CACHE_CUDA) {
        probe_say(f, "entry %s has a key that we cannot read", jw_cache_name(file->name).text);
        return false;
    }
    if (which == n) {
        probe_say(f, "entry %s holds no PTX that was fed", jw_cache_name(file->name).text);
        return false;
    }
    if (f->stamp[0] && (strcmp(f->stamp, key->stamp) != 0 || strcmp(f->arch, key->arch) != 0)) {
        probe_say(f, "entries differ in stamp or architecture: \"%s\" %s and \"%s\" %s", f->stamp, f->arch,
                  key->stamp, key->arch);
        return false;
    }
    memcpy(f->stamp, key->stamp, sizeof f->stamp);
    memcpy(f->arch, key->arch, sizeof f->arch);
    f->names[which] = file->name;
    if (!set[which].text)
        f->nuls = key->nuls;
    return true;
}

/* Could the driver's files be read? Returns through `*yes`. */
static bool judge_readable(struct probe_findings *f, const struct probe_module *set, size_t n,
                           const char *root, const struct jw_cache_listing *l, bool *yes, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(MAX_KEY);
    struct jw_cache_key key;
    bool ok = true;

    *yes = false;
    for (size_t i = 0; ok && i < l->n; i++) {
        const struct jw_cache_file *file = &l->files[i];

        if (file->damage) {
            probe_say(f, "entry %s: %s", jw_cache_name(file->name).text, file->damage);
            break;
        }
        ok = read_key(root, file, &bytes, f->arena, err);
        if (!ok)
            break;
        jw_cache_key_read(jw_buf_bytes(&bytes), bytes.n, &key);
        if (!readable(f, set, n, file, &key))
            break;
        *yes = i + 1 == l->n;
    }
    jw_buf_free(&bytes);
    return ok;
}

static bool judge_index(struct probe_findings *f, const struct jw_cache_listing *l)
{
    if (!l->index_found)
        probe_say(f, "there is no index beside the entries");
    else if (l->index_damage)
        probe_say(f, "the index is strange: %s", l->index_damage);
    else if (l->index.n != l->n || l->missing)
        probe_say(f, "the index has %zu records for %zu entries", l->index.n, l->n);
    else
        return true;
    return false;
}

/* The name that a driver of this stamp gives to a module.
 * driver-fact: F02-name-is-fnv, F05-key-parts, F13-nuls */
static uint64_t predict(const struct probe_findings *f, const struct probe_module *m, struct jw_buf *key)
{
    jw_buf_clear(key);
    jw_cache_key_make(key, f->stamp, f->arch, jw_buf_bytes(&m->ptx), m->text ? 1 : f->nuls, m->options);
    return key->bad ? 0 : jw_fnv1a(JW_FNV_START, key->p, key->n);
}

static bool judge_predictable(struct probe_findings *f, const struct probe_module *set, size_t n)
{
    struct jw_buf key = JW_BUF(MAX_KEY);
    bool all = true;

    for (size_t i = 0; i < n; i++) {
        uint64_t name = predict(f, &set[i], &key);

        if (name == f->names[i])
            continue;
        probe_say(f, "the entry of \"%s\" has another name than was computed", set[i].what);
        all = false;
    }
    jw_buf_free(&key);
    return all;
}

bool probe_judge(struct probe_findings *f, const struct probe_module *set, size_t n, const char *root,
                 const struct jw_cache_listing *l, struct jw_err *err)
{
    bool yes;

    f->level = JW_LEVEL_NONE;
    if (l->n == 0 && l->foreign == 0) {
        probe_say(f, "%zu modules were loaded, but no file appeared in the cache folder", n);
        return true;
    }
    f->level = JW_LEVEL_OPAQUE;
    probe_say(f, "%zu modules were loaded, and %llu files appeared", n,
              (unsigned long long)(l->n + l->foreign));
    if (l->n == 0) {
        probe_say(f, "none of them has the name of an entry");
        return true;
    }
    if (!judge_readable(f, set, n, root, l, &yes, err))
        return false;
    if (!yes || !judge_index(f, l))
        return true;
    f->level = JW_LEVEL_READABLE;
    probe_say(f, "all %zu entries are sound and hold the PTX that was fed, under the stamp \"%s\"", l->n,
              f->stamp);
    if (l->n != n) {
        probe_say(f, "%zu modules made %zu entries", n, l->n);
        return true;
    }
    if (!judge_predictable(f, set, n))
        return true;
    f->level = JW_LEVEL_PREDICTABLE;
    probe_say(f, "all %zu names were computed from stamp, architecture, PTX and options", n);
    return true;
}
