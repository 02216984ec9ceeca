#include "cache/memory/spell.h"

#include "base/digest.h"
#include "cache/format/jitcache.h"
#include "cache/memory/state.h"

#include <stdio.h>
#include <string.h>

static const char *sm(const void *at, char out[80])
{
    uint16_t sm;

    memcpy(&sm, at, sizeof sm);
    (void)snprintf(out, 80, "sm_%u", sm);
    return out;
}

static const char *entry(const void *at, char out[80])
{
    uint64_t name;

    memcpy(&name, at, sizeof name);
    (void)snprintf(out, 80, "%s", jw_cache_name(name).text);
    return name ? out : NULL;
}

static const char *digest(const void *at, char out[80])
{
    jw_digest_hex(out, at);
    return out;
}

static const char *stamp(const void *at, char out[80])
{
    (void)snprintf(out, 80, "%s", jw_stamp_iso(at).text);
    return *out ? out : NULL;
}

static const char *level(const void *at, char out[80])
{
    enum jw_level level;

    (void)out;
    memcpy(&level, at, sizeof level);
    return jw_level_name(level);
}

void jw_write_simulated(struct jw_json *j, const struct jw_row *r, const void *of)
{
    const char *stamp;

    memcpy(&stamp, (const char *)of + r->at, sizeof stamp);
    jw_json_flag(j, r->key, jw_stamp_simulated(stamp));
}

const struct jw_spelling jw_spell_sm = { "^sm_[0-9]+$", sm },
                         jw_spell_entry = { "^[0-9a-f]/[0-9a-f]/[0-9a-f]{14}$", entry },
                         jw_spell_stamp = { "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$",
                                            stamp },
                         jw_spell_level = { "^(none|opaque|readable|predictable|placeable)$", level },
                         jw_spell_digest = { "^[0-9a-f]{64}$", digest };

#define RUN struct jw_run

const struct jw_row jw_run_notes[] = {
    { JW_TEXTS("notes", RUN, notes.v, notes.n), JW_SENTENCE("Note"), JW_ABOUT("what the user should know") },
    { 0 },
};

const struct jw_row jw_run_advice[] = {
    { JW_COMMANDS("todo", RUN, advice.v, advice.n), JW_ABOUT("what to do next: commands") },
    { 0 },
};

const struct jw_row jw_run_says[] = {
    { JW_ROWS(jw_run_advice) },
    { JW_ROWS(jw_run_notes) },
    { 0 },
};
