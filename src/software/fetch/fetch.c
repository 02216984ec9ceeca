#include "software/fetch/fetch.h"

#include "base/arena.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "fleet/remote/remote.h"
#include "machine/run.h"
#include "os/files/dir.h"
#include "os/files/disk.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "software/fetch/pip.h"
#include "software/fetch/wanted.h"

#include <string.h>

enum {
    MAX_FILES = 64,
    SHOWN_VERSIONS = 10,
    SHOWN_NAMES = 8,
    SHOWN_INDEXES = 2,
    SHOWN_BYTES = 240,
    LOOK_MS = 100,
    MAX_NESTED = 8
};

struct fetch {
    const struct jw_run *caller; /* asks the user, and takes the notes */
    const struct jw_fetch_options *o;
    struct jw_arena *a;
    struct jw_wanted_list list;
    struct jw_wheel_system system;
    struct jw_pip pip;
    struct jw_pip_run run;
    char *work;
    struct jw_fetched *packages;    /* one for each of the list */
    const struct jw_wheel **wheels; /* the same; NULL: none */
    const char **files;             /* requirements files that were named as arguments */
    size_t n_files;
    const char *unreachable;      /* why nothing can be fetched; NULL: it can, so far */
    size_t now;                   /* being fetched, for the progress */
    bool said_unread;             /* that one of several indexes cannot be read */
    uint64_t total, looked, most; /* most: bytes of it that were seen; pip moves the file when it is whole */
};

static void show(const struct fetch *f, const char *what)
{
    jw_run_show(f->caller, what, 0, 0);
}

static const char *system_title(const struct fetch *f)
{
    return jw_arena_printf(f->a, "%s (%s)", f->system.windows ? "Windows" : "Linux", f->system.arch);
}

/* ---- what is wanted ---- */

static enum jw_file_kind kind_of(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(path, &info, &ignored) ? info.kind : JW_FILE_OTHER;
}

static bool add_argument(struct fetch *f, const char *text, struct jw_err *err)
{
    struct jw_wanted *w = jw_list_add(f->a, &f->list.v, &f->list.n, sizeof *f->list.v, JW_MAX_WANTED, err);

    if (!w)
        return false;
    w->where = NULL;
    return jw_requirement_parse(text, false, f->a, &w->r, err);
}

static bool read_file(struct fetch *f, const char *path, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    enum jw_wanted_form form = jw_wanted_form(path);
    bool found = false;
    bool ok = jw_file_slurp(path, &text, &found, err) || jw_wrap(err, "%.250s", path);

    if (ok && !found)
        ok = jw_fail(err, JW_E_USAGE, "%.250s: no such file", path);
    ok = ok
         && jw_wanted_read(path, form == JW_WANTED_LOCK ? form : JW_WANTED_REQUIREMENTS, jw_buf_bytes(&text),
                           f->a, &f->list, err);
    jw_buf_free(&text);
    return ok;
}

/* The file, and those that it names by -r. */
static bool add_requirements(struct fetch *f, const char *path, struct jw_err *err)
{
    size_t next = f->list.n_also;

    if (!read_file(f, path, err))
        return false;
    for (; next < f->list.n_also; next++)
        if (next >= MAX_NESTED)
            return jw_fail(err, JW_E_LIMIT, "%.200s: more than %d files by -r", path, MAX_NESTED);
        else if (!read_file(f, f->list.also[next], err))
            return false;
    return true;
}

/* A text may have any name that a requirements file has: one line of something else makes the whole file a text like
 * others, of which no word is a package's name. */
static bool add_named_file(struct fetch *f, const char *path, bool *is, struct jw_err *err)
{
    const struct jw_wanted_list before = f->list;
    struct jw_err why = { 0 };

    *is = false;
    if (add_requirements(f, path, &why)) {
        *is = f->list.n > before.n;
        return true;
    }
    if ((!f->list.unknown_line && why.code != JW_E_LIMIT)
        || f->list.n_also != before.n_also) { /* it has a -r FILE */
        *err = why;
        return false;
    }
    f->o->say(f->caller->ctx,
              jw_arena_printf(f->a, "%s is not read as a requirements file: %s", path,
                              f->list.unknown_line ? jw_arena_printf(
                                  f->a, "line %u is neither a package nor an option", f->list.unknown_line)
                                                   : why.msg));
    f->list = before;
    return true;
}

