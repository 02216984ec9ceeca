#include "check.h"
#include "jitwarm/err.h"

TEST(fail_is_a_sentence)
{
    err = (struct jw_err){JW_OK, 5, "old"};
    CHECK(!jw_fail(&err, JW_E_FORMAT, "elf: bad size %d", 7));
    CHECK(err.code == JW_E_FORMAT && err.os == 0);
    CHECK_TEXT(err.msg, "elf: bad size 7");
}

TEST(wrap_puts_what_was_done_in_front)
{
    (void)jw_fail(&err, JW_E_IO, "no such file");
    err.os = 2;
    CHECK(!jw_wrap(&err, "scan %s", "/opt/x.so"));
    CHECK(err.code == JW_E_IO && err.os == 2);
    CHECK_TEXT(err.msg, "scan /opt/x.so: no such file");
    (void)jw_wrap(&err, "%s", err.msg); /* its own text as an argument */
    CHECK_TEXT(err.msg, "scan /opt/x.so: no such file: scan /opt/x.so: no such file");
}

TEST(long_texts_are_cut_and_terminated)
{
    char text[1000];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)jw_fail(&err, JW_E_IO, "%s", text);
    CHECK_NUM(strlen(err.msg), sizeof err.msg - 1);
    (void)jw_wrap(&err, "short");
    CHECK_NUM(strlen(err.msg), sizeof err.msg - 1);
    CHECK(strncmp(err.msg, "short: xxx", 10) == 0);
    (void)jw_wrap(&err, "%s", text);
    CHECK(strncmp(err.msg, "short: xxx", 10)
          == 0); /* no room for a head that long: the cause stays */

    for (size_t n = sizeof err.msg - 5; n < sizeof err.msg + 2; n++) {
        (void)jw_fail(&err, JW_E_IO, "cause");
        (void)jw_wrap(&err, "%.*s", (int)n, text);
        CHECK(strlen(err.msg) < sizeof err.msg);
    }
}

TEST(a_failure_may_mean_something_else_to_who_called_but_an_interruption_stays_one)
{
    (void)jw_fail(&err, JW_E_IO, "cause");
    jw_err_becomes(&err, JW_E_FORMAT, JW_E_NAMED);
    CHECK_NUM(err.code, JW_E_IO);
    jw_err_becomes(&err, JW_E_IO, JW_E_NAMED);
    CHECK_NUM(err.code, JW_E_NAMED);
    CHECK_TEXT(err.msg, "cause");
    jw_err_becomes_all(&err, JW_E_NET);
    CHECK_NUM(err.code, JW_E_NET);
    (void)jw_fail(&err, JW_E_INTERRUPTED, "interrupted");
    jw_err_becomes_all(&err, JW_E_NET);
    CHECK_NUM(err.code, JW_E_INTERRUPTED);
}
