#include "facts/ptx_options.h"

#include "base/num.h"
#include "base/text.h"

#include <string.h>

static const char numbers[] = "#";

/* An option of ptxas, as it is spelled: some names take one dash and not two. What may be its
 * value: words, or a number; NULL: it has none. */
static const struct known {
    const char *name, *values;
} known[] = {
    { "-abi", "yes" },
    { "--abi-compile", "yes" },
    { "--allow-expensive-optimizations", "true false" },
    { "-allow-expensive-optimizations", "true false" },
    { "-c", NULL },
    { "--cloning", "yes no" },
    { "-cloning", "yes no" },
    { "--compile-only", NULL },
    { "--def-load-cache", "ca cg cs cv" },
    { "--def-store-cache", "wb cg cs wt" },
    { "--device-debug", NULL },
    { "--disable-optimizer-constants", NULL },
    { "--disable-warnings", NULL },
    { "-dlcm", "ca cg cs cv" },
    { "--dont-merge-basicblocks", NULL },
    { "-dscm", "wb cg cs wt" },
    { "-flcm", "ca cg cs cv" },
    { "--fmad", "true false" },
    { "-fmad", "true false" },
    { "--force-load-cache", "ca cg cs cv" },
    { "--force-store-cache", "wb cg cs wt" },
    { "-fscm", "wb cg cs wt" },
    { "-g", NULL },
    { "--generate-line-info", NULL },
    { "--legacy-bar-warp-wide-behavior", NULL },
    { "-lineinfo", NULL },
    { "-m", "64" },
    { "-m64", NULL },
    { "--machine", "64" },
    { "--maxrregcount", numbers },
    { "-maxrregcount", numbers },
    { "-no-bb-merge", NULL },
    { "--no-fastreg", NULL },
    { "-O0", NULL },
    { "-O1", NULL },
    { "-O2", NULL },
    { "-O3", NULL },
    { "-O4", NULL },
    { "--opt-level", "0 1 2 3 4" },
    { "--opt-pointers", NULL },
    { "--preserve-relocs", NULL },
    { "-preserve-relocs", NULL },
    { "-ret-end", NULL },
    { "--return-at-end", NULL },
    { "--sp-bounds-check", NULL },
    { "-sp-bounds-check", NULL },
    { "--suppress-double-demote-warning", NULL },
    { "-suppress-double-demote-warning", NULL },
    { "--suppress-stack-size-warning", NULL },
    { "-suppress-stack-size-warning", NULL },
    { "-v", NULL },
    { "--verbose", NULL },
    { "-w", NULL },
    { "-warn-double-usage", NULL },
    { "-warn-lmem-usage", NULL },
    { "--warn-on-double-precision-use", NULL },
    { "--warn-on-local-memory-usage", NULL },
    { "--warn-on-spills", NULL },
    { "-warn-spills", NULL },
    { "--warning-as-error", NULL },
    { "-Werror", NULL },
};

static const char blanks[] = " \t\n";

static const struct known *find(const char *name, size_t n)
{
    for (size_t i = 0; i < JW_COUNT(known); i++)
        if (strlen(known[i].name) == n && memcmp(known[i].name, name, n) == 0)
            return &known[i];
    return NULL;
}

/* Is it one of the words of this list? */
static bool is_among(const char *values, const char *value, size_t n)
{
    for (const char *word = values; *word;) {
        size_t length = strcspn(word, " ");

        if (length == n && memcmp(word, value, n) == 0)
            return true;
        word += length + strspn(word + length, " ");
    }
    return false;
}

static bool may_have(const struct known *option, const char *value, size_t n)
{
    if (option->values == numbers)
        return n && strspn(value, "0123456789") >= n;
    return is_among(option->values, value, n);
}

/* Behind the option here, which a driver takes; NULL: it is not known. Its value is behind a `=`,
 * or is the next word. */
static const char *skip_option(const char *option)
{
    size_t n = strcspn(option, " \t\n=");
    const struct known *row = find(option, n);
    const char *end = option + n;

    if (!row)
        return NULL;
    if (!row->values)
        return *end == '=' ? NULL : end;
    const char *value = *end == '=' ? end + 1 : end + strspn(end, blanks);
    size_t length = strcspn(value, blanks);

    return may_have(row, value, length) ? value + length : NULL;
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
