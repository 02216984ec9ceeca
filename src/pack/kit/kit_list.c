/* Says with which files of other caches than the driver's commands were recorded, and what their starts did there. */
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/compilers.h"
#include "os/files/file.h"
#include "pack/kit/kit.h"

#include <string.h>

/* Read only where its size is the same and its time is not: the same bytes may have been written again. */
static bool is_as_recorded(const struct jw_kit_file *f, const char *path, const struct jw_file_info *now)
{
    static const uint8_t unknown[JW_DIGEST];
    uint8_t digest[JW_DIGEST];

    if (f->asked || now->size != f->bytes)
        return f->asked;
    return jw_kit_microseconds(now) == f->mtime_us || memcmp(f->digest, unknown, JW_DIGEST) == 0
           || !jw_kit_digest(path, now->size, digest) || memcmp(digest, f->digest, JW_DIGEST) == 0;
}

struct jw_kit_count jw_kit_count(const struct jw_kit *k, size_t cache, struct jw_arena *a)
{
    const char *folder = jw_kit_folder_here(&k->caches[cache], a);
    struct jw_kit_count c = { .folder = folder };

    for (size_t i = 0; i < k->n_files; i++) {
        struct jw_file_info info;
        struct jw_err ignored;

        if (k->files[i].cache != cache)
            continue;
        c.recorded++;
        const char *path = folder ? jw_arena_printf(a, "%s/%s", folder, k->files[i].path) : NULL;

        if (!path || !jw_file_stat(path, &info, &ignored) || info.kind != JW_FILE_REGULAR)
            continue;
        if (!is_as_recorded(&k->files[i], path, &info)) {
            c.changed++;
            continue;
        }
        c.files++;
        c.bytes += info.size;
    }
    return c;
}

const char *jw_kit_newer_source(const struct jw_kit_record *r, size_t cache, struct jw_arena *a)
{
    const struct jw_kit *k = &r->kit;
    const char *root = jw_kit_folder_here(&k->caches[cache], a);

    for (size_t i = 0; root && i < k->n_files; i++) {
        const struct jw_kit_file *f = &k->files[i];
        struct jw_file_info source;
        struct jw_err ignored;

        if (f->cache != cache)
            continue;
        const char *path = jw_arena_printf(a, "%s/%s", root, f->path), *name = jw_path_base(path),
                   *folder = jw_path_dir(a, path);

        if (strcmp(jw_path_base(folder), "__pycache__") != 0)
            continue;
        path = jw_arena_printf(a, "%s/%.*s.py", jw_path_dir(a, folder), (int)strcspn(name, "."), name);
        if (jw_file_stat(path, &source, &ignored) && source.kind == JW_FILE_REGULAR
            && jw_kit_microseconds(&source) > jw_max(f->mtime_us, r->last.when * 1000000))
            return path;
    }
    return NULL;
}

const char *jw_kit_missing(const char *command, struct jw_arena *a, struct jw_err *err)
{
    struct jw_kit_record r;
    const struct jw_kit *k = &r.kit;
    const char *words = "";

    if (!jw_kit_recall(command, a, &r, err))
        return NULL;
    for (size_t i = 0; i < k->n_caches; i++) {
        const struct jw_kit_count c = jw_kit_count(k, i, a);

        if (c.files + c.changed < c.recorded)
            words = jw_arena_printf(a, "%s%s%s: %s of %s in %s", words, *words ? "; " : "",
                                    jw_compiler_cache_owner(k->caches[i].name),
                                    JW_NUM(c.recorded - c.files - c.changed), JW_NUM(c.recorded),
                                    c.folder             ? c.folder
                                    : k->caches[i].place ? k->caches[i].place
                                                         : "its folder");
    }
    return words;
}

/* Each cache once; files of a single start are named as a possible cache. */
const char *jw_kit_words(const struct jw_kit_record *all, size_t n, struct jw_arena *a)
{
    const char *words = "";
    uint64_t unproven = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < all[i].kit.n_caches; c++) {
            const struct jw_kit_cache *cache = &all[i].kit.caches[c];
            const struct jw_kit_count there = jw_kit_count(&all[i].kit, c, a);

            if (there.folder && (there.files || cache->databases)
                && !strstr(jw_arena_printf(a, "%s;", words), jw_arena_printf(a, " in %s;", there.folder)))
                words = jw_arena_printf(a, "%s%s%s %s%s in %s", words, *words ? "; " : "",
                                        jw_compiler_cache_owner(cache->name),
                                        there.files ? JW_PHRASE("%s (%s)", JW_N(there.files, "file", "files"),
                                                                JW_SIZE(there.bytes))
                                                    : "",
                                        !cache->databases ? ""
                                        : there.files     ? " and a database, which no pack has,"
                                                          : "a database, which no pack has,",
                                        there.folder);
        }
    for (size_t i = 0; i < n; i++)
        unproven += all[i].unproven.n_files;
    if (unproven)
        words =
            jw_arena_printf(a,
                            "%s%s%s that commands made when run recorded them may be caches: jitwarm prime "
                            "--run COMMAND shows that",
                            words, *words ? "; " : "", JW_N(unproven, "file", "files"));
    return words;
}

void jw_kit_say_last(struct jw_buf *out, const struct jw_kit_last *l)
{
    if (strcmp(l->compiled, "unknown") == 0)
        jw_say(out, "%s", l->why ? l->why : "what the driver compiled is not known");
    else
        jw_say(out, "the driver compiled %s",
               l->entries                            ? JW_N(l->entries, "entry", "entries")
               : strcmp(l->compiled, "nothing") == 0 ? "nothing"
                                                     : "for it");
    for (size_t i = 0; i < l->n; i++)
        jw_say(out, "; %s: reused %s, made %s%s", jw_compiler_cache_owner(l->uses[i].name),
               JW_NUM(l->uses[i].read), JW_NUM(l->uses[i].made), l->uses[i].why ? " or more" : "");
}
