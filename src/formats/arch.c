#include "formats/arch.h"

#include "base/text.h"
#include "facts/archs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool isolated(unsigned sm)
{
    const struct jw_arch_fact *fact = jw_arch_find(sm);

    return fact && fact->isolated;
}

static bool same_family(struct jw_arch code, unsigned device)
{
    if (code.sm / 10 != device / 10 || code.sm > device)
        return false;
    return code.sm == device || (!isolated(code.sm) && !isolated(device));
}

/* driver-fact: F70-sass-same-major */
bool jw_sass_runs(struct jw_arch code, unsigned device)
{
    return code.suffix == 'a' ? code.sm == device : same_family(code, device);
}

/* driver-fact: F71-ptx-forward */
bool jw_ptx_compiles(struct jw_arch code, unsigned device)
{
    if (code.suffix == 'a')
        return code.sm == device;
    return code.suffix == 'f' ? same_family(code, device) : code.sm <= device;
}

/* driver-fact: F73-highest-wins */
unsigned jw_arch_rank(struct jw_arch t)
{
    unsigned plain = t.sm * 4U;

    if (t.suffix == 'a')
        return plain + 2;
    return t.suffix == 'f' ? plain + 1 : plain;
}

struct jw_arch_name jw_arch_name(const char *prefix, struct jw_arch t)
{
    struct jw_arch_name name; /* a suffix of NUL ends it, too */

    (void)snprintf(name.text, sizeof name.text, "%.8s%u%c", prefix, t.sm, t.suffix);
    return name;
}

/* driver-fact: F78-old-ptx-compiles */
bool jw_arch_parse(const char *text, struct jw_arch *out)
{
    if (jw_text_starts(text, "sm_"))
        text += strlen("sm_");
    else if (jw_text_starts(text, "compute_"))
        text += strlen("compute_");
    else
        return false;
    if (!jw_is_digit(*text) || strpbrk(text, "%."))
        return false;
    unsigned long sm = strtoul(text, NULL, 10);
    char last = text[strlen(text) - 1];

    *out = (struct jw_arch){(uint16_t)sm, last == 'a' || last == 'f' ? last : '\0'};
    return sm && sm <= 999;
}
