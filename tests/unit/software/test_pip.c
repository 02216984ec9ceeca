#include "check.h"
#include "os/machine/env.h"
#include "software/fetch/pip.h"

static struct jw_bytes bytes(const char *text)
{
    return (struct jw_bytes){ (const uint8_t *)text, strlen(text) };
}

/* As pip 23.2 writes it by --log. */
static const char log_text[] =
    "2026-11-24T08:24:29,729 1 location(s) to search for versions of torch:\n"
    "2026-11-24T08:24:29,730 * https://index.example/simple/torch/\n"
    "2026-11-24T08:24:29,777 Fetched page https://index.example/simple/torch/ as text/html\n"
    "2026-11-24T08:24:29,850   Skipping link: none of the wheel's tags (cp38-cp38-win_amd64) are compatible "
    "(run pip debug "
    "--verbose to show compatible tags): https://files.example/a/torch-2.9.0-cp38-cp38-win_amd64.whl (from "
    "https://index.example/simple/torch/) (requires-python:>=3.8)\n"
    "2026-11-24T08:24:29,850   Found link "
    "https://files.example/b/torch-2.9.0%2Bcu130-cp312-cp312-linux_x86_64.whl#sha256=00 (from "
    "https://index.example/simple/torch/), version: 2.9.0+cu130\n"
    "2026-11-24T08:24:29,851   Link requires a different Python (3.11.7 not in: '>=3.6,<3.10'): "
    "file:///srv/wheels/torch-1.0-cp36-cp36m-linux_x86_64.whl\n"
    "2026-11-24T08:24:29,851   Skipping link: wrong project name (not torch): "
    "https://files.example/c/torchvision-0.1-py3-none-any.whl\n"
    "2026-11-24T08:24:29,852   Found link "
    "https://files.example/b/torch-2.9.0%2Bcu130-cp312-cp312-linux_x86_64.whl#sha256=00\n"
    "2026-11-24T08:24:29,852   Skipping link: not a file: https://index.example/simple/torch/\n";

TEST_ARENA(each_wheel_of_the_log_is_found_once)
{
    struct jw_wheel *list = NULL;
    struct jw_err err = { 0 };
    size_t n = 0;

    CHECK(jw_pip_log_wheels(bytes(log_text), "torch", a, &list, &n, &err));
    CHECK_NUM(n, 3);
    if (n == 3) {
        CHECK_TEXT(list[0].file, "torch-2.9.0-cp38-cp38-win_amd64.whl");
        CHECK_TEXT(list[0].url, "https://files.example/a/torch-2.9.0-cp38-cp38-win_amd64.whl");
        CHECK_TEXT(list[1].version_text, "2.9.0+cu130");
        CHECK_TEXT(list[2].url, "file:///srv/wheels/torch-1.0-cp36-cp36m-linux_x86_64.whl");
    }
    CHECK(jw_pip_log_wheels((struct jw_bytes){ NULL, 0 }, "torch", a, &list, &n, &err));
    CHECK(
        jw_pip_log_wheels(bytes("x .whl %2F..%2Fetc%2Fx-1-py3-none-any.whl /.whl"), "x", a, &list, &n, &err));
    CHECK_NUM(n, 3);
}

TEST_ARENA(the_versions_that_pip_offers_are_read)
{
    struct jw_offers o = jw_pip_log_offers(bytes("2026-11-27T12:30:38,798 numpy (2.4.6)\n"
                                                 "2026-11-27T12:30:38,798 Available versions: 2.4.6, what, "
                                                 "2.4.0rc1, 1.0+cu130\r\n"),
                                           a);

    CHECK_NUM(o.n, 3);
    if (o.n == 3) {
        CHECK_TEXT(o.v[0].text, "2.4.6");
        CHECK(jw_pyversion_is_pre(&o.v[1].version));
        CHECK_TEXT(o.v[2].version.local, "cu130");
    }
    CHECK_NUM(jw_pip_log_offers(bytes(log_text), a).n, 0);
}

