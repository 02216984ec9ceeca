#include "check.h"
#include "software/fetch/wanted.h"

struct read {
    struct jw_arena a;
    struct jw_wanted_list list;
    struct jw_err err;
    bool ok;
};

static void read_text(struct read *r, const char *path, const char *text)
{
    *r = (struct read){ .ok = false };
    r->ok =
        jw_wanted_read(path, jw_wanted_form(path), (struct jw_bytes){ (const uint8_t *)text, strlen(text) },
                       &r->a, &r->list, &r->err);
}

TEST(knows_the_files_by_their_names)
{
    CHECK(jw_wanted_form("a/requirements.txt") == JW_WANTED_REQUIREMENTS);
    CHECK(jw_wanted_form("requirements.in") == JW_WANTED_REQUIREMENTS);
    CHECK(jw_wanted_form("b/uv.lock") == JW_WANTED_LOCK);
    CHECK(jw_wanted_form("poetry.lock") == JW_WANTED_LOCK);
    CHECK(jw_wanted_form("pylock.toml") == JW_WANTED_LOCK);
    CHECK(jw_wanted_form("pylock.dev.toml") == JW_WANTED_LOCK);
    CHECK(jw_wanted_form("pdm.lock") == JW_WANTED_LOCK);
    CHECK(jw_wanted_form("a/Pipfile.lock") == JW_WANTED_NONE);
    CHECK_HAS(jw_wanted_instead("a/Pipfile.lock"), "pipenv requirements");
    CHECK_HAS(jw_wanted_instead("gpu-environment.yaml"), "conda");
    CHECK(jw_wanted_instead("pyproject.toml") == NULL);
    CHECK(jw_wanted_instead("uv.lock") == NULL);
    CHECK(jw_wanted_form("Cargo.lock") == JW_WANTED_NONE);
    CHECK(jw_wanted_form("libx.so") == JW_WANTED_NONE);
}

TEST(reads_a_requirements_file)
{
    struct read r;

    read_text(&r, "dir/requirements.txt",
              "\xef\xbb\xbf# made by hand\r\n"
              "--extra-index-url https://download.example/cu121\n"
              "--find-links=./wheels\n"
              "-r base.txt\n"
              "\n"
              "torch==2.9.1 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\n"
              "Onnxruntime_GPU>=1.20,<2 ; sys_platform == 'linux'  # with a note\n"
              "git+https://example.org/x.git\n"
              "https://example.org/x-1-py3-none-any.whl\n"
              "y[z] @ https://example.org/y-1-py3-none-any.whl ; python_version > '3'\n"
              "./local\n"
              "-e .\n"
              "--pre\n"
              "numpy");
    CHECK_TEXT(r.err.msg, "");
    CHECK_NUM(r.list.n, 8);
    if (r.list.n == 8) {
        CHECK_TEXT(r.list.v[0].r.text, "torch==2.9.1");
        CHECK_TEXT(r.list.v[0].where, "dir/requirements.txt:6");
        CHECK_TEXT(r.list.v[1].r.name, "onnxruntime-gpu");
        CHECK_TEXT(r.list.v[1].where, "dir/requirements.txt:9");
        for (size_t i = 2; i < 7; i++)
            CHECK(r.list.v[i].not_asked != NULL);
        CHECK_TEXT(r.list.v[7].r.text, "numpy");
    }
    CHECK_NUM(r.list.n_index, 2);
    CHECK_TEXT(r.list.index[0], "--extra-index-url=https://download.example/cu121");
    CHECK_TEXT(r.list.index[1], "--find-links=./wheels");
    CHECK_NUM(r.list.n_also, 1);
    CHECK_TEXT(r.list.also[0], "dir/base.txt");
    jw_arena_free(&r.a);
}

static void refuses(const char *path, const char *text, const char *says)
{
    struct read r;

    read_text(&r, path, text);
    CHECK(!r.ok);
    CHECK_HAS(r.err.msg, says);
    jw_arena_free(&r.a);
}

