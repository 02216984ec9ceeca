/* Finds loose files that are each for another GPU: the program loads the one that fits. */
#include "base/compiler.h"
#include "base/sort.h"
#include "software/find/vendor.h"
#include "software/scan/scan_work.h"
#include "software/scan/verdict_words.h"

#include <ctype.h>
#include <string.h>

struct variant {
    const char *key; /* its path, "*" in place of each architecture */
    size_t file;
};

/* The length of "90a" at `s`, after "sm", "sm_" or "compute_" in a word of the path; 0: there is none. */
static size_t arch_number(const char *path, const char *s)
{
    static const char *const before[] = { "sm", "compute" };
    size_t n = strspn(s, "0123456789"), at = (size_t)(s - path);

    if (n < 2 || n > 3)
        return 0;
    n += s[n] == 'a' || s[n] == 'f';
    if (isalnum((unsigned char)s[n]))
        return 0;
    at -= at && path[at - 1] == '_';
    for (size_t i = 0; i < JW_COUNT(before); i++) {
        size_t m = strlen(before[i]);

        if (m <= at && memcmp(path + at - m, before[i], m) == 0
            && (m == at || !isalnum((unsigned char)path[at - m - 1])))
            return n;
    }
    return 0;
}

/* NULL: it is no loose file, or its path names no architecture. */
static const char *key_of(const char *path, struct jw_arena *a)
{
    size_t n = 0;
    char *key;

    if (!jw_is_code_file(path))
        return NULL;
    key = jw_arena_alloc(a, strlen(path) + 1);
    for (const char *s = path; *s;) {
        size_t number = arch_number(path, s);

        key[n++] = number ? '*' : *s;
        s += number ? number : 1;
    }
    key[n] = 0;
    return strchr(key, '*') && n < strlen(path) ? key : NULL;
}

static int by_key(const void *a, const void *b)
{
    const struct variant *x = a, *y = b;
    int order = strcmp(x->key, y->key);

    return order ? order : (x->file > y->file) - (x->file < y->file);
}

static bool one_runs(const struct jw_scan_file *files, const struct variant *v, size_t n, size_t gpu)
{
    for (size_t i = 0; i < n; i++)
        if (gpu < files[v[i].file].n_verdicts
            && (files[v[i].file].verdicts[gpu].modules[JW_SELECTED_NATIVE]
                || files[v[i].file].verdicts[gpu].modules[JW_SELECTED_JIT]))
            return true;
    return false;
}

static void mark(struct jw_scan_file *files, const struct variant *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < files[v[i].file].n_verdicts; k++) {
            struct jw_scan_verdict *one = &files[v[i].file].verdicts[k];

            one->beside = jw_scan_unusable(one) && one_runs(files, v, n, k);
        }
}

void scan_find_variants(struct jw_scan_file *files, size_t n, struct jw_arena *a)
{
    struct variant *list = jw_arena_alloc(a, (n + 1) * sizeof *list);
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        const char *key = key_of(files[i].path, a);

        if (key)
            list[kept++] = (struct variant){ key, i };
    }
    jw_sort(list, kept, sizeof *list, by_key);
    for (size_t i = 0, next; i < kept; i = next) {
        for (next = i; next < kept && strcmp(list[next].key, list[i].key) == 0; next++)
            ;
        if (next - i > 1)
            mark(files, list + i, next - i);
    }
}
