/*
 * A name becomes lower-case tokens, split between letters and digits, so that spacing does not matter:
 * RTX3070 and RTX 3070 are [rtx 3070]. Words that say nothing are dropped. Words that distinguish forms of one
 * product apart (laptop, 8 GB, PCIe, Ada) are kept aside: a user who leaves them out means all forms.
 */
#include "facts/gpu_names.h"

#include "base/buf.h"
#include "base/compiler.h"
#include "base/text.h"
#include "facts/rows.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 100, KEY = 3 * LONGEST, GROUPS_SHOWN = 4 };

/* Tokens, each with a blank on both sides: " rtx 3070 ". */
struct key {
    char core[KEY], form[KEY], all[KEY];
};

static void add_token(char key[KEY], const char *token, size_t n)
{
    size_t at = strlen(key);

    if (at == 0)
        key[at++] = ' ';
    if (n + 2 > KEY - at)
        return;
    memcpy(key + at, token, n);
    key[at + n] = ' ';
    key[at + n + 1] = '\0';
}

static bool is_one_of(const char *token, size_t n, const char *const *words)
{
    for (; *words; words++) {
        if (strlen(*words) == n && memcmp(*words, token, n) == 0)
            return true;
    }
    return false;
}

static int kind_of(char c)
{
    return c >= '0' && c <= '9' ? 1 : c >= 'a' && c <= 'z' ? 2 : 0;
}

static bool is_form(const char *name, const char *token, size_t n)
{
    static const char *const words[] = { "laptop", "mobile",    "max",         "q",    "oem", "ada",
                                         "sff",    "server",    "gb",          "pcie", "sxm", "hbm",
                                         "nvl",    "blackwell", "workstation", NULL };
    static const char *const sized[] = { "sxm", "hbm", NULL };
    const char *unit = token + n;

    if (kind_of(*token) == 2) {
        bool alone = (token == name || !kind_of(token[-1])) && !kind_of(token[n]);

        return is_one_of(token, n, words) || (alone && n == 1 && *token == 'a'); /* RTX 3050 A */
    }
    if (token - name >= 3 && is_one_of(token - 3, 3, sized))
        return true;
    unit += *unit == ' ';
    return unit[0] == 'g' && unit[1] == 'b' && kind_of(unit[2]) != 2;
}

static void make_key(const char *text, struct key *key)
{
    static const char *const noise[] = { "nvidia",     "geforce", "quadro", "tesla", "graphics", "gpu",
                                         "generation", "edition", "design", "with",  NULL };
    char name[LONGEST + 1] = "";

    for (size_t i = 0; i < LONGEST && text[i]; i++)
        name[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + ('a' - 'A')) : text[i];
    key->core[0] = key->form[0] = key->all[0] = '\0';
    for (const char *p = name; *p;) {
        size_t n = 1;

        if (!kind_of(*p)) {
            p++;
            continue;
        }
        while (kind_of(p[n]) == kind_of(*p))
            n++;
        if (!is_one_of(p, n, noise)) {
            add_token(key->all, p, n);
            add_token(is_form(name, p, n) ? key->form : key->core, p, n);
        }
        p += n;
    }
}

/* The next token of a key, with its blanks; NULL at the end. */
static const char *next_token(const char *at, char token[KEY])
{
    size_t n;

    if (*at == '\0' || at[1] == '\0')
        return NULL;
    n = strcspn(at + 1, " ");
    memcpy(token, at, n + 2);
    token[n + 2] = '\0';
    return at + n + 1;
}

/* Are all tokens of `part` in `whole`, in this order if `ordered`? */
static bool holds(const char *whole, const char *part, bool ordered)
{
    char token[KEY];
    const char *from = whole;

    while ((part = next_token(part, token)) != NULL) {
        const char *hit = strstr(from, token);

        if (!hit)
            return false;
        if (ordered)
            from = hit + strlen(token) - 1;
    }
    return true;
}

/* From worst to best. */
enum match { NO_MATCH, WORDS_WITHIN, SAME_PRODUCT, SAME_FORM };

