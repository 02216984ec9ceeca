#include "facts/gpus.h"

#include "base/text.h"
#include "facts/archs.h"
#include "facts/rows.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NVIDIA = 0x10de,
    OLDEST_SM = 20,
    NEWEST_SM = 199 /* a larger number is a slip of the keyboard */
};

static void fill_gpu(struct jw_gpu *out, const struct jw_gpu_row *row)
{
    const struct jw_chip_row *chip = &jw_facts_chips[row->chip];

    *out = (struct jw_gpu){.sm = chip->sm};
    if (row->name)
        (void)snprintf(out->name, sizeof out->name, "%s", jw_facts_pool + row->name);
    else
        (void)snprintf(out->name, sizeof out->name, "NVIDIA %s", chip->name);
}

/* How well a row fits: its own board, no board, another board (where the shortest name is most
 * general). */
static unsigned board_fit(const struct jw_gpu_row *row, unsigned sub_vendor, unsigned sub_device)
{
    bool same_board =
        sub_device == row->sub_device && (sub_vendor == 0 || sub_vendor == row->sub_vendor);

    if (sub_device && same_board)
        return 3;
    return row->sub_vendor ? 1 : 2;
}

/* The subsystem (board vendor and device; 0, 0 when unknown, vendor 0 for any) only refines the
 * name. False: not in the table. */
static bool by_pci(unsigned device_id, unsigned sub_vendor, unsigned sub_device, struct jw_gpu *out)
{
    const struct jw_gpu_row *best = NULL;
    unsigned best_fit = 0;
    size_t shortest = SIZE_MAX;

    if (!device_id)
        return false;
    for (size_t i = 0; i < jw_facts_gpus_n; i++) {
        const struct jw_gpu_row *row = &jw_facts_gpus[i];

        if (row->device != device_id)
            continue;
        unsigned fit = board_fit(row, sub_vendor, sub_device);
        size_t length = strlen(jw_facts_pool + row->name);

        if (fit < best_fit || (fit == best_fit && length >= shortest))
            continue;
        best = row;
        best_fit = fit;
        shortest = length;
    }
    if (!best)
        return false;
    fill_gpu(out, best);
    return true;
}

/* Exactly four hexadecimal digits at *text, which moves behind them. */
static bool take_pci_id(const char **text, unsigned *out)
{
    char digits[] = "0000";
    size_t n = sizeof digits - 1;

    if (strspn(*text, "0123456789abcdefABCDEF") < n)
        return false;
    memcpy(digits, *text, n);
    *out = (unsigned)strtoul(digits, NULL, 16);
    *text += n;
    return true;
}

struct pci_id {
    unsigned vendor, device, sub_vendor, sub_device;
};

/* vendor:device, with the board as :vendor:device, :vendordevice or :device behind it; or
 * 0xdevice. */
static bool read_pci_id(const char *text, struct pci_id *id)
{
    bool hex = jw_text_starts_nocase(text, "0x");

    *id = (struct pci_id){.vendor = NVIDIA};
    text += hex ? 2 : 0;
    if (!take_pci_id(&text, &id->device))
        return false;
    if (*text == '\0')
        return hex;
    id->vendor = id->device;
    if (*text++ != ':')
        return false;
    text += jw_text_starts_nocase(text, "0x") ? 2 : 0;
    if (!take_pci_id(&text, &id->device))
        return false;
    if (*text == '\0')
        return true;
    if (*text++ != ':' || !take_pci_id(&text, &id->sub_device))
        return false;
    if (*text == '\0')
        return true;
    id->sub_vendor = id->sub_device;
    text += *text == ':';
    return take_pci_id(&text, &id->sub_device) && *text == '\0';
}

/* PCI\VEN_10DE&DEV_2484&SUBSYS_403B1458&REV_A1, as Windows writes it: the board's device, then its
 * vendor. */
