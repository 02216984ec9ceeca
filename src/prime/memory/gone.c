#include "prime/memory/gone.h"

#include "base/text.h"
#include "machine/listing.h"
#include "prime/memory/imported.h"
#include "prime/memory/receipts.h"
#include "prime/memory/recorded.h"

#include <string.h>

/* What a pack without a file is called. */
#define STREAM "a pack from standard input"

static bool is_gone_thing(const struct prime_gone_list *l, const char *command, const char *file)
{
    for (size_t i = 0; i < l->n; i++)
        if (jw_text_same(l->list[i].command, command) && (command || jw_text_same(l->list[i].file, file)))
            return true;
    return false;
}

static void note_gone(struct prime_gone_list *l, struct prime_gone gone)
{
    if (!is_gone_thing(l, gone.command, gone.file))
        l->list[l->n++] = gone;
}

static void add_target(struct prime_gone_list *l, const struct jw_warm_state *memory, const char *target)
{
    const char *path = prime_target_path(target);
    bool broken = prime_is_broken(memory, target);

    if (jw_is_absent(path) || prime_is_emptied(memory, target) || broken)
        note_gone(l, (struct prime_gone){ .file = path, .broken = broken });
}

static void add_packs(struct prime_gone_list *l, const char *root, const struct jw_warm_state *memory,
                      struct jw_arena *a)
{
    struct jw_cache_lookup lookup;
    struct jw_err ignored;

    if (!memory->n_imports || !jw_cache_lookup_open(root, a, &lookup, &ignored))
        return;
    for (size_t i = 0; i < memory->n_imports; i++)
        if (prime_import_is_gone(&lookup, &memory->imports[i]))
            note_gone(l, (struct prime_gone){ .file = *memory->imports[i].pack ? memory->imports[i].pack
                                                                               : STREAM });
    jw_cache_lookup_close(&lookup);
}

void prime_find_gone(const char *root, const struct jw_warm_state *memory, struct jw_arena *a,
                     struct prime_gone_list *out)
{
    size_t n;
    const char *lost = prime_lost_before(memory), *const *targets = jw_warm_targets(memory, a, &n);
    struct prime_gone *list =
        jw_arena_alloc(a, (out->n + n + memory->n_commands + memory->n_imports + 2) * sizeof *list);

    for (size_t i = 0; i < out->n; i++)
        list[i] = out->list[i];
    out->list = list;
    for (size_t i = 0; i < n; i++)
        add_target(out, memory, targets[i]);
    for (size_t i = 0; i < memory->n_commands; i++) { /* by what it named when it was recorded last */
        const struct jw_warm_command *c = &memory->commands[i];
        const char *file = c->n_loads ? prime_named_gone(&c->loads[c->n_loads - 1]) : NULL;

        if (file)
            note_gone(out, (struct prime_gone){ .command = c->key, .file = file });
    }
    add_packs(out, root, memory, a);
    if (lost && !is_gone_thing(out, NULL, NULL))
        out->list[out->n++] = (struct prime_gone){ .lost = lost };
}

static bool is_of(const struct prime_gone_list *gone, const struct jw_warm_receipt *r)
{
    for (size_t i = 0; i < gone->n; i++)
        if (gone->list[i].command && prime_receipt_is_of(r, gone->list[i].command))
            return true;
    return false;
}

bool prime_is_about_gone(const struct jw_warm_receipt *r, const struct prime_gone_list *also)
{
    bool any = false;

    for (size_t i = 0; i < r->n_answers; i++) {
        const char *path = r->answers[i].answer;

        if (strcmp(r->answers[i].question, JW_TRACE_FOUND_IN) != 0)
            continue;
        if (!jw_is_absent(path) && !(also && is_gone_thing(also, NULL, path)))
            return false;
        any = true;
    }
    return any;
}

/* Is this said of what is gone? The first file that could not be read has two answers. */
static bool is_said_of(const struct prime_gone_list *gone, const struct jw_warm_receipt *r,
                       const struct jw_warm_answer *said)
{
    const char *unread = jw_trace_answered(r, JW_TRACE_UNREAD_FILE);

    return strcmp(said->question, JW_TRACE_LOST) == 0 ? is_gone_thing(gone, NULL, NULL)
           : strcmp(said->question, JW_TRACE_EMPTIED) == 0
               ? is_gone_thing(gone, NULL, prime_target_path(said->answer))
           : strcmp(said->question, JW_TRACE_UNREAD) == 0 || strcmp(said->question, JW_TRACE_UNREAD_FILE) == 0
               ? unread && is_gone_thing(gone, NULL, unread)
               : false;
}

/* True if it said something of that. */
static bool drop_said(const struct prime_gone_list *gone, struct jw_warm_receipt *r, struct jw_arena *a)
{
    struct jw_warm_answer *left = jw_arena_alloc(a, (r->n_answers + 1) * sizeof *left);
    size_t n = 0;

    for (size_t i = 0; i < r->n_answers; i++)
        if (!is_said_of(gone, r, &r->answers[i]))
            left[n++] = r->answers[i];
    if (n == r->n_answers)
        return false;
    r->answers = left;
    r->n_answers = n;
    return true;
}

/* True if one of them is gone. */
static bool drop_targets(const struct prime_gone_list *gone, const char *const **targets, size_t *n_targets,
                         struct jw_arena *a)
{
    const char **left = jw_arena_alloc(a, (*n_targets + 1) * sizeof *left);
    size_t before = *n_targets, n = 0;

    for (size_t i = 0; i < before; i++)
        if (!is_gone_thing(gone, NULL, prime_target_path((*targets)[i])))
            left[n++] = (*targets)[i];
    *targets = left;
    *n_targets = n;
    return n < before;
}

static enum jw_warm_fate fate_of_receipt(const struct prime_gone_list *gone, struct jw_warm_receipt *r,
                                         struct jw_arena *a)
{
    if (is_of(gone, r))
        return JW_WARM_DROPPED;
    bool changed = drop_said(gone, r, a),
         only = changed && !r->jobs && !r->n_entries && !jw_trace_answered(r, JW_TRACE_NATIVE);

    if (!drop_targets(gone, &r->targets, &r->n_targets, a))
        return changed ? JW_WARM_CHANGED : JW_WARM_KEPT;
    return r->n_targets && !prime_is_about_gone(r, gone) && !only ? JW_WARM_CHANGED : JW_WARM_DROPPED;
}

static enum jw_warm_fate fate(void *ctx, struct jw_warm_fact *fact, struct jw_arena *a)
{
    const struct prime_gone_list *gone = ctx;
    bool dropped = fact->kind == JW_WARM_COMMAND ? is_gone_thing(gone, fact->as.command.key, NULL)
                   : fact->kind == JW_WARM_IMPORT
                       ? is_gone_thing(gone, NULL, *fact->as.import.pack ? fact->as.import.pack : STREAM)
                       : false;

    if (fact->kind == JW_WARM_LEFT)
        return drop_targets(gone, &fact->as.left.targets, &fact->as.left.n, a) ? JW_WARM_CHANGED
                                                                               : JW_WARM_KEPT;
    return fact->kind == JW_WARM_RECEIPT ? fate_of_receipt(gone, &fact->as.receipt, a)
           : dropped                     ? JW_WARM_DROPPED
                                         : JW_WARM_KEPT;
}

bool prime_forget_gone(struct jw_warm_log *log, const struct prime_gone_list *gone, struct jw_err *err)
{
    struct prime_gone_list list = *gone;

    return jw_warm_rewrite(log, fate, &list, err);
}
