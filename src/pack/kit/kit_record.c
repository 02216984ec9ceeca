/* The record is a file of the state folder, named by the digest of the command's words: the kit's own text. */
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/limits.h"
#include "base/path.h"
#include "cache/memory/state_folder.h"
#include "cache/memory/warmstate.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "pack/kit/kit.h"

#include <string.h>

static const char record_form[] = "jitwarm.kit/1";

enum { ALIAS_DIGITS = 16 };

#define U struct jw_kit_use
#define L struct jw_kit_last

const struct jw_row jw_kit_use_rows[] = {
    { JW_ROW("name", U, name) },
    { JW_ROW("folder", U, folder) },
    { JW_ROW("reused", U, read),
      JW_ABOUT("files that were there before, were opened and left as they were") },
    { JW_ROW("made", U, made), JW_ABOUT("files that are new or were changed") },
    { JW_ROW("others", U, others),
      JW_ABOUT("and files that each start writes there: logs, results, an index with the same bytes") },
    { JW_ROW("recorded", U, known), JW_ABOUT("files that its record has; 0: there is no record") },
    { JW_ROW("differs", U, differs), JW_NULLABLE, JW_ABOUT("in what this machine is not the record's") },
    { JW_ROW("why_unknown", U, why), JW_NULLABLE, JW_ABOUT("null: all was seen") },
    { 0 },
};

const struct jw_row jw_kit_last_rows[] = {
    { JW_ROW("when", L, when), JW_ABOUT("seconds since 1970") },
    { JW_ROW("compiled", L, compiled),
      JW_ABOUT("what the driver compiled for it: \"nothing\", \"compiled\" or \"unknown\"") },
    { JW_ROW("why_unknown", L, why), JW_NULLABLE },
    { JW_ROW("new_entries", L, entries), JW_ABOUT("of the driver's cache") },
    { JW_LIST("other_caches", L, uses, n, jw_kit_use_rows) },
    { 0 },
};

/* An alias is its own: its end is the name. */
static const char *name_of(const char *command, struct jw_arena *a)
{
    const char *end = strrchr(command, ' ');

    if (!end || strlen(end + 1) != ALIAS_DIGITS || strspn(end + 1, "0123456789abcdef") != ALIAS_DIGITS) {
        command = jw_warm_command_alias(command, a);
        end = strrchr(command, ' ');
    }
    return end ? end + 1 : command;
}

static const char *path_of(const char *command, struct jw_arena *a, struct jw_err *err)
{
    const char *folder = jw_state_path(JW_STATE_KITS, a, err);

    return folder ? jw_arena_printf(a, "%s/%s.json", folder, name_of(command, a)) : NULL;
}

static void read_last(const struct jw_jval *folder, struct jw_arena *a, struct jw_kit_last *out)
{
    const char *command = jw_jtext(jw_jget(folder, "command"));

    jw_rows_read(jw_jget(folder, "last_start"), jw_kit_last_rows, a, out);
    for (size_t i = 0; i < out->n; i++)
        if (!out->uses[i].name || !out->uses[i].folder)
            command = NULL;
    out->command = command && out->compiled ? jw_arena_str(a, command) : NULL;
}

static bool read_record(const char *path, struct jw_arena *a, struct jw_kit_record *out, struct jw_err *err)
{
    struct jw_jdoc *doc = NULL;
    struct jw_bytes text;
    bool found = false;

    *out = (struct jw_kit_record){ 0 };
    if (!jw_trust_slurp(path, JW_MAX_MANIFEST, a, &text, &found, err))
        return false;
    if (!found)
        return true;
    bool ok = jw_jdoc_parse(&doc, text, err);

    if (ok) {
        jw_rows_read(jw_jdoc_root(doc), jw_kit_rows, a, &out->kit);
        jw_rows_read(jw_jget(jw_jdoc_root(doc), "unproven"), jw_kit_rows, a, &out->unproven);
        read_last(jw_jdoc_root(doc), a, &out->last);
    }
    jw_jdoc_free(doc);
    if (ok && jw_kit_check(&out->kit, err) && jw_kit_check(&out->unproven, err))
        return true;
    *out = (struct jw_kit_record){ 0 };
    return jw_fail(
        err, JW_E_FORMAT,
        "%s: what a command's other caches were recorded with is damaged (%s): remove this file, and "
        "record the command again (jitwarm prime --run)",
        path, jw_arena_str(a, err->msg));
}

bool jw_kit_recall(const char *command, struct jw_arena *a, struct jw_kit_record *out, struct jw_err *err)
{
    const char *path = path_of(command, a, err);

    *out = (struct jw_kit_record){ 0 };
    return path && read_record(path, a, out, err);
}

struct jw_kit_record *jw_kit_records(struct jw_arena *a, size_t *n, struct jw_notes *notes)
{
    struct jw_err why = { 0 };
    struct jw_notes none = { 0 };
    const char *folder = jw_state_path(JW_STATE_KITS, a, &why);
    struct jw_listing all = { 0 };

