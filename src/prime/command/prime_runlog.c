/* A background run writes one line into the log of jitwarm startup, or two if it had something to do. */
#include "base/limits.h"
#include "base/text.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "prime/command/prime_args.h"
#include "startup/startup_log.h"

#include <stdio.h>
#include <string.h>

void prime_runlog_open(struct prime_runlog *d, bool background)
{
    *d = (struct prime_runlog){ .on = background, .since = jw_time_monotonic_ns() };
}

static void add_line(struct prime_runlog *d, struct cli *cli, struct jw_startup_run run)
{
    struct jw_peer self = { 0 };
    struct jw_err err = { 0 };

    if (!jw_peer_self(&self, &err))
        self = (struct jw_peer){ .start = "" };
    run.pid = self.pid;
    run.start = self.start;
    run.when = jw_time_unix();
    run.milliseconds = (jw_time_monotonic_ns() - d->since) / 1000000;
    if (jw_startup_log_add(&run, &err))
        return;
    jw_messages_warn(&cli->messages, "cannot write the log of this run: %s", err.msg);
    d->on = false;
}

void prime_runlog_begin(struct prime_runlog *d, struct cli *cli)
{
    if (!d->on || d->began)
        return;
    d->began = true;
    add_line(d, cli, (struct jw_startup_run){ .began = true, .what = "something has changed" });
}

void prime_runlog_add(struct prime_runlog *d, const char *what)
{
    size_t n = strlen(d->more);

    (void)snprintf(d->more + n, sizeof d->more - n, "; %s", what);
}

static void say_warmed(struct jw_buf *out, const struct jw_prime_report *r)
{
    uint64_t warmed = r->counts[JW_JOB_WARMED], all = r->n_jobs ? r->n_jobs : prime_warm(r);

    if (warmed)
        jw_say(out, "%s compiled (%s), ", JW_N(warmed, "module", "modules"), JW_SIZE(r->warmed_bytes));
    if (prime_warm(r) < all)
        prime_say_warm_part(out, prime_warm(r), all);
    else
        jw_say(out, "%s%s", JW_N(all, "module", "modules"), all == 1 ? " is warm" : " are warm");
    if (r->driver.version)
        jw_say(out, " for driver %s", r->driver.version);
}

static void say_run(struct jw_buf *out, const struct jw_prime_report *r)
{
    bool warmed = r->n_jobs || r->receipt;

    if (r->run->why)
        jw_say(out, "%s%s", r->run->why, warmed ? "; " : "");
    if (r->receipt)
        jw_say(out, "nothing has changed; ");
    if (warmed)
        say_warmed(out, r);
    else if (!r->run->why)
        jw_say(out, "nothing is to be compiled");
}

void prime_runlog_end(struct prime_runlog *d, struct cli *cli, const struct jw_prime_report *r,
                      const struct jw_err *why, int code)
{
    struct jw_buf what = JW_BUF(JW_MAX_LINE);

    if (d->on) {
        if (r)
            say_run(&what, r);
        jw_say(&what, "%s%s", r ? "" : why->msg, d->more);
        add_line(d, cli,
                 (struct jw_startup_run){ .end = r ? jw_end_name(r->run->end) : "failed",
                                          .exit = (unsigned)code,
                                          .what = jw_buf_cstr(&what) });
    }
    jw_buf_free(&what);
}
