/*
 * A memo of pure functions: the modules of a file, and the names of their entries for one driver. Like git's index, it knows a file by
 * its path, size, times and inode, and a file that is younger than the clock of its file system allows is never put in. Lost or wrong
 * in any way: computed again.
 *
 * A view is what the answer depends on beside the bytes of the file: stamp and rules of the driver, architectures, options of the scan.
 * Each view is a file of its own in the state folder; the others go where there are more than JW_LEDGER_VIEWS.
 */
#ifndef MEMORY_LEDGER_H
#define MEMORY_LEDGER_H

#include "base/arena.h"
#include "base/compiler.h"
#include "base/digest.h"
#include "jitwarm/err.h"
#include "os/files/file.h"

#include <stdbool.h>

enum { JW_LEDGER_VIEWS = 8 };

struct jw_ledger;

/* Opens the ledger of this view; it is empty where there is none, or where it is damaged. Never fails: without a state folder nothing
 * is remembered. */
struct jw_ledger *jw_ledger_open(const uint8_t view[JW_DIGEST]);
/* What was put in for this file, while it is the same: the caller's bytes (software/scan/scan_memo.h), borrowed. False: nothing. May be
 * called from several threads, beside jw_ledger_put. */
bool jw_ledger_find(struct jw_ledger *l, const char *path, const struct jw_file_info *info,
                    struct jw_bytes *out);
/* Puts it in (at least one byte), unless the file may have changed since `info` was taken, which was after jw_ledger_open. Copies. */
void jw_ledger_put(struct jw_ledger *l, const char *path, const struct jw_file_info *info,
                   struct jw_bytes value);
/* Writes it where something was put in, without files that are gone, and frees it. A failure is no error. Accepts NULL. */
void jw_ledger_close(struct jw_ledger *l);

#endif
