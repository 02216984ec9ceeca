#include "check.h"

#include "fleet/format/header.h"

#include <string.h>

static struct jw_http_answer answer;

static void line(const char *text)
{
    jw_http_header(&answer, text, strlen(text));
}

TEST(answers)
{
    line("HTTP/1.1 100 Continue\r\n");
    line("Location: /old\r\n");
    line("HTTP/1.1 401 Unauthorized\r\n");
    CHECK(answer.status == 401 && !answer.location[0]);
    line("Www-Authenticate: Basic realm=\"r\"\r\n");
    line("WWW-AUTHENTICATE:Bearer realm=\"t\" \r\n");
    CHECK_TEXT(answer.challenge, "Basic realm=\"r\", Bearer realm=\"t\"");
    line("Retry-After: 7\r\n");
    CHECK(answer.retry_after == 7);
    line("Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n");
    CHECK(answer.retry_after == 0);
    line("Retry-After: -1\r\n");
    CHECK(answer.retry_after == 0);
    line("Location: /a\r\n");
    line("Location: /b\r\n");
    CHECK_TEXT(answer.location, "/b");
    line("Range: 0-8388607\r\n");
    CHECK_TEXT(answer.range, "0-8388607");
    line("X-Location: /c\r\n");
    CHECK_TEXT(answer.location, "/b");
}

TEST(odd)
{
    static char longest[JW_MOST_URL + 32] = "Location: ";

    memset(longest + 10, 'a', sizeof longest - 11);
    line("HTTP/2 200\r\n");
    CHECK(answer.status == 200);
    line(longest);
    CHECK(!answer.location[0]);
    jw_http_header(&answer, "Location: a\0b\r\n", 15);
    CHECK(!answer.location[0]);
    line("Retry-After: 9999999999\r\n");
    CHECK(answer.retry_after == 0);
    line("HTTP/1.1 -12 x\r\n");
    CHECK(answer.status == 0);
    line("HTTP/1.1\r\n");
    CHECK(answer.status == 0);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(answers), T(odd));
}
