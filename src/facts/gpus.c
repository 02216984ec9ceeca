#include "facts/gpus.h"

#include "base/num.h"
#include "base/text.h"
#include "facts/archs.h"
#include "facts/rows.h"

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

struct pci_id {
    unsigned vendor, device;
    unsigned sub_vendor, sub_device; /* of the board; 0: unknown */
};

/* How well a row fits: its own board, no board, another board. */
static unsigned board_fit(const struct jw_gpu_row *row, const struct pci_id *id)
{
    if (!row->sub_vendor)
        return 2;
    return id->sub_device == row->sub_device && id->sub_vendor == row->sub_vendor ? 3 : 1;
}

/* The board only refines the name; of other boards the shortest name is the most general. False:
 * the device is not in the table. */
static bool by_pci(const struct pci_id *id, struct jw_gpu *out)
{
    const struct jw_gpu_row *best = NULL;
    unsigned best_fit = 0;
    size_t shortest = SIZE_MAX;

    for (size_t i = 0; i < jw_facts_gpus_n; i++) {
        const struct jw_gpu_row *row = &jw_facts_gpus[i];

        if (!row->device || row->device != id->device)
            continue;
        unsigned fit = board_fit(row, id);
        size_t length = strlen(jw_facts_pool + row->name);

        if (fit < best_fit || (fit == best_fit && length >= shortest))
            continue;
        best = row;
        best_fit = fit;
        shortest = length;
    }
    if (best)
        fill_gpu(out, best);
    return best != NULL;
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

/* 0xdevice, vendor:device or vendor:device:vendor:device, the last two of the board. */
static bool read_pci_id(const char *text, struct pci_id *id)
{
    unsigned part[4] = {0};
    size_t n = 0;
    bool hex = jw_text_starts_nocase(text, "0x");

    do {
        text += jw_text_starts_nocase(text, "0x") ? 2 : 0;
        if (n == JW_COUNT(part) || !take_pci_id(&text, &part[n++]))
            return false;
    } while (*text++ == ':');
    if (text[-1] != '\0')
        return false;
    if (n == 1)
        *id = (struct pci_id){.vendor = NVIDIA, .device = part[0]};
    else
        *id = (struct pci_id){part[0], part[1], part[2], part[3]};
    return n == 1 ? hex : n != 3;
}

/* PCI\VEN_10DE&DEV_2484&SUBSYS_403B1458&REV_A1, as Windows writes it: the vendor is last. */
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
    if (!by_pci(id, out))
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
    const char *number = behind_prefix(text);
    char *end;

    *a = (struct arch_text){.prefixed = number != text};
    a->sm = (unsigned)strtoul(number, &end, 10);
    if (!jw_is_digit(*number) || end - number > 6)
        return false;
    text = end;
    if (*text == '.' && jw_is_digit(text[1]) && a->sm < 100) {
        a->sm = a->sm * 10 + (unsigned)(text[1] - '0');
        a->dotted = true;
        text += 2;
    }
    if ((*text | 0x20) == 'a' || (*text | 0x20) == 'f')
        a->suffix = (char)(*text++ | 0x20);
    return *text == '\0';
}

