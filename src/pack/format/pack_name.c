#include "pack/format/pack_name.h"

#include "base/path.h"
#include "base/text.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

enum { DIGITS = 12, LONGEST_SOFTWARE = 80 };

struct jw_pack_kind jw_pack_kind(const char *stamp, uint16_t sm)
{
    const struct jw_stamp_text built = jw_stamp_text(stamp);
    struct jw_pack_kind kind = { "" };

    if (*built.text)
        (void)snprintf(kind.text, sizeof kind.text, "sm_%u-%s", (unsigned)sm, built.text);
    return kind;
}

bool jw_pack_names_other(const char *name, const struct jw_pack_kind *kind)
{
    static const char behind_sm[] = "-00000000-000000-"; /* a digit for each 0 */
    size_t sm = jw_text_starts(name, "sm_") ? strlen("sm_") : 0;
    size_t n = 0;

    while (sm && jw_is_digit(name[sm]))
        sm++;
    while (sm && behind_sm[n]
           && (behind_sm[n] == '0' ? jw_is_digit(name[sm + n]) : name[sm + n] == '-'))
        n++;
    return sm && !behind_sm[n]
           && !(jw_text_starts(name, kind->text) && strlen(kind->text) == sm + n - 1);
}

/* A name that any shell and file system takes. With another one for it, two programs could have one
 * name; many have .venv. */
static bool is_plain(const char *text)
{
    const char *c = text;

    while (*c && (jw_is_digit(*c) || jw_is_letter(*c) || strchr(".-+_", *c)))
        c++;
    return *text && *text != '.' && !*c && c - text <= LONGEST_SOFTWARE;
}

static const char *digits_of(const struct jw_pack_manifest *m,
                             const struct jw_minisign_secret *signer, struct jw_arena *a)
{
    struct jw_digest_state s;
    uint8_t digest[JW_DIGEST];

    jw_digest_init(&s);
    for (size_t i = 0; i < m->n_entries; i++)
        jw_digest_update(&s, &m->entries[i].name, sizeof m->entries[i].name);
    if (signer)
        jw_digest_update(&s, signer->id, sizeof signer->id);
    jw_digest_final(&s, digest);
    return jw_arena_text(a, jw_digest_text(digest).text, DIGITS);
}

const char *jw_pack_file_name(const struct jw_pack_manifest *m, const char *name,
                              const struct jw_minisign_secret *signer, struct jw_arena *a)
{
    if (!is_plain(name) && m->n_software == 1 && !m->nameless)
        name = m->software[0];
    return jw_arena_printf(a, "%s-%s" JW_PACK_ENDING, jw_pack_kind(m->stamp, m->sm).text,
                           !signer && is_plain(name) ? name : digits_of(m, signer, a));
}

const char *jw_packs_of_user(struct jw_arena *a)
{
    const char *base = jw_env_data_user(a);

    return base ? jw_path_join(a, base, "jitwarm/packs") : NULL;
}

const char *jw_packs_of_system(const char *sysroot, struct jw_arena *a)
{
    const char *base =
        jw_os_is_windows() ? jw_env_config_system(a) : jw_arena_printf(a, "%s/var/lib", sysroot);

    return base ? jw_path_join(a, base, "jitwarm/packs") : NULL;
}
