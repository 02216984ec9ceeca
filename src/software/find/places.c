#include "software/find/places.h"

#include "base/path.h"
#include "base/text.h"
#include "os/machine/env.h"

#include <string.h>

enum place_kind {
    PLACE_TREE,    /* a folder with everything below */
    PLACE_FOLDER,  /* a folder without its subfolders */
    PLACE_PREFIX,  /* the prefix of a Python: jw_finder_prefix */
    PLACE_CONDA,   /* a conda installation or one of its environments, which adds all of them */
    PLACE_BOUNDED, /* a folder with OPT_DEPTH levels below, whose name is that of the package */
    PLACE_LIST     /* a text file with the path of an environment in each line */
};

enum { LINUX = 1, WINDOWS = 2, BOTH = 3, OPT_DEPTH = 10 };

/* A pattern begins with $VARIABLE, ~ or / (below the sysroot). A component may contain *. */
struct place {
    unsigned systems;
    enum place_kind kind;
    const char *pattern, *package;
};

static const char extensions[] = "PyTorch extensions", flashinfer[] = "FlashInfer";

/* Variables of a shell that say where its programs find software. */
static const struct place active_places[] = {
    {BOTH, PLACE_PREFIX, "$VIRTUAL_ENV", NULL},
    {BOTH, PLACE_CONDA, "$CONDA_PREFIX", NULL},
    {BOTH, PLACE_TREE, "$TORCH_EXTENSIONS_DIR", extensions},
    {BOTH, PLACE_TREE, "$FLASHINFER_WORKSPACE_BASE/.cache/flashinfer", flashinfer},
    {BOTH, PLACE_PREFIX, "$PYENV_ROOT/versions/*", NULL},
    {BOTH, PLACE_PREFIX, "$MAMBA_ROOT_PREFIX/envs/*", NULL},
    {LINUX, PLACE_TREE, "$XDG_CACHE_HOME/torch_extensions", extensions},
};

/* What the walk of the home finds (a conda or virtual environment in a folder that is not hidden)
 * has no row. */
