/* A made machine: its variables, and a tree of files. */
#include "base/buf.h"
#include "base/compiler.h"
#include "base/fault.h"
#include "base/limits.h"
#include "base/path.h"
#include "check.h"
#include "made_machine.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

#include <sys/stat.h>
#include <unistd.h>

uint64_t __wrap_jw_time_monotonic_ns(void);

/* For a walk of two seconds a busy machine may be too slow. */
static uint64_t now, step;

uint64_t __wrap_jw_time_monotonic_ns(void) { return now += step; }

static struct jw_discovery discover(struct jw_arena *a)
{
    static const struct jw_discover_options all = {0};
    struct jw_discovery d;

    jw_discover(&all, a, &d);
    return d;
}

/* The root whose path ends so (with /), or NULL. */
static const struct jw_search_folder *root_of(struct jw_arena *a, const struct jw_discovery *d,
                                              const char *tail)
{
    for (size_t i = 0; i < d->n_folders; i++) {
        char *path = jw_arena_str(a, d->folders[i].path);
        size_t n = strlen(path), m = strlen(tail);

        for (char *p = path; *p; p++)
            *p = *p == '\\' ? '/' : *p;
        if (n >= m && strcmp(path + n - m, tail) == 0)
            return &d->folders[i];
    }
    return NULL;
}

static void print_roots(const struct jw_discovery *d)
{
    for (size_t i = 0; i < d->n_folders; i++)
        printf("  %u %s\n", d->folders[i].depth, d->folders[i].path);
    for (size_t i = 0; i < d->notes.n; i++)
        printf("  note: %s\n", d->notes.v[i]);
}

#define HAS_ROOT(tail) CHECK(root_of(a, &d, tail) != NULL || (print_roots(&d), false))

#ifndef _WIN32

#define SITE "lib/python3.8/site-packages"

static const char *in_home(char *room, size_t n, const char *prefix, const char *rest)
{
    (void)snprintf(room, n, "kinds/home/%s/%s", prefix, rest);
    return room;
}

TEST_ARENA(kinds_of_environments_in_a_home)
{
    static const char *const plain[] = {".virtualenvs/wrapper",
                                        ".venvs/made",
                                        ".local/share/virtualenvs/pipenv-x",
                                        ".cache/pypoetry/virtualenvs/poetry-x",
                                        ".local/share/pipx/venvs/tool",
                                        ".local/share/uv/tools/uvtool",
                                        ".local/share/uv/python/uvpython",
                                        ".pyenv/versions/3.9.1"};
    static const char *const marked[] = {"tf", "work/project/.venv", "work/project/deep/venv",
                                         "src/ComfyUI/venv", "stable-diffusion-webui/venv"};
    static const char *const others[] = {".lmstudio/extensions/backends", ".local/lib/ollama",
                                         ".local/share/Jan/data/llamacpp/backends", "blender-4.2"};
    static const char *const conda[] = {".local/share/mamba/envs/mambaenv",
                                        ".pixi/envs/pixienv",
                                        "micromamba/envs/micro",
                                        ".conda/envs/condaenv",
                                        "miniconda3/envs/mini",
                                        "anaconda3/envs/ana",
                                        "miniforge3/envs/forge",
                                        "mambaforge/envs/mforge",
                                        "my/conda"};
    char name[256];

    for (size_t i = 0; i < JW_COUNT(plain); i++)
        (void)tree_dir(a, in_home(name, sizeof name, plain[i], SITE));
    for (size_t i = 0; i < JW_COUNT(marked); i++) {
        (void)tree_dir(a, in_home(name, sizeof name, marked[i], SITE));
        (void)tree_file(a, in_home(name, sizeof name, marked[i], "pyvenv.cfg"), "");
    }
    for (size_t i = 0; i < JW_COUNT(conda); i++) {
        (void)tree_dir(a, in_home(name, sizeof name, conda[i], "conda-meta"));
        (void)tree_dir(a, in_home(name, sizeof name, conda[i], "lib"));
    }
    (void)tree_file(a, "kinds/home/.conda/environments.txt",
                    jw_arena_printf(a, "/nowhere\n%s\n", tree_dir(a, "kinds/listed")));
    (void)tree_dir(a, "kinds/listed/" SITE);
    for (size_t i = 0; i < JW_COUNT(others); i++)
        (void)tree_dir(a, in_home(name, sizeof name, others[i], ""));
    (void)tree_file(a, "kinds/home/datasets/not/pyvenv.cfg", "");
    (void)tree_dir(a, "kinds/home/datasets/not/" SITE);
    made_machine(a, "kinds");
    struct jw_discovery d = discover(a);

    print_roots(&d);
    for (size_t i = 0; i < JW_COUNT(plain); i++)
        CHECK(root_of(a, &d, in_home(name, sizeof name, plain[i], SITE)) != NULL);
    for (size_t i = 0; i < JW_COUNT(marked); i++)
        CHECK(root_of(a, &d, in_home(name, sizeof name, marked[i], SITE)) != NULL);
    for (size_t i = 0; i < JW_COUNT(conda); i++)
        CHECK(root_of(a, &d, in_home(name, sizeof name, conda[i], "lib")) != NULL);
    HAS_ROOT("kinds/listed/" SITE);
    for (size_t i = 0; i < JW_COUNT(others); i++)
        CHECK(root_of(a, &d, others[i]) != NULL);
    CHECK(root_of(a, &d, "datasets/not/" SITE) == NULL);
    CHECK(!d.cut_short);
}

