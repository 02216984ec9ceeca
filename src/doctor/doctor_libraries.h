/* CUDA libraries that an installed package names in its files: which of them are not here, and what installs them. */
#ifndef DOCTOR_DOCTOR_LIBRARIES_H
#define DOCTOR_DOCTOR_LIBRARIES_H

#include "base/bytes.h"
#include "doctor/doctor_software.h"

struct jw_library_ask {
    const char *sysroot;        /* prefix of the system's folders; "" but in tests */
    const char *site;           /* the site-packages that holds it; NULL: none */
    const char *module;         /* its folder there: "ctranslate2" */
    const char *const *folders; /* of its libraries */
    size_t n_folders;
    unsigned cuda;   /* 1202: of the table, where no name says it; 0: not known */
    const char *pip; /* as jw_environment_pip; "": none is known */
};

/* Linux. `looked` stays false where no file of it names one: then nothing is known. */
void jw_libraries_needed(const struct jw_library_ask *o, struct jw_arena *a, struct jw_needed_libraries *out);

/* The libraries that a package loads while it runs, though none of its files names them. It may find them wherever
 * they are. `cuda` of `o`: that of the driver. */
void jw_libraries_at_run_time(const struct jw_library_ask *o, const struct jw_run_time *package,
                              struct jw_arena *a, struct jw_needed_libraries *out);

/* The words that install into the environment of this site-packages: "/venv/bin/python -m pip"; "": not known. */
const char *jw_environment_pip(const char *site, struct jw_arena *a);

/* The site-packages of a path; NULL: it is in none. */
const char *jw_site_of(const char *path, struct jw_arena *a);

/* ---- pure parts, for tests ---- */

/* The next name of a CUDA library ("libcublas.so.12") in `text` from `*at` on; NULL: no more. `of`: the name of the
 * file, or NULL. A library opens its parts by their names with its own number: in libcudnn.so.9.1.0 "libcudnn_ops.so"
 * is libcudnn_ops.so.9. */
const char *jw_library_name_next(struct jw_bytes text, const char *of, size_t *at, struct jw_arena *a);

#endif
