#include "base/limits.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "driver/worker/identity.h"
#include "jitwarm/prime.h"
#include "machine/gpus.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <string.h>

enum { LABEL = 10, MINUTE = 60 };

struct home {
    struct cli *cli;
    const char *root; /* of a made-up machine, else "" */
    struct jw_page page;
    struct jw_host_gpus here;
    struct jw_prime_last last;
};

static void show_gpus(struct home *h)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    const struct jw_gpu *first = h->here.gpus;
    size_t same = 0;

    if (!h->here.n) {
        jw_page_say(&h->page, TINT_WARN, "GPU",
                    h->here.driver || h->last.known ? "not visible here; jitwarm doctor asks the driver"
                                                    : "no NVIDIA GPU found");
        return;
    }
    while (same < h->here.n && strcmp(h->here.gpus[same].name, first->name) == 0)
        same++;
    if (same > 1)
        jw_say(&text, "%zu x ", same);
    jw_say(&text, "%s%s", first->name, first->sm ? JW_PHRASE(" (sm_%u)", first->sm) : "");
    if (same < h->here.n)
        jw_say(&text, ", and %zu more", h->here.n - same);
    jw_page_line(&h->page, TINT_STRONG, "GPU", &text);
}

static void show_driver(struct home *h)
{
    const char *version = h->here.driver;

    if (!version && h->last.driver_version[0] && !h->last.other_driver)
        version = h->last.driver_version;
    jw_page_say(&h->page, version ? TINT_STRONG : TINT_WARN, "Driver", "%s",
                version ? version : "no NVIDIA driver found");
}

static bool all_warm(const struct jw_prime_last *l)
{
    return l->known && !l->disabled && !l->changed && !l->other_driver && !l->partly && l->warm == l->modules;
}

static void show_warm(struct home *h)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    const struct jw_prime_last *l = &h->last;
    int64_t age = jw_time_unix() - l->when;

    if (l->disabled)
        jw_say(&text, "nothing: CUDA_CACHE_DISABLE turns off the driver's cache");
    else if (!l->known && l->compiled)
        jw_say(&text, "%s compiled, but no complete run is recorded", JW_N(l->compiled, "module", "modules"));
    else if (!l->known)
        jw_say(&text, "unknown: nothing was primed here yet");
    else if (l->partly && !l->modules)
        jw_say(&text, "nothing: the last run could not read or compile any module");
    else {
        jw_say(&text, "%llu of %llu module%s%s", (unsigned long long)l->warm, (unsigned long long)l->modules,
               l->modules == 1 ? "" : "s", l->partly ? " that could be read and compiled" : "");
        if (l->other_driver)
            jw_say(&text, ": the driver has changed since the last prime");
        else if (l->changed)
            jw_say(&text, ", but software or settings changed since the last run");
        else if (age < MINUTE)
            jw_say(&text, ", primed just now");
        else
            jw_say(&text, ", primed %s ago", JW_CLOCK((double)age));
    }
    jw_page_line(&h->page, all_warm(l) ? TINT_GOOD : TINT_WARN, "Warm", &text);
}

/* The way in which prime works for this user: as root it refuses, except in a container. */
static struct jw_words prime_words(const struct home *h)
{
    const char *user = jw_env(h->cli->arena, "SUDO_USER");

    if (!jw_is_root_of_machine(h->cli->arena))
        return jw_phrase("jitwarm prime");
    if (user && *user && strcmp(user, "root") != 0)
        return jw_phrase("sudo -u %s jitwarm prime", user);
    return jw_phrase(h->last.known
                         ? "jitwarm prime --as-root"
                         : "jitwarm prime, as the user who runs CUDA programs (root itself: --as-root)");
}

static void show_next_command(struct home *h)
{
    const struct jw_prime_last *l = &h->last;
    bool driver = h->here.driver || (l->known && !l->other_driver);

    if (l->running)
        jw_page_say(&h->page, TINT_NONE, NULL, "A prime is running. See its progress: jitwarm status");
    else if (l->disabled || !driver)
        jw_page_say(&h->page, TINT_NONE, NULL, "Start here: jitwarm doctor");
    else
        jw_page_say(&h->page, TINT_NONE, NULL, "%s: %s",
                    all_warm(l) ? "Everything primed is warm. After installing software"
                    : l->partly && !l->changed && !l->other_driver && l->warm == l->modules
                        ? "See what is not warm"
                    : !l->known && l->compiled ? "To continue"
                                               : "Start here",
                    prime_words(h).text);
}

/* "Everyday  prime plan verify ..." */
static void show_verbs(struct home *h)
{
    for (size_t i = 0; jw_cmds[i];) {
        struct jw_buf text = JW_BUF(JW_MAX_LINE);
        const char *title = jw_cmd_titles[i];

        do {
            if (!jw_cmds[i]->hidden)
                jw_say(&text, "%s%s", text.n ? " " : "", jw_cmds[i]->name);
            i++;
        } while (jw_cmds[i] && !jw_cmd_titles[i]);
        if (!jw_cmds[i])
            jw_say(&text, " (jitwarm help VERB)");
        jw_page_line(&h->page, TINT_STRONG, title ? title : "", &text);
    }
}

int jw_home_print(struct cli *cli)
{
    struct jw_err err = { 0 };
    const char *made = jw_os_is_windows() ? NULL : jw_env(cli->arena, "JITWARM_SYSROOT");
    struct home h = { .cli = cli, .root = made ? made : "" };

    jw_host_gpus(h.root, cli->arena, &h.here);
    if (!jw_prime_last(&h.last, &err))
        return jw_cli_fail(cli, &err);
    jw_page_open(&h.page, cli, LABEL, &err);
    jw_page_say(&h.page, TINT_NONE, NULL, "CUDA software starts fast on GPUs it was not built for.");
    show_gpus(&h);
    show_driver(&h);
    show_warm(&h);
    show_next_command(&h);
    jw_page_put(&h.page, "\n");
    show_verbs(&h);
    return h.page.bad ? jw_cli_fail(cli, &err) : EXIT_DONE;
}
