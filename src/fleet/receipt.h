/*
 * A receipt in the state folder lists the entries that a layer brought into a cache. It holds while a driver finds all
 * of them: the index has their records, and their bytes are those of the import (jw_cache_finds_same).
 */
#ifndef FLEET_RECEIPT_H
#define FLEET_RECEIPT_H

#include "cache/place/lookup.h"
#include "pack/import/import.h"

/* The folder for receipts and downloads; created if it is missing. NULL: see err. */
const char *fleet_folder(struct jw_arena *a, struct jw_err *err);

/* Are all entries of this layer in the cache? False if the receipt cannot be read. */
bool fleet_receipt_holds(const char *folder, const char *digest, const struct jw_cache_lookup *cache,
                         struct jw_arena *a);

/* Ignores errors: without a receipt the layer is downloaded again. */
void fleet_receipt_write(const char *folder, const char *digest, const char *cache,
                         const struct jw_import_report *r, struct jw_arena *a);

#endif
