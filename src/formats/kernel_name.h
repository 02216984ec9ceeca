/* The plain name of a kernel: of "_ZN2at6native29vectorized_elementwise_kernelILi4E..." what its author called it. */
#ifndef FORMATS_KERNEL_NAME_H
#define FORMATS_KERNEL_NAME_H

#include "base/buf.h"

/*
 * Appends the function's own name, without namespaces and parameters, cut to 48 columns and cleaned. Of a class with template
 * arguments it is the class. Names that GCC, Clang (Itanium) or MSVC made are understood; any other is a plain name already.
 */
void jw_kernel_plain(struct jw_buf *out, const char *name);

#endif