static enum match compare(const struct key *want, const struct key *has)
{
    if (strcmp(want->core, has->core) == 0 && holds(has->form, want->form, false))
        return want->form[0] && strcmp(want->form, has->form) == 0 ? SAME_FORM : SAME_PRODUCT;
    return holds(has->all, want->all, true) ? WORDS_WITHIN : NO_MATCH;
}

/* The matching rows of one compute capability. */
struct group {
    uint16_t sm;
    uint8_t chips[3];
    size_t chips_n;
    const struct jw_gpu_row *example;
};

struct hits {
    enum match best;
    struct group groups[16];
    size_t groups_n;
    const struct jw_gpu_row
        *plainest; /* the row that says the least, in the driver's own words if it can be */
    size_t length; /* of what it says */
    bool many_devices;
};

static void add_hit(struct hits *hits, const struct jw_gpu_row *row, const struct key *key)
{
    size_t i = 0, c = 0,
           length = strlen(key->all) * 2 + !jw_text_starts(jw_facts_pool + row->name, "NVIDIA ");
    uint16_t sm = jw_facts_chips[row->chip].sm;

    if (hits->plainest && hits->plainest->device != row->device)
        hits->many_devices = true;
    if (!hits->plainest || length < hits->length) {
        hits->plainest = row;
        hits->length = length;
    }
    while (i < hits->groups_n && hits->groups[i].sm != sm)
        i++;
    if (i == JW_COUNT(hits->groups))
        return;
    if (i == hits->groups_n)
        hits->groups[hits->groups_n++] = (struct group){ .sm = sm, .example = row };
    struct group *g = &hits->groups[i];

    while (c < g->chips_n && g->chips[c] != row->chip)
        c++;
    if (c == g->chips_n && c < JW_COUNT(g->chips))
        g->chips[g->chips_n++] = row->chip;
}

/* The rows that match best; with `exact`, rows with this very name, ignoring case. */
static void find(const char *text, const struct key *want, bool exact, struct hits *hits)
{
    *hits = (struct hits){ .best = WORDS_WITHIN };
    for (size_t i = 0; i < jw_facts_gpus_n; i++) {
        const char *name = jw_facts_pool + jw_facts_gpus[i].name;
        struct key has;

        if (!*name || (exact && !jw_text_equal_nocase(text, name)))
            continue;
        make_key(name, &has);
        enum match m = compare(want, &has);

        if (m > hits->best)
            *hits = (struct hits){ .best = m };
        if (m == hits->best)
            add_hit(hits, &jw_facts_gpus[i], &has);
    }
}

static void add_group(struct jw_buf *b, const struct group *g)
{
    for (size_t i = 0; i < g->chips_n; i++)
        jw_buf_printf(b, "%s%s", i ? "/" : "", jw_facts_chips[g->chips[i]].name);
    jw_buf_printf(b, " (sm_%u", g->sm);
    if (g->example->device)
        jw_buf_printf(b, ", such as 10de:%04x", g->example->device);
    jw_buf_text(b, ")");
}

static bool refuse_ambiguous(const char *text, const struct hits *hits, struct jw_err *err)
{
    static const char *const counts[] = { "two", "three", "four" };
    struct jw_buf list = JW_BUF(1000);
    size_t n = hits->groups_n;

    for (size_t i = 0; i < n && i < GROUPS_SHOWN; i++) {
        if (i)
            jw_buf_text(&list, i + 1 < n ? ", " : " and ");
        add_group(&list, &hits->groups[i]);
    }
    if (n > GROUPS_SHOWN)
        jw_buf_text(&list, ", ...");
    (void)jw_fail(err, JW_E_USAGE,
                  "%.40s exists with %s kinds of chip: %s; give its PCI id or its sm_ number", text,
                  n - 2 < JW_COUNT(counts) ? counts[n - 2] : "many", jw_buf_cstr(&list));
    jw_buf_free(&list);
    return false;
}

enum { NEAREST = 3 };

