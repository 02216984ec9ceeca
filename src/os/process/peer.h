/* Another process of this machine, told apart from one that got its number later. */
#ifndef OS_PROCESS_PEER_H
#define OS_PROCESS_PEER_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_peer {
    unsigned long pid;
    int64_t since;  /* seconds since 1970, for people */
    char start[64]; /* when it began, for comparing: letters, digits and hyphens */
};

bool jw_peer_self(struct jw_peer *out, struct jw_err *err) JW_MUST;

/*
 * Does the process that had this number then still run? One that exists but that the system does not let us look at is
 * taken for it. Numbers of another container mean nothing here.
 */
bool jw_peer_alive(unsigned long pid, const char *start, bool *alive, struct jw_err *err) JW_MUST;

#endif
