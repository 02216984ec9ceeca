"""Which of the system calls of a program fail in a run that has no time for all of them. Each call
draws a lot that it keeps for ever, so that another number of them changes what is drawn little; a
kind that is called often (a machine with many processes has thousands of reads) has a few places
more than one that is called once, and not all. --call repeats one alone."""
import argparse
import collections
import math
import re
import zlib

# close: strace would leave the file open, and Linux never does, whatever it says. brk: glibc's own
# malloc crashes. futex, which is only called where threads meet: glibc rather ends the program.
# getrandom: libsodium does.
SPARED = ("exit_group", "execve", "restart_syscall", "rt_sigreturn", "close", "brk", "futex",
          "getrandom", "rseq", "set_robust_list")


def one_call(text):
    """NAME:NUMBER, for argparse."""
    name, _, nth = text.rpartition(":")
    if not name or not nth.isdigit() or not int(nth):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME:NUMBER, such as write:3")
    return name, int(nth)


def add_options(parser, runs="--runs", usual=0):
    parser.add_argument(runs, type=int, default=usual)
    parser.add_argument("--call", type=one_call, metavar="NAME:NUMBER",
                        help="this system call alone, to repeat a failure")


def calls_in(log, names=None):
    """[(name, number)] of the calls in strace's log, or of those with these names, from main on:
    before that nothing is jitwarm's to survive."""
    first = max(log.find("TCGETS"), 0)  # main asks what its streams are
    calls, before = (collections.Counter(re.findall(r"^(\w+)\(", t, re.M))
                     for t in (log, log[:first]))
    return [(name, nth) for name in sorted(names or calls) if name not in SPARED
            for nth in range(before[name] + 1, calls[name] + 1)]


def lot(call):
    return zlib.crc32(f"{call[0]}:{call[1]}".encode())


def draw(calls, most, only=None):
    """`most` of these (name, number), all of them for 0, or the one that is to be repeated, whether
    it is among them or not."""
    if only:
        return [only]
    kinds = collections.defaultdict(list)
    for call in sorted(calls, key=lot):
        kinds[call[0]].append(call)
    ranked = [((i + lot(call) / 2**32) / (1 + math.log2(len(kind))), call)
              for kind in kinds.values() for i, call in enumerate(kind)]
    return sorted(call for _, call in sorted(ranked)[:most or None])
