#include "software/scan/scan_judge.h"

struct scan_judge scan_judge(const struct jw_image *image, unsigned sm, const struct jw_driver_limits *driver)
{
    struct scan_judge j = { .image = image, .driver = driver, .sm = sm };

    for (size_t i = 0; i < image->fats.n; i++) {
        const struct jw_fat *fat = &image->fats.list[i];

        bool input = jw_is_link_input(fat);
        struct jw_choice c = jw_select(fat, image->fats.entries, sm, driver, input);

        j.inputs += input;
        j.missing += input && c.outcome == JW_SELECTED_NONE;
        j.results += !input && jw_links_result(fat, &c);
    }
    /* An input with nothing for this GPU is passed over: the driver compiles the others, and a result that needs it fails.
     * driver-fact: F89-link-inputs */
    j.links = j.results && j.missing < j.inputs;
    return j;
}

bool scan_judge_input(const struct scan_judge *j, const struct jw_fat *fat)
{
    return j->links && jw_is_link_input(fat);
}

struct jw_choice scan_judge_module(const struct scan_judge *j, const struct jw_fat *fat)
{
    struct jw_choice c = jw_select(fat, j->image->fats.entries, j->sm, j->driver, scan_judge_input(j, fat));

    if (j->inputs && jw_links_result(fat, &c))
        c.outcome = j->links ? JW_SELECTED_LINKED : JW_SELECTED_NONE;
    return c;
}
