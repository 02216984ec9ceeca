#include "cache/memory/trace.h"

#include "base/arena.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "facts/compilers.h"
#include "machine/gpus.h"
#include "machine/listing.h"
#include "machine/settings.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <string.h>

bool jw_trace_answer(struct jw_trace *t, const char *question, const char *answer, struct jw_err *err)
{
    struct jw_warm_answer *one =
        jw_list_add(t->a, &t->answers, &t->n_answers, sizeof *one, JW_MAX_LISTED, err);

    if (one)
        *one = (struct jw_warm_answer){ question, answer };
    return one != NULL;
}

/* Whole seconds are those of a coarse clock: FAT has 2 s. A time that lies far ahead was set by hand. */
static bool may_change_unseen(const struct jw_file_info *info, int64_t looked)
{
    enum { SECOND = 1000000000 };
    int64_t step = info->mtime % SECOND || info->ctime % SECOND ? JW_TRACE_STEP_MS * (int64_t)1000000
                                                                : 2 * (int64_t)SECOND;
    int64_t last = info->mtime > info->ctime && info->mtime < looked + 2 * step ? info->mtime : info->ctime;

    return looked && info->kind == JW_FILE_REGULAR && last + step > looked;
}

bool jw_trace_seen(struct jw_trace *t, const char *path, const struct jw_file_info *info, uint64_t names,
                   struct jw_err *err)
{
    struct jw_warm_file *f = jw_list_add(t->a, &t->files, &t->n_files, sizeof *f, JW_MAX_OWNED, err);

    if (!f)
        return false;
    *f = (struct jw_warm_file){ .path = path };
    if (info->kind == JW_FILE_NONE)
        return true;
    t->n_folders += info->kind == JW_FILE_DIR;
    *f = (struct jw_warm_file){ path,        info->size, info->id.volume, info->id.node, info->mtime,
                                info->ctime, names };
    if (may_change_unseen(info, t->looked))
        f->ctime = INT64_MIN;
    return true;
}

/* ---- what matters in a file that programs rewrite for other reasons, too ---- */

#define LOADER_CACHE "ld.so.cache"

/* Returns the next path of this library in the loader's cache, from `*at` on; NULL: there is none. */
static const char *next_in_loader_cache(struct jw_bytes text, const char *library, size_t *at)
{
    const char *p = (const char *)text.p;
    size_t n = strlen(library);

    for (size_t i = *at, start = *at; i < text.n; i++) {
        if (p[i])
            continue;
        if (i - start > n && p[i - n - 1] == '/' && strcmp(p + i - n, library) == 0) {
            *at = i + 1;
            return strchr(p + start, '/'); /* the first one may follow a number that is not 0 */
        }
        start = i + 1;
    }
    return NULL;
}

static bool slurp_loader_cache(const char *path, struct jw_buf *text)
{
    struct jw_err ignored;
    bool found = false;

    return jw_file_slurp(path, text, &found, &ignored) && found;
}

static uint64_t digest_loader_cache(struct jw_bytes text)
{
    uint64_t digest = JW_FNV_START;
    size_t at = 0;

    for (const char *one; (one = next_in_loader_cache(text, JW_LIBCUDA_FILE, &at));)
        digest = jw_fnv1a(digest, one, strlen(one) + 1);
    return digest;
}

/* Returns a digest of a folder's names, or of the places of libcuda in the loader's cache; 0: only the times count. */
static uint64_t digest_of_fact(const char *path, const struct jw_file_info *info)
{
    struct jw_buf text = JW_BUF(JW_MAX_LOADER_CACHE);
    uint64_t digest = 0;

    if (info->kind == JW_FILE_DIR)
        return jw_names_read(path, &digest) ? digest : 0;
    if (strcmp(jw_path_base(path), LOADER_CACHE) == 0 && slurp_loader_cache(path, &text))
        digest = digest_loader_cache(jw_buf_bytes(&text));
    jw_buf_free(&text);
    return digest;
}

/* A file in a closed folder counts as absent; a receipt does not hold then. */
bool jw_trace_path(struct jw_trace *t, const char *path, struct jw_err *err)
{
    struct jw_file_info info = { 0 };
    struct jw_err closed;

    (void)!jw_file_stat(path, &info, &closed);
    return jw_trace_seen(t, path, &info, digest_of_fact(path, &info), err);
}

