#include "software/find/places.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "machine/whoami.h"

#include <string.h>

enum place_kind {
    PLACE_TREE,    /* everything below */
    PLACE_FOLDER,  /* its own files */
    PLACE_PREFIX,  /* see jw_finder_prefix */
    PLACE_CONDA,   /* an installation or one of its environments: all of them */
    PLACE_BOUNDED, /* OPT_DEPTH levels, packages named after the folder itself */
    PLACE_NODE,    /* a node_modules: its packages with native code */
    PLACE_NAMED    /* a text file that lists paths of environments and Pythons */
};

enum { LINUX = 1, WINDOWS = 2, BOTH = 3, OPT_DEPTH = 10 };

#define MAX_NAMED ((size_t)1 << 20) /* bytes of a file that names environments */

/* Begins with $VARIABLE, ~ or / (below the sysroot); a component may contain *. */
struct place {
    unsigned systems;
    enum place_kind kind;
    const char *pattern, *how, *package;
};

static const char in_conda[] = "conda", in_venvs[] = "virtual environment", usual[] = "usual place",
                  user_site[] = "user's site-packages", embedded[] = "embedded Python", by_npm[] = "npm",
                  jupyter[] = "Jupyter kernel", vscode[] = "settings of VS Code",
                  pycharm[] = "settings of PyCharm", extensions[] = "PyTorch extensions",
                  flashinfer[] = "FlashInfer";

/* Variables of a shell that say where its programs find software. */
static const struct place active_places[] = {
    { BOTH, PLACE_PREFIX, "$VIRTUAL_ENV", "active virtual environment", NULL },
    { BOTH, PLACE_CONDA, "$CONDA_PREFIX", "active conda environment", NULL },
    { BOTH, PLACE_TREE, "$TORCH_EXTENSIONS_DIR", "TORCH_EXTENSIONS_DIR", extensions },
    { BOTH, PLACE_TREE, "$FLASHINFER_WORKSPACE_BASE/.cache/flashinfer", "FLASHINFER_WORKSPACE_BASE",
      flashinfer },
    { BOTH, PLACE_PREFIX, "$PYENV_ROOT/versions/*", "pyenv", NULL },
    { BOTH, PLACE_PREFIX, "$MAMBA_ROOT_PREFIX/envs/*", in_conda, NULL },
    { BOTH, PLACE_PREFIX, "$WORKON_HOME/*", in_venvs, NULL }, /* virtualenvwrapper */
    { BOTH, PLACE_PREFIX, "$POETRY_VIRTUALENVS_PATH/*", in_venvs, NULL },
    { LINUX, PLACE_PREFIX, "$ASDF_DATA_DIR/installs/python/*", "asdf", NULL },
    { LINUX, PLACE_PREFIX, "$MISE_DATA_DIR/installs/python/*", "mise", NULL },
    { LINUX, PLACE_TREE, "$XDG_CACHE_HOME/torch_extensions", usual, extensions },
};

