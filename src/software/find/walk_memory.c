#include "software/find/walk_memory.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/path.h"
#include "machine/trust.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MARK "jitwarm-walk 3 "

enum { NAME_DIGITS = 16, MOST_BYTES = 4 << 20, MOST_LINES = 1 << 16 };

static const char *file_of(const char *folder, const char *top, struct jw_arena *a)
{
    uint8_t digest[JW_DIGEST];
    char hex[2 * JW_DIGEST + 1];

    jw_digest(digest, top, strlen(top));
    jw_digest_hex(hex, digest);
    hex[NAME_DIGITS] = '\0';
    return jw_path_join(a, folder, hex);
}

static bool number(char **at, uint64_t *out)
{
    char *p = *at;

    for (*out = 0; *p >= '0' && *p <= '9' && *out <= (UINT64_MAX - 9) / 10; p++)
        *out = *out * 10 + (uint64_t)(*p - '0');
    if (p == *at || *p != ' ')
        return false;
    *at = p + 1;
    return true;
}

/* `*good` false: the line is damaged. */
static bool take_line(struct walk_memory *m, char *line, struct jw_arena *a, bool *good, struct jw_err *err)
{
    struct walked one = { .kind = line[0] };
    const char **path;
    char *at = line + 2;
    uint64_t mtime, children;

    *good = line[0] && line[1] == ' ';
    if (*good && one.kind == WALK_RUNNING) {
        path = jw_list_add(a, &m->running.names, &m->running.n, sizeof *path, MOST_LINES, err);
        return path && (*path = at);
    }
    *good = *good && number(&at, &mtime) && number(&at, &one.id.volume) && number(&at, &one.id.node)
            && number(&at, &children) && *at && children < MOST_LINES;
    if (!*good)
        return true;
    one.mtime = (int64_t)mtime;
    one.children = (size_t)children;
    one.name = at;
    m->v[m->n++] = one;
    return true;
}

/* The children of each folder follow those of the folder before it. */
static bool place_children(struct walk_memory *m, const char *top)
{
    size_t next = 1;

    for (size_t i = 0; i < m->n; i++) {
        m->v[i].first = next;
        next += m->v[i].children;
        if (next > m->n || m->v[i].first <= i)
            return false;
    }
    return m->n && next == m->n && strcmp(m->v[0].name, top) == 0;
}

/* Returns the next line with a NUL at its end, or NULL. */
static char *next_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');

    if (!end)
        return NULL;
    *end = '\0';
    *text = end + 1;
    return line;
}

static bool parse(struct walk_memory *m, char *text, const char *top, struct jw_arena *a, struct jw_err *err)
{
    char *line = next_line(&text);
    bool good = line && strncmp(line, MARK, sizeof MARK - 1) == 0;
    size_t lines = 0;

    for (const char *end = text; good && (end = strchr(end, '\n')); end++)
        lines++;
    good = good && lines <= MOST_LINES;
    if (good) {
        m->looked = strtoll(line + sizeof MARK - 1, NULL, 10);
        m->v = jw_arena_alloc(a, lines * sizeof *m->v);
    }
    while (good && (line = next_line(&text)))
        if (!take_line(m, line, a, &good, err))
            return false;
    if (!good || *text || !place_children(m, top))
        *m = (struct walk_memory){ 0 };
    return true;
}

bool walk_memory_load(const char *folder, const char *top, struct jw_arena *a, struct walk_memory *out,
                      struct jw_err *err)
{
    struct jw_buf text = JW_BUF(MOST_BYTES);
    struct jw_err why = { 0 };
    const char *file = file_of(folder, top, a);
    char *copy;
    bool found = false, ok = true;

    *out = (struct walk_memory){ 0 };
    if (jw_trust_believe(file, "file", a, &why) && jw_file_slurp(file, &text, &found, &why) && found) {
        copy = jw_arena_str(a, jw_buf_cstr(&text));
        ok = parse(out, copy, top, a, err);
    }
    jw_buf_free(&text);
    return ok;
}

/* A folder is read again if a name in it contains a line end. */
static bool can_be_kept(const struct walk_memory *m, size_t parent)
{
    for (size_t i = 0; i < m->v[parent].children; i++)
        if (strchr(m->v[m->v[parent].first + i].name, '\n'))
            return false;
    return true;
}

static void write(struct jw_buf *b, const struct walk_memory *m)
{
    jw_buf_printf(b, MARK "%" PRId64 "\n", m->looked);
    for (size_t i = 0; i < m->running.n; i++)
        if (!strchr(m->running.names[i], '\n'))
            jw_buf_printf(b, "%c %s\n", WALK_RUNNING, m->running.names[i]);
    for (size_t i = 0; i < m->n; i++) {
        const struct walked *w = &m->v[i];
        bool keep = w->mtime > 0 && can_be_kept(m, i);
        size_t n = strcspn(w->name, "\n");

        jw_buf_printf(b, "%c %" PRId64 " %" PRIu64 " %" PRIu64 " %zu ", w->kind, keep ? w->mtime : 0,
                      w->id.volume, w->id.node, w->children);
        jw_buf_add(b, w->name, n);
        jw_buf_text(b, "\n");
    }
}

bool walk_memory_save(const char *folder, const struct walk_memory *m, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF(MOST_BYTES);
    const char *file = m->n ? file_of(folder, m->v[0].name, a) : "";
    struct jw_out out = { 0 };
    struct jw_err why = { 0 };

    write(&text, m);
    if (m->n && !text.bad && jw_trust_make(folder, &why) && jw_out_open(&out, file, true, &why)
        && jw_out_write(&out, text.p, text.n, &why))
        (void)!jw_out_commit(&out, &why);
    jw_out_close(&out);
    jw_buf_free(&text);
    return true;
}
