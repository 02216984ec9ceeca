#include "check.h"
#include "cli/report.h"

#include "base/compiler.h"
#include "cli/cli.h"

static struct jw_arena arena;
static struct cli cli;
static FILE *out, *errors;

static struct rep *begin(bool json)
{
    jw_arena_free(&arena);
    out = tmpfile();
    errors = tmpfile();
    if (!out || !errors)
        return NULL;
    cli = (struct cli){.arena = &arena, .shared.json = json};
    cli.out = (struct jw_stream){.to = out, .columns = 60, .width = 60};
    cli.messages = (struct jw_stream){.to = errors};
    return rep_open(&cli, "test");
}

static const char *written(FILE *f)
{
    static char text[8192];
    size_t n;

    (void)fflush(f);
    rewind(f);
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    (void)fclose(f);
    return text;
}

static const char *end_with(struct rep *r, int code)
{
    CHECK_NUM(rep_close(r), code);
    (void)fclose(errors);
    return written(out);
}

static const char *end(struct rep *r) { return end_with(r, 0); }

#define BEGIN(json)                                                                                \
    struct rep *r = begin(json);                                                                   \
    if (!r)                                                                                        \
    SKIP("no temporary file")

/* The same calls for both. */
static void say_all(struct rep *r)
{
    static const char *const roots[] = {"/opt/a", "/opt/b"};

    rep_todo_line(r, "jitwarm %s", "prime");
    rep_fact(r, "used_bytes", "Used", rep_bytes(1 << 30));
    rep_fact(r, "seconds", NULL, rep_seconds(82.0));
    rep_fact(r, "good", "Good", rep_yes(1));
    rep_fact(r, "failed", "Failed", rep_count(0));
    rep_fact(r, "modules", NULL, rep_count(12345));
    rep_fact(r, NULL, "Only", rep_text("text"));
    rep_texts(r, NULL, NULL, roots, JW_COUNT(roots)); /* without a label: for JSON alone */
    rep_detail(r, "build", "Build", rep_text("x86"));
    rep_texts(r, "roots", "Roots", roots, JW_COUNT(roots));
    rep_note(r, "a note");
    rep_begin(r, "driver");
    rep_fact(r, "version", NULL, rep_text(NULL));
    rep_end(r);
    rep_head(r, JW_END_DONE, "warm", "All is %s.", "warm");
}

TEST(text_has_the_head_on_top_and_the_next_command_last)
{
    BEGIN(false);
    say_all(r);
    CHECK_TEXT(end(r), "All is warm.\n"
                       "Used      1 GiB\n"
                       "Good      yes\n"
                       "Only      text\n"
                       "Roots     /opt/a (and 1 more: -v)\n"
                       "Note      a note\n"
                       "To do     jitwarm prime\n");
}

TEST(json_has_the_same_fields)
{
    BEGIN(true);
    say_all(r);
    CHECK_TEXT(
        end(r),
        "{\n"
        "  \"schema\": \"jitwarm.test/1\",\n"
        "  \"version\": \"" JITWARM_VERSION "\",\n"
        "  \"result\": \"warm\",\n"
        "  \"message\": \"All is warm.\",\n"
        "  \"why\": null,\n"
        "  \"used_bytes\": 1073741824,\n"
        "  \"seconds\": 82,\n"
        "  \"good\": true,\n"
        "  \"failed\": 0,\n"
        "  \"modules\": 12345,\n"
        "  \"build\": \"x86\",\n"
        "  \"roots\": [\"/opt/a\", \"/opt/b\"],\n"
        "  \"driver\": {\n    \"version\": null\n  },\n"
        "  \"notes\": [{\n      \"text\": \"a note\"\n    }],\n"
        "  \"todo\": [{\n      \"where\": \"here\",\n      \"command\": \"jitwarm prime\"\n    }]\n"
        "}\n");
}

static void put_table(struct rep *r, size_t rows)
{
    rep_table(r, "files", 2);
    for (size_t i = 0; i < rows; i++) {
        rep_row(r);
        rep_fact(r, "path", "FILE", rep_path(i ? "b\033[2J" : "a"));
        rep_fact(r, "modules", "MODULES", rep_count(i + 1));
        rep_fact(r, "bytes", NULL, rep_bytes(i));
        rep_detail(r, "build", "BUILD", rep_text(NULL));
    }
    rep_end(r);
    rep_fact(r, "after", "After", rep_yes(1));
}