static bool read_windows_id(const char *text, struct pci_id *id)
{
    const char *ven = jw_text_find_nocase(text, "VEN_");
    const char *dev = jw_text_find_nocase(text, "DEV_");
    const char *board = jw_text_find_nocase(text, "SUBSYS_");

    *id = (struct pci_id){0};
    if (!ven || !dev)
        return false;
    ven += 4;
    dev += 4;
    if (!take_pci_id(&ven, &id->vendor) || !take_pci_id(&dev, &id->device))
        return false;
    if (board) {
        board += 7;
        return take_pci_id(&board, &id->sub_device) && take_pci_id(&board, &id->sub_vendor);
    }
    return true;
}

static bool of_pci_id(const struct pci_id *id, struct jw_gpu *out, struct jw_err *err)
{
    if (id->vendor == 0x1002 || id->vendor == 0x1022 || id->vendor == 0x8086)
        return jw_fail(err, JW_E_USAGE,
                       "%04x:%04x is made by %s; CUDA needs a GPU of NVIDIA (vendor 10de)",
                       id->vendor, id->device, id->vendor == 0x8086 ? "Intel" : "AMD");
    if (id->vendor != NVIDIA)
        return jw_fail(err, JW_E_USAGE, "%04x:%04x is not a GPU of NVIDIA (vendor 10de)",
                       id->vendor, id->device);
    if (!by_pci(id->device, id->sub_vendor, id->sub_device, out))
        return jw_fail(err, JW_E_USAGE,
                       "the PCI id 10de:%04x is not in the table; give the compute capability "
                       "instead, such as sm_86",
                       id->device);
    return true;
}

struct arch_text {
    bool prefixed; /* "sm_": certainly an architecture */
    bool dotted;   /* 8.6 */
    unsigned sm;
    char suffix; /* a, f or NUL */
};

/* What follows a word such as sm_; the same text: there is none. */
static const char *behind_prefix(const char *text)
{
    static const char *const prefixes[] = {"sm_", "compute_", "sm", "compute", "cc"};

    for (size_t i = 0; i < JW_COUNT(prefixes); i++)
        if (jw_text_starts_nocase(text, prefixes[i]))
            return text + strlen(prefixes[i]);
    return text;
}

/* Is it written like an architecture? */
static bool read_arch(const char *text, struct arch_text *a)
{
    const char *from = behind_prefix(text);
    unsigned v = 0;

    *a = (struct arch_text){.prefixed = from != text};
    for (text = from; jw_is_digit(*text); text++) {
        if (text - from == 6)
            return false;
        v = v * 10 + (unsigned)(*text - '0');
    }
    if (text == from)
        return false;
    if (*text == '.' && jw_is_digit(text[1]) && v < 100) {
        v = v * 10 + (unsigned)(text[1] - '0');
        a->dotted = true;
        text += 2;
    }
    a->sm = v;
    if ((*text | 0x20) == 'a' || (*text | 0x20) == 'f')
        a->suffix = (char)(*text++ | 0x20);
    return *text == '\0';
}

/* Is it an architecture rather than the number in a product's name? */
static bool is_arch(const char *text, struct arch_text *a)
{
    if (!read_arch(text, a))
        return false;
    return a->prefixed || a->dotted || a->sm < 200 || jw_arch_find(a->sm);
}

static bool has_suffix(const struct jw_arch_fact *fact, char suffix)
{
    if (suffix == 'a')
        return fact->has_a;
    return suffix != 'f' || fact->has_f;
}

static bool of_arch(const char *text, const struct arch_text *a, struct jw_gpu *out,
                    struct jw_err *err)
{
    const struct jw_arch_fact *fact = jw_arch_find(a->sm);
    unsigned newest = jw_facts_archs[jw_facts_archs_n - 1].sm;
    bool in_range = a->sm >= OLDEST_SM && a->sm <= NEWEST_SM;