/* ---- the folders of LD_LIBRARY_PATH ---- */

/* Folders below, which the loader searches before the folder itself. */
static const char *const below[] = { "glibc-hwcaps", "tls", "haswell", "xeon_phi", "avx512_1", "x86_64" };

/* One of these names is in the folder, or that cannot be seen. */
static bool may_have(const char *folder, const char *const *names, size_t n, struct jw_arena *a)
{
    for (size_t i = 0; i < n; i++)
        if (!jw_is_absent(jw_path_join(a, folder, names[i])))
            return true;
    return false;
}

/* Looks no further than the first one: a folder may have very many names, and be far away. */
static bool may_have_library(const char *folder)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err closed;
    bool more = true, known = jw_dir_open(&dir, folder, &closed), found = false;

    while (known && !found && (known = jw_dir_next(dir, &e, &more, &closed)) && more)
        found = strstr(e.name, ".so") || jw_text_among(e.name, below, JW_COUNT(below));
    jw_dir_close(dir);
    return found || !known;
}

/* A large folder is not listed for the driver's: nearly all have none. */
static bool leads_to_library(const char *folder, bool of_driver, struct jw_arena *a)
{
    struct jw_file_info info;
    struct jw_err closed;
    size_t n;
    const char *const *names = jw_driver_names(&n);

    if (!jw_path_absolute(folder) || !jw_file_stat(folder, &info, &closed))
        return true;
    if (info.kind != JW_FILE_DIR)
        return false;
    return of_driver ? may_have(folder, below, JW_COUNT(below), a) || may_have(folder, names, n, a)
                     : may_have_library(folder);
}

const char *jw_trace_folders(const char *list, bool of_driver, struct jw_arena *a)
{
    const char *out = "";

    for (const char *at = list && *list ? list : NULL; at;) {
        size_t n = strcspn(at, ":;");
        const char *folder = n ? jw_arena_text(a, at, n) : ".";

        bool again = strstr(jw_arena_printf(a, ":%s:", out), jw_arena_printf(a, ":%s:", folder));

        if (!again && leads_to_library(folder, of_driver, a))
            out = jw_arena_printf(a, "%s%s%s", out, *out ? ":" : "", folder);
        at = at[n] ? at + n + 1 : NULL;
    }
    return out;
}

const char *jw_trace_libraries(const struct jw_trace *machine)
{
    const char **kept = machine->libraries;

    if (!*kept)
        *kept = jw_trace_folders(jw_env(machine->a, "LD_LIBRARY_PATH"), false, machine->a);
    return *kept;
}

/* ---- variables ---- */

#define LIBRARIES "LD_LIBRARY_PATH="

/* Returns what a receipt has of "NAME=VALUE": of LD_LIBRARY_PATH the folders that lead to a driver. NULL: nothing; a
 * switch that is off is as good as unset. */
static const char *asked_of(const char *text, struct jw_arena *a)
{
    const struct jw_setting *s = jw_setting_find(text);
    const char *value = strchr(text, '=');

    if (!value || !s || !s->receipt || (s->on_off && jw_setting_same(s, value + 1, NULL)))
        return NULL;
    if (!jw_text_starts(text, LIBRARIES))
        return text;
    value = jw_trace_folders(value + 1, true, a);
    return *value ? jw_arena_printf(a, LIBRARIES "%s", value) : NULL;
}

static bool ask_settings(struct jw_trace *t, struct jw_err *err)
{
    const char *const *all;
    const char **some;
    size_t n, n_some = 0;

    if (!jw_env_all(t->a, &all, &n, err))
        return false;
    some = jw_arena_alloc(t->a, (n + 1) * sizeof *some);
    for (size_t i = 0; i < n; i++)
        if ((some[n_some] = asked_of(all[i], t->a)))
            n_some++;
    jw_sort(some, n_some, sizeof *some, jw_by_text); /* the first that changed is named */
    for (size_t i = 0; i < n_some; i++) {
        int name = (int)strcspn(some[i], "=");

        if (!jw_trace_answer(t, jw_arena_printf(t->a, JW_TRACE_SETTING "%.*s", name, some[i]),
                             some[i] + name + 1, err))
            return false;
    }
    return true;
}

/* ---- GPUs ---- */

