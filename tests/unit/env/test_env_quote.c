#include "check.h"
#include "env/env_quote.h"

static const char *line(struct jw_buf *out, enum jw_env_form form, const char *value)
{
    struct jw_err err = { 0 };

    jw_buf_clear(out);
    return jw_env_put(form, "A", value, out, &err) ? jw_buf_cstr(out) : "refused";
}

TEST(what_is_plain_stays_plain)
{
    struct jw_buf b = JW_BUF(1000);

    CHECK_TEXT(line(&b, JW_ENV_SH, "4294967296"), "export A=4294967296\n");
    CHECK_TEXT(line(&b, JW_ENV_FISH, "/a/b-c_d.e"), "set -gx A /a/b-c_d.e\n");
    CHECK_TEXT(line(&b, JW_ENV_POWERSHELL, "1"), "$env:A = '1'\n");
    CHECK_TEXT(line(&b, JW_ENV_CMD, "1"), "set \"A=1\"\n");
    CHECK_TEXT(line(&b, JW_ENV_DOCKER, "1"), "ENV A=\"1\"\n");
    CHECK_TEXT(line(&b, JW_ENV_SYSTEMD, "1"), "Environment=\"A=1\"\n");
    CHECK_TEXT(line(&b, JW_ENV_CONDA, "1"), "conda env config vars set A=1\n");
    CHECK_TEXT(line(&b, JW_ENV_CSH, "1"), "setenv A 1\n");
    CHECK_TEXT(line(&b, JW_ENV_ENVIRONMENT_D, "1"), "A=\"1\"\n");
    jw_buf_free(&b);
}

TEST(what_is_special_is_quoted)
{
    static const char hard[] = "a b'c\"d$e%f;g\\h`i!j*~";
    struct jw_buf b = JW_BUF(1000);

    CHECK_TEXT(line(&b, JW_ENV_SH, hard), "export A='a b'\\''c\"d$e%f;g\\h`i!j*~'\n");
    CHECK_TEXT(line(&b, JW_ENV_FISH, hard), "set -gx A 'a b\\'c\"d$e%f;g\\\\h`i!j*~'\n");
    CHECK_TEXT(line(&b, JW_ENV_POWERSHELL, hard), "$env:A = 'a b''c\"d$e%f;g\\h`i!j*~'\n");
    CHECK_TEXT(line(&b, JW_ENV_DOCKER, hard), "ENV A=\"a b'c\\\"d\\$e%f;g\\\\h`i!j*~\"\n");
    CHECK_TEXT(line(&b, JW_ENV_SYSTEMD, hard), "Environment=\"A=a b'c\\\"d$e%%f;g\\\\h`i!j*~\"\n");
    CHECK_TEXT(line(&b, JW_ENV_CSH, hard), "setenv A 'a b'\\''c\"d$e%f;g\\h`i\\!j*~'\n");
    CHECK_TEXT(line(&b, JW_ENV_ENVIRONMENT_D, hard), "A=\"a b'c\\\"d$$e%f;g\\\\h\\`i!j*~\"\n");
    CHECK_TEXT(line(&b, JW_ENV_CMD, "C:\\a b\\50%;$x&y^z!"), "set \"A=C:\\a b\\50%%;$x&y^z!\"\n");
    CHECK_TEXT(line(&b, JW_ENV_CONDA, "/a b;c"), "conda env config vars set \"A=/a b;c\"\n");
    CHECK_TEXT(line(&b, JW_ENV_SH, ""), "export A=''\n");
    CHECK_TEXT(line(&b, JW_ENV_FISH, "~"), "set -gx A '~'\n");
    jw_buf_free(&b);
}

TEST(powershell_takes_typographic_quotes_for_quotes)
{
    struct jw_buf b = JW_BUF(1000);

    CHECK_TEXT(line(&b, JW_ENV_POWERSHELL, "a\xe2\x80\x99z\xe2\x80\x9a"),
               "$env:A = 'a\xe2\x80\x99\xe2\x80\x99z\xe2\x80\x9a\xe2\x80\x9a'\n");
    CHECK_TEXT(line(&b, JW_ENV_POWERSHELL, "\xe2\x80\x9c"), "$env:A = '\xe2\x80\x9c'\n");
    jw_buf_free(&b);
}

TEST(line_breaks_are_kept_or_refused)
{
    struct jw_buf b = JW_BUF(1000);

    CHECK_TEXT(line(&b, JW_ENV_SH, "a\nb"), "export A='a\nb'\n");
    CHECK_TEXT(line(&b, JW_ENV_FISH, "a\nb"), "set -gx A 'a\nb'\n");
    CHECK_TEXT(line(&b, JW_ENV_POWERSHELL, "a\nb"), "$env:A = 'a\nb'\n");
    CHECK_TEXT(line(&b, JW_ENV_SYSTEMD, "a\nb"), "Environment=\"A=a\\x0ab\"\n");
    CHECK_TEXT(line(&b, JW_ENV_ENVIRONMENT_D, "a\nb"), "refused");
    CHECK_TEXT(line(&b, JW_ENV_CMD, "a\nb"), "refused");
    CHECK_TEXT(line(&b, JW_ENV_DOCKER, "a\nb"), "refused");
    CHECK_TEXT(line(&b, JW_ENV_CONDA, "a\nb"), "refused");
    CHECK_TEXT(line(&b, JW_ENV_CSH, "a\nb"), "refused");
    jw_buf_free(&b);
}

TEST(a_refusal_says_what_and_why_and_appends_nothing)
{
    struct jw_buf b = JW_BUF(1000);
    struct jw_err err = { 0 };

    jw_buf_text(&b, "before");
    CHECK(!jw_env_put(JW_ENV_CMD, "A", "x\"y", &b, &err));
    CHECK_NUM(err.code, JW_E_USAGE);
    CHECK_TEXT(err.msg, "A: cmd cannot hold a value with a double quote in it");
    CHECK_TEXT(jw_buf_cstr(&b), "before");
    CHECK(!jw_env_put(JW_ENV_CONDA, "A", "x'y", &b, &err));
    CHECK_TEXT(err.msg, "A: conda cannot hold a value with a single quote in it");
    jw_buf_free(&b);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(what_is_plain_stays_plain), T(what_is_special_is_quoted),
               T(powershell_takes_typographic_quotes_for_quotes), T(line_breaks_are_kept_or_refused),
               T(a_refusal_says_what_and_why_and_appends_nothing));
}