/* Is it an architecture rather than the number in a product's name? */
static bool is_arch(const char *text, struct arch_text *a)
{
    if (!read_arch(text, a))
        return false;
    return a->prefixed || a->dotted || a->sm <= NEWEST_SM;
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
    if (is_arch(text, &arch)) /* 90 is sm_90, no RTX 3090 */
        return false;
    return *text && jw_text_find_nocase(gpu->name, text);
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

/* A name becomes lower-case tokens with blanks around them, split between letters and digits, so
 * that spacing does not matter: RTX3070 and RTX 3070 are " rtx 3070 ". */
enum { LONGEST = 100, SHOWN = 4 };

struct key {
    char tokens[3 * LONGEST];
    size_t n;
};

/* Of the letters or digits at the start of the text. A single letter and the number behind it are
 * one token, so that RTX A6000 is another product than RTX 6000. */
static size_t token_length(const char *text)
{
    size_t letters = 0;

    while (jw_is_letter(text[letters]))
        letters++;
    if (letters > 1)
        return letters;
    return letters + strspn(text + letters, "0123456789");
}

/* Words that do not distinguish one product from another. */
static bool is_noise(const char *token)
{
    static const char noise[] =
        " nvidia geforce tesla graphics gpu generation edition design with ";

    return strstr(noise, token) != NULL;
}

/* The text has at most LONGEST characters. */
static void make_key(const char *text, struct key *key)
{
    char name[LONGEST + 1] = "";
    char token[LONGEST + 3];
    size_t end = 1;

    for (size_t i = 0; text[i]; i++)
        name[i] = jw_lower(text[i]);
    *key = (struct key){.tokens = " "};
    for (const char *at = name; *at;) {
        size_t n = token_length(at);

        if (!n) {
            at++;
            continue;
        }
        (void)snprintf(token, sizeof token, " %.*s ", (int)n, at);
        at += n;
        if (is_noise(token))
            continue;
        memcpy(key->tokens + end, token + 1, n + 2);
        end += n + 1;
        key->n++;
    }
}

/* Has it all tokens that are wanted, in any order? */
static bool key_has(const struct key *key, const struct key *want)
{
    char token[LONGEST + 3];
    const char *at = want->tokens;

    for (size_t i = 0; i < want->n; i++) {
        size_t n = strcspn(at + 1, " ");

        (void)snprintf(token, sizeof token, " %.*s ", (int)n, at + 1);
        if (!strstr(key->tokens, token))
            return false;
        at += n + 1;
    }
    return true;
}

/* The rows whose names have all the tokens, and the fewest others. */
struct hits {
    size_t tokens;                         /* of each of these names */
    const struct jw_gpu_row *by_sm[SHOWN]; /* one of each compute capability */
    size_t n;                              /* of compute capabilities; SHOWN: or more */
    const struct jw_gpu_row *plainest;
};

static unsigned sm_of(const struct jw_gpu_row *row) { return jw_facts_chips[row->chip].sm; }

static const char *name_of(const struct jw_gpu_row *row) { return jw_facts_pool + row->name; }

/* Is it the driver's own name, or else the shorter one? */
static bool is_plainer(const struct jw_gpu_row *a, const struct jw_gpu_row *b)
{
    bool a_full = jw_text_starts(name_of(a), "NVIDIA ");
    bool b_full = jw_text_starts(name_of(b), "NVIDIA ");

    if (a_full != b_full)
        return a_full;
    return strlen(name_of(a)) < strlen(name_of(b));
}

static void add_hit(struct hits *hits, const struct jw_gpu_row *row)
{
    if (!hits->plainest || is_plainer(row, hits->plainest))
        hits->plainest = row;
    for (size_t i = 0; i < hits->n; i++)
        if (sm_of(hits->by_sm[i]) == sm_of(row))
            return;
    if (hits->n < SHOWN)
        hits->by_sm[hits->n++] = row;
}

static void find_rows(const struct key *want, struct hits *hits)
{
    *hits = (struct hits){.tokens = SIZE_MAX};
    for (size_t i = 0; i < jw_facts_gpus_n; i++) {
        const struct jw_gpu_row *row = &jw_facts_gpus[i];
        struct key has;

        make_key(name_of(row), &has);
        if (has.n < want->n || has.n > hits->tokens || !key_has(&has, want))
            continue;
        if (has.n < hits->tokens)
            *hits = (struct hits){.tokens = has.n};
        add_hit(hits, row);
    }
}

static bool refuse_ambiguous(const char *text, const struct hits *hits, struct jw_err *err)
{
    struct jw_buf list = JW_BUF(1000);

    for (size_t i = 0; i < hits->n; i++)
        jw_buf_printf(&list, "%ssm_%u (%s)", jw_text_between(i, hits->n), sm_of(hits->by_sm[i]),
                      name_of(hits->by_sm[i]));
    if (hits->n == SHOWN)
        jw_buf_text(&list, ", ...");
    (void)jw_fail(
        err, JW_E_USAGE,
        "several kinds of GPU are called \"%.40s\": %s; give the PCI id or the sm_ number", text,
        jw_buf_cstr(&list));
    jw_buf_free(&list);
    return false;
}

/* Fails if the name stands for no known GPU, or for several compute capabilities. */
static bool of_product(const char *text, struct jw_gpu *out, struct jw_err *err)
{
    struct key want = {0};
    struct hits hits = {0};

    if (strlen(text) <= LONGEST)
        make_key(text, &want);
    if (want.n)
        find_rows(&want, &hits);
    if (hits.n > 1)
        return refuse_ambiguous(text, &hits, err);
    if (hits.n == 0)
        return jw_fail(
            err, JW_E_USAGE,
            "no GPU is called \"%.60s\"; name one as sm_86, 8.6, 10de:2484 or \"RTX 3070\"", text);
    fill_gpu(out, hits.plainest);
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

/* "NVIDIA A100-SXM4-40GB MIG 1g.5gb" is a slice, and computes as the whole. */
static bool of_name(const char *text, struct jw_gpu *out, struct jw_err *err)
{
    char whole[2 * LONGEST];
    const char *slice = jw_text_find_nocase(text, " MIG ");
    size_t n = slice ? (size_t)(slice - text) : strlen(text);

    (void)snprintf(whole, sizeof whole, "%.*s", (int)jw_min(n, sizeof whole), text);
    return of_chip(whole, out) || of_product(whole, out, err);
}

bool jw_gpu_parse(const char *text, struct jw_gpu *out, struct jw_err *err)
{
    struct arch_text arch;
    struct pci_id id;

    if (jw_gpu_is_index(text))
        return jw_fail(err, JW_E_USAGE,
                       "%s is the index of a GPU of this machine, not the name of one", text);
    if (jw_gpu_is_of_machine(text))
        return jw_fail(
            err, JW_E_USAGE,
            "\"%.60s\" is a UUID, which only the driver of its machine can resolve; give the GPU's "
            "index, PCI id, name or sm_ number",
            text);
    if (read_pci_id(text, &id) || read_windows_id(text, &id))
        return of_pci_id(&id, out, err);
    if (is_arch(text, &arch))
        return of_arch(text, &arch, out, err);
    return of_name(text, out, err);
}