/* "Model: 		 NVIDIA H100 80GB HBM3": the rest of that file changes while a GPU sleeps. */
static bool add_model(struct jw_trace *t, struct jw_buf *b, const char *folder, const char *address)
{
    const char *path = jw_path_join(t->a, jw_path_join(t->a, folder, address), "information"), *model;
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    struct jw_err ignored;
    bool found = false;
    size_t n;

    (void)!jw_file_slurp(path, &text, &found, &ignored);
    model = strstr(jw_buf_cstr(&text), "Model:");
    n = model ? strcspn(model, "\n") : 0;
    jw_buf_printf(b, "gpu %s %.*s\n", address, (int)n, model ? model : "");
    jw_buf_free(&text);
    return n > 0;
}

/* The GPUs that this process may use: "nvidia0" and not "nvidiactl", which is there for all of them. */
static bool is_gpu_device(const char *name)
{
    return strcmp(name, "dxg") == 0 || (jw_text_starts(name, "nvidia") && name[6] >= '0' && name[6] <= '9');
}

static bool ask_gpus(struct jw_trace *t, const char *folder, const struct jw_host_gpus *here,
                     struct jw_err *err)
{
    struct jw_buf b = JW_BUF_IN(t->a, JW_MAX_STATE);
    struct jw_notes ignored = { 0 };

    t->gpus_seen = here->n > 0;
    jw_buf_printf(&b, "kernel driver %s\n", here->driver ? here->driver : "");
    for (size_t i = 0; i < here->n; i++)
        jw_buf_printf(&b, "pci %u %04x\n", here->gpus[i].sm, here->gpus[i].device_id);
    if (!jw_os_is_windows()) {
        const char *top = *folder ? folder : "/", *proc = jw_path_join(t->a, top, "proc/driver/nvidia/gpus");
        struct jw_listing devices = jw_listing_read(jw_path_join(t->a, top, "dev"), "*", t->a, &ignored),
                          gpus = jw_listing_read(proc, "*", t->a, &ignored);

        for (size_t i = 0; i < devices.n; i++)
            if (is_gpu_device(devices.names[i]))
                jw_buf_printf(&b, "dev %s\n", devices.names[i]);
        for (size_t i = 0; i < gpus.n; i++)
            t->gpus_seen |= add_model(t, &b, proc, gpus.names[i]);
    }
    return jw_buf_ok(&b, err) && jw_trace_answer(t, JW_TRACE_GPUS, jw_buf_cstr(&b), err);
}

/* ---- the loader ---- */

/* Folders below a folder of the search: a loader before glibc 2.37 looks into tls/haswell/avx512_1/x86_64 and each
 * shorter one. A folder that is absent answers for all that would be below it. */
static bool add_folders_below(struct jw_trace *t, const char *library, const char *folder, unsigned depth,
                              struct jw_err *err)
{
    for (size_t i = 1; i < JW_COUNT(below); i++) {
        const char *one = jw_path_join(t->a, folder, below[i]);
        bool there = jw_is_folder(one);

        if (!jw_trace_path(t, there ? jw_path_join(t->a, one, library) : one, err)
            || (there && depth > 1 && !add_folders_below(t, library, one, depth - 1, err)))
            return false;
    }
    return true;
}

static bool add_candidates(struct jw_trace *t, const char *library, const char *folder, struct jw_err *err)
{
    static const char *const levels[] = { "x86-64-v4", "x86-64-v3", "x86-64-v2" };
    const char *better = jw_path_join(t->a, folder, below[0]);
    bool levelled = jw_is_folder(better);

    if (!levelled && !jw_trace_path(t, better, err))
        return false;
    for (size_t i = 0; levelled && i < JW_COUNT(levels); i++)
        if (!jw_trace_path(t, jw_path_join(t->a, jw_path_join(t->a, better, levels[i]), library), err))
            return false;
    return add_folders_below(t, library, folder, 4, err)
           && jw_trace_path(t, jw_path_join(t->a, folder, library), err);
}

static void read_loader_cache(struct jw_trace *t, const char *path)
{
    struct jw_buf text = JW_BUF(JW_MAX_LOADER_CACHE);

    if (!t->loader_cache.n && slurp_loader_cache(path, &text) && text.n)
        t->loader_cache =
            (struct jw_bytes){ (const uint8_t *)jw_arena_text(t->a, (const char *)text.p, text.n), text.n };
    jw_buf_free(&text);
}

