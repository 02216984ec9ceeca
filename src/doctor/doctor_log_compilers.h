/* Compilers with a cache of their own, by the lines that are printed when they compile. */
#ifndef DOCTOR_DOCTOR_LOG_COMPILERS_H
#define DOCTOR_DOCTOR_LOG_COMPILERS_H

struct jw_log_compiler {
    const char *name;     /* "FlashInfer" */
    const char *begins;   /* a line before it compiles has this; NULL: nothing is printed */
    const char *ends;     /* a line after it has compiled; NULL: nothing is printed */
    const char *owner;    /* of its cache (cache/place/other_caches.h); NULL: the next two say where it is */
    const char *folder;   /* without the variable: "~/.cache/deep_gemm" */
    const char *variable; /* that moves it */
};

/* The one that begins, or has ended, at this line. NULL: none. */
const struct jw_log_compiler *jw_log_compiler_begins(const char *line);
const struct jw_log_compiler *jw_log_compiler_ends(const char *line);

#endif
