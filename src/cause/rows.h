/* Between the files of the table: what is seen of each cause (cause.c), and what helps (help.c). */
#pragma once

#include "cause/cause.h"

#define CAUSE(name, id, class, end, is, seen, text, meaning, remedy)                               \
    void remedy(const struct jw_facts *f, struct jw_remedy *r);
#include "cause/causes.def"
#undef CAUSE

/* Does CUDA_VISIBLE_DEVICES hide the GPUs? It does where no other reason is known. */
bool cause_hides_gpus(const struct jw_facts *f);

/* A GPU on the bus that this driver does not drive; none if it drives another one. */
struct cause_misfit {
    const char *gpu;
    unsigned branch; /* the first that drives it, or the last one */
    bool old;        /* the driver is older */
} cause_misfit(const struct jw_facts *f);