TEST_ARENA(linux_environments)
{
    made_machine(a, "lin");

    (void)tree_dir(a, "lin/venv/lib/python3.11/site-packages/torch");
    (void)tree_dir(a, "lin/mc/envs/one/conda-meta");
    (void)tree_dir(a, "lin/mc/envs/one/lib/python3.9/site-packages");
    (void)tree_dir(a, "lin/mc/envs/two/conda-meta");
    (void)tree_dir(a, "lin/mc/envs/two/lib");
    (void)tree_dir(a, "lin/mc/envs/two/targets/x86_64-linux/lib");
    (void)tree_dir(a, "lin/mc/conda-meta");
    (void)tree_dir(a, "lin/mc/lib");
    (void)tree_dir(a, "lin/mc/pkgs/pytorch/lib");
    (void)tree_dir(a, "lin/home/.local/lib/python3.10/site-packages");
    set_variable("VIRTUAL_ENV", tree_path(a, "lin/venv"));
    set_variable("CONDA_PREFIX", tree_path(a, "lin/mc/envs/one"));

    struct jw_discovery d = discover(a);

    HAS_ROOT("lin/venv/lib/python3.11/site-packages");
    HAS_ROOT("lin/mc/envs/one/lib");
    HAS_ROOT("lin/mc/envs/two/lib");
    HAS_ROOT("lin/mc/envs/two/targets/x86_64-linux/lib");
    HAS_ROOT("lin/mc/lib");
    HAS_ROOT("home/.local/lib/python3.10/site-packages");
    CHECK_NUM(d.n_folders, 6); /* no pkgs, and site-packages of "one" is in its lib */
    CHECK_NUM(d.notes.n, 0);
}

/* Their programs on PATH are scripts, so that PATH does not lead to them. */
TEST_ARENA(version_managers_outside_the_home)
{
    made_machine(a, "managed");

    (void)tree_dir(a, "managed/data/pyenv/versions/3.12.1/lib/python3.12/site-packages");
    set_variable("PYENV_ROOT", tree_path(a, "managed/data/pyenv"));

    struct jw_discovery d = discover(a);

    HAS_ROOT("pyenv/versions/3.12.1/lib/python3.12/site-packages");
    CHECK_NUM(d.n_folders, 1);
}