    if (folder)
        all = jw_listing_read(folder, "*.json", a, &none);
    struct jw_kit_record *list = jw_arena_alloc(a, (all.n + 1) * sizeof *list);

    *n = 0;
    for (size_t i = 0; i < all.n; i++)
        if (read_record(jw_path_join(a, folder, all.names[i]), a, &list[*n], &why))
            ++*n;
        else
            jw_note(notes, a, "%s", why.msg);
    return list;
}

bool jw_kit_remember(const char *command, const struct jw_kit_record *r, struct jw_arena *a,
                     struct jw_err *err)
{
    const char *path = path_of(command, a, err);
    struct jw_buf text = JW_BUF(JW_MAX_MANIFEST);
    struct jw_json j;

    if (!path)
        return false;
    jw_json_begin(&j, jw_sink_buf(&text), false, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", record_form);
    jw_rows_write(&j, jw_kit_rows, r->kit.n_caches ? &r->kit : &(struct jw_kit){ 0 });
    if (r->unproven.n_files)
        jw_rows_object(&j, "unproven", jw_kit_rows, &r->unproven);
    if (r->last.command) {
        jw_json_text(&j, "command", r->last.command);
        jw_rows_object(&j, "last_start", jw_kit_last_rows, &r->last);
    }
    jw_json_close(&j);
    bool ok = jw_json_end(&j) && jw_trust_make(jw_path_dir(a, path), err)
              && jw_trust_put(path, jw_buf_bytes(&text), err);

    jw_buf_free(&text);
    return ok || jw_wrap(err, "%s", path);
}

/* ---- its files ---- */

uint64_t jw_kit_microseconds(const struct jw_file_info *info)
{
    return info->mtime > 0 ? (uint64_t)info->mtime / 1000 : 0;
}

/* ---- the environment ---- */

static const char *digest_of(const void *p, size_t n, struct jw_arena *a)
{
    uint8_t digest[JW_DIGEST];
    char hex[2 * JW_DIGEST + 1];

    jw_digest(digest, p, n);
    jw_digest_hex(hex, digest);
    return jw_arena_str(a, hex);
}

static const char *digest_of_path(const char *path, struct jw_arena *a)
{
    const char *real = path;
    struct jw_err ignored;

    if (!jw_real_path(path, a, &real, &ignored))
        real = path;
    return digest_of(real, strlen(real), a);
}

struct packages {
    const char *environment;
    struct jw_listing names; /* "cupy_cuda12x-13.4.0.dist-info" */
};

static bool read_packages(struct jw_listings *listings, const char *environment, struct jw_arena *a,
                          struct packages *out)
{
    const char *lib = jw_path_join(a, environment, "lib");
    struct jw_listing pythons = jw_listings_read(listings, lib, "python3*");

    out->environment = environment;
    for (size_t i = 0; i < pythons.n && !out->names.n; i++)
        out->names = jw_listings_read(
            listings, jw_arena_printf(a, "%s/%s/site-packages", lib, pythons.names[i]), "*.dist-info");
    if (!out->names.n)
        out->names = jw_listings_read(listings, jw_arena_printf(a, "%s/Lib/site-packages", environment),
                                      "*.dist-info");
    return out->names.n != 0;
}

/* The packages of the program's environment, or else of the active one. */
static bool find_packages(struct jw_listings *listings, const char *const *argv, struct jw_arena *a,
                          struct packages *out)
{
    const char *program = argv && argv[0] ? jw_process_program(argv[0], a) : NULL,
               *active = jw_env(a, "VIRTUAL_ENV");
    const char *folder = program ? jw_path_dir(a, program) : NULL;

    *out = (struct packages){ 0 };
    return (folder && read_packages(listings, jw_path_join(a, folder, ".."), a, out))
           || (folder && read_packages(listings, folder, a, out))
           || (active && read_packages(listings, active, a, out));
}

static const char *digest_of_packages(const struct packages *p, struct jw_arena *a)
{
    struct jw_buf all = JW_BUF(JW_MAX_TEXT_FILE);
    const char *digest;

    for (size_t i = 0; i < p->names.n; i++)
        jw_buf_printf(&all, "%s\n", p->names.names[i]);
    digest = digest_of(all.p, all.n, a);
    jw_buf_free(&all);
    return digest;
}

const char *jw_kit_packages_here(struct jw_listings *listings, const char *const *argv, struct jw_arena *a)
{
    struct packages p;

    return find_packages(listings, argv, a, &p) ? digest_of_packages(&p, a) : NULL;
}

void jw_kit_describe(struct jw_listings *listings, const struct jw_kit_command *of, struct jw_arena *a,
                     struct jw_kit *out)
{
    struct packages p;

    out->folder = digest_of_path(".", a);
    out->driver = of->driver;
    out->gpus = of->gpus;
    out->variables = jw_kit_variables(a);
    if (find_packages(listings, of->argv, a, &p)) {
        out->packages = digest_of_packages(&p, a);
        out->environment = digest_of_path(p.environment, a);
    }
}

/* "cupy_cuda12x-13.4.0.dist-info" of "cupy", "cuda_core-1.2.2.dist-info" of "cuda-core": not "numbadoc-1" of "numba". */
static bool is_package(const char *info, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < n; i++)
        if (info[i] != name[i] && !(info[i] == '_' && strchr("-.", name[i])))
            return false;
    return info[n] == '-' || info[n] == '_';
}

