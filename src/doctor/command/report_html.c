/* Writes one self-contained page: no script, font or picture. Light or dark as the reader's system; wide tables scroll
 * on a phone; nothing is cut in print. */
#include "base/num.h"
#include "doctor/command/report_view.h"

#include <string.h>

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n"
    "<title>jitwarm report</title>\n<style>\n"
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d1d9e0;--card:#f6f8fa;"
    "--good:#1a7f37;--warn:#9a6700;--bad:#c0262d;--bar:#0969da;--old:#b8c0c8}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#3d444d;"
    "--card:#151b23;--good:#4ac26b;--warn:#d4a72c;--bad:#ff7b72;--bar:#4493f8;--old:#4a525b}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:64rem;background:var(--bg);color:var(--fg);"
    "font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem;margin:.2rem 0 1rem}"
    "h3{font-size:1rem;margin:1.5rem 0 .4rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem "
    "1rem;margin:0}dt{color:var(--dim)}dd{margin:0}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem;overflow-wrap:normal}\n"
    "th{text-align:left;color:var(--dim);font-weight:600}th,td{padding:.3rem .6rem .3rem 0;"
    "border-bottom:1px solid var(--line);vertical-align:top}.n{text-align:right;white-space:nowrap}\n"
    "td.name{min-width:9rem;overflow-wrap:anywhere}.v{font-weight:600;white-space:nowrap}\n"
    ".good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}.dim{color:var(--dim)}\n"
    ".finding{border-left:4px solid var(--line);background:var(--card);padding:.5rem .8rem;margin:.5rem 0}"
    ".finding.bad{border-color:var(--bad)}.finding.warn{border-color:var(--warn)}.finding "
    "p{color:var(--fg);margin:.2rem 0}\n"
    "pre,code{font:.9rem/1.4 ui-monospace,monospace}pre{background:var(--card);padding:.6rem "
    ".8rem;margin:.4rem 0;"
    "white-space:pre-wrap;border:1px solid var(--line)}\n"
    "pre{color:var(--fg)}\n"
    "@media screen and (max-width:40rem){.stack tr:first-child{display:none}.stack "
    "tr{display:block;padding:.4rem 0;"
    "border-bottom:1px solid var(--line)}.stack td{display:block;border:0;padding:0;text-align:left}"
    ".stack td::before{content:attr(data-head) \": \";color:var(--dim)}"
    ".slow tr>:nth-child(3),.slow tr>:nth-child(4),.slow "
    "tr>:nth-child(6){display:none}td.name{min-width:0}}\n"
    "svg{display:block;width:100%;height:auto}.bar{fill:var(--bar)}"
    ".old{fill:var(--old)}.rail{fill:var(--"
    "card);"
    "stroke:var(--line)}\n"
    "@media "
    "print{:root{--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--card:#f4f4f4}body{max-width:none;font-size:"
    "11pt}"
    ".wide{overflow:visible}tr,.finding,svg{break-inside:avoid}h3,svg,tr:first-child{break-after:avoid}}\n"
    "</style>\n</head>\n<body>\n";

/* Escapes text: it cannot become markup. */
static void put_html(struct jw_buf *out, const char *text)
{
    static const char *const rules[] = { "&&amp;", "<&lt;", ">&gt;", "\"&quot;", "'&#39;", NULL };
    struct jw_buf clean = JW_BUF(REPORT_TEXT);

    jw_text_clean(&clean, text);
    jw_text_escape(out, jw_buf_cstr(&clean), rules);
    jw_buf_free(&clean);
}

static void element(struct jw_buf *out, const char *open, const char *text, const char *close)
{
    jw_buf_text(out, open);
    put_html(out, text);
    jw_buf_text(out, close);
}

/* Of a table whose rows a phone shows one below the other: each cell brings its heading. */
static void headed(struct jw_buf *out, const char *heading, const char *class, const char *text)
{
    jw_buf_printf(out, "<td data-head=\"%s\"", heading);
    if (*class)
        jw_buf_printf(out, " class=\"%s\"", class);
    element(out, ">", text, "");
}

static void cell(struct jw_buf *out, const char *class, const char *text)
{
    jw_buf_printf(out, *class ? "<td class=\"%s\">" : "<td%s>", class);
    element(out, "", text, "</td>");
}

