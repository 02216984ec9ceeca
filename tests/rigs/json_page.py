"""docs/json.md as data, and what a report has beside it: every key that names its verb, and no
other."""
import functools
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "json.md"


def verbs():
    """Those that have keys of their own."""
    return set(" ".join(
        re.findall(r"(?m)^\| `[^|]* \| ([a-z ]+) \| .*\|$",
                   PAGE.read_text(encoding="utf-8"))).split())


@functools.cache
def keys_of(verb):
    """{key of its report: the keys of that object, or of each row of that list}; "maybe?" need not
    be there."""
    keys, above = {}, []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not line.startswith("| `"):
            continue
        row = re.findall(r"`([^`]+)`", cells[0])
        of = cells[1].split() if len(cells) == 3 else [verb]
        names, below = [key for key in row
                        if key[0] != "."], [key[1:] for key in row if key[0] == "."]
        above = [(key.replace("[]", ""), of) for key in names] or above
        for key, verbs in above:
            if verb in (of or verbs):
                keys.setdefault(key, []).extend(below)
    return keys


def differ(path, had, keys):
    names = {key.rstrip("?"): key for key in keys}
    return [f"{path}{key} is not in docs/json.md" for key in had if key not in names] + [
        f"{path}{key} is not there"
        for key, name in names.items() if key not in had and "?" not in name
    ] + [
        f"{path}{key} is null, and may be missing"
        for key in had if names.get(key, "").endswith("?") and had[key] is None
    ]


def wrong_keys(report):
    """Sentences; none: the report is as the page says."""
    keys = keys_of(re.fullmatch(r"jitwarm\.([a-z]+)/1", report["schema"])[1])
    bad = differ("", report, keys)
    for key, below in keys.items():
        value = report.get(key.rstrip("?"))
        for one in value if isinstance(value, list) else [value]:
            bad += differ(f"{key.rstrip('?')}.", one, below) if isinstance(one, dict) else []
    return sorted(set(bad))
