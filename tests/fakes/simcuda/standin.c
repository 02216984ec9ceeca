/*
 * Machine code of our own making: an ELF with e_machine 190 and the flags of its architecture, a
 * section for each kernel, about two fifths of its PTX in size. The same PTX gives the same bytes.
 */
#include "sim.h"

#include "base/num.h"
#include "formats/elf.h"

#include <ctype.h>
#include <string.h>

enum {
    ELF_HEADER = 64,
    SECTION = 64,
    CUDA13_BRANCH = 580,
    OSABI_CUDA12 = 0x33,
    OSABI_CUDA13 = 0x41,
    INSTRUCTION = 16,
    LEAST_CODE = 128
};

static const char text_section[] = ".text.";

/* ".entry NAME", as compilers write it. */
bool sim_kernels_of_ptx(struct jw_bytes ptx, struct jw_buf *names, size_t *n)
{
    static const char entry[] = ".entry ";

    *n = 0;
    for (;;) {
        size_t at = jw_find(ptx, (struct jw_bytes){(const uint8_t *)entry, sizeof entry - 1}), end;

        if (at == ptx.n)
            return !names->bad && *n <= SIM_MAX_KERNELS;
        at += sizeof entry - 1;
        for (end = at;
             end < ptx.n && (isalnum(ptx.p[end]) || strchr("_$", ptx.p[end])) && ptx.p[end];)
            end++;
        jw_buf_add(names, ptx.p + at, end - at);
        jw_buf_fill(names, 0, 1);
        ++*n;
        ptx = (struct jw_bytes){ptx.p + end, ptx.n - end};
    }
}

struct parts {
    struct jw_source src;
    struct jw_arena arena;
    struct jw_sections list;
};

static bool parts_open(struct parts *p, const struct jw_bytes *cubin)
{
    struct jw_elf elf = jw_elf_header(*cubin);
    struct jw_err err = {0};

    *p = (struct parts){.src = jw_source_memory(cubin)};
    return elf.ours && elf.machine == JW_EM_CUDA
           && jw_elf_sections(&p->src, &elf, &p->arena, &p->list, &err);
}

bool sim_kernels_of_cubin(struct jw_bytes cubin, struct jw_buf *names, size_t *n)
{
    struct parts p;
    bool ok = parts_open(&p, &cubin);

    *n = 0;
    for (size_t i = 0; ok && i < p.list.n; i++) {
        const char *name = p.list.list[i].name;

        if (strncmp(name, text_section, sizeof text_section - 1) != 0)
            continue;
        name += sizeof text_section - 1;
        jw_buf_add(names, name, strlen(name) + 1);
        ++*n;
    }
    jw_arena_free(&p.arena);
    return ok && !names->bad && *n <= SIM_MAX_KERNELS;
}

/* ---- writing ---- */

struct writer {
    struct jw_buf *out;
    struct jw_buf headers, names;
    uint64_t random;
};

static void section(struct writer *w, const char *prefix, const char *name, uint32_t type,
                    uint64_t at, uint64_t size)
{
    uint8_t h[SECTION] = {0};

    jw_put32(h, (uint32_t)w->names.n);
    jw_put32(h + 4, type);
    jw_put64(h + 8, type == 1 ? 6 : 0); /* of code: it is loaded, and it runs */
    jw_put64(h + 24, at);
    jw_put64(h + 32, size);
    jw_put64(h + 48, 1);
    jw_buf_add(&w->headers, h, sizeof h);
    jw_buf_text(&w->names, prefix);
    jw_buf_add(&w->names, name, strlen(name) + 1);
}

/* Half noise and half zeros, as dense as code. */
static void fill(struct writer *w, size_t n)
{
    for (size_t i = 0; i < n; i += INSTRUCTION) {
        uint8_t word[INSTRUCTION] = {0};

        w->random ^= w->random << 13;
        w->random ^= w->random >> 7;
        w->random ^= w->random << 17;
        jw_put64(word, w->random);
        jw_buf_add(w->out, word, sizeof word);
    }
}