static const struct place usual_places[] = {
    { LINUX, PLACE_TREE, "~/.local/lib/python3*/site-packages", user_site, NULL },
    { WINDOWS, PLACE_TREE, "$APPDATA/Python/Python3*/site-packages", user_site, NULL },
    { LINUX, PLACE_CONDA, "/opt/conda", in_conda, NULL },
    { BOTH, PLACE_CONDA, "~/miniconda3", in_conda, NULL },
    { BOTH, PLACE_CONDA, "~/anaconda3", in_conda, NULL },
    { BOTH, PLACE_CONDA, "~/miniforge3", in_conda, NULL },
    { BOTH, PLACE_CONDA, "~/mambaforge", in_conda, NULL },
    { BOTH, PLACE_PREFIX, "~/.conda/envs/*", in_conda, NULL },
    { BOTH, PLACE_PREFIX, "~/micromamba/envs/*", in_conda, NULL },
    { WINDOWS, PLACE_CONDA, "$LOCALAPPDATA/*conda3", in_conda, NULL },
    { WINDOWS, PLACE_CONDA, "$LOCALAPPDATA/miniforge3", in_conda, NULL },
    { WINDOWS, PLACE_CONDA, "$ProgramData/*conda3", in_conda, NULL },
    { WINDOWS, PLACE_CONDA, "$ProgramData/miniforge3", in_conda, NULL },
    { LINUX, PLACE_PREFIX, "~/.pyenv/versions/*", "pyenv", NULL },
    { WINDOWS, PLACE_PREFIX, "~/.pyenv/pyenv-win/versions/*", "pyenv", NULL },
    { LINUX, PLACE_PREFIX, "~/.local/share/pipx/venvs/*", in_venvs, NULL },
    { LINUX, PLACE_PREFIX, "~/.local/pipx/venvs/*", in_venvs, NULL },
    { LINUX, PLACE_PREFIX, "~/.local/share/uv/tools/*", in_venvs, NULL },
    { LINUX, PLACE_PREFIX, "~/.local/share/uv/python/*", "uv", NULL },
    { BOTH, PLACE_PREFIX, "~/.virtualenvs/*", in_venvs, NULL },
    { LINUX, PLACE_PREFIX, "~/.local/share/virtualenvs/*", in_venvs, NULL }, /* pipenv */
    { LINUX, PLACE_PREFIX, "~/.cache/pypoetry/virtualenvs/*", in_venvs, NULL },
    { LINUX, PLACE_PREFIX, "~/.local/share/pdm/venvs/*", in_venvs, NULL },
    { LINUX, PLACE_PREFIX, "~/.local/share/hatch/env/virtual/*/*/*", in_venvs, NULL },
    { LINUX, PLACE_PREFIX, "~/.local/share/mamba/envs/*", in_conda, NULL },
    { BOTH, PLACE_PREFIX, "~/.pixi/envs/*", in_conda, NULL },
    { BOTH, PLACE_PREFIX, "~/.rye/py/*", "rye", NULL },
    { BOTH, PLACE_TREE, "~/.lmstudio/extensions/backends", usual, "LM Studio" },
    { BOTH, PLACE_TREE, "~/.julia/artifacts/*/lib", usual, "Julia artifact" },
    /* built by torch.utils.cpp_extension and FlashInfer, here or on another machine with this home */
    { LINUX, PLACE_TREE, "~/.cache/torch_extensions", usual, extensions },
    { WINDOWS, PLACE_TREE, "$LOCALAPPDATA/torch_extensions/torch_extensions/Cache", usual, extensions },
    { BOTH, PLACE_TREE, "~/.cache/flashinfer", usual, flashinfer },
    { BOTH, PLACE_NAMED, "~/.conda/environments.txt", in_conda, NULL },
    { WINDOWS, PLACE_PREFIX, "~/Envs/*", in_venvs, NULL },
    { WINDOWS, PLACE_PREFIX, "$LOCALAPPDATA/pypoetry/Cache/virtualenvs/*", in_venvs, NULL },
    { WINDOWS, PLACE_PREFIX, "$LOCALAPPDATA/pdm/pdm/venvs/*", in_venvs, NULL },
    { WINDOWS, PLACE_PREFIX, "$LOCALAPPDATA/hatch/env/virtual/*/*/*", in_venvs, NULL },
    { LINUX, PLACE_PREFIX, "~/.local/share/hatch/pythons/*/python", "hatch", NULL },
    { BOTH, PLACE_PREFIX, "~/.rye/py/*/install", "rye", NULL },
    { BOTH, PLACE_PREFIX, "~/.rye/tools/*", "rye", NULL },
    { LINUX, PLACE_PREFIX, "~/.asdf/installs/python/*", "asdf", NULL },
    { LINUX, PLACE_PREFIX, "~/.local/share/mise/installs/python/*", "mise", NULL },
    { LINUX, PLACE_NAMED, "~/.local/share/jupyter/kernels/*/kernel.json", jupyter, NULL },
    { WINDOWS, PLACE_NAMED, "$APPDATA/jupyter/kernels/*/kernel.json", jupyter, NULL },
    { LINUX, PLACE_NAMED, "~/.config/Code/User/settings.json", vscode, NULL },
    { LINUX, PLACE_NAMED, "~/.vscode-server/data/Machine/settings.json", vscode, NULL },
    { WINDOWS, PLACE_NAMED, "$APPDATA/Code/User/settings.json", vscode, NULL },
    { LINUX, PLACE_NAMED, "~/.config/JetBrains/*/options/jdk.table.xml", pycharm, NULL },
    { WINDOWS, PLACE_NAMED, "$APPDATA/JetBrains/*/options/jdk.table.xml", pycharm, NULL },
    { LINUX, PLACE_NODE, "/usr/local/lib/node_modules", by_npm, NULL },
    { LINUX, PLACE_NODE, "/usr/lib/node_modules", by_npm, NULL },
    { LINUX, PLACE_NODE, "~/.npm-global/lib/node_modules", by_npm, NULL },
    { LINUX, PLACE_NODE, "~/.local/lib/node_modules", by_npm, NULL },
    { LINUX, PLACE_NODE, "~/.nvm/versions/node/*/lib/node_modules", by_npm, NULL },
    { WINDOWS, PLACE_NODE, "$APPDATA/npm/node_modules", by_npm, NULL },
    { LINUX, PLACE_PREFIX, "~/.local/share/StabilityMatrix/Packages/*/venv", in_venvs, NULL },
    { BOTH, PLACE_TREE, "~/.cache/lm-studio/extensions/backends", usual, "LM Studio" },
    { LINUX, PLACE_TREE, "~/.local/lib/ollama", usual, "Ollama" },
    { LINUX, PLACE_TREE, "~/.local/share/Jan/data/llamacpp/backends", usual, "Jan" },
    { LINUX, PLACE_TREE, "~/.config/Jan/data/engines", usual, "Jan" },
    { WINDOWS, PLACE_TREE, "$APPDATA/Jan/data/llamacpp/backends", usual, "Jan" },
    { WINDOWS, PLACE_TREE, "$APPDATA/Jan/data/engines", usual, "Jan" },
    { BOTH, PLACE_TREE, "~/gpt4all/lib", usual, "GPT4All" },
    { BOTH, PLACE_TREE, "~/gpt4all/bin", usual, "GPT4All" },
    { LINUX, PLACE_TREE, "~/.local/share/Steam/steamapps/common/Blender", usual, "Blender" },
    { LINUX, PLACE_TREE, "/snap/blender/current", usual, "Blender" },
    { WINDOWS, PLACE_PREFIX, "~/pipx/venvs/*", in_venvs, NULL },
    { WINDOWS, PLACE_PREFIX, "$LOCALAPPDATA/pipx/pipx/venvs/*", in_venvs, NULL },
    { WINDOWS, PLACE_PREFIX, "$APPDATA/uv/tools/*", in_venvs, NULL },
    { WINDOWS, PLACE_PREFIX, "$APPDATA/uv/python/*", "uv", NULL },
    { LINUX, PLACE_PREFIX, "/usr/local", usual, NULL },
    { LINUX, PLACE_PREFIX, "/usr", usual, NULL },
    { WINDOWS, PLACE_PREFIX, "$LOCALAPPDATA/Programs/Python/Python3*", usual, NULL },
    { WINDOWS, PLACE_PREFIX, "$ProgramFiles/Python3*", usual, NULL },
    { WINDOWS, PLACE_PREFIX, "$LOCALAPPDATA/Python/pythoncore-3*", usual, NULL },
    { WINDOWS, PLACE_TREE,
      "$LOCALAPPDATA/Packages/PythonSoftwareFoundation.Python.3*/LocalCache/local-packages/Python3*/"
      "site-packages",
      "Python of the Store", NULL },
    { WINDOWS, PLACE_PREFIX, "~/*/python_embeded", embedded, NULL }, /* as ComfyUI spells it */
    { WINDOWS, PLACE_PREFIX, "~/*/python_embedded", embedded, NULL },
    { WINDOWS, PLACE_PREFIX, "~/Desktop/*/python_embeded", embedded, NULL },
    { WINDOWS, PLACE_PREFIX, "~/Documents/*/python_embeded", embedded, NULL },
    { WINDOWS, PLACE_PREFIX, "~/Downloads/*/python_embeded", embedded, NULL },
    { WINDOWS, PLACE_PREFIX, "$APPDATA/StabilityMatrix/Packages/*/venv", in_venvs, NULL },
    { LINUX, PLACE_TREE, "/usr/local/cuda*/lib64", usual, "cuda-toolkit" },
    { LINUX, PLACE_TREE, "/usr/local/cuda*/targets/*/lib", usual, "cuda-toolkit" },
    { LINUX, PLACE_FOLDER, "/usr/local/lib", usual, NULL },
    { LINUX, PLACE_TREE, "/usr/local/lib/*cuda*", usual, NULL },
    { LINUX, PLACE_TREE, "/usr/local/lib/ollama", usual, "Ollama" },
    { LINUX, PLACE_TREE, "/usr/lib/ollama", usual, "Ollama" },
    { LINUX, PLACE_FOLDER, "/usr/lib/x86_64-linux-gnu", usual, NULL },
    { LINUX, PLACE_TREE, "/usr/lib/x86_64-linux-gnu/*cuda*", usual, NULL },
    { LINUX, PLACE_TREE, "/usr/lib/x86_64-linux-gnu/nvidia", usual, NULL },
    { LINUX, PLACE_TREE, "/usr/lib/x86_64-linux-gnu/ollama", usual, "Ollama" },
    { LINUX, PLACE_FOLDER, "/usr/lib/aarch64-linux-gnu", usual, NULL },
    { LINUX, PLACE_TREE, "/usr/lib/aarch64-linux-gnu/*cuda*", usual, NULL },
    { LINUX, PLACE_TREE, "/usr/lib/aarch64-linux-gnu/nvidia", usual, NULL },
    { LINUX, PLACE_TREE, "/usr/lib/aarch64-linux-gnu/ollama", usual, "Ollama" },
    { LINUX, PLACE_TREE, "/usr/local/MATLAB/R*/bin", usual, "MATLAB" },
    { LINUX, PLACE_TREE, "/usr/share/blender", usual, "Blender" },
    { LINUX, PLACE_TREE, "~/blender*", usual, "Blender" },
    { LINUX, PLACE_BOUNDED, "/opt/*", usual, NULL },
    { WINDOWS, PLACE_TREE, "$ProgramFiles/NVIDIA GPU Computing Toolkit/CUDA/v*/bin", usual, "cuda-toolkit" },
    { WINDOWS, PLACE_TREE, "$ProgramFiles/NVIDIA/CUDNN/v*/bin", usual, "cudnn" },
    { WINDOWS, PLACE_TREE, "$LOCALAPPDATA/Programs/Ollama", usual, "Ollama" },
    { WINDOWS, PLACE_TREE, "$ProgramFiles/MATLAB/R*/bin", usual, "MATLAB" },
    { WINDOWS, PLACE_TREE, "$ProgramFiles/Blender Foundation", usual, "Blender" },
    { WINDOWS, PLACE_TREE, "$ProgramFiles/Chaos", usual, "Chaos" },
};

