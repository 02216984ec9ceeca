#include "prime/memory/next_start.h"

#include "base/text.h"
#include "cache/place/cachedir.h"

static const char *const next_start_names[] = { "warm", "compiles", "unknown" };

void jw_next_start_take_index(struct jw_next_start_facts *f, enum jw_index_trouble trouble)
{
    static const char *const words[] = {
        [JW_INDEX_MISCOUNTS] =
            "the cache's index is damaged: programs still find what is there, but the driver miscounts it",
        [JW_INDEX_LOST] = "the cache's index is missing or damaged: programs still find what is there, but "
                          "the next one that compiles something deletes all else",
        [JW_INDEX_HIDES] = "the cache's index is damaged, and programs find nothing in the cache"
    };

    if (trouble != JW_INDEX_HIDES)
        f->index = words[trouble];
    else if (!f->obstacle)
        f->obstacle = words[trouble];
}

bool jw_next_start_is_over(const struct jw_next_start_facts *f)
{
    return jw_cache_is_over(&f->limit, f->stored, f->needed);
}

uint32_t jw_next_start_reasons(const struct jw_next_start_facts *f)
{
    const bool is[JW_BY_NOTHING] = {
        [JW_BY_BAN] = f->forbidden,
        [JW_BY_SETTING] = f->setting,
        [JW_BY_DRIVER] = f->other_driver,
        [JW_BY_MODULES] = f->warm + f->refused < f->modules,
        [JW_BY_PLACE] = f->obstacle,
        [JW_BY_PROOF] = f->refuted,
        [JW_BY_OTHER_CACHES] = f->other_caches,
        [JW_BY_LOSS] = f->lost,
        [JW_BY_IMPORT] = f->imported,
        [JW_BY_SOURCE] = f->sourceless,
        [JW_BY_INDEX] = f->index,
        [JW_BY_ABSENCE] = f->no_driver,
        [JW_BY_LIMIT] = jw_next_start_is_over(f),
        [JW_BY_LOGIN] = f->login,
        [JW_BY_CHANGE] = f->changed,
        [JW_BY_COMMANDS] = f->commands,
        [JW_BY_UNREAD] = f->unread,
        [JW_BY_REFUSAL] = f->refused,
        [JW_BY_BLOCKED] = f->blocked,
        [JW_BY_LACK] = f->lacking,
        [JW_BY_GPUS] = f->gpus_unknown,
        [JW_BY_DOUBT] = f->doubtful,
        [JW_BY_PIECES] = f->pieces,
        [JW_BY_LINK] = f->failing,
        [JW_BY_LTO] = f->lto,
        [JW_BY_GONE] = f->commands && f->commands_gone,
        [JW_BY_UNASKED] = !f->unasked && f->asked != JW_ASKED_ALL,
    };
    uint32_t reasons = !f->unasked ? 0 : JW_BUT(f->unasked_by ? f->unasked_by : JW_BY_UNASKED);

    _Static_assert(JW_BY_NOTHING <= 32, "each has its bit");

    for (unsigned i = 0; i < JW_BY_NOTHING; i++)
        reasons |= is[i] ? JW_BUT(i) : 0;
    return reasons;
}

/* Missing modules of software that has changed since are not a reason: it may have other modules now. */
static enum jw_next_start_reason reason_of(const struct jw_next_start_facts *f)
{
    const uint32_t reasons = jw_next_start_reasons(f) & ~(f->changed ? JW_BUT(JW_BY_MODULES) : 0);
    enum jw_next_start_reason r = 0;

    while (r < JW_BY_NOTHING && !(reasons & JW_BUT(r)))
        r++;
    return r;
}

enum jw_next_start jw_next_start_of(const struct jw_next_start_facts *f)
{
    enum jw_next_start_reason r = reason_of(f);

    return r == JW_BY_NOTHING                           ? JW_NEXT_START_WARM
           : r == JW_BY_COMMANDS && f->commands_compile ? JW_NEXT_START_COMPILES
           : r != JW_BY_BAN && r <= JW_BY_SOURCE        ? JW_NEXT_START_COMPILES
                                                        : JW_NEXT_START_UNKNOWN;
}

bool jw_next_start_is_warm_but(const struct jw_next_start_facts *f, uint32_t reasons)
{
    return !(jw_next_start_reasons(f) & ~reasons);
}

void jw_next_start_say(struct jw_buf *out, const struct jw_next_start_facts *f)
{
    if (f->warm < f->modules)
        jw_say(out, "%s of %s", JW_NUM(f->warm), JW_N(f->modules, "module", "modules"));
    else if (f->modules > 2)
        jw_say(out, "all %s modules", JW_NUM(f->modules));
    else
        jw_say(out, f->modules == 2   ? "both modules"
                    : f->modules == 1 ? "the one module"
                    : f->found        ? "no module of what was found here has to be compiled"
                                      : "no module has to be compiled");
    if (f->modules)
        jw_say(out, f->warm == 1 || f->modules == 1 ? " is warm" : " are warm");
}

/* Names the first of the facts that were not looked at. */
static const char *why_unasked(const struct jw_next_start_facts *f)
{
    static const char *const words[] = { "which modules there are was not looked at",
                                         "the files were not looked at",
                                         "the settings were not looked at",
                                         "the cache's place was not looked at",
                                         "the driver was not looked at",
                                         "the cache's limit was not looked at",
                                         "recorded commands were not looked at",
                                         "what has changed was not looked at" };
    size_t i = 0;

    _Static_assert(JW_ASKED_ALL == (1U << JW_COUNT(words)) - 1, "each has its words");
    while (i < JW_COUNT(words) - 1 && f->asked & 1U << i)
        i++;
    return f->unasked ? f->unasked : words[i];
}

