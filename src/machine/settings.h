/* The variables that decide what a driver compiles, where it keeps it, and which GPUs and which driver a program gets:
 * the one list for receipts and for what a fresh login is compared by. */
#ifndef MACHINE_SETTINGS_H
#define MACHINE_SETTINGS_H

#include <stdbool.h>

struct jw_setting {
    const char *name; /* ends with '_': all that begin so */
    bool receipt;     /* a receipt holds only while it is as it was */
    bool login;       /* a fresh login that has another value is named */
    bool place;       /* it decides which cache a program uses, or whether it uses one */
    bool on_off;      /* the driver takes it as on, or as off (jw_switch_is_on) */
    bool list;        /* folders, of which the first that has a file counts */
};

/* Walks the settings of this system in their order, the narrower name first. `before`: NULL, or the last one. NULL:
 * there is no other. */
const struct jw_setting *jw_setting_next(const struct jw_setting *before);

/* The row of "NAME" or "NAME=VALUE"; NULL: none. */
const struct jw_setting *jw_setting_find(const char *text);

/* Does it choose which GPUs a program sees, and in which order? It says nothing of how one starts on a GPU that it sees. */
bool jw_setting_is_of_gpus(const char *name);

/* Do these values mean the same to the driver? NULL: unset. */
bool jw_setting_same(const struct jw_setting *s, const char *a, const char *b);
#endif
