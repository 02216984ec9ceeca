/* The code of a compiler: a digest of all that the library of a driver computes with
 * (libnvidia-ptxjitcompiler). Two builds of a driver whose compilers have one code compile alike.
 *
 * It covers the loaded segments of the file, but for what only names the build: the build id, and
 * the date of the build. In doubt two libraries have two codes, and a library that is not
 * understood has none. Windows' libraries (PE) have none.
 * driver-fact: F112-one-compiler */
#pragma once

#include "base/arena.h"
#include "base/digest.h"
#include "base/source.h"

/* False: the library is no whole ELF file for a processor that is known here, or too large. Takes
 * as much memory of `a` as the file has bytes. */
bool jw_compiler_code(const struct jw_source *library, struct jw_arena *a, uint8_t code[JW_DIGEST],
                      struct jw_err *err) JW_MUST;

/* The code of this file as hex digits in `a`; NULL: it has none. */
const char *jw_compiler_code_of_file(const char *path, struct jw_arena *a);
