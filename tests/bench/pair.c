/*
 * pair RUNS CPUS -- COMMAND... [-- COMMAND...]: runs the commands in turn (A B A B ...), RUNS times
 * each, on so many processors (0: all), their output to /dev/null. One line for each run:
 *
 *   number of the command   nanoseconds   peak RSS in KiB   KiB read from disks   exit code
 *
 * It is small itself, because a child's peak RSS begins with its parent's. Before each run it syncs
 * the disks: a command that syncs what it writes would wait for what the one before it left
 * unwritten, too.
 */
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_COMMANDS = 4 };

static int64_t now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void keep_to(unsigned cpus)
{
    cpu_set_t all, few;
    unsigned kept = 0;

    if (!cpus || sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    CPU_ZERO(&few);
    for (size_t i = 0; i < CPU_SETSIZE && kept < cpus; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &few);
            kept++;
        }
    }
    (void)sched_setaffinity(0, sizeof few, &few);
}

static int run(int number, char **argv)
{
    extern char **environ;
    posix_spawn_file_actions_t files;
    struct rusage used;
    pid_t child;
    int status;

    (void)posix_spawn_file_actions_init(&files);
    (void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    sync();
    int64_t began = now();

    if (posix_spawnp(&child, argv[0], &files, NULL, argv, environ) != 0
        || wait4(child, &status, 0, &used) != child) {
        perror(argv[0]);
        return 1;
    }
    printf("%d %lld %ld %ld %d\n", number, (long long)(now() - began), used.ru_maxrss,
           used.ru_inblock / 2, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    (void)posix_spawn_file_actions_destroy(&files);
    return 0;
}

int main(int argc, char **argv)
{
    char **command[MAX_COMMANDS];
    int n = 0, failed = 0;

    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "--") != 0 || n == MAX_COMMANDS)
            continue;
        argv[i] = NULL;
        command[n++] = argv + i + 1;
    }
    if (n == 0 || argv[3]) {
        (void)fputs("usage: pair RUNS CPUS -- COMMAND... [-- COMMAND...]\n", stderr);
        return 2;
    }
    keep_to((unsigned)strtoul(argv[2], NULL, 10));
    for (unsigned long left = strtoul(argv[1], NULL, 10); left && !failed; left--)
        for (int i = 0; i < n && !failed; i++)
            failed = run(i, command[i]);
    return failed;
}
