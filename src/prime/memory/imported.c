#include "prime/memory/imported.h"

#include "base/command.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/place/lookup.h"
#include "machine/shell.h"
#include "os/machine/env.h"

#include <string.h>

#define SHOWN "CUDA_VISIBLE_DEVICES"

/* False where the system names all GPUs and none is of this kind. */
static bool may_be_here(struct jw_session *s, uint16_t sm)
{
    const struct jw_host_gpus *here = jw_session_gpus(s);

    for (size_t i = 0; i < here->n; i++)
        if (!here->gpus[i].sm || here->gpus[i].sm == sm)
            return true;
    return !here->n;
}

/* A pack that was pulled can be pulled again. */
static bool may_come_again(const struct jw_warm_import *m)
{
    return m->n_words && (strcmp(m->words[0], "import") != 0 || jw_is_file(m->pack));
}

/* An import for a GPU that this environment hides is refused. */
static bool may_be_hidden(struct jw_session *s, uint16_t sm, struct jw_arena *a)
{
    const struct jw_host_gpus *here = jw_session_gpus(s);
    bool others = false;

    for (size_t i = 0; i < here->n; i++)
        others |= here->gpus[i].sm != sm;
    return others && jw_env(a, SHOWN);
}

static const char *line_again(struct jw_session *s, const struct jw_warm_import *m, struct jw_arena *a)
{
    const char **words = jw_arena_alloc(a, (m->n_words + 5) * sizeof *words);
    bool windows = jw_os_is_windows(), hidden = may_be_hidden(s, m->sm, a);
    size_t n = 0;

    if (hidden && !windows) {
        words[n++] = "env";
        words[n++] = "-u";
        words[n++] = SHOWN;
    }
    words[n++] = "jitwarm";
    for (size_t i = 0; i < m->n_words; i++)
        words[n++] = m->words[i];
    words[n] = NULL;
    const char *line = jw_command_text(a, words, windows);

    return hidden && windows
               ? jw_shell_then(a, true, jw_shell_set(a, true, jw_shell_here(a), SHOWN, NULL), line)
               : line;
}

/* Prefers a pack whose file is there, because another import can begin with it. */
static void note_gone(struct jw_session *s, const struct jw_warm_import *m, struct jw_arena *a,
                      struct prime_imported *out)
{
    if (out->again || (out->pack && !may_come_again(m)))
        return;
    out->pack = m->pack;
    out->again = may_come_again(m) ? line_again(s, m, a) : NULL;
}

static bool is_sound_there(const struct jw_cache_lookup *lookup, const struct jw_warm_entry *e)
{
    uint64_t ignored;

    return jw_cache_finds_same(lookup, e, &ignored);
}

/* One entry may have come with several packs. */
static bool is_first(const struct jw_warm_entry *e, const uint64_t *seen, size_t n)
{
    return !jw_find_u64(seen, n, sizeof *seen, e->name);
}

static uint64_t *room_for_entries(const struct jw_warm_state *memory, struct jw_arena *a)
{
    size_t n = 1;

    for (size_t i = 0; i < memory->n_imports; i++)
        n += memory->imports[i].n_entries;
    return jw_arena_alloc(a, n * sizeof(uint64_t));
}

bool prime_find_imported(struct jw_session *s, const struct prime_imported_asked *asked, struct jw_arena *a,
                         struct prime_imported *out, struct jw_err *err)
{
    const struct jw_warm_state *memory = asked->memory;
    struct jw_cache_lookup lookup;
    uint64_t *seen;
    size_t n = 0;

    *out = (struct prime_imported){ 0 };
    if (!memory->n_imports || !asked->build || !asked->cache)
        return true;
    if (!jw_cache_lookup_open(asked->cache, a, &lookup, err))
        return false;
    if (asked->n_covered)
        jw_sort_u64(asked->covered, asked->n_covered, sizeof *asked->covered);
    seen = room_for_entries(memory, a);
    for (size_t i = memory->n_imports; i-- > 0;) { /* the newest says where the pack is */
        const struct jw_warm_import *m = &memory->imports[i];
        size_t before = n;

        if (strcmp(m->build, asked->build) != 0 || !may_be_here(s, m->sm))
            continue;
        for (size_t k = 0; k < m->n_entries; k++) {
            const struct jw_warm_entry *e = &m->entries[k];

            if (jw_find_u64(asked->covered, asked->n_covered, sizeof *asked->covered, e->name)
                || !is_first(e, seen, before))
                continue;
            seen[n++] = e->name;
            out->entries++;
            if (is_sound_there(&lookup, e))
                continue;
            out->gone++;
            out->damaged += jw_cache_identity_of(&lookup, e->name, e->bytes) != 0;
            note_gone(s, m, a, out);
        }
        jw_sort_u64(seen, n, sizeof *seen);
    }
    jw_cache_lookup_close(&lookup);
    return true;
}

const char *prime_imported_words(const struct prime_imported *m, struct jw_arena *a)
{
    if (!m->gone)
        return NULL;

    const char *gone =
        jw_arena_printf(a, "%s of %s %s %s", JW_NUM(m->gone),
                        JW_N(m->entries, "imported module", "imported modules"), m->gone == 1 ? "is" : "are",
                        !m->damaged             ? "gone from the cache"
                        : m->damaged == m->gone ? "damaged in the cache"
                                                : "gone from the cache, or damaged");

    if (m->again)
        return gone;
    if (!*m->pack)
        return jw_arena_printf(a, "%s: import its pack again, or name its software: jitwarm prime PATH",
                               gone);
    return jw_arena_printf(
        a,
        "%s, and the pack is not there any more: %s (import another copy of it, or name its "
        "software: jitwarm prime PATH)",
        gone, m->pack);
}

bool prime_import_compiles(const char *again)
{
    return again && strstr(again, " --allow-unsigned");
}

bool prime_import_is_gone(const struct jw_cache_lookup *lookup, const struct jw_warm_import *m)
{
    for (size_t i = 0; !may_come_again(m) && i < m->n_entries; i++)
        if (!is_sound_there(lookup, &m->entries[i]))
            return true;
    return false;
}
