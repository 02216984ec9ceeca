#include "check.h"
#include "cli/output.h"

#include "base/limits.h"

#include <stdlib.h>

static size_t content(FILE *f, char *text, size_t max)
{
    size_t n;

    rewind(f);
    n = fread(text, 1, max - 1, f);
    text[n] = '\0';
    return n;
}

TEST(every_way_of_writing_arrives)
{
    FILE *f = tmpfile();
    struct jw_output a;
    struct jw_err err = { 0 };
    char text[4096], filler[1001];

    if (!f)
        SKIP("no temporary file");
    memset(filler, 'x', 1000);
    filler[1000] = '\0';
    jw_output_open(&a, f, 0, 80);
    jw_output_text(&a, "one ");
    jw_output_printf(&a, "%d ", 2);
    jw_output_printf(&a, "%s", filler);

    struct jw_sink sink = jw_output_sink(&a);

    CHECK(sink.put(sink.ctx, "three", 5, &err));
    CHECK(jw_output_close(&a, &err));
    CHECK_NUM(content(f, text, sizeof text), 4 + 2 + 1000 + 5);
    CHECK(strncmp(text, "one 2 xxx", 9) == 0 && strcmp(text + 1006, "three") == 0);
    (void)fclose(f);
}

TEST(a_line_past_the_ceiling_fails)
{
    FILE *f = tmpfile();
    struct jw_output a;
    struct jw_err err = { 0 };
    char *filler = malloc(JW_MAX_LINE + 2);

    if (!f || !filler)
        SKIP("no temporary file");
    memset(filler, 'x', JW_MAX_LINE + 1);
    filler[JW_MAX_LINE + 1] = '\0';
    jw_output_open(&a, f, 0, 80);
    jw_output_printf(&a, "%s", filler);
    CHECK_REFUSED(jw_output_close(&a, &err), err, "cannot write the output: a line is longer than");
    free(filler);
    (void)fclose(f);
}

/* A stream that is open for reading refuses every write, on every system. */
TEST(the_first_failure_is_kept)
{
    char path[512];
    const char *source = getenv("JW_SOURCE_DIR");
    struct jw_output a;
    struct jw_err err = { 0 };

    (void)snprintf(path, sizeof path, "%s/CMakeLists.txt", source ? source : ".");

    FILE *f = fopen(path, "r");

    if (!f)
        SKIP("no file to read");
    (void)setvbuf(f, NULL, _IONBF, 0);
    jw_output_open(&a, f, 0, 80);
    jw_output_text(&a, "x");
    CHECK(a.failed && !a.dropped);

    struct jw_sink sink = jw_output_sink(&a);

    CHECK(!sink.put(sink.ctx, "y", 1, &err));
    CHECK_HAS(err.msg, "cannot write the output: ");
    err = (struct jw_err){ 0 };
    CHECK_REFUSED(jw_output_close(&a, &err), err, "cannot write the output: ");
    CHECK_NUM(err.code, JW_E_IO);
    (void)fclose(f);
}
