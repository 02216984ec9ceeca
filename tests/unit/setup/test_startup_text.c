/*
 * The texts that start jitwarm, to the byte: startup_texts.golden. JW_BLESS=1 writes it again; read the diff.
 */
#include "base/limits.h"
#include "check.h"
#include "os/files/file.h"
#include "setup/startup/startup_text.h"

#include <stdlib.h>

#define VERSION "1.2.3"
#define SID "S-1-5-21-1004336348-1177238915-682003330-512"

static const struct jw_startup_spec plain = { .version = VERSION, .exe = "/usr/bin/jitwarm" };

static const struct jw_child_edit pins[] = { { "CUDA_CACHE_PATH", "/data/my \"cache\"/100%/\\x/$HOME" },
                                             { "CUDA_CACHE_MAXSIZE", "4294967296" } };
static const struct jw_startup_spec odd = {
    .version = VERSION, .exe = "/home/김 철수/bin 100%/jit$warm", .set = pins, .n_set = 2
};

static const struct jw_startup_spec everybody = { .version = VERSION,
                                                  .exe = "/usr/bin/jitwarm",
                                                  .everybody = true };

static const struct jw_startup_spec windows = {
    .version = VERSION, .exe = "C:\\Users\\김 철수\\AppData\\Local\\R&D <x>\\jitwarm.exe", .user = SID
};
static const struct jw_startup_spec all_windows = {
    .version = VERSION, .exe = "C:\\Program Files\\jitwarm\\jitwarm.exe", .everybody = true, .user = SID
};

typedef bool (*make)(const struct jw_startup_spec *s, struct jw_buf *out, struct jw_err *err);

static void bless(const char *path, const struct jw_buf *b)
{
    struct jw_err err = { 0 };

    CHECK(jw_file_put(path, JW_OUT_REPLACE, jw_buf_bytes(b), &err));
}

static void add(struct jw_buf *all, const char *name, make fn, const struct jw_startup_spec *s)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_err err = { 0 };

    CHECK(fn(s, &text, &err));
    jw_buf_printf(all, "==> %s\n%s", name, jw_buf_cstr(&text));
    jw_buf_free(&text);
}

TEST(texts_are_as_they_were)
{
    struct jw_buf got = JW_BUF(8 * JW_MAX_TEXT_FILE), want = JW_BUF(8 * JW_MAX_TEXT_FILE);
    struct jw_err err = { 0 };
    bool found = false;

    add(&got, "user.service", jw_startup_service, &plain);
    add(&got, "user.timer", jw_startup_timer, &plain);
    add(&got, "user.path", jw_startup_path, &plain);
    add(&got, "odd.service", jw_startup_service, &odd);
    add(&got, "everybody.service", jw_startup_service, &everybody);
    add(&got, "everybody.timer", jw_startup_timer, &everybody);
    add(&got, "user.xml", jw_startup_task, &windows);
    add(&got, "everybody.xml", jw_startup_task, &all_windows);
    if (getenv("JW_BLESS"))
        bless(GOLDEN, &got);
    CHECK(jw_file_slurp(GOLDEN, &want, &found, &err) && found);
    CHECK_TEXT(jw_buf_cstr(&got), jw_buf_cstr(&want));
    jw_buf_free(&got);
    jw_buf_free(&want);
}

static const char *text_of(make fn, const struct jw_startup_spec *s, struct jw_arena *a)
{
    struct jw_buf b = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_err err = { 0 };

    CHECK(fn(s, &b, &err));
    const char *text = jw_arena_str(a, jw_buf_cstr(&b));

    jw_buf_free(&b);
    return text;
}

