/*
 * SIMCUDA_FAULTS   FAULT@WHERE...   by blanks or commas
 *   WHERE   a number below 100,000: the n-th module that has to be compiled    init: in cuInit *:
 * each else the first hex digits of the name of a cache entry: the module that it belongs to
 */
#include "sim.h"

#include "os/machine/time.h"

#include <stdlib.h>
#include <string.h>

enum { EXIT_CODE = 3, NUMBER_DIGITS = 5 };

static const char *const names[] = {
    [FAULT_CRASH] = "crash", [FAULT_KILL] = "kill",     [FAULT_HANG] = "hang",
    [FAULT_SPIN] = "spin",   [FAULT_EXIT] = "exit",     [FAULT_PRINT] = "print",
    [FAULT_OOM] = "oom",     [FAULT_BADPTX] = "badptx", [FAULT_ENOSPC] = "enospc",
    [FAULT_SHORT] = "short",
};

static bool read_where(struct sim_fault *f, const char *where)
{
    size_t n = strlen(where);

    if (strcmp(where, "init") == 0) {
        f->where = WHERE_INIT;
        return true;
    }
    if (strcmp(where, "*") == 0) {
        f->where = WHERE_EVERY;
        return true;
    }
    if (n < 1 || n > 16 || strspn(where, "0123456789abcdef") != n)
        return false;
    f->digits = (unsigned)n;
    f->where = n <= NUMBER_DIGITS && strspn(where, "0123456789") == n ? WHERE_NUMBER : WHERE_DIGEST;
    f->value = strtoull(where, NULL, f->where == WHERE_NUMBER ? 10 : 16);
    return true;
}

static bool read_fault(struct sim_fault *f, const char *text, size_t n)
{
    char word[64] = "";
    char *where;

    if (n >= sizeof word)
        return false;
    memcpy(word, text, n);
    where = strchr(word, '@');
    if (!where)
        return false;
    *where++ = '\0';
    for (size_t i = 0; i < JW_COUNT(names); i++)
        if (strcmp(names[i], word) == 0) {
            f->kind = (enum sim_fault_kind)i;
            return read_where(f, where);
        }
    return false;
}

bool sim_faults_read(struct sim_config *c, const char *script, struct jw_err *err)
{
    for (const char *p = script; *p;) {
        size_t n = strcspn(p, " ,");

        if (n && c->n_faults == SIM_MAX_FAULTS)
            return jw_fail(err, JW_E_LIMIT, "SIMCUDA_FAULTS: more than %d faults", SIM_MAX_FAULTS);
        if (n && !read_fault(&c->faults[c->n_faults++], p, n))
            return jw_fail(err, JW_E_USAGE, "SIMCUDA_FAULTS: '%.*s' is no fault such as crash@7",
                           (int)n, p);
        p += n + (p[n] != '\0');
    }
    return true;
}

static void hang(void)
{
    for (;;)
        jw_time_sleep_ms(60000);
}

static void spin(void)
{
    for (volatile unsigned long n = 0;; n++)
        continue;
}

/* On both streams, because a driver's words may turn up on either. */
static void print(void)
{
    (void)fputs("simcuda: a driver may print what it likes\n", stdout);
    (void)fflush(stdout);
    (void)fputs("simcuda: a driver may print what it likes\n", stderr);
}

static void strike(const struct sim_fault *f, struct sim_struck *out)
{
    switch (f->kind) {
    case FAULT_CRASH: sys_crash();
    case FAULT_KILL: sys_kill();
    case FAULT_HANG: hang(); break;
    case FAULT_SPIN: spin(); break;
    case FAULT_EXIT: sys_exit(EXIT_CODE);
    case FAULT_PRINT: print(); break;
    case FAULT_OOM: out->result = CU_OUT_OF_MEMORY; break;
    case FAULT_BADPTX: out->result = CU_INVALID_PTX; break;
    case FAULT_ENOSPC: out->enospc = true; break;
    case FAULT_SHORT: out->cut = true; break;
    }
}

void sim_faults_init(const struct sim_config *c)
{
    struct sim_struck ignored = {0};

    for (size_t i = 0; i < c->n_faults; i++)
        if (c->faults[i].where == WHERE_INIT)
            strike(&c->faults[i], &ignored);
}

struct sim_struck sim_faults_strike(struct sim *s, uint64_t name)
{
    const struct sim_config *c = &s->c;
    unsigned long nth = c->n_faults ? sim_shared_count(s) : 0;
    struct sim_struck out = {0};

    for (size_t i = 0; i < c->n_faults; i++) {
        const struct sim_fault *f = &c->faults[i];
        bool hit = f->where == WHERE_EVERY || (f->where == WHERE_NUMBER && f->value == nth)
                   || (f->where == WHERE_DIGEST && name >> (64 - 4 * f->digits) == f->value);

        if (hit)
            strike(f, &out);
    }
    return out;
}
