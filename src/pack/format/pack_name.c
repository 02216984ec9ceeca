#include "pack/format/pack_name.h"

#include "base/path.h"
#include "base/text.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

enum { DIGITS = 12, DATE_DIGITS = 8, TIME_DIGITS = 6, LONGEST_SOFTWARE = 80 };

#define DECIMAL "0123456789"
#define HEX DECIMAL "abcdef"

struct jw_pack_kind jw_pack_kind(const char *compiler, const char *stamp, uint16_t sm)
{
    const struct jw_stamp_text built = jw_stamp_text(stamp);
    struct jw_pack_kind kind = {""};

    if (compiler)
        (void)snprintf(kind.text, sizeof kind.text, "sm_%u-%.*s", (unsigned)sm, DIGITS, compiler);
    else if (*built.text)
        (void)snprintf(kind.text, sizeof kind.text, "sm_%u-%s", (unsigned)sm, built.text);
    return kind;
}

/* How many characters of `text` are so many of these digits and a minus; 0: it begins otherwise. */
static size_t digits_and_minus(const char *text, const char *digits, size_t n)
{
    return strspn(text, digits) == n && text[n] == '-' ? n + 1 : 0;
}

/* The length of the kind with which a file's name begins; 0: it begins with none. */
static size_t kind_length(const char *name)
{
    size_t sm = strlen("sm_");

    if (!jw_text_starts(name, "sm_"))
        return 0;
    sm += strspn(name + sm, DECIMAL);
    if (name[sm] != '-')
        return 0;
    const char *behind = name + sm + 1;
    size_t compiler = digits_and_minus(behind, HEX, DIGITS);
    size_t date = digits_and_minus(behind, DECIMAL, DATE_DIGITS);
    size_t hour = date ? digits_and_minus(behind + date, DECIMAL, TIME_DIGITS) : 0;

    if (compiler)
        return sm + compiler;
    return hour ? sm + date + hour : 0;
}

bool jw_pack_names_other(const char *name, const struct jw_pack_kind *kind)
{
    size_t n = kind_length(name);

    if (!n)
        return false;
    return strlen(kind->text) != n || !jw_text_starts(name, kind->text);
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
    return jw_arena_printf(a, "%s-%s" JW_PACK_ENDING,
                           jw_pack_kind(m->compiler, m->stamp, m->sm).text,
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
