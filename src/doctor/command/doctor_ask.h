/* What doctor is asked about software: this machine's, or a machine that options describe. */
#ifndef DOCTOR_COMMAND_DOCTOR_ASK_H
#define DOCTOR_COMMAND_DOCTOR_ASK_H

#include "cli/cli.h"
#include "doctor/doctor.h"
#include "doctor/doctor_framework.h"
#include "doctor/doctor_framework_files.h"
#include "doctor/doctor_gather.h"
#include "doctor/doctor_log.h"

struct doctor_ask {
    struct texts gpus, frameworks, env;
    const char *driver, *python, *cuda, *cudnn, *log;
    unsigned system; /* of the words below */
    bool container;
};

#define DOCTOR_SYSTEMS "here linux linux-aarch64 windows wsl"
enum { DOCTOR_HERE, DOCTOR_AARCH64 = 2 }; /* of them */

/* Rows for the table of options; `at` is a struct doctor_ask in `type`. */
#define DOCTOR_ASK_OPTS(type, at)                                                                              \
    { "framework",                                                                                             \
      0,                                                                                                       \
      OPT_LIST,                                                                                                \
      offsetof(type, at.frameworks),                                                                           \
      "NAME==VER",                                                                                             \
      "judge this software: tensorflow==2.3.1, torch==2.9+cu130, onnxruntime-gpu, matlab==R2020b; may be "     \
      "repeated (default: what is installed here)",                                                            \
      NULL,                                                                                                    \
      HINT_NONE },                                                                                             \
        { "gpu",                                                                                               \
          0,                                                                                                   \
          OPT_LIST,                                                                                            \
          offsetof(type, at.gpus),                                                                             \
          "GPU",                                                                                               \
          "for this GPU: sm_86, 8.6, 10de:2484, \"RTX 3070\", its number here, all or known; may be "          \
          "repeated, "                                                                                         \
          "twice the same for two of them (default: the GPUs of this machine)",                                \
          NULL,                                                                                                \
          HINT_GPUS },                                                                                         \
        { "driver",  0,                                                                                        \
          OPT_TEXT,  offsetof(type, at.driver),                                                                \
          "VERSION", "with this driver: 580.126.09, 456.71, or a CUDA version such as 13.0",                   \
          NULL,      HINT_NONE },                                                                              \
        { "os",           0,                                                                                   \
          OPT_CHOICE,     offsetof(type, at.system),                                                           \
          "SYSTEM",       "on this system: here, linux (x86-64), linux-aarch64, windows or wsl",               \
          DOCTOR_SYSTEMS, HINT_NONE },                                                                         \
        { "python", 0, OPT_TEXT, offsetof(type, at.python), "VERSION", "with this Python, such as 3.11", NULL, \
          HINT_NONE },                                                                                         \
        { "cuda",    0,                                                                                        \
          OPT_TEXT,  offsetof(type, at.cuda),                                                                  \
          "VERSION", "with this CUDA toolkit installed, such as 11.2, or none",                                \
          NULL,      HINT_NONE },                                                                              \
        { "cudnn",   0,                                                                                        \
          OPT_TEXT,  offsetof(type, at.cudnn),                                                                 \
          "VERSION", "with this cuDNN installed, such as 8.1, or none",                                        \
          NULL,      HINT_NONE },                                                                              \
        { "env",                                                                                               \
          0,                                                                                                   \
          OPT_LIST,                                                                                            \
          offsetof(type, at.env),                                                                              \
          "NAME=VALUE",                                                                                        \
          "with this environment variable, such as CUDA_CACHE_MAXSIZE=268435456; may be repeated",             \
          NULL,                                                                                                \
          HINT_NONE },                                                                                         \
        { "container", 0,                                                                                      \
          OPT_FLAG,    offsetof(type, at.container),                                                           \
          NULL,        "in a container, whose files are lost when it ends",                                    \
          NULL,        HINT_NONE },                                                                            \
    {                                                                                                          \
        "log", 0, OPT_TEXT, offsetof(type, at.log), "FILE",                                                    \
            "read what a program printed (- for standard input): its pauses, errors, GPUs and libraries",      \
            NULL, HINT_FILES                                                                                   \
    }

#define DOCTOR_ASK_DETAILS                                                                                   \
    "Software is judged for each GPU: NATIVE starts at once; JIT_FIRST is compiled by the driver at the "    \
    "first "                                                                                                 \
    "start, JIT_EVERY at every start; NO_KERNEL does not run; DRIVER_OLD and PTX_TOO_NEW need a newer "      \
    "driver; "                                                                                               \
    "CPU_BUILD and LIBS_MISSING compute without the GPU, or not at all; WRONG_RESULT_RISK was reported to "  \
    "compute wrong results. What is installed is "                                                           \
    "read from its files, for another GPU or driver (--gpu, --driver), too. About a version, or a system "   \
    "(--os), that is not here a table of known builds says it, and the answer says how sure that is.\n\n"

#define DOCTOR_ASK_EXAMPLES                                                                                  \
    { "jitwarm doctor --framework tensorflow==2.3.1 --gpu 10de:2484 --os windows --driver 456.71",           \
      "will this start slowly there, and why?" },                                                            \
        { "jitwarm doctor --framework torch==2.9+cu130 --gpu \"RTX PRO 6000\" --driver 570.124",             \
          "before a GPU is bought or rented" },                                                              \
    {                                                                                                        \
        "jitwarm doctor --log training.log", "where did the time go?"                                        \
    }

struct doctor_answer {
    struct jw_case c;
    bool asked;     /* about something; false: this machine and what is on it */
    bool elsewhere; /* another machine, or this one with another GPU, driver or system */
    struct jw_software *software;
    size_t n;
    struct jw_judgement *judgements; /* c.n_gpus for each */
    struct jw_software_seen seen;    /* with nothing asked */
    bool searched;                   /* the files of this machine were looked through */
    const char *log_path;            /* NULL: none was given */
    struct jw_log *log;
};

/* Another machine? Then nothing of this one is of interest. */
bool doctor_ask_elsewhere(const struct doctor_ask *ask);

/* Is it a machine with such a processor? To be asked once the GPUs are known. */
bool doctor_is_aarch64(const struct doctor_ask *ask, const struct jw_case *c);

/* What was given of the system, the driver, Python, the libraries and the settings; else, with `m`, what this machine has.
 * `log` may be NULL. */
bool doctor_read_circumstances(struct jw_arena *a, const struct doctor_ask *ask,
                               const struct jw_doctor_machine *m, const struct jw_log *log, struct jw_case *c,
                               struct jw_err *err) JW_MUST;

/* Reads the options and the log; `machine` NULL with doctor_ask_elsewhere. Findings are added. */
bool doctor_ask_answer(struct cli *cli, const struct doctor_ask *ask, const struct jw_doctor_machine *machine,
                       struct doctor_answer *out, struct jw_findings *findings, struct jw_err *err) JW_MUST;

/* For "nothing is wrong": what of the software was looked at, and what was not given. Adds to `out`. */
bool doctor_ask_checked(const struct doctor_answer *answer, struct jw_arena *a,
                        struct jw_doctor_checked *out) JW_MUST;

struct jw_json;
void doctor_json_asked(struct jw_json *j, const struct doctor_answer *answer);
void doctor_json_frameworks(struct jw_json *j, const struct doctor_answer *answer, struct jw_arena *arena);

/* "compiled at every start" */
const char *doctor_what_happens(const struct jw_judgement *v);

/* A table of the verdicts. */
bool doctor_text_frameworks(struct cli *cli, const struct doctor_answer *answer, struct jw_err *err) JW_MUST;

#endif