/* It names packages, and none of them is scanned. */
static bool add_unread(struct fetch *f, const char *path, struct jw_err *err)
{
    struct jw_wanted *w = jw_list_add(f->a, &f->list.v, &f->list.n, sizeof *f->list.v, JW_MAX_WANTED, err);

    if (!w)
        return false;
    w->r.text = path;
    w->not_asked = jw_wanted_instead(path);
    return true;
}

static bool sort_arguments(struct fetch *f, struct jw_texts *paths, struct jw_err *err)
{
    const struct jw_texts *all = f->o->paths;

    paths->items = jw_arena_alloc(f->a, (all->n + 1) * sizeof *paths->items);
    f->files = jw_arena_alloc(f->a, (all->n + 1) * sizeof *f->files);
    for (size_t i = 0; i < all->n; i++) {
        enum jw_file_kind kind = kind_of(all->items[i]);
        bool wanted = false;

        if (kind == JW_FILE_REGULAR && jw_wanted_instead(all->items[i])) {
            if (!add_unread(f, all->items[i], err))
                return false;
            continue;
        }
        if (kind == JW_FILE_REGULAR && jw_wanted_form(all->items[i]) != JW_WANTED_NONE
            && !add_named_file(f, all->items[i], &wanted, err))
            return false;
        if (wanted) {
            if (jw_wanted_form(all->items[i]) == JW_WANTED_REQUIREMENTS)
                f->files[f->n_files++] = all->items[i];
            continue;
        }
        if (kind == JW_FILE_NONE && jw_requirement_is_meant(all->items[i])) {
            if (!add_argument(f, all->items[i], err))
                return false;
        } else
            paths->items[paths->n++] = all->items[i];
    }
    return true;
}

/* ---- which wheel ---- */

static void say_words(struct jw_buf *out, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n && words[i]; i++) {
        jw_buf_text(out, " ");
        jw_command_word(out, words[i], jw_os_is_windows());
    }
}

/* A file with a line that is on no index would make pip end with an error: then the packages are named, without it. */
static bool names_files(const struct fetch *f)
{
    for (size_t i = 0; i < f->list.n; i++)
        if (f->list.v[i].not_asked)
            return false;
    return f->n_files;
}

static bool is_of_file(const struct fetch *f, const struct jw_wanted *w)
{
    return w->where && w->n_wheels == 0 && names_files(f);
}

/* The command for a machine that has pip and reaches the index. `wheel`: this one alone; NULL: all that was asked for. */
static const char *elsewhere(const struct fetch *f, const struct jw_wheel *wheel)
{
    const char *tags[JW_PIP_TAGS] = { NULL };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (wheel)
        jw_pip_tags(wheel, f->a, tags);
    else
        jw_pip_platform(&f->system, f->a, tags);
    jw_say(&text, "on another %smachine: pip download -d wheels --no-deps --only-binary :all:",
           tags[0] ? "" : jw_arena_printf(f->a, "%s ", system_title(f)));
    say_words(&text, tags, JW_PIP_TAGS);
    if (!wheel && f->pip.python)
        jw_say(&text, " --python-version %u.%u", f->pip.python / 100, f->pip.python % 100);
    if (wheel)
        say_words(&text, &(const char *){ jw_arena_printf(f->a, "%s==%s", wheel->name, wheel->version_text) },
                  1);
    else if (!names_files(f))
        say_words(&text, f->list.index, f->list.n_index);
    for (size_t i = 0; !wheel && names_files(f) && i < f->n_files; i++)
        say_words(&text, (const char *const[]){ "-r", f->files[i] }, 2);
    for (size_t i = 0; !wheel && i < f->list.n; i++)
        if (!f->list.v[i].not_asked && !f->packages[i].other_system && !is_of_file(f, &f->list.v[i]))
            say_words(&text, &f->list.v[i].r.text, 1);
    const char *out = text.bad ? NULL : jw_arena_str(f->a, jw_buf_cstr(&text));

    jw_buf_free(&text);
    return out;
}

