/* The story of a running prime: drawn on a terminal, told every few seconds elsewhere; failures as they happen. */
#ifndef PRIME_COMMAND_PRIME_PROGRESS_H
#define PRIME_COMMAND_PRIME_PROGRESS_H

#include "cli/story.h"
#include "prime/command/prime_meter.h"

struct prime_progress {
    struct jw_story *story;
    struct prime_meter meter;
    double told; /* when the last line was told, where nothing is drawn */
};

/* jw_prime_options.progress; `ctx` is a struct prime_progress. */
void prime_progress_show(void *ctx, const struct jw_prime_progress *p);

#endif
