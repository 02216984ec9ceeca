/*
 * A manifest as jitwarm writes it, read straight down without a tree of its values: 100,000 entries in little more memory than
 * they take. What is spelled in any other way, and names with other characters than printable ASCII without " and \, are for
 * the reader of pack_manifest.h, which also has the sentences.
 */
#ifndef PACK_FORMAT_PACK_MANIFEST_SCAN_H
#define PACK_FORMAT_PACK_MANIFEST_SCAN_H

#include "pack/format/pack_manifest.h"

/* False: it is not that. Everything in `out` lives in `a`. */
bool jw_pack_manifest_scan(struct jw_bytes text, struct jw_arena *a, struct jw_pack_manifest *out) JW_MUST;

#endif
