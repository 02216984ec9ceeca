/* A report's rows as lines, and lists of sentences and commands. */
#include "check.h"
#include "cli/page.h"

#include "base/compiler.h"

static struct jw_buf out = { .max = 1 << 16 };
static struct jw_err err;

static struct jw_page page(void)
{
    jw_buf_clear(&out);
    return (struct jw_page){ .to = jw_sink_buf(&out), .label = 13, .width = 40, .err = &err };
}

struct gpu {
    const char *name;
};

struct inner {
    const char *to;
};

#define R struct report
struct report {
    const char *public_key;
    const struct inner *inner;
    bool locked;
    const char *zstd, *lz4;
    const char **notes;
    size_t n_notes;
    struct gpu *gpus;
    size_t n_gpus;
};

static const char *name_of(const void *at, char text[80])
{
    (void)text;
    return ((const struct gpu *)at)->name;
}

static const struct jw_spelling gpu_name = { NULL, name_of };
static const struct jw_row libraries[] = { { JW_ROW("zstd", R, zstd) }, { JW_ROW("lz4", R, lz4) }, { 0 } };
static const struct jw_row inner_rows[] = { { JW_ROW("to", struct inner, to), JW_LABEL("To") }, { 0 } };
static const struct jw_row rows[] = {
    { JW_ROW("public_key", R, public_key), JW_LABEL("Public key") },
    { JW_ROW("locked", R, locked), JW_LABEL("Locked") },
    { JW_ROW("for_json_alone", R, public_key) },
    { JW_PART_AT(R, inner, inner_rows) },
    { JW_SUB_OF("libraries", libraries), JW_LABEL("Libraries"), JW_IF(R, zstd) },
    { JW_TEXTS("not_checked", R, notes, n_notes), JW_SENTENCE("Not checked") },
    { JW_LIST("plugged_in", R, gpus, n_gpus, NULL), JW_LABEL("Plugged in"), .spelling = &gpu_name },
    { 0 },
};

TEST(rows_with_a_label_are_lines)
{
    const char *notes[] = { "the settings of running programs: they ended", "the cache's folder" };
    struct gpu gpus[] = { { "RTX 3070" }, { "H100" } };
    struct inner inner = { "/a/path with blanks, longer than a line is wide" };
    struct report r = {
        "RWQ a very long key that is not wrapped", &inner, true, "1.5", "1.10", notes, 2, gpus, 2
    };
    struct jw_page p = page();

    jw_page_rows(&p, TINT_NONE, rows, &r);
    CHECK(!p.bad);
    CHECK_TEXT(jw_buf_cstr(&out), "Public key   RWQ a very long key that is not wrapped\n"
                                  "Locked       yes\n"
                                  "To           /a/path with blanks, longer than a line is wide\n"
                                  "Libraries    zstd 1.5, lz4 1.10\n"
                                  "Not checked  the settings of running\n"
                                  "             programs: they ended\n"
                                  "             the cache's folder\n"
                                  "Plugged in   RTX 3070\n"
                                  "             H100\n");
}

TEST(what_is_not_there_is_no_line)
{
    struct inner inner = { NULL };
    struct report r = { .inner = &inner };
    struct jw_page p = page();

    jw_page_rows(&p, TINT_NONE, rows, &r);
    CHECK_TEXT(jw_buf_cstr(&out), "Locked       no\n");
    r.inner = NULL;
    p = page();
    jw_page_rows(&p, TINT_NONE, rows, &r);
    CHECK_TEXT(jw_buf_cstr(&out), "Locked       no\n");
}

static void show_gpus(struct jw_page *p, const void *of)
{
    const R *r = of;

    jw_page_say(p, TINT_NONE, "GPUs", "%zu, the first is %s", r->n_gpus, r->gpus[0].name);
}

static void show_end(struct jw_page *p, const void *of)
{
    jw_page_put(p, ((const R *)of)->locked ? "\nLocked.\n" : "\n");
}

static const struct jw_row gpu_rows[] = { { JW_ROW("name", struct gpu, name), JW_LABEL("Of one") }, { 0 } };
static const struct jw_row shown[] = {
    { JW_SUB_OF("part", rows) },
    { JW_LIST("gpus", R, gpus, n_gpus, gpu_rows), JW_SHOW(show_gpus) },
    { JW_TEXT_ALONE(show_end) },
    { 0 },
};

/* One list of rows is both: the text has what the functions say, in its place, and JSON knows nothing of them. */
TEST(a_row_with_a_function_says_more_than_a_label_and_a_value)
{
    struct gpu gpus[] = { { "RTX 3070" }, { "H100" } };
    struct report r = { .locked = true, .gpus = gpus, .n_gpus = 2 };
    struct jw_page p = page();
    struct jw_json j;

    jw_page_rows(&p, TINT_NONE, shown, &r);
    CHECK(!p.bad);
    CHECK_TEXT(jw_buf_cstr(&out), "Locked       yes\n"
                                  "Plugged in   RTX 3070\n"
                                  "             H100\n"
                                  "GPUs         2, the first is RTX 3070\n"
                                  "\n"
                                  "Locked.\n");
    jw_buf_clear(&out);
    jw_json_begin(&j, jw_sink_buf(&out), false, &err);
    jw_rows_object(&j, NULL, shown + 1, &r);
    CHECK(jw_json_end(&j));
    CHECK_TEXT(jw_buf_cstr(&out), "{\"gpus\":[{\"name\":\"RTX 3070\"},{\"name\":\"H100\"}]}\n");
}

/* A function is not asked about what is not there. */
TEST(a_function_of_what_is_absent_says_nothing)
{
    struct report r = { .gpus = NULL };
    struct jw_page p = page();

    jw_page_rows(&p, TINT_NONE, shown + 1, &r);
    CHECK_TEXT(jw_buf_cstr(&out), "\n");
}

TEST(a_sentence_wraps_and_a_command_does_not)
{
    static const char *const list[] = { "sudo -u ada jitwarm prime --run python serve.py --port 80",
                                        "a sentence that is longer than a line   # is" };
    struct jw_page p = page();

    jw_page_advice(&p, list, JW_COUNT(list));
    jw_page_texts(&p, TINT_NONE, "Note", list + 1, 1);
    CHECK_TEXT(jw_buf_cstr(&out), "To do        sudo -u ada jitwarm prime --run python serve.py --port 80\n"
                                  "             a sentence that is longer than a line\n"
                                  "             # is\n"
                                  "Note         a sentence that is longer\n"
                                  "             than a line # is\n");
}

/* On Windows a quoted word may hold what begins a remark. */
TEST(a_remark_is_what_ends_a_line)
{
    struct jw_page p = page();

    p.label = 6;
    jw_page_whole(&p, TINT_STRONG, "To do", "jitwarm prime \"C:\\a   # b\\and so on, far beyond the line\"");
    CHECK_TEXT(jw_buf_cstr(&out), "To do jitwarm prime \"C:\\a   # b\\and so on, far beyond the line\"\n");
    p = page();
    p.label = 6;
    jw_page_whole(&p, TINT_STRONG, "To do",
                  "jitwarm prime \"a   # b\"   # what that does is said here, and more of it");
    CHECK_TEXT(
        jw_buf_cstr(&out),
        "To do jitwarm prime \"a   # b\"\n      # what that does is said here, and\n      # more of it\n");
}

MAIN(argc, argv)
{
    int code = RUN(argc, argv);

    jw_buf_free(&out);
    return code;
}
