#include "doctor/doctor_framework.h"
#include "facts/drivers.h"
#include "formats/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More architectures than any toolkit has. */
enum { MOST_ENTRIES = 96, KB = 1000 };

/* ---- lists of architectures, judged by scan's rules ---- */

struct made_up {
    struct jw_fat_entry entries[MOST_ENTRIES];
    size_t n;
};

/* Adds an architecture such as "90a"; NULL: it is none, or one too many. */
static struct jw_fat_entry *add_entry(struct made_up *m, const char *arch, size_t n, unsigned kind)
{
    struct jw_target target;
    char word[8] = "";

    if (n < sizeof word)
        memcpy(word, arch, n);
    if (m->n == MOST_ENTRIES || !jw_target_parse(word, &target))
        return NULL;
    m->entries[m->n] = (struct jw_fat_entry){
        .kind = (uint16_t)kind, .target = target, .flags = JW_FAT_64BIT, .options = "", .identifier = ""
    };
    return &m->entries[m->n++];
}

static void add_entries(struct made_up *m, const char *list, unsigned kind,
                        const struct jw_cuda_release *toolkit)
{
    while (*list) {
        size_t n = strcspn(list, " ");
        struct jw_fat_entry *e = add_entry(m, list, n, kind);

        if (e) {
            e->major = (uint16_t)toolkit->isa_major;
            e->minor = (uint16_t)toolkit->isa_minor;
        }
        list += n;
        list += *list == ' ';
    }
}

static struct jw_driver_limits limits_of(const char *driver, bool force_jit)
{
    struct jw_driver_limits limits = { .force_jit = force_jit };
    struct jw_driver_version v;
    struct jw_err ignored;
    unsigned major, minor;

    if (!driver || !jw_driver_parse(driver, &v, &ignored))
        return limits;
    limits.known = jw_driver_max_isa(&v, &major, &minor);
    limits.isa_major = (uint16_t)major;
    limits.isa_minor = (uint16_t)minor;
    limits.zstd = v.branch >= JW_ZSTD_FIRST_BRANCH;
    return limits;
}

static void name_source(struct jw_gpu_code *code, const struct jw_fat_entry *e)
{
    struct jw_target_name name = jw_target_name(e->kind == JW_KIND_PTX ? "compute_" : "sm_", e->target);

    (void)snprintf(code->from, sizeof code->from, "%s", name.text);
}

struct jw_gpu_code jw_gpu_code_of_lists(const char *sass, const char *ptx, unsigned cuda, unsigned sm,
                                        const char *driver, bool force_jit)
{
    struct jw_driver_limits limits = limits_of(driver, force_jit);
    struct jw_cuda_release toolkit = { 0 };
    struct made_up m = { .n = 0 };
    struct jw_gpu_code code = { 0 };

    if (!jw_cuda_release_find(cuda, &toolkit))
        toolkit = (struct jw_cuda_release){ 0 };
    add_entries(&m, sass, JW_KIND_ELF, &toolkit);
    add_entries(&m, ptx, JW_KIND_PTX, &toolkit);
    const struct jw_fat fat = { .n = m.n, .role = JW_ROLE_CODE, .wrapper = 1 };
    struct jw_choice choice = jw_select(&fat, m.entries, sm, &limits);

    code.native = choice.outcome == JW_OUT_NATIVE;
    code.jit = choice.outcome == JW_OUT_JIT;
    code.blocked = choice.outcome == JW_OUT_BLOCKED;
    code.none = !code.native && !code.jit && !code.blocked && m.n;
    if (choice.entry)
        name_source(&code, choice.entry);
    code.isa_major = toolkit.isa_major;
    code.isa_minor = toolkit.isa_minor;
    if (code.blocked)
        code.needs_driver = jw_isa_needs_driver(toolkit.isa_major, toolkit.isa_minor);
    return code;
}

/* ---- scanned builds: groups of equal modules ---- */

/* "150t/60,70,90a/90@8.2=560652": 150 modules, their flags, their machine code, their PTX with its version and KB. The
 * flags are those of scripts/atlas: c relocatable, s a linker's stub, t PTX without a kernel, z zstd. */