TEST_ARENA(an_index_that_could_not_be_read_is_named)
{
    CHECK_TEXT(jw_pip_log_unread(bytes("1 Could not fetch URL https://i/whl/cu118/x/: connection error: "
                                       "HTTPSConnectionPool(host='i'): "
                                       "Max retries exceeded - skipping\n"
                                       "2 Could not fetch URL https://j/x/: 404 Client Error: Not Found for "
                                       "url: https://j/x/ - skipping\n"),
                                 a),
               "https://i/whl/cu118/x/");
    CHECK(jw_pip_log_unread(bytes("2 Could not fetch URL https://j/x/: 404 Client Error: Not Found"), a)
          == NULL);
    CHECK(jw_pip_log_unread(bytes(log_text), a) == NULL);
    CHECK(jw_pip_log_unread(bytes("Could not fetch URL "), a) == NULL);
}

TEST(an_old_pip_does_not_serve)
{
    CHECK(jw_pip_serves("pip 23.2.1 from /usr/lib/python3/pip (python 3.11)\n"));
    CHECK(jw_pip_serves("pip 21.2"));
    CHECK(!jw_pip_serves("pip 21.1.3 from /usr/lib/python3/pip (python 3.9)\n"));
    CHECK(!jw_pip_serves("pip 9.0.3 from /usr (python 3.6)"));
    CHECK(!jw_pip_serves("Usage: pip"));
    CHECK(!jw_pip_serves(""));
}

TEST_ARENA(names_another_system_to_pip)
{
    struct jw_wheel_system here = { jw_os_is_windows(), "x86_64", 311 };
    struct jw_wheel_system other = { !jw_os_is_windows(), "x86_64", 311 };
    const char *words[JW_PIP_TAGS];

    jw_pip_platform(&here, a, words);
    CHECK(words[0] == NULL);
    jw_pip_platform(&other, a, words);
    CHECK_TEXT(words[0], "--platform");
    CHECK_TEXT(words[1], other.windows ? "win_amd64" : "manylinux_2_28_x86_64");
}

static void says(const char *text, enum jw_code code, const char *why)
{
    struct jw_arena a = { 0 };
    struct jw_err err = { 0 };

    CHECK_REFUSED(jw_pip_log_reason(bytes(text), "x", &a, &err), err, why);
    CHECK(err.code == code);
    jw_arena_free(&a);
}

#define ENDS "2026-11-24T08:24:29,930 ERROR: No matching distribution found for x\n"

TEST(says_why_there_is_none)
{
    says("WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError()': "
         "/simple/x/\n" ENDS,
         JW_E_NET, "cannot be reached");
    says("Could not fetch URL https://i/simple/x/: 404 Client Error: Not Found for url - skipping\n" ENDS,
         JW_E_FORMAT, "no package of this name");
    says("Could not fetch URL https://i/simple/x/: 401 Client Error: Unauthorized\n" ENDS, JW_E_IO,
         "denies access");
    says("Skipping link: No sources permitted for x: https://f/x-1.tar.gz (from y)\n" ENDS, JW_E_FORMAT,
         "only its source");
    says("ERROR: disk is on fire\n", JW_E_NET, "disk is on fire");
    says("", JW_E_NET, "pip failed");
}

TEST_ARENA(makes_pip_take_this_wheel)
{
    const char *tags[JW_PIP_TAGS];
    struct jw_wheel w;

    CHECK(jw_wheel_parse("x-1-cp38-cp38-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", a, &w));
    jw_pip_tags(&w, a, tags);
    CHECK_TEXT(tags[1], "manylinux2014_x86_64");
    CHECK_TEXT(tags[3], "3.8");
    CHECK_TEXT(tags[5], "cp");
    CHECK_TEXT(tags[7], "cp38");
    CHECK(tags[8] == NULL);
    CHECK(jw_wheel_parse("x-1-py2.py3-none-any.whl", a, &w));
    jw_pip_tags(&w, a, tags);
    CHECK_TEXT(tags[3], "3");
    CHECK_TEXT(tags[5], "py");
}