static void kernel(struct writer *w, const char *name, size_t size)
{
    uint64_t at = w->out->n;

    fill(w, size);
    section(w, text_section, name, 1, at, w->out->n - at);
}

static unsigned sm_of(const struct sim_request *r)
{
    return r->options && r->options->target ? r->options->target
                                            : r->sm; /* toolkits' compilers have none */
}

static void header(const struct sim_config *c, const struct sim_request *r, const struct writer *w,
                   size_t sections, uint8_t h[ELF_HEADER])
{
    bool cuda13 = c->branch >= CUDA13_BRANCH;

    memset(h, 0, ELF_HEADER);
    memcpy(h, "\177ELF\2\1\1", 7);
    h[7] = cuda13 ? OSABI_CUDA13 : OSABI_CUDA12;
    h[8] = cuda13 ? 8 : 7;
    jw_put16(h + 16, r->relocatable ? 1 : 2);
    jw_put16(h + 18, JW_EM_CUDA);
    jw_put32(h + 20, 1);
    jw_put64(h + 40, w->out->n);
    jw_put32(h + 48, cuda13 ? sm_of(r) << 8 | 0x2 : sm_of(r) | 0x500 | sm_of(r) << 16);
    jw_put16(h + 52, ELF_HEADER);
    jw_put16(h + 58, SECTION);
    jw_put16(h + 60, (uint16_t)sections);
    jw_put16(h + 62, (uint16_t)(sections - 1));
}

enum { CALL_ALL = 1, CALL_LARGE, LARGE_PTX = 8192 };

/* What the noise of the code begins with. A driver that calls its compiler in another way gets
 * other code of all PTX, or of large PTX alone. */
static uint64_t seed_of(const struct sim_config *c, const struct sim_request *r,
                        struct jw_bytes ptx)
{
    uint64_t seed = jw_fnv1a(sm_of(r), ptx.p, ptx.n);
    bool other = c->sw.call == CALL_ALL || (c->sw.call == CALL_LARGE && ptx.n > LARGE_PTX);

    return (other ? ~seed : seed) | 1;
}

bool sim_standin(const struct sim_config *c, const struct sim_request *r, struct jw_buf *out)
{
    struct jw_bytes ptx = jw_buf_bytes(&r->image->bytes);
    struct writer w = {out, JW_BUF(SIM_MAX_IMAGE), JW_BUF(SIM_MAX_IMAGE), seed_of(c, r, ptx)};
    struct jw_buf names = JW_BUF(SIM_MAX_IMAGE);
    uint8_t h[ELF_HEADER] = {0};
    size_t n;
    bool ok = sim_kernels_of_ptx(ptx, &names, &n);
    uint64_t target = ptx.n / 5 * 2, rest = ELF_HEADER + names.n + n * (SECTION + 6);
    uint64_t each = target > rest ? jw_align((target - rest) / (n ? n : 1), INSTRUCTION) : 0;

    jw_buf_add(out, h, sizeof h);
    section(&w, "", "", 0, 0, 0);
    if (!n)
        fill(&w, (size_t)each);
    for (const char *p = (const char *)names.p; ok && n && p < (const char *)names.p + names.n;
         p += strlen(p) + 1)
        kernel(&w, p, (size_t)jw_max(each, LEAST_CODE));
    section(&w, "", ".shstrtab", 3, out->n, w.names.n + sizeof ".shstrtab");
    jw_buf_add(out, w.names.p, w.names.n);
    jw_buf_fill(out, 0, (size_t)(jw_align(out->n, 8) - out->n));
    header(c, r, &w, w.headers.n / SECTION, h);
    jw_buf_add(out, w.headers.p, w.headers.n);
    ok = ok && !out->bad && !w.headers.bad && !w.names.bad;
    if (ok)
        memcpy(out->p, h, sizeof h);
    jw_buf_free(&w.headers);
    jw_buf_free(&w.names);
    jw_buf_free(&names);
    return ok;
}
