"""docs/json.md as data, and what a report has beside it: every key that names its verb, each of its
type, and no other."""
import collections
import functools
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "json.md"
TYPES = {
    "text": str,
    "number": (int, float),
    "bool": bool,
    "list": list,
    "objects": list,
    "object": dict,
}
Key = collections.namedtuple("Key", "name optional type verbs")  # verbs: of the row; [] for all


@functools.cache
def rows():
    """[Key] of the page. The name of a key within another is "other.key", without brackets."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not line.startswith("| `") or len(cells) < 3:
            continue
        path = cells[0].strip("`").replace("[]", "")
        verbs = cells[1].split() if len(cells) == 4 else []
        name, kind = path.rstrip("?"), cells[-2]
        assert kind in TYPES, f"docs/json.md: {name} has no type, but {kind}"
        found.append(Key(name, path.endswith("?"), kind, verbs))
    return found


def verbs():
    """Those that have keys of their own."""
    return {verb for key in rows() for verb in key.verbs}


@functools.cache
def keys_of(verb):
    """{key of its report: (Key, {key of that object, or of each object of that list: Key})}"""
    keys = {}
    for key in rows():
        above, _, below = key.name.partition(".")
        if key.verbs and verb not in key.verbs:
            continue
        if not below:
            keys[above] = (key, {})
        elif above in keys:
            keys[above][1][below] = key
    return keys


def differ(path, had, keys):
    """What the keys of one object have of other names or types than `keys`: sentences."""
    wrong = [f"{path}{name} is not in docs/json.md" for name in had if name not in keys]
    for name, key in keys.items():
        value = had.get(name)
        if name not in had:
            wrong += [] if key.optional else [f"{path}{name} is not there"]
        elif value is None:
            wrong += [f"{path}{name} is null, and may be missing"] if key.optional else []
        elif not isinstance(value, TYPES[key.type]) or (isinstance(value, bool)
                                                        and key.type != "bool"):
            wrong.append(f"{path}{name} is no {key.type}: {value!r}")
    return wrong


def wrong_keys(report):
    """Sentences; none: the report is as the page says."""
    keys = keys_of(re.fullmatch(r"jitwarm\.([a-z]+)/1", report["schema"])[1])
    wrong = differ("", report, {name: key for name, (key, _) in keys.items()})
    for name, (key, below) in keys.items():
        value = report.get(name) or []
        objects = [value] if key.type == "object" else value
        if key.type not in ("object", "objects"):
            continue
        for one in objects:
            wrong += differ(f"{name}.", one, below) if isinstance(one, dict) else []
    return sorted(set(wrong))