static const struct place usual_places[] = {
    {LINUX, PLACE_TREE, "~/.local/lib/python3*/site-packages", NULL},
    {WINDOWS, PLACE_TREE, "$APPDATA/Python/Python3*/site-packages", NULL},
    {LINUX, PLACE_CONDA, "/opt/conda", NULL},
    {BOTH, PLACE_CONDA, "~/miniconda3", NULL},
    {BOTH, PLACE_CONDA, "~/anaconda3", NULL},
    {BOTH, PLACE_CONDA, "~/miniforge3", NULL},
    {WINDOWS, PLACE_CONDA, "$LOCALAPPDATA/*conda3", NULL},
    {WINDOWS, PLACE_CONDA, "$LOCALAPPDATA/miniforge3", NULL},
    {WINDOWS, PLACE_CONDA, "$ProgramData/*conda3", NULL},
    {WINDOWS, PLACE_CONDA, "$ProgramData/miniforge3", NULL},
    {LINUX, PLACE_PREFIX, "~/.pyenv/versions/*", NULL},
    {WINDOWS, PLACE_PREFIX, "~/.pyenv/pyenv-win/versions/*", NULL},
    {LINUX, PLACE_PREFIX, "~/.local/share/pipx/venvs/*", NULL},
    {LINUX, PLACE_PREFIX, "~/.local/share/uv/tools/*", NULL},
    {LINUX, PLACE_PREFIX, "~/.local/share/uv/python/*", NULL},
    {BOTH, PLACE_PREFIX, "~/.virtualenvs/*", NULL},
    {BOTH, PLACE_PREFIX, "~/.venvs/*", NULL},
    {LINUX, PLACE_PREFIX, "~/.local/share/virtualenvs/*", NULL}, /* pipenv */
    {LINUX, PLACE_PREFIX, "~/.cache/pypoetry/virtualenvs/*", NULL},
    {LINUX, PLACE_PREFIX, "~/.local/share/mamba/envs/*", NULL},
    {BOTH, PLACE_TREE, "~/.lmstudio/extensions/backends", "LM Studio"},
    /* what torch.utils.cpp_extension and FlashInfer built, here or on another machine with this
       home */
    {LINUX, PLACE_TREE, "~/.cache/torch_extensions", extensions},
    {WINDOWS, PLACE_TREE, "$LOCALAPPDATA/torch_extensions/torch_extensions/Cache", extensions},
    {BOTH, PLACE_TREE, "~/.cache/flashinfer", flashinfer},
    {BOTH, PLACE_LIST, "~/.conda/environments.txt", NULL},
    {WINDOWS, PLACE_PREFIX, "$LOCALAPPDATA/pypoetry/Cache/virtualenvs/*", NULL},
    {LINUX, PLACE_PREFIX, "~/.local/share/StabilityMatrix/Packages/*/venv", NULL},
    {LINUX, PLACE_TREE, "~/.local/lib/ollama", "Ollama"},
    {LINUX, PLACE_TREE, "~/.local/share/Jan/data/llamacpp/backends", "Jan"},
    {WINDOWS, PLACE_TREE, "$APPDATA/Jan/data/llamacpp/backends", "Jan"},
    {LINUX, PLACE_TREE, "~/.local/share/Steam/steamapps/common/Blender", "Blender"},
    {WINDOWS, PLACE_PREFIX, "$LOCALAPPDATA/pipx/pipx/venvs/*", NULL},
    {WINDOWS, PLACE_PREFIX, "$APPDATA/uv/tools/*", NULL},
    {WINDOWS, PLACE_PREFIX, "$APPDATA/uv/python/*", NULL},
    {LINUX, PLACE_PREFIX, "/usr/local", NULL},
    {LINUX, PLACE_PREFIX, "/usr", NULL},
    {WINDOWS, PLACE_PREFIX, "$LOCALAPPDATA/Programs/Python/Python3*", NULL},
    {WINDOWS, PLACE_PREFIX, "$ProgramFiles/Python3*", NULL},
    {WINDOWS, PLACE_PREFIX, "$LOCALAPPDATA/Python/pythoncore-3*", NULL},
    {WINDOWS, PLACE_TREE,
     "$LOCALAPPDATA/Packages/PythonSoftwareFoundation.Python.3*/LocalCache/local-packages/"
     "Python3*/"
     "site-packages",
     NULL},
    {WINDOWS, PLACE_PREFIX, "$APPDATA/StabilityMatrix/Packages/*/venv", NULL},
    {LINUX, PLACE_TREE, "/usr/local/cuda*/lib64", "cuda-toolkit"},
    {LINUX, PLACE_TREE, "/usr/local/cuda*/targets/*/lib", "cuda-toolkit"},
    {LINUX, PLACE_FOLDER, "/usr/local/lib", NULL},
    {LINUX, PLACE_TREE, "/usr/local/lib/*cuda*", NULL},
    {LINUX, PLACE_TREE, "/usr/local/lib/ollama", "Ollama"},
    {LINUX, PLACE_TREE, "/usr/lib/ollama", "Ollama"},
    {LINUX, PLACE_FOLDER, "/usr/lib/x86_64-linux-gnu", NULL},
    {LINUX, PLACE_TREE, "/usr/lib/x86_64-linux-gnu/*cuda*", NULL},
    {LINUX, PLACE_FOLDER, "/usr/lib/aarch64-linux-gnu", NULL},
    {LINUX, PLACE_TREE, "/usr/lib/aarch64-linux-gnu/*cuda*", NULL},
    {LINUX, PLACE_TREE, "/usr/local/MATLAB/R*/bin", "MATLAB"},
    {LINUX, PLACE_TREE, "~/blender*", "Blender"},
    {LINUX, PLACE_BOUNDED, "/opt/*", NULL},
    {WINDOWS, PLACE_TREE, "$ProgramFiles/NVIDIA GPU Computing Toolkit/CUDA/v*/bin", "cuda-toolkit"},
    {WINDOWS, PLACE_TREE, "$LOCALAPPDATA/Programs/Ollama", "Ollama"},
    {WINDOWS, PLACE_TREE, "$ProgramFiles/MATLAB/R*/bin", "MATLAB"},
    {WINDOWS, PLACE_TREE, "$ProgramFiles/Blender Foundation", "Blender"},
};