static int by_version(const void *a, const void *b)
{
    return jw_pyversion_compare(&((const struct jw_wheel *)a)->version,
                                &((const struct jw_wheel *)b)->version);
}

/* The versions around the one that was asked for. */
static void say_versions(struct jw_buf *out, const struct jw_wanted *w, struct jw_wheel *list, size_t n)
{
    size_t kept = 0, at = 0, from;

    jw_sort(list, n, sizeof *list, by_version);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || strcmp(list[i].version_text, list[kept - 1].version_text) != 0)
            list[kept++] = list[i];
    while (w->r.n && at < kept && jw_pyversion_compare(&list[at].version, &w->r.specs[0].version) < 0)
        at++;
    if (!w->r.n)
        at = kept;
    from = at > SHOWN_VERSIONS / 2 ? at - SHOWN_VERSIONS / 2 : 0;
    if (kept > SHOWN_VERSIONS && from > kept - SHOWN_VERSIONS)
        from = kept - SHOWN_VERSIONS;
    for (size_t i = from; i < kept && i < from + SHOWN_VERSIONS; i++)
        jw_say(out, "%s%s", i > from ? ", " : "", list[i].version_text);
}

/* "for macosx_11_0_arm64, win_amd64" */
static void say_systems(struct jw_buf *out, const struct jw_wanted *w, const struct jw_wheel *list, size_t n,
                        struct jw_arena *a)
{
    const char *shown[SHOWN_VERSIONS];
    size_t k = 0;

    for (size_t i = 0; i < n && k < SHOWN_VERSIONS; i++) {
        const char *tag = jw_wheel_tag(a, list[i].platform);

        if (!jw_requirement_allows(&w->r, &list[i].version) || jw_text_among(tag, shown, k))
            continue;
        jw_say(out, "%s%s", k ? ", " : "", tag);
        shown[k++] = tag;
    }
}

static const char *none_fits(const struct fetch *f, const struct jw_wanted *w, struct jw_pip_listing *list,
                             bool *other_system)
{
    struct jw_buf text = JW_BUF(JW_MAX_SENTENCE), systems = JW_BUF(JW_MAX_SENTENCE);

    say_systems(&systems, w, list->wheels, list->n, f->a);
    *other_system = systems.n != 0;
    if (*other_system)
        jw_say(&text, "it has no wheel for %s, only for %s", system_title(f), jw_buf_cstr(&systems));
    else {
        jw_say(&text, "there is no wheel of this version. Versions with wheels: ");
        say_versions(&text, w, list->wheels, list->n);
        if (w->r.n && w->r.specs[0].version.local[0] && !list->unread)
            jw_say(
                &text,
                ". A version with +%s may be on another index: name that in PIP_EXTRA_INDEX_URL (of PyTorch: "
                "https://download.pytorch.org/whl/%s)",
                w->r.specs[0].version.local, w->r.specs[0].version.local);
    }
    const char *out = jw_arena_str(f->a, jw_buf_cstr(&text));

    jw_buf_free(&systems);
    jw_buf_free(&text);
    return out;
}

/* Says which wheel is scanned in place of the one that pip would take. The code for GPUs is the same in the wheels for
 * all Pythons. */
static void say_choice(const struct fetch *f, const struct jw_wanted *w, const struct jw_wheel *wheel,
                       const struct jw_offers *offers)
{
    const struct jw_offer *newest = jw_offer_newest(offers, &w->r);
    unsigned python = jw_wheel_python(wheel->python);
    bool any = strstr(wheel->abi, "abi3") || strcmp(wheel->abi, "none") == 0;

    if (newest && jw_pyversion_compare(&newest->version, &wheel->version) != 0)
        f->o->say(f->caller->ctx,
                  jw_arena_printf(f->a, "pip would take %s==%s, which has no wheel for %s; scanning %s",
                                  wheel->name, newest->text, system_title(f), wheel->version_text));
    if (!any && python && f->system.python && python != f->system.python)
        f->o->say(f->caller->ctx,
                  jw_arena_printf(f->a,
                                  "%s==%s has no wheel for Python %u.%u; scanning the one for Python %u.%u",
                                  wheel->name, wheel->version_text, f->system.python / 100,
                                  f->system.python % 100, python / 100, python % 100));
}

