#include "pack/format/kit.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"
#include "os/files/winpath.h"
#include "pack/format/pack_manifest.h"

#include <stdio.h>
#include <string.h>

struct jw_kit_member jw_kit_member(size_t file)
{
    struct jw_kit_member m;

    (void)snprintf(m.text, sizeof m.text, "kit/%06u", (unsigned)(file % JW_MAX_KIT_FILES));
    return m;
}

/* True for one part of a path that is a plain name on each system. */
static bool is_plain_name(const char *name, size_t n)
{
    if (!n || n > JW_MAX_PACK_NAME || name[n - 1] == '.' || name[n - 1] == ' ')
        return false;
    for (size_t i = 0; i < n; i++)
        if ((uint8_t)name[i] < 0x20 || name[i] == 0x7f || strchr("\\:*?\"<>|", name[i]))
            return false;
    char copy[JW_MAX_PACK_NAME + 1];

    memcpy(copy, name, n);
    copy[n] = '\0';
    return !jw_winpath_device(copy);
}

bool jw_kit_path_plain(const char *path)
{
    size_t n = path ? strlen(path) : 0;
    unsigned depth = 0;

    if (!n || n > JW_MAX_KIT_PATH || !jw_utf8_valid((struct jw_bytes){ (const uint8_t *)path, n }))
        return false;
    for (const char *at = path;; depth++) {
        size_t part = strcspn(at, "/");

        if (!is_plain_name(at, part) || depth == JW_MAX_KIT_DEPTH)
            return false;
        if (!at[part])
            return true;
        at += part + 1;
    }
}

