#include "prime_answer.h"

#include "check.h"

#include <stdlib.h>

static char *text;

static char *slurp(FILE *f)
{
    long n = ftell(f);
    char *all = malloc((size_t)n + 1);

    rewind(f);
    if (all)
        all[fread(all, 1, (size_t)n, f)] = '\0';
    return all;
}

const char *answer_of(enum prime_verb verb, const struct jw_prime_report *r, struct answer_how how)
{
    struct prime_view v = { .verb = verb, .report = r };
    struct jw_arena arena = { 0 };
    struct cli cli = { .arena = &arena, .common = { .json = how.json, .verbose = how.verbose } };
    FILE *to = tmpfile();
    struct jw_err err = { 0 };
    bool ok;

    free(text);
    text = NULL;
    if (!to)
        return NULL;
    jw_output_open(&cli.out, to, how.columns, how.columns ? how.columns : 80);
    ok = prime_report(&cli, &v, &err);
    CHECK_OK(ok && jw_output_close(&cli.out, &err), err);
    text = slurp(to);
    (void)fclose(to);
    jw_arena_free(&arena);
    return text;
}

void answer_free(void)
{
    free(text);
    text = NULL;
}
