/*
 * A thread that plays what reads a channel: the host (semaphores), the copy engines (copies, fills)
 * and of the compute engine what writes memory by itself (inline data, semaphores). No kernel is
 * executed: a launch releases the semaphore that its descriptor asks for, where the descriptor's
 * layout is known, and computes nothing (but see canary.c).
 *
 * A channel's ring holds entries of 8 bytes: address of a push buffer, and its words. A push buffer
 * is headers (opcode 29..31, count 16..28, subchannel 13..15, method 0..11) and their data (the
 * open modules' clc56f.h).
 */
#include "phantom/abi.h"
#include "phantom/phantom.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    METHODS = 0x4000 / 4,
    SUBCHANNELS = 8,
    USERD_SIZE = 0x200,
    /* Positions in a channel's USERD of the program's put and the engine's get. */
    USERD_GET = 0x88 / 4,
    USERD_PUT = 0x8c / 4,
    /* Host methods */
    SEMAPHORE_A = 0x10 / 4,
    SEMAPHORE_B = 0x14 / 4,
    SEMAPHORE_C = 0x18 / 4,
    SEMAPHORE_D = 0x1c / 4,
    SEM_ADDRESS = 0x5c / 4,
    SEM_ADDRESS_HIGH = 0x60 / 4,
    SEM_PAYLOAD = 0x64 / 4,
    SEM_PAYLOAD_HIGH = 0x68 / 4,
    SEM_EXECUTE = 0x6c / 4,
    HOST_END = 0x100 / 4,
    /* Copy engine */
    COPY_SEM_HIGH = 0x240 / 4,
    COPY_SEM_LOW = 0x244 / 4,
    COPY_SEM_PAYLOAD = 0x248 / 4,
    COPY_LAUNCH = 0x300 / 4,
    COPY_IN = 0x400 / 4,
    COPY_OUT = 0x408 / 4,
    COPY_PITCH_IN = 0x410 / 4,
    COPY_PITCH_OUT = 0x414 / 4,
    COPY_LENGTH = 0x418 / 4,
    COPY_LINES = 0x41c / 4,
    COPY_CONST = 0x700 / 4,
    COPY_REMAP = 0x708 / 4,
    /* Compute engine */
    INLINE_LENGTH = 0x180 / 4,
    INLINE_OUT = 0x188 / 4,
    INLINE_BEGIN = 0x1b0 / 4,
    INLINE_DATA = 0x1b4 / 4,
    PCAS = 0x2b4 / 4,
    PCAS_ACTION = 0x2c0 / 4,
    SCHEDULES = 1 << 2 | 1 << 3 | 1 << 9 | 1 << 10, /* the actions that do */
    QMD_WORDS = 64,
    QMD_INLINE = 0x320 / 4,
    QMD_INLINE_LAST = 0x41c / 4,
    REPORT_HIGH = 0x1b00 / 4,
    REPORT_LOW = 0x1b04 / 4,
    REPORT_PAYLOAD = 0x1b08 / 4,
    REPORT_EXECUTE = 0x1b0c / 4,
    /* Not a hardware register: the amount of inline data so far. */
    INLINE_AT = METHODS - 1
};

struct channel {
    const struct ph_object *object;
    uint64_t ring;
    uint32_t entries, get, token;
    uint32_t at; /* position in the waiting push buffer */
    bool dead;
    volatile uint32_t *userd;
    struct ph_memory *userd_memory;
    struct channel *next;
    uint32_t state[SUBCHANNELS][METHODS];
};

static struct channel *channels;
static uint32_t next_token = 1;
static bool running;

static uint64_t wide(const uint32_t *s, unsigned high, unsigned low)
{
    return (uint64_t)s[high] << 32 | s[low];
}

