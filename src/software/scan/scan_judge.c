#include "software/scan/scan_judge.h"

/* A result of the device linker without code for this GPU: the driver links it when it is loaded.
 * Its inputs are listed while the program starts, so a file does not say which they are: all may
 * be. driver-fact: F87-links-at-load, F88-link-list */
static bool lacks_code(const struct jw_fat *fat, const struct jw_choice *c)
{
    return fat->role == JW_ROLE_CODE && !fat->text && fat->wrapper != 1
           && (c->outcome == JW_SELECTED_NONE || c->outcome == JW_SELECTED_STUB);
}

/* A program fails without it: an empty one stands for all kernels of the inputs, a stub of other
 * GPUs for none. */
static bool is_needed(const struct jw_fat *fat, const struct jw_choice *c)
{
    return lacks_code(fat, c) && (fat->n == 0 || c->outcome == JW_SELECTED_NONE);
}

struct scan_judge scan_judge(const struct jw_image *image, unsigned sm,
                             const struct jw_driver_limits *driver)
{
    struct scan_judge j = {.image = image, .driver = driver, .sm = sm};
    bool stub = false;
    bool linked = false;

    for (size_t i = 0; i < image->fats.n; i++)
        j.inputs += jw_is_link_input(&image->fats.list[i]);
    if (!j.inputs) /* as in most files: nothing is linked */
        return j;
    for (size_t i = 0; i < image->fats.n; i++) {
        const struct jw_fat *fat = &image->fats.list[i];
        bool input = jw_is_link_input(fat);
        struct jw_choice c = jw_select(fat, image->fats.entries, sm, driver, input);

        j.missing += input && (c.outcome == JW_SELECTED_NONE || c.outcome == JW_SELECTED_LTO);
        j.results += !input && is_needed(fat, &c);
        stub |= !input && lacks_code(fat, &c);
        linked |=
            c.outcome == JW_SELECTED_NATIVE && fat->wrapper == 2; /* the inputs are this one's */
    }
    /* A result that needs an input with nothing for this GPU fails. driver-fact: F89-link-inputs,
     * F96-link-lto */
    j.links = (j.results || (stub && !linked)) && j.missing < j.inputs;
    return j;
}

bool scan_judge_input(const struct scan_judge *j, const struct jw_fat *fat)
{
    return j->links && jw_is_link_input(fat);
}

struct jw_choice scan_judge_module(const struct scan_judge *j, const struct jw_fat *fat)
{
    struct jw_choice c =
        jw_select(fat, j->image->fats.entries, j->sm, j->driver, scan_judge_input(j, fat));

    if (j->links && lacks_code(fat, &c))
        c.outcome = JW_SELECTED_LINKED;
    else if (!j->links && j->inputs && is_needed(fat, &c))
        c.outcome = JW_SELECTED_NONE;
    return c;
}