/* Two lines may want one wheel. */
static bool is_chosen(const struct fetch *f, size_t n, const char *file)
{
    for (size_t i = 0; i < n; i++)
        if (f->wheels[i] && strcmp(f->wheels[i]->file, file) == 0)
            return true;
    return false;
}

/* False: an interruption. A package that cannot be had says why. */
static bool choose_wheel(struct fetch *f, size_t i, struct jw_err *err)
{
    struct jw_wanted *w = &f->list.v[i];
    struct jw_fetched *p = &f->packages[i];
    struct jw_err why = { 0 };
    struct jw_pip_listing list = { 0 };

    *p = (struct jw_fetched){ .text = w->r.text, .where = w->where, .why = w->not_asked };
    if (!p->why && f->unreachable && (w->n_wheels == 0 || !f->pip.n))
        p->why = f->unreachable;
    if (p->why)
        return true;
    show(f,
         jw_arena_printf(f->a, "asking %s for %s (%zu of %zu)", f->pip.title, w->r.text, i + 1, f->list.n));
    if (w->n_wheels) {
        list.wheels = jw_arena_copy(f->a, w->wheels, w->n_wheels * sizeof *list.wheels);
        list.n = w->n_wheels;
    } else if (!jw_pip_list(&f->run, &w->r, &f->system, f->a, &list, &why)) {
        if (why.code == JW_E_INTERRUPTED) {
            *err = why;
            return false;
        }
        p->why = jw_arena_str(f->a, why.msg);
        if (why.code == JW_E_NET)
            f->unreachable = p->why;
        return true;
    }
    if (list.unread && !f->said_unread)
        f->o->say(f->caller->ctx,
                  jw_arena_printf(f->a, "pip could not read %s: what is there does not count", list.unread));
    f->said_unread |= list.unread != NULL;
    w->r.pre |= f->list.pre;
    const struct jw_wheel *best = jw_wheel_choose(list.wheels, list.n, &w->r, &f->system, &list.offers);

    if (!best) {
        p->why = none_fits(f, w, &list, &p->other_system);
        p->other_system &= w->n_wheels != 0; /* a lock file is for all systems */
        return true;
    }
    struct jw_wheel *kept = jw_arena_copy(f->a, best, sizeof *best);

    p->wheel = kept->file;
    p->owner = (struct jw_package){ .name = kept->name, .version = kept->version_text };
    if (is_chosen(f, i, kept->file))
        return true;
    f->wheels[i] = kept;
    say_choice(f, w, kept, &list.offers);
    if (!kept->size && kept->url)
        kept->size = jw_remote_length(kept->url, f->caller, f->a);
    return jw_not_interrupted(f->caller->interrupted, err);
}

/* ---- agreement ---- */

/* Does choosing its wheel send its name away? One that was typed as a package is meant to be looked up. */
static bool leaves(const struct jw_wanted *w)
{
    if (!w->where || w->not_asked)
        return false;
    for (size_t i = 0; i < w->n_wheels; i++)
        if (w->wheels[i].url && !w->wheels[i].size) /* its server is asked for the size */
            return true;
    return w->n_wheels == 0;
}

/* `what`: the action; `after`: its effect, as words that follow. */
static bool confirm(struct fetch *f, const char *what, const char *after, const char *refused,
                    struct jw_err *err)
{
    if (f->o->yes)
        return true;
    if (!f->caller->ask)
        return jw_fail(err, JW_E_BUSY, "scan would %s: confirm with --yes", what);
    return f->caller->ask(f->caller->ctx, jw_arena_printf(f->a, "jitwarm: %s%s?", what, after), true)
           || (jw_not_interrupted(f->caller->interrupted, err) && jw_fail(err, JW_E_BUSY, "%s", refused));
}