static const char *version_installed(struct jw_listings *listings, const char *package,
                                     const char *const *argv, struct jw_arena *a)
{
    struct packages p;

    if (find_packages(listings, argv, a, &p))
        for (size_t i = 0; i < p.names.n; i++)
            if (is_package(p.names.names[i], package))
                return jw_arena_text(a, p.names.names[i], strlen(p.names.names[i]) - strlen(".dist-info"));
    return NULL;
}

const char *jw_kit_version_here(struct jw_listings *listings, const char *cache, const char *const *argv,
                                struct jw_arena *a)
{
    size_t n;
    const struct jw_known_kit *known = jw_kit_known(a, &n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(known[i].name, cache) == 0)
            return version_installed(listings, known[i].package, argv, a);
    return NULL;
}

struct jw_kit_cache jw_kit_cache_here(struct jw_listings *listings, const struct jw_known_kit *known,
                                      const char *const *argv, struct jw_arena *a)
{
    return (struct jw_kit_cache){ .name = known->name,
                                  .version = version_installed(listings, known->package, argv, a),
                                  .folder = digest_of_path(known->path, a),
                                  .place = known->place };
}

/* ---- then and now ---- */

static bool differ(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") != 0;
}

/* A value that was not known then, or is not known now, is no difference. */
static bool both_differ(const char *a, const char *b)
{
    return a && b && strcmp(a, b) != 0;
}

static const char *both(const char *what, const char *then, const char *now, struct jw_arena *a)
{
    return both_differ(then, now) ? jw_arena_printf(a, "%s (%s, and here %s)", what, then, now) : NULL;
}

const char *jw_kit_differs(const struct jw_kit *then, const struct jw_kit *now,
                           const struct jw_kit_cache *was, const struct jw_kit_cache *is, struct jw_arena *a)
{
    const char *version = both("its version", was->version, is->version, a);
    const char *const inputs[] = {
        version,
        differ(was->folder, is->folder) ? "the path of its folder" : NULL,
        differ(then->environment, now->environment) ? "the path of the environment" : NULL,
        !version && differ(then->packages, now->packages) ? "the environment's packages" : NULL,
        differ(then->folder, now->folder) ? "the folder in which the command was started" : NULL,
        both("the GPUs", then->gpus, now->gpus, a),
        both("the driver", then->driver, now->driver, a),
        jw_kit_variables_differ(then, now, a),
    };
    const char *words = NULL;

    for (size_t i = 0; i < JW_COUNT(inputs); i++)
        if (inputs[i])
            words = words ? jw_arena_printf(a, "%s, %s", words, inputs[i]) : inputs[i];
    return words ? jw_arena_printf(a, "different from the recorded start: %s", words) : NULL;
}

/* ---- its files as they are now ---- */

static bool open_recorded(const struct jw_kit *kit, const struct jw_kit_file *of, struct jw_file *f,
                          struct jw_file_info *info, bool *found, struct jw_arena *a, struct jw_err *err)
{
    struct jw_tree top = JW_TREE_CLOSED;
    const struct jw_kit_folder folder = { &top, jw_kit_folder_here(&kit->caches[of->cache], a) };

    *found = false;
    bool ok = !folder.path
              || (jw_kit_open_folder(folder.path, a, &top, err)
                  && jw_kit_open_file(&folder, of->path, f, found, a, err)
                  && (!*found || jw_file_info(f, info, err)));

    jw_tree_close(&top);
    return ok;
}

bool jw_kit_read(const struct jw_kit *kit, size_t i, uint8_t *dst, size_t n, struct jw_arena *a,
                 struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info;
    bool found;
    size_t got = 0;
    bool ok = open_recorded(kit, &kit->files[i], &f, &info, &found, a, err)
              && (!found || jw_file_read(&f, 0, dst, n, &got, err));

    jw_file_close(&f);
    return !ok ? false
               : (found && got == n && info.size == n)
                     || jw_fail(err, JW_E_IO, "it was changed or removed meanwhile; export again");
}

bool jw_kit_refresh(struct jw_kit *kit, struct jw_arena *a, struct jw_err *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < kit->n_files; i++) {
        struct jw_kit_file *f = &kit->files[i];
        struct jw_file at = JW_FILE_CLOSED;
        struct jw_file_info info;
        bool found, ok = open_recorded(kit, f, &at, &info, &found, a, err);

        jw_file_close(&at);
        if (!ok)
            return false;
        if (!found)
            continue;
        f->bytes = info.size;
        f->mode = info.mode & JW_KIT_MODES;
        f->mtime_us = jw_kit_microseconds(&info);
        kit->files[kept++] = *f;
    }
    kit->n_files = kept;
    return true;
}