static void expand_pattern(struct jw_finder *f, const struct place *row, const char *folder,
                           const char *rest);

/* Adds what these patterns, of which the last is NULL, match below `folder`. */
static void add_below(struct jw_finder *f, const char *folder, const char *const *patterns,
                      enum place_kind kind)
{
    for (; *patterns; patterns++)
        expand_pattern(f, &(const struct place){BOTH, kind, *patterns, NULL}, folder, *patterns);
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

    add_below(f, prefix, by_kind[jw_os_is_windows()][is_conda(f, prefix)], PLACE_TREE);
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
    add_below(f, base, (const char *const[]){"envs/*", NULL}, PLACE_PREFIX);
}

void jw_finder_python(struct jw_finder *f, const char *prefix)
{
    if (is_conda(f, prefix))
        add_conda(f, prefix);
    else
        jw_finder_prefix(f, prefix);
}

static void add_bounded(struct jw_finder *f, const char *folder)
{
    if (is_conda(f, folder))
        add_conda(f, folder);
    else
        jw_finder_add(f, folder, jw_path_base(folder), OPT_DEPTH);
}

void jw_finder_lines(struct jw_finder *f, const char *file, jw_finder_line *take)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    bool found, read = jw_file_slurp(file, &text, &found, JW_IGNORED);

    if (!read)
        jw_note(&f->out->notes, f->a, "%s: which folders it names cannot be read", file);
    for (const char *at = read ? jw_buf_cstr(&text) : ""; *at;) {
        size_t n = strcspn(at, "\r\n");
        const struct jw_bytes line = jw_text_trim((struct jw_bytes){(const uint8_t *)at, n});

        take(f, file, jw_arena_text(f->a, (const char *)line.p, line.n));
        at += at[n] ? n + 1 : n;
    }
    jw_buf_free(&text);
}

static void add_listed(struct jw_finder *f, const char *by, const char *line)
{
    (void)by;
    if (jw_path_absolute(line))
        jw_finder_python(f, line);
}

static void visit(struct jw_finder *f, const struct place *row, const char *folder)
{
    switch (row->kind) {
    case PLACE_TREE: jw_finder_add(f, folder, row->package, JW_MAX_DEPTH); break;
    case PLACE_FOLDER: jw_finder_add(f, folder, row->package, 0); break;
    case PLACE_PREFIX: jw_finder_prefix(f, folder); break;
    case PLACE_CONDA: add_conda(f, folder); break;
    case PLACE_BOUNDED: add_bounded(f, folder); break;
    case PLACE_LIST: jw_finder_lines(f, folder, add_listed); break;
    }
}

/* Adds every folder below `folder` that matches the pattern `rest`. */
static void expand_pattern(struct jw_finder *f, const struct place *row, const char *folder,
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

static void add_rows(struct jw_finder *f, const struct place *rows, size_t n_rows)
{
    for (size_t i = 0; i < n_rows; i++) {
        const char *pattern = rows[i].pattern;
        size_t n = strcspn(pattern, "/");

        if (!(rows[i].systems & (jw_os_is_windows() ? WINDOWS : LINUX)))
            continue;
        const char *folder = n ? start_of(f, pattern, n) : *f->sysroot ? f->sysroot : "/";

        if (folder)
            expand_pattern(f, &rows[i], folder, pattern + n + (pattern[n] == '/'));
    }
}

void jw_finder_folders(struct jw_finder *f, const char *folder, const char *const *patterns)
{
    add_below(f, folder, patterns, PLACE_FOLDER);
}

void jw_finder_places(struct jw_finder *f, bool active)
{
    add_rows(f, active ? active_places : usual_places,
             active ? JW_COUNT(active_places) : JW_COUNT(usual_places));
}
