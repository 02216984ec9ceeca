/* Files of which a program takes one. By their names: loose files, each for another GPU, and libraries, each for another driver. */
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "software/find/vendor.h"
#include "software/scan/scan_work.h"
#include "software/scan/verdict_words.h"

#include <ctype.h>
#include <string.h>

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

/* Architectures in the path of a loose file; any number in the name of a library. */
static const char *behind_number(const char *path, const char *name, const char *s)
{
    return s + (!name ? arch_number(path, s) : s > name ? strspn(s, "0123456789") : 0);
}

int scan_by_variant(const char *a, const char *b)
{
    const char *of_a = jw_is_code_file(a) ? NULL : jw_path_base(a), *s = a;
    const char *of_b = jw_is_code_file(b) ? NULL : jw_path_base(b), *t = b;

    while (*s && *s == *t) {
        const char *behind = behind_number(a, of_a, ++s), *other = behind_number(b, of_b, ++t);

        if ((behind == s) != (other == t)) /* one has a number, where the other has none */
            return behind == s ? -1 : 1;
        s = behind;
        t = other;
    }
    return (unsigned char)*s - (unsigned char)*t;
}

static int by_variant(const void *a, const void *b)
{
    const struct jw_scan_file *const *x = a, *const *y = b;

    return scan_by_variant((*x)->path, (*y)->path);
}

static void mark(struct jw_scan_file **files, size_t n, size_t gpu)
{
    bool runs = false;

    for (size_t i = 0; i < n; i++) {
        const uint64_t *of = files[i]->verdicts[gpu].modules;

        runs |= of[JW_SELECTED_NATIVE] || of[JW_SELECTED_JIT];
    }
    for (size_t i = 0; i < n && runs; i++)
        if (files[i]->verdicts[gpu].verdict == JW_VERDICT_NONE)
            files[i]->verdicts[gpu].verdict = JW_VERDICT_NOTHING;
}

void scan_find_variants(struct jw_scan_file *files, size_t n, size_t n_gpus)
{
    struct jw_scan_file **list = jw_alloc(n * sizeof *list);
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (files[i].verdicts && jw_is_code_file(files[i].path))
            list[kept++] = &files[i];
    jw_sort(list, kept, sizeof *list, by_variant);
    for (size_t i = 0, next; i < kept; i = next) {
        for (next = i + 1; next < kept && by_variant(&list[i], &list[next]) == 0; next++)
            ;
        for (size_t gpu = 0; gpu < n_gpus; gpu++)
            mark(list + i, next - i, gpu);
    }
    jw_free(list);
}
