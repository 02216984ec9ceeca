#include "prime/memory/gone.h"

#include "base/text.h"
#include "machine/listing.h"
#include "prime/memory/imported.h"
#include "prime/memory/receipts.h"
#include "prime/memory/recorded.h"

#include <string.h>

/* The name of a pack that has no file. */
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

static void add_packs(struct prime_gone_list *l, const char *cache, const struct jw_warm_state *memory,
                      struct jw_arena *a)
{
    struct jw_cache_lookup lookup;
    struct jw_err ignored;

    if (!memory->n_imports || !jw_cache_lookup_open(cache, a, &lookup, &ignored))
        return;
    for (size_t i = 0; i < memory->n_imports; i++)
        if (prime_import_is_gone(&lookup, &memory->imports[i]))
            note_gone(l, (struct prime_gone){ .file = *memory->imports[i].pack ? memory->imports[i].pack
                                                                               : STREAM });
    jw_cache_lookup_close(&lookup);
}

void prime_find_gone(const char *cache, const struct jw_warm_state *memory, struct jw_arena *a,
                     struct prime_gone_list *out)
{
    size_t n;
    const char *lost = prime_loss_words(prime_lost_before(memory)), *const *targets =
                                                                        jw_warm_targets(memory, a, &n);
    struct prime_gone *list =
        jw_arena_alloc(a, (out->n + n + memory->n_commands + memory->n_imports + 2) * sizeof *list);

    for (size_t i = 0; i < out->n; i++)
        list[i] = out->list[i];
    out->list = list;
    for (size_t i = 0; i < n; i++)
        add_target(out, memory, targets[i]);
    for (size_t i = 0; i < memory->n_commands;
         i++) { /* looks at what the command named when it was recorded last */
        const struct jw_warm_command *c = &memory->commands[i];
        const char *file = c->n_loads ? prime_named_gone(&c->loads[c->n_loads - 1]) : NULL;

        if (file)
            note_gone(out, (struct prime_gone){ .command = c->key, .file = file });
    }
    add_packs(out, cache, memory, a);
    if (lost && !is_gone_thing(out, NULL, NULL))
        out->list[out->n++] = (struct prime_gone){ .lost = lost };
}

static bool is_of(const struct prime_gone_list *gone, const struct jw_warm_receipt *r)
{
    for (size_t i = 0; i < gone->n; i++)
        if (gone->list[i].command && strcmp(r->asked.command, gone->list[i].command) == 0)
            return true;
    return false;
}

bool prime_is_about_gone(const struct jw_warm_receipt *r, const struct prime_gone_list *also)
{
    const struct jw_warm_conclusions *c = &r->concluded;

    for (size_t i = 0; i < c->n_found_in; i++)
        if (!jw_is_absent(c->found_in[i]) && !(also && is_gone_thing(also, NULL, c->found_in[i])))
            return false;
    return c->n_found_in > 0;
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

/* True if a conclusion was about one of them. */
static bool drop_concluded(const struct prime_gone_list *gone, struct jw_warm_conclusions *c,
                           struct jw_arena *a)
{
    bool lost = c->loss && is_gone_thing(gone, NULL, NULL),
         unread = *c->unread && is_gone_thing(gone, NULL, c->unread);

    if (lost)
        c->loss = JW_LOSS_NONE;
    if (unread)
        c->unread = c->unread_why = "";
    return drop_targets(gone, &c->emptied, &c->n_emptied, a) || lost || unread;
}

static enum jw_warm_fate fate_of_receipt(const struct prime_gone_list *gone, struct jw_warm_receipt *r,
                                         struct jw_arena *a)
{
    if (is_of(gone, r))
        return JW_WARM_DROPPED;
    bool changed = drop_concluded(gone, &r->concluded, a),
         only = changed && !r->jobs && !r->n_entries && !r->concluded.native;

    if (!drop_targets(gone, &r->asked.targets, &r->asked.n_targets, a))
        return changed ? JW_WARM_CHANGED : JW_WARM_KEPT;
    r->asked.forgot = true;
    return r->asked.n_targets && !prime_is_about_gone(r, gone) && !only ? JW_WARM_CHANGED : JW_WARM_DROPPED;
}

static enum jw_warm_fate fate(void *ctx, struct jw_warm_fact *fact, struct jw_arena *a)
{
    const struct prime_gone_list *gone = ctx;
    bool of_command = fact->kind == JW_WARM_COMMAND || fact->kind == JW_WARM_STARTED,
         dropped = of_command ? is_gone_thing(gone, fact->as.command.key, NULL)
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