/* The promises, apart from where they stand. */
TEST_ARENA(a_task_keeps_what_is_promised)
{
    static const char *const both[] = {
        "<Delay>PT45S</Delay>",
        "<Priority>7</Priority>",
        "<DisallowStartIfOnBatteries>true</DisallowStartIfOnBatteries>",
        "<StopIfGoingOnBatteries>true</StopIfGoingOnBatteries>",
        "<RunLevel>LeastPrivilege</RunLevel>",
        "<WakeToRun>false</WakeToRun>",
        "prime --if-stale --background --jobs 2",
        "<LogonTrigger>",
    };
    const char *one = text_of(jw_startup_task, &windows, a), *all = text_of(jw_startup_task, &all_windows, a);

    for (size_t i = 0; i < JW_COUNT(both); i++) {
        CHECK_HAS(one, both[i]);
        CHECK_HAS(all, both[i]);
    }
    CHECK_HAS(one, "<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>");
    CHECK_HAS(one, "<LogonType>InteractiveToken</LogonType>");
    CHECK_HAS(one, "<UserId>" SID "</UserId>");
    CHECK_HAS(all, "<GroupId>S-1-5-32-545</GroupId>");
    CHECK(!strstr(all, SID) && !strstr(all, "<UserId>"));
}

TEST_ARENA(the_arguments_of_a_task_are_taken_apart_as_they_were_put_together)
{
    const char *xml = text_of(jw_startup_task, &windows, a);

    CHECK_HAS(xml, "<Arguments>prime --if-stale --background --jobs 2</Arguments>");
    CHECK_HAS(xml, "<Command>C:\\Users\\김 철수\\AppData\\Local\\R&amp;D &lt;x&gt;\\jitwarm.exe</Command>");
}

TEST_ARENA(a_service_stays_in_the_background)
{
    static const char *const lines[] = { "\nConditionACPower=true\n",     "\nNice=19\n",
                                         "\nIOSchedulingClass=idle\n",    "\nCPUWeight=1\n",
                                         "\nCPUSchedulingPolicy=batch\n", "\nType=oneshot\n",
                                         "\nSuccessExitStatus=7\n" };
    const char *unit = text_of(jw_startup_service, &plain, a), *timer = text_of(jw_startup_timer, &plain, a);

    for (size_t i = 0; i < JW_COUNT(lines); i++)
        CHECK_HAS(unit, lines[i]);
    CHECK_HAS(unit, "ExecStart=\"/usr/bin/jitwarm\" prime --if-stale --background --jobs 2\n");
    CHECK_HAS(timer, "\nOnStartupSec=45s\n");
    CHECK_HAS(timer, "\nWantedBy=timers.target\n");
    CHECK(!strstr(unit, "ConditionUser"));
    CHECK_HAS(text_of(jw_startup_service, &everybody, a), "\nConditionUser=!@system\n");
}

/* ---- quoting ---- */

typedef void (*quote)(struct jw_buf *out, const char *text);

static void unit_argument(struct jw_buf *out, const char *text)
{
    jw_startup_unit_word(out, text, false);
}

static void unit_program(struct jw_buf *out, const char *text)
{
    jw_startup_unit_word(out, text, true);
}

TEST(words_are_quoted_by_the_rules_of_each_file)
{
    static const struct {
        quote fn;
        const char *text, *want;
    } cases[] = {
        { unit_argument, "a b", "\"a b\"" },
        { unit_argument, "", "\"\"" },
        { unit_argument, "50%", "\"50%%\"" },
        { unit_argument, "$HOME", "\"$$HOME\"" },
        { unit_program, "/x/$HOME", "\"/x/$HOME\"" },
        { unit_argument, "say \"hi\"", "\"say \\\"hi\\\"\"" },
        { unit_argument, "C:\\x", "\"C:\\\\x\"" },
        { unit_argument, "한글 ; it's", "\"한글 ; it's\"" },
        { jw_startup_xml_text, "R&D <\"x\"> 한글 100%", "R&amp;D &lt;&quot;x&quot;&gt; 한글 100%" },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_buf b = JW_BUF(1024);

        cases[i].fn(&b, cases[i].text);
        CHECK_TEXT(jw_buf_cstr(&b), cases[i].want);
        jw_buf_free(&b);
    }
}

TEST_ARENA(systemd_starts_no_program_with_a_quote_in_its_name_but_a_shell_does)
{
    static const char *const names[] = { "/x/it's/jitwarm", "/x/\"q\"/jitwarm", "/x/back\\slash" };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct jw_startup_spec s = plain;

        s.exe = names[i];
        CHECK_HAS(text_of(jw_startup_service, &s, a),
                  "\nExecStart=/bin/sh -c \"exec \\\"$$0\\\" \\\"$$@\\\"\" \"/x/");
    }
}