TEST(a_table_shows_its_first_rows_and_json_has_all)
{
    BEGIN(false);
    put_table(r, 0);
    put_table(r, 3);
    CHECK_TEXT(end(r), "After     yes\n\nFILE      MODULES\na               1\nb\\x1b[2J        2\n"
                       "and 1 more (-v)\n\nAfter     yes\n");

    r = begin(true);
    put_table(r, 2);
    CHECK_HAS(
        end(r),
        "\"files\": [{\n      \"path\": \"a\",\n      \"modules\": 1,\n      \"bytes\": 0,\n"
        "      \"build\": null\n    }, {\n      \"path\": \"b\\u001b[2J\",\n      \"modules\": 2,");
    r = begin(true);
    put_table(r, 0);
    CHECK_HAS(end(r), "\"files\": [],\n  \"after\": true,\n");
}

/* ---- tables ---- */

static const char *table(bool colours)
{
    /* 32 columns */
    static const char wide[] =
        "/opt/\xed\x95\x9c\xea\xb5\xad/\xec\x8b\xa4\xed\x97\x98/libggml-cuda.so";
    struct rep *r = begin(false);

    if (!r)
        return "";
    cli.out.colours = colours;
    rep_table(r, "files", 0);
    for (int i = 0; i < 2; i++) {
        rep_row(r);
        rep_fact(r, "path", "FILE", rep_path(i ? "/opt/lib/a.so" : wide));
        rep_fact(r, "n", "COUNT", rep_count((i ? 7000 : 159000)));
        rep_fact(r, "verdict", "VERDICT",
                 rep_toned(i ? REP_GOOD : REP_WARN, rep_text(i ? "native" : "jit")));
    }
    rep_end(r);
    return end(r);
}

TEST(columns_are_aligned_by_what_a_terminal_shows)
{
    CHECK_TEXT(
        table(false),
        "\nFILE                              COUNT  VERDICT\n"
        "/opt/\xed\x95\x9c\xea\xb5\xad/\xec\x8b\xa4\xed\x97\x98/libggml-cuda.so  159,000  jit\n"
        "/opt/lib/a.so                     7,000  native\n");
}

TEST(colour_is_of_the_text_alone)
{
    CHECK_HAS(table(true), "  \033[33mjit\033[0m\n");
    CHECK_HAS(table(true), "\033[32mnative\033[0m\n");
}

TEST(words_wrap_behind_their_label_and_paths_do_not)
{
    BEGIN(false);
    rep_say(r, REP_PLAIN, "Long", "%s", "one two three four five six seven eight nine ten eleven");
    rep_fact(r, NULL, "Path",
             rep_path("/a folder/with blanks/that/is/longer/than/sixty/columns/of/a/terminal"));
    CHECK_TEXT(end(r),
               "Long      one two three four five six seven eight nine ten\n"
               "          eleven\n"
               "Path      /a folder/with blanks/that/is/longer/than/sixty/columns/of/a/terminal\n");
}

TEST(a_quiet_report_says_only_what_is_wrong)
{
    for (enum jw_end ends = JW_END_LISTED; ends <= JW_END_PARTLY; ends++) {
        BEGIN(false);
        cli.messages.quiet = true;
        r = rep_open(&cli, "test");
        rep_head(r, ends, NULL, "Cold.");
        rep_todo_line(r, "jitwarm prime");
        CHECK_NUM(rep_close(r), ends == JW_END_PARTLY);
        CHECK_TEXT(written(out), "");
        CHECK_TEXT(written(errors),
                   ends == JW_END_PARTLY ? "Cold.\nTo do     jitwarm prime\n" : "");
    }
}

static struct jw_facts answer(uint64_t modules, uint64_t warm)
{
    struct jw_facts f = {.scope = {.cache = "/c", .version = "550.163.01"},
                         .answer = {.sms = {{80, 86}, 2}, .modules = modules, .warm = warm}};

    f.answer.first = warm < modules ? "lib.so: k" : NULL;
    f.answer.is = warm < modules ? JW_COLD : JW_WARM;
    return f;
}