struct near {
    unsigned distance;
    const struct jw_gpu_row *row;
    struct key key;
};

/* Keeps `nearest` sorted, each product once and under its shortest name. */
static void add_near(struct near nearest[NEAREST], const struct near *candidate)
{
    size_t at = 0;

    for (size_t i = 0; i < NEAREST; i++) {
        if (nearest[i].row && strcmp(nearest[i].key.core, candidate->key.core) == 0) {
            if (strlen(jw_facts_pool + candidate->row->name) < strlen(jw_facts_pool + nearest[i].row->name))
                nearest[i].row = candidate->row;
            return;
        }
    }
    while (at < NEAREST && nearest[at].row && nearest[at].distance <= candidate->distance)
        at++;
    if (at == NEAREST)
        return;
    memmove(&nearest[at + 1], &nearest[at], (NEAREST - 1 - at) * sizeof nearest[0]);
    nearest[at] = *candidate;
}

/* The number of a product says more than the letters around it: "4090ti" is nearer to RTX 4090 than to K40t. */
static unsigned distance(const struct key *want, const struct key *has)
{
    unsigned letters = jw_text_distance(want->core, has->core);
    char token[KEY];

    for (const char *at = want->core; (at = next_token(at, token)) != NULL;)
        if (kind_of(token[1]) == 1 && strlen(token) >= strlen(" 100 ") && strstr(has->core, token))
            return letters / 3;
    return letters;
}

static bool refuse_unknown(const char *text, const struct key *want, struct jw_err *err)
{
    static const char *const between[NEAREST] = { "", ", ", " and " };
    struct near nearest[NEAREST] = { 0 };
    struct jw_buf list = JW_BUF(400);

    for (size_t i = 0; i < jw_facts_gpus_n; i++) {
        struct near candidate = { .row = &jw_facts_gpus[i] };

        if (!candidate.row->name)
            continue;
        make_key(jw_facts_pool + candidate.row->name, &candidate.key);
        candidate.distance = distance(want, &candidate.key);
        add_near(nearest, &candidate);
    }
    if (nearest[0].distance * 2 >= strlen(want->core)) {
        jw_buf_free(&list);
        return jw_fail(err, JW_E_USAGE,
                       "no GPU is called \"%.60s\"; name one as sm_86, 8.6, 10de:2484 or \"RTX 3070\"", text);
    }
    for (size_t i = 0; i < NEAREST && nearest[i].row; i++)
        jw_buf_printf(&list, "%s%s", between[i], jw_facts_pool + nearest[i].row->name);
    (void)jw_fail(err, JW_E_USAGE,
                  "no GPU is called \"%.60s\"; the nearest names are %s. A PCI id (10de:2484) or a compute "
                  "capability (sm_86, 8.6) is understood too",
                  text, jw_buf_cstr(&list));
    jw_buf_free(&list);
    return false;
}

bool jw_gpu_by_name(const char *text, struct jw_gpu *out, bool *found, struct jw_err *err)
{
    struct key want;
    struct hits hits = { 0 };

    make_key(text, &want);
    *found = false;
    if (!want.core[0])
        return jw_fail(err, JW_E_USAGE,
                       "\"%.60s\" is no GPU; name one as sm_86, 8.6, 10de:2484 or \"RTX 3070\"", text);
    if (strlen(text) <= LONGEST)
        find(text, &want, false, &hits);
    *found = hits.groups_n > 0;
    if (!*found)
        return refuse_unknown(text, &want, err);
    if (hits.groups_n > 1) {
        struct hits exact;

        find(text, &want, true, &exact);
        if (exact.groups_n != 1)
            return refuse_ambiguous(text, &hits, err);
        hits = exact;
    }
    *out = (struct jw_gpu){ .sm = hits.groups[0].sm, .source = JW_GPU_OPTION };
    if (!hits.many_devices)
        out->device_id = hits.plainest->device;
    (void)snprintf(out->name, sizeof out->name, "%s", jw_facts_pool + hits.plainest->name);
    return true;
}
