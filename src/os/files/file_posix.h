/* Shared by the POSIX files of this room: what stat says, and waiting for input. */
#pragma once

#include "os/files/file.h"

#include <sys/stat.h>

enum jw_file_kind jw_file_kind_of(mode_t mode);
struct jw_file_info jw_file_info_of(const struct stat *st);

/* A signal restarts a read, but always ends a poll, which so notices Ctrl-C: JW_E_INTERRUPTED. The
 * timeout of the poll covers a signal between the check of the flag and the poll. `interrupted` may
 * be NULL. */
bool jw_file_await_input(int in, const atomic_bool *interrupted, struct jw_err *err) JW_MUST;
