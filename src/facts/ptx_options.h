/* Options that a container stores beside PTX, for the driver's compiler. */
#pragma once

/* The first of these options that some driver refuses, or of which it is not known: the PTX then
 * fails with error 218. NULL: each driver takes all. driver-fact: F114-known-options */
const char *jw_ptx_option_unknown(const char *options);
