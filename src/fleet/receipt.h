/* That all entries of a layer went into a cache: their names and sizes, in the state folder. */
#ifndef FLEET_RECEIPT_H
#define FLEET_RECEIPT_H

#include "base/arena.h"
#include "base/compiler.h"
#include "pack/import/import.h"

/* The folder of receipts and of layers on their way, made when it is missing. NULL: see err. */
const char *fleet_folder(struct jw_arena *a, struct jw_err *err);

/* Are all entries of this layer in the cache below `root`? What cannot be read is a no. */
bool fleet_receipt_holds(const char *folder, const char *digest, const char *root, struct jw_arena *a);

/* What cannot be remembered is fetched again. */
void fleet_receipt_write(const char *folder, const char *digest, const char *root,
                         const struct jw_import_report *r, struct jw_arena *a);

#endif