static void expand_pattern(struct jw_finder *f, const struct place *row, const char *folder,
                           const char *rest);

/* Adds `pattern` below `folder`. */
static void add_below(struct jw_finder *f, const char *folder, const char *pattern, enum place_kind kind,
                      const char *how)
{
    const struct place row = { BOTH, kind, pattern, how, NULL };

    expand_pattern(f, &row, folder, pattern);
}

static bool is_conda(struct jw_finder *f, const char *prefix)
{
    return jw_is_folder(jw_path_join(f->a, prefix, "conda-meta"));
}

void jw_finder_prefix(struct jw_finder *f, const char *prefix, const char *how)
{
    static const char *const by_kind[2][2][4] = {
        /* plain, conda; on Linux, then on Windows */
        { { "lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages" },
          { "lib", "targets/*/lib" } },
        { { "Lib/site-packages" }, { "Lib/site-packages", "Library/bin" } },
    };
    const char *const *pattern = by_kind[f->out->windows][is_conda(f, prefix)];

    for (; *pattern; pattern++)
        add_below(f, prefix, *pattern, PLACE_TREE, how);
}

/* Adds a conda environment, its installation and the other environments of that installation. */
static void add_conda(struct jw_finder *f, const char *prefix, const char *how)
{
    const char *parent = jw_path_dir(f->a, prefix);
    bool inside = strcmp(jw_path_base(parent), "envs") == 0;
    const char *base = inside ? jw_path_dir(f->a, parent) : prefix;

    jw_finder_prefix(f, prefix, how);
    if (inside)
        jw_finder_prefix(f, base, in_conda);
    add_below(f, base, "envs/*", PLACE_PREFIX, in_conda);
}