/* Adds the loader's cache and each such library in it, missing ones, too: as soon as one is there the loader takes it,
 * with the same cache. */
static bool add_loader_cache(struct jw_trace *t, const char *library, struct jw_err *err)
{
    static const char path[] = "/etc/" LOADER_CACHE;
    struct jw_file_info info;
    size_t at = 0;
    bool ok = jw_file_stat(path, &info, err);

    if (!ok)
        return jw_wrap(err, "%s", path);
    read_loader_cache(t, path);
    ok = jw_trace_seen(t, path, &info, t->loader_cache.n ? digest_loader_cache(t->loader_cache) : 0, err);
    for (const char *one; ok && (one = next_in_loader_cache(t->loader_cache, library, &at));) {
        struct jw_err ignored;

        (void)!jw_file_stat(one, &info, &ignored); /* as in jw_trace_path */
        ok = jw_trace_seen(t, one, &info, 0, err);
    }
    return ok;
}

/* Also behind the first that has one, for the loader passes over a library of another architecture. */
bool jw_trace_loader(struct jw_trace *t, const char *library, const char *list, struct jw_err *err)
{
    static const char *const folders[] = { "/lib64", "/usr/lib64", "/lib", "/usr/lib" };
    struct jw_err closed;
    bool ok = true;

    while (ok && list && *list) {
        size_t n = strcspn(list, ":;");
        const char *folder = n ? jw_arena_text(t->a, list, n) : ".";

        (void)!jw_real_path(folder, t->a, &folder, &closed);
        ok = add_candidates(t, library, folder, err);
        list += n;
        list += *list != '\0';
    }
    ok = ok && jw_trace_path(t, "/etc/ld.so.preload", err) && add_loader_cache(t, library, err);
    for (size_t i = 0; i < JW_COUNT(folders) && ok; i++) {
        const char *multi = jw_arena_printf(t->a, "%s/%s-linux-gnu/%s", folders[i], jw_os_arch(), library);

        ok = jw_trace_path(t, jw_path_join(t->a, folders[i], library), err);
        if (ok && i >= 2)
            ok = jw_trace_path(t, multi, err);
    }
    return ok;
}

static bool ask_loader(struct jw_trace *t, struct jw_err *err)
{
    const char *named = jw_env(t->a, "JITWARM_DRIVER");

    if (jw_os_is_windows())
        return true;
    return named && *named ? jw_trace_path(t, named, err)
                           : jw_trace_loader(t, JW_LIBCUDA_FILE, jw_env(t->a, "LD_LIBRARY_PATH"), err);
}

bool jw_trace_machine(const char *sysroot, const struct jw_host_gpus *gpus, struct jw_arena *a,
                      struct jw_trace *out, struct jw_err *err)
{
    *out = (struct jw_trace){ .a = a,
                              .libraries = jw_arena_alloc(a, sizeof *out->libraries),
                              .looks = jw_arena_alloc(a, JW_TRACE_LOOKS * sizeof *out->looks) };
    return jw_trace_answer(out, "jitwarm", JITWARM_VERSION, err) && ask_settings(out, err)
           && ask_gpus(out, sysroot, gpus, err) && ask_loader(out, err);
}

bool jw_trace_copy(const struct jw_trace *t, struct jw_arena *a, struct jw_trace *out, struct jw_err *err)
{
    *out = *t;
    out->a = a;
    out->n_answers = out->n_files = 0;
    for (size_t i = 0; i < t->n_answers; i++)
        if (!jw_trace_answer(out, t->answers[i].question, t->answers[i].answer, err))
            return false;
    for (size_t i = 0; i < t->n_files; i++) {
        struct jw_warm_file *f = jw_list_add(a, &out->files, &out->n_files, sizeof *f, JW_MAX_OWNED, err);

        if (!f)
            return false;
        *f = t->files[i];
    }
    return true;
}

bool jw_trace_has_driver(const struct jw_trace *machine)
{
    const char *named = jw_env(machine->a, "JITWARM_DRIVER");

    if (jw_os_is_windows() || (named && *named))
        return true;
    for (size_t i = 0; i < machine->n_files; i++) {
        const struct jw_warm_file *f = &machine->files[i];
        const char *name = jw_path_base(f->path);
        bool there = f->volume || f->node || f->mtime || f->size;

        if (there && (strcmp(name, LOADER_CACHE) == 0 ? f->names != JW_FNV_START : jw_is_libcuda(name)))
            return true;
    }
    return false;
}

