#include "setup/search_path.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"

#include <string.h>

static bool is_folder(const char *item, size_t n, const char *folder, struct jw_arena *a)
{
    while (n > 1 && item[n - 1] == '\\')
        n--;
    return jw_text_equal_nocase(jw_arena_text(a, item, n), folder);
}

const char *jw_search_path_with(const char *path, const char *folder, bool add, struct jw_arena *a)
{
    struct jw_buf out = JW_BUF_IN(a, JW_MAX_VARIABLE);
    bool there = false, begun = false;

    for (const char *at = path;; at++) {
        size_t n = strcspn(at, ";");
        bool is = n && is_folder(at, n, folder, a);

        if (!is || (add && !there)) {
            jw_buf_text(&out, begun ? ";" : "");
            jw_buf_add(&out, at, n);
            begun = true;
        }
        there |= is;
        at += n;
        if (!*at)
            break;
    }
    if (add && !there)
        jw_buf_printf(&out, "%s%s", out.n && out.p[out.n - 1] != ';' ? ";" : "", folder);
    return jw_buf_cstr(&out);
}