static const char *tone_of(const char *verdict)
{
    static const struct {
        const char *verdict, *tone;
    } tones[] = {
        { "NATIVE", "good" },     { "WARM", "good" },        { "JIT_FIRST", "warn" },
        { "DRIVER_OLD", "bad" },  { "JIT_EVERY", "bad" },    { "NO_KERNEL", "bad" },
        { "PTX_TOO_NEW", "bad" }, { "LIBS_MISSING", "bad" }, { "CPU_BUILD", "warn" },
    };

    for (size_t i = 0; i < sizeof tones / sizeof *tones; i++)
        if (strcmp(verdict, tones[i].verdict) == 0)
            return tones[i].tone;
    return "dim";
}

static void facts(struct jw_buf *out, const struct report_machine *m)
{
    jw_buf_text(out, "<dl>\n");
    for (size_t i = 0; i < REPORT_FACTS; i++) {
        struct jw_buf value = JW_BUF(REPORT_TEXT);
        const char *label = report_fact(m, i, &value);

        if (value.n) {
            element(out, "<dt>", label, "</dt>");
            element(out, "<dd>", jw_buf_cstr(&value), "</dd>\n");
        }
        jw_buf_free(&value);
    }
    jw_buf_text(out, "</dl>\n");
}

static void software(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->n_software)
        return;
    jw_buf_text(out, "<h3>Software</h3>\n<div class=\"wide\"><table "
                     "class=\"stack\"><tr><th>Software<th>GPU<th>Verdict<th>What happens"
                     "<th class=\"n\">PTX to compile</tr>\n");
    for (size_t i = 0; i < m->n_software; i++) {
        const struct report_software *s = &m->software[i];

        jw_buf_text(out, "<tr>");
        headed(out, "Software", "name", s->name);
        headed(out, "GPU", "", s->gpu);
        headed(out, "Verdict", JW_PHRASE("v %s", tone_of(s->verdict)), s->verdict);
        headed(out, "What happens", "", s->what);
        headed(out, "PTX to compile", "n", report_size(s->ptx_bytes).text);
        jw_buf_text(out, "</tr>\n");
    }
    jw_buf_text(out, "</table></div>\n");
}

static void findings(struct jw_buf *out, const struct report_machine *m)
{
    jw_buf_text(out, "<h3>Findings</h3>\n");
    if (!m->n_findings)
        jw_buf_text(out, "<p class=\"good\">jitwarm doctor finds nothing wrong.</p>\n");
    for (size_t i = 0; i < m->n_findings; i++) {
        const struct report_finding *f = &m->findings[i];
        const char *tone = strcmp(f->severity, "error") == 0     ? "bad"
                           : strcmp(f->severity, "warning") == 0 ? "warn"
                                                                 : "dim";

        jw_buf_printf(out, "<div class=\"finding %s\"><strong>%s</strong>", tone,
                      report_severity(f->severity));
        element(out, "<p>", f->text, "</p>\n");
        if (*f->consequence)
            element(out, "<p>", f->consequence, "</p>\n");
        if (*f->fix)
            element(out, "<p>Fix: ", f->fix, "</p>\n");
        if (*f->command)
            element(out, "<pre>", f->command, "</pre>\n");
        jw_buf_text(out, "</div>\n");
    }
}

static void commands(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->n_commands)
        return;
    jw_buf_text(
        out, "<h3>Recorded commands</h3>\n<div class=\"wide\"><table class=\"stack\"><tr><th>Command<th>Start"
             "<th class=\"n\">Modules<th>Recorded</tr>\n");
    for (size_t i = 0; i < m->n_commands; i++) {
        jw_buf_text(out, "<tr>");
        headed(out, "Command", "name", m->commands[i].words);
        headed(out, "Start", "", m->commands[i].times);
        headed(out, "Modules", "n", JW_NUM(m->commands[i].modules));
        headed(out, "Recorded", "", m->commands[i].when);
        jw_buf_text(out, "</tr>\n");
    }
    jw_buf_text(out, "</table></div>\n");
}