static const char *say_answer(const struct jw_facts *f, int code)
{
    struct rep *r = begin(false);

    if (!r)
        return "";
    cli.out.width = r ? 1000 : 0;
    r = rep_open(&cli, "test");
    const struct jw_summary v = jw_summary_of(f, &jw_to_look, NULL, JW_END_DONE);

    rep_answer(r, true, &v, f);
    return end_with(r, code);
}

TEST(an_answer_carries_its_scope)
{
    struct jw_facts f = answer(24, 24);

    f.answer.proven = JW_COMPILED_NOTHING;
    CHECK_HAS(say_answer(&f, 0),
              "All 24 modules of these files are in this cache for sm_80 and sm_86, "
              "driver 550.163.01. A fresh process loaded them and compiled nothing.\n");
    f = answer(24, 21);
    f.answer.refused = 2; /* with an error, a crash, or no end */
    CHECK_HAS(say_answer(&f, 1),
              "Cold: 3 of 24 modules missing from this cache for sm_80 and sm_86, driver "
              "550.163.01 (the driver could not compile 2), the first: lib.so: k\n");
    f = answer(24, 24);
    f.answer.is = JW_INCOMPLETE;
    f.answer.unread = 1;
    CHECK_HAS(say_answer(&f, 1), "; 1 path not looked up.\n"); /* which: Unread */
    CHECK_HAS(say_answer(&f, 1), "Cache     /c\n");
}

/* What a room says of its end is the word and the code where it is worse than the head. */
TEST(a_report_ends_with_what_failed)
{
    BEGIN(true);
    rep_head(r, JW_END_DONE, "native", "Native.");
    CHECK_NUM(rep_close_with(r, JW_END_REFUSED), EXIT_INTEGRITY);
    (void)fclose(errors);
    CHECK_HAS(written(out), "\"result\": \"refused\"");
}

TEST(a_part_of_what_the_head_says_keeps_its_word)
{
    BEGIN(true);
    rep_head(r, JW_END_PARTLY, "cold", "Cold.");
    CHECK_NUM(rep_close_with(r, JW_END_PARTLY), EXIT_PARTLY);
    (void)fclose(errors);
    CHECK_HAS(written(out), "\"result\": \"cold\"");
}

TEST(a_module_has_a_word_for_where_it_stands)
{
    static const struct {
        struct jw_job job;
        const char *word;
    } jobs[] = {{{.ended = JW_JOB_TODO}, "todo"},
                {{.ended = JW_JOB_CHANGED}, "changed"},
                {{.is = JW_MODULE_UNSTORED, .ended = JW_JOB_LOADED}, "unstored"},
                {{.is = JW_MODULE_NO_ROOM}, "no-room"},
                {{.ended = JW_JOB_FAILED}, "failed"},
                {{.ended = JW_JOB_KILLED}, "killed"},
                {{.is = JW_MODULE_BANNED, .ended = JW_JOB_FAILED, .banned = true}, "skipped"},
                {{.ended = JW_JOB_TIMEOUT, .banned = true}, "timeout"},
                {{.ended = JW_JOB_CRASHED, .banned = true}, "crashed"},
                {{.is = JW_MODULE_WARM}, "warm"},
                {{.is = JW_MODULE_WARM, .ended = JW_JOB_LOADED}, "warmed"},
                {{.is = JW_MODULE_WARM, .carried = true}, "carried"}};

    for (size_t i = 0; i < JW_COUNT(jobs); i++)
        CHECK_TEXT(rep_job_state(&jobs[i].job), jobs[i].word);
}

TEST(a_failure_is_json_where_json_was_asked_for)
{
    BEGIN(true);
    rep_head(r, JW_END_DONE, "done", "never seen");
    (void)jw_fail(&err, JW_E_DRIVER, "no driver");
    CHECK_NUM(jw_cli_fail(&cli, &err), EXIT_NO_GPU);
    CHECK_TEXT(written(errors), "jitwarm: no driver\n");

    const char *json = written(out);

    CHECK_HAS(json, "\"schema\": \"jitwarm.error/1\"");
    CHECK_HAS(json, "\"result\": \"error\",\n  \"message\": \"no driver\"");
    CHECK_HAS(json, "\"exit\": 3");
}