TEST_ARENA(linux_places)
{
    made_machine(a, "usual");

    (void)tree_dir(a, "usual/usr/local/cuda-12.4/lib64/stubs");
    (void)tree_dir(a, "usual/usr/local/cuda-12.4/targets/x86_64-linux/lib");
    (void)tree_dir(a, "usual/usr/local/lib/python3.11/dist-packages");
    (void)tree_dir(a, "usual/usr/local/lib/other");
    (void)tree_dir(a, "usual/usr/lib/x86_64-linux-gnu/libcudf-cuda-12");
    (void)tree_dir(a, "usual/usr/lib/x86_64-linux-gnu/perl");
    (void)tree_dir(a, "usual/usr/lib/ollama/cuda_v12");
    (void)tree_dir(a, "usual/usr/lib/python3/dist-packages");
    (void)tree_dir(a, "usual/usr/local/MATLAB/R2023b/bin/glnxa64");
    (void)tree_dir(a, "usual/opt/blender-4.2/4.2/scripts");
    (void)tree_dir(a, "usual/opt/conda/conda-meta");
    (void)tree_dir(a, "usual/opt/conda/lib");
    (void)tree_dir(a, "usual/opt/conda/envs/x/lib/python3.11/site-packages");
    (void)tree_dir(a, "usual/opt/conda/pkgs/y/lib");
    (void)tree_file(a, "usual/opt/file", "not a folder");

    struct jw_discovery d = discover(a);

    HAS_ROOT("/usr/local/cuda-12.4/lib64");
    HAS_ROOT("/usr/local/cuda-12.4/targets/x86_64-linux/lib");
    HAS_ROOT("/usr/local/lib/python3.11/dist-packages");
    HAS_ROOT("/usr/local/lib");
    HAS_ROOT("/usr/lib/x86_64-linux-gnu");
    HAS_ROOT("/usr/lib/x86_64-linux-gnu/libcudf-cuda-12");
    HAS_ROOT("/usr/lib/ollama");
    HAS_ROOT("/usr/lib/python3/dist-packages");
    HAS_ROOT("/usr/local/MATLAB/R2023b/bin");
    HAS_ROOT("/opt/blender-4.2");
    HAS_ROOT("/opt/conda/lib");
    HAS_ROOT("/opt/conda/envs/x/lib/python3.11/site-packages");
    CHECK_NUM(d.n_folders, 12);
    CHECK_NUM(root_of(a, &d, "/usr/local/lib")->depth, 0);
    CHECK_NUM(root_of(a, &d, "/usr/lib/ollama")->depth, JW_MAX_DEPTH);
    CHECK(root_of(a, &d, "/opt/blender-4.2")->depth > 3);
    CHECK(root_of(a, &d, "/opt/blender-4.2")->depth < JW_MAX_DEPTH);
    CHECK_TEXT(root_of(a, &d, "/opt/blender-4.2")->package, "blender-4.2");
    CHECK_TEXT(root_of(a, &d, "/usr/lib/ollama")->package, "Ollama");
}

TEST_ARENA(configured_roots)
{
    made_machine(a, "conf");
    const char *modules = tree_dir(a, "conf/sw/modules");
    struct jw_conf_item roots[] = {
        {modules, "x.conf:1", NULL},
        {tree_dir(a, "conf/sw/modules/cuda/12"), "x.conf:2", NULL}, /* inside the first */
        {tree_path(a, "conf/missing"), "x.conf:3", NULL},
        {tree_file(a, "conf/file", ""), "x.conf:4", NULL},
        {modules, "x.conf:5", NULL},
        {tree_dir(a, "conf/opt/thing"), "x.conf:6", NULL}, /* known already, but not so deep */
        {tree_dir(a, "conf/opt/other/deep"), "x.conf:7", NULL},
    };

    (void)tree_dir(a, "conf/opt/other");
    struct jw_discover_options o = {.search = {roots, JW_COUNT(roots)}};
    struct jw_discovery d;

    jw_discover(&o, a, &d);

    HAS_ROOT("/sw/modules");
    HAS_ROOT("/opt/thing");
    CHECK_NUM(root_of(a, &d, "/opt/thing")->depth, JW_MAX_DEPTH);
    HAS_ROOT("/opt/other");
    HAS_ROOT("/opt/other/deep"); /* deeper than /opt/other is searched */
    CHECK_NUM(d.n_folders, 4);
    CHECK_NUM(d.notes.n, 2);
    if (d.notes.n == 2) {
        CHECK_HAS(d.notes.v[0], "x.conf:3: ");
        CHECK_HAS(d.notes.v[0], "is not a folder here");
        CHECK_HAS(d.notes.v[1], "x.conf:4: ");
    }
}