/* Names of a file leave this machine only after a yes: the file may be something else, and names may be secret. */
static bool agree_to_names(struct fetch *f, struct jw_err *err)
{
    struct jw_buf what = JW_BUF(JW_MAX_SENTENCE);
    size_t n = 0, shown = 0;
    bool ok;

    jw_say(&what, "ask the package index");
    for (size_t i = 0; i < f->list.n_index && i < SHOWN_INDEXES; i++)
        jw_buf_printf(&what, "%s%.60s", i ? " " : " (", f->list.index[i]);
    if (f->list.n_index)
        jw_say(&what, "%s)", f->list.n_index > SHOWN_INDEXES ? " ..." : "");
    jw_say(&what, " with %s for ", f->pip.title);
    for (size_t i = 0; i < f->list.n; i++)
        if (leaves(&f->list.v[i]) && n++ == shown && shown < SHOWN_NAMES && what.n < SHOWN_BYTES)
            jw_buf_printf(&what, "%s%.60s", shown++ ? ", " : "", f->list.v[i].r.text);
    if (n > shown)
        jw_say(&what, " and %zu more", n - shown);
    ok = n == 0 || confirm(f, jw_buf_cstr(&what), "", "no package was looked up", err);
    jw_buf_free(&what);
    return ok;
}

static bool check_room(const struct fetch *f, struct jw_err *err)
{
    struct jw_disk disk;
    struct jw_err ignored;

    if (!jw_disk_look(f->work, &disk, &ignored) || disk.free >= 2 * f->total + jw_disk_spare(&disk))
        return true;
    return jw_fail(
        err, JW_E_IO,
        "%.200s has %s free, and fetching %s needs twice that (JITWARM_STATE names another folder)", f->work,
        JW_SIZE(disk.free), JW_SIZE(f->total));
}

static bool agree_to_fetch(struct fetch *f, struct jw_err *err)
{
    struct jw_buf what = JW_BUF(JW_MAX_SENTENCE);
    const char *one = NULL;
    size_t n = 0, unknown = 0;
    bool ok;

    for (size_t i = 0; i < f->list.n; i++)
        if (f->wheels[i]) {
            n++;
            one = f->wheels[i]->file;
            f->total += f->wheels[i]->size;
            unknown += f->wheels[i]->size == 0;
        }
    if (n == 0)
        return true;
    if (!check_room(f, err))
        return false;
    jw_say(&what, "fetch %s (", n == 1 ? one : JW_N(n, "wheel", "wheels"));
    if (unknown == n)
        jw_say(&what, "size unknown)");
    else
        jw_say(&what, "%s%s)", unknown ? "more than " : "", JW_SIZE(f->total));
    jw_say(&what, " with %s", f->pip.title);
    ok = confirm(f, jw_buf_cstr(&what), n == 1 ? ", scan and remove it" : ", scan and remove them",
                 "nothing was fetched or scanned", err);
    jw_buf_free(&what);
    return ok;
}

/* ---- fetching ---- */

/* The largest file in a folder: pip writes what it fetches twice at once, for itself and for its cache. */
static uint64_t largest_file(struct jw_arena *a, const char *path, unsigned depth)
{
    struct jw_err ignored;
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    uint64_t most = 0;
    bool more;

    if (!jw_dir_open(&dir, path, &ignored))
        return 0;
    while (jw_dir_next(dir, &e, &more, &ignored) && more) {
        const char *name = jw_path_join(a, path, e.name);
        struct jw_file_info info;

        if (e.type == JW_ENTRY_DIR)
            most = jw_max(most, depth ? largest_file(a, name, depth - 1) : 0);
        else if (e.type == JW_ENTRY_FILE && jw_file_stat(name, &info, &ignored))
            most = jw_max(most, info.size);
    }
    jw_dir_close(dir);
    return most;
}

static void show_fetching(void *ctx)
{
    struct fetch *f = ctx;
    const struct jw_wheel *w = f->wheels[f->now];
    uint64_t now = jw_time_monotonic_ns();
    struct jw_arena a = { 0 };

    if (!f->o->watched || now - f->looked < (uint64_t)LOOK_MS * 1000000)
        return;
    f->looked = now;
    f->most = jw_max(f->most, largest_file(&a, jw_path_join(&a, f->work, "tmp"), 2));
    if (w->size)
        show(f,
             jw_arena_printf(&a, "fetching %s: %s of %s, %u %% (%zu of %zu)", w->name, JW_SIZE(f->most),
                             JW_SIZE(w->size), f->most >= w->size ? 100 : (unsigned)(f->most * 100 / w->size),
                             f->now + 1, f->list.n));
    else
        show(f, jw_arena_printf(&a, "fetching %s: %s (%zu of %zu)", w->name, JW_SIZE(f->most), f->now + 1,
                                f->list.n));
    jw_arena_free(&a);
}

