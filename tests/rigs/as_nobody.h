/* root may do everything, so another user asks what a test wants to know of rights; and root alone
 * can mount a small disk. */
#pragma once

#include <stdbool.h>

enum { NOBODY = 65533 }; /* no account has it, nor this number as its group */

/* Runs `fn` in a child process that has no rights, and counts its failed checks as failures of this
 * test. `folder` is made for it: it has the rights of others there, and may enter it. */
void as_nobody(void (*fn)(const char *folder), void (*prepare)(const char *folder));

/* Runs `fn` in a child process, as a test whose failures count as this one's. Skipped without
 * root. */
void in_child(const char *name, void (*fn)(void));
/* Only in such a child: a disk of its own at `path`, which goes with it. False: not allowed
 * here. */
bool mount_at(const char *path, const char *options);
