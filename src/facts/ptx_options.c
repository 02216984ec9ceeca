#include "facts/ptx_options.h"

#include "base/text.h"

#include <string.h>

/* Options of ptxas, as they are spelled: some names take one dash and not two. Behind the = is what
 * may be their value; # is a number. */
static const char known[] =
    "-c --compile-only --device-debug --disable-optimizer-constants --disable-warnings "
    "--dont-merge-basicblocks -g --generate-line-info --legacy-bar-warp-wide-behavior "
    "-lineinfo -m64 -no-bb-merge --no-fastreg -O0 -O1 -O2 -O3 -O4 --opt-pointers "
    "--preserve-relocs -preserve-relocs -ret-end --return-at-end --sp-bounds-check "
    "-sp-bounds-check --suppress-double-demote-warning -suppress-double-demote-warning "
    "--suppress-stack-size-warning -suppress-stack-size-warning -v --verbose -w "
    "-warn-double-usage -warn-lmem-usage --warn-on-double-precision-use "
    "--warn-on-local-memory-usage --warn-on-spills -warn-spills --warning-as-error -Werror "
    "-abi=yes --abi-compile=yes --allow-expensive-optimizations=true|false "
    "-allow-expensive-optimizations=true|false --cloning=yes|no -cloning=yes|no "
    "--def-load-cache=ca|cg|cs|cv --def-store-cache=wb|cg|cs|wt -dlcm=ca|cg|cs|cv "
    "-dscm=wb|cg|cs|wt -flcm=ca|cg|cs|cv --fmad=true|false -fmad=true|false "
    "--force-load-cache=ca|cg|cs|cv --force-store-cache=wb|cg|cs|wt -fscm=wb|cg|cs|wt -m=64 "
    "--machine=64 --maxrregcount=# -maxrregcount=# --opt-level=0|1|2|3|4 ";

static const char blanks[] = " \t\n";

/* What may be the value of this option, up to a blank; "": it has none. NULL: it is not known. */
static const char *values_of(const char *option, size_t n)
{
    for (const char *row = known; *row; row += strcspn(row, " ") + 1)
        if (strcspn(row, "= ") == n && memcmp(row, option, n) == 0)
            return row[n] == '=' ? row + n + 1 : "";
    return NULL;
}

static bool may_have(const char *values, const char *value, size_t n)
{
    if (*values == '#')
        return n && strspn(value, "0123456789") >= n;
    for (size_t length;; values += length + 1) {
        length = strcspn(values, "| ");
        if (length == n && memcmp(values, value, n) == 0)
            return true;
        if (values[length] == ' ')
            return false;
    }
}

/* Behind the option here, which a driver takes; NULL: it is not known. Its value may be the next
 * word. */
static const char *skip_option(const char *option)
{
    size_t n = strcspn(option, " \t\n=");
    const char *values = values_of(option, n);
    const char *end = option + n;

    if (!values)
        return NULL;
    if (!*values)
        return *end == '=' ? NULL : end;
    const char *value = *end == '=' ? end + 1 : end + strspn(end, blanks);
    size_t length = strcspn(value, blanks);

    return may_have(values, value, length) ? value + length : NULL;
}

static bool optimizes(const char *option)
{
    bool level = jw_text_starts(option, "-O") && option[2] != '0';

    return level || (jw_text_starts(option, "--opt-level") && option[12] != '0');
}

static bool is_for_debuggers(const char *option)
{
    return jw_text_starts(option, "--device-debug") || strncmp(option, "-g ", 3) == 0
           || strcmp(option, "-g") == 0;
}

const char *jw_ptx_option_unknown(const char *options)
{
    const char *debug = NULL;
    bool optimized = false;

    for (const char *at = options + strspn(options, blanks); *at; at += strspn(at, blanks)) {
        const char *end = skip_option(at);

        if (!end)
            return at;
        if (is_for_debuggers(at))
            debug = at;
        optimized |= optimizes(at);
        at = end;
    }
    return optimized ? debug : NULL; /* not both */
}
