/* Before a prime: imports what fits of the packs that wait on this machine. */
#include "base/limits.h"
#include "base/text.h"
#include "os/files/file.h"
#include "pack/import/import_folder.h"
#include "verbs/prime.h"

static void say_packs(struct jw_buf *out, const struct jw_packs_report *r)
{
    if (r->changed)
        jw_say(out, "%s imported from %u of %s", JW_N(r->entries, "entry", "entries"), r->imported,
               JW_N(r->packs, "pack", "packs"));
    if (r->unfit)
        jw_say(out, ", %u not for this machine", r->unfit);
    if (r->refused)
        jw_say(out, ", %u refused", r->refused);
    if (r->why)
        jw_say(out, r->changed ? " (%s)" : "packs: %s", r->why);
}

static bool all_are_there(const struct texts *paths)
{
    struct jw_file_info info;
    struct jw_err ignored;

    for (size_t i = 0; i < paths->n; i++)
        if (!jw_file_stat(paths->items[i], &info, &ignored) || info.kind == JW_FILE_NONE)
            return false;
    return true;
}

/* Reports a failure and continues: the prime only takes longer. */
bool prime_packs(struct cli *cli, const struct prime_args *a, struct jw_err *err)
{
    const struct jw_packs_options o = { .folder = jw_packs_folder(&cli->session),
                                        .paths = a->paths.items,
                                        .n_paths = a->paths.n,
                                        .as_root = a->as_root };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_packs_report r;

    if (!all_are_there(&a->paths)) /* the prime ends with that, and changes nothing */
        return true;
    if (!jw_packs_import(&cli->session, &o, &r, err))
        return false;
    say_packs(&text, &r);
    if (text.n && (r.entries || r.refused || r.why || r.again))
        jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
    return true;
}