static bool fetch_all(struct fetch *f, struct jw_texts *paths, struct jw_err *err)
{
    const char **items = jw_arena_alloc(f->a, (paths->n + f->list.n) * sizeof *items);
    const char *unreachable = NULL;
    struct jw_err why = { 0 };

    memcpy(items, paths->items, paths->n * sizeof *items);
    paths->items = items;
    f->run.look = show_fetching;
    f->run.ctx = f;
    for (f->now = 0; f->now < f->list.n; f->now++) {
        const struct jw_wheel *w = f->wheels[f->now];
        const char *path;

        f->most = 0;
        if (!w)
            continue;
        if (unreachable)
            f->packages[f->now].why = unreachable;
        else if (jw_pip_fetch(&f->run, w, f->a, &path, &why))
            paths->items[paths->n++] = path;
        else if (why.code != JW_E_NET && why.code != JW_E_FORMAT) {
            *err = why;
            return false;
        } else
            f->packages[f->now].why = jw_arena_str(f->a, why.msg);
        if (f->packages[f->now].why && why.code == JW_E_NET)
            f->unreachable = unreachable = f->packages[f->now].why;
    }
    return true;
}

/* ---- all of it ---- */

static bool open_pip(struct fetch *f, struct jw_err *err)
{
    bool found;

    f->system = (struct jw_wheel_system){ f->o->windows, jw_os_arch(), 0 };
    if (!jw_pip_find(f->a, f->caller->interrupted, &f->pip, &found, err))
        return false;
    if (!found) {
        f->pip = (struct jw_pip){ .n = 0 };
        f->unreachable = "no pip " JW_PIP_LEAST " or newer, and no uv, is in PATH";
        return true;
    }
    if (!jw_state_scratch(JW_STATE_WHEELS, f->a, &f->work, err))
        return false;
    f->system.python = f->pip.python;
    f->run = (struct jw_pip_run){ .pip = &f->pip,
                                  .index = f->list.index,
                                  .n_index = f->list.n_index,
                                  .work = f->work,
                                  .interrupted = f->caller->interrupted };
    return true;
}

static bool wants_any(const struct fetch *f)
{
    for (size_t i = 0; i < f->list.n; i++)
        if (!f->list.v[i].not_asked)
            return true;
    return false;
}

bool jw_fetch(const struct jw_run *run, const struct jw_fetch_options *o, struct jw_fetch *out,
              struct jw_err *err)
{
    struct fetch f = { .caller = run, .o = o, .a = run->a };

    *out = (struct jw_fetch){ .work = NULL };
    if (!sort_arguments(&f, &out->paths, err))
        return false;
    if (f.list.n == 0)
        return true;
    f.packages = jw_arena_alloc(f.a, f.list.n * sizeof *f.packages);
    f.wheels = jw_arena_alloc(f.a, f.list.n * sizeof *f.wheels);
    bool ok = !wants_any(&f) || (open_pip(&f, err) && (f.unreachable || agree_to_names(&f, err)));

    out->work = f.work;
    for (size_t i = 0; ok && i < f.list.n; i++)
        ok = choose_wheel(&f, i, err);
    ok = ok && agree_to_fetch(&f, err) && fetch_all(&f, &out->paths, err);
    if (f.unreachable)
        out->elsewhere = elsewhere(&f, f.list.n == 1 ? f.wheels[0] : NULL);
    out->packages = f.packages;
    out->n_packages = ok ? f.list.n : 0;
    return ok;
}

bool jw_fetched_holds(const struct jw_fetched *p, const char *path)
{
    size_t n = p->wheel ? strlen(p->wheel) : 0;

    return n && strncmp(path, p->wheel, n) == 0 && (path[n] == '\0' || path[n] == '!');
}
