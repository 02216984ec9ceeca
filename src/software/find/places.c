#include "software/find/places.h"

#include "base/path.h"
#include "base/text.h"
#include "facts/places.h"
#include "os/machine/env.h"

#include <string.h>

enum { APP_DEPTH = 10 };

static void expand_pattern(struct jw_finder *f, const struct jw_place_row *row, const char *folder,
                           const char *rest);

/* Adds what these patterns, of which the last is NULL, match below `folder`. */
static void add_below(struct jw_finder *f, const char *folder, const char *const *patterns,
                      enum jw_place_kind kind)
{
    for (; *patterns; patterns++)
        expand_pattern(f, &(const struct jw_place_row){.kind = kind}, folder, *patterns);
}

static bool is_conda(struct jw_finder *f, const char *prefix)
{
    return jw_is_folder(jw_path_join(f->a, prefix, "conda-meta"));
}

void jw_finder_prefix(struct jw_finder *f, const char *prefix)
{
    static const char *const by_kind[2][2][4] = {
        /* of each system, Linux first: a plain Python's, then conda's */
        {{"lib/python3*/site-packages", "lib/python3*/dist-packages",
          "lib64/python3*/site-packages"},
         {"lib", "targets/*/lib"}},
        {{"Lib/site-packages"}, {"Lib/site-packages", "Library/bin"}},
    };

    add_below(f, prefix, by_kind[jw_os_is_windows()][is_conda(f, prefix)], JW_PLACE_TREE);
}

/* Adds a conda environment, its installation and the other environments of that installation. */
static void add_conda(struct jw_finder *f, const char *prefix)
{
    const char *parent = jw_path_dir(f->a, prefix);
    bool inside = strcmp(jw_path_base(parent), "envs") == 0;
    const char *base = inside ? jw_path_dir(f->a, parent) : prefix;

    jw_finder_prefix(f, prefix);
    if (inside)
        jw_finder_prefix(f, base);
    add_below(f, base, (const char *const[]){"envs/*", NULL}, JW_PLACE_PREFIX);
}

void jw_finder_python(struct jw_finder *f, const char *prefix)
{
    if (is_conda(f, prefix))
        add_conda(f, prefix);
    else
        jw_finder_prefix(f, prefix);
}

static void add_app(struct jw_finder *f, const char *folder)
{
    if (is_conda(f, folder))
        add_conda(f, folder);
    else
        jw_finder_add(f, folder, jw_path_base(folder), APP_DEPTH);
}

void jw_finder_lines(struct jw_finder *f, const char *file, jw_finder_line *take)
{
    struct jw_buf text = JW_BUF_IN(f->a, JW_MAX_TEXT_FILE);
    bool found;

    if (!jw_file_slurp(file, &text, &found, JW_IGNORED)) {
        jw_note(&f->out->notes, f->a, "%s: which folders it names cannot be read", file);
        return;
    }
    for (const char *at = jw_buf_cstr(&text); *at;) {
        size_t n = strcspn(at, "\r\n");
        const struct jw_bytes line = jw_text_trim((struct jw_bytes){(const uint8_t *)at, n});

        take(f, file, jw_arena_text(f->a, (const char *)line.p, line.n));
        at += at[n] ? n + 1 : n;
    }
}

static void add_listed(struct jw_finder *f, const char *by, const char *line)
{
    (void)by;
    if (jw_path_absolute(line))
        jw_finder_python(f, line);
}

static void visit(struct jw_finder *f, const struct jw_place_row *row, const char *folder)
{
    switch (row->kind) {
    case JW_PLACE_TREE: jw_finder_add(f, folder, row->package, JW_MAX_DEPTH); break;
    case JW_PLACE_FOLDER: jw_finder_add(f, folder, row->package, 0); break;
    case JW_PLACE_PREFIX: jw_finder_prefix(f, folder); break;
    case JW_PLACE_CONDA: add_conda(f, folder); break;
    case JW_PLACE_APP: add_app(f, folder); break;
    case JW_PLACE_LIST: jw_finder_lines(f, folder, add_listed); break;
    }
}

/* Adds every folder below `folder` that matches the pattern `rest`. */
static void expand_pattern(struct jw_finder *f, const struct jw_place_row *row, const char *folder,
                           const char *rest)
{
    size_t n = strcspn(rest, "/");
    const char *name = jw_arena_text(f->a, rest, n);

    if (n == 0) {
        visit(f, row, folder);
        return;
    }
    rest += rest[n] ? n + 1 : n;
    if (!strchr(name, '*')) {
        expand_pattern(f, row, jw_path_join(f->a, folder, name), rest);
        return;
    }
    const struct jw_listing found = jw_listing_read(folder, name, f->a, &f->out->notes);

    for (size_t i = 0; i < found.n; i++)
        expand_pattern(f, row, jw_path_join(f->a, folder, found.names[i]), rest);
}

/* The folder that a row's pattern begins with. NULL: this machine has none. */
static const char *start_of(struct jw_finder *f, const char *pattern, size_t n)
{
    const char *folder =
        pattern[0] == '~' ? f->home : jw_finder_env(f, jw_arena_text(f->a, pattern + 1, n - 1));

    return folder && jw_path_absolute(folder) ? folder : NULL;
}

/* Adds the folders of a row, if it has any on this machine. */
static void add_row(struct jw_finder *f, const struct jw_place_row *row)
{
    size_t n = strcspn(row->pattern, "/");
    const char *folder = *f->sysroot ? f->sysroot : "/";

    if (n)
        folder = start_of(f, row->pattern, n);
    if (folder)
        expand_pattern(f, row, folder, row->pattern + n + (row->pattern[n] == '/'));
}

void jw_finder_places(struct jw_finder *f, bool shell)
{
    for (size_t i = 0; i < jw_facts_places_n; i++) {
        const struct jw_place_row *row = &jw_facts_places[i];

        if (row->shell == shell && (jw_os_is_windows() ? row->on_windows : row->on_linux))
            add_row(f, row);
    }
}

void jw_finder_folders(struct jw_finder *f, const char *folder, const char *const *patterns)
{
    add_below(f, folder, patterns, JW_PLACE_FOLDER);
}
