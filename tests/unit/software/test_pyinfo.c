#include "base/limits.h"
#include "check.h"
#include "software/find/pyinfo.h"

static bool is(struct jw_bytes b, const char *text)
{
    return b.n == strlen(text) && (b.n == 0 || memcmp(b.p, text, b.n) == 0);
}

static struct jw_bytes text_of(const char *text)
{
    return (struct jw_bytes){ (const uint8_t *)text, strlen(text) };
}

static bool metadata(const char *text, const char *name, const char *version)
{
    struct jw_pyname out;
    struct jw_err err = { 0 };

    return jw_pyinfo_metadata(text_of(text), &out, &err) && is(out.name, name) && is(out.version, version);
}

TEST(metadata_header)
{
    CHECK(metadata("Metadata-Version: 2.1\nName: torch\nVersion: 2.1.0+cu118\n\nVersion: 9\n", "torch",
                   "2.1.0+cu118"));
    CHECK(metadata("metadata-version: 2.1\r\nNAME:   Foo.Bar_b \t\r\nversion:1!2.0\r\n\r\n", "Foo.Bar_b",
                   "1!2.0"));
    CHECK(metadata("Name: x", "x", ""));
    CHECK(metadata("Name: first\nName: second\nVersion: 1\n", "first", "1"));
}

TEST(metadata_that_is_broken)
{
    struct jw_pyname out;
    struct jw_err err = { 0 };
    static const char nul[] = "Name: a\0b\nVersion: 1\n";

    CHECK_REFUSED(jw_pyinfo_metadata(text_of(""), &out, &err), err, "no Name");
    CHECK(!jw_pyinfo_metadata(text_of("\nName: late\n"), &out, &err));
    CHECK_REFUSED(jw_pyinfo_metadata(text_of("Name: \x1b[31mred\n"), &out, &err), err, "Name is not");
    CHECK_REFUSED(jw_pyinfo_metadata(text_of("Name: ok\nVersion: 1 2\n"), &out, &err), err, "Version is not");
    CHECK(!jw_pyinfo_metadata((struct jw_bytes){ (const uint8_t *)nul, sizeof nul - 1 }, &out, &err));

    struct jw_buf longer = JW_BUF(4096);
    jw_buf_text(&longer, "Name: ");
    jw_buf_fill(&longer, 'a', JW_MAX_PY_NAME + 1);
    CHECK(!jw_pyinfo_metadata(jw_buf_bytes(&longer), &out, &err));
    jw_buf_free(&longer);
}

static bool folder(const char *base, const char *name, const char *version)
{
    struct jw_pyname out;

    return jw_pyinfo_folder(base, &out) && is(out.name, name) && is(out.version, version);
}

static bool wheel(const char *base, const char *name, const char *version)
{
    struct jw_pyname out;

    return jw_pyinfo_wheel(base, &out) && is(out.name, name) && is(out.version, version);
}

TEST(names_of_folders)
{
    struct jw_pyname out;

    CHECK(folder("torch-2.1.0+cu118.dist-info", "torch", "2.1.0+cu118"));
    CHECK(folder("six-1.16.0-py3.8.egg-info", "six", "1.16.0"));
    CHECK(folder("PyGObject.egg-info", "PyGObject", ""));
    CHECK(!jw_pyinfo_folder("~orch-2.1.0.dist-info", &out));
    CHECK(!jw_pyinfo_folder(".dist-info", &out));
    CHECK(!jw_pyinfo_folder("-1.dist-info", &out));
    CHECK(!jw_pyinfo_folder("torch-2.1.0", &out));
}

TEST(names_of_wheels)
{
    struct jw_pyname out;

    CHECK(wheel("torch-2.1.0+cu118-cp310-cp310-linux_x86_64.whl", "torch", "2.1.0+cu118"));
    CHECK(wheel("a_b-1.0-1-py3-none-any.whl", "a_b", "1.0"));
    CHECK(!jw_pyinfo_wheel("a-1.0.whl", &out));
    CHECK(!jw_pyinfo_wheel("a-1.0-py3-none.whl", &out));
    CHECK(!jw_pyinfo_wheel("a-1.0-1-2-py3-none-any.whl", &out));
    CHECK(!jw_pyinfo_wheel("a--py3-none-any.whl", &out));
    CHECK(!jw_pyinfo_wheel("a-1.0-py3--any.whl", &out));
    CHECK(!jw_pyinfo_wheel(".whl", &out));
}

