#include "cache/format/module_name.h"

#include "base/num.h"
#include "base/text.h"
#include "formats/ptx.h"

#include <stdio.h>
#include <string.h>

/* The key begins with facts about the driver and the GPU. driver-fact: F05-key-parts */
void module_name_begin(struct module_name *m, const struct module_rules *rules, const uint16_t *sms,
                       size_t n)
{
    *m = (struct module_name){.rules = rules, .n_archs = n < JW_MAX_SMS ? n : JW_MAX_SMS};
    jw_digest_init(&m->text);
    for (size_t i = 0; rules->stamp && i < m->n_archs; i++) {
        char head[JW_CACHE_KEY_HEAD];
        int length =
            snprintf(head, sizeof head, "%.*sHOST64sm_%u", JW_CACHE_STAMP, rules->stamp, sms[i]);

        m->head[i] = (uint64_t)length;
        m->fnv[i] = jw_fnv1a(JW_FNV_START, head, (size_t)length);
    }
}

static const char entry[] = ".entry ";

static bool is_name_char(uint8_t c) { return jw_is_name_letter((char)c) || c == '$'; }

enum { WHOLE = sizeof entry - 1, ENOUGH = sizeof entry };

static void match(struct module_name *m, uint8_t c)
{
    if (c == '.')
        m->is_shared = m->solid == 'e' || m->solid == 'k'; /* .visible .entry, .weak .entry */
    m->matched = c == (uint8_t)entry[m->matched] ? m->matched + 1 : c == '.';
    m->solid = c > ' ' ? c : m->solid;
}

static void add_to_name(struct module_name *m, uint8_t c)
{
    if (!m->named && m->n_kernel + 1 < sizeof m->kernel)
        m->kernel[m->n_kernel] = (char)c;
    m->hash = jw_fnv1a(m->n_kernel++ ? m->hash : JW_FNV_START, &c, 1);
}

static void end_name(struct module_name *m)
{
    if (m->shared && m->is_shared)
        m->shared(m->ctx, m->hash);
    m->named = true;
    m->n_kernel = 0;
    m->matched = m->shared ? 0 : ENOUGH;
}

/* A comment that speaks of entries may mislead it. */
static void find_kernels(struct module_name *m, const uint8_t *text, size_t n)
{
    for (size_t i = 0; text && i < n && m->matched < ENOUGH; i++)
        if (m->matched < WHOLE)
            match(m, text[i]);
        else if (is_name_char(text[i]))
            add_to_name(m, text[i]);
        else if (m->n_kernel)
            end_name(m);
}

static bool put_payload(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct module_name *m = ctx;
    const uint8_t *bytes = p;
    const uint8_t *nul = m->zeros ? bytes : memchr(bytes, 0, n);
    size_t text = nul ? (size_t)(nul - bytes) : n;

    (void)err;
    jw_digest_update(&m->text, bytes, text);
    find_kernels(m, bytes, text);
    m->kernels += jw_ptx_kernels((struct jw_bytes){bytes, text}); /* none that is in two payloads */
    for (size_t i = 0; m->rules->stamp && i < m->n_archs; i++)
        m->fnv[i] = jw_fnv1a(m->fnv[i], bytes, text);
    m->bytes += text;
    for (size_t i = text; i < n; i++)
        m->broken |= bytes[i] != 0;
    m->zeros += n - text;
    return true;
}

struct jw_sink module_name_sink(struct module_name *m) { return (struct jw_sink){put_payload, m}; }

/* The number of NULs in the key. A text gets one. An unpacked payload gets one behind its own,
 * which payloads of older toolkits do not have. A raw payload is in the key as it is stored, with
 * its padding. Old drivers drop all these. driver-fact: F13-nuls */
static uint64_t zeros_of(const struct module_name *m, enum module_form form)
{
    if (m->rules->cuts_ptx)
        return 1;
    switch (form) {
    case MODULE_RAW: return m->zeros;
    case MODULE_PACKED: return m->zeros + 1;
    default: return 1;
    }
}

/* One NUL counts as none, so that modules of newer and older toolkits have the same ids. */
static void identify_source(struct jw_job *j, uint64_t zeros)
{
    struct jw_digest_state s;
    char tail[64];
    int n = snprintf(tail, sizeof tail, "sm_%u %lld ", j->sm, (long long)zeros - 1);

    jw_digest_init(&s);
    jw_digest_update(&s, j->text, sizeof j->text);
    jw_digest_update(&s, tail, (size_t)n);
    jw_digest_update(&s, j->options, strlen(j->options));
    jw_digest_final(&s, j->id);
}

/* driver-fact: F02-name-is-fnv, F16-options-in-key */
static uint64_t end_key(uint64_t h, uint64_t zeros, const char *options)
{
    static const uint8_t none[64];

    for (; zeros; zeros -= jw_min(zeros, sizeof none))
        h = jw_fnv1a(h, none, (size_t)jw_min(zeros, sizeof none));
    h = jw_fnv1a(h, " ", 1);
    return jw_fnv1a(h, options, strlen(options));
}

void module_name_job(const struct module_name *m, enum module_form form, size_t at,
                     struct jw_job *j)
{
    /* Of the text alone, by which entries of other driver builds are compared. */
    struct jw_digest_state text = m->text;
    uint64_t zeros = zeros_of(m, form);
    bool known = m->rules->stamp && at < m->n_archs;

    j->ptx_bytes = m->bytes;
    j->kernels = m->kernels;
    jw_digest_final(&text, j->text);
    identify_source(j, zeros);
    j->key_size = known ? m->head[at] + m->bytes + zeros + 1 + strlen(j->options) : 0;
    j->name = known ? end_key(m->fnv[at], zeros, j->options) : 0;
}