TEST_ARENA(strange_environment)
{
    made_machine(a, "none");
    set_variable("VIRTUAL_ENV", "relative");
    set_variable("CONDA_PREFIX", "");

    struct jw_discovery d = discover(a);
    CHECK_NUM(d.n_folders, 0);
    CHECK_NUM(d.notes.n, 0);
}

TEST_ARENA(every_failure_is_survived)
{
    made_machine(a, "torture");

    (void)tree_dir(a, "torture/usr/local/cuda-12.4/lib64");
    (void)tree_dir(a, "torture/home/.pyenv/versions/3.12.1/lib/python3.12/site-packages");
    (void)tree_dir(a, "torture/opt/x");
    (void)tree_dir(a, "torture/home/work/plain");
    for (unsigned long nth = 1; nth < 5000; nth += check_fault_step(1)) {
        FREED(jw_arena) mine = {0};

        jw_fault_arm(nth);
        struct jw_discovery d = discover(&mine);
        bool fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(fired || d.n_folders == 3); /* what could not be asked is a note */
        if (!fired)
            break;
        CHECK(nth < 4999);
    }
}

/* Pythons that are shell scripts: right ones, hanging ones, liars; and links. */

static const char *program(struct jw_arena *a, const char *name, const char *body)
{
    FREED(jw_buf) text = JW_BUF(1 << 16);
    const char *path;

    jw_buf_printf(&text, "#!/bin/sh\n%s", body);
    path = tree_file(a, name, jw_buf_cstr(&text));
    CHECK(chmod(path, 0755) == 0);
    return path;
}

/* What anybody could have left there is not taken for this user's. */
TEST_ARENA(the_working_folder_is_walked)
{
    made_machine(a, "worked");
    (void)tree_file(a, "shared/mine/tf2/pyvenv.cfg", "");
    (void)tree_dir(a, "shared/mine/tf2/lib/python3.8/site-packages");
    CHECK(chmod(tree_path(a, "shared"), 0755) == 0);
    CHECK(chdir(tree_path(a, "shared")) == 0);
    CHECK_NUM(discover(a).n_folders, 1);
    set_variable("HOME",
                 tree_dir(a, "shared/mine/home")); /* beside it may be those of other users */
    CHECK_NUM(discover(a).n_folders, 0);
    set_variable("HOME", tree_path(a, "worked/home"));
    CHECK(chmod(tree_path(a, "shared"), 01777) == 0);
    CHECK_NUM(discover(a).n_folders, 0);
    CHECK(chdir("/") == 0);
}

static void start_anew(struct jw_arena *a)
{
    made_machine(a, "walked");
    scratch_empty(tree_dir(a, "walked/home"));
}

static void make_walked(struct jw_arena *a, const char *env)
{
    char name[128];

    (void)snprintf(name, sizeof name, "walked/home/%s/lib/python3.8/site-packages", env);
    (void)tree_dir(a, name);
    (void)snprintf(name, sizeof name, "walked/home/%s/pyvenv.cfg", env);
    (void)tree_file(a, name, "");
}

TEST_ARENA(a_walk_that_takes_too_long_is_told)
{
    start_anew(a);
    (void)tree_dir(a, "walked/home/many/b");
    step = 1200000000;
    struct jw_discovery d = discover(a);

    step = 0;
    CHECK(d.cut_short);
    CHECK_NUM(d.notes.n, 1);
    if (d.notes.n)
        CHECK_HAS(d.notes.v[0], "is large or slow: the search for environments stopped");
    CHECK(!discover(a).cut_short);
}

TEST_ARENA(four_levels_of_the_home_are_walked)
{
    start_anew(a);
    make_walked(a, "a/b/c/d");
    make_walked(a, "x/a/b/c/d");
    struct jw_discovery d = discover(a);

    CHECK_NUM(d.n_folders, 1);
    if (d.n_folders)
        CHECK_HAS(d.folders[0].path, "home/a/b/c/d/");
}

