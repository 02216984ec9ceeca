#include "check.h"
#include "cli/stream.h"

#include <stdlib.h>

static size_t content(FILE *f, char *text, size_t max)
{
    size_t n;

    rewind(f);
    n = fread(text, 1, max - 1, f);
    text[n] = '\0';
    return n;
}

TEST(what_is_written_arrives)
{
    FILE *f = tmpfile();
    struct jw_stream a = { .to = f };
    struct jw_err err = { 0 };
    char text[64];

    if (!f)
        SKIP("no temporary file");
    CHECK(!a.wrote);
    jw_stream_text(&a, "one ");
    jw_stream_text(&a, "two");
    CHECK(a.wrote && jw_stream_close(&a, &err));
    CHECK_NUM(content(f, text, sizeof text), 7);
    CHECK_TEXT(text, "one two");
    (void)fclose(f);
}

/* A stream that is open for reading refuses every write, on every system. */
TEST(the_first_failure_is_kept)
{
    char path[512];
    const char *source = getenv("JW_SOURCE_DIR");
    struct jw_stream a;
    struct jw_err err = { 0 };

    (void)snprintf(path, sizeof path, "%s/CMakeLists.txt", source ? source : ".");

    FILE *f = fopen(path, "r");

    if (!f)
        SKIP("no file to read");
    (void)setvbuf(f, NULL, _IONBF, 0);
    a = (struct jw_stream){ .to = f };
    jw_stream_text(&a, "x");
    CHECK(a.failed);

    jw_stream_text(&a, "y");
    err = (struct jw_err){ 0 };
    CHECK_REFUSED(jw_stream_close(&a, &err), err, "cannot write the output: ");
    CHECK_NUM(err.code, JW_E_IO);
    (void)fclose(f);
}
