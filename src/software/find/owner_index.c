#include "software/find/owner.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/json_read.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "software/find/pyinfo.h"

#include <stdlib.h>
#include <string.h>

struct builder {
    struct jw_discovery *d;
    struct jw_owner_index *index;
    struct jw_owned *files; /* on the heap until all are known */
    size_t n_files, cap;
    struct jw_err *err;
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

static bool ends(struct jw_bytes path, const char *suffix)
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
        if (ends(path, never[i]))
            return false;
    }
    return path.n > 0 && path.p[0] != '/' && !jw_starts(path, "..");
}

static bool add_file(struct builder *b, struct jw_bytes path, uint32_t paper)
{
    if (!is_asked_for(path))
        return true;
    if (!jw_grow(&b->files, sizeof *b->files, b->n_files, &b->cap, JW_MAX_OWNED, b->err))
        return false;
    b->files[b->n_files++] = (struct jw_owned){ jw_owner_hash(path, b->d->windows), paper };
    return true;
}

/* Reads a small file. A missing or unreadable one is empty; an unreadable one becomes a note. */
static bool slurp(struct builder *b, const char *folder, const char *name, struct jw_buf *out)
{
    bool found = false;
    const char *path = jw_path_join(b->d->arena, folder, name);

    if (jw_file_slurp(path, out, &found, b->err))
        return true;
    jw_buf_clear(out);
    jw_note_failure(&b->d->notes, b->d->arena, b->err, path);
    return true;
}

static bool read_record(struct builder *b, const char *folder, uint32_t paper)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE), path = JW_BUF(JW_MAX_LINE);
    bool ok = slurp(b, folder, "RECORD", &text), more = ok;
    struct jw_reader r = jw_reader(jw_buf_bytes(&text));

    while (ok && more) {
        ok = jw_pyinfo_record(&r, &path, &more, b->err) && (!more || add_file(b, jw_buf_bytes(&path), paper));
        if (!ok) {
            jw_note_failure(&b->d->notes, b->d->arena, b->err, folder);
            ok = true;
            more = false;
        }
    }
    jw_buf_free(&path);
    jw_buf_free(&text);
    return ok;
}

/* Old setuptools wrote paths relative to the egg-info folder. */
static bool read_installed(struct builder *b, const char *folder, uint32_t paper)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    bool ok = slurp(b, folder, "installed-files.txt", &text);
    struct jw_reader r = jw_reader(jw_buf_bytes(&text));
    struct jw_bytes line;

    while (ok && jw_pyinfo_line(&r, &line)) {
        if (!jw_starts(line, "../"))
            continue;
        ok = add_file(b, (struct jw_bytes){ line.p + 3, line.n - 3 }, paper);
        if (!ok) {
            jw_note_failure(&b->d->notes, b->d->arena, b->err, folder);
            ok = true;
            break;
        }
    }
    jw_buf_free(&text);
    return ok;
}

static bool read_modules(struct builder *b, const char *folder, uint32_t paper)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool ok = slurp(b, folder, "top_level.txt", &text);
    struct jw_reader r = jw_reader(jw_buf_bytes(&text));
    struct jw_owner_index *x = b->index;
    struct jw_bytes line;

    while (ok && x->n_modules < JW_MAX_PACKAGES && jw_pyinfo_line(&r, &line)) {
        if (line.n == 0 || line.n > JW_MAX_PY_NAME)
            continue;

        const char *name = jw_arena_text(b->d->arena, (const char *)line.p, line.n);
        struct jw_module *m =
            jw_list_add(b->d->arena, &x->modules, &x->n_modules, sizeof *m, JW_MAX_PACKAGES, b->err);

        ok = m != NULL;
        if (ok)
            *m = (struct jw_module){ name, paper };
    }
    jw_buf_free(&text);
    return ok;
}

/* Adds the metadata of a package, with copies of the texts. An empty version becomes NULL. */
static struct jw_paper *add_paper(struct builder *b, struct jw_bytes name, struct jw_bytes version)
{
    struct jw_owner_index *x = b->index;
    struct jw_arena *a = b->d->arena;
    struct jw_paper *paper = jw_list_add(a, &x->papers, &x->n_papers, sizeof *paper, JW_MAX_PACKAGES, b->err);

    if (!paper)
        return NULL;
    paper->package.name = jw_arena_text(a, (const char *)name.p, name.n);
    paper->package.version = version.n ? jw_arena_text(a, (const char *)version.p, version.n) : NULL;
    paper->key = paper->package.name;
    paper->package.vendor = jw_vendor_package(paper->key);
    return paper;
}