TEST(a_text_of_something_else_is_told_from_a_file_with_a_wrong_option)
{
    static const struct {
        const char *text;
        unsigned unknown_line;
    } cases[] = {
        { "numpy\nBuy milk and bread\n", 2 }, { "- numpy\n", 1 },      { "---\n", 1 },
        { "see https://example.org/x\n", 1 }, { "...and so on\n", 1 }, { "--config-settings x\n", 0 },
        { "-c constraints.txt\n", 0 }
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read r;

        read_text(&r, "notes.txt", cases[i].text);
        CHECK(!r.ok);
        CHECK_NUM(r.list.unknown_line, cases[i].unknown_line);
        jw_arena_free(&r.a);
    }
}

TEST(a_line_that_is_no_requirement_is_named)
{
    refuses("notes.txt", "numpy\nBuy milk and bread\n", "notes.txt:2: ");
    refuses("r.txt", "-c constraints.txt\n", "r.txt:1: constraints are not read");
    refuses("r.txt", "--config-settings x\n", "r.txt:1: jitwarm does not know this option");
    refuses("uv.lock", "version = 1\n", "no packages in this lock file");
    refuses("uv.lock", "[[package]]\nversion = \"1\"\n", "uv.lock:1: a package without a name");
    refuses("uv.lock", "\n[[package]]\nname = \"x --pre\"\nversion = \"1\"\nsource = { registry = \"r\" }\n",
            "uv.lock:2: ");
}

#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

TEST(reads_uv_lock)
{
    struct read r;

    read_text(
        &r, "uv.lock",
        "version = 1\nrequires-python = \">=3.10\"\n\n"
        "[[package]]\nname = \"app\"\nversion = \"0.1\"\nsource = { virtual = \".\" }\n"
        "dependencies = [\n    { name = \"torch\" },\n]\n\n"
        "[package.metadata]\nrequires-dist = [{ name = \"torch\", specifier = \">=2\" }]\n\n"
        "[[package]]\nname = \"other\"\nversion = \"2\"\nsource = { git = \"https://example.org/x\" }\n\n"
        "[[package]]\nname = \"torch\"\nversion = \"2.9.1+cu130\"\n"
        "source = { registry = \"https://download.example/cu130\" }\n"
        "sdist = { url = \"https://e/torch-2.9.1.tar.gz\", hash = \"sha256:" HASH "\", size = 7 }\n"
        "wheels = [\n"
        "    { url = \"https://e/torch-2.9.1%2Bcu130-cp312-cp312-manylinux_2_28_x86_64.whl\", hash = "
        "\"sha256:" HASH "\", size = 900 },\n"
        "    { url = \"https://e/torch-2.9.1%2Bcu130-cp312-cp312-win_amd64.whl\", hash = \"sha256:" HASH
        "\", size = 901 },\n]\n");
    CHECK_TEXT(r.err.msg, "");
    CHECK_NUM(r.list.n, 2);
    if (r.list.n == 2) {
        const struct jw_wanted *w = &r.list.v[1];

        CHECK_TEXT(r.list.v[0].not_asked, "a source tree or a URL");
        CHECK_TEXT(w->r.text, "torch==2.9.1+cu130");
        CHECK_TEXT(w->where, "uv.lock:20");
        CHECK_NUM(w->n_wheels, 2);
        CHECK_TEXT(w->wheels[0].file, "torch-2.9.1+cu130-cp312-cp312-manylinux_2_28_x86_64.whl");
        CHECK_TEXT(w->wheels[0].sha256, HASH);
        CHECK_NUM(w->wheels[1].size, 901);
    }
    jw_arena_free(&r.a);
}

