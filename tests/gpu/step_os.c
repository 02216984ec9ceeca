/*
 * Operations that call no driver:
 *
 *   meet FOLDER N           waits until N processes have met there
 *   diein MS                this process is killed so much later, whatever it does then
 *   pause MS
 *   lock r|w | ofd r|w      a record lock of the whole index, as the driver's are, or one of the open file description
 *   unlock
 *   children                value: processes that this one has started
 *   set NAME=VALUE | cd FOLDER | umask OCTAL
 *   app LIBRARY             a program's library: loaded, then its runtime's cudaFree(0); value: 0
 *   tmpfs SIZE | readonly   over the root, seen by this process alone; -1: this user may not
 */
#include "step.h"

#include "os/machine/time.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEET_MS = 30000, LOOK_US = 300 };
#define MS_NS 1000000ULL

static unsigned count_in(const char *folder)
{
    DIR *d = opendir(folder);
    unsigned n = 0;

    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d)
        (void)closedir(d);
    return n;
}

static int meet(struct child *c, char *object)
{
    char *number = strrchr(object, ' '), path[4200];
    uint64_t until = jw_time_monotonic_ns() + MEET_MS * MS_NS;

    if (!number)
        return STEP_ABSENT;
    *number++ = '\0';
    unsigned wanted = (unsigned)strtoul(number, NULL, 10), here = 0;

    (void)snprintf(path, sizeof path, "%s/%ld", object, (long)getpid());
    (void)mkdir(object, 0777);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

    if (fd >= 0)
        (void)close(fd);
    while ((here = count_in(object)) < wanted && jw_time_monotonic_ns() < until)
        (void)usleep(LOOK_US);
    c->value = here;
    return here >= wanted ? 0 : STEP_ABSENT;
}

static void *die(void *p)
{
    (void)usleep((unsigned)(uintptr_t)p * 1000);
    (void)kill(getpid(), SIGKILL);
    return NULL;
}

static int die_in(const char *ms)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, die, (void *)(uintptr_t)strtoul(ms, NULL, 10)) == 0 ? 0
                                                                                             : STEP_ABSENT;
}

static int lock(struct child *c, const char *kind, int command)
{
    struct flock f = { .l_type = kind[0] == 'w' ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET };
    char path[4200];

    (void)snprintf(path, sizeof path, "%s/index", c->cache);
    c->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    return c->lock >= 0 && fcntl(c->lock, command, &f) == 0 ? 0 : STEP_ABSENT;
}

static int unlock(struct child *c)
{
    int fd = c->lock;

    c->lock = 0;
    return fd > 0 ? close(fd) : STEP_ABSENT;
}

static int set(char *object)
{
    char *value = strchr(object, '=');

    if (!value)
        return unsetenv(object);
    *value++ = '\0';
    return setenv(object, value, 1);
}

/* Mounts that nobody else sees. */
static int alone(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
               ? 0
               : STEP_ABSENT;
}

static int small_disk(struct child *c, const char *size)
{
    char options[64];

    (void)snprintf(options, sizeof options, "size=%s,mode=0700", size);
    return alone() == 0 && mount("lab", c->cache, "tmpfs", 0, options) == 0 ? 0 : STEP_ABSENT;
}

static int read_only(struct child *c)
{
    return alone() == 0 && mount(c->cache, c->cache, NULL, MS_BIND, NULL) == 0
                   && mount(NULL, c->cache, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) == 0
               ? 0
               : STEP_ABSENT;
}

/* Lazily bound, for a library that is loaded for its modules alone need not find all its symbols. */
static int application(struct child *c, const char *path)
{
    char why[4200];
    int (*release)(void *) = NULL;
    void *library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
    void *found = library ? dlsym(library, "cudaFree") : NULL;

    if (!found) {
        const char *said = dlerror();

        (void)snprintf(why, sizeof why, "%s.why", c->cache);
        FILE *f = fopen(why, "w");

        if (f) {
            (void)fputs(said ? said : "it has no cudaFree", f);
            (void)fclose(f);
        }
        return STEP_ABSENT;
    }
    memcpy(&release, &found, sizeof release);
    return release(NULL);
}

/* Those that have ended count as one. */
static int children(struct child *c)
{
    char path[64], word[16];
    struct rusage ended;

    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *f = fopen(path, "r");

    c->value = getrusage(RUSAGE_CHILDREN, &ended) == 0 && ended.ru_maxrss > 0;
    while (f && fscanf(f, "%15s", word) == 1)
        c->value++;
    if (f)
        (void)fclose(f);
    return 0;
}

static int pause_for(const char *ms)
{
    (void)usleep((unsigned)strtoul(ms, NULL, 10) * 1000);
    return 0;
}

bool step_os(struct child *c, const char *verb, char *object, int *code)
{
    if (strcmp(verb, "meet") == 0)
        *code = meet(c, object);
    else if (strcmp(verb, "diein") == 0)
        *code = die_in(object);
    else if (strcmp(verb, "pause") == 0)
        *code = pause_for(object);
    else if (strcmp(verb, "lock") == 0)
        *code = lock(c, object, F_SETLKW);
    else if (strcmp(verb, "ofd") == 0)
        *code = lock(c, object, F_OFD_SETLKW);
    else if (strcmp(verb, "children") == 0)
        *code = children(c);
    else if (strcmp(verb, "unlock") == 0)
        *code = unlock(c);
    else if (strcmp(verb, "set") == 0)
        *code = set(object);
    else if (strcmp(verb, "cd") == 0)
        *code = chdir(object);
    else if (strcmp(verb, "umask") == 0)
        *code = umask((mode_t)strtoul(object, NULL, 8)) == (mode_t)-1 ? STEP_ABSENT : 0;
    else if (strcmp(verb, "app") == 0)
        *code = application(c, object);
    else if (strcmp(verb, "tmpfs") == 0)
        *code = small_disk(c, object);
    else if (strcmp(verb, "readonly") == 0)
        *code = read_only(c);
    else
        return false;
    return true;
}