/* ---- as a receipt has it ---- */

/* Returns how much of the path is the folder: all of it where the path is a folder. */
static size_t folder_length(const struct jw_warm_file *f)
{
    size_t n = f->names ? strlen(f->path) : (size_t)(jw_path_base(f->path) - f->path);

    while (n && (f->path[n - 1] == '/' || f->path[n - 1] == '\\'))
        n--;
    return n;
}

/* Puts a folder before what is in it. */
static int by_folder(const void *a, const void *b)
{
    const struct jw_warm_file *x = a, *y = b;
    size_t n = folder_length(x), m = folder_length(y);
    int d = strncmp(x->path, y->path, n < m ? n : m);

    d = d ? d : n < m ? -1 : n > m;
    return d ? d : !x->names - !y->names ? !x->names - !y->names : strcmp(x->path, y->path);
}

static bool is_same_fact(const struct jw_warm_file *x, const struct jw_warm_file *y)
{
    return strcmp(x->path, y->path) == 0 && x->size == y->size && x->volume == y->volume && x->node == y->node
           && x->mtime == y->mtime && x->ctime == y->ctime
           && (x->names == y->names || !x->names || !y->names);
}

static bool is_in(const char *path, const char *folder)
{
    const char *name = jw_path_below(path, folder);

    return name == path + strlen(folder) + 1 && *name && name == jw_path_base(path);
}

void jw_trace_finish(struct jw_trace *t)
{
    const char *folder = "";
    struct jw_warm_file last = { .path = "" };
    size_t kept = 0;

    jw_sort(t->files, t->n_files, sizeof *t->files, by_folder);
    for (size_t i = 0; i < t->n_files; i++) {
        struct jw_warm_file f = t->files[i];

        if (is_same_fact(&f, &last))
            continue;
        last = f;
        if (*folder && is_in(f.path, folder))
            f.path = jw_path_base(f.path);
        else
            folder = f.path;
        t->files[kept++] = f;
    }
    t->n_files = kept;
}

const char *jw_trace_whole_path(const struct jw_warm_file *f, const char **folder, struct jw_buf *room)
{
    if (jw_path_absolute(f->path) || !**folder) {
        *folder = f->path;
        return f->path;
    }
    jw_buf_clear(room);
    jw_buf_printf(room, "%s%c%s", *folder, jw_path_separator(*folder), f->path);
    return jw_buf_cstr(room);
}

/* ---- again ---- */

/* A file that was absent, such as a start file of a shell, has only a path. */
static bool is_same_file(const char *path, const struct jw_warm_file *f)
{
    bool absent = !f->volume && !f->node && !f->mtime && !f->size;
    struct jw_file_info info;
    struct jw_err ignored;

    if (!jw_file_stat(path, &info, &ignored) || absent != (info.kind == JW_FILE_NONE))
        return false;
    if (absent)
        return true;
    const struct jw_file_info was = { .kind = info.kind,
                                      .size = info.kind == JW_FILE_DIR ? info.size : f->size,
                                      .mtime = f->mtime,
                                      .ctime = f->ctime,
                                      .id = { f->volume, f->node } };

    if (jw_file_unchanged(&was, &info))
        return true;
    /* Another folder of that name may hold other files of the same names. */
    return f->names && (info.kind != JW_FILE_DIR || (info.id.volume == f->volume && info.id.node == f->node))
           && digest_of_fact(path, &info) == f->names;
}

static const char *find_answer(const struct jw_warm_answer *list, size_t n, const char *question)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].question, question) == 0)
            return list[i].answer;
    return NULL;
}

const char *jw_trace_answered(const struct jw_warm_receipt *r, const char *question)
{
    return find_answer(r->answers, r->n_answers, question);
}

bool jw_trace_is_setting(const char *question)
{
    return jw_text_starts(question, JW_TRACE_SETTING);
}

/* Returns the first setting of one list that the other has not, or has otherwise; without `gpus` those alone that do
 * not choose GPUs. */