TEST(what_no_file_can_say_is_refused)
{
    static const char *const bad[] = { "/x\ny", "/tab\there", "/bell\a", "/del\x7f", "/latin\xe9" };
    static const make all[] = { jw_startup_service, jw_startup_task };
    struct jw_buf out = JW_BUF(JW_MAX_TEXT_FILE);

    for (size_t i = 0; i < JW_COUNT(bad); i++)
        for (size_t k = 0; k < JW_COUNT(all); k++) {
            struct jw_startup_spec s = plain;
            struct jw_err err = { 0 };

            s.exe = bad[i];
            s.user = SID;
            CHECK(!all[k](&s, &out, &err) && err.code == JW_E_USAGE);
            CHECK_HAS(err.msg, "the path of this program, /");
            CHECK_NUM(out.n, 0);
        }
    jw_buf_free(&out);
}

/* ---- reading back ---- */

TEST_ARENA(a_file_says_whose_it_is_and_what_it_starts)
{
    const char *unit = text_of(jw_startup_service, &odd, a), *program;

    CHECK(jw_startup_unit_is_ours((struct jw_bytes){ (const uint8_t *)unit, strlen(unit) }, a, &program));
    CHECK_TEXT(program, odd.exe);
    CHECK(!jw_startup_unit_is_ours(JW_BYTES("[Unit]\n# Written by jitwarm\n# Program: /x\n"), a, &program));
    CHECK(!program);
    CHECK(!jw_startup_unit_is_ours((struct jw_bytes){ 0 }, a, &program));
    CHECK(!jw_startup_unit_is_ours(JW_BYTES("# Written by jitwarm 1\n# Program: /x\0\n"), a, &program));
    CHECK(jw_startup_task_is_ours(text_of(jw_startup_task, &windows, a), a, &program));
    CHECK_TEXT(program, windows.exe);
    CHECK(!jw_startup_task_is_ours("<Task><Command>x", a, &program));
    CHECK(!program);
}

TEST(tasks_of_two_users_have_two_names)
{
    struct jw_buf one = JW_BUF(256), all = JW_BUF(256);
    struct jw_err err = { 0 };

    CHECK(jw_startup_task_name(&windows, &one, &err) && jw_startup_task_name(&all_windows, &all, &err));
    CHECK_TEXT(jw_buf_cstr(&one), "\\jitwarm startup " SID);
    CHECK_TEXT(jw_buf_cstr(&all), "\\jitwarm startup");
    jw_buf_free(&one);
    jw_buf_free(&all);
}

static const char folders[] = "C:\\Program Files\nC:\\Program Files (x86)\\\n";

TEST(below_program_files_only_administrators_write)
{
    CHECK(jw_startup_in_programs("C:\\Program Files\\jitwarm\\jitwarm.exe", folders));
    CHECK(jw_startup_in_programs("c:/program files (X86)/jitwarm.exe", folders));
}

TEST(everything_else_is_refused)
{
    static const char *const paths[] = {
        "",
        "C:\\Program Files",
        "C:\\Program Files\\",
        "C:\\Program Files2\\jitwarm.exe",
        "C:\\Program FilesX\\jitwarm.exe",
        "D:\\Program Files\\jitwarm.exe",
        "C:\\Users\\x\\Program Files\\jitwarm.exe",
        "C:\\Program Files\\..\\Users\\x\\jitwarm.exe",
        "C:\\Program Files/../Users/x/jitwarm.exe",
        "C:\\Program Files\\jitwarm\\..",
        "\\\\server\\Program Files\\jitwarm.exe",
    };

    for (size_t i = 0; i < JW_COUNT(paths); i++)
        CHECK(!jw_startup_in_programs(paths[i], folders));
    CHECK(!jw_startup_in_programs("C:\\x\\jitwarm.exe", ""));
    CHECK(!jw_startup_in_programs("C:\\x\\jitwarm.exe", NULL));
    CHECK(!jw_startup_in_programs("\\jitwarm.exe", "\n\n"));
}

TEST(a_name_that_only_holds_dots_climbs_nowhere)
{
    CHECK(jw_startup_in_programs("C:\\Program Files\\a..b\\jitwarm.exe", folders));
    CHECK(jw_startup_in_programs("C:\\Program Files\\...\\jitwarm.exe", folders));
}
