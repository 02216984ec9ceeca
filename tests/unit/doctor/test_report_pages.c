/* The page of a made-up machine: what is not the page's own cannot become markup, and no command is lost. */
#include "check.h"
#include "verbs/report.h"

#include <string.h>

enum { MAX_PAGE = 1 << 20 };

static const struct report_page *hostile(void)
{
    static const struct report_column software[REPORT_COLUMNS] = {
        { "Software", "name" }, { "GPU", "" }, { "Verdict", "v" }, { "What happens", "" }, { "PTX", "n" }
    };
    static const struct report_column commands[REPORT_COLUMNS] = { { "Command", "name" },
                                                                   { "Modules", "n" } };
    static struct report_row installed[] = { { { "<img src=x onerror=alert(1)>", "NVIDIA GeForce RTX 3090",
                                                 "JIT_FIRST", "a|b<script>", "5 MiB" } } };
    static struct report_row recorded[] = { { { "python3 <x>.py", "140" } }, { { NULL, NULL } } };
    static struct jw_finding findings[] = {
        { .severity = JW_WARNING,
          .text = "the limit is <too> small",
          .consequence = "entries are lost",
          .fix = "raise it",
          .command = "jitwarm env apply" },
        { .severity = JW_NOTE, .text = "a tab\there" },
    };
    static const struct jw_findings all = { .v = findings, .n = 2 };
    static const struct report_page page = {
        .host = "node<1>",
        .facts = { { "Cache", "1 MiB, in /home/\"ada\"" }, { "Warm", "49 of 50 modules, primed 2 h ago" } },
        .n_facts = 2,
        .next = "jitwarm prime",
        .when = "after <b>that</b>",
        .findings = &all,
        .tables = { { "Software", software, installed, 1 }, { "Recorded <b>", commands, recorded, 2 } },
        .n_tables = 2,
    };

    return &page;
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
    CHECK(has(&page, "<td data-head=\"GPU\">NVIDIA GeForce RTX 3090"));
    CHECK(has(&page, "<td data-head=\"Verdict\" class=\"v warn\">JIT_FIRST"));
    CHECK(has(&page, "<pre># after &lt;b&gt;that&lt;/b&gt;:</pre>"));
    CHECK(has(&page, "<td data-head=\"Modules\" class=\"n\">140"));
    CHECK(has(&page, "content:attr(data-head)"));
    CHECK(!has(&page, "<img") && !has(&page, "<script") && !has(&page, "<b>"));
    jw_buf_free(&page);
}

TEST(what_is_unknown_makes_no_row)
{
    static const struct jw_findings none = { 0 };
    static const struct report_page unknown = { .host = "",
                                                .facts = { { "Driver", "none" } },
                                                .n_facts = 1,
                                                .findings = &none,
                                                .n_tables = REPORT_TABLES };
    struct jw_buf page = JW_BUF(MAX_PAGE);

    report_write_html(&page, &unknown);
    CHECK(has(&page, "<h1>jitwarm report</h1>"));
    CHECK(has(&page, "<dt>Driver</dt><dd>none</dd>"));
    CHECK(has(&page, "finds nothing wrong"));
    CHECK(!has(&page, "<table>") && !has(&page, "Next"));
    jw_buf_free(&page);
}