TEST(reads_the_locks_of_poetry_and_pdm_and_pylock)
{
    struct read r;

    read_text(&r, "poetry.lock",
              "[[package]]\nname = \"torch\"\nversion = \"2.9.1\"\nfiles = [\n"
              "    {file = \"torch-2.9.1-cp312-cp312-win_amd64.whl\", hash = \"sha256:" HASH "\"},\n]\n"
              "[package.dependencies]\nname = \"no\"\n\n"
              "[[package]]\nname = \"mine\"\nversion = \"1\"\n[package.source]\ntype = \"git\"\n"
              "[metadata]\nlock-version = \"2.1\"\n");
    CHECK_TEXT(r.err.msg, "");
    CHECK_NUM(r.list.n, 2);
    CHECK_TEXT(r.list.v[0].r.text, "torch==2.9.1");
    CHECK_NUM(r.list.v[0].n_wheels, 1);
    CHECK(r.list.v[0].wheels[0].url == NULL);
    CHECK(r.list.v[1].not_asked != NULL);
    jw_arena_free(&r.a);

    read_text(&r, "pdm.lock",
              "[metadata]\nlock_version = \"4.4.1\"\n\n[[package]]\nname = \"torch\"\nversion = \"2.9.1\"\n"
              "requires_python = \">=3.8\"\nsummary = \"Tensors\"\ndependencies = [\n    \"filelock\",\n]\n"
              "files = [\n    {file = \"torch-2.9.1-cp312-cp312-win_amd64.whl\", hash = \"sha256:" HASH
              "\"},\n]\n\n"
              "[[package]]\nname = \"x\"\nversion = \"1\"\nfiles = [\n    {url = "
              "\"https://e/x-1-py3-none-any.whl\", hash = \"sha256:" HASH "\"},\n]\n\n"
              "[[package]]\nname = \"y\"\nversion = \"1\"\ngit = \"https://e/y.git\"\nrevision = \"00\"\n\n"
              "[[package]]\nname = \"z\"\nversion = \"1\"\npath = \"./z\"\n\n"
              "[[package]]\nname = \"u\"\nversion = \"1\"\nurl = \"https://e/u-1.zip\"\n");
    CHECK_TEXT(r.err.msg, "");
    CHECK_NUM(r.list.n, 5);
    if (r.list.n == 5) {
        CHECK_TEXT(r.list.v[0].r.text, "torch==2.9.1");
        CHECK_NUM(r.list.v[0].n_wheels, 1);
        CHECK_TEXT(r.list.v[0].wheels[0].sha256, HASH);
        CHECK_TEXT(r.list.v[1].wheels[0].url, "https://e/x-1-py3-none-any.whl");
        for (size_t i = 2; i < 5; i++)
            CHECK(r.list.v[i].not_asked != NULL);
    }
    jw_arena_free(&r.a);

    read_text(
        &r, "pylock.toml",
        "lock-version = \"1.0\"\n[[packages]]\nname = \"torch\"\nversion = \"2.9.1\"\n"
        "wheels = [{ url = \"https://e/torch-2.9.1-cp312-cp312-win_amd64.whl\", size = 5, hashes = { sha256 "
        "= \"" HASH
        "\" } }, { url = \"https://e/torch-2.9.1-cp312-cp312-linux_x86_64.whl\", hashes = { sha256 = \"" HASH
        "\" } }]\n"
        "[[packages]]\nname = \"x\"\nversion = \"1\"\n[[packages.wheels]]\nname = \"x-1-py3-none-any.whl\"\n"
        "url = \"https://e/x-1-py3-none-any.whl\"\n[packages.wheels.hashes]\nsha256 = \"" HASH "\"\n"
        "[[packages]]\nname = \"y\"\nvcs = { type = \"git\", url = \"https://e/y\" }\n");
    CHECK_TEXT(r.err.msg, "");
    CHECK_NUM(r.list.n, 3);
    if (r.list.n == 3) {
        CHECK_NUM(r.list.v[0].n_wheels, 2);
        CHECK_NUM(r.list.v[0].wheels[0].size, 5);
        CHECK_TEXT(r.list.v[0].wheels[1].sha256, HASH);
        CHECK_NUM(r.list.v[1].n_wheels, 1);
        CHECK(r.list.v[2].not_asked != NULL);
    }
    jw_arena_free(&r.a);
}