static uint64_t now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void put32(volatile uint32_t *to, uint32_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

/* A 16-byte semaphore has a time stamp after its payload. */
static void release(uint64_t address, uint64_t value, bool is64, bool timed)
{
    volatile uint32_t *p = ph_space_at(address, timed ? 16 : is64 ? 8 : 4);

    if (!p) {
        ph_log("engine: a semaphore at %llx, where nothing is mapped", (unsigned long long)address);
        return;
    }
    if (timed) {
        uint64_t t = now();

        memcpy((void *)(uintptr_t)(p + 2), &t, sizeof t);
    }
    if (is64)
        __atomic_store_n((volatile uint64_t *)(uintptr_t)p, value, __ATOMIC_RELEASE);
    else
        put32(p, (uint32_t)value);
}

/* SEMAPHOREA to D, on all generations. False: still waiting. */
static bool old_semaphore(const uint32_t *h)
{
    uint64_t address = (uint64_t)(h[SEMAPHORE_A] & 0xff) << 32 | h[SEMAPHORE_B];
    uint32_t value = h[SEMAPHORE_C], seen;
    const volatile uint32_t *p;

    switch (h[SEMAPHORE_D] & 0x1f) {
    case 2: release(address, value, false, !(h[SEMAPHORE_D] >> 24 & 1)); return true;
    case 1: p = ph_space_at(address, 4); return !p || *p == value;
    case 4:
        p = ph_space_at(address, 4);
        seen = p ? *p : value;
        return (int32_t)(seen - value) >= 0;
    case 8: p = ph_space_at(address, 4); return !p || (*p & value) != 0;
    default: return true;
    }
}

/* SEM_EXECUTE of Volta and later. */
static bool new_semaphore(const uint32_t *h)
{
    uint32_t how = h[SEM_EXECUTE];
    bool is64 = how >> 24 & 1;
    uint64_t address = wide(h, SEM_ADDRESS_HIGH, SEM_ADDRESS);
    uint64_t value = wide(h, SEM_PAYLOAD_HIGH, SEM_PAYLOAD);
    uint64_t seen = 0;
    const void *p = ph_space_at(address, is64 ? 8 : 4);

    if (!is64)
        value = (uint32_t)value;
    if ((how & 7) == 1 || (how & 7) == 6) {
        release(address, value, is64, (how & 7) == 1 && (how >> 25 & 1));
        return true;
    }
    if (!p)
        return true;
    memcpy(&seen, p, is64 ? 8 : 4);
    switch (how & 7) {
    case 0: return seen == value;
    case 2: return seen >= value;
    case 3:
        return is64 ? (int64_t)(seen - value) >= 0
                    : (int32_t)((uint32_t)seen - (uint32_t)value) >= 0;
    case 4: return (seen & value) != 0;
    default: return true;
    }
}

static bool host_method(uint32_t *h, unsigned m, uint32_t data)
{
    h[m] = data;
    if (m == SEMAPHORE_D)
        return old_semaphore(h);
    return m != SEM_EXECUTE || new_semaphore(h);
}

/* The remap unit: each element is made of components of the source, of two constants, or
 * nothing. */
static void fill_line(const uint32_t *s, unsigned char *out, const unsigned char *in,
                      uint32_t elements)
{
    uint32_t remap = s[COPY_REMAP];
    unsigned size = (remap >> 16 & 3) + 1;
    unsigned n = (remap >> 24 & 3) + 1;
    unsigned n_in = (remap >> 20 & 3) + 1;

    for (uint32_t k = 0; k < elements; k++)
        for (unsigned c = 0; c < n; c++) {
            unsigned select = remap >> c * 4 & 7;
            unsigned char *to = out + ((size_t)k * n + c) * size;

            if (select == 4 || select == 5)
                memcpy(to, &s[COPY_CONST + select - 4], size);
            else if (select < 4 && in)
                memcpy(to, in + ((size_t)k * n_in + select) * size, size);
        }
}

static uint64_t line_bytes(const uint32_t *s, unsigned shift)
{
    uint32_t remap = s[COPY_REMAP];

    return (uint64_t)s[COPY_LENGTH] * ((remap >> 16 & 3) + 1) * ((remap >> shift & 3) + 1);
}

/* Large areas of zeros give their pages back: clearing them is most of the cost of a context. */
static void clear(unsigned char *out, uint64_t n)
{
    uint64_t head = -(uintptr_t)out & 4095;
    uint64_t pages = n > head ? (n - head) & ~(uint64_t)4095 : 0;

    if (!pages || madvise(out + head, pages, MADV_REMOVE) != 0) {
        memset(out, 0, n);
        return;
    }
    memset(out, 0, head);
    memset(out + head + pages, 0, n - head - pages);
}

static bool all_zero(const unsigned char *p, uint64_t n)
{
    return n && !p[0] && memcmp(p, p + 1, n - 1) == 0;
}

/* Each byte that is written is of a constant, and that is zero. */
static bool fills_with_zeros(const uint32_t *s)
{
    unsigned n = (s[COPY_REMAP] >> 24 & 3) + 1;

    for (unsigned c = 0; c < n; c++) {
        unsigned select = s[COPY_REMAP] >> c * 4 & 7;

        if ((select != 4 && select != 5) || s[COPY_CONST + select - 4])
            return false;
    }
    return true;
}

static void copy_lines(const uint32_t *s, uint32_t how)
{
    bool remap = how >> 10 & 1;
    uint64_t n_out = remap ? line_bytes(s, 24) : s[COPY_LENGTH];
    uint64_t n_in = remap ? line_bytes(s, 20) : s[COPY_LENGTH];
    uint32_t lines = how >> 9 & 1 ? s[COPY_LINES] : 1;

    for (uint32_t i = 0; i < lines; i++) {
        uint64_t to = wide(s, COPY_OUT, COPY_OUT + 1) + (uint64_t)i * s[COPY_PITCH_OUT];
        uint64_t from = wide(s, COPY_IN, COPY_IN + 1) + (uint64_t)i * s[COPY_PITCH_IN];
        unsigned char *out = ph_space_at(to, n_out);
        const unsigned char *in = ph_space_at(from, n_in);

        if (!out || (!remap && !in)) {
            ph_log("engine: a copy from %llx to %llx, where nothing is mapped",
                   (unsigned long long)from, (unsigned long long)to);
            return;
        }
        if (remap ? fills_with_zeros(s) : all_zero(in, n_out))
            clear(out, n_out);
        else if (remap)
            fill_line(s, out, in, s[COPY_LENGTH]);
        else
            memcpy(out, in, n_out);
    }
}

static void copy_launch(const uint32_t *s)
{
    uint32_t how = s[COPY_LAUNCH];
    uint32_t semaphore = how >> 3 & 3;

    if (how & 3)
        copy_lines(s, how);
    if (semaphore)
        release(wide(s, COPY_SEM_HIGH, COPY_SEM_LOW), s[COPY_SEM_PAYLOAD], false, semaphore == 2);
}

static void inline_data(uint32_t *s, uint32_t data)
{
    uint32_t at = s[INLINE_AT];
    uint32_t left = s[INLINE_LENGTH] - at;
    uint32_t n = left < 4 ? left : 4;
    unsigned char *p =
        at < s[INLINE_LENGTH] ? ph_space_at(wide(s, INLINE_OUT, INLINE_OUT + 1) + at, n) : NULL;

    if (p)
        memcpy(p, &data, n);
    s[INLINE_AT] = at + 4;
}

/* Words of a launch's descriptor, by its version: Volta's, Ampere's and Ada's, Hopper's
 * (clc9c0qmd.h, clcbc0qmd.h). */
static const struct layout {
    unsigned semaphore, enable, enable_bit, program, constants, shift;
    unsigned parameters; /* position of the kernel parameters in the constants */
} layouts[] = {
    {23, 24, 31, 48, 32, 0, 0x160}, {24, 25, 23, 48, 32, 0, 0x160}, {20, 10, 0, 38, 48, 6, 0x210}};

/* The bits above its 49 bits mean other things. */
static uint64_t address_at(const uint32_t *q, unsigned word, unsigned shift)
{
    return wide(q, word + 1, word) << shift & 0x1ffffffffffff;
}

static void launch_canary(const uint32_t *q)
{
    unsigned version = q[18] >> 4 & 0xf;

    if (version > 4) {
        ph_unknown("a launch's descriptor", version, NULL);
        return;
    }

    const struct layout *l = &layouts[version < 3 ? 0 : version - 2];

    ph_canary(address_at(q, l->program, 0), address_at(q, l->constants, l->shift), l->parameters);
    if (q[l->enable] >> l->enable_bit & 1)
        release(address_at(q, l->semaphore, 0), q[l->semaphore + 2], false, false);
}

/* Since Hopper the program writes the descriptor itself and requests an action: prefetch, copy,
 * schedule. */
static void send(const uint32_t *s)
{
    const uint32_t *q = ph_space_at((uint64_t)s[PCAS] << 8, QMD_WORDS * 4);

    if (q && (SCHEDULES >> (s[PCAS_ACTION] & 0xf) & 1))
        launch_canary(q);
}

static void compute_method(uint32_t *s, unsigned m)
{
    switch (m) {
    case INLINE_BEGIN: s[INLINE_AT] = 0; break;
    case INLINE_DATA: inline_data(s, s[m]); break;
    case QMD_INLINE_LAST: launch_canary(s + QMD_INLINE); break;
    case PCAS_ACTION: send(s); break;
    case REPORT_EXECUTE:
        if ((s[m] & 3) == 0 || (s[m] & 3) == 3)
            release(wide(s, REPORT_HIGH, REPORT_LOW), s[REPORT_PAYLOAD], false, !(s[m] >> 28 & 1));
        break;
    default: break;
    }
}

/* False: the method waits for a semaphore and must be retried. */
static bool method(struct channel *c, unsigned sub, unsigned m, uint32_t data)
{
    uint32_t *s = c->state[sub];

    if (m < HOST_END && m != 0)
        return host_method(c->state[0], m, data);
    s[m] = data;
    if (sub == 4 || (s[0] & 0xff) == 0xb5) {
        if (m == COPY_LAUNCH)
            copy_launch(s);
    } else {
        compute_method(s, m);
    }
    return true;
}

/* Executes the words of one header; false: it waits. */
static bool run_header(struct channel *c, const uint32_t *p, uint32_t header, uint32_t n)
{
    unsigned how = header >> 29;
    unsigned sub = header >> 13 & 7;
    unsigned m = header & 0xfff;

    if (how == 4)
        return method(c, sub, m, header >> 16 & 0x1fff);
    for (uint32_t k = 0; k < n; k++) {
        if (!method(c, sub, m, p[k]))
            return false;
        if (how == 1 || (how == 5 && k == 0))
            m = (m + 1) % METHODS;
    }
    return true;
}

/* False: waits at c->at. */
static bool run_buffer(struct channel *c, uint64_t entry)
{
    uint64_t address = entry & 0xfffffffffcu;
    uint32_t n = (uint32_t)(entry >> 42 & 0x1fffff);
    const uint32_t *p = n ? ph_space_at(address, (uint64_t)n * 4) : NULL;

    if (n && !p)
        ph_log("engine: a push buffer at %llx, where nothing is mapped",
               (unsigned long long)address);
    for (uint32_t i = c->at; p && i < n;) {
        uint32_t header = p[i];
        uint32_t how = header >> 29;
        uint32_t words = how == 4 ? 0 : header >> 16 & 0x1fff;

        if (header == 0) {
            i++;
            continue;
        }
        if ((how != 1 && how != 3 && how != 4 && how != 5) || words > n - i - 1) {
            ph_unknown("a push buffer header", header, NULL);
            break;
        }
        if (!run_header(c, p + i + 1, header, words)) {
            c->at = i;
            return false;
        }
        i += 1 + words;
    }
    c->at = 0;
    return true;
}

/* True: there was work. */
static bool run_channel(struct channel *c)
{
    uint32_t put = c->userd[USERD_PUT];
    bool any = false;

    for (unsigned max = 4096; c->get != put && max > 0; max--) {
        const uint64_t *entry = ph_space_at(c->ring + 8u * (uint64_t)c->get, 8);

        if (!entry) {
            ph_log("engine: a channel's ring at %llx, where nothing is mapped",
                   (unsigned long long)c->ring);
            c->dead = true;
            return any;
        }
        if (!run_buffer(c, *entry))
            return any;
        any = true;
        c->get = (c->get + 1) % c->entries;
        c->userd[USERD_GET] = c->get;
    }
    return any;
}

/* Polls 1,000 times a second while idle, because the doorbell is plain memory. */
static void *play(void *unused)
{
    long wait = 0;

    for (;;) {
        bool any = false;
        struct timespec t = {0};

        (void)pthread_mutex_lock(&ph_lock);
        for (struct channel *c = channels; c; c = c->next)
            if (!c->dead && run_channel(c))
                any = true;
        (void)pthread_mutex_unlock(&ph_lock);
        wait = any ? 20000 : wait < 1000000 ? wait + wait / 4 + 1000 : 1000000;
        t.tv_nsec = wait;
        (void)nanosleep(&t, NULL);
    }
    return unused;
}

static bool start_engine(void)
{
    sigset_t all, before;
    pthread_t thread;

    if (running)
        return true;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    running = pthread_create(&thread, NULL, play, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return running && pthread_detach(thread) == 0;
}

uint32_t ph_channel_userd(uint32_t id) { return id * USERD_SIZE & 4095; }

/* Since Volta the program provides USERD; before, the channel has its own, which is mapped. */
static bool find_userd(struct channel *c, struct ph_object *o, const struct rm_channel_params *p)
{
    const struct ph_object *given =
        p->userd_memory[0] ? ph_object_find(o->client, p->userd_memory[0]) : NULL;
    uint64_t offset = given ? p->userd_offset[0] : ph_channel_userd(c->token);
    struct ph_memory *m = given ? given->memory : ph_object_back(o, 4096) ? o->memory : NULL;
    char *map = m ? ph_memory_map(m) : NULL;

    if (!map || offset > m->size - USERD_SIZE)
        return false;
    c->userd_memory = ph_memory_keep(m);
    c->userd = (volatile uint32_t *)(void *)(map + offset);
    return true;
}

bool ph_channel_add(struct ph_object *o, struct rm_channel_params *p)
{
    struct channel *c = calloc(1, sizeof *c);

    if (!c)
        return false;
    ph_log("channel: ring %llx, %u entries, flags %x, USERD %x at %llx, engine %u",
           (unsigned long long)p->gpfifo, p->entries, p->flags, p->userd_memory[0],
           (unsigned long long)p->userd_offset[0], p->engine);
    c->object = o;
    c->ring = p->gpfifo;
    c->entries = p->entries ? p->entries : 1;
    c->token = p->cid = next_token++;
    if (!find_userd(c, o, p) || !start_engine()) {
        ph_memory_drop(c->userd_memory);
        free(c);
        return false;
    }
    o->is_channel = true;
    c->next = channels;
    channels = c;
    return true;
}

void ph_channel_remove(const struct ph_object *o)
{
    struct channel **at = &channels;

    while (*at && (*at)->object != o)
        at = &(*at)->next;
    if (*at) {
        struct channel *c = *at;

        *at = c->next;
        ph_memory_drop(c->userd_memory);
        free(c);
    }
}

uint32_t ph_channel_token(const struct ph_object *o)
{
    for (const struct channel *c = channels; c; c = c->next)
        if (c->object == o)
            return c->token;
    return 0;
}
