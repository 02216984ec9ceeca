#include "os/process/running.h"

void jw_running_read(struct jw_running_list *l)
{
    *l = (struct jw_running_list){ 0 };
}

void jw_running_free(struct jw_running_list *l)
{
    (void)l;
}

void jw_running_below(struct jw_running_list *l, unsigned long root)
{
    (void)l;
    (void)root;
}

bool jw_running_text(unsigned long pid, const char *file, struct jw_buf *out, bool *refused)
{
    (void)pid;
    (void)file;
    (void)out;
    *refused = true;
    return false;
}

bool jw_running_link(unsigned long pid, const char *file, struct jw_buf *out)
{
    (void)pid;
    (void)file;
    (void)out;
    return false;
}

bool jw_running_memory(unsigned long pid, uint64_t at, void *dst, size_t n)
{
    (void)pid;
    (void)at;
    (void)dst;
    (void)n;
    return false;
}
