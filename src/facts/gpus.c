#include "facts/gpus.h"

#include "base/text.h"
#include "facts/archs.h"
#include "facts/gpu_names.h"
#include "facts/rows.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NVIDIA = 0x10de, OLDEST_SM = 20, NEWEST_SM = 999 };

static void fill(struct jw_gpu *out, const struct jw_gpu_row *row)
{
    const struct jw_chip_row *chip = &jw_facts_chips[row->chip];

    *out = (struct jw_gpu){ .sm = chip->sm, .device_id = row->device, .source = JW_GPU_HERE };
    if (row->name)
        (void)snprintf(out->name, sizeof out->name, "%s", jw_facts_pool + row->name);
    else
        (void)snprintf(out->name, sizeof out->name, "NVIDIA %s", chip->name);
}

/* How well a row fits: its own board, no board, another board (where the shortest name is most general). */
static unsigned fit(const struct jw_gpu_row *row, unsigned sub_vendor, unsigned sub_device)
{
    bool same_board = sub_device == row->sub_device && (sub_vendor == 0 || sub_vendor == row->sub_vendor);

    if (sub_device && same_board)
        return 3;
    return row->sub_vendor ? 1 : 2;
}

bool jw_gpu_by_pci(unsigned device_id, unsigned sub_vendor, unsigned sub_device, struct jw_gpu *out)
{
    const struct jw_gpu_row *best = NULL;

    for (size_t i = 0; device_id && i < jw_facts_gpus_n; i++) {
        const struct jw_gpu_row *row = &jw_facts_gpus[i];

        if (row->device != device_id)
            continue;
        unsigned now = fit(row, sub_vendor, sub_device), then = best ? fit(best, sub_vendor, sub_device) : 0;

        if (now > then
            || (now == then && strlen(jw_facts_pool + row->name) < strlen(jw_facts_pool + best->name)))
            best = row;
    }
    if (!best)
        return false;
    fill(out, best);
    return true;
}