static const char *first_apart(const struct jw_warm_answer *list, size_t n,
                               const struct jw_warm_answer *other, size_t n_other, bool gpus)
{
    for (size_t i = 0; i < n; i++) {
        const char *question = list[i].question;

        if (jw_trace_is_setting(question)
            && (gpus || !jw_setting_is_of_gpus(question + sizeof JW_TRACE_SETTING - 1))
            && !jw_text_same(list[i].answer, find_answer(other, n_other, question)))
            return question;
    }
    return NULL;
}

static const char *setting_apart(const struct jw_warm_receipt *r, const struct jw_trace *now, bool gpus)
{
    const char *apart = first_apart(now->answers, now->n_answers, r->answers, r->n_answers, gpus);

    return apart ? apart : first_apart(r->answers, r->n_answers, now->answers, now->n_answers, gpus);
}

/* Returns how many of the GPUs that the system lists a program sees by CUDA_VISIBLE_DEVICES, where all are of one kind;
 * 0: they are not, or none is listed. */
static size_t shown_of_one_kind(const char *gpus, const struct jw_warm_answer *list, size_t n_answers)
{
    const char *first = NULL, *chosen = find_answer(list, n_answers, JW_TRACE_SETTING "CUDA_VISIBLE_DEVICES");
    size_t n = 0, named = 1;

    for (const char *at = gpus ? gpus : ""; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t length = strcspn(at, "\n");

        if (!jw_text_starts(at, "pci "))
            continue;
        if (first && (strncmp(first, at, length) != 0 || first[length] != '\n'))
            return 0;
        first = at;
        n++;
    }
    for (const char *c = chosen; c && *c; c++)
        named += *c == ',';
    return chosen ? jw_min(n, named) : n;
}

/* Returns the first setting that has changed. A job is given another GPU each time (CUDA_VISIBLE_DEVICES), and that is
 * no change where the driver's answer about them is compared, or where all are of one kind and a program sees as many:
 * one that sees more may load more. */
static const char *changed_setting(const struct jw_warm_receipt *r, const struct jw_trace *now)
{
    const char *gpus = find_answer(now->answers, now->n_answers, JW_TRACE_GPUS),
               *apart = setting_apart(r, now, false);
    size_t shown = shown_of_one_kind(gpus, now->answers, now->n_answers);

    if (apart || jw_trace_answered(r, JW_TRACE_DRIVERS_GPUS)
        || (shown && shown == shown_of_one_kind(gpus, r->answers, r->n_answers)))
        return apart;
    return setting_apart(r, now, true);
}

/* Is this a question about GPUs? A change of GPUs is named before any other. */
static bool is_of_gpus(const char *question)
{
    return strcmp(question, JW_TRACE_GPUS) == 0 || strcmp(question, JW_TRACE_DRIVERS_GPUS) == 0;
}

enum jw_trace_state jw_trace_replay(const struct jw_warm_receipt *r, const struct jw_trace *now,
                                    const char **what)
{
    enum jw_trace_state state = JW_TRACE_HOLDS;
    struct jw_buf room = JW_BUF(JW_MAX_PATH);
    const char *folder = "";

    *what = NULL;
    for (size_t i = 0; i < r->n_answers; i++) {
        const char *question = r->answers[i].question,
                   *answer = find_answer(now->answers, now->n_answers, question);

        if (!answer && strcmp(question, JW_TRACE_DRIVERS_GPUS) == 0)
            state = JW_TRACE_ASK_DRIVER;
        else if (!jw_trace_is_setting(question) && !jw_text_same(answer, r->answers[i].answer)
                 && (!*what || is_of_gpus(question)))
            *what = question;
    }
    if (!*what)
        *what = changed_setting(r, now);
    for (size_t i = 0; !*what && i < r->n_files; i++) {
        const char *path = jw_trace_whole_path(&r->files[i], &folder, &room);

        if (!is_same_file(path, &r->files[i]))
            *what = jw_arena_str(now->a, path);
    }
    jw_buf_free(&room);
    return *what ? JW_TRACE_CHANGED : state;
}

/* ---- in words ---- */

const char *jw_trace_words(const char *what)
{
    return strcmp(what, JW_TRACE_GPUS) == 0 ? "the GPUs"
           : jw_trace_is_setting(what)      ? what + sizeof JW_TRACE_SETTING - 1
                                            : what;
}