TEST_ARENA(what_is_excluded_is_not_entered)
{
    const char *patterns[] = {"two"};
    const struct jw_discover_options o = {.exclude = {patterns, 1}};
    struct jw_discovery d;

    start_anew(a);
    make_walked(a, "two");
    jw_discover(&o, a, &d);
    CHECK_NUM(d.n_folders, 0);
    CHECK_NUM(discover(a).n_folders, 1);
}

/* Pythons are looked for below the system that was made. */
TEST_ARENA(no_python_is_run_and_the_place_of_its_program_tells)
{
    FREED(jw_buf) body = JW_BUF(4096);
    const char *mark = tree_path(a, "pythons/placed/ran"),
               *link = tree_path(a, "pythons/linked/bin/python3");

    made_machine(a, "pythons");
    (void)unlink(mark);
    (void)tree_dir(a, "pythons/placed/lib/python3.11/site-packages");
    (void)tree_dir(a, "pythons/linked/bin");
    (void)tree_dir(a, "pythons/linked/lib/python3.11/dist-packages");
    jw_buf_printf(&body, "touch %s\n", mark);
    const char *exe = program(a, "pythons/placed/bin/python3", jw_buf_cstr(&body));

    (void)unlink(link);
    CHECK(symlink(exe, link) == 0);
    set_variable("PATH", jw_path_dir(a, link));
    struct jw_discovery d = discover(a);

    CHECK(access(mark, F_OK) != 0);
    CHECK_NUM(d.n_folders, 2);
    if (d.n_folders == 2) {
        CHECK_HAS(d.folders[0].path, "linked/lib/python3.11/dist-packages");
        CHECK_HAS(d.folders[1].path, "placed/lib/python3.11/site-packages");
    }
    CHECK_NUM(d.notes.n, 0);
}

TEST_ARENA(links)
{
    const char *link = tree_path(a, "links/lib64");
    struct jw_conf_item roots[] = {
        {jw_path_join(a, link, "python3.11"), "c:1", NULL},
        {tree_path(a, "links/lib"), "c:2", NULL},
    };
    struct jw_discover_options o = {.search = {roots, JW_COUNT(roots)}};
    struct jw_discovery d;

    made_machine(a, "links");
    (void)tree_dir(a, "links/lib/python3.11/site-packages");
    (void)tree_dir(a, "links/bin");
    (void)unlink(link);
    CHECK(symlink("lib", link) == 0);
    set_variable("PATH", jw_path_dir(a, program(a, "links/bin/python3", "exit 1\n")));
    CHECK_NUM(discover(a).n_folders, 1); /* lib64/python3.11/site-packages is the same folder */

    /* A root inside another one that is reached by a link. */
    set_variable("PATH", NULL);
    jw_discover(&o, a, &d);
    CHECK_NUM(d.n_folders, 1);
    if (d.n_folders == 1)
        CHECK_TEXT(d.folders[0].path, tree_path(a, "links/lib"));
}

TEST_ARENA(library_path)
{
    const char *libs = tree_dir(a, "libs/cuda");

    made_machine(a, "libs");
    set_variable("LD_LIBRARY_PATH", jw_arena_printf(a, ":%s::relative:%s:/no/such", libs, libs));

    struct jw_discovery d = discover(a);

    CHECK_NUM(d.n_folders, 1);
    if (d.n_folders == 1) {
        CHECK_TEXT(d.folders[0].path, libs);
        CHECK_NUM(d.folders[0].depth, 0);
    }
}

TEST_ARENA(python_path)
{
    const char *modules = tree_dir(a, "modules"), *site = tree_dir(a, "apps/torch/site-packages");

    made_machine(a, "python");
    /* The home's own folder would be all of it. */
    set_variable("PYTHONPATH", jw_arena_printf(a, "%s:relative:%s::%s:/no/such", modules, site,
                                               tree_dir(a, "python/home")));

    struct jw_discovery d = discover(a);

    CHECK_NUM(d.n_folders, 2);
    if (d.n_folders == 2) {
        CHECK_TEXT(d.folders[0].path, modules);
        CHECK_NUM(d.folders[0].depth, JW_MAX_DEPTH);
        CHECK_TEXT(d.folders[1].path, site);
        CHECK_NUM(d.folders[1].depth, JW_MAX_DEPTH);
    }
    CHECK(d.notes.n == 1 && strstr(d.notes.v[0], tree_path(a, "python/home")));
}

