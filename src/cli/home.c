#include "base/limits.h"
#include "base/text.h"
#include "cli/commands.h"
#include "verbs/status.h"

/* "Everyday  prime verify scan ..." */
static void show_verbs(struct jw_page *page)
{
    for (size_t i = 0; jw_cmds[i];) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);
        const char *title = jw_cmd_titles[i];

        do {
            if (!jw_cmds[i]->hidden)
                jw_say(&text, "%s%s", text.n ? " " : "", jw_cmds[i]->name);
            i++;
        } while (jw_cmds[i] && !jw_cmd_titles[i]);
        if (!jw_cmds[i])
            jw_say(&text, " (jitwarm help VERB)");
        jw_page_line(page, TINT_STRONG, title ? title : "", &text);
    }
}

int jw_home_print(struct cli *cli)
{
    const struct jw_status_options o = { .brief = true };
    struct jw_status_report report = { 0 };
    struct status_view view;
    struct jw_page page;
    struct jw_err err = { 0 };
    bool ok = status_view_gather(cli, &o, &report, &view, &err);

    if (ok) {
        jw_page_open(&page, cli, STATUS_LABEL, &err);
        jw_page_say(&page, TINT_NONE, NULL, "CUDA software starts fast on GPUs it was not built for.");
        jw_page_rows(&page, TINT_STRONG, status_screen_rows, &view);
        jw_page_put(&page, "\n");
        show_verbs(&page);
        jw_page_put(&page, "\n");
        status_show_next(&page, &view);
        jw_page_end(&page, report.current ? report.current->stamp : NULL);
        ok = !page.bad;
    }
    jw_status_free(&report);
    return ok ? EXIT_DONE : jw_cli_fail(cli, &err);
}