/* The length of a variable's name: "NUMBA_CACHE_DIR". */
static size_t variable_length(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

/* True for places below home from which logins, shells and desktops start programs, or with keys that let
 * others in. */
static bool is_started_from(const char *below)
{
    static const char *const folders[] = { ".ssh", ".gnupg", ".config", ".local/bin",
                                           "bin",  ".pki",   ".aws",    ".kube" };

    for (size_t i = 0; i < JW_COUNT(folders); i++) {
        size_t n = strlen(folders[i]);

        if (strncmp(below, folders[i], n) == 0 && (below[n] == '/' || !below[n]))
            return true;
    }
    return false;
}

bool jw_kit_place_plain(const char *place)
{
    if (!place || strlen(place) > JW_MAX_KIT_PATH)
        return false;
    if (place[0] == '~')
        return place[1] == '/' && jw_kit_path_plain(place + 2) && !is_started_from(place + 2);
    if (place[0] == '/')
        return jw_kit_path_plain(place + 1);
    size_t n = place[0] == '$' ? variable_length(place + 1) : 0;
    const char *below = place + 1 + n;

    return n && n <= JW_MAX_KIT_WORD && (!*below || (*below == '/' && jw_kit_path_plain(below + 1)))
           && !(n == 4 && strncmp(place + 1, "HOME", n) == 0);
}

bool jw_kit_variables_plain(const char *text)
{
    enum { DIGITS = 3 };

    for (size_t n, k = 0; *text; text += n + DIGITS + (text[n + DIGITS] == ' '), k++) {
        n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
        if (!n || n > JW_MAX_KIT_WORD || k == JW_MAX_KIT_VARIABLES || text[n] != '='
            || strspn(text + n + 1, "0123456789abcdef") != DIGITS - 1
            || (text[n + DIGITS] && text[n + DIGITS] != ' '))
            return false;
    }
    return true;
}

int jw_kit_file_order(const void *a, const void *b)
{
    const struct jw_kit_file *x = a, *y = b;

    return x->cache != y->cache ? (x->cache < y->cache ? -1 : 1) : strcmp(x->path, y->path);
}

static bool is_digest(const char *text)
{
    return strlen(text) == 2 * JW_DIGEST && strspn(text, "0123456789abcdef") == 2 * JW_DIGEST;
}

static bool check_digest(const char *what, const char *text, struct jw_err *err)
{
    return !text || is_digest(text) || jw_fail(err, JW_E_FORMAT, "kit: %s is not a digest", what);
}

static bool check_kit_caches(const struct jw_kit *k, struct jw_err *err)
{
    if (!k->n_caches || k->n_caches > JW_MAX_KIT_CACHES)
        return jw_fail(err, JW_E_LIMIT, "kit: %zu caches, expected 1 to %zu", k->n_caches, JW_MAX_KIT_CACHES);
    for (size_t i = 0; i < k->n_caches; i++) {
        const struct jw_kit_cache *c = &k->caches[i];

        if (!c->name || !jw_pack_is_word(c->name))
            return jw_fail(err, JW_E_FORMAT, "kit: the name of cache %zu is not a word", i);
        for (size_t j = 0; j < i; j++)
            if (strcmp(k->caches[j].name, c->name) == 0)
                return jw_fail(err, JW_E_FORMAT, "kit: two caches are named %s", c->name);
        if (c->version && !jw_pack_is_word(c->version))
            return jw_fail(err, JW_E_FORMAT, "kit: the version of %s is not a word", c->name);
        if (c->place && !jw_kit_place_plain(c->place))
            return jw_fail(err, JW_E_FORMAT,
                           "kit: the place of %s is no folder below home or a variable's, and no path that "
                           "jitwarm writes to",
                           c->name);
        if (!c->folder || !is_digest(c->folder))
            return jw_fail(err, JW_E_FORMAT, "kit: the folder of %s is not a digest", c->name);
    }
    return true;
}

static bool check_kit_file(const struct jw_kit *k, size_t i, struct jw_err *err)
{
    const struct jw_kit_file *f = &k->files[i];

    if (f->cache >= k->n_caches)
        return jw_fail(err, JW_E_FORMAT, "kit: the cache of file %zu is %lu of %zu", i,
                       (unsigned long)f->cache, k->n_caches);
    if (!jw_kit_path_plain(f->path))
        return jw_fail(err, JW_E_FORMAT,
                       "kit: the path of file %zu is not one below a folder: expected names with / between",
                       i);
    if (f->mode & ~(uint32_t)JW_KIT_MODES)
        return jw_fail(err, JW_E_FORMAT, "kit: the mode of file %zu is 0%lo, expected one within 0%o", i,
                       (unsigned long)f->mode, (unsigned)JW_KIT_MODES);
    if (f->bytes > JW_MAX_KIT_FILE)
        return jw_fail(err, JW_E_LIMIT, "kit: file %zu has %llu bytes, expected at most %llu", i,
                       (unsigned long long)f->bytes, (unsigned long long)JW_MAX_KIT_FILE);
    return !i || jw_kit_file_order(f - 1, f) < 0
           || jw_fail(err, JW_E_FORMAT, "kit: file %zu is not behind the one before it, by cache and path",
                      i);
}

/* A file that is the folder of another one is refused: which of the two is there would be chance. */
static bool check_kit_folders(const struct jw_kit *k, struct jw_err *err)
{
    char above[JW_MAX_KIT_PATH + 1];

    for (size_t i = 0; i < k->n_files; i++)
        for (const char *path = k->files[i].path, *end = strchr(path, '/'); end; end = strchr(end + 1, '/')) {
            const struct jw_kit_file key = { .cache = k->files[i].cache, .path = above }, *found;

            memcpy(above, path, (size_t)(end - path));
            above[end - path] = '\0';
            found = jw_search(&key, k->files, k->n_files, sizeof key, jw_kit_file_order);
            if (found)
                return jw_fail(err, JW_E_FORMAT, "kit: file %zu is the folder of file %zu",
                               (size_t)(found - k->files), i);
        }
    return true;
}

/* A word is printed, so it has plain characters alone. */
static bool check_word(const char *what, const char *text, struct jw_err *err)
{
    size_t n = text ? strspn(text, "0123456789._ abcdefghijklmnopqrstuvwxyz") : 0;

    return !text || (n && n <= JW_MAX_KIT_WORD && !text[n])
           || jw_fail(err, JW_E_FORMAT, "kit: %s is not a word", what);
}

bool jw_kit_check(const struct jw_kit *k, struct jw_err *err)
{
    uint64_t sum = 0;

    bool empty = !k->n_files && !k->n_caches && !k->variables && !k->packages && !k->environment && !k->folder
                 && !k->driver && !k->gpus;

    for (size_t i = 0; !empty && !k->n_files && i < jw_max(k->n_caches, 1); i++)
        if (i == k->n_caches || !k->caches[i].databases)
            return jw_fail(err, JW_E_FORMAT, "kit: it has no file");
    if (empty)
        return true;
    if (k->n_files > JW_MAX_KIT_FILES)
        return jw_fail(err, JW_E_LIMIT, "kit: %zu files, expected at most %zu", k->n_files, JW_MAX_KIT_FILES);
    if (!check_digest("packages", k->packages, err) || !check_digest("environment", k->environment, err)
        || !check_digest("folder", k->folder, err) || !check_word("driver", k->driver, err)
        || !check_word("gpus", k->gpus, err) || !check_kit_caches(k, err))
        return false;
    if (k->variables && !jw_kit_variables_plain(k->variables))
        return jw_fail(err, JW_E_FORMAT, "kit: the variables are not names, each with two digits");
    for (size_t i = 0; i < k->n_files; i++) {
        if (!check_kit_file(k, i, err))
            return false;
        sum += k->files[i].bytes;
    }
    if (!check_kit_folders(k, err))
        return false;
    return sum <= JW_MAX_KIT
           || jw_fail(err, JW_E_LIMIT, "kit: %llu bytes, expected at most %llu", (unsigned long long)sum,
                      (unsigned long long)JW_MAX_KIT);
}

/* ---- the fields ---- */

#define K struct jw_kit
#define C struct jw_kit_cache
#define F struct jw_kit_file
#define HEX "^[0-9a-f]{64}$"

static const struct jw_row caches[] = {
    { JW_ROW("name", C, name), JW_PATTERN("^[A-Za-z0-9.+_:~-]{1,80}$"), JW_ABOUT("\"cupy\", \"taichi\"") },
    { JW_ROW("version", C, version), JW_NULLABLE, JW_ABOUT("of the engine's package; null: not known") },
    { JW_ROW("others", C, others), JW_IF(C, others), .max = JW_MAX_KIT_FILES,
      JW_ABOUT("files that each start writes there, and that are no part of it: logs, results") },
    { JW_ROW("rewritten", C, rewritten), JW_IF(C, rewritten), .max = JW_MAX_KIT_FILES,
      JW_ABOUT("files of it that each start writes again with the same bytes") },
    { JW_ROW("databases", C, databases), JW_IF(C, databases), .max = JW_MAX_KIT_FILES,
      JW_ABOUT("that were opened there, and that are not in it") },
    { JW_ROW("place", C, place), JW_IF(C, place),
      JW_ABOUT("where programs look for it: \"~/x\", \"$VARIABLE/x\" or a path; absent: where a compiler of "
               "this name has it") },
    { JW_ROW("folder", C, folder), JW_PATTERN(HEX),
      JW_ABOUT("BLAKE2b-256 of the absolute path of its folder") },
    { 0 },
};

static const struct jw_row files[] = {
    { JW_ROW("cache", F, cache), .max = JW_MAX_KIT_CACHES - 1, JW_ABOUT("index into kit_caches") },
    { JW_ROW("path", F, path), JW_ABOUT("below the cache's folder") },
    { JW_ROW("bytes", F, bytes), .max = JW_MAX_KIT_FILE },
    { JW_ROW("mode", F, mode), .max = JW_KIT_MODES },
    { JW_ROW("asked", F, asked), JW_IF(F, asked), .max = 1,
      JW_ABOUT("1: programs only ask whether it is there") },
    { JW_ROW("mtime_us", F, mtime_us), JW_ABOUT("microseconds since 1970") },
    { JW_SPELT("digest", F, digest, &jw_pack_digest), .read = jw_pack_digest_read,
      JW_ABOUT("BLAKE2b-256; its member is kit/NUMBER") },
    { 0 },
};

const struct jw_row jw_kit_rows[] = {
    { JW_ROW("kit_packages", K, packages), JW_IF(K, packages), JW_PATTERN(HEX),
      JW_ABOUT("BLAKE2b-256 of the environment's packages and their versions") },
    { JW_ROW("kit_environment", K, environment), JW_IF(K, environment), JW_PATTERN(HEX),
      JW_ABOUT("of its absolute path") },
    { JW_ROW("kit_folder", K, folder), JW_IF(K, folder), JW_PATTERN(HEX),
      JW_ABOUT("of the folder's in which the command was started") },
    { JW_ROW("kit_driver", K, driver), JW_IF(K, driver), JW_ABOUT("with which it was recorded") },
    { JW_ROW("kit_gpus", K, gpus), JW_IF(K, gpus), JW_ABOUT("their architectures: \"sm_86 sm_90\"") },
    { JW_ROW("kit_variables", K, variables), JW_IF(K, variables),
      JW_ABOUT("that were set, each with one byte of its value's digest: \"CC=5f CUDA_HOME=08\"") },
    { JW_LIST("kit_caches", K, caches, n_caches, caches), JW_IF(K, n_caches), .max = JW_MAX_KIT_CACHES },
    { JW_LIST("kit_files", K, files, n_files, files), JW_IF(K, n_files), .max = JW_MAX_KIT_FILES,
      JW_ABOUT("of other caches than the driver's; they are programs") },
    { 0 },
};