/* What "setup.py develop" and its kind leave in site-packages. */
TEST_ARENA(folders_that_pth_files_name)
{
    made_machine(a, "pth");
    set_variable("VIRTUAL_ENV", tree_dir(a, "pth/venv"));
    (void)tree_dir(a, "pth/plain");
    (void)tree_dir(a, "pth/venv/lib/python3.11/beside");
    (void)tree_dir(a, "pth/hidden");
    (void)tree_file(a, "pth/venv/lib/python3.11/site-packages/a.pth",
                    jw_arena_printf(a,
                                    "# comment\n%s\r\n../beside\nimport sys; sys.x = 1\n/no/such\n",
                                    tree_path(a, "pth/plain")));
    (void)tree_file(a, "pth/venv/lib/python3.11/site-packages/.hidden.pth",
                    tree_path(a, "pth/hidden"));
    struct jw_discovery d = discover(a);

    HAS_ROOT("pth/venv/lib/python3.11/site-packages");
    HAS_ROOT("pth/plain");
    HAS_ROOT("pth/venv/lib/python3.11/beside");
    CHECK_NUM(d.n_folders, 3);
}

/* Libraries that PyTorch and FlashInfer built: below the home, and where a variable puts them. */
TEST_ARENA(built_extensions)
{
    const char *usual = tree_dir(a, "built/home/.cache/torch_extensions"),
               *ops = tree_dir(a, "built/home/.cache/flashinfer"),
               *elsewhere = tree_dir(a, "built/ext");
    made_machine(a, "built");
    set_variable("TORCH_EXTENSIONS_DIR", elsewhere);
    struct jw_discovery d = discover(a);

    CHECK_NUM(d.n_folders, 3);
    if (d.n_folders == 3) {
        CHECK_TEXT(d.folders[0].path, elsewhere);
        CHECK_TEXT(d.folders[1].path, usual);
        CHECK_TEXT(d.folders[1].package, "PyTorch extensions");
        CHECK_TEXT(d.folders[2].path, ops);
        CHECK_NUM(d.folders[2].depth, JW_MAX_DEPTH);
    }
}

#else

TEST_ARENA(windows_places)
{
    made_machine(a, "win");
    FREED(jw_buf) path = JW_BUF(4096);

    (void)tree_dir(a, "win/roaming/Python/Python311/site-packages");
    (void)tree_dir(a, "win/home/miniconda3/conda-meta");
    (void)tree_dir(a, "win/home/miniconda3/Library/bin");
    (void)tree_dir(a, "win/home/miniconda3/Lib/site-packages");
    (void)tree_file(a, "win/tool/cudart64_12.dll", "");
    (void)tree_file(a, "win/other/zlib1.dll", "");
    jw_buf_printf(&path, "%s;;relative;%s;%s", tree_path(a, "win/tool"), tree_path(a, "win/other"),
                  tree_path(a, "win/gone"));
    set_variable("APPDATA", tree_path(a, "win/roaming"));
    set_variable("PATH", jw_buf_cstr(&path));

    struct jw_discovery d = discover(a);

    HAS_ROOT("Python311/site-packages");
    HAS_ROOT("miniconda3/Library/bin");
    HAS_ROOT("miniconda3/Lib/site-packages");
    HAS_ROOT("win/tool");
    CHECK_NUM(d.n_folders, 4);
    CHECK_NUM(root_of(a, &d, "win/tool")->depth, 0);
}

