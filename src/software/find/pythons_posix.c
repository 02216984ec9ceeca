#include "software/find/python.h"

struct jw_listing jw_pythons_registered(struct jw_arena *a)
{
    (void)a;
    return (struct jw_listing){ 0 };
}
