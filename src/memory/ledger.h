/* A memo of pure functions: the modules of a file, and the names of their entries for one driver.
 * Like git's index, it knows a file by path, size, times and inode. A file that is too young for
 * its file system's clock to show a change is never stored. What is lost or wrong is computed
 * again.
 *
 * A view is everything but the file's bytes that the result depends on: stamp and rules of the
 * driver, architectures, options of the scan. Each view has a file in the state folder; if there
 * are more than JW_LEDGER_VIEWS, the others are removed. */
#pragma once

#include "base/digest.h"
#include "os/files/file.h"

enum { JW_LEDGER_VIEWS = 8 };

struct jw_ledger;

/* Opens the ledger of this view; a missing or damaged one is empty. Never fails: without a state
 * folder nothing is remembered. */
struct jw_ledger *jw_ledger_open(const uint8_t view[JW_DIGEST]);
/* Finds the bytes that were stored for this file (software/scan/scan_memo.h), if the file is
 * unchanged; they are borrowed. False: there are none. Several threads may call this and
 * jw_ledger_put. */
bool jw_ledger_find(const struct jw_ledger *l, const char *path, const struct jw_file_info *info,
                    struct jw_bytes *out);
/* Stores a copy of these bytes, or none, for a file, if it cannot have changed since `info` was
 * taken (after jw_ledger_open). */
void jw_ledger_put(struct jw_ledger *l, const char *path, const struct jw_file_info *info,
                   struct jw_bytes value);
/* Writes the file if something was stored, without files that are gone. Failures are ignored. Frees
 * the ledger, or NULL. */
void jw_ledger_close(struct jw_ledger *l);
