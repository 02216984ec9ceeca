/* The JIT options of a call: which of them change the code, and so the key. */
#include "sim.h"

#include <string.h>

static unsigned as_number(void *value)
{
    return (unsigned)(uintptr_t)value;
}

/* Targets are NN, 0x10000 + NN for `a`, 0x20000 + NN for `f`. */
static void read_one(int option, void *value, struct sim_options *out)
{
    size_t n = strlen(out->text), left = sizeof out->text - n;

    switch (option) {
    case CU_OPT_MAX_REGISTERS:
        (void)snprintf(out->text + n, left, " --maxrregcount %u", as_number(value));
        break;
    case CU_OPT_LEVEL: (void)snprintf(out->text + n, left, " -O%u", as_number(value)); break;
    case CU_OPT_DEBUG: (void)snprintf(out->text + n, left, as_number(value) ? " -g" : ""); break;
    case CU_OPT_LINE_INFO: (void)snprintf(out->text + n, left, as_number(value) ? " -lineinfo" : ""); break;
    case CU_OPT_VERBOSE: (void)snprintf(out->text + n, left, as_number(value) ? " -v" : ""); break;
    case CU_OPT_TARGET: out->target = as_number(value) & 0xffff; break;
    case CU_OPT_ERROR_LOG_SIZE: out->error_log_size = as_number(value); break;
    case CU_OPT_ERROR_LOG: out->error_log = value; break;
    case CU_OPT_INFO_LOG:
        if (value)
            *(char *)value = '\0';
        break;
    default: break;
    }
}

struct sim_options sim_options_read(unsigned n, const int *options, void *const *values)
{
    struct sim_options out = { .text = "" };

    for (unsigned i = 0; options && values && i < n; i++) {
        if (options[i] == CU_OPT_WALL_TIME) /* its value is an output, written over the pointer */
            out.wall_time = (float *)(uintptr_t)&values[i];
        else
            read_one(options[i], values[i], &out);
    }
    return out;
}