/* How full the cache is, by driver build. */
static void show_fill(struct jw_buf *out, const struct report_machine *m)
{
    enum { WIDTH = 1000, HEIGHT = 24 };
    uint64_t sum = 0, whole;
    double at = 0;

    for (size_t i = 0; i < m->n_builds; i++)
        sum += m->builds[i].bytes;
    whole = jw_max(sum, m->cache_limit);
    if (!sum)
        return;
    jw_buf_printf(out,
                  "<h3>Cache by driver build</h3>\n<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
                  "style=\"height:24px\" role=\"img\" aria-label=\"How full the cache is\">"
                  "<rect class=\"rail\" width=\"%d\" height=\"%d\"/>",
                  WIDTH, HEIGHT, WIDTH, HEIGHT);
    for (size_t i = 0; i < m->n_builds; i++) {
        double wide = (double)m->builds[i].bytes / (double)whole * WIDTH;

        jw_buf_printf(out, "<rect class=\"%s\" x=\"%.2f\" width=\"%.2f\" height=\"%d\"/>",
                      strcmp(m->builds[i].state, "current") == 0 ? "bar" : "old", at, wide, HEIGHT);
        at += wide;
    }
    jw_buf_text(
        out, "</svg>\n<div class=\"wide\"><table><tr><th>Driver build<th>GPU<th>State<th class=\"n\">Entries"
             "<th class=\"n\">Size</tr>\n");
    for (size_t i = 0; i < m->n_builds; i++) {
        jw_buf_text(out, "<tr>");
        cell(out, "", m->builds[i].build);
        cell(out, "", m->builds[i].arch);
        cell(out, "", m->builds[i].state);
        cell(out, "n", JW_NUM(m->builds[i].entries));
        cell(out, "n", report_size(m->builds[i].bytes).text);
        jw_buf_text(out, "</tr>\n");
    }
    jw_buf_text(out, "</table></div>\n");
}

static void slowest(struct jw_buf *out, const struct report_machine *m)
{
    if (!m->n_slowest)
        return;
    jw_buf_text(out, "<h3>Slowest modules</h3>\n<div class=\"wide\"><table "
                     "class=\"slow\"><tr><th>Kernel<th>Software<th>GPU<th "
                     "class=\"n\">PTX<th class=\"n\">Time<th></tr>\n");
    for (size_t i = 0; i < m->n_slowest; i++) {
        const struct report_module *s = &m->slowest[i];
        uint64_t max = jw_max(m->slowest[0].milliseconds, 1);

        jw_buf_text(out, "<tr>");
        cell(out, "name", report_module_name(s));
        cell(out, "name", s->name);
        cell(out, "", s->arch);
        cell(out, "n", report_size(s->ptx_bytes).text);
        cell(out, "n", report_ms(s->milliseconds).text);
        jw_buf_printf(
            out,
            "<td style=\"width:30%%;min-width:5rem\"><svg viewBox=\"0 0 100 6\" "
            "preserveAspectRatio=\"none\" "
            "style=\"height:.8rem\" aria-hidden=\"true\"><rect class=\"bar\" width=\"%.1f\" height=\"6\"/>"
            "</svg></td></tr>\n",
            (double)jw_min(s->milliseconds, max) / (double)max * 100);
    }
    jw_buf_text(out, "</table></div>\n");
    if (m->compiled > m->n_slowest)
        jw_buf_printf(out, "<p class=\"dim\">%zu of %llu modules</p>\n", m->n_slowest,
                      (unsigned long long)m->compiled);
}

void report_write_html(struct jw_buf *out, const struct report_machine *m)
{
    jw_buf_text(out, head);
    jw_buf_text(out, "<h1>jitwarm report");
    if (*m->name)
        element(out, ": ", m->name, "");
    jw_buf_text(out, "</h1>\n");
    facts(out, m);
    if (m->n_next)
        jw_buf_text(out, "<h3>Next</h3>\n");
    for (size_t i = 0; i < m->n_next; i++)
        element(out, "<pre>", m->next[i], "</pre>\n");
    findings(out, m);
    software(out, m);
    commands(out, m);
    show_fill(out, m);
    slowest(out, m);
    jw_buf_text(out, "</body>\n</html>\n");
}