struct group {
    uint64_t n;
    bool relocatable, stub, tiny, zstd;
    struct made_up code;
    uint64_t kb[MOST_ENTRIES];
};

static void take_flags(const char **at, struct group *g)
{
    for (; **at && **at != '/'; (*at)++) {
        g->relocatable |= **at == 'c';
        g->stub |= **at == 's';
        g->tiny |= **at == 't';
        g->zstd |= **at == 'z';
    }
    *at += **at == '/';
}

static void take_entry(const char **at, unsigned kind, struct group *g)
{
    size_t n = strcspn(*at, ",/;@");
    struct jw_fat_entry *e = add_entry(&g->code, *at, n, kind);
    unsigned long major = 0, minor = 0, kb = 0;
    char *end;

    *at += n;
    if (**at == '@') {
        major = strtoul(*at + 1, &end, 10);
        minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
        kb = *end == '=' ? strtoul(end + 1, &end, 10) : 0;
        *at = end;
    }
    if (!e)
        return;
    g->kb[g->code.n - 1] = kb;
    e->flags |= g->zstd ? (unsigned)JW_FAT_ZSTD : 0U;
    e->options = g->relocatable ? "-c" : "";
    e->major = (uint16_t)major;
    e->minor = (uint16_t)minor;
}

static void take_entries(const char **at, unsigned kind, struct group *g)
{
    while (**at && **at != '/' && **at != ';') {
        take_entry(at, kind, g);
        *at += **at == ',';
    }
    *at += **at == '/';
}

static const char *take_group(const char *at, struct group *g)
{
    char *end;

    *g = (struct group){ .n = strtoull(at, &end, 10) };
    at = end;
    take_flags(&at, g);
    take_entries(&at, JW_KIND_ELF, g);
    take_entries(&at, JW_KIND_PTX, g);
    at += strcspn(at, ";");
    return at + (*at == ';');
}

static void note_ptx(struct jw_gpu_code *code, const struct jw_fat_entry *e)
{
    if (e->major < code->isa_major || (e->major == code->isa_major && e->minor < code->isa_minor))
        return;
    code->isa_major = e->major;
    code->isa_minor = e->minor;
    name_source(code, e);
}

/* Counts like scan: skips stubs and PTX without a kernel. */
static void add_group(const struct group *g, unsigned sm, const struct jw_driver_limits *limits,
                      struct jw_gpu_code *code)
{
    const struct jw_fat fat = { .n = g->code.n, .role = JW_ROLE_CODE, .wrapper = 1 };
    struct jw_choice choice = jw_select(&fat, g->code.entries, sm, limits);
    bool compiled = choice.outcome == JW_OUT_JIT || choice.outcome == JW_OUT_BLOCKED;
    bool ptx = choice.entry && choice.entry->kind == JW_KIND_PTX;
    bool packed = choice.outcome == JW_OUT_BLOCKED && g->zstd && !limits->zstd;

    if ((g->stub && !choice.entry) || (compiled && ptx && g->tiny))
        return;
    code->native += choice.outcome == JW_OUT_NATIVE ? g->n : 0;
    code->jit += choice.outcome == JW_OUT_JIT ? g->n : 0;
    code->blocked += choice.outcome == JW_OUT_BLOCKED ? g->n : 0;
    code->none += choice.outcome == JW_OUT_NONE ? g->n : 0;
    code->packed |= packed;
    if (!choice.entry)
        return;
    if (compiled && ptx) {
        code->ptx_bytes += g->kb[choice.entry - g->code.entries] * KB;
        note_ptx(code, choice.entry);
    } else if (choice.outcome == JW_OUT_NATIVE && !*code->from) {
        name_source(code, choice.entry);
    }
}

struct jw_gpu_code jw_gpu_code_of_build(const struct jw_framework_build *b, unsigned sm, const char *driver,
                                        bool force_jit)
{
    struct jw_driver_limits limits = limits_of(driver, force_jit);
    struct jw_gpu_code code = { 0 };
    struct group g;

    for (const char *at = b->code; *at && *b->code != '0';) {
        at = take_group(at, &g);
        add_group(&g, sm, &limits, &code);
    }
    if (code.blocked)
        code.needs_driver = jw_isa_needs_driver(code.isa_major, code.isa_minor);
    return code;
}
