/*
 * A library that looks like an NVRTC and does as $FAKE_NVRTC says, a list of words:
 *
 *   version=N.N  archs=N,N            what it tells (as it was built)
 *   load-crash  load-hang  load-exit  when it is asked for its version
 *   crash  hang  exit=N  noise        when it compiles
 *   result=N                          the result of that, without PTX
 *   ptx=empty|rubbish|nul|huge        instead of a kernel `fake` and, as comments, name, size and
 * options
 *
 * A source with #error does not compile. Built with FAKE_OLD it is one of 2020, which does not tell
 * its architectures. Built as simnvrtc it is of CUDA 13, for programs of other tests.
 */
#ifndef FAKE_SCRIPT
#define FAKE_SCRIPT "FAKE_NVRTC"
#define FAKE_VERSION "12.4"
#define FAKE_ISA "8.4"
#define FAKE_ARCHS "75,80,90"
#endif
#include "fake_script.h"

#include <stdio.h>

enum { OK = 0, INVALID_PROGRAM = 4, COMPILATION = 6 };

struct _nvrtcProgram {
    char ptx[4096];
    size_t source;
    const char *name;
    bool compiled, bad;
};

static const char bad_log[] =
    "default_program(1): warning\r\ndefault_program(2): catastrophic error: "
    "\x1b[31m#error directive\r\n  int x\n";

/* Every entry point is declared before it is written, so that it is as the table says. */
#define F(need, type, field, name, parameters) EXPORT type name parameters;
#include "driver/api/nvrtc_api.def"
#undef F

static struct _nvrtcProgram the_program;

unsigned nvrtcVersion(int *major, int *minor)
{
    const char *told = script("version=");
    char *end = NULL;

    if (says("load-crash"))
        crash();
    if (says("load-hang"))
        hang();
    if (says("load-exit"))
        exit(7);
    *major = (int)strtol(told ? told : FAKE_VERSION, &end, 10);
    *minor = (int)strtol(end + 1, NULL, 10);
    return OK;
}

#ifndef FAKE_OLD
static int list_archs(int *archs)
{
    const char *at = script("archs=");
    char *end;
    int n = 0;

    for (at = at ? at : FAKE_ARCHS; *at >= '0' && *at <= '9'; at = *end == ',' ? end + 1 : end) {
        long v = strtol(at, &end, 10);

        if (archs)
            archs[n] = (int)v;
        n++;
    }
    return n;
}

unsigned nvrtcGetNumSupportedArchs(int *count)
{
    *count = list_archs(NULL);
    return OK;
}

unsigned nvrtcGetSupportedArchs(int *archs)
{
    (void)list_archs(archs);
    return OK;
}
#endif

const char *nvrtcGetErrorString(unsigned result)
{
    return result == OK            ? "NVRTC_SUCCESS"
           : result == COMPILATION ? "NVRTC_ERROR_COMPILATION"
                                   : "NVRTC_ERROR_OF_A_FAKE";
}

unsigned nvrtcCreateProgram(struct _nvrtcProgram **program, const char *source, const char *name,
                            int n, const char *const *headers, const char *const *names)
{
    (void)n, (void)headers, (void)names;
    the_program = (struct _nvrtcProgram){
        .source = strlen(source), .name = name, .bad = strstr(source, "#error") != NULL};
    *program = &the_program;
    return OK;
}

unsigned nvrtcDestroyProgram(struct _nvrtcProgram **program)
{
    *program = NULL;
    return OK;
}

static void make_ptx(struct _nvrtcProgram *p, int n, const char *const *options)
{
    const char *arch = n ? strstr(options[0], "compute_") : NULL;
    size_t at = (size_t)snprintf(p->ptx, sizeof p->ptx,
                                 ".version " FAKE_ISA
                                 "\n.target sm_%s\n.address_size 64\n.visible .entry fake()\n"
                                 "{\nret;\n}\n//%s\n//%zu bytes\n",
                                 arch ? arch + strlen("compute_") : "80", p->name, p->source);

    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(p->ptx + at, sizeof p->ptx - at, "//%s\n", options[i]);
}

unsigned nvrtcCompileProgram(struct _nvrtcProgram *program, int n, const char *const *options)
{
    const char *result = program->bad ? "6" : script("result=");

    if (says("noise"))
        make_noise();
    if (says("crash"))
        crash();
    if (says("hang"))
        hang();
    if (script("exit="))
        exit((int)strtol(script("exit="), NULL, 10));
    make_ptx(program, n, options);
    program->compiled = !result;
    return result ? (unsigned)strtoul(result, NULL, 10) : OK;
}

static const char *ptx_now(size_t *size)
{
    const char *kind = script("ptx=");

    *size = strlen(the_program.ptx) + 1;
    if (!kind)
        return the_program.ptx;
    if (strncmp(kind, "empty", 5) == 0)
        *size = 1;
    if (strncmp(kind, "huge", 4) == 0)
        *size = (size_t)1 << 40;
    if (strncmp(kind, "nul", 3) == 0) {
        static const char with_nul[] = ".version 8.4\n.target sm_80\n\0.address_size 64\n";

        *size = sizeof with_nul;
        return with_nul;
    }
    if (strncmp(kind, "rubbish", 7) == 0) {
        static const char rubbish[] = "this is no PTX";

        *size = sizeof rubbish;
        return rubbish;
    }
    return strncmp(kind, "empty", 5) == 0 ? "" : the_program.ptx;
}

unsigned nvrtcGetPTXSize(struct _nvrtcProgram *program, size_t *size)
{
    (void)ptx_now(size);
    return program->compiled ? OK : INVALID_PROGRAM;
}

unsigned nvrtcGetPTX(struct _nvrtcProgram *program, char *ptx)
{
    size_t size;
    const char *text = ptx_now(&size);

    memcpy(ptx, text, size);
    return program->compiled ? OK : INVALID_PROGRAM;
}

unsigned nvrtcGetProgramLogSize(struct _nvrtcProgram *program, size_t *size)
{
    *size = program->bad ? sizeof bad_log : 1;
    return OK;
}

unsigned nvrtcGetProgramLog(struct _nvrtcProgram *program, char *log)
{
    memcpy(log, program->bad ? bad_log : "", program->bad ? sizeof bad_log : 1);
    return OK;
}