static bool starts_nocase(const char *text, const char *prefix)
{
    return jw_text_find_nocase(text, prefix) == text;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly `digits` hexadecimal digits at *text, which moves behind them. */
static bool take_hex(const char **text, unsigned digits, unsigned *out)
{
    unsigned v = 0;

    for (unsigned i = 0; i < digits; i++) {
        int digit = hex_digit((*text)[i]);

        if (digit < 0)
            return false;
        v = v << 4 | (unsigned)digit;
    }
    *out = v;
    *text += digits;
    return true;
}

struct pci_id {
    unsigned vendor, device, sub_vendor, sub_device;
};

/* vendor:device, with the board as :vendor:device, :vendordevice or :device behind it; or 0xdevice. */
static bool read_pci_id(const char *text, struct pci_id *id)
{
    bool hex = starts_nocase(text, "0x");

    *id = (struct pci_id){ .vendor = NVIDIA };
    text += hex ? 2 : 0;
    if (!take_hex(&text, 4, &id->device))
        return false;
    if (*text == '\0')
        return hex;
    id->vendor = id->device;
    if (*text++ != ':')
        return false;
    text += starts_nocase(text, "0x") ? 2 : 0;
    if (!take_hex(&text, 4, &id->device))
        return false;
    if (*text == '\0')
        return true;
    if (*text++ != ':' || !take_hex(&text, 4, &id->sub_device))
        return false;
    if (*text == '\0')
        return true;
    id->sub_vendor = id->sub_device;
    text += *text == ':';
    return take_hex(&text, 4, &id->sub_device) && *text == '\0';
}

/* PCI\VEN_10DE&DEV_2484&SUBSYS_403B1458&REV_A1, as Windows writes it: the board's device, then its vendor. */
static bool read_windows_id(const char *text, struct pci_id *id)
{
    const char *ven = jw_text_find_nocase(text, "VEN_"), *dev = jw_text_find_nocase(text, "DEV_");
    const char *board = jw_text_find_nocase(text, "SUBSYS_");

    *id = (struct pci_id){ 0 };
    if (!ven || !dev)
        return false;
    ven += 4;
    dev += 4;
    if (!take_hex(&ven, 4, &id->vendor) || !take_hex(&dev, 4, &id->device))
        return false;
    if (board) {
        board += 7;
        return take_hex(&board, 4, &id->sub_device) && take_hex(&board, 4, &id->sub_vendor);
    }
    return true;
}

static bool of_pci_id(const struct pci_id *id, struct jw_gpu *out, struct jw_err *err)
{
    if (id->vendor == 0x1002 || id->vendor == 0x1022 || id->vendor == 0x8086)
        return jw_fail(err, JW_E_USAGE, "%04x:%04x is made by %s; CUDA needs a GPU of NVIDIA (vendor 10de)",
                       id->vendor, id->device, id->vendor == 0x8086 ? "Intel" : "AMD");
    if (id->vendor != NVIDIA)
        return jw_fail(err, JW_E_USAGE, "%04x:%04x is not a GPU of NVIDIA (vendor 10de)", id->vendor,
                       id->device);
    if (!jw_gpu_by_pci(id->device, id->sub_vendor, id->sub_device, out))
        return jw_fail(
            err, JW_E_USAGE,
            "the PCI id 10de:%04x is not in the table; give the compute capability instead, such as sm_86",
            id->device);
    return true;
}

struct arch_text {
    bool prefixed; /* "sm_": certainly an architecture */
    bool dotted;   /* 8.6 */
    unsigned sm;
    char suffix; /* a, f or NUL */
};

/* Is it written like an architecture? */
static bool read_arch(const char *text, struct arch_text *a)
{
    static const char *const prefixes[] = { "sm_", "compute_", "sm", "compute", "cc" };
    unsigned v = 0;

    *a = (struct arch_text){ 0 };
    for (size_t i = 0; i < JW_COUNT(prefixes) && !a->prefixed; i++) {
        if (starts_nocase(text, prefixes[i])) {
            a->prefixed = true;
            text += strlen(prefixes[i]);
        }
    }
    const char *from = text;

    for (; *text >= '0' && *text <= '9' && text - from < 6; text++)
        v = v * 10 + (unsigned)(*text - '0');
    if (text == from)
        return false;
    if (*text == '.' && text[1] >= '0' && text[1] <= '9' && v < 100) {
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
    return read_arch(text, a) && (a->prefixed || a->dotted || a->sm < 200 || jw_arch_find(a->sm));
}

bool jw_gpu_in_name(const char *text, const char *name)
{
    struct arch_text arch;

    return !is_arch(text, &arch) && jw_text_find_nocase(name, text);
}

static bool of_arch(const char *text, const struct arch_text *a, struct jw_gpu *out, struct jw_err *err)
{
    const struct jw_arch_fact *fact = jw_arch_find(a->sm);

    if (a->sm < OLDEST_SM || a->sm > NEWEST_SM)
        return jw_fail(err, JW_E_USAGE,
                       "\"%.40s\" is no architecture that CUDA has: known are sm_%u to sm_%u", text,
                       jw_arch_at(0)->sm, jw_arch_at(jw_facts_archs_n - 1)->sm);
    if (fact && ((a->suffix == 'a' && !fact->has_a) || (a->suffix == 'f' && !fact->has_f)))
        return jw_fail(err, JW_E_USAGE, "there is no sm_%u%c; write sm_%u", a->sm, a->suffix, a->sm);
    *out = (struct jw_gpu){ .sm = (uint16_t)a->sm, .source = JW_GPU_OPTION };
    return true;
}

bool jw_gpu_is_index(const char *text)
{
    uint64_t v;

    return jw_text_u64(text, &v) && v < OLDEST_SM;
}

/* GA104, or NVIDIA GA104, as fill() calls a product without a name. */
static bool of_chip(const char *text, struct jw_gpu *out)
{
    const char *chip = starts_nocase(text, "NVIDIA ") ? text + 7 : text;

    for (size_t i = 0; i < jw_facts_chips_n; i++) {
        if (!jw_text_equal_nocase(chip, jw_facts_chips[i].name))
            continue;
        *out = (struct jw_gpu){ .sm = jw_facts_chips[i].sm };
        (void)snprintf(out->name, sizeof out->name, "NVIDIA %s", jw_facts_chips[i].name);
        return true;
    }
    return false;
}

/* Names come before bare PCI ids: 2080 is a GeForce first. */
/* Short names that stand for more than one board: the one that most people have. */
static const char *usual_name(const char *text)
{
    static const char *const names[][2] = { { "A100", "A100-SXM4-80GB" },
                                            { "RTX PRO 6000", "RTX PRO 6000 Blackwell Workstation Edition" },
                                            { "RTX PRO 6000 Blackwell",
                                              "RTX PRO 6000 Blackwell Workstation Edition" },
                                            { "P100", "Tesla P100 PCIe 16GB" },
                                            { "V100", "Tesla V100 SXM2 16GB" } };

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
    struct jw_err ignored;
    bool found;

    if (!mig || mig == text || (size_t)(mig - text) >= sizeof whole)
        return false;
    memcpy(whole, text, (size_t)(mig - text));
    whole[mig - text] = '\0';
    return jw_gpu_by_name(usual_name(whole), out, &found, &ignored);
}

/* "1g.24gb", with nothing that says of which GPU. */
static bool is_profile(const char *text)
{
    static const char digits[] = "0123456789";
    size_t n = strspn(text, digits), gb = n && starts_nocase(text + n, "g.") ? n + 2 : 0;

    return gb && strspn(text + gb, digits) && starts_nocase(text + gb + strspn(text + gb, digits), "gb");
}

static bool of_name(const char *text, struct jw_gpu *out, struct jw_err *err)
{
    const char *rest = text;
    struct jw_err why;
    unsigned device;
    bool found;

    if (of_slice(text, out))
        return true;
    text = usual_name(text);
    rest = text;
    if (of_chip(text, out) || jw_gpu_by_name(text, out, &found, &why))
        return true;
    if (!found && take_hex(&rest, 4, &device) && !*rest && jw_gpu_by_pci(device, 0, 0, out))
        return true;
    *err = why;
    return false;
}

bool jw_gpu_parse(const char *text, struct jw_gpu *out, struct jw_err *err)
{
    struct arch_text arch;
    struct pci_id id;
    bool ok;

    if (jw_gpu_is_index(text))
        return jw_fail(err, JW_E_USAGE, "%s is the index of a GPU of this machine, not the name of one",
                       text);
    if (starts_nocase(text, "GPU-") || starts_nocase(text, "MIG-"))
        return jw_fail(
            err, JW_E_USAGE,
            "\"%.60s\" is a UUID, which only the driver of its machine can resolve; give the GPU's "
            "index, PCI id, name or sm_ number",
            text);
    if (starts_nocase(text, "MIG ") || is_profile(text))
        return jw_fail(err, JW_E_USAGE,
                       "\"%.60s\" does not say which GPU it is a part of; name that one: A100, H100 or sm_90",
                       text);
    if (read_pci_id(text, &id) || read_windows_id(text, &id))
        ok = of_pci_id(&id, out, err);
    else if (is_arch(text, &arch))
        ok = of_arch(text, &arch, out, err);
    else
        ok = of_name(text, out, err);
    if (ok)
        out->source = JW_GPU_OPTION;
    return ok;
}

size_t jw_gpu_list(const char *which, struct jw_gpu out[JW_GPU_LIST_MAX])
{
    static const uint16_t important[] = { 61, 75, 80, 86, 89, 90, 100, 120 };
    bool all = jw_text_equal_nocase(which, "all"), known = jw_text_equal_nocase(which, "known");
    size_t n = all ? JW_COUNT(important) : known ? jw_facts_archs_n : 0;

    if (n > JW_GPU_LIST_MAX)
        n = JW_GPU_LIST_MAX;
    for (size_t i = 0; i < n; i++)
        out[i] = (struct jw_gpu){ .sm = all ? important[i] : jw_facts_archs[i].sm, .source = JW_GPU_OPTION };
    return n;
}
