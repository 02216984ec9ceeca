#include "base/digest.h"
#include "base/path.h"
#include "pack/store/store.h"
#include "pack/store/store_lock.h"

#include <string.h>

enum { LINE = 2 * JW_DIGEST + 1, MAX_OWN = 1024 };

static void line_of(char out[LINE + 1], const uint8_t digest[JW_DIGEST])
{
    jw_digest_hex(out, digest);
    out[LINE - 1] = '\n';
    out[LINE] = '\0';
}

/* A file that is no such list counts as an empty one. */
static void read_list(const char *dir, struct jw_arena *a, struct jw_buf *out)
{
    struct jw_err ignored;
    bool found;

    if (!jw_file_slurp(jw_path_join(a, dir, STORE_OWN), out, &found, &ignored) || out->bad || out->n % LINE)
        jw_buf_clear(out);
}

static bool is_listed(const struct jw_buf *list, const char *line)
{
    for (size_t at = 0; at < list->n; at += LINE)
        if (memcmp(list->p + at, line, LINE) == 0)
            return true;
    return false;
}

bool jw_store_is_own(const char *dir, const uint8_t digest[JW_DIGEST], struct jw_arena *a)
{
    struct jw_buf list = JW_BUF((size_t)MAX_OWN * LINE);
    char line[LINE + 1];

    line_of(line, digest);
    read_list(dir, a, &list);
    bool listed = is_listed(&list, line);

    jw_buf_free(&list);
    return listed;
}

bool store_add_own(const struct jw_tree *t, const char *dir, const uint8_t digest[JW_DIGEST],
                   struct jw_arena *a, struct jw_err *err)
{
    struct jw_buf list = JW_BUF((size_t)MAX_OWN * LINE);
    char line[LINE + 1];
    bool ok = true;

    line_of(line, digest);
    read_list(dir, a, &list);
    if (!is_listed(&list, line)) {
        if (list.n == (size_t)MAX_OWN * LINE) { /* the oldest makes room */
            list.n -= LINE;
            memmove(list.p, list.p + LINE, list.n);
        }
        jw_buf_add(&list, line, LINE);
        ok = jw_buf_ok(&list, err) && store_put(t, STORE_OWN, jw_buf_bytes(&list), err);
    }
    jw_buf_free(&list);
    return ok;
}