void jw_finder_python(struct jw_finder *f, const char *prefix, const char *how)
{
    if (is_conda(f, prefix))
        add_conda(f, prefix, how);
    else
        jw_finder_prefix(f, prefix, how);
}

static void add_bounded(struct jw_finder *f, const char *folder, const char *how)
{
    if (is_conda(f, folder))
        add_conda(f, folder, in_conda);
    else
        jw_finder_add(f, folder, how, jw_path_base(folder), OPT_DEPTH);
}

/* Reads a path of a settings file: with ~, with PyCharm's or VS Code's name of the home, with JSON's \\. NULL: it is
 * no path. */
static const char *named_path(struct jw_finder *f, const char *text, size_t n)
{
    static const char *const homes[] = { "~", "$USER_HOME$", "${userHome}", "${env:HOME}" };
    char *path = jw_arena_text(f->a, text, n), *to = path;

    for (const char *from = path; *from; from++) {
        *to++ = *from;
        from += from[0] == '\\' && from[1] == '\\';
    }
    *to = '\0';
    for (size_t i = 0; f->home && i < JW_COUNT(homes); i++) {
        size_t skip = strlen(homes[i]);

        if (strncmp(path, homes[i], skip) == 0 && (path[skip] == '/' || path[skip] == '\\'))
            return jw_path_join(f->a, f->home, path + skip + 1);
    }
    return jw_path_absolute(path) ? path : NULL;
}

