#include "as_nobody.h"

#include "check.h"
#include "scratch.h"

#include <grp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void (*asked)(const char *folder);
static const char *asked_in;

static void ask(void)
{
    asked(asked_in);
}

void as_nobody(void (*fn)(const char *folder), void (*prepare)(const char *folder))
{
    char folder[] = "/tmp/jw-rights-XXXXXX";
    int status = -1;

    CHECK(mkdtemp(folder) != NULL);
    CHECK(chmod(folder, 0755) == 0);
    prepare(folder);
    asked = fn;
    asked_in = folder;

    pid_t pid = fork();

    if (pid == 0) {
        char *argv[] = { (char[]){ "nobody" }, NULL };

        if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0))
            _exit(2);
        _exit(check_run(1, argv, &(struct check_test){ "as_nobody", ask }, 1));
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    (void)chmod(folder, 0755);
    scratch_empty(folder);
    (void)rmdir(folder);
}
