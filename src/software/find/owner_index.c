#include "software/find/owner.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "software/find/pyinfo.h"

#include <string.h>

struct builder {
    struct jw_discovery *d;
    struct jw_owner_index *index;
    struct jw_owner_file *files; /* on the heap until all are known */
    size_t n_files, cap;
};

/* FNV-1a */
uint64_t jw_owner_hash(struct jw_bytes path, bool windows)
{
    uint64_t h = JW_FNV_START;

    for (size_t i = 0; i < path.n; i++) {
        uint8_t c = path.p[i];

        if (windows && c == '\\')
            c = '/';
        else if (windows && c >= 'A' && c <= 'Z')
            c = (uint8_t)(c + 32);
        h = (h ^ c) * JW_FNV_PRIME;
    }
    return h;
}

static bool path_ends(struct jw_bytes path, const char *suffix)
{
    size_t n = strlen(suffix);

    return path.n >= n && memcmp(path.p + path.n - n, suffix, n) == 0;
}

/* Skips most listed files: sources hold no GPU code. */
static bool is_asked_for(struct jw_bytes path)
{
    static const char *const never[] = { ".py",  ".pyc", ".pyi",  ".h",    ".hpp",
                                         ".cuh", ".txt", ".json", ".cmake" };

    for (size_t i = 0; i < JW_COUNT(never); i++) {
        if (path_ends(path, never[i]))
            return false;
    }
    return path.n > 0 && path.p[0] != '/' && !jw_starts(path, "..");
}

static bool add_listed_file(struct builder *b, struct jw_bytes path, uint32_t package, struct jw_err *err)
{
    if (!is_asked_for(path))
        return true;
    if (!jw_grow(&b->files, sizeof *b->files, b->n_files, &b->cap, JW_MAX_OWNED, err))
        return false;
    b->files[b->n_files++] = (struct jw_owner_file){ jw_owner_hash(path, b->d->windows), package };
    return true;
}

/* Reads a small file. A missing or unreadable one is empty; an unreadable one becomes a note. */
static void read_small(struct builder *b, const char *folder, const char *name, struct jw_buf *out)
{
    bool found = false;
    const char *path = jw_path_join(b->d->arena, folder, name);
    struct jw_err why;

    if (jw_file_slurp(path, out, &found, &why))
        return;
    jw_buf_clear(out);
    jw_note_failure(&b->d->notes, b->d->arena, &why, path);
}

static void read_record(struct builder *b, const char *folder, uint32_t package)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE), path = JW_BUF(JW_MAX_LINE);
    struct jw_err why;
    bool ok = true, more = true;

    read_small(b, folder, "RECORD", &text);
    struct jw_reader r = jw_reader(jw_buf_bytes(&text));

    while (ok && more)
        ok = jw_pyinfo_record(&r, &path, &more, &why)
             && (!more || add_listed_file(b, jw_buf_bytes(&path), package, &why));
    if (!ok)
        jw_note_failure(&b->d->notes, b->d->arena, &why, folder);
    jw_buf_free(&path);
    jw_buf_free(&text);
}

static void read_modules(struct builder *b, const char *folder, uint32_t package)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_owner_index *x = b->index;
    struct jw_bytes line;
    struct jw_err full;

    read_small(b, folder, "top_level.txt", &text);
    struct jw_reader r = jw_reader(jw_buf_bytes(&text));

    while (jw_pyinfo_line(&r, &line)) {
        if (line.n == 0 || line.n > JW_MAX_PY_NAME)
            continue;
        struct jw_owner_module *m =
            jw_list_add(b->d->arena, &x->modules, &x->n_modules, sizeof *m, JW_MAX_PACKAGES, &full);

        if (!m)
            break;
        *m = (struct jw_owner_module){ jw_arena_text(b->d->arena, (const char *)line.p, line.n), package };
    }
    jw_buf_free(&text);
}

/* Adds the metadata of a package, with copies of the texts. An empty version becomes NULL. */
static struct jw_owner_package *add_package(struct builder *b, struct jw_bytes name, struct jw_bytes version,
                                            struct jw_err *err)
{
    struct jw_owner_index *x = b->index;
    struct jw_arena *a = b->d->arena;
    struct jw_owner_package *package =
        jw_list_add(a, &x->packages, &x->n_packages, sizeof *package, JW_MAX_PACKAGES, err);

    if (!package)
        return NULL;
    package->is.name = jw_arena_text(a, (const char *)name.p, name.n);
    package->is.version = version.n ? jw_arena_text(a, (const char *)version.p, version.n) : NULL;
    package->key = package->is.name;
    package->is.vendor = jw_vendor_package(package->key);
    return package;
}

