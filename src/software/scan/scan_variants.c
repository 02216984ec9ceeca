/* Files of which a program takes one, by their names: loose files, each for one GPU, and libraries,
 * each for one driver. */
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "software/find/vendor.h"
#include "software/scan/scan_work.h"
#include "software/scan/verdict_words.h"

#include <ctype.h>
#include <string.h>

/* Behind an architecture that begins a word of a loose file's path ("sm_90a", "compute90"), or a
 * number in a library's name. */
static const char *behind_number(const char *path, const char *name, const char *s)
{
    bool word = s == path || !isalnum((unsigned char)s[-1]);
    size_t prefix = !word                           ? 0
                    : strncmp(s, "sm", 2) == 0      ? 2
                    : strncmp(s, "compute", 7) == 0 ? 7
                                                    : 0;

    if (name)
        return s + (s >= name ? strspn(s, "0123456789") : 0);
    const char *number = s + prefix + (s[prefix] == '_');
    size_t n = strspn(number, "0123456789");
    const char *end = number + n + (number[n] == 'a' || number[n] == 'f');

    return prefix && (n == 2 || n == 3) && !isalnum((unsigned char)*end) ? end : s;
}

int scan_by_variant(const char *a, const char *b)
{
    const char *of_a = jw_is_code_file(a) ? NULL : jw_path_base(a);
    const char *s = a;
    const char *of_b = jw_is_code_file(b) ? NULL : jw_path_base(b);
    const char *t = b;

    for (;; s++, t++) {
        const char *behind = behind_number(a, of_a, s);
        const char *other = behind_number(b, of_b, t);

        if ((behind == s) != (other == t)) /* one has a number, where the other has none */
            return behind == s ? -1 : 1;
        s = behind;
        t = other;
        if (!*s || *s != *t)
            return (unsigned char)*s - (unsigned char)*t;
    }
}

static int by_variant(const void *a, const void *b)
{
    const struct jw_scan_file *const *x = a, *const *y = b;

    return scan_by_variant((*x)->path, (*y)->path);
}

/* Of a library that a person named the answer is its own, and two versions of a wheel are no
 * variants. */
bool scan_may_be_replaced(const char *path, bool named)
{
    return !named && !jw_is_code_file(path) && !jw_text_ends(path, ".whl")
           && !strstr(path, ".whl!");
}

static bool runs(const struct jw_scan_file *file, size_t gpu)
{
    const uint64_t *of = file->verdicts[gpu].modules;

    return of[JW_SELECTED_NATIVE] || of[JW_SELECTED_JIT];
}

static void mark(struct jw_scan_file **files, size_t n, size_t gpu)
{
    bool one = false;

    for (size_t i = 0; i < n; i++)
        one |= runs(files[i], gpu);
    for (size_t i = 0; i < n && one; i++) {
        enum jw_verdict *v = &files[i]->verdicts[gpu].verdict;

        if (*v == JW_VERDICT_BLOCKED
                ? scan_may_be_replaced(files[i]->path, files[i]->named) && !runs(files[i], gpu)
                : *v == JW_VERDICT_NONE && jw_is_code_file(files[i]->path))
            *v = JW_VERDICT_NOTHING;
    }
}

void scan_find_variants(struct jw_scan_file *files, size_t n, size_t n_gpus)
{
    struct jw_scan_file **list = jw_alloc(n * sizeof *list);
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (files[i].verdicts)
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
