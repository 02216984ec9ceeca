"""What the proofs of prime share: their cases, and how an answer and a cache are read."""
import html
import re

from cases import Cases, same

case = Cases()


def states(answer):
    return {s: n for s, n in answer["counts"].items() if n}


def plain(text):
    """What a report or a page says, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text) if text.startswith("<!doctype") else text).split())


def sound(m, n):
    cache = m.cache()
    same(cache.whole(), [], "the cache")
    same(len(cache.entries), n, "entries")
    same(m.leftovers(), [], "folders left behind")
    same(m.wait_for_silence(), [], "processes left behind")


def names(m, lib, **env):
    """Which entry each module will be: by size order of the plan's jobs, through a machine without faults."""
    answer, _ = m.answer("prime", "--dry-run", lib, **env)
    return answer["jobs"]