/* What is made, and what of it is found: folders of an environment end in Lib/site-packages. */
TEST_ARENA(windows_kinds_of_environments)
{
    static const char *const environments[] = {
        "home/anaconda3/envs/ana",
        "home/miniconda3/envs/mini",
        "home/miniforge3/envs/forge",
        "home/mambaforge/envs/mamba",
        "home/micromamba/envs/micro",
        "home/.conda/envs/conda",
        "home/.pixi/envs/pixi",
        "local/anaconda3/envs/everybody",
        "pd/miniforge3/envs/machine",
        "home/.pyenv/pyenv-win/versions/3.11.1",
        "home/Envs/wrapper",
        "home/.virtualenvs/pipenv",
        "local/pypoetry/Cache/virtualenvs/poetry",
        "home/pipx/venvs/pipx",
        "local/pipx/pipx/venvs/newpipx",
        "roaming/uv/tools/uvtool",
        "roaming/uv/python/uvpython",
        "local/Programs/Python/Python312",
        "pf/Python311",
        "local/Python/pythoncore-3.14-64",
        "home/Downloads/ComfyUI/python_embeded",
        "roaming/StabilityMatrix/Packages/Comfy/venv",
        "home/work/project/.venv",
        "home/stable-diffusion-webui/venv",
    };
    static const char *const programs[] = {
        "home/.lmstudio/extensions/backends",
        "local/Programs/Ollama",
        "roaming/Jan/data/llamacpp/backends",
        "pf/Blender Foundation",
        "pf/NVIDIA GPU Computing Toolkit/CUDA/v12.4/bin",
    };
    static const char *const vars[][2] = {{"LOCALAPPDATA", "kw/local"},
                                          {"APPDATA", "kw/roaming"},
                                          {"ProgramFiles", "kw/pf"},
                                          {"ProgramData", "kw/pd"}};
    made_machine(a, "kw");
    char name[256];
    for (size_t i = 0; i < JW_COUNT(vars); i++)
        set_variable(vars[i][0], tree_path(a, vars[i][1]));
    for (size_t i = 0; i < JW_COUNT(environments); i++) {
        (void)snprintf(name, sizeof name, "kw/%s/Lib/site-packages", environments[i]);
        (void)tree_dir(a, name);
        (void)snprintf(name, sizeof name, "kw/%s/%s", environments[i],
                       strstr(environments[i], "/envs/") ? "conda-meta/history" : "pyvenv.cfg");
        (void)tree_file(a, name, "");
    }
    for (size_t i = 0; i < JW_COUNT(programs); i++) {
        (void)snprintf(name, sizeof name, "kw/%s", programs[i]);
        (void)tree_dir(a, name);
    }
    struct jw_discovery d = discover(a);

    for (size_t i = 0; i < JW_COUNT(environments); i++) {
        (void)snprintf(name, sizeof name, "kw/%s/Lib/site-packages", environments[i]);
        CHECK(root_of(a, &d, name) != NULL || (printf("%s\n", name), false));
    }
    for (size_t i = 0; i < JW_COUNT(programs); i++)
        CHECK(root_of(a, &d, programs[i]) != NULL || (printf("%s\n", programs[i]), false));
}

TEST_ARENA(windows_pythons)
{
    static const char store[] =
        "winpy/local/Packages/PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0/LocalCache/"
        "local-packages/"
        "Python311/site-packages";
    made_machine(a, "winpy");

    (void)tree_dir(a, store);
    (void)tree_dir(a, "winpy/home/miniconda3/envs/학습/Lib/site-packages");
    (void)tree_file(a, "winpy/home/Downloads/webui/python_embeded/python311._pth", ".");
    (void)tree_dir(a, "winpy/home/Downloads/webui/python_embeded/Lib/site-packages");
    set_variable("LOCALAPPDATA", tree_path(a, "winpy/local"));

    struct jw_discovery d = discover(a);

    HAS_ROOT("local-packages/Python311/site-packages");
    HAS_ROOT("miniconda3/envs/학습/Lib/site-packages");
    HAS_ROOT("Downloads/webui/python_embeded/Lib/site-packages");
    CHECK_NUM(d.n_folders, 3);
}

#endif

MAIN(argc, argv)
{
    scratch_begin();
    CHECK(chdir("/") == 0); /* where it is started is searched, too */
    return RUN(argc, argv);
}