/* All paths of a RECORD, each followed by '|'. */
static bool record(const char *text, struct jw_buf *all, struct jw_err *err)
{
    struct jw_reader r = jw_reader(text_of(text));
    struct jw_buf path = JW_BUF(64);
    bool more = true, ok = true;

    jw_buf_clear(all);
    while (ok && more) {
        ok = jw_pyinfo_record(&r, &path, &more, err);
        if (ok && more) {
            jw_buf_text(all, jw_buf_cstr(&path));
            jw_buf_text(all, "|");
        }
    }
    jw_buf_free(&path);
    return ok;
}

TEST(record_rows)
{
    struct jw_buf all = JW_BUF(4096);
    struct jw_err err = { 0 };

    CHECK(record("a/b.so,sha256=x_-,12\na/c.so,,\n", &all, &err));
    CHECK_TEXT(jw_buf_cstr(&all), "a/b.so|a/c.so|");
    CHECK(record("\"a, b.so\",sha256=x,1\r\n\"say \"\"hi\"\".so\",\"x,\ny\",2\r\n\r\nlast", &all, &err));
    CHECK_TEXT(jw_buf_cstr(&all), "a, b.so|say \"hi\".so|last|");
    CHECK(record("", &all, &err));
    CHECK_TEXT(jw_buf_cstr(&all), "");
    CHECK(record(",,\n\n,x\nz", &all, &err));
    CHECK_TEXT(jw_buf_cstr(&all), "z|");
    CHECK(record("\"a\"", &all, &err));
    CHECK_TEXT(jw_buf_cstr(&all), "a|");
    jw_buf_free(&all);
}

TEST(record_that_is_broken)
{
    struct jw_buf all = JW_BUF(4096), row = JW_BUF(4096);
    struct jw_err err = { 0 };

    CHECK_REFUSED(record("ok,,\n\"never closed,\n", &all, &err), err, "byte 5 is never closed");
    CHECK_TEXT(jw_buf_cstr(&all), "ok|");
    CHECK(!record("ok,\"never\n", &all, &err));
    jw_buf_fill(&row, 'a', 65);
    CHECK_REFUSED(record(jw_buf_cstr(&row), &all, &err), err, "too long");
    jw_buf_free(&row);
    jw_buf_free(&all);
}

TEST(name_comparison)
{
    CHECK(jw_pyname_equal("Foo.Bar", "foo-bar"));
    CHECK(jw_pyname_equal("foo__bar", "FOO.-_bar"));
    CHECK(!jw_pyname_equal("foobar", "foo-bar"));
    CHECK(!jw_pyname_equal("foo", "foo-"));
    CHECK(!jw_pyname_equal("foo", "fo"));
    CHECK(jw_pyname_equal("", ""));
    CHECK(jw_pyname_starts("Nvidia_cublas", "nvidia-"));
    CHECK(!jw_pyname_starts("nvid", "nvidia-"));
    CHECK(jw_pyname_safe("_libgcc_mutex"));
    CHECK(!jw_pyname_safe("a b"));
    CHECK(!jw_pyname_safe(""));
    CHECK(!jw_pyname_safe("\xc3\xa4"));
}

TEST(lines)
{
    struct jw_reader r = jw_reader(text_of("a\r\n\nb"));
    struct jw_bytes line;

    CHECK(jw_pyinfo_line(&r, &line) && is(line, "a"));
    CHECK(jw_pyinfo_line(&r, &line) && is(line, ""));
    CHECK(jw_pyinfo_line(&r, &line) && is(line, "b"));
    CHECK(!jw_pyinfo_line(&r, &line));
}
