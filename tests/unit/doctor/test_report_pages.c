/* The page of a made-up machine: what is not the page's own cannot become markup, and no command is lost. */
#include "base/limits.h"
#include "check.h"
#include "verbs/report.h"

#include <string.h>

enum { MAX_PAGE = 1 << 20 };

static const struct report_machine *hostile(void)
{
    static struct report_gpu gpus[] = { { "NVIDIA GeForce RTX 3090", "sm_86" } };
    static struct report_software software[] = {
        { "<img src=x onerror=alert(1)>", "NVIDIA GeForce RTX 3090", "JIT_FIRST", "compiled [now](x)",
          5 << 20 },
    };
    static struct report_module slowest[] = { { "<b>k</b>", "a|b<script>", "sm_86", 90000, 1024 } };
    static struct report_build builds[] = { { "Jan  7 2026 22:51:46", "sm_86", "current", 12, 1 << 20 } };
    static struct report_finding findings[] = {
        { "warning", "the limit is <too> small", "entries are lost", "raise it", "jitwarm env apply" },
        { "note", "a tab\there", "", "", "" },
    };
    static struct report_command commands[] = { { "python3 <x>.py", "2026-11-20 07:00 UTC",
                                                  "12 s cold, 1.1 s warm", 140 } };
    static const char *next[] = { "jitwarm prime" };
    static const struct report_machine m = { .name = "node<1>",
                                             .made = "2026-11-21 13:09 UTC",
                                             .version = "9.9.9",
                                             .driver = "580.126.09",
                                             .cache = "/home/\"ada\"",
                                             .warm = "49 of 50 modules, primed 2 h ago",
                                             .primed = true,
                                             .compiled = 50,
                                             .cache_bytes = 1 << 20,
                                             .cache_limit = 1 << 30,
                                             .gpus = gpus,
                                             .n_gpus = 1,
                                             .software = software,
                                             .n_software = 1,
                                             .slowest = slowest,
                                             .n_slowest = 1,
                                             .builds = builds,
                                             .n_builds = 1,
                                             .findings = findings,
                                             .n_findings = 2,
                                             .commands = commands,
                                             .n_commands = 1,
                                             .next = next,
                                             .n_next = 1 };

    return &m;
}

static bool has(struct jw_buf *page, const char *text)
{
    return strstr(jw_buf_cstr(page), text) != NULL;
}

TEST(html_escapes_every_text)
{
    struct jw_buf page = JW_BUF(MAX_PAGE);

    report_write_html(&page, hostile());
    CHECK(has(&page, "<h1>jitwarm report: node&lt;1&gt;</h1>"));
    CHECK(has(&page, "&lt;img src=x onerror=alert(1)&gt;"));
    CHECK(has(&page, "/home/&quot;ada&quot;"));
    CHECK(has(&page, "<p>a tab\\x09here</p>"));
    CHECK(has(&page, "<pre>jitwarm env apply</pre>"));
    CHECK(has(&page, "<pre>jitwarm prime</pre>"));
    CHECK(has(&page, "49 of 50 modules, primed 2 h ago"));
    CHECK(has(&page, "<td data-head=\"Command\" class=\"name\">python3 &lt;x&gt;.py"));
    /* A phone shows a row's cells one below the other, each with its heading. */
    CHECK(has(&page, "<td data-head=\"Start\">12 s cold, 1.1 s warm"));
    CHECK(has(&page, "<td data-head=\"Modules\" class=\"n\">140"));
    CHECK(has(&page, "content:attr(data-head)"));
    CHECK(!has(&page, "<img") && !has(&page, "<script") && !has(&page, "<b>"));
    jw_buf_free(&page);
}

TEST(what_is_unknown_makes_no_row)
{
    static const struct report_machine unknown = {
        .name = "", .made = "", .version = "1", .driver = "", .cache = "", .warm = ""
    };
    struct jw_buf page = JW_BUF(MAX_PAGE);

    report_write_html(&page, &unknown);
    CHECK(has(&page, "<h1>jitwarm report</h1>"));
    CHECK(has(&page, "<dt>Driver</dt><dd>none</dd>"));
    CHECK(!has(&page, "Cache") && !has(&page, "<table") && !has(&page, "Next"));
    jw_buf_free(&page);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(html_escapes_every_text), T(what_is_unknown_makes_no_row));
}