bool jw_next_start_say_why(struct jw_buf *out, const struct jw_next_start_facts *f)
{
    switch (reason_of(f)) {
    case JW_BY_BAN: jw_say(out, "%s", f->forbidden); return true;
    case JW_BY_SETTING: jw_say(out, "%s", f->setting); return true;
    case JW_BY_DRIVER: jw_say(out, "the driver has changed since the last prime"); return true;
    case JW_BY_ABSENCE: jw_say(out, "the driver is not found where it was at the last prime"); return true;
    case JW_BY_LIMIT:
        jw_say(out, "the cache holds more than its limit%s: what is stored next evicts some",
               !f->limit.login_lower ? ""
               : f->limit.terminal   ? " in a new terminal"
                                     : " in a fresh login");
        return true;
    case JW_BY_INDEX: jw_say(out, "%s", f->index); return true;
    case JW_BY_PLACE: jw_say(out, "%s", f->obstacle); return true;
    case JW_BY_PROOF: jw_say(out, "not all could be verified"); return true;
    case JW_BY_OTHER_CACHES:
        jw_say(out, "not all is warm in caches that recorded commands chose");
        return true;
    case JW_BY_LOSS:
        jw_say(out, "%s that recorded commands load %s not in the cache", JW_N(f->lost, "entry", "entries"),
               f->lost == 1 ? "is" : "are");
        return true;
    case JW_BY_IMPORT: jw_say(out, "%s", f->imported); return true;
    case JW_BY_SOURCE:
        jw_say(out, "the command loads %s that no known file has",
               JW_N(f->sourceless, "more module", "more modules"));
        return true;
    case JW_BY_CHANGE: jw_say(out, "changed since the last run: %s", f->changed); return true;
    case JW_BY_GPUS:
        jw_say(out, "only the driver knows which GPU is here, and it is not asked now");
        if (f->gpus)
            jw_say(out, "; the last run found %s", f->gpus);
        return true;
    case JW_BY_UNREAD: jw_say(out, "%s could not be read", JW_N(f->unread, "file", "files")); return true;
    case JW_BY_REFUSAL:
        jw_say(out, "this driver cannot compile %s, and another prime does not help: %s%s",
               JW_N(f->refused, "module", "modules"), f->refused > 1 ? "the first is in " : "", f->refusal);
        return true;
    case JW_BY_BLOCKED:
        jw_say(out, "%s", f->too_new ? f->too_new : "not all can be loaded here");
        return true;
    case JW_BY_LACK: jw_say(out, "%s", f->lacking); return true;
    case JW_BY_DOUBT:
        jw_say(out, "%s damaged or of an unknown form; whether the driver compiles %s is not known",
               JW_N(f->doubtful, "module is", "modules are"), f->doubtful == 1 ? "it" : "them");
        return true;
    case JW_BY_PIECES:
        jw_say(out, "the PTX in it is in pieces; what is made of them is not known before it runs");
        return true;
    case JW_BY_LINK:
        jw_say(out, "programs that link %s fail at their start", f->modules == 1 ? "it" : "them");
        return true;
    case JW_BY_LTO:
        jw_say(out, "%s link-time code (LTO) alone; whether the driver compiles that is not known",
               JW_N(f->lto, "input has", "inputs have"));
        return true;
    case JW_BY_COMMANDS: jw_say(out, "%s", f->commands); return true;
    case JW_BY_LOGIN: jw_say(out, "%s", f->login); return true;
    case JW_BY_RECORDS:
    case JW_BY_STOP:
    case JW_BY_GONE:
    case JW_BY_FAILURE:
    case JW_BY_NO_SOFTWARE:
    case JW_BY_NO_CHECK:
    case JW_BY_UNASKED: jw_say(out, "%s", why_unasked(f)); return true;
    case JW_BY_MODULES: /* the numbers say it */
        if (f->cannot_compile) {
            jw_say(out, "%s", f->cannot_compile);
            return true;
        }
        if (f->obstacle) {
            jw_say(out, "%s", f->obstacle);
            return true;
        }
        if (!f->damaged)
            break;
        jw_say(out, "%s damaged", JW_N(f->damaged, "entry in the cache is", "entries in the cache are"));
        return true;
    case JW_BY_NOTHING: break;
    }
    return false;
}

bool jw_next_start_say_rest(struct jw_buf *out, const char *before, const struct jw_next_start_facts *f)
{
    size_t n = out->n;

    jw_buf_text(out, before);
    if (jw_next_start_say_why(out, f))
        return true;
    out->n = n;
    return false;
}

struct jw_next_start_answer jw_next_start_answer(const struct jw_next_start_facts *f, struct jw_arena *a)
{
    struct jw_next_start_answer answer = { .is = jw_next_start_of(f) };
    struct jw_buf why = JW_LINE(a);

    if (jw_next_start_say_why(&why, f))
        answer.why = jw_buf_cstr(&why);
    return answer;
}

#define A struct jw_next_start_answer

const struct jw_row jw_next_start_rows[] = {
    { JW_NAMED("next_start", A, is, next_start_names),
      JW_ABOUT("of what was asked for, or was primed: warm: the next start compiles nothing; compiles: it "
               "does; unknown: "
               "not all was looked at, "
               "or only a start shows it") },
    { JW_ROW("next_start_why", A, why), JW_NULLABLE, JW_ABOUT("null: it is warm, or the counts say it") },
    { 0 },
};