    /* One that is newer than the table may exist. */
    if (!in_range || (!fact && a->sm < newest))
        return jw_fail(err, JW_E_USAGE,
                       "\"%.40s\" is no known architecture, such as sm_86; the newest is sm_%u",
                       text, newest);
    if (fact && !has_suffix(fact, a->suffix))
        return jw_fail(err, JW_E_USAGE, "there is no sm_%u%c; write sm_%u", a->sm, a->suffix,
                       a->sm);
    *out = (struct jw_gpu){.sm = (uint16_t)a->sm};
    return true;
}

bool jw_gpu_is_index(const char *text)
{
    uint64_t v;

    return jw_text_u64(text, &v) && v < OLDEST_SM;
}

bool jw_gpu_is_of_machine(const char *text)
{
    return jw_gpu_is_index(text) || jw_text_starts(text, "GPU-") || jw_text_starts(text, "MIG-");
}

bool jw_gpu_means(const char *text, const struct jw_device *gpu)
{
    struct arch_text arch;
    uint64_t index;

    if (jw_gpu_is_index(text))
        return jw_text_u64(text, &index) && index == gpu->index;
    if (jw_gpu_is_of_machine(text))
        return jw_text_starts(gpu->uuid, text);
    return *text && !is_arch(text, &arch)
           && jw_text_find_nocase(gpu->name, text); /* 90 is sm_90, no RTX 3090 */
}

/* ---- sets of architectures ---- */

const struct jw_sms jw_sms_important = {{61, 75, 80, 86, 89, 90, 100, 120}, 8};

bool jw_sms_have(const struct jw_sms *sms, unsigned sm)
{
    for (size_t i = 0; i < sms->n; i++)
        if (sms->v[i] == sm)
            return true;
    return false;
}

void jw_sms_add(struct jw_sms *sms, uint16_t sm)
{
    if (sm && sms->n < JW_MAX_SMS && !jw_sms_have(sms, sm))
        sms->v[sms->n++] = sm;
}

/* ---- names ---- */

/* A name becomes lower-case tokens, split between letters and digits, so that spacing does not
 * matter: RTX3070 and RTX 3070 are [rtx 3070]. Words that say nothing are dropped. Words that
 * distinguish forms of one product apart (laptop, 8 GB, PCIe, Ada) are kept aside: a user who
 * leaves them out means all forms. */
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
    for (; *words; words++)
        if (strlen(*words) == n && memcmp(*words, token, n) == 0)
            return true;
    return false;
}

/* A token of a name has digits alone, or letters alone. */
static int kind_of(char c)
{
    if (jw_is_digit(c))
        return 1;
    return c >= 'a' && c <= 'z' ? 2 : 0;
}