/* One NAME-VERSION.dist-info or .egg-info, the latter as a folder or as a file. */
static void read_info(struct builder *b, const char *base)
{
    struct jw_arena *a = b->d->arena;
    struct jw_pyname words;
    struct jw_err why;
    uint32_t number = (uint32_t)b->index->n_packages;
    const char *path = jw_path_join(a, b->index->folder, base);
    bool dist = jw_text_ends(base, "dist-info"), folder = jw_is_folder(path);

    if (!jw_pyinfo_folder(base, &words)) {
        jw_note(&b->d->notes, a, "%s: not a package's name", path);
        return;
    }
    struct jw_owner_package *package = add_package(b, words.name, words.version, &why);

    if (!package) {
        jw_note_failure(&b->d->notes, a, &why, path);
        return;
    }
    package->metadata = folder ? jw_path_join(a, path, dist ? "METADATA" : "PKG-INFO") : path;
    if (!folder)
        return;
    if (dist)
        read_record(b, path, number);
    read_modules(b, path, number);
}

static void read_site(struct builder *b)
{
    const struct jw_listing found =
        jw_listing_read(b->index->folder, "*.[de][ig][sg]*-info", b->d->arena, &b->d->notes);

    for (size_t i = 0; i < found.n; i++)
        read_info(b, found.names[i]);
}

static bool take_conda(struct builder *b, const struct jw_jval *root, struct jw_err *err)
{
    const char *name = jw_jtext(jw_jget(root, "name")), *version = jw_jtext(jw_jget(root, "version"));
    uint32_t number = (uint32_t)b->index->n_packages;

    if (!name || !jw_pyname_safe(name) || (version && !jw_pyname_safe(version)))
        return jw_fail(err, JW_E_FORMAT, "it has no proper \"name\" and \"version\"");
    if (!add_package(b, (struct jw_bytes){ (const uint8_t *)name, strlen(name) },
                     (struct jw_bytes){ (const uint8_t *)version, version ? strlen(version) : 0 }, err))
        return false;
    for (const struct jw_jval *v = jw_jfirst(jw_jget(root, "files")); v; v = jw_jnext(v)) {
        const char *text = jw_jtext(v);

        if (text
            && !add_listed_file(b, (struct jw_bytes){ (const uint8_t *)text, strlen(text) }, number, err))
            return false;
    }
    return true;
}

static void read_conda(struct builder *b)
{
    struct jw_arena *a = b->d->arena;
    const char *folder = jw_path_join(a, b->index->folder, "conda-meta");
    const struct jw_listing found = jw_listing_read(folder, "*.json", a, &b->d->notes);

    for (size_t i = 0; i < found.n; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_CONDA_META);
        struct jw_jdoc *doc = NULL;
        struct jw_err why;
        const char *path = jw_path_join(a, folder, found.names[i]);
        bool present = false;

        if (!jw_file_slurp(path, &text, &present, &why)
            || (present
                && !(jw_jdoc_parse(&doc, jw_buf_bytes(&text), &why)
                     && take_conda(b, jw_jdoc_root(doc), &why))))
            jw_note_failure(&b->d->notes, a, &why, path);
        jw_jdoc_free(doc);
        jw_buf_free(&text);
    }
}

static int by_path_hash(const void *a, const void *b)
{
    const struct jw_owner_file *x = a, *y = b;

    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return (x->package > y->package) - (x->package < y->package);
}

static void build_index(struct jw_discovery *d, struct jw_owner_index *index)
{
    struct builder b = { .d = d, .index = index };

    if (index->conda)
        read_conda(&b);
    else
        read_site(&b);
    if (b.n_files) {
        jw_sort(b.files, b.n_files, sizeof *b.files, by_path_hash);
        index->files = jw_arena_copy(d->arena, b.files, b.n_files * sizeof *b.files);
        index->n_files = b.n_files;
    }
    jw_free(b.files);
}

const struct jw_owner_index *jw_owner_index(struct jw_discovery *d, const char *folder, bool conda)
{
    struct jw_err full;

    for (size_t i = 0; i < d->n_indexes; i++)
        if (d->indexes[i].conda == conda && strcmp(d->indexes[i].folder, folder) == 0)
            return &d->indexes[i];
    struct jw_owner_index *index =
        jw_list_add(d->arena, &d->indexes, &d->n_indexes, sizeof *index, JW_MAX_OWNERS, &full);

    if (!index) {
        jw_note(&d->notes, d->arena, "%s: its packages are not listed; there are too many such folders",
                folder);
        return NULL;
    }
    index->folder = jw_arena_str(d->arena, folder);
    index->conda = conda;
    build_index(d, index);
    return index;
}
