/* Before a prime: what fits of the packs that an administrator has put into the machine's folder is imported. */
#include "base/limits.h"
#include "base/text.h"
#include "pack/import/import_folder.h"
#include "prime/command/prime_args.h"

static void say_packs(struct jw_buf *out, const struct jw_packs_report *r)
{
    jw_say(out, "%s imported from %u of %u packs", JW_N(r->entries, "entry", "entries"), r->imported,
           r->packs);
    if (r->unfit)
        jw_say(out, ", %u not for this machine", r->unfit);
    if (r->refused)
        jw_say(out, ", %u refused", r->refused);
    if (r->why)
        jw_say(out, " (%s)", r->why);
}

/* Reports a failure and continues: the prime only takes longer. */
bool prime_packs(struct cli *cli, const struct prime_args *a, struct jw_err *err)
{
    const struct jw_packs_options o = { .folder = jw_packs_folder(cli->arena),
                                        .cache = a->cache,
                                        .as_root = a->as_root,
                                        .interrupted = cli->interrupted };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_packs_report r;
    struct jw_err why = { 0 };

    if (!o.folder)
        return true;
    if (jw_packs_import(&o, cli->arena, &r, &why)) {
        if (r.changed)
            say_packs(&text, &r);
    } else if (why.code == JW_E_INTERRUPTED) {
        *err = why;
        return false;
    } else
        jw_say(&text, "packs: %s", why.msg);
    if (text.n)
        jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
    return true;
}