/* One NAME-VERSION.dist-info or .egg-info, the latter as a folder or as a file. */
static bool read_info(struct builder *b, const char *base)
{
    struct jw_arena *a = b->d->arena;
    struct jw_pyname words;
    uint32_t number = (uint32_t)b->index->n_papers;
    const char *path = jw_path_join(a, b->index->folder, base);
    bool dist = base[strlen(base) - 9] == 'd'; /* "dist-info", not ".egg-info" */

    if (!jw_pyinfo_folder(base, &words)) {
        jw_note(&b->d->notes, a, "%s: not a package's name", path);
        return true;
    }

    struct jw_paper *paper = add_paper(b, words.name, words.version);
    bool folder = jw_is_folder(path);

    if (!paper) {
        jw_note_failure(&b->d->notes, a, b->err, path);
        return true;
    }
    paper->metadata = folder ? jw_path_join(a, path, dist ? "METADATA" : "PKG-INFO") : path;
    if (!folder)
        return true;
    return (dist ? read_record(b, path, number) : read_installed(b, path, number))
           && read_modules(b, path, number);
}

static bool read_site(struct builder *b)
{
    struct jw_listing found;

    found = jw_listing_read(b->index->folder, "*.[de][ig][sg]*-info", b->d->arena, &b->d->notes);
    for (size_t i = 0; i < found.n; i++) {
        if (!read_info(b, found.names[i]))
            return false;
    }
    return true;
}

static bool take_conda_files(struct builder *b, const struct jw_jval *files, uint32_t paper)
{
    for (const struct jw_jval *v = jw_jfirst(files); v; v = jw_jnext(v)) {
        const char *text = jw_jtext(v);

        if (text && !add_file(b, (struct jw_bytes){ (const uint8_t *)text, strlen(text) }, paper))
            return false;
    }
    return true;
}

static bool take_conda(struct builder *b, const struct jw_jval *root)
{
    const char *name = jw_jtext(jw_jget(root, "name")), *version = jw_jtext(jw_jget(root, "version"));
    uint32_t number = (uint32_t)b->index->n_papers;

    if (!name || !jw_pyname_safe(name) || (version && !jw_pyname_safe(version)))
        return jw_fail(b->err, JW_E_FORMAT, "it has no proper \"name\" and \"version\"");

    struct jw_bytes words[2] = { { (const uint8_t *)name, strlen(name) },
                                 { (const uint8_t *)version, version ? strlen(version) : 0 } };

    return add_paper(b, words[0], words[1]) && take_conda_files(b, jw_jget(root, "files"), number);
}

static bool read_conda(struct builder *b)
{
    struct jw_listing found;
    struct jw_arena *a = b->d->arena;
    const char *folder = jw_path_join(a, b->index->folder, "conda-meta");

    found = jw_listing_read(folder, "*.json", a, &b->d->notes);
    for (size_t i = 0; i < found.n; i++) {
        struct jw_buf text = JW_BUF(JW_MAX_CONDA_META);
        struct jw_jdoc *doc = NULL;
        const char *path = jw_path_join(a, folder, found.names[i]);
        bool present = false;
        bool ok =
            jw_file_slurp(path, &text, &present, b->err)
            && (!present
                || (jw_jdoc_parse(&doc, jw_buf_bytes(&text), b->err) && take_conda(b, jw_jdoc_root(doc))));

        jw_jdoc_free(doc);
        jw_buf_free(&text);
        if (!ok)
            jw_note_failure(&b->d->notes, a, b->err, path);
    }
    return true;
}

static int by_path(const void *a, const void *b)
{
    const struct jw_owned *x = a, *y = b;

    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return (x->paper > y->paper) - (x->paper < y->paper);
}

static bool build(struct jw_discovery *d, struct jw_owner_index *index, struct jw_err *err)
{
    struct builder b = { .d = d, .index = index, .err = err };
    bool ok = index->conda ? read_conda(&b) : read_site(&b);

    if (ok && b.n_files) {
        qsort(b.files, b.n_files, sizeof *b.files, by_path);
        index->files = jw_arena_copy(d->arena, b.files, b.n_files * sizeof *b.files);
        index->n_files = b.n_files;
        ok = true;
    }
    jw_free(b.files);
    return ok;
}

bool jw_owner_index(struct jw_discovery *d, const char *folder, bool conda, struct jw_owner_index **out,
                    struct jw_err *err)
{
    *out = NULL;
    for (size_t i = 0; i < d->n_indexes; i++) {
        if (d->indexes[i]->conda == conda && strcmp(d->indexes[i]->folder, folder) == 0) {
            *out = d->indexes[i];
            return true;
        }
    }
    if (d->n_indexes >= JW_MAX_OWNERS) {
        jw_note(&d->notes, d->arena, "%s: its packages are not listed; there are too many such folders",
                folder);
        return true;
    }

    struct jw_owner_index *index = jw_arena_alloc(d->arena, sizeof *index);
    const char *name = jw_arena_str(d->arena, folder);

    index->folder = name;
    index->conda = conda;
    if (!build(d, index, err))
        return jw_wrap(err, "%s", folder);
    struct jw_owner_index **slot = jw_list_add(d->arena, &d->indexes, &d->n_indexes,
                                               sizeof(struct jw_owner_index *), JW_MAX_OWNERS, err);
    if (!slot)
        return false;
    *slot = *out = index;
    return true;
}