static bool is_form(const char *name, const char *token, size_t n)
{
    static const char *const words[] = {"laptop", "mobile",    "max",         "q",    "oem", "ada",
                                        "sff",    "server",    "gb",          "pcie", "sxm", "hbm",
                                        "nvl",    "blackwell", "workstation", NULL};
    static const char *const sized[] = {"sxm", "hbm", NULL};
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

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

static void make_key(const char *text, struct key *key)
{
    static const char *const noise[] = {"nvidia",   "geforce", "quadro",     "tesla",
                                        "graphics", "gpu",     "generation", "edition",
                                        "design",   "with",    NULL};
    char name[LONGEST + 1] = "";

    for (size_t i = 0; i < LONGEST; i++) {
        if (!text[i])
            break;
        name[i] = lower(text[i]);
    }
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
static bool key_holds(const char *whole, const char *part, bool ordered)
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

static enum match compare_keys(const struct key *want, const struct key *has)
{
    if (strcmp(want->core, has->core) == 0 && key_holds(has->form, want->form, false))
        return want->form[0] && strcmp(want->form, has->form) == 0 ? SAME_FORM : SAME_PRODUCT;
    return key_holds(has->all, want->all, true) ? WORDS_WITHIN : NO_MATCH;
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
    /* the row that says the least, in the driver's own words if it can be */
    const struct jw_gpu_row *plainest;
    size_t length; /* of what it says */
};

static void add_hit(struct hits *hits, const struct jw_gpu_row *row, const struct key *key)
{
    size_t i = 0;
    size_t c = 0;
    size_t length = strlen(key->all) * 2 + !jw_text_starts(jw_facts_pool + row->name, "NVIDIA ");
    uint16_t sm = jw_facts_chips[row->chip].sm;

    if (!hits->plainest || length < hits->length) {
        hits->plainest = row;
        hits->length = length;
    }
    while (i < hits->groups_n && hits->groups[i].sm != sm)
        i++;
    if (i == JW_COUNT(hits->groups))
        return;
    if (i == hits->groups_n)
        hits->groups[hits->groups_n++] = (struct group){.sm = sm, .example = row};
    struct group *g = &hits->groups[i];

    while (c < g->chips_n && g->chips[c] != row->chip)
        c++;
    if (c == g->chips_n && c < JW_COUNT(g->chips))
        g->chips[g->chips_n++] = row->chip;
}

/* The name behind the words that a person leaves out. */
static const char *product_of(const char *name)
{
    name += jw_text_starts_nocase(name, "NVIDIA ") ? strlen("NVIDIA ") : 0;
    return name + (jw_text_starts_nocase(name, "GeForce ") ? strlen("GeForce ") : 0);
}

/* Ignoring case and blanks: "rtx3050". */
static bool is_product(const char *text, const char *name)
{
    const char *a = product_of(text);
    const char *b = product_of(name);

    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

/* The rows that match best; with `exact`, rows with this very product. */
static void find_rows(const char *text, const struct key *want, bool exact, struct hits *hits)
{
    *hits = (struct hits){.best = WORDS_WITHIN};
    for (size_t i = 0; i < jw_facts_gpus_n; i++) {
        const char *name = jw_facts_pool + jw_facts_gpus[i].name;
        struct key has;

        if (!*name || (exact && !is_product(text, name)))
            continue;
        make_key(name, &has);
        enum match m = compare_keys(want, &has);

        if (m > hits->best)
            *hits = (struct hits){.best = m};
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
    static const char *const counts[] = {"two", "three", "four"};
    struct jw_buf list = JW_BUF(1000);
    size_t n = hits->groups_n;
    size_t shown = n < GROUPS_SHOWN ? n : GROUPS_SHOWN;

    for (size_t i = 0; i < shown; i++) {
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

static bool refuse_unknown(const char *text, struct jw_err *err)
{
    return jw_fail(err, JW_E_USAGE,
                   "no GPU is called \"%.60s\"; name one as sm_86, 8.6, 10de:2484 or \"RTX 3070\"",
                   text);
}

/* False with a sentence if the name stands for several compute capabilities, or (`*found` false)
 * for none that is known. */
static bool of_product(const char *text, struct jw_gpu *out, bool *found, struct jw_err *err)
{
    struct key want;
    struct hits hits = {0};

    make_key(text, &want);
    *found = false;
    if (!want.core[0])
        return jw_fail(err, JW_E_USAGE,
                       "\"%.60s\" is no GPU; name one as sm_86, 8.6, 10de:2484 or \"RTX 3070\"",
                       text);
    if (strlen(text) <= LONGEST)
        find_rows(text, &want, false, &hits);
    *found = hits.groups_n > 0;
    if (!*found)
        return refuse_unknown(text, err);
    if (hits.groups_n > 1) {
        struct hits exact;

        find_rows(text, &want, true, &exact);
        if (exact.groups_n != 1)
            return refuse_ambiguous(text, &hits, err);
        hits = exact;
    }
    *out = (struct jw_gpu){.sm = hits.groups[0].sm};
    (void)snprintf(out->name, sizeof out->name, "%s", jw_facts_pool + hits.plainest->name);
    return true;
}

/* ---- what a user may write ---- */

/* GA104, or NVIDIA GA104, as fill_gpu() calls a product without a name. */
static bool of_chip(const char *text, struct jw_gpu *out)
{
    const char *chip = jw_text_starts_nocase(text, "NVIDIA ") ? text + 7 : text;

    for (size_t i = 0; i < jw_facts_chips_n; i++) {
        if (!jw_text_equal_nocase(chip, jw_facts_chips[i].name))
            continue;
        *out = (struct jw_gpu){.sm = jw_facts_chips[i].sm};
        (void)snprintf(out->name, sizeof out->name, "NVIDIA %s", jw_facts_chips[i].name);
        return true;
    }
    return false;
}

/* Short names that stand for more than one board: the one that most people have. */
static const char *usual_name(const char *text)
{
    static const char *const names[][2] = {
        {"A100", "A100-SXM4-80GB"},
        {"RTX PRO 6000", "RTX PRO 6000 Blackwell Workstation Edition"},
        {"RTX PRO 6000 Blackwell", "RTX PRO 6000 Blackwell Workstation Edition"},
        {"DGX Spark", "NVIDIA GB10"},
        {"NVIDIA DGX Spark", "NVIDIA GB10"},
        {"P100", "Tesla P100 PCIe 16GB"},
        {"V100", "Tesla V100 SXM2 16GB"}};

    for (size_t i = 0; i < JW_COUNT(names); i++)
        if (jw_text_equal_nocase(text, names[i][0]))
            return names[i][1];
    return text;
}

/* "NVIDIA A100-SXM4-40GB MIG 1g.5gb": a slice computes as the whole. */
static bool of_slice(const char *text, struct jw_gpu *out)
{
    const char *mig = jw_text_find_nocase(text, " MIG ");
    char whole[128];
    bool found;

    if (!mig || mig == text || (size_t)(mig - text) >= sizeof whole)
        return false;
    memcpy(whole, text, (size_t)(mig - text));
    whole[mig - text] = '\0';
    return of_product(usual_name(whole), out, &found, JW_IGNORED);
}

/* "1g.24gb", with nothing that says of which GPU. */
static bool is_profile(const char *text)
{
    static const char digits[] = "0123456789";
    size_t n = strspn(text, digits);
    size_t gb = n && jw_text_starts_nocase(text + n, "g.") ? n + 2 : 0;

    return gb && strspn(text + gb, digits)
           && jw_text_starts_nocase(text + gb + strspn(text + gb, digits), "gb");
}

/* Names come before bare PCI ids: 2080 is a GeForce first. */
static bool of_name(const char *text, struct jw_gpu *out, struct jw_err *err)
{
    const char *rest;
    struct jw_err why;
    unsigned device;
    bool found;

    if (of_slice(text, out))
        return true;
    text = usual_name(text);
    rest = text;
    if (of_chip(text, out) || of_product(text, out, &found, &why))
        return true;
    if (!found && take_pci_id(&rest, &device) && !*rest && by_pci(device, 0, 0, out))
        return true;
    return jw_pass(err, why);
}

bool jw_gpu_parse(const char *text, struct jw_gpu *out, struct jw_err *err)
{
    struct arch_text arch;
    struct pci_id id;
    bool ok;

    if (jw_gpu_is_index(text))
        return jw_fail(err, JW_E_USAGE,
                       "%s is the index of a GPU of this machine, not the name of one", text);
    if (jw_text_starts_nocase(text, "GPU-") || jw_text_starts_nocase(text, "MIG-"))
        return jw_fail(
            err, JW_E_USAGE,
            "\"%.60s\" is a UUID, which only the driver of its machine can resolve; give the GPU's "
            "index, PCI id, name or sm_ number",
            text);
    if (jw_text_starts_nocase(text, "MIG ") || is_profile(text))
        return jw_fail(
            err, JW_E_USAGE,
            "\"%.60s\" does not say which GPU it is a part of; name that one: A100, H100 or sm_90",
            text);
    if (read_pci_id(text, &id) || read_windows_id(text, &id))
        ok = of_pci_id(&id, out, err);
    else if (is_arch(text, &arch))
        ok = of_arch(text, &arch, out, err);
    else
        ok = of_name(text, out, err);
    return ok;
}