static void add_named_one(struct jw_finder *f, const char *path, const char *how)
{
    if (jw_is_folder(path))
        jw_finder_python(f, path, how);
    else if (jw_text_starts(jw_path_base(path), "python"))
        jw_finder_program(f, path, how);
}

/* A path is a line, or a text between quotes. */
static void add_named_paths(struct jw_finder *f, const char *file, const char *how)
{
    struct jw_buf text = JW_BUF(MAX_NAMED);
    struct jw_err why = { 0 };
    bool found = false;

    if (!jw_file_slurp(file, &text, &found, &why))
        jw_finder_skip(f, file, "it cannot be read", true);
    for (const char *at = found ? jw_buf_cstr(&text) : ""; *at;) {
        size_t n = strcspn(at, "\r\n\"");
        const char *path = n > 1 && n < JW_MAX_LINE ? named_path(f, at, n) : NULL;

        if (path)
            add_named_one(f, path, how);
        at += at[n] ? n + 1 : n;
    }
    jw_buf_free(&text);
}

static void visit(struct jw_finder *f, const struct place *row, const char *folder)
{
    switch (row->kind) {
    case PLACE_TREE: jw_finder_add(f, folder, row->how, row->package, JW_MAX_DEPTH); break;
    case PLACE_FOLDER: jw_finder_add(f, folder, row->how, row->package, 0); break;
    case PLACE_PREFIX: jw_finder_prefix(f, folder, row->how); break;
    case PLACE_CONDA: add_conda(f, folder, row->how); break;
    case PLACE_BOUNDED: add_bounded(f, folder, row->how); break;
    case PLACE_NODE: jw_finder_node(f, folder); break;
    case PLACE_NAMED: add_named_paths(f, folder, row->how); break;
    }
}

/* Every folder below `folder` that matches the pattern `rest`. */
static void expand_pattern(struct jw_finder *f, const struct place *row, const char *folder, const char *rest)
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

static const char *root_of(const struct jw_finder *f)
{
    return f->sysroot[0] ? f->sysroot : "/";
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

        if (!(rows[i].systems & (f->out->windows ? WINDOWS : LINUX)))
            continue;
        const char *folder = n ? start_of(f, pattern, n) : root_of(f);

        if (folder)
            expand_pattern(f, &rows[i], folder, pattern + n + (pattern[n] == '/'));
    }
}

void jw_finder_folders(struct jw_finder *f, const char *folder, const char *pattern)
{
    add_below(f, folder, pattern, PLACE_FOLDER, NULL);
}

void jw_finder_active(struct jw_finder *f)
{
    add_rows(f, active_places, JW_COUNT(active_places));
}

/* ---- WSL ---- */

static bool in_wsl(struct jw_finder *f)
{
    return !f->out->windows && jw_in_wsl(root_of(f), f->a);
}

bool jw_finder_in_profile(struct jw_finder *f, const char *path)
{
    static const char users[] = "/Users/";
    const char *drives = jw_path_join(f->a, root_of(f), "mnt/"), *at = path;

    if (!in_wsl(f) || !jw_text_starts(path, drives) || !*(at += strlen(drives))
        || !jw_text_starts(++at, users))
        return false;
    at += strlen(users);
    return *at && !jw_finder_within(at, "Public");
}

/* They are slow to walk from here. */
static void pass_windows_drives(struct jw_finder *f)
{
    const char *drives = jw_path_join(f->a, root_of(f), "mnt");
    const struct jw_listing found = jw_listing_read(drives, "?", f->a, &f->out->notes);

    for (size_t i = 0; i < found.n; i++)
        jw_finder_skip(f, jw_path_join(f->a, drives, found.names[i]),
                       "Windows programs have their own cache: run jitwarm in Windows. For Linux "
                       "programs there, name their folder under roots",
                       false);
}

void jw_finder_usual(struct jw_finder *f)
{
    add_rows(f, usual_places, JW_COUNT(usual_places));
    if (!f->others && in_wsl(f))
        pass_windows_drives(f);
}
