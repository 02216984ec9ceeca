#include "samples/sample_table.h"

#include <stdio.h>
#include <string.h>

static int compare(const struct sample_row *a, const struct sample_row *b)
{
    int c = strcmp(a->tree, b->tree);

    c = c ? c : strcmp(a->stamp, b->stamp);
    c = c ? c : strcmp(a->arch, b->arch);
    c = c ? c : (int)a->kind - (int)b->kind;
    c = c ? c : (int)a->nuls - (int)b->nuls;
    c = c ? c : strcmp(a->options, b->options);
    return c ? c : strcmp(a->payload, b->payload);
}

void sample_count(struct sample_table *t, const struct sample_row *row)
{
    size_t i = 0;

    while (i < t->n && compare(&t->rows[i], row) < 0)
        i++;
    if (i < t->n && compare(&t->rows[i], row) == 0) {
        t->rows[i].entries += row->entries;
        t->rows[i].orphans += row->orphans;
        return;
    }
    if (t->n == SAMPLE_ROWS) {
        t->left_out += row->entries;
        return;
    }
    memmove(&t->rows[i + 1], &t->rows[i], (t->n - i) * sizeof *row);
    t->rows[i] = *row;
    t->n++;
}

void sample_print(const struct sample_table *t)
{
    static const char *const kinds[] = { "cuda", "nvvm", "opencl", "other" };

    printf("%-32s %-20s %-8s %-7s %4s %-7s %7s %7s  %s\n", "tree", "stamp", "arch", "kind", "nuls", "payload",
           "entries", "orphans", "options");
    for (size_t i = 0; i < t->n; i++) {
        const struct sample_row *r = &t->rows[i];

        printf("%-32s %-20s %-8s %-7s %4u %-7s %7u %7u  '%s'\n", r->tree, r->stamp[0] ? r->stamp : "-",
               r->arch[0] ? r->arch : "-", kinds[r->kind], r->nuls, r->payload, r->entries, r->orphans,
               r->options);
    }
}
