/* An old pack with a good signature brings back code that was replaced since. Whether it is old, what was imported tells. */
#include "pack/import/import_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "pack/store/ages.h"

/* A key that is trusted for some software alone says nothing of other software's age. */
static bool may_speak(const void *key, const char *software)
{
    return jw_key_covers(key, software);
}

static struct jw_pack_ages ages_of(const struct import *im)
{
    const struct jw_trusted_key *scope = import_scope(im);

    return (struct jw_pack_ages){ .manifest = im->manifest,
                                  .vouched = im->verdict.kind == JW_PACK_SIGNED,
                                  .counts = scope ? may_speak : NULL,
                                  .ctx = scope };
}

static void say_age(struct jw_buf *out, struct jw_pack_age age)
{
    if (!age.date) {
        jw_buf_text(out, "has no date");
        return;
    }
    jw_buf_text(out, "is of ");
    jw_text_time(out, (int64_t)age.date);
    jw_buf_printf(out, ", number %llu", (unsigned long long)age.counter);
}

static bool ask(struct import *im)
{
    const char *text = im->out->older;

    if (im->o->older || (im->o->ask && im->o->ask(im->o->ctx, text, false))) {
        prime_note(&im->p, "the pack is older than what was imported before");
        return true;
    }
    if (!im->o->ask)
        prime_advise(&im->p, "the same command with --yes imports it all the same");
    return import_end(im, JW_END_CONSENT, "%s", text);
}

static bool tell(struct import *im, struct jw_pack_age age, struct jw_pack_age newest)
{
    struct jw_buf text = JW_BUF(JW_MAX_SENTENCE);

    jw_buf_text(&text, "this pack ");
    say_age(&text, age);
    jw_buf_text(&text, ", and one that was imported here for the same driver and software ");
    say_age(&text, newest);
    jw_buf_text(&text, ": the older one could bring back code that was replaced since; import it?");
    im->out->older = jw_arena_str(im->a, jw_buf_cstr(&text));
    jw_buf_free(&text);
    im->out->newest = newest;
    if (im->o->dry_run) {
        prime_note(&im->p, "%s", im->out->older);
        return true;
    }
    return ask(im);
}

bool import_judge_age(struct import *im, struct jw_err *err)
{
    struct jw_pack_age age = { im->manifest->date, im->manifest->counter }, newest;
    struct jw_pack_ages of = ages_of(im);
    struct jw_err lost = { 0 };

    if (!im->out->counts[JW_IMPORT_NEW])
        return true;
    if (!jw_pack_newest(&of, &newest, &lost, err))
        return false;
    if (lost.code)
        prime_note(&im->p,
                   "%s; so it is not known how old the packs are that were imported before: an older one "
                   "could go in unnoticed",
                   lost.msg);
    return !jw_pack_older(age, newest) || tell(im, age, newest);
}

void import_keep_age(struct import *im)
{
    struct jw_pack_ages of = ages_of(im);
    struct jw_err why = { 0 };

    if (im->o->dry_run || !im->manifest
        || !(im->out->counts[JW_IMPORT_IMPORTED] || im->out->counts[JW_IMPORT_PRESENT]))
        return;
    if (!jw_pack_taken(&of, &why))
        prime_note(&im->p, "the date of this pack could not be remembered: %s", why.msg);
}
