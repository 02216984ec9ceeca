#include "driver/probe/forge.h"

#include "cache/format/jitcache.h"
#include "driver/probe/probe_set.h"

#include <stdio.h>
#include <string.h>

enum { KERNEL = 4211, CUDA_11 = 11000, MAX_KEY = 32 * 1024 };

bool forge_canary(struct jw_buf *out, unsigned n, struct jw_err *err)
{
    return jw_probe_canary(out, CUDA_11, KERNEL, n, err);
}

bool forge_canary_key(const char *stamp, uint16_t sm, struct jw_buf *key, uint64_t *name, struct jw_err *err)
{
    struct jw_buf own = JW_BUF(0);
    char arch[16];
    bool ok = forge_canary(&own, FORGE_OWN, err);

    *key = JW_BUF(MAX_KEY);
    (void)snprintf(arch, sizeof arch, "sm_%u", sm);
    if (ok)
        jw_cache_key_make(key, stamp, arch, jw_buf_bytes(&own), 1, "");
    ok = ok && jw_buf_ok(key, err);
    *name = ok ? jw_fnv1a(JW_FNV_START, key->p, key->n) : 0;
    jw_buf_free(&own);
    return ok;
}

static bool number_behind(const char *word, const char *option)
{
    size_t n = strlen(option);

    return strncmp(word, option, n) == 0 && word[n] && strspn(word + n, "0123456789") == strlen(word + n);
}

static bool is_harmless(const char *word)
{
    static const char *const plain[] = { "-v",
                                         "-g",
                                         "-O0",
                                         "-O1",
                                         "-O2",
                                         "-O3",
                                         "-O4",
                                         "--generate-line-info",
                                         "-lineinfo",
                                         "--dont-merge-basicblocks",
                                         "--return-at-end",
                                         "--device-debug",
                                         "--verbose" };
    static const char *const numbers[] = { "-maxrregcount=", "--maxrregcount=", "--opt-level=" };

    for (size_t i = 0; i < JW_COUNT(plain); i++)
        if (strcmp(word, plain[i]) == 0)
            return true;
    for (size_t i = 0; i < JW_COUNT(numbers); i++)
        if (number_behind(word, numbers[i]))
            return true;
    return false;
}

bool forge_options(char *text, const char **argv, size_t most, size_t *n, const char **unknown)
{
    *n = 0;
    *unknown = NULL;
    for (char *p = text; *p;) {
        size_t blanks = strspn(p, " "), length = strcspn(p + blanks, " ");
        char *word = p + blanks, *end = word + length;

        p = *end ? end + 1 : end;
        *end = '\0';
        if (!length)
            continue;
        if (*n == most || !is_harmless(word)) {
            *unknown = word;
            return false;
        }
        argv[(*n)++] = word;
    }
    return true;
}

/* NULL: none. What has no word of its own is handed on to the ptxas inside. */
static const char *nvjitlink_word(const char *word, struct jw_arena *a)
{
    static const char *const own[][2] = { { "--generate-line-info", "-lineinfo" },
                                          { "-lineinfo", "-lineinfo" },
                                          { "--device-debug", "-g" },
                                          { "-g", "-g" },
                                          { "-O0", "-O0" },
                                          { "-O3", "-O3" } };
    size_t n = strlen(word) + sizeof "-Xptxas=";
    char *text;

    for (size_t i = 0; i < JW_COUNT(own); i++)
        if (strcmp(word, own[i][0]) == 0)
            return own[i][1];
    if (number_behind(word, "-maxrregcount="))
        return word;
    if (number_behind(word, "--maxrregcount="))
        return word + 1;
    text = jw_arena_alloc(a, n);
    if (text)
        (void)snprintf(text, n, "-Xptxas=%s", word);
    return text;
}

bool forge_nvjitlink_options(const char **argv, size_t *n, struct jw_arena *a)
{
    size_t kept = 0;

    for (size_t i = 0; i < *n; i++) {
        if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--verbose") == 0)
            continue;

        const char *word = nvjitlink_word(argv[i], a);
        argv[kept++] = word;
    }
    *n = kept;
    return true;
}
